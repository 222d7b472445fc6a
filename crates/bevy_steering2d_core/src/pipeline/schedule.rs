//! The system sets and schedules of a tick: Sense, Steer, Adjust, Combine and Move.

use std::marker::PhantomData;

use bevy::ecs::schedule::{
    InternedScheduleLabel, InternedSystemSet, ScheduleConfigs, ScheduleLabel,
    SingleThreadedExecutor,
};
use bevy::prelude::*;

/// The steps of one steering tick, in the order they run, and the announcement of its events.
///
/// All are system sets of the schedule given to `SteeringPlugin` (`FixedUpdate` by default). Order your own
/// systems against them: action selection belongs before [`Sense`](Self::Sense) (where the
/// [`Kinematics`](crate::Kinematics) of a body just spawned are still empty: read its `Transform`),
/// readers of [`SteeringForce`](crate::SteeringForce) after [`Combine`](Self::Combine).
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SteeringSystems {
    /// Each locomotion backend copies its bodies into [`Kinematics`](crate::Kinematics), then
    /// neighbors, obstacles and walls are indexed; see [`SenseSystems`]. What systems before it write, bodies included, counts in
    /// this tick: with the Rapier backend it begins before Rapier reads its components.
    Sense,
    /// Each [`Steer`](crate::Steer) behavior writes an entry into its agents' ledgers.
    Steer,
    /// Each [`Adjust`](crate::Adjust) behavior reads what its agent's behaviors request, and adds
    /// an entry.
    Adjust,
    /// The combiner turns the ledger into one total, never longer than `max_force`.
    Combine,
    /// Each locomotion backend applies the total to its bodies.
    Move,
    /// The events of this tick are triggered, see [`Announcements`](crate::Announcements). Bodies
    /// have moved: with the Rapier backend it is after the physics step and its writeback. An
    /// observer may despawn or change any entity.
    Announce,
}

impl SteeringSystems {
    /// All sets in the order they run, to configure them together, such as with a condition:
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::*;
    /// # #[derive(Resource)]
    /// # struct Playing;
    /// # let mut app = App::new();
    /// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
    /// app.configure_sets(FixedUpdate, SteeringSystems::all().run_if(resource_exists::<Playing>));
    /// # app.update();
    /// ```
    ///
    /// The condition is evaluated once, before the first step, so a tick runs whole or not at all. Meanwhile the
    /// [`SteeringClock`](crate::SteeringClock) stands still, memories rest and no [`PointMass`](crate::PointMass) moves. A
    /// physics engine goes on to step: give its step the same condition.
    pub fn all() -> ScheduleConfigs<InternedSystemSet> {
        (
            Self::Sense,
            Self::Steer,
            Self::Adjust,
            Self::Combine,
            Self::Move,
            Self::Announce,
        )
            .into_configs()
    }
}

/// The parts of [`SteeringSystems::Sense`], in the order they run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SenseSystems {
    /// The [`SteeringClock`](crate::SteeringClock) advances. With the Rapier backend it is before `PhysicsSet::SyncBackend`, and all
    /// other parts are after it.
    Begin,
    /// Each locomotion backend fills [`Kinematics`](crate::Kinematics).
    Bodies,
    /// Neighbors, obstacles and walls are indexed, and behaviors fill
    /// [`ColliderProbes`](crate::ColliderProbes).
    Index,
    /// The physics backend answers the probes.
    Answer,
}

/// The parts of [`SteeringSchedule::Adjust`], in the order they run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdjustSystems {
    /// [`Adjust`](crate::Adjust) behaviors run that change what their agents prefer
    /// ([`IS_PREFERENCE`](crate::Adjust::IS_PREFERENCE)). Ledgers are complete.
    Prefer,
    /// For systems that publish the requests of agents to other agents.
    Prepare,
    /// The other [`Adjust`](crate::Adjust) behaviors run.
    Adjust,
}

/// The schedule that runs the pipeline; set by [`PipelinePlugin`](crate::PipelinePlugin), a part of `SteeringPlugin`.
#[derive(Resource, Debug, Clone, Copy)]
pub struct OuterSchedule(pub(crate) InternedScheduleLabel);

impl OuterSchedule {
    /// The label to pass to `add_systems`.
    pub fn label(self) -> InternedScheduleLabel {
        self.0
    }
}

impl Default for OuterSchedule {
    fn default() -> Self {
        Self(FixedUpdate.intern())
    }
}

/// The schedules of the steps, in which the systems of steering run. A system of the
/// [`OuterSchedule`] runs each of them.
///
/// The systems of a step run one after another, since all write ledgers or bodies; each processes
/// its agents in parallel. So a behavior without agents costs nanoseconds, and small worlds run on
/// one core.
///
/// Locomotion backends add their systems here. Games order theirs against [`SteeringSystems`].
#[derive(ScheduleLabel, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SteeringSchedule {
    /// [`SenseSystems::Bodies`]: backends fill [`Kinematics`](crate::Kinematics).
    Bodies,
    /// [`SenseSystems::Index`].
    Index,
    /// [`SenseSystems::Answer`]: backends answer [`ColliderProbes`](crate::ColliderProbes).
    Answer,
    /// [`SteeringSystems::Steer`].
    Steer,
    /// [`SteeringSystems::Adjust`], see [`AdjustSystems`].
    Adjust,
    /// [`SteeringSystems::Combine`].
    Combine,
    /// [`SteeringSystems::Move`]: backends move their bodies.
    Move,
}

impl SteeringSchedule {
    /// All schedules, in the order they run.
    pub const ALL: [Self; 7] = [
        Self::Bodies,
        Self::Index,
        Self::Answer,
        Self::Steer,
        Self::Adjust,
        Self::Combine,
        Self::Move,
    ];

    /// Creates the schedules that do not exist yet, and makes each run on one thread.
    pub(crate) fn prepare(app: &mut App) {
        for schedule in Self::ALL {
            if app.get_schedule(schedule).is_none() {
                app.init_schedule(schedule);
            }
            app.edit_schedule(schedule, |schedule| {
                schedule.set_executor(SingleThreadedExecutor::new());
            });
        }
    }
}

/// Orders the systems that run before the behaviors of [`SteeringSchedule::Steer`] by registration:
/// conditions and predictors.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PreparationOrder(u16);

/// Present if the preparation `P` is registered: a condition or a predictor.
#[derive(Resource)]
pub(crate) struct Preparation<P>(PhantomData<fn() -> P>);

/// The number of registered preparations.
#[derive(Resource, Default)]
struct PreparationCount(u16);

impl PreparationOrder {
    /// The set for the systems of `P`, after those of all preparations so far.
    pub(crate) fn next<P: 'static>(app: &mut App) -> Self {
        app.insert_resource(Preparation::<P>(PhantomData));
        let mut count = app.world_mut().get_resource_or_init::<PreparationCount>();
        count.0 += 1;
        let order = Self(count.0);
        app.configure_sets(
            SteeringSchedule::Steer,
            order.after(Self(order.0 - 1)).before(BehaviorOrder(0)),
        );
        order
    }
}

/// Orders the systems of behaviors by registration, so that every run is the same.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BehaviorOrder(pub(crate) u16);

/// The parts of [`SteeringSchedule::Index`], in the order they run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum IndexSystems {
    /// Probes are cleared, flock profiles updated, and the headings of waiting agents kept.
    Prepare,
    /// Behaviors set perception radii and add collider probes.
    Behaviors,
    /// The indexes are built.
    Build,
}

/// The system that combines the agents' ledgers, in [`SteeringSchedule::Combine`].
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CombineSystems;
