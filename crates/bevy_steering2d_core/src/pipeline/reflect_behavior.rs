//! [`ReflectBehavior`]: access to behaviors by reflection, for tools.

use bevy::reflect::FromType;

use crate::{Behavior, ReflectCompanion};

/// Access to a registered behavior by reflection: type data in the [`AppTypeRegistry`](bevy::prelude::AppTypeRegistry), for tools.
/// Every [registered](crate::SteeringAppExt) behavior has it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # use std::any::TypeId;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
/// let types = app.world().resource::<AppTypeRegistry>().clone();
/// let seek = types.read().get_type_data::<ReflectBehavior>(TypeId::of::<Seek>()).copied();
/// let seek = seek.expect("a built-in behavior").access();
/// let mut agent = app.world_mut().spawn(PointMass::default());
/// seek.write(&mut agent, Box::new(Seek::new(Vec2::X))).expect("a Seek");
/// assert!(agent.contains::<Seek>());
/// ```
#[derive(Clone, Copy)]
pub struct ReflectBehavior(ReflectCompanion);

impl ReflectBehavior {
    /// Reads, writes, removes and checks the behavior. Its check is that of its [influence](crate::Influence::check) and
    /// of its [parameters](Behavior::check).
    pub fn access(self) -> ReflectCompanion {
        self.0
    }
}

impl<B: Behavior> FromType<B> for ReflectBehavior {
    fn from_type() -> Self {
        Self(ReflectCompanion::of::<B>(|value| {
            value.downcast_ref().map_or(Ok(()), B::validate)
        }))
    }
}
