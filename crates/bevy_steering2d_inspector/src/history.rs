//! History: samples of the shown agent over the last seconds, for the plots.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_steering2d_core::{
    BehaviorId, Kinematics, SteeringClock, SteeringDisabled, SteeringForce,
};
use bevy_steering2d_debug::SteeringSelection;

/// The recorded duration, s.
pub(crate) const DURATION: f64 = 10.0;

/// The measurements of one tick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Time since the recording started, s.
    pub(crate) time: f64,
    /// Speed, m/s.
    pub(crate) speed: f32,
    /// Magnitude of the total force, N.
    pub(crate) force: f32,
    /// Magnitude of each behavior's accepted force, N; summed over instances of a behavior.
    pub(crate) shares: Vec<(BehaviorId, f32)>,
}

/// The samples of one agent, oldest first.
#[derive(Resource, Debug, Default)]
pub(crate) struct History {
    agent: Option<Entity>,
    time: f64,
    samples: VecDeque<Sample>,
}

impl History {
    pub(crate) fn samples(&self) -> impl DoubleEndedIterator<Item = &Sample> + Clone {
        self.samples.iter()
    }

    /// Time of the newest sample, s.
    pub(crate) fn now(&self) -> f64 {
        self.time
    }

    /// The behaviors in the recorded samples, in order of registration.
    pub(crate) fn behaviors(&self) -> Vec<BehaviorId> {
        let all = self.samples.iter().flat_map(|sample| &sample.shares);
        let mut ids: Vec<_> = all.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn watch(&mut self, agent: Option<Entity>) {
        if self.agent != agent {
            *self = Self {
                agent,
                ..Self::default()
            };
        }
    }

    fn push(&mut self, delta: f32, speed: f32, force: &SteeringForce) {
        self.time += f64::from(delta);
        let mut shares: Vec<(BehaviorId, f32)> = Vec::new();
        for entry in force.ledger() {
            let accepted = entry.accepted().length();
            match shares.iter_mut().find(|(id, _)| *id == entry.behavior) {
                Some((_, sum)) => *sum += accepted,
                None => shares.push((entry.behavior, accepted)),
            }
        }
        self.samples.push_back(Sample {
            time: self.time,
            speed,
            force: force.total.length(),
            shares,
        });
        let oldest = self.time - DURATION;
        while self.samples.front().is_some_and(|it| it.time < oldest) {
            self.samples.pop_front();
        }
    }
}

/// Records a sample of the primary selected agent in each tick.
pub(crate) fn record(
    selection: Res<SteeringSelection>,
    clock: Res<SteeringClock>,
    agents: Query<(&Kinematics, &SteeringForce), Without<SteeringDisabled>>,
    mut history: ResMut<History>,
) {
    let shown = selection.primary();
    history.watch(shown);
    if let Some((body, force)) = shown.and_then(|agent| agents.get(agent).ok()) {
        history.push(clock.delta, body.speed(), force);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_drops_old_samples_and_other_agents() {
        let mut history = History::default();
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        history.watch(Some(a));
        for _ in 0..200 {
            history.push(0.1, 1.0, &SteeringForce::default());
        }
        let count = history.samples().count();
        assert!((100..=102).contains(&count), "{count}");
        assert!((history.now() - 20.0).abs() < 1e-3);
        history.watch(Some(a));
        assert_eq!(history.samples().count(), count);
        history.watch(Some(b));
        assert_eq!(history.samples().count(), 0);
    }
}
