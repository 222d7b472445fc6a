//! Whole apps with groups of point masses.

use std::time::Duration;

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;

use crate::*;

#[derive(Resource, Default)]
struct Heard(Vec<GroupArrived>);

fn app() -> App {
    let mut app = App::new();
    let tick = Duration::from_secs_f64(1.0 / 60.0);
    let steering = SteeringCorePlugin::new(Update);
    app.add_plugins((MinimalPlugins, steering, NavigationPlugin::default()))
        .insert_resource(TimeUpdateStrategy::ManualDuration(tick))
        .init_resource::<Heard>()
        .add_observer(|it: On<GroupArrived>, mut heard: ResMut<Heard>| heard.0.push(*it));
    app
}

fn run(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}

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
    assert_eq!(app.world().resource::<Heard>().0, [expected]);
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
    assert_eq!(app.world().resource::<Heard>().0.len(), 2);
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
fn a_member_that_leaves_its_group_on_the_way_no_longer_makes_a_detour() {
    let mut app = app();
    let (west, east) = (Vec2::ZERO, Vec2::new(30.0, 0.0));
    let (a, b) = (unit(&mut app, west), unit(&mut app, east));
    order(&mut app, GroupArrive::new(east), &[a]);
    order(&mut app, GroupArrive::new(west), &[b]);
    run(&mut app, 10);
    let detour = |app: &App| app.world().get::<NavigateToMemory>(a).unwrap().detour();
    assert!(detour(&app).is_some());
    app.world_mut().entity_mut(a).remove::<GroupMember>();
    run(&mut app, 2);
    assert!(detour(&app).is_none());
    let points = app.world().get::<SteeringPath>(a).unwrap().points();
    assert_eq!(points.len(), 2, "straight again: {points:?}");
}

#[test]
fn a_latecomer_gets_a_place_and_a_lost_place_is_taken_again() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 60);
    let lost = place(&app, units[3]);
    app.world_mut().despawn(units[3]);
    let late = unit(&mut app, Vec2::new(-5.0, 0.0));
    app.world_mut().entity_mut(late).insert(GroupMember(order));
    run(&mut app, 1);
    assert!(place(&app, late).distance(lost) < 0.1);
    run(&mut app, 900);
    let rest: Vec<_> = units
        .iter()
        .copied()
        .filter(|it| *it != units[3])
        .chain([late])
        .collect();
    assert_settled(&app, &rest);
    assert_eq!(app.world().resource::<Heard>().0.len(), 1);
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
    let heard = &app.world().resource::<Heard>().0;
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
    assert_eq!(app.world().resource::<Heard>().0.len(), 2);
}

#[test]
fn members_of_a_small_room_without_a_place_are_missing() {
    let mut app = app();
    let units = units(&mut app, 12, Vec2::new(-3.0, -3.0));
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(10.0, -1.6, 13.2, 1.6)));
    order(
        &mut app,
        GroupArrive::new(Vec2::new(11.6, 0.0)),
        &units[..4],
    );
    run(&mut app, 10);
    let states = units[..4]
        .iter()
        .map(|it| app.world().get::<NavigateToMemory>(*it).unwrap().state);
    let cut_off = NavigationState::NoPath(NoPathReason::Unreachable);
    assert!(states.into_iter().all(|state| state == cut_off));
    assert!(
        app.world().resource::<Heard>().0.is_empty(),
        "a group that cannot arrive does not"
    );
}

#[test]
fn a_member_without_room_does_not_go_on_to_its_former_place() {
    let mut app = app();
    let units = units(&mut app, 12, Vec2::new(-3.0, -3.0));
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(10.0, -1.6, 13.2, 1.6)));
    order(&mut app, GroupArrive::new(Vec2::new(20.0, 0.0)), &units);
    run(&mut app, 30);
    order(&mut app, GroupArrive::new(Vec2::new(11.6, 0.0)), &units);
    run(&mut app, 300);
    let has_no_place = |it: &&Entity| app.world().get::<GroupPlace>(**it).unwrap().at.is_none();
    let without: Vec<_> = units.iter().filter(has_no_place).collect();
    assert!(!without.is_empty() && without.len() < units.len());
    for unit in without {
        let body = app.world().get::<Kinematics>(*unit).unwrap();
        assert!(body.position.x < 9.0 && body.speed() < 0.1, "{body:?}");
    }
}

#[test]
fn a_place_that_becomes_free_goes_to_a_member_without_one() {
    let leave: [fn(EntityWorldMut); 2] = [
        |member| {
            member.despawn();
        },
        |mut member| {
            member.remove::<GroupMember>();
        },
    ];
    for leave in leave {
        let mut app = app();
        app.world_mut()
            .spawn_batch(Wall::room(Rect::new(10.0, -1.6, 13.2, 1.6)));
        let at = |i: usize| Vec2::new(10.7, -0.9) + 0.6 * Vec2::new((i % 4) as f32, (i / 4) as f32);
        let units: Vec<_> = (0..12).map(|i| unit(&mut app, at(i))).collect();
        order(&mut app, GroupArrive::new(Vec2::new(11.6, 0.0)), &units);
        run(&mut app, 60);
        let has_place = |it: &Entity| app.world().get::<GroupPlace>(*it).unwrap().at.is_some();
        let (placed, without): (Vec<_>, Vec<_>) = units.into_iter().partition(has_place);
        assert!(!placed.is_empty() && !without.is_empty());
        leave(app.world_mut().entity_mut(placed[0]));
        run(&mut app, 300);
        let has_place = |it: &Entity| app.world().get::<GroupPlace>(*it).unwrap().at.is_some();
        let heirs: Vec<_> = without.iter().copied().filter(has_place).collect();
        assert_eq!(heirs.len(), 1);
        assert_settled(&app, &[&placed[1..], heirs.as_slice()].concat());
    }
}

/// The walls of a room with space for two units around its middle, and the middle.
fn room_for_two(app: &mut App) -> (Vec<Entity>, Vec2) {
    let room = Wall::room(Rect::new(10.0, -1.1, 12.2, 1.1));
    let walls = app.world_mut().spawn_batch(room).collect();
    (walls, Vec2::new(11.1, 0.0))
}

#[test]
fn a_group_without_room_gets_places_when_another_group_is_sent_away() {
    let mut app = app();
    let (_, middle) = room_for_two(&mut app);
    let first = [10.6, 11.6].map(|x| unit(&mut app, Vec2::new(x, 0.0)));
    let second = unit(&mut app, middle);
    let leaving = order(&mut app, GroupArrive::new(middle), &first);
    order(&mut app, GroupArrive::new(middle), &[second]);
    run(&mut app, 100);
    assert!(first.iter().all(|&unit| place(&app, unit).x < 12.0));
    let waiting = app.world().get::<GroupPlace>(second).unwrap();
    assert_eq!(waiting.at, None);
    let mut leaving = app.world_mut().get_mut::<GroupArrive>(leaving).unwrap();
    leaving.target = Vec2::new(30.0, 0.0).into();
    run(&mut app, 40);
    // As many places as before are taken, but elsewhere.
    assert!(place(&app, second).distance(middle) < 1.0);
}

#[test]
fn a_group_with_room_for_some_keeps_their_places_when_solids_change() {
    let mut app = app();
    let (walls, middle) = room_for_two(&mut app);
    let at = |i: usize| Vec2::new(10.6 + 0.3 * i as f32, 0.0);
    let units: Vec<_> = (0..4).map(|i| unit(&mut app, at(i))).collect();
    order(&mut app, GroupArrive::new(middle), &units);
    run(&mut app, 400);
    let places = |app: &App| -> Vec<Option<Vec2>> {
        let place = |&unit: &Entity| app.world().get::<GroupPlace>(unit).unwrap().at;
        units.iter().map(place).collect()
    };
    let before = places(&app);
    assert_eq!(before.iter().flatten().count(), 2);
    assert_eq!(app.world().resource::<Heard>().0.len(), 1);
    app.world_mut()
        .spawn(Wall::new(Vec2::new(-9.0, 0.0), Vec2::new(-9.0, 5.0)));
    run(&mut app, 40);
    assert_eq!(places(&app), before);
    // Without the room there is a place for everyone.
    for wall in walls {
        app.world_mut().despawn(wall);
    }
    run(&mut app, 600);
    assert_settled(&app, &units);
    assert_eq!(app.world().resource::<Heard>().0.len(), 1);
}

#[test]
fn a_wall_elsewhere_leaves_the_places_and_one_across_them_does_not() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 600);
    let places: Vec<_> = units.iter().map(|&unit| place(&app, unit)).collect();
    app.world_mut()
        .spawn(Wall::new(Vec2::new(-9.0, 0.0), Vec2::new(-9.0, 5.0)));
    run(&mut app, 5);
    assert!(
        units
            .iter()
            .zip(&places)
            .all(|(&unit, &at)| place(&app, unit) == at)
    );
    app.world_mut()
        .spawn(Wall::new(Vec2::new(12.2, -9.0), Vec2::new(12.2, 9.0)));
    run(&mut app, 900);
    assert_settled(&app, &units);
    let heard = &app.world().resource::<Heard>().0;
    assert_eq!(heard.iter().filter(|it| it.entity == order).count(), 2);
}

#[test]
fn a_member_pushes_its_way_in_near_its_place_and_avoids_again_when_it_leaves() {
    let mut app = app();
    let unit = unit(&mut app, Vec2::ZERO);
    app.world_mut()
        .entity_mut(unit)
        .insert(ReciprocalAvoidance::default());
    order(&mut app, GroupArrive::new(Vec2::new(10.0, 0.0)), &[unit]);
    let avoids = |app: &App| {
        app.world()
            .get::<ReciprocalAvoidance>(unit)
            .unwrap()
            .influence
            .enabled
    };
    run(&mut app, 20);
    assert!(avoids(&app));
    run(&mut app, 400);
    assert!(!avoids(&app));
    app.world_mut().entity_mut(unit).remove::<GroupMember>();
    run(&mut app, 2);
    assert!(avoids(&app));
}

#[test]
fn a_faulty_order_raises_a_warning_and_moves_no_member() {
    let fine = GroupArrive::new(Vec2::new(9.0, 0.0));
    let facing = f32::NAN;
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
    assert_eq!(app.world().resource::<Heard>().0.len(), 1);
}

#[test]
fn a_member_that_comes_back_gets_another_place_if_its_own_is_taken() {
    let mut app = app();
    let units = units(&mut app, 4, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(8.0, 0.0)), &units[..3]);
    run(&mut app, 60);
    app.world_mut().entity_mut(units[0]).remove::<GroupMember>();
    app.update();
    app.world_mut()
        .entity_mut(units[3])
        .insert(GroupMember(order));
    app.update();
    app.world_mut()
        .entity_mut(units[0])
        .insert(GroupMember(order));
    run(&mut app, 900);
    assert_settled(&app, &units);
    let arrived = app.world().resource::<Heard>().0.last().copied();
    assert_eq!(arrived.map(|it| (it.members, it.missing)), Some((4, 0)));
}

#[test]
fn a_member_that_was_disabled_while_the_target_moved_follows() {
    let mut app = app();
    let units = units(&mut app, 3, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(8.0, 0.0)), &units);
    run(&mut app, 5);
    app.world_mut()
        .entity_mut(units[0])
        .insert(SteeringDisabled);
    let far = Target::Point(Vec2::new(0.0, 20.0));
    app.world_mut()
        .get_mut::<GroupArrive>(order)
        .unwrap()
        .target = far;
    run(&mut app, 5);
    app.world_mut()
        .entity_mut(units[0])
        .remove::<SteeringDisabled>();
    run(&mut app, 900);
    assert_settled(&app, &units);
    assert!(place(&app, units[0]).y > 15.0);
}

/// Disables a member on its way, and lets another one join meanwhile.
#[track_caller]
fn assert_place_is_kept_with<D: Component + Default>() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 60);
    let kept = place(&app, units[3]);
    app.world_mut().entity_mut(units[3]).insert(D::default());
    let late = unit(&mut app, Vec2::new(-5.0, 0.0));
    app.world_mut().entity_mut(late).insert(GroupMember(order));
    run(&mut app, 5);
    assert_eq!(place(&app, units[3]), kept);
    assert!(place(&app, late).distance(kept) > 0.99, "it is given away");
    app.world_mut().entity_mut(units[3]).remove::<D>();
    run(&mut app, 900);
    assert_settled(&app, &[units, vec![late]].concat());
}

#[test]
fn a_disabled_member_keeps_its_place() {
    assert_place_is_kept_with::<SteeringDisabled>();
    assert_place_is_kept_with::<Disabled>();
}

#[test]
fn a_group_stands_beside_the_disabled_members_of_another_one() {
    let mut app = app();
    let west = units(&mut app, 5, Vec2::ZERO);
    let east = units(&mut app, 5, Vec2::new(30.0, 0.0));
    let goal = GroupArrive::new(Vec2::new(15.0, 0.0));
    order(&mut app, goal, &west);
    run(&mut app, 900);
    for &unit in &west {
        app.world_mut().entity_mut(unit).insert(Disabled);
    }
    order(&mut app, goal, &east);
    run(&mut app, 900);
    assert_settled(&app, &[west, east].concat());
}

#[test]
fn an_order_to_disabled_members_is_planned_once_they_are_steered_again() {
    let mut app = app();
    let units = units(&mut app, 5, Vec2::ZERO);
    for &unit in &units {
        app.world_mut().entity_mut(unit).insert(SteeringDisabled);
    }
    order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 3);
    for &unit in &units {
        app.world_mut()
            .entity_mut(unit)
            .remove::<SteeringDisabled>();
    }
    run(&mut app, 3);
    // Only groups that are planned as a whole have lanes.
    let has_lane = |it: &Entity| {
        let navigate = app.world().get::<NavigateTo>(*it).unwrap();
        navigate.lane != Lane::default()
    };
    assert!(units.iter().all(has_lane));
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

#[test]
fn a_member_that_gave_up_is_not_sent_again() {
    #[derive(Resource, Default)]
    struct Refusals(u32);

    let mut app = app();
    app.init_resource::<Refusals>().add_observer(
        |it: On<NoPath>, mut refusals: ResMut<Refusals>, mut commands: Commands| {
            refusals.0 += 1;
            commands.entity(it.entity).remove::<NavigateTo>();
        },
    );
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(10.0, -1.6, 13.2, 1.6)));
    let units = units(&mut app, 2, Vec2::splat(-3.0));
    order(&mut app, GroupArrive::new(Vec2::new(11.6, 0.0)), &units);
    run(&mut app, 120);
    let refusals = app.world().resource::<Refusals>().0;
    assert!((2..=6).contains(&refusals), "{refusals}");
}

#[test]
fn a_member_without_a_way_to_where_it_was_sent_before_is_waited_for() {
    let mut app = app();
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(28.0, -2.0, 32.0, 2.0)));
    let [a, b] = [0.0, 6.0].map(|x| unit(&mut app, Vec2::new(x, 0.0)));
    let cut_off = NavigateTo::new(Vec2::new(30.0, 0.0));
    app.world_mut().entity_mut(b).insert(cut_off);
    run(&mut app, 5);
    order(&mut app, GroupArrive::new(Vec2::new(0.55, 0.0)), &[a, b]);
    app.update();
    assert!(app.world().resource::<Heard>().0.is_empty());
    run(&mut app, 600);
    assert_eq!(app.world().resource::<Heard>().0[0].members, 2);
}

#[test]
fn a_member_that_grows_gets_a_place_of_its_size() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 600);
    let grown = units[3];
    app.world_mut().get_mut::<Vehicle>(grown).unwrap().radius = Some(1.5);
    run(&mut app, 5);
    let (others, its) = (units.iter().filter(|it| **it != grown), place(&app, grown));
    for &other in others {
        let apart = place(&app, other).distance(its);
        assert!(apart >= 2.0, "{apart}");
    }
}
