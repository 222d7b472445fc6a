//! Targets that move without a velocity, which behaviors take to be at rest.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use crate::{Behavior, SteeringClock, SteeringWarnings, Target, Targets};

/// Ticks from one look at a target to the next: more than a slow frame has.
const INTERVAL: u32 = 8;

/// How many looks in a row must find a target elsewhere. One that is put elsewhere now and then, as a flag is, rests.
const LOOKS: u32 = 4;

/// What was seen of a target without a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    place: Vec2,
    tick: u32,
    /// The last looks in a row that found it elsewhere.
    moves: u32,
}

impl Seen {
    fn new(place: Vec2, tick: u32) -> Self {
        Self {
            place,
            tick,
            moves: 0,
        }
    }

    /// Looks again, once per tick.
    fn look(&mut self, place: Vec2, tick: u32) {
        if self.tick != tick {
            let moves = if place == self.place {
                0
            } else {
                self.moves + 1
            };
            *self = Self { place, tick, moves };
        }
    }
}

/// Warns of the targets of `B` that move although they have no body, and so no velocity.
pub(crate) fn warn_of_motion_without_velocity<B: Behavior>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    behaviors: Query<&B>,
    mut seen: Local<EntityHashMap<Seen>>,
) {
    if !clock.is_due(INTERVAL, 0) {
        return;
    }
    let uses_velocity = |it: &&B| it.influence().enabled && it.uses_target_velocity();
    let behaviors = behaviors.iter().filter(uses_velocity);
    let aims = behaviors.flat_map(Behavior::targets).flatten();
    for target in aims.filter_map(Target::entity) {
        let Some(place) = targets.place_without_body(target) else {
            continue;
        };
        let first = Seen::new(place, clock.tick);
        let it = seen.entry(target).or_insert(first);
        it.look(place, clock.tick);
        if it.moves >= LOOKS {
            warnings.raise(&clock, target, "Kinematics", || {
                let name = B::short_type_path();
                format!(
                    "moves by its Transform and has no velocity and no heading, which {name} needs; with the Rapier backend \
                     add RigidBody::KinematicPositionBased and a Collider, else move it by the velocity of a PointMass"
                )
            });
        }
    }
    seen.retain(|_, it| it.tick == clock.tick);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(places: impl IntoIterator<Item = f32>) -> u32 {
        let mut seen = Seen::new(Vec2::ZERO, 0);
        for (tick, x) in (1..).zip(places) {
            seen.look(Vec2::new(x, 0.0), tick);
        }
        seen.moves
    }

    #[test]
    fn a_target_that_goes_on_moves_and_one_that_stops_rests() {
        assert_eq!(moves([1.0, 2.0, 3.0, 2.5]), 4);
        assert_eq!(moves([1.0, 2.0, 3.0, 3.0]), 0);
        assert_eq!(moves([0.0, 0.0, 9.0, 9.0]), 0, "it was put elsewhere");
    }

    #[test]
    fn a_target_of_several_agents_counts_once() {
        let mut seen = Seen::new(Vec2::ZERO, 0);
        seen.look(Vec2::X, 1);
        let once = seen;
        seen.look(Vec2::Y, 1);
        assert_eq!(seen, once);
    }
}
