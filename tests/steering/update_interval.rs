//! `ThinkEvery`: agents that update less often than every tick.

use bevy::math::FloatPow;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_force_lasts_from_update_to_update() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (Wander::default(), ThinkEvery(4), SteeringId(2));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        let mut totals = Vec::new();
        for _ in 0..24 {
            app.update();
            totals.push(total(&app, agent));
        }
        let changes = totals.windows(2).enumerate();
        let changes: Vec<usize> = changes
            .filter(|(_, pair)| pair[0] != pair[1])
            .map(|(tick, _)| tick % 4)
            .collect();
        assert!(changes.len() >= 4, "{backend:?}: {totals:?}");
        let first = changes[0];
        assert!(changes.iter().all(|&tick| tick == first), "{changes:?}");
    }
}

#[test]
fn infrequent_updates_deviate_no_farther_than_documented() {
    let path = |every: u32| {
        let mut app = point_mass_app(HERTZ);
        let other = Body::at(6.0, 0.0).moving(0.0, 2.0);
        let other = Backend::PointMass.spawn(&mut app, other, Wander::default());
        let agent = (Seek::new(other), ThinkEvery(every), SteeringId(100));
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        // The first update, then one interval in which the two may deviate.
        run_ticks(&mut app, every);
        let mut deviation: f32 = 0.0;
        for _ in 0..120 {
            let (mut twin_app, twin) = alone_at(body_of(&app, agent), position(&app, other));
            run_ticks(&mut app, every);
            run_ticks(&mut twin_app, every);
            deviation = deviation.max(position(&twin_app, twin).distance(position(&app, agent)));
        }
        deviation
    };
    let Vehicle { max_force, .. } = Vehicle::default();
    for every in [2, 5, 10] {
        let bound = max_force * (every as f32 * TICK).squared();
        let deviation = path(every);
        assert!(deviation <= bound, "{every}: {deviation} m of {bound} m");
    }
}

fn body_of(app: &App, agent: Entity) -> Body {
    let [x, y] = position(app, agent).to_array();
    let velocity = velocity(app, agent);
    Body::at(x, y).moving(velocity.x, velocity.y)
}

/// The same agent in an app of its own, with updates in every tick.
fn alone_at(body: Body, target: Vec2) -> (App, Entity) {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, body, Seek::new(target));
    (app, agent)
}

#[test]
fn arrive_stops_with_infrequent_updates() {
    for backend in BACKENDS {
        for every in [2, 4, 8] {
            let mut app = backend.app(HERTZ);
            let agent = (Arrive::new(Vec2::new(6.0, 2.0)), ThinkEvery(every));
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
            run_seconds(&mut app, 6.0);
            let miss = position(&app, agent).distance(Vec2::new(6.0, 2.0));
            assert!(miss < 0.2, "{backend:?}, every {every}: {miss} m off");
            assert!(velocity(&app, agent).length() < 0.05);
        }
    }
}

/// Length of the mean heading of a flock after 20 s.
fn order_of_a_flock(every: u32, seed: u64) -> f32 {
    let mut app = point_mass_app(HERTZ);
    let mut dice = RandomStream::new(seed, SteeringId(0), 0);
    let square = Rect::from_center_size(Vec2::ZERO, Vec2::splat(14.0));
    let boids: Vec<Entity> = (0..100)
        .map(|_| {
            let (at, way) = (dice.point_in(square), Vec2::from_angle(dice.angle()));
            let body = Body::at(at.x, at.y).moving(2.0 * way.x, 2.0 * way.y);
            let boid = (Flocking::default(), ThinkEvery(every));
            Backend::PointMass.spawn(&mut app, body, boid)
        })
        .collect();
    run_seconds(&mut app, 20.0);
    let headings = boids
        .iter()
        .map(|&boid| velocity(&app, boid).normalize_or_zero());
    headings.sum::<Vec2>().length() / boids.len() as f32
}

#[test]
fn a_flock_with_infrequent_updates_aligns_as_well() {
    // A hundred random boids may split into two flocks, at either interval.
    let mean = |every| {
        (1..=8)
            .map(|seed| order_of_a_flock(every, seed))
            .sum::<f32>()
            / 8.0
    };
    let (frequent, infrequent) = (mean(1), mean(4));
    assert!(infrequent > frequent - 0.05, "{infrequent} and {frequent}");
    assert!(order_of_a_flock(4, 1) > 0.9);
}

#[test]
fn an_agent_with_infrequent_updates_senses_colliders() {
    let push_of_the_wall = |every: u32| {
        let mut app = rapier_app(HERTZ);
        let wall = Collider::segment(Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0));
        app.world_mut().spawn((RigidBody::Fixed, wall));
        app.update();
        // The feeler points along the wall: only the body itself touches it.
        let avoidance = WallAvoidance {
            feelers: Feelers::Single,
            ..default()
        };
        let agent = (SensesColliders::default(), avoidance, ThinkEvery(every));
        let body = Body::at(0.0, PointMass::RADIUS).moving(2.0, 0.0);
        let agent = Backend::Rapier.spawn(&mut app, body, agent);
        run_ticks(&mut app, every);
        entry::<WallAvoidance>(&app, agent).raw.y
    };
    for every in [1, 3] {
        let push = push_of_the_wall(every);
        assert!(push > 1.0, "every {every}: {push} N");
    }
}

#[test]
fn a_behavior_entity_updates_with_its_agent() {
    let mut app = point_mass_app(HERTZ);
    let agent = (ThinkEvery(3), Vehicle::default(), SteeringId(0));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    app.world_mut()
        .spawn((SteersFor(agent), Wander::default(), SteeringId(1)));
    let mut updates = 0;
    let mut last = Vec2::ZERO;
    for _ in 0..12 {
        app.update();
        updates += u32::from(total(&app, agent) != last);
        last = total(&app, agent);
    }
    assert_eq!(updates, 4);
}

#[test]
fn the_ledger_keeps_its_entries_between_updates() {
    let mut app = point_mass_app(HERTZ);
    let goal = Seek::new(Vec2::new(50.0, 0.0));
    let agent = (goal, ReciprocalAvoidance::default(), ThinkEvery(3));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 3);
    for _ in 0..6 {
        assert_eq!(ledger(&app, agent).len(), 2);
        run_ticks(&mut app, 1);
    }
}

#[test]
fn a_group_keeps_its_ledger_between_updates_of_its_agent() {
    let mut app = point_mass_app(HERTZ);
    let seldom = (Vehicle::default(), ThinkEvery(4));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seldom);
    let group = (
        SteersFor(agent),
        BehaviorGroup::default(),
        Seek::new(Vec2::new(50.0, 0.0)),
    );
    let group = app.world_mut().spawn(group).id();
    run_ticks(&mut app, 8);
    for tick in 0..8 {
        app.update();
        assert!(get::<SteeringForce>(&app, group).total.x > 0.1, "{tick}");
        assert_eq!(ledger(&app, group).len(), 1, "{tick}");
    }
}

#[test]
fn a_kept_force_ends_when_the_vehicle_goes_out_of_range() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let goal = (Seek::new(EAST), ThinkEvery(8), SpeedLimit::Hard);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), goal);
        run_ticks(&mut app, 32);
        let before = velocity(&app, agent);
        assert!(before.x > 0.5, "{backend:?}");
        app.world_mut().get_mut::<Vehicle>(agent).unwrap().max_speed = -1.0;
        run_ticks(&mut app, 2);
        let after = velocity(&app, agent);
        assert!(
            after.distance(before) < 0.1,
            "{backend:?}: {before} to {after}"
        );
    }
}
