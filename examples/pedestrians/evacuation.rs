//! RiMEA tests with large crowds: 9, 11, 12 and 15.

use std::f32::consts::{FRAC_PI_2, PI};
use std::ops::Range;

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, ON_AND_ON, PACE, Person, RADIUS, Seen, places, random};
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
                take the near door, and some the far one: here between 0.55 and 0.95, of three starts. The choice is the game's: here a person takes the door with the shorter \
                expected time, of its way and, at 1.9 /s, of the people nearer to that door, with 10 s in favor of the one it has \
                chosen.",
        run: rimea_11,
    },
    Check {
        name: "rimea-12",
        title: "RiMEA 12: a bottleneck between rooms",
        about: "150 people walk from a room of 10 m × 10 m through a passage 1 m wide and 5 m long into another, and leave it through a \
                door of 1 m. Only the first room may be congested. A person is held up below 0.4 m/s.",
        run: rimea_12,
    },
    Check {
        name: "rimea-15",
        title: "RiMEA 15: a crowd around a corner",
        about: "500 people start from 20 m × 6 m and walk 75.4 m straight on, 44 m straight on, or around a corner, in corridors 20 m wide. \
                The outer wall is a quarter of a circle around the inner corner, 34 m ahead, and the end is 10 m behind that: the way \
                along the inner wall has 44 m, along the outer one 75.4 m. The time around the corner must be between the others. \
                Lanes keep their distance from the inner wall; for quickest ways the line behind the corner is split into eight \
                doors, chosen as in RiMEA 11. Most people of a large group do not follow the shortest way around a corner, and \
                models in which they do jam there (Kretz 2009, *Pedestrian traffic: on the quickest path*): that figure is without a bound.",
        run: rimea_15,
    },
];

/// Adds people with desired speeds of 1.34 ± 0.26 m/s (Weidmann 1992).
fn fill(crowd: &mut Crowd, area: Rect, people: usize, ahead: Vec2) {
    fill_anew(crowd, area, people, ahead, 0);
}

/// The same at other places and with other speeds for each start.
fn fill_anew(crowd: &mut Crowd, area: Rect, people: usize, ahead: Vec2, start: u64) {
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

/// The number of the nearest door.
fn nearest(doors: &[Door], from: Vec2) -> usize {
    let distance = |&at: &usize| doors[at].center().distance_squared(from);
    let order = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b));
    (0..doors.len()).min_by(order).unwrap_or_default()
}

/// Ticks between two choices of a door.
const CHOICE: u32 = 40;
/// How far outside of a door people vanish, m.
const OUTSIDE: f32 = 2.0;
/// The longest evacuation, s.
const LIMIT: f32 = 900.0;

/// Runs until everyone has left by a door of their choice, which may change, or for `limit` s. Returns
/// when and through which door people left.
fn evacuate(
    crowd: &mut Crowd,
    doors: &[Door],
    limit: f32,
    mut choose: impl FnMut(&[Seen], &mut Vec<usize>),
) -> Vec<(f32, usize)> {
    let mut left = Vec::new();
    let mut chosen = Vec::new();
    let mut ticks = 0_u32;
    while crowd.time() < limit {
        let seen = crowd.seen();
        if seen.is_empty() {
            break;
        }
        if ticks.is_multiple_of(CHOICE) {
            choose(&seen, &mut chosen);
        }
        ticks += 1;
        crowd.guide(|person, from| doors[chosen[person]].way(from));
        crowd.tick();
        let time = crowd.time();
        for (at, door) in doors.iter().enumerate() {
            let gone =
                crowd.leave(|it| chosen[it.person] == at && door.outside(it.position) > OUTSIDE);
            left.extend(gone.iter().map(|_| (time, at)));
        }
    }
    left
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
        fill(&mut crowd, inside(0.5), people, Vec2::X);
        let left = evacuate(&mut crowd, doors, limit, |seen, chosen| {
            if chosen.is_empty() {
                chosen.extend(seen.iter().map(|it| nearest(doors, it.position)));
            }
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

/// Lets each person take the door with the shorter expected time. Of a door's people those nearer to it
/// come first.
fn choose_quickest(doors: &[Door], seen: &[Seen], chosen: &mut Vec<usize>) {
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

fn rimea_11(effort: Effort) -> Outcome {
    let (people, limit) = effort.pick((1_000, LIMIT), (20, 3.0));
    let doors = [
        Door::new((5.0, 0.0), DOOR, Vec2::NEG_Y),
        Door::new((25.0, 0.0), DOOR, Vec2::NEG_Y),
    ];
    let half = Rect::new(0.4, 0.4, 0.5 * ROOM.x, ROOM.y - 0.4);
    let mut out = 0;
    let shares: Vec<f32> = (0..effort.pick(3, 1))
        .map(|start| {
            let mut crowd = Crowd::new();
            room(&mut crowd, &doors);
            fill_anew(&mut crowd, half, people, Vec2::X, start);
            let left = evacuate(&mut crowd, &doors, limit, |seen, chosen| {
                choose_quickest(&doors, seen, chosen);
            });
            out += left.len();
            left.iter().filter(|it| it.1 == 0).count() as f32 / left.len().max(1) as f32
        })
        .collect();
    Outcome {
        rows: vec![
            Row::new("share through the near door", mean(shares.iter().copied()), "")
                .error(standard_error(&shares))
                .source("most, not all")
                .bound(Bound::between(0.55, 0.95))
                .cause(
                    "so many people wait at either door that the ways hardly count: those at the end of the longer queue change until \
                     both last as long, and each door lets half of the people out.",
                ),
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
    fill(&mut crowd, floor, people, Vec2::X);
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

/// Width of the corridors of RiMEA 15, m.
const WIDE: f32 = 20.0;

/// Time until everyone has walked so far straight on, s.
fn straight(length: f32, people: usize, limit: f32) -> f32 {
    let mut crowd = Crowd::new();
    for y in [0.0, WIDE] {
        crowd.wall((-20.0, y), (length + 20.0, y));
    }
    fill(&mut crowd, start_area(), people, Vec2::X);
    last_time(
        &mut crowd,
        people,
        limit,
        |_| {},
        |it| it.position.x > length,
    )
}

/// How people walk around a corner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Each as far from the inner corner as at the start.
    InLane,
    /// Each to the part of the corridor behind the corner that it reaches first.
    Quickest,
    /// Each by the shortest way, along the inner corner.
    Shortest,
}

/// The inner corner, where corridors along x and along y meet, m.
const CORNER: Vec2 = Vec2::new(34.0, WIDE);
/// Length of the corridor behind the corner, m.
const BEHIND: f32 = 10.0;
/// Into how many doors the line behind the corner is split.
const PARTS: u8 = 8;

/// Spawns the walls of a corridor that turns to the left: the inner ones meet at a right angle, the outer one is
/// a quarter of a circle.
fn corner_walls(crowd: &mut Crowd) {
    const STEPS: u8 = 18;
    crowd.walls([(-20.0, CORNER.y), (CORNER.x, CORNER.y), (CORNER.x, 80.0)]);
    let along = |step: u8| CORNER + WIDE * on_arc(f32::from(step) / f32::from(STEPS));
    crowd.wall((-20.0, 0.0), along(0));
    for step in 0..STEPS {
        crowd.wall(along(step), along(step + 1));
    }
    crowd.wall(along(STEPS), (CORNER.x + WIDE, 80.0));
}

/// Unit vector from the inner corner to a share of the arc around it.
fn on_arc(share: f32) -> Vec2 {
    Vec2::from_angle((share - 1.0) * FRAC_PI_2)
}

/// The doors side by side on the line behind the corner.
fn parts_of_the_corridor() -> Vec<Door> {
    let width = WIDE / f32::from(PARTS);
    let center = |part: u8| CORNER + (f32::from(part) + 0.5) * width * Vec2::X;
    let part = |part| Door::new(center(part), width, Vec2::Y);
    (0..PARTS).map(part).collect()
}

/// The rest of a lane so far from the inner corner: straight on, along the arc, and straight on.
fn lane(radius: f32, from: Vec2) -> Vec<Vec2> {
    const STEPS: u8 = 12;
    let offset = from - CORNER;
    if offset.y > -0.1 {
        return vec![from + ON_AND_ON * Vec2::Y];
    }
    // Ahead of the corner nothing of the arc is done.
    let done = if offset.x < 0.0 {
        -1.0
    } else {
        1.0 + ops::atan2(offset.y, offset.x) / FRAC_PI_2
    };
    let shares = (0..=STEPS).map(|step| f32::from(step) / f32::from(STEPS));
    let ahead = shares.filter(|share| *share > done + 0.5 / f32::from(STEPS));
    let mut points: Vec<Vec2> = ahead.map(|share| CORNER + radius * on_arc(share)).collect();
    let end = points.last().copied().unwrap_or(from);
    points.push(end + ON_AND_ON * Vec2::Y);
    points
}

/// Time until everyone has walked around a corner to the left, s.
fn around_a_corner(around: Around, people: usize, limit: f32) -> f32 {
    let mut crowd = Crowd::new();
    corner_walls(&mut crowd);
    fill(&mut crowd, start_area(), people, Vec2::X);
    let radii: Vec<f32> = crowd.seen().iter().map(|it| WIDE - it.position.y).collect();
    let doors = match around {
        Around::Quickest => parts_of_the_corridor(),
        _ => vec![Door::new(CORNER + 0.5 * WIDE * Vec2::X, WIDE, Vec2::Y)],
    };
    let mut chosen = vec![0; people];
    let mut ticks = 0_u32;
    let guide = |crowd: &mut Crowd| {
        if around == Around::Quickest && ticks.is_multiple_of(CHOICE) {
            let mut seen = crowd.seen();
            seen.retain(|it| it.position.y < CORNER.y);
            choose_quickest(&doors, &seen, &mut chosen);
        }
        ticks += 1;
        crowd.guide(|person, from| match around {
            Around::InLane => lane(radii[person], from),
            _ => doors[chosen[person]].way(from),
        });
    };
    last_time(&mut crowd, people, limit, guide, |it| {
        it.position.y > CORNER.y + BEHIND
    })
}

fn start_area() -> Rect {
    Rect::new(-6.0, 0.3, 0.0, WIDE - 0.3)
}

fn last_time(
    crowd: &mut Crowd,
    people: usize,
    limit: f32,
    mut guide: impl FnMut(&mut Crowd),
    there: impl Fn(&Seen) -> bool,
) -> f32 {
    let mut left = 0;
    while left < people && crowd.time() < limit {
        guide(crowd);
        crowd.tick();
        left += crowd.leave(&there).len();
    }
    crowd.time()
}

fn rimea_15(effort: Effort) -> Outcome {
    let (people, limit) = effort.pick((500, 300.0), (10, 2.0));
    // Along the outer wall and along the inner one.
    let inner = CORNER.x + BEHIND;
    let (long, short) = (
        straight(inner + 0.5 * PI * WIDE, people, limit),
        straight(inner, people, limit),
    );
    let corner = |around| around_a_corner(around, people, limit);
    let between = Bound::between(short, long);
    let cause = "half of the doors stay empty: an expected time knows the queue for its door, but not that the ways to all doors meet near \
                 the inner corner, where people give way to each other.";
    Outcome {
        rows: vec![
            Row::new("time, 44 m", short, "s"),
            Row::new("time, 75.4 m", long, "s"),
            Row::new(
                "time around the corner, in lanes",
                corner(Around::InLane),
                "s",
            )
            .source("between")
            .bound(between),
            Row::new(
                "time around the corner, quickest ways",
                corner(Around::Quickest),
                "s",
            )
            .source("between")
            .bound(between)
            .cause(cause),
            Row::new(
                "time around the corner, shortest ways",
                corner(Around::Shortest),
                "s",
            )
            .source("longer"),
        ],
        plots: vec![],
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
    fn lanes_are_as_long_as_their_arc() {
        let length = |radius: f32| {
            let start = Vec2::new(0.0, WIDE - radius);
            let points: Vec<Vec2> = std::iter::once(start).chain(lane(radius, start)).collect();
            let whole: f32 = points.windows(2).map(|it| it[0].distance(it[1])).sum();
            whole - ON_AND_ON + BEHIND
        };
        assert!((length(20.0) - 75.4).abs() < 0.1, "{}", length(20.0));
        assert!((length(1.0) - 44.0 - FRAC_PI_2).abs() < 0.1);
    }

    #[test]
    fn the_doors_behind_the_corner_have_no_gaps() {
        let doors = parts_of_the_corridor();
        for pair in doors.windows(2) {
            let near = |a: Vec2, b: Vec2| a.abs_diff_eq(b, 1e-4);
            assert!(near(pair[0].to, pair[1].from) || near(pair[0].from, pair[1].to));
        }
    }

    #[test]
    fn a_door_and_its_room_face_the_same_way() {
        assert!(DOORS[0].outside(Vec2::new(5.0, 3.0)) < 0.0);
        assert_eq!(nearest(&DOORS, Vec2::new(16.0, 3.0)), 1);
    }
}
