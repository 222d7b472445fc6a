//! Gauges of a driven agent: steering wheel, throttle and brake.

use bevy::math::ops;
use bevy_egui::egui::{self, Color32, Sense, Stroke, Ui};
use bevy_steering2d_core::Controls;

use crate::theme::{ALARM, FAINT, LINE, faint, named};

/// The turns of the steering wheel for one radian of the wheels.
const RATIO: f32 = 2.5;

const THROTTLE: Color32 = Color32::from_rgb(115, 219, 166);

/// Shows what the driver does, of a body with or without front wheels.
pub(crate) fn show(ui: &mut Ui, controls: &Controls, has_wheels: bool) {
    ui.horizontal(|ui| {
        steering_wheel(ui, controls.steering, has_wheels);
        bar(ui, "throttle", controls.throttle, THROTTLE);
        bar(ui, "brake", controls.brake, ALARM);
        let gear = if controls.reversing { "R" } else { "D" };
        ui.label(gear)
            .on_hover_text("Gear: D drives forward, R in reverse");
    });
}

fn steering_wheel(ui: &mut Ui, steering: f32, has_wheels: bool) {
    let (area, response) = ui.allocate_exact_size(egui::vec2(LINE, LINE), Sense::hover());
    named(response, "Steering").on_hover_text(steering_words(steering, has_wheels));
    let (center, radius) = (area.center(), 0.42 * LINE);
    let painter = ui.painter();
    painter.circle_stroke(center, radius, Stroke::new(2.0, FAINT));
    // On the screen y points down, so a left turn is counter-clockwise.
    let (sine, cosine) = ops::sin_cos(RATIO * steering);
    let spoke = radius * egui::vec2(cosine, -sine);
    painter.line_segment([center - spoke, center + spoke], Stroke::new(2.0, FAINT));
}

/// Front wheels have an angle; other bodies steer by a share of their largest turn rate.
fn steering_words(steering: f32, has_wheels: bool) -> String {
    if has_wheels {
        format!("steering {:.0}°", steering.to_degrees())
    } else {
        format!("steering {:.0} % of the turn rate", 100.0 * steering)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steering_is_an_angle_of_wheels_and_a_share_of_other_bodies() {
        assert_eq!(steering_words(-0.5, true), "steering -29°");
        assert_eq!(
            steering_words(-0.5, false),
            "steering -50 % of the turn rate"
        );
    }
}
