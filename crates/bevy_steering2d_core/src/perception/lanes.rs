//! Eight numbers at a time, the same bits on every processor.
//!
//! The code is plain Rust over arrays of eight. It is compiled twice, once for the baseline and
//! once for AVX2, and the better one is chosen at run time. Both do the same operations in the
//! same order (multiply, then add; never fused), so both give the same bits.

use std::array::from_fn;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// How many candidates are looked at together.
pub(crate) const LANES: usize = 8;

/// Eight `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub(crate) fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    /// The eight numbers from `at`.
    #[inline(always)]
    pub(crate) fn load(from: &[f32], at: usize) -> Self {
        let chunk = &from[at..at + LANES];
        Self(from_fn(|lane| chunk[lane]))
    }

    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self(from_fn(|i| {
            if self.0[i] > other.0[i] {
                self.0[i]
            } else {
                other.0[i]
            }
        }))
    }

    /// 1 where `self < other`, else 0.
    #[inline(always)]
    pub(crate) fn is_below(self, other: Self) -> Self {
        Self(from_fn(|i| if self.0[i] < other.0[i] { 1.0 } else { 0.0 }))
    }

    /// Keeps the first `count` lanes and sets the others to `rest`.
    #[inline(always)]
    pub(crate) fn keep_first(self, count: usize, rest: f32) -> Self {
        Self(from_fn(|i| if i < count { self.0[i] } else { rest }))
    }

    /// 1/√x to five parts in a million by integer estimate and two Newton steps: no division,
    /// finite at zero, and the same bits everywhere.
    #[inline(always)]
    pub(crate) fn inverse_sqrt(self) -> Self {
        let half = self * Self::splat(0.5);
        let guess = Self(from_fn(|i| {
            f32::from_bits(0x5f37_5a86_u32.wrapping_sub(self.0[i].to_bits() >> 1))
        }));
        let refine = |y: Self| y * (Self::splat(1.5) - half * y * y);
        refine(refine(guess))
    }

    /// The sum of all eight, always in the same order.
    #[inline(always)]
    pub(crate) fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $function:ident $symbol:tt),*) => {$(
        impl $operator for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self(from_fn(|i| self.0[i] $symbol other.0[i]))
            }
        }
    )*};
}
lane_by_lane!(Add add +, Sub sub -, Mul mul *);

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Lanes {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Whether the wide version may run here.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_sqrt_is_close_and_finite_at_zero() {
        for exponent in -20..20 {
            let x = 1.7 * 2_f32.powi(exponent);
            let error = Lanes::splat(x).inverse_sqrt().0[0] * x.sqrt() - 1.0;
            assert!(error.abs() < 6e-6, "{x}: {error}");
        }
        assert!(Lanes::ZERO.inverse_sqrt().0[0].is_finite());
    }

    #[test]
    fn the_rest_of_a_chunk_is_masked() {
        let lanes = Lanes(from_fn(|i| i as f32)).keep_first(3, -1.0);
        assert_eq!(lanes.0, [0.0, 1.0, 2.0, -1.0, -1.0, -1.0, -1.0, -1.0]);
        assert_eq!(Lanes(from_fn(|i| i as f32)).sum(), 28.0);
    }
}
