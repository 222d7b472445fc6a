//! [`BeforePresets`]: what presets keep of an agent, to give it back.

use std::any::TypeId;
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy_steering2d_core::clone_reflected;

use crate::SteeringPreset;
use crate::change::Origin;
use crate::error::{PresetError, PresetFault};
use crate::parts::Part;
use crate::situation::keep_situation;

/// What presets have given to an agent, and taken from it.
#[derive(Component, Clone, Default)]
pub(crate) struct BeforePresets {
    /// Companions as they were before the first preset changed them.
    pub(crate) companions: Kept,
    /// Parts that presets removed: their situational fields are for a preset that gives them back.
    pub(crate) removed: Kept,
    /// Behaviors of the last preset; all others were inserted by the game.
    pub(crate) given: Vec<TypeId>,
    /// The last preset, if it is an asset, as it was applied.
    pub(crate) last: Option<Version>,
    /// The last asset that was applied, because the agent uses it.
    pub(crate) used: Option<AssetId<SteeringPreset>>,
}

/// A preset that is an asset, as it was applied.
pub(crate) type Version = (AssetId<SteeringPreset>, SteeringPreset);

impl BeforePresets {
    /// The last version of a preset that has changed since.
    pub(crate) fn last_version(&self, origin: Origin) -> Option<&SteeringPreset> {
        let Origin::Changed(changed) = origin else {
            return None;
        };
        let (asset, preset) = self.last.as_ref()?;
        (*asset == changed).then_some(preset)
    }

    /// Replaces the entities in what is kept by those that were spawned for them.
    pub(crate) fn map_entities(
        &mut self,
        spawned: &mut EntityHashMap<Entity>,
        types: &TypeRegistry,
    ) {
        self.companions.map_entities(spawned, types);
        self.removed.map_entities(spawned, types);
    }

    /// Gives a companion back the value that it had, with the situational fields of now, or removes it if the agent did not
    /// have it.
    pub(crate) fn restore(
        &mut self,
        part: &Part,
        entity: &mut EntityWorldMut,
        types: &AppTypeRegistry,
    ) {
        match self.companions.take(part) {
            Some((_, Some(value))) => {
                // Release the registry before the component is written: observers may lock it.
                let copy = clone_of(&*value, &types.read());
                if let Ok(mut value) = copy {
                    if let Some(present) = part.read(entity.as_readonly()) {
                        let present = present.as_partial_reflect();
                        keep_situation(value.as_partial_reflect_mut(), present, &types.read());
                    }
                    part.write(entity, value);
                }
            }
            Some((_, None)) => {
                if part.reset_if_required(entity) {
                    self.companions.add((part.type_id, None));
                } else {
                    self.removed.keep(part, entity.as_readonly(), types);
                    part.remove(entity);
                }
            }
            None => {}
        }
    }
}

/// Components of an agent at some time. Clones share the values.
#[derive(Clone, Default)]
pub(crate) struct Kept(Vec<KeptPart>);

/// The type of a component, and its value; `None` if the agent did not have it.
pub(crate) type KeptPart = (TypeId, Option<Arc<dyn Reflect>>);

impl Kept {
    fn index(&self, part: &Part) -> Option<usize> {
        self.0.iter().position(|&(id, _)| id == part.type_id)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn has(&self, part: &Part) -> bool {
        self.index(part).is_some()
    }

    /// Whether the agent did not have a component; `None` if that is not known.
    pub(crate) fn was_missing(&self, part: &Part) -> Option<bool> {
        self.index(part).map(|at| self.0[at].1.is_none())
    }

    pub(crate) fn of(&self, part: &Part) -> Option<&dyn Reflect> {
        self.0[self.index(part)?].1.as_deref()
    }

    /// Keeps what the entity has now.
    pub(crate) fn keep(&mut self, part: &Part, entity: EntityRef, types: &AppTypeRegistry) {
        self.take(part);
        let present = part.read(entity);
        let present = present.map(|value| clone_of(value, &types.read()));
        // A value that cannot be cloned is not kept: `None` would say that the agent did not have it.
        if let Ok(present) = present.transpose() {
            self.0.push((part.type_id, present.map(Arc::from)));
        }
    }

    pub(crate) fn take(&mut self, part: &Part) -> Option<KeptPart> {
        let index = self.index(part)?;
        Some(self.0.swap_remove(index))
    }

    fn map_entities(&mut self, spawned: &mut EntityHashMap<Entity>, types: &TypeRegistry) {
        for (id, value) in &mut self.0 {
            if let Some(value) = value
                && let Some(component) = types.get_type_data::<ReflectComponent>(*id)
                && let Ok(mut copy) = clone_of(&**value, types)
            {
                component.map_entities(&mut *copy, spawned);
                *value = Arc::from(copy);
            }
        }
    }

    /// Adds a part that is not kept yet.
    pub(crate) fn add(&mut self, part: KeptPart) {
        self.0.push(part);
    }
}

/// A copy of a component.
pub(crate) fn clone_of(
    value: &dyn Reflect,
    types: &TypeRegistry,
) -> Result<Box<dyn Reflect>, PresetError> {
    clone_reflected(value, types).map_err(|error| {
        let field = value.reflect_short_type_path().into();
        let reason = error.to_string();
        PresetFault::NotReflected { field, reason }.into()
    })
}
