//! The Rapier locomotion backend of `bevy_steering2d`.
//!
//! [`SteeringRapierPlugin`] makes every entity with a [`RigidBody`] visible to behaviors. If the
//! entity also has a [`Vehicle`], behaviors steer it. [`SteeringSystems::Sense`] begins before
//! [`PhysicsSet::SyncBackend`]; the rest of the pipeline runs between that and [`PhysicsSet::StepSimulation`]. So a tick sees
//! all bodies that you moved, pushed or spawned before it, and the physics step after it applies the steering forces.
//! Events are triggered after [`PhysicsSet::Writeback`].
//!
//! # Body types
//!
//! | body with a [`Vehicle`] | steering |
//! |---|---|
//! | `Dynamic` | moved by the force; your own `ExternalForce`, impulses and gravity add to it |
//! | `Dynamic` without mass (no collider) | moved as if its mass were 1 kg |
//! | `KinematicVelocityBased` | its velocity is set as if its mass were 1 kg; no other force moves it |
//! | `KinematicPositionBased`, `Fixed` | not steered; one warning is logged |
//! | of any type but `Dynamic`, or with locked rotation, and a `Locomotion` | not driven; one warning is logged |
//! | with `RigidBodyDisabled` | not steered, and seen at rest |
//! | of a context whose `RapierConfiguration::physics_pipeline_active` is false | not steered, and seen at rest; the memories of its behaviors rest |
//!
//! Position and velocity are those of the body's origin. A body turns about its center of mass: let the two coincide, or the
//! origin swings.
//!
//! Behaviors reckon with the mass of the body alone, not with what a joint ties to it, such as a trailer or a load on a rope: an
//! agent that tows brakes too late. Let it brake sooner, by a lower `max_speed` or `pace`, or by `Braking::Ramp`.
//!
//! With several contexts agents see the colliders of their own one, but all share one space for neighbors and paths: keep
//! their worlds apart, or tell neighbors apart by `SteeringGroups`.
//!
//! Neither `Velocity` nor `ReadMassProperties` is needed: velocity and mass are read from Rapier's
//! own bodies.
//!
//! # Colliders
//!
//! The radius of a body whose [`Vehicle`] has none is the farthest extent of its colliders from its
//! origin, including colliders on its descendants. It follows changes of a collider and of the
//! `Transform` on the collider's entity. Sensors and colliders with `ColliderDisabled` do not count, except one on the body
//! itself if it has no other.
//!
//! Agents with [`SensesColliders`] see colliders of any shape through Rapier's query pipeline:
//! feelers are ray casts, the detection box is a shape cast, and the nearest wall is a point
//! projection. Obstacle avoidance sees a ball as a circle of the same size, and any other shape as
//! a circle at the point of first contact. Hide sees every shape as its bounding circle. Before
//! Rapier's first step the query pipeline is empty and agents see no colliders.
//!
//! An agent does not see its own colliders: those of its body, or for a
//! [`PointMass`](bevy_steering2d_core::PointMass) without a body those on its entity and its descendants.
//! It sees colliders that the game has added to Rapier's own set. These have no entity: probes report
//! [`Entity::PLACEHOLDER`] for them.
//!
//! With the feature `navigation`, agents plan their paths around all colliders that are attached to no
//! body or to a fixed one, except sensors and the colliders of agents.
//!
//! # Forces
//!
//! The crate implements the contract in [`locomotion`](bevy_steering2d_core::locomotion). A force
//! is applied as an impulse `F·Δt`: no force persists when steering ends, user forces stay
//! untouched, a force of zero does not wake a sleeping body, and the path equals that of a
//! [`PointMass`](bevy_steering2d_core::PointMass).
//!
//! # Determinism
//!
//! Steering is deterministic, but Rapier solves contacts in the order in which bodies were
//! inserted, and for bodies spawned in the same tick Bevy's order depends on earlier spawns. For
//! bitwise equal runs, spawn bodies in separate ticks or avoid contacts.

mod drive_bodies;
#[cfg(feature = "serialize")]
mod file;
mod move_bodies;
mod owners;
mod probes;
mod radius;
mod schedule;
mod sense;
mod snapshot;
#[cfg(feature = "navigation")]
mod solids;
mod unsensed;

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy_rapier2d::plugin::RapierBevyComponentApply;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{
    Kinematics, LocomotionSystems, OuterSchedule, SenseSystems, SteeringSchedule, SteeringSystems,
};

use schedule::OrderedIn;

#[cfg(doc)]
use bevy_steering2d_core::{SensesColliders, Vehicle};

/// Steers Rapier bodies. It comes with `SteeringPlugin`, which is added before or after `RapierPhysicsPlugin`; alone, add it
/// after [`PipelinePlugin`](bevy_steering2d_core::PipelinePlugin).
///
/// The log reports, with the fix, when Rapier is missing, runs in another schedule than steering, or
/// advances by another time step than the schedule, and when the plugin was added before a pipeline of another schedule.
#[derive(Clone, Copy, Debug, Default)]
pub struct SteeringRapierPlugin;

impl Plugin for SteeringRapierPlugin {
    fn build(&self, app: &mut App) {
        // Adding it twice has no effect.
        if app.world().contains_resource::<OrderedIn>() {
            return;
        }
        let schedule = app
            .world_mut()
            .get_resource_or_init::<OuterSchedule>()
            .label();
        app.insert_resource(OrderedIn(schedule))
            .init_resource::<sense::InvalidBodies>();
        // Fails if bodies already exist; `add_missing_kinematics` covers those.
        let _ = app.try_register_required_components::<RigidBody, Kinematics>();
        // Rapier simulates a body without one, and it is seen nowhere.
        let _ = app.try_register_required_components::<RigidBody, Transform>();
        radius::watch_removals(app);
        snapshot::add_types(app);
        app.add_observer(sense::remove_kinematics);
        order_around_physics(app, schedule);
        add_systems(app);
        #[cfg(feature = "navigation")]
        solids::register(app);
    }

    fn finish(&self, app: &mut App) {
        schedule::check_schedule(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Steering runs between Rapier's reading of the world and its step. It begins before that, so that Rapier reads what systems
/// before [`SteeringSystems::Sense`] write: its writeback would undo what they write later.
fn order_around_physics(app: &mut App, schedule: InternedScheduleLabel) {
    app.configure_sets(
        schedule,
        (
            SenseSystems::Begin.before(PhysicsSet::SyncBackend),
            SenseSystems::Bodies.after(PhysicsSet::SyncBackend),
            SteeringSystems::Move.before(PhysicsSet::StepSimulation),
        ),
    )
    // An observer of an event may despawn or disable its agent. Before the writeback that
    // would panic: `writeback_mass_properties` of bevy_rapier2d 0.36.0 reads a message about
    // every body that SyncBackend has just created or changed, and expects each still to have
    // its component ("Could not find `RapierContextEntityLink`"). Once the writeback skips
    // missing entities, the announcement may come before the physics step.
    .configure_sets(
        schedule,
        SteeringSystems::Announce.after(PhysicsSet::Writeback),
    )
    .add_systems(
        schedule,
        snapshot::mirrored::note_sync
            .in_set(PhysicsSet::SyncBackend)
            .before(RapierBevyComponentApply)
            // It accesses only data of its own.
            .ambiguous_with_all(),
    );
}

fn add_systems(app: &mut App) {
    app.add_systems(
        SteeringSchedule::Bodies,
        (
            sense::add_missing_kinematics,
            sense::warn_of_second_bodies,
            sense::warn_of_bodies_without_context,
            unsensed::warn_of_unsensed_colliders,
            sense::compute_new_masses,
            radius::update_radii,
            sense::sense_bodies,
            sense::rest_paused_bodies,
            sense::enable_mended_bodies,
            drive_bodies::sense_driven_bodies,
        )
            .chain()
            .before(LocomotionSystems::Abilities),
    )
    .add_systems(SteeringSchedule::Answer, probes::answer_probes)
    .add_systems(
        SteeringSchedule::Move,
        (
            schedule::warn_of_step_length,
            move_bodies::move_bodies,
            drive_bodies::drive_bodies.after(LocomotionSystems::Drive),
        )
            .chain()
            .run_if(schedule::time_passes),
    );
}
