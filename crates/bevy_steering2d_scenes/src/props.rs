//! Rocks and walls. Agents perceive them but do not collide with them: only steering keeps agents
//! out.

use std::ops::Range;

use bevy::prelude::*;
use bevy_steering2d::Circle;
use bevy_steering2d::perception::nearest_on_segment;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::in_scene::InScene;
use crate::look::{Look, Shape};
use crate::palette;
use crate::placement::draw_clear;

/// A round rock; it may be an [`Obstacle`] or a collider.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rock {
    /// m
    pub(crate) radius: f32,
}

/// A rock that agents perceive as an [`Obstacle`].
pub(crate) fn rock(at: Circle) -> impl Bundle {
    (
        (Name::new("rock"), InScene::default()),
        Transform::from_translation(at.center.extend(0.0)),
        Rock { radius: at.radius },
        Obstacle { radius: at.radius },
        Look {
            shape: Shape::disc(at.radius),
            color: palette::ROCK,
            layer: 0.0,
        },
    )
}

/// A wall that feelers detect.
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

/// A line of this width, with square ends.
fn bar(Wall { from, to }: Wall, width: f32) -> Shape {
    let along = 0.5 * width * (to - from).normalize_or_zero();
    let across = along.perp();
    let corners = [
        from - along - across,
        to + along - across,
        to + along + across,
        from - along + across,
    ];
    Shape::Area(corners.into())
}

/// Up to `count` discs of random size in the arena, at least `gap` m from each other and
/// `clearance` m from the fence; fewer if the space runs out.
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
        if clearance_to(center, &discs) >= radius + gap {
            discs.push(Circle::new(center, radius));
        }
    }
    discs
}

/// A random point at least `clearance` m from the fence, and as far from the discs if one is
/// found.
pub(crate) fn spot_between(
    arena: &Arena,
    clearance: f32,
    discs: &[Circle],
    random: &mut RandomStream,
) -> Vec2 {
    const DRAWS: usize = 1_000;
    draw_clear(
        DRAWS,
        clearance,
        || arena.spot(clearance, random),
        |spot| clearance_to(spot, discs),
    )
}

/// The outlines of rocks.
pub(crate) fn circles<'a>(
    rocks: impl IntoIterator<Item = (&'a Transform, &'a Rock)>,
) -> Vec<Circle> {
    let circle =
        |(at, rock): (&Transform, &Rock)| Circle::new(at.translation.truncate(), rock.radius);
    rocks.into_iter().map(circle).collect()
}

/// Distance from a point to the nearest disc, m; negative inside.
pub(crate) fn clearance_to(point: Vec2, discs: &[Circle]) -> f32 {
    discs
        .iter()
        .map(|disc| point.distance(disc.center) - disc.radius)
        .fold(f32::INFINITY, f32::min)
}

/// Distance from a point to the nearest wall, m.
pub(crate) fn distance_to_walls<'a>(point: Vec2, walls: impl IntoIterator<Item = &'a Wall>) -> f32 {
    let distances = walls
        .into_iter()
        .map(|wall| point.distance(nearest_on_segment(point, wall.from, wall.to)));
    distances.fold(f32::INFINITY, f32::min)
}

/// Whether a step passes through a wall or ends on it.
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
            assert!(clearance_to(disc.center, &discs[..i]) >= disc.radius + 0.1);
        }
        let spot = spot_between(&arena, 0.5, &discs, &mut random);
        assert!(clearance_to(spot, &discs) >= 0.5);
    }

    #[test]
    fn only_steps_through_a_wall_cross_it() {
        let wall = Wall::new(Vec2::ZERO, Vec2::new(4.0, 0.0));
        assert!(crosses(Vec2::new(1.0, 1.0), Vec2::new(1.0, -1.0), &wall));
        assert!(!crosses(Vec2::new(5.0, 1.0), Vec2::new(5.0, -1.0), &wall));
        assert!(!crosses(Vec2::new(1.0, 1.0), Vec2::new(3.0, 1.0), &wall));
        assert_eq!(distance_to_walls(Vec2::new(7.0, 4.0), [&wall]), 5.0);
    }
}
