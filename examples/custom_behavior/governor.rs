//! A custom adjustment: a speed governor.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

/// Keeps the agent below a speed, whatever its other behaviors request.
///
/// A force alone cannot know what the others ask for; an adjustment reads it, and adds what is missing
/// to the velocity it allows: `F = m·(clamp(v_requested, speed) − v) / t − F_requested`. Exact under
/// [`Combine::WEIGHTED_SUM`]; other combiners may cut the requests, and so the adjustment.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct SpeedGovernor {
    /// Highest speed, m/s, `> 0`.
    pub speed: f32,
    /// Weight and priority among the agent's behaviors.
    pub influence: Influence,
}

impl SpeedGovernor {
    /// Allows at most `speed` m/s.
    pub fn new(speed: f32) -> Self {
        Self {
            speed,
            ..Self::default()
        }
    }
}

impl Default for SpeedGovernor {
    fn default() -> Self {
        Self {
            speed: 2.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for SpeedGovernor {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("SpeedGovernor.speed", self.speed)
    }
}

impl Adjust for SpeedGovernor {
    fn adjust(&self, me: &Agent, requests: &Requests, _: (), _: &()) -> Vec2 {
        let requested = requests.velocity(me);
        if requested.length() <= self.speed {
            return Vec2::ZERO;
        }
        let allowed = me.track(requested.clamp_length_max(self.speed));
        self.influence.unweighted(allowed - requests.force)
    }
}
