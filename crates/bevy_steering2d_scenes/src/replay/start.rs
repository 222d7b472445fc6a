//! What a run starts with, as checksums: the parameters of its agents and the physics.

use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy::reflect::serde::{ReflectSerializerProcessor, TypedReflectSerializer};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::IntegrationParameters;
use bevy_steering2d::digest;
use serde::{Deserialize, Serialize, Serializer};

use super::edits::Tunings;

/// A checksum of each kind of component that is tuned, over all agents, and one of the physics, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start(BTreeMap<String, u32>);

impl Start {
    /// What the scene that is running starts with, in its first tick.
    pub(super) fn now(world: &mut World) -> Self {
        let tunings = Tunings::now(world);
        let types = world.resource::<AppTypeRegistry>().read();
        let mut texts = BTreeMap::<String, String>::new();
        for (agent, value) in tunings.values() {
            let Some(info) = value.get_represented_type_info() else {
                continue;
            };
            let value = TypedReflectSerializer::with_processor(value, &types, &WithoutEntities);
            let value = serde_json::to_string(&value).unwrap_or_default();
            let name = info.type_path_table().short_path().to_owned();
            let text = texts.entry(name).or_default();
            *text += &format!("{} {value}", agent.0);
        }
        texts.insert("physics".to_owned(), physics(world));
        let texts = texts.into_iter();
        let sum = |text: String| digest(text.bytes()) as u32;
        Self(texts.map(|(name, text)| (name, sum(text))).collect())
    }

    /// The names whose checksums differ from those of another start.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let names: BTreeSet<_> = self.0.keys().chain(other.0.keys()).collect();
        let differs = |name: &&String| self.0.get(*name) != other.0.get(*name);
        names.into_iter().filter(differs).cloned().collect()
    }
}

/// Writes entities as nothing: they may differ from run to run.
struct WithoutEntities;

impl ReflectSerializerProcessor for WithoutEntities {
    fn try_serialize<S: Serializer>(
        &self,
        value: &dyn PartialReflect,
        _: &TypeRegistry,
        serializer: S,
    ) -> Result<Result<S::Ok, S>, S::Error> {
        if value.try_downcast_ref::<Entity>().is_none() {
            return Ok(Err(serializer));
        }
        serializer.serialize_unit().map(Ok)
    }
}

/// Time step, gravity and solver.
fn physics(world: &World) -> String {
    let step = world.resource::<Time<Fixed>>().timestep();
    let mode = world.get_resource::<TimestepMode>();
    let mut text = format!("{step:?} {mode:?}");
    let contexts = world.try_query::<(&RapierConfiguration, &RapierContextSimulation)>();
    if let Some(mut contexts) = contexts {
        for (configuration, simulation) in contexts.iter(world) {
            // The time step of the last tick, if there was one.
            let solver = IntegrationParameters {
                dt: 0.0,
                ..simulation.integration_parameters
            };
            text += &format!("{:?} {solver:?}", configuration.gravity);
        }
    }
    text
}
