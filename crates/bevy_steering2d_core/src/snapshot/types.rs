//! The types that belong to snapshots.

use std::marker::PhantomData;

use bevy::ecs::component::Mutable;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;

use super::part::{ComponentPart, CustomPart, Part, ResourcePart, SnapshotKind, SnapshotPart};
use crate::{
    Behavior, Combine, FaceTarget, FaceVelocity, FlowField, Holonomic, Kinematics, NextSteeringId,
    Obstacle, PointMass, SensesColliders, SpeedLimit, SteeringClock, SteeringDisabled,
    SteeringForce, SteeringGroups, SteeringId, SteeringPath, SteeringSeed, SteersFor,
    StuckDetection, StuckMemory, Target, TargetWatch, ThinkEvery, Vehicle, Wall,
};

/// The types that belong to snapshots, in the order in which they are restored.
#[derive(Resource, Default)]
pub(super) struct SnapshotTypes(pub(super) Vec<Box<dyn Part>>);

impl SnapshotTypes {
    /// Adds a type; a second call for it does nothing.
    fn add<P: Part + 'static>(world: &mut World, part: impl FnOnce(&mut World) -> P) {
        let part = part(world);
        let parts = &mut world.get_resource_or_init::<Self>().0;
        if parts.iter().all(|it| it.id() != part.id()) {
            let at = parts.partition_point(|it| it.kind() <= part.kind());
            parts.insert(at, Box::new(part));
        }
    }

    /// Takes the types out of the world while they are used on it.
    pub(super) fn with<T>(
        world: &mut World,
        use_them: impl FnOnce(&mut World, &mut Self) -> T,
    ) -> T {
        let mut types = world.remove_resource::<Self>().unwrap_or_default();
        let result = use_them(world, &mut types);
        world.insert_resource(types);
        result
    }
}

/// Adds types of a game or a backend to every [`SteeringSnapshot`](super::SteeringSnapshot).
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
        F: QueryFilter + Send + Sync + 'static;

    /// Adds a resource.
    fn add_snapshot_resource<R: Resource + Clone>(&mut self) -> &mut Self;

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
        F: QueryFilter + Send + Sync + 'static,
    {
        SnapshotTypes::add(self.world_mut(), |world| {
            ComponentPart::<C, F>::new(world, kind)
        });
        self
    }

    fn add_snapshot_resource<R: Resource + Clone>(&mut self) -> &mut Self {
        self.add_snapshot_part(ResourcePart::<R>(PhantomData))
    }

    fn add_snapshot_part<P: SnapshotPart>(&mut self, part: P) -> &mut Self {
        SnapshotTypes::add(self.world_mut(), |_| CustomPart(part));
        self
    }
}

/// Adds the parameters of a behavior, with its targets.
pub(crate) fn add_behavior<B: Behavior>(app: &mut App) {
    SnapshotTypes::add(app.world_mut(), |world| {
        let part = ComponentPart::<B>::new(world, SnapshotKind::Parameter);
        part.with_targets(|behavior, into| {
            into.extend(behavior.targets().into_iter().flatten().filter_map(
                |target| match target {
                    Target::Entity(entity) => Some(entity),
                    Target::Point(_) => None,
                },
            ));
        })
    });
}

/// Adds the memory of a behavior.
pub(crate) fn add_memory<M: Component<Mutability = Mutable> + Clone>(app: &mut App) {
    app.add_snapshot_component::<M>(SnapshotKind::State);
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
        ComponentPart::<SteersFor>::of_immutable(world, Link)
    });
    app.add_snapshot_component_where::<Disabled, Ours>(Link)
        .add_snapshot_component::<SteeringId>(Parameter)
        .add_snapshot_component::<Vehicle>(Parameter)
        .add_snapshot_component::<Combine>(Parameter)
        .add_snapshot_component::<ThinkEvery>(Parameter)
        .add_snapshot_component::<SpeedLimit>(Parameter)
        .add_snapshot_component::<FaceVelocity>(Parameter)
        .add_snapshot_component::<FaceTarget>(Parameter)
        .add_snapshot_component::<Holonomic>(Parameter)
        .add_snapshot_component::<StuckDetection>(Parameter)
        .add_snapshot_component::<SteeringDisabled>(Parameter)
        .add_snapshot_component::<SteeringGroups>(Parameter)
        .add_snapshot_component::<SensesColliders>(Parameter)
        .add_snapshot_component::<SteeringPath>(Parameter)
        .add_snapshot_component::<FlowField>(Parameter)
        .add_snapshot_component::<Obstacle>(Parameter)
        .add_snapshot_component::<Wall>(Parameter)
        .add_snapshot_component_where::<Transform, Placed>(State)
        .add_snapshot_component::<PointMass>(State)
        .add_snapshot_component::<Kinematics>(State)
        .add_snapshot_component::<TargetWatch>(State)
        .add_snapshot_component::<StuckMemory>(State)
        .add_snapshot_resource::<SteeringSeed>()
        .add_snapshot_resource::<SteeringClock>()
        .add_snapshot_resource::<NextSteeringId>();
    SnapshotTypes::add(app.world_mut(), |world| {
        ComponentPart::<SteeringForce>::new(world, State).with_heap(SteeringForce::heap)
    });
}
