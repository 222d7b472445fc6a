//! Steering behaviors (Reynolds) for Bevy in 2D: the pipeline without a physics engine.
//!
//! Games depend on `bevy_steering2d`, which re-exports all of this and adds the Rapier backend.
//! This page leads through the rooms in the order a tick passes through them.
//!
//! # The three layers
//!
//! *Action selection* is the game: it inserts, removes, enables and retargets behavior
//! components. *Steering* is this crate: behaviors → ledger of forces → combiner → one
//! [`SteeringForce`]. *Locomotion* is a backend that moves the body: Rapier, or the built-in
//! [`PointMass`].
//!
//! # One tick
//!
//! [`SteeringCorePlugin`] puts five steps into one schedule, see [`SteeringSystems`]:
//!
//! 1. **Sense.** Each backend copies its bodies into [`Kinematics`]. From here on behaviors read
//!    only this snapshot, so neither the order of agents nor of systems can change a result.
//!    Neighbors, obstacles, walls and colliders are indexed, see [`perception`].
//! 2. **Steer.** One system per registered [`Steer`] behavior runs over the agents that have it, in
//!    parallel, and writes a [`LedgerEntry`] into the agent's [`SteeringForce`]. The formula gets its
//!    agent as an [`Agent`]: plain numbers, no `App`.
//! 3. **Adjust.** [`Adjust`] behaviors read what their agent's behaviors have requested and add an
//!    entry that changes it.
//! 4. **Combine.** The agent's [`Combiner`], chosen by its [`Combine`], turns the ledger into one
//!    total, never longer than [`Vehicle::max_force`], and records in every entry how much was
//!    accepted. [`Arrived`], [`PathCompleted`], [`TargetLost`] and [`Stuck`] are triggered.
//! 5. **Move.** Each backend applies the total, see the contract in [`locomotion`].
//!
//! # An agent
//!
//! is an entity with a body, a [`Vehicle`] (its limits) and any number of behaviors. A behavior
//! holds parameters and an [`Influence`] (weight, priority, probability, on or off); several of
//! one kind live on entities that [`SteersFor`] the agent. [`SteeringId`] says who it is,
//! whatever its entity.
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_steering2d_core::*;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
//! app.world_mut().spawn((
//!     PointMass::default(),
//!     Vehicle { max_speed: 3.0, ..default() },
//!     Arrive::new(Vec2::new(10.0, 0.0)),
//!     Wander::default().with_weight(0.3),
//! ));
//! app.update();
//! ```
//!
//! # Units
//!
//! Meters, seconds, kilograms, newtons, radians; x is forward, angles are counter-clockwise.
//! Every behavior returns newtons, at most `max_force`, so weights are dimensionless and
//! `1 : 1` means equal say.
//!
//! # When something is wrong
//!
//! Nonsense in a component (NaN, a negative speed …) makes that one agent contribute nothing and
//! raises one warning that names the entity and the field, see [`SteeringWarnings`]; the other
//! agents' bits do not change. A target that is gone gives zero force and one [`TargetLost`].

#![forbid(unsafe_code)]

mod adjust;
mod agent;
mod behavior;
mod behavior_entity;
mod behavior_needs;
pub mod behaviors;
mod clock;
mod combine;
mod events;
mod influence;
pub mod locomotion;
pub mod parallel;
mod path;
pub mod perception;
mod pipeline;
mod random;
mod steer;
mod stuck;
mod target;
mod think;
mod vehicle;
mod warnings;

pub use adjust::Requests;
pub use agent::Agent;
pub use behavior::{Adjust, Behavior, BehaviorMemory, Situational, Steer};
pub use behavior_entity::{SteeredBy, SteersFor};
pub use behaviors::types::*;
pub use clock::{SteeringClock, SteeringSeed};
pub use combine::{
    Average, BehaviorGroup, Combine, Combiner, CombinerRegistry, Cut, Dithered, LedgerEntry,
    Prioritized, ReflectCombiner, SteeringForce, WeightedSum,
};
pub use events::{Arrived, PathCompleted, TargetLost, TargetWatch};
pub use influence::Influence;
pub use locomotion::{FaceTarget, FaceVelocity, PointMass, SpeedLimit};
pub use path::{PathError, PathPoint, SteeringPath};
pub use perception::{
    Circle, ColliderProbes, Neighbor, NeighborView, Neighbors, Obstacle, ObstacleIndex, Perception,
    ProbeAnswers, SeenObstacle, SensesColliders, SteeringGroups, Surroundings, Wall, WallHit,
    WallIndex,
};
pub use pipeline::{
    AdjustSystems, AssignedBehavior, BehaviorId, BehaviorInfo, BehaviorRegistry, BehaviorsPlugin,
    EventsPlugin, OuterSchedule, PipelinePlugin, PointMassPlugin, ReflectBehavior, SenseSystems,
    SteeringAppExt, SteeringCommandsExt, SteeringCorePlugin, SteeringSchedule, SteeringSystems,
    StepTimes,
};
pub use random::RandomStream;
pub use stuck::{Stuck, StuckDetection, StuckMemory};
pub use target::{Target, Targets};
pub use think::ThinkEvery;
pub use vehicle::{Kinematics, NextSteeringId, SteeringDisabled, SteeringId, Vehicle};
pub use warnings::{InvalidParameter, SteeringWarning, SteeringWarnings};
