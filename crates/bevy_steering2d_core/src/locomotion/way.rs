//! The way to a point for a body that cannot move sideways: the shortest of four arcs with a straight
//! line, forward or in reverse.

use bevy::math::ops;
use bevy::prelude::*;

use super::driver::{direction, within};
use super::leg::Leg;
use crate::{Abilities, Agent};

/// How a body travels to a point, see [`Agent::way_to`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Direction in which to travel now, a unit vector.
    pub direction: Vec2,
    /// Distance to travel until the point or the change of gear, m.
    pub run: f32,
    /// Whether the body changes gear before it reaches the point.
    pub changes_gear: bool,
    /// The largest speed, m/s: that of the turning circle in an arc, else infinite.
    pub speed: f32,
    route: Route,
}

/// An arc and the straight line after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Route {
    arc: Leg,
    line: Leg,
}

/// How far before the end of the arc a body without reverse may reach the point, in times of its [pivot](Abilities::pivot).
const EARLY: f32 = 0.25;

/// Legs shorter than this are driven already, in turning radii.
const DONE: f32 = 0.005;

/// How far a body overshoots where it changes gear, in turning radii; so it does not creep towards the
/// point.
const OVERSHOOT: f32 = 0.05;

/// The time that a change of gear costs, s. It keeps the body from wavering between two ways of about
/// the same length.
pub(crate) const GEAR_CHANGE: f32 = 1.0;

/// The circle on which a body changes gear to go around to a point, as a multiple of the planned one.
const SPARE: f32 = 1.3;

/// What a turn costs beside its length, s/rad: of ways about as long the straighter one is taken.
pub(crate) const TURNING: f32 = 0.5;

/// The largest angle between the direction and the axis of the body, rad. It is enough to steer as hard
/// as possible; a larger one would leave too little of a limited force along the axis.
pub(crate) const SHARPEST: f32 = 0.6;

/// The largest such angle for a body that turns on the spot, rad.
pub(crate) const ON_THE_SPOT: f32 = 1.2;

/// Arcs of a smaller angle are driven faster, rad.
const CURVE: f32 = 0.8;

/// The planned circle in turning radii: the reserve is for the time in which the wheels turn.
pub(crate) const RESERVE: f32 = 1.1;

impl Way {
    /// Points along the way of the agent's position, m: an arc and the straight line after it. For
    /// drawings.
    pub fn outline(self, me: &Agent) -> impl Iterator<Item = Vec2> {
        const PARTS: u8 = 24;
        let Route { arc, line } = self.route;
        let (begin, arm) = (me.pivot(), me.pivot_arm());
        let parts =
            (0..=PARTS).map(move |part| arc.after(f32::from(part) / f32::from(PARTS), begin));
        let end = line.after(1.0, arc.after(1.0, begin));
        parts.chain([end]).map(move |pose| pose.ahead(arm).position)
    }
}

impl Agent {
    /// How the agent travels to a point: straight, if it can move in any direction or turns on the
    /// spot. Else by the quickest of four routes, each an arc of the turning circle and a straight
    /// line through the point, with the arc and the line forward or in reverse.
    ///
    /// Two of them back up before the line, or at its end: they reach a point inside the turning
    /// circle, which the agent would else circle forever. Without reverse it goes straight on until the
    /// point is outside. Asked again in each tick, the agent keeps
    /// its gear unless another route is quicker by more than the time of a gear change.
    pub fn way_to(&self, point: Vec2) -> Way {
        self.way_through(point, 0.0)
    }

    /// The [way](Self::way_to) to a point that the agent passes, to drive on for `onward` m in the gear in which it
    /// passes the point. To a point behind it with a long way after it a car turns around and does not reverse.
    pub fn way_through(&self, point: Vec2, onward: f32) -> Way {
        match self.abilities {
            Some(body) if body.turning_radius > 0.0 => {
                self.route_to(point, onward, &body).way(self)
            }
            Some(body) if body.reverse_speed > 0.0 => self.turn_to(point, onward, &body),
            _ => Way {
                direction: self.direction_to(point),
                run: self.position.distance(point),
                changes_gear: false,
                speed: f32::INFINITY,
                route: Route::default(),
            },
        }
    }

    /// The velocity for a point that the agent passes at up to `speed` m/s. Before a change of gear
    /// the agent brakes.
    #[inline]
    pub fn velocity_to(&self, point: Vec2, speed: f32) -> Vec2 {
        self.velocity_through(point, 0.0, speed)
    }

    /// The velocity for a point that the agent passes at up to `speed` m/s, to drive on for `onward` m, see
    /// [`way_through`](Self::way_through).
    #[inline]
    pub fn velocity_through(&self, point: Vec2, onward: f32, speed: f32) -> Vec2 {
        if self.abilities.is_none() {
            return speed * self.direction_to(point);
        }
        let way = self.way_through(point, onward);
        let most = if way.changes_gear {
            (2.0 * self.braking() * way.run).sqrt()
        } else {
            f32::INFINITY
        };
        speed.min(most).min(way.speed) * way.direction
    }

    /// The way of a body that turns on the spot and then drives, forward or in reverse.
    fn turn_to(&self, point: Vec2, onward: f32, body: &Abilities) -> Way {
        let offset = point - self.position;
        let run = offset.length();
        let time = |gear: f32, speed: f32| {
            let axis = gear * self.heading;
            let angle = ops::atan2(axis.perp_dot(offset), axis.dot(offset));
            let shifts = (gear < 0.0) != body.reversing;
            let shift = if shifts { GEAR_CHANGE } else { 0.0 };
            (
                angle.abs() / body.turn_rate + (run + onward) / speed + shift,
                angle,
            )
        };
        let forward = time(1.0, self.max_speed);
        let reverse = time(-1.0, self.reverse_speed());
        let (gear, angle) = if reverse.0 < forward.0 {
            (-1.0, reverse.1)
        } else {
            (1.0, forward.1)
        };
        Way {
            direction: gear * direction(within(angle, ON_THE_SPOT)).rotate(self.heading),
            run,
            changes_gear: false,
            speed: f32::INFINITY,
            route: Route::default(),
        }
    }

    fn route_to(&self, point: Vec2, onward: f32, body: &Abilities) -> Route {
        let offset = point - self.pivot().position;
        let local = Vec2::new(self.heading.dot(offset), self.heading.perp_dot(offset));
        let routes = routes(local, body);
        if body.reverse_speed <= 0.0 {
            return routes[0]
                .and_then(|it| it.without_reverse(self.position.distance(point), body))
                .unwrap_or_else(|| out_and_around(local, RESERVE * body.turning_radius));
        }
        let costs =
            routes.map(|route| route.map_or(f32::INFINITY, |it| it.time(self, onward, body)));
        let quickest = (0..routes.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        quickest.and_then(|it| routes[it]).unwrap_or_default()
    }
}

/// The routes to a point in the frame of the pivot, x ahead and y to the left: all arcs of the turning
/// circle whose tangent passes through the point.
fn routes(point: Vec2, body: &Abilities) -> [Option<Route>; 4] {
    let side = if point.y < 0.0 { -1.0 } else { 1.0 };
    let left = Vec2::new(point.x, point.y.abs());
    let behind = Vec2::new(-left.x, left.y);
    let radius = RESERVE * body.turning_radius;
    let mirror = |length: f32, turn: f32, line: f32| Route {
        arc: Leg {
            length,
            turn: side * turn,
        },
        line: Leg {
            length: line,
            turn: 0.0,
        },
    };
    // At the edge of the planned circle a point would be inside it in one tick and outside in the next, and the body would
    // change gear each time: what is begun goes on up to the tightest circle, and what is not needs room to spare.
    let circle = |point: Vec2, is_in_gear: bool| {
        if body.reverse_speed <= 0.0 {
            radius
        } else if is_in_gear {
            let through = point.length_squared() / (2.0 * point.y.max(f32::MIN_POSITIVE));
            radius.min((0.999 * through).max(body.turning_radius))
        } else {
            SPARE * radius
        }
    };
    let (ahead, back) = (
        circle(left, !body.reversing),
        circle(behind, body.reversing),
    );
    [
        // Forward towards the point, and on.
        towards(left, ahead).map(|(arc, line)| mirror(ahead * arc, arc, line - body.pivot)),
        // In reverse towards the point, and on.
        towards(behind, back).map(|(arc, line)| mirror(-back * arc, -arc, -line - body.pivot)),
        // In reverse until the point is ahead, then forward.
        Some(away(left, radius)).map(|(arc, line)| mirror(-radius * arc, arc, line - body.pivot)),
        // Forward until the point is behind, then in reverse.
        Some(away(behind, radius))
            .map(|(arc, line)| mirror(radius * arc, -arc, -line - body.pivot)),
    ]
}

/// The angle of an arc towards a point on its own side, and the length of the tangent to the point.
/// `None` inside the turning circle.
pub(super) fn towards(point: Vec2, radius: f32) -> Option<(f32, f32)> {
    let from_center = point - Vec2::new(0.0, radius);
    let square = from_center.length_squared() - radius * radius;
    if square < 0.0 {
        return None;
    }
    let line = square.sqrt();
    // The direction from the center to the point, counted from that to the body, less the angle
    // between point and tangent point.
    let to_point = ops::atan2(from_center.x, -from_center.y);
    let arc = to_point - ops::atan2(line, radius);
    Some((whole_turn(arc), line))
}

/// The angle of a reversed arc with the circle on the other side of the body, after which the point is
/// straight ahead, and the distance to it.
fn away(point: Vec2, radius: f32) -> (f32, f32) {
    let from_center = point + Vec2::new(0.0, radius);
    let line = (from_center.length_squared() - radius * radius)
        .max(0.0)
        .sqrt();
    let to_point = ops::atan2(from_center.y, from_center.x);
    let arc = to_point - ops::atan2(radius, line);
    (arc.max(0.0), line)
}

/// The route to a point inside the turning circle without reverse: straight on until the circle passes
/// through the point, and around it. The arc is counted as straight, since it comes later.
fn out_and_around(point: Vec2, radius: f32) -> Route {
    let beside = radius - point.y.abs();
    let half_chord = (radius * radius - beside * beside).max(0.0).sqrt();
    let around = std::f32::consts::TAU - ops::atan2(half_chord, beside);
    let straight = Leg {
        length: point.x + half_chord + radius * around,
        turn: 0.0,
    };
    Route {
        arc: Leg::default(),
        line: straight,
    }
}

/// An angle between zero and a whole turn; what rounding puts below zero is zero.
pub(super) fn whole_turn(angle: f32) -> f32 {
    const ROUNDING: f32 = 1e-3;
    if angle < -ROUNDING {
        angle + std::f32::consts::TAU
    } else {
        angle.max(0.0)
    }
}

impl Route {
    /// The route of a body that cannot reverse, to a point `distance` m away. `None` if the center would pass the point
    /// long before the end of the arc.
    fn without_reverse(self, distance: f32, body: &Abilities) -> Option<Self> {
        let run = self.arc.length + self.line.length;
        if run < 0.0 || self.line.length < -EARLY * body.pivot {
            return None;
        }
        let run = run.max(distance);
        let arc = self.arc.length.min(run);
        let leg = |length: f32, leg: Leg| Leg { length, ..leg };
        Some(Self {
            arc: leg(arc, self.arc),
            line: leg(run - arc, self.line),
        })
    }

    /// Whether the arc is still to be driven.
    fn turns(&self) -> bool {
        // Length over angle is the radius.
        self.arc.turn.abs() > DONE
    }

    /// The leg that is driven now. An arc that is driven already is part of the line: it may be longer than what is left of that.
    fn now(&self) -> Leg {
        if self.turns() {
            self.arc
        } else {
            Leg {
                length: self.arc.length + self.line.length,
                ..self.line
            }
        }
    }

    fn changes_gear(&self) -> bool {
        self.turns() && self.arc.length * self.line.length < 0.0
    }

    /// The largest speed of the leg that is driven now, m/s: that of the tightest circle, so that the wider ones of the plan
    /// have grip to spare.
    fn curve_speed(&self, me: &Agent) -> f32 {
        let sharpness = (self.now().turn.abs() / CURVE).min(1.0);
        me.speed_in_circle(me.turning_radius(), 1.0) / sharpness.max(1e-6)
    }

    /// The time of the route and of `onward` m after it, s, about: each leg at the speed of its gear, and the gear
    /// changes.
    fn time(&self, me: &Agent, onward: f32, body: &Abilities) -> f32 {
        let in_curves = me.speed_in_circle(body.turning_radius, 1.0);
        let duration = |leg: Leg, onward: f32, most: f32| {
            let speed = if leg.length < 0.0 {
                me.reverse_speed()
            } else {
                me.max_speed
            };
            (leg.length.abs() + onward) / speed.min(most).max(1e-3)
        };
        // To change gear the body stops first, now or at the end of the arc: else it would put that off for ever.
        let stops = GEAR_CHANGE + me.velocity.dot(me.heading).abs() / me.braking();
        let is_in_gear = body.reversing == (self.now().length < 0.0);
        let starts = if is_in_gear { 0.0 } else { stops };
        let turns = match self.changes_gear() {
            true if is_in_gear => stops,
            true => GEAR_CHANGE,
            false => 0.0,
        };
        let driving =
            duration(self.arc, 0.0, in_curves) + duration(self.line, onward, f32::INFINITY);
        driving + starts + turns + TURNING * self.arc.turn.abs()
    }

    fn way(&self, me: &Agent) -> Way {
        let (now, changes_gear) = (self.now(), self.changes_gear());
        let turn = within(now.turn, SHARPEST);
        let run = if changes_gear {
            now.length.abs() + OVERSHOOT * me.turning_radius()
        } else {
            (self.arc.length + self.line.length).abs()
        };
        Way {
            direction: now.gear() * direction(turn).rotate(me.heading),
            run,
            changes_gear,
            speed: self.curve_speed(me),
            route: *self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    /// A car at the origin with a turning circle of 5 m about its own position.
    fn car() -> Agent {
        Agent {
            abilities: Some(Abilities {
                turning_radius: 5.0 / RESERVE,
                braking: 8.0,
                cornering: 5.0,
                reverse_speed: 3.0,
                ..default()
            }),
            max_speed: 14.0,
            ..default()
        }
    }

    #[test]
    fn an_agent_without_a_turning_circle_goes_straight() {
        let way = Agent::default().way_to(Vec2::new(-3.0, 4.0));
        assert_eq!((way.direction, way.run), (Vec2::new(-0.6, 0.8), 5.0));
    }

    #[test]
    fn the_arc_towards_a_point_is_tangent_to_the_line() {
        // A quarter of the circle ends at (5, 5), heading up.
        let (arc, line) = towards(Vec2::new(5.0, 12.0), 5.0).expect("outside the circle");
        assert!((arc - FRAC_PI_2).abs() < 1e-5 && (line - 7.0).abs() < 1e-4);
        assert_eq!(towards(Vec2::new(1.0, 5.0), 5.0), None, "inside");
        // In reverse around (0, -5), a quarter ends at (-5, -5), heading up.
        let (arc, line) = away(Vec2::new(-5.0, 2.0), 5.0);
        assert!((arc - FRAC_PI_2).abs() < 1e-5 && (line - 7.0).abs() < 1e-4);
    }

    #[test]
    fn every_route_ends_at_the_point() {
        let car = car();
        let body = car.abilities.expect("a car");
        for at in 0..400 {
            let at = at as f32;
            let point = Vec2::new(ops::sin(at), ops::cos(1.7 * at)) * 0.05 * at;
            for route in routes(point, &body).into_iter().flatten() {
                let end = route.way(&car).outline(&car).last().expect("points");
                assert!(
                    end.distance(point) < 1e-2,
                    "{route:?} ends at {end}, not {point}"
                );
            }
        }
    }

    #[test]
    fn a_point_inside_the_circle_is_reached_by_backing_up() {
        let way = car().way_to(Vec2::new(0.0, 3.0));
        assert!(way.changes_gear && way.direction.x < 0.0, "{way:?}");
    }

    #[test]
    fn without_reverse_a_point_inside_the_circle_is_reached_by_a_loop() {
        let mut car = car();
        car.abilities.as_mut().expect("a car").reverse_speed = 0.0;
        // The circle around (3, 5) passes through (0, 1): 3 m on and all of it but atan2(3, 4).
        let way = car.way_to(Vec2::new(0.0, 1.0));
        assert_eq!((way.direction, way.changes_gear), (Vec2::X, false));
        let around = 5.0 * (std::f32::consts::TAU - ops::atan2(3.0, 4.0));
        assert!((way.run - 3.0 - around).abs() < 1e-4, "{way:?}");
        let outside = car.way_to(Vec2::new(-4.0, 1.0));
        assert!(outside.direction.y > 0.0, "{outside:?}");
    }

    #[test]
    fn an_agent_turns_around_for_a_long_way_and_reverses_for_a_short_one() {
        let reverses = |agent: Agent, onward| {
            let way = agent.way_through(Vec2::new(-4.0, 0.0), onward);
            way.direction.x < 0.0 && !way.changes_gear
        };
        let mut tank = car();
        let body = tank.abilities.as_mut().expect("a tank");
        (body.turning_radius, body.turn_rate) = (0.0, 1.0);
        for agent in [car(), tank] {
            assert!(reverses(agent, 0.0) && !reverses(agent, 100.0));
        }
    }

    #[test]
    fn an_agent_keeps_its_gear_between_equal_ways() {
        let point = Vec2::new(-12.0, 8.0);
        let gear = |reversing| {
            let mut car = car();
            car.abilities.as_mut().expect("a car").reversing = reversing;
            car.way_to(point).direction.x < 0.0
        };
        assert_eq!([gear(false), gear(true)], [false, true]);
    }
}
