//! Parameters of locomotion out of range: the body is not driven.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{FAR, Mistake, NEGATIVE, NOT_POSITIVE, mistakes, try_each};
use crate::common::*;

/// Every field of the kinds of locomotion, on an agent that seeks, and the values out of its range.
pub(super) fn every_drive_mistake() -> Vec<Mistake> {
    let rows = table! {
        seeking
        Wheeled.wheelbase: NOT_POSITIVE,
        Wheeled.max_steering: [0.0, 1.6, f32::NAN, f32::INFINITY],
        Wheeled.steering_rate: NOT_POSITIVE,
        Wheeled.engine_force: NOT_POSITIVE,
        Wheeled.brake_force: NOT_POSITIVE,
        Wheeled.grip: NOT_POSITIVE,
        Wheeled.reverse_speed: NEGATIVE,
        Tracked.gauge: NOT_POSITIVE,
        Tracked.turn_rate: NOT_POSITIVE,
        Tracked.engine_force: NOT_POSITIVE,
        Tracked.brake_force: NOT_POSITIVE,
        Tracked.grip: NOT_POSITIVE,
        Tracked.reverse_speed: NEGATIVE,
        Hull.thrust: NOT_POSITIVE,
        Hull.reverse_thrust: NOT_POSITIVE,
        Hull.turn_rate: NOT_POSITIVE,
        Hull.turn_time: NOT_POSITIVE,
        Hull.drag: NEGATIVE,
        Hull.keel: NEGATIVE,
    };
    rows.into_iter().flatten().collect()
}

#[test]
fn a_parameter_of_a_locomotion_out_of_range_stops_only_the_drive_of_its_own_agent() {
    for backend in BACKENDS {
        try_each(backend, &every_drive_mistake(), |app, faulty, case| {
            assert_all_finite(app, None, case);
            let speed = velocity(app, faulty).length();
            assert!(speed < 0.51, "{case}: it is driven to {speed} m/s");
        });
    }
}
