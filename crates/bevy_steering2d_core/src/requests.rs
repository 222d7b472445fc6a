//! Requests: the ledger of an agent before it is combined, as behaviors of the Adjust step read it.

use bevy::prelude::*;

use crate::agent::limited;
use crate::{Agent, BehaviorRegistry, LedgerEntry, SteeringSchedule};

/// The forces that the behaviors of an agent have requested so far in this tick, before any is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests<'a> {
    /// The weighted sum of the entries, and of what the same adjustment has added on other behavior entities of the agent,
    /// N.
    pub force: Vec2,
    /// The entries of the Steer step and of the adjustments before this one.
    pub ledger: &'a [LedgerEntry],
}

impl<'a> Requests<'a> {
    /// The requests in a ledger.
    pub fn of(ledger: &'a [LedgerEntry]) -> Self {
        let considered = ledger.iter().filter(|entry| entry.is_considered());
        Self {
            force: considered.map(LedgerEntry::weighted).sum(),
            ledger,
        }
    }

    /// Those of the Steer step, which come first.
    pub(crate) fn before_adjustments(&self, registry: &BehaviorRegistry) -> Self {
        let adjusts = |it: &LedgerEntry| registry.get(it.behavior).step == SteeringSchedule::Adjust;
        let first = self.ledger.iter().position(adjusts);
        Self::of(&self.ledger[..first.unwrap_or(self.ledger.len())])
    }

    /// The [velocity that the requests ask for](Agent::desired_velocity), within the agent's limits, m/s.
    pub fn velocity(&self, me: &Agent) -> Vec2 {
        let velocity = me.desired_velocity(limited(self.force, me.max_force));
        limited(velocity, me.max_speed)
    }
}
