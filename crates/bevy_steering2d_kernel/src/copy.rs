//! Copies that leave the cache to others.

/// A cache line, bytes.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Shorter copies go through the cache, bytes.
#[cfg(target_arch = "x86_64")]
const SHORT: usize = 16 * 1024;

/// Makes a list equal to a slice, in its memory. Long slices are written past the cache: for what is read
/// much later or never, so that the data of the next step stays cached.
pub fn copy_past_cache<T: Copy>(from: &[T], into: &mut Vec<T>) {
    #[cfg(target_arch = "x86_64")]
    if size_of_val(from) >= SHORT {
        into.clear();
        into.reserve(from.len());
        // SAFETY: there is room for all items, which are then initialized; `into` is another allocation,
        // since it is borrowed mutably.
        #[expect(unsafe_code, reason = "no safe store leaves the cache alone")]
        unsafe {
            stream(
                from.as_ptr().cast(),
                into.as_mut_ptr().cast(),
                size_of_val(from),
            );
            into.set_len(from.len());
        }
        return;
    }
    from.clone_into(into);
}

/// Copies bytes by stores without caching; only those in incomplete cache lines are cached.
///
/// # Safety
/// Both pointers are valid for that many bytes, which do not overlap.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "no safe store leaves the cache alone")]
unsafe fn stream(from: *const u8, into: *mut u8, bytes: usize) {
    let head = into.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: head, lines and tail together are the bytes.
    unsafe {
        into.copy_from_nonoverlapping(from, head);
        into.add(tail)
            .copy_from_nonoverlapping(from.add(tail), bytes - tail);
        if lines > 0 {
            // Assembly, since items may have uninitialized padding. Stores without caching are ordered by
            // the fence only.
            std::arch::asm!(
                "2:",
                "movups {a}, [{from}]",
                "movups {b}, [{from} + 16]",
                "movups {c}, [{from} + 32]",
                "movups {d}, [{from} + 48]",
                "movntps [{into}], {a}",
                "movntps [{into} + 16], {b}",
                "movntps [{into} + 32], {c}",
                "movntps [{into} + 48], {d}",
                "add {from}, 64",
                "add {into}, 64",
                "dec {lines}",
                "jnz 2b",
                "sfence",
                from = inout(reg) from.add(head) => _,
                into = inout(reg) into.add(head) => _,
                lines = inout(reg) lines => _,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                options(nostack),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_all_lengths_are_equal() {
        // With padding, and not aligned to cache lines.
        type Item = (u32, u8, u16);
        let items: Vec<Item> = (0..20_000_u32)
            .map(|i| (i, i as u8, (i * 7) as u16))
            .collect();
        let mut copy = Vec::new();
        for length in [0, 1, 7, 8, 2_047, 2_048, 2_049, 19_999, 3, 20_000] {
            for from in [0, 1, 5] {
                let items = &items[from.min(length)..length];
                copy_past_cache(items, &mut copy);
                assert_eq!(copy, items);
            }
        }
    }

    #[test]
    fn a_copy_reuses_memory() {
        let items = vec![1.5_f32; 10_000];
        let mut copy = vec![0.0_f32; 10_000];
        let before = copy.as_ptr();
        copy_past_cache(&items, &mut copy);
        assert_eq!((copy.as_ptr(), &copy), (before, &items));
    }
}
