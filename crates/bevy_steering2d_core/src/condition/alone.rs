//! Alone: no neighbor is in sight.

use std::f32::consts::TAU;

use bevy::prelude::*;

use super::Condition;
use crate::perception::{with_field_of_view, with_groups};
use crate::{Agent, InvalidParameter, NeighborView, Neighbors, SteeringGroups};

/// Holds while the agent perceives no neighbor.
///
/// A flock member that is alone may wander until it meets others. The default radius is 5 m, that of
/// [`Cohesion`](crate::Cohesion) 8 m: give both the same. With a field of view ahead, also the
/// foremost members of a flock are alone: they lead, and the others follow.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Alone {
    /// How far neighbors count, m, `> 0`. Default `5`.
    pub perception_radius: f32,
    /// The full angle of the field of view, centered on the heading, rad, `(0, 4π]` or infinite; `2π` and more see
    /// all around. Default `2π`.
    pub field_of_view: f32,
    /// The groups whose members count. Default all.
    pub groups: SteeringGroups,
}

impl Alone {
    /// Neighbors count within `perception_radius` m.
    pub fn new(perception_radius: f32) -> Self {
        Self {
            perception_radius,
            ..Self::default()
        }
    }

    with_field_of_view!();

    with_groups!();
}

impl Default for Alone {
    fn default() -> Self {
        Self {
            perception_radius: 5.0,
            field_of_view: TAU,
            groups: SteeringGroups::ALL,
        }
    }
}

impl Condition for Alone {
    const NEEDS_AGENT: bool = true;

    type World = Res<'static, Neighbors>;

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_range("Alone.perception_radius", self.perception_radius)?;
        InvalidParameter::unless_field_of_view("Alone.field_of_view", self.field_of_view)
    }

    fn holds(&self, me: &Agent, neighbors: &Res<Neighbors>) -> bool {
        let view = NeighborView {
            field_of_view: self.field_of_view,
            ..NeighborView::around(me, self.perception_radius, self.groups)
        };
        neighbors.in_view(view).next().is_none()
    }
}
