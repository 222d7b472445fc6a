//! Rules of a flock: each has a sum over neighbors and a force computed from it, for one agent or
//! eight at once.

use bevy::math::Vec2;
use bevy_steering2d_kernel::simd::{Number, clamp_length};

use crate::Agent;
use crate::perception::Neighbor;

/// One rule of a flock.
pub(super) trait Rule {
    /// Its place among the rules of a flock: separation, alignment, cohesion.
    const INDEX: usize;

    /// Whether the weight of the sum is `Σ u`: rules with the same `u` then share it.
    const SUMS_U: bool;

    /// What one neighbor adds to the agent's sum. The weight `u = 1 − (d/r)²` falls from one to zero
    /// at the rule's perception radius, so that forces are continuous.
    fn contribution<N: Number>(neighbor: &Seen<N>, u: N) -> Sum<N>;

    /// The force from the sum, N; `per_radius` is one over the rule's perception radius, 1/m.
    fn force<N: Number>(me: &Limits<N>, sum: &Sum<N>, per_radius: N) -> [N; 2];
}

/// The constructor, setters, default and check of a rule's parameters, with the default perception radius, m.
macro_rules! rule_parameters {
    ($rule:ident, perception_radius: $radius:literal) => {
        impl $rule {
            /// Neighbors count within `perception_radius` m.
            pub fn new(perception_radius: f32) -> Self {
                Self {
                    perception_radius,
                    ..Self::default()
                }
            }

            $crate::perception::with_groups!();

            $crate::perception::with_field_of_view!();

            /// Sets the [`max_neighbors`](Self::max_neighbors).
            #[must_use]
            pub fn with_max_neighbors(mut self, max_neighbors: u32) -> Self {
                self.max_neighbors = max_neighbors;
                self
            }

            pub(super) fn visibility(&self) -> super::profile::Visibility {
                super::profile::Visibility {
                    radius: self.perception_radius,
                    field_of_view: self.field_of_view,
                    groups: self.groups,
                    max_neighbors: self.max_neighbors,
                }
            }

            #[inline]
            fn check_view(&self) -> Result<(), InvalidParameter> {
                InvalidParameter::unless_range(
                    concat!(stringify!($rule), ".perception_radius"),
                    self.perception_radius,
                )?;
                InvalidParameter::unless_field_of_view(
                    concat!(stringify!($rule), ".field_of_view"),
                    self.field_of_view,
                )?;
                InvalidParameter::unless_at_least_one(
                    concat!(stringify!($rule), ".max_neighbors"),
                    self.max_neighbors,
                )
            }
        }

        impl Default for $rule {
            fn default() -> Self {
                Self {
                    perception_radius: $radius,
                    field_of_view: std::f32::consts::TAU,
                    groups: SteeringGroups::ALL,
                    max_neighbors: u32::MAX,
                    influence: Influence::of::<Self>(),
                }
            }
        }
    };
}
pub(super) use rule_parameters;

/// A neighbor relative to an agent.
pub(super) struct Seen<N> {
    /// From the agent to the neighbor, m.
    pub(super) offset: [N; 2],
    /// Square of the distance, m².
    pub(super) square: N,
    /// Its heading, a unit vector.
    pub(super) heading: [N; 2],
}

/// A sum over neighbors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sum<N = f32> {
    pub(super) vector: [N; 2],
    /// `Σ u`, or another weight of the rule.
    pub(super) weight: N,
}

impl<N: Number> Sum<N> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        let zero = N::splat(0.0);
        Self {
            vector: [zero; 2],
            weight: zero,
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: Self) {
        self.add_vector(other);
        self.weight = self.weight + other.weight;
    }

    #[inline(always)]
    pub(super) fn add_vector(&mut self, other: Self) {
        self.vector[0] = self.vector[0] + other.vector[0];
        self.vector[1] = self.vector[1] + other.vector[1];
    }
}

/// The sum of a rule over these neighbors, one at a time.
pub(super) fn sum_over<R: Rule>(
    position: Vec2,
    neighbors: impl IntoIterator<Item = Neighbor>,
    perception_radius: f32,
) -> Sum {
    let mut sum = Sum::zero();
    for neighbor in neighbors {
        let offset = neighbor.position - position;
        let seen = Seen {
            offset: offset.into(),
            square: offset.length_squared(),
            heading: neighbor.heading.into(),
        };
        let u = (1.0 - seen.square / (perception_radius * perception_radius)).max(0.0);
        sum.add(R::contribution(&seen, u));
    }
    sum
}

/// The sums of Separation, Alignment and Cohesion.
pub(crate) type FlockSums<N = f32> = [Sum<N>; 3];

/// Velocity and limits of an agent: of a driven body those of [`Agent::track`].
pub(super) struct Limits<N> {
    /// The velocity that forces change, m/s.
    pub(super) velocity: [N; 2],
    /// Maximum speed, m/s.
    pub(super) max_speed: N,
    /// Maximum force, N.
    pub(super) max_force: N,
    /// Mass over response time, kg/s.
    pub(super) gain: N,
}

impl Limits<f32> {
    pub(super) fn of(me: &Agent) -> Self {
        Self {
            velocity: me.rolling().into(),
            max_speed: me.max_speed,
            max_force: me.max_force,
            gain: me.mass / me.response(),
        }
    }
}

impl<N: Number> Limits<N> {
    /// [`Agent::track`], N.
    #[inline(always)]
    pub(super) fn track(&self, [x, y]: [N; 2]) -> [N; 2] {
        let error = [x - self.velocity[0], y - self.velocity[1]];
        clamp_length(error.map(|error| self.gain * error), self.max_force)
    }
}

/// Agents whose squared distance is below this are on the same spot, m².
pub(super) const SPOT_SQUARED: f32 = 1e-12;

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::assert_close;
    use crate::behaviors::{alignment, cohesion, separation};
    use crate::perception::SteeringGroups;

    #[test]
    fn the_public_formulas_equal_their_documented_ones() {
        // One neighbor 1 m ahead with heading +y, perception radius 2 m: u = 1 − 1/4 = 3/4.
        let neighbor = Neighbor {
            position: Vec2::X,
            velocity: Vec2::Y,
            heading: Vec2::Y,
            radius: 0.5,
            groups: SteeringGroups::ALL,
            id: SteeringId(1),
            entity: Entity::PLACEHOLDER,
        };
        let me = Agent::default(); // 20 N, 5 m/s
        assert_close(
            separation(&me, [neighbor], 2.0),
            Vec2::new(-20.0 * 0.75 * 0.75, 0.0),
        );
        assert_close(alignment(&me, [neighbor], 2.0), Vec2::new(0.0, 0.75 * 20.0));
        assert_close(
            cohesion(&me, [neighbor], 2.0),
            Vec2::new(20.0 * 0.75 / 2.0, 0.0),
        );
        for formula in [separation, alignment, cohesion] {
            assert_eq!(formula(&me, [], 2.0), Vec2::ZERO);
        }
    }
}
