//! Which door a person takes.

use bevy::prelude::*;

use crate::crowd::{PACE, Seen};
use crate::door::Door;

/// Ticks between two choices of a door.
pub const CHOICE: u32 = 40;

/// The number of the nearest door.
pub fn nearest(doors: &[Door], from: Vec2) -> usize {
    let distance = |&at: &usize| doors[at].center().distance_squared(from);
    let order = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b));
    (0..doors.len()).min_by(order).unwrap_or_default()
}

/// Lets each person take the door with the shorter expected time. Of a door's people those nearer to it
/// come first.
pub fn choose_quickest(doors: &[Door], seen: &[Seen], chosen: &mut Vec<usize>) {
    /// People per second through a meter of a door's width.
    const FLOW: f32 = 1.9;
    /// Time in favor of the door one has chosen, s.
    const LOYALTY: f32 = 10.0;
    if chosen.is_empty() {
        chosen.extend(seen.iter().map(|it| nearest(doors, it.position)));
    }
    let queues: Vec<Vec<f32>> = (0..doors.len())
        .map(|door| {
            let theirs = seen.iter().filter(|it| chosen[it.person] == door);
            let mut distances: Vec<f32> = theirs
                .map(|it| doors[door].center().distance(it.position))
                .collect();
            distances.sort_by(f32::total_cmp);
            distances
        })
        .collect();
    for it in seen {
        let time = |door: usize| {
            let distance = doors[door].center().distance(it.position);
            let before = queues[door].partition_point(|other| *other < distance);
            let loyalty = if chosen[it.person] == door {
                LOYALTY
            } else {
                0.0
            };
            (distance / PACE).max(before as f32 / (FLOW * doors[door].width())) - loyalty
        };
        let quickest = (0..doors.len()).min_by(|a, b| time(*a).total_cmp(&time(*b)));
        chosen[it.person] = quickest.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOORS: [Door; 2] = [
        Door {
            from: Vec2::new(4.5, 0.0),
            to: Vec2::new(5.5, 0.0),
            out: Vec2::NEG_Y,
        },
        Door {
            from: Vec2::new(24.5, 0.0),
            to: Vec2::new(25.5, 0.0),
            out: Vec2::NEG_Y,
        },
    ];

    fn people(at: impl IntoIterator<Item = Vec2>) -> Vec<Seen> {
        let seen = |(person, position)| Seen {
            person,
            position,
            velocity: Vec2::ZERO,
        };
        at.into_iter().enumerate().map(seen).collect()
    }

    #[test]
    fn a_person_alone_takes_the_nearest_door() {
        let mut chosen = Vec::new();
        choose_quickest(
            &DOORS,
            &people([Vec2::new(9.0, 5.0), Vec2::new(22.0, 5.0)]),
            &mut chosen,
        );
        assert_eq!(chosen, [0, 1]);
    }

    #[test]
    fn the_last_of_a_long_queue_take_the_far_door() {
        let queue = people((0..100).map(|row| Vec2::new(5.0, 0.15 * row as f32)));
        let mut chosen = Vec::new();
        choose_quickest(&DOORS, &queue, &mut chosen);
        assert_eq!((chosen[0], chosen[99]), (0, 1));
    }

    #[test]
    fn the_nearest_door_changes_halfway_between_two() {
        assert_eq!(nearest(&DOORS, Vec2::new(14.0, 3.0)), 0);
        assert_eq!(nearest(&DOORS, Vec2::new(16.0, 3.0)), 1);
    }
}
