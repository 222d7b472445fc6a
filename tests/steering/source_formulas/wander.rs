//! Wander: the listings return a point on its circle as the force.

use bevy_steering2d::behaviors::*;

use super::*;

const CIRCLE: WanderStyle = WanderStyle::Circle {
    radius: 1.0,
    distance: 2.0,
    jitter: 3.0,
};
const ANGLE: WanderStyle = WanderStyle::Angle {
    radius: 1.0,
    distance: 2.0,
    angle_change: 3.0,
};

/// The listings return `w − p` as the force.
#[test]
fn wander_seeks_the_point_whose_offset_is_the_listed_force() {
    let area = Rect::new(-9.0, -9.0, -5.0, 9.0);
    let random_target = WanderStyle::RandomTarget { area, every: 2.0 };
    for style in [CIRCLE, ANGLE, random_target] {
        let me = unit_agent();
        let mut memory = WanderMemory::default();
        for _ in 0..500 {
            let force = wander(&me, &mut memory, style);
            let listed = memory.target - me.position;
            assert_equal(force + me.velocity, me.max_speed * listed.normalize());
            if style != random_target {
                // Ours always asks for full speed; the listed force depends on the place on the circle.
                assert!((0.999..3.001).contains(&listed.length()), "{listed}");
            }
        }
    }
}

/// Angles by which the wander target turns about the center in each tick, and those between the
/// heading and the target, rad.
fn wander_angles(style: WanderStyle) -> [Vec<f32>; 2] {
    let me = Agent::default();
    let mut memory = WanderMemory::default();
    memory.advance(&me, style);
    (0..2_000)
        .map(|_| {
            let before = memory.target - memory.center;
            memory.advance(&me, style);
            let step = before.angle_to(memory.target - memory.center).abs();
            (step, me.heading.angle_to(memory.target).abs())
        })
        .unzip::<_, _, Vec<_>, Vec<_>>()
        .into()
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

fn largest(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// The chapter's noise and the tutorial's change of angle are per frame, ours per √s.
#[test]
fn wander_steps_are_the_listed_ones_at_one_tick_rate() {
    let walk = TICK.sqrt();
    let [steps, _] = wander_angles(ANGLE);
    let angle_change = 2.0 * 3.0 * walk;
    assert!((0.98..1.0001).contains(&(largest(&steps) / (0.5 * angle_change))));

    // The push is at most `noise` along each axis, from a circle of radius 1.
    let noise = 3.0 * walk;
    let [steps, _] = wander_angles(CIRCLE);
    let farthest = ops::asin(2.0_f32.sqrt() * noise);
    assert!((0.8..1.0001).contains(&(largest(&steps) / farthest)));
}

#[test]
fn wander_parameters_act_as_the_chapter_describes() {
    let circle = |radius, distance, jitter| {
        let style = WanderStyle::Circle {
            radius,
            distance,
            jitter,
        };
        wander_angles(style).map(|angles| mean(&angles))
    };
    let [step, turn] = circle(1.0, 2.0, 3.0);
    assert!(circle(1.0, 8.0, 3.0)[1] < 0.5 * turn, "a large distance");
    assert!(circle(1.8, 2.0, 3.0)[1] > 1.5 * turn, "a large radius");
    assert!(circle(1.0, 2.0, 6.0)[0] > 1.5 * step, "a large noise");
}
