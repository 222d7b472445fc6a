//! Warnings about invalid parameters: the entity, the field and the reason.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use crate::SteeringClock;

/// Why a component cannot be used: the field, its value and what it must be.
///
/// Returned by [`Vehicle::check`](crate::Vehicle::check) and
/// [`Behavior::check`](crate::Behavior::check). The range of a field is in its documentation. In
/// addition, a positive number is between [`SMALLEST`](Self::SMALLEST) and
/// [`LARGEST`](Self::LARGEST); only radii of perception, distances that may be infinite, and weights
/// may be larger.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidParameter {
    /// `Component.field`, as it is in the code.
    pub field: &'static str,
    /// The offending value, printed.
    pub value: String,
    /// What the field must be, completing "must be …".
    pub must_be: &'static str,
}

impl fmt::Display for InvalidParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            value,
            must_be,
        } = self;
        write!(f, "{field} is {value}, but must be {must_be}")
    }
}

impl std::error::Error for InvalidParameter {}

impl InvalidParameter {
    /// The largest number that a parameter and the state of a body may have, in its unit: a
    /// billion meters, newtons, kilograms or seconds. Squares and products of numbers in range do
    /// not overflow.
    pub const LARGEST: f32 = 1e9;
    /// The smallest number that a parameter above zero may have, in its unit.
    pub const SMALLEST: f32 = 1e-9;

    #[inline(always)]
    fn unless(
        ok: bool,
        field: &'static str,
        value: impl fmt::Debug,
        must_be: impl FnOnce() -> &'static str,
    ) -> Result<(), Self> {
        if ok {
            Ok(())
        } else {
            Err(Self::new(field, &value, must_be()))
        }
    }

    #[cold]
    fn new(field: &'static str, value: &dyn fmt::Debug, must_be: &'static str) -> Self {
        Self {
            field,
            value: format!("{value:?}"),
            must_be,
        }
    }

    /// Accepts positive numbers from [`SMALLEST`](Self::SMALLEST) to [`LARGEST`](Self::LARGEST).
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_positive(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (Self::SMALLEST..=Self::LARGEST).contains(&value);
        Self::unless(ok, field, value, || {
            if is_positive(value) {
                "between 1e-9 and 1e9"
            } else {
                "positive and finite"
            }
        })
    }

    /// Accepts finite numbers from [`SMALLEST`](Self::SMALLEST), for ranges beyond any distance.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub(crate) fn unless_range(field: &'static str, value: f32) -> Result<(), Self> {
        // The other numbers are refused as any other parameter is.
        Self::unless_positive(
            field,
            if value <= f32::MAX {
                value.min(Self::LARGEST)
            } else {
                value
            },
        )
    }

    /// Accepts numbers from [`SMALLEST`](Self::SMALLEST); infinity is allowed.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_positive_or_infinite(field: &'static str, value: f32) -> Result<(), Self> {
        Self::unless(
            value >= Self::SMALLEST,
            field,
            value,
            || "positive, at least 1e-9 (infinity is allowed)",
        )
    }

    /// Accepts zero and positive numbers up to [`LARGEST`](Self::LARGEST).
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_non_negative(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (0.0..=Self::LARGEST).contains(&value);
        Self::unless(ok, field, value, || {
            if is_positive(value) {
                "at most 1e9"
            } else {
                "zero or more, and finite"
            }
        })
    }

    /// Accepts `1 ≤ value`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_some(field: &'static str, value: u32) -> Result<(), Self> {
        Self::unless(value > 0, field, value, || "at least 1")
    }

    /// Accepts `0 ≤ value ≤ 1`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_fraction(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (0.0..=1.0).contains(&value);
        Self::unless(ok, field, value, || "between 0 and 1")
    }

    /// Accepts numbers of a range; `must_be` completes "must be …".
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_within(
        field: &'static str,
        value: f32,
        range: RangeInclusive<f32>,
        must_be: &'static str,
    ) -> Result<(), Self> {
        Self::unless(range.contains(&value), field, value, || must_be)
    }

    /// Accepts `0 ≤ value ≤ π`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_half_turn(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (0.0..=core::f32::consts::PI).contains(&value);
        Self::unless(ok, field, value, || "an angle between 0 and π")
    }

    /// Accepts the full angle of a field of view, rad: up to `4π`, or infinity. A larger number is most likely in degrees.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_field_of_view(field: &'static str, value: f32) -> Result<(), Self> {
        let most = 2.0 * core::f32::consts::TAU;
        let ok = (Self::SMALLEST..=most).contains(&value) || value == f32::INFINITY;
        let must_be = || "an angle in radians between 1e-9 and 4π, or infinite";
        Self::unless(ok, field, value, must_be)
    }

    /// Accepts a vector of two finite coordinates, each at most [`LARGEST`](Self::LARGEST).
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_finite(field: &'static str, value: Vec2) -> Result<(), Self> {
        Self::unless(Self::is_in_range(value), field, value, || {
            if value.is_finite() {
                "at most 1e9 along each axis"
            } else {
                "finite"
            }
        })
    }

    /// Whether both coordinates are finite and at most [`LARGEST`](Self::LARGEST).
    #[inline]
    pub(crate) fn is_in_range(value: Vec2) -> bool {
        value.abs().cmple(Vec2::splat(Self::LARGEST)).all()
    }
}

/// Whether only the size of a number can be wrong, so that a message must tell the exact range.
fn is_positive(value: f32) -> bool {
    value > 0.0 && value <= f32::MAX
}

/// A warning that was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteeringWarning {
    /// The entity with the faulty component.
    pub entity: Entity,
    /// `Component.field`.
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
}

/// Entity and field.
type Raiser = (Entity, &'static str);

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
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.tick != clock.tick {
            raised.log();
            raised.tick = clock.tick;
            raised.forget(clock.tick);
        }
        let raiser = (entity, field);
        match raised.last.get(&raiser) {
            Some(&last) if is_recent(clock.tick, last) => return,
            None if raised.last.len() >= Self::REMEMBERED => return,
            _ => raised.last.insert(raiser, clock.tick),
        };
        // The first by entity and field, regardless of the order in which threads raise them.
        raised.new.insert(raiser, message());
        if raised.new.len() > Self::KEPT {
            raised.new.pop_last();
            raised.left_out += 1;
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
        self.raise(clock, entity, error.field, || {
            format!("{error}; until then {effect}")
        });
    }

    /// The latest warnings, oldest first, at most [`KEPT`](Self::KEPT).
    pub fn recent(&self) -> Vec<SteeringWarning> {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.log();
        raised.recent.clone()
    }
}

/// Whether a warning of the tick `last` is not to be repeated. A rollback repeats none either.
fn is_recent(tick: u32, last: u32) -> bool {
    tick.abs_diff(last) < SteeringWarnings::PATIENCE
}

impl Raised {
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
        while let Some(((entity, field), message)) = self.new.pop_first() {
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

    #[test]
    fn numbers_whose_squares_overflow_are_out_of_range() {
        let error = InvalidParameter::unless_positive("Vehicle.max_force", 2e19).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Vehicle.max_force is 2e19, but must be between 1e-9 and 1e9"
        );
        assert!(InvalidParameter::unless_positive("x", 1e-38).is_err());
        assert!(InvalidParameter::unless_non_negative("x", 1e-38).is_ok());
        assert!(InvalidParameter::unless_finite("x", Vec2::new(0.0, -1e10)).is_err());
        assert!(InvalidParameter::unless_range("x", 1e30).is_ok());
        assert!(InvalidParameter::unless_range("x", f32::INFINITY).is_err());
    }

    #[test]
    fn a_field_of_view_in_degrees_is_refused() {
        let check = |angle| InvalidParameter::unless_field_of_view("Alone.field_of_view", angle);
        for angle in [1e-9, 7.0, 4.0 * core::f32::consts::PI, f32::INFINITY] {
            assert!(check(angle).is_ok(), "{angle}");
        }
        for angle in [0.0, -1.0, 12.6, f32::NAN, f32::NEG_INFINITY] {
            assert!(check(angle).is_err(), "{angle}");
        }
        assert_eq!(
            check(270.0).unwrap_err().to_string(),
            "Alone.field_of_view is 270.0, but must be an angle in radians between 1e-9 and 4π, or infinite"
        );
    }

    #[test]
    fn messages_name_field_value_and_range() {
        let error = InvalidParameter::unless_positive("Vehicle.max_speed", -3.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Vehicle.max_speed is -3.0, but must be positive and finite"
        );
        assert!(InvalidParameter::unless_positive("x", f32::NAN).is_err());
        assert!(InvalidParameter::unless_positive_or_infinite("x", f32::INFINITY).is_ok());
        assert!(InvalidParameter::unless_fraction("x", 1.5).is_err());
    }
}
