//! Agents that avoid each other and go for a target, which one of them at most can reach.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// An agent of 0.3 m that goes for a target and avoids.
fn chaser(app: &mut App, at: Vec2, speed: f32, chase: impl Bundle) -> Entity {
    let weak = Vehicle {
        max_speed: speed,
        max_force: 6.0,
        radius: Some(0.3),
        ..default()
    };
    let avoids = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
    Backend::PointMass.spawn(app, Body::at(at.x, at.y), (weak, avoids, chase))
}

/// Runs for `seconds`; returns by which angles the bodies have gone around the origin in the second half, rad.
fn turns_around_the_origin(app: &mut App, bodies: &[Entity], seconds: u32) -> Vec<f32> {
    let mut turns = vec![0.0; bodies.len()];
    let places = |app: &App| -> Vec<Vec2> { bodies.iter().map(|&it| position(app, it)).collect() };
    run_seconds(app, 0.5 * seconds as f32);
    for _ in 0..30 * seconds {
        let before = places(app);
        app.update();
        for (turn, (from, to)) in turns.iter_mut().zip(before.iter().zip(places(app))) {
            *turn += from.angle_to(to);
        }
    }
    turns
}

#[test]
fn an_agent_does_not_circle_a_target_that_it_cannot_reach() {
    for speed in [1.5, 2.0, 3.0, 5.0] {
        for beside in [0.0, 0.05, -2.0] {
            let chase: [fn(&mut EntityWorldMut, Entity); 3] = [
                |agent, target| _ = agent.insert(Seek::new(target)),
                |agent, target| _ = agent.insert(Arrive::new(target)),
                |agent, target| _ = agent.insert(Pursuit::new(target)),
            ];
            for (number, chase) in chase.into_iter().enumerate() {
                let mut app = point_mass_app(HERTZ);
                let target =
                    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
                let agent = chaser(&mut app, Vec2::new(-8.0, beside), speed, ());
                chase(&mut app.world_mut().entity_mut(agent), target);
                let turn = turns_around_the_origin(&mut app, &[agent], 20)[0];
                let gap = position(&app, agent).length() - 0.3 - PointMass::RADIUS;
                let case = format!("chase {number} at {speed} m/s from y = {beside}");
                assert!(turn.abs() < 0.5, "{case}: {turn} rad");
                assert!((-0.01..0.15).contains(&gap), "{case}: {gap} m of gap");
            }
        }
    }
}

#[test]
fn a_mob_around_its_target_does_not_turn_like_a_wheel() {
    for (count, speed, tolerance) in [
        (10_u16, 2.0, 0.1),
        (30, 2.0, 0.1),
        (60, 2.0, 0.1),
        (60, 4.0, 1.0),
        (100, 4.0, 3.0),
    ] {
        let mut app = point_mass_app(HERTZ);
        let target = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
        let mob: Vec<_> = (0..count)
            .map(|it| {
                let at = (4.0 + 0.1 * f32::from(it)) * Vec2::from_angle(2.4 * f32::from(it));
                let arrive = Arrive {
                    target: target.into(),
                    tolerance,
                    ..default()
                };
                chaser(&mut app, at, speed, arrive)
            })
            .collect();
        let turns = turns_around_the_origin(&mut app, &mob, 40);
        let mean = turns.iter().sum::<f32>() / turns.len() as f32;
        let case = format!("{count} at {speed} m/s that stop within {tolerance} m");
        assert!(mean.abs() < 0.3, "{case} turn by {mean} rad in 20 s");
    }
}
