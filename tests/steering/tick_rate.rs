//! Tick rate independence: agents move alike at 30, 60 and 120 Hz.
//!
//! Both backends integrate semi-implicitly, and the force of a tick responds to the velocity at its
//! start. A change of velocity by Δv therefore shifts the position by Δv·dt, exact to first order
//! in dt. No Δv exceeds twice the top speed, so two rates may end `2·max_speed` times the
//! difference of their ticks apart, however long the run. (Fleeing agents start head-on: fleeing
//! magnifies a sideways offset by the ratio of distances.)

use bevy::math::FloatPow;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

const FINEST: f64 = 120.0;
const COARSER: [f64; 2] = [30.0, 60.0];

/// The position of an agent at the end of each second.
fn way(
    backend: Backend,
    hertz: f64,
    seconds: u32,
    scene: fn(Backend, &mut App) -> Entity,
) -> Vec<Vec2> {
    let mut app = backend.app(hertz);
    let agent = scene(backend, &mut app);
    (0..seconds)
        .map(|_| {
            run_seconds(&mut app, 1.0);
            position(&app, agent)
        })
        .collect()
}

fn assert_same_at_every_rate(scene: fn(Backend, &mut App) -> Entity) {
    for backend in BACKENDS {
        let finest = way(backend, FINEST, 6, scene);
        let length: f32 = finest
            .windows(2)
            .map(|pair| pair[0].distance(pair[1]))
            .sum();
        assert!(length > 2.0, "{backend:?}: moves only {length} m");
        for hertz in COARSER {
            let allowed = 2.0 * 5.0 * (1.0 / hertz - 1.0 / FINEST) as f32;
            let way = way(backend, hertz, 6, scene);
            for (second, (here, there)) in way.iter().zip(&finest).enumerate() {
                let case = format!("{backend:?} at {hertz} Hz after {} s", second + 1);
                assert_near(*here, *there, allowed, &case);
            }
        }
    }
}

#[test]
fn seek_is_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let body = Body::at(0.0, 0.0).moving(-3.0, 2.0);
        backend.spawn(app, body, Seek::new(Vec2::new(60.0, 20.0)))
    });
}

#[test]
fn flee_is_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let threat = Flee::new(Vec2::new(4.0, 3.0)).with_panic_distance(40.0);
        backend.spawn(app, Body::at(0.0, 0.0).moving(2.4, 1.8), threat)
    });
}

#[test]
fn flee_coasts_beyond_its_panic_distance_at_every_rate_alike() {
    assert_same_at_every_rate(|backend, app| {
        let threat = Flee::new(Vec2::new(4.0, 3.0));
        backend.spawn(app, Body::at(0.0, 0.0).moving(2.4, 1.8), threat)
    });
}

#[test]
fn arrive_is_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let body = Body::at(0.0, 0.0).moving(-3.0, 2.0);
        backend.spawn(app, body, Arrive::new(Vec2::new(12.0, 5.0)))
    });
}

#[test]
fn arrive_with_every_braking_is_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let braking = Braking::Deceleration(Deceleration::Normal);
        let arrive = Arrive::new(Vec2::new(9.0, 5.0)).with_braking(braking);
        backend.spawn(app, Body::at(0.0, 0.0), arrive)
    });
    assert_same_at_every_rate(|backend, app| {
        let braking = Braking::Ramp {
            slowing_radius: 6.0,
        };
        let arrive = Arrive::new(Vec2::new(9.0, 5.0)).with_braking(braking);
        backend.spawn(app, Body::at(0.0, 0.0), arrive)
    });
}

#[test]
fn pursuit_is_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let quarry = Body::at(20.0, -10.0).moving(1.0, 4.0);
        let quarry = backend.spawn(app, quarry, ());
        backend.spawn(app, Body::at(0.0, 0.0), Pursuit::new(quarry))
    });
}

#[test]
fn evade_is_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let pursuer = Body::at(-9.0, 1.0).moving(4.0, 0.0);
        let pursuer = backend.spawn(app, pursuer, ());
        backend.spawn(
            app,
            Body::at(0.0, 0.0),
            Evade::new(pursuer).with_panic_distance(50.0),
        )
    });
}

#[test]
fn combined_behaviors_are_the_same_at_every_rate() {
    assert_same_at_every_rate(|backend, app| {
        let blend = (
            Seek::new(Vec2::new(40.0, 0.0)),
            Flee::new(Vec2::new(10.0, -1.0)).with_panic_distance(8.0),
            Combine::WEIGHTED_SUM,
        );
        backend.spawn(app, Body::at(0.0, 0.0), blend)
    });
}

const WANDERERS: usize = 120;
const SECONDS: usize = 20;

/// Root mean square of a wanderer's turn in a second, rad, and its mean speed, m/s.
fn wander_statistics(backend: Backend, hertz: f64, style: WanderStyle) -> (f32, f32) {
    let mut app = backend.app(hertz);
    let wanderers: Vec<Entity> = (0..WANDERERS)
        .map(|_| backend.spawn(&mut app, Body::at(0.0, 0.0), Wander::new(style)))
        .collect();
    run_seconds(&mut app, 2.0);
    let mut headings: Vec<Vec2> = wanderers.iter().map(|&one| velocity(&app, one)).collect();
    let (mut squares, mut speeds) = (0.0, 0.0);
    for _ in 0..SECONDS {
        run_seconds(&mut app, 1.0);
        for (&one, heading) in wanderers.iter().zip(&mut headings) {
            let now = velocity(&app, one);
            squares += heading.angle_to(now).squared();
            speeds += now.length();
            *heading = now;
        }
    }
    let samples = (WANDERERS * SECONDS) as f32;
    ((squares / samples).sqrt(), speeds / samples)
}

#[test]
fn wander_statistics_are_the_same_at_every_rate() {
    let angle = WanderStyle::Angle {
        radius: 1.0,
        distance: 2.0,
        angle_change: 3.0,
    };
    for backend in BACKENDS {
        for style in [WanderStyle::default(), angle] {
            let (fine_turn, fine_speed) = wander_statistics(backend, FINEST, style);
            for hertz in COARSER {
                let (turn, speed) = wander_statistics(backend, hertz, style);
                let case = format!("{backend:?} {style:?} at {hertz} Hz");
                // 2,400 samples, correlated over a few seconds: a standard error of about 3 %.
                let ratio = turn / fine_turn;
                assert!(
                    (0.88..1.14).contains(&ratio),
                    "{case}: {turn} rad, not {fine_turn} rad"
                );
                let ratio = speed / fine_speed;
                assert!(
                    (0.98..1.02).contains(&ratio),
                    "{case}: {speed} m/s, not {fine_speed} m/s"
                );
            }
        }
    }
}
