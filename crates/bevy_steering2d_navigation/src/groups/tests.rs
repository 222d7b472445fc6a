//! Whole apps with groups of point masses.

use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::testing::*;
use crate::*;

mod bystanders;
mod members;
mod room;
mod stuck;
mod waiting;

fn unit(app: &mut App, at: Vec2) -> Entity {
    let at = Transform::from_translation(at.extend(0.0));
    app.world_mut().spawn((PointMass::default(), at)).id()
}

fn units(app: &mut App, count: usize, corner: Vec2) -> Vec<Entity> {
    let at = |i: usize| corner + 1.5 * Vec2::new((i % 5) as f32, (i / 5) as f32);
    (0..count).map(|i| unit(app, at(i))).collect()
}

fn order(app: &mut App, order: GroupArrive, members: &[Entity]) -> Entity {
    let order = app
        .world_mut()
        .commands()
        .order_group(order, members.iter().copied());
    app.world_mut().flush();
    order
}

fn place(app: &App, unit: Entity) -> Vec2 {
    app.world().get::<GroupPlace>(unit).unwrap().at.unwrap()
}

#[track_caller]
fn assert_settled(app: &App, units: &[Entity]) {
    for &unit in units {
        let body = app.world().get::<Kinematics>(unit).unwrap();
        assert!(body.speed() < 0.01, "{body:?}");
        assert!(body.position.distance(place(app, unit)) < 0.15, "{body:?}");
    }
    for (i, &a) in units.iter().enumerate() {
        for &b in &units[..i] {
            assert!(
                place(app, a).distance(place(app, b)) > 0.99,
                "two on one place"
            );
        }
    }
}

#[test]
fn a_group_comes_to_rest_and_arrives_once() {
    let mut app = app();
    let units = units(&mut app, 20, Vec2::ZERO);
    let goal = Vec2::new(20.0, 5.0);
    let order = order(&mut app, GroupArrive::new(goal), &units);
    run(&mut app, 900);
    assert_settled(&app, &units);
    let expected = GroupArrived {
        entity: order,
        members: 20,
        missing: 0,
    };
    assert_eq!(heard(&app).groups, [expected]);
}

#[test]
fn the_memory_of_a_group_tells_how_near_to_the_center_its_places_are() {
    let mut app = app();
    let units = units(&mut app, 20, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(20.0, 5.0)), &units);
    let memory = |app: &App| *app.world().get::<GroupArriveMemory>(order).unwrap();
    assert_eq!(memory(&app).radius, 0.0, "no places yet");
    run(&mut app, 5);
    let GroupArriveMemory { center, radius, .. } = memory(&app);
    let away = units.iter().map(|&it| place(&app, it).distance(center));
    assert_eq!(radius, away.fold(0.0, f32::max));
    assert!((1.5..4.0).contains(&radius), "{radius} m");
}

#[test]
fn groups_that_swap_places_pass_each_other_and_come_to_rest() {
    let mut app = app();
    let (west, east) = (Vec2::ZERO, Vec2::new(30.0, 0.0));
    let (from_west, from_east) = (units(&mut app, 20, west), units(&mut app, 20, east));
    order(&mut app, GroupArrive::new(east), &from_west);
    order(&mut app, GroupArrive::new(west), &from_east);
    let mut nearest = f32::INFINITY;
    for _ in 0..900 {
        app.update();
        let at = |it: &Entity| app.world().get::<Kinematics>(*it).unwrap().position;
        let between = |a| from_east.iter().map(move |b| at(a).distance(at(b)));
        nearest = from_west.iter().flat_map(between).fold(nearest, f32::min);
    }
    // Without any avoidance.
    assert!(nearest > 2.0 * PointMass::RADIUS, "{nearest}");
    assert_settled(&app, &from_west);
    assert_settled(&app, &from_east);
    assert_eq!(heard(&app).groups.len(), 2);
}

#[test]
fn groups_that_are_sent_to_one_point_stand_beside_each_other() {
    let mut app = app();
    let west = units(&mut app, 10, Vec2::ZERO);
    let east = units(&mut app, 10, Vec2::new(30.0, 0.0));
    let goal = GroupArrive::new(Vec2::new(15.0, 0.0));
    order(&mut app, goal, &west);
    order(&mut app, goal, &east);
    run(&mut app, 900);
    assert_settled(&app, &[west, east].concat());
}

#[test]
fn groups_that_are_sent_to_each_others_places_get_them() {
    let mut app = app();
    let (west, east) = (Vec2::ZERO, Vec2::new(30.0, 0.0));
    let (from_west, from_east) = (units(&mut app, 7, west), units(&mut app, 7, east));
    let first = order(&mut app, GroupArrive::new(west), &from_west);
    let second = order(&mut app, GroupArrive::new(east), &from_east);
    run(&mut app, 5);
    for (order, to) in [(first, east), (second, west)] {
        let mut order = app.world_mut().get_mut::<GroupArrive>(order).unwrap();
        order.target = to.into();
    }
    run(&mut app, 1);
    for (units, to) in [(from_west, east), (from_east, west)] {
        let places = units.iter().map(|&unit| place(&app, unit));
        let middle = places.sum::<Vec2>() / units.len() as f32;
        assert!(middle.distance(to) < 0.2, "{middle} for {to}");
    }
}

#[test]
fn a_new_order_on_the_way_replaces_the_old_one() {
    let mut app = app();
    let units = units(&mut app, 10, Vec2::ZERO);
    let first = order(&mut app, GroupArrive::new(Vec2::new(30.0, 0.0)), &units);
    run(&mut app, 100);
    let second = order(&mut app, GroupArrive::new(Vec2::new(0.0, 20.0)), &units);
    run(&mut app, 900);
    assert_settled(&app, &units);
    assert!(
        app.world().get_entity(first).is_err(),
        "without members it is despawned"
    );
    let heard = &heard(&app).groups;
    assert_eq!((heard.len(), heard[0].entity), (1, second));
}

#[test]
fn a_group_whose_target_moves_arrives_again() {
    let mut app = app();
    let units = units(&mut app, 5, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(10.0, 0.0)), &units);
    run(&mut app, 600);
    app.world_mut()
        .get_mut::<GroupArrive>(order)
        .unwrap()
        .target = Vec2::new(0.0, 10.0).into();
    run(&mut app, 600);
    assert_settled(&app, &units);
    assert_eq!(heard(&app).groups.len(), 2);
}

#[test]
fn a_faulty_order_raises_a_warning_and_moves_no_member() {
    let fine = GroupArrive::new(Vec2::new(9.0, 0.0));
    let [facing, degrees] = [f32::NAN, 90.0];
    let faulty = [
        ("GroupArrive.target", GroupArrive::new(Vec2::NAN)),
        ("GroupArrive.gap", GroupArrive { gap: -0.1, ..fine }),
        (
            "GroupArrive.retarget_distance",
            GroupArrive {
                retarget_distance: 0.0,
                ..fine
            },
        ),
        (
            "GroupArrive.shape.facing",
            fine.with_shape(GroupShape::Line { facing }),
        ),
        (
            "GroupArrive.shape.facing",
            fine.with_shape(GroupShape::Block { facing: degrees }),
        ),
    ];
    for (field, faulty) in faulty {
        let mut app = app();
        let units = units(&mut app, 4, Vec2::ZERO);
        let faulty = order(&mut app, faulty, &units[..3]);
        order(&mut app, fine, &units[3..]);
        run(&mut app, 10);
        let warnings = app.world().resource::<SteeringWarnings>().recent();
        let about: Vec<_> = warnings.iter().map(|it| (it.entity, it.field)).collect();
        assert_eq!(about, [(faulty, field)]);
        let is_sent = |it: &Entity| app.world().get::<NavigateTo>(*it).is_some();
        assert_eq!(
            units.iter().map(is_sent).collect::<Vec<_>>(),
            [false, false, false, true]
        );
    }
}

#[test]
fn members_of_an_entity_without_an_order_are_warned_of_once() {
    let mut app = app();
    let units = units(&mut app, 3, Vec2::ZERO);
    let banner = app.world_mut().spawn_empty().id();
    for &unit in &units {
        app.world_mut().entity_mut(unit).insert(GroupMember(banner));
    }
    run(&mut app, 10);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    let about: Vec<_> = warnings.iter().map(|it| (it.entity, it.field)).collect();
    assert_eq!(about, [(banner, "GroupMember")]);
}

#[test]
fn a_group_outlives_its_order_without_a_warning() {
    let mut app = app();
    let units = units(&mut app, 3, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(9.0 * Vec2::X), &units);
    run(&mut app, 10);
    app.world_mut().entity_mut(order).remove::<GroupArrive>();
    run(&mut app, 10);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_group_whose_target_is_despawned_keeps_its_places_and_arrives() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(12.0, 0.0, 0.0))
        .id();
    order(&mut app, GroupArrive::new(target), &units);
    run(&mut app, 30);
    app.world_mut().despawn(target);
    run(&mut app, 900);
    assert_settled(&app, &units);
    assert_eq!(heard(&app).groups.len(), 1);
}

#[test]
fn an_order_that_nobody_follows_is_despawned() {
    let mut app = app();
    let units = units(&mut app, 2, Vec2::ZERO);
    let target = GroupArrive::new(Vec2::new(8.0, 0.0));
    let replaced = order(&mut app, target, &units);
    let of_nobody = order(&mut app, target, &[]);
    let followed = order(&mut app, target, &units);
    app.update();
    for (order, lives) in [(replaced, false), (of_nobody, false), (followed, true)] {
        assert_eq!(app.world().get_entity(order).is_ok(), lives);
    }
}

#[test]
fn a_faulty_order_that_nobody_follows_is_despawned() {
    let mut app = app();
    let units = units(&mut app, 2, Vec2::ZERO);
    let faulty = order(&mut app, GroupArrive::new(Vec2::NAN), &units);
    order(&mut app, GroupArrive::new(Vec2::new(8.0, 0.0)), &units);
    app.update();
    assert!(app.world().get_entity(faulty).is_err());
}
