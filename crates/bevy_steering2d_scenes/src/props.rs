//! What stands about in the scenes: rocks and walls. None of it is solid; agents see it, and
//! nothing but their steering keeps them out.

use std::ops::Range;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, RandomStream};

use crate::look::{Look, Shape};
use crate::stage::InScene;
use crate::{Arena, palette};

/// A round rock, whether or not it is an [`Obstacle`] at the moment.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rock {
    /// m
    pub(crate) radius: f32,
}

/// A rock that agents see as an [`Obstacle`].
pub(crate) fn rock(at: Circle) -> impl Bundle {
    const CORNERS: u32 = 40;
    let corner = |i| {
        let angle = std::f32::consts::TAU * i as f32 / CORNERS as f32;
        at.radius * Vec2::from_angle(angle)
    };
    (
        (Name::new("rock"), InScene::default()),
        Transform::from_translation(at.center.extend(0.0)),
        Rock { radius: at.radius },
        Obstacle { radius: at.radius },
        Look {
            shape: Shape::Area((0..CORNERS).map(corner).collect()),
            color: palette::ROCK,
            layer: 0.0,
        },
    )
}

/// A wall that agents feel.
pub(crate) fn wall(wall: Wall) -> impl Bundle {
    (
        (Name::new("wall"), InScene::default(), Transform::default()),
        wall,
        Look {
            shape: bar(wall, 0.16),
            color: palette::WALL,
            layer: 0.0,
        },
    )
}

/// A line of some width, with square ends.
fn bar(Wall { from, to }: Wall, width: f32) -> Shape {
    let along = 0.5 * width * (to - from).normalize_or_zero();
    let across = along.perp();
    Shape::Area(vec![
        from - along - across,
        to + along - across,
        to + along + across,
        from - along + across,
    ])
}

/// Up to so many discs of random size on the arena, all `gap` m from each other and `clearance` m
/// from the fence; fewer where there is no more room.
pub(crate) fn scatter(
    arena: &Arena,
    count: usize,
    sizes: Range<f32>,
    gap: f32,
    clearance: f32,
    random: &mut RandomStream,
) -> Vec<Circle> {
    const DRAWS: usize = 20_000;
    let mut discs: Vec<Circle> = Vec::new();
    for _ in 0..DRAWS {
        if discs.len() == count {
            break;
        }
        let radius = sizes.start + (sizes.end - sizes.start) * random.unit();
        let center = arena.spot(clearance + radius, random);
        if room(center, &discs) >= radius + gap {
            discs.push(Circle::new(center, radius));
        }
    }
    discs
}

/// A random point at least `clearance` m from the fence and from all those discs; after many
/// draws the one with the most room will do.
pub(crate) fn free_spot(
    arena: &Arena,
    clearance: f32,
    taken: &[Circle],
    random: &mut RandomStream,
) -> Vec2 {
    const DRAWS: usize = 1_000;
    let mut best = (f32::NEG_INFINITY, Vec2::ZERO);
    for _ in 0..DRAWS {
        let spot = arena.spot(clearance, random);
        let room = room(spot, taken);
        if room >= clearance {
            return spot;
        }
        if room > best.0 {
            best = (room, spot);
        }
    }
    best.1
}

/// From a point to the nearest of the discs, m; negative inside.
pub(crate) fn room(point: Vec2, discs: &[Circle]) -> f32 {
    discs
        .iter()
        .map(|disc| point.distance(disc.center) - disc.radius)
        .fold(f32::INFINITY, f32::min)
}

/// From a point to the nearest of the walls, m.
pub(crate) fn distance_to_walls<'a>(point: Vec2, walls: impl IntoIterator<Item = &'a Wall>) -> f32 {
    let distances = walls.into_iter().map(|wall| {
        let way = wall.to - wall.from;
        let along = (point - wall.from).dot(way) / way.length_squared();
        point.distance(wall.from + along.clamp(0.0, 1.0) * way)
    });
    distances.fold(f32::INFINITY, f32::min)
}

/// Whether a step leads through a wall, or ends on it.
pub(crate) fn crosses(from: Vec2, to: Vec2, wall: &Wall) -> bool {
    let side = |a: Vec2, b: Vec2, p: Vec2| (b - a).perp_dot(p - a);
    let apart = |a: f32, b: f32| a * b <= 0.0 && (a, b) != (0.0, 0.0);
    apart(side(wall.from, wall.to, from), side(wall.from, wall.to, to))
        && apart(side(from, to, wall.from), side(from, to, wall.to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_rocks_keep_their_distance() {
        let arena = Arena::default();
        let mut random = RandomStream::new(3, SteeringId(0), 0);
        let discs = scatter(&arena, 60, 0.4..1.1, 0.1, 1.5, &mut random);
        assert_eq!(discs.len(), 60);
        for (i, disc) in discs.iter().enumerate() {
            assert!(arena.clearance(disc.center) >= disc.radius + 1.5);
            assert!(room(disc.center, &discs[..i]) >= disc.radius + 0.1);
        }
        let spot = free_spot(&arena, 0.5, &discs, &mut random);
        assert!(room(spot, &discs) >= 0.5);
    }

    #[test]
    fn steps_through_a_wall_are_told_from_steps_along_it() {
        let wall = Wall::new(Vec2::ZERO, Vec2::new(4.0, 0.0));
        assert!(crosses(Vec2::new(1.0, 1.0), Vec2::new(1.0, -1.0), &wall));
        assert!(!crosses(Vec2::new(5.0, 1.0), Vec2::new(5.0, -1.0), &wall));
        assert!(!crosses(Vec2::new(1.0, 1.0), Vec2::new(3.0, 1.0), &wall));
        assert_eq!(distance_to_walls(Vec2::new(7.0, 4.0), [&wall]), 5.0);
    }
}
