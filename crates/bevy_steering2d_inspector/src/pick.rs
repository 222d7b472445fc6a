//! Picking agents with the pointer.

use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui;
use bevy_steering2d_core::{Kinematics, Vehicle};
use bevy_steering2d_debug::{DrawnAt, SteeringSelection};

/// However small it looks, an agent is hit this near to its center, logical pixels.
const FINGER: f32 = 14.0;

/// Selects the agent that was clicked, if the click was not for the panel or any other part of
/// egui. With shift or a command key it joins, or leaves, those already selected.
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

/// Logical pixels per point of egui: 1 unless egui is scaled. `None` without a window.
pub(crate) fn zoom(context: &egui::Context, world: &mut World) -> Option<f32> {
    let mut windows = world.query_filtered::<&Window, With<PrimaryWindow>>();
    let scale = windows.single(world).ok()?.scale_factor();
    Some(context.pixels_per_point() / scale)
}

/// The agent at a point of the window.
fn agent_at(context: &egui::Context, world: &mut World, at: egui::Pos2) -> Option<Entity> {
    let pixel = zoom(context, world)? * Vec2::new(at.x, at.y);

    let mut cameras = world.query::<(&Camera, &GlobalTransform, &RenderTarget)>();
    let views = |(camera, eye, target): (&Camera, &GlobalTransform, &RenderTarget)| {
        let point = camera.viewport_to_world_2d(eye, pixel).ok()?;
        let aside = camera.viewport_to_world_2d(eye, pixel + Vec2::X).ok()?;
        let visible = camera.is_active && matches!(target, RenderTarget::Window(_));
        visible.then_some((camera.order, point, point.distance(aside)))
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
    nearest(found, FINGER * pixel)
}

/// The nearest of those that are hit: within their radius or `reach`.
fn nearest(found: impl Iterator<Item = (Entity, f32, f32)>, reach: f32) -> Option<Entity> {
    found
        .filter(|(_, distance, radius)| *distance <= radius.max(reach))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(entity, ..)| entity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_that_is_hit_is_picked() {
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
