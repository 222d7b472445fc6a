//! [`InvalidParameter`]: what is wrong with a parameter, and the ranges that parameters may have.
//!
//! A faulty component is checked in every tick and told once, so the value is printed only for the message.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use bevy::prelude::*;

/// Why a component cannot be used: the field, its value and what it must be.
///
/// Returned by [`Vehicle::check`](crate::Vehicle::check) and
/// [`Behavior::check`](crate::Behavior::check). The range of a field is in its documentation. In
/// addition, a positive number is as a rule between [`SMALLEST`](Self::SMALLEST) and
/// [`LARGEST`](Self::LARGEST); only the radii of perception of a flock and of conditions, fields that may be infinite,
/// and weights may be larger.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidParameter {
    /// `Component.field`, as it is in the code.
    pub field: &'static str,
    /// The offending value.
    pub value: InvalidValue,
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

/// The value of an [`InvalidParameter`], which `Display` prints as it is in the code. Numbers, vectors and texts convert into it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InvalidValue {
    /// A number, in the unit of the parameter.
    Number(f32),
    /// A count.
    Count(u32),
    /// A vector, in the unit of the parameter.
    Vector(Vec2),
    /// Any other value, printed.
    Printed(Cow<'static, str>),
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Count(value) => write!(f, "{value}"),
            Self::Vector(value) => write!(f, "{value:?}"),
            Self::Printed(value) => f.write_str(value),
        }
    }
}

impl From<f32> for InvalidValue {
    fn from(value: f32) -> Self {
        Self::Number(value)
    }
}

impl From<u32> for InvalidValue {
    fn from(value: u32) -> Self {
        Self::Count(value)
    }
}

impl From<Vec2> for InvalidValue {
    fn from(value: Vec2) -> Self {
        Self::Vector(value)
    }
}

impl From<&'static str> for InvalidValue {
    fn from(value: &'static str) -> Self {
        Self::Printed(value.into())
    }
}

impl From<String> for InvalidValue {
    fn from(value: String) -> Self {
        Self::Printed(value.into())
    }
}

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
        value: impl Into<InvalidValue>,
        must_be: impl FnOnce() -> &'static str,
    ) -> Result<(), Self> {
        if ok {
            Ok(())
        } else {
            Err(Self::new(field, value.into(), must_be()))
        }
    }

    #[cold]
    fn new(field: &'static str, value: InvalidValue, must_be: &'static str) -> Self {
        Self {
            field,
            value,
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
    pub fn unless_at_least_one(field: &'static str, value: u32) -> Result<(), Self> {
        Self::unless(value > 0, field, value, || "at least 1")
    }

    /// Accepts `0 ≤ value ≤ 1`.
    ///
    /// # Errors
    /// Names `field` otherwise.
    #[inline]
    pub fn unless_fraction(field: &'static str, value: f32) -> Result<(), Self> {
        Self::unless_within(field, value, 0.0..=1.0, "between 0 and 1")
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

#[cfg(test)]
mod tests {
    use super::*;

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
