//! How agents avoid colliders, follow them, hide behind them, and get out of them.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::Circle;
use bevy_steering2d::navigation::NoPathReason;
use bevy_steering2d::perception::nearest_on_segment;
use bevy_steering2d::prelude::*;

use super::{fixed, runner};
use crate::common::*;

fn shapes() -> Vec<(&'static str, Collider)> {
    let hexagon: Vec<Vec2> = (0..6)
        .map(|i| 1.5 * Vec2::from_angle(i as f32 * std::f32::consts::FRAC_PI_3))
        .collect();
    vec![
        ("ball", Collider::ball(1.5)),
        ("box", Collider::cuboid(1.5, 1.0)),
        ("capsule", Collider::capsule_y(1.0, 0.6)),
        ("polygon", Collider::convex_hull(&hexagon).unwrap()),
        (
            "polyline",
            Collider::polyline(vec![Vec2::new(0.0, -2.0), Vec2::new(0.0, 2.0)], None),
        ),
        (
            "compound",
            Collider::compound(vec![
                (Vec2::Y, 0.0, Collider::ball(1.0)),
                (Vec2::NEG_Y, 0.0, Collider::cuboid(0.7, 0.7)),
            ]),
        ),
    ]
}

#[test]
fn colliders_of_every_shape_are_avoided() {
    for (name, shape) in shapes() {
        for y in [-1.0, -0.3, 0.0, 0.3, 1.0] {
            let mut app = rapier_app(HERTZ);
            fixed(&mut app, shape.clone(), 0.0, 0.0);
            let agent = (
                ObstacleAvoidance::default(),
                Seek::new(Vec2::new(60.0, 0.0)),
            );
            // The agent's own collider touches nothing: only steering keeps the agent out.
            let agent = runner(&mut app, -9.0, y, agent);
            let mut gap = f32::INFINITY;
            for _ in 0..60 * 6 {
                app.update();
                let at = position(&app, agent);
                gap = gap.min(shape.distance_to_local_point(at, true) - PointMass::RADIUS);
            }
            assert!(gap > -0.025, "{name} from y = {y}: {gap} m deep");
            let x = position(&app, agent).x;
            // The concave compound may trap an agent: passing it takes path planning.
            let past = x > 3.0 || name == "compound";
            assert!(past, "{name} from y = {y}: stays at {x}");
        }
    }
}

#[test]
fn rocks_are_avoided_alike_as_obstacles_and_as_colliders() {
    let mut random = RandomStream::new(1, SteeringId(0), 0);
    for world in 0..50 {
        let rocks = [(); 9].map(|()| {
            let at = random.point_in(Rect::new(-1.0, -2.5, 7.0, 2.5));
            Circle::new(at, 0.5 + 0.3 * random.signed_unit())
        });
        // None inside of the body.
        let near = |it: &&Circle| it.center.length() > it.radius + PointMass::RADIUS;
        let avoiding = |spawn: &dyn Fn(&mut App, Circle)| {
            let mut app = rapier_app(HERTZ);
            rocks
                .iter()
                .filter(near)
                .for_each(|&rock| spawn(&mut app, rock));
            let agent = runner(&mut app, 0.0, 0.0, ObstacleAvoidance::default());
            entry::<ObstacleAvoidance>(&app, agent).raw
        };
        let obstacles = avoiding(&|app, Circle { center, radius }| {
            let place = Transform::from_translation(center.extend(0.0));
            app.world_mut().spawn((place, Obstacle { radius }));
        });
        let colliders = avoiding(&|app, Circle { center, radius }| {
            fixed(app, Collider::ball(radius), center.x, center.y);
        });
        assert_near(colliders, obstacles, 1e-3, &format!("world {world}"));
    }
}

#[test]
fn wall_avoidance_avoids_colliders() {
    for (name, shape) in [
        ("box", Collider::cuboid(0.5, 20.0)),
        (
            "segment",
            Collider::segment(Vec2::new(0.0, -20.0), Vec2::new(0.0, 20.0)),
        ),
    ] {
        let mut app = rapier_app(HERTZ);
        // The near face is at x = 3.5.
        let x = if name == "box" { 4.0 } else { 3.5 };
        fixed(&mut app, shape, x, 0.0);
        let beyond = Seek::new(Vec2::new(60.0, 0.0));
        let agent = runner(&mut app, -9.0, 0.0, (WallAvoidance::default(), beyond));
        let mut nearest = f32::INFINITY;
        for _ in 0..60 * 20 {
            app.update();
            let gap = 3.5 - position(&app, agent).x - PointMass::RADIUS;
            assert!(gap > 0.0, "{name}: {gap} m deep");
            nearest = nearest.min(gap);
        }
        assert!(nearest < 1.0, "{name}: stays {nearest} m away");
    }
}

#[test]
fn walls_are_avoided_alike_as_walls_and_as_colliders() {
    let mut random = RandomStream::new(1, SteeringId(0), 0);
    let (mut world, mut avoided) = (0, 0);
    while world < 50 {
        let [from, to] = [(); 2].map(|()| random.point_in(Rect::new(-3.0, -4.0, 5.0, 4.0)));
        let wall = Wall::new(from, to);
        // None inside of the body.
        if nearest_on_segment(Vec2::ZERO, from, to).length() < PointMass::RADIUS {
            continue;
        }
        world += 1;
        let avoiding = |spawn: &dyn Fn(&mut App)| {
            let mut app = rapier_app(HERTZ);
            spawn(&mut app);
            let agent = runner(&mut app, 0.0, 0.0, WallAvoidance::default());
            entry::<WallAvoidance>(&app, agent).raw
        };
        let as_wall = avoiding(&|app| {
            app.world_mut().spawn(wall);
        });
        let as_collider = avoiding(&|app| {
            fixed(app, Collider::segment(from, to), 0.0, 0.0);
        });
        assert_near(as_collider, as_wall, 1e-3, &format!("world {world}"));
        avoided += u32::from(as_wall != Vec2::ZERO);
    }
    assert!(avoided > 25, "only {avoided} walls in the way");
}

#[test]
fn hide_and_wall_following_use_colliders() {
    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::ball(1.5), 5.0, 0.0);
    let hider = (
        Hide::new(Vec2::new(-5.0, 0.0)),
        ObstacleAvoidance::default(),
    );
    let hider = runner(&mut app, 3.0, 4.0, hider);
    run_seconds(&mut app, 8.0);
    // 1.5 + 0.5 + 0.5 m behind the center.
    assert_near(position(&app, hider), Vec2::new(7.5, 0.0), 0.2, "hidden");

    let mut app = rapier_app(HERTZ);
    fixed(&mut app, Collider::cuboid(1_000.0, 1.0), 0.0, -1.0);
    let follower = runner(&mut app, 0.0, 3.0, WallFollowing::default());
    run_seconds(&mut app, 8.0);
    let y = position(&app, follower).y;
    assert!(
        (y - 1.5).abs() < 0.05,
        "1 m between rim and wall, center at {y}"
    );
}

#[test]
fn a_half_space_is_no_cover() {
    let mut app = rapier_app(HERTZ);
    let floor = Collider::halfspace(Vec2::Y).expect("a unit vector");
    fixed(&mut app, floor, 0.0, -3.0);
    let hider = runner(&mut app, 3.0, 0.0, Hide::new(Vec2::new(-5.0, 0.0)));
    run_seconds(&mut app, 2.0);
    let x = position(&app, hider).x;
    assert!(x > 5.0, "it evades: {x}");
}

#[test]
fn a_wall_follower_stays_on_its_side_of_a_thin_collider() {
    let mut app = rapier_app(HERTZ);
    let fence = Collider::segment(Vec2::new(0.0, -50.0), Vec2::new(0.0, 50.0));
    fixed(&mut app, fence, 3.5, 0.0);
    // After the look-ahead time it would be beyond the fence.
    let follower = runner(&mut app, 2.1, 0.0, WallFollowing::default());
    for _ in 0..60 * 5 {
        app.update();
        let x = position(&app, follower).x;
        assert!(x < 3.5, "through the fence: {x}");
    }
    let x = position(&app, follower).x;
    assert!((x - 2.0).abs() < 0.05, "1 m between rim and fence, at {x}");
}

#[test]
fn an_agent_in_a_thin_box_gets_out_and_a_target_in_it_is_not_beyond_it() {
    let corners = [(-0.15, -3.0), (0.15, -3.0), (0.15, 3.0), (-0.15, 3.0)].map(Vec2::from);
    let hull = Collider::convex_hull(&corners).unwrap();
    for shape in [Collider::cuboid(0.15, 3.0), hull] {
        leave_and_enter_thin(shape);
    }
}

fn leave_and_enter_thin(shape: Collider) {
    let mut app = rapier_app(HERTZ);
    record_events::<NoPath>(&mut app);
    fixed(&mut app, shape, 0.0, 0.0);
    app.update();
    let (inside, west) = (Vec2::new(-0.05, 0.0), Vec2::new(-4.0, 0.0));
    let mut navigate = |from: Vec2, to: Vec2| {
        let body = Body::at(from.x, from.y);
        Backend::PointMass.spawn(&mut app, body, NavigateTo::new(to))
    };
    let (enters, leaves) = (navigate(west, inside), navigate(inside, west));
    for _ in 0..60 * 6 {
        app.update();
        let x = position(&app, leaves).x;
        assert!(x < 0.0, "out on the other side: {x}");
    }
    assert_near(position(&app, leaves), west, 0.3, "out of the box");
    assert_near(position(&app, enters), west, 0.1, "not into the box");
    let refused = recorded_events::<NoPath>(&app);
    let refused: Vec<_> = refused.iter().map(|it| (it.entity, it.reason)).collect();
    assert_eq!(refused, [(enters, NoPathReason::TargetBlocked)]);
}

#[test]
fn an_agent_in_a_collider_gets_out_on_the_nearest_side() {
    let avoiding: [fn(&mut EntityWorldMut); 2] = [
        |agent| {
            agent.insert((ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM));
        },
        |agent| {
            agent.insert(WallAvoidance::default());
        },
    ];
    for (case, insert) in avoiding.into_iter().enumerate() {
        let mut app = rapier_app(HERTZ);
        fixed(&mut app, Collider::cuboid(5.0, 5.0), 0.0, 0.0);
        app.update();
        let agent = (Arrive::new(Vec2::new(9.0, 0.0)), SensesColliders::default());
        let agent = Backend::PointMass.spawn(&mut app, Body::at(4.7, 0.5), agent);
        insert(&mut app.world_mut().entity_mut(agent));
        run_seconds(&mut app, 4.0);
        let at = position(&app, agent);
        assert!(at.x > 5.0 + PointMass::RADIUS, "case {case}: at {at}");
    }
}

#[test]
fn a_wall_that_moves_over_an_agent_does_not_swallow_it() {
    let mut app = rapier_app(HERTZ);
    let wall = (
        RigidBody::KinematicVelocityBased,
        Collider::cuboid(2.0, 6.0),
        Velocity::linear(Vec2::new(2.0, 0.0)),
        Transform::from_xyz(-3.0, 0.0, 0.0),
    );
    let wall = app.world_mut().spawn(wall).id();
    app.update();
    let agent = (
        ReciprocalAvoidance::default(),
        Combine::WEIGHTED_SUM,
        Arrive::new(Vec2::ZERO),
        SensesColliders::default(),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_seconds(&mut app, 4.0);
    let front = position(&app, wall).x + 2.0;
    let x = position(&app, agent).x;
    // It is pushed along, and out of the side that it is nearest to.
    let depth = front - x;
    assert!(depth < PointMass::RADIUS, "{depth} m behind the front");
}
