//! How close a call is: the common measure of everything that avoids.
//!
//! What a maneuver needs is an acceleration, so a fast, heavy or weak agent is warned earlier than
//! a nimble one, and no parameter has to be tuned to its limits.

use bevy::prelude::*;

use crate::Agent;

/// Below this share of the strongest acceleration a maneuver can wait.
const EASY: f32 = 0.25;

/// From this share on it takes all the force there is. Half: the other half is for what comes
/// unforeseen, be it another behavior that pushes the wrong way.
const TIGHT: f32 = 0.5;

/// How urgent a maneuver is that needs an acceleration in m/s²: 0 while it can wait, 1 when it
/// takes all the force there is, in between linear.
pub(crate) fn alarm(me: &Agent, acceleration: f32) -> f32 {
    let share = acceleration / me.max_acceleration();
    ((share - EASY) / (TIGHT - EASY)).clamp(0.0, 1.0)
}

/// The acceleration that stops a closing speed within a gap, `v² / 2d`, m/s². What it covers in
/// this tick is gone before any force acts.
pub(crate) fn stopping(me: &Agent, closing_speed: f32, gap: f32) -> f32 {
    let speed = closing_speed.max(0.0);
    0.5 * speed * speed / (gap - speed * me.delta).max(f32::MIN_POSITIVE)
}

/// How much a gap of less than a fifth of its radius presses, 0 at that and 1 at nothing, however
/// slow it is: or it would creep through, tick by tick.
pub(crate) fn pressing(me: &Agent, gap: f32) -> f32 {
    closeness(me, gap).clamp(0.0, 1.0)
}

/// [`pressing`], and past the skin up to four times as much: in a gap hardly wider than the agent
/// the other side presses back, and between the two there must be enough left to be obeyed.
pub(crate) fn insisting(me: &Agent, gap: f32) -> f32 {
    let closeness = closeness(me, gap).clamp(0.0, 2.0);
    closeness * closeness.max(1.0)
}

fn closeness(me: &Agent, gap: f32) -> f32 {
    let skin = (SKIN * me.radius).max(me.max_speed * me.delta);
    1.0 - gap / skin.max(f32::MIN_POSITIVE)
}

const SKIN: f32 = 0.2;

/// How far it must see at a speed, m: a time ahead, but at least some stopping distances, so that
/// heavy agents see far enough.
pub(crate) fn sight(me: &Agent, speed: f32, look_ahead: f32, stopping_distances: f32) -> f32 {
    let stopping_distance = 0.5 * speed * speed / me.max_acceleration();
    (look_ahead * speed).max(stopping_distances * stopping_distance)
}

/// The part of its velocity along its heading, m/s; negative when it backs up.
pub(crate) fn forward_speed(me: &Agent) -> f32 {
    me.velocity.dot(me.heading)
}

/// `heading`, or any unit vector while there is none.
pub(crate) fn ahead(me: &Agent) -> Vec2 {
    if me.heading == Vec2::ZERO {
        Vec2::X
    } else {
        me.heading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alarm_grows_from_a_quarter_to_half_of_what_it_can() {
        let me = Agent::default(); // 20 m/s² at most
        assert_eq!(alarm(&me, 5.0), 0.0);
        assert_eq!(alarm(&me, 7.5), 0.5);
        assert_eq!(alarm(&me, 10.0), 1.0);
        assert_eq!(alarm(&me, f32::INFINITY), 1.0);
    }

    #[test]
    fn stopping_by_hand() {
        let me = Agent {
            delta: 0.5,
            ..default()
        };
        // 4² / (2 · (4 − 4 · 0.5)) = 4.
        assert_eq!(stopping(&me, 4.0, 4.0), 4.0);
        assert_eq!(stopping(&me, -4.0, 2.0), 0.0, "going away");
        assert_eq!(stopping(&me, 0.0, 0.0), 0.0);
        assert!(stopping(&me, 1.0, -1.0) > 1e30, "too late");
    }

    #[test]
    fn only_what_is_close_to_the_skin_presses() {
        let me = Agent::default(); // 0.1 m of skin
        assert_eq!(pressing(&me, 0.2), 0.0);
        assert!((pressing(&me, 0.05) - 0.5).abs() < 1e-6);
        assert_eq!(pressing(&me, -0.3), 1.0);
    }

    #[test]
    fn what_is_past_the_skin_insists() {
        let me = Agent::default(); // 0.1 m of skin
        assert_eq!(insisting(&me, 0.05), pressing(&me, 0.05));
        assert!((insisting(&me, -0.02) - 1.44).abs() < 1e-6);
        assert_eq!(insisting(&me, -0.3), 4.0);
    }

    #[test]
    fn the_heavy_see_farther() {
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
