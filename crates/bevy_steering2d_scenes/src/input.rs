//! User input of scenes: pointer, keys and clicks, from a window or a script.

use bevy::prelude::*;

/// Mouse position, m, world frame; `None` while the mouse is over a panel or outside the window.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pointer(pub Option<Vec2>);

/// Where the left button went down, m, while it is held.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Held(pub Option<Vec2>);

/// A right click: go there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Destination {
    /// m, world frame.
    pub to: Vec2,
    /// Whether it comes after the previous ones (with the shift key), instead of replacing them.
    pub after_others: bool,
}

/// Keys and clicks since the last tick. Kept until a tick has run, so that none is lost while the
/// app is paused or the frame rate is high.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Presses {
    keys: Vec<char>,
    click: Option<Vec2>,
    drag: Option<(Vec2, Vec2)>,
    send: Option<Destination>,
}

impl Presses {
    /// Presses a key.
    pub fn press(&mut self, key: char) {
        self.keys.push(key);
    }

    /// Clicks at a point, m, world frame.
    pub fn click_at(&mut self, point: Vec2) {
        self.click = Some(point);
    }

    /// Releases the left button that was held from one point to another, m, world frame.
    pub fn drag(&mut self, from: Vec2, to: Vec2) {
        self.drag = Some((from, to));
    }

    /// Right-clicks.
    pub fn send(&mut self, send: Destination) {
        self.send = Some(send);
    }

    /// The latest right click.
    pub fn sent(&self) -> Option<Destination> {
        self.send
    }

    /// The keys, in the order they were pressed.
    pub fn keys(&self) -> impl Iterator<Item = char> {
        self.keys.iter().copied()
    }

    /// Where the button that was released last had gone down and went up, m.
    pub fn dragged(&self) -> Option<(Vec2, Vec2)> {
        self.drag
    }

    /// The latest click, m.
    pub fn click(&self) -> Option<Vec2> {
        self.click
    }
}

pub(crate) fn forget_presses(mut presses: ResMut<Presses>) {
    presses.set_if_neq(Presses::default());
}
