//! Picking: selects agents with the pointer.

use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui;
use bevy_steering2d_core::{Kinematics, Vehicle};
use bevy_steering2d_debug::{DrawnAt, SteeringSelection};

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

    let mut cameras = world.query::<(&Camera, &GlobalTransform, &RenderTarget)>();
    let views = |(camera, transform, target): (&Camera, &GlobalTransform, &RenderTarget)| {
        let point = camera.viewport_to_world_2d(transform, pixel).ok()?;
        let next = camera
            .viewport_to_world_2d(transform, pixel + Vec2::X)
            .ok()?;
        let visible = camera.is_active && matches!(target, RenderTarget::Window(_));
        visible.then_some((camera.order, point, point.distance(next)))
    };
    let (_, point, pixel) = cameras
        .iter(world)
        .filter_map(views)
        .max_by_key(|it| it.0)?;

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
