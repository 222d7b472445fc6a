//! The expanded part of a row: priority, probability, condition, combiner of a group, and parameters.

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::{BehaviorGroup, InvalidParameter};

use super::edit::{Edit, is_edit};
use super::{Row, combiner};
use crate::scope::{self, Scope};
use crate::theme::{self, named};
use crate::vehicle::{companion, tuning};
use crate::{choices, fields};

/// Shows the expanded part of a row: priority, probability, condition, parameters, and the conditions and predictors of a
/// behavior entity.
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
        let source = row.behavior.source;
        let in_scope = |world: &World| {
            let agents = scope::agents(world, scope, shown);
            scope::behavior_entities(world, &agents, row.behavior.id, source)
        };
        if row.component == TypeId::of::<BehaviorGroup>() {
            let name = format!("Combiner of {source}");
            combiner(ui, world, source, &name, in_scope);
        }
        fields::edit(ui, world, row.component, source, in_scope);
        // Those of the agent are in the Vehicle tab.
        if source != shown {
            let companions = tuning(&world.resource::<AppTypeRegistry>().read());
            for id in companions {
                companion(ui, world, id, source, in_scope);
            }
        }
    });
    if remove {
        return Some(Edit::Remove);
    }
    is_edit(row.behavior.influence, influence).then_some(Edit::Influence(influence))
}
