//! [`Moment`]: a tick worth looking at.

use bevy::prelude::*;
use bevy_steering2d_core::{Cut, SteeringForce, SteeringSnapshot};

/// Something that happened to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The tick at whose end the world shows it.
    pub tick: u32,
    /// The agent.
    pub agent: Entity,
    /// What happened, e.g. `stuck`.
    pub what: &'static str,
}

/// The moments at which behaviors of an agent lost their force to those of higher priority.
pub(crate) fn cuts<'a>(
    snapshots: impl Iterator<Item = &'a SteeringSnapshot>,
    agent: Entity,
) -> Vec<Moment> {
    let mut before = usize::MAX;
    let mut moments = Vec::new();
    for snapshot in snapshots {
        let ledger = snapshot
            .get::<SteeringForce>(agent)
            .into_iter()
            .flat_map(SteeringForce::ledger);
        let now = ledger.filter(|entry| entry.cut == Cut::Budget).count();
        if now > before {
            moments.push(Moment {
                tick: snapshot.tick(),
                agent,
                what: "force cut",
            });
        }
        before = now;
    }
    moments
}
