//! Requests, and their answers as JSON.

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
    for nothing in [None, Some(Value::Null), Some(json!({}))] {
        let listed = agents(app.world_mut(), nothing).expect("agents");
        assert_eq!(listed, fox);
    }
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
fn an_agent_that_is_off_has_no_forces_in_its_ledger() {
    let ways: [fn(&mut EntityWorldMut); 2] = [
        |agent| {
            agent.insert(Disabled);
        },
        |agent| {
            agent.insert(SteeringDisabled);
        },
    ];
    for switch_off in ways {
        let (mut app, agent) = world();
        switch_off(&mut app.world_mut().entity_mut(agent));
        app.update();
        let told = ledger(app.world_mut(), Some(json!({"agent": 3}))).expect("a ledger");
        assert_eq!(told["entries"], json!([]));
        assert_eq!(told["total"], vector(Vec2::ZERO));
    }
}

#[test]
fn an_id_of_two_agents_is_refused_with_both_entities_and_changes_nothing() {
    let (mut app, fox) = world();
    let twin = (PointMass::default(), SteeringId(3), Seek::new(Vec2::Y));
    let twin = app.world_mut().spawn(twin).id();
    let mut both = [fox, twin];
    both.sort_unstable();
    let [a, b] = both.map(Entity::to_bits);
    let expected = format!(
        "several agents have the id 3: the entities {a} and {b}; give each an id of its own"
    );
    let world = app.world_mut();
    let asked = Some(json!({"agent": 3}));
    assert_eq!(reason(ledger(world, asked)), expected);
    let asked = Some(json!({"agent": 3, "behavior": "Seek", "weight": 0.5}));
    assert_eq!(reason(set_weight(world, asked)), expected);
    for agent in both {
        let seek = world.get::<Seek>(agent).expect("a behavior");
        assert_eq!(seek.influence.weight, 1.0);
    }
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
    for parameters in [json!({"agent": 3}), json!(3), json!([3])] {
        let told = reason(agents(world, Some(parameters)));
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

#[test]
fn a_refusal_says_on_which_source_the_behavior_is() {
    let (mut app, agent) = world();
    let group = (SteersFor(agent), Flee::new(Vec2::Y));
    let source = app.world_mut().spawn(group).id().to_bits();
    app.update();
    let request = |behavior: &str, source: Option<u64>| {
        Some(json!({"agent": 3, "behavior": behavior, "weight": 2.0, "source": source}))
    };
    let mut told = |behavior: &str, source| {
        let request = request(behavior, source);
        reason(set_weight(app.world_mut(), request))
    };
    assert_eq!(
        told("Flee", None),
        format!("agent 3 has no Flee there, but Seek, Wander; the source {source} has one")
    );
    assert_eq!(
        told("Wander", Some(source)),
        format!(
            "agent 3 has no Wander there, but Flee; the source {} has one",
            agent.to_bits()
        )
    );
    assert_eq!(
        told("Seek", Some(7)),
        "7 is no source of agent 3; steering.ledger lists them"
    );
}

#[test]
fn a_refusal_of_parameters_shows_what_fits() {
    let (mut app, _) = world();
    let world = app.world_mut();
    for parameters in [None, Some(json!(3)), Some(json!("fox"))] {
        let told = reason(ledger(world, parameters.clone()));
        let end = "expected an object such as {\"agent\": 3}";
        assert!(told.ends_with(end), "{told}");
        let told = reason(set_weight(world, parameters));
        assert!(told.contains("\"behavior\": \"Seek\""), "{told}");
    }
}
