//! Whole apps with fields and agents that follow them.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;

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

#[test]
fn agents_find_their_way_through_a_maze_to_the_goal() {
    let mut app = app();
    for i in 0..9 {
        let (x, gap) = (4.0 * i as f32 - 16.0, if i % 2 == 0 { -17.0 } else { 17.0 });
        let (low, high) = (gap - 1.2, gap + 1.2);
        app.world_mut()
            .spawn(Wall::new(Vec2::new(x, -20.0), Vec2::new(x, low)));
        app.world_mut()
            .spawn(Wall::new(Vec2::new(x, high), Vec2::new(x, 20.0)));
    }
    let goal = Vec2::new(18.0, 0.0);
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    let agents: Vec<_> = (0..100)
        .map(|i| {
            let at = Vec3::new(
                -19.0 + (i % 10) as f32 * 3.6,
                -18.0 + (i / 10) as f32 * 3.9,
                0.0,
            );
            let body = (PointMass::default(), Transform::from_translation(at));
            app.world_mut()
                .spawn((body, FlowFieldFollowing::new(field)))
                .id()
        })
        .collect();
    run(&mut app, 60 * 75);
    for agent in agents {
        let at = app
            .world()
            .get::<Transform>(agent)
            .unwrap()
            .translation
            .truncate();
        assert!(at.distance(goal) < 3.0, "{at}");
    }
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

#[test]
fn a_jam_is_walked_around() {
    let mut app = app();
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
    run(&mut app, 80);
    let around = sample(&app, field, (-1.0, 0.0));
    assert!(around.y > 0.2, "{around}");
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
