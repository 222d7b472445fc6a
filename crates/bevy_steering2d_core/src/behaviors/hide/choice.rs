//! [`Choice`]: which of the hiding spots an agent runs to.

use bevy::prelude::*;

use super::HideMemory;
use crate::Agent;
use crate::perception::{SeenObstacle, nearest_on_segment};

/// A change of hiding spot needs a distance below this share of the distance to the current one.
const CHANGE_BELOW: f32 = 2.0 / 3.0;

/// The nearest hiding spot so far, and the current one.
pub(super) struct Choice<'a> {
    current: &'a HideMemory,
    kept: Option<Spot>,
    best: Option<Spot>,
}

#[derive(Clone, Copy)]
struct Spot {
    obstacle: Entity,
    place: Vec2,
    distance: f32,
}

impl<'a> Choice<'a> {
    pub(super) fn new(current: &'a HideMemory) -> Self {
        Self {
            current,
            kept: None,
            best: None,
        }
    }

    pub(super) fn consider(
        &mut self,
        me: &Agent,
        threat: Vec2,
        obstacle: SeenObstacle,
        place: Vec2,
    ) {
        let is_current = self.current.obstacle == Some(obstacle.entity);
        let share = if is_current {
            KEPT_PASSES_BELOW
        } else {
            PASSES_BELOW
        };
        if passes_threat(me, threat, place, share) {
            return;
        }
        let spot = Spot {
            obstacle: obstacle.entity,
            place,
            distance: me.position.distance(place),
        };
        if is_current {
            self.kept = Some(spot);
        }
        if self.best.is_none_or(|best| spot.distance < best.distance) {
            self.best = Some(spot);
        }
    }

    /// The chosen spot in a tick, for a run of at least this urgency.
    pub(super) fn chosen(self, urgency: f32, tick: u32) -> Option<HideMemory> {
        let best = self.best?;
        let spot = match self.kept {
            Some(kept) if best.distance >= CHANGE_BELOW * kept.distance => kept,
            _ => best,
        };
        let goes_on = self.current.obstacle == Some(spot.obstacle);
        let so_far = if goes_on { self.current.urgency } else { 0.0 };
        Some(HideMemory {
            obstacle: Some(spot.obstacle),
            spot: spot.place,
            urgency: urgency.max(so_far),
            tick,
        })
    }
}

/// Whether the way to a hiding spot passes the threat: nearer than a share of its distance from the agent and from
/// the spot.
fn passes_threat(me: &Agent, threat: Vec2, spot: Vec2, share: f32) -> bool {
    let nearest = nearest_on_segment(threat, me.position, spot);
    let ends = me.position.distance(threat).min(spot.distance(threat));
    nearest.distance(threat) < share * ends
}

/// The share below which a way passes the threat, and the one for the spot that the agent is on its way to.
const PASSES_BELOW: f32 = 0.6;
const KEPT_PASSES_BELOW: f32 = 0.4;
