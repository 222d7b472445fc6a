//! The four steps of one tick, as system sets.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;

use crate::times::run_timed;

/// The steps of one steering tick, in the order they run.
///
/// All four live in the schedule given to [`SteeringCorePlugin`](crate::SteeringCorePlugin)
/// (`FixedUpdate` by default). Order your own systems against them: action selection belongs
/// before [`Sense`](Self::Sense) (where the [`Kinematics`](crate::Kinematics) of a body spawned just
/// now are still empty: read its `Transform`), readers of [`SteeringForce`](crate::SteeringForce) after
/// [`Combine`](Self::Combine).
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SteeringSystems {
    /// Each locomotion backend copies its bodies into [`Kinematics`](crate::Kinematics), then the
    /// scene around them is taken in; see [`SenseSystems`].
    Sense,
    /// Each registered behavior writes its force into the agents' ledgers.
    Steer,
    /// The ledger becomes one total, never longer than `max_force`; events are announced.
    Combine,
    /// Each locomotion backend applies the total to its bodies.
    Move,
}

/// The parts of [`SteeringSystems::Sense`], in the order they run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SenseSystems {
    /// Each locomotion backend fills [`Kinematics`](crate::Kinematics).
    Bodies,
    /// What is around is indexed, and behaviors put their questions into
    /// [`ColliderProbes`](crate::ColliderProbes).
    Index,
    /// The physics backend answers them.
    Answer,
}

/// The schedule the pipeline runs in; set by [`SteeringCorePlugin`](crate::SteeringCorePlugin).
#[derive(Resource, Debug, Clone, Copy)]
pub struct SteeringSchedule(pub(crate) InternedScheduleLabel);

impl SteeringSchedule {
    /// The label to pass to `add_systems`.
    pub fn label(self) -> InternedScheduleLabel {
        self.0
    }
}

impl Default for SteeringSchedule {
    fn default() -> Self {
        Self(FixedUpdate.intern())
    }
}

/// Where steering's own systems run: one schedule for each step of the tick, and one node of the
/// [user's schedule](SteeringSchedule) that runs it.
///
/// The systems of a step run one after the other. They could not run side by side anyway, since all
/// write the ledgers or the bodies; each spreads its own agents over the threads. This way a
/// behavior that nobody has costs nanoseconds, not a trip through the parallel executor, and small
/// worlds stay on one core, with all they have in its cache.
///
/// Locomotion backends add their systems here. Games order theirs against [`SteeringSystems`].
#[derive(ScheduleLabel, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SteeringStage {
    /// [`SenseSystems::Bodies`]: backends fill [`Kinematics`](crate::Kinematics).
    Bodies,
    /// [`SenseSystems::Index`].
    Index,
    /// [`SenseSystems::Answer`]: backends answer [`ColliderProbes`](crate::ColliderProbes).
    Answer,
    /// [`SteeringSystems::Steer`].
    Steer,
    /// [`SteeringSystems::Combine`].
    Combine,
    /// [`SteeringSystems::Move`]: backends move their bodies.
    Move,
}

impl SteeringStage {
    /// All stages, in the order they run.
    pub const ALL: [Self; 6] = [
        Self::Bodies,
        Self::Index,
        Self::Answer,
        Self::Steer,
        Self::Combine,
        Self::Move,
    ];

    /// The node of the outer schedule.
    pub(crate) fn run(self) -> impl FnMut(&mut World) {
        move |world| run_timed(world, self)
    }

    /// Creates the stages, unless somebody's systems were there first, and lets each run in one
    /// thread.
    pub(crate) fn prepare(app: &mut App) {
        for stage in Self::ALL {
            if app.get_schedule(stage).is_none() {
                app.init_schedule(stage);
            }
            app.edit_schedule(stage, |schedule| {
                schedule.set_executor(SingleThreadedExecutor::new());
            });
        }
    }
}

/// Orders the behavior systems by registration, so that a tick is the same on every run.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BehaviorOrder(pub(crate) u16);

/// Orders the questions of behaviors to the physics backend likewise.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ProbeOrder(pub(crate) u16);
