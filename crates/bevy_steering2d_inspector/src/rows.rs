//! Behaviors tab: one row per behavior with its influence, its force and its parameters.

use std::any::TypeId;

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy_egui::egui::{self, Color32, Ui};
use bevy_steering2d_core::{
    AssignedBehavior, BehaviorGroup, BehaviorRegistry, Choice, Combine, LedgerEntry,
    SteeringDisabled, SteeringForce, SteersFor, Vehicle,
};
use bevy_steering2d_debug::SteeringDebug;
use bevy_steering2d_recorder::SteeringRecorder;
use egui::collapsing_header::CollapsingState;

use crate::add_menu;
use crate::scope::{self, Scope};
use crate::theme::{self, NOTICE, alarm, faint, named};

use self::body::body;
use self::edit::Edit;
use self::header::header;

mod body;
mod edit;
mod header;
#[cfg(feature = "navigation")]
mod navigation;

/// The row of one behavior.
struct Row {
    behavior: AssignedBehavior,
    component: TypeId,
    /// The first entity that the behavior was on: each step of the timeline may spawn it again with another one.
    first: Entity,
    /// The entity whose ledger has the behavior's entry: the agent, or the group it belongs to.
    ledger: Entity,
    /// The number of groups around it.
    depth: usize,
    entry: Option<LedgerEntry>,
    color: Color32,
    docs: Option<&'static str>,
}

/// The behavior of a row that is dragged: its first entity and its type. Rows may come and go meanwhile.
type Dragged = (Entity, TypeId);

impl Row {
    fn dragged(&self) -> Dragged {
        (self.first, self.component)
    }
}

/// Shows the behaviors of the agent.
pub(crate) fn show(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    combiner(ui, world, shown, "Combiner", |world| {
        scope::agents(world, scope, shown)
    });
    if let Some(why) = why_it_stands(world, shown) {
        ui.label(alarm(why));
    }
    #[cfg(feature = "navigation")]
    navigation::show(ui, world, shown);
    let max_force = world.get::<Vehicle>(shown).map_or(1.0, |it| it.max_force);
    let rows = rows(world, shown);
    if rows.is_empty() {
        ui.add_space(8.0);
        ui.label(faint("This agent has no behaviors. Add one below."));
    }
    let mut edits = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        // Its widgets stay the same when the row changes place: what is typed or dragged there goes on.
        let own = egui::UiBuilder::new().id(egui::Id::new(("steering row ui", row.dragged())));
        ui.scope_builder(own, |ui| {
            ui.separator();
            egui::Frame::new().inner_margin(margin(row)).show(ui, |ui| {
                let header = |ui: &mut Ui| header(ui, row, index, max_force);
                edits.extend(drop_zone(ui, &rows, index, header));
                let open = CollapsingState::load_with_default_open(ui.ctx(), open_id(row), false);
                if open.is_open() {
                    edits.extend(body(ui, world, row, shown, scope).map(|edit| (index, edit)));
                }
            });
        });
    }
    for (index, edit) in edits {
        edit::apply(world, &rows, index, edit, shown, scope);
    }
    ui.separator();
    // It stays open when rows above it come or go.
    let own = egui::UiBuilder::new().id(egui::Id::new("steering add behavior ui"));
    ui.scope_builder(own, |ui| add_menu::show(ui, world, shown, scope));
}

/// Why none of the agent's behaviors acts, if it is the agent itself.
fn why_it_stands(world: &World, agent: Entity) -> Option<String> {
    if let Some(why) = why_it_is_off(world, agent) {
        return Some(why.to_owned());
    }
    let vehicle = world.get::<Vehicle>(agent)?;
    vehicle.check().err().map(|error| error.to_string())
}

/// Why an agent is not steered at all. Its ledger stays as it was.
fn why_it_is_off(world: &World, agent: Entity) -> Option<&'static str> {
    let agent = world.get_entity(agent).ok()?;
    if agent.contains::<Disabled>() {
        Some("The agent is not steered: it has Bevy's Disabled")
    } else if agent.contains::<SteeringDisabled>() {
        Some("Steering is off: switch it on under Vehicle")
    } else {
        None
    }
}

/// The indentation of a group's members.
fn margin(row: &Row) -> egui::Margin {
    const STEP: usize = 16;
    let left = i8::try_from(STEP * row.depth).unwrap_or(i8::MAX);
    egui::Margin {
        left,
        ..egui::Margin::ZERO
    }
}

/// Shows the combiner of an agent or group; a choice is made for all entities in scope.
fn combiner(
    ui: &mut Ui,
    world: &mut World,
    owner: Entity,
    name: &str,
    in_scope: impl Fn(&World) -> Vec<Entity>,
) {
    let Some(&before) = world.get::<Combine>(owner) else {
        return;
    };
    let mut wanted = before;
    ui.horizontal(|ui| {
        ui.set_min_height(theme::LINE);
        ui.label("Combine")
            .on_hover_text("How the forces of all behaviors are combined");
        let choices = egui::ComboBox::from_id_salt(("steering combiner", owner))
            .selected_text(before.name())
            .show_ui(ui, |ui| {
                let types = world.resource::<AppTypeRegistry>().read();
                for choice in Combine::all(&types) {
                    ui.selectable_value(&mut wanted, choice, choice.name());
                }
            });
        named(choices.response, name);
    });
    if wanted != before {
        for entity in in_scope(world) {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                entity.insert(wanted);
            }
        }
    }
}

/// The rows, in the order in which the combiners consider the behaviors: a group is followed by its
/// members.
fn rows(world: &World, shown: Entity) -> Vec<Row> {
    let registry = world.resource::<BehaviorRegistry>();
    let colors = world.resource::<SteeringDebug>();
    let types = world.resource::<AppTypeRegistry>().read();
    let recorder = world.get_resource::<SteeringRecorder>();
    let first = |entity| recorder.map_or(entity, |it| it.first_entity_of(entity));
    let is_on = why_it_is_off(world, shown).is_none();
    let rows = registry.assigned_to(world, shown).into_iter();
    let rows = rows.map(|behavior| {
        let info = registry.get(behavior.id);
        let docs = types
            .get_type_info(info.type_id)
            .and_then(|info| info.docs());
        let ledger = ledger_of(world, shown, &behavior, info.type_id);
        Row {
            component: info.type_id,
            first: first(behavior.source),
            ledger,
            depth: 0,
            entry: entry(world, ledger, &behavior).filter(|_| is_on),
            color: theme::color(colors.color_of(info)),
            docs,
            behavior,
        }
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.behavior.influence.priority));
    let mut nested = Vec::with_capacity(rows.len());
    nest(&mut rows, shown, 0, &mut nested);
    nested
}

/// The entity whose ledger has the entry of a behavior: the group it belongs to, else the agent.
fn ledger_of(
    world: &World,
    shown: Entity,
    behavior: &AssignedBehavior,
    component: TypeId,
) -> Entity {
    let source = behavior.source;
    let is_group = |entity: Entity| entity != shown && world.get::<BehaviorGroup>(entity).is_some();
    if is_group(source) && component != TypeId::of::<BehaviorGroup>() {
        return source;
    }
    let outer = world
        .get::<SteersFor>(source)
        .map(|steers_for| steers_for.0);
    outer.filter(|it| is_group(*it)).unwrap_or(shown)
}

/// The entry of a behavior in the ledger of an agent or group.
fn entry(world: &World, ledger: Entity, behavior: &AssignedBehavior) -> Option<LedgerEntry> {
    let force = world.get::<SteeringForce>(ledger)?;
    force.ledger().find(|entry| {
        let source = force.source(entry).unwrap_or(ledger);
        entry.behavior == behavior.id && source == behavior.source
    })
}

/// Moves the rows of one ledger to `into`, each group followed by its members.
fn nest(rows: &mut Vec<Row>, ledger: Entity, depth: usize, into: &mut Vec<Row>) {
    let mine: Vec<Row> = rows.extract_if(.., |row| row.ledger == ledger).collect();
    for row in mine {
        let source = row.behavior.source;
        let is_group = row.component == TypeId::of::<BehaviorGroup>() && source != ledger;
        into.push(Row { depth, ..row });
        if is_group {
            nest(rows, source, depth + 1, into);
        }
    }
}

fn open_id(row: &Row) -> egui::Id {
    egui::Id::new(("steering row", row.dragged()))
}

/// Shows a row onto which other rows can be dropped, to move them before or after it.
fn drop_zone(
    ui: &mut Ui,
    rows: &[Row],
    index: usize,
    content: impl FnOnce(&mut Ui) -> Option<(usize, Edit)>,
) -> Option<(usize, Edit)> {
    let inner = ui.scope(content);
    let response = inner.response;
    let Some(pointer) = ui.input(|it| it.pointer.interact_pos()) else {
        return inner.inner;
    };
    // The row's widgets cover it, so test its rectangle instead of its response.
    let hovered = ui.clip_rect().contains(pointer) && response.rect.contains(pointer);
    if hovered && egui::DragAndDrop::has_payload_of_type::<Dragged>(ui.ctx()) {
        let before = pointer.y < response.rect.center().y;
        let y = if before {
            response.rect.top()
        } else {
            response.rect.bottom()
        };
        ui.painter()
            .hline(response.rect.x_range(), y, (2.0, NOTICE));
        if ui.input(|it| it.pointer.any_released())
            && let Some(dragged) = egui::DragAndDrop::take_payload::<Dragged>(ui.ctx())
            // Unless it was removed meanwhile.
            && let Some(from) = rows.iter().position(|row| row.dragged() == *dragged)
        {
            return Some((from, Edit::MoveTo(index + usize::from(!before))));
        }
    }
    inner.inner
}

#[cfg(test)]
mod tests;
