//! The components a preset may hold: every registered behavior, and the companions that tune an
//! agent: limits, conditions, predictors.

use std::any::TypeId;

use bevy::ecs::component::ComponentId;
use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::{TypeRegistration, TypeRegistry};
use bevy_steering2d_core::{
    Combine, FaceVelocity, InvalidParameter, ReflectBehavior, ReflectCompanion, SensesColliders,
    SpeedLimit, StuckDetection, ThinkEvery, Vehicle,
};

use crate::error::{NAME, PresetFault, excerpt};
use crate::hints::nearest;

/// The parts that come first. Every agent has the first two, so a [`Vehicle`] from the preset is written before a behavior
/// requires a default one.
const FIRST: [TypeId; 7] = [
    TypeId::of::<Vehicle>(),
    TypeId::of::<Combine>(),
    TypeId::of::<SpeedLimit>(),
    TypeId::of::<FaceVelocity>(),
    TypeId::of::<ThinkEvery>(),
    TypeId::of::<StuckDetection>(),
    TypeId::of::<SensesColliders>(),
];

/// The parts of [`FIRST`] that are never removed, but get their default.
const ALWAYS: usize = 2;

/// A component that presets may hold.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) type_id: TypeId,
    /// The short type name.
    pub(crate) name: &'static str,
    /// The full type path.
    pub(crate) path: &'static str,
    /// Makes its default value.
    pub(crate) default: Option<ReflectDefault>,
    access: ReflectCompanion,
    is_behavior: bool,
}

impl Part {
    fn registered(
        registration: &TypeRegistration,
        access: ReflectCompanion,
        is_behavior: bool,
    ) -> Self {
        let table = registration.type_info().type_path_table();
        Self {
            type_id: registration.type_id(),
            name: table.short_path(),
            path: table.path(),
            default: registration.data::<ReflectDefault>().cloned(),
            access,
            is_behavior,
        }
    }

    pub(crate) fn is_behavior(&self) -> bool {
        self.is_behavior
    }

    pub(crate) fn read<'a>(&self, entity: EntityRef<'a>) -> Option<&'a dyn Reflect> {
        self.access.read(entity)
    }

    pub(crate) fn write(&self, entity: &mut EntityWorldMut, value: Box<dyn Reflect>) {
        let written = self.access.write(entity, value);
        debug_assert!(written.is_ok(), "the value has the type of its part");
    }

    pub(crate) fn remove(&self, entity: &mut EntityWorldMut) {
        match &self.default {
            Some(default) if FIRST[..ALWAYS].contains(&self.type_id) => {
                self.write(entity, default.default());
            }
            _ => {
                self.access.remove(entity);
            }
        }
    }

    /// Gives the component its default value if another component of the entity requires it; returns whether one does.
    pub(crate) fn reset_if_required(&self, entity: &mut EntityWorldMut) -> bool {
        let all = entity.world().components();
        let Some(id) = all.get_id(self.type_id) else {
            return false;
        };
        let requires = |it: &ComponentId| {
            let info = all.get_info(*it);
            info.is_some_and(|it| it.required_components().iter_ids().any(|it| it == id))
        };
        let is_required = entity.archetype().components().iter().any(requires);
        if is_required && let Some(default) = &self.default {
            self.write(entity, default.default());
        }
        is_required
    }

    pub(crate) fn check(&self, value: &dyn Reflect) -> Result<(), InvalidParameter> {
        self.access.check(value)
    }
}

/// All parts in the order in which they are written: those of [`FIRST`], other companions by name, behaviors by name.
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    pub(crate) fn new(types: &TypeRegistry) -> Self {
        let companions = types.iter_with_data::<ReflectCompanion>();
        let companions =
            companions.map(|(registration, access)| Part::registered(registration, *access, false));
        let behaviors = types.iter_with_data::<ReflectBehavior>();
        let behaviors =
            behaviors.map(|(registration, it)| Part::registered(registration, it.access(), true));
        let mut parts: Vec<_> = companions.chain(behaviors).collect();
        // The type registry is unordered; files and logs are sorted.
        parts.sort_unstable_by_key(|part| {
            let place = FIRST.iter().position(|id| *id == part.type_id);
            let place = place.unwrap_or(FIRST.len());
            (place, part.is_behavior, part.name, part.path)
        });
        Self(parts)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Part> {
        self.0.iter()
    }

    pub(crate) fn of(&self, type_id: TypeId) -> Option<&Part> {
        self.0.iter().find(|part| part.type_id == type_id)
    }

    /// The short name if it is unique, else the full type path.
    pub(crate) fn unique_name(&self, part: &Part) -> &'static str {
        let namesakes = self.0.iter().filter(|other| other.name == part.name);
        if namesakes.count() == 1 {
            part.name
        } else {
            part.path
        }
    }

    /// The part with this short name or full type path.
    pub(crate) fn named(&self, name: &str, types: &TypeRegistry) -> Result<&Part, PresetFault> {
        if let Some(part) = self.0.iter().find(|part| part.path == name) {
            return Ok(part);
        }
        let mut namesakes = self.0.iter().filter(|part| part.name == name);
        match (namesakes.next(), namesakes.next()) {
            (Some(part), None) => Ok(part),
            (Some(_), Some(_)) => Err(PresetFault::AmbiguousComponent {
                name: name.into(),
                candidates: self
                    .0
                    .iter()
                    .filter(|part| part.name == name)
                    .map(|part| part.path)
                    .collect(),
            }),
            (None, _) => Err(PresetFault::UnknownComponent {
                name: excerpt(name, NAME),
                hint: self.hint_for(name, types),
            }),
        }
    }

    fn hint_for(&self, name: &str, types: &TypeRegistry) -> String {
        let near = nearest(name, self.0.iter().map(|part| part.name));
        let known = types.get_with_short_type_path(name).is_some()
            || types.get_with_type_path(name).is_some();
        if !near.is_empty() {
            format!("; did you mean {near}?")
        } else if known {
            let companions = self.0.iter().filter(|part| !part.is_behavior());
            let companions: Vec<_> = companions.map(|part| part.name).collect();
            format!(
                "; presets hold behaviors and {}, nothing else",
                companions.join(", ")
            )
        } else {
            "; if it is one of yours, register it: add_behavior, add_adjustment, add_condition, \
             add_predictor or add_locomotion"
                .into()
        }
    }
}
