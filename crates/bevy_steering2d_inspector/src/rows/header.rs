//! The two lines of a row that are always visible: switch, name and weight, and the bar of its force.

use bevy::prelude::*;
use bevy_egui::egui::{self, Color32, RichText, Sense, Ui};
use egui::collapsing_header::CollapsingState;

use super::edit::{Edit, is_edit};
use super::{Row, open_id};
use crate::theme::{self, NOTICE, faint, named};
use crate::{cuts, numbers};

/// The largest weight on the slider; larger weights can be typed.
const TOP_WEIGHT: f32 = 5.0;

/// Shows the two lines that are always visible.
pub(super) fn header(
    ui: &mut Ui,
    row: &Row,
    index: usize,
    max_force: f32,
) -> Option<(usize, Edit)> {
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
            if theme::is_double_clicked(ui, &response) {
                influence.weight = 1.0;
            }
        });
    });
    bar(ui, row, max_force);
    is_edit(row.behavior.influence, influence).then_some((index, Edit::Influence(influence)))
}

/// Reads and writes a weight for a slider. What the user enters is clamped to `≥ 0`; a weight that is only shown
/// stays as it is, valid or not.
pub(super) fn edit_weight(weight: &mut f32) -> impl FnMut(Option<f64>) -> f64 {
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

/// Shows requested, weighted and accepted force relative to `max_force`, and why it was cut.
fn bar(ui: &mut Ui, row: &Row, max_force: f32) {
    ui.horizontal(|ui| {
        const WORDS: f32 = 128.0;
        // In deeply nested groups there is no room left.
        let width = (ui.available_width() - WORDS).max(0.0);
        let size = egui::vec2(width, 9.0);
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
pub(super) fn share(force: f32, max_force: f32) -> f32 {
    let share = force / max_force;
    // No force, of an agent that has none.
    if share.is_nan() {
        0.0
    } else {
        share.clamp(0.0, 1.0)
    }
}
