//! Choices among registered types: the condition of a behavior, and predictions.

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::{PartialReflect, ReflectRef, TypeRegistration, TypeRegistry};
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::{
    Choice, ConditionType, Prediction, PredictorType, ReflectBehavior, ReflectCompanion, SteersFor,
    When,
};

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

/// A component that was chosen: a behavior, or a condition or predictor of behaviors, which do not act as chosen without it.
#[derive(Clone)]
pub(crate) struct Chosen {
    access: ReflectCompanion,
    default: ReflectDefault,
}

impl Chosen {
    /// A registered behavior; `None` if it has no default.
    pub(crate) fn behavior(registration: &TypeRegistration) -> Option<Self> {
        Some(Self {
            access: registration.data::<ReflectBehavior>()?.access(),
            default: registration.data::<ReflectDefault>()?.clone(),
        })
    }

    /// What a choice stands for; `None` if its component has no default.
    pub(crate) fn of<C: Choice>(types: &TypeRegistry, choice: C) -> Option<Self> {
        let chosen = types.iter().find(|it| C::of(it) == Some(choice))?;
        Some(Self {
            access: *chosen.data()?,
            default: chosen.data::<ReflectDefault>()?.clone(),
        })
    }

    fn is_on(&self, world: &World, entity: Entity) -> bool {
        let entity = world.get_entity(entity).ok();
        entity.is_some_and(|it| self.access.read(it).is_some())
    }

    /// Inserts the default component on the entities that lack it. The type registry is not locked meanwhile: observers of
    /// the component may write to it.
    pub(crate) fn insert_default(&self, world: &mut World, entities: &[Entity]) {
        for entity in entities {
            if self.is_on(world, *entity) {
                continue;
            }
            if let Ok(mut entity) = world.get_entity_mut(*entity) {
                let written = self.access.write(&mut entity, self.default.default());
                debug_assert!(written.is_ok(), "the default has the type of its component");
            }
        }
    }
}

/// Inserts a chosen condition on the entities with the behavior, unless it is there or on their agent.
pub(crate) fn insert_condition(world: &mut World, when: When, entities: &[Entity]) {
    let (When::Only(condition) | When::Unless(condition)) = when else {
        return;
    };
    let chosen = Chosen::of(&world.resource::<AppTypeRegistry>().read(), condition);
    let Some(chosen) = chosen else {
        return;
    };
    let lacking = |entity: &Entity| !chosen.is_on(world, agent_of(world, *entity));
    let lacking: Vec<Entity> = entities.iter().copied().filter(lacking).collect();
    chosen.insert_default(world, &lacking);
}

/// The agent that an entity steers for: itself, if it is no behavior entity.
fn agent_of(world: &World, entity: Entity) -> Entity {
    let above = |it: &Entity| world.get::<SteersFor>(*it).map(|it| it.0);
    let chain = std::iter::successors(Some(entity), above);
    chain.last().unwrap_or(entity)
}

/// The predictors that an edit of a behavior has chosen.
pub(crate) fn chosen_predictors(
    before: &dyn PartialReflect,
    after: &dyn PartialReflect,
) -> Vec<PredictorType> {
    let (ReflectRef::Struct(before), ReflectRef::Struct(after)) =
        (before.reflect_ref(), after.reflect_ref())
    else {
        return Vec::new();
    };
    let fields = after.iter_fields().filter_map(|(name, after)| {
        let prediction = |it: &dyn PartialReflect| it.try_downcast_ref::<Prediction>().copied();
        let (before, after) = (before.field(name).and_then(prediction), prediction(after)?);
        match after {
            Prediction::Custom(predictor) if before != Some(after) => Some(predictor),
            _ => None,
        }
    });
    fields.collect()
}
