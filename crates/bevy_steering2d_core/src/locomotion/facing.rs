//! Where a body looks while it goes somewhere else.

use bevy::prelude::*;

use super::FaceVelocity;
use crate::{Kinematics, Target, Targets};

/// Turns the body to a target instead of towards where it goes.
///
/// Turrets, strafing fighters, a goalkeeper who never takes the eyes off the ball. It is a rule of
/// facing and no force. How fast the body turns is in [`FaceVelocity`], which comes along; while
/// the target is gone, or right here, the body faces its velocity.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands, ball: Entity) {
/// commands.spawn((
///     PointMass::default(),
///     Interpose::between(ball, Vec2::ZERO),
///     FaceTarget::new(ball),
/// ));
/// # }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(FaceVelocity)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceTarget {
    /// What to look at. Default the origin.
    #[entities]
    pub target: Target,
}

impl FaceTarget {
    /// Looks at a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
        }
    }
}

/// The direction, of any length, that a body shall face: to its [`FaceTarget`], else along its
/// heading. Give it to [`FaceVelocity::turn_rate`].
pub fn wanted_facing(body: &Kinematics, face: Option<&FaceTarget>, targets: &Targets) -> Vec2 {
    face.and_then(|face| targets.get(face.target))
        .map(|target| target.position - body.position)
        .filter(|offset| offset.length_squared() > 0.0)
        .unwrap_or(body.heading)
}
