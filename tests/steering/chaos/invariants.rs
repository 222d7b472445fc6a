//! What holds after every tick, whatever happened before.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::Allow;
use bevy::prelude::*;
use bevy_rapier2d::plugin::context::RapierRigidBodySet;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{
    BehaviorRegistry, NeighborView, ObstacleIndex, SteeringClock, SteeringSchedule, WallIndex,
};

use super::operation::SLOTS;
use super::surface::Wild;
use super::world::Disturbed;

/// The velocity of every body before steering moves it.
#[derive(Resource, Default)]
struct Before(EntityHashMap<Vec2>);

/// The last tick that was checked.
#[derive(Resource, Default)]
struct Checked(u32);

/// Adds the checks within a tick: the indexes after Sense, and the velocities around Move.
pub fn watch(app: &mut App) {
    use SteeringSystems::{Move, Sense, Steer};
    app.init_resource::<Before>()
        .init_resource::<Checked>()
        .add_systems(
            FixedUpdate,
            (
                check_indexes.after(Sense).before(Steer),
                note_velocities.after(SteeringSystems::Combine).before(Move),
                check_velocities
                    .after(Move)
                    .before(PhysicsSet::StepSimulation),
            ),
        );
}

/// No entity steers for itself.
pub fn check_chains(world: &mut World) {
    let mut links = world.query_filtered::<(Entity, &SteersFor), Allow<Disabled>>();
    for (entity, link) in links.iter(world) {
        let next = |agent: &Entity| Some(world.get::<SteersFor>(*agent)?.0);
        let chain = std::iter::successors(Some(link.0), next);
        let length = chain.take(usize::from(SLOTS) + 1).count();
        assert!(length <= SLOTS.into(), "{entity} steers for itself");
    }
}

/// Only agents, obstacles and walls that exist are indexed, where they are.
fn check_indexes(world: &mut World) {
    if world.resource::<Disturbed>().0 {
        return;
    }
    let mut agents =
        world.query_filtered::<(), (With<Vehicle>, With<SteeringId>, With<Kinematics>)>();
    let agents = agents.iter(world).count();
    let everything = NeighborView::at(Vec2::ZERO, 1e30, SteeringGroups::ALL);
    let neighbors = world.resource::<Neighbors>();
    assert!(
        neighbors.len() <= agents,
        "{} of {agents} agents are indexed",
        neighbors.len()
    );
    for neighbor in neighbors.in_view(everything) {
        let body = world.get::<Kinematics>(neighbor.entity);
        let position = body.map(|body| body.position);
        assert_eq!(position, Some(neighbor.position), "indexed: {neighbor:?}");
        let is_agent = world.get::<Vehicle>(neighbor.entity).is_some();
        assert!(is_agent, "{} is indexed, but no agent", neighbor.entity);
    }
    let obstacles: Vec<Entity> = world
        .resource::<ObstacleIndex>()
        .iter()
        .map(|it| it.entity)
        .collect();
    for entity in obstacles {
        let is_obstacle = world.get::<Obstacle>(entity).is_some();
        let is_disabled = world.get::<Disabled>(entity).is_some();
        assert!(
            is_obstacle && !is_disabled,
            "{entity} is indexed, but no obstacle"
        );
    }
    let walls = world.query::<&Wall>().iter(world).count();
    let indexed = world.resource::<WallIndex>().iter().count();
    assert!(indexed <= walls, "{indexed} of {walls} walls are indexed");
}

fn velocities(world: &mut World) -> EntityHashMap<Vec2> {
    let mut points = world.query_filtered::<(Entity, &PointMass), Allow<Disabled>>();
    let points = points
        .iter(world)
        .map(|(entity, point)| (entity, point.velocity));
    let mut velocities: EntityHashMap<Vec2> = points.collect();
    for set in world.query::<&RapierRigidBodySet>().iter(world) {
        let bodies = set.entity2body().iter();
        velocities.extend(
            bodies.filter_map(|(entity, body)| Some((*entity, set.bodies.get(*body)?.linvel()))),
        );
    }
    velocities
}

fn note_velocities(world: &mut World) {
    let now = velocities(world);
    world.resource_mut::<Before>().0 = now;
}

/// Velocities stay finite, and steering moves only what it steers.
fn check_velocities(world: &mut World) {
    let before = std::mem::take(&mut world.resource_mut::<Before>().0);
    let disturbed = world.resource::<Disturbed>().0;
    let now = velocities(world);
    for (entity, velocity) in now {
        let Some(before) = before.get(&entity) else {
            continue;
        };
        // An operation within the tick may have set the velocity.
        if disturbed || !before.is_finite() {
            continue;
        }
        assert!(velocity.is_finite(), "{entity}: {before} became {velocity}");
        // Grip and water act on driven bodies without steering.
        let is_free = world
            .get_entity(entity)
            .is_ok_and(|it| !it.contains::<Controls>() && is_unsteered(world, it));
        if is_free {
            assert_eq!(
                velocity, *before,
                "{entity} has no behaviors, and is pushed"
            );
        }
    }
}

/// Whether steering must not move an entity.
fn is_unsteered(world: &World, entity: EntityRef) -> bool {
    let registry = world.resource::<BehaviorRegistry>();
    let is_off = entity.contains::<SteeringDisabled>() || entity.contains::<Disabled>();
    // Between updates the last force keeps acting.
    let updates = entity.get::<ThinkEvery>().is_none_or(|every| every.0 < 2);
    is_off || updates && registry.assigned_to(world, entity.id()).is_empty()
}

/// Leaves the ticks that have run since the last check unchecked.
pub fn skip(world: &mut World) {
    let tick = world.resource::<SteeringClock>().tick;
    world.resource_mut::<Checked>().0 = tick;
    world.resource_mut::<Disturbed>().0 = false;
}

/// Checks the forces and ledgers of all agents after a tick.
pub fn check(world: &mut World, extreme: bool) {
    let tick = world.resource::<SteeringClock>().tick;
    let disturbed = std::mem::take(&mut world.resource_mut::<Disturbed>().0);
    let ran = std::mem::replace(&mut world.resource_mut::<Checked>().0, tick) != tick;
    if !extreme {
        check_transforms(world);
    }
    if !ran || disturbed {
        return;
    }
    let mut agents = world.query_filtered::<EntityRef, (
        With<Vehicle>,
        With<SteeringForce>,
        With<SteeringId>,
        With<Combine>,
        Without<SteersFor>,
    )>();
    for agent in agents.iter(world) {
        if agent.get::<ThinkEvery>().is_none_or(|every| every.0 < 2) {
            check_agent(world, agent);
        }
    }
}

fn check_transforms(world: &mut World) {
    let mut bodies = world.query::<(Entity, &Transform)>();
    for (entity, transform) in bodies.iter(world) {
        assert!(transform.is_finite(), "{entity} is at {transform:?}");
    }
}

fn check_agent(world: &World, agent: EntityRef) {
    let (entity, vehicle) = (agent.id(), agent.get::<Vehicle>().unwrap());
    let force = agent.get::<SteeringForce>().unwrap();
    let assigned = world
        .resource::<BehaviorRegistry>()
        .assigned_to(world, entity);
    assert!(
        force.total.is_finite(),
        "{entity} steers with {}",
        force.total
    );
    let is_wild = agent.get() == Some(&Combine::by::<Wild>());
    if vehicle.check().is_err() || assigned.is_empty() {
        // A combiner may make a force of nothing, but nothing applies it.
        let acts = force.is_steered() || force.total != Vec2::ZERO && !is_wild;
        assert!(
            !acts,
            "{entity} with {vehicle:?} and {assigned:?}: {force:?}"
        );
        return;
    }
    let max_force = f64::from(vehicle.max_force);
    let most = max_force * 1.000_1;
    let length = |force: Vec2| force.as_dvec2().length();
    assert!(
        length(force.total) <= most,
        "{entity} steers with {} of {max_force} N",
        force.total
    );
    let registry = world.resource::<BehaviorRegistry>();
    let requested: f64 = force.ledger().map(|it| length(it.weighted())).sum();
    let mut accepted = bevy::math::DVec2::ZERO;
    for entry in force.ledger() {
        let is_present = assigned.iter().any(|it| it.id == entry.behavior);
        assert!(
            is_present,
            "{entity} does not have the behavior of {entry:?}"
        );
        // An adjustment may also take back what the others request.
        let most = match registry.get(entry.behavior).step {
            SteeringSchedule::Adjust => most + 1.000_1 * (requested - length(entry.weighted())),
            _ => most,
        };
        assert!(
            length(entry.raw) <= most,
            "{entity} with {max_force} N has {entry:?}"
        );
        accepted += entry.accepted().as_dvec2();
    }
    if !is_wild {
        let error = accepted.distance(force.total.as_dvec2());
        // A total near zero counts as zero.
        let tolerance = 1e-3 * max_force + 1e-30;
        assert!(
            error <= tolerance,
            "{entity} steers with {}, its ledger adds up to {accepted}: {:?}",
            force.total,
            force.ledger().collect::<Vec<_>>()
        );
    }
}
