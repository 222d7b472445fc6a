//! Choices among registered types: the condition of a behavior, and predictions.

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::{Choice, ConditionType, Prediction, PredictorType, When};

use crate::patch;
use crate::theme::named;

/// Shows when the behavior acts.
pub(crate) fn when(ui: &mut Ui, world: &World, when: &mut When, behavior: &str) {
    ui.label("when")
        .on_hover_text("Acts always, or only while the agent perceives something");
    let shown = egui::ComboBox::from_id_salt(("steering when", behavior))
        .selected_text(words(*when))
        .show_ui(ui, |ui| {
            let types = world.resource::<AppTypeRegistry>().read();
            let conditions = ConditionType::all(&types);
            let only = conditions.iter().map(|condition| When::Only(*condition));
            let unless = conditions.iter().map(|condition| When::Unless(*condition));
            for choice in std::iter::once(When::Always).chain(only).chain(unless) {
                ui.selectable_value(when, choice, words(choice));
            }
        });
    named(shown.response, &format!("{behavior} when"));
}

fn words(when: When) -> String {
    match when {
        When::Always => "always".into(),
        When::Only(condition) => format!("only {}", condition.name()),
        When::Unless(condition) => format!("unless {}", condition.name()),
    }
}

/// Shows a prediction: the built-in ones, and the registered predictors. Returns whether it changed.
pub(crate) fn prediction(ui: &mut Ui, types: &TypeRegistry, prediction: &mut Prediction) -> bool {
    /// The initial time of a fixed prediction, s.
    const FIXED: f32 = 0.5;
    let before = *prediction;
    let fixed = match before {
        Prediction::Fixed(time) => time,
        _ => FIXED,
    };
    let built_in = [
        Prediction::LookAhead,
        Prediction::DistanceOverMaxSpeed,
        Prediction::Fixed(fixed),
        Prediction::Intercept,
        Prediction::TurnRate,
        Prediction::Acceleration,
        Prediction::Scenery,
    ];
    ui.horizontal(|ui| {
        let shown = egui::ComboBox::from_id_salt("steering prediction")
            .selected_text(title(before))
            .show_ui(ui, |ui| {
                let own = PredictorType::all(types).into_iter();
                for choice in built_in.into_iter().chain(own.map(Prediction::Custom)) {
                    ui.selectable_value(prediction, choice, title(choice));
                }
            });
        named(shown.response, "prediction");
        if let Prediction::Fixed(time) = prediction {
            let time = egui::DragValue::new(time).speed(0.01).range(0.0..=1e9);
            ui.add(time.clamp_existing_to_range(false).suffix(" s"));
        }
    });
    match (before, *prediction) {
        (Prediction::Fixed(before), Prediction::Fixed(after)) => {
            !patch::is_same_number(before, after)
        }
        (before, after) => before != after,
    }
}

fn title(prediction: Prediction) -> String {
    match prediction {
        Prediction::Fixed(_) => "Fixed".into(),
        Prediction::Custom(predictor) => predictor.name().into(),
        built_in => format!("{built_in:?}"),
    }
}
