//! Target in sight: a target is within the view, and nothing hides it.

use std::f32::consts::TAU;

use bevy::math::ops;
use bevy::prelude::*;

use super::Condition;
use crate::perception::{Probing, with_field_of_view};
use crate::{Agent, InvalidParameter, Kinematics, SteeringId, Surroundings, Target, Targets};

/// Holds while the agent sees its target: it is within the distance and the field of view, and neither
/// a [`Wall`](crate::Wall) nor an [`Obstacle`](crate::Obstacle) is in between; for agents with
/// [`SensesColliders`](crate::SensesColliders) no collider that it senses either: by default not those of other agents.
///
/// The agent looks along its heading, the direction of its motion, also while [`FaceTarget`](crate::FaceTarget) turns
/// its body.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetInSight {
    /// The point or entity to see. Default the origin.
    #[entities]
    pub target: Target,
    /// How far the agent sees, m, between the centers, `> 0`; infinity is allowed. Default `15`.
    /// [`Evade::panic_distance`](crate::Evade::panic_distance) is less by default: set both.
    pub distance: f32,
    /// The full angle of the field of view, centered on the heading, rad, `(0, 4π]` or infinite; `2π` and more see
    /// all around. Default `2π`.
    pub field_of_view: f32,
}

impl TargetInSight {
    /// Sees a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    /// Sets the [`distance`](Self::distance).
    #[must_use]
    pub fn with_distance(mut self, distance: f32) -> Self {
        self.distance = distance;
        self
    }

    with_field_of_view!();

    /// Whether a target is within the distance and the field of view.
    fn is_in_view(&self, me: &Agent, target: &Kinematics) -> bool {
        let offset = target.position - me.position;
        let is_ahead = self.field_of_view >= TAU
            || offset.dot(me.heading) >= ops::cos(0.5 * self.field_of_view) * offset.length();
        offset.length() <= self.distance && is_ahead
    }
}

impl Default for TargetInSight {
    fn default() -> Self {
        Self {
            target: Target::default(),
            distance: 15.0,
            field_of_view: TAU,
        }
    }
}

impl Condition for TargetInSight {
    type World = (Surroundings<'static, 'static>, Targets<'static, 'static>);

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("TargetInSight.target")?;
        InvalidParameter::unless_positive_or_infinite("TargetInSight.distance", self.distance)?;
        let angle = self.field_of_view;
        InvalidParameter::unless_field_of_view("TargetInSight.field_of_view", angle)
    }

    fn holds(&self, me: &Agent, (surroundings, targets): &(Surroundings, Targets)) -> bool {
        let Some(target) = targets.get(self.target) else {
            return false;
        };
        let hides = |entity| Target::Entity(entity) != self.target && entity != me.entity;
        let collider = surroundings
            .first_collider::<Self>(me)
            .filter(|hit| !targets.is_part_of(hit.entity, self.target));
        self.is_in_view(me, &target)
            && surroundings.is_line_clear(me.position, target.position, hides)
            && collider.is_none()
    }
}

/// Lets agents look for colliders between them and their targets.
pub(super) fn look_for_colliders(
    targets: Targets,
    entities: Query<(Entity, &SteeringId, &TargetInSight)>,
    mut probing: Probing,
) {
    for (entity, &id, condition) in &entities {
        let Some(target) = targets.get(condition.target) else {
            continue;
        };
        probing.ask::<TargetInSight>(entity, id, |me, probes| {
            if condition.is_in_view(me, &target) {
                probes.ask_ray(me.position, target.position);
            }
        });
    }
}
