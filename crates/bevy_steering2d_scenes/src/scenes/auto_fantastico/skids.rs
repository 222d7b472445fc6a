//! Skid marks of the rear wheels, where a car slides or brakes hard.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::recorder::Rewound;

use super::Car;
use super::tally::sideways;
use crate::cars::CAR;

/// Marks on the ground; the oldest fade first. Recorded only in apps with overlays.
#[derive(Resource, Default)]
pub(super) struct Skids(VecDeque<[Vec2; 2]>);

/// Most marks.
const MOST: usize = 4_000;
/// A car leaves marks above this sideways speed, m/s, or with more than this share of its brakes at more
/// than this speed, m/s.
const SLIDES: f32 = 0.15;
const BRAKES: (f32, f32) = (0.9, 4.0);

pub(super) fn record(
    time: Res<Time>,
    mut skids: ResMut<Skids>,
    cars: Query<(&Transform, &Velocity, &Wheeled, &Controls), With<Car>>,
) {
    for (at, velocity, wheels, controls) in &cars {
        let slides = sideways(at, velocity, wheels).abs() > SLIDES;
        let brakes = controls.brake > BRAKES.0 && velocity.linear.length() > BRAKES.1;
        if !(slides || brakes) {
            continue;
        }
        for side in [-0.8, 0.8] {
            let wheel = Vec3::new(-0.5 * wheels.wheelbase, side * CAR.y, 0.0);
            let here = (at.translation + at.rotation * wheel).truncate();
            skids
                .0
                .push_back([here, here + velocity.linear * time.delta_secs()]);
        }
    }
    while skids.0.len() > MOST {
        skids.0.pop_front();
    }
}

/// Forgets the marks when another tick is shown, which may be from before them.
pub(super) fn forget(_: On<Rewound>, mut skids: ResMut<Skids>) {
    skids.0.clear();
}

pub(super) fn draw(skids: Res<Skids>, mut gizmos: Gizmos) {
    for (age, [from, to]) in skids.0.iter().rev().enumerate() {
        let fresh = 1.0 - age as f32 / MOST as f32;
        gizmos.line_2d(*from, *to, Color::BLACK.with_alpha(0.7 * fresh));
    }
}

#[cfg(test)]
mod tests {
    use super::super::SCENE;
    use super::*;
    use crate::headless;
    use crate::lifecycle::restart;

    #[test]
    fn a_restart_in_a_pause_forgets_the_marks() {
        let mut app = headless::app(&SCENE, 1);
        app.insert_resource(Skids([[Vec2::ZERO, Vec2::X]].into()));
        restart(app.world_mut());
        assert!(app.world().resource::<Skids>().0.is_empty());
    }
}
