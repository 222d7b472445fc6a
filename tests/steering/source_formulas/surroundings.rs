//! Obstacles, walls, paths, and places among others.

use bevy_steering2d::behaviors::*;
use bevy_steering2d::{Circle, HideMemory};

use super::*;

#[test]
fn obstacle_avoidance_turns_away_and_brakes_as_described() {
    let me = Agent {
        velocity: Vec2::new(5.0, 0.0),
        ..default()
    };
    for side in [-0.75, 0.75] {
        let obstacle = Circle::new(Vec2::new(3.0, side), 1.0);
        let force = obstacle_avoidance(&me, [obstacle], &ObstacleAvoidance::default());
        assert!(force.x < -1.0 && force.y * side < -1.0, "{force}");
    }
}

/// The listed force is `normal · overshoot`.
#[test]
fn wall_avoidance_is_in_proportion_to_the_listed_overshoot() {
    // At 5 m/s the feeler is 3.5 m long and ends 4 m ahead.
    for overshoot in [0.35, 0.7, 1.4] {
        let mut app = point_mass_app(HERTZ);
        let x = 4.0 - overshoot;
        let wall = Wall::new(Vec2::new(x, -50.0), Vec2::new(x, 50.0));
        app.world_mut().spawn(wall);
        let agents = [WallResponse::Linear, WallResponse::Quadratic].map(|response| {
            let avoidance = WallAvoidance::new(Feelers::Single).with_response(response);
            let body = Body::at(0.0, 0.0).moving(5.0, 0.0);
            Backend::PointMass.spawn(&mut app, body, avoidance)
        });
        run_ticks(&mut app, 1);
        // The listing in the text takes the overshoot, the adapted one its square.
        let share = 2.0 * overshoot / 3.5;
        for (agent, listed) in agents.into_iter().zip([share, share * share]) {
            let raw = entry::<WallAvoidance>(&app, agent).raw;
            assert_near(raw, 20.0 * listed * Vec2::NEG_X, 1e-3, "overshoot");
        }
    }
}

#[test]
fn interpose_goes_to_the_listed_point_and_keeps_its_velocity() {
    let me = unit_agent();
    let braking = Braking::Deceleration(Deceleration::Normal);
    for [a, b] in [[Vec2::ZERO, Vec2::ZERO], [Vec2::X, Vec2::new(-0.5, 2.0)]] {
        let [a, b] = [body(Vec2::new(7.0, 1.0), a), body(Vec2::new(3.0, 9.0), b)];
        let how = Interpose {
            braking,
            ..default()
        };
        let middle = (a.position + b.position) / 2.0;
        let time = me.position.distance(middle) / me.max_speed;
        let [a_then, b_then] = [&a, &b].map(|it| it.position + it.velocity * time);
        let objective = (a_then + b_then) / 2.0;
        let (point, velocity) = how.point(&me, &a, &b);
        assert_equal(point, objective);
        // The listing is slower by the velocity of the point, and so stays behind it.
        let listed = listed::arrive(&me, objective, 2.0) + me.velocity;
        let ours = interpose(&me, &a, &b, &how) + me.velocity;
        assert_equal(ours, (velocity + listed).clamp_length_max(me.max_speed));
    }
}

#[test]
fn hide_goes_behind_the_obstacle_as_described() {
    let me = unit_agent();
    let hunter = body(Vec2::new(40.0, 9.0), Vec2::ZERO);
    let obstacle = Circle::new(Vec2::new(20.0, 3.0), 2.0);
    let spot = hiding_spot(&me, hunter.position, obstacle, 0.5).unwrap();
    let beyond = spot - obstacle.center;
    assert_equal(
        beyond.normalize(),
        (obstacle.center - hunter.position).normalize(),
    );
    assert!((beyond.length() - (2.0 + 0.5 + 0.5)).abs() < 1e-4);
    // From afar ours equals the listing, which seeks the spot and does not stop there.
    let how = Hide {
        panic_distance: f32::INFINITY,
        ..default()
    };
    let run = HideMemory {
        obstacle: Some(Entity::PLACEHOLDER),
        spot,
        urgency: 1.0,
        ..default()
    };
    let ours = hide(&me, &hunter, Some(&run), &how);
    assert_equal(ours, listed::seek(&me, spot));
}

#[test]
fn path_following_seeks_and_arrives_as_listed() {
    let me = Agent {
        velocity: Vec2::ZERO,
        ..unit_agent()
    };
    let points = [(0.0, 0.0), (9.0, 0.0), (9.0, 7.0), (30.0, 20.0)].map(Vec2::from);
    let path = SteeringPath::open(points).unwrap();
    let how = PathFollowing::default();
    for (waypoint, point) in points.into_iter().enumerate() {
        let mut progress = PathFollowingMemory::default();
        progress.waypoint = waypoint;
        // Far from the last point arriving equals seeking.
        let ours = path_following(&me, &path, &progress, &how);
        assert_equal(ours, listed::seek(&me, point));
    }
    let near_the_end = Agent {
        position: points[3] - Vec2::X,
        ..me
    };
    let mut progress = PathFollowingMemory::default();
    progress.waypoint = 3;
    let ours = path_following(&near_the_end, &path, &progress, &how);
    assert!(ours.x > 0.0 && ours.x < me.max_speed, "slows down: {ours}");
}

#[test]
fn offset_pursuit_arrives_as_listed_in_the_frame_of_the_slot() {
    let me = unit_agent();
    let how = OffsetPursuit {
        offset: Vec2::new(-2.0, 1.0),
        braking: Braking::Deceleration(Deceleration::Fast),
        ..default()
    };
    for velocity in [Vec2::ZERO, Vec2::new(1.0, 2.0)] {
        let leader = Kinematics {
            heading: Vec2::new(1.0, 2.0).normalize(),
            ..body(Vec2::new(3.5, 2.5), velocity)
        };
        let slot = leader.position + leader.heading * -2.0 + leader.heading.perp();
        assert_equal(formation_slot(&leader, how.offset), slot);
        let time = listed::look_ahead_time(&me, slot, leader.velocity.length());
        let listed = listed::arrive(&me, slot + leader.velocity * time, 1.0) + me.velocity;
        let ours = offset_pursuit(&me, &leader, slot, leader.velocity, &how) + me.velocity;
        assert_equal(
            ours,
            (leader.velocity + listed).clamp_length_max(me.max_speed),
        );
    }
}
