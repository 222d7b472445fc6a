//! [`SteeringGizmos`]: the gizmo config group of the debug drawing.

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;

/// The gizmo config group of the debug drawing. Set line width, render layers and `enabled` in Bevy's
/// `GizmoConfigStore`.
#[derive(Default, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
pub struct SteeringGizmos;

impl SteeringGizmos {
    /// The render layers of the gizmos: a camera draws them if its own layers intersect these. Layer 0
    /// if the app does not have the config group.
    pub fn render_layers(store: &GizmoConfigStore) -> &RenderLayers {
        let config = store.get_config::<Self>();
        config
            .map(|(config, _)| &config.render_layers)
            .unwrap_or_default()
    }
}
