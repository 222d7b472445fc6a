//! Rapier colliders of every shape as obstacles and walls, sensed through the query pipeline.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier;
use bevy_steering2d::navigation::{NoPathReason, Solid, Solids, Terrain};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, ColliderProbes};

use crate::common::*;

fn fixed(app: &mut App, collider: Collider, x: f32, y: f32) -> Entity {
    let body = (RigidBody::Fixed, collider, Velocity::zero());
    let place = Transform::from_xyz(x, y, 0.0);
    app.world_mut().spawn((body, place)).id()
}

/// An agent that moves along x at full speed, after the physics step that adds the colliders.
fn runner(app: &mut App, x: f32, y: f32, agent: impl Bundle) -> Entity {
    app.update();
    let body = Body::at(x, y).moving(5.0, 0.0);
    let agent = (SensesColliders::default(), agent);
    let agent = Backend::Rapier.spawn(app, body, agent);
    app.update();
    agent
}

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
        for _ in 0..60 * 20 {
            app.update();
            let gap = 3.5 - position(&app, agent).x - PointMass::RADIUS;
            assert!(gap > 0.0, "{name}: {gap} m deep");
        }
    }
}

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
