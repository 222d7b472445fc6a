//! `TargetInSight`: its memory, where the agent looks, and what hides its target.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{ConditionType, SteeringSnapshot, TargetInSightMemory};

use crate::common::*;

const NEAR: Vec2 = Vec2::new(8.0, 0.0);

/// Ticks in three seconds.
const MEMORY: u32 = 180;

fn spawn_player(app: &mut App, place: Vec2) -> Entity {
    let place = Transform::from_translation(place.extend(0.0));
    app.world_mut().spawn(place).id()
}

fn spawn_watcher(app: &mut App, sight: TargetInSight) -> Entity {
    let watcher = (Vehicle::default(), sight);
    Backend::PointMass.spawn(app, Body::at(0.0, 0.0), watcher)
}

fn sees(app: &App, watcher: Entity) -> Option<bool> {
    let states = get::<ConditionStates>(app, watcher);
    states.get(ConditionType::of::<TargetInSight>())
}

/// A watcher that remembers for three seconds has just lost sight of the player.
fn lost_from_sight(watcher: impl FnOnce(&mut App, TargetInSight) -> Entity) -> (App, [Entity; 2]) {
    let mut app = point_mass_app(HERTZ);
    let player = spawn_player(&mut app, NEAR);
    let watcher = watcher(&mut app, TargetInSight::new(player).with_memory(3.0));
    run_ticks(&mut app, 8);
    assert_eq!(sees(&app, watcher), Some(true));
    move_to(&mut app, player, EAST);
    (app, [watcher, player])
}

#[test]
fn a_target_out_of_sight_counts_as_seen_for_the_time_of_the_memory() {
    let (mut app, [watcher, player]) = lost_from_sight(spawn_watcher);
    run_ticks(&mut app, MEMORY - 5);
    assert_eq!(sees(&app, watcher), Some(true));
    run_ticks(&mut app, 10);
    assert_eq!(sees(&app, watcher), Some(false));
    let memory = *get::<TargetInSightMemory>(&app, watcher);
    assert_eq!((memory.seen, memory.unseen), (None, 0.0));
    move_to(&mut app, player, NEAR);
    run_ticks(&mut app, 1);
    move_to(&mut app, player, EAST);
    run_ticks(&mut app, MEMORY - 5);
    assert_eq!(sees(&app, watcher), Some(true), "a glance is enough");
}

#[test]
fn a_watcher_without_memory_loses_its_target_at_once() {
    let mut app = point_mass_app(HERTZ);
    let player = spawn_player(&mut app, NEAR);
    let watcher = spawn_watcher(&mut app, TargetInSight::new(player));
    run_ticks(&mut app, 2);
    move_to(&mut app, player, EAST);
    run_ticks(&mut app, 1);
    assert_eq!(sees(&app, watcher), Some(false));
}

#[test]
fn a_watcher_knows_where_its_target_was_last_in_sight() {
    let last_seen = |app: &App, watcher| get::<TargetInSightMemory>(app, watcher).last_seen;
    let mut app = point_mass_app(HERTZ);
    let player = spawn_player(&mut app, EAST);
    let watcher = spawn_watcher(&mut app, TargetInSight::new(player));
    run_ticks(&mut app, 3);
    let memories = |app: &mut App| {
        let mut memories = app.world_mut().query::<Ref<TargetInSightMemory>>();
        memories.single(app.world()).unwrap().last_changed()
    };
    let before = memories(&mut app);
    run_ticks(&mut app, 3);
    assert_eq!(last_seen(&app, watcher), None);
    assert_eq!(
        memories(&mut app),
        before,
        "no change while it sees nothing"
    );
    for near in [NEAR, 0.5 * NEAR] {
        move_to(&mut app, player, near);
        run_ticks(&mut app, 1);
        assert_eq!(last_seen(&app, watcher), Some(near), "in sight");
        move_to(&mut app, player, EAST);
        run_ticks(&mut app, 3);
        assert_eq!(last_seen(&app, watcher), Some(near), "out of sight");
    }
    app.world_mut().despawn(player);
    run_ticks(&mut app, 3);
    assert_eq!(last_seen(&app, watcher), Some(0.5 * NEAR), "gone");
    let mut sight = app.world_mut().get_mut::<TargetInSight>(watcher).unwrap();
    sight.target = EAST.into();
    run_ticks(&mut app, 1);
    assert_eq!(last_seen(&app, watcher), None, "another target");
}

#[test]
fn a_behavior_entity_and_an_agent_that_thinks_seldom_remember_as_long() {
    let behavior_entity = |app: &mut App, sight: TargetInSight| {
        let agent = Backend::PointMass.spawn(app, Body::at(0.0, 0.0), Vehicle::default());
        app.world_mut().spawn((SteersFor(agent), sight)).id()
    };
    let thinks_seldom = |app: &mut App, sight: TargetInSight| {
        let watcher = (Vehicle::default(), ThinkEvery(4), sight);
        Backend::PointMass.spawn(app, Body::at(0.0, 0.0), watcher)
    };
    for (mut app, [watcher, _]) in [
        lost_from_sight(behavior_entity),
        lost_from_sight(thinks_seldom),
    ] {
        run_ticks(&mut app, MEMORY - 5);
        assert_eq!(sees(&app, watcher), Some(true));
        run_ticks(&mut app, 10);
        assert_eq!(sees(&app, watcher), Some(false));
    }
}

#[test]
fn a_chase_goes_on_from_memory() {
    let mut app = point_mass_app(HERTZ);
    let player = spawn_player(&mut app, NEAR);
    let chases = Seek::new(player).with_when(When::only::<TargetInSight>());
    let sight = TargetInSight::new(player).with_memory(3.0);
    let guard = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), (sight, chases));
    run_ticks(&mut app, 2);
    move_to(&mut app, player, EAST);
    run_ticks(&mut app, MEMORY - 5);
    assert_eq!(entry::<Seek>(&app, guard).cut, Cut::Nothing);
    run_ticks(&mut app, 10);
    assert_eq!(entry::<Seek>(&app, guard).cut, Cut::NotNow);
}

#[test]
fn a_target_that_is_gone_or_another_one_is_not_remembered() {
    let (mut app, [watcher, player]) = lost_from_sight(spawn_watcher);
    run_ticks(&mut app, 10);
    app.world_mut().despawn(player);
    run_ticks(&mut app, 1);
    assert_eq!(sees(&app, watcher), Some(false), "gone");

    let (mut app, [watcher, _]) = lost_from_sight(spawn_watcher);
    run_ticks(&mut app, 10);
    let mut sight = app.world_mut().get_mut::<TargetInSight>(watcher).unwrap();
    sight.target = EAST.into();
    run_ticks(&mut app, 1);
    assert_eq!(sees(&app, watcher), Some(false), "another");
}

#[test]
fn a_condition_that_is_removed_forgets_its_target() {
    let (mut app, [watcher, player]) = lost_from_sight(spawn_watcher);
    run_ticks(&mut app, 10);
    let mut entity = app.world_mut().entity_mut(watcher);
    entity.remove::<TargetInSight>();
    entity.insert(TargetInSight::new(player).with_memory(3.0));
    run_ticks(&mut app, 1);
    assert_eq!(sees(&app, watcher), Some(false));
}

#[test]
fn a_snapshot_keeps_the_memory() {
    let (mut app, [watcher, _]) = lost_from_sight(spawn_watcher);
    run_ticks(&mut app, 100);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run_ticks(&mut app, MEMORY);
    assert_eq!(sees(&app, watcher), Some(false));
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, MEMORY - 105);
    assert_eq!(sees(&app, watcher), Some(true));
    run_ticks(&mut app, 10);
    assert_eq!(sees(&app, watcher), Some(false));
}

#[test]
fn a_memory_out_of_range_warns_once_and_its_behaviors_count_as_zero() {
    for memory in [-1.0, f32::NAN, f32::INFINITY] {
        let mut app = point_mass_app(HERTZ);
        let seeks = Seek::new(NEAR).with_when(When::only::<TargetInSight>());
        let agent = (TargetInSight::new(NEAR).with_memory(memory), seeks);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 90);
        assert_warned_once(&app, agent, "TargetInSight.memory", &memory.to_string());
        assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Invalid);
    }
}

#[test]
fn the_field_of_view_is_centered_on_the_heading_or_on_the_facing() {
    for backend in BACKENDS {
        for (gaze, sees_east, sees_north) in
            [(Gaze::Heading, true, false), (Gaze::Facing, false, true)]
        {
            let mut app = backend.app(HERTZ);
            let body = Body::at(0.0, 0.0).moving(0.5, 0.0);
            let seen = [(Vec2::X, sees_east), (Vec2::Y, sees_north)].map(|(side, expected)| {
                let sight = TargetInSight::new(8.0 * side)
                    .with_field_of_view(1.0)
                    .with_gaze(gaze);
                let watcher = backend.spawn(&mut app, body, (Vehicle::default(), sight));
                let mut place = app.world_mut().get_mut::<Transform>(watcher).unwrap();
                place.rotation = Quat::from_rotation_z(FRAC_PI_2);
                (watcher, expected)
            });
            run_ticks(&mut app, 3);
            for (watcher, expected) in seen {
                assert_eq!(sees(&app, watcher), Some(expected), "{backend:?} {gaze:?}");
            }
        }
    }
}

#[test]
fn an_agent_that_faces_its_target_sees_it_while_it_runs_past() {
    let mut app = point_mass_app(HERTZ);
    let player = spawn_player(&mut app, Vec2::new(2.0, 6.0));
    let sight = |gaze| {
        TargetInSight::new(player)
            .with_field_of_view(1.0)
            .with_gaze(gaze)
    };
    let runner = |app: &mut App, gaze| {
        let runs = (Seek::new(EAST), FaceTarget::new(player), sight(gaze));
        Backend::PointMass.spawn(app, Body::at(0.0, 0.0), runs)
    };
    let facing = runner(&mut app, Gaze::Facing);
    let heading = runner(&mut app, Gaze::Heading);
    run_ticks(&mut app, 60);
    assert_eq!(sees(&app, facing), Some(true));
    assert_eq!(sees(&app, heading), Some(false));
}

#[test]
fn a_rotation_that_is_not_finite_leaves_the_gaze_on_the_heading() {
    let mut app = point_mass_app(HERTZ);
    let sight = TargetInSight::new(NEAR)
        .with_field_of_view(1.0)
        .with_gaze(Gaze::Facing);
    let watcher = (Vehicle::default(), sight);
    let body = Body::at(0.0, 0.0).moving(0.5, 0.0);
    let watcher = Backend::PointMass.spawn(&mut app, body, watcher);
    let mut place = app.world_mut().get_mut::<Transform>(watcher).unwrap();
    place.rotation = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
    run_ticks(&mut app, 2);
    assert_eq!(sees(&app, watcher), Some(true));
}

#[test]
fn an_obstacle_that_is_part_of_the_target_or_the_agent_hides_nothing() {
    let mut app = point_mass_app(HERTZ);
    let player = spawn_player(&mut app, NEAR);
    let watcher = spawn_watcher(&mut app, TargetInSight::new(player));
    let at = |x| (Obstacle::new(0.5), Transform::from_xyz(x, 0.0, 0.0));
    let turret = app
        .world_mut()
        .spawn((Transform::default(), ChildOf(player)));
    let turret = turret.id();
    app.world_mut().spawn((at(-1.0), ChildOf(turret)));
    app.world_mut().spawn((at(1.0), ChildOf(watcher)));
    run_ticks(&mut app, 3);
    assert_eq!(sees(&app, watcher), Some(true));
    app.world_mut().spawn(at(4.0));
    run_ticks(&mut app, 1);
    assert_eq!(sees(&app, watcher), Some(false), "a rock does");
}

#[test]
fn an_obstacle_that_carries_the_target_or_the_agent_hides_nothing() {
    let mut app = point_mass_app(HERTZ);
    let tank = |app: &mut App, x| {
        let tank = (Obstacle::new(1.5), Transform::from_xyz(x, 0.0, 0.0));
        app.world_mut().spawn(tank).id()
    };
    let hostile = tank(&mut app, NEAR.x);
    let marker = app
        .world_mut()
        .spawn((Transform::default(), ChildOf(hostile)));
    let marker = marker.id();
    let outside = spawn_watcher(&mut app, TargetInSight::new(marker));
    run_ticks(&mut app, 3);
    assert_eq!(sees(&app, outside), Some(true), "the target's");

    // A point mass needs a parent at the origin.
    let own = tank(&mut app, 0.0);
    let inside = spawn_watcher(&mut app, TargetInSight::new(marker));
    app.world_mut().entity_mut(inside).insert(ChildOf(own));
    run_ticks(&mut app, 2);
    assert_eq!(sees(&app, inside), Some(true), "the agent's");
    assert_eq!(sees(&app, outside), Some(false), "that of another");
}

#[test]
fn a_target_on_a_wall_is_in_sight() {
    let mut app = point_mass_app(HERTZ);
    let lever = spawn_player(&mut app, Vec2::new(5.0, 3.0));
    let watcher = spawn_watcher(&mut app, TargetInSight::new(lever));
    let wall = Wall::new(Vec2::new(5.0, -10.0), Vec2::new(5.0, 10.0));
    app.world_mut().spawn(wall);
    run_ticks(&mut app, 2);
    assert_eq!(sees(&app, watcher), Some(true));
    move_to(&mut app, lever, Vec2::new(5.1, 3.0));
    run_ticks(&mut app, 1);
    assert_eq!(sees(&app, watcher), Some(false), "behind it");
}

#[test]
fn the_memory_of_an_agent_that_is_not_steered_rests() {
    let (mut app, [watcher, _]) = lost_from_sight(spawn_watcher);
    run_ticks(&mut app, 10);
    app.world_mut().entity_mut(watcher).insert(SteeringDisabled);
    run_ticks(&mut app, 2 * MEMORY);
    app.world_mut()
        .entity_mut(watcher)
        .remove::<SteeringDisabled>();
    run_ticks(&mut app, MEMORY - 20);
    assert_eq!(sees(&app, watcher), Some(true));
    run_ticks(&mut app, 20);
    assert_eq!(sees(&app, watcher), Some(false));
}
