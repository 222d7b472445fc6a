//! Target in sight: a target is within the view, and nothing hides it.

use std::f32::consts::TAU;

use bevy::prelude::*;

use super::gaze::{Gaze, Rotations};
use super::{Condition, TargetInSightMemory};
use crate::perception::{Probing, least_cosine, with_field_of_view};
use crate::require::forget;
use crate::{Agent, InvalidParameter, Kinematics, SteeringId, Surroundings, Target, Targets};

/// Holds while the agent sees its target: it is within the distance and the field of view, and neither
/// a [`Wall`](crate::Wall) nor an [`Obstacle`](crate::Obstacle) is in between; for agents with
/// [`SensesColliders`](crate::SensesColliders) no collider that it senses either: by default not those of other agents.
/// An obstacle that is part of the target or of the agent, such as its child, hides nothing, nor does one that carries
/// one of them, as a tank carries a marker that is its child; one that carries both does.
///
/// Of the colliders on the line to the target only the first that the agent senses counts. If it is part of the target,
/// the target is in sight, whatever is behind it; any other hides it. What is part of the agent is never sensed.
///
/// The agent looks along its heading, the direction of its motion, also while [`FaceTarget`](crate::FaceTarget) turns
/// its body; with [`Gaze::Facing`] it looks where its body points. With a [`memory`](Self::memory) it goes on to hold
/// for a while; behaviors know all the time where the target is. Where it was when it was last in sight is
/// [`TargetInSightMemory::last_seen`].
#[doc(alias("line of sight"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_remove = forget::<TargetInSightMemory>)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetInSight {
    /// The point or entity to see. Default the origin.
    #[entities]
    pub target: Target,
    /// How far the agent sees, m, between the centers, `> 0`; infinity is allowed. Default `15`. The
    /// [`panic_distance`](crate::Evade::panic_distance) of an `Evade` beside it is 10 m by default: give both the same
    /// distance.
    pub distance: f32,
    /// The full angle of the field of view, centered on the gaze, rad, `(0, 4π]` or infinite; `2π` and more see
    /// all around. Default `2π`.
    pub field_of_view: f32,
    /// What the field of view is centered on. Default [`Gaze::Heading`].
    pub gaze: Gaze,
    /// Duration for which a target that is out of sight still counts as seen, s, `≥ 0`. Default `0`. One that is gone does not.
    pub memory: f32,
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

    /// Sets the [`gaze`](Self::gaze).
    #[must_use]
    pub fn with_gaze(mut self, gaze: Gaze) -> Self {
        self.gaze = gaze;
        self
    }

    /// Sets the [`memory`](Self::memory), s.
    #[must_use]
    pub fn with_memory(mut self, memory: f32) -> Self {
        self.memory = memory;
        self
    }

    /// Whether a target is within the distance and the field of view.
    fn is_in_view(&self, me: &Agent, target: &Kinematics, rotations: &Rotations) -> bool {
        let offset = target.position - me.position;
        let distance = offset.length();
        let gaze = self.gaze.direction(me.entity, me.heading, rotations);
        let along = offset.dot(gaze);
        distance <= self.distance && along >= least_cosine(self.field_of_view) * distance
    }
}

impl Default for TargetInSight {
    fn default() -> Self {
        Self {
            target: Target::default(),
            distance: 15.0,
            field_of_view: TAU,
            gaze: Gaze::default(),
            memory: 0.0,
        }
    }
}

impl Condition for TargetInSight {
    const NEEDS_AGENT: bool = true;

    type World = (
        Surroundings<'static, 'static>,
        Targets<'static, 'static>,
        Rotations<'static, 'static>,
    );

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("TargetInSight.target")?;
        InvalidParameter::unless_positive_or_infinite("TargetInSight.distance", self.distance)?;
        let angle = self.field_of_view;
        InvalidParameter::unless_field_of_view("TargetInSight.field_of_view", angle)?;
        InvalidParameter::unless_non_negative("TargetInSight.memory", self.memory)
    }

    fn holds(
        &self,
        me: &Agent,
        (surroundings, targets, rotations): &(Surroundings, Targets, Rotations),
    ) -> bool {
        let Some(target) = targets.get(self.target) else {
            return false;
        };
        let own = Target::Entity(me.entity);
        let is_part = |it| targets.is_part_of(it, self.target) || targets.is_part_of(it, own);
        let carries = |it, one| targets.is_carried_by(one, it);
        let hides = |it| !is_part(it) && carries(it, self.target) == carries(it, own);
        // The ray does not go on behind the collider that it meets first, whatever that is.
        let collider = surroundings
            .first_collider::<Self>(me)
            .filter(|hit| hides(hit.entity));
        self.is_in_view(me, &target, rotations)
            && surroundings.is_line_clear(me.position, target.position, hides)
            && collider.is_none()
    }
}

/// Lets agents look for colliders between them and their targets.
pub(super) fn look_for_colliders(
    targets: Targets,
    rotations: Rotations,
    entities: Query<(Entity, &SteeringId, &TargetInSight)>,
    mut probing: Probing,
) {
    for (entity, &id, condition) in &entities {
        let Some(target) = targets.get(condition.target) else {
            continue;
        };
        probing.ask::<TargetInSight>(entity, id, |me, probes| {
            if condition.is_in_view(me, &target, &rotations) {
                probes.ask_ray(me.position, target.position);
            }
        });
    }
}
