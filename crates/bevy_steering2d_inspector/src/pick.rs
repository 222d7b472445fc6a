//! Picking: selects agents with the pointer.

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_egui::egui;
use bevy_steering2d_core::{Kinematics, Vehicle};
use bevy_steering2d_debug::{DrawnAt, SteeringGizmos, SteeringSelection};

use crate::SteeringInspector;

/// The minimum pick radius of an agent, logical pixels.
const MIN_PICK_RADIUS: f32 = 14.0;

/// Selects the clicked agent, unless egui uses the click. With shift or a command key the agent is
/// added to the selection, or removed from it.
///
/// The press decides which agent that is, as it does in games: until the release the agent may move away. `pressed` keeps
/// it until then.
pub(crate) fn pick(context: &egui::Context, world: &mut World, pressed: &mut Option<Entity>) {
    let is_of_egui = context.is_pointer_over_egui() || context.egui_wants_pointer_input();
    let (is_pressed, is_clicked, at, modifiers) = context.input(|it| {
        let pointer = &it.pointer;
        let is_pressed = pointer.primary_pressed();
        // A finger may already be gone.
        let at = if is_pressed {
            pointer.interact_pos()
        } else {
            pointer.latest_pos()
        };
        (is_pressed, pointer.primary_clicked(), at, it.modifiers)
    });
    let at = at.filter(|_| !is_of_egui);
    let over = at.and_then(|at| agent_at(context, world, at));
    world.resource_mut::<SteeringInspector>().hovered = over;
    if is_pressed {
        *pressed = over;
    }
    if !is_clicked {
        return;
    }
    // It may have been despawned since.
    let agent = pressed.take();
    let Some(agent) = agent.filter(|agent| world.get::<Vehicle>(*agent).is_some()) else {
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
pub(crate) fn is_shown_in(target: &RenderTarget, window: Entity) -> bool {
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
    use bevy_egui::egui::{Event, Modifiers, PointerButton, RawInput};
    use bevy_steering2d_core::SteeringCorePlugin;

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

    /// The middle of the window.
    const MIDDLE: egui::Pos2 = egui::pos2(400.0, 300.0);

    /// A window of 800 × 600 pixels with an agent, and a pointer in its middle.
    struct Scene {
        app: App,
        context: egui::Context,
        pressed: Option<Entity>,
        agent: Entity,
    }

    impl Scene {
        /// The agent is `x` m to the right of the pointer.
        fn new(x: f32) -> Self {
            let mut app = App::new();
            app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()))
                .init_resource::<SteeringSelection>()
                .insert_resource(SteeringInspector::new(true));
            let world = app.world_mut();
            world.spawn((Window::default(), PrimaryWindow));
            let target = RenderTarget::Window(WindowRef::Primary);
            world.spawn((camera(0, None, 0.0), target));
            let agent = (
                Vehicle::default(),
                Kinematics::default(),
                DrawnAt::default(),
            );
            let agent = world.spawn(agent).id();
            let mut scene = Self {
                app,
                context: egui::Context::default(),
                pressed: None,
                agent,
            };
            scene.move_to(x);
            scene.frame(Event::PointerMoved(MIDDLE));
            scene
        }

        fn move_to(&mut self, x: f32) {
            let place = DrawnAt(Some(Vec2::new(x, 0.0)));
            self.app.world_mut().entity_mut(self.agent).insert(place);
        }

        fn frame(&mut self, event: Event) {
            let size = egui::vec2(800.0, 600.0);
            let input = RawInput {
                screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
                events: vec![event],
                ..default()
            };
            let (world, pressed) = (self.app.world_mut(), &mut self.pressed);
            let _ = self
                .context
                .run_ui(input, |ui| pick(ui.ctx(), world, pressed));
        }

        fn button(&mut self, pressed: bool) {
            self.frame(Event::PointerButton {
                pos: MIDDLE,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            });
        }

        fn hovered(&self) -> Option<Entity> {
            self.app.world().resource::<SteeringInspector>().hovered()
        }

        fn selected(&self) -> Option<Entity> {
            self.app.world().resource::<SteeringSelection>().primary()
        }
    }

    #[test]
    fn a_click_selects_the_agent_under_the_press() {
        let mut scene = Scene::new(0.0);
        assert_eq!(scene.hovered(), Some(scene.agent), "before the press");
        scene.button(true);
        scene.move_to(2.0);
        scene.button(false);
        assert_eq!(scene.hovered(), None);
        assert_eq!(scene.selected(), Some(scene.agent));
    }

    #[test]
    fn an_agent_that_comes_under_the_pointer_after_the_press_is_not_selected() {
        let mut scene = Scene::new(2.0);
        assert_eq!(scene.hovered(), None);
        scene.button(true);
        scene.move_to(0.0);
        scene.button(false);
        assert_eq!(scene.hovered(), Some(scene.agent));
        assert_eq!(scene.selected(), None);
    }

    #[test]
    fn an_agent_that_is_despawned_after_the_press_is_not_selected() {
        let mut scene = Scene::new(0.0);
        scene.button(true);
        scene.app.world_mut().despawn(scene.agent);
        scene.button(false);
        assert_eq!(scene.selected(), None);
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
