//! What steering does to each kind of Rapier body, and to each way of setting physics up.

use std::time::Duration;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_rapier2d::plugin::context::DefaultRapierContext;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_steering2d::prelude::*;

use crate::common::*;

const EAST: Vec2 = Vec2::new(100.0, 0.0);

/// An agent that heads east in a Rapier world, with this body instead of the usual one.
fn heading_east(body: impl Bundle) -> (App, Entity) {
    let mut app = rapier_app(HERTZ);
    let agent = (Transform::default(), Seek::new(EAST), body);
    let agent = app.world_mut().spawn(agent).id();
    (app, agent)
}

fn x_after_a_second(app: &mut App, agent: Entity) -> f32 {
    run_seconds(app, 1.0);
    assert_all_finite_transforms(app);
    position(app, agent).x
}

fn assert_all_finite_transforms(app: &mut App) {
    let mut transforms = app.world_mut().query::<&Transform>();
    assert!(transforms.iter(app.world()).all(Transform::is_finite));
}

// ---- Kinds of bodies ----

#[test]
fn bodies_that_cannot_be_steered_stay_and_say_so_once() {
    for kind in [RigidBody::Fixed, RigidBody::KinematicPositionBased] {
        let (mut app, agent) = heading_east((kind, Collider::ball(0.5)));
        assert_eq!(x_after_a_second(&mut app, agent), 0.0, "{kind:?}");
        assert_warned_once(&app, agent, "RigidBody", &format!("{kind:?}"));
    }
}

#[test]
fn a_fixed_body_that_is_no_agent_is_a_target_like_any_other() {
    let mut app = rapier_app(HERTZ);
    let rock = (
        RigidBody::Fixed,
        Collider::ball(0.5),
        CollisionGroups::new(Group::NONE, Group::NONE),
        Transform::from_xyz(4.0, 0.0, 0.0),
    );
    let rock = app.world_mut().spawn(rock).id();
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(rock));
    run_seconds(&mut app, 6.0);
    assert_near(
        position(&app, agent),
        Vec2::new(4.0, 0.0),
        0.1,
        "at the rock",
    );
    assert!(warnings(&app).is_empty());
}

#[test]
fn a_kinematic_body_with_velocity_is_steered_as_if_it_weighed_one_kilogram() {
    let body = (RigidBody::KinematicVelocityBased, Collider::ball(3.0));
    let (mut app, agent) = heading_east(body);
    let twin = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_seconds(&mut app, 1.0);
    let case = "as a dynamic body of 1 kg";
    assert_near(position(&app, agent), position(&app, twin), 1e-3, case);
    assert!(position(&app, agent).x > 1.0 && warnings(&app).is_empty());
}

#[test]
fn a_dynamic_body_without_collider_is_steered_as_if_it_weighed_one_kilogram() {
    let (mut app, agent) = heading_east(RigidBody::Dynamic);
    let twin = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_seconds(&mut app, 1.0);
    let case = "as a body of 1 kg with collider";
    assert_near(position(&app, agent), position(&app, twin), 1e-3, case);
    assert!(position(&app, agent).x > 1.0 && warnings(&app).is_empty());
}

#[test]
fn a_collider_may_come_later() {
    let (mut app, agent) = heading_east(RigidBody::Dynamic);
    run_ticks(&mut app, 10);
    app.world_mut()
        .entity_mut(agent)
        .insert((Collider::ball(0.5), ColliderMassProperties::Mass(10.0)));
    run_ticks(&mut app, 2);
    let before = velocity_inside(&mut app, agent);
    run_ticks(&mut app, 1);
    let change = velocity_inside(&mut app, agent) - before;
    assert_near(
        change,
        Vec2::new(20.0 / 10.0 * TICK, 0.0),
        1e-4,
        "20 N on 10 kg",
    );
}

fn velocity_inside(app: &mut App, agent: Entity) -> Vec2 {
    simulated(app, agent, SimulatedBody::linvel)
}

#[test]
fn additional_mass_counts() {
    let body = (RigidBody::Dynamic, AdditionalMassProperties::Mass(4.0));
    let (mut app, agent) = heading_east(body);
    run_ticks(&mut app, 1);
    let change = velocity_inside(&mut app, agent);
    assert_near(
        change,
        Vec2::new(20.0 / 4.0 * TICK, 0.0),
        1e-4,
        "20 N on 4 kg",
    );
}

#[test]
fn the_velocity_component_is_not_needed() {
    let ball = || (RigidBody::Dynamic, Collider::ball(0.5));
    let (mut bare, without) = heading_east(ball());
    let (mut full, with) = heading_east((ball(), Velocity::zero()));
    for _ in 0..60 {
        bare.update();
        full.update();
        assert_eq!(position(&bare, without), position(&full, with));
    }
    assert!(position(&bare, without).x > 1.0);
}

#[test]
fn a_disabled_body_rests_without_complaint_and_moves_once_enabled() {
    let (mut app, agent) =
        heading_east((RigidBody::Dynamic, Collider::ball(0.5), RigidBodyDisabled));
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    assert!(warnings(&app).is_empty());
    app.world_mut()
        .entity_mut(agent)
        .remove::<RigidBodyDisabled>();
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn locked_axes_stay_locked() {
    for collider in [true, false] {
        let (mut app, agent) = heading_east((RigidBody::Dynamic, LockedAxes::TRANSLATION_LOCKED_X));
        let north_east = Seek::new(Vec2::new(100.0, 100.0));
        let mut entity = app.world_mut().entity_mut(agent);
        entity.insert(north_east);
        if collider {
            entity.insert(Collider::ball(0.5));
        }
        run_seconds(&mut app, 1.0);
        let position = position(&app, agent);
        assert_eq!(position.x, 0.0, "collider: {collider}");
        assert!(position.y > 1.0, "collider: {collider}: {position}");
    }
}

#[test]
fn a_body_that_changes_its_kind_is_steered_accordingly() {
    let (mut app, agent) = heading_east((RigidBody::Fixed, Collider::ball(0.5)));
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    app.world_mut().entity_mut(agent).insert(RigidBody::Dynamic);
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn a_body_may_come_later() {
    let (mut app, agent) = heading_east(());
    run_seconds(&mut app, 1.0);
    assert_warned_once(&app, agent, "Kinematics", "no body");
    app.world_mut()
        .entity_mut(agent)
        .insert((RigidBody::Dynamic, Collider::ball(0.5)));
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn a_body_may_go_and_its_agent_stays_where_it_is() {
    let (mut app, agent) = heading_east((RigidBody::Dynamic, Collider::ball(0.5)));
    run_seconds(&mut app, 1.0);
    app.world_mut().entity_mut(agent).remove::<RigidBody>();
    run_ticks(&mut app, 1);
    let before = position(&app, agent);
    run_seconds(&mut app, 1.0);
    assert_eq!(position(&app, agent), before);
    assert_warned_once(&app, agent, "Kinematics", "no body any more");
}

#[test]
fn a_target_that_lost_its_body_is_where_its_transform_is() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let target = backend.spawn(&mut app, Body::at(9.0, 0.0), ());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
        run_ticks(&mut app, 1);
        let mut entity = app.world_mut().entity_mut(target);
        entity.remove::<(RigidBody, PointMass)>();
        entity.get_mut::<Transform>().unwrap().translation = Vec3::new(0.0, 9.0, 0.0);
        run_ticks(&mut app, 1);
        assert!(
            total(&app, agent).y > 10.0,
            "{backend:?}: {}",
            total(&app, agent)
        );
    }
}

#[test]
fn a_teleport_is_seen_in_the_same_tick() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_ticks(&mut app, 10);
        let far_east = Vec3::new(300.0, 0.0, 0.0);
        app.world_mut()
            .get_mut::<Transform>(agent)
            .unwrap()
            .translation = far_east;
        run_ticks(&mut app, 1);
        assert_eq!(get::<Kinematics>(&app, agent).position, far_east.truncate());
        assert!(
            total(&app, agent).x < 0.0,
            "{backend:?}: now the target is in the west"
        );
    }
}

#[test]
fn a_velocity_set_by_the_user_is_seen_in_the_same_tick() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 10);
    let given = Vec2::new(0.0, 4.0);
    app.world_mut().get_mut::<Velocity>(agent).unwrap().linear = given;
    run_ticks(&mut app, 1);
    assert_eq!(get::<Kinematics>(&app, agent).velocity, given);
}

#[test]
fn agents_that_collide_push_each_other_and_stay_sane() {
    let mut app = rapier_app(HERTZ);
    let solid = CollisionGroups::default();
    let west = (Seek::new(Vec2::new(50.0, 0.0)), solid);
    let west = Backend::Rapier.spawn(&mut app, Body::at(-5.0, 0.0), west);
    let east = (Seek::new(Vec2::new(-50.0, 0.0)), solid);
    let east = Backend::Rapier.spawn(&mut app, Body::at(5.0, 0.0), east);
    let mut nearest = f32::INFINITY;
    for _ in 0..60 * 5 {
        app.update();
        assert_all_finite(&mut app, None, "collision");
        nearest = nearest.min(position(&app, west).distance(position(&app, east)));
        for agent in [west, east] {
            assert!(total(&app, agent).length() <= 20.0 * 1.000_01);
        }
    }
    assert!(
        (0.9..1.05).contains(&nearest),
        "two circles of radius 0.5 came to {nearest} m"
    );
}

#[test]
fn the_radius_is_that_of_the_collider_unless_the_vehicle_says_otherwise() {
    let radius = |collider: Collider, radius: Option<f32>| {
        let vehicle = Vehicle {
            radius,
            ..default()
        };
        let (mut app, agent) = heading_east((RigidBody::Dynamic, collider, vehicle));
        run_ticks(&mut app, 1);
        get::<Kinematics>(&app, agent).radius
    };
    assert_eq!(radius(Collider::ball(1.5), None), 1.5);
    assert!((radius(Collider::cuboid(3.0, 4.0), None) - 5.0).abs() < 1e-4);
    assert_eq!(radius(Collider::ball(1.5), Some(0.2)), 0.2);
}

// ---- Ways to set physics up ----

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct ElsewhereInTheFrame;

/// Adds steering and Rapier in the order of `set_up`, and lets an agent head east.
fn set_up(add: impl Fn(&mut App)) -> (App, Entity) {
    let mut app = bare_app(HERTZ);
    step_with_the_schedule(&mut app);
    add(&mut app);
    start(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    (app, agent)
}

#[test]
fn without_rapier_a_rigid_body_stays_and_says_what_is_missing() {
    let (mut app, agent) = set_up(|app| {
        app.add_plugins(SteeringPlugin::default());
    });
    assert_eq!(x_after_a_second(&mut app, agent), 0.0);
    assert_warned_once(&app, agent, "RigidBody", "no Rapier");
    assert!(warnings(&app)[0].message.contains("RapierPhysicsPlugin"));
}

#[test]
fn rapier_may_be_added_before_or_after_steering() {
    let rapier = || weightless_rapier().in_fixed_schedule();
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
    step_with_the_schedule(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    app.add_plugins((
        weightless_rapier().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    start(&mut app);
    assert!(x_after_a_second(&mut app, agent) > 1.0);
}

#[test]
fn rapier_in_another_schedule_is_said_with_the_remedy_and_works_as_it_can() {
    record_the_log();
    let (mut app, agent) = set_up(|app| {
        // Rapier in `PostUpdate`, its default.
        app.add_plugins((
            weightless_rapier(),
            SteeringPlugin::new(ElsewhereInTheFrame),
        ));
        app.add_systems(Update, |world: &mut World| {
            world.run_schedule(ElsewhereInTheFrame);
        });
    });
    let remedy = "in_schedule(ElsewhereInTheFrame)";
    assert_eq!(logged(remedy), 1);
    assert!(x_after_a_second(&mut app, agent) > 0.5);
    assert_all_finite(&mut app, None, "another schedule");
}

#[test]
fn a_default_timestep_in_a_slow_schedule_is_said_once() {
    let mut app = bare_app(30.0);
    app.add_plugins((
        weightless_rapier().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    start(&mut app);
    Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 60);
    let mut worlds = app
        .world_mut()
        .query_filtered::<Entity, With<DefaultRapierContext>>();
    let context = worlds.single(app.world()).unwrap();
    assert_warned_once(&app, context, "TimestepMode", "30 Hz");
}

#[test]
fn a_timestep_that_fits_is_not_talked_about() {
    for hertz in [60.0, 64.0, 120.0] {
        let mut app = bare_app(hertz);
        app.add_plugins((
            weightless_rapier().in_fixed_schedule(),
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
fn all_may_run_once_per_frame() {
    let mut app = bare_app(HERTZ);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(
        10,
    )));
    app.add_plugins((
        weightless_rapier().in_schedule(Update),
        SteeringPlugin::new(Update),
    ));
    start(&mut app);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 100);
    assert!(position(&app, agent).x > 1.0);
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}

#[test]
fn the_number_of_substeps_does_not_matter() {
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
fn a_snail_in_a_world_of_pixels_is_not_put_to_sleep_while_it_moves() {
    let mut app = bare_app(HERTZ);
    step_with_the_schedule(&mut app);
    let pixels = RapierPhysicsPlugin::<NoUserData>::pixels_per_meter(100.0);
    app.add_plugins((pixels.in_fixed_schedule(), SteeringPlugin::default()));
    start(&mut app);
    let snail = (
        Seek::new(Vec2::new(1e4, 0.0)),
        Vehicle {
            max_speed: 5.0,
            ..default()
        },
        GravityScale(0.0),
    );
    let snail = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), snail);
    for _ in 0..60 * 5 {
        app.update();
        assert!(!simulated(&mut app, snail, SimulatedBody::is_sleeping));
    }
    assert!(position(&app, snail).x > 20.0);
}

#[test]
fn a_body_that_rapier_was_told_to_put_to_sleep_early_still_goes_its_way() {
    let (mut app, agent) = heading_east((
        RigidBody::Dynamic,
        Collider::ball(0.5),
        Sleeping {
            normalized_linear_threshold: 8.0,
            ..default()
        },
    ));
    run_seconds(&mut app, 4.0);
    assert!(position(&app, agent).x > 17.0, "{}", position(&app, agent));
}

#[test]
fn point_masses_and_rigid_bodies_see_each_other_in_one_world() {
    let mut app = rapier_app(HERTZ);
    let ghost = Backend::PointMass.spawn(&mut app, Body::at(-5.0, 0.0), ());
    let guard = Backend::Rapier.spawn(&mut app, Body::at(5.0, 0.0), Seek::new(ghost));
    app.world_mut()
        .entity_mut(ghost)
        .insert(Flee::new(guard).within(50.0));
    run_seconds(&mut app, 1.0);
    assert!(position(&app, ghost).x < -5.5 && position(&app, guard).x < 4.0);
}

#[test]
fn a_point_mass_may_become_a_rigid_body_and_back() {
    let mut app = rapier_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let mut before = 0.0;
    for step in 0..7 {
        let mut agent_mut = app.world_mut().entity_mut(agent);
        match step {
            1 => agent_mut
                .remove::<PointMass>()
                .insert((RigidBody::Dynamic, Collider::ball(0.5))),
            3 => agent_mut
                .remove::<(RigidBody, Collider)>()
                .insert(PointMass::default()),
            4 => agent_mut.remove::<PointMass>().insert(RigidBody::Dynamic),
            // The new body first: nothing of the old one may take it down.
            5 => agent_mut.insert(PointMass::default()).remove::<RigidBody>(),
            6 => agent_mut.insert(RigidBody::Dynamic).remove::<PointMass>(),
            _ => &mut agent_mut,
        };
        let x = x_after_a_second(&mut app, agent);
        assert!(x > before + 1.0, "step {step}: from {before} to {x}");
        before = x;
    }
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
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
