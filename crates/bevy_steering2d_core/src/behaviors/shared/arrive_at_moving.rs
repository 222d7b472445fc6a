//! Arrival at a moving point: the agent comes to rest relative to it.

use bevy::prelude::*;

use crate::behaviors::arrive::approach;
use crate::locomotion::within;
use crate::{Abilities, Agent, Braking};

/// The force that arrives at a point moving with `velocity` m/s, N: the agent comes to rest relative
/// to the point.
pub(crate) fn arrive_at_moving(
    me: &Agent,
    point: Vec2,
    velocity: Vec2,
    braking: Braking,
    tolerance: f32,
) -> Vec2 {
    let (from, to) = leading_ends(me, point, velocity);
    let relative = Agent {
        position: from,
        velocity: me.velocity - velocity,
        abilities: me.abilities.map(|body| body.following(velocity.length())),
        ..*me
    };
    let closing = approach(&relative, to, braking, tolerance);
    let desired = velocity + steerable_velocity(me, closing, to - from, velocity);
    let desired = desired.clamp_length_max(me.max_speed);
    // A driven body turns around for the motion of the point, or for a long way to it; a short way back to it it reverses.
    let radius = me.turning_radius();
    let is_far = radius > 0.0 && (to - from).length() > FAR * radius;
    let lasting = if is_far && velocity.length() >= Abilities::FOLLOWS {
        desired
    } else {
        to_catch_up(me, velocity)
    };
    me.track_while_lasting(desired, lasting)
}

/// The way to a point is long from so many turning radii on.
const FAR: f32 = 4.0;

/// What an agent takes as lasting to catch up with a body at this velocity, m/s: it turns around for that.
pub(crate) fn to_catch_up(me: &Agent, velocity: Vec2) -> Vec2 {
    /// To catch up it has to be faster by this factor.
    const FASTER: f32 = 1.4;
    let is_reversing = me.abilities.is_some_and(|body| body.reversing);
    let lasting = if is_reversing { 1.0 } else { FASTER };
    lasting * velocity
}

/// Where the agent is, and where it has to be, m: of a car in reverse its axle, which leads, or it would weave.
fn leading_ends(me: &Agent, point: Vec2, velocity: Vec2) -> (Vec2, Vec2) {
    match me.abilities {
        Some(body) if body.reversing && velocity.length() >= Abilities::FOLLOWS => {
            // It turns around in reverse as well, and then its axle has to be behind the point.
            let side = if me.heading.dot(velocity) > 0.0 {
                -1.0
            } else {
                1.0
            };
            let along = velocity.normalize();
            (me.pivot().position, point + side * body.pivot * along)
        }
        _ => (me.position, point),
    }
}

/// The closing velocity without what a body with a turning circle would overshoot, m/s.
///
/// To move sideways by d, such a body drives two arcs of the radius R in opposite directions, on which it
/// turns by up to θ with `d = 2·R·(1 − cos θ)`. So its sideways speed is at most `v·sin θ ≈ v·√(d/R)`, and beyond two
/// turning radii, where it may turn by more, that from which it comes in with a tenth of its grip.
fn steerable_velocity(me: &Agent, closing: Vec2, offset: Vec2, velocity: Vec2) -> Vec2 {
    let radius = me.turning_radius();
    let speed = velocity.length();
    if radius == 0.0 || speed < Abilities::FOLLOWS {
        return closing;
    }
    let along = velocity / speed;
    let beside = along.perp_dot(offset).abs();
    let far = (beside - 2.0 * radius).max(0.0);
    let most = (speed * (beside / radius).min(1.0).sqrt()).max((0.1 * me.cornering() * far).sqrt());
    closing.dot(along) * along + within(along.perp_dot(closing), most) * along.perp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::{Drive, errands};

    /// Drives for some seconds at the braking of [`Braking::Physical`] to a point that moves with `velocity` m/s; returns how far
    /// the car is off in the end, m, and its changes of gear.
    fn follow(
        car: &mut Drive<Wheeled>,
        mut point: Vec2,
        velocity: Vec2,
        seconds: f32,
    ) -> (f32, u32) {
        let mut gears = 0;
        for _ in 0..(seconds / car.delta) as u32 {
            point += velocity * car.delta;
            let (me, before) = (car.agent(), car.controls.reversing);
            car.step(arrive_at_moving(
                &me,
                point,
                velocity,
                Braking::Physical,
                0.1,
            ));
            gears += u32::from(before != car.controls.reversing);
        }
        (car.body.position.distance(point), gears)
    }

    #[test]
    fn a_car_catches_up_with_a_slow_point_from_any_pose() {
        for speed in [0.55, 1.0, 2.0] {
            for errand in errands(60) {
                let mut car = Drive::car(Wheeled::default(), 60.0);
                car.body.heading = errand.heading;
                let (off, _) = follow(&mut car, errand.target, speed * Vec2::X, 60.0);
                assert!(off < 0.5, "{speed} m/s, {}: {off} m off", errand.target);
            }
        }
    }

    #[test]
    fn a_car_ahead_of_its_slot_falls_back_without_shunting() {
        for speed in [0.6, 1.0] {
            for ahead in [3.0, 6.0] {
                let mut car = Drive::car(Wheeled::default(), 64.0);
                let (off, gears) = follow(&mut car, -ahead * Vec2::X, speed * Vec2::X, 15.0);
                let case = format!("{speed} m/s, {ahead} m: {off} m off, {gears} changes");
                assert!(off < 0.2 && gears <= 10, "{case}");
            }
        }
    }

    #[test]
    fn a_car_within_the_circle_of_a_slot_gets_to_it() {
        // Radius and speed of the slot, pose of the car.
        for (radius, speed, at, degrees) in [
            (25.0, 3.0, Vec2::new(-20.0, 10.0), 120.0_f32),
            (18.0, 4.0, Vec2::new(0.0, -15.0), 180.0),
            (40.0, 4.0, Vec2::new(0.0, 12.0), 165.0),
        ] {
            let mut car = Drive::car(Wheeled::default(), 60.0);
            car.body.position = at;
            car.body.heading = Vec2::from_angle(degrees.to_radians());
            let mut slot = radius * Vec2::X;
            for _ in 0..120 * 60 {
                slot = Rot2::radians(speed / radius * car.delta) * slot;
                let velocity = speed / radius * slot.perp();
                let me = car.agent();
                let force = arrive_at_moving(&me, slot, velocity, Braking::Physical, 0.1);
                car.step(force);
            }
            let off = car.body.position.distance(slot);
            assert!(off < 1.0, "{radius} m: {off} m off");
        }
    }

    #[test]
    fn a_car_that_points_away_turns_around_for_a_point_about_as_fast_as_its_reverse_gear() {
        for speed in [2.5, 2.9, 3.0] {
            let mut car = Drive::car(Wheeled::default(), 64.0);
            car.body.heading = Vec2::NEG_X;
            let (off, _) = follow(&mut car, 10.0 * Vec2::X, speed * Vec2::X, 30.0);
            assert!(off < 0.5, "{speed} m/s: {off} m off");
        }
    }

    #[test]
    fn a_car_that_points_away_turns_around_to_follow_a_point_faster_than_its_reverse_gear() {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.body.heading = Vec2::NEG_X;
        let (off, _) = follow(&mut car, Vec2::ZERO, Vec2::new(8.0, 0.0), 15.0);
        assert!(off < 0.5 && !car.controls.reversing, "{off} m off");
    }
}
