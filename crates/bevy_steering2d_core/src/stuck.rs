//! Agents that want to move and do not.

use bevy::prelude::*;

use crate::events::Due;
use crate::{
    InvalidParameter, Kinematics, SteeringClock, SteeringDisabled, SteeringForce, SteeringId,
    SteeringWarnings, Vehicle,
};

/// Watches whether the agent gets anywhere; announces [`Stuck`] when it does not. Opt-in.
///
/// An agent wants to move while any of its behaviors asks for more than a twentieth of
/// `max_force`, even if they cancel each other out. It is stuck when it has wanted to move for
/// some time without leaving a small circle, and free again once it has left it, or wants nothing
/// more. Whoever waits on purpose wants nothing. [`Sidestep`](crate::Sidestep) is a remedy.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(StuckMemory)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StuckDetection {
    /// How long it must have been trying, s, `> 0`. Default `2`.
    pub after: f32,
    /// It gets somewhere when it moves farther than this, m, `> 0`. Default `0.5`.
    pub distance: f32,
}

impl Default for StuckDetection {
    fn default() -> Self {
        Self {
            after: 2.0,
            distance: 0.5,
        }
    }
}

impl StuckDetection {
    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("StuckDetection.after", self.after)?;
        InvalidParameter::unless_positive("StuckDetection.distance", self.distance)
    }
}

/// What a [`StuckDetection`] remembers.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StuckMemory {
    /// It is stuck right now.
    pub stuck: bool,
    /// For how long it has been trying to leave the circle, s.
    pub trying: f32,
    /// How often it has got stuck so far.
    pub times: u32,
    /// Unit vector in which it wanted to go when it got stuck.
    pub wanted: Vec2,
    /// Center of the circle, m.
    center: Vec2,
}

/// An agent with [`StuckDetection`] wants to move and has not for its time. Fires once, and again
/// only after it has been free.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::Stuck;
/// fn complain(stuck: On<Stuck>) {
///     println!("{} cannot get away from {}", stuck.entity, stuck.position);
/// }
/// # let mut app = App::new();
/// app.add_observer(complain);
/// ```
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct Stuck {
    /// The agent.
    pub entity: Entity,
    /// Where it is stuck, m.
    pub position: Vec2,
}

/// A force above this share of `max_force` is a wish to move.
const WISH: f32 = 0.05;

impl StuckMemory {
    /// Where things stand a tick later; `wish` is the direction the agent wants to go, if any.
    fn after_a_tick(
        self,
        how: &StuckDetection,
        position: Vec2,
        wish: Option<Vec2>,
        delta: f32,
    ) -> Self {
        let got_somewhere = position.distance(self.center) > how.distance;
        let Some(wish) = wish.filter(|_| !got_somewhere) else {
            return Self {
                times: self.times,
                center: position,
                ..default()
            };
        };
        let trying = self.trying + delta;
        let stuck = trying >= how.after;
        let begins = stuck && !self.stuck;
        Self {
            stuck,
            trying,
            times: self.times + u32::from(begins),
            wanted: if begins { wish } else { self.wanted },
            center: self.center,
        }
    }
}

/// The direction in which the strongest single voice wants to go; `None` if none says much.
fn wish(force: &SteeringForce, vehicle: &Vehicle) -> Option<Vec2> {
    force
        .ledger()
        .map(|entry| entry.weighted())
        .filter(|force| force.length() > WISH * vehicle.max_force)
        .max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
        .and_then(Vec2::try_normalize)
}

pub(crate) fn detect_stuck(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Vehicle,
            &Kinematics,
            &SteeringForce,
            &StuckDetection,
            &mut StuckMemory,
        ),
        Without<SteeringDisabled>,
    >,
    mut due: ResMut<Due<Stuck>>,
) {
    due.make_room(agents.iter().size_hint());
    for (entity, &id, vehicle, body, force, how, mut memory) in &mut agents {
        if let Err(error) = how.check() {
            warnings.raise(&clock, entity, error.field, || {
                format!("{error}; until then nobody watches whether it is stuck")
            });
            continue;
        }
        let wish = wish(force, vehicle).filter(|_| body.is_steerable());
        let now = memory.after_a_tick(how, body.position, wish, clock.delta);
        if now.stuck && !memory.stuck {
            let position = body.position;
            due.0.push(((id, 0), Stuck { entity, position }));
        }
        memory.set_if_neq(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tick of 0.5 s at x.
    fn tick(memory: StuckMemory, x: f32, wish: Option<Vec2>) -> StuckMemory {
        memory.after_a_tick(&StuckDetection::default(), Vec2::new(x, 0.0), wish, 0.5)
    }

    #[test]
    fn trying_for_long_without_getting_anywhere_is_being_stuck() {
        let mut memory = StuckMemory::default();
        for x in [0.0, 0.3, -0.3] {
            memory = tick(memory, x, Some(Vec2::X));
            assert!(!memory.stuck, "{memory:?}");
        }
        memory = tick(memory, 0.1, Some(Vec2::Y));
        assert!(memory.stuck && memory.times == 1 && memory.wanted == Vec2::Y);
        memory = tick(memory, 0.1, Some(Vec2::X));
        assert!(memory.stuck && memory.times == 1, "once per being stuck");
        memory = tick(memory, 0.8, Some(Vec2::X));
        assert!(!memory.stuck && memory.times == 1, "free again");
        for _ in 0..4 {
            memory = tick(memory, 0.8, Some(Vec2::X));
        }
        assert!(memory.stuck && memory.times == 2);
    }

    #[test]
    fn who_wants_nothing_is_not_stuck() {
        let mut memory = StuckMemory::default();
        for i in 0..100 {
            memory = tick(memory, 0.0, (i % 3 > 0).then_some(Vec2::X));
            assert!(!memory.stuck);
        }
    }

    #[test]
    fn who_moves_on_is_not_stuck() {
        let mut memory = StuckMemory::default();
        for i in 0..100 {
            memory = tick(memory, 0.2 * i as f32, Some(Vec2::X));
            assert!(!memory.stuck, "0.4 m/s is slow but gets somewhere");
        }
    }
}
