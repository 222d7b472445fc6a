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
//! [`SteeringCorePlugin`] puts four steps into one schedule, see [`SteeringSystems`]:
//!
//! 1. **Sense.** Each backend copies its bodies into [`Kinematics`]. From here on behaviors read
//!    only this snapshot, so neither the order of agents nor of systems can change a result. The
//!    scene is taken in with it: obstacles, walls and colliders, see [`perception`].
//! 2. **Steer.** One system per registered [`Behavior`] runs over the agents that have it, in
//!    parallel, and writes a [`LedgerEntry`] into the agent's [`SteeringForce`]. What the formula
//!    sees of its agent is an [`Agent`]: plain numbers, no `App`.
//! 3. **Combine.** [`Combine`] turns the ledger into one total, never longer than
//!    [`Vehicle::max_force`], and notes in every entry how much was accepted. [`Arrived`],
//!    [`PathCompleted`], [`TargetLost`] and [`Stuck`] are announced.
//! 4. **Move.** Each backend applies the total, see the contract in [`locomotion`].
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

mod agent;
mod behavior;
pub mod behaviors;
mod clock;
mod combine;
mod events;
mod force;
mod influence;
pub mod locomotion;
pub mod parallel;
mod path;
pub mod perception;
mod plugin;
mod random;
mod registry;
mod satellite;
mod schedule;
mod steer;
mod stuck;
mod target;
mod think;
mod times;
mod vehicle;
mod warnings;

pub use agent::Agent;
pub use behavior::{Behavior, Situational};
pub use behaviors::{
    Alignment, Area, Arrive, ArriveMemory, Braking, Cohesion, CollisionAvoidance, Containment,
    CrowdPathFollowing, CustomPrediction, Deceleration, Evade, Feeler, Feelers, Flee, Flocking,
    FlowField, FlowFieldFollowing, FollowPath, FollowPathMemory, Hide, HideMemory, Intent,
    Interpose, LeaderData, LeaderFollowing, LeaderMemory, Leaders, Leadership, MatchVelocity,
    ObstacleAvoidance, OffsetPursuit, OffsetPursuitMemory, PathStyle, Pedestrian, Prediction,
    Pursuit, Queuing, ReciprocalAvoidance, ReciprocalMemory, Seek, Separation, Sidestep,
    StayOnPath, Tether, WallAvoidance, WallFollowing, WallResponse, Wander, WanderMemory,
    WanderStyle,
};
pub use clock::{SteeringClock, SteeringSeed};
pub use combine::Combine;
pub use events::{Arrived, PathCompleted, TargetLost, TargetWatch};
pub use force::{Cut, LedgerEntry, SteeringForce};
pub use influence::{Influence, priority};
pub use locomotion::{FaceTarget, FaceVelocity, PointMass, SpeedLimit};
pub use path::{PathError, PathPoint, SteeringPath};
pub use perception::{
    Circle, ColliderProbes, Neighbor, NeighborView, Neighbors, Obstacle, ObstacleIndex, Perception,
    Probing, Region, SeenObstacle, SensesColliders, SteeringGroups, Surroundings, Wall, WallHit,
    WallIndex,
};
pub use plugin::SteeringCorePlugin;
pub use random::RandomStream;
pub use registry::{
    AssignedBehavior, BehaviorId, BehaviorInfo, BehaviorRegistry, ReflectBehavior, SteeringAppExt,
    SteeringCommandsExt,
};
pub use satellite::{SteeredBy, SteersFor};
pub use schedule::{SenseSystems, SteeringSchedule, SteeringStage, SteeringSystems};
pub use stuck::{Stuck, StuckDetection, StuckMemory};
pub use target::{Target, Targets};
pub use think::ThinkEvery;
pub use times::StageTimes;
pub use vehicle::{Kinematics, NextSteeringId, SteeringDisabled, SteeringId, Vehicle};
pub use warnings::{InvalidParameter, SteeringWarning, SteeringWarnings};
