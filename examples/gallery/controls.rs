//! Controls: keys, mouse and buttons become [`Action`]s.

use bevy::ecs::system::SystemParam;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::input::mouse::AccumulatedMouseScroll;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_steering2d::inspector::SteeringInspector;
use bevy_steering2d_scenes::replay::Playback;
use bevy_steering2d_scenes::{
    CurrentScene, Destination, Held, Pointer, Presses, SCENES, Scripted, restart, restart_with,
    start,
};

use crate::args::MOST_SEED;
use crate::camera::View;
use crate::panel::PANEL_WIDTH;

pub fn plugin(app: &mut App) {
    app.init_resource::<Actions>()
        .add_systems(Update, (read_keys, read_mouse, apply_actions).chain());
}

/// A user's command to the gallery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Show the scene of this name.
    Show(&'static str),
    /// Show the scene this many places down the list, cyclically.
    Turn(isize),
    /// Restart the scene with the same seed.
    Restart,
    /// Restart the scene with this seed.
    Seed(u64),
    /// Restart the scene with this number of agents.
    Agents(usize),
    /// Pause or resume.
    Pause,
    /// Run one tick, then pause.
    Step,
    /// Multiply the zoom by this factor.
    Zoom(f32),
    /// Follow the selected agent, or stop following it.
    Follow,
    /// Show the whole arena.
    Whole,
    /// Open or close the inspector.
    Inspect,
    /// Show or hide the overlays.
    Overlay,
    /// Press a key of the scene.
    Press(char),
}

/// Actions of keys and panel that are not yet applied.
#[derive(Resource, Default)]
pub struct Actions(pub Vec<Action>);

/// The longest motion of the cursor during a click, logical pixels.
const CLICK: f32 = 4.0;

/// Zoom factor of one key press.
const ZOOM_STEP: f32 = 1.25;

fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    egui: Res<EguiWantsInput>,
    current: Res<CurrentScene>,
    mut actions: ResMut<Actions>,
) {
    // Also drains the keys that egui takes, or they would be read later.
    let pressed = keys
        .read()
        .filter(|key| key.state.is_pressed() && !key.repeat);
    let found = pressed.filter_map(|key| action_of(&key.logical_key, current.seed()));
    if egui.wants_any_keyboard_input() {
        found.for_each(drop);
    } else {
        actions.0.extend(found);
    }
}

/// The action of a key; the inspector handles F2 itself.
fn action_of(key: &Key, seed: u64) -> Option<Action> {
    let character = match key {
        Key::Space => return Some(Action::Pause),
        Key::PageDown => return Some(Action::Turn(1)),
        Key::PageUp => return Some(Action::Turn(-1)),
        Key::Home => return Some(Action::Whole),
        Key::F3 => return Some(Action::Follow),
        Key::Character(text) => text.chars().next()?.to_ascii_lowercase(),
        _ => return None,
    };
    Some(match character {
        'n' => Action::Turn(1),
        'b' => Action::Turn(-1),
        'r' => Action::Restart,
        'g' => Action::Seed(if seed < MOST_SEED { seed + 1 } else { 0 }),
        'o' => Action::Overlay,
        '.' => Action::Step,
        '+' | '=' => Action::Zoom(ZOOM_STEP),
        '-' => Action::Zoom(ZOOM_STEP.recip()),
        other => Action::Press(other),
    })
}

/// The mouse, and what it moves.
#[derive(SystemParam)]
struct Mouse<'w, 's> {
    window: Single<'w, 's, &'static Window, With<PrimaryWindow>>,
    camera: Single<'w, 's, (&'static Camera, &'static GlobalTransform), With<Camera2d>>,
    buttons: Res<'w, ButtonInput<MouseButton>>,
    keys: Res<'w, ButtonInput<KeyCode>>,
    scroll: Res<'w, AccumulatedMouseScroll>,
    egui: Res<'w, EguiWantsInput>,
    inspector: Res<'w, SteeringInspector>,
    script: Option<Res<'w, Scripted>>,
    playback: Option<Res<'w, Playback>>,
    current: Res<'w, CurrentScene>,
    pointer: ResMut<'w, Pointer>,
    held: ResMut<'w, Held>,
    presses: ResMut<'w, Presses>,
    view: ResMut<'w, View>,
    /// Where the cursor was in the last frame, logical pixels.
    last: Local<'s, Option<Vec2>>,
    /// Where it was last in the scene, m.
    last_point: Local<'s, Vec2>,
    /// How far it has moved since the right button went down, logical pixels.
    dragged: Local<'s, f32>,
}

fn read_mouse(mut mouse: Mouse) {
    if mouse.script.is_some() {
        return;
    }
    let (motion, point) = (mouse.motion(), mouse.point());
    // A replay shows the mouse that was recorded.
    let is_replay = mouse
        .playback
        .as_ref()
        .is_some_and(|it| it.feeds(&mouse.current));
    if !is_replay {
        mouse.move_pointer(point);
    }
    let Some(point) = point else {
        return;
    };
    mouse.drag_view(motion);
    mouse.zoom(point);
    if !is_replay {
        mouse.send(point);
        mouse.click(point);
    }
}

impl Mouse<'_, '_> {
    /// How far the cursor has moved since the last frame, logical pixels.
    fn motion(&mut self) -> Vec2 {
        // Not the motion of the device, whose unit differs from computer to computer.
        let cursor = self.window.cursor_position();
        let last = std::mem::replace(&mut *self.last, cursor);
        last.zip(cursor).map_or(Vec2::ZERO, |(from, to)| to - from)
    }

    /// Where the cursor is in the scene, m; `None` over panels.
    fn point(&self) -> Option<Vec2> {
        // egui reports a frame late what input it wants; the panel's position is known.
        let taken = |cursor: Vec2| cursor.x < PANEL_WIDTH || self.egui.wants_any_pointer_input();
        let cursor = self.window.cursor_position().filter(|it| !taken(*it))?;
        let (camera, eye) = *self.camera;
        camera.viewport_to_world_2d(eye, cursor).ok()
    }

    /// Shows the scene where the mouse is, and ends a drag by the left button.
    fn move_pointer(&mut self, point: Option<Vec2>) {
        self.pointer.0 = point;
        *self.last_point = point.unwrap_or(*self.last_point);
        if !self.buttons.pressed(MouseButton::Left)
            && let Some(from) = self.held.0.take()
        {
            self.presses.drag(from, *self.last_point);
        }
    }

    /// Moves the view by the right or the middle button.
    fn drag_view(&mut self, motion: Vec2) {
        let (camera, eye) = *self.camera;
        let moves = [MouseButton::Right, MouseButton::Middle];
        if self.buttons.any_pressed(moves) {
            let meters = meters_per_pixel(camera, eye) * motion * Vec2::new(1.0, -1.0);
            self.view.drag(meters);
            *self.dragged += motion.length();
        }
        if self.buttons.just_pressed(MouseButton::Right) {
            *self.dragged = 0.0;
        }
    }

    /// Zooms by the wheel.
    fn zoom(&mut self, point: Vec2) {
        let turn = self.scroll.delta.y;
        if turn != 0.0 {
            let factor = ops::powf(ZOOM_STEP, turn.signum() * 0.5);
            self.view.zoom_by(factor, Some(point));
        }
    }

    /// Sends by the right button: a drag moves the view, a click sends.
    fn send(&mut self, point: Vec2) {
        if self.buttons.just_released(MouseButton::Right) && *self.dragged < CLICK {
            let shift = [KeyCode::ShiftLeft, KeyCode::ShiftRight];
            self.presses.send(Destination {
                to: point,
                after_others: self.keys.any_pressed(shift),
            });
        }
    }

    /// Clicks by the left button. A click that selects an agent in the inspector is not one in the scene.
    fn click(&mut self, point: Vec2) {
        if self.buttons.just_pressed(MouseButton::Left) && self.inspector.hovered().is_none() {
            self.presses.click_at(point);
            self.held.0 = Some(point);
        }
    }
}

fn meters_per_pixel(camera: &Camera, eye: &GlobalTransform) -> f32 {
    let at = |x| camera.viewport_to_world_2d(eye, Vec2::new(x, 0.0));
    match (at(0.0), at(1.0)) {
        (Ok(a), Ok(b)) => a.distance(b),
        _ => 0.0,
    }
}

fn apply_actions(world: &mut World) {
    let actions = std::mem::take(&mut world.resource_mut::<Actions>().0);
    for action in actions {
        apply(world, action);
    }
}

fn apply(world: &mut World, action: Action) {
    let current = *world.resource::<CurrentScene>();
    match action {
        Action::Show(name) => show(world, name, current.seed()),
        Action::Turn(by) => {
            let here = SCENES
                .iter()
                .position(|scene| current.scene().is_some_and(|it| it.name == scene.name));
            // A case is not in the list: it is before the first scene and after the last one.
            let there = match here {
                Some(here) => here as isize + by,
                None if by > 0 => by - 1,
                None => by,
            };
            let there = there.rem_euclid(SCENES.len() as isize);
            show(world, SCENES[there as usize].name, current.seed());
        }
        Action::Restart => restart(world),
        Action::Seed(seed) => restart_with(world, seed, current.agents()),
        Action::Agents(agents) => restart_with(world, current.seed(), agents),
        Action::Pause => {
            let mut time = world.resource_mut::<Time<Virtual>>();
            if time.is_paused() {
                time.unpause();
            } else {
                time.pause();
            }
        }
        Action::Step => {
            let tick = world.resource::<Time<Fixed>>().timestep();
            world.resource_mut::<Time<Virtual>>().pause();
            world
                .resource_mut::<Time<Fixed>>()
                .accumulate_overstep(tick);
        }
        Action::Zoom(factor) => world.resource_mut::<View>().zoom_by(factor, None),
        Action::Follow => world.resource_mut::<View>().follows ^= true,
        Action::Whole => *world.resource_mut::<View>() = View::default(),
        Action::Inspect => world.resource_mut::<SteeringInspector>().open ^= true,
        Action::Overlay => {
            let mut store = world.resource_mut::<GizmoConfigStore>();
            let (config, _) = store.config_mut::<DefaultGizmoConfigGroup>();
            config.enabled = !config.enabled;
        }
        Action::Press(key) => {
            let known = current
                .scene()
                .is_some_and(|scene| scene.keys.iter().any(|it| it.key == key));
            if known {
                world.resource_mut::<Presses>().press(key);
            }
        }
    }
}

fn show(world: &mut World, name: &str, seed: u64) {
    world.insert_resource(View::default());
    if let Err(error) = start(world, name, seed) {
        warn!("{error}");
    }
}
