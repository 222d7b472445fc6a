//! Behaviors tab: one row per behavior with its influence, its force and its parameters.

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy_egui::egui::{self, Color32, RichText, Sense, Ui};
use bevy_steering2d_core::{
    AssignedBehavior, BehaviorGroup, BehaviorRegistry, Choice, Combine, Influence,
    InvalidParameter, LedgerEntry, SteeringForce, SteersFor, Vehicle,
};
use bevy_steering2d_debug::SteeringDebug;
use egui::collapsing_header::CollapsingState;

use crate::scope::{self, Scope};
use crate::theme::{self, NOTICE, faint, named};
use crate::{add_menu, choices, cuts, fields, numbers, patch, reorder};

/// The largest weight on the slider; larger weights can be typed.
const TOP_WEIGHT: f32 = 5.0;

/// The row of one behavior.
struct Row {
    behavior: AssignedBehavior,
    component: TypeId,
    /// The entity whose ledger has the behavior's entry: the agent, or the group it belongs to.
    ledger: Entity,
    /// The number of groups around it.
    depth: usize,
    entry: Option<LedgerEntry>,
    color: Color32,
    docs: Option<&'static str>,
}

/// The behavior of a row that is dragged: its entity and its type. Rows may come and go meanwhile.
type Dragged = (Entity, TypeId);

impl Row {
    fn dragged(&self) -> Dragged {
        (self.behavior.source, self.component)
    }
}

/// An edit made in a row.
enum Edit {
    /// Sets the fields of the influence that differ.
    Influence(Influence),
    /// Removes the behavior.
    Remove,
    /// Moves the row before the row at this index.
    MoveTo(usize),
}

/// Shows the behaviors of the agent.
pub(crate) fn show(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    combiner(ui, world, shown, "Combiner", |world| {
        scope::agents(world, scope, shown)
    });
    let max_force = world.get::<Vehicle>(shown).map_or(1.0, |it| it.max_force);
    let rows = rows(world, shown);
    if rows.is_empty() {
        ui.add_space(8.0);
        ui.label(faint("This agent has no behaviors. Add one below."));
    }
    let mut edits = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        ui.push_id(row.dragged(), |ui| {
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
        apply(world, &rows, index, edit, shown, scope);
    }
    ui.separator();
    add_menu::show(ui, world, shown, scope);
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
    let rows = registry.assigned_to(world, shown).into_iter();
    let rows = rows.map(|behavior| {
        let info = registry.get(behavior.id);
        let docs = types
            .get_type_info(info.type_id)
            .and_then(|info| info.docs());
        let ledger = ledger_of(world, shown, &behavior, info.type_id);
        Row {
            component: info.type_id,
            ledger,
            depth: 0,
            entry: entry(world, ledger, &behavior),
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
    egui::Id::new(("steering row", row.behavior.source, row.component))
}

/// Shows the two lines that are always visible.
fn header(ui: &mut Ui, row: &Row, index: usize, max_force: f32) -> Option<(usize, Edit)> {
    let (name, mut influence) = (row.behavior.name, row.behavior.influence);
    ui.horizontal(|ui| {
        ui.set_min_height(theme::LINE);
        let handle = ui.dnd_drag_source(open_id(row).with("drag"), row.dragged(), |ui| {
            ui.label(RichText::new("☰").color(theme::FAINT));
        });
        named(handle.response, &format!("{name} handle"))
            .on_hover_text("Drag to change the order of priorities");
        let switch = ui.checkbox(&mut influence.enabled, "");
        named(switch, &format!("{name} on")).on_hover_text("Enabled");
        theme::dot(ui, row.color);
        let mut open = CollapsingState::load_with_default_open(ui.ctx(), open_id(row), false);
        let title = if row.behavior.source == row.ledger {
            name.to_owned()
        } else {
            format!("{name} (on {})", row.behavior.source)
        };
        let sign = if open.is_open() { "⏷" } else { "⏵" };
        let text = RichText::new(format!("{title} {sign}")).strong();
        let button = ui.add(egui::Button::new(text).frame(false));
        let button = named(button, &format!("{name} parameters"));
        if theme::on_hover_docs(button, row.docs).clicked() {
            open.toggle(ui);
            open.store(ui.ctx());
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().slider_width = 76.0;
            let range = 0.0..=f64::from(TOP_WEIGHT);
            let slider = egui::Slider::from_get_set(range, edit_weight(&mut influence.weight))
                .clamping(egui::SliderClamping::Never)
                .custom_formatter(|weight, _| numbers::weight(weight));
            let response = named(ui.add(slider), &format!("{name} weight"))
                .on_hover_text("Weight, without unit, ≥ 0; double-click for 1");
            if response.double_clicked() {
                influence.weight = 1.0;
            }
        });
    });
    bar(ui, row, max_force);
    is_edit(row.behavior.influence, influence).then_some((index, Edit::Influence(influence)))
}

/// Reads and writes a weight for a slider. What the user enters is clamped to `≥ 0`; a weight that is only shown
/// stays as it is, valid or not.
fn edit_weight(weight: &mut f32) -> impl FnMut(Option<f64>) -> f64 {
    move |entered| {
        // The slider replaces NaN with infinity without any input.
        if let Some(entered) = entered.map(|it| it as f32)
            && entered.is_finite()
        {
            *weight = entered.max(0.0);
        }
        f64::from(*weight)
    }
}

/// Whether a field differs. A number that stays NaN does not.
fn is_edit(before: Influence, after: Influence) -> bool {
    let others = |it: Influence| (it.priority, it.enabled, it.when);
    !patch::is_same_number(before.weight, after.weight)
        || !patch::is_same_number(before.probability, after.probability)
        || others(before) != others(after)
}

/// Shows requested, weighted and accepted force relative to `max_force`, and why it was cut.
fn bar(ui: &mut Ui, row: &Row, max_force: f32) {
    ui.horizontal(|ui| {
        const WORDS: f32 = 128.0;
        let size = egui::vec2(ui.available_width() - WORDS, 9.0);
        let (area, response) = ui.allocate_exact_size(size, Sense::hover());
        let paint = ui.painter();
        paint.rect_filled(area, 2.0, ui.visuals().extreme_bg_color);
        let Some(entry) = &row.entry else {
            ui.label(faint("no force"));
            return;
        };
        let [raw, weighted, accepted] =
            [entry.raw, entry.weighted(), entry.accepted()].map(Vec2::length);
        let until = |force: f32| {
            let width = share(force, max_force) * area.width();
            egui::Rect::from_min_size(area.min, egui::vec2(width, area.height()))
        };
        let faded = |share: f32| row.color.gamma_multiply(share);
        paint.rect_filled(until(weighted), 2.0, faded(0.35));
        paint.rect_filled(until(accepted), 2.0, faded(1.0));
        let mark = until(raw).right();
        paint.vline(mark, area.y_range(), egui::Stroke::new(1.5, Color32::WHITE));
        if weighted > max_force {
            // The weighted force exceeds the bar.
            paint.vline(area.right() - 1.0, area.y_range(), (2.0, NOTICE));
        }
        response.on_hover_text(format!(
            "requested {raw:.2} N (mark), weighted {weighted:.2} N (pale), accepted \
             {accepted:.2} N (bright); max_force {max_force:.1} N"
        ));
        let (word, color, why) = cuts::reason(entry.cut);
        ui.label(
            RichText::new(format!("{accepted:6.2} N"))
                .monospace()
                .size(11.5),
        );
        ui.label(RichText::new(word).size(11.5).color(color))
            .on_hover_text(why);
    });
}

/// The share of a bar that a force fills, `0..=1`.
fn share(force: f32, max_force: f32) -> f32 {
    let share = force / max_force;
    // No force, of an agent that has none.
    if share.is_nan() {
        0.0
    } else {
        share.clamp(0.0, 1.0)
    }
}

/// Shows the expanded part of a row: priority, probability, condition, parameters.
fn body(ui: &mut Ui, world: &mut World, row: &Row, shown: Entity, scope: Scope) -> Option<Edit> {
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

fn apply(world: &mut World, rows: &[Row], index: usize, edit: Edit, shown: Entity, scope: Scope) {
    let Some(row) = rows.get(index) else {
        return;
    };
    let agents = scope::agents(world, scope, shown);
    match edit {
        Edit::Influence(influence) => {
            set_influence(world, &agents, &row.behavior, influence);
        }
        Edit::Remove => {
            let info = world
                .resource::<BehaviorRegistry>()
                .get(row.behavior.id)
                .clone();
            let entities =
                scope::behavior_entities(world, &agents, row.behavior.id, row.behavior.source);
            for entity in entities {
                if let Ok(mut entity) = world.get_entity_mut(entity) {
                    info.remove(&mut entity);
                }
            }
        }
        Edit::MoveTo(place) => {
            // Priorities order the rows of one ledger.
            let alike = |row: &&Row| row.ledger == rows[index].ledger;
            let until = |index: usize| rows[..index].iter().filter(alike).count();
            let siblings: Vec<_> = rows.iter().filter(alike).collect();
            let before: Vec<_> = siblings
                .iter()
                .map(|row| row.behavior.influence.priority)
                .collect();
            let after = reorder::reordered(&before, until(index), until(place));
            for (row, priority) in siblings.into_iter().zip(after) {
                let influence = Influence {
                    priority,
                    ..row.behavior.influence
                };
                set_influence(world, &agents, &row.behavior, influence);
            }
        }
    }
}

/// Sets the fields that differ from the shown influence, for the same behavior of all agents.
fn set_influence(
    world: &mut World,
    agents: &[Entity],
    shown: &AssignedBehavior,
    wanted: Influence,
) {
    let before = shown.influence;
    if !is_edit(before, wanted) {
        return;
    }
    let info = world.resource::<BehaviorRegistry>().get(shown.id).clone();
    for entity in scope::behavior_entities(world, agents, shown.id, shown.source) {
        let Ok(mut entity) = world.get_entity_mut(entity) else {
            continue;
        };
        let Some(mut influence) = info.influence((&entity).into()) else {
            continue;
        };
        change_number(&mut influence.weight, before.weight, wanted.weight);
        change(&mut influence.priority, before.priority, wanted.priority);
        change(&mut influence.enabled, before.enabled, wanted.enabled);
        change(&mut influence.when, before.when, wanted.when);
        change_number(
            &mut influence.probability,
            before.probability,
            wanted.probability,
        );
        info.set_influence(&mut entity, influence);
    }
}

fn change<T: PartialEq>(value: &mut T, before: T, wanted: T) {
    if before != wanted {
        *value = wanted;
    }
}

fn change_number(value: &mut f32, before: f32, wanted: f32) {
    if !patch::is_same_number(before, wanted) {
        *value = wanted;
    }
}

#[cfg(test)]
mod tests;
