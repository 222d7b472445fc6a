//! Steering behaviors (Reynolds) for Bevy in 2D, driving Rapier rigid bodies.
//!
//! ![A fox intercepts a rabbit that wanders and evades](https://raw.githubusercontent.com/bevy-steering2d/bevy_steering2d/main/assets/pictures/fox_and_rabbit.png)
//!
//! An agent is an entity with a body and at least one behavior. Behaviors are components; each
//! asks for a force, a combiner makes one force of them, and the body carries it out.
//!
//! ```
//! use bevy::prelude::*;
//! use bevy_rapier2d::prelude::*;
//! use bevy_steering2d::prelude::*;
//!
//! fn spawn(mut commands: Commands) {
//!     let body = (RigidBody::Dynamic, Collider::ball(0.4), GravityScale(0.0));
//!     let rabbit = commands.spawn((body.clone(), Wander::default())).id();
//!     let afar = Transform::from_xyz(-8.0, 0.0, 0.0);
//!     commands.spawn((body, Pursuit::new(rabbit), afar));
//! }
//!
//! App::new()
//!     .add_plugins((MinimalPlugins, TransformPlugin)) // a game: DefaultPlugins
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
//! # The rooms
//!
//! Read them in this order; each is one click away.
//!
//! **The plugin.** [`SteeringPlugin`] runs in `FixedUpdate` unless told otherwise; Rapier has to
//! run in the same schedule, hence `in_fixed_schedule()`. One tick is
//! [Sense, Steer, Combine, Move](SteeringSystems), told in full in the essay of
//! [`bevy_steering2d_core`]. Decide what an agent wants before `Sense`, read what steering made of
//! it after `Combine`.
//!
//! **The vehicle and its body.** [`Vehicle`] holds the limits: `max_speed`, `max_force`,
//! `response_time`. It comes with the first behavior, so spawn it only to change them. The body is a
//! Rapier `RigidBody` of any kind that can move (the table is in [`rapier`]) or, without physics,
//! a [`PointMass`]. Each tick it is copied into [`Kinematics`], all that behaviors see of it;
//! that is also why any body can be a [`Target`], agent or not.
//!
//! **Behaviors.**
//!
//! | component | what it does |
//! |---|---|
//! | [`Seek`] | heads for a target at full speed, and through it |
//! | [`Flee`] | runs straight away from a threat that is near |
//! | [`Arrive`] | heads for a target and comes to rest there, with one of three [ways of braking](Braking) |
//! | [`Pursuit`] | heads for where a moving quarry will be, by one of five [predictions](Prediction) |
//! | [`Evade`] | runs from where a pursuer will be, while it is near |
//! | [`Wander`] | strolls about, in one of three [styles](WanderStyle) |
//! | [`ObstacleAvoidance`], [`WallAvoidance`] | steer around obstacles, walls and [colliders](SensesColliders) |
//! | [`WallFollowing`], [`Containment`], [`Tether`] | stay along a wall, in an area, near somebody |
//! | [`Hide`], [`Interpose`] | put an obstacle, or itself, in between |
//! | [`PathFollowing`], [`StayOnPath`], [`FlowFieldFollowing`] | follow a [`SteeringPath`] or a [`FlowField`] |
//! | [`CrowdPathFollowing`] | follows a path among many, without bumping |
//! | [`ReciprocalAvoidance`], [`Pedestrian`] | adjusts the velocity that all others ask for so that nobody bumps, in dense crowds |
//! | [`OffsetPursuit`], [`MatchVelocity`], [`LeaderFollowing`] | keep a place, a pace, a leader |
//! | [`Separation`], [`Alignment`], [`Cohesion`] | make a flock, see [`Flocking`] |
//! | [`CollisionAvoidance`], [`Queuing`], [`Sidestep`] | give way, hold back, step aside |
//!
//! Most of their formulas are plain functions in [`behaviors`]. Each component embeds an [`Influence`]:
//! weight, priority, probability, on or off. Several of one kind live on entities that
//! [`SteersFor`] the agent. [`SteeringDisabled`] lets go of the agent altogether.
//!
//! **Perception.** What agents see of each other is in [`Neighbors`], what they see of the scene in
//! [`Surroundings`]; both serve behaviors of yours as well.
//!
//! **Combine.** [`Combine`] is a component too; the default hears behaviors by
//! [priority] until `max_force` is spent. [`SteeringForce`] keeps the total and a
//! ledger of who asked for what, who got it, and [why not](Cut).
//!
//! **Locomotion.** A backend moves the body, see the contract in [`locomotion`]. Steering never
//! accelerates past `max_speed`; [`SpeedLimit`] says what happens when something else does, and
//! [`FaceVelocity`] turns the body to where it goes. Your own forces and impulses add up with
//! steering, and nothing is left behind when it ends.
//!
//! **Events.** [`Arrived`], [`PathCompleted`], [`Stuck`] and [`TargetLost`] go to observers, once
//! each time.
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d::prelude::*;
//! fn give_up(lost: On<TargetLost>, mut commands: Commands) {
//!     let mut agent = commands.entity(lost.entity);
//!     agent.remove_behavior::<Pursuit>().insert(Wander::default());
//! }
//!
//! fn plugin(app: &mut App) {
//!     app.add_observer(give_up);
//! }
//! ```
//!
//! **Your own behavior.** Implement [`Behavior`], then register it with
//! [`add_behavior`](SteeringAppExt::add_behavior). The built-in ones take the same door, so yours
//! has a ledger entry, reflection and a place in the [`BehaviorRegistry`] as they do.
//!
//! **Determinism.** Same binary, same inputs, same ids: the same bits, for any number of threads. Each
//! agent has a [`SteeringId`], given in spawn order or by you, and draws its random numbers from a
//! stream of its own, seeded by [`SteeringSeed`].
//!
//! **Bad input** never panics and never reaches physics. An agent with nonsense in a component
//! contributes nothing and one [warning](SteeringWarnings) names the entity and the field; so does a
//! missing body or a missing `RapierPhysicsPlugin`. A target that is gone means zero force and
//! one [`TargetLost`].
//!
//! # Units
//!
//! Meters, seconds, kilograms, newtons, radians. Prefer meters and a camera scale to pixels: the
//! defaults of both this crate and Rapier are meant for bodies about a meter wide.
//!
//! # Features
//!
//! - `rapier` (default): the Rapier backend. Without it only point masses move.
//! - `inspector`: `inspector::SteeringInspectorPlugin` is an egui panel to watch and tune agents;
//!   brings `debug` and `presets`.
//! - `debug`: `debug::SteeringDebugPlugin` draws what agents see and want, with gizmos.
//! - `presets`: an agent's tuning as hot-reloadable `*.steering.ron` files; the
//!   plugin takes care of them wherever there is an `AssetServer`.
//! - `serialize`: serde for the public components, for saves and rollback.

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

#[cfg(feature = "presets")]
#[doc(inline)]
pub use bevy_steering2d_presets as presets;

/// All parts of steering, with their defaults: [`SteeringPlugins`] as one plugin.
///
/// Adding it twice does no harm: the second one warns and changes nothing.
pub struct SteeringPlugin {
    schedule: InternedScheduleLabel,
}

impl SteeringPlugin {
    /// Runs steering in `schedule`; Rapier must run in the same one.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }
}

impl Default for SteeringPlugin {
    /// In `FixedUpdate`, beside `RapierPhysicsPlugin::<NoUserData>::default().in_fixed_schedule()`.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl Plugin for SteeringPlugin {
    fn build(&self, app: &mut App) {
        if !PipelinePlugin::warn_if_added(app) {
            app.add_plugins(SteeringPlugins::new(self.schedule));
        }
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// The parts of steering, as a group whose members can be switched off or replaced.
///
/// | part | duty | without it |
/// |---|---|---|
/// | [`PipelinePlugin`] | schedules, perception, combiners, behavior groups | nothing runs |
/// | [`BehaviorsPlugin`] | the built-in behaviors | register those you use with [`add_behavior`](SteeringAppExt::add_behavior) |
/// | [`EventsPlugin`] | [`Arrived`], [`PathCompleted`], [`TargetLost`], [`Stuck`] | no events, no stuck detection |
/// | [`PointMassPlugin`] | locomotion of [`PointMass`]es | only physics bodies move |
/// | `SteeringRapierPlugin` (feature `rapier`) | locomotion of Rapier bodies, collider probes | only point masses move |
/// | `SteeringPresetPlugin` (feature `presets`) | presets as assets | no presets |
///
/// The inspector and the debug drawings are plugins of their own, since most games leave them out.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d::*;
/// # let mut app = App::new();
/// # app.add_plugins(MinimalPlugins);
/// // A physics engine of your own: leave out the backends and add yours.
/// app.add_plugins(SteeringPlugins::default().build().disable::<PointMassPlugin>());
/// ```
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
        #[cfg(feature = "rapier")]
        let group = group.add(rapier::SteeringRapierPlugin);
        #[cfg(feature = "presets")]
        let group = group.add(presets::SteeringPresetPlugin);
        group
    }
}

/// What most games import: `use bevy_steering2d::prelude::*;`
pub mod prelude {
    #[cfg(feature = "debug")]
    pub use crate::debug::SteeringDebugPlugin;
    #[cfg(feature = "inspector")]
    pub use crate::inspector::SteeringInspectorPlugin;
    #[cfg(feature = "presets")]
    pub use crate::presets::{SteeringPreset, UsesPreset, save_preset};
    pub use crate::{SteeringPlugin, SteeringPlugins};
    pub use bevy_steering2d_core::behaviors::types::*;
    pub use bevy_steering2d_core::{
        Adjust, Agent, Arrived, Behavior, BehaviorGroup, Combine, Combiner, Cut, FaceTarget,
        FaceVelocity, Influence, InvalidParameter, Kinematics, LedgerEntry, Neighbor, NeighborView,
        Neighbors, Obstacle, PathCompleted, PointMass, Requests, SensesColliders, SpeedLimit,
        Steer, SteeringAppExt, SteeringCommandsExt, SteeringDisabled, SteeringForce,
        SteeringGroups, SteeringId, SteeringPath, SteeringSeed, SteeringSystems, SteersFor, Stuck,
        StuckDetection, Surroundings, Target, TargetLost, Targets, ThinkEvery, Vehicle, Wall,
    };
}

/// The examples of the README, as doc tests; three of them need the features of this one.
#[cfg(all(doctest, feature = "inspector"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
