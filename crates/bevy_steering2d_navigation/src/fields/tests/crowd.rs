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
fn agents_that_no_behavior_sees_are_no_crowd() {
    let mut app = app();
    let field = begin_jam(&mut app);
    let world = app.world_mut();
    let mut agents = world.query_filtered::<Entity, With<Vehicle>>();
    let agents: Vec<_> = agents.iter(world).collect();
    for agent in agents {
        world.entity_mut(agent).insert(SteeringGroups::NONE);
    }
    run(&mut app, 80);
    let straight = sample(&app, field, (-1.0, 0.0));
    assert!(straight.x > 0.99, "{straight}");
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

/// Two rooms beside each other, with a door in the wall between them.
fn two_rooms(app: &mut App, door: f32) -> Rect {
    let rooms = Rect::from_center_half_size(Vec2::ZERO, Vec2::new(10.0, 5.0));
    app.world_mut().spawn_batch(Wall::room(rooms));
    for side in [-1.0, 1.0] {
        let [jamb, end] = [0.5 * door, 5.0].map(|y| Vec2::new(0.0, side * y));
        app.world_mut().spawn(Wall::new(jamb, end));
    }
    rooms
}

/// A field that leads to a line across a room.
fn field_to(app: &mut App, rooms: Rect, line: f32) -> Entity {
    let field = GoalField::new(rooms).with_radius(0.25).with_spacing(0.25);
    let goals = (-8..=8).map(|step| Vec2::new(line, 0.5 * step as f32));
    let field = goals.fold(field, GoalField::with_goal);
    app.world_mut().spawn(field).id()
}

#[test]
fn the_ways_through_a_door_use_its_whole_width() {
    let mut app = app();
    let rooms = two_rooms(&mut app, 2.0);
    let field = field_to(&mut app, rooms, 9.0);
    run(&mut app, 10);
    for side in [-1.0, 1.0] {
        let mut at = Vec2::new(-6.0, 4.0 * side);
        while at.x < 0.0 {
            at += 0.05 * sample(&app, field, at.into());
        }
        // The field keeps 0.25 m from the jamb.
        let aside = side * at.y;
        assert!((0.6..0.8).contains(&aside), "{aside} m from the middle");
    }
}

#[test]
fn two_groups_on_fields_change_rooms_through_a_door_for_one() {
    const GROUP: i16 = 8;
    let mut app = app();
    let rooms = two_rooms(&mut app, 1.0);
    let mut people = Vec::new();
    for side in [-1.0, 1.0] {
        let field = field_to(&mut app, rooms, -9.0 * side);
        for number in 0..GROUP {
            let (row, place) = (f32::from(number / 4), f32::from(number % 4));
            let at = Transform::from_xyz(side * (3.0 + row), place - 1.5, 0.0);
            let person = (
                (PointMass::default(), at),
                Vehicle::new(2.6, 6.0).with_radius(0.2),
                (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM),
                FlowFieldFollowing::new(field).with_pace(1.3),
            );
            people.push((app.world_mut().spawn(person).id(), side));
        }
    }
    run(&mut app, 60 * 20);
    let is_through = |&&(person, side): &&(Entity, f32)| side * position(&app, person).x < -1.0;
    assert_eq!(people.iter().filter(is_through).count(), people.len());
}
