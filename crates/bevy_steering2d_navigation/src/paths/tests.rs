//! Whole apps with agents that navigate.

use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::testing::*;
use crate::*;

mod bad_input;
mod budget;
mod changes;
mod followers;

fn walker(app: &mut App, at: Vec2, target: impl Into<Target>) -> Entity {
    let at = Transform::from_translation(at.extend(0.0));
    let body = (PointMass::default(), at);
    app.world_mut().spawn((body, NavigateTo::new(target))).id()
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
fn a_small_agent_with_precise_waypoints_does_not_touch_the_wall_end_at_which_it_turns() {
    const RADIUS: f32 = 0.05;
    let mut app = app();
    wall(&mut app, (0.0, -30.0), (0.0, 0.0));
    wall(&mut app, (-3.0, 0.2), (3.0, 0.2));
    let walker = walker(&mut app, Vec2::new(-0.5, -2.0), Vec2::new(0.5, -2.0));
    let slow = Vehicle::new(0.5, 2.0).with_radius(RADIUS);
    let precise = NavigateTo::path_following().with_waypoints(0.5 * RADIUS);
    app.world_mut().entity_mut(walker).insert((slow, precise));
    for _ in 0..900 {
        app.update();
        let at = position(&app, walker);
        let solids = app.world().resource::<Terrain>().solids();
        let nearest = solids.iter().map(|it| it.distance(at));
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        assert!(nearest >= RADIUS - 0.005, "{at}: {nearest}");
    }
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
fn a_walker_gets_past_one_who_stands_at_the_corner_of_a_building() {
    for (x, y) in [(0.0, 0.0), (-0.4, 0.4), (0.5, 0.4), (-0.3, -0.6)] {
        let mut app = app();
        app.world_mut()
            .spawn_batch(Wall::room(Rect::new(0.9, -20.0, 20.0, -0.9)));
        let place = Vec2::new(x, y);
        let at = |at: Vec2| Transform::from_translation(at.extend(0.0));
        let stands = (Pedestrian::default(), Arrive::new(place));
        app.world_mut()
            .spawn((PointMass::default(), at(place), stands));
        let goal = Vec2::new(9.0, 0.5);
        let walks = (Pedestrian::default(), NavigateTo::new(goal));
        let start = at(Vec2::new(0.0, -9.0));
        let walker = app.world_mut().spawn((PointMass::default(), start, walks));
        let walker = walker.id();
        run_clear_of(&mut app, walker, 60 * 20, 0.02);
        assert!(heard(&app).arrived.contains(&walker), "past one at {place}");
    }
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
fn an_agent_whose_memory_of_being_stuck_begins_anew_plans_again() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    app.world_mut()
        .entity_mut(walker)
        .insert(StuckDetection::default());
    run(&mut app, 2);
    for (times, plans) in [(3, 2), (0, 2), (1, 3)] {
        let mut memory = app.world_mut().get_mut::<StuckMemory>(walker).unwrap();
        memory.times = times;
        run(&mut app, 2);
        assert_eq!(heard(&app).found.len(), plans, "{times}");
    }
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

#[test]
fn a_lane_leads_no_nearer_to_a_wall_than_the_radius() {
    let mut app = app();
    wall(&mut app, (5.0, -8.0), (5.0, 4.0));
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(-2.0, -8.2, 12.0, 6.0)));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    let mut order = app.world_mut().get_mut::<NavigateTo>(walker).unwrap();
    order.lane.right = 1.5;
    run(&mut app, 2);
    let path = app.world().get::<SteeringPath>(walker).unwrap().points();
    assert!(path.len() > 2, "{path:?}");
    for solid in app.world().resource::<Terrain>().solids() {
        let mut legs = path.windows(2);
        let has_room = |leg: &[Vec2]| solid.distance_to_segment(leg[0], leg[1]) > PointMass::RADIUS;
        assert!(legs.all(has_room), "{path:?}");
    }
}

/// Blocks with 200 corners between the start and the goal.
fn rocks(app: &mut App) {
    for i in 0..50 {
        let corner = Vec2::new(4.0 + 3.0 * (i % 10) as f32, -7.5 + 3.0 * (i / 10) as f32);
        let block = Rect::from_corners(corner, corner + Vec2::splat(1.6));
        app.world_mut().spawn_batch(Wall::room(block));
    }
}

#[test]
fn a_change_far_away_does_not_repeat_an_arrival() {
    for tolerance in [0.1, 3.0] {
        let mut app = app();
        let walker = walker(&mut app, Vec2::ZERO, Vec2::new(6.0, 0.0));
        let follow = PathFollowing {
            tolerance,
            ..NavigateTo::path_following()
        };
        app.world_mut().entity_mut(walker).insert(follow);
        run(&mut app, 200);
        assert_eq!(heard(&app).arrived, [walker]);
        let door = wall(&mut app, (100.0, -4.0), (100.0, 4.0));
        run(&mut app, 60);
        app.world_mut().despawn(door);
        run(&mut app, 60);
        assert_eq!(heard(&app).arrived, [walker], "tolerance {tolerance} m");
        assert_eq!(heard(&app).found.len(), 1);
    }
}

#[test]
fn an_agent_has_not_arrived_at_a_target_that_it_was_just_given() {
    const NEXT: Vec2 = Vec2::new(3.0, 9.0);
    let mut app = app();
    app.add_observer(
        |it: On<PathCompleted>, mut navigators: Query<&mut NavigateTo>| {
            let mut navigate = navigators.get_mut(it.entity).unwrap();
            navigate.target = NEXT.into();
        },
    );
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(3.0, 0.0));
    run(&mut app, 600);
    assert_eq!(heard(&app).arrived, [walker], "once, at the second one");
    assert!(position(&app, walker).distance(NEXT) < 0.2);
}

#[test]
fn an_agent_that_loses_its_path_plans_again() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    run(&mut app, 30);
    app.world_mut().entity_mut(walker).remove::<SteeringPath>();
    run(&mut app, 300);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn an_agent_that_has_arrived_leaves_a_solid_that_appears_on_it() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(3.0, 0.0));
    run(&mut app, 200);
    wall(&mut app, (3.1, -1.0), (3.1, 4.0));
    run(&mut app, 200);
    let x = position(&app, walker).x;
    assert!(x < 3.1 - PointMass::RADIUS + 0.03, "{x}");
}

#[test]
fn a_change_that_is_taken_back_is_none() {
    let mut app = app();
    wall(&mut app, (5.0, -4.0), (5.0, 4.0));
    app.update();
    let revision = app.world().resource::<Terrain>().revision();
    let gate = wall(&mut app, (9.0, -4.0), (9.0, 4.0));
    app.update();
    assert_ne!(app.world().resource::<Terrain>().revision(), revision);
    app.world_mut().despawn(gate);
    app.update();
    assert_eq!(app.world().resource::<Terrain>().revision(), revision);
}

#[test]
fn solids_too_large_to_compute_with_hide_no_others() {
    let mut app = app();
    wall(&mut app, (5.0, -4.0), (5.0, 4.0));
    let huge = Solid::segment(Vec2::splat(-f32::MAX), Vec2::new(f32::MAX, -f32::MAX));
    app.insert_resource(Solids(vec![huge]));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    run_clear_of(&mut app, walker, 600, 0.02);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn an_agent_pushed_aside_comes_back_around_a_new_wall() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(3.0, 0.0));
    run(&mut app, 200);
    wall(&mut app, (4.1, -1.5), (4.1, 1.5));
    let mut at = app.world_mut().get_mut::<Transform>(walker).unwrap();
    at.translation.x = 5.0;
    run(&mut app, 300);
    let at = position(&app, walker);
    assert!(at.distance(Vec2::new(3.0, 0.0)) < 0.2, "{at}");
}

#[test]
fn an_agent_pushed_around_the_end_of_a_wall_comes_back_around_it() {
    let mut app = app();
    wall(&mut app, (3.0, -9.0), (3.0, 1.0));
    let goal = Vec2::new(2.4, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run(&mut app, 200);
    assert_eq!(heard(&app).arrived, [walker]);
    let mut at = app.world_mut().get_mut::<Transform>(walker).unwrap();
    at.translation.x = 3.6;
    run(&mut app, 300);
    assert!(position(&app, walker).distance(goal) <= 0.1);
    assert_eq!(heard(&app).arrived, [walker, walker]);
}

#[test]
fn another_target_at_the_same_place_is_arrived_at_again() {
    let mut app = app();
    let place = Vec2::new(3.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, place);
    run(&mut app, 200);
    let at = Transform::from_translation(place.extend(0.0));
    let chest = app.world_mut().spawn(at).id();
    let mut way = app.world_mut().get_mut::<NavigateTo>(walker).unwrap();
    way.target = chest.into();
    run(&mut app, 60);
    assert_eq!(heard(&app).arrived, [walker, walker]);
}
