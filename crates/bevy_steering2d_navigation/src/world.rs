//! [`Terrain`]: the solids of the world in this tick, from walls, obstacles, colliders and the game.

use bevy::prelude::*;
use bevy_steering2d_core::{Kinematics, ObstacleIndex, Vehicle, WallIndex, digest};

use crate::Solid;

/// Solids that are neither a [`Wall`](bevy_steering2d_core::Wall) nor an
/// [`Obstacle`](bevy_steering2d_core::Obstacle), such as the tiles of a map. The game fills it; the library
/// only reads it.
///
/// Colliders of a physics engine are in [`ColliderSolids`].
#[derive(Resource, Clone, Debug, Default, PartialEq)]
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
            self.revision = revision(&self.solids);
        }
        before.clone_from(now);
    }
}

/// Zero without solids, as in a new world.
fn revision(solids: &[Solid]) -> u32 {
    if solids.is_empty() {
        return 0;
    }
    let numbers = solids.iter().flat_map(Solid::numbers);
    let digest = digest(numbers.map(f32::to_bits));
    (digest ^ (digest >> 32)) as u32
}

/// Collects the solids: walls, obstacles that stand still and are no agents, [`Solids`] and
/// [`ColliderSolids`].
pub(crate) fn survey(
    walls: Res<WallIndex>,
    obstacles: Res<ObstacleIndex>,
    others: Res<Solids>,
    physics: Option<Res<ColliderSolids>>,
    bodies: Query<(&Kinematics, Has<Vehicle>)>,
    mut terrain: ResMut<Terrain>,
) {
    let stands = |entity: Entity| {
        let body = bodies.get(entity);
        body.map_or(true, |(body, is_agent)| {
            !is_agent && body.speed() <= Kinematics::REST
        })
    };
    let walls = walls.iter().map(Solid::from);
    let discs = obstacles.iter().filter(|seen| stands(seen.entity));
    let discs = discs.map(|seen| Solid::from(seen.circle));
    let colliders: &[Solid] = physics.as_deref().map_or(&[], |it| it.0.as_slice());
    let others = others.0.iter().chain(colliders);
    let others = others.copied().filter(Solid::is_sound);
    terrain
        .bypass_change_detection()
        .update(walls.chain(discs).chain(others));
}
