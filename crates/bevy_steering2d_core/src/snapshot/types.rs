//! The types that belong to snapshots.

use std::any::TypeId;
use std::sync::Arc;

use bevy::ecs::component::Mutable;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::ArchetypeFilter;
use bevy::prelude::*;
use bevy::reflect::GetTypeRegistration;

use super::component::ComponentPart;
use super::custom::{CustomPart, SnapshotPart};
use super::entity_lists::EntityLists;
use super::hidden::hiding_components;
use super::part::{Column, Part, SnapshotKind};
use super::resource::ResourcePart;
use crate::{
    Behavior, Combine, ConditionStates, FaceTarget, FaceVelocity, FlowField, Holonomic, Kinematics,
    NextSteeringId, Obstacle, PointMass, SensesColliders, SpeedLimit, SteeringClock,
    SteeringDisabled, SteeringForce, SteeringGroups, SteeringId, SteeringPath, SteeringSeed,
    SteersFor, StuckMemory, Target, TargetWatch, ThinkEvery, Vehicle, Wall,
};

/// The types that belong to snapshots.
#[derive(Resource, Default)]
pub(crate) struct SnapshotTypes {
    /// Whether they are used on the world now, and what is here stands in for them.
    is_in_use: bool,
    /// In the order in which they are restored.
    pub(super) parts: Vec<Box<dyn Part>>,
    /// How many components hid entities when the queries of the parts were made.
    filters: usize,
    pub(super) lists: EntityLists,
}

impl SnapshotTypes {
    /// Adds a type; a second call for it does nothing.
    fn add<P: Part + 'static>(world: &mut World, part: impl FnOnce(&mut World) -> P) {
        let part = part(world);
        let parts = &mut world.get_resource_or_init::<Self>().parts;
        if parts.iter().all(|it| it.id() != part.id()) {
            let at = parts.partition_point(|it| it.kind() <= part.kind());
            parts.insert(at, Box::new(part));
        }
    }

    /// Whether a snapshot of this world is being taken or restored.
    pub(crate) fn are_in_use(world: &World) -> bool {
        world.get_resource::<Self>().is_some_and(|it| it.is_in_use)
    }

    /// Gives a snapshot a column for each type, and no other.
    pub(super) fn fit(&self, columns: &mut Vec<(TypeId, Arc<dyn Column>)>) {
        let ids = self.parts.iter().map(|part| part.id());
        if !ids.eq(columns.iter().map(|(id, _)| *id)) {
            let parts = self.parts.iter();
            *columns = parts.map(|part| (part.id(), part.empty())).collect();
        }
    }

    /// A query passes over what was hidden by the components that did so when it was made. Another library may have
    /// registered one since.
    fn follow_filters(&mut self, world: &mut World) {
        let filters = hiding_components(world).count();
        if self.filters != filters {
            self.filters = filters;
            for part in &mut self.parts {
                part.renew_queries(world);
            }
        }
    }

    /// Takes the types out of the world while they are used on it. The resource stays, since removing one
    /// allocates.
    pub(super) fn with<T>(
        world: &mut World,
        use_them: impl FnOnce(&mut World, &mut Self) -> T,
    ) -> T {
        let stand_in = Self {
            is_in_use: true,
            ..default()
        };
        let mut types = std::mem::replace(&mut *world.get_resource_or_init::<Self>(), stand_in);
        if types.is_in_use {
            log::error!("a snapshot is taken or restored by an observer of a restore; it is empty");
        }
        types.follow_filters(world);
        let result = use_them(world, &mut types);
        *world.get_resource_or_init::<Self>() = types;
        result
    }
}

/// Adds types of a game or a backend to every [`SteeringSnapshot`](super::SteeringSnapshot).
///
/// What is *saved* is also written to files. The rest is kept in memory only, and a snapshot that holds any of it cannot be
/// written to a file.
pub trait SnapshotAppExt {
    /// Adds a component. References to entities are mapped by its
    /// [`map_entities`](Component::map_entities).
    fn add_snapshot_component<C>(&mut self, kind: SnapshotKind) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone;

    /// Adds a component, on the entities that match a filter.
    fn add_snapshot_component_where<C, F>(&mut self, kind: SnapshotKind) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone,
        F: ArchetypeFilter + Send + Sync + 'static;

    /// Adds a component, for files as well, and registers it for reflection.
    fn add_saved_component<C>(&mut self, kind: SnapshotKind) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration;

    /// Adds parameters that name targets, for files as well. Of targets that are entities the transform is kept.
    fn add_saved_component_with_targets<C>(
        &mut self,
        targets: fn(&C, &mut Vec<Entity>),
    ) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration;

    /// Adds a relationship, for files as well, and registers it for reflection. It is restored before
    /// other components.
    fn add_saved_relationship<C>(&mut self) -> &mut Self
    where
        C: Component + Clone + PartialEq + Reflect + GetTypeRegistration;

    /// Adds a resource. Snapshots share a value with memory of its own until it is marked as changed. References
    /// to entities are mapped by its [`map_entities`](Component::map_entities).
    fn add_snapshot_resource<R: Resource + Clone>(&mut self) -> &mut Self;

    /// Adds a resource, for files as well, and registers it for reflection.
    fn add_saved_resource<R>(&mut self) -> &mut Self
    where
        R: Resource + Clone + Reflect + GetTypeRegistration;

    /// Adds a resource as [`add_saved_resource`](Self::add_saved_resource) does. `heap` returns the memory that a value
    /// keeps beside itself, bytes, which [`bytes_beyond`](super::SteeringSnapshot::bytes_beyond) counts.
    fn add_saved_resource_with_heap<R>(&mut self, heap: fn(&R) -> usize) -> &mut Self
    where
        R: Resource + Clone + Reflect + GetTypeRegistration;

    /// Adds state of another shape.
    fn add_snapshot_part<P: SnapshotPart>(&mut self, part: P) -> &mut Self;
}

impl SnapshotAppExt for App {
    fn add_snapshot_component<C>(&mut self, kind: SnapshotKind) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone,
    {
        self.add_snapshot_component_where::<C, ()>(kind)
    }

    fn add_snapshot_component_where<C, F>(&mut self, kind: SnapshotKind) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone,
        F: ArchetypeFilter + Send + Sync + 'static,
    {
        SnapshotTypes::add(self.world_mut(), |world| {
            ComponentPart::<C, F>::new(world, kind)
        });
        self
    }

    fn add_saved_component<C>(&mut self, kind: SnapshotKind) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration,
    {
        SnapshotTypes::add(self.world_mut(), |world| {
            ComponentPart::<C>::new(world, kind).saved()
        });
        self.register_type::<C>()
    }

    fn add_saved_component_with_targets<C>(
        &mut self,
        targets: fn(&C, &mut Vec<Entity>),
    ) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration,
    {
        SnapshotTypes::add(self.world_mut(), |world| {
            let part = ComponentPart::<C>::new(world, SnapshotKind::Parameter);
            part.saved().with_targets(targets)
        });
        self.register_type::<C>()
    }

    fn add_saved_relationship<C>(&mut self) -> &mut Self
    where
        C: Component + Clone + PartialEq + Reflect + GetTypeRegistration,
    {
        SnapshotTypes::add(self.world_mut(), |world| {
            ComponentPart::<C>::of_immutable(world, SnapshotKind::Link).saved()
        });
        self.register_type::<C>()
    }

    fn add_snapshot_resource<R: Resource + Clone>(&mut self) -> &mut Self {
        SnapshotTypes::add(self.world_mut(), |_| ResourcePart::<R>::new());
        self
    }

    fn add_saved_resource<R>(&mut self) -> &mut Self
    where
        R: Resource + Clone + Reflect + GetTypeRegistration,
    {
        self.add_saved_resource_with_heap::<R>(|_| 0)
    }

    fn add_saved_resource_with_heap<R>(&mut self, heap: fn(&R) -> usize) -> &mut Self
    where
        R: Resource + Clone + Reflect + GetTypeRegistration,
    {
        SnapshotTypes::add(self.world_mut(), |_| {
            ResourcePart::<R>::new().saved().with_heap(heap)
        });
        self.register_type::<R>()
    }

    fn add_snapshot_part<P: SnapshotPart>(&mut self, part: P) -> &mut Self {
        SnapshotTypes::add(self.world_mut(), |_| CustomPart(part));
        self
    }
}

/// Adds the parameters of a behavior, with its targets.
pub(crate) fn add_behavior<B: Behavior>(app: &mut App) {
    SnapshotTypes::add(app.world_mut(), |world| {
        let part = ComponentPart::<B>::written_by(world, SnapshotKind::Parameter, write_behavior);
        part.saved().with_targets(|behavior, into| {
            let targets = behavior.targets().into_iter().flatten();
            into.extend(targets.filter_map(Target::entity));
        })
    });
}

/// Writes a behavior. One that is inserted makes an agent of its entity, which it may not have been.
fn write_behavior<B: Behavior>(mut entity: EntityWorldMut, value: B) {
    if let Some(mut present) = entity.get_mut::<B>() {
        *present = value;
        return;
    }
    let is_agent = entity.contains::<Vehicle>();
    entity.insert(value);
    // An observer may have despawned it.
    if !is_agent && !entity.is_despawned() {
        entity.remove::<Vehicle>();
    }
}

/// Adds the memory of a behavior.
pub(crate) fn add_memory<M>(app: &mut App)
where
    M: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration,
{
    app.add_saved_component::<M>(SnapshotKind::State);
}

/// Adds state of all agents, which every snapshot copies.
fn add_streamed<C>(app: &mut App)
where
    C: Component<Mutability = Mutable> + Copy + Reflect + GetTypeRegistration,
{
    SnapshotTypes::add(app.world_mut(), |world| {
        let part = ComponentPart::<C>::new(world, SnapshotKind::State);
        part.saved().streamed()
    });
    app.register_type::<C>();
}

/// Adds the types of the pipeline.
pub(crate) fn add_pipeline_types(app: &mut App) {
    use SnapshotKind::{Link, Parameter, State};
    /// Entities whose transforms matter to steering; those of targets are added one by one.
    type Placed = Or<(With<Kinematics>, With<Obstacle>, With<Wall>)>;
    type Ours = Or<(
        With<SteeringForce>,
        With<Kinematics>,
        With<Obstacle>,
        With<Wall>,
    )>;

    let world = app.world_mut();
    SnapshotTypes::add(world, |world| {
        let part = ComponentPart::<Disabled, Ours>::new(world, Link);
        part.saved().removed_from_known()
    });
    SnapshotTypes::add(app.world_mut(), |world| {
        let part = ComponentPart::<Transform, Placed>::new(world, State);
        part.saved().streamed().never_removed()
    });
    // In this order: `Kinematics` go with a `PointMass`.
    add_streamed::<PointMass>(app);
    add_streamed::<Kinematics>(app);
    app.register_type::<Disabled>()
        .register_type::<Transform>()
        .add_saved_relationship::<SteersFor>()
        .add_saved_component::<SteeringId>(Parameter)
        .add_saved_component::<Vehicle>(Parameter)
        .add_saved_component::<Combine>(Parameter)
        .add_saved_component::<ThinkEvery>(Parameter)
        .add_saved_component::<SpeedLimit>(Parameter)
        .add_saved_component_with_targets::<FaceTarget>(|it, into| into.extend(it.target.entity()))
        // After `FaceTarget`, which brings it.
        .add_saved_component::<FaceVelocity>(Parameter)
        .add_saved_component::<Holonomic>(Parameter)
        .add_saved_component::<SteeringDisabled>(Parameter)
        .add_saved_component::<SteeringGroups>(Parameter)
        .add_saved_component::<SensesColliders>(Parameter)
        .add_saved_component::<Obstacle>(Parameter)
        .add_saved_component::<Wall>(Parameter)
        .add_saved_component::<TargetWatch>(State)
        .add_saved_component::<StuckMemory>(State)
        // A game's systems may read them before the next update makes them anew.
        .add_saved_component::<ConditionStates>(State)
        .add_saved_resource::<SteeringSeed>()
        .add_saved_resource::<SteeringClock>()
        .add_saved_resource::<NextSteeringId>();
    add_with_heap(app, State, SteeringForce::copy_all);
    add_with_heap(app, Parameter, FlowField::copy_all);
    add_with_heap(app, Parameter, SteeringPath::copy_all);
}

/// Adds a component whose `copy` returns the memory that it keeps beside the component itself, bytes.
fn add_with_heap<C>(app: &mut App, kind: SnapshotKind, copy: fn(&[C], &mut Vec<C>) -> usize)
where
    C: Component<Mutability = Mutable> + Clone + Reflect + GetTypeRegistration,
{
    SnapshotTypes::add(app.world_mut(), |world| {
        ComponentPart::<C>::new(world, kind).saved().copied_by(copy)
    });
    app.register_type::<C>();
}
