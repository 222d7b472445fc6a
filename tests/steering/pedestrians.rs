//! Pedestrians among those who stand, who do not avoid, and who must not be pushed.

use bevy::prelude::*;
use bevy_steering2d::ReciprocalAvoidanceMemory;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// A body without a behavior, which others perceive.
fn seen() -> impl Bundle {
    Vehicle::default()
}

/// A pedestrian at a walking pace along a straight line.
fn walker(app: &mut App, from: Vec2, to: Vec2) -> Entity {
    let pace = 1.3 * (to - from).normalize();
    let body = Body::at(from.x, from.y).moving(pace.x, pace.y);
    let way = SteeringPath::open([from, to]).unwrap();
    Backend::PointMass.spawn(app, body, (Pedestrian::default(), way))
}

/// Runs for `seconds`; returns the smallest gap between any two of the bodies, m.
fn closest(app: &mut App, bodies: &[Entity], seconds: u32) -> f32 {
    let mut closest = f32::INFINITY;
    for _ in 0..60 * seconds {
        app.update();
        let places: Vec<Vec2> = bodies.iter().map(|&body| position(app, body)).collect();
        for (at, one) in places.iter().enumerate() {
            for other in &places[at + 1..] {
                closest = closest.min(one.distance(*other) - 2.0 * PointMass::RADIUS);
            }
        }
    }
    closest
}

#[test]
fn pedestrians_go_round_those_who_stand() {
    let mut app = point_mass_app(HERTZ);
    // They avoid too, but want to stay where they are.
    let standing = [Vec2::new(-1.0, -0.3), Vec2::new(2.5, 0.4)].map(|place| {
        let stand = (Pedestrian::default(), Arrive::new(place));
        Backend::PointMass.spawn(&mut app, Body::at(place.x, place.y), stand)
    });
    let to = Vec2::new(8.0, 0.0);
    let walker = walker(&mut app, Vec2::new(-8.0, 0.0), to);
    // The straight way takes 12.3 s.
    let gap = closest(&mut app, &[walker, standing[0], standing[1]], 16);
    assert!(gap > 0.0, "{gap} m");
    assert!(position(&app, walker).distance(to) < 1.0);
}

#[test]
fn the_weight_of_an_adjustment_does_not_matter() {
    let meeting = |weight: f32| {
        let mut app = point_mass_app(HERTZ);
        for (from, y) in [(-8.0, 0.1), (8.0, -0.1)] {
            let (from, to) = (Vec2::new(from, y), Vec2::new(-from, -y));
            let walker = walker(&mut app, from, to);
            let mut avoidance = app.world_mut().get_mut::<ReciprocalAvoidance>(walker);
            avoidance.as_mut().unwrap().influence.weight = weight;
        }
        run_ticks(&mut app, 600);
        states(&mut app)
    };
    // Powers of two, which round nothing.
    let expected = meeting(1.0);
    assert_eq!(meeting(0.125), expected);
    assert_eq!(meeting(4.0), expected);
}

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
fn pedestrians_do_all_for_one_whose_avoidance_ends() {
    let ends: [fn(&mut EntityWorldMut); 6] = [
        |agent| agent.get_mut::<ReciprocalAvoidance>().unwrap().horizon = 0.0,
        |agent| {
            agent.remove::<ReciprocalAvoidance>();
        },
        |agent| {
            agent
                .get_mut::<ReciprocalAvoidance>()
                .unwrap()
                .influence
                .enabled = false;
        },
        |agent| {
            agent.insert(SteeringDisabled);
        },
        |agent| {
            let influence = &mut agent.get_mut::<ReciprocalAvoidance>().unwrap().influence;
            influence.when = When::only::<IsStuck>();
            agent.insert(IsStuck);
        },
        |agent| {
            let groups = &mut agent.get_mut::<ReciprocalAvoidance>().unwrap().groups;
            *groups = SteeringGroups(2);
        },
    ];
    for (case, end) in ends.into_iter().enumerate() {
        let mut app = point_mass_app(HERTZ);
        let far = Vec2::new(9.0, 0.0);
        let both = [walker(&mut app, -far, far), walker(&mut app, far, -far)];
        run_ticks(&mut app, 30);
        end(&mut app.world_mut().entity_mut(both[0]));
        let gap = closest(&mut app, &both, 12);
        assert!(gap > 0.0, "case {case}: {gap} m");
        assert!(
            position(&app, both[1]).x < -4.0,
            "case {case}: it gets past"
        );
    }
}

#[test]
fn avoidance_that_acts_again_has_forgotten_what_it_chose_before() {
    let mut app = point_mass_app(HERTZ);
    let agent = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    app.update();
    let mut entity = app.world_mut().entity_mut(agent);
    entity
        .get_mut::<ReciprocalAvoidance>()
        .unwrap()
        .influence
        .enabled = false;
    *entity.get_mut::<ReciprocalAvoidanceMemory>().unwrap() = ReciprocalAvoidanceMemory {
        chosen: Vec2::NEG_X,
        hemmed_in: 1.0,
        waits: true,
    };
    app.update();
    let memory = app.world().get::<ReciprocalAvoidanceMemory>(agent).unwrap();
    assert!(
        memory.chosen.x > 1.0 && memory.hemmed_in == 0.0 && !memory.waits,
        "{memory:?}"
    );
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
fn avoidance_outweighs_several_behaviors_that_agree() {
    let mut app = point_mass_app(HERTZ);
    let stands = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seen());
    let avoids = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(-8.0, 0.0), avoids);
    for _ in 0..4 {
        let seek = Seek::new(Vec2::new(90.0, 0.0));
        app.world_mut().spawn((SteersFor(agent), seek));
    }
    let gap = closest(&mut app, &[agent, stands], 6);
    assert!(gap > 0.0, "{gap} m");
    assert!(position(&app, agent).x > 2.0, "it gets past");
}

#[test]
fn avoidance_that_the_combiner_may_cut_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let pedestrian = walker(&mut app, Vec2::new(0.0, 9.0), Vec2::new(9.0, 9.0));
    let unit = (Seek::new(Vec2::X), ReciprocalAvoidance::default());
    let unit = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), unit);
    app.update();
    assert_warned_once(&app, unit, "ReciprocalAvoidance", "the default combiner");
    for combine in [Combine::PRIORITIZED, Combine::WEIGHTED_SUM] {
        app.world_mut().entity_mut(pedestrian).insert(combine);
        app.update();
    }
    assert_eq!(warnings(&app).len(), 2, "and as soon as it is another one");
}

#[test]
fn headway_that_the_combiner_may_cut_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let unit = (Seek::new(Vec2::X), Headway::default());
    let kept = (unit, Combine::WEIGHTED_SUM);
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 9.0), kept);
    let cut = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), unit);
    app.update();
    assert_warned_once(&app, cut, "Headway", "the default combiner");
}

#[test]
fn avoidance_on_a_behavior_entity_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(Vec2::X));
    app.world_mut()
        .spawn((SteersFor(agent), ReciprocalAvoidance::default()));
    app.update();
    assert_warned_once(&app, agent, "ReciprocalAvoidance", "on a behavior entity");
}

#[test]
fn avoidance_adjusts_what_groups_request_in_the_same_tick() {
    for in_members in [false, true] {
        let mut app = point_mass_app(HERTZ);
        let both = [-1.0, 1.0].map(|side| {
            let pace = Body::at(8.0 * side, 0.0).moving(-1.3 * side, 0.0);
            let avoids = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
            let agent = Backend::PointMass.spawn(&mut app, pace, avoids);
            let group = (SteersFor(agent), BehaviorGroup::default());
            let group = app.world_mut().spawn(group).id();
            let seek = Seek::new(Vec2::new(-90.0 * side, 0.0));
            if in_members {
                app.world_mut().spawn((SteersFor(group), seek));
            } else {
                app.world_mut().entity_mut(group).insert(seek);
            }
            agent
        });
        let gap = closest(&mut app, &both, 6);
        assert!(gap > 0.0, "in members: {in_members}, {gap} m");
        assert!(position(&app, both[0]).x > 5.0);
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
    // A cart that nobody steers.
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
fn avoidance_on_a_behavior_entity_does_nothing_and_says_so() {
    let walk = |doubled: bool| {
        let mut app = point_mass_app(HERTZ);
        Backend::PointMass.spawn(&mut app, Body::at(6.0, 0.1), seen());
        let walker = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
        if doubled {
            let cautious = ReciprocalAvoidance {
                margin: 2.0,
                ..default()
            };
            app.world_mut().spawn((SteersFor(walker), cautious));
        }
        run_seconds(&mut app, 5.0);
        let warned = warnings(&app)
            .iter()
            .any(|it| it.message.contains("insert it on the agent itself"));
        assert_eq!(warned, doubled);
        position(&app, walker)
    };
    assert_eq!(walk(true), walk(false));
}

#[test]
fn a_pedestrian_that_was_disabled_begins_anew() {
    let mut app = point_mass_app(HERTZ);
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    let hemmed_in = ReciprocalAvoidanceMemory {
        chosen: Vec2::Y,
        hemmed_in: 1.0,
        waits: true,
    };
    let end: [fn(&mut EntityWorldMut); 2] = [
        |agent| {
            agent.insert(SteeringDisabled);
        },
        |agent| {
            agent.remove::<ReciprocalAvoidance>();
        },
    ];
    for end in end {
        let mut agent = app.world_mut().entity_mut(walker);
        agent.insert(hemmed_in);
        end(&mut agent);
        let memory = agent.get::<ReciprocalAvoidanceMemory>();
        assert_eq!(memory, Some(&ReciprocalAvoidanceMemory::default()));
    }
}

#[test]
fn headway_on_a_behavior_entity_sees_what_the_others_request() {
    let end = |on_agent: bool, avoids: bool| {
        let mut app = point_mass_app(HERTZ);
        Backend::PointMass.spawn(&mut app, Body::at(6.0, 0.0).moving(0.5, 0.0), seen());
        let walks = (Vehicle::default(), Combine::WEIGHTED_SUM);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), walks);
        let seek = Seek::new(Vec2::new(90.0, 0.0));
        app.world_mut().spawn((SteersFor(agent), seek));
        if avoids {
            let avoidance = ReciprocalAvoidance::default();
            app.world_mut().entity_mut(agent).insert(avoidance);
        }
        if on_agent {
            app.world_mut().entity_mut(agent).insert(Headway::default());
        } else {
            app.world_mut()
                .spawn((SteersFor(agent), Headway::default()));
        }
        run_seconds(&mut app, 3.0);
        position(&app, agent)
    };
    for avoids in [false, true] {
        let (apart, together) = (end(false, avoids), end(true, avoids));
        assert_near(apart, together, 1e-3, "where it is");
        assert!(together.x < 10.0, "it is held up: {together}");
    }
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
