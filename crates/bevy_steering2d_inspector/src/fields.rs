//! Field editor: edits the parameters of one component by reflection.

use std::any::TypeId;

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::{PartialReflect, ReflectMut, ReflectRef, TypeInfo, TypeRegistry};
use bevy_egui::egui;
use bevy_inspector_egui::inspector_options::{
    InspectorOptions, ReflectInspectorOptions, Target as Place,
};
use bevy_inspector_egui::reflect_inspector::{Context, InspectorUi};
use bevy_steering2d_core::{Influence, SteeringGroups};

use crate::choices;
use crate::docs;
use crate::patch;
use crate::theme::{self, faint};

/// Shows widgets for the parameters of a component of `entity`, without its [`Influence`], which the
/// behavior's row edits. Changes apply to that component of all `entities`.
pub(crate) fn edit(
    ui: &mut egui::Ui,
    world: &mut World,
    component: TypeId,
    entity: Entity,
    entities: impl FnOnce(&World) -> Vec<Entity>,
) {
    let types = world.resource::<AppTypeRegistry>().clone();
    let types = types.read();
    let Some((reflect, before)) = read(world, &types, component, entity) else {
        return;
    };
    let Ok(mut after) = before.reflect_clone() else {
        let name = before.reflect_short_type_path();
        ui.label(faint(format!(
            "{name} does not clone by reflection: add #[reflect(Clone)] to edit it here"
        )));
        return;
    };
    let id = ui.id().with((component, entity));
    if show(ui, &types, &mut *after, id)
        && let Some(patch) =
            patch::difference(before.as_partial_reflect(), after.as_partial_reflect())
    {
        let entities = entities(world);
        patch::apply(world, &reflect, &*patch, &entities);
    }
}

/// A copy of an entity's component, with reflected access; `None` if it is missing or not reflected.
pub(crate) fn read(
    world: &World,
    types: &TypeRegistry,
    component: TypeId,
    entity: Entity,
) -> Option<(ReflectComponent, Box<dyn Reflect>)> {
    let reflect = types.get_type_data::<ReflectComponent>(component)?.clone();
    let value = reflect.reflect(world.get_entity(entity).ok()?)?;
    let copy = value.reflect_clone().ok()?;
    Some((reflect, copy))
}

/// Shows name and value of each parameter. Returns whether one changed.
fn show(ui: &mut egui::Ui, types: &TypeRegistry, value: &mut dyn Reflect, id: egui::Id) -> bool {
    let type_id = (*value).type_id();
    let data = types.get(type_id);
    let options = data.and_then(|it| it.data::<ReflectInspectorOptions>());
    let default = data
        .and_then(|it| it.data::<ReflectDefault>())
        .map(ReflectDefault::default);
    let info = data.map(bevy::reflect::TypeRegistration::type_info);
    if let Some(groups) = value.downcast_mut() {
        return group_bits(ui, groups);
    }
    let mut context = Context::default();
    let mut inspector = InspectorUi::new_no_short_circuit(types, &mut context);

    let ReflectMut::Struct(parameters) = value.reflect_mut() else {
        return inspector.ui_for_reflect_with_options(value.as_partial_reflect_mut(), ui, id, &());
    };
    let Some(TypeInfo::Struct(info)) = info else {
        return false;
    };
    let default = default.as_deref().map(PartialReflect::reflect_ref);
    let default = match &default {
        Some(ReflectRef::Struct(default)) => Some(*default),
        _ => None,
    };
    let mut changed = false;
    egui::Grid::new(id)
        .num_columns(3)
        .spacing([8.0, 5.0])
        .show(ui, |ui| {
            for (index, field) in info.iter().enumerate() {
                let Some(part) = parameters.field_at_mut(index) else {
                    continue;
                };
                if field.type_id() == TypeId::of::<Influence>() {
                    continue;
                }
                let label = ui.label(words(field.name()));
                if let Some(docs) = field.docs() {
                    label.on_hover_text(docs::plain(docs));
                }
                let default = default.and_then(|it| it.field_at(index));
                let options = options.and_then(|it| option(&it.0, index));
                ui.vertical(|ui| {
                    changed |= if let Some(groups) = part.try_downcast_mut() {
                        group_bits(ui, groups)
                    } else if let Some(prediction) = part.try_downcast_mut() {
                        choices::prediction(ui, types, prediction)
                    } else if let Some(count) = part.try_downcast_mut()
                        && default.and_then(|it| it.try_downcast_ref()) == Some(&u32::MAX)
                    {
                        limit(ui, count)
                    } else {
                        let options = options.unwrap_or(&());
                        inspector.ui_for_reflect_with_options(part, ui, id.with(index), options)
                    };
                });
                changed |= default.is_some_and(|default| reset_button(ui, default, part));
                ui.end_row();
            }
        });
    changed
}

fn option(options: &InspectorOptions, index: usize) -> Option<&dyn std::any::Any> {
    options.get(Place::Field(index))
}

/// Shows a button to reset a parameter that differs from its default. Returns whether it was reset.
fn reset_button(
    ui: &mut egui::Ui,
    default: &dyn PartialReflect,
    part: &mut dyn PartialReflect,
) -> bool {
    part.reflect_partial_eq(default) == Some(false)
        && theme::icon(ui, "↺", "Reset to the default").clicked()
        && patch::put(part, default).is_ok()
}

/// Shows toggles for the first eight groups; the others stay unchanged.
fn group_bits(ui: &mut egui::Ui, groups: &mut SteeringGroups) -> bool {
    let before = *groups;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        ui.spacing_mut().button_padding.x = 4.0;
        for bit in 0..8 {
            let mask = 1 << bit;
            let button = ui.selectable_label(groups.0 & mask != 0, (bit + 1).to_string());
            if button.clicked() {
                groups.0 ^= mask;
            }
        }
        if ui
            .selectable_label(*groups == SteeringGroups::ALL, "all")
            .clicked()
        {
            *groups = SteeringGroups::ALL;
        }
    });
    *groups != before
}

/// Edits a limit that is off by default, stored as `u32::MAX`.
fn limit(ui: &mut egui::Ui, count: &mut u32) -> bool {
    /// The initial limit when turned on.
    const LIMIT: u32 = 8;
    let before = *count;
    ui.horizontal(|ui| {
        let mut limited = *count != u32::MAX;
        if ui.checkbox(&mut limited, "limit").changed() {
            *count = if limited { LIMIT } else { u32::MAX };
        }
        if limited {
            ui.add(egui::DragValue::new(count).range(1..=u32::MAX).speed(0.1));
        }
    });
    *count != before
}

/// A field name as words: `max_neighbors` becomes `max neighbors`.
fn words(name: &str) -> String {
    name.replace('_', " ")
}
