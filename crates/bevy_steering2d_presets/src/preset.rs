//! [`SteeringPreset`]: captures the tuning of an agent and applies it to others.

use std::any::TypeId;
use std::path::Path;
use std::sync::Arc;

use bevy::prelude::*;
use bevy::reflect::DynamicTypePath;
use bevy_steering2d_core::SwitchedOff;

use crate::before::{BeforePresets, clone_of};
use crate::change::{Applied, Change, Origin};
use crate::error::{Place, PresetError, PresetFault};
use crate::parts::{Part, Parts};
use crate::situation::{keep_situation, keep_switch, switch_on};
use crate::{read, write};

/// The tuning of an agent: all its behaviors and companions (`Vehicle`, `Combine`, …), without
/// [situational](crate#what-a-preset-leaves-to-the-game) fields.
///
/// An asset, loaded from `*.steering.ron`; see [the file format](crate#the-file).
#[derive(Asset, TypePath, Clone, Default)]
pub struct SteeringPreset {
    /// In the order in which they are applied and written.
    components: Vec<Arc<dyn Reflect>>,
}

impl SteeringPreset {
    /// The maximum length of a preset file, bytes: one mebibyte.
    pub const MAX_BYTES: usize = 1 << 20;
    /// The maximum number of opening brackets and commas in a preset file, also inside comments. One
    /// of them precedes each value, so this limits the time to read a file.
    pub const MAX_VALUES: usize = 1 << 12;
    /// The maximum nesting depth of brackets.
    pub const MAX_DEPTH: usize = 64;

    /// Copies the tuning of an agent, without behaviors on
    /// [other entities](bevy_steering2d_core::SteersFor) that steer it. A behavior that a plugin has switched off for a
    /// while, as [`SwitchedOff`] knows, is captured as enabled.
    ///
    /// # Errors
    /// When the agent does not exist.
    pub fn capture(world: &World, agent: Entity) -> Result<Self, PresetError> {
        let entity = world
            .get_entity(agent)
            .map_err(|_| PresetFault::NoSuchAgent(agent))?;
        let types = world.resource::<AppTypeRegistry>().read();
        let switched_off = world.get_resource::<SwitchedOff>();
        let mut components = Vec::new();
        for part in Parts::new(&types).iter() {
            let Some(value) = part.read(entity) else {
                continue;
            };
            let mut copy = clone_of(value, &types)?;
            if let Some(default) = &part.default {
                let default = default.default();
                keep_situation(
                    copy.as_partial_reflect_mut(),
                    default.as_partial_reflect(),
                    &types,
                );
            }
            if switched_off.is_some_and(|it| it.is_off(part.type_id, entity)) {
                switch_on(&mut *copy);
            }
            components.push(copy.into());
        }
        Ok(Self { components })
    }

    /// Applies the tuning to an agent.
    ///
    /// Afterwards the agent has exactly the preset's behaviors; all others are removed. Targets and
    /// other [situational](crate#what-a-preset-leaves-to-the-game) fields keep the agent's value.
    /// Companions that the preset does not name return to their value from before the first preset.
    /// Applying one preset after another is therefore the same as applying the last one alone.
    ///
    /// # Errors
    /// When the agent does not exist.
    pub fn apply(&self, world: &mut World, agent: Entity) -> Result<(), PresetError> {
        let types = world.resource::<AppTypeRegistry>().clone();
        let parts = Parts::new(&types.read());
        self.apply_to(agent, &parts, world, Origin::Code)
            .map(|_| ())
    }

    pub(crate) fn apply_to(
        &self,
        agent: Entity,
        parts: &Parts,
        world: &mut World,
        origin: Origin,
    ) -> Result<Applied, PresetError> {
        let writes = self.merged_with(agent, parts, world, origin)?;
        let last = origin.asset().map(|asset| (asset, self.clone()));
        Change::begin(self, agent, parts, world)?.make(writes, last)
    }

    /// The preset's values with the agent's situational fields, also those of behaviors that a preset removed. A behavior
    /// that the game has switched on or off stays so when the preset changes, unless that changes the switch.
    fn merged_with<'p>(
        &self,
        agent: Entity,
        parts: &'p Parts,
        world: &World,
        origin: Origin,
    ) -> Result<Vec<(&'p Part, Box<dyn Reflect>)>, PresetError> {
        let entity = world
            .get_entity(agent)
            .map_err(|_| PresetFault::NoSuchAgent(agent))?;
        // Release the registry before any component is written: observers may lock it.
        let types = world.resource::<AppTypeRegistry>().read();
        let before = entity.get::<BeforePresets>();
        let removed = |part: &Part| before?.removed.of(part);
        let last = before.and_then(|it| it.last_version(origin));
        let mut writes = Vec::new();
        for part in parts.iter() {
            let Some(value) = self.value(part.type_id) else {
                continue;
            };
            let mut value = clone_of(value, &types)?;
            if let Some(present) = part.read(entity).or_else(|| removed(part)) {
                keep_situation(
                    value.as_partial_reflect_mut(),
                    present.as_partial_reflect(),
                    &types,
                );
            }
            let present = part.read(entity).filter(|_| part.is_behavior());
            let last = last.and_then(|it| it.value(part.type_id));
            if let (Some(present), Some(last)) = (present, last) {
                keep_switch(&mut *value, last, present);
            }
            writes.push((part, value));
        }
        Ok(writes)
    }

    /// Reads a preset from text.
    ///
    /// # Errors
    /// When the text is not a valid preset; the error has line, column and reason.
    pub fn from_ron(text: &str, types: &AppTypeRegistry) -> Result<Self, PresetError> {
        let components = read::read(text, &types.read())?;
        Ok(Self {
            components: components.into_iter().map(Arc::from).collect(),
        })
    }

    pub(crate) fn from_bytes(bytes: &[u8], types: &AppTypeRegistry) -> Result<Self, PresetError> {
        if bytes.len() > Self::MAX_BYTES {
            return Err(PresetFault::TooLarge.into());
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::from_ron(text, types),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let place = Place::in_text(&valid, valid.len());
                Err(PresetError::at(place, PresetFault::NotUtf8))
            }
        }
    }

    /// Writes the preset as text that [`from_ron`](Self::from_ron) reads, with all parameters,
    /// including those with default values.
    ///
    /// # Errors
    /// When [`from_ron`](Self::from_ron) would reject the text, such as for a value out of range.
    pub fn to_ron(&self, types: &AppTypeRegistry) -> Result<String, PresetError> {
        let text = write::write(self.values(), &types.read())?;
        Self::from_ron(&text, types)?;
        Ok(text)
    }

    /// The short type names of the components in the preset.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values().map(DynamicTypePath::reflect_short_type_path)
    }

    /// The preset's value of the component `C`.
    pub fn get<C: Reflect>(&self) -> Option<&C> {
        self.value(TypeId::of::<C>())?.downcast_ref()
    }

    /// Whether two presets share their values: one is a copy of the other.
    pub(crate) fn is_copy_of(&self, other: &Self) -> bool {
        let pairs = self.components.iter().zip(&other.components);
        let mut same = pairs.map(|(mine, theirs)| Arc::ptr_eq(mine, theirs));
        self.components.len() == other.components.len() && same.all(|it| it)
    }

    pub(crate) fn holds(&self, type_id: TypeId) -> bool {
        self.value(type_id).is_some()
    }

    fn value(&self, type_id: TypeId) -> Option<&dyn Reflect> {
        self.values()
            .find(|value| value.as_any().type_id() == type_id)
    }

    // `Arc` implements `Reflect` itself, so dereference it to reach the component.
    fn values(&self) -> impl Iterator<Item = &dyn Reflect> {
        self.components.iter().map(|value| &**value)
    }
}

impl PartialEq for SteeringPreset {
    /// The same components with the same values, in any order.
    fn eq(&self, other: &Self) -> bool {
        let same = |value: &dyn Reflect| {
            let theirs = other.value(value.as_any().type_id());
            theirs.is_some_and(|theirs| {
                value.reflect_partial_eq(theirs.as_partial_reflect()) == Some(true)
            })
        };
        self.components.len() == other.components.len() && self.values().all(same)
    }
}

impl std::fmt::Debug for SteeringPreset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

/// Writes an agent's tuning to a file: [captures](SteeringPreset::capture) it and replaces the file
/// atomically, so that a reader never sees a partially written file.
///
/// The path is a file system path, so it usually begins with `assets/`. Missing folders are created.
/// Comments in an existing file are lost. A symbolic link stays; the file it leads to is replaced. A watcher of files may
/// miss that on a slow disk: call [`AssetServer::reload`] for agents that use the preset.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use bevy_steering2d_presets::{PresetError, save_preset};
/// # fn save(world: &World, agent: Entity) -> Result<(), PresetError> {
/// save_preset(world, agent, "assets/presets/mine.steering.ron")?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the agent does not exist, when one of its values is out of range, or when the file cannot
/// be written, for example because it is read-only, or the path leads to a directory, a pipe or a device. An existing file
/// stays unchanged.
pub fn save_preset(
    world: &World,
    agent: Entity,
    path: impl AsRef<Path>,
) -> Result<(), PresetError> {
    let preset = SteeringPreset::capture(world, agent)?;
    let text = preset.to_ron(world.resource::<AppTypeRegistry>())?;
    write::write_file(path.as_ref(), &text)
}
