//! [`SteeringDebugPlugin`]: adds the drawing systems of all layers to the schedule.

use bevy::gizmos::GizmoAsset;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use bevy_steering2d_core::SteeringClock;

use crate::layers::*;
use crate::selection::deselect;
use crate::subjects::{Subjects, choose_subjects};
use crate::{DebugLayer, DrawnAt, SteeringDebug, SteeringGizmos, SteeringSelection};

/// Draws forces, targets and perception of agents; see the [crate docs](crate).
///
/// Needs steering, and Bevy's `GizmoPlugin` with rendering, as in `DefaultPlugins`. Without gizmos
/// it logs a warning and draws nothing, but still adds [`SteeringDebug`] and [`SteeringSelection`].
/// Adding it twice has no effect.
#[derive(Clone, Debug, Default)]
pub struct SteeringDebugPlugin {
    /// The initial settings, unless the app already has a [`SteeringDebug`], as it has after the inspector's plugin:
    /// add this one before it. Default velocity,
    /// total force and behavior forces of all agents.
    pub debug: SteeringDebug,
}

impl SteeringDebugPlugin {
    /// Starts with these settings.
    pub fn new(debug: SteeringDebug) -> Self {
        Self { debug }
    }
}

/// The systems of the debug drawing, in `PostUpdate` after transform propagation.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SteeringDebugSystems;

impl Plugin for SteeringDebugPlugin {
    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<Subjects>() {
            return;
        }
        if !app.world().contains_resource::<SteeringDebug>() {
            app.insert_resource(self.debug.clone());
        }
        app.init_resource::<SteeringSelection>()
            .init_resource::<Subjects>()
            .init_resource::<Trails>()
            .register_type::<SteeringDebug>()
            .register_type::<SteeringSelection>()
            .register_type::<DebugLayer>()
            .register_type::<DrawnAt>()
            .add_observer(deselect);
    }

    fn finish(&self, app: &mut App) {
        if app.world().contains_resource::<Finished>() {
            return;
        }
        app.insert_resource(Finished);
        let world = app.world();
        if !world.contains_resource::<Assets<GizmoAsset>>() {
            log::warn!(
                "SteeringDebugPlugin draws nothing: it needs Bevy's GizmoPlugin, which \
                 DefaultPlugins adds with the feature `bevy_gizmos_render`"
            );
            return;
        }
        if !world.contains_resource::<SteeringClock>() {
            log::warn!("SteeringDebugPlugin draws nothing: it needs the steering plugin");
            return;
        }
        app.init_gizmo_group::<SteeringGizmos>();
        add_layers(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Marks an app in which `finish` has run.
#[derive(Resource)]
struct Finished;

fn add_layers(app: &mut App) {
    app.configure_sets(
        PostUpdate,
        SteeringDebugSystems.after(TransformSystems::Propagate),
    )
    .add_systems(
        PostUpdate,
        (
            choose_subjects,
            (
                draw_velocities.run_if(on(DebugLayer::Velocity)),
                draw_desired_velocities.run_if(on(DebugLayer::DesiredVelocity)),
                draw_total_forces.run_if(on(DebugLayer::TotalForce)),
                draw_behavior_forces.run_if(on(DebugLayer::BehaviorForces)),
                (draw_aims, draw_targets).run_if(on(DebugLayer::Targets)),
                draw_wander.run_if(on(DebugLayer::Wander)),
                draw_feelers.run_if(on(DebugLayer::Feelers)),
                draw_detection_boxes.run_if(on(DebugLayer::DetectionBox)),
                draw_locomotion.run_if(on(DebugLayer::Locomotion)),
                draw_neighbors.run_if(on(DebugLayer::Neighbors)),
                (draw_paths, draw_corridors).run_if(on(DebugLayer::Paths)),
                draw_flow_fields.run_if(on(DebugLayer::FlowField)),
                draw_hiding_spots.run_if(on(DebugLayer::HidingSpots)),
                (draw_predictions, draw_closest_approaches).run_if(on(DebugLayer::Predictions)),
                draw_slots.run_if(on(DebugLayer::Slots)),
                draw_areas.run_if(on(DebugLayer::Areas)),
                draw_trails.run_if(on(DebugLayer::Trails)),
            ),
        )
            .chain()
            .in_set(SteeringDebugSystems)
            .run_if(is_drawing),
    )
    .add_systems(
        PostUpdate,
        (
            draw_selection.run_if(shows_selection),
            clear_trails.run_if(trails_were_turned_off),
        )
            .in_set(SteeringDebugSystems),
    );
}

fn trails_were_turned_off(debug: Res<SteeringDebug>) -> bool {
    debug.is_changed() && !(debug.is_on(DebugLayer::Trails) && debug.draws_anything())
}

fn on(layer: DebugLayer) -> impl Fn(Res<SteeringDebug>) -> bool + Clone {
    move |debug| debug.is_on(layer)
}

fn is_drawing(debug: Res<SteeringDebug>, store: Res<GizmoConfigStore>) -> bool {
    debug.draws_anything() && store.config::<SteeringGizmos>().0.enabled
}

fn shows_selection(debug: Res<SteeringDebug>, selection: Res<SteeringSelection>) -> bool {
    debug.rings && !selection.is_empty()
}

#[cfg(test)]
mod tests;
