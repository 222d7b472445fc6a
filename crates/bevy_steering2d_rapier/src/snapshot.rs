//! Rapier in snapshots: its contexts are copied whole, with contacts, islands and sleep, so that a world
//! goes on bit for bit.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::dynamics::RapierRigidBodyHandle;
use bevy_rapier2d::geometry::RapierColliderHandle;
use bevy_rapier2d::plugin::context::{
    RapierContextColliders, RapierContextJoints, RapierContextSimulation, RapierRigidBodySet,
};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::prelude::{CCDSolver, DefaultBroadPhase, IslandManager, NarrowPhase};
use bevy_steering2d_core::{SnapshotAppExt, SnapshotKind, SnapshotPart, Vehicle};

#[cfg(feature = "serialize")]
use crate::file;

/// Adds the contexts, and the components from which the body of an agent is made anew.
pub(crate) fn add_types(app: &mut App) {
    use SnapshotKind::Parameter;
    type OfAgents = With<Vehicle>;

    app.add_snapshot_component_where::<RigidBody, OfAgents>(Parameter)
        .add_snapshot_component_where::<Collider, OfAgents>(Parameter)
        .add_snapshot_component_where::<ColliderMassProperties, OfAgents>(Parameter)
        .add_snapshot_component_where::<AdditionalMassProperties, OfAgents>(Parameter)
        .add_snapshot_component_where::<CollisionGroups, OfAgents>(Parameter)
        .add_snapshot_component_where::<Friction, OfAgents>(Parameter)
        .add_snapshot_component_where::<Restitution, OfAgents>(Parameter)
        .add_snapshot_component_where::<Sensor, OfAgents>(Parameter)
        .add_snapshot_component_where::<GravityScale, OfAgents>(Parameter)
        .add_snapshot_component_where::<Damping, OfAgents>(Parameter)
        .add_snapshot_component_where::<LockedAxes, OfAgents>(Parameter)
        .add_snapshot_component_where::<Ccd, OfAgents>(Parameter);
    #[cfg(feature = "serialize")]
    file::register(app);
    let contexts = Contexts {
        contexts: app.world_mut().query(),
        bodies: app.world_mut().query_filtered(),
        colliders: app.world_mut().query_filtered(),
        velocities: app.world_mut().query_filtered(),
        sleeping: app.world_mut().query_filtered(),
    };
    app.add_snapshot_part(contexts);
}

/// The queries of all that Rapier changes.
struct Contexts {
    contexts: QueryState<(
        Entity,
        &'static RapierRigidBodySet,
        &'static RapierContextColliders,
        &'static RapierContextJoints,
        &'static RapierContextSimulation,
    )>,
    bodies: OfAll<RapierRigidBodyHandle>,
    colliders: OfAll<RapierColliderHandle>,
    velocities: OfBodies<Velocity>,
    sleeping: OfBodies<Sleeping>,
}

/// A component of all entities.
type OfAll<C> = QueryState<&'static C, Allow<Disabled>>;

/// A component of all bodies.
type OfBodies<C> = QueryState<(Entity, &'static C), (With<RapierRigidBodyHandle>, Allow<Disabled>)>;

/// One Rapier context.
struct Context {
    entity: Entity,
    bodies: RapierRigidBodySet,
    colliders: RapierContextColliders,
    joints: RapierContextJoints,
    islands: IslandManager,
    broad_phase: DefaultBroadPhase,
    narrow_phase: NarrowPhase,
    ccd_solver: CCDSolver,
}

/// All contexts, and the components of bodies that Rapier writes.
#[derive(Default)]
struct Copies {
    contexts: Vec<Context>,
    velocities: Vec<(Entity, Velocity)>,
    sleeping: Vec<(Entity, Sleeping)>,
    /// Of a file, instead of all others.
    #[cfg(feature = "serialize")]
    saved: Option<file::Saved>,
}

impl SnapshotPart for Contexts {
    type Copy = Copies;

    fn take(&mut self, world: &mut World) -> Copies {
        let contexts =
            self.contexts
                .iter(world)
                .map(|(entity, bodies, colliders, joints, simulation)| Context {
                    entity,
                    bodies: bodies.clone(),
                    colliders: colliders.clone(),
                    joints: joints.clone(),
                    islands: simulation.islands.clone(),
                    broad_phase: simulation.broad_phase.clone(),
                    narrow_phase: simulation.narrow_phase.clone(),
                    ccd_solver: simulation.ccd_solver.clone(),
                });
        Copies {
            contexts: contexts.collect(),
            velocities: copies(&mut self.velocities, world),
            sleeping: copies(&mut self.sleeping, world),
            #[cfg(feature = "serialize")]
            saved: None,
        }
    }

    fn restore(&mut self, world: &mut World, copy: &Copies, spawned: &EntityHashMap<Entity>) {
        #[cfg(feature = "serialize")]
        if let Some(saved) = &copy.saved {
            file::restore(world, saved, spawned);
            return;
        }
        // A context knows its bodies and colliders by handle, so it cannot take back those that have come, gone or
        // were made anew since: bodies are then made from their components.
        let contexts = copy.contexts.iter();
        let bodies = contexts.clone().flat_map(|it| it.bodies.entity2body());
        let colliders = contexts.flat_map(|it| it.colliders.entity2collider());
        let is_exact = has_handles(&mut self.bodies, world, bodies, |it| &it.0)
            && has_handles(&mut self.colliders, world, colliders, |it| &it.0);
        if is_exact {
            for context in &copy.contexts {
                put_back(world, context);
            }
        } else {
            for context in &copy.contexts {
                put_back_velocities(world, context, spawned);
            }
        }
        write(world, &copy.velocities, spawned, is_exact);
        write(world, &copy.sleeping, spawned, is_exact);
    }

    fn bytes(copy: &Copies) -> usize {
        /// A body with a contact or two, in all sets.
        const PER_BODY: usize = 1_500;
        /// A collider, with its place in the broad phase.
        const PER_COLLIDER: usize = 500;
        let bytes = copy.contexts.iter().map(|it| {
            PER_BODY * it.bodies.bodies.len() + PER_COLLIDER * it.colliders.colliders.len()
        });
        bytes.sum()
    }

    fn is_empty(copy: &Copies) -> bool {
        #[cfg(feature = "serialize")]
        if copy.saved.is_some() {
            return false;
        }
        let mut contexts = copy.contexts.iter();
        contexts.all(|it| it.bodies.bodies.is_empty() && it.colliders.colliders.is_empty())
    }

    fn name() -> &'static str {
        "the world of Rapier"
    }

    #[cfg(feature = "serialize")]
    fn entities(copy: &Copies) -> &[Entity] {
        copy.saved.as_ref().map_or(&[], file::Saved::entities)
    }

    #[cfg(feature = "serialize")]
    fn write(world: &World) -> Option<Result<String, &'static str>> {
        Some(file::write(world))
    }

    #[cfg(feature = "serialize")]
    fn read(text: &str, types: &bevy::reflect::TypeRegistry) -> Option<Copies> {
        Some(Copies {
            saved: Some(file::read(text, types)?),
            ..Copies::default()
        })
    }

    #[cfg(feature = "serialize")]
    fn written_types() -> Vec<std::any::TypeId> {
        file::written_types()
    }
}

fn copies<C: Component + Clone>(bodies: &mut OfBodies<C>, world: &World) -> Vec<(Entity, C)> {
    let bodies = bodies.iter(world);
    bodies
        .map(|(entity, value)| (entity, value.clone()))
        .collect()
}

/// Whether the entities that have a handle are those of `then`, and have the same.
fn has_handles<'a, C: Component, H: PartialEq + 'a>(
    all: &mut OfAll<C>,
    world: &World,
    mut then: impl Iterator<Item = (&'a Entity, &'a H)> + Clone,
    handle: fn(&C) -> &H,
) -> bool {
    let now = all.query(world);
    let is_same = |(entity, was): (&Entity, &H)| now.get(*entity).is_ok_and(|it| handle(it) == was);
    then.clone().count() == now.iter().count() && then.all(is_same)
}

/// Gives each body that is still there, or was spawned again, the velocity that it had.
fn put_back_velocities(world: &mut World, context: &Context, spawned: &EntityHashMap<Entity>) {
    for (entity, &handle) in context.bodies.entity2body() {
        let Some(then) = context.bodies.bodies.get(handle) else {
            continue;
        };
        let (linear, angular) = (then.linvel(), then.angvel());
        let entity = *spawned.get(entity).unwrap_or(entity);
        let now = world.get::<RapierRigidBodyHandle>(entity).map(|it| it.0);
        let link = world.get::<RapierContextEntityLink>(entity).map(|it| it.0);
        if let Some((now, link)) = now.zip(link) {
            if let Some(mut set) = world.get_mut::<RapierRigidBodySet>(link)
                && let Some(body) = set.bodies.get_mut(now)
            {
                body.set_linvel(linear, true);
                body.set_angvel(angular, true);
            }
        } else if let Ok(mut entity) = world.get_entity_mut(entity)
            && entity.contains::<RigidBody>()
        {
            entity.insert(Velocity { linear, angular });
        }
    }
}

fn put_back(world: &mut World, context: &Context) {
    let Ok(mut entity) = world.get_entity_mut(context.entity) else {
        return;
    };
    if let Some(mut bodies) = entity.get_mut::<RapierRigidBodySet>() {
        *bodies = context.bodies.clone();
    }
    if let Some(mut colliders) = entity.get_mut::<RapierContextColliders>() {
        *colliders = context.colliders.clone();
    }
    if let Some(mut joints) = entity.get_mut::<RapierContextJoints>() {
        *joints = context.joints.clone();
    }
    if let Some(mut simulation) = entity.get_mut::<RapierContextSimulation>() {
        simulation.islands = context.islands.clone();
        simulation.broad_phase = context.broad_phase.clone();
        simulation.narrow_phase = context.narrow_phase.clone();
        simulation.ccd_solver = context.ccd_solver.clone();
    }
}

/// Writes the values of a component. If the contexts have them already, Rapier must not take them for
/// changes of the game, which would wake the bodies.
fn write<C: Component<Mutability = bevy::ecs::component::Mutable> + Clone>(
    world: &mut World,
    values: &[(Entity, C)],
    spawned: &EntityHashMap<Entity>,
    is_known: bool,
) {
    for (entity, value) in values {
        let entity = spawned.get(entity).unwrap_or(entity);
        let Ok(mut entity) = world.get_entity_mut(*entity) else {
            continue;
        };
        match entity.get_mut::<C>() {
            Some(mut present) if is_known => *present.bypass_change_detection() = value.clone(),
            _ => {
                entity.insert(value.clone());
            }
        }
    }
}
