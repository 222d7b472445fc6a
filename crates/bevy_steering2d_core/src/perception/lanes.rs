//! Eight numbers at a time, the same bits on every processor.
//!
//! There are always eight logical lanes, whatever the registers: one of AVX2, two of SSE2, or
//! an array. Every implementation does the same IEEE operations in the same order (multiply,
//! then add; never fused; the same reduction tree), so all give the same bits and the fastest may
//! be chosen at run time.

#[cfg(any(test, not(target_arch = "x86_64")))]
use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

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

/// Eight lanes in an array, for processors without a version of their own; the oracle of tests.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portable(pub(crate) [f32; LANES]);

#[cfg(any(test, not(target_arch = "x86_64")))]
macro_rules! each_lane {
    ($a:ident, $b:ident, $operator:tt) => {
        Self(from_fn(|i| $a.0[i] $operator $b.0[i]))
    };
}

#[cfg(any(test, not(target_arch = "x86_64")))]
operators!(Portable, each_lane: Add add +, Sub sub -, Mul mul *, Div div /);

#[cfg(any(test, not(target_arch = "x86_64")))]
impl Number for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
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
}

#[cfg(any(test, not(target_arch = "x86_64")))]
impl Lanes for Portable {
    #[inline(always)]
    fn load(from: &[f32], at: usize) -> Self {
        let chunk = &from[at..at + LANES];
        Self(from_fn(|i| chunk[i]))
    }

    #[inline(always)]
    fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self {
        let chunk = &masks[at..at + LANES];
        Self(from_fn(|i| f32::from(u8::from(chunk[i] & mask != 0))))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> u32 {
        let bit = |i: usize| u32::from(self.0[i] <= other.0[i]) << i;
        (0..LANES).map(bit).sum()
    }

    #[inline(always)]
    fn store(self, into: &mut [f32], at: usize) {
        into[at..at + LANES].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn guess_inverse_sqrt(self) -> Self {
        let guess = |x: f32| f32::from_bits(INVERSE_SQRT_GUESS.wrapping_sub(x.to_bits() >> 1));
        Self(self.0.map(guess))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{Avx2, Sse2};

/// What every processor of this kind can do.
#[cfg(target_arch = "x86_64")]
pub(crate) type Baseline = Sse2;
/// What every processor of this kind can do.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Baseline = Portable;

/// Registers of x86-64.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod x86_64 {
    use std::arch::x86_64::*;
    use std::ops::{Add, Div, Mul, Sub};

    use super::{INVERSE_SQRT_GUESS, LANES, Lanes, Number};

    /// One register of AVX2.
    ///
    /// Made and used only inside functions that were chosen because the processor has AVX2
    /// (`walk_places_avx2`, `settle_avx2`): that is what makes the instructions below sound.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256);

    macro_rules! avx2 {
        ($a:ident, $b:ident, $operation:ident) => {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { $operation($a.0, $b.0) })
        };
    }

    operators!(Avx2, avx2: Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps,
        Div div _mm256_div_ps);

    impl Number for Avx2 {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_sqrt_ps(self.0) })
        }

        #[inline(always)]
        fn is_below(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe {
                let below = _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0);
                _mm256_and_ps(below, _mm256_set1_ps(1.0))
            })
        }

        #[inline(always)]
        fn if_below(self, other: Self, then: Self, otherwise: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe {
                let below = _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0);
                _mm256_blendv_ps(otherwise.0, then.0, below)
            })
        }
    }

    impl Lanes for Avx2 {
        #[inline(always)]
        fn load(from: &[f32], at: usize) -> Self {
            let chunk = &from[at..at + LANES];
            // SAFETY: the processor has AVX2; the slice holds eight numbers.
            Self(unsafe { _mm256_loadu_ps(chunk.as_ptr()) })
        }

        #[inline(always)]
        fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self {
            let chunk = &masks[at..at + LANES];
            // SAFETY: the processor has AVX2; the slice holds eight masks.
            Self(unsafe {
                let masks = _mm256_loadu_si256(chunk.as_ptr().cast());
                let common = _mm256_and_si256(masks, _mm256_set1_epi32(mask as i32));
                let none = _mm256_cmpeq_epi32(common, _mm256_setzero_si256());
                _mm256_andnot_ps(_mm256_castsi256_ps(none), _mm256_set1_ps(1.0))
            })
        }

        #[inline(always)]
        fn at_most(self, other: Self) -> u32 {
            // SAFETY: the processor has AVX2, see the type.
            unsafe {
                _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)).cast_unsigned()
            }
        }

        #[inline(always)]
        fn store(self, into: &mut [f32], at: usize) {
            let chunk = &mut into[at..at + LANES];
            // SAFETY: the processor has AVX2; the slice holds eight numbers.
            unsafe { _mm256_storeu_ps(chunk.as_mut_ptr(), self.0) };
        }

        #[inline(always)]
        fn guess_inverse_sqrt(self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe {
                let half = _mm256_srli_epi32::<1>(_mm256_castps_si256(self.0));
                let guess = _mm256_set1_epi32(INVERSE_SQRT_GUESS as i32);
                _mm256_castsi256_ps(_mm256_sub_epi32(guess, half))
            })
        }

        #[inline(always)]
        fn sum(self) -> f32 {
            // SAFETY: the processor has AVX2, see the type.
            unsafe {
                let halves = _mm_add_ps(
                    _mm256_castps256_ps128(self.0),
                    _mm256_extractf128_ps::<1>(self.0),
                );
                sum_of_four(halves)
            }
        }

        #[inline(always)]
        fn sums([a, c, e, g, b, d, f, h]: [Self; LANES]) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe {
                // The same tree as `sum`, for two, four and then eight vectors in one register.
                let halves = |a: Self, b: Self| {
                    _mm256_add_ps(
                        _mm256_permute2f128_ps::<0x20>(a.0, b.0),
                        _mm256_permute2f128_ps::<0x31>(a.0, b.0),
                    )
                };
                let pairs = |ab, cd| {
                    _mm256_add_ps(
                        _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
                        _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
                    )
                };
                let acbd = pairs(halves(a, b), halves(c, d));
                let egfh = pairs(halves(e, f), halves(g, h));
                _mm256_add_ps(
                    _mm256_shuffle_ps::<0b10_00_10_00>(acbd, egfh),
                    _mm256_shuffle_ps::<0b11_01_11_01>(acbd, egfh),
                )
            })
        }

        #[inline(always)]
        fn transposed([a, b, c, d, e, f, g, h]: [Self; LANES]) -> [Self; LANES] {
            // SAFETY: the processor has AVX2, see the type.
            unsafe {
                // Pairs of numbers of two rows, then of four, then of eight.
                let (ab_low, ab_high) =
                    (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
                let (cd_low, cd_high) =
                    (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
                let (ef_low, ef_high) =
                    (_mm256_unpacklo_ps(e.0, f.0), _mm256_unpackhi_ps(e.0, f.0));
                let (gh_low, gh_high) =
                    (_mm256_unpacklo_ps(g.0, h.0), _mm256_unpackhi_ps(g.0, h.0));
                let abcd = [
                    _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
                    _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
                    _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
                    _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
                ];
                let efgh = [
                    _mm256_shuffle_ps::<0b01_00_01_00>(ef_low, gh_low),
                    _mm256_shuffle_ps::<0b11_10_11_10>(ef_low, gh_low),
                    _mm256_shuffle_ps::<0b01_00_01_00>(ef_high, gh_high),
                    _mm256_shuffle_ps::<0b11_10_11_10>(ef_high, gh_high),
                ];
                [
                    Self(_mm256_permute2f128_ps::<0x20>(abcd[0], efgh[0])),
                    Self(_mm256_permute2f128_ps::<0x20>(abcd[1], efgh[1])),
                    Self(_mm256_permute2f128_ps::<0x20>(abcd[2], efgh[2])),
                    Self(_mm256_permute2f128_ps::<0x20>(abcd[3], efgh[3])),
                    Self(_mm256_permute2f128_ps::<0x31>(abcd[0], efgh[0])),
                    Self(_mm256_permute2f128_ps::<0x31>(abcd[1], efgh[1])),
                    Self(_mm256_permute2f128_ps::<0x31>(abcd[2], efgh[2])),
                    Self(_mm256_permute2f128_ps::<0x31>(abcd[3], efgh[3])),
                ]
            }
        }
    }

    /// Two registers of SSE2, which every x86-64 has.
    #[derive(Clone, Copy)]
    pub(crate) struct Sse2(__m128, __m128);

    macro_rules! sse2 {
        ($a:ident, $b:ident, $operation:ident) => {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self($operation($a.0, $b.0), $operation($a.1, $b.1)) }
        };
    }

    operators!(Sse2, sse2: Add add _mm_add_ps, Sub sub _mm_sub_ps, Mul mul _mm_mul_ps,
        Div div _mm_div_ps);

    impl Number for Sse2 {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: every x86-64 has SSE2.
            let four = unsafe { _mm_set1_ps(value) };
            Self(four, four)
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_min_ps(self.0, other.0), _mm_min_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_max_ps(self.0, other.0), _mm_max_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_sqrt_ps(self.0), _mm_sqrt_ps(self.1)) }
        }

        #[inline(always)]
        fn if_below(self, other: Self, then: Self, otherwise: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe {
                let of = |a, b, then, otherwise| {
                    let below = _mm_cmplt_ps(a, b);
                    _mm_or_ps(_mm_and_ps(below, then), _mm_andnot_ps(below, otherwise))
                };
                Self(
                    of(self.0, other.0, then.0, otherwise.0),
                    of(self.1, other.1, then.1, otherwise.1),
                )
            }
        }
    }

    impl Lanes for Sse2 {
        #[inline(always)]
        fn load(from: &[f32], at: usize) -> Self {
            let chunk = &from[at..at + LANES];
            // SAFETY: every x86-64 has SSE2; the slice holds eight numbers.
            unsafe {
                Self(
                    _mm_loadu_ps(chunk.as_ptr()),
                    _mm_loadu_ps(chunk[4..].as_ptr()),
                )
            }
        }

        #[inline(always)]
        fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self {
            let chunk = &masks[at..at + LANES];
            // SAFETY: every x86-64 has SSE2; the slice holds eight masks.
            unsafe {
                let of = |four: &[u32]| {
                    let masks = _mm_loadu_si128(four.as_ptr().cast());
                    let common = _mm_and_si128(masks, _mm_set1_epi32(mask as i32));
                    let none = _mm_cmpeq_epi32(common, _mm_setzero_si128());
                    _mm_andnot_ps(_mm_castsi128_ps(none), _mm_set1_ps(1.0))
                };
                Self(of(&chunk[..4]), of(&chunk[4..]))
            }
        }

        #[inline(always)]
        fn at_most(self, other: Self) -> u32 {
            // SAFETY: every x86-64 has SSE2.
            unsafe {
                let of = |a, b| _mm_movemask_ps(_mm_cmple_ps(a, b)).cast_unsigned();
                of(self.0, other.0) | of(self.1, other.1) << 4
            }
        }

        #[inline(always)]
        fn store(self, into: &mut [f32], at: usize) {
            let chunk = &mut into[at..at + LANES];
            // SAFETY: every x86-64 has SSE2; the slice holds eight numbers.
            unsafe {
                _mm_storeu_ps(chunk.as_mut_ptr(), self.0);
                _mm_storeu_ps(chunk[4..].as_mut_ptr(), self.1);
            }
        }

        #[inline(always)]
        fn guess_inverse_sqrt(self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe {
                let guess = _mm_set1_epi32(INVERSE_SQRT_GUESS as i32);
                let of = |lanes| {
                    let half = _mm_srli_epi32::<1>(_mm_castps_si128(lanes));
                    _mm_castsi128_ps(_mm_sub_epi32(guess, half))
                };
                Self(of(self.0), of(self.1))
            }
        }

        #[inline(always)]
        fn sum(self) -> f32 {
            // SAFETY: every x86-64 has SSE2.
            unsafe { sum_of_four(_mm_add_ps(self.0, self.1)) }
        }
    }

    /// `(a + c) + (b + d)`
    #[inline(always)]
    unsafe fn sum_of_four(four: __m128) -> f32 {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let pairs = _mm_add_ps(four, _mm_movehl_ps(four, four));
            let second = _mm_shuffle_ps::<0b01>(pairs, pairs);
            _mm_cvtss_f32(_mm_add_ss(pairs, second))
        }
    }
}

#[cfg(test)]
mod tests {
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
