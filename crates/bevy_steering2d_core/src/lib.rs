//! Steering behaviors (Reynolds) for Bevy in 2D: the core of `bevy_steering2d`, without a physics
//! engine.
//!
//! Games depend on `bevy_steering2d`, which re-exports this crate and adds the Rapier backend. This
//! page describes the steps of a tick in order.
//!
//! # The three layers
//!
//! *Action selection* is part of the game: it inserts, removes, enables and retargets behavior
//! components. *Steering* is this crate: behaviors record forces in a ledger, and a combiner turns
//! it into one [`SteeringForce`]. *Locomotion* is a backend that moves the body: Rapier, or the
//! built-in [`PointMass`].
//!
//! # One tick
//!
//! [`SteeringCorePlugin`] puts five steps into one schedule, see [`SteeringSystems`]:
//!
//! 1. **Sense.** Each backend copies its bodies into [`Kinematics`]. Behaviors read only this
//!    snapshot, so results do not depend on the order of agents or systems. Neighbors, obstacles,
//!    walls and colliders are indexed, see [`perception`].
//! 2. **Steer.** One system per registered [`Steer`] behavior runs over the agents that have it, in
//!    parallel, and records a [`LedgerEntry`] in the agent's [`SteeringForce`]. The formula reads
//!    its agent as an [`Agent`]: plain numbers, no `App`. The [conditions](Condition) on which
//!    behaviors depend are evaluated before.
//! 3. **Adjust.** [`Adjust`] behaviors read what the other behaviors of their agent request and add
//!    an entry that adjusts it.
//! 4. **Combine.** The agent's [`Combiner`], chosen by its [`Combine`], turns the ledger into one
//!    total, never longer than [`Vehicle::max_force`], and records in every entry how much was
//!    accepted.
//! 5. **Move.** Each backend applies the total, see the contract in [`locomotion`]. The
//!    [`Locomotion`] of a car, tank or boat turns it into what the body can do.
//!
//! When the bodies have moved, [`Arrived`], [`PathCompleted`], [`TargetLost`] and [`Stuck`] are
//! triggered, see [`Announcements`]. An observer may despawn the agent.
//!
//! # An agent
//!
//! An agent is an entity with a body, a [`Vehicle`] (its limits) and any number of behaviors. A
//! behavior has parameters and an [`Influence`] (weight, priority, probability, enabled, condition).
//! Further behaviors of one type are put on entities that [`SteersFor`] the agent. [`SteeringId`]
//! identifies an agent independently of its entity.
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
//!     Flee::new(Vec2::new(10.0, 0.0)),
//!     Wander::default(),
//! ));
//! app.update();
//! ```
//!
//! # Units
//!
//! Meters, seconds, kilograms, newtons, radians; x is forward, angles are counter-clockwise. Every
//! behavior returns newtons, at most `max_force` (an adjustment: at most that plus what the others request), so
//! weights are dimensionless. What a weight means depends on the combiner: under the default, [`Prioritized`], a
//! lower priority gets what a higher one leaves.
//!
//! # Invalid parameters
//!
//! An invalid parameter (NaN, a negative speed …) makes a behavior or agent contribute nothing and
//! raises one warning that names the entity and the field, see [`SteeringWarnings`]; other agents
//! are not affected. Numbers beyond the range of [`InvalidParameter`] are invalid. A lost target
//! gives zero force and one [`TargetLost`].
//!
//! # Missing parts
//!
//! A component that behaviors, agents or groups require, such as a memory, [`Perception`],
//! [`SteeringForce`] or [`Combine`], comes with them. If it is removed alone, it is put back with
//! its default value, and with one warning, when the next tick begins. To end the steering of
//! an agent, remove its [`Vehicle`] or insert [`SteeringDisabled`]; its body keeps its velocity.
//!
//! # Disabled entities
//!
//! An entity with Bevy's `Disabled` is neither steered nor seen. What changes on it meanwhile counts
//! when it is enabled again. Steering does not know default query filters that a game registers: if such a filter has
//! hidden an entity, insert its changed components again.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod adjust;
mod agent;
mod announcements;
mod behavior;
mod behavior_entity;
mod behavior_needs;
pub mod behaviors;
mod by_name;
mod changes;
mod clock;
mod combine;
mod companion;
mod condition;
mod digest;
mod events;
mod flow_field;
mod id;
mod influence;
mod invalid_parameter;
pub mod locomotion;
pub mod parallel;
mod path;
pub mod perception;
mod pipeline;
mod random;
mod requests;
mod require;
mod snapshot;
mod steer;
mod stuck;
mod switched_off;
mod target;
mod target_motion;
mod think;
mod vehicle;
mod warnings;

pub use adjust::Adjust;
pub use agent::Agent;
pub use announcements::Announcements;
pub use behavior::{Behavior, BehaviorMemory, Situational};
pub use behavior_entity::{SteeredBy, SteersFor};
pub use behaviors::types::*;
pub use by_name::{Choice, ReflectChoice};
pub use clock::{SteeringClock, SteeringSeed};
pub use combine::{
    Average, BehaviorGroup, Combine, Combiner, Cut, Dithered, LedgerEntry, Prioritized,
    ReflectCombiner, SteeringForce, WeightedSum,
};
pub use companion::{ReflectCompanion, clone_reflected};
pub use condition::{
    Alone, Condition, ConditionStates, ConditionType, Gaze, IsStuck, ReflectCondition,
    TargetInSight, TargetInSightMemory, When,
};
pub use digest::digest;
pub use events::{Arrived, PathCompleted, TargetLost, TargetWatch};
pub use id::{NextSteeringId, SteeringId};
pub use influence::Influence;
pub use invalid_parameter::{InvalidParameter, InvalidValue};
pub use locomotion::{
    Abilities, Acceleration, Controls, FaceTarget, FaceVelocity, Holonomic, Hull, Leg, Locomotion,
    LocomotionInfo, LocomotionRegistry, LocomotionSystems, Motion, PointMass, Pose, Propulsion,
    SpeedLimit, Tracked, Way, Wheeled, shortest_way,
};
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
pub use requests::Requests;
#[cfg(feature = "serialize")]
pub use snapshot::SnapshotFileError;
pub use snapshot::{
    Restored, SnapshotAppExt, SnapshotKind, SnapshotPart, SteeringSnapshot, entity_now,
};
pub use steer::Steer;
pub use stuck::{Stuck, StuckDetection, StuckMemory};
pub use switched_off::SwitchedOff;
pub use target::{Target, Targets};
pub use think::ThinkEvery;
pub use vehicle::{Kinematics, SteeringDisabled, Vehicle};
pub use warnings::{SteeringWarning, SteeringWarnings};
