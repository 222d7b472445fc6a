//! Goals, solids and areas that change, also while a field is solved, and worlds that go back.

use super::*;

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
