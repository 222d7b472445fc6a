//! Is stuck: the agent tries to move but does not get away.

use bevy::prelude::*;

use super::Condition;
use crate::{Agent, StuckDetection, StuckMemory};

/// Holds while the agent is stuck, see [`StuckDetection`], which comes with it.
///
/// On a behavior entity the agent needs a `StuckDetection` of its own.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(StuckDetection)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct IsStuck;

impl Condition for IsStuck {
    const NEEDS_AGENT: bool = true;

    // Without the detection, the memory is an old one.
    type World = Query<'static, 'static, &'static StuckMemory, With<StuckDetection>>;

    fn holds(&self, me: &Agent, memories: &Query<&StuckMemory, With<StuckDetection>>) -> bool {
        memories.get(me.entity).is_ok_and(|memory| memory.stuck)
    }
}
