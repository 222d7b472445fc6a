//! Crowds that are walked around.

use super::*;
use crate::fields::ground::Lattice;
use crate::fields::solving::Work;

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
fn a_crowd_in_the_middle_of_a_large_cell_counts() {
    let lattice = Lattice {
        corner: Vec2::ZERO,
        spacing: 4.0,
        size: UVec2::splat(4),
    };
    let mut work = Work::new(lattice, 0.5);
    work.set_ground(0, &[], &[]);
    work.set_goals(std::iter::once(Vec2::ZERO));
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
