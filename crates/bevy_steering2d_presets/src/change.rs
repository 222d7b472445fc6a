//! [`Change`]: an agent gets the tuning of a preset, step by step.

use std::any::TypeId;
use std::mem;

use bevy::prelude::*;
use bevy_steering2d_core::LocomotionRegistry;

use crate::SteeringPreset;
use crate::before::{BeforePresets, Kept, Version};
use crate::error::{PresetError, PresetFault};
use crate::parts::{Part, Parts};

/// Where a preset that is applied comes from.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// Code, which applies it once.
    Code,
    /// An asset that the agent uses from now on.
    Asset(AssetId<SteeringPreset>),
    /// An asset that has changed while the agent uses it.
    Changed(AssetId<SteeringPreset>),
}

impl Origin {
    pub(crate) fn asset(self) -> Option<AssetId<SteeringPreset>> {
        match self {
            Self::Code => None,
            Self::Asset(id) | Self::Changed(id) => Some(id),
        }
    }
}

/// The outcome of applying a preset.
pub(crate) struct Applied {
    /// Behaviors inserted by the game that the preset removed.
    pub(crate) lost: Vec<&'static str>,
}

/// An agent that gets the tuning of a preset.
pub(crate) struct Change<'a> {
    entity: EntityWorldMut<'a>,
    /// The parts that the preset does not name.
    unnamed: Vec<&'a Part>,
    /// The kinds of locomotion, if the preset has one: an agent has one at a time.
    rivals: Vec<TypeId>,
    before: BeforePresets,
    types: AppTypeRegistry,
}

impl<'a> Change<'a> {
    /// Takes what presets have kept on the agent.
    pub(crate) fn begin(
        preset: &SteeringPreset,
        agent: Entity,
        parts: &'a Parts,
        world: &'a mut World,
    ) -> Result<Self, PresetError> {
        let types = world.resource::<AppTypeRegistry>().clone();
        let kinds = world.get_resource::<LocomotionRegistry>();
        let kinds = kinds.into_iter().flat_map(LocomotionRegistry::iter);
        let kinds: Vec<TypeId> = kinds.map(|kind| kind.type_id).collect();
        let has_kind = kinds.iter().any(|kind| preset.holds(*kind));
        let mut entity = world
            .get_entity_mut(agent)
            .map_err(|_| PresetFault::NoSuchAgent(agent))?;
        let before = entity.get_mut::<BeforePresets>();
        let unnamed = parts.iter().filter(|it| !preset.holds(it.type_id));
        Ok(Self {
            before: before.map_or_else(BeforePresets::default, |mut it| mem::take(&mut *it)),
            unnamed: unnamed.collect(),
            rivals: if has_kind { kinds } else { Vec::new() },
            entity,
            types,
        })
    }

    /// Writes the values of the preset, and removes or returns what it does not name.
    pub(crate) fn make(
        mut self,
        values: Vec<(&Part, Box<dyn Reflect>)>,
        last: Option<Version>,
    ) -> Result<Applied, PresetError> {
        let lost = self.remove_behaviors()?;
        self.return_companions()?;
        let companions = self.companions();
        self.remove_rivals()?;
        self.write(values)?;
        self.note_changes(companions);
        let used = last.as_ref().map(|(asset, _)| *asset);
        self.before.used = used.or(self.before.used);
        self.before.last = last;
        self.end();
        Ok(Applied { lost })
    }

    /// An error if an observer has despawned the agent.
    fn check(&self) -> Result<(), PresetError> {
        if self.entity.is_despawned() {
            return Err(PresetFault::NoSuchAgent(self.entity.id()).into());
        }
        Ok(())
    }

    /// Removes the behaviors that the preset does not name; returns the names of those that the game inserted.
    fn remove_behaviors(&mut self) -> Result<Vec<&'static str>, PresetError> {
        let given = mem::take(&mut self.before.given);
        let mut lost = Vec::new();
        for part in self.unnamed.iter().filter(|part| part.is_behavior()) {
            if part.read(self.entity.as_readonly()).is_some() {
                let present = self.entity.as_readonly();
                self.before.removed.keep(part, present, &self.types);
                part.remove(&mut self.entity);
                if !given.contains(&part.type_id) {
                    lost.push(part.name);
                }
                self.check()?;
            }
        }
        Ok(lost)
    }

    /// Gives the companions that the preset does not name the values from before the first preset. Those that the agent did
    /// not have go first: one kind of locomotion replaces another. Rivals of the preset stay kept.
    fn return_companions(&mut self) -> Result<(), PresetError> {
        for was_missing in [true, false] {
            let mut left = usize::MAX;
            // Again, since a companion stays while one that goes later requires it.
            while self.before.companions.len() < left {
                left = self.before.companions.len();
                self.return_companions_that(was_missing)?;
            }
        }
        Ok(())
    }

    fn return_companions_that(&mut self, was_missing: bool) -> Result<(), PresetError> {
        for part in &self.unnamed {
            if self.before.companions.was_missing(part) == Some(was_missing)
                && !self.rivals.contains(&part.type_id)
            {
                self.before.restore(part, &mut self.entity, &self.types);
                self.check()?;
            }
        }
        Ok(())
    }

    /// The companions that the preset does not name, as they are now.
    fn companions(&self) -> Kept {
        let mut kept = Kept::default();
        for part in self.unnamed.iter().filter(|part| !part.is_behavior()) {
            kept.keep(part, self.entity.as_readonly(), &self.types);
        }
        kept
    }

    /// Removes the locomotion that the preset replaces.
    fn remove_rivals(&mut self) -> Result<(), PresetError> {
        for part in &self.unnamed {
            if self.rivals.contains(&part.type_id) {
                part.remove(&mut self.entity);
                self.check()?;
            }
        }
        Ok(())
    }

    fn write(&mut self, values: Vec<(&Part, Box<dyn Reflect>)>) -> Result<(), PresetError> {
        for (part, value) in values {
            self.before.removed.take(part);
            if part.is_behavior() {
                self.before.given.push(part.type_id);
            } else if !self.before.companions.has(part) {
                let present = self.entity.as_readonly();
                self.before.companions.keep(part, present, &self.types);
            }
            part.write(&mut self.entity, value);
            self.check()?;
        }
        Ok(())
    }

    /// Notes which companions came with those of the preset, or made room for them.
    fn note_changes(&mut self, mut companions: Kept) {
        for part in &self.unnamed {
            let is_there = part.read(self.entity.as_readonly()).is_some();
            let has_changed = companions.was_missing(part) == Some(is_there);
            if has_changed && !self.before.companions.has(part) {
                let kept = companions.take(part);
                kept.into_iter()
                    .for_each(|it| self.before.companions.add(it));
            }
        }
    }

    fn end(mut self) {
        match self.entity.get_mut::<BeforePresets>() {
            Some(mut kept) => *kept = self.before,
            None => {
                self.entity.insert(self.before);
            }
        }
    }
}
