//! The Rapier locomotion backend of `bevy_steering2d`.
//!
//! [`SteeringRapierPlugin`] makes every entity with a [`RigidBody`] a body that behaviors can see
//! and, if it also has a [`Vehicle`], steer. The whole pipeline runs between
//! [`PhysicsSet::SyncBackend`] and [`PhysicsSet::StepSimulation`], so a tick sees what you moved,
//! pushed or spawned before it, and the step it leads to carries it out.
//!
//! What each kind of body does with a [`Vehicle`]:
//!
//! | body | steering |
//! |---|---|
//! | `Dynamic` | moved by the force; your own `ExternalForce`, impulses and gravity add to it |
//! | `Dynamic` without mass (no collider) | moved as if it weighed 1 kg |
//! | `KinematicVelocityBased` | its velocity is steered as if it weighed 1 kg; nothing pushes it |
//! | `KinematicPositionBased`, `Fixed` | stays yours; one warning says that it cannot be steered |
//! | with `RigidBodyDisabled` | rests |
//!
//! Neither `Velocity` nor `ReadMassProperties` is needed: both are read from Rapier itself.
//!
//! Agents with [`SensesColliders`] see colliders of any shape, through Rapier's query pipeline:
//! feelers are ray casts, the detection box is a shape cast, the nearest wall a projection. A
//! ball is avoided as the circle it is, other shapes where they would be touched first; to hide
//! behind, every shape counts as the circle around it. Before Rapier's first step there is
//! nothing to be seen.
//!
//! The contract it fulfills is in [`locomotion`](bevy_steering2d_core::locomotion). The force
//! reaches the body as an impulse `F·Δt`: nothing persists when steering ends, user forces stay
//! untouched, a force of zero does not wake a sleeper, and the path equals that of a
//! [`PointMass`](bevy_steering2d_core::PointMass).
//!
//! Steering is deterministic here too, but Rapier solves contacts in the order in which it was
//! given the bodies, and Bevy hands them over in an order that depends on what the app had
//! spawned before. For the same bits in every run, spawn them in separate ticks or without
//! contacts.

mod act;
mod look;
mod sense;
mod setup;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{Kinematics, SteeringSchedule, SteeringStage, SteeringSystems};

#[cfg(doc)]
use bevy_steering2d_core::{SensesColliders, Vehicle};

/// Steers Rapier bodies. Add it after
/// [`SteeringCorePlugin`](bevy_steering2d_core::SteeringCorePlugin); before or after
/// `RapierPhysicsPlugin`, as you like.
///
/// When Rapier is missing, runs in another schedule than steering, or steps by another time than
/// the schedule ticks, the log says so and how to mend it.
#[derive(Default)]
pub struct SteeringRapierPlugin;

impl Plugin for SteeringRapierPlugin {
    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<SteersRapier>() {
            return;
        }
        app.insert_resource(SteersRapier);
        let schedule = app
            .world_mut()
            .get_resource_or_init::<SteeringSchedule>()
            .label();
        // Refused when bodies were spawned already; `embody_bodies` takes care of those.
        let _ = app.try_register_required_components::<RigidBody, Kinematics>();
        app.add_observer(sense::forget_body)
            .configure_sets(
                schedule,
                (
                    SteeringSystems::Sense,
                    SteeringSystems::Steer,
                    SteeringSystems::Combine,
                    SteeringSystems::Move,
                )
                    .after(PhysicsSet::SyncBackend)
                    .before(PhysicsSet::StepSimulation),
            )
            .add_systems(
                SteeringStage::Bodies,
                (
                    sense::embody_bodies,
                    sense::weigh_new_bodies,
                    sense::measure_bodies,
                    sense::sense_bodies,
                )
                    .chain(),
            )
            .add_systems(SteeringStage::Answer, look::answer_probes)
            .add_systems(SteeringStage::Move, act::move_bodies);
    }

    fn finish(&self, app: &mut App) {
        setup::check_schedule(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Marks an app that steers Rapier bodies already: adding the plugin twice does no harm.
#[derive(Resource)]
struct SteersRapier;
