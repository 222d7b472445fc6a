//! Steering behaviors (Reynolds) for Bevy in 2D, driving Rapier rigid bodies.
//!
//! An agent is an entity with a body and a [`Vehicle`]. Behaviors are components of it; each
//! requests a force, a combiner turns the requests into one force, and a locomotion backend applies
//! it to the body.
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_rapier2d::prelude::*;
//! use bevy_steering2d::prelude::*;
//!
//! fn spawn(mut commands: Commands) {
//!     // Seen from above, nothing falls.
//!     let body = (RigidBody::Dynamic, Collider::ball(0.4), GravityScale(0.0));
//!     let rabbit = commands.spawn((body.clone(), Wander::default())).id();
//!     let start = Transform::from_xyz(-8.0, 0.0, 0.0);
//!     commands.spawn((body, Pursuit::new(rabbit), start));
//! }
//!
//! App::new()
//!     .add_plugins((MinimalPlugins, TransformPlugin)) // a game: DefaultPlugins
//!     .insert_resource(TimestepMode::Fixed { dt: 1.0 / 64.0, substeps: 1 }) // Bevy's tick
//!     .add_plugins(RapierPhysicsPlugin::<NoUserData>::default().in_fixed_schedule())
//!     .add_plugins(SteeringPlugin::default())
//!     .add_systems(Startup, spawn)
//! #   .insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1))
//! #   .add_systems(FixedPostUpdate, stop_once_the_fox_runs)
//!     .run();
//! # fn stop_once_the_fox_runs(fox: Single<&Kinematics, With<Pursuit>>, mut exit: MessageWriter<AppExit>,
//! #                           mut tick: Local<u32>) {
//! #     *tick += 1;
//! #     if *tick == 64 {
//! #         assert!(fox.position.x > -7.0 && fox.speed() > 1.0, "{:?}", *fox);
//! #         exit.write(AppExit::Success);
//! #     }
//! # }
//! ```
//!
//! # Overview
//!
//! ## The plugin
//!
//! [`SteeringPlugin`] runs in `FixedUpdate` by default; Rapier must run in the same
//! schedule, hence `in_fixed_schedule()`. A tick has the steps [Sense, Steer, Adjust, Combine,
//! Move](SteeringSystems), described in [`bevy_steering2d_core`]. Change behaviors before `Sense`,
//! and read [`SteeringForce`] after `Combine`.
//!
//! ## The vehicle and its body
//!
//! [`Vehicle`] holds the limits: `max_speed`, `max_force`,
//! `response_time`. It is added with the first behavior, so insert it only to change them. The body
//! is a Rapier `RigidBody`, dynamic or kinematic by velocity (see the table in [`rapier`]) or, without
//! physics, a [`PointMass`]. Each tick its position and velocity are copied into [`Kinematics`], which behaviors read. So
//! any body can be a [`Target`], agent or not.
//!
//! ## Behaviors
//!
//! | component | what it does |
//! |---|---|
//! | [`Seek`] | moves to a target at full speed, and through it |
//! | [`Flee`] | moves straight away from a threat within a distance |
//! | [`Arrive`] | moves to a target and comes to rest there, with one of three [braking curves](Braking) |
//! | [`Park`] | comes to rest at a position with a given heading; a car forward or in reverse |
//! | [`Pursuit`] | intercepts a moving target, with one of seven [predictions](Prediction) or a [predictor](Predictor) of your own |
//! | [`Evade`] | moves away from the predicted position of a threat within a distance |
//! | [`Wander`] | moves in random directions, in one of three [styles](WanderStyle) |
//! | [`ObstacleAvoidance`], [`WallAvoidance`] | steer around obstacles, walls and [colliders](SensesColliders) |
//! | [`WallFollowing`], [`Containment`], [`Tether`] | stay along a wall, in an area, near a target |
//! | [`Orbit`] | circles a point or an entity at a distance |
//! | [`Hide`], [`Interpose`] | keep an obstacle between agent and threat, keep between two targets |
//! | [`PathFollowing`], [`StayOnPath`], [`FlowFieldFollowing`] | follow a [`SteeringPath`], keep to a corridor around it, follow a [`FlowField`] |
//! | [`CrowdPathFollowing`] | the bundle of `PathFollowing`, `Separation` and `CollisionAvoidance` |
//! | [`ReciprocalAvoidance`] | adjusts the velocity that the other behaviors request, to avoid collisions in dense crowds |
//! | [`Pedestrian`] | the bundle of `PathFollowing` and `ReciprocalAvoidance`, with a [`Vehicle`] and a [`Combine`] |
//! | [`Headway`] | adjusts the speed that the other behaviors request to the gap to the neighbor ahead, as people do |
//! | [`OffsetPursuit`], [`MatchVelocity`], [`LeaderFollowing`] | keep an offset from a leader, match its velocity, follow behind it |
//! | [`TargetSpeed`] | speeds up or brakes to a speed along the heading |
//! | [`Separation`], [`Alignment`], [`Cohesion`] | the rules of a flock; [`Flocking`] is the bundle of the three |
//! | [`CollisionAvoidance`], [`Queuing`], [`Sidestep`] | avoid other agents, queue behind them, free stuck agents |
//!
//! Most formulas are plain functions in [`behaviors`]. Each component embeds an [`Influence`]:
//! weight, priority, probability, whether it is enabled, and the [condition](Condition) under which
//! it acts. Further behaviors of one type are put on entities that [`SteersFor`] the agent.
//! [`SteeringDisabled`] switches off the steering of an agent.
//!
//! ## Navigation
//!
//! With the feature `navigation`, `NavigateTo` plans the path of an agent, `GoalField` computes
//! a flow field from goals, and `GroupArrive` gives the members of a group their places.
//!
//! ## Perception
//!
//! Behaviors, built-in and yours, read other agents from [`Neighbors`], and
//! obstacles, walls and colliders from [`Surroundings`].
//!
//! ## Combine
//!
//! The [`Combine`] component chooses the combiner; the default accepts forces in order
//! of [priority](Influence::priority) until `max_force` is used up. [`SteeringForce`] has the total
//! and a ledger of the requested forces, the accepted forces, and [why they were cut](Cut).
//!
//! ## Locomotion
//!
//! A backend moves the body, see the contract in [`locomotion`]. A body accelerates in any
//! direction, unless its agent has a kind of [`Locomotion`]:
//!
//! | component | how the body moves |
//! |---|---|
//! | none, or [`Holonomic`] | accelerates in any direction, as people and animals do |
//! | [`Wheeled`] | a car or truck: steers its front wheels, cannot move sideways, has a turning circle |
//! | [`Tracked`] | a tank or robot: turns on the spot, cannot move sideways |
//! | [`Hull`] | a boat or spaceship: thrust along its axis, a rudder, and drift |
//!
//! The same behaviors steer all of them. Steering never accelerates beyond `max_speed`; [`SpeedLimit`]
//! defines how faster bodies slow down. [`FaceVelocity`] turns a body along its velocity, [`FaceTarget`]
//! toward a target. Your own forces and impulses add to steering.
//!
//! ## Events
//!
//! [`Arrived`], [`PathCompleted`] and [`TargetLost`] are triggered for observers, [`Stuck`]
//! for agents with [`StuckDetection`], and with the feature `navigation` `PathFound`, `NoPath` and `GroupArrived`.
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d::prelude::*;
//! fn give_up(lost: On<TargetLost>, hunters: Query<&Pursuit>, mut commands: Commands) {
//!     // Other agents and behaviors lose their targets as well.
//!     if hunters.get(lost.entity).is_ok_and(|hunter| hunter.target == lost.target) {
//!         commands.entity(lost.entity).remove::<Pursuit>().insert(Wander::default());
//!     }
//! }
//!
//! fn plugin(app: &mut App) {
//!     app.add_observer(give_up);
//! }
//! ```
//!
//! ## Your own behavior
//!
//! Implement [`Behavior`] and [`Steer`] or [`Adjust`], then register it with
//! [`add_behavior`](SteeringAppExt::add_behavior) or
//! [`add_adjustment`](SteeringAppExt::add_adjustment), as the built-in ones are. It gets a ledger
//! entry, reflection and an entry in the [`BehaviorRegistry`]. A [`Condition`], a [`Predictor`], a
//! [`Combiner`] and a kind of [`Locomotion`] of your own are registered by [`SteeringAppExt`] as well.
//!
//! ## Determinism
//!
//! The same binary, inputs and ids give the same bits, for any number of threads.
//! Each agent has a [`SteeringId`], assigned in spawn order or by you, and its own stream of random
//! numbers, seeded by [`SteeringSeed`]. With Rapier, contacts also depend on the order in which bodies are spawned.
//!
//! ## Invalid parameters
//!
//! They never panic and never reach physics. The behavior or agent contributes
//! nothing, and one [warning](SteeringWarnings) names the entity and the field; a missing body or
//! `RapierPhysicsPlugin` is also reported. A lost target gives zero force and one [`TargetLost`].
//!
//! # Units
//!
//! Meters, seconds, kilograms, newtons, radians. Use meters and scale the camera, rather than
//! pixels: the defaults of this crate and of Rapier are for bodies about a meter wide.
//!
//! # Features
//!
//! - `rapier` (default): the Rapier backend. Without it only point masses move.
//! - `inspector`: `inspector::SteeringInspectorPlugin`, an egui panel to inspect and tune agents;
//!   enables `debug`, `presets` and `recorder`.
//! - `debug`: `debug::SteeringDebugPlugin` draws perception and forces of agents, with gizmos.
//! - `navigation`: `navigation::NavigateTo`, `navigation::GoalField` and `navigation::GroupArrive` find
//!   the way around walls, obstacles and fixed colliders, for one agent, for thousands, and for groups.
//! - `navmesh`: `navigation::NavmeshPlugin` plans paths over navigation meshes of `vleue_navigator`; enables
//!   `navigation`.
//! - `presets`: parameters of agents in `*.steering.ron` files, hot-reloadable with Bevy's `file_watcher`; active if
//!   there is an `AssetServer`.
//! - `recorder`: `recorder::SteeringRecorderPlugin` records the last ticks, to look back and to go on
//!   from any of them.
//! - `remote`: `remote::SteeringRemotePlugin` lets tools outside of the app read ledgers and set weights, on
//!   loopback; compiles much of Bevy's renderer.
//! - `serialize`: serde for the components that games save, and [snapshots](SteeringSnapshot) in files.

#![cfg_attr(docsrs, feature(doc_cfg))]

use bevy::app::{App, FixedUpdate, Plugin, PluginGroup, PluginGroupBuilder};
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};

pub use bevy_steering2d_core::*;

#[cfg(feature = "debug")]
#[doc(inline)]
pub use bevy_steering2d_debug as debug;
#[cfg(feature = "inspector")]
#[doc(inline)]
pub use bevy_steering2d_inspector as inspector;
#[cfg(feature = "rapier")]
#[doc(inline)]
pub use bevy_steering2d_rapier as rapier;

#[cfg(feature = "navigation")]
#[doc(inline)]
pub use bevy_steering2d_navigation as navigation;
#[cfg(feature = "presets")]
#[doc(inline)]
pub use bevy_steering2d_presets as presets;
#[cfg(feature = "recorder")]
#[doc(inline)]
pub use bevy_steering2d_recorder as recorder;
#[cfg(feature = "remote")]
#[doc(inline)]
pub use bevy_steering2d_remote as remote;

/// All plugins of steering, with their defaults: [`SteeringPlugins`] as one plugin.
///
/// Adding it a second time warns and changes nothing.
#[derive(Clone, Debug)]
pub struct SteeringPlugin(SteeringPlugins);

impl SteeringPlugin {
    /// Runs steering in `schedule`; Rapier must run in the same one.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self(SteeringPlugins::new(schedule))
    }
}

impl Default for SteeringPlugin {
    /// In `FixedUpdate`, beside `RapierPhysicsPlugin::<NoUserData>::default().in_fixed_schedule()`. Before that plugin
    /// insert `TimestepMode::Fixed` with the length of the tick, by default 1/64 s: Rapier warns of other modes there.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl Plugin for SteeringPlugin {
    fn build(&self, app: &mut App) {
        if !PipelinePlugin::warn_if_added(app) {
            app.add_plugins(self.0.clone());
        }
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// The plugins of steering, as a group whose members can be disabled or replaced.
///
/// | plugin | purpose | without it |
/// |---|---|---|
/// | [`PipelinePlugin`] | schedules, perception, combiners, behavior groups | required by all others |
/// | [`BehaviorsPlugin`] | the built-in behaviors and conditions | register those you use with [`add_behavior`](SteeringAppExt::add_behavior), [`add_adjustment`](SteeringAppExt::add_adjustment) or [`add_condition`](SteeringAppExt::add_condition); of [`TargetInSight`], the `memory`, `last_seen` and what colliders hide need this plugin, and a [`StuckDetection`] that snapshots are to hold |
/// | [`EventsPlugin`] | [`Arrived`], [`PathCompleted`], [`TargetLost`], [`Stuck`]; with the feature `navigation` `PathFound`, `NoPath`, `GroupArrived` | no events |
/// | [`PointMassPlugin`] | locomotion of [`PointMass`]es | only physics bodies move |
/// | `NavigationPlugin` (feature `navigation`) | paths, flow fields from goals, groups | no planning |
/// | `SteeringRapierPlugin` (feature `rapier`) | locomotion of Rapier bodies, collider probes | only point masses move |
/// | `SteeringPresetPlugin` (feature `presets`) | presets as assets | no presets |
///
/// The plugins of the inspector, debug drawings, the recorder, remote access and navigation meshes are added separately.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d::*;
/// # let mut app = App::new();
/// # app.add_plugins(MinimalPlugins);
/// // With a backend of your own in place of the point masses:
/// app.add_plugins(SteeringPlugins::default().build().disable::<PointMassPlugin>());
/// ```
#[derive(Clone, Debug)]
pub struct SteeringPlugins {
    schedule: InternedScheduleLabel,
}

impl SteeringPlugins {
    /// Runs steering in `schedule`; Rapier must run in the same one.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }
}

impl Default for SteeringPlugins {
    /// In `FixedUpdate`.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl PluginGroup for SteeringPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>()
            .add(PipelinePlugin::new(self.schedule))
            .add(BehaviorsPlugin)
            .add(EventsPlugin)
            .add(PointMassPlugin);
        #[cfg(feature = "navigation")]
        let group = group.add(navigation::NavigationPlugin::default());
        #[cfg(feature = "rapier")]
        let group = group.add(rapier::SteeringRapierPlugin);
        #[cfg(feature = "presets")]
        let group = group.add(presets::SteeringPresetPlugin);
        group
    }
}

/// What most games import: `use bevy_steering2d::prelude::*;`. The rest is in the root, such as
/// [`SteeringSnapshot`], or in the module of its feature.
pub mod prelude {
    #[cfg(feature = "debug")]
    pub use crate::debug::{
        DebugLayer, DrawnAgents, SteeringDebug, SteeringDebugPlugin, SteeringSelection,
    };
    #[cfg(feature = "inspector")]
    pub use crate::inspector::SteeringInspectorPlugin;
    #[cfg(feature = "navmesh")]
    pub use crate::navigation::{ActiveNavmesh, NavmeshPlugin};
    #[cfg(feature = "navigation")]
    pub use crate::navigation::{
        AtGoal, GoalField, GroundCost, GroupArrive, GroupArriveMemory, GroupArrived,
        GroupCommandsExt, GroupMember, GroupMembers, GroupPlace, GroupShape, Lane, NavigateTo,
        NavigateToMemory, NavigationState, NoPath, NoPathReason, PathFound, TravelMap,
    };
    #[cfg(feature = "presets")]
    pub use crate::presets::{SteeringPreset, UsesPreset, save_preset};
    #[cfg(feature = "recorder")]
    pub use crate::recorder::{SteeringRecorder, SteeringRecorderPlugin};
    pub use crate::{SteeringPlugin, SteeringPlugins};
    // The behaviors, and what their parameters are made of.
    pub use bevy_steering2d_core::{
        Alignment, Area, Arrive, Braking, Cohesion, CollisionAvoidance, Containment,
        CrowdPathFollowing, Deceleration, Evade, Feelers, Flee, Flocking, FlowField,
        FlowFieldFollowing, Headway, Hide, HideGoal, Interpose, LeaderFollowing,
        LeaderFollowingMemory, Leadership, MatchVelocity, ObstacleAvoidance, OffsetPursuit, Orbit,
        OrbitDirection, Park, PathFollowing, PathFollowingMemory, PathStyle, Pedestrian,
        Prediction, Pursuit, Queuing, ReciprocalAvoidance, Seek, Separation, Sidestep, StayOnPath,
        TargetSpeed, Tether, WallAvoidance, WallFollowing, WallResponse, Wander, WanderStyle,
    };
    // Agents, their bodies and what they see.
    pub use bevy_steering2d_core::{
        BehaviorGroup, Combine, Controls, Cut, FaceTarget, FaceVelocity, Holonomic, Hull,
        Influence, Kinematics, LedgerEntry, Neighbor, NeighborView, Neighbors, Obstacle, PointMass,
        RandomStream, SensesColliders, SpeedLimit, SteeringClock, SteeringCommandsExt,
        SteeringDisabled, SteeringForce, SteeringGroups, SteeringId, SteeringPath, SteeringSeed,
        SteeringSystems, SteersFor, StuckDetection, Surroundings, Target, Targets, ThinkEvery,
        Tracked, Vehicle, Wall, Wheeled,
    };
    // Events and conditions.
    pub use bevy_steering2d_core::{
        Alone, Arrived, ConditionStates, Gaze, IsStuck, PathCompleted, Stuck, TargetInSight,
        TargetInSightMemory, TargetLost, When,
    };
    // For behaviors, conditions, combiners and locomotions of your own.
    pub use bevy_steering2d_core::{
        Abilities, Acceleration, Adjust, Agent, Behavior, BehaviorRegistry, Combiner, Condition,
        InvalidParameter, Locomotion, Motion, Requests, Steer, SteeringAppExt, SteeringWarnings,
    };
}

/// The examples of the README, as doc tests; most of them need the features of this one.
#[cfg(all(doctest, feature = "inspector", feature = "navigation"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The recipes, as doc tests.
#[cfg(all(doctest, feature = "inspector", feature = "navigation"))]
#[doc = include_str!("../../../docs/recipes.md")]
struct Recipes;

/// The other pages with examples, as doc tests.
#[cfg(all(doctest, feature = "inspector", feature = "navigation"))]
mod pages {
    #[doc = include_str!("../../../docs/navigation.md")]
    struct Navigation;

    #[doc = include_str!("../../../docs/saves.md")]
    struct Saves;

    #[doc = include_str!("../../../docs/presets.md")]
    struct Presets;

    #[doc = include_str!("../../../docs/tools.md")]
    struct Tools;

    #[doc = include_str!("../../../docs/extending.md")]
    struct Extending;
}
