//! Rapier for scenes: a fresh physics world per run, with bodies in a reproducible order.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::pipeline::{CollisionEvent, ContactForceEvent};
use bevy_rapier2d::plugin::RapierContextInitialization;
use bevy_rapier2d::plugin::systems::{init_colliders, init_rigid_bodies};
use bevy_rapier2d::prelude::*;

use crate::in_scene::InScene;

/// Adds Rapier in `FixedUpdate`. Each run of a scene spawns its own physics world.
pub(crate) fn add_physics(app: &mut App) {
    let tick = Time::<Fixed>::default().timestep().as_secs_f32();
    app.insert_resource(TimestepMode::Fixed {
        dt: tick,
        substeps: 1,
    })
    // Rapier's plugin initializes its message queues but never clears them.
    .add_message::<CollisionEvent>()
    .add_message::<ContactForceEvent>()
    .add_message::<MassModifiedEvent>()
    .add_plugins(
        RapierPhysicsPlugin::<NoUserData>::default()
            .with_custom_initialization(RapierContextInitialization::NoAutomaticRapierContext)
            .in_fixed_schedule(),
    );
}

/// Spawns a physics world without gravity: scenes are seen from above.
///
/// It is despawned with the scene: handles and the order in which contacts are solved depend on
/// everything a physics world has ever contained.
pub(crate) fn spawn_physics(world: &mut World) {
    let from_above = RapierConfiguration {
        gravity: Vec2::ZERO,
        ..RapierConfiguration::new(1.0)
    };
    world.spawn((
        Name::new("physics"),
        InScene::default(),
        DefaultRapierContext,
        RapierContextSimulation::default(),
        from_above,
    ));
}

/// Registers the bodies with Rapier one at a time, in spawn order.
///
/// Rapier solves contacts in the order of its bodies, so that order affects the last bits of a
/// collision. By default it is the order of Rapier's queries, which depends on the app and on
/// previous scenes.
pub(crate) fn register_bodies(world: &mut World) {
    let mut bodies: Vec<_> = world
        .query_filtered::<(&InScene, Entity, &Transform), With<RigidBody>>()
        .iter(world)
        .map(|(it, entity, at)| (it.order, entity, GlobalTransform::from(*at)))
        .collect();
    bodies.sort_unstable_by_key(|(order, ..)| *order);
    for (_, entity, at) in &bodies {
        // Disabled until its turn; transforms have not been propagated yet.
        world.entity_mut(*entity).insert((*at, Disabled));
    }
    for (_, entity, _) in bodies {
        world.entity_mut(entity).remove::<Disabled>();
        let registered = world
            .run_system_cached(init_rigid_bodies)
            .and_then(|()| world.run_system_cached(init_colliders));
        if let Err(error) = registered {
            error!("cannot register entity {entity} with Rapier: {error}");
        }
    }
}
