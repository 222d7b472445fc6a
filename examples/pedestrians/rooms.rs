//! RiMEA tests with few people: 1, 5, 6, 7 and 10.

use bevy::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Person, RADIUS, Seen, TICK, places, random};
use crate::door::Door;

pub const CHECKS: [Check; 5] = [
    Check {
        name: "rimea-1",
        title: "RiMEA 1: speed in a corridor",
        about: "one person of 1.33 m/s in a corridor 2 m wide and 40 m long, from rest.",
        run: rimea_1,
    },
    Check {
        name: "rimea-5",
        title: "RiMEA 5: reaction times",
        about: "ten people in a room of 8 m × 5 m with a door of 1 m start to walk after 10, 20, … 100 s, \
                all at 1.34 m/s.",
        run: rimea_5,
    },
    Check {
        name: "rimea-6",
        title: "RiMEA 6: around a corner",
        about: "20 people, all of 1.34 m/s, walk around the left corner of a corridor 2 m wide.",
        run: rimea_6,
    },
    Check {
        name: "rimea-7",
        title: "RiMEA 7: speeds by age",
        about: "50 people, each on a way of its own; the ranges of Weidmann (1992) are 0.58–1.61 m/s under 30 years, 1.41–1.54 up to \
                50, 0.68–1.41 over 50, and 0.46–0.76 with limited mobility.",
        run: rimea_7,
    },
    Check {
        name: "rimea-10",
        title: "RiMEA 10: assigned exits",
        about: "23 people, all of 1.34 m/s, in twelve cabins along a corridor; those of the cabins 1–4 and 7–10 are assigned the main \
                exit, the others the second one.",
        run: rimea_10,
    },
];

fn rimea_1(_: Effort) -> Outcome {
    let mut crowd = Crowd::new();
    for y in [0.0, 2.0] {
        crowd.wall((-5.0, y), (60.0, y));
    }
    crowd.add(Person::new(Vec2::Y, Vec2::X).with_pace(1.33));
    while crowd.seen()[0].position.x < 40.0 && crowd.time() < 60.0 {
        crowd.tick();
    }
    Outcome {
        rows: vec![
            Row::new("time for 40 m", crowd.time(), "s")
                .source("26–34")
                .bound(Bound::between(26.0, 34.0)),
        ],
        plots: vec![],
    }
}

fn rimea_5(effort: Effort) -> Outcome {
    let scale = effort.pick(10.0, 0.2);
    let mut crowd = Crowd::new();
    let door = Door::new((8.0, 2.5), 1.0, Vec2::X);
    crowd.walls([
        (8.0, 2.0),
        (8.0, 0.0),
        (0.0, 0.0),
        (0.0, 5.0),
        (8.0, 5.0),
        (8.0, 3.0),
    ]);
    let room = Rect::new(0.5, 0.5, 7.0, 4.5);
    let reactions: Vec<f32> = (1..=10_u8).map(|nth| scale * f32::from(nth)).collect();
    for (start, &reaction) in places(room, 10, &mut random(5)).into_iter().zip(&reactions) {
        crowd.add(Person {
            reaction,
            ..Person::new(start, Vec2::X)
        });
    }
    let mut started = [None; 10];
    crowd.run(scale * 10.0 + 1.0, |crowd| {
        crowd.guide(|_, from| door.way(from));
        let before = crowd.time() - TICK;
        for seen in crowd.seen() {
            if seen.velocity != Vec2::ZERO {
                started[seen.person].get_or_insert(before);
            }
        }
    });
    let late = |(start, reaction): (&Option<f32>, &f32)| {
        start.map_or(f32::INFINITY, |start| (start - reaction).abs())
    };
    let latest = started.iter().zip(&reactions).map(late).fold(0.0, f32::max);
    Outcome {
        rows: vec![
            Row::new("largest difference to the reaction time", latest, "s")
                .source("0")
                .bound(Bound::at_most(TICK))
                .cause("those who wait give way to others who pass."),
        ],
        plots: vec![],
    }
}

fn rimea_6(effort: Effort) -> Outcome {
    let mut crowd = Crowd::new();
    // From the left to x = 12, then up.
    crowd.walls([(0.0, 0.0), (12.0, 0.0), (12.0, 40.0)]);
    crowd.walls([(0.0, 2.0), (10.0, 2.0), (10.0, 40.0)]);
    let floor = Rect::new(0.3, RADIUS, 6.0, 2.0 - RADIUS);
    for start in places(floor, 20, &mut random(6)) {
        crowd.add(Person::new(start, Vec2::X));
    }
    let corner = Door::new((11.0, 2.0), 2.0, Vec2::Y);
    let (mut outside, mut home) = (0, 0);
    crowd.run(effort.pick(60.0, 2.0), |crowd| {
        crowd.guide(|_, from| corner.way(from));
        outside += crowd.leave(|it| !is_in_corridor(it)).len();
        home += crowd.leave(|it| it.position.y > 12.0).len();
    });
    Outcome {
        rows: vec![
            Row::new("people through the wall", outside as f32, "")
                .source("0")
                .bound(Bound::exactly(0.0)),
            Row::new("people around the corner", home as f32, "")
                .source("20")
                .bound(Bound::exactly(20.0)),
        ],
        plots: vec![],
    }
}

fn is_in_corridor(seen: &Seen) -> bool {
    let Vec2 { x, y } = seen.position;
    let across = (0.0..2.0).contains(&y) && x < 12.0;
    let up = (10.0..12.0).contains(&x) && y >= 0.0;
    across || up
}

/// Slowest and fastest walking speed of an age, m/s (Weidmann 1992).
const AGES: [(&str, f32, f32); 4] = [
    ("under 30", 0.58, 1.61),
    ("30 to 50", 1.41, 1.54),
    ("over 50", 0.68, 1.41),
    ("limited mobility", 0.46, 0.76),
];

fn rimea_7(effort: Effort) -> Outcome {
    let mut crowd = Crowd::new();
    let mut random = random(7);
    let mut groups = Vec::new();
    for person in 0..50 {
        let group = (4.0 * random.unit()) as usize;
        let (_, slowest, fastest) = AGES[group];
        let pace = slowest + (fastest - slowest) * random.unit();
        groups.push(group);
        let start = Vec2::new(0.0, 20.0 * person as f32);
        crowd.add(Person::new(start, Vec2::X).with_pace(pace));
    }
    crowd.run(effort.pick(10.0, 3.0), |_| {});
    let seen = crowd.seen();
    let rows = AGES
        .iter()
        .enumerate()
        .map(|(group, (name, slowest, fastest))| {
            let theirs = seen.iter().filter(|it| groups[it.person] == group);
            let range = slowest - 0.005..=fastest + 0.005;
            let outside = theirs
                .filter(|it| !range.contains(&it.velocity.length()))
                .count();
            Row::new(
                format!("{name}: people beyond {slowest}–{fastest} m/s"),
                outside as f32,
                "",
            )
            .source("0")
            .bound(Bound::exactly(0.0))
        });
    Outcome {
        rows: rows.collect(),
        plots: vec![],
    }
}

/// Half the width of the corridor between the cabins, m.
const AISLE: f32 = 0.9;
/// Width of a cabin along the corridor, m.
const CABIN: f32 = 2.4;

/// The center of a cabin's door on the corridor, and the way out of the cabin. Six cabins are on each
/// side.
fn cabin_door(cabin: usize) -> (Vec2, Vec2) {
    let x = CABIN * ((cabin % 6) as f32 + 0.5);
    let out = if cabin < 6 { Vec2::NEG_Y } else { Vec2::Y };
    (Vec2::new(x, 0.0) - AISLE * out, out)
}

fn rimea_10(effort: Effort) -> Outcome {
    const HALF_DOOR: f32 = 0.45;
    let mut crowd = Crowd::new();
    for cabin in 0..12 {
        let (door, out) = cabin_door(cabin);
        let (back, half) = (door.y - 3.0 * out.y, 0.5 * CABIN);
        for side in [-1.0, 1.0] {
            crowd.wall(
                (door.x + side * HALF_DOOR, door.y),
                (door.x + side * half, door.y),
            );
            crowd.wall((door.x + side * half, door.y), (door.x + side * half, back));
        }
        crowd.wall((door.x - half, back), (door.x + half, back));
    }
    let main = |cabin: usize| (cabin % 6) < 4;
    let mut cabins = Vec::new();
    for person in 0..23 {
        let cabin = person % 12;
        let (door, out) = cabin_door(cabin);
        let aside = if person < 12 { -0.4 } else { 0.4 };
        crowd.add(Person::new(door - 1.5 * out + aside * Vec2::X, out));
        cabins.push(cabin);
    }
    let length = 6.0 * CABIN;
    let (mut right, mut wrong) = (0, 0);
    crowd.run(effort.pick(60.0, 1.0), |crowd| {
        crowd.guide(|person, from| {
            let (door, out) = cabin_door(cabins[person]);
            let end = if main(cabins[person]) {
                -30.0
            } else {
                length + 30.0
            };
            let exit = Vec2::new(end, from.y.clamp(-0.5, 0.5));
            if from.y.abs() < AISLE {
                vec![exit]
            } else {
                vec![door, door + 0.5 * out, exit]
            }
        });
        for gone in crowd.leave(|it| !(0.0..length).contains(&it.position.x)) {
            // The main exit is on the left.
            let by_main = gone.position.x < 0.0;
            if by_main == main(cabins[gone.person]) {
                right += 1;
            } else {
                wrong += 1;
            }
        }
    });
    Outcome {
        rows: vec![
            Row::new("people at the exit of others", wrong as f32, "")
                .source("0")
                .bound(Bound::exactly(0.0)),
            Row::new("people at their exit", right as f32, "")
                .source("23")
                .bound(Bound::exactly(23.0)),
        ],
        plots: vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cabins_are_on_both_sides_of_the_corridor() {
        let (first, out) = cabin_door(0);
        assert!(first.abs_diff_eq(Vec2::new(1.2, 0.9), 1e-5) && out == Vec2::NEG_Y);
        let (last, out) = cabin_door(11);
        assert!(last.abs_diff_eq(Vec2::new(13.2, -0.9), 1e-5) && out == Vec2::Y);
    }

    #[test]
    fn the_corridor_bends_to_the_left() {
        let at = |x, y| {
            is_in_corridor(&Seen {
                person: 0,
                position: Vec2::new(x, y),
                velocity: Vec2::ZERO,
            })
        };
        assert!(at(5.0, 1.0) && at(11.0, 1.0) && at(11.0, 9.0));
        assert!(!at(5.0, 2.5) && !at(12.5, 1.0) && !at(9.5, 5.0));
    }
}
