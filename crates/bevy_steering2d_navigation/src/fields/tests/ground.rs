//! The costs of nodes near solids, without an app.

use super::*;
use crate::fields::ground::Lattice;

#[test]
fn solids_far_from_a_field_do_not_count() {
    let lattice = GoalField::new(area()).lattice();
    let wall = |x: f32| [Solid::segment(Vec2::new(x, 0.0), Vec2::new(x, 9.0))];
    let near = |solids: &[Solid]| lattice.solids_near(solids, 0.5).count();
    assert_eq!(near(&wall(500.0)), 0);
    assert_eq!(near(&wall(20.4)), 1, "close to the border");
}

#[test]
fn many_grounds_in_one_place_block_no_node() {
    let lattice = GoalField::new(area()).lattice();
    let mud = GroundCost::new(area(), 100.0);
    let costs = lattice.costs(&[], &[mud; 30], 0.5);
    assert!(costs.iter().all(|cost| (1e6..f32::INFINITY).contains(cost)));
}

#[test]
fn costs_by_rows_equal_those_of_all_nodes() {
    let lattice = Lattice {
        corner: Vec2::new(-3.0, -2.0),
        spacing: 0.4,
        size: UVec2::new(20, 15),
    };
    let mut random = RandomStream::new(1, SteeringId(0), 0);
    for _ in 0..200 {
        let area = Rect::new(-6.0, -5.0, 8.0, 7.0);
        let wall = Solid {
            radius: 0.5 * random.unit(),
            ..Solid::segment(random.point_in(area), random.point_in(area))
        };
        let costs = lattice.costs(&[wall], &[], 0.3);
        for y in 0..lattice.size.y {
            for x in 0..lattice.size.x {
                let node = UVec2::new(x, y);
                let distance = wall.distance(lattice.position(node));
                let expected = if distance < 0.3 { f32::INFINITY } else { 1.0 };
                assert_eq!(
                    costs[lattice.index(node)],
                    expected,
                    "{wall:?}: {distance} m"
                );
            }
        }
    }
}
