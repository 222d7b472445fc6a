//! [`Gaze`]: the direction in which a body looks.

use bevy::prelude::*;

/// What a field of view is centered on: that of a [`TargetInSight`](crate::TargetInSight), or of the threat of a
/// [`Hide`](crate::Hide).
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Gaze {
    /// The heading: the direction of the last motion. The default.
    #[default]
    Heading,
    /// The x axis of the body, for one that turns by itself, as [`FaceTarget`](crate::FaceTarget) turns it.
    Facing,
}

/// The rotations of bodies, each with its parent.
pub(crate) type Rotations<'w, 's> = Query<'w, 's, (&'static Transform, Option<&'static ChildOf>)>;

impl Gaze {
    /// The unit vector along which a body with that heading looks. It is the heading as well while its rotation is not finite.
    pub(crate) fn direction(self, body: Entity, heading: Vec2, rotations: &Rotations) -> Vec2 {
        let facing = match self {
            Self::Heading => None,
            Self::Facing => facing(body, rotations),
        };
        facing.unwrap_or(heading)
    }
}

/// The x axis of a body in the world.
fn facing(body: Entity, rotations: &Rotations) -> Option<Vec2> {
    let (local, mut parent) = rotations.get(body).ok()?;
    let mut axis = local.rotation * Vec3::X;
    while let Some((above, next)) = parent.and_then(|it| rotations.get(it.parent()).ok()) {
        axis = above.rotation * axis;
        parent = next;
    }
    axis.truncate().try_normalize()
}
