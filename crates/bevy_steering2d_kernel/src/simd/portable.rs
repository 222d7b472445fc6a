//! Registers as plain arrays: for processors without an own version, and the oracle of the tests.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

use super::{INVERSE_SQRT_GUESS, Number, Register, WIDTH, operators};

/// Eight numbers in an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portable(pub [f32; WIDTH]);

macro_rules! each_lane {
    ($a:ident, $b:ident, $operator:tt) => {
        Self(from_fn(|i| $a.0[i] $operator $b.0[i]))
    };
}

operators!(Portable, each_lane: Add add +, Sub sub -, Mul mul *, Div div /);

impl Number for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; WIDTH])
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(from_fn(|i| Number::min(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(from_fn(|i| Number::max(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn if_below(self, other: Self, then: Self, otherwise: Self) -> Self {
        Self(from_fn(|i| {
            self.0[i].if_below(other.0[i], then.0[i], otherwise.0[i])
        }))
    }

    #[inline(always)]
    fn guess_inverse_sqrt(self) -> Self {
        let guess = |x: f32| f32::from_bits(INVERSE_SQRT_GUESS.wrapping_sub(x.to_bits() >> 1));
        Self(self.0.map(guess))
    }
}

impl Register for Portable {
    #[inline(always)]
    fn load(from: &[f32], at: usize) -> Self {
        let chunk = &from[at..at + WIDTH];
        Self(from_fn(|i| chunk[i]))
    }

    #[inline(always)]
    fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self {
        let chunk = &masks[at..at + WIDTH];
        Self(from_fn(|i| f32::from(u8::from(chunk[i] & mask != 0))))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        let bit = |i: usize| u32::from(self.0[i] <= other.0[i]) << i;
        (0..WIDTH).map(bit).sum()
    }

    #[inline(always)]
    fn store(self, into: &mut [f32], at: usize) {
        into[at..at + WIDTH].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn truncated(self) -> [i32; WIDTH] {
        self.0.map(|number| number as i32)
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}
