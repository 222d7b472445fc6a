//! [`ReflectCompanion`]: access by reflection to the components that tune an agent.

use std::any::TypeId;

use bevy::ecs::component::Mutable;
use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, ReflectCloneError, ReflectFromReflect, TypeRegistry};

use crate::{
    Combine, FaceVelocity, InvalidParameter, SensesColliders, SnapshotAppExt, SnapshotKind,
    SpeedLimit, StuckDetection, ThinkEvery, Vehicle,
};

/// Access by reflection to a component that tunes an agent beside its behaviors: [`Vehicle`], [`Combine`] and the like,
/// and every registered [`Condition`](crate::Condition), [`Predictor`](crate::Predictor) or
/// [`Locomotion`](crate::Locomotion). It is type data in the [`AppTypeRegistry`], for tools. Behaviors have the same
/// access, see [`ReflectBehavior`](crate::ReflectBehavior).
#[derive(Clone, Copy)]
pub struct ReflectCompanion {
    read: for<'a> fn(EntityRef<'a>) -> Option<&'a dyn Reflect>,
    write: fn(&mut EntityWorldMut, Box<dyn Reflect>) -> Result<(), Box<dyn Reflect>>,
    remove: fn(&mut EntityWorldMut) -> bool,
    check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
}

impl ReflectCompanion {
    /// Access to `C`, whose parameters `check` checks.
    pub fn of<C: Component<Mutability = Mutable> + Reflect>(
        check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
    ) -> Self {
        Self {
            read: |entity| entity.get::<C>().map(|component| component as &dyn Reflect),
            write: |entity, value| {
                let value = *value.downcast::<C>()?;
                match entity.get_mut::<C>() {
                    Some(mut component) => *component = value,
                    None => {
                        entity.insert(value);
                    }
                }
                Ok(())
            },
            remove: |entity| entity.take::<C>().is_some(),
            check,
        }
    }

    /// The component of an entity; `None` if the entity does not have it.
    pub fn read<'a>(&self, entity: EntityRef<'a>) -> Option<&'a dyn Reflect> {
        (self.read)(entity)
    }

    /// Overwrites the component in place, or inserts it.
    ///
    /// # Errors
    /// Returns the value if it is of another type.
    pub fn write(
        &self,
        entity: &mut EntityWorldMut,
        value: Box<dyn Reflect>,
    ) -> Result<(), Box<dyn Reflect>> {
        (self.write)(entity, value)
    }

    /// Removes the component; returns whether the entity had it.
    pub fn remove(&self, entity: &mut EntityWorldMut) -> bool {
        (self.remove)(entity)
    }

    /// Checks the parameters of a value; one of another type has none.
    ///
    /// # Errors
    /// Names the first field out of range.
    pub fn check(&self, value: &dyn Reflect) -> Result<(), InvalidParameter> {
        (self.check)(value)
    }
}

/// A copy of a component, for tools. Some types, such as arrays, do not clone by reflection; types with parts of such a type
/// convert by `FromReflect` instead, if they are registered.
///
/// # Errors
/// Says which part does not clone by reflection.
pub fn clone_reflected(
    value: &dyn Reflect,
    types: &TypeRegistry,
) -> Result<Box<dyn Reflect>, ReflectCloneError> {
    let converted = || {
        types
            .get_type_data::<ReflectFromReflect>(value.as_any().type_id())?
            .from_reflect(value.as_partial_reflect())
    };
    value
        .reflect_clone()
        .or_else(|error| converted().ok_or(error))
}

/// Registers `C` for reflection and snapshots, with access for tools.
pub(crate) fn register_companion<C>(
    app: &mut App,
    check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
) where
    C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration,
{
    app.add_saved_component::<C>(SnapshotKind::Parameter);
    describe::<C>(app, check);
}

/// Gives tools access to what tunes every agent.
pub(crate) fn describe_companions(app: &mut App) {
    describe::<Vehicle>(app, |it| it.downcast_ref().map_or(Ok(()), Vehicle::check));
    describe::<Combine>(app, |_| Ok(()));
    describe::<SpeedLimit>(app, |_| Ok(()));
    describe::<FaceVelocity>(app, |it| {
        it.downcast_ref().map_or(Ok(()), FaceVelocity::check)
    });
    describe::<ThinkEvery>(app, |_| Ok(()));
    describe::<StuckDetection>(app, |it| {
        it.downcast_ref().map_or(Ok(()), StuckDetection::check)
    });
    describe::<SensesColliders>(app, |_| Ok(()));
}

/// Gives tools access to a registered type.
fn describe<C: Component<Mutability = Mutable> + Reflect>(
    app: &App,
    check: fn(&dyn Reflect) -> Result<(), InvalidParameter>,
) {
    let mut types = app.world().resource::<AppTypeRegistry>().write();
    if let Some(registration) = types.get_mut(TypeId::of::<C>()) {
        registration.insert(ReflectCompanion::of::<C>(check));
    }
}
