//! Whole apps with fields and agents that follow them.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;

use super::ground::Lattice;
use super::solving::Work;
use crate::*;

fn app() -> App {
    let mut app = App::new();
    let tick = Duration::from_secs_f64(1.0 / 60.0);
    let steering = SteeringCorePlugin::new(Update);
    app.add_plugins((MinimalPlugins, steering, NavigationPlugin::default()))
        .insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    app
}

fn run(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}

fn area() -> Rect {
    Rect::new(-20.0, -20.0, 20.0, 20.0)
}

fn sample(app: &App, field: Entity, at: (f32, f32)) -> Vec2 {
    app.world()
        .get::<FlowField>(field)
        .unwrap()
        .sample(at.into())
}

fn warned(app: &App) -> Vec<&'static str> {
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    warnings.iter().map(|it| it.field).collect()
}

/// Sides of a maze of square cells, by randomized depth-first search: every cell can be reached, over one way.
fn maze(cells: usize, random: &mut RandomStream) -> Vec<Wall> {
    let count = cells * cells;
    let mut is_open = vec![[false; 2]; count];
    let mut visited = vec![false; count];
    let mut trail = vec![0];
    visited[0] = true;
    while let Some(&cell) = trail.last() {
        let (x, y) = (cell % cells, cell / cells);
        // The next cell, and the side between: the right or upper one of a cell.
        let sides = [
            (x + 1 < cells).then(|| (cell + 1, cell, 0)),
            (y + 1 < cells).then(|| (cell + cells, cell, 1)),
            (x > 0).then(|| (cell - 1, cell - 1, 0)),
            (y > 0).then(|| (cell - cells, cell - cells, 1)),
        ];
        let fresh: Vec<_> = sides
            .into_iter()
            .flatten()
            .filter(|it| !visited[it.0])
            .collect();
        if fresh.is_empty() {
            trail.pop();
            continue;
        }
        let (next, of, side) = fresh[(random.unit() * fresh.len() as f32) as usize % fresh.len()];
        (is_open[of][side], visited[next]) = (true, true);
        trail.push(next);
    }
    let size = area().width() / cells as f32;
    let corner = |x: usize, y: usize| area().min + size * Vec2::new(x as f32, y as f32);
    let closed = (0..count).flat_map(|cell| {
        let (x, y) = (cell % cells, cell / cells);
        let right = Wall::new(corner(x + 1, y), corner(x + 1, y + 1));
        let up = Wall::new(corner(x, y + 1), corner(x + 1, y + 1));
        let sides = [(right, is_open[cell][0]), (up, is_open[cell][1])];
        sides.into_iter().filter(|side| !side.1).map(|side| side.0)
    });
    closed.chain(Wall::room(area())).collect()
}

/// How far out an agent of [`PointMass::RADIUS`] may be in its cell, m.
const OUT: f32 = 1.3;

/// Sends agents through mazes by a field, and asserts that each gets to the goal in good time without
/// touching a wall.
#[track_caller]
fn assert_that_none_is_stuck(agents: usize, mazes: u64) {
    const SPEED: f32 = 5.0;
    for seed in 0..mazes {
        let mut random = RandomStream::new(seed, SteeringId(0), 0);
        let mut app = app();
        let walls = maze(10, &mut random);
        app.world_mut().spawn_batch(walls.clone());
        let goal = Vec2::splat(18.0);
        let field = GoalField::new(area()).with_goal(goal).with_spacing(0.25);
        let field = app.world_mut().spawn(field).id();
        while !app.world().get::<TravelMap>(field).unwrap().is_complete() {
            app.update();
        }
        let mut waiting: Vec<_> = (0..agents)
            .map(|i| {
                let cell = Vec2::new((i % 10) as f32, (i / 10 % 10) as f32);
                let off = OUT * (2.0 * Vec2::new(random.unit(), random.unit()) - 1.0);
                let at = area().min + 4.0 * (cell + 0.5) + off;
                let way = app.world().get::<TravelMap>(field).unwrap().travel_time(at);
                let body = (
                    PointMass::default(),
                    Transform::from_translation(at.extend(0.0)),
                );
                let agent = (body, FlowFieldFollowing::new(field));
                (app.world_mut().spawn(agent).id(), way.unwrap())
            })
            .collect();
        let mut seconds = 0.0;
        while !waiting.is_empty() {
            run(&mut app, 15);
            seconds += 0.25;
            waiting.retain(|(agent, way)| {
                let at = app
                    .world()
                    .get::<Transform>(*agent)
                    .unwrap()
                    .translation
                    .truncate();
                let clear = walls.iter().map(|it| Solid::from(*it).distance(at));
                let clear = clear.fold(f32::INFINITY, f32::min);
                assert!(
                    clear > PointMass::RADIUS - 0.25,
                    "{clear} m from a wall at {at}"
                );
                assert!(
                    seconds < 1.25 * way / SPEED + 3.0,
                    "seed {seed}: {at} is late"
                );
                at.distance(goal) > 1.5
            });
        }
    }
}

#[test]
fn a_thousand_agents_find_their_way_through_a_maze_and_none_is_stuck() {
    assert_that_none_is_stuck(1_000, 1);
}

#[test]
#[ignore = "takes half a minute"]
fn ten_thousand_agents_find_their_way_through_mazes_and_none_is_stuck() {
    assert_that_none_is_stuck(10_000, 3);
}

#[test]
fn a_new_wall_changes_the_field_and_its_removal_changes_it_back() {
    let mut app = app();
    let field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
    let field = app.world_mut().spawn(field).id();
    run(&mut app, 5);
    let straight = sample(&app, field, (0.0, 0.0));
    assert!(straight.x > 0.99, "{straight}");
    let wall = Wall::new(Vec2::new(5.0, -15.0), Vec2::new(5.0, 4.0));
    let wall = app.world_mut().spawn(wall).id();
    run(&mut app, 10);
    assert!(sample(&app, field, (0.0, 0.0)).y > 0.5);
    app.world_mut().despawn(wall);
    run(&mut app, 10);
    let again = sample(&app, field, (0.0, 0.0));
    assert!(again.distance(straight) < 0.02, "{again}");
}

#[test]
fn a_goal_that_moves_is_followed() {
    let mut app = app();
    let goal = app
        .world_mut()
        .spawn(Transform::from_xyz(10.0, 0.0, 0.0))
        .id();
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    run(&mut app, 5);
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.99);
    *app.world_mut().get_mut::<Transform>(goal).unwrap() = Transform::from_xyz(-10.0, 0.0, 0.0);
    run(&mut app, 10);
    assert!(sample(&app, field, (0.0, 0.0)).x < -0.99);
}

#[test]
fn a_goal_that_moves_on_before_the_field_is_complete_is_followed() {
    let mut app = app();
    let goal = app
        .world_mut()
        .spawn(Transform::from_xyz(10.0, -10.0, 0.0))
        .id();
    let mut field = GoalField::new(area()).with_goal(goal);
    field.nodes_per_tick = 500;
    let field = app.world_mut().spawn(field).id();
    for _ in 0..20 {
        run(&mut app, 5);
        let mut at = app.world_mut().get_mut::<Transform>(goal).unwrap();
        at.translation.y += 0.5;
    }
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.5);
    run(&mut app, 300);
    let ahead = sample(&app, field, (10.0, -5.0));
    assert!(ahead.y > 0.99, "towards where the goal is now: {ahead}");
}

#[test]
fn the_work_is_spread_over_ticks() {
    let mut app = app();
    let mut field = GoalField::new(area()).with_goal(Vec2::ZERO);
    field.nodes_per_tick = 500;
    let field = app.world_mut().spawn(field).id();
    let complete = |app: &App| app.world().get::<TravelMap>(field).unwrap().is_complete();
    let mut ticks = 0;
    while !complete(&app) {
        run(&mut app, 1);
        ticks += 1;
    }
    // 81 by 81 nodes, once for the times and once for the vectors.
    assert!((26..40).contains(&ticks), "{ticks}");
}

/// A field whose straight way leads through a crowd, solved.
fn jam(app: &mut App) -> Entity {
    let field = begin_jam(app);
    run(app, 80);
    field
}

/// A field whose straight way leads through a crowd.
fn begin_jam(app: &mut App) -> Entity {
    let mut field = GoalField::new(area()).with_goal(Vec2::new(15.0, 0.0));
    field.crowd_cost = 2.0;
    let field = app.world_mut().spawn(field).id();
    for i in 0..60 {
        let at = Vec3::new(3.0 + 0.5 * (i % 6) as f32, -4.0 + 0.5 * (i / 6) as f32, 0.0);
        app.world_mut().spawn((
            PointMass::default(),
            Vehicle::default(),
            Transform::from_translation(at),
        ));
    }
    field
}

#[test]
fn a_jam_is_walked_around() {
    let mut app = app();
    let field = jam(&mut app);
    let around = sample(&app, field, (-1.0, 0.0));
    assert!(around.y > 0.2, "{around}");
}

#[test]
fn a_jam_is_walked_around_while_a_solid_moves_in_every_tick() {
    let mut app = app();
    let field = begin_jam(&mut app);
    let wall = Wall::new(Vec2::new(-18.0, 10.0), Vec2::new(-18.0, 14.0));
    let wall = app.world_mut().spawn(wall).id();
    for _ in 0..130 {
        app.update();
        let mut wall = app.world_mut().get_mut::<Wall>(wall).unwrap();
        wall.from.x += 0.25;
        wall.to.x += 0.25;
    }
    let around = sample(&app, field, (-1.0, 0.0));
    assert!(around.y > 0.2, "{around}");
}

#[test]
fn an_agent_whose_position_is_no_number_is_no_crowd() {
    let mut app = app();
    let mut field = GoalField::new(area()).with_goal(Vec2::new(15.0, 0.0));
    field.crowd_cost = 2.0;
    let field = app.world_mut().spawn(field).id();
    app.world_mut().spawn((
        PointMass::default(),
        Vehicle::default(),
        Transform::from_translation(Vec3::NAN),
    ));
    run(&mut app, 80);
    let times = app.world().get::<TravelMap>(field).unwrap();
    let time = times.travel_time(Vec2::new(5.0, 0.0)).unwrap();
    assert!((9.0..11.0).contains(&time), "{time}");
}

#[test]
fn a_crowd_that_costs_nothing_any_more_is_forgotten() {
    let mut app = app();
    let field = jam(&mut app);
    let mut how = app.world_mut().get_mut::<GoalField>(field).unwrap();
    how.crowd_cost = 0.0;
    run(&mut app, 10);
    let straight = sample(&app, field, (-1.0, 0.0));
    assert!(straight.x > 0.99, "{straight}");
}

#[test]
fn an_area_with_too_many_nodes_is_refused_with_their_number() {
    let mut app = app();
    let field = GoalField::new(area()).with_spacing(0.04);
    let error = field.check().unwrap_err().to_string();
    assert!(error.contains("1001 × 1001"), "{error}");
    app.world_mut().spawn(field);
    run(&mut app, 3);
    assert_eq!(warned(&app), ["GoalField.spacing"]);
}

#[test]
fn faulty_fields_raise_a_warning_each_and_the_others_are_solved() {
    let mut app = app();
    let field = || GoalField::new(area()).with_goal(Vec2::ZERO);
    let empty = Rect {
        min: Vec2::ONE,
        max: Vec2::ONE,
    };
    app.world_mut().spawn(GoalField {
        area: empty,
        ..field()
    });
    app.world_mut().spawn(field().with_goal(Vec2::NAN));
    app.world_mut().spawn(field().with_radius(-1.0));
    app.world_mut().spawn(GroundCost::new(area(), 0.0));
    let fine = app.world_mut().spawn(field()).id();
    run(&mut app, 5);
    let mut fields = warned(&app);
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "GoalField.area",
            "GoalField.goals",
            "GoalField.radius",
            "GroundCost.cost"
        ]
    );
    assert!(app.world().get::<FlowField>(fine).is_some());
}

#[test]
fn goals_outside_of_the_area_are_warned_of_only_if_no_other_is_inside() {
    let outside = GoalField::new(area()).with_goal(Vec2::new(90.0, 0.0));
    for (field, warnings) in [
        (outside.clone(), vec!["GoalField.goals"]),
        (outside.with_goal(Vec2::new(9.0, 0.0)), vec![]),
        (GoalField::new(area()), vec![]),
    ] {
        let mut app = app();
        app.world_mut().spawn(field);
        run(&mut app, 10);
        assert_eq!(warned(&app), warnings);
    }
}

#[test]
fn a_goal_inside_a_rock_is_moved_to_its_edge_or_refused() {
    let mut app = app();
    let goal = Vec2::new(10.0, 0.0);
    let rock = (
        Transform::from_translation(goal.extend(0.0)),
        Obstacle { radius: 1.0 },
    );
    let rock = app.world_mut().spawn(rock).id();
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    run(&mut app, 5);
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.9);
    assert!(warned(&app).is_empty());
    app.world_mut().get_mut::<Obstacle>(rock).unwrap().radius = 6.0;
    run(&mut app, 5);
    assert_eq!(warned(&app), ["GoalField.goals"]);
}

#[test]
fn a_goal_close_to_a_wall_is_reached_on_its_side() {
    for side in [1.0, -1.0] {
        let mut app = app();
        app.world_mut()
            .spawn(Wall::new(Vec2::new(0.0, -10.0), Vec2::new(0.0, 10.0)));
        // Its node is in the wall.
        let goal = Vec2::new(0.2 * side, 0.0);
        let field = GoalField::new(area()).with_goal(goal);
        let field = app.world_mut().spawn(field).id();
        run(&mut app, 10);
        let there = side * sample(&app, field, (5.0 * side, 0.0));
        assert!(there.x < -0.9, "{there}");
        assert!(warned(&app).is_empty());
    }
}

#[test]
fn a_goal_that_changes_the_side_of_a_wall_is_followed() {
    let mut app = app();
    app.world_mut()
        .spawn(Wall::new(Vec2::new(0.0, -10.0), Vec2::new(0.0, 10.0)));
    let goal = app
        .world_mut()
        .spawn(Transform::from_xyz(-0.2, 0.0, 0.0))
        .id();
    let field = GoalField::new(area()).with_goal(goal);
    let field = app.world_mut().spawn(field).id();
    run(&mut app, 10);
    assert!(sample(&app, field, (-5.0, 0.0)).x > 0.9);
    app.world_mut()
        .get_mut::<Transform>(goal)
        .unwrap()
        .translation
        .x = 0.2;
    run(&mut app, 10);
    assert!(sample(&app, field, (5.0, 0.0)).x < -0.9);
}

#[test]
fn a_solid_that_moves_in_every_tick_keeps_no_field_from_completing() {
    // Outside of the area and in it.
    for y in [500.0, 12.0] {
        let mut app = app();
        let rock = (Transform::from_xyz(-12.0, y, 0.0), Obstacle { radius: 1.0 });
        let rock = app.world_mut().spawn(rock).id();
        let field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
        let field = app.world_mut().spawn(field).id();
        for _ in 0..240 {
            app.update();
            let mut at = app.world_mut().get_mut::<Transform>(rock).unwrap();
            at.translation.x += 0.1;
        }
        assert!(app.world().get::<FlowField>(field).is_some());
        assert!(sample(&app, field, (0.0, 0.0)).x > 0.9);
    }
}

#[test]
fn a_change_before_the_field_is_complete_counts_in_the_next_update() {
    let mut app = app();
    let mut field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
    field.nodes_per_tick = 500;
    let field = app.world_mut().spawn(field).id();
    run(&mut app, 5);
    app.world_mut()
        .spawn(Wall::new(Vec2::new(5.0, -15.0), Vec2::new(5.0, 4.0)));
    run(&mut app, 200);
    assert!(sample(&app, field, (0.0, 0.0)).y > 0.5);
}

#[test]
fn the_followers_of_a_field_that_is_not_complete_have_not_lost_it() {
    #[derive(Resource, Default)]
    struct Losses(u32);
    let mut app = app();
    app.init_resource::<Losses>();
    app.add_observer(|_: On<TargetLost>, mut losses: ResMut<Losses>| losses.0 += 1);
    let mut field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
    field.nodes_per_tick = 50;
    let field = app.world_mut().spawn(field).id();
    let follower = (PointMass::default(), FlowFieldFollowing::new(field));
    app.world_mut().spawn(follower);
    run(&mut app, 5);
    assert_eq!(app.world().resource::<Losses>().0, 0);
}

#[test]
fn a_field_is_written_again_after_going_back_to_before_it_was_complete() {
    let mut app = app();
    let field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
    let field = app.world_mut().spawn(field).id();
    app.update();
    let before = SteeringSnapshot::take(app.world_mut());
    assert_eq!(sample(&app, field, (0.0, 0.0)), Vec2::ZERO);
    run(&mut app, 10);
    before.restore(app.world_mut());
    assert_eq!(sample(&app, field, (0.0, 0.0)), Vec2::ZERO);
    run(&mut app, 10);
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.99);
}

#[test]
fn a_field_is_replaced_after_going_back_to_an_update_under_way() {
    let mut app = app();
    let wall = Wall::new(Vec2::new(5.0, -15.0), Vec2::new(5.0, 4.0));
    let wall = app.world_mut().spawn(wall).id();
    let mut field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
    field.nodes_per_tick = 1_000;
    let field = app.world_mut().spawn(field).id();
    run(&mut app, 60);
    app.world_mut().despawn(wall);
    run(&mut app, 2);
    let before = SteeringSnapshot::take(app.world_mut());
    run(&mut app, 60);
    before.restore(app.world_mut());
    assert!(sample(&app, field, (0.0, 0.0)).y > 0.5, "the old field");
    run(&mut app, 10);
    let straight = sample(&app, field, (0.0, 0.0));
    assert!(straight.x > 0.95, "{straight}");
}

#[test]
fn a_field_whose_area_moves_in_every_tick_is_solved_in_between() {
    let mut app = app();
    let goal = Vec2::new(15.0, 0.0);
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    for step in 0..20 {
        let moved = Rect::from_center_half_size(Vec2::splat(0.01 * step as f32), Vec2::splat(20.0));
        app.world_mut().get_mut::<GoalField>(field).unwrap().area = moved;
        app.update();
    }
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.99);
    run(&mut app, 5);
    assert_eq!(
        app.world().get::<FlowField>(field).unwrap().corner(),
        Vec2::splat(0.19 - 20.0 - 3.0 * 0.5)
    );
}

#[test]
fn an_agent_beside_a_wall_has_a_travel_time() {
    let mut app = app();
    let goal = Vec2::new(15.0, 10.0);
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    // The nodes at 0.5 m are blocked.
    app.world_mut()
        .spawn(Wall::new(Vec2::new(-20.0, 0.01), Vec2::new(20.0, 0.01)));
    run(&mut app, 10);
    let map = app.world().get::<TravelMap>(field).unwrap();
    let time = |y| map.travel_time(Vec2::new(15.0, y)).unwrap();
    // The ground beside a wall costs twice as much.
    assert!((9.0..11.0).contains(&time(0.6)), "{}", time(0.6));
    assert_eq!(time(0.1), f32::INFINITY, "in the wall");
    assert_eq!(map.travel_time(Vec2::new(30.0, 0.0)), None);
}

#[test]
fn a_follower_comes_to_rest_at_a_goal_on_the_border_of_the_area() {
    let mut app = app();
    let goal = Vec2::new(10.0, 0.0);
    let field = app.world_mut().spawn(GoalField::default().with_goal(goal));
    let field = field.id();
    let agent = (PointMass::default(), FlowFieldFollowing::new(field));
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 60 * 30);
    let at = app.world().get::<Kinematics>(agent).unwrap().position;
    assert!(at.distance(goal) < 0.2, "at {at}");
}

#[test]
fn followers_beside_a_thin_wall_do_not_walk_through_it() {
    for x in [0.26, 0.3, 0.35] {
        let mut app = app();
        app.world_mut()
            .spawn(Wall::new(Vec2::new(0.1, -5.0), Vec2::new(0.1, 5.0)));
        let goal = GoalField {
            radius: 0.25,
            ..GoalField::new(area()).with_goal(Vec2::new(8.0, 0.0))
        };
        let field = app.world_mut().spawn(goal).id();
        while !app.world().get::<TravelMap>(field).unwrap().is_complete() {
            app.update();
        }
        let place = Transform::from_xyz(0.1 - x, 0.2, 0.0);
        let limits = Vehicle::default().with_radius(0.25);
        let agent = (
            PointMass::default(),
            limits,
            FlowFieldFollowing::new(field),
            place,
        );
        let agent = app.world_mut().spawn(agent).id();
        let mut before = place.translation.truncate();
        for _ in 0..60 * 20 {
            app.update();
            let at = app.world().get::<Kinematics>(agent).unwrap().position;
            let crosses = before.x < 0.1 && at.x >= 0.1 && at.y.abs() < 5.0;
            assert!(!crosses, "{x} m beside it: through the wall at {at}");
            before = at;
        }
    }
}

#[test]
fn solids_far_from_a_field_do_not_count() {
    let lattice = GoalField::new(area()).lattice();
    let wall = |x: f32| [Solid::segment(Vec2::new(x, 0.0), Vec2::new(x, 9.0))];
    let digest = |solids: &[Solid]| lattice.solids_near(solids, 0.5);
    assert_eq!(digest(&wall(500.0)), digest(&[]));
    assert_ne!(digest(&wall(20.4)), digest(&[]), "close to the border");
}

#[test]
fn costs_by_rows_equal_those_of_all_nodes() {
    let lattice = Lattice {
        corner: Vec2::new(-3.0, -2.0),
        spacing: 0.4,
        size: UVec2::new(20, 15),
    };
    let mut random = RandomStream::new(1, SteeringId(0), 0);
    for _ in 0..200 {
        let area = Rect::new(-6.0, -5.0, 8.0, 7.0);
        let wall = Solid {
            radius: 0.5 * random.unit(),
            ..Solid::segment(random.point_in(area), random.point_in(area))
        };
        let costs = lattice.costs(&[wall], &[], 0.3);
        for y in 0..lattice.size.y {
            for x in 0..lattice.size.x {
                let node = UVec2::new(x, y);
                let distance = wall.distance(lattice.position(node));
                let expected = match distance {
                    it if it < 0.3 => f32::INFINITY,
                    it if it < 0.7 => 2.0,
                    _ => 1.0,
                };
                assert_eq!(
                    costs[lattice.index(node)],
                    expected,
                    "{wall:?}: {distance} m"
                );
            }
        }
    }
}

#[test]
fn a_field_whose_goal_is_despawned_stays_as_it_is_with_a_warning() {
    let mut app = app();
    let goal = app.world_mut().spawn(Transform::from_xyz(15.0, 0.0, 0.0));
    let goal = goal.id();
    let field = GoalField::new(area()).with_goal(goal);
    let field = app.world_mut().spawn(field).id();
    run(&mut app, 10);
    app.world_mut().despawn(goal);
    run(&mut app, 10);
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.99);
    assert_eq!(warned(&app), ["GoalField.goals"]);
    // Also when its work is lost, as in a world that was loaded.
    app.world_mut()
        .entity_mut(field)
        .insert(TravelMap::default());
    run(&mut app, 10);
    assert!(sample(&app, field, (0.0, 0.0)).x > 0.99);
}

#[test]
fn a_crowd_in_the_middle_of_a_large_cell_counts() {
    let lattice = Lattice {
        corner: Vec2::ZERO,
        spacing: 4.0,
        size: UVec2::splat(4),
    };
    let mut work = Work::new(lattice, 0.5);
    work.set_ground(0, &[], &[]);
    work.set_goals(std::iter::once(Vec2::ZERO), &[]);
    let time = |work: &mut Work| {
        while !work.is_complete() {
            work.advance(1_000);
        }
        work.travel_time(Vec2::splat(12.0)).unwrap()
    };
    let before = time(&mut work);
    work.set_crowd([Vec2::splat(6.0); 10].into_iter(), 1.0);
    assert!(time(&mut work) > before);
}
