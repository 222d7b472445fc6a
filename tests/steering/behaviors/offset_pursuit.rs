//! Offset pursuit: formations around a leader.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_formation_of_nine_stays_within_one_radius_of_its_slots() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let circle = (0..60).map(|i| {
            let angle = TAU * i as f32 / 60.0;
            10.0 * Vec2::from_angle(angle)
        });
        let leader = backend.spawn(
            &mut app,
            Body::at(10.0, 0.0),
            (
                SteeringPath::looped(circle).unwrap(),
                PathFollowing::default().with_corridor(1.0, 0.5),
                Vehicle {
                    max_speed: 2.5,
                    ..default()
                },
            ),
        );
        let wing: Vec<_> = (-4..=4)
            .map(|i: i32| {
                let offset = Vec2::new(-1.5 * (1 + i.abs()) as f32, 0.9 * i as f32);
                let body = Body::at(10.0 + i as f32, -4.0);
                let agent = backend.spawn(&mut app, body, OffsetPursuit::new(leader, offset));
                (agent, offset)
            })
            .collect();
        run_seconds(&mut app, 8.0);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 30 {
            let seen = *get::<Kinematics>(&app, leader);
            for &(agent, offset) in &wing {
                let slot = seen.position + seen.heading.rotate(offset);
                let body = get::<Kinematics>(&app, agent);
                farthest = farthest.max(body.position.distance(slot));
            }
            app.update();
        }
        assert!(farthest < 0.5, "{backend:?}: {farthest} m out of place");
    }
}
