//! The user as scenes know them: a pointer, keys and clicks, from a window or a script.

use bevy::prelude::*;

/// Where the mouse is, m, world frame; `None` when it is elsewhere (over a panel, outside).
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pointer(pub Option<Vec2>);

/// What was pressed since the last tick. Kept until a tick has seen it, so nothing is lost while
/// the game is paused or the frame rate is high.
#[derive(Resource, Clone, Debug, Default)]
pub struct Presses {
    keys: Vec<char>,
    click: Option<Vec2>,
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

    /// The keys, in the order they were pressed.
    pub fn keys(&self) -> impl Iterator<Item = char> {
        self.keys.iter().copied()
    }

    /// The latest click, m.
    pub fn click(&self) -> Option<Vec2> {
        self.click
    }
}

pub(crate) fn forget_presses(mut presses: ResMut<Presses>) {
    if !presses.keys.is_empty() || presses.click.is_some() {
        *presses = Presses::default();
    }
}
