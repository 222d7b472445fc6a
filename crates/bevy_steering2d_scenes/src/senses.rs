//! What an animal notices.

use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;

/// The nearest of the others within `range` m, as seen from `eye`.
///
/// Whoever it has its eye on already counts as a fifth nearer, or it would change its mind with
/// every step.
pub(crate) fn notice<F: QueryFilter>(
    eye: &Transform,
    range: f32,
    watched: Option<Entity>,
    others: &Query<(Entity, &Transform), F>,
) -> Option<Entity> {
    let distances = others
        .iter()
        .map(|(entity, at)| (entity, eye.translation.distance(at.translation)));
    nearest(distances, range, watched)
}

fn nearest(
    distances: impl Iterator<Item = (Entity, f32)>,
    range: f32,
    watched: Option<Entity>,
) -> Option<Entity> {
    const LOYALTY: f32 = 0.8;
    distances
        .map(|(entity, distance)| {
            let bias = if watched == Some(entity) {
                LOYALTY
            } else {
                1.0
            };
            (entity, bias * distance)
        })
        .filter(|(_, distance)| *distance <= range)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(entity, _)| entity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sticks_to_whom_it_watches() {
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        let seen = |a_at, b_at, watched| nearest([(a, a_at), (b, b_at)].into_iter(), 10.0, watched);
        assert_eq!(seen(5.0, 4.5, None), Some(b));
        assert_eq!(seen(5.0, 4.5, Some(a)), Some(a));
        assert_eq!(seen(5.0, 3.0, Some(a)), Some(b), "much nearer wins");
        assert_eq!(seen(12.0, 20.0, Some(a)), Some(a), "seen a little farther");
        assert_eq!(seen(12.0, 20.0, None), None);
    }
}
