//! [`ReflectCompanion`]: access by reflection to the components that tune an agent beside its
//! behaviors.

use std::any::TypeId;

use bevy::ecs::component::Mutable;
use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::GetTypeRegistration;

use crate::{InvalidParameter, SnapshotAppExt, SnapshotKind};

/// Access by reflection to a registered [`Condition`](crate::Condition),
/// [`Predictor`](crate::Predictor) or [`Locomotion`](crate::Locomotion): type data in the [`AppTypeRegistry`], for tools.
#[derive(Clone, Copy)]
pub struct ReflectCompanion {
    read: for<'a> fn(EntityRef<'a>) -> Option<&'a dyn Reflect>,
    write: fn(&mut EntityWorldMut, Box<dyn Reflect>),
    remove: fn(&mut EntityWorldMut),
    check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
}

impl ReflectCompanion {
    /// Access to `C`, whose parameters `check` checks.
    pub fn of<C: Component<Mutability = Mutable> + Reflect>(
        check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
    ) -> Self {
        Self {
            read: |entity| entity.get::<C>().map(|companion| companion as &dyn Reflect),
            write: |entity, value| {
                let Ok(value) = value.downcast::<C>() else {
                    return;
                };
                match entity.get_mut::<C>() {
                    Some(mut companion) => *companion = *value,
                    None => {
                        entity.insert(*value);
                    }
                }
            },
            remove: |entity| {
                entity.remove::<C>();
            },
            check,
        }
    }

    /// The component of an entity; `None` if the entity does not have it.
    pub fn read<'a>(&self, entity: EntityRef<'a>) -> Option<&'a dyn Reflect> {
        (self.read)(entity)
    }

    /// Overwrites the component in place, or inserts it. A value of another type changes nothing.
    pub fn write(&self, entity: &mut EntityWorldMut, value: Box<dyn Reflect>) {
        (self.write)(entity, value);
    }

    /// Removes the component, if the entity has it.
    pub fn remove(&self, entity: &mut EntityWorldMut) {
        (self.remove)(entity);
    }

    /// Checks the parameters of a value.
    ///
    /// # Errors
    /// Names the first field out of range.
    pub fn check(&self, value: &dyn Reflect) -> Result<(), InvalidParameter> {
        (self.check)(value)
    }
}

/// Registers `C` for reflection and snapshots, with access for tools.
pub(crate) fn register_companion<C>(
    app: &mut App,
    check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
) where
    C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration,
{
    app.register_type::<C>()
        .add_saved_component::<C>(SnapshotKind::Parameter);
    let mut types = app.world().resource::<AppTypeRegistry>().write();
    if let Some(registration) = types.get_mut(TypeId::of::<C>()) {
        registration.insert(ReflectCompanion::of::<C>(check));
    }
}
