//! [`SwitchedOff`]: behaviors that are off for a while.

use std::any::TypeId;

use bevy::prelude::*;

use crate::Behavior;

/// Which behaviors a plugin switches off for a while by their [`enabled`](crate::Influence::enabled), such as the avoidance of
/// a member that pushes to its place in a group. The plugin switches them on again, so presets save them as enabled.
#[derive(Resource, Default)]
pub struct SwitchedOff(Vec<(TypeId, fn(EntityRef) -> bool)>);

impl SwitchedOff {
    /// Adds that the plugin has switched off a behavior of type `B` while `is_off` holds for its entity.
    pub fn add<B: Behavior>(&mut self, is_off: fn(EntityRef) -> bool) {
        self.0.push((TypeId::of::<B>(), is_off));
    }

    /// Whether a plugin has switched off the behavior of a type on an entity.
    pub fn is_off(&self, behavior: TypeId, entity: EntityRef) -> bool {
        let mut reasons = self.0.iter().filter(|(of, _)| *of == behavior);
        reasons.any(|(_, is_off)| is_off(entity))
    }
}
