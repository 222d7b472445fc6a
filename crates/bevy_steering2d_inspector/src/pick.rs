//! Picking: selects agents with the pointer.

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_egui::egui;
use bevy_steering2d_core::{Kinematics, Vehicle};
use bevy_steering2d_debug::{DrawnAt, SteeringGizmos, SteeringSelection};

/// The minimum pick radius of an agent, logical pixels.
const MIN_PICK_RADIUS: f32 = 14.0;

/// Selects the clicked agent, unless egui uses the click. With shift or a command key the agent is
/// added to the selection, or removed from it.
pub(crate) fn pick(context: &egui::Context, world: &mut World) {
    if context.is_pointer_over_egui() || context.egui_wants_pointer_input() {
        return;
    }
    let (clicked, modifiers) = context.input(|it| {
        let clicked = it.pointer.primary_clicked();
        (
            clicked.then(|| it.pointer.interact_pos()).flatten(),
            it.modifiers,
        )
    });
    let Some(agent) = clicked.and_then(|at| agent_at(context, world, at)) else {
        return;
    };
    let mut selection = world.resource_mut::<SteeringSelection>();
    if modifiers.shift || modifiers.command {
        selection.toggle(agent);
    } else {
        selection.set([agent]);
    }
}

/// Logical pixels per egui point, 1 unless egui is scaled. `None` without a window.
pub(crate) fn zoom(context: &egui::Context, world: &mut World) -> Option<f32> {
    let mut windows = world.query_filtered::<&Window, With<PrimaryWindow>>();
    let scale = windows.single(world).ok()?.scale_factor();
    Some(context.pixels_per_point() / scale)
}

/// The agent at a point of the window.
fn agent_at(context: &egui::Context, world: &mut World, at: egui::Pos2) -> Option<Entity> {
    let pixel = zoom(context, world)? * Vec2::new(at.x, at.y);

    let mut windows = world.query_filtered::<Entity, With<PrimaryWindow>>();
    let window = windows.single(world).ok()?;
    let drawn = world.get_resource::<GizmoConfigStore>();
    let drawn = drawn.map(SteeringGizmos::render_layers).cloned();
    let drawn = drawn.unwrap_or_default();
    let mut cameras = world.query::<View<'_>>();
    let (point, pixel) = view_at(cameras.iter(world), &drawn, window, pixel)?;

    type Place = (Option<&'static DrawnAt>, Option<&'static GlobalTransform>);
    let mut agents = world.query_filtered::<(Entity, &Kinematics, Place), With<Vehicle>>();
    let found = agents.iter(world).map(|(entity, body, (drawn, at))| {
        let center = drawn.and_then(|it| it.0);
        let center = center.or_else(|| at.map(|it| it.translation().truncate()));
        let center = center.unwrap_or(body.position);
        (entity, center.distance(point), body.radius)
    });
    nearest(found, MIN_PICK_RADIUS * pixel)
}

/// A camera, with where it is, where its image is shown, and what it draws.
type View<'a> = (
    &'a Camera,
    &'a GlobalTransform,
    &'a RenderTarget,
    Option<&'a RenderLayers>,
);

/// What the topmost camera under a logical pixel of the window sees there: a point of the world, and the length of a
/// logical pixel, m. Cameras that draw none of the layers `drawn`, such as that of a user interface, do not count.
fn view_at<'a>(
    cameras: impl Iterator<Item = View<'a>>,
    drawn: &RenderLayers,
    window: Entity,
    pixel: Vec2,
) -> Option<(Vec2, f32)> {
    let views = cameras.filter_map(|(camera, transform, target, layers)| {
        let shown = camera.is_active
            && is_shown_in(target, window)
            && drawn.intersects(layers.unwrap_or_default());
        // Beyond its viewport a camera yields points as well, but something else is drawn there.
        let area = camera.logical_viewport_rect().filter(|_| shown)?;
        if !area.contains(pixel) {
            return None;
        }
        let point = |pixel| camera.viewport_to_world_2d(transform, pixel).ok();
        let (at, next) = (point(pixel)?, point(pixel + Vec2::X)?);
        Some((camera.order, at, at.distance(next)))
    });
    let (_, at, length) = views.max_by_key(|(order, ..)| *order)?;
    Some((at, length))
}

/// Whether a target is the primary window, which is `window`.
fn is_shown_in(target: &RenderTarget, window: Entity) -> bool {
    match target {
        RenderTarget::Window(WindowRef::Primary) => true,
        RenderTarget::Window(WindowRef::Entity(it)) => *it == window,
        _ => false,
    }
}

/// The nearest agent of `(agent, distance, radius)` within its radius or `min_radius`.
fn nearest(found: impl Iterator<Item = (Entity, f32, f32)>, min_radius: f32) -> Option<Entity> {
    found
        .filter(|(_, distance, radius)| *distance <= radius.max(min_radius))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(entity, ..)| entity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::camera::{ComputedCameraValues, RenderTargetInfo, Viewport};

    /// A camera of a window of 800 × 600 pixels that sees the square from −1 to 1 m around `x`.
    fn camera(order: isize, viewport: Option<Viewport>, x: f32) -> (Camera, GlobalTransform) {
        let window = RenderTargetInfo {
            physical_size: UVec2::new(800, 600),
            scale_factor: 1.0,
        };
        let camera = Camera {
            order,
            viewport,
            computed: ComputedCameraValues {
                clip_from_view: Mat4::IDENTITY,
                target_info: Some(window),
                ..default()
            },
            ..default()
        };
        (camera, GlobalTransform::from_xyz(x, 0.0, 0.0))
    }

    #[test]
    fn a_click_is_seen_by_the_camera_under_the_pointer() {
        let mut world = World::new();
        let [window, other_window] = [(); 2].map(|()| world.spawn_empty().id());
        let corner = Viewport {
            physical_position: UVec2::new(600, 0),
            physical_size: UVec2::new(200, 200),
            ..default()
        };
        let (main, main_at) = camera(0, None, 0.0);
        let (map, map_at) = camera(1, Some(corner), 100.0);
        let (elsewhere, elsewhere_at) = camera(2, None, 500.0);
        let primary = RenderTarget::Window(WindowRef::Primary);
        let named = RenderTarget::Window(WindowRef::Entity(window));
        let other = RenderTarget::Window(WindowRef::Entity(other_window));
        let cameras: [View<'_>; 3] = [
            (&map, &map_at, &primary, None),
            (&elsewhere, &elsewhere_at, &other, None),
            (&main, &main_at, &named, None),
        ];
        let drawn = RenderLayers::default();
        let view = |x, y| view_at(cameras.into_iter(), &drawn, window, Vec2::new(x, y));

        let (at, pixel) = view(200.0, 450.0).expect("seen by the main camera");
        assert!(at.distance(Vec2::new(-0.5, -0.5)) < 1e-5, "{at}");
        assert!((pixel - 2.0 / 800.0).abs() < 1e-5, "{pixel}");
        let (at, _) = view(700.0, 100.0).expect("seen by the map's camera");
        assert!(at.distance(Vec2::new(100.0, 0.0)) < 1e-4, "{at}");
        assert_eq!(view(900.0, 100.0), None, "outside of the window");
    }

    #[test]
    fn a_click_passes_through_a_camera_that_draws_other_layers() {
        let window = World::new().spawn_empty().id();
        let (game, game_at) = camera(0, None, 100.0);
        let (above, above_at) = camera(1, None, 0.0);
        let primary = RenderTarget::Window(WindowRef::Primary);
        let seen = |layers: &RenderLayers, drawn: &RenderLayers| {
            let cameras: [View<'_>; 2] = [
                (&game, &game_at, &primary, None),
                (&above, &above_at, &primary, Some(layers)),
            ];
            let view = view_at(cameras.into_iter(), drawn, window, Vec2::new(400.0, 300.0));
            let (at, _) = view.expect("seen by a camera");
            at.x.round()
        };
        let [zero, one] = [0, 1].map(RenderLayers::layer);
        assert_eq!(seen(&RenderLayers::none(), &zero), 100.0, "only a panel");
        assert_eq!(seen(&one, &zero), 100.0, "another layer");
        assert_eq!(seen(&one, &one), 0.0, "that of the drawings");
        assert_eq!(seen(&zero, &zero), 0.0, "two cameras of the game");
    }

    #[test]
    fn nearest_agent_under_the_pointer_is_picked() {
        let mut world = World::new();
        let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
        let found = [(a, 3.0, 4.0), (b, 1.0, 0.1), (c, 0.5, 0.1)];
        assert_eq!(
            nearest(found.into_iter(), 0.2),
            Some(a),
            "only a is large enough"
        );
        assert_eq!(nearest(found.into_iter(), 1.5), Some(c));
        assert_eq!(nearest([(b, 2.0, 0.5)].into_iter(), 1.0), None);
    }
}
