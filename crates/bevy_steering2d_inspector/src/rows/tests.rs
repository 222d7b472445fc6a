//! What rows show, and what editing them changes.

use bevy_steering2d_core::{
    Cohesion, Influence, PointMass, Seek, Separation, SteeringCorePlugin, Tether, Wander,
};

use super::edit::{change_number, is_edit};
use super::header::{edit_weight, share};
use super::*;
use crate::patch;

#[test]
fn a_weight_is_clamped_only_when_it_is_entered() {
    for shown in [-1.0, f32::NAN, f32::INFINITY] {
        let mut weight = shown;
        let read = edit_weight(&mut weight)(None);
        assert!(patch::is_same_number(read as f32, shown));
        edit_weight(&mut weight)(Some(f64::INFINITY));
        assert!(patch::is_same_number(weight, shown));
        edit_weight(&mut weight)(Some(-2.0));
        assert_eq!(weight, 0.0);
    }
}

#[test]
fn an_edit_leaves_nan_of_the_shown_agent_to_it() {
    let before = Influence {
        weight: f32::NAN,
        ..Influence::at(1)
    };
    assert!(!is_edit(before, before));
    let after = Influence {
        priority: 2,
        ..before
    };
    assert!(is_edit(before, after));
    let mut weight_of_another_agent = 0.5;
    change_number(&mut weight_of_another_agent, before.weight, after.weight);
    assert_eq!(weight_of_another_agent, 0.5);
}

#[test]
fn members_of_a_group_follow_its_row() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()))
        .init_resource::<SteeringDebug>();
    let world = app.world_mut();
    let agent = (PointMass::default(), Seek::default(), Wander::default());
    let agent = world.spawn(agent).id();
    let flock = (
        BehaviorGroup::default(),
        Separation::default(),
        Cohesion::default(),
    );
    let flock = world.spawn((SteersFor(agent), flock)).id();
    world.spawn((SteersFor(flock), Wander::default()));
    world.spawn((SteersFor(agent), Tether::default()));
    let rows = rows(world, agent);
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row.behavior.name, row.depth))
        .collect();
    let expected = [
        ("Tether", 0),
        ("Seek", 0),
        ("BehaviorGroup", 0),
        ("Separation", 1),
        ("Cohesion", 1),
        ("Wander", 1),
        ("Wander", 0),
    ];
    assert_eq!(rows, expected);
}

/// Removes the group of an entity from its agent.
fn remove_group(world: &mut World, agent: Entity, entity: Entity) {
    let rows = rows(world, agent);
    let is_group =
        |row: &Row| row.behavior.source == entity && row.component == TypeId::of::<BehaviorGroup>();
    let index = rows.iter().position(is_group).expect("a row");
    edit::apply(world, &rows, index, Edit::Remove, agent, Scope::One);
    assert!(!world.entity(entity).contains::<BehaviorGroup>());
}

#[test]
fn members_of_a_removed_group_steer_for_what_it_steered_for() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()))
        .init_resource::<SteeringDebug>();
    let world = app.world_mut();
    let agent = (PointMass::default(), Seek::default());
    let agent = world.spawn(agent).id();
    let mut spawn = |steers_for, is_group: bool| {
        let entity = world.spawn((SteersFor(steers_for), Wander::default())).id();
        if is_group {
            world.entity_mut(entity).insert(BehaviorGroup::default());
        }
        entity
    };
    let outer = spawn(agent, true);
    let inner = spawn(outer, true);
    let members = [(); 2].map(|()| spawn(inner, false));
    let steer_for = |world: &World, entities: &[Entity], expected: Entity| {
        let steers_for = |entity: &Entity| world.get::<SteersFor>(*entity).map(|it| it.0);
        entities.iter().all(|it| steers_for(it) == Some(expected))
    };
    remove_group(world, agent, inner);
    assert!(steer_for(world, &members, outer));
    assert!(steer_for(world, &[inner], outer));
    remove_group(world, agent, outer);
    assert!(steer_for(world, &members, agent));
    assert!(steer_for(world, &[inner, outer], agent));

    // On the agent itself a group has no effect.
    world.entity_mut(agent).insert(BehaviorGroup::default());
    remove_group(world, agent, agent);
    assert!(steer_for(world, &members, agent));
}

#[test]
fn a_bar_is_drawn_for_every_max_force() {
    assert_eq!(
        [1.0, 5.0, 0.0].map(|force| share(force, 4.0)),
        [0.25, 1.0, 0.0]
    );
    assert_eq!([0.0, 1.0].map(|force| share(force, 0.0)), [0.0, 1.0]);
    for max_force in [-1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(share(1.0, max_force), 0.0);
    }
}
