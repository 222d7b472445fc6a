//! Puts the layers into the schedule.

use bevy::gizmos::GizmoAsset;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use bevy_steering2d_core::SteeringClock;

use crate::layers::{
    Trails, draw_areas, draw_behavior_forces, draw_closest_approaches, draw_corridors,
    draw_detection_boxes, draw_feelers, draw_flow_fields, draw_hiding_spots, draw_neighbors,
    draw_paths, draw_predictions, draw_selection, draw_slots, draw_targets, draw_total_forces,
    draw_trails, draw_velocities, draw_wander, forget_trails,
};
use crate::selection::deselect;
use crate::subjects::{Subjects, choose_subjects};
use crate::{DebugLayer, DrawnAt, SteeringDebug, SteeringSelection};

/// Draws what agents see and want, see [the crate](crate).
///
/// Needs steering, and Bevy's `GizmoPlugin` with rendering, as in `DefaultPlugins`. Without gizmos
/// it says so once and draws nothing; [`SteeringDebug`] and [`SteeringSelection`] are there all
/// the same. Adding it twice does no harm: the second one changes nothing.
#[derive(Clone, Debug, Default)]
pub struct SteeringDebugPlugin {
    /// What to draw at first. A [`SteeringDebug`] that was inserted before wins. Default
    /// velocity, total force and the behaviors' forces of all agents.
    pub debug: SteeringDebug,
}

impl SteeringDebugPlugin {
    /// Begins with these settings.
    pub fn new(debug: SteeringDebug) -> Self {
        Self { debug }
    }
}

/// The group of gizmos that steering draws with. Line width, render layers and more are in
/// Bevy's `GizmoConfigStore`; `enabled: false` there hides all drawings at once.
#[derive(Default, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
pub struct SteeringGizmos;

/// When the drawings are made: in `PostUpdate`, once transforms have propagated.
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
        if app.world().contains_resource::<Ready>() {
            return;
        }
        app.insert_resource(Ready);
        let world = app.world();
        if !world.contains_resource::<Assets<GizmoAsset>>() {
            log::warn!(
                "SteeringDebugPlugin draws nothing: it needs Bevy's GizmoPlugin, which \
                 DefaultPlugins adds with the feature `bevy_gizmos_render`"
            );
            return;
        }
        if !world.contains_resource::<SteeringClock>() {
            log::warn!("SteeringDebugPlugin draws nothing: there is no steering, add its plugin");
            return;
        }
        app.init_gizmo_group::<SteeringGizmos>();
        add_layers(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// The layers have been added, or never will be.
#[derive(Resource)]
struct Ready;

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
                draw_total_forces.run_if(on(DebugLayer::TotalForce)),
                draw_behavior_forces.run_if(on(DebugLayer::BehaviorForces)),
                draw_targets.run_if(on(DebugLayer::Targets)),
                draw_wander.run_if(on(DebugLayer::Wander)),
                draw_feelers.run_if(on(DebugLayer::Feelers)),
                draw_detection_boxes.run_if(on(DebugLayer::DetectionBox)),
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
            .run_if(anything_is_on),
    )
    .add_systems(
        PostUpdate,
        (
            draw_selection.run_if(anybody_is_selected),
            forget_trails.run_if(trails_were_switched_off),
        )
            .in_set(SteeringDebugSystems),
    );
}

fn trails_were_switched_off(debug: Res<SteeringDebug>) -> bool {
    debug.is_changed() && !debug.is_on(DebugLayer::Trails)
}

fn on(layer: DebugLayer) -> impl Fn(Res<SteeringDebug>) -> bool + Clone {
    move |debug| debug.is_on(layer)
}

fn anything_is_on(debug: Res<SteeringDebug>, store: Res<GizmoConfigStore>) -> bool {
    debug.draws_anything() && store.config::<SteeringGizmos>().0.enabled
}

fn anybody_is_selected(debug: Res<SteeringDebug>, selection: Res<SteeringSelection>) -> bool {
    debug.rings && !selection.is_empty()
}
