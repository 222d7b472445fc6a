//! The values of a type as reflection sees them, for files.

use std::any::TypeId;
use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy::reflect::{ReflectFromReflect, TypeRegistry};

/// How values of type `C` are seen by reflection, and made from what it reads.
pub(super) struct SavedAs<C> {
    reflect: fn(&C) -> &dyn PartialReflect,
    read: fn(&dyn PartialReflect, &TypeRegistry) -> Option<C>,
}

/// Values of a file with their entities.
pub(super) type SavedValues = [(Entity, Box<dyn PartialReflect>)];

impl<C: Reflect> SavedAs<C> {
    pub(super) fn new() -> Self {
        Self {
            reflect: |value| value,
            read: |value, types| {
                let make = types.get_type_data::<ReflectFromReflect>(TypeId::of::<C>())?;
                let value = make.from_reflect(value)?.downcast::<C>();
                value.ok().map(|it| *it)
            },
        }
    }
}

impl<C> SavedAs<C> {
    pub(super) fn reflect<'a>(&self, value: &'a C) -> &'a dyn PartialReflect {
        (self.reflect)(value)
    }

    pub(super) fn read(&self, value: &dyn PartialReflect, types: &TypeRegistry) -> Option<C> {
        (self.read)(value, types)
    }
}

/// What is known when values are read. References to entities that are not in the file are replaced by
/// a placeholder, since their ids may belong to other entities of the world that reads it.
pub(super) struct Known<'a> {
    pub(super) types: &'a TypeRegistry,
    pub(super) entities: BTreeSet<Entity>,
}

impl EntityMapper for Known<'_> {
    fn get_mapped(&mut self, entity: Entity) -> Entity {
        if self.entities.contains(&entity) {
            entity
        } else {
            Entity::PLACEHOLDER
        }
    }

    fn set_mapped(&mut self, _: Entity, _: Entity) {}
}
