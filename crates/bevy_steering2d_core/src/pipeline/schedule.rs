//! The five steps of a tick: Sense, Steer, Adjust, Combine, Move. Their system sets and schedules.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;

/// The steps of one steering tick, in the order they run.
///
/// All five are system sets of the schedule given to [`SteeringCorePlugin`](crate::SteeringCorePlugin)
/// (`FixedUpdate` by default). Order your own systems against them: action selection belongs before
/// [`Sense`](Self::Sense) (where the [`Kinematics`](crate::Kinematics) of a body spawned just now are
/// still empty: read its `Transform`), readers of [`SteeringForce`](crate::SteeringForce) after
/// [`Combine`](Self::Combine).
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SteeringSystems {
    /// Each locomotion backend copies its bodies into [`Kinematics`](crate::Kinematics), then
    /// neighbors, obstacles and walls are indexed; see [`SenseSystems`].
    Sense,
    /// Each [`Steer`](crate::Steer) behavior writes an entry into its agents' ledgers.
    Steer,
    /// Each [`Adjust`](crate::Adjust) behavior reads what its agent's behaviors request, and adds an
    /// entry.
    Adjust,
    /// The combiner turns the ledger into one total, never longer than `max_force`; events are
    /// triggered.
    Combine,
    /// Each locomotion backend applies the total to its bodies.
    Move,
}

/// The parts of [`SteeringSystems::Sense`], in the order they run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SenseSystems {
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
    /// Ledgers hold the requests of every agent, and no agent has been adjusted. For systems that
    /// publish what an agent requests to other agents.
    Prepare,
    /// [`Adjust`](crate::Adjust) behaviors run.
    Adjust,
}

/// The schedule that runs the pipeline; set by [`SteeringCorePlugin`](crate::SteeringCorePlugin).
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

/// The schedules of the steps: where steering's own systems run. A node of the [`OuterSchedule`]
/// runs each of them.
///
/// The systems of a step run one after the other, since all write ledgers or bodies; each divides
/// its agents among the threads. A behavior that no agent has costs nanoseconds, not a trip through
/// the parallel executor, and small worlds stay on one core.
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

/// Orders the systems of behaviors by registration, so that a tick is the same on every run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BehaviorOrder(pub(crate) u16);

/// The parts of [`SteeringSchedule::Index`], in the order they run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum IndexSystems {
    /// Last tick's probes and profiles are brought up to date.
    Prepare,
    /// Behaviors say how far they look and what they probe.
    Behaviors,
    /// The indexes are built.
    Build,
}

/// The system that combines the agents' ledgers, in [`SteeringSchedule::Combine`].
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CombineSystems;
