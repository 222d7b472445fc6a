//! Obstacles and walls without colliders, and the behaviors that avoid them or use them.

use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use bevy_steering2d::HideMemory;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Ten simulated minutes.
const LONG: u32 = 36_000;

/// The segment that each agent moved along in one tick.
struct Steps {
    agents: Vec<Entity>,
    before: Vec<Vec2>,
}

impl Steps {
    fn new(app: &App, agents: Vec<Entity>) -> Self {
        let before = agents.iter().map(|&agent| position(app, agent)).collect();
        Self { agents, before }
    }

    fn take(&mut self, app: &mut App) -> Vec<(Vec2, Vec2)> {
        app.update();
        let after: Vec<Vec2> = self.agents.iter().map(|&a| position(app, a)).collect();
        let steps = self.before.iter().copied().zip(after.iter().copied());
        let steps = steps.collect();
        self.before = after;
        steps
    }
}

fn crosses((from, to): (Vec2, Vec2), wall: &Wall) -> bool {
    let side = |a: Vec2, b: Vec2, p: Vec2| (b - a).perp_dot(p - a);
    let apart = |a: f32, b: f32| a * b <= 0.0 && (a, b) != (0.0, 0.0);
    apart(side(wall.from, wall.to, from), side(wall.from, wall.to, to))
        && apart(side(from, to, wall.from), side(from, to, wall.to))
}

#[test]
fn fifty_wanderers_never_pass_a_wall_in_ten_minutes() {
    let mut app = point_mass_app(HERTZ);
    let room = Rect::new(-20.0, -15.0, 20.0, 15.0);
    let mut walls = Wall::room(room).to_vec();
    // Inside: a free-standing wall, a wedge of 30° and a block.
    walls.push(Wall::new(Vec2::new(-12.0, -8.0), Vec2::new(-12.0, 4.0)));
    walls.push(Wall::new(Vec2::new(8.0, 10.0), Vec2::new(-2.0, 10.0)));
    walls.push(Wall::new(Vec2::new(8.0, 10.0), Vec2::new(-0.66, 5.0)));
    walls.extend(Wall::room(Rect::new(6.0, -9.0, 10.0, -5.0)));
    app.world_mut().spawn_batch(walls.clone());
    let agents = (0..50)
        .map(|i| {
            let cell = Vec2::new((i % 10) as f32, (i / 10) as f32);
            let body = Body::at(-18.0 + 3.6 * cell.x, -2.5 + 1.5 * cell.y);
            let agent = (Wander::default(), WallAvoidance::default());
            Backend::PointMass.spawn(&mut app, body, agent)
        })
        .collect();
    let mut steps = Steps::new(&app, agents);
    let mut way = 0.0;
    for tick in 0..LONG {
        for step in steps.take(&mut app) {
            way += step.0.distance(step.1);
            let passed = walls.iter().find(|wall| crosses(step, wall));
            assert_eq!(passed, None, "tick {tick}, {step:?}");
            assert!(room.contains(step.1), "tick {tick}: left at {}", step.1);
        }
    }
    let speed = way / (50.0 * 600.0);
    assert!(speed > 1.5, "mean speed {speed} m/s");
}

/// Round rocks of 0.5 to 2 m that do not overlap, none on the start line at y = 0.
fn rocks(seed: u64, count: usize, area: Rect) -> Vec<(Vec2, f32)> {
    let mut stream = RandomStream::new(seed, SteeringId(0), 0);
    let mut rocks: Vec<(Vec2, f32)> = Vec::new();
    while rocks.len() < count {
        let (center, radius) = (stream.point_in(area), 0.5 + 1.5 * stream.unit());
        let free = |&(other, size): &(Vec2, f32)| center.distance(other) > radius + size;
        if center.y.abs() > radius + 1.0 && rocks.iter().all(free) {
            rocks.push((center, radius));
        }
    }
    rocks
}

#[test]
fn twenty_wanderers_hit_none_of_sixty_obstacles_in_ten_minutes() {
    (1..=4).for_each(wander_among_rocks);
}

fn wander_among_rocks(seed: u64) {
    let mut app = point_mass_app(HERTZ);
    let area = Rect::new(-25.0, -20.0, 25.0, 20.0);
    // Agents can pass between rocks and edge, but not always between two rocks.
    let rocks = rocks(seed, 60, area.inflate(-3.5));
    for &(center, radius) in &rocks {
        let place = Transform::from_translation(center.extend(0.0));
        app.world_mut().spawn((place, Obstacle { radius }));
    }
    let agents = (0..20)
        .map(|i| {
            let body = Body::at(-22.0 + 2.2 * i as f32, 0.0);
            let agent = (
                Wander::default(),
                ObstacleAvoidance::default(),
                Containment::new(area),
            );
            Backend::PointMass.spawn(&mut app, body, agent)
        })
        .collect();
    let mut steps = Steps::new(&app, agents);
    let (mut deepest, mut way) = (f32::NEG_INFINITY, 0.0);
    for _ in 0..LONG {
        for (from, to) in steps.take(&mut app) {
            way += from.distance(to);
            assert!(area.contains(to), "left at {to}");
            for &(center, radius) in &rocks {
                deepest = deepest.max(radius + PointMass::RADIUS - to.distance(center));
            }
        }
    }
    assert!(
        deepest <= 0.05 * PointMass::RADIUS,
        "world {seed}: {deepest} m deep"
    );
    let speed = way / (20.0 * 600.0);
    assert!(speed > 2.0, "mean speed {speed} m/s");
}

#[test]
fn a_moving_obstacle_is_avoided_at_its_current_position() {
    let mut app = point_mass_app(HERTZ);
    let rock = app.world_mut().spawn(Obstacle { radius: 1.0 }).id();
    let agent = (ObstacleAvoidance::default(), Vehicle::default());
    let body = Body::at(-3.0, 0.0).moving(5.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    let push = |app: &mut App, y: f32| {
        app.world_mut()
            .get_mut::<Transform>(rock)
            .unwrap()
            .translation
            .y = y;
        app.update();
        total(app, agent).y
    };
    assert!(push(&mut app, 0.3) < 0.0);
    assert!(push(&mut app, -0.3) > 0.0);
    assert_eq!(push(&mut app, 9.0), 0.0);
    app.world_mut().despawn(rock);
    app.update();
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

#[test]
fn an_agent_that_is_an_obstacle_does_not_avoid_itself() {
    let mut app = point_mass_app(HERTZ);
    let agent = (ObstacleAvoidance::default(), Obstacle { radius: 0.5 });
    let body = Body::at(0.0, 0.0).moving(5.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    run_ticks(&mut app, 10);
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

#[test]
fn hide_keeps_agents_out_of_sight_of_a_wandering_hunter() {
    let mut app = point_mass_app(HERTZ);
    let area = Rect::new(-20.0, -20.0, 20.0, 20.0);
    let hunter = Backend::PointMass.spawn(
        &mut app,
        Body::at(0.0, 0.0),
        (
            Vehicle {
                max_speed: 2.0,
                ..default()
            },
            Wander::default(),
            Containment::new(area),
        ),
    );
    let rocks = rocks(1, 12, area.inflate(-3.0));
    for &(center, radius) in &rocks {
        let place = Transform::from_translation(center.extend(0.0));
        app.world_mut().spawn((place, Obstacle { radius }));
    }
    let hider = (Hide::new(hunter), ObstacleAvoidance::default());
    let hider = Backend::PointMass.spawn(&mut app, Body::at(5.0, 5.0), hider);
    let (mut hidden, mut changes, mut last) = (0, 0, None);
    for _ in 0..60 * 120 {
        app.update();
        let sight = Wall::new(position(&app, hunter), position(&app, hider));
        let covers = |&(center, radius): &(Vec2, f32)| {
            let way = sight.to - sight.from;
            let along = (center - sight.from).dot(way) / way.length_squared();
            let nearest = sight.from + along.clamp(0.0, 1.0) * way;
            nearest.distance(center) < radius
        };
        let far = sight.from.distance(sight.to) > 15.0;
        hidden += u32::from(far || rocks.iter().any(covers));
        let spot = get::<HideMemory>(&app, hider).obstacle;
        changes += u32::from(spot != last);
        last = spot;
    }
    let share = hidden as f32 / (60.0 * 120.0);
    assert!(share > 0.8, "hidden {share} of the time");
    assert!(changes < 60, "{changes} changes in two minutes");
}

#[test]
fn obstacles_beyond_the_search_distance_do_not_hide() {
    // Rocks with a radius of 1 m, within 20 m; the third touches only the square around the disc.
    for (rock, counts) in [
        ((20.5, 0.0), true),
        ((21.5, 0.0), false),
        ((19.0, 19.0), false),
    ] {
        let mut app = point_mass_app(HERTZ);
        let place = Transform::from_translation(Vec2::from(rock).extend(0.0));
        app.world_mut().spawn((place, Obstacle { radius: 1.0 }));
        let hide = Hide::new(Vec2::new(-5.0, 0.0));
        let hider = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), hide);
        run_ticks(&mut app, 2);
        let hides = get::<HideMemory>(&app, hider).obstacle.is_some();
        assert_eq!(hides, counts, "{rock:?}");
    }
}

#[test]
fn hide_evades_without_obstacles_and_rests_without_a_hunter() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<TargetLost>(&mut app);
        let hunter = backend.spawn(&mut app, Body::at(4.0, 0.0), ());
        let hider = backend.spawn(&mut app, Body::at(0.0, 0.0), Hide::new(hunter));
        run_ticks(&mut app, 2);
        assert!(total(&app, hider).x < -1.0, "{backend:?}: evades");
        app.world_mut().despawn(hunter);
        run_ticks(&mut app, 3);
        assert_eq!(total(&app, hider), Vec2::ZERO, "{backend:?}");
        let lost = recorded_events::<TargetLost>(&app);
        assert_eq!(lost.len(), 1, "{backend:?}: {lost:?}");
    }
}

#[test]
fn an_invalid_obstacle_warns_and_is_not_avoided() {
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut app = point_mass_app(HERTZ);
        let rock = app.world_mut().spawn(Obstacle { radius }).id();
        let body = Body::at(-2.0, 0.0).moving(5.0, 0.0);
        let agent = (ObstacleAvoidance::default(), Hide::new(Vec2::Y));
        let agent = Backend::PointMass.spawn(&mut app, body, agent);
        run_ticks(&mut app, 5);
        let case = format!("radius {radius}");
        assert_warned_once(&app, rock, "Obstacle.radius", &case);
        let avoiding = entry::<ObstacleAvoidance>(&app, agent);
        assert_eq!(avoiding.raw, Vec2::ZERO, "{case}");
    }
}

#[test]
fn an_obstacle_at_an_invalid_position_warns() {
    let mut app = point_mass_app(HERTZ);
    let nowhere = Transform::from_xyz(f32::NAN, 0.0, 0.0);
    let rock = app.world_mut().spawn((Obstacle::default(), nowhere)).id();
    app.update();
    assert_warned_once(&app, rock, "Transform.translation", "NaN position");
}

#[test]
fn an_obstacle_with_an_invalid_velocity_warns() {
    let mut app = point_mass_app(HERTZ);
    let body = Kinematics {
        velocity: Vec2::NAN,
        heading: Vec2::X,
        ..default()
    };
    let rock = app.world_mut().spawn((Obstacle::default(), body)).id();
    app.update();
    assert_warned_once(&app, rock, "Kinematics.velocity", "NaN velocity");
}

#[test]
fn a_wall_without_length_warns_and_is_not_avoided() {
    let mut app = point_mass_app(HERTZ);
    let dot = Wall::new(Vec2::X, Vec2::X);
    let wall = app.world_mut().spawn(dot).id();
    let body = Body::at(0.0, 0.0).moving(5.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, body, WallAvoidance::default());
    run_ticks(&mut app, 5);
    assert_warned_once(&app, wall, "Wall.to", "no length");
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

#[test]
fn an_invalid_scene_behavior_warns_about_its_field() {
    let cases: [(&str, fn(EntityWorldMut)); 5] = [
        ("WallAvoidance.feelers", |mut agent| {
            agent.insert(WallAvoidance::new(Feelers::Custom(vec![])));
        }),
        ("ObstacleAvoidance.margin", |mut agent| {
            agent.insert(ObstacleAvoidance {
                margin: f32::NAN,
                ..default()
            });
        }),
        ("Containment.area", |mut agent| {
            agent.insert(Containment::new(Rect {
                min: Vec2::NAN,
                max: Vec2::ONE,
            }));
        }),
        ("Hide.panic_distance", |mut agent| {
            agent.insert(Hide {
                panic_distance: -1.0,
                ..default()
            });
        }),
        ("WallFollowing.distance", |mut agent| {
            agent.insert(WallFollowing::new(0.0));
        }),
    ];
    for (field, insert) in cases {
        let mut app = point_mass_app(HERTZ);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), ());
        insert(app.world_mut().entity_mut(agent));
        run_ticks(&mut app, 3);
        assert_warned_once(&app, agent, field, field);
        assert_eq!(total(&app, agent), Vec2::ZERO, "{field}");
    }
}

#[test]
fn thousands_of_overlapping_obstacles_keep_agents_finite() {
    let mut app = point_mass_app(HERTZ);
    let heap = (0..5_000).map(|i| {
        let place = Transform::from_xyz(3.0 + 1e-4 * (i % 7) as f32, 0.1, 0.0);
        (place, Obstacle { radius: 1.0 })
    });
    app.world_mut().spawn_batch(heap.collect::<Vec<_>>());
    let agents: Vec<Entity> = (0..20)
        .map(|i| {
            // Some agents start in the middle of the heap.
            let body = Body::at(3.0, 0.1 * i as f32).moving(1.0, 0.0);
            let agent = (
                Wander::default(),
                ObstacleAvoidance::default(),
                Hide::new(Vec2::new(6.0, 1.0)),
            );
            Backend::PointMass.spawn(&mut app, body, agent)
        })
        .collect();
    run_seconds(&mut app, 5.0);
    assert_all_finite(&mut app, None, "a heap");
    for agent in agents {
        assert!(total(&app, agent).length() <= 20.001);
    }
}

#[test]
fn an_agent_that_no_longer_hides_remembers_no_hiding_spot() {
    let mut app = point_mass_app(HERTZ);
    let rock = Transform::from_xyz(3.0, 0.0, 0.0);
    app.world_mut().spawn((rock, Obstacle { radius: 1.0 }));
    let hunter = Backend::PointMass.spawn(&mut app, Body::at(8.0, 0.0).moving(-0.1, 0.0), ());
    let hide = Hide {
        threat_field_of_view: 1.0,
        ..Hide::new(hunter)
    };
    let hider = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), hide);
    run_ticks(&mut app, 2);
    assert!(get::<HideMemory>(&app, hider).obstacle.is_some());
    app.world_mut()
        .get_mut::<PointMass>(hunter)
        .unwrap()
        .velocity = Vec2::new(0.1, 0.0);
    // It goes on to its hiding spot.
    run_ticks(&mut app, 60 * 5);
    assert_eq!(get::<HideMemory>(&app, hider), &HideMemory::default());
}

#[test]
fn a_body_that_is_not_sensed_yet_is_seen_where_its_transform_is() {
    let mut app = point_mass_app(HERTZ);
    let place = Transform::from_xyz(50.0, 0.0, 0.0);
    let world = app.world_mut();
    let unsensed = world.spawn((place, Kinematics::default())).id();
    let mut target = SystemState::<Targets>::new(world);
    let seen = target.get(world).unwrap().get(unsensed.into());
    assert_eq!(seen.map(|it| it.position), Some(Vec2::new(50.0, 0.0)));
}

#[test]
fn an_agent_does_not_avoid_an_obstacle_that_is_its_child() {
    let runs = |has_child: bool| {
        let mut app = point_mass_app(HERTZ);
        let agent = (Seek::new(EAST), ObstacleAvoidance::default());
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        if has_child {
            let horn = (Transform::from_xyz(1.5, 0.0, 0.0), Obstacle::new(0.5));
            let horn = app.world_mut().spawn(horn).id();
            app.world_mut().entity_mut(agent).add_child(horn);
        }
        run_seconds(&mut app, 2.0);
        position(&app, agent)
    };
    assert_eq!(runs(true), runs(false));
}
