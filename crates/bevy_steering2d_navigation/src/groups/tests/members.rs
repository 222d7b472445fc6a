//! Members that come late, leave, are disabled or grow.

use bevy::ecs::entity_disabling::Disabled;

use super::*;

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
fn members_at_rest_whose_order_is_despawned_do_not_arrive_again() {
    let mut app = app();
    let (west, east) = (Vec2::ZERO, Vec2::new(30.0, 0.0));
    let groups = [west, east].map(|at| units(&mut app, 4, at));
    let orders = [(0, east), (1, west)]
        .map(|(group, to)| order(&mut app, GroupArrive::new(to), &groups[group]));
    run(&mut app, 1_800);
    assert_eq!(heard(&app).groups.len(), 2);
    let events = |app: &App| (heard(app).found.len(), heard(app).arrived.len());
    let before = events(&app);
    for order in orders {
        app.world_mut().despawn(order);
    }
    run(&mut app, 60);
    assert_eq!(events(&app), before);
}

#[test]
fn members_whose_places_are_right_behind_a_door_do_not_swap_them_back_and_forth() {
    let mut app = app();
    for side in [-1.0, 1.0] {
        let ends = [1.5, 30.0].map(|y| Vec2::new(0.0, side * y));
        app.world_mut().spawn(Wall::new(ends[0], ends[1]));
    }
    let units: Vec<Entity> = (0..10)
        .map(|i| {
            let (row, column) = ((i / 5) as f32, (i % 5) as f32);
            unit(
                &mut app,
                1.2 * Vec2::new(row, column - 2.0) - 10.0 * Vec2::X,
            )
        })
        .collect();
    let line = GroupShape::Line { facing: 0.0 };
    let to = GroupArrive::new(2.0 * Vec2::X).with_shape(line);
    order(&mut app, to, &units);
    run(&mut app, 1_800);
    assert_settled(&app, &units);
    let plans = heard(&app).found.len();
    assert!(plans <= 4 * units.len(), "{plans} plans");
}

#[test]
fn members_that_stop_farther_from_their_places_arrive_as_well() {
    let mut app = app();
    let units = units(&mut app, 3, Vec2::ZERO);
    for &unit in &units {
        let generous = PathFollowing {
            tolerance: 0.6,
            ..default()
        };
        app.world_mut().entity_mut(unit).insert(generous);
    }
    order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 900);
    assert_eq!(heard(&app).groups.len(), 1);
}

#[test]
fn a_member_that_changes_or_leaves_its_group_loses_its_lane() {
    let mut app = app();
    let many = units(&mut app, 9, Vec2::ZERO);
    let few = units(&mut app, 2, Vec2::new(0.0, 20.0));
    order(&mut app, GroupArrive::new(Vec2::new(30.0, 0.0)), &many);
    let other = order(&mut app, GroupArrive::new(Vec2::new(30.0, 20.0)), &few);
    run(&mut app, 10);
    let lane = |app: &App, unit| app.world().get::<NavigateTo>(unit).unwrap().lane;
    let (changes, leaves) = (many[0], many[8]);
    assert!(
        [changes, leaves]
            .iter()
            .all(|&it| lane(&app, it) != Lane::default())
    );
    app.world_mut()
        .entity_mut(changes)
        .insert(GroupMember(other));
    app.world_mut().entity_mut(leaves).remove::<GroupMember>();
    run(&mut app, 2);
    for unit in [changes, leaves] {
        assert_eq!(lane(&app, unit), Lane::default());
    }
}

#[test]
fn a_member_that_is_sent_elsewhere_alone_leaves_its_group() {
    let mut app = app();
    let units = units(&mut app, 4, Vec2::ZERO);
    order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 30);
    let elsewhere = Vec2::new(0.0, 15.0);
    let (alone, rest) = (units[1], [units[0], units[2], units[3]]);
    let mut navigate = app.world_mut().get_mut::<NavigateTo>(alone).unwrap();
    navigate.target = elsewhere.into();
    run(&mut app, 900);
    let body = app.world().get::<Kinematics>(alone).unwrap();
    assert!(body.position.distance(elsewhere) < 0.15, "{body:?}");
    assert!(app.world().get::<GroupMember>(alone).is_none());
    assert_settled(&app, &rest);
    assert_eq!(heard(&app).groups.len(), 1);
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
    assert_eq!(heard(&app).groups.len(), 1);
}

#[test]
fn a_member_pushes_its_way_in_near_its_place_and_avoids_again_when_it_leaves() {
    let leave: [fn(&mut World, Entity, Entity); 2] = [
        |world, unit, _| {
            world.entity_mut(unit).remove::<GroupMember>();
        },
        |world, _, order| {
            world.entity_mut(order).remove::<GroupArrive>();
        },
    ];
    for leave in leave {
        let mut app = app();
        let unit = unit(&mut app, Vec2::ZERO);
        app.world_mut()
            .entity_mut(unit)
            .insert(ReciprocalAvoidance::default());
        let order = order(&mut app, GroupArrive::new(Vec2::new(10.0, 0.0)), &[unit]);
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
        leave(app.world_mut(), unit, order);
        run(&mut app, 2);
        assert!(avoids(&app));
    }
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
    let arrived = heard(&app).groups.last().copied();
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
    let has_lane = |it: &Entity| {
        let navigate = app.world().get::<NavigateTo>(*it).unwrap();
        navigate.lane != Lane::default()
    };
    assert!(units.iter().all(has_lane));
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

#[test]
fn a_smaller_latecomer_does_not_take_the_place_of_a_larger_member() {
    let mut app = app();
    // So few expansions that the latecomer is there before all ways are known.
    app.insert_resource(NavigationBudget { expansions: 1 });
    let mut units = units(&mut app, 6, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 3);
    let late = unit(&mut app, Vec2::new(4.0, 0.5));
    let slim = Vehicle {
        radius: Some(0.91 * PointMass::RADIUS),
        ..default()
    };
    app.world_mut()
        .entity_mut(late)
        .insert((GroupMember(order), slim));
    units.push(late);
    run(&mut app, 30);
    for &unit in &units {
        let radius = app.world().get::<Kinematics>(unit).unwrap().radius;
        let room = app.world().get::<GroupPlace>(unit).unwrap().radius;
        assert!((room - radius).abs() < 1e-3, "{room} m for {radius} m");
        let others = units.iter().filter(|it| **it != unit);
        let apart = others.map(|&it| place(&app, it).distance(place(&app, unit)));
        let nearest = apart.fold(f32::INFINITY, f32::min);
        assert!(nearest > radius + 0.9 * PointMass::RADIUS, "{nearest}");
    }
}

#[test]
fn a_group_that_is_sent_to_one_of_its_members_stands_around_it() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    let host = units[6];
    let at = app.world().get::<Transform>(host).unwrap().translation;
    order(&mut app, GroupArrive::new(host), &units);
    run(&mut app, 900);
    let body = app.world().get::<Kinematics>(host).unwrap();
    assert!(body.position.distance(at.truncate()) < 0.2, "{body:?}");
    for &unit in &units[..6] {
        let apart = place(&app, unit).distance(place(&app, host));
        assert!((1.0..1.3).contains(&apart), "{apart}");
    }
    assert_settled(&app, &units);
    assert_eq!(heard(&app).groups.len(), 1);
}

#[test]
fn a_group_stands_around_a_member_that_is_its_target_and_not_steered() {
    let mut app = app();
    let host = unit(&mut app, Vec2::new(12.0, 0.0));
    app.world_mut().entity_mut(host).insert(SteeringDisabled);
    let [first, late] = [0.0, 3.0].map(|y| unit(&mut app, Vec2::new(0.0, y)));
    let order = order(&mut app, GroupArrive::new(host), &[host, first]);
    run(&mut app, 60);
    app.world_mut().entity_mut(late).insert(GroupMember(order));
    run(&mut app, 900);
    for unit in [first, late] {
        let apart = place(&app, unit).distance(12.0 * Vec2::X);
        assert!((1.0..1.3).contains(&apart), "{apart}");
    }
    assert_settled(&app, &[first, late]);
    app.world_mut()
        .entity_mut(host)
        .remove::<SteeringDisabled>();
    run(&mut app, 300);
    assert!(!is_sent(&app, host), "it stands where it is to be");
    assert_settled(&app, &[first, late, host]);
}

#[test]
fn a_group_stands_around_an_agent_that_is_its_target_and_no_member() {
    let mut app = app();
    let target = unit(&mut app, Vec2::new(12.0, 0.0));
    app.world_mut()
        .entity_mut(target)
        .insert(Vehicle::default());
    let units = units(&mut app, 7, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(target), &units[1..]);
    run(&mut app, 60);
    app.world_mut()
        .entity_mut(units[0])
        .insert(GroupMember(order));
    run(&mut app, 900);
    for &unit in &units {
        let apart = place(&app, unit).distance(12.0 * Vec2::X);
        assert!((1.0..2.5).contains(&apart), "{apart} m");
    }
    assert_settled(&app, &units);
}

#[test]
fn another_group_stands_beside_a_target_that_is_a_member_and_not_steered() {
    let mut app = app();
    let host = unit(&mut app, Vec2::new(12.0, 0.0));
    app.world_mut().entity_mut(host).insert(SteeringDisabled);
    let near = unit(&mut app, Vec2::new(9.0, 0.0));
    order(&mut app, GroupArrive::new(host), &[host, near]);
    let others = units(&mut app, 3, Vec2::new(20.0, 0.0));
    order(&mut app, GroupArrive::new(12.0 * Vec2::X), &others);
    run(&mut app, 900);
    for &unit in &others {
        let apart = place(&app, unit).distance(12.0 * Vec2::X);
        assert!((1.0..2.5).contains(&apart), "{apart}");
    }
    assert_settled(&app, &[near, others[0], others[1], others[2]]);
}

#[test]
fn a_target_of_its_own_group_is_held_by_a_navigate_to_its_place() {
    let mut app = app();
    let units = units(&mut app, 4, Vec2::ZERO);
    let host = units[3];
    let order = order(&mut app, GroupArrive::new(host), &units);
    run(&mut app, 300);
    let held = NavigateTo::new(place(&app, host));
    app.world_mut().entity_mut(host).insert(held);
    run(&mut app, 60);
    let member = app.world().get::<GroupMember>(host);
    assert_eq!(member, Some(&GroupMember(order)));
    assert_settled(&app, &units);
}

#[test]
fn a_target_that_joins_its_group_stays_where_it_is() {
    let mut app = app();
    let units = units(&mut app, 4, Vec2::ZERO);
    let host = unit(&mut app, Vec2::new(12.0, 0.0));
    let order = order(&mut app, GroupArrive::new(host), &units);
    run(&mut app, 300);
    app.world_mut().entity_mut(host).insert(GroupMember(order));
    run(&mut app, 600);
    let body = app.world().get::<Kinematics>(host).unwrap();
    assert!(body.position.distance(12.0 * Vec2::X) < 0.6, "{body:?}");
    assert_settled(&app, &[&units[..], &[host]].concat());
}

/// Whether an agent has a `NavigateTo`.
fn is_sent(app: &App, unit: Entity) -> bool {
    app.world().get::<NavigateTo>(unit).is_some()
}

#[test]
fn a_player_drives_the_member_that_is_the_target_of_its_own_group() {
    let mut app = app();
    let units = units(&mut app, 5, Vec2::ZERO);
    let host = units[4];
    let around_host = GroupArrive {
        retarget_distance: 0.05,
        ..GroupArrive::new(host)
    };
    order(&mut app, around_host, &units);
    for tick in 0..600 {
        let speed = if tick < 240 { 3.0 } else { 0.0 };
        let mut body = app.world_mut().get_mut::<PointMass>(host).unwrap();
        body.velocity = Vec2::new(speed, 0.0);
        app.update();
        assert!(!is_sent(&app, host), "in tick {tick}");
    }
    let body = app.world().get::<Kinematics>(host).unwrap();
    assert!((17.9..18.1).contains(&body.position.x), "{body:?}");
    assert_settled(&app, &units);
    let last = heard(&app).groups.last().copied();
    assert_eq!(last.map(|it| (it.members, it.missing)), Some((5, 0)));
}

#[test]
fn a_target_of_its_own_group_whose_navigate_to_the_game_takes_gets_no_other() {
    let mut app = app();
    let units = units(&mut app, 5, Vec2::ZERO);
    let host = units[4];
    order(&mut app, GroupArrive::new(Vec2::new(8.0, 0.0)), &units);
    run(&mut app, 600);
    assert!(is_sent(&app, host), "as any member");
    order(&mut app, GroupArrive::new(host), &units);
    run(&mut app, 60);
    app.world_mut()
        .entity_mut(host)
        .remove::<(NavigateTo, PathFollowing)>()
        .insert(PointMass::default());
    let mut place = app.world_mut().get_mut::<Transform>(host).unwrap();
    place.translation.x += 6.0;
    run(&mut app, 600);
    assert!(!is_sent(&app, host));
    assert_settled(&app, &units);
}
