//! Eight numbers at a time, the same bits on every processor.
//!
//! There are always eight logical lanes, whatever the registers: one of AVX2, two of SSE2, or
//! an array. Every implementation does the same IEEE operations in the same order (multiply,
//! then add; never fused; the same reduction tree), so all give the same bits and the fastest may
//! be chosen at run time.

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod x86_64;

use std::ops::{Add, Div, Mul, Sub};

#[cfg(any(test, not(target_arch = "x86_64")))]
pub(crate) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{Avx2, Sse2};

/// How many numbers are handled together.
pub(crate) const LANES: usize = 8;

/// The estimate `0x5f375a86 − bits/2` of 1/√x, to be refined.
const INVERSE_SQRT_GUESS: u32 = 0x5f37_5a86;

/// What a formula needs of its numbers, be it one `f32` or eight.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn splat(value: f32) -> Self;
    /// `self` where it is less, else `other`.
    fn min(self, other: Self) -> Self;
    /// `self` where it is greater, else `other`.
    fn max(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// 1 where `self < other`, else 0.
    fn is_below(self, other: Self) -> Self {
        self.if_below(other, Self::splat(1.0), Self::splat(0.0))
    }
    /// `then` where `self < other`, else `otherwise`.
    fn if_below(self, other: Self, then: Self, otherwise: Self) -> Self;
}

impl Number for f32 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }

    #[inline(always)]
    fn if_below(self, other: Self, then: Self, otherwise: Self) -> Self {
        if self < other { then } else { otherwise }
    }
}

#[inline(always)]
pub(crate) fn length<N: Number>([x, y]: [N; 2]) -> N {
    (x * x + y * y).sqrt()
}

/// The vector, shortened to `most` if it is longer.
#[inline(always)]
pub(crate) fn clamp_length<N: Number>([x, y]: [N; 2], most: N) -> [N; 2] {
    let share = (most / length([x, y])).min(N::splat(1.0));
    [x * share, y * share]
}

/// Eight `f32` and what can be done with them, lane by lane.
pub(crate) trait Lanes: Number {
    /// The eight numbers from `at`.
    fn load(from: &[f32], at: usize) -> Self;
    /// 1 where one of the eight bit masks from `at` has a bit in common with `mask`, else 0.
    fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self;
    /// One bit for each lane, the lowest for the first: whether `self ≤ other`.
    fn at_most(self, other: Self) -> u32;
    /// Puts the eight numbers to `at`.
    fn store(self, into: &mut [f32], at: usize);
    /// The integer estimate of 1/√x, within 4 %.
    fn guess_inverse_sqrt(self) -> Self;
    /// `((a+e) + (c+g)) + ((b+f) + (d+h))`
    fn sum(self) -> f32;
    /// Eight [sums](Self::sum) at once, one in each lane.
    #[inline(always)]
    fn sums(all: [Self; LANES]) -> Self {
        Self::load(&all.map(Self::sum), 0)
    }

    /// The first lane of each, then the second of each, and so on.
    #[inline(always)]
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        let mut numbers = [0.0; LANES * LANES];
        for (at, row) in rows.into_iter().enumerate() {
            row.store(&mut numbers, LANES * at);
        }
        let mut columns = [Self::zero(); LANES];
        for (at, column) in columns.iter_mut().enumerate() {
            let mut lanes = [0.0; LANES];
            for (lane, number) in lanes.iter_mut().zip(numbers.iter().skip(at).step_by(LANES)) {
                *lane = *number;
            }
            *column = Self::load(&lanes, 0);
        }
        columns
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// 1/√x to five parts in a million: an estimate and two Newton steps, no division, finite at
    /// zero.
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        let half = self * Self::splat(0.5);
        let three_halves = Self::splat(1.5);
        let y = self.guess_inverse_sqrt();
        let y = y * (three_halves - half * y * y);
        y * (three_halves - half * y * y)
    }
}

/// What every processor of this kind can do.
#[cfg(target_arch = "x86_64")]
pub(crate) type Baseline = Sse2;
/// What every processor of this kind can do.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Baseline = Portable;

/// The four operators of a type of lanes.
macro_rules! operators {
    ($lanes:ty, $operate:ident: $($operator:ident $method:ident $how:tt),*) => {$(
        impl $operator for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                $operate!(self, other, $how)
            }
        }
    )*};
}
use operators;

#[cfg(test)]
mod tests {
    use std::array::from_fn;

    use super::*;

    #[test]
    fn inverse_sqrt_is_close_and_finite_at_zero() {
        for exponent in -20..20 {
            let x = 1.7 * 2_f32.powi(exponent);
            let error = Portable::splat(x).inverse_sqrt().0[0] * x.sqrt() - 1.0;
            assert!(error.abs() < 6e-6, "{x}: {error}");
        }
        assert!(Portable::zero().inverse_sqrt().0[0].is_finite());
    }

    #[test]
    fn lanes_are_summed_and_stored() {
        let mut stored = [9.0; 10];
        Portable(from_fn(|i| i as f32)).store(&mut stored, 1);
        assert_eq!(stored, [9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0]);
        assert_eq!(Portable(from_fn(|i| i as f32)).sum(), 28.0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn eight_sums_at_once_are_the_single_ones() {
        fn sums<L: Lanes>() -> [f32; LANES] {
            let numbers: [f32; 64] = from_fn(|i| (i as f32 + 0.3).sqrt());
            let mut sums = [0.0; LANES];
            L::sums(from_fn(|i| L::load(&numbers, LANES * i))).store(&mut sums, 0);
            sums
        }
        #[target_feature(enable = "avx2")]
        fn sums_avx2() -> [f32; LANES] {
            sums::<Avx2>()
        }
        assert_eq!(sums::<Sse2>(), sums::<Portable>());
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            #[expect(unsafe_code, reason = "the instruction set is chosen at run time")]
            let at_once = unsafe { sums_avx2() };
            assert_eq!(at_once, sums::<Portable>());
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn rows_become_columns() {
        fn transposed<L: Lanes>() -> [f32; 64] {
            let numbers: [f32; 64] = from_fn(|i| i as f32);
            let columns = L::transposed(from_fn(|i| L::load(&numbers, LANES * i)));
            let mut stored = [0.0; 64];
            for (at, column) in columns.into_iter().enumerate() {
                column.store(&mut stored, LANES * at);
            }
            stored
        }
        #[target_feature(enable = "avx2")]
        fn transposed_avx2() -> [f32; 64] {
            transposed::<Avx2>()
        }
        let expected: [f32; 64] = from_fn(|i| (LANES * (i % LANES) + i / LANES) as f32);
        assert_eq!(transposed::<Portable>(), expected);
        assert_eq!(transposed::<Sse2>(), expected);
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            #[expect(unsafe_code, reason = "the instruction set is chosen at run time")]
            let at_once = unsafe { transposed_avx2() };
            assert_eq!(at_once, expected);
        }
    }
}
