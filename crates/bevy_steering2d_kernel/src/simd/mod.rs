//! SIMD registers of eight `f32`, with the same bits on every processor.
//!
//! A [`Register`] has eight logical lanes whatever the hardware: one register of AVX2, two of
//! SSE2, or an array. Every implementation does the same IEEE operations in the same order
//! (multiply, then add; never fused; the same reduction tree), so all give the same bits and the
//! fastest one can be chosen at run time with [`dispatch`].

mod portable;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions")]
mod x86_64;

use std::ops::{Add, Div, Mul, Sub};
use std::sync::atomic::{AtomicBool, Ordering};

pub use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub use x86_64::Sse2;

/// Numbers per register.
pub const WIDTH: usize = 8;

/// Work that is generic over the register it computes with.
///
/// Mark [`run`](Self::run) and all it calls with registers as `#[inline(always)]`: only code that
/// is inlined into the caller is compiled for the chosen instruction set.
pub trait Operation {
    /// The result.
    type Output;

    /// Does the work with registers of type `R`.
    fn run<R: Register>(self) -> Self::Output;
}

/// Runs an operation with the best registers this processor has.
#[inline]
pub fn dispatch<O: Operation>(operation: O) -> O::Output {
    #[cfg(target_arch = "x86_64")]
    if !BASELINE_ONLY.load(Ordering::Relaxed)
        && let Some(avx2) = x86_64::HasAvx2::detect()
    {
        return avx2.run(operation);
    }
    operation.run::<Baseline>()
}

/// Whether [`dispatch`] ignores what this processor has beyond the [`Baseline`].
static BASELINE_ONLY: AtomicBool = AtomicBool::new(false);

/// Makes [`dispatch`] use [`Baseline`] registers for the rest of the process. For tests that compare
/// instruction sets.
pub fn limit_to_baseline() {
    BASELINE_ONLY.store(true, Ordering::Relaxed);
}

/// The estimate `0x5f375a86 − bits/2` of 1/√x, to be refined.
const INVERSE_SQRT_GUESS: u32 = 0x5f37_5a86;

/// The arithmetic of a formula, for one `f32` or a register of eight.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// `value` in every lane.
    fn splat(value: f32) -> Self;
    /// `self` where it is less, else `other`.
    fn min(self, other: Self) -> Self;
    /// `self` where it is greater, else `other`.
    fn max(self, other: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// 1 where `self < other`, else 0.
    #[inline(always)]
    fn is_below(self, other: Self) -> Self {
        self.keep_below(other, Self::splat(1.0))
    }
    /// `then` where `self < other`, else `otherwise`.
    fn if_below(self, other: Self, then: Self, otherwise: Self) -> Self;
    /// `value` where `self < other`, else 0.
    #[inline(always)]
    fn keep_below(self, other: Self, value: Self) -> Self {
        self.if_below(other, value, Self::splat(0.0))
    }
    /// Whether `self ≤ other`, if that is worth a branch: for one number, whose branch is mostly
    /// predicted. False for registers.
    #[inline(always)]
    fn branch_at_most(self, _other: Self) -> bool {
        false
    }
    /// The integer estimate of 1/√x, within 4 %.
    fn guess_inverse_sqrt(self) -> Self;

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

    #[inline(always)]
    fn branch_at_most(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn guess_inverse_sqrt(self) -> Self {
        f32::from_bits(INVERSE_SQRT_GUESS.wrapping_sub(self.to_bits() >> 1))
    }
}

/// The dot product of two vectors.
#[inline(always)]
pub fn dot<N: Number>([a, b]: [N; 2], [c, d]: [N; 2]) -> N {
    a * c + b * d
}

/// The length of a vector.
#[inline(always)]
pub fn length<N: Number>([x, y]: [N; 2]) -> N {
    (x * x + y * y).sqrt()
}

/// The vector, shortened to `most` if it is longer.
#[inline(always)]
pub fn clamp_length<N: Number>([x, y]: [N; 2], most: N) -> [N; 2] {
    let share = (most / length([x, y])).min(N::splat(1.0));
    [x * share, y * share]
}

/// Eight `f32`, one per lane.
pub trait Register: Number {
    /// The eight numbers from `at`.
    fn load(from: &[f32], at: usize) -> Self;
    /// 1 where one of the eight bit masks from `at` has a bit in common with `mask`, else 0.
    fn with_common_bit(masks: &[u32], at: usize, mask: u32) -> Self;
    /// One bit for each lane, the lowest for the first: whether `self ≤ other`.
    fn at_most(self, other: Self) -> u32;
    /// Stores the eight numbers from `at` on.
    fn store(self, into: &mut [f32], at: usize);
    /// Stores the lanes with a bit in `lanes`, the lowest for the first, one after the other from `at` on.
    /// The rest of the eight numbers from `at` on may be overwritten with anything.
    #[inline(always)]
    fn pack(self, lanes: u32, into: &mut [f32], at: usize) {
        let mut numbers = [0.0; WIDTH];
        self.store(&mut numbers, 0);
        pack_each(lanes, &mut into[at..at + WIDTH], |lane| numbers[lane]);
    }
    /// [Packs](Self::pack) the numbers from `first` on, one for each lane.
    #[inline(always)]
    fn pack_numbers(first: u32, lanes: u32, into: &mut [u32], at: usize) {
        let number = |lane: usize| first.wrapping_add(lane as u32);
        pack_each(lanes, &mut into[at..at + WIDTH], number);
    }
    /// [Packs](Self::pack) the numbers of a list from `from` on within the list.
    #[inline(always)]
    fn pack_within(numbers: &mut [u32], from: usize, lanes: u32, at: usize) {
        let eight: [u32; WIDTH] = std::array::from_fn(|lane| numbers[from + lane]);
        pack_each(lanes, &mut numbers[at..at + WIDTH], |lane| eight[lane]);
    }
    /// 1 in each lane with a bit in `lanes`, the lowest for the first, else 0.
    #[inline(always)]
    fn of_lanes(lanes: u32) -> Self {
        const BITS: [u32; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128];
        Self::with_common_bit(&BITS, 0, lanes)
    }
    /// Each number without its fraction. Lanes that do not fit an `i32` hold any number.
    fn truncated(self) -> [i32; WIDTH];
    /// `((a+e) + (c+g)) + ((b+f) + (d+h))`
    fn sum(self) -> f32;
    /// Eight [sums](Self::sum) at once, one in each lane.
    #[inline(always)]
    fn sums(all: [Self; WIDTH]) -> Self {
        Self::load(&all.map(Self::sum), 0)
    }

    /// The first lane of each, then the second of each, and so on.
    #[inline(always)]
    fn transposed(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        let mut numbers = [0.0; WIDTH * WIDTH];
        for (at, row) in rows.into_iter().enumerate() {
            row.store(&mut numbers, WIDTH * at);
        }
        let mut columns = [Self::zero(); WIDTH];
        for (at, column) in columns.iter_mut().enumerate() {
            let mut lanes = [0.0; WIDTH];
            for (lane, number) in lanes.iter_mut().zip(numbers.iter().skip(at).step_by(WIDTH)) {
                *lane = *number;
            }
            *column = Self::load(&lanes, 0);
        }
        columns
    }

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

/// Writes the values of the lanes with a bit one after the other, without a branch.
#[inline(always)]
fn pack_each<T>(lanes: u32, into: &mut [T], value: impl Fn(usize) -> T) {
    let mut packed = 0;
    for lane in 0..WIDTH {
        into[packed] = value(lane);
        packed += (lanes >> lane & 1) as usize;
    }
}

/// The registers that every processor of this architecture has.
#[cfg(target_arch = "x86_64")]
pub type Baseline = Sse2;
/// The registers that every processor of this architecture has.
#[cfg(not(target_arch = "x86_64"))]
pub type Baseline = Portable;

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

    #[expect(clippy::disallowed_methods, reason = "powers of two are exact")]
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

    #[test]
    fn lanes_with_a_bit_are_packed_one_after_the_other() {
        let (mut packed, mut numbered) = ([9.0; 10], [9; 10]);
        let register = Portable(from_fn(|i| i as f32));
        register.pack(0b1001_0100, &mut packed, 1);
        assert_eq!(packed[..4], [9.0, 2.0, 4.0, 7.0]);
        Portable::pack_numbers(16, 0b1001_0100, &mut numbered, 1);
        assert_eq!(numbered[..4], [9, 18, 20, 23]);
        let mut moved = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        Portable::pack_within(&mut moved, 2, 0b1001_0100, 1);
        assert_eq!(moved[..4], [1, 5, 7, 10]);
        let flags = Portable::of_lanes(0b1001_0100);
        assert_eq!(flags.0, [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    }

    /// Every operation of a register, on numbers of all signs and sizes.
    struct All;

    impl Operation for All {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<R: Register>(self) -> Vec<u32> {
            let numbers: [f32; 64] = from_fn(|i| (i as f32 + 0.3).sqrt() - 4.0);
            let masks: [u32; 64] = from_fn(|i| i as u32 * 7);
            let rows: [R; WIDTH] = from_fn(|i| R::load(&numbers, WIDTH * i));
            let [a, b, ..] = rows;
            let mut registers = vec![
                R::sums(rows),
                a + b,
                a - b,
                a * b,
                a / b,
                a.min(b),
                a.max(b),
                b.max(R::zero()).sqrt(),
                b.max(R::zero()).inverse_sqrt(),
                a.is_below(R::splat(-3.0)),
                a.if_below(b, a, b),
                R::with_common_bit(&masks, 8, 5),
            ];
            registers.extend(R::transposed(rows));
            let mut bits = vec![a.at_most(R::splat(-3.0)), a.sum().to_bits()];
            for lanes in 0..1 << WIDTH {
                let count = u32::count_ones(lanes) as usize;
                let (mut packed, mut numbered) = ([0.0; WIDTH], [0; WIDTH]);
                a.pack(lanes, &mut packed, 0);
                R::pack_numbers(7, lanes, &mut numbered, 0);
                registers.push(R::of_lanes(lanes));
                bits.extend(packed[..count].iter().map(|number| number.to_bits()));
                bits.extend(&numbered[..count]);
                let mut moved: [u32; 2 * WIDTH] = from_fn(|at| 100 + at as u32);
                R::pack_within(&mut moved, WIDTH, lanes, 3);
                bits.extend(&moved[..3 + count]);
            }
            bits.extend(a.truncated().map(i32::cast_unsigned));
            for register in registers {
                let mut stored = [0.0; WIDTH];
                register.store(&mut stored, 0);
                bits.extend(stored.map(f32::to_bits));
            }
            bits
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let oracle = All.run::<Portable>();
        assert_eq!(All.run::<Baseline>(), oracle);
        assert_eq!(dispatch(All), oracle);
    }

    #[test]
    fn rows_become_columns() {
        let numbers: [f32; 64] = from_fn(|i| i as f32);
        let columns = Portable::transposed(from_fn(|i| Portable::load(&numbers, WIDTH * i)));
        for (at, column) in columns.into_iter().enumerate() {
            assert_eq!(column.0, from_fn(|lane| (WIDTH * lane + at) as f32));
        }
    }
}
