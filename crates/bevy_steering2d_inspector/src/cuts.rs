//! Cuts: the words that explain why a force was not accepted in full.

use bevy_egui::egui::Color32;
use bevy_steering2d_core::Cut;

use crate::theme::{self, ALARM, NOTICE};

/// Why a force was not accepted in full: a word, its color, and an explanation.
pub(crate) fn reason(cut: Cut) -> (&'static str, Color32, &'static str) {
    match cut {
        Cut::Nothing => ("", theme::FAINT, ""),
        Cut::Budget => (
            "budget",
            NOTICE,
            "Cut: the sum would exceed max_force. Prioritized cuts the later behaviors, weighted sum and \
             average all by the same share",
        ),
        Cut::Dithered => (
            "dithered",
            NOTICE,
            "Not accepted: it lost its random draw, or an earlier behavior won",
        ),
        Cut::Disabled => ("off", theme::FAINT, "Disabled"),
        Cut::NotNow => (
            "not now",
            theme::FAINT,
            "Its condition is not met: it acts only while the agent perceives something else",
        ),
        Cut::Invalid => (
            "invalid",
            ALARM,
            "A parameter is out of range, its condition is missing, it aims at its own agent, or the force is \
             not finite; see the log",
        ),
        _ => ("cut", NOTICE, "Not accepted in full"),
    }
}
