//! Theme: shared colors and widgets of the panel.

use bevy::color::{Color, ColorToPacked};
use bevy::ecs::world::World;
use bevy_egui::egui::{self, Color32, Response, RichText, Sense, Ui};
use bevy_steering2d_core::{BehaviorId, BehaviorRegistry};
use bevy_steering2d_debug::SteeringDebug;

use crate::docs;

/// Secondary text.
pub(crate) const FAINT: Color32 = Color32::from_rgb(150, 160, 176);
/// Errors.
pub(crate) const ALARM: Color32 = Color32::from_rgb(255, 138, 120);
/// Forces that were cut.
pub(crate) const NOTICE: Color32 = Color32::from_rgb(250, 212, 92);

/// Minimum height of a line of widgets, so that all of them are vertically centered.
pub(crate) const LINE: f32 = 24.0;

/// Shows something with dark visuals, also if the theme of the game is light: our colors cannot be read there. The lists and
/// hover texts that it opens take the style of the context, so that of the window alone does not suffice.
pub(crate) fn in_the_dark<R>(context: &egui::Context, show: impl FnOnce() -> R) -> R {
    let style = context.global_style();
    if style.visuals.dark_mode {
        return show();
    }
    let dark = egui::Style {
        visuals: egui::Visuals::dark(),
        ..(*style).clone()
    };
    context.set_global_style(dark);
    let shown = show();
    context.set_global_style(style);
    shown
}

/// Converts a Bevy color for egui.
pub(crate) fn color(color: Color) -> Color32 {
    let [red, green, blue, alpha] = color.to_srgba().to_u8_array();
    Color32::from_rgba_unmultiplied(red, green, blue, alpha)
}

/// Small secondary text.
pub(crate) fn faint(text: impl Into<String>) -> RichText {
    RichText::new(text).size(12.0).color(FAINT)
}

/// Small text of an error.
pub(crate) fn alarm(text: impl Into<String>) -> RichText {
    RichText::new(text).size(12.0).color(ALARM)
}

/// A square button with a symbol; `action` is its hover text and its name for screen readers.
pub(crate) fn icon(ui: &mut Ui, symbol: &str, action: &str) -> Response {
    let button =
        egui::Button::new(RichText::new(symbol).size(13.0)).min_size(egui::vec2(24.0, 20.0));
    named(ui.add(button), action).on_hover_text(action)
}

/// Shows a doc comment while a widget is hovered. Only then its markup is removed.
pub(crate) fn on_hover_docs(response: Response, docs: Option<&str>) -> Response {
    let Some(docs) = docs else {
        return response;
    };
    response.on_hover_ui(|ui| {
        ui.set_max_width(ui.spacing().tooltip_width);
        ui.label(docs::plain(docs));
    })
}

/// Sets the name of a widget in the accessibility tree.
pub(crate) fn named(response: Response, name: &str) -> Response {
    let name = name.to_owned();
    response
        .ctx
        .accesskit_node_builder(response.id, |node| node.set_label(name));
    response
}

/// Whether a slider was double-clicked, its knob or its number, which takes no text then: egui counts no clicks on the knob,
/// and would go on to edit the number.
pub(crate) fn is_double_clicked(ui: &Ui, slider: &Response) -> bool {
    let double = |it: &egui::InputState| {
        let primary = egui::PointerButton::Primary;
        it.pointer.button_double_clicked(primary)
    };
    let is_double_clicked = slider.contains_pointer() && ui.input(double);
    if is_double_clicked && let Some(focused) = ui.memory(egui::Memory::focused) {
        ui.memory_mut(|it| it.surrender_focus(focused));
    }
    is_double_clicked
}

/// A section heading.
pub(crate) fn section(ui: &mut Ui, title: &str) {
    ui.add_space(6.0);
    ui.label(faint(title).strong());
}

/// A dot in the color of a behavior.
pub(crate) fn dot(ui: &mut Ui, color: Color32) {
    let (area, _) = ui.allocate_exact_size(egui::vec2(9.0, 9.0), Sense::hover());
    ui.painter().circle_filled(area.center(), 4.5, color);
}

/// A legend of the behaviors' colors.
pub(crate) fn legend(ui: &mut Ui, world: &World, behaviors: impl Iterator<Item = BehaviorId>) {
    let registry = world.resource::<BehaviorRegistry>();
    let colors = world.resource::<SteeringDebug>();
    ui.horizontal_wrapped(|ui| {
        for id in behaviors {
            let behavior = registry.get(id);
            // Dot and name in one label, so that they wrap together.
            let mut entry = egui::text::LayoutJob::default();
            let font = || egui::FontId::proportional(12.0);
            let dot = color(colors.color_of(behavior));
            entry.append("⏺ ", 0.0, egui::TextFormat::simple(font(), dot));
            entry.append(behavior.name, 0.0, egui::TextFormat::simple(font(), FAINT));
            ui.add(egui::Label::new(entry).extend());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panel_is_dark_and_leaves_the_theme_of_the_game() {
        let context = egui::Context::default();
        for theme in [egui::Theme::Light, egui::Theme::Dark] {
            context.set_theme(theme);
            let is_dark = || context.global_style().visuals.dark_mode;
            let before = is_dark();
            assert!(in_the_dark(&context, is_dark));
            assert_eq!(is_dark(), before, "{theme:?}");
        }
    }
}
