//! Probes of colliders in rewound ticks.

use bevy_steering2d_core::{
    ColliderProbes, SensesColliders, SteeringClock, SteeringSchedule, ThinkEvery, WallAvoidance,
    WallHit,
};

use super::*;

/// Answers as a physics engine does: every ray meets something, at a distance that differs in each tick.
fn answer_rays(clock: Res<SteeringClock>, mut agents: Query<(Entity, &mut ColliderProbes)>) {
    for (entity, mut probes) in &mut agents {
        for ray in &mut probes.rays {
            ray.hit = Some(WallHit {
                entity,
                distance: clock.tick as f32,
                point: ray.to,
                normal: Vec2::NEG_X,
                velocity: Vec2::ZERO,
            });
        }
    }
}

/// The distances at which the rays of an agent met something, m.
fn hits(app: &App, agent: Entity) -> Vec<Option<f32>> {
    let probes = app.world().get::<ColliderProbes>(agent).unwrap();
    let rays = probes.rays.iter();
    rays.map(|it| it.hit.map(|hit| hit.distance)).collect()
}

#[test]
fn the_probes_of_a_rewound_tick_have_the_answers_of_that_tick() {
    let mut app = app();
    app.init_resource::<Asked>()
        .add_systems(SteeringSchedule::Answer, (answer_rays, count_asked));
    let body = PointMass {
        velocity: Vec2::X,
        ..default()
    };
    let place = Transform::default();
    let agent = (
        body,
        place,
        SensesColliders::default(),
        WallAvoidance::default(),
    );
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 20);
    let (tick, then) = (latest(&app), hits(&app, agent));
    assert!(then.contains(&Some(tick as f32)), "{then:?}");
    run(&mut app, 20);
    let (end, asked) = (hits(&app, agent), app.world().resource::<Asked>().0);
    assert_ne!(end, then);
    rewind(app.world_mut(), tick).unwrap();
    assert_eq!(hits(&app, agent), then);
    back_to_present(app.world_mut()).unwrap();
    assert_eq!(hits(&app, agent), end);
    let asked_since = app.world().resource::<Asked>().0 - asked;
    assert_eq!(
        asked_since, 0,
        "what plans in the same schedule has not run"
    );

    // Also of an agent that is spawned again.
    app.world_mut().despawn(agent);
    rewind(app.world_mut(), tick).unwrap();
    let again = only_agent(&mut app);
    assert_eq!(hits(&app, again), then);
    let probes = app.world().get::<ColliderProbes>(again).unwrap();
    assert!(probes.rays.iter().all(|it| it.hit.unwrap().entity == again));
}

/// From now on rays meet something.
#[derive(Resource)]
struct WallAhead;

#[test]
fn an_agent_that_thinks_seldom_shows_no_hit_of_the_present() {
    let mut app = app();
    let answer = answer_rays.run_if(resource_exists::<WallAhead>);
    app.add_systems(SteeringSchedule::Answer, answer);
    let body = PointMass {
        velocity: Vec2::X,
        ..default()
    };
    let agent = (
        body,
        Transform::default(),
        SensesColliders::default(),
        WallAvoidance::default(),
        ThinkEvery(4),
    );
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 20);
    let tick = latest(&app);
    app.insert_resource(WallAhead);
    run(&mut app, 20);
    let end = hits(&app, agent);
    assert!(end.iter().any(Option::is_some), "{end:?}");
    // In each of its four turns.
    for tick in tick - 3..=tick {
        rewind(app.world_mut(), tick).unwrap();
        let then = hits(&app, agent);
        assert!(then.iter().all(Option::is_none), "{then:?}");
    }
    back_to_present(app.world_mut()).unwrap();
    assert_eq!(hits(&app, agent), end);
}

/// How often the schedule ran in which probes are answered.
#[derive(Resource, Default)]
struct Asked(u32);

fn count_asked(mut asked: ResMut<Asked>) {
    asked.0 += 1;
}

#[test]
fn answers_to_probes_count_in_the_budget() {
    let mut app = app();
    app.add_systems(SteeringSchedule::Answer, answer_rays);
    let agent = (
        PointMass::default(),
        Transform::default(),
        SensesColliders::default(),
        WallAvoidance::default(),
    );
    app.world_mut().spawn(agent);
    run(&mut app, 30);
    let recorder = recorder(&app);
    let ticks = recorder.snapshots(0..=u32::MAX);
    let before = std::iter::once(None).chain(recorder.snapshots(0..=u32::MAX).map(Some));
    let snapshots = ticks
        .zip(before)
        .map(|(it, before)| it.bytes_beyond(before));
    let answers = recorder.bytes() - snapshots.sum::<usize>();
    assert!(answers >= 29 * size_of::<ColliderProbes>(), "{answers}");
}
