//! The methods: from the parameters of a request to its result, without a network.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d_core::{
    AssignedBehavior, BehaviorId, BehaviorRegistry, Cut, Influence, InvalidParameter, LedgerEntry,
    SteeringClock, SteeringForce, SteeringId, Vehicle,
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
    /// No behavior has this name, or the agent does not have it.
    #[error("agent {agent} has no {behavior} there, but {}", list(.has))]
    NoBehavior {
        /// The agent.
        agent: u32,
        /// The name asked for.
        behavior: String,
        /// The behaviors of the agent.
        has: Vec<&'static str>,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfAgent {
    agent: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Weight {
    agent: u32,
    behavior: String,
    weight: f32,
    source: Option<u64>,
}

/// The agents in order of their ids: `[{"agent": 3, "entity": 4294967290, "name": "fox"}, …]`.
pub fn agents(world: &mut World) -> Value {
    let mut agents = world
        .query_filtered::<(&SteeringId, Entity, Option<&Name>), (With<Vehicle>, Allow<Disabled>)>();
    let mut agents: Vec<_> = agents.iter(world).collect();
    agents.sort_unstable_by_key(|(id, ..)| **id);
    let agents = agents.into_iter();
    let agents = agents.map(|(id, entity, name)| {
        json!({"agent": id.0, "entity": entity.to_bits(), "name": name.map(Name::as_str)})
    });
    agents.collect()
}

/// The ledger of the last tick: `{"agent": 3}` gives the total force, N, and an entry for each behavior. Of
/// behaviors that share a short name it has the full paths.
///
/// # Errors
/// If the parameters do not fit, or there is no such agent.
pub fn ledger(world: &mut World, parameters: Option<Value>) -> Result<Value, RequestError> {
    let OfAgent { agent: id } = read(parameters)?;
    let agent = find(world, id)?;
    let registry = registry(world)?;
    let Some(force) = world.get::<SteeringForce>(agent) else {
        return Err(RequestError::NoAgent(id));
    };
    let entries = force.ledger().map(|entry| {
        let behavior = unique_name(world, registry, entry.behavior);
        let source = force.source(&entry).map(Entity::to_bits);
        told(&entry, behavior, source)
    });
    Ok(json!({
        "agent": id,
        "tick": world.get_resource::<SteeringClock>().map(|it| it.tick),
        "total": vector(force.total),
        "entries": entries.collect::<Vec<_>>(),
    }))
}

/// Sets the weight of a behavior: `{"agent": 3, "behavior": "Seek", "weight": 0.5}` gives the weight
/// before. With `source`, as in the ledger, that of the behavior on a behavior entity of the agent. A behavior is
/// named by its short name or by the full path of its type, such as `my_game::ai::Seek`.
///
/// # Errors
/// If the parameters do not fit, there is no such agent or behavior, several have this short name, or the weight is
/// negative.
pub fn set_weight(world: &mut World, parameters: Option<Value>) -> Result<Value, RequestError> {
    let Weight {
        agent: id,
        behavior,
        weight,
        source,
    } = read(parameters)?;
    let agent = find(world, id)?;
    let registry = registry(world)?.clone();
    let source = source.unwrap_or(agent.to_bits());
    let assigned = registry.assigned_to(world, agent);
    let is_named = |it: &&AssignedBehavior| {
        it.name == behavior || full_path(world, &registry, it.id) == behavior
    };
    let here = assigned.iter().filter(|it| it.source.to_bits() == source);
    let named: Vec<&AssignedBehavior> = here.filter(is_named).collect();
    let wanted = match named[..] {
        [wanted] => wanted,
        [] => {
            let names = assigned.iter();
            let has = names.map(|it| unique_name(world, &registry, it.id));
            return Err(RequestError::NoBehavior {
                agent: id,
                has: has.collect(),
                behavior,
            });
        }
        _ => {
            let paths = named.iter();
            let paths = paths.map(|it| full_path(world, &registry, it.id));
            return Err(RequestError::AmbiguousBehavior {
                agent: id,
                paths: paths.collect(),
                behavior,
            });
        }
    };
    let influence = Influence {
        weight,
        ..wanted.influence
    };
    influence.check().map_err(RequestError::Weight)?;
    let mut entity = world.entity_mut(wanted.source);
    registry
        .get(wanted.id)
        .set_influence(&mut entity, influence);
    Ok(number(wanted.influence.weight))
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
    let found = agents.iter(world).find(|(it, _)| it.0 == id);
    found.map(|it| it.1).ok_or(RequestError::NoAgent(id))
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
mod tests {
    use std::time::Duration;

    use bevy::time::TimeUpdateStrategy;
    use bevy_steering2d_core::{
        Flee, PointMass, Seek, SteeringAppExt, SteeringCorePlugin, SteersFor, Wander,
    };

    use super::*;

    /// A behavior of a game with the short name of a built-in one.
    mod of_game {
        use bevy::prelude::*;
        use bevy_steering2d_core::{Agent, Behavior, Influence, Steer};

        #[derive(Component, Reflect, Clone, Default)]
        #[reflect(Component, Default)]
        pub(super) struct Seek {
            pub(super) influence: Influence,
        }

        impl Behavior for Seek {
            type Memory = ();
            type World = ();

            fn influence(&self) -> &Influence {
                &self.influence
            }

            fn influence_mut(&mut self) -> &mut Influence {
                &mut self.influence
            }
        }

        impl Steer for Seek {
            fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
                me.track(Vec2::X)
            }
        }
    }

    /// A world with one agent that has run for some ticks.
    fn world() -> (App, Entity) {
        let mut app = App::new();
        let tick = Duration::from_millis(16);
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)))
            .insert_resource(TimeUpdateStrategy::ManualDuration(tick));
        app.finish();
        app.cleanup();
        let agent = (
            Name::new("fox"),
            PointMass::default(),
            SteeringId(3),
            Seek::new(Vec2::new(9.0, 0.0)),
            Wander::default(),
        );
        let agent = app.world_mut().spawn(agent).id();
        for _ in 0..5 {
            app.update();
        }
        (app, agent)
    }

    fn reason(result: Result<Value, RequestError>) -> String {
        result.expect_err("refused").to_string()
    }

    #[test]
    fn agents_are_listed_with_id_entity_and_name() {
        let (mut app, agent) = world();
        let fox = json!([{"agent": 3, "entity": agent.to_bits(), "name": "fox"}]);
        assert_eq!(agents(app.world_mut()), fox);
    }

    #[test]
    fn the_ledger_of_an_agent_is_told_as_json() {
        let (mut app, agent) = world();
        let told = ledger(app.world_mut(), Some(json!({"agent": 3}))).expect("a ledger");
        let force = app.world().get::<SteeringForce>(agent).expect("a force");
        assert_eq!(told["total"], vector(force.total));
        assert_eq!(
            told["tick"],
            json!(app.world().resource::<SteeringClock>().tick)
        );
        let entries = told["entries"].as_array().expect("entries");
        assert_eq!(entries.len(), force.ledger().len());
        assert_eq!(entries[0]["behavior"], "Seek");
        assert_eq!(entries[0]["cut"], Value::Null);
        assert_eq!(entries[0]["weight"], json!(1.0));
    }

    #[test]
    fn a_weight_is_set_and_the_one_before_told() {
        let (mut app, agent) = world();
        let request = json!({"agent": 3, "behavior": "Seek", "weight": 0.1});
        let before = set_weight(app.world_mut(), Some(request.clone())).expect("a weight");
        assert_eq!(before, json!(1.0));
        let seek = app.world().get::<Seek>(agent).expect("a behavior");
        assert_eq!(seek.influence.weight, 0.1);
        let before = set_weight(app.world_mut(), Some(request)).expect("a weight");
        assert_eq!(before, json!(0.1));
    }

    #[test]
    fn the_weight_of_a_behavior_entity_is_set_by_its_source() {
        let (mut app, agent) = world();
        let helper = (SteersFor(agent), Seek::new(Vec2::Y));
        let helper = app.world_mut().spawn(helper).id();
        app.update();
        let told = ledger(app.world_mut(), Some(json!({"agent": 3}))).expect("a ledger");
        let mut entries = told["entries"].as_array().expect("entries").iter();
        let source = &entries
            .find(|it| !it["source"].is_null())
            .expect("a source")["source"];
        assert_eq!(*source, json!(helper.to_bits()));
        let request = json!({"agent": 3, "behavior": "Seek", "weight": 2.0, "source": source});
        set_weight(app.world_mut(), Some(request)).expect("a weight");
        let weight = |of| {
            app.world()
                .get::<Seek>(of)
                .expect("a behavior")
                .influence
                .weight
        };
        assert_eq!([weight(helper), weight(agent)], [2.0, 1.0]);
    }

    #[test]
    fn behaviors_that_share_a_short_name_are_named_by_their_full_paths() {
        let (mut app, agent) = world();
        app.add_behavior::<of_game::Seek>();
        app.world_mut()
            .entity_mut(agent)
            .insert(of_game::Seek::default());
        app.update();
        let weight = |behavior: &str, weight: f32| {
            Some(json!({"agent": 3, "behavior": behavior, "weight": weight}))
        };
        let paths = [Seek::type_path(), of_game::Seek::type_path()];
        let told = reason(set_weight(app.world_mut(), weight("Seek", 2.0)));
        let expected = format!(
            "agent 3 has several Seek there; name one by its full path: {}",
            paths.join(", ")
        );
        assert_eq!(told, expected);
        for (path, new) in paths.into_iter().zip([2.0, 3.0]) {
            let before = set_weight(app.world_mut(), weight(path, new)).expect("a weight");
            assert_eq!(before, json!(1.0));
        }
        let seek = app.world().get::<Seek>(agent).expect("a behavior");
        let of_game = app.world().get::<of_game::Seek>(agent).expect("a behavior");
        assert_eq!(
            [seek.influence.weight, of_game.influence.weight],
            [2.0, 3.0]
        );

        // The ledger tells them apart, and what it tells is understood.
        let told = ledger(app.world_mut(), Some(json!({"agent": 3}))).expect("a ledger");
        let entries = told["entries"].as_array().expect("entries").iter();
        let mut names: Vec<&str> = entries.filter_map(|it| it["behavior"].as_str()).collect();
        names.sort_unstable();
        let mut expected = [paths[0], paths[1], "Wander"];
        expected.sort_unstable();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_full_path_names_a_behavior_whose_short_name_is_its_own() {
        let (mut app, agent) = world();
        let request = json!({"agent": 3, "behavior": Wander::type_path(), "weight": 0.5});
        set_weight(app.world_mut(), Some(request)).expect("a weight");
        let wander = app.world().get::<Wander>(agent).expect("a behavior");
        assert_eq!(wander.influence.weight, 0.5);
    }

    #[test]
    fn requests_that_do_not_fit_are_refused_with_a_reason_and_change_nothing() {
        let (mut app, agent) = world();
        let world = app.world_mut();
        let wrong = [
            None,
            Some(json!({})),
            Some(json!({"agent": -1})),
            Some(json!({"agent": "fox"})),
            Some(json!({"agent": 3, "tick": 2})),
        ];
        for parameters in wrong {
            let told = reason(ledger(world, parameters));
            assert!(told.starts_with("the parameters do not fit: "), "{told}");
        }
        let told = reason(ledger(world, Some(json!({"agent": 4}))));
        assert_eq!(told, "there is no agent 4; steering.agents lists all");
        let weight = |behavior: &str, weight: Value| {
            Some(json!({"agent": 3, "behavior": behavior, "weight": weight}))
        };
        // JSON has neither infinity nor NaN, but numbers that no f32 can hold.
        for too_large in [json!(-1.0), json!(1e300)] {
            let told = reason(set_weight(world, weight("Seek", too_large)));
            assert!(told.contains("Influence.weight"), "{told}");
        }
        let told = reason(set_weight(world, weight("Seek", Value::Null)));
        assert!(told.starts_with("the parameters do not fit: "), "{told}");
        for behavior in ["Flee", "Fly"] {
            let told = reason(set_weight(world, weight(behavior, json!(2.0))));
            assert_eq!(
                told,
                format!("agent 3 has no {behavior} there, but Seek, Wander")
            );
        }
        assert!(world.get::<Flee>(agent).is_none());
        let seek = world.get::<Seek>(agent).expect("a behavior");
        assert_eq!(seek.influence.weight, 1.0);
    }
}
