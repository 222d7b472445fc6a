//! Fields that cannot be solved, and goals that cannot be reached.

use super::*;

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
    let swapped = Rect {
        min: area().max,
        max: area().min,
    };
    app.world_mut().spawn(GroundCost::new(swapped, 5.0));
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
            "GroundCost.area",
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
fn a_goal_inside_a_rock_is_moved_to_its_edge_unless_that_fills_the_area() {
    let mut app = app();
    let goal = Vec2::new(9.0, 0.0);
    let rock = (
        Transform::from_xyz(10.0, 0.0, 0.0),
        Obstacle { radius: 1.0 },
    );
    let rock = app.world_mut().spawn(rock).id();
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    for radius in [1.0, 6.0] {
        app.world_mut().get_mut::<Obstacle>(rock).unwrap().radius = radius;
        run(&mut app, 5);
        assert!(sample(&app, field, (0.0, 0.0)).x > 0.9);
    }
    assert!(warned(&app).is_empty());
    app.world_mut().get_mut::<Obstacle>(rock).unwrap().radius = 60.0;
    run(&mut app, 5);
    assert_eq!(warned(&app), ["GoalField.goals"]);
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
