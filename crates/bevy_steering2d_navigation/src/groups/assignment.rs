//! Assignment: which member goes to which place, with the least sum of squared distances.
//!
//! Of squared distances the minimum prefers many short ways to one long way, and the ways of two members
//! never cross. Groups are solved exactly by the Hungarian method (Kuhn 1955; Munkres 1957). Large groups
//! are first halved, members and places alike, by their order along an axis.

use bevy::prelude::*;

/// Larger groups are halved.
const EXACT: usize = 100;

/// The place of each member, as an index into `places`. There are at least as many places as members.
pub(super) fn assign(members: &[Vec2], places: &[Vec2]) -> Vec<usize> {
    let mut assigned = vec![0; members.len()];
    let mut who: Vec<usize> = (0..members.len()).collect();
    let mut where_to: Vec<usize> = (0..places.len().min(members.len())).collect();
    halve(members, places, &mut who, &mut where_to, &mut assigned);
    assigned
}

fn halve(
    members: &[Vec2],
    places: &[Vec2],
    who: &mut [usize],
    where_to: &mut [usize],
    assigned: &mut [usize],
) {
    if who.len() <= EXACT {
        for (member, place) in solve(members, places, who, where_to) {
            assigned[member] = place;
        }
        return;
    }
    let points = where_to.iter().map(|&it| places[it]);
    let bounds = points
        .map(|it| Rect::from_corners(it, it))
        .reduce(|all, it| all.union(it))
        .unwrap_or_default();
    let axis = usize::from(bounds.height() > bounds.width());
    let sort = |indices: &mut [usize], points: &[Vec2]| {
        indices.sort_by(|&a, &b| {
            let along = points[a][axis].total_cmp(&points[b][axis]);
            along.then(a.cmp(&b))
        });
    };
    sort(who, members);
    sort(where_to, places);
    let half = who.len() / 2;
    let (first, second) = who.split_at_mut(half);
    let (near, far) = where_to.split_at_mut(half);
    halve(members, places, first, near, assigned);
    halve(members, places, second, far, assigned);
}

/// The cost of a place at no finite distance, m²: with infinite costs the method does not end.
const UNKNOWN: f64 = 1e30;

/// The Hungarian method with potentials, in `O(n³)`: members one by one, each along the shortest
/// augmenting path.
fn solve(
    members: &[Vec2],
    places: &[Vec2],
    who: &[usize],
    where_to: &[usize],
) -> Vec<(usize, usize)> {
    let count = who.len();
    let cost = |row: usize, column: usize| -> f64 {
        let offset = members[who[row - 1]] - places[where_to[column - 1]];
        let square = f64::from(offset.length_squared());
        if square.is_finite() { square } else { UNKNOWN }
    };
    // Rows are members and columns places, both counted from one; column zero is the start of a path.
    let mut row_potential = vec![0.0; count + 1];
    let mut column_potential = vec![0.0; count + 1];
    let mut row_of = vec![0; count + 1];
    let mut before = vec![0; count + 1];
    for row in 1..=count {
        row_of[0] = row;
        let mut column = 0;
        let mut slack = vec![f64::INFINITY; count + 1];
        let mut used = vec![false; count + 1];
        while row_of[column] != 0 {
            used[column] = true;
            let (here, mut least, mut next) = (row_of[column], f64::INFINITY, 0);
            for other in 1..=count {
                if used[other] {
                    continue;
                }
                let reduced = cost(here, other) - row_potential[here] - column_potential[other];
                if reduced < slack[other] {
                    (slack[other], before[other]) = (reduced, column);
                }
                if slack[other] < least {
                    (least, next) = (slack[other], other);
                }
            }
            for other in 0..=count {
                if used[other] {
                    row_potential[row_of[other]] += least;
                    column_potential[other] -= least;
                } else {
                    slack[other] -= least;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let pairs = (1..=count).map(|column| (who[row_of[column] - 1], where_to[column - 1]));
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(members: &[Vec2], places: &[Vec2], assigned: &[usize]) -> f32 {
        let ways = members.iter().zip(assigned);
        ways.map(|(member, &place)| member.distance_squared(places[place]))
            .sum()
    }

    fn points(count: usize) -> impl Strategy<Value = Vec<Vec2>> {
        let point = (-9.0..9.0_f32, -9.0..9.0_f32).prop_map(Vec2::from);
        prop::collection::vec(point, count)
    }

    proptest! {
        #[test]
        fn the_sum_of_squares_is_least(members in points(5), places in points(5)) {
            let assigned = assign(&members, &places);
            let ours = sum(&members, &places, &assigned);
            for order in permutations(5) {
                prop_assert!(ours <= sum(&members, &places, &order) + 1e-2);
            }
        }
    }

    #[test]
    fn members_and_places_at_no_finite_point_get_one_another() {
        for far in [f32::NAN, f32::INFINITY, 1e38] {
            let members = [Vec2::X, Vec2::splat(far), Vec2::Y];
            let places = [Vec2::NEG_X, Vec2::NEG_Y, Vec2::splat(-far)];
            let mut assigned = assign(&members, &places);
            assigned.sort_unstable();
            assert_eq!(assigned, [0, 1, 2], "{far}");
        }
    }

    fn permutations(count: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let shorter = permutations(count - 1);
        let insert = |order: &Vec<usize>, at: usize| {
            let mut longer = order.clone();
            longer.insert(at, count - 1);
            longer
        };
        let all = shorter
            .iter()
            .flat_map(|order| (0..count).map(move |at| insert(order, at)));
        all.collect()
    }

    #[test]
    fn every_place_of_a_large_group_is_taken_once_and_a_moved_block_keeps_its_order() {
        let members: Vec<_> = (0..400)
            .map(|i| Vec2::new((i % 20) as f32, (i / 20) as f32))
            .collect();
        let places: Vec<_> = members.iter().rev().map(|it| it + 100.0).collect();
        let assigned = assign(&members, &places);
        let mut taken = assigned.clone();
        taken.sort_unstable();
        assert!(
            taken
                .iter()
                .enumerate()
                .all(|(index, &place)| index == place)
        );
        for (member, place) in members.iter().zip(assigned) {
            assert_eq!(member + 100.0, places[place]);
        }
    }

    #[test]
    fn nobody_to_assign_is_no_problem() {
        assert!(assign(&[], &[Vec2::ZERO]).is_empty());
    }
}
