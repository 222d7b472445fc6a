//! Texts of numbers. They are read back as the same number: egui reads the text of a number field when Tab leaves it,
//! also if the user has not changed it. A decimal comma is read as well.

use bevy_egui::egui;
use egui::style::NumberFormatter;

/// Shows numbers as egui does, but [exactly](exact).
pub(crate) fn formatter() -> NumberFormatter {
    NumberFormatter::new(|value, decimals| {
        exact(
            value,
            egui::emath::format_with_decimals_in_range(value, decimals),
        )
    })
}

/// The usual text of a number if it is read back as the same number, else the shortest one that is.
pub(crate) fn exact(value: f64, usual: String) -> String {
    let single = value as f32;
    let is_single = f64::from(single) == value;
    let is_read_back = if is_single {
        usual.parse::<f32>() == Ok(single)
    } else {
        usual.parse::<f64>() == Ok(value)
    };
    if is_read_back {
        usual
    } else if is_single {
        format!("{single:?}")
    } else {
        format!("{value:?}")
    }
}

/// Takes a decimal comma that is typed into a number field for a point: egui goes on with the number before the comma.
pub(crate) fn take_comma_for_point(ui: &egui::Ui) {
    let focused = ui.memory(egui::Memory::focused);
    // While it is edited a number field keeps its text there. A text field does not.
    let is_number = focused.is_some_and(|id| ui.data(|it| it.get_temp::<String>(id)).is_some());
    if !is_number {
        return;
    }
    ui.input_mut(|it| {
        for event in &mut it.events {
            if let egui::Event::Text(text) = event
                && text.as_str() == ","
            {
                *text = ".".to_owned();
            }
        }
    });
}

/// The text of a weight: two decimals if they suffice.
pub(crate) fn weight(value: f64) -> String {
    if value < 1e5 {
        exact(value, format!("{value:.2}"))
    } else {
        format!("{:e}", value as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that egui would show with up to two decimals.
    fn shown(value: f64) -> String {
        let usual = egui::emath::format_with_decimals_in_range(value, 0..=2);
        exact(value, usual)
    }

    #[test]
    fn a_number_is_read_back_from_its_text() {
        for value in [0.0, 0.3, 0.004, 1e-9, 20_f32.to_radians(), 123_456.78, 1e30] {
            for text in [shown(value.into()), weight(value.into())] {
                assert_eq!(text.parse::<f32>(), Ok(value), "{text}");
            }
        }
        let double = 0.123_456_789_012;
        assert_eq!(shown(double).parse::<f64>(), Ok(double));
    }

    #[test]
    fn a_text_has_no_more_digits_than_the_number_needs() {
        assert_eq!(shown(0.3_f32.into()), "0.3");
        assert_eq!(shown(4.0), "4");
        assert_eq!(shown(f64::from(u32::MAX)), "4294967295");
        assert_eq!(shown(0.004_f32.into()), "0.004");
        assert_eq!(weight(1.0), "1.00");
        assert_eq!(weight(0.125), "0.125");
        assert_eq!(weight(2e9), "2e9");
        assert_eq!(
            [shown(f64::NAN), shown(f64::INFINITY), weight(f64::INFINITY)],
            ["NaN", "inf", "inf"]
        );
    }
}
