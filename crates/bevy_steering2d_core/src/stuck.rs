//! Stuck detection: agents that request forces but do not get away.

use std::f32::consts::PI;

use bevy::prelude::*;

use crate::announcements::Announcements;
use crate::require::forget;
use crate::steer::Steered;
use crate::{
    Abilities, BehaviorGroup, BehaviorRegistry, InvalidParameter, Kinematics, LedgerEntry,
    SteeringClock, SteeringForce, SteeringId, SteeringWarnings, ThinkEvery, Vehicle,
};

/// Detects when the agent is stuck, and triggers [`Stuck`]. Opt-in.
///
/// An agent tries to move while the force of any of its behaviors, times its weight, is more than a twentieth of `max_force`,
/// even if the forces cancel each other out. It is stuck when it has tried for some time without
/// leaving a small circle, and free again once it leaves the circle or stops trying. An agent that
/// rests within its tolerance is not stuck; one that another behavior holds back, as in a queue, is.
/// [`Sidestep`](crate::Sidestep) frees stuck agents; its own force does not count.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(StuckMemory)]
#[component(on_remove = forget::<StuckMemory>)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StuckDetection {
    /// How long the agent must try before it is stuck, s, `> 0`. Default `2`. A heavy or slow agent gets longer: at least twice
    /// the time in which it leaves the circle from rest at full force, or at full speed, or in which it turns about on the
    /// spot, whichever is longest.
    pub after: f32,
    /// Radius of the circle that it must leave, m, `> 0`. Default `0.5`.
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
    /// An agent is stuck after it has tried for `after` s to leave a circle with a radius of 0.5 m.
    pub fn new(after: f32) -> Self {
        Self {
            after,
            ..Self::default()
        }
    }

    /// Sets the [`distance`](Self::distance).
    #[must_use]
    pub fn with_distance(mut self, distance: f32) -> Self {
        self.distance = distance;
        self
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("StuckDetection.after", self.after)?;
        InvalidParameter::unless_positive("StuckDetection.distance", self.distance)
    }

    /// The same for a body with these limits, N and m/s, and this mass, kg: a heavy or slow one takes longer to leave the
    /// circle, even if nothing holds it, and one that turns on the spot, at a rate in rad/s, may turn about first.
    pub(crate) fn of_body(
        &self,
        (max_force, max_speed): (f32, f32),
        mass: f32,
        abilities: Option<&Abilities>,
    ) -> Self {
        let from_rest = (2.0 * self.distance * mass / max_force).sqrt();
        let turn_rate = abilities.map_or(0.0, |body| body.turn_rate);
        let turning = if turn_rate > 0.0 { PI / turn_rate } else { 0.0 };
        let leaving = from_rest.max(self.distance / max_speed).max(turning);
        Self {
            after: self.after.max(2.0 * leaving),
            ..*self
        }
    }
}

/// The memory of a [`StuckDetection`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StuckMemory {
    /// Whether the agent is stuck.
    pub stuck: bool,
    /// For how long it has been trying to leave the circle, s.
    pub trying: f32,
    /// How many times it has become stuck.
    pub times: u32,
    /// Unit vector of its strongest request when it became stuck.
    pub wanted: Vec2,
    /// Center of the circle, m.
    center: Vec2,
}

/// An agent with [`StuckDetection`] has become stuck. Triggered once, and again only after it has
/// been free.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::Stuck;
/// fn report(stuck: On<Stuck>) {
///     println!("{} cannot get away from {}", stuck.entity, stuck.position);
/// }
/// # let mut app = App::new();
/// app.add_observer(report);
/// ```
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct Stuck {
    /// The agent.
    pub entity: Entity,
    /// Where it is stuck, m.
    pub position: Vec2,
}

/// A request above this fraction of `max_force` counts as trying to move.
const TRYING: f32 = 0.05;

impl StuckMemory {
    /// The memory one tick later; `wanted` is the direction of the strongest request, if any.
    fn next(
        self,
        detection: &StuckDetection,
        position: Vec2,
        wanted: Option<Vec2>,
        delta: f32,
    ) -> Self {
        // Not so for numbers that are not finite, as from a faulty save.
        let in_circle = position.distance(self.center) <= detection.distance
            && self.trying.is_finite()
            && self.wanted.is_finite();
        let Some(wanted) = wanted.filter(|_| in_circle) else {
            return Self {
                times: self.times,
                center: position,
                ..default()
            };
        };
        let trying = self.trying + delta;
        let stuck = trying >= detection.after;
        let begins = stuck && !self.stuck;
        Self {
            stuck,
            trying,
            times: self.times.saturating_add(u32::from(begins)),
            wanted: if begins { wanted } else { self.wanted },
            center: self.center,
        }
    }
}

/// The ledgers of groups, in which forces may cancel each other out.
type Groups<'w, 's> = Query<'w, 's, &'static SteeringForce, With<BehaviorGroup>>;

/// The direction of the strongest request; `None` if all are weak.
fn strongest_request(
    force: &SteeringForce,
    vehicle: &Vehicle,
    groups: &Groups,
    behaviors: &BehaviorRegistry,
) -> Option<Vec2> {
    let strongest = strongest(force, groups, behaviors);
    let is_strong = strongest.length() > TRYING * vehicle.max_force;
    strongest.try_normalize().filter(|_| is_strong)
}

/// The strongest force of a ledger that is an attempt, N, also of those in groups.
fn strongest(force: &SteeringForce, groups: &Groups, behaviors: &BehaviorRegistry) -> Vec2 {
    let is_attempt = |it: &LedgerEntry| behaviors.get(it.behavior).is_attempt;
    let attempts = force.ledger().filter(is_attempt);
    let forces = attempts.flat_map(|entry| {
        let group = force.source(&entry).and_then(|it| groups.get(it).ok());
        let of_group = group.map(|group| entry.weight * strongest(group, groups, behaviors));
        [Some(entry.weighted()), of_group].into_iter().flatten()
    });
    let by_length = |a: &Vec2, b: &Vec2| a.length_squared().total_cmp(&b.length_squared());
    forces.max_by(by_length).unwrap_or_default()
}

pub(crate) fn detect_stuck(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Vehicle,
            (&Kinematics, Option<&Abilities>),
            Option<&ThinkEvery>,
            &SteeringForce,
            &StuckDetection,
            &mut StuckMemory,
        ),
        Steered,
    >,
    groups: Groups,
    behaviors: Res<BehaviorRegistry>,
    announcements: Res<Announcements<Stuck>>,
) {
    // In a pause no agent moves, and ledgers may be empty.
    if clock.delta <= 0.0 {
        return;
    }
    for (entity, &id, vehicle, (body, abilities), every, force, detection, mut memory) in
        &mut agents
    {
        // Between updates the ledger is an old one; after loading there is none.
        let Some(ticks) = ThinkEvery::turn(every, id, &clock) else {
            continue;
        };
        if let Err(error) = detection.check() {
            warnings.raise_invalid(&clock, entity, &error, "it is not checked for being stuck");
            memory.set_if_neq(StuckMemory::default());
            continue;
        }
        // A body that cannot be steered, as one whose physics are paused, does not try to move.
        if !body.is_steerable() {
            continue;
        }
        let wanted = strongest_request(force, vehicle, &groups, &behaviors);
        let detection =
            detection.of_body((vehicle.max_force, vehicle.max_speed), body.mass, abilities);
        let now = memory.next(
            &detection,
            body.position,
            wanted,
            clock.delta * ticks as f32,
        );
        if now.stuck && !memory.stuck {
            let position = body.position;
            announcements.send(id, entity, Stuck { entity, position });
        }
        memory.set_if_neq(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tick of 0.5 s at x.
    fn tick(memory: StuckMemory, x: f32, wanted: Option<Vec2>) -> StuckMemory {
        memory.next(&StuckDetection::default(), Vec2::new(x, 0.0), wanted, 0.5)
    }

    #[test]
    fn an_agent_that_tries_long_without_moving_is_stuck() {
        let mut memory = StuckMemory::default();
        for x in [0.0, 0.3, -0.3] {
            memory = tick(memory, x, Some(Vec2::X));
            assert!(!memory.stuck, "{memory:?}");
        }
        memory = tick(memory, 0.1, Some(Vec2::Y));
        assert!(memory.stuck && memory.times == 1 && memory.wanted == Vec2::Y);
        memory = tick(memory, 0.1, Some(Vec2::X));
        assert!(memory.stuck && memory.times == 1, "counted once");
        memory = tick(memory, 0.8, Some(Vec2::X));
        assert!(!memory.stuck && memory.times == 1, "free again");
        for _ in 0..4 {
            memory = tick(memory, 0.8, Some(Vec2::X));
        }
        assert!(memory.stuck && memory.times == 2);
    }

    #[test]
    fn an_agent_that_pauses_is_not_stuck() {
        let mut memory = StuckMemory::default();
        for i in 0..100 {
            memory = tick(memory, 0.0, (i % 3 > 0).then_some(Vec2::X));
            assert!(!memory.stuck);
        }
    }

    #[test]
    fn a_slow_agent_is_not_stuck() {
        let mut memory = StuckMemory::default();
        for i in 0..100 {
            memory = tick(memory, 0.2 * i as f32, Some(Vec2::X));
            assert!(!memory.stuck, "0.4 m/s is slow but leaves the circle");
        }
    }
}
