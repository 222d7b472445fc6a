//! Rapier in snapshots: its contexts are copied whole, with contacts, islands and sleep, so that a world
//! goes on bit for bit.

pub(crate) mod mirrored;
pub(crate) mod removals;
pub(crate) mod written;

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::dynamics::{
    RapierImpulseJointHandle, RapierMultibodyJointHandle, RapierRigidBodyHandle,
};
use bevy_rapier2d::geometry::RapierColliderHandle;
use bevy_rapier2d::plugin::context::{
    RapierContextColliders, RapierContextJoints, RapierContextSimulation, RapierRigidBodySet,
};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_rapier2d::rapier::prelude::{CCDSolver, DefaultBroadPhase, IslandManager, NarrowPhase};
use bevy_steering2d_core::{SnapshotAppExt, SnapshotPart, entity_now};

#[cfg(feature = "serialize")]
use crate::file;
use crate::radius;
use crate::sense::InvalidBodies;

use mirrored::{LastSync, Mirrored, Place, Places, put_back_place};
use removals::read_removals;
use written::{WrittenBack, write};

/// Adds the contexts, and the components from which the body of an agent is made anew.
pub(crate) fn add_types(app: &mut App) {
    let mirrored = Mirrored::new(app);
    #[cfg(feature = "serialize")]
    file::register(app);
    app.init_resource::<LastSync>();
    let contexts = Contexts {
        contexts: app.world_mut().query(),
        velocities: app.world_mut().query_filtered(),
        sleeping: app.world_mut().query_filtered(),
        contacts: app.world_mut().query_filtered(),
        mirrored,
        places: app.world_mut().query_filtered(),
        new_bodies: app.world_mut().query_filtered(),
        impulses: app.world_mut().query_filtered(),
        waiting: app.world_mut().query_filtered(),
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
        &'static SimulationToRenderTime,
    )>,
    velocities: OfBodies<Velocity>,
    sleeping: OfBodies<Sleeping>,
    mirrored: Mirrored,
    places: Places,
    contacts: QueryState<(Entity, &'static CollidingEntities), Allow<Disabled>>,
    new_bodies: QueryState<(Entity, Option<&'static Velocity>), NewBody>,
    impulses: QueryState<(Entity, &'static ExternalImpulse), Allow<Disabled>>,
    waiting: QueryState<(), Waiting>,
}

/// A body that Rapier makes in the next tick.
type NewBody = (
    With<RigidBody>,
    Without<RapierRigidBodyHandle>,
    Allow<Disabled>,
);

/// A body or collider of which Rapier has nothing yet.
type Waiting = (
    Or<(With<RigidBody>, With<Collider>)>,
    Without<RapierRigidBodyHandle>,
    Without<RapierColliderHandle>,
    Allow<Disabled>,
);

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
    /// How far `TimestepMode::Interpolated` is ahead of or behind the game.
    time: SimulationToRenderTime,
}

impl Context {
    /// The entities with a body or a collider.
    fn owners(&self) -> impl Iterator<Item = Entity> {
        let bodies = self.bodies.entity2body().keys();
        bodies
            .chain(self.colliders.entity2collider().keys())
            .copied()
    }
}

/// All contexts, and the components of bodies that Rapier writes.
#[derive(Default)]
struct Copies {
    contexts: Vec<Context>,
    velocities: Vec<(Entity, Velocity)>,
    sleeping: Vec<(Entity, Sleeping)>,
    mirrored: mirrored::Taken,
    /// Where the colliders without a body of their own were.
    places: Vec<Place>,
    /// With whom each collider is in contact.
    contacts: Vec<(Entity, CollidingEntities)>,
    /// The velocities of bodies that Rapier had not made yet.
    new_bodies: Vec<(Entity, Option<Velocity>)>,
    /// The impulses that Rapier had not read yet. It sets those to zero that it has.
    impulses: Vec<(Entity, ExternalImpulse)>,
    /// Bodies that steering enables again.
    invalid: Vec<Entity>,
    /// Whether there were bodies or colliders that Rapier had not made yet.
    waiting: bool,
    /// Of a file, instead of all others.
    #[cfg(feature = "serialize")]
    saved: Option<file::Saved>,
}

impl SnapshotPart for Contexts {
    type Copy = Copies;

    fn take(&mut self, world: &mut World) -> Copies {
        let contexts = self.contexts.iter(world).map(
            |(entity, bodies, colliders, joints, simulation, time)| {
                let (mut bodies, mut colliders) = (bodies.clone(), colliders.clone());
                read_removals(world, &mut bodies, &mut colliders);
                Context {
                    entity,
                    bodies,
                    colliders,
                    joints: joints.clone(),
                    islands: simulation.islands.clone(),
                    broad_phase: simulation.broad_phase.clone(),
                    narrow_phase: simulation.narrow_phase.clone(),
                    ccd_solver: simulation.ccd_solver.clone(),
                    time: time.clone(),
                }
            },
        );
        Copies {
            contexts: contexts.collect(),
            velocities: copies(&mut self.velocities, world),
            sleeping: copies(&mut self.sleeping, world),
            mirrored: self.mirrored.take(world),
            places: {
                let places = self.places.iter(world);
                let copies = places.map(|(entity, local, global)| (entity, *local, *global));
                copies.collect()
            },
            contacts: {
                let contacts = self.contacts.iter(world);
                let copies = contacts.filter_map(|(entity, it)| Some((entity, copy_of(it)?)));
                copies.collect()
            },
            new_bodies: {
                let bodies = self.new_bodies.iter(world);
                let copies = bodies.map(|(entity, velocity)| (entity, velocity.copied()));
                copies.collect()
            },
            impulses: {
                let impulses = self.impulses.iter(world);
                let unread = impulses.filter(|(_, it)| **it != ExternalImpulse::default());
                unread.map(|(entity, it)| (entity, *it)).collect()
            },
            invalid: world.resource::<InvalidBodies>().all(),
            waiting: self.waiting.iter(world).next().is_some(),
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
        let is_exact = have_handles_of(world, &copy.contexts);
        if is_exact {
            for context in &copy.contexts {
                put_back(world, context);
            }
            self.mirrored.put_back(world, &copy.mirrored);
            for place in &copy.places {
                put_back_place(world, place);
            }
        } else {
            self.mirrored.note_unread(world);
            for context in &copy.contexts {
                put_back_links(world, context, spawned);
                put_back_motion(world, context, spawned);
            }
        }
        let invalid = world.resource::<InvalidBodies>();
        for entity in &copy.invalid {
            invalid.add(entity_now(*entity, spawned));
        }
        radius::note_restored(world);
        write(world, &copy.velocities, spawned, is_exact);
        write(world, &copy.sleeping, spawned, is_exact);
        for (entity, velocity) in &copy.new_bodies {
            let entity = entity_now(*entity, spawned);
            put_back_new_body(world, entity, *velocity);
        }
        for (entity, impulse) in copy.impulses.iter().filter(|_| !is_exact) {
            insert_on_body(world, entity_now(*entity, spawned), *impulse);
        }
        // Contexts that are not put back keep the contacts that they have now.
        if is_exact {
            for (entity, then) in &copy.contacts {
                let present = world.get_mut::<CollidingEntities>(*entity);
                if let Some((mut present, then)) = present.zip(copy_of(then)) {
                    *present = then;
                }
            }
        }
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
        if let Some(saved) = &copy.saved {
            return saved.is_empty();
        }
        let mut contexts = copy.contexts.iter();
        !copy.waiting
            && contexts.all(|it| it.bodies.bodies.is_empty() && it.colliders.colliders.is_empty())
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
    fn read_empty() -> Option<Copies> {
        Some(Copies {
            saved: Some(file::Saved::default()),
            ..Copies::default()
        })
    }

    #[cfg(feature = "serialize")]
    fn written_types() -> Vec<std::any::TypeId> {
        file::written_types()
    }
}

/// Whether all bodies, colliders and joints have the handles that they had in these contexts, and are in the same.
///
/// A context knows them by handle, so it cannot take back those that have come, gone or were made anew since: bodies
/// are then made from their components.
fn have_handles_of(world: &World, then: &[Context]) -> bool {
    let is_linked = |context: &Context| {
        let mut links = context.owners().map(|it| link_of(world, it));
        links.all(|it| it == Some(context.entity))
    };
    // Handles of different contexts may be equal.
    if !then.iter().all(is_linked) {
        return false;
    }
    let then = then.iter();
    let bodies = then.clone().flat_map(|it| it.bodies.entity2body());
    let colliders = then.clone().flat_map(|it| it.colliders.entity2collider());
    let impulse_joints = then.clone().flat_map(|it| it.joints.entity2impulse_joint());
    let multibody_joints = then.flat_map(|it| it.joints.entity2multibody_joint());
    has_handles::<RapierRigidBodyHandle, _>(world, bodies, |it| &it.0)
        && has_handles::<RapierColliderHandle, _>(world, colliders, |it| &it.0)
        && has_handles::<RapierImpulseJointHandle, _>(world, impulse_joints, |it| &it.0)
        && has_handles::<RapierMultibodyJointHandle, _>(world, multibody_joints, |it| &it.0)
}

/// A copy of a component that is not `Clone`; its only form of reflection is itself.
fn copy_of(contacts: &CollidingEntities) -> Option<CollidingEntities> {
    CollidingEntities::from_reflect(contacts.as_partial_reflect())
}

fn copies<C: Component + Clone>(bodies: &mut OfBodies<C>, world: &World) -> Vec<(Entity, C)> {
    let bodies = bodies.iter(world);
    bodies
        .map(|(entity, value)| (entity, value.clone()))
        .collect()
}

/// The context of an entity.
fn link_of(world: &World, entity: Entity) -> Option<Entity> {
    world.get::<RapierContextEntityLink>(entity).map(|it| it.0)
}

/// Whether the entities that have such a handle are those of `then`, and have the same. So have those that a disabling component
/// of the game hides from queries.
fn has_handles<'a, C: Component, H: PartialEq + 'a>(
    world: &World,
    mut then: impl Iterator<Item = (&'a Entity, &'a H)> + Clone,
    handle: fn(&C) -> &H,
) -> bool {
    let is_same = |(entity, was): (&Entity, &H)| {
        let now = world.get::<C>(*entity);
        now.is_some_and(|it| handle(it) == was)
    };
    then.clone().count() == entities_with::<C>(world) && then.all(is_same)
}

/// How many entities have a component, hidden ones as well.
fn entities_with<C: Component>(world: &World) -> usize {
    let Some(id) = world.component_id::<C>() else {
        return 0;
    };
    let with_it = world.archetypes().iter().filter(|it| it.contains(id));
    with_it.map(|it| it.len() as usize).sum()
}

/// Moves bodies and colliders that have changed their context since back to the one of then, where Rapier makes them
/// anew. Without a link they get into the default one.
fn put_back_links(world: &mut World, context: &Context, spawned: &EntityHashMap<Entity>) {
    let Ok(then) = world.get_entity(context.entity) else {
        return;
    };
    let is_default = then.contains::<DefaultRapierContext>();
    let mut owners: Vec<Entity> = context.owners().collect();
    // In the same order in every run.
    owners.sort_unstable();
    for entity in owners {
        let entity = entity_now(entity, spawned);
        let is_elsewhere =
            link_of(world, entity).map_or(!is_default, |link| link != context.entity);
        if is_elsewhere
            && let Ok(mut entity) = world.get_entity_mut(entity)
            && (entity.contains::<RigidBody>() || entity.contains::<Collider>())
        {
            entity.insert(RapierContextEntityLink(context.entity));
        }
    }
}

/// Gives each body that is still there, or was spawned again, the place and velocity that it had.
fn put_back_motion(world: &mut World, context: &Context, spawned: &EntityHashMap<Entity>) {
    let bodies = context.bodies.entity2body().iter();
    let mut bodies: Vec<_> = bodies.map(|(entity, handle)| (*entity, *handle)).collect();
    // In the same order in every run, since they wake in it.
    bodies.sort_unstable_by_key(|(entity, _)| *entity);
    for (entity, handle) in bodies {
        let Some(then) = context.bodies.bodies.get(handle) else {
            continue;
        };
        let velocity = Velocity::of(then);
        let entity = entity_now(entity, spawned);
        match simulated_mut(world, entity) {
            Some(body) => {
                // A kinematic body would follow its transform there in one step, as fast as it must.
                body.set_position(*then.position(), true);
                set_velocity(body, velocity);
            }
            None => insert_on_body(world, entity, velocity),
        }
    }
}

/// Gives a body that Rapier had not made yet the velocity that it was to start with: at rest without a `Velocity`.
fn put_back_new_body(world: &mut World, entity: Entity, then: Option<Velocity>) {
    let start = then.unwrap_or_default();
    if let Some(body) = simulated_mut(world, entity) {
        set_velocity(body, start);
    }
    if then.is_some() || world.get::<Velocity>(entity).is_some() {
        insert_on_body(world, entity, start);
    }
}

/// The body of an entity in Rapier.
fn simulated_mut(world: &mut World, entity: Entity) -> Option<&mut SimulatedBody> {
    let handle = world.get::<RapierRigidBodyHandle>(entity)?.0;
    let link = link_of(world, entity)?;
    let set = world.get_mut::<RapierRigidBodySet>(link)?.into_inner();
    // In the context that the body is to move to, the handle is that of another one.
    if set.entity2body().get(&entity) != Some(&handle) {
        return None;
    }
    set.bodies.get_mut(handle)
}

fn set_velocity(body: &mut SimulatedBody, velocity: Velocity) {
    body.set_linvel(velocity.linear, true);
    body.set_angvel(velocity.angular, true);
}

fn insert_on_body(world: &mut World, entity: Entity, component: impl Component) {
    if let Ok(mut entity) = world.get_entity_mut(entity)
        && entity.contains::<RigidBody>()
    {
        entity.insert(component);
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
    if let Some(mut time) = entity.get_mut::<SimulationToRenderTime>() {
        *time = context.time.clone();
    }
}
