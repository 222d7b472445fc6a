//! The camera that draws the panel.

use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::{EguiContext, EguiGlobalSettings, PrimaryEguiContext};

use crate::{SteeringInspector, pick};

/// Has another camera of the window draw the panel after the one that drew it is gone: `bevy_egui` takes the first camera
/// of an app only. Before the first one there is nothing to do.
pub(crate) fn find_another(
    mut commands: Commands,
    settings: Res<EguiGlobalSettings>,
    contexts: Query<(), With<PrimaryEguiContext>>,
    cameras: Query<(Entity, &Camera, &RenderTarget), Without<EguiContext>>,
    windows: Query<Entity, With<PrimaryWindow>>,
    mut inspector: ResMut<SteeringInspector>,
    mut had_one: Local<bool>,
) {
    if !contexts.is_empty() {
        *had_one = true;
        return;
    }
    // Without a context the panel itself does not run.
    (inspector.area, inspector.hovered) = (None, None);
    if !*had_one || !settings.auto_create_primary_context {
        return;
    }
    let Ok(window) = windows.single() else {
        return;
    };
    let usable = cameras
        .iter()
        .filter(|(_, camera, target)| camera.is_active && pick::is_shown_in(target, window));
    // Preferably one of the whole window, and on top.
    let best = usable.max_by_key(|(_, camera, _)| (camera.viewport.is_none(), camera.order));
    if let Some((camera, ..)) = best {
        commands.entity(camera).try_insert(PrimaryEguiContext);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An app whose first camera draws the panel.
    fn app_with_a_panel() -> (App, Entity) {
        let mut app = App::new();
        app.init_resource::<EguiGlobalSettings>()
            .insert_resource(SteeringInspector {
                area: Some(Rect::new(0.0, 0.0, 400.0, 600.0)),
                ..SteeringInspector::new(true)
            })
            .add_systems(Update, find_another);
        let world = app.world_mut();
        world.spawn((Window::default(), PrimaryWindow));
        let first = world.spawn((Camera::default(), PrimaryEguiContext)).id();
        app.update();
        (app, first)
    }

    fn camera(order: isize, is_active: bool) -> Camera {
        Camera {
            order,
            is_active,
            ..default()
        }
    }

    #[test]
    fn another_camera_of_the_window_draws_the_panel_after_the_first_is_gone() {
        let (mut app, first) = app_with_a_panel();
        app.world_mut().despawn(first);
        app.update();
        let world = app.world_mut();
        assert_eq!(world.resource::<SteeringInspector>().area(), None);
        let cameras = [(0, true), (1, true), (2, false)];
        let cameras = cameras.map(|(order, is_active)| world.spawn(camera(order, is_active)).id());
        for _ in 0..2 {
            app.update();
            let draws =
                |camera: Entity| app.world().entity(camera).contains::<PrimaryEguiContext>();
            assert_eq!(cameras.map(draws), [false, true, false]);
        }
    }

    #[test]
    fn the_game_may_choose_the_camera_itself() {
        let (mut app, first) = app_with_a_panel();
        let mut settings = app.world_mut().resource_mut::<EguiGlobalSettings>();
        settings.auto_create_primary_context = false;
        app.world_mut().despawn(first);
        let other = app.world_mut().spawn(camera(0, true)).id();
        app.update();
        assert!(!app.world().entity(other).contains::<PrimaryEguiContext>());
    }
}
