//! Pedestrians pass moving people, obstacles and walls without a collision.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{closest, seen, walker};
use crate::common::*;

#[test]
fn pedestrians_avoid_a_body_that_does_not_avoid_by_themselves() {
    let mut app = point_mass_app(HERTZ);
    // A player runs through the crowd without steering.
    let body = Body::at(-10.0, 0.0).moving(2.0, 0.0);
    let player = Backend::PointMass.spawn(&mut app, body, seen());
    let mut bodies = vec![player];
    for y in [-2.0, 0.0, 2.0] {
        bodies.push(walker(&mut app, Vec2::new(10.0, y), Vec2::new(-12.0, y)));
        bodies.push(walker(&mut app, Vec2::new(y, -9.0), Vec2::new(y, 9.0)));
    }
    let gap = closest(&mut app, &bodies, 9);
    assert!(gap > 0.0, "{gap} m");
    let at = position(&app, player);
    assert!(
        at.distance(Vec2::new(8.0, 0.0)) < 1e-3,
        "it went its way: {at}"
    );
}

#[test]
fn a_unit_that_must_not_be_pushed_stays_where_it_is() {
    let mut app = point_mass_app(HERTZ);
    let guard = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seen());
    let mut bodies = vec![guard];
    for place in 0..6 {
        let y = 1.1 * place as f32 - 2.75;
        bodies.push(walker(
            &mut app,
            Vec2::new(-8.0, y),
            Vec2::new(8.0, 0.4 * y),
        ));
    }
    let gap = closest(&mut app, &bodies, 14);
    assert!(gap > 0.0, "{gap} m");
    assert_eq!(position(&app, guard), Vec2::ZERO);
}

#[test]
fn a_crowd_does_not_press_its_first_into_each_other_where_a_hallway_narrows() {
    let mut app = point_mass_app(HERTZ);
    for side in [-1.0, 1.0] {
        let corners = [
            (-30.0, 1.2),
            (0.0, 1.2),
            (0.0, 2.1),
            (15.0, 2.1),
            (15.0, 9.0),
        ];
        for ends in corners.windows(2) {
            let [from, to] = [ends[0], ends[1]].map(|(x, y)| Vec2::new(x, side * y));
            app.world_mut().spawn(Wall::new(from, to));
        }
    }
    let bodies: Vec<Entity> = (0..120)
        .map(|at| {
            let (row, file) = ((at / 12) as f32, (at % 12) as f32);
            let from = Vec2::new(17.0 + 1.2 * row, 1.2 * file - 6.6);
            let corners = [
                from,
                Vec2::new(15.0, 0.1 * from.y),
                Vec2::new(-30.0, 0.1 * from.y),
            ];
            let way = SteeringPath::open(corners).unwrap();
            Backend::PointMass.spawn(
                &mut app,
                Body::at(from.x, from.y),
                (Pedestrian::default(), way),
            )
        })
        .collect();
    let gap = closest(&mut app, &bodies, 60);
    assert!(gap > -0.03, "{gap} m");
}

#[test]
fn a_pedestrian_behind_a_faster_body_does_not_brake() {
    let mut app = point_mass_app(HERTZ);
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    let body = Body::at(1.6, 0.0).moving(2.0, 0.0);
    Backend::PointMass.spawn(&mut app, body, seen());
    for _ in 0..120 {
        app.update();
        let velocity = app.world().get::<Kinematics>(walker).unwrap().velocity;
        assert!(velocity.x > 1.29, "{velocity} m/s");
    }
}

#[test]
fn a_pedestrian_follows_one_that_is_an_obstacle_as_well() {
    let mut app = point_mass_app(HERTZ);
    let front = walker(&mut app, Vec2::new(1.4, 0.0), Vec2::new(90.0, 0.0));
    let radius = PointMass::RADIUS;
    app.world_mut()
        .entity_mut(front)
        .insert(Obstacle { radius });
    let back = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    run_seconds(&mut app, 4.0);
    let apart = position(&app, front).distance(position(&app, back));
    assert!(apart < 1.45, "it was braked: {apart}");
}

#[test]
fn a_pedestrian_steps_aside_of_an_obstacle_that_comes() {
    let mut app = point_mass_app(HERTZ);
    let standing = Backend::PointMass.spawn(
        &mut app,
        Body::at(0.0, 0.0),
        (Pedestrian::default(), Arrive::new(Vec2::ZERO)),
    );
    // A cart that is not steered.
    let cart = Backend::PointMass.spawn(
        &mut app,
        Body::at(-8.0, 0.2).moving(2.0, 0.0),
        (
            Vehicle::default(),
            SteeringDisabled,
            Obstacle { radius: 1.0 },
        ),
    );
    let mut closest = f32::INFINITY;
    for _ in 0..60 * 6 {
        app.update();
        let apart = position(&app, standing).distance(position(&app, cart));
        closest = closest.min(apart);
    }
    assert!(closest > 1.0 + PointMass::RADIUS, "{closest}");
}

#[test]
fn an_agent_stands_before_an_obstacle_around_its_aim() {
    for start in [Vec2::new(-8.0, 0.3), Vec2::new(3.0, 6.0)] {
        let mut app = point_mass_app(HERTZ);
        let tree = (Transform::default(), Obstacle::new(1.5));
        app.world_mut().spawn(tree);
        let comes = (
            Arrive::new(Vec2::ZERO),
            ReciprocalAvoidance::default(),
            Combine::WEIGHTED_SUM,
            Vehicle::new(2.0, 6.0),
        );
        let agent = Backend::PointMass.spawn(&mut app, Body::at(start.x, start.y), comes);
        run_seconds(&mut app, 10.0);
        let gap = position(&app, agent).length() - 1.5 - PointMass::RADIUS;
        assert!((0.0..0.5).contains(&gap), "{gap} m");
        assert!(velocity(&app, agent).length() < 0.1, "it stands");
    }
}

#[test]
fn an_obstacle_beyond_the_perception_radius_does_not_count() {
    let walk = |obstacle: Option<Vec2>| {
        let mut app = point_mass_app(HERTZ);
        if let Some(at) = obstacle {
            app.world_mut().spawn((
                Transform::from_translation(at.extend(0.0)),
                Obstacle { radius: 0.5 },
            ));
        }
        let walker = walker(&mut app, Vec2::ZERO, Vec2::splat(90.0));
        run_ticks(&mut app, 10);
        position(&app, walker)
    };
    let near = ReciprocalAvoidance::default().perception_radius / 2.0_f32.sqrt();
    // Its edge is nearer than the radius along both axes, but not along the way.
    assert_eq!(walk(Some(Vec2::splat(near + 1.5))), walk(None));
    assert_ne!(walk(Some(Vec2::splat(near - 1.0))), walk(None));
}

#[test]
fn headway_is_kept_to_one_large_body_among_people() {
    let mut app = point_mass_app(HERTZ);
    let people = |app: &mut App, at: Vec2| {
        let body = Body::at(at.x, at.y).moving(1.3, 0.0);
        let goal = Seek::new(Vec2::new(500.0, at.y));
        let agent = (
            Vehicle::default(),
            Combine::WEIGHTED_SUM,
            Headway::default(),
        );
        Backend::PointMass.spawn(app, body, (agent, goal))
    };
    let walker = people(&mut app, Vec2::ZERO);
    for id in 0..40 {
        people(&mut app, Vec2::new(-3.0 * id as f32, 50.0));
    }
    let bus = Vehicle {
        radius: Some(4.0),
        ..default()
    };
    let bus = Backend::PointMass.spawn(&mut app, Body::at(12.0, 0.0).moving(0.4, 0.0), bus);
    run_seconds(&mut app, 20.0);
    let gap = position(&app, bus).distance(position(&app, walker)) - 4.5;
    assert!((0.0..1.0).contains(&gap), "{gap}");
}

#[test]
fn a_weak_agent_that_avoids_stops_before_a_wall() {
    for (max_speed, mass) in [(5.0, 4.9), (5.0, 10.0), (20.0, 10.0)] {
        let mut app = point_mass_app(HERTZ);
        let wall = Wall::new(Vec2::new(0.0, -50.0), Vec2::new(0.0, 50.0));
        app.world_mut().spawn(wall);
        let vehicle = Vehicle {
            max_speed,
            ..default()
        };
        let agent = (
            vehicle,
            ReciprocalAvoidance::default(),
            Combine::WEIGHTED_SUM,
            Seek::new(EAST),
        );
        let body = Body::at(-40.0, 0.0).weighing(mass);
        let agent = Backend::PointMass.spawn(&mut app, body, agent);
        for _ in 0..60 * 20 {
            app.update();
            let gap = -position(&app, agent).x - PointMass::RADIUS;
            assert!(gap > -1e-3, "{max_speed} m/s, {mass} kg: {gap} m");
        }
        let gap = -position(&app, agent).x - PointMass::RADIUS;
        assert!(
            gap < 0.1,
            "{max_speed} m/s, {mass} kg: it stops {gap} m early"
        );
    }
}

#[test]
fn a_large_body_among_people_does_not_run_over_anyone() {
    let mut app = point_mass_app(HERTZ);
    let mut people = Vec::new();
    for place in 0..81 {
        let at = Vec2::new((place % 9) as f32 - 4.0, (place / 9) as f32 - 4.0);
        let stand = (Pedestrian::default(), Arrive::new(at));
        let body = Body::at(at.x, at.y);
        people.push(Backend::PointMass.spawn(&mut app, body, stand));
        let mut vehicle = app.world_mut().get_mut::<Vehicle>(people[place]).unwrap();
        vehicle.radius = Some(0.25);
    }
    let truck = Vehicle {
        radius: Some(2.5),
        ..default()
    };
    let body = Body::at(-12.0, 0.1).moving(1.0, 0.0);
    let truck = Backend::PointMass.spawn(&mut app, body, truck);
    for _ in 0..60 * 20 {
        app.update();
        let at = position(&app, truck);
        for person in &people {
            let gap = position(&app, *person).distance(at) - 2.75;
            assert!(gap > 0.0, "{gap} m at {at}");
        }
    }
}

#[test]
fn a_crowd_measured_in_pixels_walks_as_in_meters() {
    let places = |pixels: f32| -> Vec<Vec2> {
        let mut app = point_mass_app(HERTZ);
        let walkers: Vec<Entity> = (0..8)
            .map(|at| {
                let from = 6.0 * pixels * Vec2::from_angle(at as f32 * 0.8 + 0.1);
                let mut person = Pedestrian::new(1.3 * pixels);
                person.path_following = PathFollowing {
                    pace: Some(1.3 * pixels),
                    ..PathFollowing::default().with_waypoints(0.3 * pixels)
                };
                person.vehicle = Vehicle {
                    max_speed: 2.6 * pixels,
                    max_force: 6.0 * pixels,
                    radius: Some(0.3 * pixels),
                    ..person.vehicle
                };
                person.reciprocal_avoidance.margin *= pixels;
                person.reciprocal_avoidance.perception_radius *= pixels;
                let way = SteeringPath::open([from, -from]).unwrap();
                Backend::PointMass.spawn(&mut app, Body::at(from.x, from.y), (person, way))
            })
            .collect();
        run_seconds(&mut app, 8.0);
        let places = walkers.iter().map(|&it| position(&app, it) / pixels);
        places.collect()
    };
    for (meters, pixels) in places(1.0).into_iter().zip(places(64.0)) {
        assert!(meters.distance(pixels) < 0.05, "{meters} m, {pixels} m");
    }
}

#[test]
fn a_pedestrian_goes_around_one_that_stops_on_its_way_to_the_same_end() {
    for pace in [0.0, 0.05] {
        let mut app = point_mass_app(HERTZ);
        let end = Vec2::new(20.0, 0.0);
        let stops = walker(&mut app, Vec2::ZERO, end);
        let mut follow = app.world_mut().get_mut::<PathFollowing>(stops).unwrap();
        follow.pace = Some(pace);
        let walks = walker(&mut app, Vec2::new(-6.0, 0.1), end);
        let gap = closest(&mut app, &[stops, walks], 12);
        assert!(gap > 0.0, "{gap} m at {pace} m/s");
        assert!(position(&app, stops).x < 2.0);
        let x = position(&app, walks).x;
        assert!(x > 5.0, "it is at {x} m behind one with {pace} m/s");
    }
}

#[test]
fn pedestrians_go_around_an_agent_that_is_not_steered_since_its_speed_is_infinite() {
    let mut app = point_mass_app(HERTZ);
    let endless = Vehicle {
        max_speed: f32::INFINITY,
        ..default()
    };
    let stands = (endless, Seek::new(EAST));
    let stands = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), stands);
    let walks = walker(&mut app, Vec2::new(-6.0, 0.1), Vec2::new(20.0, 0.1));
    let gap = closest(&mut app, &[stands, walks], 9);
    assert!(gap > 0.0, "{gap} m");
    assert!(position(&app, walks).x > 3.0, "it gets past");
    assert_warned_once(&app, stands, "Vehicle.max_speed", "an infinite limit");
}
