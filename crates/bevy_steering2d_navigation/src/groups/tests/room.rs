//! Groups with too little room, or none, and solids that take or leave some.

use super::*;

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
        heard(&app).groups.is_empty(),
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
            let elsewhere = Transform::from_xyz(30.0, 0.0, 0.0);
            member.remove::<GroupMember>().insert(elsewhere);
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
fn a_group_without_room_hears_of_it_once_for_each_target() {
    #[derive(Resource, Default)]
    struct Refused(Vec<NoPath>);
    let mut app = app();
    app.init_resource::<Refused>()
        .add_observer(|it: On<NoPath>, mut refused: ResMut<Refused>| refused.0.push(*it));
    let (_, middle) = room_for_two(&mut app);
    let first = [10.6, 11.6].map(|x| unit(&mut app, Vec2::new(x, 0.0)));
    let second = unit(&mut app, middle);
    order(&mut app, GroupArrive::new(middle), &first);
    let waiting = order(&mut app, GroupArrive::new(middle), &[second]);
    let refusal = |target: Vec2| NoPath {
        entity: second,
        target: target.into(),
        reason: NoPathReason::TargetBlocked,
    };
    run(&mut app, 100);
    assert_eq!(app.world().resource::<Refused>().0, [refusal(middle)]);
    let other = middle + Vec2::new(0.45, -0.45);
    let mut order = app.world_mut().get_mut::<GroupArrive>(waiting).unwrap();
    order.target = other.into();
    run(&mut app, 100);
    let refused = &app.world().resource::<Refused>().0;
    assert_eq!(refused[..], [refusal(middle), refusal(other)]);
}

#[test]
fn a_member_without_room_that_is_sent_elsewhere_leaves_its_group() {
    let mut app = app();
    let (_, middle) = room_for_two(&mut app);
    let [a, b, c] = [10.6, 11.6, 20.0].map(|x| unit(&mut app, Vec2::new(x, 0.0)));
    order(&mut app, GroupArrive::new(Vec2::new(20.0, 0.0)), &[c]);
    run(&mut app, 5);
    order(&mut app, GroupArrive::new(middle), &[a, b, c]);
    run(&mut app, 60);
    assert_eq!(app.world().get::<GroupPlace>(c).unwrap().at, None);
    assert!(app.world().get::<GroupMember>(c).is_some());
    let elsewhere = Vec2::new(20.0, 8.0);
    app.world_mut().get_mut::<NavigateTo>(c).unwrap().target = elsewhere.into();
    run(&mut app, 2);
    assert!(app.world().get::<GroupMember>(c).is_none());
    app.world_mut().despawn(a);
    run(&mut app, 400);
    let body = app.world().get::<Kinematics>(c).unwrap();
    assert!(body.position.distance(elsewhere) < 0.15, "{body:?}");
}

#[test]
fn a_member_without_room_hears_of_no_way_to_where_it_stops() {
    #[derive(Resource, Default)]
    struct Announced(Vec<Entity>);
    let mut app = app();
    let (_, middle) = room_for_two(&mut app);
    let [a, b, c] = [10.6, 11.6, 20.0].map(|x| unit(&mut app, Vec2::new(x, 0.0)));
    order(&mut app, GroupArrive::new(Vec2::new(20.0, 0.0)), &[c]);
    run(&mut app, 60);
    app.init_resource::<Announced>()
        .add_observer(|it: On<PathFound>, mut all: ResMut<Announced>| all.0.push(it.entity))
        .add_observer(|it: On<Arrived>, mut all: ResMut<Announced>| all.0.push(it.entity));
    order(&mut app, GroupArrive::new(middle), &[a, b, c]);
    run(&mut app, 200);
    assert_eq!(app.world().get::<GroupPlace>(c).unwrap().at, None);
    let announced = |app: &App| app.world().resource::<Announced>().0.clone();
    assert!(announced(&app).contains(&a) && !announced(&app).contains(&c));
    app.world_mut().get_mut::<NavigateTo>(c).unwrap().target = Vec2::new(20.0, 5.0).into();
    run(&mut app, 200);
    let of_c = announced(&app).into_iter().filter(|it| *it == c);
    assert_eq!(of_c.count(), 2, "a path and an arrival");
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
    assert_eq!(heard(&app).groups.len(), 1);
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
    assert_eq!(heard(&app).groups.len(), 1);
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
    let heard = &heard(&app).groups;
    assert_eq!(heard.iter().filter(|it| it.entity == order).count(), 2);
}

#[test]
fn a_member_that_is_pressed_against_a_wall_a_little_keeps_its_place() {
    let mut app = app();
    let unit = unit(&mut app, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &[unit]);
    run(&mut app, 300);
    let plan = |app: &App| app.world().get::<GroupArriveMemory>(order).unwrap().plan;
    let before = (plan(&app), place(&app, unit));
    let x = before.1.x + 0.95 * PointMass::RADIUS;
    app.world_mut()
        .spawn(Wall::new(Vec2::new(x, -5.0), Vec2::new(x, 5.0)));
    run(&mut app, 20);
    assert_eq!((plan(&app), place(&app, unit)), before);
}

#[test]
fn a_wall_that_moves_across_a_group_gives_it_new_places_every_few_ticks() {
    let mut app = app();
    let units = units(&mut app, 7, Vec2::ZERO);
    let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &units);
    run(&mut app, 600);
    let plan = |app: &App| app.world().get::<GroupArriveMemory>(order).unwrap().plan;
    let before = plan(&app);
    let door = Wall::new(Vec2::new(9.0, -9.0), Vec2::new(9.0, 9.0));
    let door = app.world_mut().spawn(door).id();
    for _ in 0..64 {
        let mut door = app.world_mut().get_mut::<Wall>(door).unwrap();
        door.from.x += 0.05;
        door.to.x += 0.05;
        app.update();
    }
    let plans = plan(&app) - before;
    assert!((1..=8).contains(&plans), "{plans}");
    run(&mut app, 1_200);
    assert_settled(&app, &units);
}

#[derive(Resource, Default)]
struct Refusals(u32);

/// An app whose agents give up when there is no path.
fn app_of_those_who_give_up() -> App {
    let mut app = app();
    app.init_resource::<Refusals>().add_observer(
        |it: On<NoPath>, mut refusals: ResMut<Refusals>, mut commands: Commands| {
            refusals.0 += 1;
            commands.entity(it.entity).remove::<NavigateTo>();
        },
    );
    app
}

#[test]
fn a_group_arrives_without_a_member_that_gave_up() {
    let mut app = app_of_those_who_give_up();
    let shut_in = unit(&mut app, Vec2::ZERO);
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(-2.0, -2.0, 2.0, 2.0)));
    let free = units(&mut app, 2, Vec2::new(6.0, 0.0));
    let all = [shut_in, free[0], free[1]];
    order(&mut app, GroupArrive::new(Vec2::new(20.0, 0.0)), &all);
    run(&mut app, 900);
    let [arrived] = heard(&app).groups[..] else {
        panic!("the group arrives once");
    };
    assert_eq!((arrived.members, arrived.missing), (2, 1));
}

#[test]
fn a_member_that_gave_up_is_not_sent_again() {
    let mut app = app_of_those_who_give_up();
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
    assert!(heard(&app).groups.is_empty());
    run(&mut app, 600);
    assert_eq!(heard(&app).groups[0].members, 2);
}

#[test]
fn a_member_whose_order_the_game_has_taken_is_not_sent_again() {
    let mut app = app();
    let units = units(&mut app, 6, Vec2::splat(-3.0));
    order(&mut app, GroupArrive::new(Vec2::ZERO), &units);
    run(&mut app, 30);
    app.world_mut().entity_mut(units[0]).remove::<NavigateTo>();
    run(&mut app, 300);
    let places: Vec<_> = units.iter().map(|&it| place(&app, it)).collect();
    let mut body = app.world_mut().get_mut::<Transform>(units[0]).unwrap();
    body.translation.x -= 6.0;
    for tick in 0..300 {
        app.update();
        assert!(
            !app.world().entity(units[0]).contains::<NavigateTo>(),
            "{tick}"
        );
    }
    let now: Vec<_> = units.iter().map(|&it| place(&app, it)).collect();
    assert_eq!(now, places);
}

#[test]
fn a_member_next_to_its_place_whose_order_the_game_has_taken_is_not_sent_again() {
    let mut app = app();
    let units = units(&mut app, 6, Vec2::splat(-3.0));
    let order = order(&mut app, GroupArrive::new(Vec2::ZERO), &units);
    run(&mut app, 300);
    let center = app.world().get::<GroupArriveMemory>(order).unwrap().center;
    let away = |unit: Entity| place(&app, unit).distance(center);
    let outermost = units
        .into_iter()
        .max_by(|&a, &b| away(a).total_cmp(&away(b)));
    let unit = outermost.unwrap();
    let before = place(&app, unit);
    let beside = before + 0.5 * (center - before).normalize();
    let mut entity = app.world_mut().entity_mut(unit);
    entity.remove::<(NavigateTo, SteeringPath)>();
    entity.insert(Transform::from_translation(beside.extend(0.0)));
    for tick in 0..120 {
        app.update();
        assert!(!app.world().entity(unit).contains::<NavigateTo>(), "{tick}");
    }
    assert_eq!(place(&app, unit), before);
}

#[test]
fn places_laid_between_two_looks_at_the_solids_do_not_stay_in_a_wall_that_comes_back() {
    let goal = Vec2::new(20.0, 0.0);
    let wall = Wall::new(Vec2::new(20.0, -3.0), Vec2::new(20.0, 3.0));
    // Whenever the looks are.
    for phase in 0..8 {
        let mut app = app();
        let door = app.world_mut().spawn(wall).id();
        let unit = unit(&mut app, Vec2::ZERO);
        let order = order(&mut app, GroupArrive::new(Vec2::new(12.0, 0.0)), &[unit]);
        run(&mut app, 20 + phase);
        app.world_mut().despawn(door);
        app.world_mut()
            .get_mut::<GroupArrive>(order)
            .unwrap()
            .target = goal.into();
        app.update();
        assert!(place(&app, unit).distance(goal) < 0.01);
        app.world_mut().spawn(wall);
        run(&mut app, 12);
        let beside = Solid::segment(wall.from, wall.to).distance(place(&app, unit));
        assert!(beside > 0.97 * PointMass::RADIUS, "{phase}: {beside}");
    }
}

#[test]
fn a_group_that_is_sent_into_a_solid_stands_on_the_side_from_which_it_comes() {
    let middle = Vec2::new(12.0, 4.0);
    let sides = Wall::room(Rect::from_center_half_size(middle, Vec2::splat(2.0)));
    let disc = Solid {
        radius: 2.0,
        ..Solid::segment(middle, middle)
    };
    let house: Vec<_> = sides.map(Solid::from).into_iter().chain([disc]).collect();
    for solids in [vec![disc], house] {
        for side in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::new(0.3, -0.9)] {
            let mut app = app();
            app.world_mut().resource_mut::<Solids>().0 = solids.clone();
            let units: Vec<_> = (8..11)
                .map(|i| unit(&mut app, middle + i as f32 * side))
                .collect();
            order(&mut app, GroupArrive::new(middle), &units);
            run(&mut app, 10);
            for &unit in &units {
                let place = place(&app, unit) - middle;
                assert!(place.dot(side) > 0.5, "{place} for those from {side}");
            }
        }
    }
}
