//! The neighbor index against a search through all agents.

use super::*;
use crate::SteeringId;
use crate::behaviors::testing::between;
use crate::perception::SteeringGroups;
use crate::perception::testing::{found, index, view};
use proptest::prelude::*;

impl Neighbors {
    fn all(&self) -> impl Iterator<Item = Neighbor> {
        (0..self.rows.len()).map(|row| self.rows.agent(row))
    }
}

/// The reference: tests every agent.
fn brute_force(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
    let mut ids: Vec<u32> = neighbors
        .all()
        .filter(|neighbor| view.sees(neighbor))
        .map(|neighbor| neighbor.id.0)
        .collect();
    ids.sort_unstable();
    ids
}

fn assert_equals_brute_force(positions: &[Vec2], cell: f32, radius: f32) {
    let neighbors = index(positions, cell);
    for me in neighbors.all() {
        let view = view(&me, radius);
        assert_eq!(found(&neighbors, view), brute_force(&neighbors, view));
    }
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        -20.0_f32..20.0,
        (-8_i32..8).prop_map(|i| i as f32 * 2.0), // on cell borders
        Just(0.0),
        Just(-1e9),
        Just(1e9),
    ]
}

proptest! {
    #[test]
    fn the_index_equals_brute_force(
        positions in prop::collection::vec((coordinate(), coordinate()), 1..60),
        cell in between(0.5..=5.0),
        radius in between(0.1..=30.0),
    ) {
        let positions: Vec<Vec2> = positions.into_iter().map(Vec2::from).collect();
        assert_equals_brute_force(&positions, cell, radius);
    }

    #[test]
    fn slots_found_cell_by_cell_are_those_found_all_at_once(
        positions in prop::collection::vec((coordinate(), coordinate()), 1..60),
        cell in between(0.5..=5.0),
        around in 0..=Neighbors::FEW_CELLS,
    ) {
        let far = [Vec2::splat(-1e9), Vec2::splat(1e9)];
        let positions = positions.into_iter().map(Vec2::from).chain(far);
        let neighbors = index(&positions.collect::<Vec<_>>(), cell);
        prop_assert!(neighbors.wraps());
        for slot in 0..neighbors.len() {
            let ranges = neighbors.ranges_around_cell(neighbors.cell_at(slot), around);
            let at_once = neighbors.ranges_among(ranges, around, neighbors.square_at(slot));
            let by_cell = neighbors.ranges_around_slot(slot, around);
            prop_assert!(by_cell.into_iter().flatten().eq(at_once.into_iter().flatten()));
        }
    }

    #[test]
    fn neighbors_on_cell_borders_are_found(
        positions in prop::collection::vec((-6_i32..6, -6_i32..6), 1..80),
    ) {
        let positions: Vec<Vec2> = positions
            .into_iter()
            .map(|(x, y)| 2.0 * Vec2::new(x as f32, y as f32))
            .collect();
        assert_equals_brute_force(&positions, 2.0, 2.0);
    }
}

#[test]
fn two_distant_agents_need_little_memory() {
    let neighbors = index(&[Vec2::splat(-1e9), Vec2::splat(1e9)], 0.1);
    assert!(neighbors.cells_of(0..2).count() <= 2);
    assert!(neighbors.grid.memory() <= 2 * 1024 + 16);
}

#[test]
fn before_the_first_tick_the_index_is_empty() {
    let neighbors = Neighbors::default();
    let agent = index(&[Vec2::ZERO], 1.0).rows.agent(0);
    assert_eq!(neighbors.in_view(view(&agent, 1.0)).count(), 0);
    assert_eq!(neighbors.candidates_within(Vec2::ZERO, 1.0), 0);
    assert!(neighbors.is_empty());
}

#[test]
fn each_index_that_no_agent_perceives_warns_once_when_it_is_asked() {
    let has_warned = |it: &Neighbors| it.has_warned.load(Ordering::Relaxed);
    let mut indices = [Neighbors::default(), Neighbors::default()];
    for neighbors in &mut indices {
        neighbors.leave_unread(3);
        assert!(!has_warned(neighbors));
        neighbors.nearest(Vec2::ZERO, 1.0, SteeringGroups::ALL);
        neighbors.leave_unread(3);
        assert!(has_warned(neighbors), "in the ticks after as well");
    }
    let nothing = Neighbors::default();
    nothing.nearest(Vec2::ZERO, 1.0, SteeringGroups::ALL);
    assert!(!has_warned(&nothing), "there are no agents");
}

#[test]
fn an_infinite_radius_sees_every_other_agent() {
    let positions: Vec<Vec2> = (0..50).map(|i| Vec2::new(i as f32 * 7.0, 0.0)).collect();
    let neighbors = index(&positions, 1.0);
    let all = neighbors.in_view(view(&neighbors.rows.agent(0), f32::INFINITY));
    assert_eq!(all.count(), 49);
}

#[test]
fn slots_are_sorted_by_cell_then_id_whatever_the_order_of_rows() {
    let positions: Vec<Vec2> = (0..40)
        .map(|i| Vec2::new((i * 7 % 10) as f32, (i * 3 % 4) as f32))
        .collect();
    let mut one = index(&positions, 3.0);
    let sorted = |neighbors: &Neighbors| -> Vec<u32> {
        (0..40).map(|slot| neighbors.at(slot).id.0).collect()
    };
    let before = sorted(&one);
    one.rows.bodies.reverse();
    one.rows.rest.reverse();
    one.sort(3.0);
    assert_eq!(sorted(&one), before);
    for (row, me) in one.all().enumerate() {
        assert_eq!(one.at(one.ranks[row] as usize).id, me.id);
    }
}

#[test]
fn nearest_neighbors_come_first_and_ties_are_broken_by_id() {
    let positions = [0.0, 3.0, -1.0, 1.0, 2.0].map(|x| Vec2::new(x, 0.0));
    let neighbors = index(&positions, 1.0);
    let nearest = neighbors.nearest_in_view(view(&neighbors.rows.agent(0), 9.0), 3);
    let ids: Vec<u32> = nearest.iter().map(|it| it.id.0).collect();
    assert_eq!(ids, [2, 3, 4]);
}

#[test]
fn groups_and_field_of_view_hide_neighbors() {
    let positions = [Vec2::ZERO, Vec2::X, Vec2::NEG_X, Vec2::Y];
    let neighbors = index(&positions, 1.0);
    let me = view(&neighbors.rows.agent(0), 2.0);
    let ahead = NeighborView {
        field_of_view: std::f32::consts::FRAC_PI_2,
        ..me
    };
    assert_eq!(found(&neighbors, ahead), [1]);
    let second_group = NeighborView {
        groups: SteeringGroups(0b010),
        ..me
    };
    assert_eq!(found(&neighbors, second_group), [1]);
    let no_group = NeighborView {
        groups: SteeringGroups(0),
        ..me
    };
    assert!(found(&neighbors, no_group).is_empty());
}

#[test]
fn the_one_neighbor_of_a_group_is_found_in_a_crowd_of_others() {
    let neighbor = |id: u32, groups: u32| Neighbor {
        position: Vec2::new(0.001 * id as f32, 0.5),
        velocity: Vec2::ZERO,
        heading: Vec2::X,
        radius: 0.1,
        groups: SteeringGroups(groups),
        id: SteeringId(id),
        entity: Entity::from_raw_u32(id).expect("a small index"),
    };
    let sheep = (0..1_000).map(|id| (neighbor(id, 1), 0));
    let wolf = (neighbor(1_000, 2), 0);
    let neighbors = Neighbors::of(sheep.chain([wolf]), 4.0);
    let dog = NeighborView {
        groups: SteeringGroups(2),
        ..view(&neighbor(0, 1), 3.0)
    };
    assert_eq!(found(&neighbors, dog), [1_000]);
}

#[test]
fn a_tiny_radius_reaches_across_the_border_of_a_cell() {
    let neighbors = index(&[Vec2::new(24.995, 0.5), Vec2::new(25.005, 0.5)], 25.0);
    assert_eq!(neighbors.cells_within(0.02), 1);
}

#[test]
fn many_neighbors_come_in_the_order_of_few() {
    let lattice = (0..900).map(|i| Vec2::new((i % 30) as f32, (i / 30) as f32));
    let neighbors = index(&lattice.collect::<Vec<_>>(), 4.0);
    for me in [0, 435, 899].map(|row| neighbors.rows.agent(row)) {
        let view = view(&me, 12.0);
        let few = neighbors.nearest_slots(view, 64);
        for most in [65, 100, usize::MAX] {
            let many = neighbors.nearest_slots(view, most);
            assert!(many.starts_with(&few) && many.len() <= most);
            let in_view = neighbors.in_view(view).count();
            assert_eq!(many.len(), most.min(in_view));
        }
    }
}
