//! Steering behaviors for Bevy in 2D.
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

pub use bevy_steering2d_core::*;

#[cfg(feature = "rapier")]
pub use bevy_steering2d_rapier as rapier;

/// Everything: pipeline, behaviors, and the Rapier backend unless the feature `rapier` is off.
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
        app.add_plugins(SteeringCorePlugin::new(self.schedule));
        #[cfg(feature = "rapier")]
        app.add_plugins(rapier::SteeringRapierPlugin);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// What most games import: `use bevy_steering2d::prelude::*;`
pub mod prelude {
    pub use crate::SteeringPlugin;
    pub use bevy_steering2d_core::{
        Agent, Area, Arrive, Arrived, Behavior, Braking, Combine, Containment, Deceleration, Evade,
        FaceVelocity, Feelers, Flee, Hide, Influence, Kinematics, Obstacle, ObstacleAvoidance,
        PointMass, Prediction, Pursuit, Seek, SensesColliders, SpeedLimit, SteeringAppExt,
        SteeringCommandsExt, SteeringDisabled, SteeringForce, SteeringId, SteeringSystems,
        SteersFor, Surroundings, Target, TargetLost, Targets, Vehicle, Wall, WallAvoidance,
        WallFollowing, WallResponse, Wander, WanderStyle,
    };
}
