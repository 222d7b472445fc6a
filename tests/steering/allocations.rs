//! Allocations: a warm tick has none.

use std::alloc::System;

use alloc_tracker::{Allocator, Session};
use bevy::prelude::*;
use bevy_steering2d::Feeler;
use bevy_steering2d::prelude::*;
use bevy_steering2d::recorder::SteeringRecorder;

use crate::common::*;
use crate::locomotion::car;

#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator::system();

/// The number of allocations of this thread in `work`; other tests run on other threads.
fn allocations(work: impl FnOnce()) -> u64 {
    let session = Session::new().no_stdout().no_file();
    let operation = session.operation("work");
    let counting = operation.measure_thread().iterations(1);
    work();
    drop(counting);
    let report = session.to_report();
    let counts = report
        .operations()
        .map(|(_, it)| it.total_allocations_count());
    counts.sum()
}

/// An agent with every behavior, a behavior entity that adds a second `Evade`, two with a `Headway`, and a group.
fn spawn_everything(app: &mut App, at: Vec2, other: Entity, field: Entity) {
    let agent = Backend::PointMass.spawn(app, Body::at(at.x, at.y), Vehicle::default());
    insert_every_behavior_at(app.world_mut(), agent, other);
    let path = [Vec2::ZERO, Vec2::new(8.0, 0.0), Vec2::new(8.0, 6.0)];
    let parts = (
        SteeringPath::looped(path).unwrap(),
        FlowFieldFollowing::new(field),
        Containment::new(Rect::new(-9.0, -9.0, 9.0, 9.0)),
        Tether::new(Vec2::ZERO, 5.0),
        Park::new(Vec2::ONE, 1.0),
        // Among more neighbors and obstacles it would allocate.
        ReciprocalAvoidance {
            perception_radius: 2.0,
            max_neighbors: 8,
            ..default()
        },
        Leadership(at.x),
        StuckDetection::default(),
        FaceVelocity::default(),
    );
    let mut everything = app.world_mut().entity_mut(agent);
    everything.remove::<BehaviorGroup>().insert(parts);
    app.world_mut().spawn((SteersFor(agent), Evade::new(other)));
    for _ in 0..2 {
        app.world_mut()
            .spawn((SteersFor(agent), Headway::default()));
    }
    app.world_mut().spawn((
        SteersFor(agent),
        BehaviorGroup::default(),
        Combine::WEIGHTED_SUM,
        Seek::new(other),
    ));
}

/// Forty agents with everything, among obstacles and walls.
fn spawn_many(app: &mut App, combine: Combine) {
    let field = FlowField::new(Vec2::splat(-9.0), 1.0, UVec2::splat(18), |_| Vec2::X);
    let field = app.world_mut().spawn(field.unwrap()).id();
    let other = Backend::PointMass.spawn(app, Body::at(0.0, 3.0), Wander::default());
    for i in 0..40 {
        let at = Vec2::from_angle(i as f32) * (i as f32).sqrt();
        spawn_everything(app, at, other, field);
        let rock = Transform::from_translation((1.3 * at).extend(0.0));
        app.world_mut().spawn((rock, Obstacle { radius: 0.3 }));
        app.world_mut().spawn(Wall {
            from: 2.0 * at,
            to: 2.0 * at + Vec2::X,
        });
    }
    let mut agents = app.world_mut().query::<&mut Combine>();
    for mut mode in agents.iter_mut(app.world_mut()) {
        *mode = combine;
    }
}

/// The number of allocations in 60 ticks.
fn allocations_of_ticks(app: &mut App) -> u64 {
    allocations(|| {
        for _ in 0..60 {
            app.world_mut().run_schedule(FixedUpdate);
        }
    })
}

fn assert_ticks_without_allocations(app: &mut App, case: &str) {
    assert_eq!(allocations_of_ticks(app), 0, "in 60 ticks {case}");
}

#[test]
fn a_warm_tick_allocates_nothing_with_every_behavior() {
    for combine in [Combine::PRIORITIZED, Combine::DITHERED] {
        let mut app = point_mass_app(HERTZ);
        spawn_many(&mut app, combine);
        run_seconds(&mut app, 20.0);
        assert_ticks_without_allocations(&mut app, &format!("under {combine:?}"));
    }
}

#[test]
fn a_recorded_tick_allocates_nothing_once_the_memory_of_the_recording_is_full() {
    let mut app = bare_app(HERTZ);
    app.add_plugins((
        SteeringPlugin::default(),
        SteeringRecorderPlugin { budget: 16 << 20 },
    ));
    start(&mut app);
    spawn_many(&mut app, Combine::PRIORITIZED);
    run_seconds(&mut app, 20.0);
    let recorder = app.world().resource::<SteeringRecorder>();
    let oldest = recorder.ticks().map(|it| *it.start());
    assert!(oldest > Some(1), "{} bytes, not full", recorder.bytes());
    assert_ticks_without_allocations(&mut app, "while they are recorded");
}

#[test]
fn a_warm_tick_allocates_nothing_for_agents_that_wait_for_their_mass_or_are_weak() {
    let mut app = point_mass_app(HERTZ);
    for i in 0..100 {
        let place = Kinematics::at(Vec2::new(i as f32, 0.0));
        app.world_mut().spawn((Vehicle::default(), place));
        let heavy = Body::at(i as f32, 9.0).weighing(1e6);
        Backend::PointMass.spawn(&mut app, heavy, Vehicle::default());
    }
    app.add_systems(FixedUpdate, |mut agents: Query<&mut Vehicle>| {
        agents.iter_mut().for_each(|mut it| it.set_changed());
    });
    // The log of the first second ends with the number of warnings that it leaves out.
    run_ticks(&mut app, 90);
    assert_ticks_without_allocations(&mut app, "of agents that hardly move");
}

#[test]
fn a_warm_tick_allocates_nothing_for_a_car_among_32_walls() {
    let allocations_among = |walls: usize| {
        let mut app = point_mass_app(HERTZ);
        let avoids = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
        let drives = (Arrive::new(Vec2::new(3.0, 0.0)), avoids);
        car(Backend::PointMass, &mut app, Body::at(0.0, 0.0), drives);
        for i in 0..walls {
            let at = 8.0 * Vec2::from_angle(i as f32);
            app.world_mut().spawn(Wall::new(at, 1.1 * at));
        }
        run_seconds(&mut app, 2.0);
        allocations_of_ticks(&mut app)
    };
    assert_eq!(allocations_among(32), 0);
    assert!(allocations_among(40) > 0, "all of them are in its reach");
}

#[test]
fn a_warm_tick_allocates_nothing_for_32_neighbors_of_which_more_might_count() {
    let allocations_among = |neighbors: usize| {
        let mut app = point_mass_app(HERTZ);
        let avoidance = ReciprocalAvoidance::default().with_max_neighbors(100);
        let walks = (Arrive::new(EAST), avoidance, Combine::WEIGHTED_SUM);
        Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), walks);
        for i in 0..neighbors {
            let at = 6.0 * Vec2::from_angle(i as f32);
            Backend::PointMass.spawn(&mut app, Body::at(at.x, at.y), Vehicle::default());
        }
        run_ticks(&mut app, 30);
        allocations_of_ticks(&mut app)
    };
    assert_eq!(allocations_among(32), 0);
    assert!(allocations_among(40) > 0, "all of them are in its reach");
}

#[test]
fn a_warm_tick_allocates_nothing_for_what_is_invalid() {
    let mut app = point_mass_app(HERTZ);
    for i in 0..40 {
        let at = Vec2::new(i as f32, 0.0);
        let feeler = Feeler::new(Vec2::ZERO, Vec2::ZERO);
        let behaviors = (
            Seek::new(Vec2::NAN),
            Wander::default().with_weight(-1.0),
            Arrive::new(Vec2::ZERO).with_tolerance(-1.0),
            Separation::default().with_max_neighbors(0),
            WallAvoidance::new(Feelers::Custom(vec![feeler])),
            ReciprocalAvoidance::default().with_margin(f32::NAN),
        );
        let others = (
            TargetInSight::new(Vec2::ZERO).with_distance(-1.0),
            StuckDetection::new(-1.0),
        );
        Backend::PointMass.spawn(&mut app, Body::at(at.x, at.y), (behaviors, others));
        let vehicle = Vehicle::new(-1.0, 1.0);
        Backend::PointMass.spawn(&mut app, Body::at(at.x, 5.0), vehicle);
        let heavy = Body::at(at.x, 9.0).weighing(-1.0);
        Backend::PointMass.spawn(&mut app, heavy, Vehicle::default());
        app.world_mut().spawn(Wall::new(at, at));
        app.world_mut()
            .spawn((Obstacle::new(-1.0), Transform::default()));
    }
    // The log of the first second ends with the number of warnings that it leaves out.
    run_ticks(&mut app, 90);
    assert_ticks_without_allocations(&mut app, "with parameters out of range");
}

#[test]
fn a_warm_tick_allocates_nothing_with_conditions_that_remember() {
    let mut app = point_mass_app(HERTZ);
    let player = Backend::PointMass.spawn(&mut app, Body::at(0.0, 3.0), Wander::default());
    for i in 0..40 {
        let sight = TargetInSight::new(player)
            .with_field_of_view(1.0)
            .with_memory(0.5);
        let seeks = Seek::new(player).with_when(When::only::<TargetInSight>());
        let agent = (sight, seeks, Wander::default());
        Backend::PointMass.spawn(&mut app, Body::at(i as f32, 0.0), agent);
    }
    run_seconds(&mut app, 5.0);
    assert_ticks_without_allocations(&mut app, "with memories of sight");
}

#[test]
fn a_warm_tick_allocates_nothing_for_behaviors_without_a_path_and_bodies_that_are_too_light() {
    let mut app = point_mass_app(HERTZ);
    for i in 0..20 {
        let sprite = app.world_mut().spawn(Transform::default()).id();
        let follows = (PathFollowing::new(sprite), StayOnPath::default());
        Backend::PointMass.spawn(&mut app, Body::at(i as f32, 0.0), follows);
        let light = (Vehicle::new(5.0, 9_600.0), Wheeled::default());
        let drives = (light, Seek::new(Vec2::ZERO));
        Backend::PointMass.spawn(&mut app, Body::at(i as f32, 9.0), drives);
    }
    run_seconds(&mut app, 8.0);
    assert_ticks_without_allocations(&mut app, "of behaviors without a path");
}
