//! Edits of parameters between ticks: found by comparison, and made again.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt::Display;

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
use bevy::reflect::{GetPath, PartialReflect, ReflectRef, TypeInfo, TypeRegistry};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, ReflectCompanion};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::by_id;

/// A parameter of an agent or of a behavior entity got another value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The `SteeringId` of the agent or the behavior entity.
    pub agent: u32,
    /// The path of the component's type.
    pub component: String,
    /// The field, e.g. `influence.weight`; empty for the whole component.
    pub field: String,
    /// Its value as RON, which has infinity; none if the component was removed.
    pub value: Option<String>,
}

/// The tuned components of an agent, in the order of [`tuned`].
type Tuning = Vec<Option<Box<dyn Reflect>>>;

/// The tuning of all agents and behavior entities at one time.
#[derive(Resource, Default)]
pub(super) struct Tunings(Vec<(SteeringId, Tuning)>);

/// The types whose edits are recorded, by type path.
fn tuned(world: &World, types: &TypeRegistry) -> Vec<(TypeId, ReflectComponent)> {
    let behaviors = world.resource::<BehaviorRegistry>().iter();
    let behaviors = behaviors.map(|info| info.type_id);
    let companions = types.iter_with_data::<ReflectCompanion>();
    let companions = companions.map(|(registration, _)| registration.type_id());
    // With all that the inspector edits.
    let others = [
        TypeId::of::<SteeringGroups>(),
        TypeId::of::<SteeringDisabled>(),
        TypeId::of::<FaceTarget>(),
        TypeId::of::<PointMass>(),
    ];
    let all = behaviors.chain(companions).chain(others);
    let known = all.filter_map(|id| {
        let registration = types.get(id)?;
        let component = registration.data::<ReflectComponent>()?.clone();
        Some((registration.type_info().type_path(), (id, component)))
    });
    // The type registry is unordered.
    let known: BTreeMap<_, _> = known.collect();
    known.into_values().collect()
}

/// The value as RON.
fn write(value: &dyn PartialReflect, types: &TypeRegistry) -> Result<String, ron::Error> {
    ron::to_string(&TypedReflectSerializer::new(value, types))
}

/// Reads what [`write`] has written of a value of this type.
fn read(
    text: &str,
    type_id: TypeId,
    types: &TypeRegistry,
) -> Result<Box<dyn PartialReflect>, String> {
    let registration = types.get(type_id).ok_or("its type is not registered")?;
    let mut text = ron::Deserializer::from_str(text).map_err(|error| error.to_string())?;
    let value = TypedReflectDeserializer::new(registration, types).deserialize(&mut text);
    let value = value.map_err(|error| error.to_string())?;
    text.end().map_err(|error| error.to_string())?;
    Ok(value)
}

impl Tunings {
    /// The tuning of all agents and behavior entities now.
    pub(super) fn now(world: &mut World) -> Self {
        let agents = by_id::<()>(world);
        let types = world.resource::<AppTypeRegistry>().clone();
        let types = types.read();
        let tuned = tuned(world, &types);
        let copy = |agent: Entity| {
            let agent = world.entity(agent);
            let parts = tuned.iter();
            parts
                .map(|(_, component)| component.reflect(agent)?.reflect_clone().ok())
                .collect()
        };
        let agents = agents.into_iter();
        Self(agents.map(|(id, agent)| (id, copy(agent))).collect())
    }

    /// All tuned components with their agents.
    pub(super) fn values(&self) -> impl Iterator<Item = (SteeringId, &dyn PartialReflect)> {
        self.0.iter().flat_map(|(agent, parts)| {
            let parts = parts.iter().flatten();
            parts.map(|part| (*agent, part.as_partial_reflect()))
        })
    }

    /// The edits that lead from this tuning to a later one. Agents that came or went are not edits.
    pub(super) fn edits(&self, later: &Self, world: &World) -> Vec<Edit> {
        let types = world.resource::<AppTypeRegistry>().read();
        let tuned = tuned(world, &types);
        let mut edits = Vec::new();
        for (id, after) in &later.0 {
            let Ok(at) = self.0.binary_search_by_key(id, |(id, _)| *id) else {
                continue;
            };
            let parts = tuned.iter().zip(&self.0[at].1).zip(after);
            for (((type_id, _), before), after) in parts {
                let Some(info) = types.get_type_info(*type_id) else {
                    continue;
                };
                let mut note = |field: &str, value: Option<&dyn PartialReflect>| {
                    let component = info.type_path();
                    match value.map(|value| write(value, &types)).transpose() {
                        Ok(value) => edits.push(Edit {
                            agent: id.0,
                            component: component.to_owned(),
                            field: field.to_owned(),
                            value,
                        }),
                        Err(error) => {
                            warn!("an edit of {component}.{field} is not recorded: {error}");
                        }
                    }
                };
                match (before, after) {
                    (Some(before), Some(after)) => {
                        let (before, after) =
                            (before.as_partial_reflect(), after.as_partial_reflect());
                        differences("", before, after, &mut |field, value| {
                            note(field, Some(value));
                        });
                    }
                    (None, Some(after)) => note("", Some(after.as_partial_reflect())),
                    (Some(_), None) => note("", None),
                    (None, None) => {}
                }
            }
        }
        edits
    }
}

/// Calls `note` with each field whose value differs, and with its new value.
fn differences(
    path: &str,
    before: &dyn PartialReflect,
    after: &dyn PartialReflect,
    note: &mut dyn FnMut(&str, &dyn PartialReflect),
) {
    if before.reflect_partial_eq(after) == Some(true) {
        return;
    }
    let (ReflectRef::Struct(old), ReflectRef::Struct(new)) =
        (before.reflect_ref(), after.reflect_ref())
    else {
        note(path, after);
        return;
    };
    for (name, new) in new.iter_fields() {
        let field = if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        };
        match old.field(name) {
            Some(old) => differences(&field, old, new, note),
            None => note(&field, new),
        }
    }
}

impl Edit {
    /// Makes the edit. Nothing happens if the agent does not exist.
    ///
    /// # Errors
    /// Names a type, field or value that does not fit.
    pub(super) fn apply(&self, world: &mut World) -> Result<(), String> {
        let agents = by_id::<()>(world);
        let Some(&(_, agent)) = agents.iter().find(|(id, _)| id.0 == self.agent) else {
            return Ok(());
        };
        let types = world.resource::<AppTypeRegistry>().clone();
        let types = types.read();
        // Others may be immutable, or part of what the agent is.
        let is_this = |(id, _): &(TypeId, ReflectComponent)| {
            let info = types.get_type_info(*id);
            info.is_some_and(|info| info.type_path() == self.component)
        };
        let (id, component) = tuned(world, &types)
            .into_iter()
            .find(is_this)
            .ok_or_else(|| format!("there is no tuned component {}", self.component))?;
        let mut agent = world.entity_mut(agent);
        let Some(value) = &self.value else {
            component.remove(&mut agent);
            return Ok(());
        };
        if self.field.is_empty() {
            let value = self.read(value, id, &types)?;
            component.insert(&mut agent, &*value, &types);
            return Ok(());
        }
        match component.reflect_mut(&mut agent) {
            Some(present) => self.set_field(present, value, &types),
            None => Ok(()),
        }
    }

    /// Sets the field of a component.
    fn set_field(
        &self,
        mut component: Mut<dyn Reflect>,
        value: &str,
        types: &TypeRegistry,
    ) -> Result<(), String> {
        let field = component
            .reflect_path_mut(self.field.as_str())
            .map_err(|error| self.wrong(error))?;
        let id = field
            .get_represented_type_info()
            .map(TypeInfo::type_id)
            .ok_or_else(|| self.wrong("its type is not known"))?;
        let value = self.read(value, id, types)?;
        // A list that is applied to a longer one would keep the rest of that.
        match (field.try_as_reflect_mut(), value.try_into_reflect()) {
            (Some(field), Ok(value)) => field
                .set(value)
                .map_err(|_| self.wrong("it is of another type")),
            (_, Ok(value)) => field
                .try_apply(value.as_partial_reflect())
                .map_err(|error| self.wrong(error)),
            (_, Err(value)) => field.try_apply(&*value).map_err(|error| self.wrong(error)),
        }
    }

    fn read(
        &self,
        text: &str,
        type_id: TypeId,
        types: &TypeRegistry,
    ) -> Result<Box<dyn PartialReflect>, String> {
        read(text, type_id, types).map_err(|reason| self.wrong(reason))
    }

    fn wrong(&self, reason: impl Display) -> String {
        format!("{}.{}: {reason}", self.component, self.field)
    }
}
