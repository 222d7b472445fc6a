//! Gauges of a driven agent: steering wheel, throttle and brake.

use bevy::math::ops;
use bevy_egui::egui::{self, Color32, Sense, Stroke, Ui};
use bevy_steering2d_core::Controls;

use crate::theme::{ALARM, FAINT, LINE, faint, named};

/// The turns of the steering wheel for one radian of the wheels.
const RATIO: f32 = 2.5;

const THROTTLE: Color32 = Color32::from_rgb(115, 219, 166);

/// Shows what the driver does.
pub(crate) fn show(ui: &mut Ui, controls: &Controls) {
    ui.horizontal(|ui| {
        steering_wheel(ui, controls.steering);
        bar(ui, "throttle", controls.throttle, THROTTLE);
        bar(ui, "brake", controls.brake, ALARM);
        let gear = if controls.reversing { "R" } else { "D" };
        ui.label(gear)
            .on_hover_text("Gear: D drives forward, R in reverse");
    });
}

fn steering_wheel(ui: &mut Ui, angle: f32) {
    let (area, response) = ui.allocate_exact_size(egui::vec2(LINE, LINE), Sense::hover());
    named(response, "Steering").on_hover_text(format!("steering {:.0}°", angle.to_degrees()));
    let (center, radius) = (area.center(), 0.42 * LINE);
    let painter = ui.painter();
    painter.circle_stroke(center, radius, Stroke::new(2.0, FAINT));
    // On the screen y points down, so a left turn is counter-clockwise.
    let (sine, cosine) = ops::sin_cos(RATIO * angle);
    let spoke = radius * egui::vec2(cosine, -sine);
    painter.line_segment([center - spoke, center + spoke], Stroke::new(2.0, FAINT));
}

fn bar(ui: &mut Ui, name: &str, share: f32, color: Color32) {
    ui.label(faint(name));
    let (area, response) = ui.allocate_exact_size(egui::vec2(60.0, 8.0), Sense::hover());
    named(response, name).on_hover_text(format!("{:.0} %", 100.0 * share));
    let mut filled = area;
    filled.set_width(area.width() * share.clamp(0.0, 1.0));
    ui.painter().rect_filled(area, 2.0, Color32::from_gray(48));
    ui.painter().rect_filled(filled, 2.0, color);
}
