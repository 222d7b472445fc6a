//! Solids that change while searches are under way.

use super::*;
use crate::paths::search_terrain::SearchTerrain;

/// A walker whose search takes many ticks.
fn slow_walker(app: &mut App) -> Entity {
    rocks(app);
    app.insert_resource(NavigationBudget { expansions: 8 });
    walker(app, Vec2::new(0.0, -1.0), Vec2::new(40.0, 1.0))
}

/// A wall between the rocks and the goal, with ways around both ends.
fn long_wall(app: &mut App) -> Entity {
    wall(app, (36.0, -30.0), (36.0, 30.0))
}

/// The solids that the plan of an agent considers.
fn planned_revision(app: &App, walker: Entity) -> u32 {
    app.world()
        .get::<NavigateToMemory>(walker)
        .unwrap()
        .revision
}

fn revision(app: &App) -> u32 {
    app.world().resource::<Terrain>().revision()
}

#[test]
fn a_solid_that_moves_in_every_tick_keeps_no_search_from_ending() {
    let mut app = app();
    let walker = slow_walker(&mut app);
    let door = wall(&mut app, (60.0, 0.0), (60.0, 4.0));
    for _ in 0..600 {
        app.update();
        let mut door = app.world_mut().get_mut::<Wall>(door).unwrap();
        door.from.x += 0.01;
    }
    assert!(!heard(&app).found.is_empty());
    assert!(position(&app, walker).x > 5.0);
}

#[test]
fn a_solid_that_moves_in_every_tick_is_planned_around_every_few_ticks() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(60.0, 0.0));
    let door = wall(&mut app, (30.0, 20.0), (30.0, 24.0));
    run(&mut app, 30);
    let before = heard(&app).found.len();
    for _ in 0..60 {
        let mut door = app.world_mut().get_mut::<Wall>(door).unwrap();
        door.from.x += 0.01;
        app.update();
    }
    let plans = heard(&app).found.len() - before;
    assert!((8..=15).contains(&plans), "{plans}");
    run(&mut app, 8);
    assert_eq!(planned_revision(&app, walker), revision(&app));
}

#[test]
fn a_solid_that_appears_during_a_search_counts_once_the_search_has_ended() {
    let mut app = app();
    slow_walker(&mut app);
    run(&mut app, 3);
    long_wall(&mut app);
    for _ in 0..1_500 {
        if heard(&app).found.len() < 2 {
            app.update();
        }
    }
    let lengths: Vec<_> = heard(&app)
        .found
        .iter()
        .map(|(_, length)| *length)
        .collect();
    assert!(lengths[0] < 50.0 && lengths[1] > 60.0, "{lengths:?}");
}

#[test]
fn after_going_back_a_search_goes_on_around_the_same_solids() {
    let mut app = app();
    let walker = slow_walker(&mut app);
    run(&mut app, 3);
    long_wall(&mut app);
    run(&mut app, 2);
    let held = planned_revision(&app, walker);
    assert_ne!(held, revision(&app), "the wall is held back");
    let before = SteeringSnapshot::take(app.world_mut());
    for _ in 0..1_000 {
        if planned_revision(&app, walker) == held {
            app.update();
        }
    }
    assert_eq!(planned_revision(&app, walker), revision(&app));
    before.restore(app.world_mut());
    app.update();
    assert_eq!(planned_revision(&app, walker), held);
    assert_ne!(held, revision(&app));
}

/// Searches without end.
struct Endless;

impl Pathfinder for Endless {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, _: &PathQuery, expansions: &mut u32) -> PathSearch {
        *expansions = 0;
        PathSearch::Unfinished
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn a_search_without_end_holds_a_change_back_for_a_limited_time() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Endless));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    let mut way = app.world_mut().get_mut::<NavigateTo>(walker).unwrap();
    way.max_expansions = u32::MAX;
    run(&mut app, 3);
    wall(&mut app, (50.0, 0.0), (50.0, 4.0));
    run(&mut app, 2);
    assert_ne!(planned_revision(&app, walker), revision(&app));
    run(&mut app, SearchTerrain::MOST_TICKS);
    assert_eq!(planned_revision(&app, walker), revision(&app));
}

#[test]
fn snapshots_share_the_solids_of_a_search_that_goes_on() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Endless));
    let far = |i: u32| Solid::segment(Vec2::new(i as f32, 50.0), Vec2::new(i as f32, 51.0));
    app.insert_resource(Solids((0..5_000).map(far).collect()));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    let mut way = app.world_mut().get_mut::<NavigateTo>(walker).unwrap();
    way.max_expansions = u32::MAX;
    run(&mut app, 3);
    let first = SteeringSnapshot::take(app.world_mut());
    run(&mut app, 1);
    let second = SteeringSnapshot::take_after(app.world_mut(), &first);
    let solids = 5_000 * size_of::<Solid>();
    assert!(first.bytes_beyond(None) > solids, "they count");
    assert!(second.bytes_beyond(Some(&first)) < solids);
}

#[test]
fn a_tile_that_was_built_after_a_snapshot_is_gone_after_its_restore() {
    let mut app = app();
    let tile = |x: f32| Solid::segment(Vec2::new(x, -1.0), Vec2::new(x, 1.0));
    app.insert_resource(Solids(vec![tile(5.0)]));
    run(&mut app, 2);
    let (snapshot, before) = (SteeringSnapshot::take(app.world_mut()), revision(&app));
    app.world_mut().resource_mut::<Solids>().0.push(tile(8.0));
    run(&mut app, 2);
    assert_ne!(revision(&app), before);
    snapshot.restore(app.world_mut());
    run(&mut app, 1);
    assert_eq!(app.world().resource::<Solids>().0, [tile(5.0)]);
    assert_eq!(revision(&app), before);
}

#[test]
fn an_agent_that_begins_to_search_later_does_not_prolong_the_wait() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Endless));
    let first = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    run(&mut app, 3);
    wall(&mut app, (50.0, 0.0), (50.0, 4.0));
    run(&mut app, 2);
    let second = walker(&mut app, Vec2::Y, Vec2::new(9.0, 1.0));
    run(&mut app, 2);
    assert_ne!(planned_revision(&app, second), revision(&app));
    app.world_mut().despawn(first);
    run(&mut app, 1);
    assert_eq!(planned_revision(&app, second), revision(&app));
}

#[test]
fn a_navigate_to_that_is_inserted_again_at_its_target_announces_the_arrival_again() {
    let mut app = app();
    let goal = Vec2::new(3.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run(&mut app, 200);
    assert_eq!(heard(&app).arrived, [walker]);
    app.world_mut()
        .entity_mut(walker)
        .insert(NavigateTo::new(goal));
    run(&mut app, 30);
    assert_eq!(heard(&app).arrived, [walker, walker]);
}

#[test]
fn a_navigate_to_that_is_inserted_in_every_tick_leads_to_its_target() {
    let mut app = app();
    wall(&mut app, (5.0, -4.0), (5.0, 4.0));
    let goal = Vec2::new(10.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    for _ in 0..600 {
        app.world_mut()
            .entity_mut(walker)
            .insert(NavigateTo::new(goal));
        app.update();
    }
    assert!(position(&app, walker).distance(goal) <= 0.1);
}

#[test]
fn an_agent_that_is_put_back_on_its_path_after_the_arrival_arrives_again() {
    let mut app = app();
    let goal = Vec2::new(20.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run(&mut app, 600);
    assert_eq!(heard(&app).arrived, [walker]);
    app.world_mut()
        .get_mut::<Transform>(walker)
        .unwrap()
        .translation
        .x = 2.0;
    run(&mut app, 2);
    let state = |app: &App| app.world().get::<NavigateToMemory>(walker).unwrap().state;
    assert_eq!(state(&app), NavigationState::Following);
    run(&mut app, 600);
    assert_eq!(heard(&app).arrived, [walker, walker]);
}

#[test]
fn an_agent_that_is_put_back_to_its_start_walks_the_same_way_again() {
    let reorders: [fn(&mut EntityWorldMut, NavigateTo); 2] = [
        |agent, way| {
            agent.insert(way);
        },
        |agent, way| {
            agent.remove::<NavigateTo>().insert(way);
        },
    ];
    for reorder in reorders {
        let mut app = app();
        wall(&mut app, (5.0, -6.0), (5.0, 4.0));
        let goal = Vec2::new(10.0, 0.0);
        let walker = walker(&mut app, Vec2::ZERO, goal);
        for lap in 1..=3 {
            run_clear_of(&mut app, walker, 600, 0.02);
            assert!(position(&app, walker).distance(goal) <= 0.1, "lap {lap}");
            assert_eq!(heard(&app).arrived, vec![walker; lap]);
            let (_, length) = heard(&app).found[0];
            assert_eq!(heard(&app).found, vec![(walker, length); lap], "one way");
            let mut agent = app.world_mut().entity_mut(walker);
            agent.insert(Transform::default());
            reorder(&mut agent, NavigateTo::new(goal));
        }
    }
}

#[test]
fn changes_far_away_repeat_no_arrival_at_a_target_that_has_hardly_moved_since() {
    let mut app = app();
    let place = Transform::from_xyz(6.0, 0.0, 0.0);
    let target = app.world_mut().spawn(place).id();
    let walker = walker(&mut app, Vec2::ZERO, target);
    run(&mut app, 200);
    // The third step is beyond the distance at which a target has moved.
    for (step, arrivals) in [(1, 1), (2, 1), (3, 2)] {
        let mut place = app.world_mut().get_mut::<Transform>(target).unwrap();
        place.translation.x += 0.2;
        let x = 100.0 + step as f32;
        wall(&mut app, (x, -4.0), (x, 4.0));
        run(&mut app, 100);
        assert_eq!(heard(&app).arrived, vec![walker; arrivals], "step {step}");
        assert_eq!(heard(&app).found.len(), arrivals, "step {step}");
    }
    assert!(position(&app, walker).distance(Vec2::new(6.6, 0.0)) <= 0.1);
}

#[test]
fn an_agent_that_becomes_smaller_finds_the_way_for_which_it_was_too_large() {
    let mut app = app();
    let goal = Vec2::new(9.0, 0.0);
    for (from, to) in [
        ((3.0, -3.0), (3.0, -0.4)),
        ((3.0, 0.4), (3.0, 3.0)),
        ((-3.0, 3.0), (3.0, 3.0)),
        ((-3.0, -3.0), (3.0, -3.0)),
        ((-3.0, -3.0), (-3.0, 3.0)),
    ] {
        wall(&mut app, from, to);
    }
    let walker = walker(&mut app, Vec2::ZERO, goal);
    run(&mut app, 60);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::Unreachable)]);
    let slim = Vehicle::default().with_radius(0.3);
    app.world_mut().entity_mut(walker).insert(slim);
    run(&mut app, 400);
    assert_eq!(heard(&app).refused.len(), 1);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn an_obstacle_that_its_transform_moves_is_no_solid_until_it_rests() {
    let mut app = app();
    let place = Transform::from_xyz(0.0, 30.0, 0.0);
    let rock = app.world_mut().spawn((Obstacle::new(1.0), place)).id();
    walker(&mut app, Vec2::ZERO, Vec2::new(60.0, 0.0));
    run(&mut app, 5);
    let mut revisions = vec![revision(&app)];
    for tick in 0..70 {
        if tick < 60 {
            let mut place = app.world_mut().get_mut::<Transform>(rock).unwrap();
            place.translation.x += 0.1;
        }
        app.update();
        revisions.push(revision(&app));
    }
    revisions.dedup();
    assert_eq!(revisions.len(), 3, "there, moving, there");
    assert_eq!(heard(&app).found.len(), 3, "planned again for each");
}

/// The terrains that follow each other while the transform of an obstacle with these parts is moved every so many ticks,
/// 20 times, and then rests.
fn terrains_of_an_obstacle_moved_every(ticks: u32, parts: impl Bundle) -> (App, Vec<u32>) {
    let mut app = app();
    let place = Transform::from_xyz(0.0, 30.0, 0.0);
    let rock = (Obstacle::new(1.0), place, parts);
    let rock = app.world_mut().spawn(rock).id();
    walker(&mut app, Vec2::ZERO, Vec2::new(60.0, 0.0));
    run(&mut app, 5);
    let mut revisions = vec![revision(&app)];
    for tick in 0..20 * ticks + 20 {
        if tick < 20 * ticks && tick.is_multiple_of(ticks) {
            let mut place = app.world_mut().get_mut::<Transform>(rock).unwrap();
            place.translation.x += 0.1;
        }
        app.update();
        revisions.push(revision(&app));
    }
    revisions.dedup();
    (app, revisions)
}

#[test]
fn an_obstacle_that_is_moved_once_per_frame_does_not_stand_in_between() {
    // Frames of 2 and of 5 ticks: 30 and 12 per second.
    for ticks in [2, 5] {
        let (app, revisions) = terrains_of_an_obstacle_moved_every(ticks, ());
        assert_eq!(revisions.len(), 3, "there, moving, there");
        assert_eq!(heard(&app).found.len(), 3, "planned again for each");
    }
}

#[test]
fn an_obstacle_whose_body_its_transform_moves_does_not_stand_in_between() {
    for ticks in [1, 2, 5] {
        let (app, revisions) = terrains_of_an_obstacle_moved_every(ticks, PointMass::default());
        assert_eq!(revisions.len(), 3, "there, moving, there");
        assert_eq!(heard(&app).found.len(), 3, "planned again for each");
    }
}

#[test]
fn an_obstacle_with_a_body_that_halts_for_a_tick_does_not_stand_in_between() {
    let mut app = app();
    let place = Transform::from_xyz(0.0, 30.0, 0.0);
    let body = (PointMass::default(), Obstacle::new(1.0), place);
    let rock = app.world_mut().spawn(body).id();
    run(&mut app, 5);
    let mut revisions = vec![revision(&app)];
    for tick in 0..80 {
        let speed = if tick < 60 && tick % 2 == 0 { 2.0 } else { 0.0 };
        let mut body = app.world_mut().get_mut::<PointMass>(rock).unwrap();
        body.velocity = speed * Vec2::X;
        app.update();
        revisions.push(revision(&app));
    }
    revisions.dedup();
    assert_eq!(revisions.len(), 3, "there, moving, there");
}
