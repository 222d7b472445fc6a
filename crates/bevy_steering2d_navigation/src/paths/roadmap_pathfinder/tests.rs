//! The pathfinder alone: its paths, its looks and what they cost.

use super::*;
use crate::paths::testing::{point, solids};
use bevy::math::ops;
use bevy_steering2d_core::{Circle, Wall};
use proptest::prelude::*;

mod narrow;
mod sharing;

fn planner(solids: &[Solid]) -> RoadmapPathfinder {
    let mut planner = RoadmapPathfinder::default();
    planner.set_solids(solids);
    planner
}

fn find(planner: &mut RoadmapPathfinder, from: Vec2, to: Vec2, radius: f32) -> PathSearch {
    let query = PathQuery { from, to, radius };
    let mut plenty = u32::MAX;
    planner.find(&query, &mut plenty)
}

#[track_caller]
fn path(solids: &[Solid], from: Vec2, to: Vec2, radius: f32) -> Vec<Vec2> {
    match find(&mut planner(solids), from, to, radius) {
        PathSearch::Found(path) => path,
        other => panic!("{other:?}"),
    }
}

fn length(path: &[Vec2]) -> f32 {
    path.windows(2).map(|leg| leg[0].distance(leg[1])).sum()
}

fn block(area: Rect) -> [Solid; 4] {
    Wall::room(area).map(Solid::from)
}

/// 40 blocks in five rows.
fn blocks() -> Vec<Solid> {
    (0..40)
        .flat_map(|i| {
            let at = Vec2::new((i % 8) as f32, (i / 8) as f32) * 4.0;
            block(Rect::from_center_size(
                at,
                Vec2::new(2.6, 1.0 + (i % 3) as f32),
            ))
        })
        .collect()
}

#[test]
fn a_path_without_solids_is_straight() {
    let goal = Vec2::new(10.0, 4.0);
    assert_eq!(path(&[], Vec2::ZERO, goal, 0.5), [Vec2::ZERO, goal]);
}

#[test]
fn a_path_around_a_block_keeps_a_comfortable_clearance() {
    let solids = block(Rect::new(-0.5, -4.0, 0.5, 20.0));
    let path = path(&solids, Vec2::new(-6.0, 0.0), Vec2::new(6.0, 0.0), 0.5);
    for leg in path.windows(2) {
        let clearance = solids.map(|it| it.distance_to_segment(leg[0], leg[1]));
        assert!(clearance.into_iter().all(|it| it >= 0.79), "{path:?}");
    }
    // A path that touches the corners has 14.6 m; radius and clearance add to it.
    assert!(length(&path) < 16.2, "{path:?}");
}

#[test]
fn with_sharp_corners_a_path_bends_once_around_a_right_angle() {
    let solids = block(Rect::new(-4.0, -4.0, 0.0, 0.0));
    let (from, to) = (Vec2::new(-3.0, 1.0), Vec2::new(1.0, -3.0));
    let mut sharp = planner(&solids).with_sharp_corners();
    let PathSearch::Found(sharp) = find(&mut sharp, from, to, 0.5) else {
        panic!("there is a way around the corner");
    };
    assert_eq!((sharp.len(), path(&solids, from, to, 0.5).len()), (3, 4));
}

#[test]
fn in_right_hand_traffic_a_path_passes_a_block_on_its_left_unless_that_is_much_longer() {
    let solids = block(Rect::new(-4.0, -4.0, 4.0, 4.0));
    let mut keeps_right = planner(&solids).with_right_hand_traffic();
    let mut side = |from: Vec2, to: Vec2| {
        let PathSearch::Found(path) = find(&mut keeps_right, from, to, 0.5) else {
            panic!("there is a way around the block");
        };
        path[1].y
    };
    // The way above is 2 % shorter, then a fifth.
    let (west, east) = (Vec2::new(-20.0, 1.5), Vec2::new(20.0, 0.0));
    assert!(side(west, east) < 0.0);
    assert!(side(east, west) > 0.0);
    assert!(side(west + 7.0 * Vec2::Y, east + 7.0 * Vec2::Y) > 0.0);
    assert!(path(&solids, west, east, 0.5)[1].y > 0.0, "the shortest");
}

#[test]
fn a_body_that_is_walled_in_has_no_path() {
    let solids = block(Rect::new(-3.0, -3.0, 3.0, 3.0));
    let mut planner = planner(&solids);
    let outside = Vec2::new(9.0, 0.0);
    for (from, to) in [(Vec2::ZERO, outside), (outside, Vec2::ZERO)] {
        let found = find(&mut planner, from, to, 0.5);
        assert_eq!(found, PathSearch::None(NoPathReason::Unreachable));
    }
}

#[test]
fn a_target_without_room_is_told_from_one_without_way() {
    let rock = Solid::from(Circle::new(Vec2::ZERO, 2.0));
    let found = find(&mut planner(&[rock]), Vec2::new(9.0, 0.0), Vec2::ZERO, 0.5);
    assert_eq!(found, PathSearch::None(NoPathReason::TargetBlocked));
}

#[test]
fn a_path_to_a_target_near_a_solid_ends_where_there_is_room() {
    let rock = Solid::from(Circle::new(Vec2::ZERO, 2.0));
    let path = path(&[rock], Vec2::new(9.0, 0.0), Vec2::new(2.2, 0.0), 0.5);
    let end = path[path.len() - 1];
    assert!(end.y == 0.0 && (2.5..2.6).contains(&end.x), "{path:?}");
}

#[test]
fn a_path_to_a_target_in_an_acute_corner_ends_where_there_is_room() {
    for degrees in [30.0_f32, 40.0, 60.0, 90.0] {
        let (wall, middle) = (
            Vec2::from_angle(degrees.to_radians()),
            Vec2::from_angle(0.5 * degrees.to_radians()),
        );
        let solids = [Vec2::X, wall].map(|it| Solid::segment(Vec2::ZERO, 20.0 * it));
        // Where a body of this radius touches both walls.
        let deep = 0.5 / ops::sin(0.5 * degrees.to_radians());
        for share in [0.15, 0.5, 0.9] {
            let path = path(&solids, 10.0 * middle, share * deep * middle, 0.5);
            let end = path[path.len() - 1].dot(middle);
            let case = format!("{degrees}°, {share}: {path:?}");
            assert!((deep..1.3 * deep).contains(&end), "{case}");
        }
    }
}

#[test]
fn a_target_inside_a_thin_wall_is_not_reached_on_its_far_side() {
    let face = |x: f32| Solid::segment(Vec2::new(x, -9.0), Vec2::new(x, 9.0));
    let mut planner = planner(&[face(0.0), face(0.5)]);
    let (from, to) = (Vec2::new(-5.0, 0.0), Vec2::new(0.05, 0.0));
    let found = find(&mut planner, from, to, 0.5);
    assert_eq!(found, PathSearch::None(NoPathReason::TargetBlocked));
}

#[test]
fn a_body_inside_a_rock_leaves_it_on_the_nearest_side() {
    let rock = Solid::from(Circle::new(Vec2::ZERO, 2.0));
    let inside = Vec2::new(1.5, 0.1);
    let path = path(&[rock], inside, Vec2::new(-9.0, 0.0), 0.5);
    assert_eq!(path[0], inside);
    assert!(path[1].x > 2.4, "{path:?}");
    let outside = &path[1..];
    assert!(
        outside
            .windows(2)
            .all(|leg| rock.distance_to_segment(leg[0], leg[1]) > 0.5)
    );
}

#[test]
fn a_body_squeezed_against_a_wall_moves_along_it() {
    let wall = [Solid::segment(Vec2::new(-9.0, 0.0), Vec2::new(9.0, 0.0))];
    let from = Vec2::new(-5.0, 0.45);
    let path = path(&wall, from, Vec2::new(5.0, 3.0), 0.5);
    assert_eq!(path.len(), 2, "{path:?}");
}

#[test]
fn a_body_squeezed_against_a_wall_of_many_parts_moves_along_it() {
    let at = |x: i16| Vec2::new(f32::from(x), 0.0);
    let wall: Vec<_> = (-9..9).map(|x| Solid::segment(at(x), at(x + 1))).collect();
    let from = Vec2::new(-5.0, 0.45);
    let path = path(&wall, from, Vec2::new(5.0, 0.6), 0.5);
    assert_eq!(path.len(), 2, "{path:?}");
}

#[test]
fn a_squeezed_body_is_not_led_through_a_gap_that_is_too_narrow_for_it() {
    let wall = Solid::segment(Vec2::new(-9.0, 0.0), Vec2::new(9.0, 0.0));
    for (clearance, gap) in [(0.2, 0.6), (0.4, 0.9)] {
        let barrier = Solid::segment(Vec2::new(0.0, gap), Vec2::new(0.0, 9.0));
        let (from, to) = (Vec2::new(-5.0, clearance), Vec2::new(5.0, clearance));
        let mut planner = planner(&[wall, barrier]);
        assert!(!planner.is_clear(from, Vec2::new(5.0, 0.6), 0.5));
        let found = find(&mut planner, from, to, 0.5);
        let PathSearch::Found(path) = found else {
            panic!("{found:?}");
        };
        assert!(length(&path) > 18.0, "around the barrier: {path:?}");
    }
}

#[test]
fn a_squeezed_body_whose_ways_are_barred_steps_aside_first() {
    let room = block(Rect::new(-9.0, 0.0, 9.0, 9.0));
    let mut planner = planner(&room);
    let room = planner.room(0.5);
    let squeezed = room.spot(Vec2::new(0.0, 0.2));
    let out = room.way_aside(squeezed).unwrap();
    assert!(out.at.x == 0.0 && (0.5..0.6).contains(&out.at.y), "{out:?}");
    assert_eq!(room.way_aside(out), None, "it has room");
}

#[test]
fn a_body_moves_to_no_place_without_room() {
    let mut planner = planner(&[Solid::segment(Vec2::new(-9.0, 0.0), Vec2::new(9.0, 0.0))]);
    let mut is_clear = |from: (f32, f32), to: (f32, f32)| {
        let [from, to] = [from, to].map(Vec2::from);
        planner.is_clear(from, to, 0.5)
    };
    assert!(is_clear((0.0, 5.0), (0.0, 0.6)));
    assert!(!is_clear((0.0, 5.0), (0.0, 0.1)), "nearer than the radius");
    assert!(is_clear((0.0, 0.3), (4.0, 0.3)), "squeezed, along the wall");
    assert!(!is_clear((0.0, 0.3), (4.0, 0.2)), "further in");
}

#[test]
fn a_body_close_to_the_end_of_a_wall_gets_around_it() {
    let wall = [Solid::segment(Vec2::new(0.0, -9.0), Vec2::ZERO)];
    for step in 0..=36 {
        let from = 0.54 * Vec2::from_angle(step as f32 * 5.0_f32.to_radians());
        for to in [Vec2::new(-4.0, -6.0), Vec2::new(4.0, -6.0)] {
            let path = path(&wall, from, to, 0.5);
            assert!(length(&path) < from.distance(to) + 2.0, "{path:?}");
        }
    }
}

#[test]
fn a_body_squeezed_against_a_wall_takes_the_nearer_way_around_it() {
    let wall = [Solid::segment(Vec2::new(0.0, -9.0), Vec2::new(0.0, 3.0))];
    for clearance in [0.4, 0.45, 0.49, 0.5, 0.51, 0.53, 0.6] {
        for below in [0.0, 0.3, 1.0, 2.0, 3.0] {
            let from = Vec2::new(-clearance, 3.0 - below);
            let path = path(&wall, from, Vec2::new(2.0, 0.0), 0.5);
            assert!(length(&path) < below + 6.0, "{path:?}");
        }
    }
}

#[test]
fn a_search_in_small_portions_finds_the_same_path() {
    let solids = blocks();
    let (from, to) = (Vec2::new(-4.0, 3.0), Vec2::new(32.0, 14.0));
    let whole = path(&solids, from, to, 0.4);
    let mut planner = planner(&solids);
    let query = PathQuery {
        from,
        to,
        radius: 0.4,
    };
    let mut portions = 0;
    let found = loop {
        portions += 1;
        assert!(portions < 1_000);
        match planner.find(&query, &mut 16) {
            PathSearch::Found(path) => break path,
            other => assert_eq!(other, PathSearch::Unfinished),
        }
    };
    assert!(portions > 1);
    assert_eq!(found, whole);
}

#[test]
fn queries_to_one_goal_share_their_search() {
    let solids = block(Rect::new(-0.5, -6.0, 0.5, 6.0));
    let mut planner = planner(&solids);
    let query = |y: f32| PathQuery {
        from: Vec2::new(-5.0, y),
        to: Vec2::new(5.0, 0.0),
        radius: 0.5,
    };
    let mut used = |y: f32| {
        let mut left = 1_000;
        planner.find(&query(y), &mut left);
        1_000 - left
    };
    let first = used(0.0);
    assert!(first > 0);
    assert!(used(0.5) < first);
}

#[test]
fn the_searches_of_a_chase_do_not_pile_up() {
    const STEPS: u16 = 950;
    // The target moves about in a closed room.
    let mut solids = block(Rect::new(-30.0, -10.0, -10.0, 10.0)).to_vec();
    for i in 0..300_u16 {
        let at = 3.0 * Vec2::new(f32::from(i % 20), f32::from(i / 20));
        solids.extend(block(Rect::from_center_size(at, Vec2::splat(1.6))));
    }
    let mut planner = planner(&solids);
    for step in 0..STEPS {
        let target = Vec2::new(-25.0 + 0.01 * f32::from(step), 0.0);
        find(&mut planner, Vec2::new(70.0, 0.0), target, 0.3);
    }
    let map = &planner.maps[&0.3_f32.to_bits()];
    let corners = map.roadmap.corner_count();
    let most = RoadmapPathfinder::TREE_CORNERS;
    assert!(usize::from(STEPS) * corners > most, "{corners} corners");
    assert!(map.trees.len() * corners <= most, "{}", map.trees.len());
    assert!(map.trees.len() > 64, "{}", map.trees.len());
}

#[test]
fn searches_that_take_turns_are_kept_however_many_corners_a_world_has() {
    for corners in [1_000, 100_000, Roadmap::MOST_CORNERS] {
        let are_too_many = |trees| RoadmapPathfinder::are_too_many(trees, trees * corners);
        assert!(!are_too_many(2 * Turns::OPEN), "{corners} corners");
        assert!(are_too_many(2_000), "{corners} corners");
    }
}

#[test]
fn looks_of_bodies_with_many_radii_do_not_interrupt_a_search() {
    let mut planner = planner(&blocks());
    let query = PathQuery {
        from: Vec2::new(-4.0, 3.0),
        to: Vec2::new(32.0, 14.0),
        radius: 0.4,
    };
    let mut portions = 0;
    while planner.find(&query, &mut 16) == PathSearch::Unfinished {
        portions += 1;
        assert!(portions < 1_000);
        for i in 0..100_u8 {
            planner.is_clear(query.from, query.to, 0.3 + 0.01 * f32::from(i));
        }
    }
    assert!(portions > 0);
    assert_eq!(planner.maps.len(), 1);
}

#[test]
fn corners_that_are_looked_at_again_cost_expansions() {
    let mut planner = planner(&blocks());
    let query = PathQuery {
        from: Vec2::new(-4.0, 3.0),
        to: Vec2::new(32.0, 14.0),
        radius: 0.4,
    };
    let mut used = || {
        let mut left = 100_000;
        planner.find(&query, &mut left);
        100_000 - left
    };
    assert!(used() > 8);
    let again = used();
    assert!((1..=8).contains(&again), "{again}");
}

#[test]
fn straight_ways_of_many_radii_need_no_corners() {
    let mut planner = planner(&blocks());
    for i in 0..100_u8 {
        let radius = 0.3 + 0.001 * f32::from(i);
        let query = PathQuery {
            from: Vec2::new(-4.0, -4.0),
            to: Vec2::new(-4.0, 20.0),
            radius,
        };
        let mut left = 1;
        assert!(matches!(
            planner.find(&query, &mut left),
            PathSearch::Found(_)
        ));
        assert_eq!(left, 1);
    }
    assert!(planner.maps.is_empty());
}

#[test]
fn a_path_in_a_huge_world_is_found() {
    let solids = block(Rect::new(-1e7, -1e8, 1e7, 1e8));
    let path = path(&solids, Vec2::new(-2e8, 0.0), Vec2::new(2e8, 0.0), 1e6);
    assert!(path.len() > 2);
}

proptest! {
    #[test]
    fn a_look_is_the_same_with_and_without_a_roadmap(
        solids in solids(12.0, 24),
        from in point(12.0),
        to in point(12.0),
    ) {
        let mut planner = planner(&solids);
        let look = planner.is_clear(from, to, 0.3);
        find(&mut planner, from, to, 0.3);
        prop_assert_eq!(look, planner.is_clear(from, to, 0.3));
    }

    #[test]
    fn every_leg_of_a_path_is_free(
        solids in solids(12.0, 24),
        from in point(12.0),
        to in point(12.0),
    ) {
        if let PathSearch::Found(path) = find(&mut planner(&solids), from, to, 0.3) {
            prop_assert!(path[path.len() - 1].distance(to) < 2.0);
            let start = solids.iter().map(|it| it.distance(from)).fold(9.0, f32::min);
            let least = if start > 0.003 { start.min(0.3) - 0.003 } else { f32::NEG_INFINITY };
            for leg in path.windows(2) {
                for solid in &solids {
                    prop_assert!(solid.distance_to_segment(leg[0], leg[1]) >= least);
                }
            }
        }
    }
}
