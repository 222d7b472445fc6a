//! Corridor of [`PathFollowing`](crate::PathFollowing), see [`PathStyle::Corridor`](crate::PathStyle).
//!
//! Reynolds (1999) predicts the agent's position and corrects it only outside the corridor. Three rules
//! are added so that agents of any mass stay inside: the agent heads for the farthest point that a
//! straight line inside the corridor reaches, its speed is limited by the turn at that point, and by the
//! curves up to where it could stop. For a body with a turning circle the line begins with an arc of it,
//! and [tight corners](super::tight_corner) are taken wide.

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
/// How far a body with a turning circle looks at least in a wide corridor, in radii of the circle: many nearer points lie inside
/// it, and the body would change gear for each.
const IN_CIRCLES: f32 = 3.0;
/// A corridor is wide from this half-width on, in radii of the turning circle. In narrower ones the points that the body sees
/// lie ahead of it, and a longer look would leave it at a slant.
const WIDE: f32 = 0.5;
/// Points that a body with a turning circle considers up to its horizon.
const SAMPLES: u8 = 16;
/// Curves of a smaller angle need no lower speed, rad.
const LEAST_CURVE: f32 = 1e-3;
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
            .min(corridor.tight_corner_speed(me, arc))
            .min(corridor.curve_speed(me, arc)),
        ..*me
    };
    if corridor.ends_at(sight) {
        return arrive(&slowed, goal, Braking::Physical, tolerance);
    }
    // Behind the body all that leads straight on counts, so that a car turns around and does not reverse along it.
    let onward = if me.abilities.is_some() && me.is_behind(goal) {
        straight_after(path, sight)
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
        let nearest = within(self.path, arc + NEAREST * self.half_width);
        let predicted = me.position + me.velocity * look_ahead_time;
        if let Some(aim) = self.aim_point_by_bends(me, predicted, arc, nearest) {
            return aim;
        }
        let range = (me.speed() * look_ahead_time)
            .max(stopping_distance(me))
            .max(self.half_width)
            .max(self.range_in_circles(me))
            .min(self.path.length());
        let horizon = within(self.path, arc + range);
        let lane = self.lane(predicted, arc, horizon);
        let sight = self
            .farthest_in_sight(me.position, lane, arc, horizon)
            .max(nearest.min(horizon));
        (sight, self.position(sight, lane))
    }

    /// How far ahead a body with a turning circle has to look, m; zero in a narrow corridor.
    fn range_in_circles(&self, me: &Agent) -> f32 {
        let radius = me.turning_radius();
        if self.half_width >= WIDE * radius {
            IN_CIRCLES * radius
        } else {
            0.0
        }
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
        let horizon = within(self.path, arc + self.turn_range(me));
        let lane = match self.tight_corner(me, arc, horizon) {
            Some(corner) => corner.lane(me, self.curb),
            None if turns_between(self.path, arc, horizon).any(|(_, turn)| turn.is_sharp()) => {
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
            let off = turns_between(self.path, arc, to)
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
        turns_between(self.path, arc, horizon)
            .find_map(|(_, turn)| TightCorner::new(me, self.curb, turn))
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
        let corner = self.tight_corner(me, from, within(self.path, arc + self.turn_range(me)));
        corner.map_or(f32::INFINITY, |it| it.speed(me))
    }

    /// The highest current speed from which the agent can brake for the curves ahead, m/s: corners that follow each other so
    /// closely that none of them alone needs a low speed.
    ///
    /// A curve that turns by θ on a length l has the radius `l/θ`, on the outside of the corridor a curb more. It lasts from the
    /// first to the last of corners that are close to each other, and as long on as the shorter leg at the last one.
    fn curve_speed(&self, me: &Agent, arc: f32) -> f32 {
        let close = 2.0 * self.half_width.max(me.turning_radius());
        let range = (stopping_distance(me) + close).min(self.path.length());
        let mut before = self.path.direction(self.path.at(arc).segment);
        let horizon = within(self.path, arc + range);
        let corners = self.path.corners_between(arc, horizon);
        let speeds = corners.map(|(from, corner)| {
            let to = within(self.path, from + close);
            let end = self.path.at(to);
            let points = self.path.points();
            let around = |by: usize| points[(end.segment + by) % points.len()];
            let [previous, last, next] = [points.len() - 1, 0, 1].map(around);
            let leg = previous.distance(last).min(last.distance(next));
            let length = to - last.distance(end.position) - from + leg;
            let angle = before.angle_to(self.path.direction(end.segment)).abs();
            before = self.path.direction_after(from);
            let radius = length / angle.max(LEAST_CURVE) + self.curb;
            let ahead = (from - arc).max(me.position.distance(corner));
            let ahead = ahead - me.speed() * braking_lag(me);
            speed_before(me, me.speed_in_circle(radius, TURNING), ahead)
        });
        speeds.fold(f32::INFINITY, f32::min)
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
        let turn = me.speed_in_circle(radius, TURNING).min(0.5 * radius / lag);
        let ahead = me.position.distance(goal) - 1.5 * me.speed() * lag;
        speed_before(me, turn, ahead)
    }
}

/// How far a path leads on from an arc length without a sharp corner, m: at a corner a body may change gear.
pub(super) fn straight_after(path: &SteeringPath, arc: f32) -> f32 {
    let end = within(path, arc + path.length());
    let sharp = turns_between(path, arc, end).find(|(_, turn)| turn.is_sharp());
    sharp.map_or(end, |(at, _)| at) - arc
}

/// An arc length, clamped to the end of an open path.
fn within(path: &SteeringPath, arc: f32) -> f32 {
    if path.is_looped() {
        arc
    } else {
        arc.min(path.length())
    }
}

/// The turns of a path strictly between two arc lengths, with their arc lengths, m.
fn turns_between(path: &SteeringPath, from: f32, to: f32) -> impl Iterator<Item = (f32, Turn)> {
    let mut before = path.direction(path.at(from).segment);
    let corners = path.corners_between(from, to);
    corners.map(move |(arc, corner)| {
        let after = path.direction_after(arc);
        let turn = Turn::new(corner, before, after);
        before = after;
        (arc, turn)
    })
}

#[cfg(test)]
mod tests;
