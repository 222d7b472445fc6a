//! Digests of numbers and bytes, to compare files and the states of runs.

/// FNV-1a with 64 bits, over numbers or bytes: the same on every platform and in every version. No protection
/// against forgery.
///
/// ```
/// # use bevy_steering2d_core::digest;
/// assert_eq!(digest("foobar".bytes()), 0x8594_4171_f739_67e8);
/// assert_ne!(digest([1.0_f32, 2.0].map(f32::to_bits)), digest([2.0_f32, 1.0].map(f32::to_bits)));
/// ```
pub fn digest(parts: impl IntoIterator<Item: Into<u64>>) -> u64 {
    parts
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |digest, part| {
            (digest ^ part.into()).wrapping_mul(0x0000_0100_0000_01b3)
        })
}
