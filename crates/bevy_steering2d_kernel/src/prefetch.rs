//! Prefetch hints.

/// How many items ahead to prefetch: enough to hide the latency of another core's cache.
pub const PREFETCH_AHEAD: usize = 48;

/// Prefetches an item that is read soon, where the processor cannot predict the address or does not
/// predict far enough ahead. A hint: it changes nothing but the time.
#[inline(always)]
pub fn prefetch<T>(item: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = item {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item: *const i8 = std::ptr::from_ref(item).cast();
        for byte in (0..size_of::<T>()).step_by(CACHE_LINE) {
            // SAFETY: a hint about an address; every x86-64 has the instruction.
            #[expect(unsafe_code, reason = "there is no safe way to give the hint")]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(item.wrapping_add(byte));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Bytes per cache line.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;
