//! Past a threat in zigzags.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

/// Swerves left and right, the wilder the nearer the threat, so that it is hard to aim at.
///
/// `F = max_force · urgency · side · sin(2π · phase)`: across the agent's heading, with the
/// urgency falling from 1 on the threat to 0 at `reach`. Each agent begins with a side of its own
/// choice, and the rhythm goes by seconds, not by ticks.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
// What it remembers comes along, and a threat that disappears is announced as `TargetLost`.
#[require(JukeMemory, TargetWatch)]
pub struct Juke {
    /// Whom to confuse.
    #[entities]
    pub threat: Target,
    /// Beyond this distance it runs straight, m, `> 0`.
    pub reach: f32,
    /// From one swerve to the left to the next, s, `> 0`.
    pub period: f32,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

/// What a [`Juke`] remembers. Parameters and memory are apart, so that presets and inspectors
/// can write the one without disturbing the other.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct JukeMemory {
    /// Where in its rhythm it is, `0..1`; `None` before the first tick.
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
            reach: 7.0,
            period: 0.8,
            // Heard before the goal it is running to.
            influence: Influence::at(Evade::PRIORITY),
        }
    }
}

impl Behavior for Juke {
    type Memory = &'static mut JukeMemory;
    // Everything it reads of the world; here only where targets are.
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
        InvalidParameter::unless_positive("Juke.reach", self.reach)?;
        InvalidParameter::unless_positive("Juke.period", self.period)
    }
}

impl Steer for Juke {
    fn steer(&self, me: &Agent, mut memory: Mut<JukeMemory>, targets: &Targets) -> Vec2 {
        let phase = memory.advance(me, self.period);
        let Some(threat) = targets.get(self.threat) else {
            return Vec2::ZERO;
        };
        juke(me, threat.position, self.reach, phase)
    }
}

impl JukeMemory {
    /// One tick on. Chance decides once whether it begins to the left or to the right.
    fn advance(&mut self, me: &Agent, period: f32) -> f32 {
        // The agent's own chance: the same in every run with the same seed.
        const SALT: u64 = 0x6a75_6b65;
        let begin = || me.random_stream(SALT).unit().round() * 0.5;
        let phase = self.phase.unwrap_or_else(begin) + me.delta / period;
        self.phase = Some(phase.fract());
        phase
    }
}

/// The formula: plain numbers in, newtons out, so it can be tested without an app.
fn juke(me: &Agent, threat: Vec2, reach: f32, phase: f32) -> Vec2 {
    let distance = me.position.distance(threat);
    let urgency = (1.0 - distance / reach).max(0.0);
    let side = me.to_world(Vec2::Y);
    me.max_force * urgency * (TAU * phase).sin() * side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_away_it_runs_straight() {
        let me = Agent::default();
        assert_eq!(juke(&me, Vec2::new(7.5, 0.0), 7.0, 0.25), Vec2::ZERO);
    }

    #[test]
    fn it_swerves_across_its_heading_and_back() {
        // Halfway in, so half of the 20 N; heading +x, so the left is +y.
        let me = Agent::default();
        let threat = Vec2::new(3.5, 0.0);
        let left = juke(&me, threat, 7.0, 0.25);
        let right = juke(&me, threat, 7.0, 0.75);
        assert!((left - Vec2::new(0.0, 10.0)).length() < 1e-4, "{left}");
        assert!((left + right).length() < 1e-4, "{right}");
    }
}
