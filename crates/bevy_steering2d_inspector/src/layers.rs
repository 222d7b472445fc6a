//! Draw tab: the layers of the debug drawing.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy_egui::egui::Ui;
use bevy_steering2d_core::BehaviorRegistry;
use bevy_steering2d_debug::{DebugLayer, DrawnAgents, SteeringDebug};

use crate::theme;

/// Shows check boxes for the layers, and a legend of the behaviors' colors.
pub(crate) fn show(ui: &mut Ui, world: &mut World, shown: Option<Entity>) {
    let mut debug = world.resource::<SteeringDebug>().clone();
    ui.horizontal(|ui| {
        ui.label("Draw for");
        for (agents, name) in [
            (DrawnAgents::Selected, "selected"),
            (DrawnAgents::All, "all"),
            (DrawnAgents::None, "none"),
        ] {
            ui.selectable_value(&mut debug.agents, agents, name);
        }
    });
    ui.add_space(4.0);
    for layer in DebugLayer::ALL {
        let mut on = debug.is_on(layer);
        let response = ui.checkbox(&mut on, layer.name());
        if response.on_hover_text(layer.description()).changed() {
            debug.set(layer, on);
        }
    }
    if debug != *world.resource::<SteeringDebug>() {
        *world.resource_mut::<SteeringDebug>() = debug;
    }
    if let Some(shown) = shown {
        theme::section(ui, "Behavior colors");
        let registry = world.resource::<BehaviorRegistry>();
        let behaviors = registry.assigned_to(world, shown);
        // The agent may have a behavior several times.
        let behaviors: BTreeSet<_> = behaviors.iter().map(|behavior| behavior.id).collect();
        theme::legend(ui, world, behaviors.into_iter());
    }
}
