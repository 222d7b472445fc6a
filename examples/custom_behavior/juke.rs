//! A custom behavior: zigzags past a threat.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

/// Swerves left and right, more strongly near the threat, to be hard to catch.
///
/// `F = max_force · urgency · side · sin(2π · phase)`: perpendicular to the agent's heading, with an
/// urgency that falls from 1 at the threat to 0 at `radius`. Each agent starts with a random side.
/// The period is in seconds, independent of the tick rate.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct Juke {
    /// The threat to juke past.
    #[entities]
    pub threat: Target,
    /// Beyond this distance the agent does not swerve, m, `> 0`.
    pub radius: f32,
    /// Time of a swerve to the left and back, s, `> 0`.
    pub period: f32,
    /// Weight and priority among the agent's behaviors.
    pub influence: Influence,
}

/// Memory of a [`Juke`]. It is separate from the parameters, so that presets and inspectors can
/// replace these without resetting it. A clone of the agent begins with a new one.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
#[component(clone_behavior = Ignore)]
pub struct JukeMemory {
    /// Phase of the swerve, `0..1`; `None` before the first tick.
    phase: Option<f32>,
}

impl Juke {
    /// Jukes past an entity or a point.
    pub fn new(threat: impl Into<Target>) -> Self {
        Self {
            threat: threat.into(),
            ..Self::default()
        }
    }
}

impl Default for Juke {
    fn default() -> Self {
        Self {
            threat: Target::default(),
            radius: 7.0,
            period: 0.8,
            // Considered before the goal.
            influence: Influence::at(Evade::PRIORITY),
        }
    }
}

impl Behavior for Juke {
    type Memory = &'static mut JukeMemory;
    // What the behavior reads of the world: here the positions of targets.
    type World = Targets<'static, 'static>;

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.threat), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.threat.check("Juke.threat")?;
        InvalidParameter::unless_positive("Juke.radius", self.radius)?;
        InvalidParameter::unless_positive("Juke.period", self.period)
    }
}

impl Steer for Juke {
    fn steer(&self, me: &Agent, mut memory: Mut<JukeMemory>, targets: &Targets) -> Vec2 {
        let phase = memory.advance(me, self.period);
        let Some(threat) = targets.get(self.threat) else {
            return Vec2::ZERO;
        };
        juke(me, threat.position, self.radius, phase)
    }
}

impl JukeMemory {
    /// Advances by one tick. The first side, left or right, is random.
    fn advance(&mut self, me: &Agent, period: f32) -> f32 {
        // The agent's own random numbers: the same in every run with the same seed.
        const SALT: u64 = 0x6a75_6b65;
        let begin = || me.random_stream(SALT).unit().round() * 0.5;
        let phase = self.phase.unwrap_or_else(begin) + me.delta / period;
        self.phase = Some(phase.fract());
        phase
    }
}

/// The steering force, N: a pure function, testable without an app.
fn juke(me: &Agent, threat: Vec2, radius: f32, phase: f32) -> Vec2 {
    let distance = me.position.distance(threat);
    let urgency = (1.0 - distance / radius).max(0.0);
    let side = me.to_world(Vec2::Y);
    me.max_force * urgency * ops::sin(TAU * phase) * side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn juke_is_zero_beyond_its_radius() {
        let me = Agent::default();
        assert_eq!(juke(&me, Vec2::new(7.5, 0.0), 7.0, 0.25), Vec2::ZERO);
    }

    #[test]
    fn juke_swerves_across_the_heading_and_back() {
        // Urgency is a half at half the radius: 10 N of 20 N. The heading is +x, so left is +y.
        let me = Agent::default();
        let threat = Vec2::new(3.5, 0.0);
        let left = juke(&me, threat, 7.0, 0.25);
        let right = juke(&me, threat, 7.0, 0.75);
        assert!((left - Vec2::new(0.0, 10.0)).length() < 1e-4, "{left}");
        assert!((left + right).length() < 1e-4, "{right}");
    }
}
