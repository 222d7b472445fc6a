//! The methods: from the parameters of a request to its result, without a network.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d_core::{
    AssignedBehavior, BehaviorId, BehaviorRegistry, Cut, Influence, InvalidParameter, LedgerEntry,
    SteeringClock, SteeringDisabled, SteeringForce, SteeringId, Vehicle,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

fn list(behaviors: &[&str]) -> String {
    if behaviors.is_empty() {
        "no behavior at all".into()
    } else {
        behaviors.join(", ")
    }
}

/// Where else a behavior is.
fn hint(sources: &[Entity]) -> String {
    if sources.is_empty() {
        String::new()
    } else {
        format!("; the source {} has one", bits(sources, " or "))
    }
}

fn bits(entities: &[Entity], separator: &str) -> String {
    let bits = entities.iter().map(|it| it.to_bits().to_string());
    let bits: Vec<String> = bits.collect();
    bits.join(separator)
}

/// Why a request cannot be answered. Nothing has changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The parameters have another form.
    #[error("the parameters do not fit: {0}")]
    Parameters(#[from] serde_json::Error),
    /// There is no agent of this id.
    #[error("there is no agent {0}; steering.agents lists all")]
    NoAgent(u32),
    /// Several agents have this id, since a game gave it more than once.
    #[error("several agents have the id {agent}: the entities {}; give each an id of its own", bits(.entities, " and "))]
    AmbiguousAgent {
        /// The id asked for.
        agent: u32,
        /// The agents with this id.
        entities: Vec<Entity>,
    },
    /// No behavior has this name, or the agent or behavior entity does not have it.
    #[error("agent {agent} has no {behavior} there, but {}{}", list(.has), hint(.sources))]
    NoBehavior {
        /// The agent.
        agent: u32,
        /// The name asked for.
        behavior: String,
        /// The behaviors that are there: of the agent itself, or of the `source` asked for.
        has: Vec<&'static str>,
        /// The other sources of the agent that have a behavior of this name.
        sources: Vec<Entity>,
    },
    /// The `source` is neither the agent nor a behavior entity of it that has a behavior.
    #[error("{source_bits} is no source of agent {agent}; steering.ledger lists them")]
    NoSource {
        /// The agent.
        agent: u32,
        /// The source asked for.
        source_bits: u64,
    },
    /// Several behaviors of the agent have this short name.
    #[error("agent {agent} has several {behavior} there; name one by its full path: {}", .paths.join(", "))]
    AmbiguousBehavior {
        /// The agent.
        agent: u32,
        /// The name asked for.
        behavior: String,
        /// The full paths of their types.
        paths: Vec<&'static str>,
    },
    /// The weight is negative or not finite.
    #[error("{0}")]
    Weight(InvalidParameter),
    /// The app has no steering plugin.
    #[error("the app has no steering plugin; add SteeringPlugin")]
    NoSteering,
}

/// No parameters: an empty object, if any.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "no parameters")]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object such as {\"agent\": 3}")]
struct OfAgent {
    agent: u32,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object such as {\"agent\": 3, \"behavior\": \"Seek\", \"weight\": 0.5}"
)]
struct Weight {
    agent: u32,
    behavior: String,
    weight: f32,
    source: Option<u64>,
}

/// The agents in order of their ids: `[{"agent": 3, "entity": 4294967290, "name": "fox"}, …]`.
///
/// # Errors
/// If there are parameters.
pub fn agents(world: &mut World, parameters: Option<Value>) -> Result<Value, RequestError> {
    let _: Option<Nothing> = read(parameters)?;
    let mut agents = world
        .query_filtered::<(&SteeringId, Entity, Option<&Name>), (With<Vehicle>, Allow<Disabled>)>();
    let mut agents: Vec<_> = agents.iter(world).collect();
    // By their entities as well: a game may have given an id twice.
    agents.sort_unstable_by_key(|(id, entity, _)| (**id, *entity));
    let agents = agents.into_iter();
    let agents = agents.map(|(id, entity, name)| {
        json!({"agent": id.0, "entity": entity.to_bits(), "name": name.map(Name::as_str)})
    });
    Ok(agents.collect())
}

/// The ledger of the last tick: `{"agent": 3}` gives the total force, N, and an entry for each behavior. Of
/// behaviors that share a short name it has the full paths. An agent with [`SteeringDisabled`] or Bevy's [`Disabled`] is
/// not steered: it has no entries, and a total of zero.
///
/// # Errors
/// If the parameters do not fit, there is no such agent, or several have this id.
pub fn ledger(world: &mut World, parameters: Option<Value>) -> Result<Value, RequestError> {
    let OfAgent { agent: id } = read(parameters)?;
    let agent = find(world, id)?;
    let registry = registry(world)?;
    let Some(force) = world.get::<SteeringForce>(agent) else {
        return Err(RequestError::NoAgent(id));
    };
    // Its force stays as it was when it was disabled.
    let is_off =
        world.get::<Disabled>(agent).is_some() || world.get::<SteeringDisabled>(agent).is_some();
    let entries = force.ledger().filter(|_| !is_off).map(|entry| {
        let behavior = unique_name(world, registry, entry.behavior);
        let source = force.source(&entry).map(Entity::to_bits);
        told(&entry, behavior, source)
    });
    Ok(json!({
        "agent": id,
        "tick": world.get_resource::<SteeringClock>().map(|it| it.tick),
        "total": vector(if is_off { Vec2::ZERO } else { force.total }),
        "entries": entries.collect::<Vec<_>>(),
    }))
}

/// Sets the weight of a behavior: `{"agent": 3, "behavior": "Seek", "weight": 0.5}` gives the weight
/// before. With `source`, as in the ledger, that of the behavior on a behavior entity of the agent. A behavior is
/// named by its short name or by the full path of its type, such as `my_game::ai::Seek`.
///
/// # Errors
/// If the parameters do not fit, there is no such agent or behavior, several agents have this id or several behaviors this
/// short name, or the weight is negative.
pub fn set_weight(world: &mut World, parameters: Option<Value>) -> Result<Value, RequestError> {
    let request: Weight = read(parameters)?;
    let agent = find(world, request.agent)?;
    let registry = registry(world)?.clone();
    let wanted = named(world, &registry, agent, &request)?;
    let influence = Influence {
        weight: request.weight,
        ..wanted.influence
    };
    influence.check().map_err(RequestError::Weight)?;
    let mut entity = world.entity_mut(wanted.source);
    registry
        .get(wanted.id)
        .set_influence(&mut entity, influence);
    Ok(number(wanted.influence.weight))
}

/// The behavior that a request names, on the agent or the source that it asks for.
fn named(
    world: &World,
    registry: &BehaviorRegistry,
    agent: Entity,
    request: &Weight,
) -> Result<AssignedBehavior, RequestError> {
    let source_bits = request.source.unwrap_or(agent.to_bits());
    let assigned = registry.assigned_to(world, agent).into_iter();
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        assigned.partition(|it| it.source.to_bits() == source_bits);
    if here.is_empty() && source_bits != agent.to_bits() {
        return Err(RequestError::NoSource {
            agent: request.agent,
            source_bits,
        });
    }
    let is_named = |it: &&AssignedBehavior| {
        it.name == request.behavior || full_path(world, registry, it.id) == request.behavior
    };
    let named: Vec<AssignedBehavior> = here.iter().filter(is_named).copied().collect();
    match named[..] {
        [wanted] => Ok(wanted),
        [] => {
            let has = here.iter();
            let has = has.map(|it| unique_name(world, registry, it.id));
            let sources = elsewhere.iter().filter(is_named).map(|it| it.source);
            Err(RequestError::NoBehavior {
                agent: request.agent,
                behavior: request.behavior.clone(),
                has: has.collect(),
                sources: sources.collect(),
            })
        }
        _ => {
            let paths = named.iter();
            let paths = paths.map(|it| full_path(world, registry, it.id));
            Err(RequestError::AmbiguousBehavior {
                agent: request.agent,
                behavior: request.behavior.clone(),
                paths: paths.collect(),
            })
        }
    }
}

fn read<T: DeserializeOwned>(parameters: Option<Value>) -> Result<T, RequestError> {
    Ok(serde_json::from_value(parameters.unwrap_or(Value::Null))?)
}

fn registry(world: &World) -> Result<&BehaviorRegistry, RequestError> {
    world.get_resource().ok_or(RequestError::NoSteering)
}

/// The full path of a behavior's type.
fn full_path(world: &World, registry: &BehaviorRegistry, id: BehaviorId) -> &'static str {
    let info = registry.get(id);
    let types = world.get_resource::<AppTypeRegistry>();
    let path = types.and_then(|types| Some(types.read().get_type_info(info.type_id)?.type_path()));
    path.unwrap_or(info.name)
}

/// The short name of a behavior, or its full path if another one has the same short name.
fn unique_name(world: &World, registry: &BehaviorRegistry, id: BehaviorId) -> &'static str {
    let name = registry.get(id).name;
    let is_shared = registry.iter().any(|it| it.name == name && it.id != id);
    if is_shared {
        full_path(world, registry, id)
    } else {
        name
    }
}

fn find(world: &mut World, id: u32) -> Result<Entity, RequestError> {
    let mut agents =
        world.query_filtered::<(&SteeringId, Entity), (With<Vehicle>, Allow<Disabled>)>();
    let found = agents.iter(world).filter(|(it, _)| it.0 == id);
    let mut entities: Vec<Entity> = found.map(|(_, entity)| entity).collect();
    entities.sort_unstable();
    match entities[..] {
        [agent] => Ok(agent),
        [] => Err(RequestError::NoAgent(id)),
        _ => Err(RequestError::AmbiguousAgent {
            agent: id,
            entities,
        }),
    }
}

/// An entry as JSON; its `source` is null for the agent's own behaviors.
fn told(entry: &LedgerEntry, behavior: &str, source: Option<u64>) -> Value {
    json!({
        "behavior": behavior,
        "source": source,
        "priority": entry.priority,
        "weight": number(entry.weight),
        "raw": vector(entry.raw),
        "share": number(entry.share),
        "accepted": vector(entry.accepted()),
        "cut": cut(entry.cut),
    })
}

/// Why a force was cut, in words; null if it was not.
fn cut(cut: Cut) -> Option<&'static str> {
    match cut {
        Cut::Nothing => None,
        Cut::Budget => Some("budget"),
        Cut::Dithered => Some("dithered"),
        Cut::Disabled => Some("disabled"),
        Cut::NotNow => Some("not now"),
        Cut::Invalid => Some("invalid"),
        _ => Some("other"),
    }
}

fn vector(vector: Vec2) -> Value {
    vector.to_array().map(number).into()
}

/// With the digits of an `f32`, not those of the `f64` that JSON knows: 0.1, not 0.10000000149011612.
fn number(number: f32) -> Value {
    number.to_string().parse::<f64>().unwrap_or(f64::NAN).into()
}

#[cfg(test)]
mod tests;
