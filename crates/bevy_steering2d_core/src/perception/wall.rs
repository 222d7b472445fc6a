//! Straight walls and their spatial index.

use std::cmp::Ordering;

use bevy::prelude::*;

use super::geometry::{crossing, nearest_on_segment, normal_towards, order_of};
use super::loose_grid::{Bounded, LooseGrid};
use super::{Circle, WallHit};
use crate::{InvalidParameter, SteeringClock, SteeringWarnings};

/// A straight wall without thickness, in world coordinates, seen from both sides.
///
/// [`WallAvoidance`](crate::WallAvoidance), [`WallFollowing`](crate::WallFollowing) and
/// [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) keep agents away from it, navigation plans around it, and it hides
/// targets from [`TargetInSight`](crate::TargetInSight). It is no collider: agents can pass through it.
///
/// For polygons see [`Wall::outline`]. To move a wall, change its ends.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::Wall;
/// # fn system(mut commands: Commands) {
/// commands.spawn(Wall::new(Vec2::ZERO, Vec2::new(10.0, 0.0)));
/// // A room of 20 m by 12 m.
/// commands.spawn_batch(Wall::room(Rect::new(-10.0, -6.0, 10.0, 6.0)));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Wall {
    /// One end, m. Default the origin.
    pub from: Vec2,
    /// The other end, m, apart from the first. Default 1 m along x. A wall of zero length
    /// is ignored with a warning.
    pub to: Vec2,
}

impl Default for Wall {
    fn default() -> Self {
        Self::new(Vec2::ZERO, Vec2::X)
    }
}

impl Wall {
    /// A wall between two points.
    pub const fn new(from: Vec2, to: Vec2) -> Self {
        Self { from, to }
    }

    /// The walls of a closed polygon: between each point and the next, and from the last to the
    /// first.
    pub fn outline(corners: impl IntoIterator<Item = Vec2>) -> Vec<Self> {
        let corners: Vec<Vec2> = corners.into_iter().collect();
        let next = corners.iter().cycle().skip(1);
        let ends = corners.iter().zip(next);
        ends.map(|(&from, &to)| Self::new(from, to)).collect()
    }

    /// The four walls of a rectangle.
    pub fn room(area: Rect) -> [Self; 4] {
        let (min, max) = (area.min, area.max);
        let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
        [0, 1, 2, 3].map(|i| Self::new(corners[i], corners[(i + 1) % 4]))
    }

    /// Checks that the wall has a finite length above zero.
    ///
    /// # Errors
    /// When an end is not finite, or both are one point.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_finite("Wall.from", self.from)?;
        InvalidParameter::unless_finite("Wall.to", self.to)?;
        let length = self.from.distance(self.to);
        if length >= InvalidParameter::SMALLEST {
            return Ok(());
        }
        Err(InvalidParameter {
            field: "Wall.to",
            value: self.to.into(),
            must_be: "apart from Wall.from, at a finite distance",
        })
    }
}

/// A wall with its entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeenWall {
    pub(crate) entity: Entity,
    pub(crate) wall: Wall,
}

impl SeenWall {
    /// The hit of the ray from `from` to `to`.
    fn hit(&self, from: Vec2, to: Vec2) -> Option<WallHit> {
        let Wall { from: a, to: b } = self.wall;
        let (distance, point) = crossing(from, to, a, b)?;
        Some(WallHit {
            entity: self.entity,
            distance,
            point,
            normal: normal_towards(from, to - from, a, b),
            velocity: Vec2::ZERO,
        })
    }

    /// The point of the wall nearest to `point`, if within `radius`; the normal points at `point`.
    fn near(&self, point: Vec2, radius: f32) -> Option<WallHit> {
        let Wall { from: a, to: b } = self.wall;
        let nearest = nearest_on_segment(point, a, b);
        let distance = point.distance(nearest);
        (distance <= radius).then(|| WallHit {
            entity: self.entity,
            distance,
            point: nearest,
            normal: (point - nearest)
                .try_normalize()
                .unwrap_or_else(|| normal_towards(point, Vec2::ZERO, a, b)),
            velocity: Vec2::ZERO,
        })
    }
}

impl Bounded for SeenWall {
    fn bounds(&self) -> Circle {
        let Wall { from, to } = self.wall;
        Circle::new(from.midpoint(to), 0.5 * from.distance(to))
    }

    fn half_extents(&self) -> Vec2 {
        0.5 * (self.wall.to - self.wall.from).abs()
    }

    fn order(&self, other: &Self) -> Ordering {
        let key = |Wall { from, to }: Wall| [from.x, from.y, to.x, to.y];
        let by_place = order_of(key(self.wall), key(other.wall));
        by_place.then_with(|| self.entity.cmp(&other.entity))
    }
}

/// The spatial index of all [`Wall`]s in this tick; behaviors read
/// [`Surroundings`](crate::Surroundings).
#[derive(Resource, Clone, Debug, Default)]
pub struct WallIndex(LooseGrid<SeenWall>);

impl WallIndex {
    /// The first hit of the ray from `from` to `to`.
    pub fn first_hit(&self, from: Vec2, to: Vec2) -> Option<WallHit> {
        let mut first = None;
        self.0.visit(from.min(to), from.max(to), |wall| {
            first = WallHit::nearer(first, wall.hit(from, to));
        });
        first
    }

    /// The nearest point of any wall within `radius` m of a point.
    pub fn nearest(&self, point: Vec2, radius: f32) -> Option<WallHit> {
        let mut nearest = None;
        self.0.visit(point - radius, point + radius, |wall| {
            nearest = WallHit::nearer(nearest, wall.near(point, radius));
        });
        nearest
    }

    /// Visits every wall within `radius` m of a point, at its nearest point, in an order that
    /// depends only on the geometry.
    pub fn for_each_near(&self, point: Vec2, radius: f32, mut visit: impl FnMut(WallHit)) {
        self.0.visit(point - radius, point + radius, |wall| {
            if let Some(hit) = wall.near(point, radius) {
                visit(hit);
            }
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.items().is_empty()
    }

    /// All walls.
    pub fn iter(&self) -> impl Iterator<Item = Wall> {
        self.0.items().iter().map(|seen| seen.wall)
    }

    /// An index of these walls, for tests.
    #[cfg(test)]
    pub(crate) fn of(walls: &[Wall]) -> Self {
        let mut index = Self::default();
        index.rebuild(walls.iter().map(|&wall| SeenWall {
            entity: Entity::PLACEHOLDER,
            wall,
        }));
        index
    }

    pub(crate) fn rebuild(&mut self, walls: impl Iterator<Item = SeenWall>) {
        self.0.rebuild(walls);
    }
}

pub(crate) fn index_walls(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut index: ResMut<WallIndex>,
    walls: Query<(Entity, &Wall)>,
) {
    let seen = |(entity, &wall): (Entity, &Wall)| {
        if let Err(error) = wall.check() {
            warnings.raise_invalid(&clock, entity, &error, "no agent sees this wall");
            return None;
        }
        Some(SeenWall { entity, wall })
    };
    index.rebuild(walls.iter().filter_map(seen));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::between;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec2> {
        (-20.0..20.0_f32, -20.0..20.0_f32).prop_map(Vec2::from)
    }

    fn walls() -> impl Strategy<Value = Vec<Wall>> {
        let length = prop_oneof![4 => between(0.1..=4.0), 1 => between(10.0..=60.0)];
        let wall = (point(), length, -3.0..3.0_f32).prop_map(|(from, length, angle)| {
            Wall::new(from, from + length * Vec2::from_angle(angle))
        });
        prop::collection::vec(wall, 0..120)
    }

    proptest! {
        #[test]
        fn the_index_and_brute_force_agree(walls in walls(), from in point(), to in point()) {
            let index = WallIndex::of(&walls);
            let seen = |wall: &Wall| SeenWall { entity: Entity::PLACEHOLDER, wall: *wall };
            let hit = walls.iter().map(|wall| seen(wall).hit(from, to));
            let first = hit.fold(None, WallHit::nearer);
            let distance = |hit: Option<WallHit>| hit.map(|hit| hit.distance);
            prop_assert_eq!(distance(index.first_hit(from, to)), distance(first));
            let near = walls.iter().map(|wall| seen(wall).near(from, 3.0));
            let nearest = near.fold(None, WallHit::nearer);
            prop_assert_eq!(distance(index.nearest(from, 3.0)), distance(nearest));
        }
    }

    #[test]
    fn a_room_has_four_connected_walls() {
        let room = Wall::room(Rect::new(-3.0, -2.0, 3.0, 2.0));
        assert!((0..4).all(|i| room[i].to == room[(i + 1) % 4].from));
        let outline = Wall::outline(room.map(|wall| wall.from));
        assert_eq!(outline, room);
    }

    #[test]
    fn a_wall_without_length_is_invalid() {
        let dot = Wall::new(Vec2::ONE, Vec2::ONE);
        assert_eq!(dot.check().unwrap_err().field, "Wall.to");
        let nowhere = Wall::new(Vec2::NAN, Vec2::ONE);
        assert_eq!(nowhere.check().unwrap_err().field, "Wall.from");
        let endless = Wall::new(Vec2::splat(-3e38), Vec2::splat(3e38));
        assert!(endless.check().is_err());
    }
}
