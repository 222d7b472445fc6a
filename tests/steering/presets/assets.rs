//! Shipped presets in `assets/presets`: each does what its description says.

use std::fs;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{app, app_in, load, preset, problem, shipped, wait_until};
use crate::common::*;

/// An app with one shipped preset, loaded.
fn shipped_app(name: &str) -> (App, UsesPreset) {
    let mut app = app_in(&shipped());
    let handle = load(&app, &format!("{name}.steering.ron"));
    let loaded = handle.clone();
    wait_until(&mut app, "it is loaded", |world| {
        assert_eq!(problem(world), None);
        world.resource::<Assets<SteeringPreset>>().contains(&loaded)
    });
    (app, UsesPreset(handle))
}

/// Even positions without rows, as on a sunflower's head, about `apart` m from each other.
fn sunflower(count: u32, apart: f32) -> impl Iterator<Item = Vec2> {
    (0..count).map(move |i| {
        let angle = i as f32 * 2.399_963;
        Vec2::from_angle(angle) * apart * 0.56 * (i as f32).sqrt()
    })
}

fn spawn(app: &mut App, at: Vec2, agent: impl Bundle) -> Entity {
    Backend::PointMass.spawn(app, Body::at(at.x, at.y), agent)
}

fn positions(app: &App, agents: &[Entity]) -> Vec<Vec2> {
    agents.iter().map(|&agent| position(app, agent)).collect()
}

/// The distance from each agent to its nearest neighbor, m.
fn gaps(places: &[Vec2]) -> Vec<f32> {
    let nearest = |(i, a): (usize, &Vec2)| {
        let others = places.iter().enumerate().filter(|&(j, _)| j != i);
        others
            .map(|(_, b)| a.distance(*b))
            .fold(f32::INFINITY, f32::min)
    };
    places.iter().enumerate().map(nearest).collect()
}

fn least(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::INFINITY, f32::min)
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

/// The greatest distance from the center, m.
fn spread(places: &[Vec2]) -> f32 {
    let middle = places.iter().sum::<Vec2>() / places.len() as f32;
    places
        .iter()
        .map(|place| place.distance(middle))
        .fold(0.0, f32::max)
}

/// Length of the mean heading, `0..=1` (Vicsek's order parameter, 1995).
fn order(app: &App, agents: &[Entity]) -> f32 {
    let headings = agents
        .iter()
        .map(|&agent| velocity(app, agent).normalize_or_zero());
    (headings.sum::<Vec2>() / agents.len() as f32).length()
}

#[test]
fn every_shipped_preset_loads_and_says_what_it_is_for() {
    let mut count = 0;
    for file in fs::read_dir(shipped()).unwrap() {
        let path = file.unwrap().path();
        let app = app();
        let text = fs::read_to_string(&path).unwrap();
        let read = preset(&app, &text);
        assert!(read.names().count() >= 4, "{}", path.display());
        assert!(
            text.starts_with("// ") && text.lines().count() < 20,
            "{}",
            path.display()
        );
        count += 1;
    }
    assert_eq!(
        count, 13,
        "each has its own test below, and the pedestrian in SteerBench"
    );
}

#[test]
fn boids_flock_and_keep_turning() {
    let (mut app, preset) = shipped_app("boids");
    let agents: Vec<_> = sunflower(40, 2.0)
        .map(|at| spawn(&mut app, at, preset.clone()))
        .collect();
    run_seconds(&mut app, 20.0);
    assert!(order(&app, &agents) > 0.8, "{}", order(&app, &agents));
    let places = positions(&app, &agents);
    assert!(spread(&places) < 15.0 && mean(&gaps(&places)) > 1.0);
    let before = velocity(&app, agents[0]);
    run_seconds(&mut app, 5.0);
    assert!(before.angle_to(velocity(&app, agents[0])).abs() > 0.05);
}

#[test]
fn a_fish_school_is_tight_and_heads_one_way() {
    let (mut app, preset) = shipped_app("fish_school");
    let agents: Vec<_> = sunflower(40, 1.5)
        .map(|at| spawn(&mut app, at, preset.clone()))
        .collect();
    run_seconds(&mut app, 15.0);
    assert!(order(&app, &agents) > 0.9, "{}", order(&app, &agents));
    let places = positions(&app, &agents);
    assert!(spread(&places) < 8.0, "{}", spread(&places));
    assert!(least(&gaps(&places)) > 0.3, "{}", least(&gaps(&places)));
}

#[test]
fn a_crowd_crosses_a_plaza_without_running_into_each_other() {
    let (mut app, preset) = shipped_app("crowd");
    let mut walkers = Vec::new();
    for i in 0..8 {
        let aside = i as f32 * 1.5 - 5.0;
        for (from, to) in [
            (Vec2::new(-10.0, aside), Vec2::new(10.0, aside)),
            (Vec2::new(aside, -10.0), Vec2::new(aside, 10.0)),
        ] {
            let agent = spawn(&mut app, from, (preset.clone(), Arrive::new(to)));
            walkers.push((agent, to));
        }
    }
    let agents: Vec<_> = walkers.iter().map(|&(agent, _)| agent).collect();
    let mut closest = f32::INFINITY;
    for _ in 0..30 * 60 {
        run_ticks(&mut app, 1);
        closest = closest.min(least(&gaps(&positions(&app, &agents))));
    }
    for (agent, to) in walkers {
        assert_near(
            position(&app, agent),
            to,
            0.5,
            "every agent reaches its goal",
        );
    }
    assert!(
        closest > 0.8,
        "bodies are 1 m wide, and came within {closest} m"
    );
}

#[test]
fn wolves_catch_their_prey_from_several_sides() {
    let (mut app, preset) = shipped_app("wolves");
    let slow = Vehicle {
        max_speed: 4.5,
        ..default()
    };
    let prey = spawn(&mut app, Vec2::ZERO, (slow, Wander::default()));
    let wolves: Vec<_> = [(-12.0, 2.0), (-12.0, 0.0), (-12.0, -2.0)]
        .map(|(x, y)| {
            spawn(
                &mut app,
                Vec2::new(x, y),
                (preset.clone(), Pursuit::new(prey)),
            )
        })
        .to_vec();
    app.world_mut()
        .entity_mut(prey)
        .insert(Evade::new(wolves[1]));
    let mut closest = f32::INFINITY;
    let mut apart = Vec::new();
    for _ in 0..15 * 60 {
        run_ticks(&mut app, 1);
        let places = positions(&app, &wolves);
        let at = position(&app, prey);
        closest = places
            .iter()
            .map(|place| place.distance(at))
            .fold(closest, f32::min);
        if closest < 1.0 {
            break;
        }
        apart.push(mean(&gaps(&places)));
    }
    assert!(closest < 1.0, "{closest}");
    assert!(mean(&apart) > 1.5, "{}", mean(&apart));
}

#[test]
fn sheep_graze_slowly_flee_a_wolf_and_stay_together() {
    let (mut app, preset) = shipped_app("sheep");
    let slow = Vehicle {
        max_speed: 3.0,
        ..default()
    };
    let wolf = spawn(
        &mut app,
        Vec2::new(-25.0, 3.0),
        (slow, Seek::new(Vec2::ZERO)),
    );
    let sheep: Vec<_> = sunflower(20, 1.5)
        .map(|at| {
            let fears = (Evade::new(wolf), TargetInSight::new(wolf));
            spawn(&mut app, at, (preset.clone(), fears))
        })
        .collect();
    let mean_speed = |app: &App| {
        let speeds: Vec<_> = sheep
            .iter()
            .map(|&one| velocity(app, one).length())
            .collect();
        mean(&speeds)
    };
    run_seconds(&mut app, 4.0);
    assert!(spread(&positions(&app, &sheep)) < 8.0, "grazing");
    assert!(
        (0.3..1.2).contains(&mean_speed(&app)),
        "grazing at {} m/s",
        mean_speed(&app)
    );
    let mut closest = f32::INFINITY;
    for _ in 0..20 * 60 {
        run_ticks(&mut app, 1);
        let places = positions(&app, &sheep);
        let middle = places.iter().sum::<Vec2>() / places.len() as f32;
        app.world_mut().get_mut::<Seek>(wolf).unwrap().target = middle.into();
        let at = position(&app, wolf);
        closest = places
            .iter()
            .map(|place| place.distance(at))
            .fold(closest, f32::min);
    }
    let places = positions(&app, &sheep);
    assert!(closest > 2.0, "the wolf came within {closest} m");
    assert!(spread(&places) < 12.0, "{}", spread(&places));
    assert!(mean_speed(&app) > 2.0, "{}", mean_speed(&app));
}

#[test]
fn rts_units_arrive_in_a_clump_without_deep_overlap() {
    let (mut app, preset) = shipped_app("rts_units");
    let goal = Vec2::new(20.0, 5.0);
    let units: Vec<_> = sunflower(16, 1.5)
        .map(|at| spawn(&mut app, at, (preset.clone(), Arrive::new(goal))))
        .collect();
    run_seconds(&mut app, 15.0);
    let places = positions(&app, &units);
    let farthest = places
        .iter()
        .map(|place| place.distance(goal))
        .fold(0.0, f32::max);
    assert!(farthest < 4.0, "{farthest}");
    assert!(least(&gaps(&places)) > 0.8, "{}", least(&gaps(&places)));
    let speeds: Vec<_> = units
        .iter()
        .map(|&unit| velocity(&app, unit).length())
        .collect();
    assert!(mean(&speeds) < 0.1, "at rest: {}", mean(&speeds));
}

#[test]
fn cars_trucks_tanks_and_boats_arrive_where_they_are_sent() {
    let kinds = [
        ("car", 1_200.0),
        ("truck", 8_000.0),
        ("tank", 20_000.0),
        ("boat", 300.0),
    ];
    for (name, mass) in kinds {
        let (mut app, preset) = shipped_app(name);
        let goals = [(30.0, 12.0), (-25.0, 3.0), (0.0, 6.0), (-8.0, 0.5)].map(Vec2::from);
        let agents = goals.map(|goal| {
            let body = Body::at(0.0, 0.0).weighing(mass);
            let agent = (preset.clone(), Arrive::new(goal));
            (Backend::PointMass.spawn(&mut app, body, agent), goal)
        });
        run_seconds(&mut app, 40.0);
        for (agent, goal) in agents {
            let apart = position(&app, agent).distance(goal);
            let speed = velocity(&app, agent).length();
            assert!(
                apart < 0.5 && speed < 0.1,
                "{name} to {goal}: {apart} m, {speed} m/s"
            );
        }
        assert!(warnings(&app).is_empty(), "{name}: {:?}", warnings(&app));
    }
}

#[test]
fn fireflies_drift_apart_and_stay_in_their_meadow() {
    let (mut app, preset) = shipped_app("fireflies");
    let flies: Vec<_> = sunflower(20, 0.5)
        .map(|at| spawn(&mut app, at, preset.clone()))
        .collect();
    run_seconds(&mut app, 40.0);
    let places = positions(&app, &flies);
    assert!(mean(&gaps(&places)) > 2.0, "{}", mean(&gaps(&places)));
    assert!(places.iter().all(|place| place.length() < 12.0));
    let speeds: Vec<_> = flies
        .iter()
        .map(|&fly| velocity(&app, fly).length())
        .collect();
    assert!(mean(&speeds) > 0.3, "still drifting: {}", mean(&speeds));
}

#[test]
fn traffic_queues_behind_a_slow_car_and_keeps_to_its_lane() {
    let (mut app, preset) = shipped_app("traffic");
    let corners = [(0.0, 0.0), (60.0, 0.0), (60.0, 40.0), (0.0, 40.0)];
    let road = SteeringPath::looped(corners.map(|(x, y)| Vec2::new(x, y))).unwrap();
    let cars: Vec<_> = (0..6)
        .map(|i| {
            spawn(
                &mut app,
                Vec2::new(5.0 + 6.0 * i as f32, 0.0),
                (preset.clone(), road.clone()),
            )
        })
        .collect();
    run_ticks(&mut app, 2);
    app.world_mut()
        .get_mut::<Vehicle>(cars[5])
        .unwrap()
        .max_speed = 3.0;
    let mut closest = f32::INFINITY;
    for _ in 0..25 * 60 {
        run_ticks(&mut app, 1);
        closest = closest.min(least(&gaps(&positions(&app, &cars))));
    }
    assert!(
        closest > 1.0,
        "cars are 1 m long, and came within {closest} m"
    );
    for &car in &cars {
        let speed = velocity(&app, car).length();
        assert!((1.5..4.5).contains(&speed), "{speed}");
        let at = position(&app, car);
        let aside = corners
            .iter()
            .zip(corners.iter().cycle().skip(1))
            .map(|(&(ax, ay), &(bx, by))| {
                let (a, b) = (Vec2::new(ax, ay), Vec2::new(bx, by));
                let along = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                at.distance(a.lerp(b, along))
            })
            .fold(f32::INFINITY, f32::min);
        assert!(aside < 1.5, "{aside}");
    }
}
