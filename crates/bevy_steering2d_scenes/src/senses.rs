//! Perception of animals: view cones, lines of sight and the choice of the nearest animal.

use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;
use bevy_steering2d::Circle;

use crate::look::Pose;

/// A view cone ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ViewCone {
    /// Range, m.
    pub(crate) range: f32,
    /// Full opening angle, rad.
    pub(crate) angle: f32,
}

impl ViewCone {
    /// Whether a point is in the cone; occlusion is ignored.
    pub(crate) fn contains(self, from: Pose, point: Vec2) -> bool {
        let offset = point - from.position;
        let ahead = from.facing * Vec2::X;
        offset.length() <= self.range && ahead.angle_to(offset).abs() <= 0.5 * self.angle
    }

    /// The ends of rays through the cone, from right to left: at a rock or at the range.
    pub(crate) fn ray_ends(self, from: Pose, rocks: &[Circle]) -> impl Iterator<Item = Vec2> {
        const RAYS: u32 = 160;
        (0..=RAYS).map(move |ray| {
            let angle = self.angle * (ray as f32 / RAYS as f32 - 0.5);
            let direction = from.facing * Vec2::from_angle(angle);
            let hits = rocks
                .iter()
                .filter_map(|rock| hit_distance(from.position, direction, rock));
            from.position + hits.fold(self.range, f32::min) * direction
        })
    }
}

/// Whether the line of sight between two points is free of rocks.
pub(crate) fn is_clear(from: Vec2, to: Vec2, rocks: &[Circle]) -> bool {
    let Some(direction) = (to - from).try_normalize() else {
        return true;
    };
    let distance = from.distance(to);
    let mut hits = rocks
        .iter()
        .filter_map(|rock| hit_distance(from, direction, rock));
    hits.all(|hit| hit > distance)
}

/// Distance along a ray to a rock, m; `None` if the ray misses it.
fn hit_distance(from: Vec2, direction: Vec2, rock: &Circle) -> Option<f32> {
    let offset = rock.center - from;
    let along = offset.dot(direction);
    let half_chord = rock.radius * rock.radius - (offset - along * direction).length_squared();
    let near = along - half_chord.max(0.0).sqrt();
    (half_chord > 0.0 && near > 0.0).then_some(near)
}

/// The nearest other entity within `range` m of `eye`.
///
/// The watched entity counts as a fifth nearer, so that the choice does not change with every
/// step.
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
    fn view_cone_contains_points_ahead_and_rocks_block_the_view() {
        let cone = ViewCone {
            range: 10.0,
            angle: 2.0,
        };
        let hunter = Pose {
            position: Vec2::new(1.0, 0.0),
            facing: Rot2::degrees(90.0),
        };
        assert!(cone.contains(hunter, Vec2::new(1.0, 9.0)));
        assert!(!cone.contains(hunter, Vec2::new(1.0, 11.0)), "too far");
        assert!(!cone.contains(hunter, Vec2::new(9.0, 0.0)), "beside");
        assert!(!cone.contains(hunter, Vec2::new(1.0, -2.0)), "behind");

        let rock = [Circle::new(Vec2::new(0.0, 5.0), 1.0)];
        let clear = |x, y| is_clear(Vec2::ZERO, Vec2::new(x, y), &rock);
        assert!(!clear(0.0, 9.0));
        assert!(clear(0.0, 3.9), "in front of the rock");
        assert!(clear(9.0, 9.0), "past the rock");
        assert!(clear(0.0, -9.0), "the rock is behind");
        let pose = Pose {
            position: Vec2::ZERO,
            facing: Rot2::degrees(90.0),
        };
        let farthest = cone.ray_ends(pose, &rock).map(Vec2::length);
        assert!(
            farthest
                .into_iter()
                .all(|length| (4.0 - 1e-4..10.0 + 1e-4).contains(&length))
        );
    }

    #[test]
    fn watched_entity_is_kept_until_another_is_much_nearer() {
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        let seen = |a_at, b_at, watched| nearest([(a, a_at), (b, b_at)].into_iter(), 10.0, watched);
        assert_eq!(seen(5.0, 4.5, None), Some(b));
        assert_eq!(seen(5.0, 4.5, Some(a)), Some(a));
        assert_eq!(seen(5.0, 3.0, Some(a)), Some(b), "much nearer wins");
        assert_eq!(
            seen(12.0, 20.0, Some(a)),
            Some(a),
            "watched a little farther"
        );
        assert_eq!(seen(12.0, 20.0, None), None);
    }
}
