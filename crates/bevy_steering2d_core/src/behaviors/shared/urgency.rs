//! Urgency of an evasive maneuver: the common measure of the avoidance behaviors.
//!
//! It is based on the acceleration that the maneuver needs. So fast, heavy or weak agents react
//! earlier, without parameters that depend on their limits.

use bevy::prelude::*;

use crate::Agent;

/// Below this share of the maximum acceleration a maneuver has no urgency.
const EASY: f32 = 0.25;

/// From this share on a maneuver has full urgency. The other half of the acceleration is a reserve,
/// for instance against other behaviors.
const TIGHT: f32 = 0.5;

/// The urgency of braking with this deceleration, m/s²: from 0 at a quarter of the strongest linearly to
/// 1 at half of it.
pub(crate) fn braking_urgency(me: &Agent, acceleration: f32) -> f32 {
    urgency(acceleration / me.braking())
}

/// The urgency of a turn with this sideways acceleration, m/s²: from 0 at a quarter of the strongest
/// linearly to 1 at half of it.
pub(crate) fn turning_urgency(me: &Agent, acceleration: f32) -> f32 {
    urgency(acceleration / me.turning())
}

fn urgency(share: f32) -> f32 {
    ((share - EASY) / (TIGHT - EASY)).clamp(0.0, 1.0)
}

/// The urgency of stopping a closing speed within a gap. It is no more than stops the agent in this update: a push
/// beyond that would throw it back, and it would tremble.
pub(crate) fn stopping_urgency(me: &Agent, closing_speed: f32, gap: f32) -> f32 {
    if closing_speed <= 0.0 {
        return 0.0;
    }
    let stops_now = closing_speed / (me.braking() * me.delta).max(f32::MIN_POSITIVE);
    braking_urgency(me, stopping(me, closing_speed, gap)).min(stops_now)
}

/// The most urgency with which an agent turns: enough to turn its velocity, or a fifth of its full speed, by a radian
/// within the response time. With more a slow agent would swing from side to side. Driven bodies turn as they can.
pub(crate) fn most_turning(me: &Agent) -> f32 {
    /// An agent that stands may turn as if it had this share of its full speed.
    const STANDING: f32 = 0.2;
    if me.abilities.is_some() {
        return 1.0;
    }
    let speed = me.speed().max(STANDING * me.max_speed);
    let turns = speed / me.response();
    (turns / me.max_acceleration()).min(1.0)
}

/// The acceleration that stops a closing speed within a gap, `v² / 2d`, m/s². The gap is reduced by
/// the distance of this tick, since the force acts after it.
pub(crate) fn stopping(me: &Agent, closing_speed: f32, gap: f32) -> f32 {
    let speed = closing_speed.max(0.0);
    0.5 * speed * speed / (gap - speed * me.delta).max(f32::MIN_POSITIVE)
}

/// The urgency of a small gap at any speed: 0 at a fifth of the body's radius, 1 at no gap. Keeps
/// slow agents from creeping through.
pub(crate) fn proximity_urgency(me: &Agent, gap: f32) -> f32 {
    depth_in_skin(me, gap).clamp(0.0, 1.0)
}

/// [`proximity_urgency`], and up to 4 where the bodies overlap: in a gap hardly wider than the agent both
/// sides push, and the difference between them must be large enough.
pub(crate) fn overlap_urgency(me: &Agent, gap: f32) -> f32 {
    let depth = depth_in_skin(me, gap).clamp(0.0, 2.0);
    depth * depth.max(1.0)
}

/// How far an agent is within its [`skin`]: 0 at its edge, 1 at no gap, more where bodies overlap.
pub(crate) fn depth_in_skin(me: &Agent, gap: f32) -> f32 {
    1.0 - gap / skin(me)
}

/// The distance at which gaps begin to count, m: a fifth of the body's radius, but at least the way of
/// an update. Never zero.
pub(crate) fn skin(me: &Agent) -> f32 {
    (SKIN * me.radius)
        .max(me.max_speed * me.delta)
        .max(f32::MIN_POSITIVE)
}

/// The distance at which gaps begin to count, in body radii.
const SKIN: f32 = 0.2;

/// The look-ahead distance at a speed, m: the distance of the look-ahead time, but at least some
/// stopping distances, so that heavy agents look far enough ahead, and the turning radius.
pub(crate) fn sight(me: &Agent, speed: f32, look_ahead_time: f32, stopping_distances: f32) -> f32 {
    let stopping_distance = 0.5 * speed * speed / me.braking();
    (look_ahead_time * speed)
        .max(stopping_distances * stopping_distance)
        .max(me.turning_radius())
}

/// The heading of an agent, or +x if it is zero.
pub(crate) fn ahead(me: &Agent) -> Vec2 {
    or_x(me.heading)
}

/// A heading, or +x if it is zero.
pub(crate) fn or_x(heading: Vec2) -> Vec2 {
    if heading == Vec2::ZERO {
        Vec2::X
    } else {
        heading
    }
}

/// The direction in which the agent travels: [`ahead`], or the opposite in reverse gear.
pub(crate) fn travel(me: &Agent) -> Vec2 {
    if me.is_reversing() {
        -ahead(me)
    } else {
        ahead(me)
    }
}

/// The speed in the direction of [`travel`], m/s; negative while the agent still rolls the other way.
pub(crate) fn travel_speed(me: &Agent) -> f32 {
    if me.is_reversing() {
        -me.forward_speed()
    } else {
        me.forward_speed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braking_urgency_rises_from_a_quarter_to_half_of_the_maximum_acceleration() {
        let me = Agent::default(); // 20 m/s² at most
        assert_eq!(braking_urgency(&me, 5.0), 0.0);
        assert_eq!(braking_urgency(&me, 7.5), 0.5);
        assert_eq!(braking_urgency(&me, 10.0), 1.0);
        assert_eq!(braking_urgency(&me, f32::INFINITY), 1.0);
    }

    #[test]
    fn a_stop_needs_the_documented_acceleration() {
        let me = Agent {
            delta: 0.5,
            ..default()
        };
        // 4² / (2 · (4 − 4 · 0.5)) = 4.
        assert_eq!(stopping(&me, 4.0, 4.0), 4.0);
        assert_eq!(stopping(&me, -4.0, 2.0), 0.0, "moving away");
        assert_eq!(stopping(&me, 0.0, 0.0), 0.0);
        assert!(stopping(&me, 1.0, -1.0) > 1e30, "too late");
    }

    #[test]
    fn proximity_urgency_is_zero_beyond_the_skin() {
        let me = Agent::default(); // 0.1 m of skin
        assert_eq!(proximity_urgency(&me, 0.2), 0.0);
        assert!((proximity_urgency(&me, 0.05) - 0.5).abs() < 1e-6);
        assert_eq!(proximity_urgency(&me, -0.3), 1.0);
    }

    #[test]
    fn overlap_urgency_grows_with_overlap() {
        let me = Agent::default(); // 0.1 m of skin
        assert_eq!(overlap_urgency(&me, 0.05), proximity_urgency(&me, 0.05));
        assert!((overlap_urgency(&me, -0.02) - 1.44).abs() < 1e-6);
        assert_eq!(overlap_urgency(&me, -0.3), 4.0);
    }

    #[test]
    fn heavy_agents_look_farther_ahead() {
        let light = Agent::default();
        let heavy = Agent {
            mass: 10.0,
            ..light
        };
        assert_eq!(sight(&light, 5.0, 1.0, 3.0), 5.0);
        // 3 · 5² / (2 · 2) = 18.75.
        assert_eq!(sight(&heavy, 5.0, 1.0, 3.0), 18.75);
    }
}
