//! RiMEA tests with large crowds: 9, 11, 12 and 15.

mod corner;

use std::ops::Range;

use bevy::prelude::*;
use bevy_steering2d::navigation::GoalField;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Person, RADIUS, Seen, places, random};
use crate::door::Door;
use crate::plot::{Plot, Series};
use crate::statistics::{mean, standard_error};

pub const CHECKS: [Check; 4] = [
    Check {
        name: "rimea-9",
        title: "RiMEA 9: a large room",
        about: "1,000 people leave a room of 30 m × 20 m through four doors of 1 m, each through the nearest; then two of the doors are \
                closed. The time must about double. They vanish 2 m outside. The flow per door is that of all who left, by the time of the last.",
        run: rimea_9,
    },
    Check {
        name: "rimea-11",
        title: "RiMEA 11: choice of an exit",
        about: "1,000 people in the left half of a room of 30 m × 20 m, whose doors of 1 m are 5 m from either end of one wall. Most must \
                take the near door, and some the far one: here between 0.55 and 0.95, of three starts. People follow a `GoalField` \
                on which half a meter is added to each meter of a way for each person per m²: about as much as people slow each \
                other down at up to 2 per m² (Weidmann 1992).",
        run: rimea_11,
    },
    Check {
        name: "rimea-12",
        title: "RiMEA 12: a bottleneck between rooms",
        about: "150 people walk from a room of 10 m × 10 m through a passage 1 m wide and 5 m long into another, and leave it through a \
                door of 1 m. Only the first room may be congested. A person is held up below 0.4 m/s.",
        run: rimea_12,
    },
    corner::RIMEA_15,
];

/// Adds people with desired speeds of 1.34 ± 0.26 m/s (Weidmann 1992), at other places and with other speeds for each
/// start.
fn fill(crowd: &mut Crowd, area: Rect, people: usize, ahead: Vec2, start: u64) {
    let mut random = random(people as u64 + start);
    for start in places(area, people, &mut random) {
        let pace = Pedestrian::desired_speed(&mut random);
        crowd.add(Person::new(start, ahead).with_pace(pace));
    }
}

const ROOM: Vec2 = Vec2::new(30.0, 20.0);
/// Width of the doors, m.
const DOOR: f32 = 1.0;

/// Spawns the walls of the room, with openings at `doors`; those of a side are sorted by x.
fn room(crowd: &mut Crowd, doors: &[Door]) {
    for (y, x) in [(0.0, 0.0), (ROOM.y, ROOM.x)] {
        crowd.wall((x, 0.0), (x, ROOM.y));
        let mut from = 0.0;
        for door in doors.iter().filter(|door| door.center().y == y) {
            crowd.wall((from, y), (door.center().x - 0.5 * DOOR, y));
            from = door.center().x + 0.5 * DOOR;
        }
        crowd.wall((from, y), (ROOM.x, y));
    }
}

fn inside(margin: f32) -> Rect {
    Rect::from_corners(Vec2::ZERO, ROOM).inflate(-margin)
}

/// How far outside of a door people vanish, m.
const OUTSIDE: f32 = 2.0;
/// How near to corners people plan to pass, m: those who aim to touch a jamb give way to it, and the others queue behind them.
const OFF_CORNERS: f32 = RADIUS + 0.05;
/// The longest evacuation, s.
const LIMIT: f32 = 900.0;

/// Runs until everyone has left, or for `limit` s, while `guide` leads them. Returns when and through which door people left.
fn evacuate(
    crowd: &mut Crowd,
    doors: &[Door],
    limit: f32,
    mut guide: impl FnMut(&mut Crowd),
) -> Vec<(f32, usize)> {
    let mut left = Vec::new();
    while crowd.time() < limit && !crowd.seen().is_empty() {
        guide(crowd);
        crowd.tick();
        let time = crowd.time();
        for (at, door) in doors.iter().enumerate() {
            let gone = crowd.leave(|it| {
                nearest(doors, it.position) == at && door.outside(it.position) > OUTSIDE
            });
            left.extend(gone.iter().map(|_| (time, at)));
        }
    }
    left
}

/// The number of the nearest door.
fn nearest(doors: &[Door], from: Vec2) -> usize {
    let distance = |&at: &usize| doors[at].center().distance_squared(from);
    let order = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b));
    (0..doors.len()).min_by(order).unwrap_or_default()
}

/// What each person per m² adds to the cost of a meter: about as much as people slow each other down at up to 2 per m²
/// (Weidmann 1992).
const CROWD_COST: f32 = 0.5;

/// A field that leads people in an area around the crowd to all points on a line.
fn quickest_way(area: Rect, (from, to): (Vec2, Vec2)) -> GoalField {
    const GOALS: u8 = 32;
    let field = GoalField::new(area)
        .with_radius(OFF_CORNERS)
        .with_crowd_cost(CROWD_COST);
    let shares = (0..=GOALS).map(|goal| f32::from(goal) / f32::from(GOALS));
    shares.fold(field, |field, share| field.with_goal(from.lerp(to, share)))
}

/// The time when so many have left, s; the limit if they have not.
fn time_of(left: &[(f32, usize)], people: usize, limit: f32) -> f32 {
    left.get(people - 1).map_or(limit, |it| it.0)
}

fn rimea_9(effort: Effort) -> Outcome {
    let (people, limit) = effort.pick((1_000, LIMIT), (20, 3.0));
    let doors = [
        Door::new((7.5, 0.0), DOOR, Vec2::NEG_Y),
        Door::new((22.5, 0.0), DOOR, Vec2::NEG_Y),
        Door::new((7.5, ROOM.y), DOOR, Vec2::Y),
        Door::new((22.5, ROOM.y), DOOR, Vec2::Y),
    ];
    let evacuation = |doors: &[Door]| {
        let mut crowd = Crowd::new();
        room(&mut crowd, doors);
        fill(&mut crowd, inside(0.5), people, Vec2::X, 0);
        let chosen: Vec<&Door> = crowd
            .seen()
            .iter()
            .map(|it| &doors[nearest(doors, it.position)])
            .collect();
        let left = evacuate(&mut crowd, doors, limit, |crowd| {
            crowd.guide(|person, from| chosen[person].way(from));
        });
        (left.len(), time_of(&left, people, limit))
    };
    let ((out, four), (out_of_two, two)) = (evacuation(&doors), evacuation(&doors[..2]));
    let cause = "people at the doors keep each other from going.";
    Outcome {
        rows: vec![
            Row::new("people who left", (out + out_of_two) as f32, "")
                .source("2,000")
                .bound(Bound::exactly(2_000.0))
                .cause(cause),
            Row::new("time, four doors", four, "s"),
            Row::new("time, two doors", two, "s"),
            Row::new("flow per door, four doors", out as f32 / (4.0 * four), "/s"),
            Row::new(
                "flow per door, two doors",
                out_of_two as f32 / (2.0 * two),
                "/s",
            ),
            Row::new("ratio of the times", two / four, "")
                .source("2")
                .bound(Bound::between(1.6, 2.4))
                .cause(cause),
        ],
        plots: vec![],
    }
}

fn rimea_11(effort: Effort) -> Outcome {
    let (people, limit) = effort.pick((1_000, LIMIT), (20, 3.0));
    let doors = [
        Door::new((5.0, 0.0), DOOR, Vec2::NEG_Y),
        Door::new((25.0, 0.0), DOOR, Vec2::NEG_Y),
    ];
    let half = Rect::new(0.4, 0.4, 0.5 * ROOM.x, ROOM.y - 0.4);
    let outside = |x| Vec2::new(x, -2.0 * OUTSIDE);
    let floor = Rect::from_corners(outside(0.0), ROOM);
    let mut out = 0;
    let shares: Vec<f32> = (0..effort.pick(3, 1))
        .map(|start| {
            let mut crowd = Crowd::new();
            room(&mut crowd, &doors);
            fill(&mut crowd, half, people, Vec2::X, start);
            crowd.follow_field(
                quickest_way(floor, (outside(0.0), outside(ROOM.x))).with_spacing(0.25),
            );
            let left = evacuate(&mut crowd, &doors, limit, |_| {});
            out += left.len();
            left.iter().filter(|it| it.1 == 0).count() as f32 / left.len().max(1) as f32
        })
        .collect();
    Outcome {
        rows: vec![
            Row::new(
                "share through the near door",
                mean(shares.iter().copied()),
                "",
            )
            .error(standard_error(&shares))
            .source("most, not all")
            .bound(Bound::between(0.55, 0.95)),
            Row::new("people who left", out as f32, "")
                .source("3,000")
                .bound(Bound::exactly(3_000.0))
                .cause("people at the doors keep each other from going."),
        ],
        plots: vec![],
    }
}

/// The rooms of RiMEA 12 along x, m. A passage joins them.
const FIRST_ROOM: Range<f32> = 0.0..10.0;
const SECOND_ROOM: Range<f32> = 15.0..25.0;

/// Spawns the walls of both rooms and of the passage, with the openings at half height.
fn two_rooms(crowd: &mut Crowd) {
    for side in [-1.0, 1.0] {
        crowd.walls([
            (FIRST_ROOM.start, 0.0),
            (FIRST_ROOM.start, side * 5.0),
            (FIRST_ROOM.end, side * 5.0),
            (FIRST_ROOM.end, side * 0.5),
            (SECOND_ROOM.start, side * 0.5),
            (SECOND_ROOM.start, side * 5.0),
            (SECOND_ROOM.end, side * 5.0),
            (SECOND_ROOM.end, side * 0.5),
        ]);
    }
}

/// How many people in a room are slower than 0.4 m/s.
fn held_up(seen: &[Seen], room: Range<f32>) -> usize {
    let inside = |it: &&Seen| room.contains(&it.position.x);
    let slow = |it: &&Seen| it.velocity.length() < 0.4;
    seen.iter().filter(inside).filter(slow).count()
}

/// Runs until everyone has passed both rooms, or for `limit` s. Returns how many people left, and for each room
/// how many are held up at which time, from 2 s on.
fn pass_two_rooms(crowd: &mut Crowd, people: usize, limit: f32) -> (usize, [Vec<(f32, f32)>; 2]) {
    let passage = Door::new((FIRST_ROOM.end, 0.0), 1.0, Vec2::X);
    let exit = Door::new((SECOND_ROOM.end, 0.0), 1.0, Vec2::X);
    let mut left = 0;
    let mut queues = [Vec::new(), Vec::new()];
    while crowd.time() < limit && left < people {
        crowd.guide(|_, from| {
            if from.x < 14.9 {
                passage.way(from)
            } else {
                exit.way(from)
            }
        });
        crowd.tick();
        left += crowd.leave(|it| exit.outside(it.position) > 0.5).len();
        if crowd.time() > 2.0 {
            let seen = crowd.seen();
            for (queue, room) in queues.iter_mut().zip([FIRST_ROOM, SECOND_ROOM]) {
                queue.push((crowd.time(), held_up(&seen, room) as f32));
            }
        }
    }
    (left, queues)
}

fn plot_of_queues([first, second]: [Vec<(f32, f32)>; 2]) -> Plot {
    Plot {
        file: "rimea-12".into(),
        title: "People held up, by room".into(),
        x: "time, s",
        y: "people",
        series: vec![
            Series::line("first room", first),
            Series::line("second room", second),
        ],
    }
}

fn rimea_12(effort: Effort) -> Outcome {
    let (people, limit) = effort.pick((150, 400.0), (10, 3.0));
    let mut crowd = Crowd::new();
    two_rooms(&mut crowd);
    let floor = Rect::new(RADIUS, RADIUS - 5.0, 7.0, 5.0 - RADIUS);
    fill(&mut crowd, floor, people, Vec2::X, 0);
    let (left, queues) = pass_two_rooms(&mut crowd, people, limit);
    let [most_first, most_second] = queues
        .each_ref()
        .map(|queue| queue.iter().map(|it| it.1).fold(0.0, f32::max));
    Outcome {
        rows: vec![
            Row::new("most people held up in the first room", most_first, "")
                .source("a queue")
                .bound(Bound::at_least(20.0)),
            Row::new("most people held up in the second room", most_second, "")
                .source("no queue")
                .bound(Bound::at_most(5.0)),
            Row::new("people who left", left as f32, "")
                .source("150")
                .bound(Bound::exactly(150.0))
                .cause("people at the passage keep each other from going."),
        ],
        plots: vec![plot_of_queues(queues)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_door_changes_halfway_between_two() {
        let doors = [5.0, 25.0].map(|x| Door::new((x, 0.0), DOOR, Vec2::NEG_Y));
        assert_eq!(nearest(&doors, Vec2::new(14.0, 3.0)), 0);
        assert_eq!(nearest(&doors, Vec2::new(16.0, 3.0)), 1);
    }
}
