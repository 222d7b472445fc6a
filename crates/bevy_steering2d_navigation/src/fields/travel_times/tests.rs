//! Travel times on small grids, without an app.

use super::*;
use proptest::prelude::*;

fn solved(size: u32, goal: (u32, u32), blocked: &[(u32, u32)]) -> TravelTimes {
    let mut times = TravelTimes::of_checked(UVec2::splat(size), 1.0);
    for &(x, y) in blocked {
        times.set_cost(UVec2::new(x, y), f32::INFINITY);
    }
    times.set_goals([UVec2::from(goal)]);
    while times.advance(100) {}
    times
}

fn cells(size: u32) -> impl Iterator<Item = UVec2> {
    (0..size).flat_map(move |y| (0..size).map(move |x| UVec2::new(x, y)))
}

#[test]
fn without_obstacles_times_are_distances() {
    let times = solved(101, (50, 50), &[]);
    for cell in cells(101) {
        let exact = cell.as_vec2().distance(Vec2::splat(50.0));
        // A first-order scheme is exact along the axes, and too slow by less than a cell and a half
        // elsewhere.
        let error = times.time(cell) - exact;
        assert!((-1e-3..1.5).contains(&error), "{cell}: {error}");
        if exact > 10.0 {
            let direction = (Vec2::splat(50.0) - cell.as_vec2()).normalize();
            let off = times.direction(cell).angle_to(direction).abs();
            assert!(off < 0.15, "{cell}: {off} rad");
        }
    }
}

#[test]
fn the_way_leads_around_a_wall() {
    let wall: Vec<_> = (0..15).map(|y| (10, y)).collect();
    let times = solved(20, (15, 2), &wall);
    let before = UVec2::new(5, 2);
    // To the end of the wall and back: 13.9 m each.
    assert!(
        (27.0..31.0).contains(&times.time(before)),
        "{}",
        times.time(before)
    );
    assert!(times.direction(before).y > 0.8);
    assert_eq!(times.time(UVec2::new(10, 5)), f32::INFINITY);
    assert_eq!(
        times.direction(UVec2::new(10, 5)),
        Vec2::ZERO,
        "an agent near it may be on either side"
    );
}

#[test]
fn the_way_out_of_a_thick_wall_leads_to_the_nearer_side_and_on() {
    let wall: Vec<_> = (0..15).flat_map(|y| [(10, y), (11, y)]).collect();
    let times = solved(20, (15, 2), &wall);
    let near = times.direction(UVec2::new(10, 5));
    assert!(near.x < -0.6 && near.y > 0.6, "{near}, around the end");
    let far = times.direction(UVec2::new(11, 5));
    assert!(far.x > 0.6 && far.y < -0.2, "{far}, to the goal");
}

#[test]
fn a_closed_room_has_no_way() {
    let ring: Vec<_> = cells(20)
        .filter(|cell| (cell.as_ivec2() - 10).abs().max_element() == 4)
        .map(|cell| (cell.x, cell.y))
        .collect();
    let times = solved(20, (10, 10), &ring);
    assert_eq!(times.time(UVec2::ZERO), f32::INFINITY);
    assert_eq!(times.direction(UVec2::ZERO), Vec2::ZERO);
    let beside = UVec2::new(5, 10);
    assert_eq!(
        times.direction(beside),
        Vec2::ZERO,
        "not through the wall beside it"
    );
    assert!(times.time(UVec2::new(12, 12)) < 4.0);
}

#[test]
fn each_cell_leads_to_its_nearest_goal() {
    let mut times = TravelTimes::of_checked(UVec2::new(30, 3), 1.0);
    times.set_goals([UVec2::new(2, 1), UVec2::new(27, 1)]);
    while times.advance(64) {}
    assert_eq!(times.direction(UVec2::new(10, 1)), Vec2::NEG_X);
    assert_eq!(times.direction(UVec2::new(20, 1)), Vec2::X);
}

#[test]
fn mud_is_walked_around_and_a_road_is_preferred() {
    let mut times = TravelTimes::of_checked(UVec2::splat(30), 1.0);
    for cell in cells(30) {
        let is_mud = (10..20).contains(&cell.x) && cell.y < 20;
        times.set_cost(cell, if is_mud { 20.0 } else { 1.0 });
    }
    times.set_goals([UVec2::new(25, 3)]);
    while times.advance(500) {}
    assert!(times.direction(UVec2::new(8, 3)).y > 0.5);
    for x in 0..30 {
        times.set_cost(UVec2::new(x, 3), 0.2);
    }
    while times.advance(500) {}
    assert_eq!(times.direction(UVec2::new(15, 3)), Vec2::X);
}

#[test]
fn grids_without_cells_or_with_a_faulty_spacing_are_refused() {
    let field = |size, spacing| TravelTimes::new(size, spacing).expect_err("faulty").field;
    for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(field(UVec2::ONE, spacing), "TravelTimes.spacing");
    }
    for size in [UVec2::ZERO, UVec2::MAX] {
        assert_eq!(field(size, 1.0), "TravelTimes.size");
    }
}

proptest! {
    #[test]
    fn a_repaired_field_equals_a_new_one(
        changes in prop::collection::vec((0..24_u32, 0..24_u32, 0..4_u32), 1..60),
        goals in prop::collection::vec((0..24_u32, 0..24_u32), 1..3),
        portion in 1..200_u32,
    ) {
        let cost = |kind: u32| [1.0, f32::INFINITY, 5.0, 0.5][kind as usize];
        let mut repaired = TravelTimes::of_checked(UVec2::splat(24), 0.5);
        repaired.set_goals([UVec2::new(3, 3)]);
        for &(x, y, kind) in &changes {
            repaired.set_cost(UVec2::new(x, y), cost(kind));
            repaired.advance(portion);
        }
        repaired.set_goals(goals.iter().map(|&goal| UVec2::from(goal)));
        while repaired.advance(portion) {}
        let mut fresh = TravelTimes::of_checked(UVec2::splat(24), 0.5);
        for &(x, y, kind) in &changes {
            fresh.set_cost(UVec2::new(x, y), cost(kind));
        }
        fresh.set_goals(goals.iter().map(|&goal| UVec2::from(goal)));
        while fresh.advance(1_000) {}
        for cell in cells(24) {
            let (a, b) = (repaired.time(cell), fresh.time(cell));
            prop_assert!(a == b || (a - b).abs() < 0.02, "{}: {} and {}", cell, a, b);
        }
    }
}

#[test]
fn a_ring_is_the_border_of_a_square_row_by_row() {
    let in_square = |number: i32| {
        let side = -number..=number;
        let rows = side.clone();
        rows.flat_map(move |y| side.clone().map(move |x| IVec2::new(x, y)))
    };
    for number in 0..4 {
        let border = in_square(number).filter(|it| it.abs().max_element() == number);
        assert!(ring(number).eq(border), "{number}");
    }
}
