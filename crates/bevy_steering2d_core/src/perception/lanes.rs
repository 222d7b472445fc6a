//! Eight numbers at a time, the same bits on every processor.
//!
//! There are always eight logical lanes, whatever the registers: one of AVX2, two of SSE2, or
//! an array. Every implementation does the same IEEE operations in the same order (multiply,
//! then add; never fused; the same reduction tree), so all give the same bits and the fastest may
//! be chosen at run time.

#[cfg(any(test, not(target_arch = "x86_64")))]
use std::array::from_fn;

/// How many numbers are handled together.
pub(crate) const LANES: usize = 8;

/// The estimate `0x5f375a86 − bits/2` of 1/√x, to be refined.
const INVERSE_SQRT_GUESS: u32 = 0x5f37_5a86;

/// Eight `f32` and what can be done with them, lane by lane.
pub(crate) trait Lanes: Copy {
    fn splat(value: f32) -> Self;
    /// The eight numbers from `at`.
    fn load(from: &[f32], at: usize) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self` where it is greater, else `other`.
    fn max(self, other: Self) -> Self;
    /// 1 where `self < other`, else 0.
    fn is_below(self, other: Self) -> Self;
    /// Keeps the first `count` lanes and sets the others to `rest`.
    fn keep_first(self, count: usize, rest: f32) -> Self;
    /// The integer estimate of 1/√x, within 4 %.
    fn guess_inverse_sqrt(self) -> Self;
    /// `((a+e) + (c+g)) + ((b+f) + (d+h))`
    fn sum(self) -> f32;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// 1/√x to five parts in a million: an estimate and two Newton steps, no division, finite at
    /// zero.
    #[inline(always)]
    fn inverse_sqrt(self) -> Self {
        let half = self.mul(Self::splat(0.5));
        let three_halves = Self::splat(1.5);
        let y = self.guess_inverse_sqrt();
        let y = y.mul(three_halves.sub(half.mul(y).mul(y)));
        y.mul(three_halves.sub(half.mul(y).mul(y)))
    }
}

/// Eight lanes in an array, for processors without a version of their own; the oracle of tests.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portable(pub(crate) [f32; LANES]);

#[cfg(any(test, not(target_arch = "x86_64")))]
impl Lanes for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(from: &[f32], at: usize) -> Self {
        let chunk = &from[at..at + LANES];
        Self(from_fn(|i| chunk[i]))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] - other.0[i]))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] * other.0[i]))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(from_fn(|i| {
            if self.0[i] > other.0[i] {
                self.0[i]
            } else {
                other.0[i]
            }
        }))
    }

    #[inline(always)]
    fn is_below(self, other: Self) -> Self {
        Self(from_fn(|i| f32::from(u8::from(self.0[i] < other.0[i]))))
    }

    #[inline(always)]
    fn keep_first(self, count: usize, rest: f32) -> Self {
        Self(from_fn(|i| if i < count { self.0[i] } else { rest }))
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

/// Registers of x86-64.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod x86_64 {
    use std::arch::x86_64::*;

    use super::{INVERSE_SQRT_GUESS, LANES, Lanes};

    /// Eight times all bits, then eight times none: a window into it masks the first lanes.
    static FIRST: [i32; 2 * LANES] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

    /// One register of AVX2.
    ///
    /// Made and used only inside functions that were chosen because the processor has AVX2
    /// (`walk_places_avx2`): that is what makes the instructions below sound.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256);

    impl Lanes for Avx2 {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_set1_ps(value) })
        }

        #[inline(always)]
        fn load(from: &[f32], at: usize) -> Self {
            let chunk = &from[at..at + LANES];
            // SAFETY: the processor has AVX2; the slice holds eight numbers.
            Self(unsafe { _mm256_loadu_ps(chunk.as_ptr()) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_add_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_sub_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_mul_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2, see the type.
            Self(unsafe { _mm256_max_ps(self.0, other.0) })
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
        fn keep_first(self, count: usize, rest: f32) -> Self {
            let window = &FIRST[LANES - count..2 * LANES - count];
            // SAFETY: the processor has AVX2; the window holds eight masks.
            Self(unsafe {
                let kept = _mm256_loadu_ps(window.as_ptr().cast());
                _mm256_blendv_ps(_mm256_set1_ps(rest), self.0, kept)
            })
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
    }

    /// Two registers of SSE2, which every x86-64 has.
    #[derive(Clone, Copy)]
    pub(crate) struct Sse2(__m128, __m128);

    impl Lanes for Sse2 {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: every x86-64 has SSE2.
            let four = unsafe { _mm_set1_ps(value) };
            Self(four, four)
        }

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
        fn add(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_add_ps(self.0, other.0), _mm_add_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_sub_ps(self.0, other.0), _mm_sub_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_mul_ps(self.0, other.0), _mm_mul_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe { Self(_mm_max_ps(self.0, other.0), _mm_max_ps(self.1, other.1)) }
        }

        #[inline(always)]
        fn is_below(self, other: Self) -> Self {
            // SAFETY: every x86-64 has SSE2.
            unsafe {
                let one = _mm_set1_ps(1.0);
                Self(
                    _mm_and_ps(_mm_cmplt_ps(self.0, other.0), one),
                    _mm_and_ps(_mm_cmplt_ps(self.1, other.1), one),
                )
            }
        }

        #[inline(always)]
        fn keep_first(self, count: usize, rest: f32) -> Self {
            let window = &FIRST[LANES - count..2 * LANES - count];
            // SAFETY: every x86-64 has SSE2; the window holds eight masks.
            unsafe {
                let rest = _mm_set1_ps(rest);
                let keep =
                    |lanes, kept| _mm_or_ps(_mm_and_ps(kept, lanes), _mm_andnot_ps(kept, rest));
                Self(
                    keep(self.0, _mm_loadu_ps(window.as_ptr().cast())),
                    keep(self.1, _mm_loadu_ps(window[4..].as_ptr().cast())),
                )
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
    fn the_rest_of_a_chunk_is_masked() {
        let lanes = Portable(from_fn(|i| i as f32)).keep_first(3, -1.0);
        assert_eq!(lanes.0, [0.0, 1.0, 2.0, -1.0, -1.0, -1.0, -1.0, -1.0]);
        assert_eq!(Portable(from_fn(|i| i as f32)).sum(), 28.0);
    }
}
