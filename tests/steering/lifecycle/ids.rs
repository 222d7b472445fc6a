//! Ids of agents that are cloned or moved, and their random streams.

use bevy::ecs::entity::EntityCloner;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_clone_of_an_agent_has_its_own_id_and_draws_its_own_numbers() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    run_ticks(&mut app, 10);
    let clone = app.world_mut().entity_mut(agent).clone_and_spawn();
    let ids = [agent, clone].map(|entity| *get::<SteeringId>(&app, entity));
    assert_eq!(ids, [SteeringId(0), SteeringId(1)]);
    assert_eq!(position(&app, agent), position(&app, clone));
    run_seconds(&mut app, 5.0);
    assert!(position(&app, agent).distance(position(&app, clone)) > 0.1);
}

#[test]
fn a_clone_of_a_behavior_entity_has_its_own_id() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let wander = app.world_mut().spawn((SteersFor(agent), Wander::default()));
    let wander = wander.id();
    let clone = app.world_mut().entity_mut(wander).clone_and_spawn();
    run_ticks(&mut app, 1);
    let id = |entity| *get::<SteeringId>(&app, entity);
    assert_ne!(id(wander), id(clone));
    let [first, second] = ledger(&app, agent)[..] else {
        panic!("{:?}", ledger(&app, agent));
    };
    assert_ne!(first.raw, second.raw);
}

#[test]
fn an_agent_that_moves_to_another_entity_keeps_its_id_and_its_memory() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    run_ticks(&mut app, 10);
    let (id, memory) = {
        let entity = app.world().entity(agent);
        (
            *entity.get::<SteeringId>().unwrap(),
            entity.get::<WanderMemory>().unwrap().clone(),
        )
    };
    let other = app.world_mut().spawn_empty().id();
    EntityCloner::build_opt_out(app.world_mut())
        .move_components(true)
        .clone_entity(agent, other);
    assert_eq!(*get::<SteeringId>(&app, other), id);
    assert_eq!(*get::<WanderMemory>(&app, other), memory);
}
