//! The plugins of this crate, which assemble the steering pipeline.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use super::begin::begin_tick;
use super::registration::register;
use super::schedule::{AdjustSystems, BehaviorOrder, CombineSystems, IndexSystems};
use super::times::run;
use crate::adjust::{Adjusted, complete_ledgers};
use crate::announcements::{AnnouncedEvents, TriggersEvents, announce};
use crate::behavior_entity::{refuse_cycles, reset_force};
use crate::behaviors;
use crate::combine::{
    HasFusedEntries, LedgerGeneration, combine_agents, combine_groups, preview_groups,
    release_force, warn_of_agents_with_groups,
};
use crate::companion::describe_companions;
use crate::condition;
use crate::events::TargetWatch;
use crate::id::FreeIds;
use crate::locomotion::{
    Holonomic, Hull, LocomotionSystems, PointMass, Tracked, Wheeled, drive_point_masses,
    forget_point_mass, move_point_masses, place_point_masses, register_kind, release_controls,
    sense_driven_point_masses, sense_point_masses, warn_of_faulty_facing, warn_of_moved_parents,
};
use crate::perception::{
    Neighbors, Perception, clear_probes, index_neighbors, index_obstacles, index_walls,
    reset_outdated_radius,
};
use crate::require::{RequiredParts, keep};
use crate::snapshot;
use crate::steer::warn_of_missing_bodies;
use crate::stuck::{Stuck, StuckMemory, detect_stuck};
use crate::target::place_point_masses_with_children;
use crate::vehicle::warn_of_weak_agents;
use crate::warnings::log_warnings;
use crate::{
    Arrived, Average, BehaviorGroup, BehaviorRegistry, ColliderProbes, Combine, Dithered,
    Kinematics, NextSteeringId, ObstacleIndex, OuterSchedule, PathCompleted, Prioritized,
    SenseSystems, SensesColliders, SteeredBy, SteeringAppExt, SteeringClock, SteeringDisabled,
    SteeringForce, SteeringId, SteeringSchedule, SteeringSeed, SteeringSystems, SteeringWarnings,
    SteersFor, StuckDetection, TargetLost, Vehicle, WallIndex, WeightedSum,
};

/// All plugins of this crate: [`PipelinePlugin`], [`BehaviorsPlugin`], [`EventsPlugin`] and
/// [`PointMassPlugin`].
///
/// Adding it a second time warns and changes nothing.
#[derive(Clone, Debug)]
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
        if !PipelinePlugin::warn_if_added(app) {
            app.add_plugins((
                PipelinePlugin::new(self.schedule),
                BehaviorsPlugin,
                EventsPlugin,
                PointMassPlugin,
            ));
        }
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// The schedules of a tick, perception, combiners and behavior groups. All other plugins need it.
#[derive(Clone, Debug)]
pub struct PipelinePlugin {
    schedule: InternedScheduleLabel,
}

impl PipelinePlugin {
    /// Runs the pipeline in `schedule`.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }

    /// Whether the pipeline is already added; warns if so.
    #[doc(hidden)]
    pub fn warn_if_added(app: &App) -> bool {
        let added = app.world().contains_resource::<SteeringClock>();
        if added {
            let running = app.world().resource::<OuterSchedule>().label();
            log::warn!("steering was already added and runs in {running:?}; added only once");
        }
        added
    }
}

impl Default for PipelinePlugin {
    /// In `FixedUpdate`.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl Plugin for PipelinePlugin {
    fn build(&self, app: &mut App) {
        init_resources(app, self.schedule);
        order_steps(app, self.schedule);
        fill_steps(app);
        add_observers(app);
        keep_parts(app);
        register_types(app);
        snapshot::add_pipeline_types(app);
        describe_companions(app);
        register_combiners(app);
        register_locomotions(app);
        register::<BehaviorGroup>(app, SteeringSchedule::Combine);
    }
}

/// The built-in behaviors and conditions.
#[derive(Clone, Copy, Debug, Default)]
pub struct BehaviorsPlugin;

impl Plugin for BehaviorsPlugin {
    fn build(&self, app: &mut App) {
        condition::register(app);
        behaviors::register(app);
    }
}

/// Triggers [`TargetLost`](crate::TargetLost), [`Arrived`](crate::Arrived),
/// [`PathCompleted`](crate::PathCompleted), [`Stuck`] and the events of your own behaviors, all in
/// [`SteeringSystems::Announce`]. Without it they are dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventsPlugin;

impl Plugin for EventsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(TriggersEvents);
    }
}

/// The locomotion backend of [`PointMass`]es.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointMassPlugin;

impl Plugin for PointMassPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<PointMass>()
            .add_observer(forget_point_mass)
            .add_systems(
                SteeringSchedule::Bodies,
                (
                    place_point_masses,
                    warn_of_moved_parents,
                    sense_point_masses,
                    sense_driven_point_masses,
                )
                    .chain()
                    .before(warn_of_missing_bodies)
                    .before(LocomotionSystems::Abilities),
            )
            .add_systems(
                SteeringSchedule::Move,
                (
                    move_point_masses,
                    drive_point_masses.after(LocomotionSystems::Drive),
                ),
            );
    }
}

fn init_resources(app: &mut App, schedule: InternedScheduleLabel) {
    app.insert_resource(OuterSchedule(schedule))
        .init_resource::<Time>()
        .init_resource::<SteeringSeed>()
        .init_resource::<SteeringClock>()
        .init_resource::<LedgerGeneration>()
        .init_resource::<AnnouncedEvents>()
        .init_resource::<SteeringWarnings>()
        .init_resource::<NextSteeringId>()
        .init_resource::<FreeIds>()
        .init_resource::<RequiredParts>()
        .init_resource::<BehaviorRegistry>()
        .init_resource::<ObstacleIndex>()
        .init_resource::<WallIndex>()
        .init_resource::<Neighbors>();
}

/// Orders the steps Sense, Steer, Adjust, Combine and Move, the systems that run their schedules, and
/// the announcement of events.
fn order_steps(app: &mut App, schedule: InternedScheduleLabel) {
    SteeringSchedule::prepare(app);
    app.configure_sets(schedule, SteeringSystems::all().chain());
    app.configure_sets(
        schedule,
        (
            SenseSystems::Begin,
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
            begin_tick.in_set(SenseSystems::Begin),
            run(SteeringSchedule::Bodies).in_set(SenseSystems::Bodies),
            run(SteeringSchedule::Index).in_set(SenseSystems::Index),
            run(SteeringSchedule::Answer).in_set(SenseSystems::Answer),
            run(SteeringSchedule::Steer).in_set(SteeringSystems::Steer),
            run(SteeringSchedule::Adjust).in_set(SteeringSystems::Adjust),
            run(SteeringSchedule::Combine).in_set(SteeringSystems::Combine),
            run(SteeringSchedule::Move).in_set(SteeringSystems::Move),
            announce.in_set(SteeringSystems::Announce),
        )
            // These systems are exclusive, but access only data of steering.
            .ambiguous_with_all(),
    );
}

/// Adds the systems of each step. Behaviors add theirs when they are registered.
fn fill_steps(app: &mut App) {
    fill_bodies(app);
    fill_index(app);
    fill_adjust(app);
    fill_combine(app);
    app.add_systems(SteeringSchedule::Move, log_warnings);
}

fn fill_bodies(app: &mut App) {
    let (step, before_behaviors) = (SteeringSchedule::Bodies, BehaviorOrder(0));
    app.configure_sets(step, before_behaviors.after(warn_of_faulty_facing))
        .configure_sets(
            step,
            LocomotionSystems::Abilities
                .after(warn_of_faulty_facing)
                .before(before_behaviors),
        )
        .add_systems(
            step,
            (
                place_point_masses_with_children,
                warn_of_missing_bodies,
                warn_of_agents_with_groups,
                warn_of_faulty_facing,
            )
                .chain(),
        )
        .add_systems(
            step,
            warn_of_weak_agents
                .after(LocomotionSystems::Abilities)
                .before(before_behaviors),
        );
}

fn fill_index(app: &mut App) {
    app.configure_sets(
        SteeringSchedule::Index,
        (
            IndexSystems::Prepare,
            IndexSystems::Behaviors,
            IndexSystems::Build,
        )
            .chain(),
    )
    .add_systems(
        SteeringSchedule::Index,
        (
            clear_probes.in_set(IndexSystems::Prepare),
            reset_outdated_radius
                .after(IndexSystems::Prepare)
                .before(IndexSystems::Behaviors),
            (index_neighbors, index_obstacles, index_walls)
                .chain()
                .in_set(IndexSystems::Build),
        ),
    );
}

fn fill_adjust(app: &mut App) {
    let step = SteeringSchedule::Adjust;
    let has_groups = any_with_component::<BehaviorGroup>;
    app.configure_sets(
        step,
        (
            AdjustSystems::Prefer,
            AdjustSystems::Prepare,
            AdjustSystems::Adjust,
        )
            .chain(),
    )
    .add_systems(
        step,
        preview_groups
            .before(complete_ledgers::<()>)
            .run_if(has_groups.and_then(any_with_component::<Adjusted>)),
    )
    // A source of fused entries, such as the flock, runs this pass itself.
    .add_systems(
        step,
        complete_ledgers::<()>
            .before(AdjustSystems::Prefer)
            .run_if(any_with_component::<Adjusted>)
            .run_if(not(resource_exists::<HasFusedEntries>)),
    );
}

fn fill_combine(app: &mut App) {
    let step = SteeringSchedule::Combine;
    app.add_systems(
        step,
        combine_groups
            .before(CombineSystems)
            .run_if(any_with_component::<BehaviorGroup>),
    )
    // A source of fused entries runs this pass itself.
    .add_systems(
        step,
        combine_agents::<()>
            .in_set(CombineSystems)
            .run_if(not(resource_exists::<HasFusedEntries>)),
    )
    .add_systems(step, detect_stuck.after(CombineSystems));
}

fn add_observers(app: &mut App) {
    app.add_announcement::<Stuck>()
        .add_observer(reset_force)
        .add_observer(refuse_cycles)
        .add_observer(release_force::<Remove, Vehicle>)
        .add_observer(release_force::<Remove, Disabled>)
        .add_observer(release_force::<Insert, SteeringDisabled>)
        .add_observer(release_controls::<Vehicle>)
        .add_observer(release_controls::<Kinematics>);
}

/// Keeps the parts that types of the pipeline require; behaviors add theirs when they are registered.
fn keep_parts(app: &mut App) {
    keep::<Vehicle, SteeringForce>(app);
    keep::<Vehicle, SteeringId>(app);
    keep::<Vehicle, Combine>(app);
    keep::<SteersFor, SteeringForce>(app);
    keep::<SteersFor, SteeringId>(app);
    keep::<SteersFor, TargetWatch>(app);
    keep::<BehaviorGroup, Combine>(app);
    keep::<SensesColliders, ColliderProbes>(app);
    keep::<StuckDetection, StuckMemory>(app);
}

fn register_combiners(app: &mut App) {
    app.add_combiner::<WeightedSum>()
        .add_combiner::<Average>()
        .add_combiner::<Prioritized>()
        .add_combiner::<Dithered>();
}

fn register_locomotions(app: &mut App) {
    register_kind::<Holonomic>(app);
    app.add_locomotion::<Wheeled>()
        .add_locomotion::<Tracked>()
        .add_locomotion::<Hull>();
}

/// Registers the types that snapshots do not save; those that they do register themselves.
fn register_types(app: &mut App) {
    app.register_type::<Arrived>()
        .register_type::<PathCompleted>()
        .register_type::<TargetLost>()
        .register_type::<Stuck>()
        .register_type::<SteeredBy>()
        .register_type::<StuckDetection>()
        .register_type::<Perception>()
        .register_type::<ColliderProbes>();
}
