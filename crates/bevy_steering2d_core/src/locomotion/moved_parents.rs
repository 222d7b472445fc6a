//! The warning of point masses below a parent that is not at the identity.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use super::PointMass;
use crate::{SteeringClock, SteeringWarnings};

/// Point masses that were just put below a parent. Only then are its parents looked at, so that a tick costs nothing.
type Put = (
    With<PointMass>,
    With<ChildOf>,
    Or<(Added<PointMass>, Changed<ChildOf>)>,
    Allow<Disabled>,
);

/// Warns of point masses that a parent moves, turns or scales: their `Transform` is then not where they are in the world.
pub(crate) fn warn_of_moved_parents(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    put: Query<Entity, Put>,
    parents: Query<&ChildOf, Allow<Disabled>>,
    places: Query<&Transform, Allow<Disabled>>,
) {
    for entity in &put {
        let is_moved = |parent: &Entity| places.get(*parent).is_ok_and(|it| !is_identity(it));
        let mut parents = parents.iter_ancestors(entity);
        if let Some(parent) = parents.find(is_moved) {
            warnings.raise(&clock, entity, "PointMass", || {
                format!(
                    "has a PointMass below the parent {parent}, whose Transform is not the identity; a PointMass takes its own \
                     Transform for its place in the world: put it at the top level"
                )
            });
        }
    }
}

/// Whether a parent leaves its children where they are in the plane. Its height does not matter.
fn is_identity(place: &Transform) -> bool {
    place.translation.truncate() == Vec2::ZERO
        && place.rotation == Quat::IDENTITY
        && place.scale.truncate() == Vec2::ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_that_only_lifts_its_children_is_at_the_identity() {
        assert!(is_identity(&Transform::from_xyz(0.0, 0.0, 5.0)));
        assert!(!is_identity(&Transform::from_xyz(0.0, 1.0, 0.0)));
        assert!(!is_identity(&Transform::from_rotation(
            Quat::from_rotation_z(1.0)
        )));
        assert!(!is_identity(&Transform::from_scale(Vec3::splat(0.04))));
    }
}
