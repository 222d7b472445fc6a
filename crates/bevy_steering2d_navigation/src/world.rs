//! [`Terrain`]: the solids of the world in this tick, from walls, obstacles, colliders and the game.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Kinematics, Obstacle, ObstacleIndex, SeenObstacle, SnapshotAppExt, SnapshotKind,
    SteeringAppExt, Vehicle, WallIndex, digest,
};

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
            self.revision = revision_of(self.solids.iter());
        }
        before.clone_from(now);
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

/// Where an obstacle without a body was in the last tick.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LastPlace(Option<Vec2>);

impl LastPlace {
    /// Notes where it is now; whether it was there before, or nowhere.
    fn stays(mut this: Mut<Self>, at: Vec2) -> bool {
        let stays = this.0.is_none_or(|before| before == at);
        this.set_if_neq(Self(Some(at)));
        stays
    }
}

pub(crate) fn register(app: &mut App) {
    app.init_resource::<Solids>()
        .init_resource::<Terrain>()
        .require_part::<Obstacle, LastPlace>()
        .add_saved_component::<LastPlace>(SnapshotKind::State);
}

/// Collects the solids: walls, obstacles that stand still and are no agents, [`Solids`] and
/// [`ColliderSolids`].
pub(crate) fn survey(
    walls: Res<WallIndex>,
    obstacles: Res<ObstacleIndex>,
    others: Res<Solids>,
    physics: Option<Res<ColliderSolids>>,
    bodies: Query<(&Kinematics, Has<Vehicle>)>,
    mut places: Query<&mut LastPlace>,
    mut terrain: ResMut<Terrain>,
) {
    let mut stands = |seen: &SeenObstacle| {
        if let Ok((body, is_agent)) = bodies.get(seen.entity) {
            return !is_agent && body.speed() <= Kinematics::REST;
        }
        // One that its transform moves has no velocity.
        let place = places.get_mut(seen.entity);
        place.map_or(true, |place| LastPlace::stays(place, seen.circle.center))
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
