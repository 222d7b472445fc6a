//! Orbit: around points and bodies that move.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn orbit_keeps_its_distance_from_a_body_that_moves() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let seeks = (Seek::new(Vec2::new(500.0, 0.0)), Vehicle::new(2.0, 20.0));
        let boss = backend.spawn(&mut app, Body::at(0.0, 0.0), seeks);
        let ship = backend.spawn(&mut app, Body::at(12.0, 5.0), Orbit::new(boss, 6.0));
        run_ticks(&mut app, 60 * 20);
        for _ in 0..60 * 10 {
            app.update();
            let distance = position(&app, ship).distance(position(&app, boss));
            assert!((distance - 6.0).abs() < 0.3, "{backend:?}: {distance} m");
        }
    }
}

#[test]
fn ships_spread_over_their_orbit() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let orbits = Orbit::new(Vec2::ZERO, 8.0).with_direction(OrbitDirection::Clockwise);
        let ships: Vec<_> = (0..6)
            .map(|i| {
                let start = Body::at(12.0, 2.0 * i as f32);
                backend.spawn(&mut app, start, (orbits, Separation::new(6.0)))
            })
            .collect();
        run_ticks(&mut app, 60 * 60);
        let mut bearings: Vec<_> = ships
            .iter()
            .map(|ship| position(&app, *ship).to_angle())
            .collect();
        bearings.sort_by(f32::total_cmp);
        let around = bearings[0] + TAU - bearings[bearings.len() - 1];
        let gaps = bearings.windows(2).map(|pair| pair[1] - pair[0]);
        let closest = gaps.chain([around]).fold(f32::INFINITY, f32::min);
        assert!(closest > 0.6, "{backend:?}: {bearings:?}");
    }
}
