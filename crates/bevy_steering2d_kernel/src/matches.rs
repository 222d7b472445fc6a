//! Parallel passes over the matches of a query, on the worker pool.
//!
//! Bevy's `par_iter_mut` spawns tasks on the compute pool, whose threads the worker pool keeps awake and busy:
//! its tasks would wait for a thread that spins, or wake another one that takes a core from the two.

#[cfg(test)]
mod tests;

use bevy::ecs::query::{IterQueryData, QueryFilter, QueryItem, QueryIter};
use bevy::prelude::*;

use crate::chunks::{Pass, chunk_size, for_each_chunk};

/// Calls `visit` for every match of a query, in parallel if the [`Pass`] is over enough of them; `scratch` makes a
/// value for each chunk of matches.
///
/// A match mostly goes to the thread that had it in earlier passes and ticks, whose cache still holds its
/// components. A visit reads and writes nothing but its match, so the number of threads cannot change a result.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_steering2d_kernel::{LIGHT_PASS, for_each_match};
///
/// fn drift(mut bodies: Query<&mut Transform>) {
///     for_each_match(&mut bodies, LIGHT_PASS, || (), |(), mut body| body.translation.x += 1.0);
/// }
/// ```
///
/// # Panics
/// When `visit` does, with the payload of the first panic; other matches may or may not have been visited.
pub fn for_each_match<D, F, T>(
    query: &mut Query<D, F>,
    pass: Pass,
    scratch: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, QueryItem<'_, '_, D>) + Sync,
) where
    D: IterQueryData,
    F: QueryFilter,
{
    let mut rest = query.iter_mut();
    let most = rest.size_hint().1.unwrap_or_default();
    let size = chunk_size(most, pass);
    if size >= most {
        let mut scratch = scratch();
        // Bevy goes through whole tables here, which takes fewer instructions than one match after another.
        rest.for_each(|it| visit(&mut scratch, it));
        return;
    }
    let chunks = (0..most.div_ceil(size)).map(|_| {
        // SAFETY: every match of `rest` is dropped at once, before its chunk is visited, and the chunks are disjoint.
        #[expect(unsafe_code, reason = "the borrow checker cannot tell chunks apart")]
        let matches = unsafe { from_here(&mut rest) };
        let count = rest.by_ref().take(size).count();
        Chunk { matches, count }
    });
    for_each_chunk(chunks, |Chunk { matches, count }| {
        let mut scratch = scratch();
        for it in matches.take(count) {
            visit(&mut scratch, it);
        }
    });
}

/// The next `count` of these matches; those behind them belong to other chunks.
struct Chunk<'w, 's, D: IterQueryData, F: QueryFilter> {
    matches: QueryIter<'w, 's, D, F>,
    count: usize,
}

// SAFETY: a `Query` is `Send` and makes this iterator on any thread. The iterator holds what the query holds, and the
// fetches of its data and filter. Those of Bevy are pointers to components, which are `Send` and `Sync`, and ticks; a
// fetch that must stay on its thread would need a `QueryData` or `QueryFilter` written by hand, with unsafe code.
#[expect(unsafe_code, reason = "pointers, which are not `Send` by themselves")]
unsafe impl<D: IterQueryData, F: QueryFilter> Send for Chunk<'_, '_, D, F> {}

/// An iterator from where `rest` is now.
///
/// # Safety
/// No match may be borrowed from both at the same time.
#[expect(unsafe_code, reason = "the lifetime no longer guards against that")]
unsafe fn from_here<'w, 's, D: IterQueryData, F: QueryFilter>(
    rest: &mut QueryIter<'w, 's, D, F>,
) -> QueryIter<'w, 's, D, F> {
    let here = rest.remaining_mut();
    // SAFETY: only the lifetime differs, and the caller vouches for what it guards against.
    unsafe { std::mem::transmute::<QueryIter<'_, 's, D, F>, QueryIter<'w, 's, D, F>>(here) }
}
