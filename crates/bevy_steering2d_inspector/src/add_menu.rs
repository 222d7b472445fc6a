//! Add menu: inserts a behavior that the agent does not have.

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::{BehaviorGroup, BehaviorId, BehaviorRegistry};
use egui::containers::menu::{MenuButton, MenuConfig};

use crate::choices::Chosen;
use crate::list::search_field;
use crate::scope::{self, Scope};
use crate::theme;

/// Shows a menu of the registered behaviors that the agent does not have.
pub(crate) fn show(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    let search_id = egui::Id::new("steering add behavior");
    // A click into the search field leaves it open.
    let config = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    let menu = MenuButton::new("➕ Add behavior").config(config);
    menu.ui(ui, |ui| {
        ui.set_min_width(220.0);
        let mut search: String = ui.data(|it| it.get_temp(search_id)).unwrap_or_default();
        let entered = search_field(ui, &mut search, "search", "Search behaviors");
        let wanted = search.to_lowercase();
        let mut choices = choices(world, shown);
        choices.retain(|choice| choice.name.to_lowercase().contains(&wanted));
        let mut chosen = choices.iter().filter_map(|it| it.insert.clone());
        let mut chosen = chosen.next().filter(|_| entered);
        egui::ScrollArea::vertical()
            .max_height(320.0)
            .show(ui, |ui| {
                for choice in choices {
                    let button = egui::Button::new(choice.name).frame(false);
                    let response = ui.add_enabled(choice.insert.is_some(), button);
                    let response = theme::on_hover_docs(response, choice.docs);
                    let response = response.on_disabled_hover_text(
                        "No default: add #[derive(Default)] and #[reflect(Component, Default)]",
                    );
                    if response.clicked() {
                        chosen = choice.insert;
                    }
                }
            });
        if let Some(insert) = chosen {
            insert.insert_default(world, &scope::agents(world, scope, shown));
            search.clear();
            ui.close();
        }
        ui.data_mut(|it| it.insert_temp(search_id, search));
    });
}

struct Choice {
    id: BehaviorId,
    name: &'static str,
    docs: Option<&'static str>,
    insert: Option<Chosen>,
}

fn choices(world: &World, shown: Entity) -> Vec<Choice> {
    let types = world.resource::<AppTypeRegistry>().read();
    let registry = world.resource::<BehaviorRegistry>();
    let Ok(agent) = world.get_entity(shown) else {
        return Vec::new();
    };
    let mut choices: Vec<_> = registry
        .iter()
        // A group has an entity of its own; on an agent it does not act.
        .filter(|info| info.type_id != TypeId::of::<BehaviorGroup>())
        .filter(|info| info.influence(agent).is_none())
        .map(|info| {
            let data = types.get(info.type_id);
            Choice {
                id: info.id,
                name: info.name,
                docs: data.and_then(|it| it.type_info().docs()),
                insert: data.and_then(Chosen::behavior),
            }
        })
        .collect();
    choices.sort_by_key(|choice| (choice.name, choice.id));
    choices
}
