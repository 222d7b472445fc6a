//! Members among agents that have come to rest in their way.

use super::*;

/// A corridor along x that agents at rest block at 8 m, some rows deep.
fn blocked_corridor(app: &mut App, rows: usize) {
    for y in [-3.0, 3.0] {
        let wall = Wall::new(Vec2::new(-5.0, y), Vec2::new(30.0, y));
        app.world_mut().spawn(wall);
    }
    for index in 0..5 * rows {
        let (row, column) = (index / 5, index % 5);
        let at = Vec2::new(8.0 + 1.1 * row as f32, 1.1 * (column as f32 - 2.0));
        let at = Transform::from_translation(at.extend(0.0));
        let body = (PointMass::default(), Vehicle::default(), at);
        app.world_mut().spawn(body);
    }
}

fn careful_unit(app: &mut App, at: Vec2) -> Entity {
    let unit = unit(app, at);
    let avoidance = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
    app.world_mut().entity_mut(unit).insert(avoidance);
    unit
}

#[test]
fn members_that_are_stuck_beside_each_other_get_through_one_after_the_other() {
    let mut app = app();
    blocked_corridor(&mut app, 1);
    let units = [-0.6, 0.6].map(|y| careful_unit(&mut app, Vec2::new(0.0, y)));
    order(&mut app, GroupArrive::new(Vec2::new(20.0, 0.0)), &units);
    run(&mut app, 60 * 30);
    assert_settled(&app, &units);
}

#[test]
fn a_member_that_pushes_through_several_rows_is_not_thrown_back() {
    let mut app = app();
    blocked_corridor(&mut app, 4);
    let unit = careful_unit(&mut app, Vec2::ZERO);
    order(&mut app, GroupArrive::new(Vec2::new(24.0, 0.0)), &[unit]);
    let mut farthest = f32::NEG_INFINITY;
    for _ in 0..60 * 30 {
        app.update();
        let x = app.world().get::<Kinematics>(unit).unwrap().position.x;
        farthest = farthest.max(x);
        assert!(x > farthest - 1.0, "thrown back from {farthest} to {x}");
    }
    assert_settled(&app, &[unit]);
}
