//! State of another shape in snapshots: a part of its own copies it and puts it back.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;
#[cfg(feature = "serialize")]
use std::sync::OnceLock;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
#[cfg(feature = "serialize")]
use bevy::reflect::TypeRegistry;

use super::entity_lists::EntityLists;
use super::part::{Column, Earlier, Part, Past, fill};
#[cfg(feature = "serialize")]
use super::saving::{Known, SavedValues};

/// The entity that stands for one of a snapshot now: itself, or the one that was `spawned` again for it.
pub fn entity_now(entity: Entity, spawned: &EntityHashMap<Entity>) -> Entity {
    spawned.get(&entity).copied().unwrap_or(entity)
}

/// State of another shape than components or resources, such as the contexts of a physics engine. Add it
/// by [`add_snapshot_part`](super::SnapshotAppExt::add_snapshot_part).
pub trait SnapshotPart: Send + Sync + 'static {
    /// What a snapshot keeps of it.
    type Copy: Send + Sync + 'static;

    /// Copies the state of a world, between ticks.
    fn take(&mut self, world: &mut World) -> Self::Copy;

    /// Puts a copy back. Entities that were despawned since are `spawned` again with other ids.
    /// Links, parameters, and the [`State`](super::SnapshotKind::State) that was added to the app earlier have been restored already.
    fn restore(&mut self, world: &mut World, copy: &Self::Copy, spawned: &EntityHashMap<Entity>);

    /// The memory of a copy, about, bytes.
    fn bytes(copy: &Self::Copy) -> usize;

    /// Whether a copy holds nothing. Unless there is a `write`, or files [leave it out](Self::is_in_files),
    /// a snapshot can be written to a file only if this part is empty. Default: no.
    fn is_empty(copy: &Self::Copy) -> bool {
        let _ = copy;
        false
    }

    /// Whether files have it. One that they leave out need not be in the app that reads them. Default: yes.
    fn is_in_files() -> bool {
        true
    }

    /// The entities that a copy from a file refers to: they are spawned before it is restored. Default:
    /// none.
    fn entities(copy: &Self::Copy) -> &[Entity] {
        let _ = copy;
        &[]
    }

    /// The state of the world as text, for a file, in the tick of the copy; `None` if it has no form in
    /// files, which is the default.
    ///
    /// # Errors
    /// What of it has no form in files.
    #[cfg(feature = "serialize")]
    fn write(world: &World) -> Option<Result<String, &'static str>> {
        let _ = world;
        None
    }

    /// The copy in a file, from what [`write`](Self::write) gave; `None` if it is none.
    #[cfg(feature = "serialize")]
    fn read(text: &str, types: &TypeRegistry) -> Option<Self::Copy> {
        let _ = (text, types);
        None
    }

    /// The copy in a file whose world had nothing of it: it [was empty](Self::is_empty). Default: `None`, with which the
    /// state of the world stays as it is.
    #[cfg(feature = "serialize")]
    fn read_empty() -> Option<Self::Copy> {
        None
    }

    /// Types of components whose values [`write`](Self::write) contains. Default: none.
    #[cfg(feature = "serialize")]
    fn written_types() -> Vec<TypeId> {
        Vec::new()
    }

    /// What it is called in errors. Default: the name of the type.
    fn name() -> &'static str {
        type_name::<Self>()
    }
}

/// A [`SnapshotPart`].
pub(super) struct CustomPart<P>(pub(super) P);

/// The copy of a [`SnapshotPart`].
struct CustomColumn<P: SnapshotPart> {
    copy: Option<P::Copy>,
    /// What is written to a file.
    #[cfg(feature = "serialize")]
    text: OnceLock<String>,
}

impl<P: SnapshotPart> CustomColumn<P> {
    fn of(copy: Option<P::Copy>) -> Self {
        Self {
            copy,
            #[cfg(feature = "serialize")]
            text: OnceLock::new(),
        }
    }
}

impl<P: SnapshotPart> Default for CustomColumn<P> {
    fn default() -> Self {
        Self::of(None)
    }
}

impl<P: SnapshotPart> Column for CustomColumn<P> {
    fn is_empty(&self) -> bool {
        self.copy.as_ref().is_none_or(P::is_empty)
    }

    fn entities(&self, into: &mut Vec<Entity>) {
        if let Some(copy) = &self.copy {
            into.extend_from_slice(P::entities(copy));
        }
    }

    fn bytes(&self) -> usize {
        self.copy.as_ref().map_or(0, P::bytes)
    }
}

impl<P: SnapshotPart> Part for CustomPart<P> {
    fn id(&self) -> TypeId {
        TypeId::of::<P>()
    }

    #[cfg(feature = "serialize")]
    fn name(&self) -> &'static str {
        P::name()
    }

    fn empty(&self) -> Arc<dyn Column> {
        Arc::new(CustomColumn::<P>::default())
    }

    fn take(
        &mut self,
        world: &mut World,
        _: Option<Earlier>,
        _: &mut EntityLists,
        into: &mut Arc<dyn Column>,
    ) {
        fill(into, |column: &mut CustomColumn<P>| {
            *column = CustomColumn::of(Some(self.0.take(world)));
        });
    }

    fn restore(
        &mut self,
        world: &mut World,
        column: &dyn Column,
        _: Past,
        spawned: &mut EntityHashMap<Entity>,
    ) {
        let column = (column as &dyn Any).downcast_ref::<CustomColumn<P>>();
        if let Some(copy) = column.and_then(|it| it.copy.as_ref()) {
            self.0.restore(world, copy, spawned);
        }
    }

    #[cfg(feature = "serialize")]
    fn is_in_files(&self) -> bool {
        P::is_in_files()
    }

    #[cfg(feature = "serialize")]
    fn saved_type(&self) -> Option<TypeId> {
        Some(TypeId::of::<String>())
    }

    #[cfg(feature = "serialize")]
    fn prepare(&self, column: &dyn Column, world: &World) -> Result<(), &'static str> {
        if column.is_empty() {
            return Ok(());
        }
        let text = P::write(world).ok_or(P::name())??;
        if let Some(column) = (column as &dyn Any).downcast_ref::<CustomColumn<P>>() {
            column.text.get_or_init(|| text);
        }
        Ok(())
    }

    #[cfg(feature = "serialize")]
    fn is_of_now(&self, column: &dyn Column) -> bool {
        !column.is_empty()
    }

    #[cfg(feature = "serialize")]
    fn written_types(&self) -> Vec<TypeId> {
        P::written_types()
    }

    #[cfg(feature = "serialize")]
    fn values<'a>(&self, column: &'a dyn Column) -> Vec<(Entity, &'a dyn PartialReflect)> {
        let column = (column as &dyn Any).downcast_ref::<CustomColumn<P>>();
        let text = column.and_then(|it| it.text.get());
        let text = text.map(|text| (Entity::PLACEHOLDER, text as &dyn PartialReflect));
        text.into_iter().collect()
    }

    #[cfg(feature = "serialize")]
    fn column(&self, values: &SavedValues, known: &mut Known) -> Option<Arc<dyn Column>> {
        let Some((_, text)) = values.first() else {
            return Some(Arc::new(CustomColumn::<P>::of(P::read_empty())));
        };
        let text = String::from_reflect(&**text)?;
        Some(Arc::new(CustomColumn::<P> {
            copy: Some(P::read(&text, known.types)?),
            text: OnceLock::new(),
        }))
    }
}
