//! Paths, places in formations, leashes, and agents that get stuck, in whole apps.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::behaviors;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{FollowPathMemory, StuckMemory};

use proptest::prelude::{Strategy, any, prop_oneof, proptest};

use crate::common::*;

fn points(points: &[(f32, f32)]) -> Vec<Vec2> {
    points.iter().copied().map(Vec2::from).collect()
}

fn zigzag() -> SteeringPath {
    SteeringPath::open(points(&[(0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0)])).unwrap()
}

fn triangle() -> SteeringPath {
    SteeringPath::looped(points(&[(0.0, 0.0), (9.0, 0.0), (4.0, 7.0)])).unwrap()
}

/// Both ways to walk a path.
fn styles() -> [FollowPath; 2] {
    [
        FollowPath::default().waypoints(0.5),
        FollowPath::default().corridor(0.7, 0.5),
    ]
}

/// How far a body is from a path, m.
fn distance_from(path: &SteeringPath, place: Vec2) -> f32 {
    path.closest(place).position.distance(place)
}

#[test]
fn an_open_path_is_walked_to_its_end_and_completed_once() {
    for backend in BACKENDS {
        for follow in styles() {
            let mut app = backend.app(HERTZ);
            listen::<PathCompleted>(&mut app);
            let body = Body::at(0.0, 0.0);
            let agent = backend.spawn(&mut app, body, (zigzag(), follow));
            let mut next = 0;
            for _ in 0..60 * 20 {
                app.update();
                let waypoint = zigzag().points()[next.min(3)];
                // Half a meter, and the corridor cuts corners by no more than its width.
                if position(&app, agent).distance(waypoint) <= 0.75 {
                    next += 1;
                }
            }
            let case = format!("{backend:?}, {:?}", follow.style);
            assert!(next >= 4, "{case}: reached {next} waypoints in order");
            let end = zigzag().points()[3];
            assert!(position(&app, agent).distance(end) <= 0.1, "{case}");
            let progress = get::<FollowPathMemory>(&app, agent);
            assert!(progress.completed, "{case}: {progress:?}");
            let completed = PathCompleted {
                entity: agent,
                path: None,
                carrier: agent,
            };
            assert_eq!(heard::<PathCompleted>(&app), [completed], "{case}");
        }
    }
}

#[test]
fn a_looped_path_closes_and_never_ends() {
    for backend in BACKENDS {
        for follow in styles() {
            let mut app = backend.app(HERTZ);
            listen::<PathCompleted>(&mut app);
            let body = Body::at(4.0, 6.0);
            let agent = backend.spawn(&mut app, body, (triangle(), follow));
            let mut closing = f32::INFINITY;
            for _ in 0..60 * 30 {
                app.update();
                // The middle of the segment that closes the triangle.
                let middle = Vec2::new(2.0, 3.5);
                closing = closing.min(position(&app, agent).distance(middle));
            }
            let progress = *get::<FollowPathMemory>(&app, agent);
            let case = format!("{backend:?}, {:?}: {progress:?}", follow.style);
            assert!(progress.laps >= 3 && !progress.completed, "{case}");
            assert!(
                closing < 0.8,
                "{case}: {closing} m from the closing segment"
            );
            assert_eq!(heard::<PathCompleted>(&app), []);
        }
    }
}

#[test]
fn a_corridor_is_never_left_and_corners_are_not_cut_beyond_it() {
    for backend in BACKENDS {
        for mass in [0.2, 1.0, 5.0] {
            let mut app = backend.app(HERTZ);
            let road = triangle();
            let body = Body::at(0.0, 0.0).weighing(mass);
            let follow = FollowPath::default().corridor(0.6, 0.5);
            let agent = backend.spawn(&mut app, body, (road.clone(), follow));
            for _ in 0..60 * 30 {
                app.update();
                let off = distance_from(&road, position(&app, agent));
                assert!(off <= 0.6, "{backend:?}, {mass} kg: {off} m off the path");
            }
            assert!(get::<FollowPathMemory>(&app, agent).laps >= 1);
        }
    }
}

#[test]
fn many_agents_share_one_path_and_lose_it_together() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        listen::<TargetLost>(&mut app);
        let round = app.world_mut().spawn(triangle()).id();
        let agents: Vec<_> = (0..3)
            .map(|i| {
                let body = Body::at(3.0 * i as f32, -1.0);
                backend.spawn(&mut app, body, FollowPath::along(round))
            })
            .collect();
        run_seconds(&mut app, 3.0);
        for &agent in &agents {
            assert!(velocity(&app, agent).length() > 1.0, "{backend:?}");
        }
        assert_eq!(heard::<TargetLost>(&app), [], "a path needs no transform");
        app.world_mut().despawn(round);
        run_seconds(&mut app, 1.0);
        let lost = heard::<TargetLost>(&app);
        let who: Vec<_> = lost.iter().map(|lost| lost.entity).collect();
        assert_eq!(who, agents, "{backend:?}: once each");
        assert!(lost.iter().all(|lost| lost.target == Target::Entity(round)));
        assert_eq!(total(&app, agents[0]), Vec2::ZERO);
    }
}

#[test]
fn a_path_swapped_while_walking_is_joined_and_completed() {
    for backend in BACKENDS {
        for follow in styles() {
            let mut app = backend.app(HERTZ);
            listen::<PathCompleted>(&mut app);
            let body = Body::at(0.0, 0.0);
            let agent = backend.spawn(&mut app, body, (zigzag(), follow));
            run_seconds(&mut app, 1.2);
            // Replanned from where it was a moment ago.
            let here = position(&app, agent);
            let start = here - Vec2::new(0.4, 0.0);
            let other = [start, Vec2::new(9.0, 0.0), Vec2::new(9.0, -5.0)];
            let other = SteeringPath::open(other).unwrap();
            app.world_mut().entity_mut(agent).insert(other.clone());
            for _ in 0..60 * 10 {
                app.update();
                let x = position(&app, agent).x;
                assert!(x >= here.x - 0.01, "{backend:?}: turned back to {x}");
            }
            let completed = heard::<PathCompleted>(&app);
            assert_eq!(completed.len(), 1, "{backend:?}, {:?}", follow.style);
            // The same way again is no new way; another one is.
            app.world_mut().entity_mut(agent).insert(other);
            run_seconds(&mut app, 2.0);
            assert_eq!(heard::<PathCompleted>(&app).len(), 1);
            app.world_mut().entity_mut(agent).insert(zigzag());
            run_seconds(&mut app, 20.0);
            assert_eq!(heard::<PathCompleted>(&app).len(), 2);
        }
    }
}

#[test]
fn a_path_that_moves_keeps_its_walkers_where_they_were() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(
            &mut app,
            Body::at(0.0, 0.0),
            (zigzag(), FollowPath::default()),
        );
        run_seconds(&mut app, 2.5);
        let before = get::<FollowPathMemory>(&app, agent).waypoint;
        assert!(before > 1, "{before}");
        for i in 1..=30 {
            let moved = zigzag()
                .translated(Vec2::new(0.0, 0.02 * i as f32))
                .unwrap();
            app.world_mut().entity_mut(agent).insert(moved);
            app.update();
            let waypoint = get::<FollowPathMemory>(&app, agent).waypoint;
            assert!(waypoint >= before, "{backend:?}: back to {waypoint}");
        }
    }
}

#[test]
fn a_follower_waits_for_its_path_and_outlives_it() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 1.0), FollowPath::default());
        run_seconds(&mut app, 1.0);
        assert_eq!(total(&app, agent), Vec2::ZERO);
        app.world_mut().entity_mut(agent).insert(zigzag());
        run_seconds(&mut app, 1.0);
        assert!(total(&app, agent) != Vec2::ZERO || velocity(&app, agent) != Vec2::ZERO);
        app.world_mut().entity_mut(agent).remove::<SteeringPath>();
        run_seconds(&mut app, 1.0);
        assert_eq!(total(&app, agent), Vec2::ZERO);
        assert_eq!(warnings(&app), []);
    }
}

#[test]
fn a_satellite_walks_its_own_path_or_its_agents() {
    for backend in BACKENDS {
        for on_agent in [true, false] {
            let mut app = backend.app(HERTZ);
            listen::<PathCompleted>(&mut app);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
            let carrier = (SteersFor(agent), FollowPath::default());
            let carrier = app.world_mut().spawn(carrier).id();
            let holder = if on_agent { agent } else { carrier };
            app.world_mut().entity_mut(holder).insert(zigzag());
            run_seconds(&mut app, 20.0);
            let completed = heard::<PathCompleted>(&app);
            assert_eq!(completed.len(), 1, "{backend:?}");
            assert_eq!(
                (completed[0].entity, completed[0].carrier),
                (agent, carrier)
            );
        }
    }
}

#[test]
fn nonsense_parameters_are_named_and_contribute_nothing() {
    let bad = [
        (
            FollowPath::default().waypoints(0.0),
            "FollowPath.style.reach",
        ),
        (
            FollowPath::default().corridor(-1.0, 0.5),
            "FollowPath.style.radius",
        ),
        (
            FollowPath::default().corridor(1.0, f32::NAN),
            "FollowPath.style.look_ahead",
        ),
        (
            FollowPath {
                tolerance: -0.1,
                ..default()
            },
            "FollowPath.tolerance",
        ),
    ];
    for (follow, field) in bad {
        let mut app = point_mass_app(HERTZ);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(1.0, 1.0), (zigzag(), follow));
        run_ticks(&mut app, 30);
        assert_eq!(total(&app, agent), Vec2::ZERO);
        assert_warned_once(&app, agent, field, field);
    }
    let mut app = point_mass_app(HERTZ);
    let body = Body::at(9.0, 0.0);
    let detection = StuckDetection {
        after: f32::NAN,
        ..default()
    };
    let agent = Backend::PointMass.spawn(&mut app, body, (Seek::new(Vec2::ZERO), detection));
    run_ticks(&mut app, 30);
    assert_warned_once(&app, agent, "StuckDetection.after", "after");
}

#[test]
fn a_formation_of_nine_holds_within_one_radius_on_a_turning_leader() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let circle = (0..60).map(|i| {
            let angle = TAU * i as f32 / 60.0;
            10.0 * Vec2::from_angle(angle)
        });
        let leader = backend.spawn(
            &mut app,
            Body::at(10.0, 0.0),
            (
                SteeringPath::looped(circle).unwrap(),
                FollowPath::default().corridor(1.0, 0.5),
                Vehicle {
                    max_speed: 2.5,
                    ..default()
                },
            ),
        );
        let wing: Vec<_> = (-4..=4)
            .map(|i: i32| {
                let offset = Vec2::new(-1.5 * (1 + i.abs()) as f32, 0.9 * i as f32);
                let body = Body::at(10.0 + i as f32, -4.0);
                let agent = backend.spawn(&mut app, body, OffsetPursuit::new(leader, offset));
                (agent, offset)
            })
            .collect();
        run_seconds(&mut app, 8.0);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 30 {
            let seen = *get::<Kinematics>(&app, leader);
            for &(agent, offset) in &wing {
                let slot = seen.position + seen.heading.rotate(offset);
                let body = get::<Kinematics>(&app, agent);
                farthest = farthest.max(body.position.distance(slot));
            }
            app.update();
        }
        assert!(farthest < 0.5, "{backend:?}: {farthest} m out of place");
    }
}

#[test]
fn interpose_takes_every_mix_of_agents_obstacles_and_points() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let obstacle = app
            .world_mut()
            .spawn(Transform::from_xyz(0.0, 10.0, 0.0))
            .id();
        let other = app
            .world_mut()
            .spawn(Transform::from_xyz(8.0, 0.0, 0.0))
            .id();
        let moving = Body::at(-6.0, -6.0).moving(1.0, 0.0);
        let walker = backend.spawn(&mut app, moving, ());
        let second = backend.spawn(&mut app, Body::at(6.0, -6.0).moving(1.0, 0.0), ());
        let point = Target::Point(Vec2::new(-8.0, 2.0));
        let ends: [Target; 5] = [
            obstacle.into(),
            other.into(),
            walker.into(),
            second.into(),
            point,
        ];
        let mut guards = Vec::new();
        for (i, &first) in ends.iter().enumerate() {
            for &second in &ends[i + 1..] {
                let body = Body::at(i as f32, -2.0);
                let guard = backend.spawn(&mut app, body, Interpose::between(first, second));
                guards.push((guard, first, second));
            }
        }
        run_seconds(&mut app, 10.0);
        let place = |app: &App, target| match target {
            Target::Point(point) => point,
            Target::Entity(entity) => position(app, entity),
        };
        for (guard, first, second) in guards {
            let middle = place(&app, first).midpoint(place(&app, second));
            let off = position(&app, guard).distance(middle);
            assert!(off < 0.2, "{backend:?}, {first:?} {second:?}: {off} m off");
        }
    }
}

#[test]
fn interpose_announces_whichever_of_the_two_is_lost() {
    for lose_first in [true, false] {
        let mut app = point_mass_app(HERTZ);
        listen::<TargetLost>(&mut app);
        let [first, second] = [-3.0, 3.0].map(|x| {
            let place = Transform::from_xyz(x, 5.0, 0.0);
            app.world_mut().spawn(place).id()
        });
        let guard = Interpose::between(first, second);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), guard);
        run_seconds(&mut app, 0.5);
        let gone = if lose_first { first } else { second };
        app.world_mut().despawn(gone);
        run_seconds(&mut app, 0.5);
        let lost = heard::<TargetLost>(&app);
        assert_eq!(lost.len(), 1);
        assert_eq!((lost[0].entity, lost[0].target), (agent, gone.into()));
    }
}

#[test]
fn a_tethered_wanderer_stays_near_its_post() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let bundle = (Wander::default(), Tether::new(Vec2::new(3.0, 0.0), 4.0));
        let agent = backend.spawn(&mut app, Body::at(3.0, 0.0), bundle);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 120 {
            app.update();
            farthest = farthest.max(position(&app, agent).distance(Vec2::new(3.0, 0.0)));
        }
        assert!(farthest > 3.0, "{backend:?}: it does wander");
        assert!(farthest < 5.5, "{backend:?}: {farthest} m away");
    }
}

#[test]
fn a_wanderer_stays_on_its_road() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let road = triangle();
        let bundle = (Wander::default(), StayOnPath::default(), road.clone());
        let agent = backend.spawn(&mut app, Body::at(4.0, 0.0), bundle);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 120 {
            app.update();
            farthest = farthest.max(distance_from(&road, position(&app, agent)));
        }
        assert!(farthest < 1.5, "{backend:?}: {farthest} m off the road");
    }
}

#[test]
fn a_flow_field_carries_agents_and_ends_at_its_border() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let east = FlowField::new(Vec2::splat(-10.0), 1.0, UVec2::splat(21), |_| Vec2::X);
        let field = app.world_mut().spawn(east.unwrap()).id();
        let inside = backend.spawn(
            &mut app,
            Body::at(-5.0, 0.0),
            FlowFieldFollowing::along(field),
        );
        let outside = backend.spawn(
            &mut app,
            Body::at(0.0, 20.0),
            FlowFieldFollowing::along(field),
        );
        run_seconds(&mut app, 2.0);
        assert!((velocity(&app, inside) - Vec2::new(5.0, 0.0)).length() < 0.1);
        assert_eq!(total(&app, outside), Vec2::ZERO);
        run_seconds(&mut app, 5.0);
        assert_eq!(total(&app, inside), Vec2::ZERO, "out of the field");
        assert_eq!(warnings(&app), []);
    }
}

#[test]
fn match_velocity_does_as_the_other_does() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let other = backend.spawn(&mut app, Body::at(50.0, 0.0).moving(1.0, -2.0), ());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), MatchVelocity::new(other));
        run_seconds(&mut app, 3.0);
        let error = velocity(&app, agent) - Vec2::new(1.0, -2.0);
        assert!(error.length() < 0.01, "{backend:?}: {error}");
    }
}

#[test]
fn a_body_faces_its_target_while_it_goes_elsewhere() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let ball = app
            .world_mut()
            .spawn(Transform::from_xyz(0.0, 30.0, 0.0))
            .id();
        let bundle = (Seek::new(Vec2::new(90.0, 0.0)), FaceTarget::new(ball));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), bundle);
        run_seconds(&mut app, 4.0);
        let to_ball = (Vec2::new(0.0, 30.0) - position(&app, agent)).normalize();
        let error = facing(&app, agent).angle_to(to_ball).abs();
        assert!(error < 0.05, "{backend:?}: {error} rad off");
        // Without it, it faces where it goes.
        app.world_mut().despawn(ball);
        run_seconds(&mut app, 2.0);
        assert!(facing(&app, agent).x > 0.999, "{backend:?}");
    }
}

/// Two balls that want to pass through each other, dead center.
fn head_on(app: &mut App, with: impl Bundle + Clone) -> [Entity; 2] {
    [-1.0, 1.0].map(|side: f32| {
        let ball = (
            RigidBody::Dynamic,
            Collider::ball(0.5),
            ColliderMassProperties::Mass(1.0),
            LockedAxes::ROTATION_LOCKED,
            Velocity::default(),
            Transform::from_xyz(side * 4.0, 0.0, 0.0),
            Seek::new(Vec2::new(-side * 100.0, 0.0)),
            with.clone(),
        );
        app.world_mut().spawn(ball).id()
    })
}

#[test]
fn who_meets_head_on_is_stuck_and_says_so_once() {
    let mut app = rapier_app(HERTZ);
    listen::<Stuck>(&mut app);
    let both = head_on(&mut app, StuckDetection::default());
    run_seconds(&mut app, 10.0);
    let stuck: Vec<_> = heard::<Stuck>(&app)
        .iter()
        .map(|stuck| stuck.entity)
        .collect();
    assert_eq!(stuck, both);
    assert!(get::<StuckMemory>(&app, both[0]).stuck);
}

#[test]
fn a_sidestep_breaks_the_symmetry() {
    let mut app = rapier_app(HERTZ);
    let [left, right] = head_on(&mut app, Sidestep::default());
    run_seconds(&mut app, 12.0);
    assert!(position(&app, left).x > 5.0, "{}", position(&app, left));
    assert!(position(&app, right).x < -5.0, "{}", position(&app, right));
}

#[test]
fn who_has_arrived_or_moves_is_not_stuck() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        listen::<Stuck>(&mut app);
        let watched = StuckDetection::default();
        backend.spawn(&mut app, Body::at(0.0, 0.0), (watched, Wander::default()));
        let rests = (watched, Arrive::new(Vec2::new(3.0, 0.0)));
        backend.spawn(&mut app, Body::at(0.0, 0.0), rests);
        let ends = (watched, FollowPath::default(), zigzag());
        backend.spawn(&mut app, Body::at(0.0, 0.0), ends);
        run_seconds(&mut app, 30.0);
        assert_eq!(heard::<Stuck>(&app), [], "{backend:?}");
    }
}

/// Few distinct coordinates, so that places coincide and line up, and some far away.
fn anywhere() -> impl Strategy<Value = Vec2> {
    let coordinate = || prop_oneof![(-2..3).prop_map(|c| c as f32), -1e6_f32..1e6];
    (coordinate(), coordinate()).prop_map(Vec2::from)
}

fn anybody() -> impl Strategy<Value = Kinematics> {
    (anywhere(), anywhere(), any::<bool>()).prop_map(|(position, velocity, has_heading)| {
        let heading = velocity.normalize_or(Vec2::X);
        Kinematics {
            position,
            velocity,
            heading: if has_heading { heading } else { Vec2::ZERO },
            ..default()
        }
    })
}

proptest! {
    #[test]
    fn every_force_is_finite_and_bounded(
        position in anywhere(),
        velocity in anywhere(),
        grams in 1..1_000_000_u32,
        first in anybody(),
        second in anybody(),
        offset in anywhere(),
        length in 0.0_f32..100.0,
        points in proptest::collection::vec(anywhere(), 1..9),
        looped: bool,
    ) {
        let mass = grams as f32 / 1e3;
        let me = Agent { position, velocity, mass, ..default() };
        let path = if looped { SteeringPath::looped(points) } else { SteeringPath::open(points) };
        let leash = Tether { radius: length, ..default() };
        let road = StayOnPath { radius: length + 0.01, ..default() };
        let place = OffsetPursuit { offset, ..default() };
        let slot = behaviors::slot(&first, offset);
        for force in [
            behaviors::interpose(&me, &first, &second, &Interpose::default()),
            behaviors::offset_pursuit(&me, &first, slot, second.velocity, &place),
            behaviors::tether(&me, &first, &leash),
            behaviors::match_velocity(&me, first.velocity),
            behaviors::follow_flow(&me, offset),
            behaviors::stay_on_path(&me, &path.unwrap(), &road),
        ] {
            assert!(force.is_finite() && force.length() <= 1.0001 * me.max_force, "{force}");
        }
    }
}
