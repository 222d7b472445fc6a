//! The registers of x86-64.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

use super::{INVERSE_SQRT_GUESS, Number, Operation, Register, WIDTH, operators};

/// Proof that the processor has AVX2, and POPCNT, which came before it; the only way to [`Avx2`] registers.
#[derive(Clone, Copy)]
pub(super) struct HasAvx2(());

impl HasAvx2 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        (has!("avx2") && has!("popcnt")).then_some(Self(()))
    }

    #[inline]
    pub(super) fn run<O: Operation>(self, operation: O) -> O::Output {
        #[target_feature(enable = "avx2,popcnt")]
        fn with_avx2<O: Operation>(operation: O) -> O::Output {
            operation.run::<Avx2>()
        }
        // SAFETY: `self` proves that the processor has both.
        unsafe { with_avx2(operation) }
    }
}

/// One register of AVX2.
///
/// The type is private and only [`HasAvx2::run`] names it: code that holds one runs on a processor
/// that has AVX2, which is what makes the instructions below sound.
#[derive(Clone, Copy)]
struct Avx2(__m256);

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
    fn keep_below(self, other: Self, value: Self) -> Self {
        // SAFETY: the processor has AVX2, see the type.
        Self(unsafe {
            let below = _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0);
            _mm256_and_ps(below, value.0)
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

    #[inline(always)]
    fn guess_inverse_sqrt(self) -> Self {
        // SAFETY: the processor has AVX2, see the type.
        Self(unsafe {
            let half = _mm256_srli_epi32::<1>(_mm256_castps_si256(self.0));
            let guess = _mm256_set1_epi32(INVERSE_SQRT_GUESS as i32);
            _mm256_castsi256_ps(_mm256_sub_epi32(guess, half))
        })
    }
}

impl Register for Avx2 {
    #[inline(always)]
    fn load(from: &[f32], at: usize) -> Self {
        let chunk = &from[at..at + WIDTH];
        // SAFETY: the processor has AVX2; the slice holds eight numbers.
        Self(unsafe { _mm256_loadu_ps(chunk.as_ptr()) })
    }

    #[inline(always)]
    fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self {
        let chunk = &masks[at..at + WIDTH];
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
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0)).cast_unsigned() }
    }

    #[inline(always)]
    fn store(self, into: &mut [f32], at: usize) {
        let chunk = &mut into[at..at + WIDTH];
        // SAFETY: the processor has AVX2; the slice holds eight numbers.
        unsafe { _mm256_storeu_ps(chunk.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn pack(self, lanes: u32, into: &mut [f32], at: usize) {
        let chunk = &mut into[at..at + WIDTH];
        // SAFETY: the processor has AVX2; the slice holds eight numbers.
        unsafe {
            let packed = _mm256_permutevar8x32_ps(self.0, packed_lanes(lanes));
            _mm256_storeu_ps(chunk.as_mut_ptr(), packed);
        }
    }

    #[inline(always)]
    fn pack_numbers(first: u32, lanes: u32, into: &mut [u32], at: usize) {
        let chunk = &mut into[at..at + WIDTH];
        // SAFETY: the processor has AVX2; the slice holds eight numbers.
        unsafe {
            let first = _mm256_set1_epi32(first.cast_signed());
            let numbers = _mm256_add_epi32(packed_lanes(lanes), first);
            _mm256_storeu_si256(chunk.as_mut_ptr().cast(), numbers);
        }
    }

    #[inline(always)]
    fn pack_within(numbers: &mut [u32], from: usize, lanes: u32, at: usize) {
        let chunk = &numbers[from..from + WIDTH];
        // SAFETY: the processor has AVX2; the slice holds eight numbers.
        let packed = unsafe {
            let eight = _mm256_loadu_si256(chunk.as_ptr().cast());
            _mm256_permutevar8x32_epi32(eight, packed_lanes(lanes))
        };
        let chunk = &mut numbers[at..at + WIDTH];
        // SAFETY: the processor has AVX2; the slice holds eight numbers.
        unsafe { _mm256_storeu_si256(chunk.as_mut_ptr().cast(), packed) };
    }

    #[inline(always)]
    fn truncated(self) -> [i32; WIDTH] {
        let mut numbers = [0; WIDTH];
        // SAFETY: the processor has AVX2; the array holds eight numbers.
        unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), _mm256_cvttps_epi32(self.0)) };
        numbers
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
    fn sums([a, c, e, g, b, d, f, h]: [Self; WIDTH]) -> Self {
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
    fn transposed([a, b, c, d, e, f, g, h]: [Self; WIDTH]) -> [Self; WIDTH] {
        // SAFETY: the processor has AVX2, see the type.
        unsafe {
            // Pairs of numbers of two rows, then of four, then of eight.
            let (ab_low, ab_high) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
            let (cd_low, cd_high) = (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
            let (ef_low, ef_high) = (_mm256_unpacklo_ps(e.0, f.0), _mm256_unpackhi_ps(e.0, f.0));
            let (gh_low, gh_high) = (_mm256_unpacklo_ps(g.0, h.0), _mm256_unpackhi_ps(g.0, h.0));
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

/// The lanes with a bit one after the other, one in each byte from the lowest on, for all eight bits.
static PACKED_LANES: [u64; 1 << WIDTH] = {
    let mut table = [0; 1 << WIDTH];
    let mut bits = 0;
    while bits < table.len() {
        let (mut lane, mut packed) = (0, 0);
        while lane < WIDTH {
            if bits >> lane & 1 == 1 {
                table[bits] |= (lane as u64) << (8 * packed);
                packed += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// The lanes with a bit in the lowest eight of `lanes`, one after the other.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn packed_lanes(lanes: u32) -> __m256i {
    let packed = PACKED_LANES[(lanes & 0xff) as usize];
    // SAFETY: the caller vouches for AVX2.
    unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(packed.cast_signed())) }
}

/// Two registers of SSE2, which every x86-64 has.
#[derive(Clone, Copy)]
pub struct Sse2(__m128, __m128);

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
}

impl Register for Sse2 {
    #[inline(always)]
    fn load(from: &[f32], at: usize) -> Self {
        let chunk = &from[at..at + WIDTH];
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
        let chunk = &masks[at..at + WIDTH];
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
        let chunk = &mut into[at..at + WIDTH];
        // SAFETY: every x86-64 has SSE2; the slice holds eight numbers.
        unsafe {
            _mm_storeu_ps(chunk.as_mut_ptr(), self.0);
            _mm_storeu_ps(chunk[4..].as_mut_ptr(), self.1);
        }
    }

    #[inline(always)]
    fn truncated(self) -> [i32; WIDTH] {
        let mut numbers = [0; WIDTH];
        let (first, second) = numbers.split_at_mut(4);
        // SAFETY: every x86-64 has SSE2; each half holds four numbers.
        unsafe {
            _mm_storeu_si128(first.as_mut_ptr().cast(), _mm_cvttps_epi32(self.0));
            _mm_storeu_si128(second.as_mut_ptr().cast(), _mm_cvttps_epi32(self.1));
        }
        numbers
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
