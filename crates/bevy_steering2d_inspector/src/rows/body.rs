//! The expanded part of a row: priority, probability, condition, combiner of a group, and parameters.

use std::any::TypeId;

use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::{BehaviorGroup, InvalidParameter};

use super::edit::{Edit, is_edit};
use super::{Row, combiner};
use crate::scope::{self, Scope};
use crate::theme::{self, named};
use crate::{choices, fields};

/// Shows the expanded part of a row: priority, probability, condition, parameters.
pub(super) fn body(
    ui: &mut Ui,
    world: &mut World,
    row: &Row,
    shown: Entity,
    scope: Scope,
) -> Option<Edit> {
    let mut influence = row.behavior.influence;
    let mut remove = false;
    ui.indent("parameters", |ui| {
        ui.horizontal(|ui| {
            ui.set_min_height(theme::LINE);
            ui.label("priority").on_hover_text(
                "Higher priorities are considered first under Prioritized and Dithered",
            );
            named(
                ui.add(egui::DragValue::new(&mut influence.priority)),
                &format!("{} priority", row.behavior.name),
            );
            ui.label("probability")
                .on_hover_text("Chance per tick to be considered under Dithered, in (0, 1]");
            let probability = egui::DragValue::new(&mut influence.probability)
                .speed(0.005)
                .range(InvalidParameter::SMALLEST..=1.0)
                .clamp_existing_to_range(false);
            named(
                ui.add(probability),
                &format!("{} probability", row.behavior.name),
            );
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                remove = theme::icon(ui, "🗑", &format!("Remove {}", row.behavior.name)).clicked();
            });
        });
        // On a line of its own: a long name would reach below the button that removes the behavior.
        ui.horizontal(|ui| {
            ui.set_min_height(theme::LINE);
            choices::when(ui, world, &mut influence.when, row.behavior.name);
        });
        if row.component == TypeId::of::<BehaviorGroup>() {
            let name = format!("Combiner of {}", row.behavior.source);
            combiner(ui, world, row.behavior.source, &name, |world| {
                let agents = scope::agents(world, scope, shown);
                scope::behavior_entities(world, &agents, row.behavior.id, row.behavior.source)
            });
        }
        fields::edit(ui, world, row.component, row.behavior.source, |world| {
            let agents = scope::agents(world, scope, shown);
            scope::behavior_entities(world, &agents, row.behavior.id, row.behavior.source)
        });
    });
    if remove {
        return Some(Edit::Remove);
    }
    is_edit(row.behavior.influence, influence).then_some(Edit::Influence(influence))
}
