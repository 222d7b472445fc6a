//! Physics setup: plugin order, schedules, timesteps, substeps and paused physics.

use std::time::Duration;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_rapier2d::plugin::context::DefaultRapierContext;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::PipelinePlugin;
use bevy_steering2d::prelude::*;
use bevy_steering2d::rapier::SteeringRapierPlugin;

use super::x_after_a_second;
use crate::common::*;

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct OtherSchedule;

/// Duration of a frame of [`frame_app`].
const FRAME: Duration = Duration::from_millis(10);

/// An app that steers and steps Rapier once per frame.
fn frame_app() -> App {
    let mut app = bare_app(HERTZ);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME))
        .add_plugins((
            rapier_without_gravity().in_schedule(Update),
            SteeringPlugin::new(Update),
        ));
    app
}

/// The context in which bodies are by default.
fn default_context(app: &mut App) -> Entity {
    let mut contexts = app
        .world_mut()
        .query_filtered::<Entity, With<DefaultRapierContext>>();
    contexts.single(app.world()).unwrap()
}

/// An app whose plugins `add` adds, with an agent that seeks east.
fn set_up(add: impl Fn(&mut App)) -> (App, Entity) {
    let mut app = bare_app(HERTZ);
    match_rapier_timestep(&mut app);
    add(&mut app);
    start(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    (app, agent)
}

#[test]
fn without_rapier_a_rigid_body_stays_and_warns_about_the_plugin() {
    let (mut app, agent) = set_up(|app| {
        app.add_plugins(SteeringPlugin::default());
    });
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    assert_warned_once(&app, agent, "RigidBody", "no Rapier");
    assert!(warnings(&app)[0].message.contains("RapierPhysicsPlugin"));
}

#[test]
fn rapier_may_be_added_before_or_after_steering() {
    let rapier = || rapier_without_gravity().in_fixed_schedule();
    let (mut before, first) = set_up(|app| {
        app.add_plugins((rapier(), SteeringPlugin::default()));
    });
    let (mut after, second) = set_up(|app| {
        app.add_plugins((SteeringPlugin::default(), rapier()));
    });
    let x = x_after_a_second(&mut before, first);
    assert!(x > 1.0);
    assert_eq!(x, x_after_a_second(&mut after, second));
    assert!(warnings(&before).is_empty() && warnings(&after).is_empty());
}

#[test]
fn bodies_may_be_spawned_before_the_plugins_are_added() {
    let mut app = bare_app(HERTZ);
    match_rapier_timestep(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    app.add_plugins((
        rapier_without_gravity().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    start(&mut app);
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn rapier_in_another_schedule_warns_with_the_remedy_and_still_moves_agents() {
    record_log();
    let (mut app, agent) = set_up(|app| {
        // Rapier runs in `PostUpdate`, its default.
        app.add_plugins((rapier_without_gravity(), SteeringPlugin::new(OtherSchedule)));
        app.add_systems(Update, |world: &mut World| {
            world.run_schedule(OtherSchedule);
        });
    });
    let remedy = "in_schedule(OtherSchedule)";
    assert_eq!(count_logged(remedy), 1);
    assert!(x_after_a_second(&mut app, agent) > 0.5);
    assert_all_finite(&mut app, None, "another schedule");
}

#[test]
fn rapier_steering_before_a_pipeline_in_another_schedule_logs_an_error() {
    let added_last = |is_pipeline_last: bool| {
        let mut app = bare_app(HERTZ);
        app.add_plugins(rapier_without_gravity().in_schedule(Update));
        if is_pipeline_last {
            app.add_plugins((SteeringRapierPlugin, PipelinePlugin::new(Update)));
        } else {
            app.add_plugins((PipelinePlugin::new(Update), SteeringRapierPlugin));
        }
        lines_logged(|| app.finish())
    };
    assert_eq!(added_last(false), Vec::<String>::new());
    let lines = added_last(true);
    let remedy = "after PipelinePlugin::new(Update)";
    assert!(lines.len() == 1 && lines[0].contains(remedy), "{lines:#?}");
}

#[test]
fn a_default_timestep_in_a_slow_schedule_warns_once() {
    let mut app = bare_app(30.0);
    app.add_plugins((
        rapier_without_gravity().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    start(&mut app);
    Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 60);
    let context = default_context(&mut app);
    assert_warned_once(&app, context, "TimestepMode", "30 Hz");
    let message = &warnings(&app)[0].message;
    assert!(message.contains("TimestepMode::Fixed"), "{message}");
}

#[test]
fn slow_frames_warn_of_the_time_step_only_if_they_last() {
    let mut app = frame_app();
    start(&mut app);
    let set_frame = |app: &mut App, frame| {
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
    };
    let slow = Duration::from_millis(17); // longer than 1/60 s
    for _ in 0..3 {
        set_frame(&mut app, slow);
        run_ticks(&mut app, 30);
        set_frame(&mut app, FRAME);
        run_ticks(&mut app, 1);
    }
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
    set_frame(&mut app, slow);
    run_ticks(&mut app, 60);
    let context = default_context(&mut app);
    assert_warned_once(&app, context, "TimestepMode", "17 ms");
    let message = &warnings(&app)[0].message;
    assert!(message.contains("Variable { max_dt: 0.25"), "{message}");
    assert!(!message.contains("Fixed"), "its ticks differ: {message}");
}

#[test]
fn a_matching_timestep_does_not_warn() {
    for hertz in [60.0, 64.0, 120.0] {
        let mut app = bare_app(hertz);
        app.add_plugins((
            rapier_without_gravity().in_fixed_schedule(),
            SteeringPlugin::default(),
        ));
        start(&mut app);
        run_ticks(&mut app, 60);
        assert!(
            warnings(&app).is_empty(),
            "{hertz} Hz: {:?}",
            warnings(&app)
        );
    }
}

#[test]
fn a_tick_without_time_does_not_warn_of_the_time_step() {
    let mut app = frame_app();
    app.insert_resource(TimestepMode::Fixed {
        dt: FRAME.as_secs_f32(),
        substeps: 1,
    });
    // No time passes in the first frame.
    start(&mut app);
    run_ticks(&mut app, 5);
    let mut time = app.world_mut().resource_mut::<Time<Virtual>>();
    time.pause();
    run_ticks(&mut app, 5);
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}

#[test]
fn steering_and_rapier_may_run_once_per_frame() {
    let mut app = frame_app();
    start(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 100);
    assert!(position(&app, agent).x > 1.0);
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}

#[test]
fn substeps_do_not_change_the_path() {
    let path = |substeps: usize| {
        let mut app = rapier_app(HERTZ);
        let dt = tick_length(&app);
        app.insert_resource(TimestepMode::Fixed { dt, substeps });
        let body = Body::at(0.0, 0.0).moving(0.0, 3.0);
        let agent = Backend::Rapier.spawn(&mut app, body, Arrive::new(Vec2::new(5.0, 2.0)));
        run_seconds(&mut app, 1.0);
        position(&app, agent)
    };
    assert_near(path(4), path(1), 1e-3, "four substeps");
}

#[test]
fn a_paused_physics_world_moves_nothing_and_recovers() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let pause = |app: &mut App, active: bool| {
        let mut worlds = app.world_mut().query::<&mut RapierConfiguration>();
        let mut config = worlds.single_mut(app.world_mut()).unwrap();
        config.physics_pipeline_active = active;
    };
    run_ticks(&mut app, 5);
    pause(&mut app, false);
    let before = position(&app, agent);
    run_seconds(&mut app, 1.0);
    assert_eq!(position(&app, agent), before);
    pause(&mut app, true);
    run_seconds(&mut app, 1.0);
    assert!(velocity(&app, agent).length() <= 5.0 * 1.000_01);
    assert_all_finite(&mut app, None, "resumed");
}

#[test]
fn a_pause_of_the_frames_pushes_no_body_that_rapier_steps_all_the_same() {
    let mut app = frame_app();
    app.insert_resource(TimestepMode::Fixed {
        dt: FRAME.as_secs_f32(),
        substeps: 1,
    });
    start(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 20);
    let mut time = app.world_mut().resource_mut::<Time<Virtual>>();
    time.pause();
    run_ticks(&mut app, 1);
    let before = velocity(&app, agent);
    run_ticks(&mut app, 20);
    assert_eq!(velocity(&app, agent), before);
}

#[test]
fn an_entity_with_two_bodies_warns() {
    let mut app = rapier_app(HERTZ);
    let both = (PointMass::default(), Seek::new(EAST));
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), both);
    run_ticks(&mut app, 60);
    assert_warned_once(&app, agent, "PointMass", "a point mass with a rigid body");
}

/// An app with a context that is not the default one.
fn app_without_default_context() -> (App, Entity) {
    let mut app = rapier_app(HERTZ);
    let context = default_context(&mut app);
    app.world_mut()
        .entity_mut(context)
        .remove::<DefaultRapierContext>();
    (app, context)
}

#[test]
fn a_point_mass_that_senses_the_colliders_of_no_context_warns_about_the_context() {
    let (mut app, _) = app_without_default_context();
    let senses = (SensesColliders::default(), WallAvoidance::default());
    let body = Body::at(0.0, 0.0).moving(1.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, body, senses);
    run_ticks(&mut app, 10);
    assert_warned_once(&app, agent, "RapierContextEntityLink", "no context");
}

#[test]
fn an_agent_that_no_context_takes_in_warns_about_the_context() {
    let (mut app, context) = app_without_default_context();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    assert_warned_once(&app, agent, "RapierContextEntityLink", "no context");
    app.world_mut()
        .entity_mut(context)
        .insert(DefaultRapierContext);
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}
