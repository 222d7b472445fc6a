//! Entities that were despawned, spawned or taken over since a snapshot.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d::SteeringSnapshot;
use bevy_steering2d::navigation::NavigationPlugin;
use bevy_steering2d::prelude::*;

use super::{flock, outcome};
use crate::common::*;

/// Hides its entity from queries.
#[derive(Component)]
struct Pooled;

#[test]
fn despawned_agents_and_what_refers_to_them_are_restored() {
    let mut app = point_mass_app(HERTZ);
    let fox = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    let hound = Backend::PointMass.spawn(&mut app, Body::at(5.0, 0.0), Pursuit::new(fox));
    let rock = (Transform::from_xyz(2.0, 0.2, 0.0), Obstacle { radius: 0.5 });
    let rock = app.world_mut().spawn(rock).id();
    let helper = (SteersFor(hound), ObstacleAvoidance::default());
    let helper = app.world_mut().spawn(helper).id();
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[fox, hound]);
    for entity in [fox, rock, hound] {
        app.world_mut().despawn(entity);
    }
    assert!(app.world().get_entity(helper).is_err());
    let newcomers = flock(&mut app, 3);
    run_ticks(&mut app, 5);
    let restored = snapshot.restore(app.world_mut());
    assert_eq!((restored.spawned.len(), restored.despawned), (4, 3));
    assert!(app.world().get_entity(newcomers[0]).is_err());
    let replaced = |old| restored.spawned.iter().find(|it| it.0 == old).unwrap().1;
    let agents = [replaced(fox), replaced(hound)];
    assert_eq!(
        get::<Pursuit>(&app, agents[1]).target,
        Target::Entity(agents[0])
    );
    assert_eq!(get::<SteersFor>(&app, replaced(helper)).0, agents[1]);
    assert_eq!(outcome(&mut app, &agents), expected);
}

#[test]
fn the_ledger_names_the_behavior_entity_that_was_spawned_again() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    let helper = app.world_mut().spawn((SteersFor(agent), Seek::new(EAST)));
    let helper = helper.id();
    run_ticks(&mut app, 3);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().despawn(agent);
    let restored = snapshot.restore(app.world_mut());
    let replaced = |old| restored.spawned.iter().find(|it| it.0 == old).unwrap().1;
    let force = get::<SteeringForce>(&app, replaced(agent));
    let sources: Vec<_> = force.ledger().filter_map(|it| force.source(&it)).collect();
    assert_eq!(sources, [replaced(helper)]);
}

#[test]
fn targets_without_a_body_go_back_as_well() {
    let mut app = point_mass_app(HERTZ);
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(3.0, 4.0, 0.0))
        .id();
    let camera = app.world_mut().spawn(Transform::default()).id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent]);
    let moved = Transform::from_xyz(-9.0, 0.0, 0.0);
    app.world_mut().entity_mut(target).insert(moved);
    app.world_mut().entity_mut(camera).insert(moved);
    snapshot.restore(app.world_mut());
    assert_eq!(
        get::<Transform>(&app, camera),
        &moved,
        "not a part of steering"
    );
    assert_eq!(outcome(&mut app, &[agent]), expected);
}

#[test]
fn a_despawned_target_without_a_body_is_spawned_again_once() {
    let placed = |app: &mut App| {
        let mut placed = app.world_mut().query_filtered::<(), With<Transform>>();
        placed.iter(app.world()).count()
    };
    let mut app = point_mass_app(HERTZ);
    let target = app.world_mut().spawn(Transform::from_xyz(3.0, 4.0, 0.0));
    let target = target.id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let (count, expected) = (placed(&mut app), outcome(&mut app, &[agent]));
    app.world_mut().despawn(target);
    for despawned in [0, 1, 1] {
        let restored = snapshot.restore(app.world_mut());
        assert_eq!((restored.spawned.len(), restored.despawned), (1, despawned));
        assert_eq!(
            placed(&mut app),
            count,
            "restores do not accumulate targets"
        );
        assert_eq!(outcome(&mut app, &[agent]), expected);
    }
}

#[test]
fn a_target_that_was_hidden_stays_lost_after_a_restore() {
    let mut app = point_mass_app(HERTZ);
    let target = (Transform::from_xyz(3.0, 4.0, 0.0), Disabled);
    let target = app.world_mut().spawn(target).id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent]);
    app.world_mut().despawn(target);
    let restored = snapshot.restore(app.world_mut());
    assert!(restored.spawned.is_empty());
    assert_eq!(outcome(&mut app, &[agent]), expected);
}

#[test]
fn an_obstacle_that_was_hidden_comes_back_hidden_also_as_a_target() {
    let mut app = point_mass_app(HERTZ);
    let rock = (Obstacle { radius: 0.5 }, Transform::default(), Disabled);
    let rock = app.world_mut().spawn(rock).id();
    Backend::PointMass.spawn(&mut app, Body::at(5.0, 0.0), Seek::new(rock));
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().despawn(rock);
    let restored = snapshot.restore(app.world_mut());
    assert_eq!(restored.spawned.len(), 1);
    let rock = app.world().entity(restored.spawned[0].1);
    assert!(rock.contains::<Obstacle>() && rock.contains::<Disabled>());
}

#[test]
fn an_agent_that_is_hidden_by_a_component_registered_late_is_in_no_snapshot() {
    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugin::default());
    app.register_disabling_component::<Pooled>();
    start(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    app.world_mut().entity_mut(agent).insert(Pooled);
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().despawn(agent);
    let restored = snapshot.restore(app.world_mut());
    assert!(restored.spawned.is_empty());
}

#[test]
fn an_agent_that_the_game_hid_steers_on_as_it_is_after_a_restore() {
    let mut app = bare_app(HERTZ);
    app.register_disabling_component::<Pooled>();
    app.add_plugins(SteeringPlugin::default());
    start(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(agent).insert(Pooled);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().entity_mut(agent).remove::<Pooled>();
    run_ticks(&mut app, 2);
    snapshot.restore(app.world_mut());
    let before = position(&app, agent);
    run_ticks(&mut app, 30);
    assert!(app.world().entity(agent).contains::<Seek>());
    assert!(position(&app, agent).x > before.x + 0.5);
}

#[test]
fn agents_spawned_after_a_rollback_get_the_ids_they_would_have_had() {
    let mut app = point_mass_app(HERTZ);
    flock(&mut app, 3);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let id_of_next = |app: &mut App| {
        let agent = flock(app, 1)[0];
        *get::<SteeringId>(app, agent)
    };
    let expected = [id_of_next(&mut app), id_of_next(&mut app)];
    snapshot.restore(app.world_mut());
    assert_eq!([id_of_next(&mut app), id_of_next(&mut app)], expected);
}

#[test]
fn entities_that_became_children_of_new_agents_go_back_as_well() {
    let mut app = point_mass_app(HERTZ);
    let flag = app
        .world_mut()
        .spawn(Transform::from_xyz(3.0, 4.0, 0.0))
        .id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(flag));
    let rider = Backend::PointMass.spawn(&mut app, Body::at(5.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 5);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent, rider]);
    snapshot.restore(app.world_mut());
    let horse = Backend::PointMass.spawn(&mut app, Body::at(9.0, 0.0), Seek::new(EAST));
    app.world_mut()
        .entity_mut(horse)
        .add_children(&[flag, rider]);
    let restored = snapshot.restore(app.world_mut());
    let replaced = |old| {
        let mut spawned = restored.spawned.iter();
        spawned
            .find(|(was, _)| *was == old)
            .map_or(old, |(_, is)| *is)
    };
    assert_eq!(restored.spawned.len(), 2, "{restored:?}");
    assert_eq!(outcome(&mut app, &[agent, replaced(rider)]), expected);
}

#[test]
fn an_entity_that_became_an_agent_later_keeps_its_transform() {
    let mut app = point_mass_app(HERTZ);
    let place = Transform::from_xyz(50.0, 0.0, 0.0);
    let entity = app.world_mut().spawn(place).id();
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let body = (PointMass::default(), Seek::new(Vec2::ZERO));
    app.world_mut().entity_mut(entity).insert(body);
    run_ticks(&mut app, 2);
    snapshot.restore(app.world_mut());
    assert!(!app.world().entity(entity).contains::<Seek>());
    assert!(position(&app, entity).x > 49.0);
}

#[test]
fn an_entity_that_was_no_agent_any_more_is_none_after_a_restore() {
    let mut app = point_mass_app(HERTZ);
    let corpse = (PointMass::default(), Seek::new(EAST), FaceTarget::new(EAST));
    let corpse = app.world_mut().spawn(corpse).id();
    run_ticks(&mut app, 2);
    let mut body = app.world_mut().entity_mut(corpse);
    body.remove::<(Vehicle, FaceVelocity)>();
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().entity_mut(corpse).remove::<Seek>();
    let restored = snapshot.restore(app.world_mut());
    assert!(restored.spawned.is_empty());
    let is_none = |app: &App, corpse: Entity| {
        let corpse = app.world().entity(corpse);
        let is_agent = corpse.contains::<Vehicle>() || corpse.contains::<FaceVelocity>();
        corpse.contains::<Seek>() && !is_agent
    };
    assert!(is_none(&app, corpse));
    app.world_mut().despawn(corpse);
    let restored = snapshot.restore(app.world_mut());
    assert!(is_none(&app, restored.spawned[0].1));
}

#[test]
fn behavior_entities_that_swapped_their_roles_swap_back() {
    let mut app = point_mass_app(HERTZ);
    let [a, b] = [(); 2].map(|()| {
        let agent = (PointMass::default(), Seek::new(EAST));
        app.world_mut().spawn(agent).id()
    });
    app.world_mut().entity_mut(b).insert(SteersFor(a));
    run_ticks(&mut app, 1);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().entity_mut(b).remove::<SteersFor>();
    app.world_mut().entity_mut(a).insert(SteersFor(b));
    run_ticks(&mut app, 1);
    snapshot.restore(app.world_mut());
    let steers_for = |entity| app.world().get::<SteersFor>(entity).map(|it| it.0);
    assert_eq!((steers_for(a), steers_for(b)), (None, Some(a)));
}

#[test]
fn an_entity_that_was_disabled_before_it_became_an_agent_stays_disabled() {
    let mut app = point_mass_app(HERTZ);
    let pooled = app.world_mut().spawn((Transform::default(), Disabled)).id();
    run_ticks(&mut app, 1);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let agent = (PointMass::default(), Seek::new(EAST));
    app.world_mut().entity_mut(pooled).insert(agent);
    run_ticks(&mut app, 1);
    snapshot.restore(app.world_mut());
    let pooled = app.world().entity(pooled);
    assert!(pooled.contains::<Disabled>() && !pooled.contains::<Seek>());
}

#[test]
fn observers_may_despawn_agents_during_a_restore() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 3);
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    for agent in &agents {
        app.world_mut().entity_mut(*agent).insert(Seek::new(EAST));
    }
    let victim = agents[2];
    app.add_observer(move |lost: On<Remove, Seek>, mut commands: Commands| {
        if lost.entity != victim {
            commands.entity(victim).try_despawn();
        }
    });
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 2);
    for agent in agents {
        assert_eq!(app.world().get_entity(agent).is_ok(), agent != victim);
    }
}

#[test]
fn what_a_component_requires_does_not_come_back_with_it() {
    let mut app = bare_app(HERTZ);
    app.add_plugins((SteeringPlugin::default(), NavigationPlugin::default()));
    start(&mut app);
    let navigates = NavigateTo::new(9.0 * Vec2::X);
    let spawn = |app: &mut App| {
        let agent = Backend::PointMass.spawn(app, Body::at(0.0, 0.0), navigates);
        app.world_mut().entity_mut(agent).remove::<PathFollowing>();
        agent
    };
    let [gone, changed] = [(); 2].map(|()| spawn(&mut app));
    run_ticks(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    app.world_mut().despawn(gone);
    app.world_mut().entity_mut(changed).remove::<NavigateTo>();
    let restored = snapshot.restore(app.world_mut());
    for agent in [restored.spawned[0].1, changed] {
        let agent = app.world().entity(agent);
        assert!(agent.contains::<NavigateTo>());
        assert!(!agent.contains::<PathFollowing>());
    }
}
