//! [`SteeringWarnings`]: what is wrong with which entity, told once in a while.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use crate::{ConditionType, InvalidParameter, SteeringClock};

/// A warning that was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteeringWarning {
    /// The entity with the faulty component.
    pub entity: Entity,
    /// What it is about: a parameter as `Component.field`, such as `Arrive.tolerance`, or the name of a component, behavior,
    /// condition or predictor, such as `RigidBody` or `Seek`. `Kinematics` is an agent without a body, or a target that moves
    /// without a velocity, `SensesColliders` an agent that looks for walls or obstacles among colliders, and `TimestepMode` a
    /// step of Rapier that differs from the tick. The page `docs/reliability.md` of the repository lists them.
    pub field: &'static str,
    /// The message, as logged.
    pub message: String,
}

/// The warnings raised so far: at most one per entity and field in [`PATIENCE`](Self::PATIENCE)
/// ticks, and at most [`KEPT`](Self::KEPT) in a second of simulated time. The number of those beyond
/// is logged when the second is over.
///
/// They are also logged at level `warn`, at the end of the tick and in order of entity and field.
#[derive(Resource, Debug, Default)]
pub struct SteeringWarnings(Mutex<Raised>);

#[derive(Debug, Default)]
struct Raised {
    /// The tick in which each warning was last raised.
    last: HashMap<Raiser, u32>,
    /// How many may be remembered before those that no longer matter are forgotten.
    enough: usize,
    /// The warnings of this tick that are not logged yet.
    new: BTreeMap<Raiser, String>,
    tick: u32,
    /// How long the current second has lasted, s, and what was logged in it.
    second: f32,
    logged: usize,
    left_out: usize,
    recent: Vec<SteeringWarning>,
    /// How many were logged so far.
    told: usize,
}

/// Entity and field, and the behavior whose field it is if several on an entity have it.
type Raiser = (Entity, &'static str, &'static str);

impl SteeringWarnings {
    /// Ticks before a warning about the same entity and field is repeated (ten seconds at 60 Hz).
    pub const PATIENCE: u32 = 600;
    /// The most warnings that [`recent`](Self::recent) returns and that are logged in a second.
    pub const KEPT: usize = 64;
    /// The most pairs of entity and field that are remembered. While there are more, no others are
    /// raised.
    const REMEMBERED: usize = 1 << 16;

    /// Warns about `field` of `entity`, unless it did in the last [`PATIENCE`](Self::PATIENCE)
    /// ticks. May be called from parallel systems.
    pub fn raise(
        &self,
        clock: &SteeringClock,
        entity: Entity,
        field: &'static str,
        message: impl FnOnce() -> String,
    ) {
        self.raise_of(clock, entity, (field, ""), message);
    }

    /// [Warns](Self::raise) about a field of a behavior that others on the entity may have as well, as those of
    /// [`Influence`](crate::Influence).
    pub(crate) fn raise_of(
        &self,
        clock: &SteeringClock,
        entity: Entity,
        (field, behavior): (&'static str, &'static str),
        message: impl FnOnce() -> String,
    ) {
        let raiser = (entity, field, behavior);
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_due(clock.tick, raiser) {
            raised.add(raiser, message());
        }
    }

    /// [Warns](Self::raise) about an invalid parameter of `entity`. `effect` tells what happens until it is valid, as in
    /// "it does not turn".
    pub fn raise_invalid(
        &self,
        clock: &SteeringClock,
        entity: Entity,
        error: &InvalidParameter,
        effect: impl fmt::Display,
    ) {
        self.raise_invalid_of(clock, entity, "", error, effect);
    }

    /// The same for each behavior of the entity.
    pub(crate) fn raise_invalid_of(
        &self,
        clock: &SteeringClock,
        entity: Entity,
        behavior: &'static str,
        error: &InvalidParameter,
        effect: impl fmt::Display,
    ) {
        self.raise_of(clock, entity, (error.field, behavior), || {
            format!("{error}; until then {effect}")
        });
    }

    /// [Warns](Self::raise) that a behavior of `entity` depends on a condition that is not there.
    #[cold]
    pub(crate) fn raise_missing(
        &self,
        clock: &SteeringClock,
        entity: Entity,
        behavior: &'static str,
        condition: ConditionType,
    ) {
        self.raise_of(clock, entity, ("Influence.when", behavior), || {
            format!(
                "{behavior} depends on {condition:?}, which neither this entity nor its agent has, or which is not \
                 registered with add_condition; until then {behavior} counts as zero"
            )
        });
    }

    /// The latest warnings, oldest first, at most [`KEPT`](Self::KEPT).
    pub fn recent(&self) -> Vec<SteeringWarning> {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.log();
        raised.recent.clone()
    }

    /// The warnings that came since the last call with the same counter, which begins at zero; oldest first, at most
    /// [`KEPT`](Self::KEPT). For a message on the screen:
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::SteeringWarnings;
    /// fn show_warnings(warnings: Res<SteeringWarnings>, mut seen: Local<usize>) {
    ///     for warning in warnings.unseen(&mut seen) {
    ///         println!("{}", warning.message);
    ///     }
    /// }
    /// # bevy::ecs::system::assert_is_system(show_warnings);
    /// ```
    pub fn unseen(&self, seen: &mut usize) -> Vec<SteeringWarning> {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.log();
        let new = raised.told.saturating_sub(*seen);
        *seen = raised.told;
        let known = raised.recent.len().saturating_sub(new);
        raised.recent[known..].to_vec()
    }
}

/// Whether a warning of the tick `last` is not to be repeated. A rollback repeats none either.
fn is_recent(tick: u32, last: u32) -> bool {
    tick.abs_diff(last) < SteeringWarnings::PATIENCE
}

impl Raised {
    /// Whether a warning is to be raised now. It is then recent for some time.
    fn is_due(&mut self, tick: u32, raiser: Raiser) -> bool {
        if self.tick != tick {
            self.log();
            self.tick = tick;
            self.forget(tick);
        }
        let is_due = match self.last.get(&raiser) {
            Some(&last) => !is_recent(tick, last),
            None => self.last.len() < SteeringWarnings::REMEMBERED,
        };
        if is_due {
            self.last.insert(raiser, tick);
        }
        is_due
    }

    /// Keeps the first warnings by entity and field, regardless of the order in which threads raise them.
    fn add(&mut self, raiser: Raiser, message: String) {
        self.new.insert(raiser, message);
        if self.new.len() > SteeringWarnings::KEPT {
            self.new.pop_last();
            self.left_out += 1;
        }
    }

    /// Forgets the warnings that may be repeated, whenever as many were added as are still
    /// recent: memory is proportional to the faults of the last ticks, not to those ever seen.
    fn forget(&mut self, tick: u32) {
        if self.last.len() >= self.enough {
            self.last.retain(|_, last| is_recent(tick, *last));
            let enough = (2 * self.last.len()).max(SteeringWarnings::KEPT);
            self.enough = enough.min(SteeringWarnings::REMEMBERED);
        }
    }

    /// Logs the new warnings, as many as the second allows.
    fn log(&mut self) {
        while let Some(((entity, field, _), message)) = self.new.pop_first() {
            if self.logged == SteeringWarnings::KEPT {
                self.left_out += 1;
                continue;
            }
            self.logged += 1;
            if self.recent.len() >= SteeringWarnings::KEPT {
                self.recent.remove(0);
            }
            let message = format!("entity {entity}: {message}");
            log::warn!("{message}");
            self.told += 1;
            self.recent.push(SteeringWarning {
                entity,
                field,
                message,
            });
        }
    }

    /// Lets `delta` s pass; returns how many warnings were left out of a second that is over.
    fn pass(&mut self, delta: f32) -> usize {
        self.second += delta;
        if self.second < 1.0 {
            return 0;
        }
        (self.second, self.logged) = (0.0, 0);
        std::mem::take(&mut self.left_out)
    }
}

/// Logs the warnings of this tick.
pub(crate) fn log_warnings(clock: Res<SteeringClock>, warnings: Res<SteeringWarnings>) {
    let mut raised = warnings.0.lock().unwrap_or_else(PoisonError::into_inner);
    raised.log();
    let left_out = raised.pass(clock.delta);
    if left_out > 0 {
        log::warn!("… and {left_out} more warnings in the last second");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(tick: u32) -> SteeringClock {
        SteeringClock { tick, ..default() }
    }

    #[test]
    fn a_warning_is_repeated_only_after_a_while() {
        let warnings = SteeringWarnings::default();
        for tick in 0..=SteeringWarnings::PATIENCE {
            warnings.raise(&clock(tick), Entity::PLACEHOLDER, "A.b", || "bad".into());
        }
        assert_eq!(warnings.recent().len(), 2);
        warnings.raise(&clock(700), Entity::PLACEHOLDER, "A.c", || "bad".into());
        assert_eq!(warnings.recent().len(), 3);
    }

    #[test]
    fn each_counter_gets_a_warning_once() {
        let warnings = SteeringWarnings::default();
        let (mut one, mut other) = (0, 0);
        assert_eq!(warnings.unseen(&mut one), []);
        warnings.raise(&clock(1), Entity::PLACEHOLDER, "A.b", || "bad".into());
        assert_eq!(warnings.unseen(&mut one).len(), 1);
        warnings.raise(&clock(2), Entity::PLACEHOLDER, "A.c", || "bad".into());
        let fields: Vec<_> = warnings
            .unseen(&mut one)
            .iter()
            .map(|it| it.field)
            .collect();
        assert_eq!(fields, ["A.c"]);
        assert_eq!(warnings.unseen(&mut other).len(), 2);
        assert_eq!(warnings.unseen(&mut one), []);
    }

    /// Lets these entities raise a warning in every tick; returns the lines and the number
    /// left out.
    fn flood(ticks: u32, entities: impl Iterator<Item = u32> + Clone) -> (Vec<String>, usize) {
        let warnings = SteeringWarnings::default();
        let (mut lines, mut left_out) = (Vec::new(), 0);
        for tick in 0..ticks {
            for index in entities.clone() {
                let entity = Entity::from_raw_u32(index).unwrap();
                warnings.raise(&clock(tick), entity, "A.b", || "bad".into());
            }
            let mut raised = warnings.0.lock().unwrap();
            let before = raised.logged;
            raised.log();
            let all = raised.recent.iter().rev();
            lines.extend(
                all.take(raised.logged - before)
                    .map(|it| it.message.clone()),
            );
            left_out += raised.pass(1.0 / 60.0);
        }
        (lines, left_out)
    }

    #[test]
    fn a_flood_of_warnings_is_cut_to_a_number_per_second() {
        let (lines, left_out) = flood(70, 0..10_000);
        assert_eq!((lines.len(), left_out), (64, 10_000 - 64));
        let more_than_remembered = SteeringWarnings::REMEMBERED as u32 + 5_000;
        let (lines, _) = flood(3, 0..more_than_remembered);
        assert_eq!(lines.len(), 64);
    }

    #[test]
    fn faults_of_despawned_agents_are_forgotten() {
        let warnings = SteeringWarnings::default();
        for tick in 0..20 * SteeringWarnings::PATIENCE {
            let entity = Entity::from_raw_u32(tick).unwrap();
            warnings.raise(&clock(tick), entity, "A.b", || "bad".into());
            let remembered = warnings.0.lock().unwrap().last.len();
            assert!(remembered <= 2 * SteeringWarnings::PATIENCE as usize);
        }
    }

    #[test]
    fn the_warnings_of_a_tick_are_the_same_in_any_order() {
        let forward = flood(1, 0..1_000);
        assert_eq!(flood(1, (0..1_000).rev()), forward);
    }

    #[test]
    fn a_rollback_repeats_no_warning() {
        let warnings = SteeringWarnings::default();
        for tick in [100, 101, 97, 98, 99, 100, 101, 102] {
            warnings.raise(&clock(tick), Entity::PLACEHOLDER, "A.b", || "bad".into());
        }
        assert_eq!(warnings.recent().len(), 1);
    }
}
