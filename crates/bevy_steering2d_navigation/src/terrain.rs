//! [`Terrain`]: the solids of the world in this tick, from walls, obstacles, colliders and the game.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Kinematics, Obstacle, ObstacleIndex, SeenObstacle, SnapshotAppExt, SnapshotKind,
    SteeringAppExt, SteeringClock, Vehicle, WallIndex, digest,
};

use crate::Solid;

/// Solids that are neither a [`Wall`](bevy_steering2d_core::Wall) nor an
/// [`Obstacle`](bevy_steering2d_core::Obstacle), such as the tiles of a map. The game fills it; the library
/// only reads it.
///
/// Colliders of a physics engine are in [`ColliderSolids`].
///
/// They go back with a [`SteeringSnapshot`](bevy_steering2d_core::SteeringSnapshot), and are in its files. Snapshots share
/// them until they are marked as changed.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Solids(pub Vec<Solid>);

/// The solids of a physics engine. Its backend writes them and replaces what was there, so a game keeps its own in
/// [`Solids`].
///
/// The Rapier backend fills it with fixed colliders if its feature `navigation` is on. Without a backend that
/// does so, the resource does not exist.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct ColliderSolids(pub Vec<Solid>);

/// All solids of the world, in an order that depends only on the geometry.
#[derive(Resource, Clone, Debug, Default)]
pub struct Terrain {
    solids: Vec<Solid>,
    revision: u32,
    /// The solids as they were found in this tick and in the last one.
    found: [Vec<Solid>; 2],
}

impl Terrain {
    /// The solids.
    pub fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// A digest of the solids: after a change it is another number, and the same again if the change is taken back.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    fn update(&mut self, solids: impl Iterator<Item = Solid>) {
        let [now, before] = &mut self.found;
        now.clear();
        now.extend(solids);
        if now == before {
            return;
        }
        before.clone_from(now);
        // A physics engine may list the same solids in another order.
        before.sort_unstable_by(Solid::total_order);
        if *before != self.solids {
            self.solids.clone_from(before);
            self.revision = revision_of(self.solids.iter());
        }
        before.clone_from(now);
    }
}

#[cfg(test)]
impl Terrain {
    /// These solids.
    pub(crate) fn of(solids: &[Solid]) -> Self {
        let mut terrain = Self::default();
        terrain.update(solids.iter().copied());
        terrain
    }
}

/// A digest of solids. Zero without any, as in a new world.
pub(crate) fn revision_of<'a>(solids: impl Iterator<Item = &'a Solid>) -> u32 {
    let mut solids = solids.peekable();
    if solids.peek().is_none() {
        return 0;
    }
    let digest = digest(solids.flat_map(Solid::numbers).map(f32::to_bits));
    (digest ^ (digest >> 32)) as u32
}

/// Where an obstacle was in the last tick, and how long it still counts as moving.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LastPlace {
    /// m; `None` before its first tick.
    at: Option<Vec2>,
    /// How long it still counts as moving if it does not move, s.
    moving: f32,
}

impl LastPlace {
    /// How long an obstacle counts as moving after its last movement, s. A game may move it once per frame, and a frame
    /// has any number of ticks.
    const PAUSE: f32 = 0.1;

    /// The place a tick later, for an obstacle that moves or does not.
    fn next(self, at: Vec2, moves: bool, delta: f32) -> Self {
        let moving = if moves {
            Self::PAUSE
        } else {
            (self.moving - delta).max(0.0)
        };
        Self {
            at: Some(at),
            moving,
        }
    }
}

pub(crate) fn register(app: &mut App) {
    app.add_saved_resource_with_heap::<Solids>(|it| size_of_val(&*it.0))
        .init_resource::<Solids>()
        .init_resource::<Terrain>()
        .require_part::<Obstacle, LastPlace>()
        .add_saved_component::<LastPlace>(SnapshotKind::State);
}

/// Collects the solids: walls, obstacles that stand still and are no agents or parts of them, [`Solids`] and
/// [`ColliderSolids`].
pub(crate) fn survey(
    clock: Res<SteeringClock>,
    walls: Res<WallIndex>,
    obstacles: Res<ObstacleIndex>,
    others: Res<Solids>,
    physics: Option<Res<ColliderSolids>>,
    bodies: Query<&Kinematics>,
    agents: Query<(), With<Vehicle>>,
    parents: Query<&ChildOf>,
    mut places: Query<&mut LastPlace>,
    mut terrain: ResMut<Terrain>,
) {
    let mut stands = |seen: &SeenObstacle| {
        let carriers = || std::iter::once(seen.entity).chain(parents.iter_ancestors(seen.entity));
        if carriers().any(|it| agents.contains(it)) {
            return false;
        }
        let body = carriers().find_map(|it| bodies.get(it).ok());
        let Ok(mut place) = places.get_mut(seen.entity) else {
            return body.is_none_or(|body| body.speed() <= Kinematics::REST);
        };
        let at = seen.circle.center;
        // One that its transform moves has no velocity, also with a body.
        let has_moved = place.at.is_some_and(|before| before != at);
        let moves = has_moved || body.is_some_and(|body| body.speed() > Kinematics::REST);
        let now = place.next(at, moves, clock.delta);
        place.set_if_neq(now);
        now.moving <= 0.0
    };
    let walls = walls.iter().map(Solid::from);
    let discs = obstacles.iter().filter(|seen| stands(seen));
    let discs = discs.map(|seen| Solid::from(seen.circle));
    let colliders: &[Solid] = physics.as_deref().map_or(&[], |it| it.0.as_slice());
    let others = others.0.iter().chain(colliders);
    let others = others.copied().filter(Solid::is_sound);
    terrain
        .bypass_change_detection()
        .update(walls.chain(discs).chain(others));
}
