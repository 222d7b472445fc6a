//! Wander: smooth and unbiased turns, random targets.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn wander_turns_smoothly_and_keeps_moving() {
    let angle = WanderStyle::Angle {
        radius: 1.0,
        distance: 2.0,
        angle_change: 3.0,
    };
    for backend in BACKENDS {
        for style in [WanderStyle::default(), angle] {
            let mut app = backend.app(HERTZ);
            let wanderers =
                [(); 20].map(|()| backend.spawn(&mut app, Body::at(0.0, 0.0), Wander::new(style)));
            run_seconds(&mut app, 2.0);
            let mut before = wanderers.map(|one| velocity(&app, one));
            for _ in 0..60 * 20 {
                app.update();
                for (&one, before) in wanderers.iter().zip(&mut before) {
                    let now = velocity(&app, one);
                    let turn = before.angle_to(now).abs();
                    assert!(turn < 0.1, "{backend:?} {style:?}: {turn} rad in one tick");
                    assert!(now.length() > 2.5, "{backend:?} {style:?}: slowed to {now}");
                    *before = now;
                }
            }
        }
    }
}

#[test]
fn wander_turns_left_and_right_equally() {
    let mut app = point_mass_app(HERTZ);
    let wanderers: Vec<Entity> = (0..400)
        .map(|_| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default()))
        .collect();
    run_seconds(&mut app, 2.0);
    let mut before: Vec<Vec2> = wanderers.iter().map(|&one| velocity(&app, one)).collect();
    let (mut turned, mut squares) = (0.0, 0.0);
    for _ in 0..10 {
        run_seconds(&mut app, 1.0);
        for (&one, before) in wanderers.iter().zip(&mut before) {
            let now = velocity(&app, one);
            let turn = before.angle_to(now);
            turned += turn;
            squares += turn * turn;
            *before = now;
        }
    }
    let samples = wanderers.len() as f32 * 10.0;
    let deviation = (squares / samples).sqrt();
    let mean = turned / samples;
    // Turns of one wanderer are correlated: five sigmas as if only every tenth counted.
    let allowed = 5.0 * deviation / (samples / 10.0).sqrt();
    assert!(
        mean.abs() < allowed,
        "{mean} rad/s on average, {allowed} allowed"
    );
}

#[test]
fn random_targets_keep_a_wanderer_in_its_area() {
    let area = Rect::new(-8.0, -5.0, 8.0, 5.0);
    let style = WanderStyle::RandomTarget { area, every: 2.0 };
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Wander::new(style));
        // It may run past a target by what it takes to brake: 5 m/s at 20 m/s² and 0.25 s.
        let reach = area.inflate(5.0 * 5.0 / (2.0 * 20.0) + 5.0 * 0.25);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 30 {
            app.update();
            let place = position(&app, agent);
            assert!(reach.contains(place), "{backend:?}: {place}");
            farthest = farthest.max(place.length());
        }
        assert!(farthest > 2.0, "{backend:?}: wanders only {farthest} m");
    }
}
