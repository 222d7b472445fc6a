//! R4 to R17: what entities do.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::ticked;
use crate::common::*;

/// The distance between two entities after some seconds.
fn distance_after(app: &mut App, a: Entity, b: Entity, seconds: f32) -> f32 {
    run_seconds(app, seconds);
    position(app, a).distance(position(app, b))
}

/// A point mass at a place with these behaviors.
fn put(app: &mut App, x: f32, y: f32, behaviors: impl Bundle) -> Entity {
    Backend::PointMass.spawn(app, Body::at(x, y), behaviors)
}

/// A round obstacle.
fn put_obstacle(app: &mut App, x: f32, y: f32, radius: f32) -> Entity {
    let place = Transform::from_xyz(x, y, 0.0);
    app.world_mut().spawn((place, Obstacle { radius })).id()
}

/// R4
#[test]
fn an_entity_follows_another() {
    let mut app = point_mass_app(HERTZ);
    let leader = Body::at(10.0, 0.0).moving(0.0, 2.0);
    let leader = Backend::PointMass.spawn(&mut app, leader, ());
    let follower = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(leader));
    assert!(distance_after(&mut app, follower, leader, 6.0) < 2.0);
}

/// R5
#[test]
fn an_entity_flees_from_another() {
    let mut app = point_mass_app(HERTZ);
    let threat = Backend::PointMass.spawn(&mut app, Body::at(1.0, 0.0), ());
    let prey = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Flee::new(threat));
    assert!(distance_after(&mut app, prey, threat, 4.0) >= 10.0);
}

/// R6
#[test]
fn an_entity_pursues_another() {
    let mut app = point_mass_app(HERTZ);
    let quarry = Body::at(12.0, 0.0).moving(0.0, 3.0);
    let quarry = Backend::PointMass.spawn(&mut app, quarry, ());
    let hunter = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Pursuit::new(quarry));
    let nearest = (0..60 * 6)
        .map(|_| distance_after(&mut app, hunter, quarry, TICK))
        .fold(f32::INFINITY, f32::min);
    assert!(nearest < 0.5, "the nearest distance is {nearest} m");
}

/// R7
#[test]
fn an_entity_evades_another() {
    let mut app = point_mass_app(HERTZ);
    let hunter = Backend::PointMass.spawn(&mut app, Body::at(-6.0, 0.0).moving(4.0, 0.0), ());
    let prey = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.5), Evade::new(hunter));
    let nearest = (0..60 * 6)
        .map(|_| distance_after(&mut app, prey, hunter, TICK))
        .fold(f32::INFINITY, f32::min);
    assert!(nearest > 1.0, "the nearest distance is {nearest} m");
}

/// R8.1
#[test]
fn an_entity_arrives_at_another() {
    let mut app = point_mass_app(HERTZ);
    let host = Backend::PointMass.spawn(&mut app, Body::at(7.0, 3.0), ());
    let guest = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(host));
    assert!(distance_after(&mut app, guest, host, 8.0) <= 0.1);
}

/// R8.2
#[test]
fn an_entity_arrives_at_a_point() {
    let point = Vec2::new(-3.0, 5.0);
    let (mut app, agent) = ticked(Arrive::new(point));
    run_seconds(&mut app, 8.0);
    assert!(position(&app, agent).distance(point) <= 0.1);
}

/// R9
#[test]
fn an_entity_wanders_at_random() {
    let turns_with = |seed: u64| -> Vec<f32> {
        let mut app = point_mass_app(HERTZ);
        app.insert_resource(SteeringSeed(seed));
        let agent = put(&mut app, 0.0, 0.0, Wander::default());
        run_seconds(&mut app, 2.0);
        let mut before = velocity(&app, agent);
        let turns = (0..10).map(|_| {
            run_seconds(&mut app, 0.5);
            let now = velocity(&app, agent);
            assert!(now.length() > 1.0, "{now}");
            let turn = before.angle_to(now);
            before = now;
            turn
        });
        turns.collect()
    };
    let turns = turns_with(1);
    assert_ne!(turns, turns_with(2), "another seed");
    let most = turns.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let least = turns.iter().copied().fold(f32::INFINITY, f32::min);
    assert!(most - least > 0.1, "it turns alike all the time: {turns:?}");
}

/// R10
#[test]
fn an_entity_evades_obstacles() {
    let mut app = point_mass_app(HERTZ);
    let rock = put_obstacle(&mut app, 8.0, 0.0, 1.0);
    let behaviors = (
        Seek::new(Vec2::new(30.0, 0.0)),
        ObstacleAvoidance::default(),
    );
    let agent = put(&mut app, 0.0, 0.0, behaviors);
    let nearest = (0..60 * 5)
        .map(|_| distance_after(&mut app, agent, rock, TICK))
        .fold(f32::INFINITY, f32::min);
    assert!(nearest > 1.0, "the nearest distance is {nearest} m");
    assert!(position(&app, agent).x > 12.0);
}

/// The distance of an agent from the middle between two entities, m, after it has interposed.
fn distance_from_the_middle(app: &mut App, first: Entity, second: Entity) -> f32 {
    let guard = put(app, 1.0, -4.0, Interpose::new(first, second));
    run_seconds(app, 8.0);
    let middle = position(app, first).midpoint(position(app, second));
    position(app, guard).distance(middle)
}

/// R11.1
#[test]
fn an_entity_interposes_between_two_entities() {
    let mut app = point_mass_app(HERTZ);
    let walker = Body::at(-6.0, 3.0).moving(0.5, 0.0);
    let walker = Backend::PointMass.spawn(&mut app, walker, ());
    let stander = put(&mut app, 6.0, 3.0, ());
    assert!(distance_from_the_middle(&mut app, walker, stander) < 0.2);
}

/// R11.2
#[test]
fn an_entity_interposes_between_an_entity_and_an_obstacle() {
    let mut app = point_mass_app(HERTZ);
    let stander = put(&mut app, -6.0, 3.0, ());
    let rock = put_obstacle(&mut app, 6.0, 5.0, 1.0);
    assert!(distance_from_the_middle(&mut app, stander, rock) < 0.2);
}

/// R11.3
#[test]
fn an_entity_interposes_between_two_obstacles() {
    let mut app = point_mass_app(HERTZ);
    let [first, second] = [-6.0, 6.0].map(|x| put_obstacle(&mut app, x, 3.0, 1.0));
    assert!(distance_from_the_middle(&mut app, first, second) < 0.2);
}

/// R12
#[test]
fn an_entity_hides_behind_an_obstacle() {
    let mut app = point_mass_app(HERTZ);
    let hunter = put(&mut app, 8.0, 0.0, ());
    let rock = put_obstacle(&mut app, 0.0, 0.0, 1.5);
    let agent = put(&mut app, 0.0, 5.0, Hide::new(hunter));
    run_seconds(&mut app, 8.0);
    let [hunter, rock, agent] = [hunter, rock, agent].map(|it| position(&app, it));
    let sight = (agent - hunter).normalize();
    let along = sight.dot(rock - hunter);
    let from_sight = sight.perp_dot(rock - hunter).abs();
    assert!(
        from_sight < 1.5 && along < agent.distance(hunter),
        "{agent}"
    );
}

/// R13
#[test]
fn an_entity_follows_a_path_of_points() {
    let mut app = point_mass_app(HERTZ);
    let points = [(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)].map(Vec2::from);
    let path = SteeringPath::open(points).unwrap();
    let agent = put(&mut app, 0.0, 0.0, (PathFollowing::default(), path));
    let mut next = 0;
    for _ in 0..60 * 15 {
        app.update();
        let waits = points.get(next);
        next += usize::from(waits.is_some_and(|it| it.distance(position(&app, agent)) < 0.6));
    }
    assert_eq!(next, points.len());
    assert!(position(&app, agent).distance(points[3]) < 0.2);
}

/// R14
#[test]
fn an_entity_follows_at_a_distance() {
    let mut app = point_mass_app(HERTZ);
    let leader = Body::at(5.0, 0.0).moving(2.0, 0.0);
    let leader = Backend::PointMass.spawn(&mut app, leader, ());
    let offset = Vec2::new(-3.0, 2.0);
    let follower = put(&mut app, 0.0, 0.0, OffsetPursuit::new(leader, offset));
    run_seconds(&mut app, 8.0);
    let slot = position(&app, leader) + offset;
    assert!(position(&app, follower).distance(slot) < 0.2);
}

/// R15
#[test]
fn an_entity_aligns_with_others() {
    let mut app = point_mass_app(HERTZ);
    for y in [-1.0, 1.0] {
        let other = Body::at(0.0, y).moving(2.0, 0.0);
        Backend::PointMass.spawn(&mut app, other, Seek::new(Vec2::new(1e3, y)));
    }
    let agent = Body::at(0.0, 0.0).moving(0.0, 1.0);
    let agent = Backend::PointMass.spawn(&mut app, agent, Alignment::new(8.0));
    run_seconds(&mut app, 1.0);
    let heading = velocity(&app, agent).normalize();
    assert!(heading.x > 0.95, "{heading}");
}

/// R16
#[test]
fn entities_gather_with_others() {
    let mut app = point_mass_app(HERTZ);
    let [a, b] = [-4.0, 4.0].map(|x| put(&mut app, x, 0.0, Cohesion::new(12.0)));
    let nearest = (0..60 * 4)
        .map(|_| distance_after(&mut app, a, b, TICK))
        .fold(f32::INFINITY, f32::min);
    assert!(nearest < 2.0, "the nearest distance is {nearest} m");
}

/// R17
#[test]
fn entities_do_not_overlap_others() {
    let mut app = point_mass_app(HERTZ);
    let [a, b] = [0.0, 0.1].map(|x| put(&mut app, x, 0.0, Separation::new(2.0)));
    assert!(distance_after(&mut app, a, b, 3.0) > 1.0);
}

/// R17
#[test]
fn entities_do_not_overlap_a_much_larger_one() {
    assert_goes_round_a_ship(&mut point_mass_app(HERTZ));
}

/// R17
#[test]
fn entities_do_not_overlap_a_much_larger_one_however_far_others_see() {
    let mut app = point_mass_app(HERTZ);
    put(&mut app, 0.0, 60.0, Cohesion::new(30.0));
    assert_goes_round_a_ship(&mut app);
}

fn assert_goes_round_a_ship(app: &mut App) {
    let ship = Vehicle::default().with_radius(6.0);
    let ship = put(app, 15.0, 1.0, ship);
    let goal = Seek::new(Vec2::new(40.0, 0.0));
    let slow = Vehicle {
        max_speed: 2.0,
        ..default()
    };
    let swimmer = (goal, CollisionAvoidance::default(), slow);
    let swimmer = put(app, 0.0, 0.0, swimmer);
    for _ in 0..30 {
        let distance = distance_after(app, swimmer, ship, 0.5);
        assert!(distance > 6.4, "{distance} m");
    }
    assert!(position(app, swimmer).x > 20.0, "it passes");
}
