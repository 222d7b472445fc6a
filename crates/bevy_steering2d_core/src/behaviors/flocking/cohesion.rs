//! Towards the neighbors.

use bevy::prelude::*;

use super::walk::{FlockSums, Look, sums_of_look};
use crate::behaviors::embeds_influence;
use crate::perception::{Neighbors, Perception, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, priority};

/// Is drawn to the middle of its neighbors.
///
#[doc = include_str!("../figures/cohesion.svg")]
///
/// Use it with [`Separation`](crate::Separation) and [`Alignment`](crate::Alignment) so that a
/// flock stays together. Alone it makes a swarm that falls into itself.
///
/// `F = max_force · c / r · min(1, Σ u)` with the center `c = Σ u·offset / Σ u` and
/// `u = 1 − (d/r)²`. Zero when alone. (Reynolds 1987; Buckland; cCohesion)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Cohesion {
    /// How far it looks, m, `> 0`. Default `8.0`.
    pub radius: f32,
    /// The whole angle it sees, centered on its heading, rad, `> 0`; a full circle and more sees
    /// all around, which is also the fastest. Default infinity.
    pub field_of_view: f32,
    /// Whom it sees. Default everybody.
    pub groups: SteeringGroups,
    /// Only the nearest so many count, `≥ 1`; equally near ones by id. Default no limit.
    pub max_neighbors: u32,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Cohesion {
    /// Looks `radius` m far.
    pub fn within(radius: f32) -> Self {
        Self {
            radius,
            ..Self::default()
        }
    }

    pub(super) fn look(&self) -> Look {
        Look {
            radius: self.radius,
            field_of_view: self.field_of_view,
            groups: self.groups,
            max_neighbors: self.max_neighbors,
        }
    }
}

impl Default for Cohesion {
    fn default() -> Self {
        Self {
            radius: 8.0,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            max_neighbors: u32::MAX,
            influence: Influence::at(priority::COHESION),
        }
    }
}

impl Behavior for Cohesion {
    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Cohesion.radius", self.radius)?;
        InvalidParameter::unless_positive_or_infinite("Cohesion.field_of_view", self.field_of_view)
    }

    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let sums = sums_of_look(neighbors, me, Look::NONE, Look::NONE, self.look());
        cohesion(me, &sums, self.radius)
    }
}

/// The force of [`Cohesion`] that looks `radius` m far, N.
pub(super) fn cohesion(me: &Agent, sums: &FlockSums, radius: f32) -> Vec2 {
    if sums.cohering <= 0.0 {
        return Vec2::ZERO;
    }
    let center = sums.offsets / sums.cohering;
    let pull = me.max_force * sums.cohering.min(1.0) / radius * center;
    pull.clamp_length_max(me.max_force)
}
