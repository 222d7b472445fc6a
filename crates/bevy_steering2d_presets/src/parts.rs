//! The components a preset may hold: every registered behavior, and the companions that tune an
//! agent: limits, conditions, predictors.

use std::any::TypeId;

use bevy::ecs::component::{ComponentId, Mutable};
use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::{FromType, TypePath, TypeRegistration, TypeRegistry};
use bevy_steering2d_core::{
    Combine, FaceVelocity, InvalidParameter, ReflectBehavior, ReflectCompanion, SensesColliders,
    SpeedLimit, StuckDetection, ThinkEvery, Vehicle,
};

use crate::error::{NAME, PresetFault, excerpt};
use crate::hints::nearest;

/// A component in presets that is not a behavior.
trait Companion: Component<Mutability = Mutable> + Reflect + TypePath + Default {
    /// Whether every agent has this component.
    const REQUIRED: bool = false;

    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }
}

impl Companion for Vehicle {
    const REQUIRED: bool = true;

    fn check(&self) -> Result<(), InvalidParameter> {
        self.check()
    }
}

impl Companion for Combine {
    const REQUIRED: bool = true;
}

impl Companion for SpeedLimit {}

impl Companion for FaceVelocity {
    fn check(&self) -> Result<(), InvalidParameter> {
        self.check()
    }
}

impl Companion for ThinkEvery {}

impl Companion for StuckDetection {
    fn check(&self) -> Result<(), InvalidParameter> {
        self.check()
    }
}

impl Companion for SensesColliders {}

/// Type-erased access to a companion.
#[derive(Clone, Copy)]
pub(crate) struct CompanionAccess {
    access: ReflectCompanion,
    /// Resets the component to its default, if every agent has it.
    reset: Option<fn(&mut EntityWorldMut)>,
}

impl CompanionAccess {
    fn of<C: Companion>() -> Self {
        let reset = |entity: &mut EntityWorldMut| {
            entity.insert(C::default());
        };
        Self {
            access: ReflectCompanion::of::<C>(|value| {
                value.downcast_ref::<C>().map_or(Ok(()), Companion::check)
            }),
            reset: C::REQUIRED.then_some(reset),
        }
    }

    fn remove(self, entity: &mut EntityWorldMut) {
        match self.reset {
            Some(reset) => reset(entity),
            None => self.access.remove(entity),
        }
    }
}

/// The kind of a component, with access to it.
#[derive(Clone)]
pub(crate) enum Role {
    Companion(CompanionAccess),
    Behavior(ReflectBehavior),
}

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
    pub(crate) role: Role,
}

impl Part {
    fn companion<C: Companion>() -> Self {
        Self {
            type_id: TypeId::of::<C>(),
            name: C::short_type_path(),
            path: C::type_path(),
            default: Some(FromType::<C>::from_type()),
            role: Role::Companion(CompanionAccess::of::<C>()),
        }
    }

    fn registered(registration: &TypeRegistration, role: Role) -> Self {
        let table = registration.type_info().type_path_table();
        Self {
            type_id: registration.type_id(),
            name: table.short_path(),
            path: table.path(),
            default: registration.data::<ReflectDefault>().cloned(),
            role,
        }
    }

    pub(crate) fn is_behavior(&self) -> bool {
        matches!(self.role, Role::Behavior(_))
    }

    pub(crate) fn read<'a>(&self, entity: EntityRef<'a>) -> Option<&'a dyn Reflect> {
        match &self.role {
            Role::Companion(companion) => companion.access.read(entity),
            Role::Behavior(access) => access.read(entity),
        }
    }

    pub(crate) fn write(&self, entity: &mut EntityWorldMut, value: Box<dyn Reflect>) {
        match &self.role {
            Role::Companion(companion) => companion.access.write(entity, value),
            Role::Behavior(access) => {
                let written = access.write(entity, value);
                debug_assert!(written.is_ok(), "the value has the type of its part");
            }
        }
    }

    pub(crate) fn remove(&self, entity: &mut EntityWorldMut) {
        match &self.role {
            Role::Companion(companion) => companion.remove(entity),
            Role::Behavior(access) => {
                access.remove(entity);
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
        match &self.role {
            Role::Companion(companion) => companion.access.check(value),
            Role::Behavior(access) => access.check(value).unwrap_or(Ok(())),
        }
    }
}

/// All parts: companions first, so that a `Vehicle` from the preset is inserted before a behavior
/// requires a default one, and those that are registered by name; then the behaviors by name.
pub(crate) struct Parts(Vec<Part>);

impl Parts {
    pub(crate) fn new(types: &TypeRegistry) -> Self {
        let mut parts = vec![
            Part::companion::<Vehicle>(),
            Part::companion::<Combine>(),
            Part::companion::<SpeedLimit>(),
            Part::companion::<FaceVelocity>(),
            Part::companion::<ThinkEvery>(),
            Part::companion::<StuckDetection>(),
            Part::companion::<SensesColliders>(),
        ];
        let always = parts.len();
        let reset = None;
        let companions = types.iter_with_data::<ReflectCompanion>();
        parts.extend(companions.map(|(registration, &access)| {
            Part::registered(
                registration,
                Role::Companion(CompanionAccess { access, reset }),
            )
        }));
        let behaviors = types.iter_with_data::<ReflectBehavior>();
        parts.extend(behaviors.map(|(registration, access)| {
            Part::registered(registration, Role::Behavior(access.clone()))
        }));
        // The type registry is unordered; files and logs are sorted.
        parts[always..].sort_unstable_by_key(|part| (part.is_behavior(), part.name, part.path));
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
