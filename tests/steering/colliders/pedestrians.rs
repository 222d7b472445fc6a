//! Pedestrians between houses, pillars and boxes.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::{fixed, runner};
use crate::common::*;

#[test]
fn pedestrians_walk_around_pillars_and_along_houses() {
    let [pillar, house] = [Collider::ball(1.2), Collider::cuboid(6.0, 3.0)];
    // The straight way leads through the pillar, and 10 cm into a corner of the house.
    for (name, shape, center) in [
        ("pillar", pillar, Vec2::new(0.0, 0.2)),
        ("house", house, Vec2::new(0.0, -3.4)),
    ] {
        let mut app = rapier_app(HERTZ);
        fixed(&mut app, shape.clone(), center.x, center.y);
        let way = SteeringPath::open([Vec2::new(-9.0, 0.0), Vec2::new(9.0, 0.0)]).unwrap();
        let walker = (Pedestrian::default(), way);
        let walker = runner(&mut app, -9.0, 0.0, walker);
        let mut gap = f32::INFINITY;
        for _ in 0..60 * 20 {
            app.update();
            let at = position(&app, walker) - center;
            gap = gap.min(shape.distance_to_local_point(at, true) - PointMass::RADIUS);
        }
        assert!(gap > 0.0, "{name}: {gap} m deep");
        let at = position(&app, walker);
        assert!(at.distance(Vec2::new(9.0, 0.0)) < 1.0, "{name}: at {at}");
    }
}

#[test]
fn a_pedestrian_goes_past_one_who_stands_beside_a_house_on_the_open_side() {
    for y in [0.0, 0.3, 0.6] {
        let mut app = rapier_app(HERTZ);
        fixed(&mut app, Collider::cuboid(20.0, 2.0), 0.0, -2.6);
        app.update();
        let stand = (Pedestrian::default(), Arrive::new(Vec2::new(0.0, y)));
        let stands = Backend::Rapier.spawn(&mut app, Body::at(0.0, y), stand);
        let way = SteeringPath::open([Vec2::new(-8.0, 0.0), Vec2::new(8.0, 0.0)]).unwrap();
        let walker = (Pedestrian::default(), way, SensesColliders::default());
        let body = Body::at(-8.0, 0.0).moving(1.3, 0.0);
        let walker = Backend::Rapier.spawn(&mut app, body, walker);
        let mut gap = f32::INFINITY;
        for _ in 0..60 * 16 {
            app.update();
            let apart = position(&app, walker).distance(position(&app, stands));
            gap = gap.min(apart - 2.0 * PointMass::RADIUS);
        }
        assert!(gap > 0.0, "{y}: {gap} m");
        let at = position(&app, walker);
        assert!(at.distance(Vec2::new(8.0, 0.0)) < 1.0, "{y}: at {at}");
    }
}

#[test]
fn two_pedestrians_pass_each_other_between_houses() {
    let mut app = rapier_app(HERTZ);
    // A lane of 3 m between them.
    for side in [-1.0, 1.0] {
        fixed(&mut app, Collider::cuboid(8.0, 2.0), 0.0, side * 3.5);
    }
    let walkers = [-1.0, 1.0].map(|side| {
        let [from, to] = [Vec2::new(9.0 * side, 0.0), Vec2::new(-9.0 * side, 0.0)];
        let way = SteeringPath::open([from, to]).unwrap();
        let body = Body::at(from.x, from.y).moving(-1.3 * side, 0.0);
        app.update();
        let walker = (Pedestrian::default(), way, SensesColliders::default());
        (Backend::Rapier.spawn(&mut app, body, walker), to)
    });
    for _ in 0..60 * 20 {
        app.update();
        let [one, other] = walkers.map(|(walker, _)| position(&app, walker));
        let apart = one.distance(other) - 2.0 * PointMass::RADIUS;
        assert!(apart > 0.0, "{apart}");
        for at in [one, other] {
            let gap = 1.5 - at.y.abs() - PointMass::RADIUS;
            assert!(
                at.x.abs() > 8.0 || gap > 0.0,
                "{gap} m deep in a wall at {at}"
            );
        }
    }
    for (walker, to) in walkers {
        assert!(position(&app, walker).distance(to) < 1.0);
    }
}

#[test]
fn a_pedestrian_walks_between_rows_of_boxes() {
    let mut app = rapier_app(HERTZ);
    // A corridor of 1 m between boxes of 1 m, and a body of 0.7 m.
    for row in 0..6 {
        for side in [-1.0, 1.0] {
            fixed(&mut app, Collider::cuboid(0.5, 0.5), row as f32, side);
        }
    }
    let way = SteeringPath::open([Vec2::new(-4.0, 0.0), Vec2::new(9.0, 0.0)]).unwrap();
    app.update();
    let person = Pedestrian {
        vehicle: Pedestrian::default().vehicle.with_radius(0.35),
        ..default()
    };
    let walker = (person, way, SensesColliders::default());
    let body = Body::at(-4.0, 0.0);
    let walker = Backend::PointMass.spawn(&mut app, body, walker);
    run_seconds(&mut app, 15.0);
    let x = position(&app, walker).x;
    assert!(x > 8.0, "stays at {x}");
}

#[test]
fn a_pedestrian_walks_along_a_thin_collider_and_stops_before_it() {
    let mut app = rapier_app(HERTZ);
    let wall = Collider::cuboid(0.1, 5.0);
    fixed(&mut app, wall.clone(), 0.0, 0.0);
    app.update();
    let aims = [Vec2::new(3.0, 0.0), Vec2::new(-1.0, 9.0)];
    let walkers = aims.map(|aim| {
        let agent = (
            ReciprocalAvoidance::default(),
            Combine::WEIGHTED_SUM,
            Arrive::new(aim),
        );
        let body = Body::at(-3.0, -0.3 * aim.y);
        Backend::PointMass.spawn(&mut app, body, (agent, SensesColliders::default()))
    });
    for _ in 0..60 * 8 {
        app.update();
        for at in walkers.map(|it| position(&app, it)) {
            let gap = wall.distance_to_local_point(at, true) - PointMass::RADIUS;
            assert!(gap > -0.02 && at.x < 0.0, "{gap} m at {at}");
        }
    }
    let [before, along] = walkers.map(|it| position(&app, it));
    assert!(before.x > -1.0, "stops before the wall: {before}");
    assert!(along.distance(aims[1]) < 0.2, "at {along}");
}

#[test]
fn a_pedestrian_steps_aside_of_a_bar_that_turns() {
    let mut app = rapier_app(HERTZ);
    let bar = (
        RigidBody::KinematicVelocityBased,
        Collider::cuboid(1.9, 0.15),
        Velocity::angular(0.5),
        Transform::default(),
    );
    let bar = app.world_mut().spawn(bar).id();
    let place = Vec2::new(0.0, 1.4);
    let stands = (
        Pedestrian::default(),
        Arrive::new(place),
        SensesColliders::default(),
    );
    let stands = Backend::Rapier.spawn(&mut app, Body::at(place.x, place.y), stands);
    let mut least = f32::INFINITY;
    for _ in 0..60 * 12 {
        run_ticks(&mut app, 1);
        let turned = get::<Transform>(&app, bar).rotation.inverse();
        let at = (turned * position(&app, stands).extend(0.0)).truncate();
        let outside = (at.abs() - Vec2::new(1.9, 0.15)).max(Vec2::ZERO);
        least = least.min(outside.length() - PointMass::RADIUS);
    }
    assert!(least > -0.1, "{least} m");
}
