//! Gaps and corridors hardly wider than the body.

use super::*;

#[test]
fn a_path_leads_through_a_gap_as_narrow_as_the_body() {
    let mut solids = block(Rect::new(0.0, 0.55, 1.0, 9.0)).to_vec();
    solids.extend(block(Rect::new(0.0, -9.0, 1.0, -0.55)));
    let path = path(&solids, Vec2::new(-5.0, 3.0), Vec2::new(5.0, -2.0), 0.5);
    assert!(length(&path) < 12.0, "through the gap: {path:?}");
    let wider = find(
        &mut planner(&solids),
        Vec2::new(-5.0, 3.0),
        Vec2::new(5.0, -2.0),
        0.6,
    );
    let PathSearch::Found(around) = wider else {
        panic!("{wider:?}");
    };
    assert!(length(&around) > 18.0, "around the blocks: {around:?}");
}

#[test]
fn a_gap_between_the_ends_of_two_walls_lets_bodies_of_all_widths_through() {
    for radius in [0.2, 0.5, 0.9, 3.0] {
        for spare in [0.007, 0.02, 0.03, 0.0399, 0.04, 0.0425, 0.05, 0.1] {
            for degrees in [0_u8, 11, 22, 33] {
                let half = radius + 0.5 * spare;
                let turn = Vec2::from_angle(f32::from(degrees).to_radians());
                // The walls lean to both sides of the line through both ends.
                let walls = [1.0, -1.0].map(|side| {
                    let end = side * half * Vec2::X;
                    Solid::segment(end, end + side * 40.0 * turn)
                });
                let (from, to) = (Vec2::new(0.4, -6.0), Vec2::new(-0.8, 6.0));
                let path = path(&walls, from, to, radius);
                let case = format!("{radius} + {spare} m, {degrees}°: {path:?}");
                assert!(length(&path) < 16.0, "{case}");
            }
        }
    }
}

#[test]
fn a_body_beside_the_middle_of_a_narrow_gap_does_not_turn_back() {
    let blocks = [
        Rect::new(0.0, 0.525, 1.0, 9.0),
        Rect::new(0.0, -9.0, 1.0, -0.525),
    ];
    let solids = blocks.map(block).concat();
    for step in 1..=40 {
        let from = Vec2::new(-0.02 * step as f32, 0.02);
        let path = path(&solids, from, Vec2::new(5.0, 1.0), 0.5);
        assert!(path[1].x > from.x, "{path:?}");
    }
}

#[test]
fn a_target_in_a_passage_as_narrow_as_the_body_is_reached() {
    let wall = |y: f32| Solid::segment(Vec2::new(-10.0, y), Vec2::new(10.0, y));
    let target = Vec2::new(0.0, 0.515);
    let path = path(&[wall(0.0), wall(1.03)], Vec2::new(-15.0, 0.0), target, 0.5);
    assert_eq!(path[path.len() - 1], target, "{path:?}");
}

#[test]
fn a_path_bends_in_a_corridor_as_narrow_as_the_body() {
    for radius in [0.2, 0.28, 0.48, 0.5, 0.51, 0.96] {
        for spare in [0.01, 0.02, 0.04, 0.06, 0.1] {
            let width = 2.0 * radius + spare;
            let corners = [
                (0.0, -6.0),
                (0.0, 0.0),
                (-6.0, 0.0),
                (-6.0, width),
                (width, width),
                (width, -6.0),
            ];
            let solids: Vec<_> = Solid::outline(&corners.map(Vec2::from)).collect();
            let middle = 0.5 * width;
            let (from, to) = (Vec2::new(middle, -4.0), Vec2::new(-4.0, middle));
            let path = path(&solids, from, to, radius);
            assert!(
                length(&path) < 8.0 + 2.0 * width,
                "{radius} + {spare} m: {path:?}"
            );
        }
    }
}

#[test]
fn a_wall_of_two_parts_leaves_the_gap_open_that_a_wall_of_one_does() {
    let along = |x: f32| Vec2::new(x, 0.0);
    for gap in [1.01, 1.02, 1.06] {
        for side in [1.0, -1.0] {
            let mut solids = block(Rect::new(-6.0, -6.0, 6.0, 6.0)).to_vec();
            solids.push(Solid::segment(along(-6.0), along(0.0)));
            solids.push(Solid::segment(along(0.0), along(6.0)));
            let barrier = [gap, 6.0].map(|y| Vec2::new(0.0, side * y));
            solids.push(Solid::segment(barrier[0], barrier[1]));
            let ends = [-3.0, 3.0].map(|x| Vec2::new(x, 3.0 * side));
            let path = path(&solids, ends[0], ends[1], 0.5);
            assert!(length(&path) < 9.0, "{gap} m: {path:?}");
        }
    }
}

#[test]
fn a_path_bends_in_front_of_a_gap_as_narrow_as_the_body() {
    let rocks = [2.525, -2.525].map(|y| Circle::new(Vec2::new(0.0, y), 2.0).into());
    for degrees in (-30..=30_i16).step_by(10) {
        let aside = Vec2::from_angle(f32::from(degrees).to_radians());
        for mut planner in [planner(&rocks), planner(&rocks).with_sharp_corners()] {
            let PathSearch::Found(path) = find(&mut planner, -5.0 * aside, 5.0 * Vec2::X, 0.5)
            else {
                panic!("there is a way through");
            };
            assert!(length(&path) < 10.5, "{path:?}");
        }
    }
}
