//! Snapshots in files: a header, the names of all behaviors, and the values of all types as RON.
//!
//! ```text
//! bevy_steering2d snapshot
//! version 0.1.0
//! checksum 6c62272e07bb0142
//! (["bevy_steering2d_core::combine::group::BehaviorGroup", …],
//! {"bevy_steering2d_core::vehicle::Vehicle":[(4294967295,(max_speed:5.0, …)), …], …},[…])
//! ```

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy::reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;

use super::SteeringSnapshot;
use super::part::{Column, Part};
use super::resource::resource_of;
use super::saving::Known;
use super::targets::TargetTransforms;
use super::types::SnapshotTypes;
use crate::{BehaviorRegistry, SteeringClock, digest};

const TITLE: &str = "bevy_steering2d snapshot";
/// The version of this library.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why a snapshot cannot be written to a file or read from it. No world has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotFileError {
    /// The world has no [`PipelinePlugin`](crate::PipelinePlugin), which comes with `SteeringPlugin`.
    NoPlugin,
    /// A part of the snapshot has no form in files, such as the bodies of a physics engine.
    NotSaved(&'static str),
    /// A part of the snapshot is written from the world, which has gone on to another tick, or in which entities of the
    /// snapshot are gone, also those that a restore has spawned again.
    Past(&'static str),
    /// The file is no snapshot.
    NoSnapshot,
    /// Another version of this library wrote the file.
    Version(String),
    /// The file was cut off or edited after it was written.
    Damaged,
    /// The app that wrote the file had other plugins: other types belong to its snapshots.
    Plugins {
        /// Types of the file that this app does not have.
        unknown: Vec<String>,
        /// Types of this app that the file does not have.
        missing: Vec<String>,
    },
    /// The app that wrote the file registered its behaviors in another order: by their numbers, the file would mean others.
    BehaviorOrder {
        /// A behavior of the file.
        file: String,
        /// The one that this app registered in its place.
        here: String,
    },
    /// A value does not have the form that its type has here.
    Value(String),
}

impl fmt::Display for SnapshotFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlugin => write!(f, "a snapshot needs SteeringPlugin in the world"),
            Self::NotSaved(part) => {
                write!(f, "{part} cannot be written to a file, only kept in memory")
            }
            Self::Past(part) => {
                write!(
                    f,
                    "{part} can be written to a file only in the tick of the snapshot, while all its entities exist"
                )
            }
            Self::NoSnapshot => write!(f, "the file is no snapshot of bevy_steering2d"),
            Self::Version(version) => {
                write!(
                    f,
                    "version {version} wrote the file, this is version {VERSION}"
                )
            }
            Self::Damaged => write!(f, "the file is damaged: its checksum is another one"),
            Self::Plugins { unknown, missing } => {
                write!(f, "the file is of an app with other plugins:")?;
                for name in unknown {
                    write!(f, " {name} is unknown here;")?;
                }
                for name in missing {
                    write!(f, " {name} is not in the file;")?;
                }
                Ok(())
            }
            Self::BehaviorOrder { file, here } => {
                write!(
                    f,
                    "the file is of an app that registered behaviors in another order: {file} where this app has {here}"
                )
            }
            Self::Value(reason) => write!(f, "a value cannot be read or written: {reason}"),
        }
    }
}

impl std::error::Error for SnapshotFileError {}

impl SteeringSnapshot {
    /// This snapshot as the content of a file. `world` is the one it was taken from.
    ///
    /// Ledgers are left out: the next update writes them anew. A [part](super::SnapshotPart) such as the
    /// world of a physics engine is written from the world, so call this in the tick of the snapshot.
    ///
    /// # Errors
    /// If a part of it has no form in files, or the world has gone on, or a type is not registered for
    /// reflection.
    pub fn to_file(&self, world: &World) -> Result<String, SnapshotFileError> {
        let parts = parts(world)?;
        let columns = self.columns.iter();
        let columns = columns.filter_map(|(id, column)| {
            let part = parts.iter().find(|part| part.id() == *id)?;
            part.is_in_files().then_some((&**part, &**column))
        });
        let columns: Vec<_> = columns.collect();
        let elsewhere: Vec<TypeId> = parts.iter().flat_map(|it| it.written_types()).collect();
        let is_past = !self.is_of_now(world);
        for (part, column) in &columns {
            if elsewhere.contains(&part.id()) {
                continue;
            }
            // First, since the column keeps what is prepared: a text of this tick would stay in it.
            if is_past && part.is_of_now(*column) {
                return Err(SnapshotFileError::Past(part.name()));
            }
            part.prepare(*column, world)
                .map_err(SnapshotFileError::NotSaved)?;
        }
        let types = world.resource::<AppTypeRegistry>().read();
        // A hidden one was lost to its behaviors, and stays so.
        let targets = self.targets.iter();
        let targets = targets.filter(|(target, _)| !self.targets.was_hidden(*target));
        let body = (
            behaviors(world, parts),
            Written {
                columns: &columns,
                types: &types,
            },
            targets
                .map(|(target, place)| (target.to_bits(), place))
                .collect::<Vec<_>>(),
        );
        let body = ron::to_string(&body).map_err(|error| wrong(&error))?;
        let checksum = digest(body.bytes());
        Ok(format!(
            "{TITLE}\nversion {VERSION}\nchecksum {checksum:016x}\n{body}"
        ))
    }

    /// The snapshot in a file. `world` is the one to be restored; it must have the same plugins as the
    /// one that wrote the file.
    ///
    /// [`restore`](Self::restore) then despawns all agents, obstacles and walls, and spawns those of the
    /// file: [`Restored::spawned`](super::Restored) has the ids that they had, and those that they have.
    ///
    /// # Errors
    /// If the file is damaged, or of another version, or of an app with other plugins.
    pub fn from_file(world: &World, file: &str) -> Result<Self, SnapshotFileError> {
        let body = body(file)?;
        let parts = parts(world)?;
        let types = world.resource::<AppTypeRegistry>().read();
        let mut deserializer = ron::Deserializer::from_str(body).map_err(|error| wrong(&error))?;
        let (behaviors, columns, targets) = Content {
            parts,
            types: &types,
        }
        .deserialize(&mut deserializer)
        .map_err(|error| wrong(&error))?;
        fits(parts, &columns)?;
        has_order(world, parts, &behaviors)?;
        let entities = columns.values().flatten().map(|(entity, _)| *entity);
        let mut known = Known {
            types: &types,
            entities: entities.chain(targets.iter().map(|it| it.0)).collect(),
        };
        // Parts that write the components of other types come first: only they name some entities, to which the
        // values of the others may refer.
        let numbered = parts.iter().enumerate();
        let (first, rest): (Vec<_>, Vec<_>) =
            numbered.partition(|(_, part)| !part.written_types().is_empty());
        let mut read = BTreeMap::new();
        for (at, part) in first {
            let column = column(&**part, &columns, &mut known)?;
            let mut entities = Vec::new();
            column.entities(&mut entities);
            known.entities.extend(entities);
            read.insert(at, (part.id(), column));
        }
        for (at, part) in rest {
            read.insert(at, (part.id(), column(&**part, &columns, &mut known)?));
        }
        let mut snapshot = Self::empty();
        snapshot.columns = read.into_values().collect();
        snapshot.targets = TargetTransforms::of(targets);
        let clock = snapshot.columns.iter();
        let clock = { clock }.find_map(|(_, column)| resource_of::<SteeringClock>(&**column));
        snapshot.clock = clock.copied().unwrap_or_default();
        snapshot.is_foreign = true;
        Ok(snapshot)
    }

    /// Whether a world is in the tick of this snapshot, with the entities of then. A restore spawns others for those that
    /// are gone, and a part that is written from the world knows only these.
    fn is_of_now(&self, world: &World) -> bool {
        let tick = world.get_resource::<SteeringClock>().map(|it| it.tick);
        let exists = |entity: &Entity| world.get_entity(*entity).is_ok();
        !self.is_foreign && tick == Some(self.tick()) && self.entities().iter().all(exists)
    }
}

/// The types that belong to snapshots of a world.
fn parts(world: &World) -> Result<&[Box<dyn Part>], SnapshotFileError> {
    // To take a snapshot makes the types, but no clock.
    let has_plugin = world.contains_resource::<SteeringClock>();
    let types = world.get_resource::<SnapshotTypes>().filter(|_| has_plugin);
    let types = types.ok_or(SnapshotFileError::NoPlugin)?;
    Ok(&types.parts)
}

/// The names of all behaviors in the order of their ids.
fn behaviors(world: &World, parts: &[Box<dyn Part>]) -> Vec<&'static str> {
    let registry = world.get_resource::<BehaviorRegistry>();
    let ids = registry.into_iter().flat_map(BehaviorRegistry::iter);
    let name = |id: TypeId| Some(parts.iter().find(|part| part.id() == id)?.name());
    ids.filter_map(|it| name(it.type_id)).collect()
}

/// The content of a file of this version, if it has not changed since it was written.
fn body(file: &str) -> Result<&str, SnapshotFileError> {
    let rest = file
        .strip_prefix(TITLE)
        .and_then(|it| it.strip_prefix("\nversion "));
    let (version, rest) = rest
        .and_then(|it| it.split_once('\n'))
        .ok_or(SnapshotFileError::NoSnapshot)?;
    if version != VERSION {
        return Err(SnapshotFileError::Version(version.to_owned()));
    }
    let rest = rest
        .strip_prefix("checksum ")
        .and_then(|it| it.split_once('\n'));
    let (sum, body) = rest.ok_or(SnapshotFileError::Damaged)?;
    if sum != format!("{:016x}", digest(body.bytes())) {
        return Err(SnapshotFileError::Damaged);
    }
    Ok(body)
}

/// The values of a part in a file; none of a part that files leave out.
fn column(
    part: &dyn Part,
    columns: &Columns,
    known: &mut Known,
) -> Result<Arc<dyn Column>, SnapshotFileError> {
    let Some(values) = columns.get(part.name()) else {
        return Ok(part.empty());
    };
    let column = part.column(values, known);
    column.ok_or_else(|| SnapshotFileError::Value(format!("{} has another form", part.name())))
}

fn wrong(error: &dyn fmt::Display) -> SnapshotFileError {
    SnapshotFileError::Value(error.to_string())
}

/// Whether a file has the types of this app, except for those that files leave out.
fn fits(parts: &[Box<dyn Part>], columns: &Columns) -> Result<(), SnapshotFileError> {
    let here = parts.iter().filter(|part| part.is_in_files());
    let here: BTreeSet<&str> = here.map(|part| part.name()).collect();
    let unknown = columns.keys().filter(|it| !here.contains(it.as_str()));
    let missing = here.iter().filter(|it| !columns.contains_key(**it));
    let unknown: Vec<String> = unknown.cloned().collect();
    let missing: Vec<String> = missing.map(|it| (*it).to_owned()).collect();
    if unknown.is_empty() && missing.is_empty() {
        return Ok(());
    }
    Err(SnapshotFileError::Plugins { unknown, missing })
}

/// Whether the behaviors of a file have the ids that they have here: values hold these.
fn has_order(
    world: &World,
    parts: &[Box<dyn Part>],
    file: &[String],
) -> Result<(), SnapshotFileError> {
    let here = behaviors(world, parts);
    match file.iter().zip(here).find(|(file, here)| file != here) {
        Some((file, here)) => Err(SnapshotFileError::BehaviorOrder {
            file: file.clone(),
            here: here.to_owned(),
        }),
        None => Ok(()),
    }
}

/// The values of each type, by its name.
type Columns = BTreeMap<String, Vec<(Entity, Box<dyn PartialReflect>)>>;

/// The columns of a snapshot, to be written.
struct Written<'a> {
    columns: &'a [(&'a dyn Part, &'a dyn Column)],
    types: &'a TypeRegistry,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().map(|(part, column)| {
            let values = part.values(*column);
            let types = self.types;
            (part.name(), WrittenValues { values, types })
        }))
    }
}

/// The values of one type, to be written.
struct WrittenValues<'a> {
    values: Vec<(Entity, &'a dyn PartialReflect)>,
    types: &'a TypeRegistry,
}

impl Serialize for WrittenValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.values.iter().map(|(entity, value)| {
            let value = TypedReflectSerializer::new(*value, self.types);
            (entity.to_bits(), value)
        }))
    }
}

/// The names of behaviors, the columns and the targets of a file.
type Contents = (Vec<String>, Columns, Vec<(Entity, Transform)>);

/// Reads them.
struct Content<'a> {
    parts: &'a [Box<dyn Part>],
    types: &'a TypeRegistry,
}

impl<'de> DeserializeSeed<'de> for Content<'_> {
    type Value = Contents;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(3, self)
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = Contents;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("behaviors, columns and targets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let short = || A::Error::custom("the file ends too early");
        let behaviors: Vec<String> = seq.next_element()?.ok_or_else(short)?;
        let columns = seq
            .next_element_seed(ReadColumns(self))?
            .ok_or_else(short)?;
        let targets: Vec<(u64, Transform)> = seq.next_element()?.ok_or_else(short)?;
        let targets = targets.into_iter();
        let targets = targets.map(|(bits, place)| Ok((entity(bits)?, place)));
        let targets = targets.collect::<Result<_, A::Error>>()?;
        Ok((behaviors, columns, targets))
    }
}

struct ReadColumns<'a>(Content<'a>);

impl<'de> DeserializeSeed<'de> for ReadColumns<'_> {
    type Value = Columns;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Columns, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ReadColumns<'_> {
    type Value = Columns;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a map from types to their values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Columns, A::Error> {
        let Content { parts, types } = self.0;
        let mut columns = Columns::new();
        while let Some(name) = map.next_key::<String>()? {
            let part = parts.iter().find(|part| part.name() == name);
            let id = part.and_then(|part| part.saved_type());
            let values = match part {
                // Another app has written it; the caller says so.
                None => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                    Vec::new()
                }
                Some(_) => map.next_value_seed(ReadValues { id, types })?,
            };
            columns.insert(name, values);
        }
        Ok(columns)
    }
}

/// Reads the values of one type; `id` is none for types that are not written.
struct ReadValues<'a> {
    id: Option<TypeId>,
    types: &'a TypeRegistry,
}

impl<'de> DeserializeSeed<'de> for ReadValues<'_> {
    type Value = Vec<(Entity, Box<dyn PartialReflect>)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ReadValues<'_> {
    type Value = Vec<(Entity, Box<dyn PartialReflect>)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of entities and values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        let Self { id, types } = self;
        while let Some(value) = seq.next_element_seed(ReadValue { id, types })? {
            values.push(value);
        }
        Ok(values)
    }
}

/// Reads an entity and its value.
struct ReadValue<'a> {
    id: Option<TypeId>,
    types: &'a TypeRegistry,
}

impl<'de> DeserializeSeed<'de> for ReadValue<'_> {
    type Value = (Entity, Box<dyn PartialReflect>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(2, self)
    }
}

impl<'de> Visitor<'de> for ReadValue<'_> {
    type Value = (Entity, Box<dyn PartialReflect>);

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an entity and a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let short = || A::Error::custom("a value is missing");
        let registration = self.id.and_then(|id| self.types.get(id));
        let registration =
            registration.ok_or_else(|| A::Error::custom("a type is not registered"))?;
        let of: u64 = seq.next_element()?.ok_or_else(short)?;
        let read = TypedReflectDeserializer::new(registration, self.types);
        let value = seq.next_element_seed(read)?.ok_or_else(short)?;
        Ok((entity(of)?, value))
    }
}

/// The entity with these bits.
fn entity<E: serde::de::Error>(bits: u64) -> Result<Entity, E> {
    Entity::try_from_bits(bits).ok_or_else(|| E::custom("an entity has an impossible id"))
}
