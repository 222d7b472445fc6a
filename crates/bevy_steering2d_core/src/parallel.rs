//! One dispatch per stage, and none at all for small worlds.

use bevy::ecs::query::{IterQueryData, QueryFilter, QueryItem};
use bevy::prelude::*;

/// Below this many agents the threads cost more than they give.
const SERIAL_BELOW: usize = 1_000;

/// Runs `visit` for every match, in parallel when there are enough of them.
///
/// Each item is visited on its own: what happens to one agent cannot end the loop for others.
pub(crate) fn for_each_mut<D, F>(
    query: &mut Query<D, F>,
    visit: impl Fn(QueryItem<'_, '_, D>) + Send + Sync + Clone,
) where
    D: IterQueryData,
    F: QueryFilter,
{
    let (_, at_most) = query.iter_mut().size_hint();
    if at_most.is_some_and(|count| count < SERIAL_BELOW) {
        query.iter_mut().for_each(visit);
    } else {
        query.par_iter_mut().for_each(visit);
    }
}
