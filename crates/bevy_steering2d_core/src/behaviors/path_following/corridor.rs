//! Corridor of [`PathFollowing`](crate::PathFollowing), see [`PathStyle::Corridor`](crate::PathStyle).
//!
//! Reynolds (1999) predicts the agent's position and corrects it only outside the corridor. Two rules
//! are added so that agents of any mass stay inside: the agent heads for the farthest point that a
//! straight line inside the corridor reaches, and its speed is limited by the turn at that point. For a
//! body with a turning circle the line begins with an arc of it, and [tight corners](super::tight_corner)
//! are taken wide.

use bevy::prelude::*;

use super::tight_corner::{TURN_IN, TightCorner, Turn};
use super::{TURNING, turning_speed};
use crate::behaviors::arrive::arrive;
use crate::behaviors::braking::{braking_lag, speed_before, stopping_distance};
use crate::locomotion::{Bend, RESERVE};
use crate::{Agent, Braking, SteeringPath};

/// Share of the half-width that steering uses; the rest is a reserve for the lag of the body.
const CURB: f32 = 0.8;
/// The shortest distance to the aim point, in half-widths.
const NEAREST: f32 = 0.5;
/// Points that a body with a turning circle considers up to its horizon.
const SAMPLES: u8 = 16;
/// Halvings in the search for the farthest visible point: centimeters of some meters.
const HALVINGS: u32 = 8;

/// The force of [`PathFollowing`](crate::PathFollowing) along a corridor, for an agent `arc` m from
/// the beginning of the path, N. `half_width`, m, and `look_ahead_time`, s, are those of
/// [`PathStyle::Corridor`](crate::PathStyle), `tolerance`, m, that of
/// [`PathFollowing`](crate::PathFollowing::tolerance).
pub fn corridor_following(
    me: &Agent,
    path: &SteeringPath,
    arc: f32,
    half_width: f32,
    look_ahead_time: f32,
    tolerance: f32,
) -> Vec2 {
    let corridor = Corridor::new(path, half_width);
    let (sight, goal) = corridor.aim_point(me, arc, look_ahead_time);
    let me = &kept_forward(me, goal, half_width);
    let slowed = Agent {
        max_speed: turning_speed(me, goal, 0.0)
            .min(corridor.corner_speed(me, sight, goal))
            .min(corridor.tight_corner_speed(me, arc)),
        ..*me
    };
    if corridor.ends_at(sight) {
        return arrive(&slowed, goal, Braking::Physical, tolerance);
    }
    // Behind the body all that leads straight on counts, so that a car turns around and does not reverse along it.
    let onward = if me.abilities.is_some() && me.is_behind(goal) {
        corridor.straight_after(sight)
    } else {
        0.0
    };
    me.track(me.velocity_through(goal, onward, slowed.max_speed))
}

/// The agent without reverse where the point that it heads for was chosen for a bend forward to it: reversing would move the
/// body back until it has another one.
fn kept_forward(me: &Agent, goal: Vec2, half_width: f32) -> Agent {
    let mut driver = *me;
    let radius = me.turning_radius();
    let is_far = me.position.distance(goal) > half_width.max(radius);
    if let Some(body) = &mut driver.abilities
        && radius > 0.0
        && is_far
        && me.is_behind(goal)
        && Bend::new(me, goal).is_some()
    {
        body.reverse_speed = 0.0;
    }
    driver
}

/// The point that an agent, `arc` m from the beginning of a corridor, heads for, m.
pub(super) fn corridor_aim_point(
    me: &Agent,
    path: &SteeringPath,
    arc: f32,
    half_width: f32,
    look_ahead_time: f32,
) -> Vec2 {
    Corridor::new(path, half_width)
        .aim_point(me, arc, look_ahead_time)
        .1
}

struct Corridor<'a> {
    path: &'a SteeringPath,
    /// m
    half_width: f32,
    /// The largest lateral offset that steering uses, m.
    curb: f32,
}

impl<'a> Corridor<'a> {
    fn new(path: &'a SteeringPath, half_width: f32) -> Self {
        Self {
            path,
            half_width,
            curb: CURB * half_width,
        }
    }

    /// The point that the agent heads for: its distance along the path, m, and its position on the
    /// lane, m.
    fn aim_point(&self, me: &Agent, arc: f32, look_ahead_time: f32) -> (f32, Vec2) {
        let nearest = self.within(arc + NEAREST * self.half_width);
        let predicted = me.position + me.velocity * look_ahead_time;
        if let Some(aim) = self.aim_point_by_bends(me, predicted, arc, nearest) {
            return aim;
        }
        let range = (me.speed() * look_ahead_time)
            .max(stopping_distance(me))
            .max(self.half_width)
            .min(self.path.length());
        let horizon = self.within(arc + range);
        let lane = self.lane(predicted, arc, horizon);
        let sight = self
            .farthest_in_sight(me.position, lane, arc, horizon)
            .max(nearest.min(horizon));
        (sight, self.position(sight, lane))
    }

    /// The same for a body with a turning circle, in curves and at [tight corners](TightCorner). `None`
    /// before a sharp corner that the circle fits into: there a straight line tells when to slow down.
    fn aim_point_by_bends(
        &self,
        me: &Agent,
        predicted: Vec2,
        arc: f32,
        nearest: f32,
    ) -> Option<(f32, Vec2)> {
        let horizon = self.within(arc + self.turn_range(me));
        let lane = match self.tight_corner(me, arc, horizon) {
            Some(corner) => corner.lane(me, self.curb),
            None if self
                .turns_between(arc, horizon)
                .any(|(_, turn)| turn.is_sharp()) =>
            {
                return None;
            }
            None => self.lane(predicted, arc, horizon),
        };
        let sight = self.farthest_by_bends(me, lane, arc, horizon)?;
        let sight = sight.max(nearest.min(horizon));
        Some((sight, self.position(sight, lane)))
    }

    /// How far ahead a body with a turning circle looks for corners, m.
    fn turn_range(&self, me: &Agent) -> f32 {
        let range = stopping_distance(me).max(TURN_IN * me.turning_radius());
        range.min(self.path.length())
    }

    /// An arc length, clamped to the end of an open path.
    fn within(&self, arc: f32) -> f32 {
        if self.path.is_looped() {
            arc
        } else {
            arc.min(self.path.length())
        }
    }

    fn ends_at(&self, arc: f32) -> bool {
        self.path.segments() == 0 || !self.path.is_looped() && arc >= self.path.length()
    }

    /// The lane to keep: the lateral offset of the predicted position, m, positive to the left. Beyond
    /// the curb the lane moves back towards the center line, more when farther out.
    fn lane(&self, predicted: Vec2, arc: f32, horizon: f32) -> f32 {
        let foot = self.path.closest_between(predicted, arc, horizon);
        let offset = predicted - foot.position;
        let left = self.path.direction(foot.segment).perp_dot(offset);
        let distance = offset.length();
        let back = if distance > self.curb {
            ((2.0 * self.curb - distance) / distance).max(0.0)
        } else {
            1.0
        };
        (left * back).max(-self.curb).min(self.curb)
    }

    /// How far the path leads on from an arc length without a sharp corner, m: at a corner a body may change gear.
    fn straight_after(&self, arc: f32) -> f32 {
        let end = self.within(arc + self.path.length());
        let sharp = self
            .turns_between(arc, end)
            .find(|(_, turn)| turn.is_sharp());
        sharp.map_or(end, |(at, _)| at) - arc
    }

    /// The position on a lane; lanes converge at the end of an open path.
    fn position(&self, arc: f32, lane: f32) -> Vec2 {
        let on_path = self.path.at(arc);
        let widest = if self.path.is_looped() {
            self.curb
        } else {
            self.path.length() - arc
        };
        let left = self.path.direction(on_path.segment).perp();
        on_path.position + left * lane.max(-widest).min(widest)
    }

    /// The farthest arc length, up to the horizon, that a straight line inside the corridor reaches.
    fn farthest_in_sight(&self, from: Vec2, lane: f32, arc: f32, horizon: f32) -> f32 {
        if self.sees(from, lane, arc, horizon) {
            return horizon;
        }
        let (mut seen, mut hidden) = (arc, horizon);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (seen + hidden);
            if self.sees(from, lane, arc, middle) {
                seen = middle;
            } else {
                hidden = middle;
            }
        }
        seen
    }

    /// Whether the straight line to a point stays in the corridor: no corner in between is farther
    /// from it than the curb.
    fn sees(&self, from: Vec2, lane: f32, arc: f32, to: f32) -> bool {
        let line = self.position(to, lane) - from;
        let square = line.length_squared();
        self.path.corners_between(arc, to).all(|(_, corner)| {
            let offset = corner - from;
            let share = if square > 0.0 {
                (offset.dot(line) / square).clamp(0.0, 1.0)
            } else {
                0.0
            };
            offset.distance(share * line) <= self.curb
        })
    }

    /// The arc length of the farthest point, up to the horizon, that a [`Bend`] inside the corridor
    /// reaches, or of that whose bend leaves it least. `None` for a body without a turning circle, and
    /// if all points are inside the circle.
    fn farthest_by_bends(&self, me: &Agent, lane: f32, arc: f32, horizon: f32) -> Option<f32> {
        if me.turning_radius() == 0.0 {
            return None;
        }
        let (mut least, mut best) = (f32::INFINITY, None);
        for sample in (1..=SAMPLES).rev() {
            let to = arc + (horizon - arc) * f32::from(sample) / f32::from(SAMPLES);
            let Some(bend) = Bend::new(me, self.position(to, lane)) else {
                continue;
            };
            let onward = self.path.direction(self.path.at(to).segment);
            // Inside of a turn by θ the corridor reaches `cos(θ/2)⁻¹` times as far from the corner.
            let off = self
                .turns_between(arc, to)
                .map(|(_, turn)| turn.cosine * bend.distance(turn.corner))
                .try_fold(bend.overshoot(onward), |off, next| {
                    let off = off.max(next);
                    (off < least).then_some(off)
                });
            match off {
                Some(off) if off <= self.curb => return Some(to),
                Some(off) if off < least => (least, best) = (off, Some(to)),
                _ => {}
            }
        }
        best
    }

    /// The first corner up to the horizon that is too tight for the body.
    fn tight_corner(&self, me: &Agent, arc: f32, horizon: f32) -> Option<TightCorner> {
        if me.turning_radius() == 0.0 {
            return None;
        }
        self.turns_between(arc, horizon)
            .find_map(|(_, turn)| TightCorner::new(me, self.curb, turn))
    }

    /// The turns of the path strictly between two arc lengths, with their arc lengths, m.
    fn turns_between(&self, from: f32, to: f32) -> impl Iterator<Item = (f32, Turn)> {
        let mut before = self.path.direction(self.path.at(from).segment);
        let corners = self.path.corners_between(from, to);
        corners.map(move |(arc, corner)| {
            let after = self.path.direction_after(arc);
            let turn = Turn::new(corner, before, after);
            before = after;
            (arc, turn)
        })
    }

    /// The highest current speed from which the agent can brake for the next tight corner, m/s.
    fn tight_corner_speed(&self, me: &Agent, arc: f32) -> f32 {
        // The turn ends after the corner.
        let from = arc - RESERVE * me.turning_radius();
        let from = if self.path.is_looped() {
            from
        } else {
            from.max(0.0)
        };
        let corner = self.tight_corner(me, from, self.within(arc + self.turn_range(me)));
        corner.map_or(f32::INFINITY, |it| it.speed(me))
    }

    /// The highest current speed from which the agent can brake for the turn at the goal, m/s.
    ///
    /// An arc through a turn by θ that cuts the corner by no more than the curb has the radius
    /// `R = curb · c / (1 − c)` with `c = cos(θ/2)`; `v = √(a·R)`, limited by the lag of the body.
    fn corner_speed(&self, me: &Agent, sight: f32, goal: Vec2) -> f32 {
        let onward = self.path.direction(self.path.at(sight).segment);
        let cosine = ((1.0 + me.direction_to(goal).dot(onward)) / 2.0)
            .max(0.0)
            .sqrt();
        let radius = self.curb * cosine / (1.0 - cosine).max(1e-6);
        let lag = braking_lag(me);
        let turn = (TURNING * me.cornering() * radius)
            .sqrt()
            .min(0.5 * radius / lag);
        let ahead = me.position.distance(goal) - 1.5 * me.speed() * lag;
        speed_before(me, turn, ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PathFollowing;
    use crate::behaviors::testing::{Course, assert_close, between, reynolds, walk};
    use bevy::math::ops;
    use proptest::prelude::*;

    #[test]
    fn an_agent_inside_the_corridor_keeps_its_lane() {
        let path = SteeringPath::open([Vec2::ZERO, Vec2::new(1_000.0, 0.0)]).unwrap();
        let me = Agent {
            position: Vec2::new(10.0, 0.6),
            velocity: Vec2::new(3.0, 0.0),
            ..reynolds(3.0)
        };
        // The curb is at 0.8 m: no correction.
        assert_close(
            corridor_following(&me, &path, 10.0, 1.0, 0.5, 0.1),
            Vec2::ZERO,
        );
    }

    #[test]
    fn an_agent_that_leaves_the_corridor_steers_back() {
        let path = SteeringPath::open([Vec2::ZERO, Vec2::new(1_000.0, 0.0)]).unwrap();
        for (y, drift) in [(1.5, 0.0), (0.6, 2.0), (-1.5, 0.0), (-0.6, -2.0)] {
            let me = Agent {
                position: Vec2::new(10.0, y),
                velocity: Vec2::new(3.0, drift),
                ..default()
            };
            let force = corridor_following(&me, &path, 10.0, 1.0, 0.5, 0.1);
            assert!(force.y * y < 0.0, "at {y} drifting {drift}: {force}");
        }
    }

    #[test]
    fn a_distant_agent_joins_the_path() {
        let path = SteeringPath::open([Vec2::ZERO, Vec2::new(100.0, 0.0)]).unwrap();
        let mut course = Course::new(60.0);
        course.agent.position = Vec2::new(20.0, 30.0);
        let how = PathFollowing::default().with_corridor(1.0, 0.5);
        let mut inside = false;
        let end = walk(&mut course, &path, &how, 60.0, |me, _| {
            inside |= me.position.y < 1.0;
            assert!(!inside || me.position.y.abs() <= 1.0, "{me:?}");
        });
        assert!(end.completed);
    }

    fn star() -> Vec<Vec2> {
        let tip = |i: i32| Vec2::from_angle(i as f32 * 4.0 * std::f32::consts::PI / 5.0) * 10.0;
        (0..5).map(tip).collect()
    }

    fn circle(radius: f32) -> Vec<Vec2> {
        let at = |i: i32| {
            let angle = i as f32 * 0.1;
            radius * Vec2::new(ops::cos(angle), ops::sin(angle))
        };
        (0..63).map(at).collect()
    }

    fn courses() -> Vec<(&'static str, SteeringPath)> {
        let open = |points: &[(f32, f32)]| {
            SteeringPath::open(points.iter().copied().map(Vec2::from)).unwrap()
        };
        let saw: Vec<_> = (0..9)
            .map(|i| (3.0 * i as f32, 3.0 * (i % 2) as f32))
            .collect();
        vec![
            ("corner", open(&[(0.0, 0.0), (20.0, 0.0), (20.0, 20.0)])),
            (
                "hairpin",
                open(&[(0.0, 0.0), (20.0, 0.0), (20.0, 0.5), (0.0, 0.5)]),
            ),
            (
                "there and back",
                open(&[(0.0, 0.0), (20.0, 0.0), (0.0, 0.01)]),
            ),
            ("saw", open(&saw)),
            ("star", SteeringPath::looped(star()).unwrap()),
            ("circle", SteeringPath::looped(circle(6.0)).unwrap()),
            ("small circle", SteeringPath::looped(circle(2.0)).unwrap()),
        ]
    }

    #[test]
    fn agents_never_leave_the_corridor_and_make_progress() {
        for (name, path) in courses() {
            for mass in [0.1, 1.0, 4.0, 10.0] {
                for radius in [0.5, 1.0, 2.0] {
                    for look_ahead in [0.25, 0.5, 1.0] {
                        // Light bodies with long ticks, heavy ones with short ticks.
                        let hertz = if mass == 1.0 {
                            60.0
                        } else {
                            30.0 * (1.0 + mass)
                        };
                        let mut course = Course::new(hertz);
                        course.agent.mass = mass;
                        course.agent.position = path.points()[0];
                        course.agent.heading = path.direction(0);
                        let how = PathFollowing::default().with_corridor(radius, look_ahead);
                        let mut farthest: f32 = 0.0;
                        let mut walked = 0.0;
                        let mut seconds = 0.0;
                        let end = walk(&mut course, &path, &how, 30.0, |me, progress| {
                            let off = path.closest(me.position).position.distance(me.position);
                            farthest = farthest.max(off);
                            walked = progress.laps as f32 * path.length() + progress.distance;
                            seconds += me.delta;
                        });
                        let case = format!("{name}, {mass} kg, {radius} m, {look_ahead} s");
                        assert!(farthest <= radius, "{case}: {farthest} m off");
                        assert!(end.completed != path.is_looped(), "{case}: {end:?}");
                        assert!(walked / seconds > 1.0, "{case}: {} m/s", walked / seconds);
                    }
                }
            }
        }
    }

    fn anywhere() -> impl Strategy<Value = Vec2> {
        // Few distinct coordinates, so that points repeat, line up and turn back.
        let coordinate = prop_oneof![(-3..3).prop_map(|c| c as f32), -1e4_f32..1e4];
        (coordinate.clone(), coordinate).prop_map(Vec2::from)
    }

    proptest! {
        #[test]
        fn forces_are_finite_and_bounded_on_any_path(
            points in proptest::collection::vec(anywhere(), 1..12),
            looped: bool,
            position in anywhere(),
            velocity in anywhere(),
            radius in between(0.01..=10.0),
            look_ahead in 0.0_f32..5.0,
        ) {
            let path = if looped { SteeringPath::looped(points) } else { SteeringPath::open(points) };
            let path = path.unwrap();
            for how in [
                PathFollowing::default().with_waypoints(radius),
                PathFollowing::default().with_corridor(radius, look_ahead),
            ] {
                let mut course = Course::new(60.0);
                course.agent.position = position;
                course.agent.velocity = velocity.clamp_length_max(5.0);
                walk(&mut course, &path, &how, 1.0, |me, progress| {
                    let force = crate::behaviors::path_following(me, &path, progress, &how);
                    assert!(force.is_finite() && force.length() <= me.max_force * 1.0001);
                    assert!(progress.distance >= 0.0 && progress.distance <= path.length());
                    assert!(progress.waypoint < path.points().len());
                });
            }
        }
    }
}
