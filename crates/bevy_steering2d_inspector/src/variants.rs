//! Variants of enums: a choice of the active variant changes nothing.

use std::any::Any;

use bevy::reflect::{PartialReflect, ReflectRef};
use bevy_egui::egui;
use bevy_inspector_egui::reflect_inspector::InspectorUi;
use bevy_steering2d_core::clone_reflected;

use crate::patch;

pub(crate) fn variant_of(value: &dyn PartialReflect) -> Option<usize> {
    match value.reflect_ref() {
        ReflectRef::Enum(it) => Some(it.variant_index()),
        _ => None,
    }
}

/// Shows an enum in whose open list a variant is clicked. If it is the active one, the value stays as it is: the inspector
/// replaces its fields by their defaults. `None` for all other values, which the inspector shows.
///
/// The inspector calls it for each part of a value, so that it holds for enums within lists and other enums as well.
pub(crate) fn keep_parameters(
    inspector: &mut InspectorUi,
    value: &mut dyn PartialReflect,
    ui: &mut egui::Ui,
    id: egui::Id,
    options: &dyn Any,
) -> Option<bool> {
    let variant = variant_of(&*value)?;
    if !is_clicked_in(ui.ctx(), list_of(ui, id)) {
        return None;
    }
    let types = inspector.type_registry;
    let before = clone_reflected(value.try_as_reflect()?, types).ok()?;
    // It does not come back here.
    let mut inspector = InspectorUi::new_no_short_circuit(types, inspector.context);
    let changed = inspector.ui_for_reflect_with_options(value, ui, id, options);
    let is_kept = variant_of(&*value) == Some(variant)
        && patch::put(types, value, before.as_partial_reflect()).is_ok();
    Some(changed && !is_kept)
}

/// The id of the list of an enum's variants, as the inspector makes it.
fn list_of(ui: &egui::Ui, id: egui::Id) -> egui::Id {
    // The button of the list is in a row, and that in a column. Neither has a name of its own.
    let unnamed = egui::Id::from("child");
    let row = ui.id().with(unnamed).with(unnamed);
    row.with(egui::Id::new(id.with("select"))).with("popup")
}

/// Whether a list is open, and one of its widgets is clicked in this frame, also by a key.
fn is_clicked_in(context: &egui::Context, list: egui::Id) -> bool {
    if !egui::Popup::is_id_open(context, list) {
        return false;
    }
    let is_in_list = |widget: egui::Id| {
        let widget = context.read_response(widget);
        widget.is_some_and(|it| it.layer_id.id == list)
    };
    let clicked = context.interaction_snapshot(|it| it.clicked);
    let has_key =
        context.input(|it| it.key_pressed(egui::Key::Enter) || it.key_pressed(egui::Key::Space));
    let focused = context.memory(egui::Memory::focused);
    let focused = focused.filter(|_| has_key);
    clicked.into_iter().chain(focused).any(is_in_list)
}
