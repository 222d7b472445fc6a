//! Keys, mouse and buttons, all turned into [`Wish`]es.

use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_steering2d::inspector::SteeringInspector;
use bevy_steering2d_scenes::{
    CurrentScene, Pointer, Presses, SCENES, Scripted, restart, restart_with, start,
};

use crate::camera::View;
use crate::panel::PANEL_WIDTH;

pub fn plugin(app: &mut App) {
    app.init_resource::<Wishes>()
        .add_systems(Update, (read_keys, read_mouse, grant_wishes).chain());
}

/// Something the user wants of the gallery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// The scene of this name.
    Show(&'static str),
    /// The scene this far down the list, round and round.
    Turn(isize),
    /// The same scene with the same seed from the start.
    Restart,
    /// The same scene with this seed.
    Seed(u64),
    /// The same scene with so many agents.
    Agents(usize),
    /// Stop or go on.
    Pause,
    /// One tick, then pause.
    Step,
    /// Nearer or farther.
    Zoom(f32),
    /// Go along with the selected agent, or no longer.
    Follow,
    /// The whole arena again.
    Whole,
    /// The inspector, open or shut.
    Inspect,
    /// Explanations on or off.
    Overlay,
    /// A key of the scene.
    Press(char),
}

/// Wishes not yet granted, from keys and from the panel.
#[derive(Resource, Default)]
pub struct Wishes(pub Vec<Wish>);

/// One press of a zoom key.
const ZOOM_STEP: f32 = 1.25;

fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    egui: Res<EguiWantsInput>,
    current: Res<CurrentScene>,
    mut wishes: ResMut<Wishes>,
) {
    // Read even what the panel takes, or it would be read later.
    let pressed = keys
        .read()
        .filter(|key| key.state.is_pressed() && !key.repeat);
    let found = pressed.filter_map(|key| wish_of(&key.logical_key, current.seed()));
    if egui.wants_any_keyboard_input() {
        found.for_each(drop);
    } else {
        wishes.0.extend(found);
    }
}

/// The inspector itself minds F2.
fn wish_of(key: &Key, seed: u64) -> Option<Wish> {
    let character = match key {
        Key::Space => return Some(Wish::Pause),
        Key::PageDown => return Some(Wish::Turn(1)),
        Key::PageUp => return Some(Wish::Turn(-1)),
        Key::Home => return Some(Wish::Whole),
        Key::F3 => return Some(Wish::Follow),
        Key::Character(text) => text.chars().next()?.to_ascii_lowercase(),
        _ => return None,
    };
    Some(match character {
        'n' => Wish::Turn(1),
        'b' => Wish::Turn(-1),
        'r' => Wish::Restart,
        'g' => Wish::Seed(seed.wrapping_add(1)),
        'o' => Wish::Overlay,
        '.' => Wish::Step,
        '+' | '=' => Wish::Zoom(ZOOM_STEP),
        '-' => Wish::Zoom(ZOOM_STEP.recip()),
        other => Wish::Press(other),
    })
}

fn read_mouse(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform), With<Camera2d>>,
    buttons: Res<ButtonInput<MouseButton>>,
    (scroll, motion): (Res<AccumulatedMouseScroll>, Res<AccumulatedMouseMotion>),
    egui: Res<EguiWantsInput>,
    script: Option<Res<Scripted>>,
    mut pointer: ResMut<Pointer>,
    mut presses: ResMut<Presses>,
    mut view: ResMut<View>,
) {
    if script.is_some() {
        return;
    }
    let (camera, eye) = *camera;
    // What egui wants is known a frame late; the panel is where it always is.
    let taken = |cursor: Vec2| cursor.x < PANEL_WIDTH || egui.wants_any_pointer_input();
    pointer.0 = window
        .cursor_position()
        .filter(|cursor| !taken(*cursor))
        .and_then(|cursor| camera.viewport_to_world_2d(eye, cursor).ok());
    let Some(point) = pointer.0 else {
        return;
    };
    if buttons.any_pressed([MouseButton::Right, MouseButton::Middle]) {
        view.drag(meters_per_pixel(camera, eye) * motion.delta * Vec2::new(1.0, -1.0));
    }
    if buttons.just_pressed(MouseButton::Left) {
        presses.click_at(point);
    }
    if scroll.delta.y != 0.0 {
        view.zoom_by(ZOOM_STEP.powf(scroll.delta.y.signum() * 0.5), Some(point));
    }
}

fn meters_per_pixel(camera: &Camera, eye: &GlobalTransform) -> f32 {
    let at = |x| camera.viewport_to_world_2d(eye, Vec2::new(x, 0.0));
    match (at(0.0), at(1.0)) {
        (Ok(a), Ok(b)) => a.distance(b),
        _ => 0.0,
    }
}

fn grant_wishes(world: &mut World) {
    let wishes = std::mem::take(&mut world.resource_mut::<Wishes>().0);
    for wish in wishes {
        grant(world, wish);
    }
}

fn grant(world: &mut World, wish: Wish) {
    let current = *world.resource::<CurrentScene>();
    match wish {
        Wish::Show(name) => show(world, name, current.seed()),
        Wish::Turn(by) => {
            let here = SCENES
                .iter()
                .position(|scene| current.scene().is_some_and(|it| it.name == scene.name));
            let there = (here.unwrap_or(0) as isize + by).rem_euclid(SCENES.len() as isize);
            show(world, SCENES[there as usize].name, current.seed());
        }
        Wish::Restart => restart(world),
        Wish::Seed(seed) => restart_with(world, seed, current.agents()),
        Wish::Agents(agents) => restart_with(world, current.seed(), agents),
        Wish::Pause => {
            let mut time = world.resource_mut::<Time<Virtual>>();
            if time.is_paused() {
                time.unpause();
            } else {
                time.pause();
            }
        }
        Wish::Step => {
            let tick = world.resource::<Time<Fixed>>().timestep();
            world.resource_mut::<Time<Virtual>>().pause();
            world
                .resource_mut::<Time<Fixed>>()
                .accumulate_overstep(tick);
        }
        Wish::Zoom(factor) => world.resource_mut::<View>().zoom_by(factor, None),
        Wish::Follow => world.resource_mut::<View>().follows ^= true,
        Wish::Whole => *world.resource_mut::<View>() = View::default(),
        Wish::Inspect => world.resource_mut::<SteeringInspector>().open ^= true,
        Wish::Overlay => {
            let mut store = world.resource_mut::<GizmoConfigStore>();
            let (config, _) = store.config_mut::<DefaultGizmoConfigGroup>();
            config.enabled = !config.enabled;
        }
        Wish::Press(key) => {
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
