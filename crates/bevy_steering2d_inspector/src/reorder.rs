//! Reordering: the priorities after a row was dragged.

/// The distance between renumbered priorities.
const STEP: i16 = 10;

/// The priorities after the row at index `from` was moved before the row at index `to` (`to == len`
/// for the end), for rows in descending order.
///
/// Only the moved row changes if a priority is free between its new neighbors. Otherwise all rows
/// are renumbered in steps of ten. A row that stays where it is changes nothing.
pub(crate) fn reordered(priorities: &[i16], from: usize, to: usize) -> Vec<i16> {
    let mut order: Vec<usize> = (0..priorities.len()).collect();
    let moved = order.remove(from);
    let place = if to > from { to - 1 } else { to };
    // A click on a handle drops the row where it is.
    if place == from {
        return priorities.to_vec();
    }
    order.insert(place, moved);

    let at = |index: usize| order.get(index).map(|row| i32::from(priorities[*row]));
    let above = place.checked_sub(1).and_then(at);
    let below = at(place + 1);
    let between = match (above, below) {
        (Some(above), Some(below)) => (above - below >= 2).then_some((above + below) / 2),
        (Some(above), None) => Some(above - i32::from(STEP)),
        (None, Some(below)) => Some(below + i32::from(STEP)),
        (None, None) => Some(i32::from(priorities[moved])),
    };
    let mut result = priorities.to_vec();
    match between.and_then(|priority| i16::try_from(priority).ok()) {
        Some(priority) => result[moved] = priority,
        None => {
            for (rank, row) in order.iter().rev().enumerate() {
                result[*row] = STEP.saturating_mul(i16::try_from(rank + 1).unwrap_or(i16::MAX));
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_moved_row_changes_if_a_priority_is_free() {
        assert_eq!(reordered(&[30, 20, 10], 2, 0), [30, 20, 40]);
        assert_eq!(reordered(&[30, 20, 10], 2, 1), [30, 20, 25]);
        assert_eq!(reordered(&[30, 20, 10], 0, 3), [0, 20, 10]);
        assert_eq!(reordered(&[30, 20, 10], 0, 2), [15, 20, 10]);
    }

    #[test]
    fn a_row_dropped_at_its_own_place_changes_no_priority() {
        assert_eq!(reordered(&[5], 0, 0), [5]);
        for priorities in [[30, 29, 10], [7, 7, 7]] {
            for row in 0..priorities.len() {
                for to in [row, row + 1] {
                    assert_eq!(reordered(&priorities, row, to), priorities, "{row} to {to}");
                }
            }
        }
    }

    #[test]
    fn all_rows_are_renumbered_if_no_priority_is_free() {
        assert_eq!(reordered(&[2, 1, 0], 2, 1), [30, 10, 20]);
        assert_eq!(reordered(&[i16::MAX, 0], 1, 0), [10, 20]);
        assert_eq!(reordered(&[7, 7, 7], 2, 1), [30, 10, 20]);
    }
}
