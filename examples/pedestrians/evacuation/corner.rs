//! RiMEA 15: a large crowd around a corner.

use std::f32::consts::{FRAC_PI_2, PI};

use bevy::math::ops;
use bevy::prelude::*;

use super::{fill, quickest_way};
use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, ON_AND_ON, Seen};
use crate::door::Door;

pub const RIMEA_15: Check = Check {
    name: "rimea-15",
    title: "RiMEA 15: a crowd around a corner",
    about: "500 people start from 20 m × 6 m and walk 75.4 m straight on, 44 m straight on, or around a corner, in corridors 20 m wide. \
            The outer wall is a quarter of a circle around the inner corner, 34 m ahead, and the end is 10 m behind that: the way \
            along the inner wall has 44 m, along the outer one 75.4 m. The time around the corner must be between the others. \
            Lanes keep their distance from the inner wall; the quickest ways are those of a `GoalField`, as in RiMEA 11. Most people of a large group do not follow the shortest way around a corner, and \
            models in which they do jam there (Kretz 2009, *Pedestrian traffic: on the quickest path*): that figure is without a bound.",
    run: rimea_15,
};

/// Width of the corridors of RiMEA 15, m.
const WIDE: f32 = 20.0;

/// Time until everyone has walked so far straight on, s.
fn straight(length: f32, people: usize, limit: f32) -> f32 {
    let mut crowd = Crowd::new();
    for y in [0.0, WIDE] {
        crowd.wall((-20.0, y), (length + 20.0, y));
    }
    fill(&mut crowd, start_area(), people, Vec2::X, 0);
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
    /// Each on the way that is the quickest with the crowd as it is.
    Quickest,
    /// Each by the shortest way, along the inner corner.
    Shortest,
}

/// The inner corner, where corridors along x and along y meet, m.
const CORNER: Vec2 = Vec2::new(34.0, WIDE);
/// Length of the corridor behind the corner, m.
const BEHIND: f32 = 10.0;

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
    fill(&mut crowd, start_area(), people, Vec2::X, 0);
    let radii: Vec<f32> = crowd.seen().iter().map(|it| WIDE - it.position.y).collect();
    let behind = Door::new(CORNER + 0.5 * WIDE * Vec2::X, WIDE, Vec2::Y);
    if around == Around::Quickest {
        let [inner, outer] = [0.0, WIDE].map(|aside| CORNER + Vec2::new(aside, 1.5 * BEHIND));
        let area = Rect::from_corners(start_area().min, outer);
        crowd.follow_field(quickest_way(area, (inner, outer)));
    }
    let guide = |crowd: &mut Crowd| match around {
        Around::InLane => crowd.guide(|person, from| lane(radii[person], from)),
        Around::Shortest => crowd.guide(|_, from| behind.way(from)),
        Around::Quickest => {}
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
            .bound(between),
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
}
