//! [`ReflectBehavior`]: access to behaviors by reflection, for tools.

use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::FromType;

use super::registry::remove;
use crate::{Behavior, InvalidParameter};

/// Access to a registered behavior by reflection: type data in the [`AppTypeRegistry`], for tools.
/// Every [registered](crate::SteeringAppExt) behavior has it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # use std::any::TypeId;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
/// let types = app.world().resource::<AppTypeRegistry>().clone();
/// let seek = types.read().get_type_data::<ReflectBehavior>(TypeId::of::<Seek>()).cloned();
/// let seek = seek.expect("a built-in behavior");
/// let mut agent = app.world_mut().spawn(PointMass::default());
/// seek.write(&mut agent, Box::new(Seek::new(Vec2::X))).expect("a Seek");
/// assert!(agent.contains::<Seek>());
/// ```
#[derive(Clone)]
pub struct ReflectBehavior {
    read: for<'a> fn(EntityRef<'a>) -> Option<&'a dyn Reflect>,
    write: fn(&mut EntityWorldMut, Box<dyn Reflect>) -> Result<(), Box<dyn Reflect>>,
    remove: fn(&mut EntityWorldMut) -> bool,
    check: fn(&dyn Reflect) -> Option<Result<(), InvalidParameter>>,
}

impl ReflectBehavior {
    /// The behavior of an entity; `None` if the entity does not have it.
    pub fn read<'a>(&self, entity: EntityRef<'a>) -> Option<&'a dyn Reflect> {
        (self.read)(entity)
    }

    /// Overwrites the behavior in place, or inserts it.
    ///
    /// # Errors
    /// Returns the value if it is not of this behavior's type.
    pub fn write(
        &self,
        entity: &mut EntityWorldMut,
        value: Box<dyn Reflect>,
    ) -> Result<(), Box<dyn Reflect>> {
        (self.write)(entity, value)
    }

    /// Removes the behavior; warns and returns false if the entity does not have it.
    pub fn remove(&self, entity: &mut EntityWorldMut) -> bool {
        (self.remove)(entity)
    }

    /// Checks the [influence](crate::Influence::check) and the [parameters](Behavior::check) of a value;
    /// `None` if it is not of this behavior's type.
    pub fn check(&self, value: &dyn Reflect) -> Option<Result<(), InvalidParameter>> {
        (self.check)(value)
    }
}

impl<B: Behavior> FromType<B> for ReflectBehavior {
    fn from_type() -> Self {
        Self {
            read: |entity| entity.get::<B>().map(|behavior| behavior as &dyn Reflect),
            write: |entity, value| {
                let value = *value.downcast::<B>()?;
                match entity.get_mut::<B>() {
                    Some(mut behavior) => *behavior = value,
                    None => {
                        entity.insert(value);
                    }
                }
                Ok(())
            },
            remove: remove::<B>,
            check: |value| {
                let behavior = value.downcast_ref::<B>()?;
                Some(behavior.validate())
            },
        }
    }
}
