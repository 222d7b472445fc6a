//! Puts the rooms together.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::behaviors::{
    Flock, FlockClasses, classify_flock, declassify, index_leaders, note_intents, note_reach,
    walk_flock,
};
use crate::clock::begin_tick;
use crate::combine::combine_forces;
use crate::events::{
    Arrived, Due, PathCompleted, TargetLost, TargetWatch, announce, note_arrivals,
    note_completed_paths, note_lost_targets,
};
use crate::force::LedgerPage;
use crate::locomotion::{
    FaceTarget, FaceVelocity, PointMass, SpeedLimit, forget_point_mass, move_point_masses,
    sense_point_masses, warn_of_faulty_facing,
};
use crate::perception::{
    Neighbors, Perception, SteeringGroups, clear_probes, index_neighbors, index_obstacles,
    index_walls,
};
use crate::registry::register;
use crate::satellite::rest_lender;
use crate::schedule::{BehaviorOrder, SteeringStage};
use crate::steer::{steer_agents, warn_of_missing_bodies};
use crate::stuck::{Stuck, detect_stuck};
use crate::{
    Alignment, Arrive, ArriveMemory, BehaviorRegistry, Cohesion, ColliderProbes,
    CollisionAvoidance, Combine, Containment, Evade, Flee, FlowField, FlowFieldFollowing,
    FollowPath, FollowPathMemory, Hide, HideMemory, Intent, Interpose, Kinematics, LeaderFollowing,
    LeaderMemory, Leaders, Leadership, MatchVelocity, NextSteeringId, Obstacle, ObstacleAvoidance,
    ObstacleIndex, OffsetPursuit, OffsetPursuitMemory, Pursuit, Queuing, ReciprocalAvoidance,
    ReciprocalMemory, Seek, SenseSystems, SensesColliders, Separation, Sidestep, StayOnPath,
    SteeredBy, SteeringAppExt, SteeringClock, SteeringDisabled, SteeringForce, SteeringId,
    SteeringPath, SteeringSchedule, SteeringSeed, SteeringSystems, SteeringWarnings, SteersFor,
    StuckDetection, StuckMemory, Tether, ThinkEvery, Vehicle, Wall, WallAvoidance, WallFollowing,
    WallIndex, Wander, WanderMemory,
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
        if was_added(app) {
            return;
        }
        init_resources(app, self.schedule);
        order_stages(app, self.schedule);
        fill_stages(app);
        add_observers(app);
        register_types(app);
        add_behaviors(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// Whether steering was added before; warns if so.
fn was_added(app: &App) -> bool {
    let added = app.world().contains_resource::<SteeringClock>();
    if added {
        let running = app.world().resource::<SteeringSchedule>().label();
        log::warn!("steering was already added and runs in {running:?}; added only once");
    }
    added
}

fn init_resources(app: &mut App, schedule: InternedScheduleLabel) {
    app.insert_resource(SteeringSchedule(schedule))
        .init_resource::<Time>()
        .init_resource::<SteeringSeed>()
        .init_resource::<SteeringClock>()
        .init_resource::<LedgerPage>()
        .init_resource::<SteeringWarnings>()
        .init_resource::<NextSteeringId>()
        .init_resource::<BehaviorRegistry>()
        .init_resource::<ObstacleIndex>()
        .init_resource::<WallIndex>()
        .init_resource::<Due<TargetLost>>()
        .init_resource::<Due<Arrived>>()
        .init_resource::<Due<PathCompleted>>()
        .init_resource::<Due<Stuck>>()
        .init_resource::<Neighbors>()
        .init_resource::<Flock>()
        .init_resource::<FlockClasses>()
        .init_resource::<Leaders>();
}

/// Sense, Steer, Combine and Move, each of which runs the stages that are in it.
fn order_stages(app: &mut App, schedule: InternedScheduleLabel) {
    SteeringStage::prepare(app);
    app.configure_sets(
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
    .add_systems(
        schedule,
        (
            begin_tick.before(SteeringSystems::Sense),
            SteeringStage::Bodies.run().in_set(SenseSystems::Bodies),
            SteeringStage::Index.run().in_set(SenseSystems::Index),
            SteeringStage::Answer.run().in_set(SenseSystems::Answer),
            SteeringStage::Steer.run().in_set(SteeringSystems::Steer),
            SteeringStage::Combine
                .run()
                .in_set(SteeringSystems::Combine),
            SteeringStage::Move.run().in_set(SteeringSystems::Move),
        )
            // They take the whole world, but touch only what is steering's.
            .ambiguous_with_all(),
    );
}

/// The systems of each stage, in the order of a tick; those of the behaviors come on their own.
fn fill_stages(app: &mut App) {
    app.add_systems(
        SteeringStage::Bodies,
        (
            sense_point_masses,
            warn_of_missing_bodies,
            warn_of_faulty_facing,
        )
            .chain(),
    )
    .add_systems(
        SteeringStage::Index,
        (
            classify_flock,
            note_reach,
            index_neighbors,
            index_leaders.run_if(any_with_component::<LeaderFollowing>),
            index_obstacles,
            index_walls,
            clear_probes,
        )
            .chain(),
    )
    .add_systems(SteeringStage::Steer, walk_flock.in_set(BehaviorOrder(0)))
    .add_systems(
        SteeringStage::Combine,
        (
            combine_forces,
            note_lost_targets,
            announce::<TargetLost>,
            note_arrivals,
            announce::<Arrived>,
            note_completed_paths,
            announce::<PathCompleted>,
            detect_stuck,
            announce::<Stuck>,
        )
            .chain(),
    )
    .add_systems(SteeringStage::Move, move_point_masses);
}

fn add_observers(app: &mut App) {
    app.add_observer(forget_point_mass)
        .add_observer(rest_lender)
        .add_observer(declassify::<Separation>)
        .add_observer(declassify::<Alignment>)
        .add_observer(declassify::<Cohesion>);
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
        .register_type::<ThinkEvery>()
        .register_type::<FaceVelocity>()
        .register_type::<FaceTarget>()
        .register_type::<TargetWatch>()
        .register_type::<ArriveMemory>()
        .register_type::<FlowField>()
        .register_type::<FollowPathMemory>()
        .register_type::<OffsetPursuitMemory>()
        .register_type::<SteeringPath>()
        .register_type::<StuckDetection>()
        .register_type::<StuckMemory>()
        .register_type::<WanderMemory>()
        .register_type::<Leadership>()
        .register_type::<LeaderMemory>()
        .register_type::<Perception>()
        .register_type::<SteeringGroups>()
        .register_type::<HideMemory>()
        .register_type::<Intent>()
        .register_type::<ReciprocalMemory>()
        .register_type::<Obstacle>()
        .register_type::<Wall>()
        .register_type::<SensesColliders>()
        .register_type::<ColliderProbes>()
        .register_type::<SteeringClock>()
        .register_type::<SteeringSeed>()
        .register_type::<NextSteeringId>();
}

/// The built-in behaviors, in order of default priority, which is the order of a ledger.
fn add_behaviors(app: &mut App) {
    app.add_behavior::<Containment>()
        .add_probing_behavior::<WallAvoidance>()
        .add_probing_behavior::<ObstacleAvoidance>()
        .add_behavior::<CollisionAvoidance>()
        .add_behavior::<Sidestep>()
        .add_behavior::<Evade>()
        .add_behavior::<Flee>();
    add_flock_behaviors(app);
    app.add_behavior::<MatchVelocity>()
        .add_behavior::<StayOnPath>()
        .add_behavior::<Tether>()
        .add_behavior::<Seek>()
        .add_behavior::<Arrive>()
        .add_behavior::<Pursuit>()
        .add_behavior::<OffsetPursuit>()
        .add_behavior::<LeaderFollowing>()
        .add_behavior::<Interpose>()
        .add_probing_behavior::<Hide>()
        .add_probing_behavior::<WallFollowing>()
        .add_behavior::<FollowPath>()
        .add_behavior::<FlowFieldFollowing>()
        .add_behavior::<Queuing>()
        .add_behavior::<Wander>();
    add_reciprocal_avoidance(app);
}

/// Separation, Alignment and Cohesion share one walk; the combiner takes down what comes of it.
fn add_flock_behaviors(app: &mut App) {
    register::<Separation>(app);
    register::<Alignment>(app);
    register::<Cohesion>(app);
}

/// It mends what all others wish, so it is heard after them, theirs and yours.
fn add_reciprocal_avoidance(app: &mut App) {
    if register::<ReciprocalAvoidance>(app).is_some() {
        app.add_systems(
            SteeringStage::Combine,
            (note_intents, steer_agents::<ReciprocalAvoidance>)
                .chain()
                .before(combine_forces)
                .run_if(any_with_component::<ReciprocalAvoidance>),
        );
    }
}
