//! Obstacle avoidance: steers around round obstacles ahead.

use std::cell::LazyCell;

use bevy::prelude::*;
use smallvec::SmallVec;

use super::contacts::{Touch, Touches};
use super::embeds_influence;
use super::shared::backing::{Blockade, backs_off_within};
use super::shared::stops::{Stops, stops_before};
use super::shared::urgency::{
    ahead, most_turning, overlap_urgency, sight, skin, stopping, stopping_urgency, travel,
    travel_speed, turning_urgency,
};
use crate::perception::{Circle, ColliderProbes, Surroundings};
use crate::{Agent, Behavior, Influence, InvalidParameter, Kinematics, Steer};

/// Steers around [`Obstacle`](crate::Obstacle)s ahead, and brakes where the agent may not get around
/// them.
///
#[doc = include_str!("figures/obstacle_avoidance.svg")]
///
/// Use it for trees, rocks and parked cars; with [`SensesColliders`](crate::SensesColliders) also for
/// colliders of any shape. For long straight obstacles [`WallAvoidance`](crate::WallAvoidance) is
/// better. Only obstacles in the detection box ahead count, and those behind that nearly touch the agent.
///
/// It goes by where obstacles are, not by how they move: one that is slow beside the agent is avoided, but an agent at rest does
/// not step out of the way of one that comes. Where obstacles move fast, take
/// [`ReciprocalAvoidance`](crate::ReciprocalAvoidance), which takes the velocity of their bodies into account.
///
/// In the agent's frame the obstacle is at (x, y); r is the sum of its radius, the agent's radius and
/// the margin, m. The agent turns for the obstacle that needs the strongest acceleration, m/s², and
/// brakes for all:
///
/// - turning: `2·v·c·(r − |y|) / (x² + y² − r²)`, sideways away from the obstacle's center, for the widest circle that passes it; an obstacle dead ahead is passed on the left,
/// - braking: `c² / 2·gap`, away from the obstacle's center; and `c² / 2·d`, away from both, before a
///   gap between two obstacles that is too narrow for the agent,
///
/// where v is the speed and c the closing speed, m/s, and d the distance to the contact with one of
/// the two, m. For a boat, x counts less its way in half of its [lag](crate::Abilities::lag), for turning only.
/// Each gets a share of `max_force` that rises from 0, if a quarter of the maximum acceleration suffices, to 1,
/// if half is needed. Two limits apply: braking at most stops the agent within this update, and turning between
/// two obstacles changes its direction by at most a radian per response time. Obstacles that nearly touch the
/// agent push it back. The force fades over the last quarter of the box and, where the body would pass an
/// obstacle within the margin, towards the sides of the box. (Reynolds 1999; Buckland 2005)
///
/// A boat must turn its bow before it can move sideways, so it also turns for an obstacle in its way that nearly
/// touches it, at any speed.
///
/// In reverse gear the box is behind the agent. A car backs off from an obstacle close ahead that its
/// turning circle does not pass; a car at rest only from an obstacle within the margin. It may pass an obstacle
/// within the margin if it keeps half of the gap. It does not turn at rest.
///
/// While the stop of its [`Arrive`](crate::Arrive) or the end of its path lies about straight ahead, an agent only brakes for
/// obstacles farther away than that: it comes to rest before it would have to turn or to back off.
#[doc(alias("Evadir Obstáculos", "Evitar obstáculos"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ObstacleAvoidance {
    /// Length of the detection box at rest, ahead of the body's edge, m, `≥ 0`; that of a driven body is longer by its
    /// [turning radius](Agent::turning_radius), and that of a boat by its way in half of its
    /// [lag](crate::Abilities::lag). Default `1`.
    pub min_length: f32,
    /// Time ahead by which the box grows with speed, s, `≥ 0`. Default `1`. It grows by at least three stopping
    /// distances.
    pub look_ahead_time: f32,
    /// Clearance beside the body, m, `≥ 0`. Default `0.25`.
    pub margin: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Default for ObstacleAvoidance {
    fn default() -> Self {
        Self {
            min_length: 1.0,
            look_ahead_time: 1.0,
            margin: 0.25,
            influence: Influence::of::<Self>(),
        }
    }
}

/// Least growth of the box in stopping distances; turning needs more than stopping.
const STOPPING_DISTANCES: f32 = 3.0;

/// Share of the box over which the force fades.
const FADING: f32 = 0.25;

impl ObstacleAvoidance {
    /// Sets the [`min_length`](Self::min_length).
    #[must_use]
    pub fn with_min_length(mut self, min_length: f32) -> Self {
        self.min_length = min_length;
        self
    }

    /// Sets the [`look_ahead_time`](Self::look_ahead_time).
    #[must_use]
    pub fn with_look_ahead_time(mut self, look_ahead_time: f32) -> Self {
        self.look_ahead_time = look_ahead_time;
        self
    }

    /// Sets the [`margin`](Self::margin).
    #[must_use]
    pub fn with_margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }

    /// Length of the detection box, m.
    pub fn length(&self, me: &Agent) -> f32 {
        let speed = travel_speed(me).max(0.0);
        let sight = sight(me, speed, self.look_ahead_time, STOPPING_DISTANCES);
        me.radius + self.min_length + sight + lead(me, speed)
    }

    /// Whether the agent avoids an obstacle: one in the detection box or nearly touching.
    pub fn avoids(&self, me: &Agent, obstacle: Circle) -> bool {
        Threat::seen(me, obstacle, self).is_some()
    }
}

impl Behavior for ObstacleAvoidance {
    const PRIORITY: i16 = 170;
    const COLOR: Option<[u8; 3]> = Some([253, 136, 217]);

    type Memory = ();
    type World = (Surroundings<'static, 'static>, Stops<'static, 'static>);

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("ObstacleAvoidance.min_length", self.min_length)?;
        InvalidParameter::unless_non_negative(
            "ObstacleAvoidance.look_ahead_time",
            self.look_ahead_time,
        )?;
        InvalidParameter::unless_non_negative("ObstacleAvoidance.margin", self.margin)
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        let radius = me.radius + self.margin.max(skin(me));
        let tip = me.position + self.length(me) * travel(me);
        probes.ask_sweep(me.position, tip, radius);
        // In reverse gear it still sees the obstacle that it backs off from.
        let back_off = backs_off_within(me).filter(|_| me.is_reversing());
        if let Some(reach) = back_off {
            probes.ask_sweep(me.position, me.position + reach * ahead(me), radius);
        }
    }
}

impl Steer for ObstacleAvoidance {
    fn steer(&self, me: &Agent, _: (), (surroundings, stops): &(Surroundings, Stops)) -> Vec2 {
        let mut threats = Threats::default();
        let stop = LazyCell::new(|| stops.of(me));
        surroundings
            .answers(self, me)
            .for_each_obstacle(|obstacle| {
                threats.add(me, obstacle.circle, *stop, self);
            });
        threats.force(me)
    }
}

/// The force of [`ObstacleAvoidance`] for these obstacles, N.
pub fn obstacle_avoidance(
    me: &Agent,
    obstacles: impl IntoIterator<Item = Circle>,
    how: &ObstacleAvoidance,
) -> Vec2 {
    let mut threats = Threats::default();
    for obstacle in obstacles {
        threats.add(me, obstacle, None, how);
    }
    threats.force(me)
}

/// The obstacles to avoid: the agent turns for the worst, and brakes for all and before narrow gaps.
#[derive(Default)]
struct Threats {
    worst: Option<Threat>,
    braking: Touches,
    /// The obstacle before which the agent backs off.
    blockade: Option<Blockade>,
    /// The nearest ones, by distance ahead.
    nearest: SmallVec<[Threat; Self::KEPT]>,
}

impl Threats {
    /// Most obstacles between which narrow gaps are looked for.
    const KEPT: usize = 8;

    /// Adds an obstacle. The agent brakes for one beyond the point where it is about to `stop`, but does not turn for it.
    fn add(&mut self, me: &Agent, obstacle: Circle, stop: Option<Vec2>, how: &ObstacleAvoidance) {
        let threat = Threat::seen(me, obstacle, how);
        if let Some(threat) = &threat {
            self.braking.add(threat.brake());
        }
        if stop.is_some_and(|stop| stops_before(me, stop, obstacle)) {
            return;
        }
        let blockade = Blockade::seen(me, obstacle, how.margin);
        self.blockade = Blockade::tighter(self.blockade, blockade);
        let Some(threat) = threat else {
            return;
        };
        for other in &self.nearest {
            self.braking.add(threat.brake_before_gap(me, other));
        }
        let place = self.nearest.partition_point(|near| near.at.x < threat.at.x);
        if place < Self::KEPT {
            self.nearest.truncate(Self::KEPT - 1);
            self.nearest.insert(place, threat);
        }
        // Of those that need no acceleration, as at rest, the one that presses most.
        let rank = |it: Threat| (it.need(), it.pressing);
        if self.worst.is_none_or(|worst| rank(threat) > rank(worst)) {
            self.worst = Some(threat);
        }
    }

    fn force(&self, me: &Agent) -> Vec2 {
        let turning = self.worst.map_or(Vec2::ZERO, |worst| {
            let turn = worst.turn(me);
            if self.nearest.iter().any(|it| it.turns_against(&worst)) {
                turn.clamp_length_max(most_turning(me))
            } else {
                turn
            }
        });
        let pushes = me.max_force * (turning + self.braking.push());
        let all = match self.blockade {
            Some(blockade) => pushes + blockade.back_off(me),
            None => pushes,
        };
        all.clamp_length_max(me.max_force)
    }
}

/// An obstacle to avoid, and the accelerations that avoid it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Threat {
    /// Position in the agent's frame, m: x ahead, y to the left.
    at: Vec2,
    /// Sum of its radius and the agent's, m.
    touching: f32,
    /// Lateral acceleration that passes it, m/s².
    turning: f32,
    /// Acceleration that stops before it, m/s².
    stopping: f32,
    /// The urgency of stopping.
    braking: f32,
    /// Push of an obstacle that nearly touches the agent: 1 at contact, more in overlap.
    pressing: f32,
    /// The most urgency of braking and pressing. It falls from 1 beside the body to 0 at the side of the
    /// box; infinite in the way of the body.
    most: f32,
    /// Direction of turning.
    sideways: Vec2,
    /// Direction of braking.
    back: Vec2,
    /// 1 near, falling to 0 at the end of the box.
    nearness: f32,
}

impl Threat {
    fn seen(me: &Agent, obstacle: Circle, how: &ObstacleAvoidance) -> Option<Self> {
        let heading = travel(me);
        let left = heading.perp();
        let offset = obstacle.center - me.position;
        let (x, y) = (heading.dot(offset), left.dot(offset));
        let touching = obstacle.radius + me.radius;
        let r = touching + how.margin;
        // Distance straight on until it touches the margin.
        let distance_ahead = x - (r * r - y * y).max(0.0).sqrt();
        let length = how.length(me);
        let distance = offset.length().max(f32::MIN_POSITIVE);
        let gap = distance - touching;
        let speed = travel_speed(me);
        // An obstacle behind no longer pushes once the agent moves away fast enough.
        let leaving = -speed * x / (distance * me.max_speed);
        let pressing = overlap_urgency(me, gap) * (1.0 - leaving / LEAVING).clamp(0.0, 1.0);
        if !((x > 0.0 || pressing > 0.0) && y.abs() < r && distance_ahead < length) {
            return None;
        }
        let speed = speed.max(0.0);
        let closing = speed * x.max(0.0) / distance;
        // Squared length of the tangent to the obstacle; inside the margin there is none.
        let to = Vec2::new(x - lead(me, speed).min(x.max(0.0)), y);
        let tangent_squared = (to.length_squared() - r * r).max(CONTACT * r * r);
        let is_in_the_way = y.abs() <= touching;
        Some(Self {
            at: Vec2::new(x, y),
            touching,
            turning: 2.0 * speed * closing * (r - y.abs()) / tangent_squared,
            stopping: stopping(me, closing, gap),
            braking: stopping_urgency(me, closing, gap),
            pressing,
            most: if is_in_the_way {
                f32::INFINITY
            } else {
                (r - y.abs()) / how.margin
            },
            sideways: if y > 0.0 { -left } else { left },
            back: -offset / distance,
            nearness: ((length - distance_ahead) / (FADING * length)).min(1.0),
        })
    }

    /// The acceleration needed to avoid it, m/s².
    fn need(&self) -> f32 {
        self.turning.max(self.stopping) * self.nearness
    }

    /// The turn as a share of `max_force`.
    fn turn(&self, me: &Agent) -> Vec2 {
        // The turning circle is as wide at any speed, so the slightest motion would turn a car that stands and
        // may be where it should be.
        if me.turning_radius() > 0.0 && travel_speed(me) <= Kinematics::STANDING {
            return Vec2::ZERO;
        }
        let turning = turning_urgency(me, self.turning).max(self.turning_bow(me));
        self.nearness * turning * self.sideways
    }

    /// How much a body that turns its bow before it moves turns for an obstacle close in its way, `0..=1`: at rest it would be
    /// pushed straight back. It fades where the bow points past the obstacle.
    fn turning_bow(&self, me: &Agent) -> f32 {
        let lags = me.abilities.is_some_and(|body| body.lag > 0.0);
        if lags && self.at.x > 0.0 {
            let side = 2.0 * (1.0 - self.at.y.abs() / self.touching);
            self.pressing.min(1.0) * side.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Whether the agent turns for this obstacle to the other side than for another: it is between them.
    fn turns_against(&self, other: &Self) -> bool {
        self.turning > 0.0 && self.sideways.dot(other.sideways) < 0.0
    }

    fn brake(&self) -> Touch {
        let urgency = self.braking.max(self.pressing);
        Touch {
            normal: self.back,
            urgency: self.nearness * urgency.min(self.most),
        }
    }

    /// Brakes before a gap between two obstacles that is too narrow for the agent. Avoiding them one by
    /// one, the agent would turn from one to the other.
    fn brake_before_gap(&self, me: &Agent, other: &Self) -> Touch {
        let between = self.at.y * other.at.y < 0.0;
        let too_narrow = self.at.distance(other.at) < self.touching + other.touching;
        let distance = self.distance_to_contact().min(other.distance_to_contact());
        let normal = (self.back + other.back).normalize_or(-travel(me));
        let urgency = if between && too_narrow && distance.is_finite() {
            let closing_speed = -me.velocity.dot(normal);
            self.nearness.min(other.nearness) * stopping_urgency(me, closing_speed, distance)
        } else {
            0.0
        };
        Touch { normal, urgency }
    }

    /// Distance straight on until contact, m; infinity if there is none.
    fn distance_to_contact(&self) -> f32 {
        let across = self.touching * self.touching - self.at.y * self.at.y;
        if across > 0.0 {
            self.at.x - across.sqrt()
        } else {
            f32::INFINITY
        }
    }
}

/// How far a body goes on before it turns, m: half of its lag.
fn lead(me: &Agent, speed: f32) -> f32 {
    0.5 * speed * me.abilities.map_or(0.0, |body| body.lag)
}

/// Share of the maximum speed, away from an obstacle, at which it no longer pushes.
const LEAVING: f32 = 0.25;

/// A tangent shorter than this, squared and in radii, counts as contact.
const CONTACT: f32 = 0.01;

#[cfg(test)]
mod tests;
