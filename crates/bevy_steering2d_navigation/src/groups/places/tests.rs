//! Where groups of bodies stand, in the open and among solids.

use super::*;
use crate::{PathQuery, PathSearch, Pathfinder};
use bevy_steering2d_core::Wall;

const GAP: f32 = 0.1;

/// Ground everywhere.
fn anywhere(grid: &ClearanceGrid) -> Floor<'_> {
    Floor {
        grid,
        pathfinder: None,
    }
}

#[track_caller]
fn check(solids: &[Solid], target: Vec2, radii: &[f32]) -> Places {
    let largest = radii.iter().copied().fold(0.0, f32::max);
    let grid = ClearanceGrid::new(solids, 1.5 * largest);
    let site = Site::new(anywhere(&grid), target, GroupShape::Disc, GAP, &[]);
    let places = site.places(radii);
    let discs: Vec<_> = places.at.iter().map(|at| at.unwrap()).zip(radii).collect();
    for (i, (at, radius)) in discs.iter().enumerate() {
        let clearance = solids.iter().map(|solid| solid.distance(*at));
        assert!(clearance.fold(9.0, f32::min) >= **radius - 1e-4, "{at}");
        for (other, size) in &discs[..i] {
            assert!(at.distance(*other) >= *radius + *size, "{at} and {other}");
        }
    }
    let ideal = ideal_radius(radii, 0.0);
    assert!(
        places.spread() <= 1.25 * ideal,
        "{} of {ideal}",
        places.spread()
    );
    places
}

#[test]
fn groups_in_the_open_at_walls_in_corners_and_on_a_rock_are_round() {
    let wall = [Solid::segment(Vec2::new(0.0, -50.0), Vec2::new(0.0, 50.0))];
    let corner = [
        wall[0],
        Solid::segment(Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0)),
    ];
    let rock = [Circle::new(Vec2::new(9.0, 9.0), 1.0).into()];
    for count in [1, 2, 3, 7, 20, 50, 100, 400] {
        let radii = vec![0.4; count];
        check(&[], Vec2::new(3.0, 4.0), &radii);
        check(&wall, Vec2::new(0.3, 5.0), &radii);
        check(&corner, Vec2::new(0.5, 0.4), &radii);
        if count > 3 {
            check(&rock, Vec2::new(9.1, 9.0), &radii);
        }
    }
}

#[test]
fn bodies_of_different_radii_stand_close_together() {
    let radii: Vec<_> = (0..60).map(|i| 0.25 + 0.05 * (i % 12) as f32).collect();
    check(&[], Vec2::ZERO, &radii);
}

#[test]
fn a_crowd_of_two_sizes_has_a_place_for_each_on_open_ground() {
    // The places of the small ones are a little wider than two steps of the lattice.
    let radii = [[0.3; 510].as_slice(), &[0.8; 90]].concat();
    let grid = ClearanceGrid::new(&[], 1.2);
    let site = Site::new(anywhere(&grid), Vec2::ZERO, GroupShape::Disc, GAP, &[]);
    let places = site.around(Vec2::ZERO, &radii);
    let missing = places.at.iter().filter(|at| at.is_none()).count();
    assert_eq!(missing, 0);
    assert!(places.spread() < 1.35 * ideal_radius(&radii, GAP));
}

#[test]
fn places_are_on_one_side_of_a_wall() {
    let wall = [Solid::segment(Vec2::new(0.0, -50.0), Vec2::new(0.0, 50.0))];
    let places = check(&wall, Vec2::new(1.0, 0.0), &[0.4; 60]);
    assert!(places.at.iter().all(|at| at.unwrap().x > 0.0));
}

/// A wall along the y-axis with a gap in the middle.
fn wall_with_gap(width: f32) -> [Solid; 2] {
    [-1.0, 1.0].map(|side| {
        let end = Vec2::new(0.0, 0.5 * side * width);
        Solid::segment(end, Vec2::new(0.0, 50.0 * side))
    })
}

#[test]
fn places_are_not_behind_a_gap_through_which_bodies_do_not_fit() {
    let target = Vec2::new(-0.6, 0.0);
    let beyond = |width: f32, count: usize| {
        let wall = wall_with_gap(width);
        let grid = ClearanceGrid::new(&wall, 1.0);
        let site = Site::new(anywhere(&grid), target, GroupShape::Disc, GAP, &[]);
        let places = site.around(target, &vec![0.5; count]).at;
        places.iter().filter(|at| at.unwrap().x > 0.0).count()
    };
    for count in [2, 7, 30] {
        assert_eq!(beyond(0.8, count), 0, "{count}");
    }
    assert!(beyond(1.2, 30) > 0);
}

#[test]
fn a_group_near_the_end_of_a_wall_does_not_stand_on_both_sides_of_it() {
    let wall = [Solid::segment(Vec2::new(0.0, -3.0), Vec2::new(0.0, 8.0))];
    let places = check(&wall, Vec2::new(0.3, 4.5), &[0.3; 100]);
    let beyond = places.at.iter().filter(|at| at.unwrap().x < 0.0).count();
    assert!(beyond < 8, "{beyond}");
}

#[test]
fn a_group_in_a_nook_that_is_too_small_for_it_stands_round_at_its_opening() {
    let nook = [
        Solid::segment(Vec2::new(0.0, -3.0), Vec2::new(0.0, 8.0)),
        Solid::segment(Vec2::new(0.0, -3.0), Vec2::new(4.0, -3.0)),
        Solid::segment(Vec2::new(4.5, 1.0), Vec2::new(10.0, 1.0)),
    ];
    let target = Vec2::new(0.3, -2.7);
    let places = check(&nook, target, &[0.3; 100]);
    assert!(places.center.distance(target) < 5.0, "{}", places.center);
}

#[test]
fn a_small_room_has_places_for_some() {
    let room = Wall::room(Rect::new(-2.0, -2.0, 2.0, 2.0)).map(Solid::from);
    let grid = ClearanceGrid::new(&room, 1.0);
    let site = Site::new(anywhere(&grid), Vec2::ZERO, GroupShape::Disc, GAP, &[]);
    let places = site.places(&[0.4; 60]);
    let inside = places.at.iter().flatten().count();
    assert!((9..20).contains(&inside), "{inside}");
}

#[test]
fn a_group_stays_within_thick_walls() {
    let walls = Wall::room(Rect::new(-2.0, -2.0, 2.0, 2.0));
    let walls = walls.map(|wall| Solid {
        radius: 0.2,
        ..wall.into()
    });
    let grid = ClearanceGrid::new(&walls, 1.0);
    let site = Site::new(anywhere(&grid), Vec2::ZERO, GroupShape::Disc, GAP, &[]);
    let places = site.places(&[0.4; 100]);
    assert!(places.at.iter().flatten().count() >= 9);
    for at in places.at.iter().flatten() {
        assert!(at.abs().max_element() < 2.0, "{at}");
    }
}

#[test]
fn a_group_without_any_place_stays_at_its_target() {
    let target = Vec2::new(500.0, 0.0);
    let rocks = [0.0, 120.0, 240.0_f32].map(|degrees| {
        let aside = Vec2::from_angle(degrees.to_radians());
        Circle::new(target + 9_999.0 * aside, 10_000.0).into()
    });
    let grid = ClearanceGrid::new(&rocks, 1.0);
    let site = Site::new(anywhere(&grid), target, GroupShape::Disc, GAP, &[]);
    let center = site.places(&[0.5; 20]).center;
    assert!(center.distance(target) < 100.0, "{center}");
}

/// Finds no path, and knows where there is ground.
struct Ground(fn(Vec2) -> bool);

impl Pathfinder for Ground {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, _: &PathQuery, _: &mut u32) -> PathSearch {
        PathSearch::Unfinished
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }

    fn has_ground(&self, at: Vec2) -> bool {
        self.0(at)
    }
}

#[test]
fn places_are_on_the_ground_that_is_nearest_to_the_target() {
    let grid = ClearanceGrid::new(&[], 1.0);
    let west = ActivePathfinder::new(Box::new(Ground(|at| at.x <= 0.0)));
    let floor = Floor {
        grid: &grid,
        pathfinder: Some(&west),
    };
    for radii in [[0.4; 9], [0.2, 0.4, 0.2, 0.4, 0.2, 0.4, 0.2, 0.4, 0.2]] {
        for target in [Vec2::new(5.0, 2.0), Vec2::new(-0.1, 2.0)] {
            let site = Site::new(floor, target, GroupShape::Disc, GAP, &[]);
            for at in site.places(&radii).at {
                let at = at.unwrap();
                assert!(
                    at.x <= 0.0 && at.distance(Vec2::new(0.0, 2.0)) < 6.0,
                    "{at}"
                );
            }
        }
    }
}

#[test]
fn a_group_that_is_sent_into_a_wide_hole_or_rock_stands_at_the_nearest_edge() {
    let rock = Solid::from(Circle::new(Vec2::ZERO, 40.0));
    let grids = [vec![], vec![rock]].map(|solids| ClearanceGrid::new(&solids, 1.0));
    let crater = ActivePathfinder::new(Box::new(Ground(|at| at.length() >= 40.0)));
    let hole = Floor {
        grid: &grids[0],
        pathfinder: Some(&crater),
    };
    let target = Vec2::new(-1.0, 2.0);
    let nearest = 40.0 - target.length();
    for floor in [hole, anywhere(&grids[1])] {
        for radii in [[0.3; 5], [0.2, 0.4, 0.2, 0.4, 0.2]] {
            let site = Site::new(floor, target, GroupShape::Disc, GAP, &[]);
            for places in [site.places(&radii), site.around_target(&radii)] {
                for at in places.at {
                    let at = at.unwrap();
                    let is_near = at.distance(target) < nearest + 2.0;
                    assert!(at.length() >= 40.0 && is_near, "{at}");
                }
            }
        }
    }
}

#[test]
fn taken_places_are_left_free() {
    let grid = ClearanceGrid::new(&[], 1.0);
    let taken = [0.0, 0.85].map(|x| Circle::new(Vec2::new(x, 0.0), 0.4));
    let site = Site::new(anywhere(&grid), Vec2::ZERO, GroupShape::Disc, GAP, &taken);
    for at in site.around(Vec2::ZERO, &[0.4; 5]).at {
        let at = at.unwrap();
        let mut distances = taken.iter().map(|it| at.distance(it.center));
        assert!(distances.all(|it| it >= 0.84), "{at}");
    }
}

#[test]
fn where_places_are_taken_a_group_stands_beside_them_on_the_same_side_of_a_wall() {
    let wall = [Solid::segment(Vec2::new(0.0, -50.0), Vec2::new(0.0, 50.0))];
    let grid = ClearanceGrid::new(&wall, 1.0);
    let target = Vec2::new(0.55, 0.0);
    let taken: Vec<_> = (0..9)
        .map(|i| Vec2::new((i % 3) as f32, (i / 3) as f32 - 1.0))
        .map(|cell| Circle::new(target + 1.1 * cell, 0.5))
        .collect();
    let site = Site::new(anywhere(&grid), target, GroupShape::Disc, GAP, &taken);
    for at in site.around(target, &[0.5; 5]).at {
        assert!(at.unwrap().x > 0.0, "{at:?}");
    }
}

#[test]
fn taken_places_are_left_free_by_bodies_of_different_radii() {
    let grid = ClearanceGrid::new(&[], 1.5);
    let alone = Site::new(anywhere(&grid), Vec2::ZERO, GroupShape::Disc, GAP, &[]);
    let taken = alone.around(Vec2::ZERO, &[0.5; 400]).at.into_iter();
    let taken: Vec<_> = taken.flatten().map(|at| Circle::new(at, 0.5)).collect();
    let site = Site::new(anywhere(&grid), Vec2::ZERO, GroupShape::Disc, GAP, &taken);
    let radii = [0.2, 1.0, 0.5];
    for (at, radius) in site.around(Vec2::ZERO, &radii).at.iter().zip(radii) {
        let at = at.unwrap();
        let mut distances = taken.iter().map(|it| at.distance(it.center));
        assert!(distances.all(|it| it >= radius + 0.5), "{radius}: {at}");
    }
}

#[test]
fn a_line_is_wide_and_a_block_square() {
    let grid = ClearanceGrid::new(&[], 1.0);
    let extent = |shape| {
        let site = Site::new(anywhere(&grid), Vec2::ZERO, shape, GAP, &[]);
        let places = site.around(Vec2::ZERO, &[0.4; 40]).at;
        let spots: Vec<_> = places.into_iter().flatten().collect();
        let points = spots.iter().map(|it| Rect::from_corners(*it, *it));
        points.reduce(|all, it| all.union(it)).unwrap().size()
    };
    let line = extent(GroupShape::Line { facing: 0.0 });
    assert!(line.y > 3.0 * line.x, "{line}");
    let block = extent(GroupShape::Block { facing: 0.0 });
    assert!((block.x - block.y).abs() < 1.5, "{block}");
}

#[test]
fn a_line_of_a_few_is_one_rank_along_its_front() {
    let grid = ClearanceGrid::new(&[], 1.0);
    let line = GroupShape::Line { facing: 0.0 };
    let places = Site::new(anywhere(&grid), Vec2::ZERO, line, GAP, &[]).places(&[0.5; 5]);
    let mut at: Vec<_> = places.at.iter().map(|it| it.unwrap()).collect();
    at.sort_by(|a, b| a.y.total_cmp(&b.y));
    for pair in at.windows(2) {
        let step = pair[1] - pair[0];
        assert!(step.distance(Vec2::new(0.0, 1.0 + GAP)) < 1e-4, "{at:?}");
    }
}
