//! What an animal notices.

use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;
use bevy_steering2d::Circle;

use crate::look::Pose;

/// Eyes that see a cone ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Eyes {
    /// How far, m.
    pub(crate) range: f32,
    /// How wide, half of it on each side, rad.
    pub(crate) angle: f32,
}

impl Eyes {
    /// Whether a point is in the cone, whatever stands in between.
    pub(crate) fn include(self, from: Pose, point: Vec2) -> bool {
        let offset = point - from.position;
        let ahead = from.facing * Vec2::X;
        offset.length() <= self.range && ahead.angle_to(offset).abs() <= 0.5 * self.angle
    }

    /// Where the looks of these eyes end, from right to left: at rocks, or at their range.
    pub(crate) fn looks(self, from: Pose, rocks: &[Circle]) -> impl Iterator<Item = Vec2> {
        const LOOKS: u32 = 160;
        (0..=LOOKS).map(move |look| {
            let angle = self.angle * (look as f32 / LOOKS as f32 - 0.5);
            let direction = from.facing * Vec2::from_angle(angle);
            let hits = rocks
                .iter()
                .filter_map(|rock| meets(from.position, direction, rock));
            from.position + hits.fold(self.range, f32::min) * direction
        })
    }
}

/// Whether no rock stands between two points.
pub(crate) fn is_clear(from: Vec2, to: Vec2, rocks: &[Circle]) -> bool {
    let Some(direction) = (to - from).try_normalize() else {
        return true;
    };
    let distance = from.distance(to);
    let mut hits = rocks.iter().filter_map(|rock| meets(from, direction, rock));
    hits.all(|hit| hit > distance)
}

/// How far along a look a rock is, m.
fn meets(from: Vec2, direction: Vec2, rock: &Circle) -> Option<f32> {
    let offset = rock.center - from;
    let along = offset.dot(direction);
    let half_chord = rock.radius * rock.radius - (offset - along * direction).length_squared();
    let near = along - half_chord.max(0.0).sqrt();
    (half_chord > 0.0 && near > 0.0).then_some(near)
}

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
    fn eyes_see_ahead_and_not_through_rocks() {
        let eyes = Eyes {
            range: 10.0,
            angle: 2.0,
        };
        let hunter = Pose {
            position: Vec2::new(1.0, 0.0),
            facing: Rot2::degrees(90.0),
        };
        assert!(eyes.include(hunter, Vec2::new(1.0, 9.0)));
        assert!(!eyes.include(hunter, Vec2::new(1.0, 11.0)), "too far");
        assert!(!eyes.include(hunter, Vec2::new(9.0, 0.0)), "beside");
        assert!(!eyes.include(hunter, Vec2::new(1.0, -2.0)), "behind");

        let rock = [Circle::new(Vec2::new(0.0, 5.0), 1.0)];
        let clear = |x, y| is_clear(Vec2::ZERO, Vec2::new(x, y), &rock);
        assert!(!clear(0.0, 9.0));
        assert!(clear(0.0, 3.9), "before it");
        assert!(clear(9.0, 9.0), "past it");
        assert!(clear(0.0, -9.0), "it is behind");
        let pose = Pose {
            position: Vec2::ZERO,
            facing: Rot2::degrees(90.0),
        };
        let farthest = eyes.looks(pose, &rock).map(Vec2::length);
        assert!(
            farthest
                .into_iter()
                .all(|length| (4.0 - 1e-4..10.0 + 1e-4).contains(&length))
        );
    }

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
