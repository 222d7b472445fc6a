//! Puts the rooms together.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::clock::begin_tick;
use crate::combine::combine_forces;
use crate::events::{TargetWatch, announce_arrivals, announce_lost_targets};
use crate::locomotion::{
    FaceVelocity, PointMass, SpeedLimit, move_point_masses, sense_point_masses,
};
use crate::perception::{clear_probes, index_obstacles, index_walls};
use crate::schedule::BehaviorOrder;
use crate::steer::warn_of_missing_bodies;
use crate::{
    Arrive, ArriveMemory, BehaviorRegistry, ColliderProbes, Combine, Containment, Evade, Flee,
    Hide, HideMemory, Kinematics, NextSteeringId, Obstacle, ObstacleAvoidance, ObstacleIndex,
    Pursuit, Seek, SenseSystems, SensesColliders, SteeredBy, SteeringAppExt, SteeringClock,
    SteeringDisabled, SteeringForce, SteeringId, SteeringSchedule, SteeringSeed, SteeringSystems,
    SteeringWarnings, SteersFor, Vehicle, Wall, WallAvoidance, WallFollowing, WallIndex, Wander,
    WanderMemory,
};

/// The pipeline, the built-in behaviors and the [`PointMass`] backend.
///
/// Adding it twice does no harm: the second one warns and changes nothing.
pub struct SteeringCorePlugin {
    schedule: InternedScheduleLabel,
}

impl SteeringCorePlugin {
    /// Runs the pipeline in `schedule`.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }
}

impl Default for SteeringCorePlugin {
    /// In `FixedUpdate`.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl Plugin for SteeringCorePlugin {
    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<SteeringClock>() {
            let running = app.world().resource::<SteeringSchedule>().label();
            log::warn!("steering was already added and runs in {running:?}; added only once");
            return;
        }
        let schedule = self.schedule;
        app.insert_resource(SteeringSchedule(schedule))
            .init_resource::<Time>()
            .init_resource::<SteeringSeed>()
            .init_resource::<SteeringClock>()
            .init_resource::<SteeringWarnings>()
            .init_resource::<NextSteeringId>()
            .init_resource::<BehaviorRegistry>()
            .init_resource::<ObstacleIndex>()
            .init_resource::<WallIndex>()
            .configure_sets(
                schedule,
                (
                    SteeringSystems::Sense,
                    SteeringSystems::Steer,
                    SteeringSystems::Combine,
                    SteeringSystems::Move,
                )
                    .chain(),
            )
            .configure_sets(
                schedule,
                (
                    SenseSystems::Bodies,
                    SenseSystems::Index,
                    SenseSystems::Answer,
                )
                    .chain()
                    .in_set(SteeringSystems::Sense),
            )
            .configure_sets(schedule, BehaviorOrder(0).in_set(SteeringSystems::Steer))
            .add_systems(
                schedule,
                (
                    begin_tick.before(SteeringSystems::Sense),
                    (sense_point_masses, warn_of_missing_bodies).in_set(SenseSystems::Bodies),
                    (index_obstacles, index_walls, clear_probes).in_set(SenseSystems::Index),
                    (combine_forces, announce_lost_targets, announce_arrivals)
                        .chain()
                        .in_set(SteeringSystems::Combine),
                    move_point_masses.in_set(SteeringSystems::Move),
                ),
            );
        register_types(app);
        // In order of default priority, which is the order of a ledger.
        app.add_behavior::<Containment>()
            .add_probing_behavior::<WallAvoidance>()
            .add_probing_behavior::<ObstacleAvoidance>()
            .add_behavior::<Evade>()
            .add_behavior::<Flee>()
            .add_behavior::<Seek>()
            .add_behavior::<Arrive>()
            .add_behavior::<Pursuit>()
            .add_probing_behavior::<Hide>()
            .add_probing_behavior::<WallFollowing>()
            .add_behavior::<Wander>();
    }

    fn is_unique(&self) -> bool {
        false
    }
}

fn register_types(app: &mut App) {
    app.register_type::<Vehicle>()
        .register_type::<Kinematics>()
        .register_type::<SteeringId>()
        .register_type::<SteeringDisabled>()
        .register_type::<SteeringForce>()
        .register_type::<Combine>()
        .register_type::<SteersFor>()
        .register_type::<SteeredBy>()
        .register_type::<PointMass>()
        .register_type::<SpeedLimit>()
        .register_type::<FaceVelocity>()
        .register_type::<TargetWatch>()
        .register_type::<ArriveMemory>()
        .register_type::<WanderMemory>()
        .register_type::<HideMemory>()
        .register_type::<Obstacle>()
        .register_type::<Wall>()
        .register_type::<SensesColliders>()
        .register_type::<ColliderProbes>()
        .register_type::<SteeringClock>()
        .register_type::<SteeringSeed>()
        .register_type::<NextSteeringId>();
}
