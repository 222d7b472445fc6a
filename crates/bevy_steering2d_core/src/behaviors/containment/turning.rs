//! Turning away: how a body with a turning circle stays inside an area.

use bevy::prelude::*;

use super::{Area, Side};
use crate::behaviors::braking::{braking_distance, stopping_distance};
use crate::behaviors::shared::backing::{Room, back_off, room_needed};
use crate::behaviors::shared::urgency::{ahead, proximity_urgency, travel, travel_speed};
use crate::{Agent, Kinematics};

/// A body that stands before a side with more than this share of its pressing backs off.
const AT_SIDE: f32 = 0.5;

/// In turning circles: without a reverse gear an agent begins to turn at the first, and turns with its whole force at the
/// second. The reserve is for the time in which the wheels turn.
const EARLY: [f32; 2] = [1.9, 1.3];

/// The force in place of a push inwards, N. An agent without a turning circle is pushed. Others turn away with the
/// same force, as far as they are slow enough. With a reverse gear they back off from a side that no circle of theirs
/// avoids; without one they turn sooner, and never come to such a place.
pub(super) fn turn_inside(me: &Agent, area: &Area, push: Vec2) -> Vec2 {
    if me.turning_radius() <= 0.0 {
        return push;
    }
    let sides = area.sides(me.position);
    let is_outside = sides.iter().any(|side| side.gap < 0.0);
    match room_needed(me) {
        Some(_) if is_outside => push,
        Some(room) => turn_or_back_off(me, area, &sides, room, push),
        None => turn_in_time(me, area, is_outside, push),
    }
}

/// The force of a body with a reverse gear, N.
fn turn_or_back_off(me: &Agent, area: &Area, sides: &[Side], room: Room, push: Vec2) -> Vec2 {
    let (side, circle) = wider(area, me.position, ahead(me));
    let gap = gap_ahead(sides, ahead(me));
    let is_close = if me.is_reversing() {
        gap <= room.gap
    } else {
        let cannot_stop = me.forward_speed() > 0.0 && gap <= stopping_distance(me);
        cannot_stop || proximity_urgency(me, gap) > AT_SIDE
    };
    let is_free_behind = gap_ahead(sides, -ahead(me)) > room.gap;
    if is_close && circle < room.circle && is_free_behind {
        return back_off(me, side);
    }
    if push == Vec2::ZERO {
        return push;
    }
    let (side, circle) = wider(area, me.position, travel(me));
    let fits = (circle / circle_at_speed(me)).min(1.0);
    push.lerp(push.length() * side * travel(me).perp(), fits)
}

/// The force of a body that cannot back off, N: it keeps a whole turning circle free.
fn turn_in_time(me: &Agent, area: &Area, is_outside: bool, push: Vec2) -> Vec2 {
    let (forward, speed) = (ahead(me), me.forward_speed().max(0.0));
    let (tightest, now) = (me.turning_radius(), circle_at_speed(me));
    let (mut side, circle) = wider(area, me.position, forward);
    if is_outside {
        side = 1_f32.copysign(forward.perp_dot(push));
    }
    // It turns at this speed, or brakes first.
    let slow = me.speed_in_circle(tightest, 1.0);
    let to_brake = braking_distance(me, speed) - braking_distance(me, slow);
    let after = me.position + to_brake.max(0.0) * forward;
    let circles = (circle / now).max(wider(area, after, forward).1 / tightest);
    let [begin, whole] = EARLY;
    let urgency = if speed > Kinematics::STANDING {
        ((begin - circles) / (begin - whole)).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let strength = urgency * me.max_force;
    let brake = if push.length() < strength {
        -strength * forward
    } else {
        push
    };
    brake.lerp(brake.length() * side * forward.perp(), tightest / now)
}

/// The radius of the tightest circle at the agent's speed, m.
fn circle_at_speed(me: &Agent) -> f32 {
    let speed = travel_speed(me);
    me.turning_radius().max(speed * speed / me.cornering())
}

/// The side with the wider circle, 1 left or −1 right, and the circle's radius, m.
fn wider(area: &Area, from: Vec2, forward: Vec2) -> (f32, f32) {
    let [left, right] = [1.0, -1.0].map(|side| widest_circle(area, from, forward, side));
    if left >= right {
        (1.0, left)
    } else {
        (-1.0, right)
    }
}

/// The radius of the widest circle inside the area that begins in a direction and turns to one side, m. Edges that a turn
/// to that side leads away from do not count.
fn widest_circle(area: &Area, from: Vec2, forward: Vec2, side: f32) -> f32 {
    let to_center = side * forward.perp();
    let counts = |it: &&Side| forward.dot(it.inwards) < 0.0 || to_center.dot(it.inwards) < 0.0;
    let sides = area.sides(from);
    let circles = sides.iter().filter(counts).map(|it| {
        let gap = it.gap.max(0.0);
        match *area {
            // Its center must be as far inside as its radius: gap + R · (to_center · inwards) = R.
            Area::Rect(_) => gap / (1.0 - to_center.dot(it.inwards)).max(f32::MIN_POSITIVE),
            // |offset + R · to_center| + R = radius.
            Area::Circle { center, radius } => {
                let offset = from - center;
                let square = gap * (radius + offset.length());
                0.5 * square / (radius + offset.dot(to_center)).max(f32::MIN_POSITIVE)
            }
        }
    });
    circles.fold(f32::INFINITY, f32::min)
}

/// The way straight ahead to the nearest side, m.
fn gap_ahead(sides: &[Side], forward: Vec2) -> f32 {
    let gaps = sides.iter().filter_map(|it| {
        let closing = -forward.dot(it.inwards);
        (closing > 0.0).then(|| it.gap.max(0.0) / closing)
    });
    gaps.fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use bevy::math::ops;

    use super::*;
    use crate::agent::limited;
    use crate::behaviors::testing::assert_close;
    use crate::behaviors::{arrive, containment};
    use crate::locomotion::testing::Drive;
    use crate::locomotion::{Wheeled, direction};
    use crate::{Braking, RandomStream, SteeringId};

    const DISC: Area = Area::Circle {
        center: Vec2::ZERO,
        radius: 20.0,
    };

    fn square() -> Area {
        Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(20.0)).into()
    }

    /// A car with the force of its pen, and with what that leaves for a wish.
    fn drive(car: &mut Drive<Wheeled>, area: Area, wish: Vec2) {
        let me = car.agent();
        let hold = containment(&me, area, 0.0);
        car.step(hold + limited(wish, (me.max_force - hold.length()).max(0.0)));
    }

    /// How far a car wanders in two minutes, m, how far beyond the edge, m, and how often it changes gear.
    fn wander(mut car: Drive<Wheeled>, area: Area, seed: u32) -> (f32, f32, u32) {
        let mut random = RandomStream::new(7, SteeringId(seed), 1);
        let (mut way, mut beyond, mut gears, mut angle) = (0.0_f32, 0.0_f32, 0, 0.0_f32);
        for _ in 0..(120.0 / car.delta) as u32 {
            let me = car.agent();
            angle += random.signed_unit() * 3.0 * car.delta.sqrt();
            let turn = direction(0.6 * ops::sin(angle));
            drive(
                &mut car,
                area,
                me.track(me.max_speed * turn.rotate(me.heading)),
            );
            gears += u32::from(me.is_reversing() != car.controls.reversing);
            way += car.body.speed() * car.delta;
            let sides = area.shrunk(me.radius).sides(car.body.position);
            beyond = sides.iter().map(|side| -side.gap).fold(beyond, f32::max);
        }
        (way, beyond, gears)
    }

    #[test]
    fn a_wandering_car_goes_on_inside_its_pen() {
        // Of the two minutes it drives ahead at most with its speed limit; it begins to turn far from an edge.
        for (max_speed, reverse_speed, least, most_gears) in [
            (14.0, 3.0, 600.0, 40),
            (14.0, 0.0, 800.0, 0),
            (6.0, 3.0, 360.0, 50),
            (6.0, 0.0, 600.0, 0),
            (2.5, 3.0, 170.0, 60),
            (2.5, 0.0, 250.0, 0),
        ] {
            let kind = Wheeled {
                reverse_speed,
                ..default()
            };
            for seed in 0..4 {
                let mut car = Drive::car(kind, 60.0);
                car.vehicle.max_speed = max_speed;
                let (way, beyond, gears) = wander(car, square(), seed);
                let case =
                    format!("{max_speed} m/s, {reverse_speed} back, {seed}: {way} m, {gears}");
                assert!(way > least && gears <= most_gears, "{case}");
                assert!(beyond < 0.7, "{case}: {beyond} m beyond the edge");
            }
        }
    }

    #[test]
    fn a_car_reaches_a_point_close_before_an_edge() {
        for max_speed in [14.0, 6.0, 2.5] {
            for gap in [0.3, 1.0, 2.0, 4.0] {
                let mut car = Drive::car(Wheeled::default(), 60.0);
                car.vehicle.max_speed = max_speed;
                let target = Vec2::new(18.0 - gap, 0.0);
                let rests = |car: &Drive<Wheeled>| {
                    car.body.position.distance(target) < 0.35 && car.body.speed() < 0.05
                };
                for _ in 0..60 * 30 {
                    if rests(&car) {
                        break;
                    }
                    let wish = arrive(&car.agent(), target, Braking::Physical, 0.3);
                    drive(&mut car, square(), wish);
                }
                assert!(rests(&car), "{max_speed} m/s, {gap} m: {:?}", car.body);
            }
        }
    }

    #[test]
    fn the_widest_circle_touches_the_edge_ahead() {
        let from = Vec2::new(12.0, 3.0);
        for area in [square(), DISC] {
            for (angle, side) in
                (0..32).flat_map(|it| [(0.2 * it as f32, 1.0), (0.2 * it as f32, -1.0)])
            {
                let forward = direction(angle);
                let to_center = side * forward.perp();
                let circle = widest_circle(&area, from, forward, side);
                let edges = area
                    .sides(from)
                    .into_iter()
                    .zip(area.sides(from + circle * to_center));
                let ahead = edges.filter(|(now, _)| {
                    forward.dot(now.inwards) < 0.0 || to_center.dot(now.inwards) < 0.0
                });
                let nearest = ahead
                    .map(|(_, then)| then.gap)
                    .fold(f32::INFINITY, f32::min);
                let touches = (nearest - circle).abs() < 1e-3;
                assert!(
                    touches || nearest == f32::INFINITY,
                    "{angle} rad: {nearest} m, {circle} m"
                );
            }
        }
    }

    #[test]
    fn bodies_without_a_turning_circle_are_pushed() {
        let push = Vec2::new(-3.0, 1.0);
        assert_close(turn_inside(&Agent::default(), &DISC, push), push);
    }
}
