//! Warnings about invalid parameters: the entity, the field and the reason.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use crate::SteeringClock;

/// Why a component cannot be used: the field, its value and what it must be.
///
/// Returned by [`Vehicle::check`](crate::Vehicle::check) and
/// [`Behavior::check`](crate::Behavior::check).
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
    #[inline(always)]
    fn unless(
        ok: bool,
        field: &'static str,
        value: impl fmt::Debug,
        must_be: &'static str,
    ) -> Result<(), Self> {
        if ok {
            Ok(())
        } else {
            Err(Self::new(field, &value, must_be))
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

    /// Accepts `0 < value < ∞`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_positive(field: &'static str, value: f32) -> Result<(), Self> {
        // Not `< INFINITY`, which is compiled into a slow classification of bits.
        let ok = value > 0.0 && value <= f32::MAX;
        Self::unless(ok, field, value, "positive and finite")
    }

    /// Accepts `0 < value`; infinity is allowed.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_positive_or_infinite(field: &'static str, value: f32) -> Result<(), Self> {
        Self::unless(value > 0.0, field, value, "positive (infinity is allowed)")
    }

    /// Accepts `0 ≤ value < ∞`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_non_negative(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (0.0..=f32::MAX).contains(&value);
        Self::unless(ok, field, value, "zero or more, and finite")
    }

    /// Accepts `1 ≤ value`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_some(field: &'static str, value: u32) -> Result<(), Self> {
        Self::unless(value > 0, field, value, "at least 1")
    }

    /// Accepts `0 ≤ value ≤ 1`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_fraction(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (0.0..=1.0).contains(&value);
        Self::unless(ok, field, value, "between 0 and 1")
    }

    /// Accepts `0 ≤ value ≤ π`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_half_turn(field: &'static str, value: f32) -> Result<(), Self> {
        let ok = (0.0..=core::f32::consts::PI).contains(&value);
        Self::unless(ok, field, value, "an angle between 0 and π")
    }

    /// Accepts a vector of two finite coordinates.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_finite(field: &'static str, value: Vec2) -> Result<(), Self> {
        Self::unless(value.is_finite(), field, value, "finite")
    }
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

/// The warnings raised so far, at most one per entity and field in [`PATIENCE`](Self::PATIENCE)
/// ticks.
///
/// They are also logged at level `warn`.
#[derive(Resource, Debug, Default)]
pub struct SteeringWarnings(Mutex<Raised>);

#[derive(Debug, Default)]
struct Raised {
    last: HashMap<(Entity, &'static str), u32>,
    recent: Vec<SteeringWarning>,
}

impl SteeringWarnings {
    /// Ticks before a warning about the same entity and field is repeated (ten seconds at 60 Hz).
    pub const PATIENCE: u32 = 600;
    /// The most warnings that [`recent`](Self::recent) returns.
    pub const KEPT: usize = 64;

    /// Warns about `field` of `entity`, unless it did in the last [`PATIENCE`](Self::PATIENCE)
    /// ticks. The message is built only if it is logged. May be called from parallel systems.
    pub fn raise(
        &self,
        clock: &SteeringClock,
        entity: Entity,
        field: &'static str,
        message: impl FnOnce() -> String,
    ) {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&last) = raised.last.get(&(entity, field))
            && clock.tick.wrapping_sub(last) < Self::PATIENCE
        {
            return;
        }
        // Bounds the memory of a game that keeps despawning faulty entities.
        if raised.last.len() >= 4096 {
            raised.last.clear();
        }
        raised.last.insert((entity, field), clock.tick);
        if raised.recent.len() >= Self::KEPT {
            raised.recent.remove(0);
        }
        let message = format!("entity {entity}: {}", message());
        log::warn!("{message}");
        raised.recent.push(SteeringWarning {
            entity,
            field,
            message,
        });
    }

    /// The latest warnings, oldest first, at most [`KEPT`](Self::KEPT).
    pub fn recent(&self) -> Vec<SteeringWarning> {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.recent.clone()
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
