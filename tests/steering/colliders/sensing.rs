//! Which colliders an agent senses, and since when.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier;
use bevy_steering2d::ColliderProbes;
use bevy_steering2d::navigation::{Solid, Solids, Terrain};
use bevy_steering2d::prelude::*;

use super::{fixed, runner};
use crate::common::*;

#[test]
fn colliders_are_filtered_by_group_sensor_agent_and_own_body() {
    let seen = |collider: &dyn Fn(&mut App), senses: SensesColliders| {
        let mut app = rapier_app(HERTZ);
        collider(&mut app);
        app.update();
        let body = Body::at(-3.0, 0.2).moving(5.0, 0.0);
        let agent = (
            senses,
            ObstacleAvoidance::default(),
            WallAvoidance::default(),
        );
        let agent = Backend::Rapier.spawn(&mut app, body, agent);
        run_ticks(&mut app, 2);
        let avoids = entry::<ObstacleAvoidance>(&app, agent).raw != Vec2::ZERO;
        let feels = entry::<WallAvoidance>(&app, agent).raw != Vec2::ZERO;
        assert_eq!(avoids, feels);
        avoids
    };
    let eyes = SensesColliders::default();
    let rock = |app: &mut App| {
        fixed(app, Collider::ball(1.0), 0.0, 0.0);
    };
    assert!(seen(&rock, eyes));
    assert!(!seen(&|_| {}, eyes), "its own collider");

    let sensor = |app: &mut App| {
        let zone = fixed(app, Collider::ball(1.0), 0.0, 0.0);
        app.world_mut().entity_mut(zone).insert(Sensor);
    };
    assert!(!seen(&sensor, eyes));
    assert!(seen(
        &sensor,
        SensesColliders {
            sensors: true,
            ..eyes
        }
    ));

    let ghost = |app: &mut App| {
        let rock = fixed(app, Collider::ball(1.0), 0.0, 0.0);
        let groups = CollisionGroups::new(Group::GROUP_2, Group::ALL);
        app.world_mut().entity_mut(rock).insert(groups);
    };
    assert!(seen(&ghost, eyes));
    let without_two = SensesColliders {
        filter: !Group::GROUP_2.bits(),
        ..eyes
    };
    assert!(!seen(&ghost, without_two));

    let other = |app: &mut App| {
        let rock = fixed(app, Collider::ball(1.0), 0.0, 0.0);
        app.world_mut().entity_mut(rock).insert(Vehicle::default());
    };
    assert!(!seen(&other, eyes));
    assert!(seen(
        &other,
        SensesColliders {
            agents: true,
            ..eyes
        }
    ));
}

#[test]
fn an_agent_without_senses_colliders_ignores_colliders() {
    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::ball(1.0), 0.0, 0.0);
    app.update();
    let body = Body::at(-3.0, 0.2).moving(5.0, 0.0);
    let agent = Backend::Rapier.spawn(&mut app, body, ObstacleAvoidance::default());
    run_ticks(&mut app, 3);
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

#[test]
fn colliders_are_not_sensed_before_the_first_physics_step() {
    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::ball(1.0), 0.0, 0.0);
    let body = Body::at(-3.0, 0.2).moving(5.0, 0.0);
    let agent = (
        SensesColliders::default(),
        ObstacleAvoidance::default(),
        WallAvoidance::default(),
        WallFollowing::default(),
        Hide::new(Vec2::new(-5.0, 0.0)),
    );
    Backend::Rapier.spawn(&mut app, body, agent);
    run_ticks(&mut app, 3);
    assert_all_finite(&mut app, None, "the first ticks");
}

#[test]
fn point_masses_see_colliders_too() {
    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::ball(1.0), 0.0, 0.0);
    app.update();
    let body = Body::at(-3.0, 0.2).moving(5.0, 0.0);
    let agent = (SensesColliders::default(), ObstacleAvoidance::default());
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    run_ticks(&mut app, 2);
    assert!(
        total(&app, agent).y > 0.0,
        "away from the collider on the right"
    );
}

#[test]
fn colliders_that_a_game_adds_to_rapier_itself_are_seen() {
    let mut app = rapier_app(HERTZ);
    let agent = (ObstacleAvoidance::default(), WallAvoidance::default());
    let agent = runner(&mut app, -3.0, 0.2, agent);
    let rock = rapier::prelude::ColliderBuilder::ball(1.0).build();
    let world = app.world_mut();
    let mut colliders = world.query::<&mut RapierContextColliders>();
    let mut colliders = colliders.single_mut(world).unwrap();
    colliders.colliders.insert(rock);
    run_ticks(&mut app, 2);
    assert!(entry::<ObstacleAvoidance>(&app, agent).raw != Vec2::ZERO);
    assert!(entry::<WallAvoidance>(&app, agent).raw != Vec2::ZERO);
}

#[test]
fn a_behavior_entity_senses_the_colliders_of_its_agent() {
    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::ball(1.0), 0.0, 0.0);
    app.update();
    let body = Body::at(-3.0, 0.2).moving(5.0, 0.0);
    let agent = (SensesColliders::default(), Vehicle::default());
    let agent = Backend::Rapier.spawn(&mut app, body, agent);
    let avoiding = (SteersFor(agent), ObstacleAvoidance::default());
    app.world_mut().spawn(avoiding);
    run_ticks(&mut app, 2);
    assert!(
        total(&app, agent).y > 0.0,
        "away from the collider on the right"
    );
}

#[test]
fn tiles_of_a_map_and_colliders_are_both_solid() {
    let mut app = rapier_app(HERTZ);
    let tile = Solid::segment(Vec2::new(3.0, -1.0), Vec2::new(3.0, 1.0));
    app.insert_resource(Solids(vec![tile]));
    fixed(&mut app, Collider::ball(1.0), 6.0, 0.0);
    let way = NavigateTo::new(Vec2::new(9.0, 0.0));
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), way);
    run_ticks(&mut app, 3);
    let center = Vec2::new(6.0, 0.0);
    let rock = Solid {
        radius: 1.0,
        ..Solid::segment(center, center)
    };
    assert_eq!(app.world().resource::<Terrain>().solids(), [tile, rock]);
}

#[test]
fn a_point_mass_with_a_collider_is_no_solid_to_itself() {
    for on_child in [false, true] {
        let mut app = rapier_app(HERTZ);
        let agent = (
            NavigateTo::new(EAST),
            SensesColliders::default(),
            ObstacleAvoidance::default(),
            WallAvoidance::default(),
        );
        let body = Body::at(0.0, 0.0).moving(5.0, 0.0);
        let agent = Backend::PointMass.spawn(&mut app, body, agent);
        let collider = Collider::ball(PointMass::RADIUS);
        if on_child {
            let place = Transform::from_xyz(0.3, 0.1, 0.0);
            app.world_mut().spawn((collider, place, ChildOf(agent)));
        } else {
            app.world_mut().entity_mut(agent).insert(collider);
        }
        app.update();
        for _ in 0..10 {
            app.update();
            let terrain = app.world().resource::<Terrain>();
            assert!(terrain.solids().is_empty(), "{:?}", terrain.solids());
            assert_eq!(get::<SteeringPath>(&app, agent).points().len(), 2);
            assert_eq!(entry::<ObstacleAvoidance>(&app, agent).raw, Vec2::ZERO);
            assert_eq!(entry::<WallAvoidance>(&app, agent).raw, Vec2::ZERO);
        }
    }
}

#[test]
fn the_answers_to_probes_stay_until_the_next_update() {
    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::cuboid(0.5, 5.0), 3.0, 0.0);
    let agent = (WallAvoidance::default(), ThinkEvery(4));
    let agent = runner(&mut app, 0.0, 0.0, agent);
    run_ticks(&mut app, 4);
    for tick in 0..8 {
        app.update();
        let rays = &get::<ColliderProbes>(&app, agent).rays;
        let is_seen = rays.iter().any(|ray| ray.hit.is_some());
        assert!(is_seen, "{tick} ticks later");
    }
}
