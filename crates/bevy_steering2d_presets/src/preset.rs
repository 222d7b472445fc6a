//! [`SteeringPreset`]: captures the tuning of an agent and applies it to others.

use std::any::TypeId;
use std::mem;
use std::path::Path;
use std::sync::Arc;

use bevy::prelude::*;
use bevy::reflect::{DynamicTypePath, ReflectFromReflect, ReflectMut, ReflectRef, TypeRegistry};
use bevy_steering2d_core::{Influence, LocomotionRegistry};

use crate::error::{Place, PresetError, PresetFault};
use crate::parts::{Part, Parts};
use crate::situation::keep_situation;
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
    /// [other entities](bevy_steering2d_core::SteersFor) that steer it.
    ///
    /// # Errors
    /// When the agent does not exist.
    pub fn capture(world: &World, agent: Entity) -> Result<Self, PresetError> {
        let entity = world
            .get_entity(agent)
            .map_err(|_| PresetFault::NoSuchAgent(agent))?;
        let types = world.resource::<AppTypeRegistry>().read();
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
        let types = world.resource::<AppTypeRegistry>().clone();
        let kinds = world.get_resource::<LocomotionRegistry>();
        let kinds = kinds.into_iter().flat_map(LocomotionRegistry::iter);
        let kinds: Vec<TypeId> = kinds.map(|kind| kind.type_id).collect();
        let has_kind = kinds.iter().any(|kind| self.holds(*kind));
        let mut entity = world
            .get_entity_mut(agent)
            .map_err(|_| PresetFault::NoSuchAgent(agent))?;
        let before = entity.get_mut::<BeforePresets>();
        let mut change = Change {
            before: before.map_or_else(BeforePresets::default, |mut it| mem::take(&mut *it)),
            unnamed: parts.iter().filter(|it| !self.holds(it.type_id)).collect(),
            rivals: if has_kind { kinds } else { Vec::new() },
            entity,
            types,
        };
        let lost = change.remove_behaviors()?;
        change.return_companions()?;
        let companions = change.companions();
        change.remove_rivals()?;
        change.write(writes)?;
        change.note_changes(companions);
        change.before.last = origin.asset().map(|asset| (asset, self.clone()));
        change.end();
        Ok(Applied { lost })
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

    fn holds(&self, type_id: TypeId) -> bool {
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
/// be written, for example because the path leads to a directory, a pipe or a device. An existing file
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
    fn asset(self) -> Option<AssetId<SteeringPreset>> {
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
struct Change<'a> {
    entity: EntityWorldMut<'a>,
    /// The parts that the preset does not name.
    unnamed: Vec<&'a Part>,
    /// The kinds of locomotion, if the preset has one: an agent has one at a time.
    rivals: Vec<TypeId>,
    before: BeforePresets,
    types: AppTypeRegistry,
}

impl Change<'_> {
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
            for part in &self.unnamed {
                if self.before.companions.was_missing(part) == Some(was_missing)
                    && !self.rivals.contains(&part.type_id)
                {
                    self.before.restore(part, &mut self.entity, &self.types);
                    self.check()?;
                }
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
            if part.is_behavior() {
                self.before.given.push(part.type_id);
                self.before.removed.take(part);
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
                self.before.companions.0.extend(companions.take(part));
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

/// What presets have given to an agent, and taken from it.
#[derive(Component, Clone, Default)]
struct BeforePresets {
    /// Companions as they were before the first preset changed them.
    companions: Kept,
    /// Behaviors that a preset removed: their situational fields are for a preset that gives them back.
    removed: Kept,
    /// Behaviors of the last preset; all others were inserted by the game.
    given: Vec<TypeId>,
    /// The last preset, if it is an asset, as it was applied.
    last: Option<(AssetId<SteeringPreset>, SteeringPreset)>,
}

impl BeforePresets {
    /// The last version of a preset that has changed since.
    fn last_version(&self, origin: Origin) -> Option<&SteeringPreset> {
        let Origin::Changed(changed) = origin else {
            return None;
        };
        let (asset, preset) = self.last.as_ref()?;
        (*asset == changed).then_some(preset)
    }

    /// Gives a companion back the value that it had, or removes it if the agent did not have it.
    fn restore(&mut self, part: &Part, entity: &mut EntityWorldMut, types: &AppTypeRegistry) {
        match self.companions.take(part) {
            Some((_, Some(value))) => {
                // Release the registry before the component is written: observers may lock it.
                let copy = clone_of(&*value, &types.read());
                if let Ok(value) = copy {
                    part.write(entity, value);
                }
            }
            Some((_, None)) => {
                if part.reset_if_required(entity) {
                    self.companions.0.push((part.type_id, None));
                } else {
                    part.remove(entity);
                }
            }
            None => {}
        }
    }
}

/// Components of an agent at some time. Clones share the values.
#[derive(Clone, Default)]
struct Kept(Vec<KeptPart>);

/// The type of a component, and its value; `None` if the agent did not have it.
type KeptPart = (TypeId, Option<Arc<dyn Reflect>>);

impl Kept {
    fn index(&self, part: &Part) -> Option<usize> {
        self.0.iter().position(|&(id, _)| id == part.type_id)
    }

    fn has(&self, part: &Part) -> bool {
        self.index(part).is_some()
    }

    /// Whether the agent did not have a component; `None` if that is not known.
    fn was_missing(&self, part: &Part) -> Option<bool> {
        self.index(part).map(|at| self.0[at].1.is_none())
    }

    fn of(&self, part: &Part) -> Option<&dyn Reflect> {
        self.0[self.index(part)?].1.as_deref()
    }

    /// Keeps what the entity has now.
    fn keep(&mut self, part: &Part, entity: EntityRef, types: &AppTypeRegistry) {
        self.take(part);
        let present = part.read(entity);
        let present = present.map(|value| clone_of(value, &types.read()));
        // A value that cannot be cloned is not kept: `None` would say that the agent did not have it.
        if let Ok(present) = present.transpose() {
            self.0.push((part.type_id, present.map(Arc::from)));
        }
    }

    fn take(&mut self, part: &Part) -> Option<KeptPart> {
        let index = self.index(part)?;
        Some(self.0.swap_remove(index))
    }
}

/// Leaves a behavior switched on or off as it is at `present`, unless the preset has changed that since its `last`
/// version.
fn keep_switch(value: &mut dyn Reflect, last: &dyn Reflect, present: &dyn Reflect) {
    let is_on = |behavior: &dyn Reflect| influence_of(behavior).map(|it| it.enabled);
    if is_on(value) == is_on(last)
        && let Some(is_on) = is_on(present)
        && let Some(influence) = influence_mut(value)
    {
        influence.enabled = is_on;
    }
}

/// The influence of a behavior: its field of this type.
fn influence_of(behavior: &dyn Reflect) -> Option<&Influence> {
    let ReflectRef::Struct(fields) = behavior.reflect_ref() else {
        return None;
    };
    let mut fields = (0..fields.field_len()).filter_map(move |index| fields.field_at(index));
    fields.find_map(|field| field.try_downcast_ref())
}

/// As [`influence_of`].
fn influence_mut(behavior: &mut dyn Reflect) -> Option<&mut Influence> {
    let ReflectMut::Struct(fields) = behavior.reflect_mut() else {
        return None;
    };
    let is_influence = |index: &usize| {
        let field = fields.field_at(*index);
        field.is_some_and(|it| it.try_downcast_ref::<Influence>().is_some())
    };
    let index = (0..fields.field_len()).find(is_influence)?;
    fields.field_at_mut(index)?.try_downcast_mut()
}

fn clone_of(value: &dyn Reflect, types: &TypeRegistry) -> Result<Box<dyn Reflect>, PresetError> {
    // Some types, such as arrays, do not clone by reflection, but convert by `FromReflect`.
    let converted = || {
        types
            .get_type_data::<ReflectFromReflect>(value.as_any().type_id())?
            .from_reflect(value.as_partial_reflect())
    };
    value.reflect_clone().or_else(|error| {
        converted().ok_or_else(|| {
            let field = value.reflect_short_type_path().into();
            let reason = error.to_string();
            PresetFault::NotReflected { field, reason }.into()
        })
    })
}
