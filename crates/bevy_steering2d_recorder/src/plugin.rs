//! [`SteeringRecorderPlugin`]: records after every tick.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Arrived, OuterSchedule, PathCompleted, SteeringClock, SteeringSystems, Stuck, TargetLost,
};

use crate::recorder::{go_on, record};
use crate::{Moment, SteeringRecorder};

/// Adds a [`SteeringRecorder`]. Adding it again, after the inspector has added it for example, sets the budget, unless that is the
/// default.
///
/// It needs the steering plugin, which may be added before or after it.
#[derive(Clone, Debug)]
pub struct SteeringRecorderPlugin {
    /// See [`SteeringRecorder::budget`]. Default 64 MiB.
    pub budget: usize,
}

impl Default for SteeringRecorderPlugin {
    fn default() -> Self {
        Self {
            budget: SteeringRecorder::BUDGET,
        }
    }
}

/// Where a tick that has run is recorded, after [`SteeringSystems::Announce`]. Systems that change recorded state after that
/// step run before this set; else some of their changes would be recorded a tick late.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecorderSystems;

impl Plugin for SteeringRecorderPlugin {
    fn build(&self, app: &mut App) {
        if let Some(mut recorder) = app.world_mut().get_resource_mut::<SteeringRecorder>() {
            if self.budget != SteeringRecorder::BUDGET {
                recorder.set_budget(self.budget);
            }
            return;
        }
        app.insert_resource(SteeringRecorder::new(self.budget));
        note::<Arrived>(app, "arrived");
        note::<PathCompleted>(app, "path completed");
        note::<Stuck>(app, "stuck");
        note::<TargetLost>(app, "target lost");
    }

    // In `finish`: the steering plugin may be added later.
    fn finish(&self, app: &mut App) {
        if app.world().contains_resource::<Recording>() {
            return;
        }
        app.insert_resource(Recording);
        let Some(schedule) = app.world().get_resource::<OuterSchedule>() else {
            log::warn!("SteeringRecorderPlugin records nothing: it needs the steering plugin");
            return;
        };
        let label = schedule.label().intern();
        app.configure_sets(label, SteeringSystems::all().run_if(may_steer))
            .configure_sets(label, RecorderSystems.after(SteeringSystems::Announce))
            .add_systems(
                label,
                (
                    go_on.before(SteeringSystems::Sense),
                    record.in_set(RecorderSystems),
                ),
            );
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Marks an app in which the recording system was added.
#[derive(Resource)]
struct Recording;

/// Whether the steps of steering may run. A pipeline in `Update` also runs in paused frames, and would then
/// replace the restored forces of a shown tick by new ones.
fn may_steer(time: Res<Time>, recorder: Option<Res<SteeringRecorder>>) -> bool {
    let shows_past = recorder.is_some_and(|it| it.shown().is_some());
    !(shows_past && time.delta().is_zero())
}

/// Notes events of type `E`.
fn note<E>(app: &mut App, what: &'static str)
where
    E: for<'a> EntityEvent<Trigger<'a>: Default>,
{
    app.add_observer(
        move |event: On<E>,
              clock: Res<SteeringClock>,
              recorder: Option<ResMut<SteeringRecorder>>| {
            if let Some(mut recorder) = recorder {
                recorder.note(Moment {
                    tick: clock.tick,
                    agent: event.event().event_target(),
                    what,
                });
            }
        },
    );
}
