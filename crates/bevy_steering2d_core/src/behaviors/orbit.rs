//! Orbit: circles a center at a distance.

use std::f32::consts::FRAC_PI_2;

use bevy::math::ops;
use bevy::prelude::*;

use super::embeds_influence;
use super::shared::urgency::ahead;
use crate::agent::limited;
use crate::locomotion::within;
use crate::{Agent, Behavior, Influence, InvalidParameter, Kinematics, Steer, Target, Targets};

/// Circles a center at a distance.
///
#[doc = include_str!("figures/orbit.svg")]
///
/// Use it for enemies that strafe around the player, sharks, drones and moons. The center may move. From anywhere the agent
/// comes to the circle on a spiral; add a [`FaceTarget`](crate::FaceTarget) to look at the center meanwhile.
///
/// With the distance d from the center, the unit vectors o away from it and t along the circle, and the center's velocity w:
/// `F = track(w + s·dir(t − 2·(d/radius − 1)·o)) − m·v²/d·o`, N. The second term holds the agent on its circle; v is its speed along t,
/// relative to the center. Its o is that of the middle of the update, on the circle half of the way ahead. The speed s is
/// the [`pace`](Self::pace), at most `max_speed` and √(a·radius/2), for which half of the strongest
/// acceleration a to the side suffices, and at most that with which the sum of both velocities is `max_speed` long, unless the
/// center is faster than that. A radius below that of the turning circle of a car counts as a tenth more than
/// that. (Nelson, Barber, `McLain` and Beard 2007, *Vector field path following for miniature air vehicles*)
#[doc(alias("strafe", "circle"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Orbit {
    /// What the agent circles. Default the origin.
    #[entities]
    pub center: Target,
    /// Radius of the circle, m, `> 0`. Default `5`.
    pub radius: f32,
    /// Which way round. Default [`OrbitDirection::Either`].
    pub direction: OrbitDirection,
    /// The speed along the circle, relative to the center, m/s, `≥ 0`. Default `None`: as fast as the agent can hold the circle.
    pub pace: Option<f32>,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// Which way round an agent circles.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum OrbitDirection {
    /// The way on which the agent already moves; from rest counter-clockwise. The default.
    #[default]
    Either,
    /// The center stays on the left.
    CounterClockwise,
    /// The center stays on the right.
    Clockwise,
}

impl Orbit {
    /// Circles a point or an entity at a distance of `radius` m.
    pub fn new(center: impl Into<Target>, radius: f32) -> Self {
        Self {
            center: center.into(),
            radius,
            ..Self::default()
        }
    }

    /// Sets the [`direction`](Self::direction).
    #[must_use]
    pub fn with_direction(mut self, direction: OrbitDirection) -> Self {
        self.direction = direction;
        self
    }

    /// Sets the [`pace`](Self::pace).
    #[must_use]
    pub fn with_pace(mut self, pace: f32) -> Self {
        self.pace = Some(pace);
        self
    }

    /// The radius of the circle that the agent can hold, m.
    pub fn held_radius(&self, me: &Agent) -> f32 {
        self.radius.max(ROOM * me.turning_radius())
    }
}

impl Default for Orbit {
    fn default() -> Self {
        Self {
            center: Target::default(),
            radius: 5.0,
            direction: OrbitDirection::default(),
            pace: None,
            influence: Influence::of::<Self>(),
        }
    }
}

impl OrbitDirection {
    /// The unit vector along the circle, for one away from the center and a velocity relative to it.
    fn along(self, out: Vec2, velocity: Vec2) -> Vec2 {
        let is_clockwise = match self {
            Self::Either => out.perp_dot(velocity) < 0.0,
            Self::CounterClockwise => false,
            Self::Clockwise => true,
        };
        let side = if is_clockwise { -1.0 } else { 1.0 };
        side * out.perp()
    }
}

impl Behavior for Orbit {
    const PRIORITY: i16 = 75;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([126, 138, 246]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.center), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.center.check("Orbit.center")?;
        InvalidParameter::unless_positive("Orbit.radius", self.radius)?;
        InvalidParameter::unless_non_negative("Orbit.pace", self.pace.unwrap_or(1.0))
    }
}

impl Steer for Orbit {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets
            .get(self.center)
            .map_or(Vec2::ZERO, |center| orbit(me, &center, self))
    }
}

/// The circle of a car is at least this many turning radii wide.
const ROOM: f32 = 1.1;

/// How steeply the agent approaches the circle, per radius that it is off: at twice the radius by 63°.
const APPROACH: f32 = 2.0;

/// The most that the agent counts as off, in radii.
const FAR: f32 = 1e6;

/// Share of the acceleration to the side that the circle takes; the rest brings the agent to it.
const TURNING: f32 = 0.5;

/// A share of the radius: nearer to the center the agent is not held on a smaller circle.
const NEAR: f32 = 0.5;

/// The axle of a body circles with at least this share of the squared radius.
const LEAST: f32 = 0.01;

/// The force of [`Orbit`], N.
pub fn orbit(me: &Agent, center: &Kinematics, how: &Orbit) -> Vec2 {
    // What circles is the axle of a car; its body is a little farther out.
    let pivot = me.pivot().position;
    let (radius, arm) = (how.held_radius(me), me.pivot_arm());
    let square = radius * radius;
    let radius = (square - arm * arm).max(LEAST * square).sqrt();
    let offset = pivot - center.position;
    let out = offset.try_normalize().unwrap_or(ahead(me));
    let velocity = me.rolling() - center.velocity;
    let along = how.direction.along(out, velocity);

    let off = (offset.length() / radius - 1.0).min(FAR);
    let way = (along - APPROACH * off * out).normalize();
    let fastest = me.max_speed.min(me.speed_in_circle(radius, TURNING));
    let pace = how.pace.unwrap_or(f32::INFINITY);
    let speed = pace.min(fastest).min(fastest_beside(me, center, way));
    let to_circle = me.track_for_long(center.velocity + speed * way);

    let around = velocity.dot(along);
    let distance = offset.length().max(NEAR * radius);
    // Across the circle at the beginning of an update, the force would make a body faster the longer the update is.
    let half = within(0.5 * around * me.delta / distance, FRAC_PI_2);
    let (sine, cosine) = ops::sin_cos(half);
    let halfway = cosine * out + sine * along;
    let holding = me.push(-around * around / distance * halfway);
    limited(to_circle + holding, me.max_force)
}

/// The largest speed along `way` relative to a moving center at which the agent keeps to its `max_speed`, m/s. A longer sum of the
/// velocities would be cut, which bends it towards that of the center.
fn fastest_beside(me: &Agent, center: &Kinematics, way: Vec2) -> f32 {
    let spare = me.max_speed * me.max_speed - center.velocity.length_squared();
    if spare <= 0.0 {
        return f32::INFINITY;
    }
    let with_it = center.velocity.dot(way);
    (with_it * with_it + spare).sqrt() - with_it
}

#[cfg(test)]
mod tests;
