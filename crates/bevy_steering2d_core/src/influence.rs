//! [`Influence`]: how much a behavior counts, and when it acts.

use bevy::prelude::*;

use crate::{InvalidParameter, When};

/// How much a behavior counts among the others of its agent. It may be changed at any time.
///
/// All forces are in newtons, so weights are dimensionless. What a weight means depends on the combiner:
/// under [`Prioritized`](crate::Prioritized) a lower priority gets what a higher one leaves.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Influence {
    /// Factor on the force, `≥ 0`. Default `1`. Above 10⁹ it acts like 10⁹.
    ///
    /// A large weight also makes the response faster. An agent whose weights sum up to more than `2 · response_time / Δt`
    /// overshoots in each update and trembles: 32 at 64 ticks per second and the default response time, a quarter of it
    /// with [`ThinkEvery`](crate::ThinkEvery)`(4)`.
    pub weight: f32,
    /// Higher is considered earlier by [`Prioritized`](crate::Prioritized) and
    /// [`Dithered`](crate::Dithered). [`Influence::of`] has the behavior's
    /// [`PRIORITY`](crate::Behavior::PRIORITY), [`Influence::default`] has `100`.
    pub priority: i16,
    /// Probability per update to be considered under [`Dithered`](crate::Dithered), in `(0, 1]`.
    /// Default `1`.
    pub probability: f32,
    /// `false` disables the behavior but keeps its parameters and memory, but for
    /// [`ReciprocalAvoidanceMemory`](crate::ReciprocalAvoidanceMemory), which begins anew. Default `true`.
    pub enabled: bool,
    /// Whether it acts only while its agent perceives something, such as being
    /// [`Alone`](crate::Alone). Default [`When::Always`].
    pub when: When,
}

impl Influence {
    /// Weight 1 at the given priority.
    pub const fn at(priority: i16) -> Self {
        Self {
            weight: 1.0,
            priority,
            probability: 1.0,
            enabled: true,
            when: When::Always,
        }
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// When the weight is negative or not finite, or the probability is outside `(0, 1]`.
    #[inline(always)]
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("Influence.weight", self.acting_weight())?;
        InvalidParameter::unless_positive("Influence.probability", self.probability)?;
        InvalidParameter::unless_fraction("Influence.probability", self.probability)
    }

    /// Divides a force by the weight, N, so that it has its own size again once the combiner has weighted it. For an
    /// [`Adjust`](crate::Adjust) that replaces requests exactly, whatever its weight is. A weight of zero still takes
    /// it out.
    #[inline]
    #[must_use]
    pub fn unweighted(&self, force: Vec2) -> Vec2 {
        let weight = self.acting_weight();
        if weight > 0.0 {
            force / weight.max(InvalidParameter::SMALLEST)
        } else {
            force
        }
    }

    /// The weight of the ledger entry; that of an infinite weight is infinite.
    #[inline]
    pub(crate) fn acting_weight(&self) -> f32 {
        if self.weight < f32::INFINITY {
            self.weight.min(InvalidParameter::LARGEST)
        } else {
            self.weight
        }
    }
}

impl Default for Influence {
    fn default() -> Self {
        Self::at(100)
    }
}
