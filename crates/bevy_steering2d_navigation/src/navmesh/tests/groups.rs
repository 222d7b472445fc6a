//! Groups on a mesh with holes.

use super::*;

fn units(app: &mut App, at: Vec2) -> Vec<Entity> {
    let unit = |i: i32| {
        let at = at + 1.2 * i as f32 * Vec2::Y;
        (
            PointMass::default(),
            Transform::from_translation(at.extend(0.0)),
        )
    };
    (-2..=2)
        .map(|i| app.world_mut().spawn(unit(i)).id())
        .collect()
}

fn order(app: &mut App, target: Vec2, units: &[Entity]) {
    let order = GroupArrive::new(target);
    app.world_mut()
        .commands()
        .order_group(order, units.iter().copied());
    app.world_mut().flush();
}

fn places(app: &App, units: &[Entity]) -> Vec<Vec2> {
    let place = |unit: &Entity| app.world().get::<GroupPlace>(*unit).unwrap().at.unwrap();
    units.iter().map(place).collect()
}

const ROOM: Rect = Rect {
    min: Vec2::splat(-20.0),
    max: Vec2::splat(20.0),
};

#[test]
fn a_group_that_is_sent_into_a_hole_stands_on_its_side_of_it() {
    for side in [-1.0, 1.0] {
        let mut app = app();
        let hole = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(4.0));
        choose(&mut app, mesh(ROOM, &[hole]));
        run(&mut app, 1);
        let units = units(&mut app, Vec2::new(10.0 * side, 0.0));
        order(&mut app, Vec2::ZERO, &units);
        run(&mut app, 600);
        assert!(heard(&app).refused.is_empty(), "{:?}", heard(&app).refused);
        for (unit, place) in units.iter().zip(places(&app, &units)) {
            assert!(side * place.x > 4.0, "{place}");
            assert!(position(&app, *unit).distance(place) < 0.3, "{place}");
        }
    }
}

#[test]
fn a_group_that_loses_its_ground_gets_other_places() {
    let mut app = app();
    let handle = choose(&mut app, mesh(ROOM, &[]));
    run(&mut app, 1);
    let units = units(&mut app, Vec2::new(-10.0, 0.0));
    order(&mut app, Vec2::ZERO, &units);
    run(&mut app, 10);
    assert!(places(&app, &units).iter().all(|at| at.length() < 4.0));
    let hole = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(5.0));
    replace(&mut app, &handle, mesh(ROOM, &[hole]));
    run(&mut app, 20);
    assert!(places(&app, &units).iter().all(|at| at.x < -5.0));
}
