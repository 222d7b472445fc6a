//! Agent list: selects agents by name, number or behavior.

use bevy::prelude::*;
use bevy_egui::egui::{self, RichText, Ui};
use bevy_steering2d_core::{BehaviorRegistry, SteeringId, Vehicle};
use bevy_steering2d_debug::SteeringSelection;

use crate::recent::Recent;
use crate::theme::{faint, named};

/// The list of agents: what is searched for, and which agents match.
#[derive(Debug, Default)]
pub(crate) struct AgentList {
    search: String,
    found: Recent<String, Vec<Entity>>,
}

/// The title of an agent: its `Name` or "Agent", and its number.
pub(crate) fn title(world: &World, agent: Entity) -> String {
    let id = world.get::<SteeringId>(agent);
    let id = id.map_or_else(|| agent.to_string(), |id| format!("#{}", id.0));
    match world.get::<Name>(agent) {
        Some(name) => format!("{name} {id}"),
        None => format!("Agent {id}"),
    }
}

/// A field that takes what is typed as soon as its menu has opened; whether Enter was pressed in it.
pub(crate) fn search_field(ui: &mut Ui, search: &mut String, hint: &str, name: &str) -> bool {
    let field = ui.add(egui::TextEdit::singleline(search).hint_text(hint));
    let frame = ui.ctx().cumulative_frame_nr();
    let last_shown = ui.data_mut(|data| {
        let last = data.get_temp_mut_or(field.id.with("last shown"), 0);
        std::mem::replace(last, frame)
    });
    if last_shown + 1 < frame {
        field.request_focus();
    }
    let entered = field.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
    named(field, name);
    entered
}

/// Shows the primary agent, and a searchable list of all agents.
pub(crate) fn choose(ui: &mut Ui, world: &mut World, list: &mut AgentList) {
    let AgentList { search, found } = list;
    let shown = world.resource::<SteeringSelection>().primary();
    let label = shown.map_or_else(|| "Pick an agent".into(), |agent| title(world, agent));
    let combo = egui::ComboBox::from_id_salt("steering agents")
        .width(ui.available_width() - 8.0)
        .height(360.0)
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
        .selected_text(RichText::new(label).strong());
    let response = combo.show_ui(ui, |ui| {
        let entered = search_field(ui, search, "name, number or behavior", "Search agents");
        let found = found.get(search.clone(), |search| find(world, search));
        // An agent may have been despawned since.
        let is_there = |world: &World, agent: Entity| world.get::<Vehicle>(agent).is_some();
        let count = found.len();
        ui.label(faint(format!(
            "{count} agent{}",
            if count == 1 { "" } else { "s" }
        )));
        let mut there = found.iter().filter(|agent| is_there(world, **agent));
        if let (true, Some(&first)) = (entered, there.next()) {
            world.resource_mut::<SteeringSelection>().set([first]);
            search.clear();
            ui.close();
        }
        let height = ui.text_style_height(&egui::TextStyle::Button) + 6.0;
        egui::ScrollArea::vertical()
            .max_height(280.0)
            .auto_shrink([false, true])
            .show_rows(ui, height, found.len(), |ui, range| {
                for &agent in &found[range] {
                    if !is_there(world, agent) {
                        continue;
                    }
                    let selected = world.resource::<SteeringSelection>().contains(agent);
                    let button = egui::Button::selectable(selected, title(world, agent));
                    let button = button.min_size(egui::vec2(0.0, height));
                    if ui.add(button).clicked() {
                        let more = ui.input(|it| it.modifiers.shift || it.modifiers.command);
                        let mut selection = world.resource_mut::<SteeringSelection>();
                        if more {
                            selection.toggle(agent);
                        } else {
                            selection.set([agent]);
                            search.clear();
                            ui.close();
                        }
                    }
                }
            });
    });
    named(response.response, "Agents");
}

/// The agents whose name, number or behaviors match, sorted by number.
fn find(world: &mut World, search: &str) -> Vec<Entity> {
    let wanted = search.trim().to_lowercase();
    let mut agents = world.query_filtered::<(&SteeringId, Entity), With<Vehicle>>();
    let found = agents.iter(world).map(|(id, agent)| (*id, agent));
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    let registry = world.resource::<BehaviorRegistry>();
    let behaviors = registry.iter();
    let behaviors = behaviors.filter(|it| it.name.to_lowercase().contains(&wanted));
    let behaviors: Vec<_> = behaviors.map(|it| it.id).collect();
    let has_behavior = |agent: Entity| {
        let assigned = || registry.assigned_to(world, agent);
        !behaviors.is_empty() && assigned().iter().any(|it| behaviors.contains(&it.id))
    };
    found
        .into_iter()
        .map(|(_, agent)| agent)
        .filter(|agent| {
            wanted.is_empty()
                || title(world, *agent).to_lowercase().contains(&wanted)
                || has_behavior(*agent)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{PointMass, Seek, SteeringCorePlugin, SteersFor, Wander};

    #[test]
    fn agents_are_found_by_name_number_and_behavior() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        let world = app.world_mut();
        let fox = world
            .spawn((PointMass::default(), Wander::default(), Name::new("Fox")))
            .id();
        let other = world.spawn((PointMass::default(), Vehicle::default())).id();
        world.flush();
        assert_eq!(title(world, fox), "Fox #0");
        assert_eq!(find(world, ""), [fox, other]);
        assert_eq!(find(world, "fox"), [fox]);
        assert_eq!(find(world, "#1"), [other]);
        assert_eq!(find(world, "wand"), [fox]);
        world.spawn((SteersFor(other), Seek::new(Vec2::X)));
        assert_eq!(find(world, "seek"), [other], "by a behavior entity");
        assert!(find(world, "unknown").is_empty());
    }
}
