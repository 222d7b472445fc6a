//! Whole apps with agents that navigate.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;

use crate::*;

#[derive(Resource, Default)]
struct Heard {
    found: Vec<(Entity, f32)>,
    refused: Vec<(Entity, NoPathReason)>,
    arrived: Vec<Entity>,
}

fn app_with(plugin: NavigationPlugin) -> App {
    let mut app = App::new();
    let tick = Duration::from_secs_f64(1.0 / 60.0);
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update), plugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(tick))
        .init_resource::<Heard>()
        .add_observer(|it: On<PathFound>, mut heard: ResMut<Heard>| {
            heard.found.push((it.entity, it.length));
        })
        .add_observer(|it: On<NoPath>, mut heard: ResMut<Heard>| {
            heard.refused.push((it.entity, it.reason));
        })
        .add_observer(|it: On<Arrived>, mut heard: ResMut<Heard>| heard.arrived.push(it.entity));
    app
}

fn app() -> App {
    app_with(NavigationPlugin::default())
}

fn run(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}

fn heard(app: &App) -> &Heard {
    app.world().resource()
}

fn walker(app: &mut App, at: Vec2, target: impl Into<Target>) -> Entity {
    let at = Transform::from_translation(at.extend(0.0));
    let body = (PointMass::default(), at);
    app.world_mut().spawn((body, NavigateTo::new(target))).id()
}

fn position(app: &App, entity: Entity) -> Vec2 {
    app.world()
        .get::<Transform>(entity)
        .unwrap()
        .translation
        .truncate()
}

fn wall(app: &mut App, from: (f32, f32), to: (f32, f32)) -> Entity {
    app.world_mut()
        .spawn(Wall::new(from.into(), to.into()))
        .id()
}

/// Asserts that an agent never comes nearer to the walls than its radius, less `missing` m.
fn run_clear_of(app: &mut App, walker: Entity, ticks: u32, missing: f32) {
    for _ in 0..ticks {
        app.update();
        let at = position(app, walker);
        let solids = app.world().resource::<Terrain>().solids();
        let nearest = solids.iter().map(|it| it.distance(at));
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        assert!(nearest >= PointMass::RADIUS - missing, "{at}: {nearest}");
    }
}

#[test]
fn an_agent_walks_around_a_wall_and_arrives_once() {
    let mut app = app();
    wall(&mut app, (5.0, -4.0), (5.0, 4.0));
    let goal = Vec2::new(10.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run_clear_of(&mut app, walker, 600, 0.02);
    assert!(position(&app, walker).distance(goal) <= 0.1);
    assert_eq!(heard(&app).arrived, [walker]);
    assert_eq!(heard(&app).found.len(), 1, "one plan is enough");
    assert!(heard(&app).refused.is_empty());
}

#[test]
fn an_agent_leaves_a_labyrinth_without_touching_its_walls() {
    let mut app = app();
    for (from, to) in [
        ((-8.0, -8.0), (8.0, -8.0)),
        ((8.0, -8.0), (8.0, 8.0)),
        ((-8.0, 8.0), (8.0, 8.0)),
        ((-8.0, -8.0), (-8.0, 5.0)),
        ((-4.0, -4.0), (4.0, -4.0)),
        ((4.0, -4.0), (4.0, 4.0)),
        ((-4.0, 4.0), (4.0, 4.0)),
        ((-4.0, -4.0), (-4.0, 2.0)),
        ((-8.0, 0.0), (-4.0, 0.0)),
    ] {
        wall(&mut app, from, to);
    }
    let goal = Vec2::new(-12.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run_clear_of(&mut app, walker, 1_500, 0.05);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn a_wall_across_the_path_is_walked_around_and_its_removal_noticed() {
    let mut app = app();
    let goal = Vec2::new(12.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run(&mut app, 60);
    let barrier = wall(&mut app, (8.0, -5.0), (8.0, 5.0));
    run(&mut app, 2);
    assert!(heard(&app).found[1].1 > 10.0, "{:?}", heard(&app).found);
    app.world_mut().despawn(barrier);
    run(&mut app, 2);
    assert_eq!(heard(&app).found.len(), 3);
    run(&mut app, 400);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn a_moving_target_is_followed_and_reached_again() {
    let mut app = app();
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(6.0, 0.0, 0.0))
        .id();
    let walker = walker(&mut app, Vec2::ZERO, target);
    run(&mut app, 300);
    assert_eq!(heard(&app).arrived, [walker]);
    *app.world_mut().get_mut::<Transform>(target).unwrap() = Transform::from_xyz(0.0, 6.0, 0.0);
    run(&mut app, 400);
    assert_eq!(heard(&app).arrived, [walker; 2]);
    assert!(position(&app, walker).distance(Vec2::new(0.0, 6.0)) <= 0.1);
}

#[test]
fn an_agent_that_is_pushed_behind_a_wall_plans_again() {
    let mut app = app();
    wall(&mut app, (4.0, 1.0), (4.0, 9.0));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    run(&mut app, 30);
    assert_eq!(heard(&app).found.len(), 1);
    app.world_mut()
        .get_mut::<Transform>(walker)
        .unwrap()
        .translation = Vec3::new(2.0, 6.0, 0.0);
    run(&mut app, 10);
    assert_eq!(heard(&app).found.len(), 2);
    run_clear_of(&mut app, walker, 600, 0.05);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn an_agent_that_is_stuck_plans_again() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    run(&mut app, 2);
    app.world_mut()
        .entity_mut(walker)
        .insert(StuckDetection::default());
    app.world_mut()
        .get_mut::<StuckMemory>(walker)
        .unwrap()
        .times = 1;
    run(&mut app, 2);
    assert_eq!(heard(&app).found.len(), 2);
}

#[test]
fn without_a_way_the_agent_stops_and_hears_of_it_once() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(12.0, 0.0));
    run(&mut app, 60);
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(9.0, -3.0, 15.0, 3.0)));
    run(&mut app, 300);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::Unreachable)]);
    let body = *app.world().get::<Kinematics>(walker).unwrap();
    assert!(body.speed() < 1e-3 && body.position.x < 9.0, "{body:?}");
}

#[test]
fn every_kind_of_impossible_target_has_its_reason() {
    let mut app = app();
    app.world_mut().spawn((
        Transform::from_xyz(10.0, 0.0, 0.0),
        Obstacle { radius: 2.0 },
    ));
    let gone = app.world_mut().spawn(Transform::default()).id();
    app.world_mut().despawn(gone);
    let inside = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    let lost = walker(&mut app, Vec2::Y, gone);
    let fine = walker(&mut app, Vec2::NEG_Y, Vec2::new(-3.0, 0.0));
    run(&mut app, 240);
    let expected = [
        (inside, NoPathReason::TargetBlocked),
        (lost, NoPathReason::TargetLost),
    ];
    assert_eq!(heard(&app).refused.len(), 2);
    assert!(expected.iter().all(|it| heard(&app).refused.contains(it)));
    assert_eq!(heard(&app).arrived, [fine]);
}

#[test]
fn a_target_that_is_despawned_on_the_way_leaves_the_last_path() {
    let mut app = app();
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(6.0, 0.0, 0.0))
        .id();
    let walker = walker(&mut app, Vec2::ZERO, target);
    run(&mut app, 30);
    app.world_mut().despawn(target);
    run(&mut app, 300);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::TargetLost)]);
    assert!(position(&app, walker).distance(Vec2::new(6.0, 0.0)) <= 0.1);
}

#[test]
fn faulty_parameters_raise_one_warning_and_other_agents_go_on() {
    let mut app = app();
    let faulty = walker(&mut app, Vec2::ZERO, Vec2::NAN);
    let fine = walker(&mut app, Vec2::Y, Vec2::new(3.0, 1.0));
    run(&mut app, 200);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    let about: Vec<_> = warnings.iter().map(|it| (it.entity, it.field)).collect();
    assert_eq!(about, [(faulty, "NavigateTo.target")]);
    assert_eq!(heard(&app).arrived, [fine]);
}

#[test]
fn a_tiny_budget_is_shared_fairly_and_every_agent_gets_its_path() {
    let mut app = app();
    app.insert_resource(NavigationBudget { expansions: 20 });
    for i in 0..6 {
        let x = 4.0 * i as f32;
        wall(&mut app, (x, -6.0), (x, 6.0));
    }
    let walkers: Vec<_> = (0..8)
        .map(|i| {
            let y = i as f32 - 3.5;
            walker(&mut app, Vec2::new(-3.0, y), Vec2::new(23.0, -0.9 * y))
        })
        .collect();
    let mut ticks = 0;
    while heard(&app).found.len() < walkers.len() {
        app.update();
        ticks += 1;
        assert!(ticks < 500, "{:?}", heard(&app).found);
    }
    assert!(ticks > 8, "the searches were spread over {ticks} ticks");
}

#[test]
fn a_search_beyond_its_limit_is_given_up() {
    let mut app = app();
    wall(&mut app, (4.0, -6.0), (4.0, 6.0));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    app.world_mut()
        .get_mut::<NavigateTo>(walker)
        .unwrap()
        .max_expansions = 1;
    app.insert_resource(NavigationBudget { expansions: 1 });
    run(&mut app, 100);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::TooLong)]);
}

#[test]
fn agents_that_wait_make_room_for_one_that_passes_and_return() {
    let mut app = app();
    // A row across the way, with gaps too narrow for the one that passes.
    let row: Vec<_> = (0..7)
        .map(|i| {
            let at = Vec2::new(6.0, 1.6 * i as f32 - 4.8);
            let waiting = walker(&mut app, at, at);
            let gives_way = CollisionAvoidance::default().with_when(When::only::<AtGoal>());
            app.world_mut()
                .entity_mut(waiting)
                .insert((AtGoal, gives_way));
            (waiting, at)
        })
        .collect();
    run(&mut app, 30);
    let goal = Vec2::new(14.0, 0.3);
    let passer = walker(&mut app, Vec2::new(0.0, 0.3), goal);
    let mut nearest = f32::INFINITY;
    for _ in 0..400 {
        app.update();
        let here = position(&app, passer);
        let distances = row.iter().map(|(it, _)| position(&app, *it).distance(here));
        nearest = distances.fold(nearest, f32::min);
    }
    assert!(nearest > 2.0 * PointMass::RADIUS, "{nearest}");
    assert!(position(&app, passer).distance(goal) <= 0.1);
    for (waiting, at) in row {
        assert!(position(&app, waiting).distance(at) <= 0.1);
        assert!(app.world().get::<Kinematics>(waiting).unwrap().speed() < 0.01);
    }
}

/// Panics for one target, never answers for another, and leads nowhere for a third.
struct Faulty;

impl Pathfinder for Faulty {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, query: &PathQuery, _: &mut u32) -> PathSearch {
        match query.to.y {
            1.0 => panic!("a faulty pathfinder"),
            2.0 => PathSearch::Unfinished,
            3.0 => PathSearch::Found(vec![Vec2::NAN]),
            _ => PathSearch::Found(vec![query.from, query.to]),
        }
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn a_faulty_pathfinder_harms_only_the_agents_that_it_fails() {
    let mut app = app_with(NavigationPlugin::with_pathfinder(Faulty));
    let walkers = [1.0, 2.0, 3.0, 4.0].map(|y| {
        let to = Vec2::new(3.0, y);
        let walker = walker(&mut app, Vec2::new(0.0, y), to);
        app.world_mut()
            .get_mut::<NavigateTo>(walker)
            .unwrap()
            .max_expansions = 2_000;
        walker
    });
    run(&mut app, 240);
    let refused = &heard(&app).refused;
    assert_eq!(refused.len(), 3, "{refused:?}");
    for (walker, reason) in [
        (walkers[0], NoPathReason::Failed),
        (walkers[1], NoPathReason::TooLong),
        (walkers[2], NoPathReason::Failed),
    ] {
        assert!(refused.contains(&(walker, reason)), "{refused:?}");
    }
    assert_eq!(heard(&app).arrived, [walkers[3]]);
}

#[test]
fn the_same_world_gives_the_same_bits() {
    let trail = || {
        let mut app = app();
        app.insert_resource(NavigationBudget { expansions: 12 });
        wall(&mut app, (4.0, -6.0), (4.0, 6.0));
        wall(&mut app, (8.0, -9.0), (8.0, 3.0));
        let walkers: Vec<_> = (0..6)
            .map(|i| {
                walker(
                    &mut app,
                    Vec2::new(0.0, i as f32),
                    Vec2::new(12.0, -(i as f32)),
                )
            })
            .collect();
        run(&mut app, 200);
        let bits = |it: &Entity| position(&app, *it).to_array().map(f32::to_bits);
        walkers.iter().map(bits).collect::<Vec<_>>()
    };
    assert_eq!(trail(), trail());
}
