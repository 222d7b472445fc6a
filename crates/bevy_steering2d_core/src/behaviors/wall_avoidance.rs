//! Wall avoidance: pushes an agent away from walls that its feelers hit.

use bevy::prelude::*;

use super::contacts::{Touch, Touches};
use super::embeds_influence;
use super::feelers::{Feeler, Feelers, Whisker};
use super::shared::backing::backing_from_walls;
use super::shared::stops::{Stops, stops_within};
use super::shared::urgency::{
    ahead, most_turning, proximity_urgency, sight, skin, stopping_urgency,
};
use crate::perception::{ColliderProbes, NearProbe, ProbeAnswers, RayProbe, Surroundings, WallHit};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};

/// Pushes the agent away from [`Wall`](crate::Wall)s that its feelers hit.
///
#[doc = include_str!("figures/wall_avoidance.svg")]
///
/// Use it for rooms, mazes and streets; with [`SensesColliders`](crate::SensesColliders) also for
/// colliders of any shape. Walls are solid on both sides. For round obstacles
/// [`ObstacleAvoidance`](crate::ObstacleAvoidance) looks more natural.
///
/// The length l of a feeler counts from the rim of the body. If the part o of it is beyond a wall, the
/// wall pushes with `max_force · response(2·o / l)`, N, along its normal on the agent's side: with full
/// force once half of the feeler is beyond. A slow agent is pushed less to the side: it turns within its response time. One
/// whose `max_force` is more than it needs to reach full speed within that time is pushed with no more than this, unless it
/// nearly touches the wall.
/// Where the body nearly touches the wall, the push counts up to twice against the wall opposite. The nearest point of
/// any wall also pushes, for wall ends that slip between feelers. The strongest push counts in full; each further one
/// adds what is missing along its own normal. So the walls of a corridor balance, and those of an acute corner also push
/// out of it. A car that a wall ahead pushes back turns its front to the free side meanwhile, and backs off until the wall
/// hardly pushes. (Buckland 2005)
///
/// The feelers of a car are longer by its turning radius, ahead and behind, so that the default [`Wheeled`](crate::Wheeled) begins
/// to back off 3.5 m before a wall ahead. While the stop of its [`Arrive`](crate::Arrive) or the end of its path lies about
/// straight ahead, its feelers mind no wall farther away than that. Where it [parks](crate::Park) close to walls, disable the
/// behavior.
#[doc(alias("Evadir Paredes", "Evitar muros", "Colisão com muros"))]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct WallAvoidance {
    /// The feelers. Default [`Feelers::Whiskers`].
    pub feelers: Feelers,
    /// Length of the longest feeler at rest, outside the body, m, `> 0`; those of a driven body are longer by its
    /// [turning radius](Agent::turning_radius). Default `1`.
    pub min_length: f32,
    /// Time ahead by which feelers grow with speed, s, `≥ 0`. Default `0.5`. They grow by at least
    /// four stopping distances.
    pub look_ahead_time: f32,
    /// Whether there is another feeler that points back. Default `true`. At rest it is as long as the
    /// longest feeler; it shrinks to zero at full speed ahead, and grows while the body reverses, as
    /// cars do.
    pub rear: bool,
    /// How the push grows with the overshoot. Default [`WallResponse::Linear`].
    pub response: WallResponse,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// How the push of a [`WallAvoidance`] grows with the overshoot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum WallResponse {
    /// In proportion to the overshoot. The default.
    #[default]
    Linear,
    /// With the square of the overshoot: later and harder.
    Quadratic,
    /// In proportion to the overshoot, and any hit also stops the motion towards the wall as hard as
    /// possible; the agent may slide along the wall.
    Stop,
}

/// Least length of a feeler in stopping distances: half of it covers two.
const STOPPING_DISTANCES: f32 = 4.0;

impl Default for WallAvoidance {
    fn default() -> Self {
        Self {
            feelers: Feelers::default(),
            min_length: 1.0,
            look_ahead_time: 0.5,
            rear: true,
            response: WallResponse::default(),
            influence: Influence::of::<Self>(),
        }
    }
}

impl WallAvoidance {
    /// Avoids walls with the given feelers.
    pub fn new(feelers: Feelers) -> Self {
        Self {
            feelers,
            ..Self::default()
        }
    }

    /// Sets the [`feelers`](Self::feelers).
    #[must_use]
    pub fn with_feelers(mut self, feelers: Feelers) -> Self {
        self.feelers = feelers;
        self
    }

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

    /// Sets the [`rear`](Self::rear).
    #[must_use]
    pub fn with_rear(mut self, rear: bool) -> Self {
        self.rear = rear;
        self
    }

    /// Sets the [`response`](Self::response).
    #[must_use]
    pub fn with_response(mut self, response: WallResponse) -> Self {
        self.response = response;
        self
    }

    /// The feelers in world coordinates.
    pub fn whiskers(&self, me: &Agent) -> impl Iterator<Item = Whisker> {
        let growth = |speed| sight(me, speed, self.look_ahead_time, STOPPING_DISTANCES);
        let speed = me.forward_speed();
        let length = self.min_length + growth(speed.max(0.0));
        let slowness = (1.0 - speed / me.max_speed).clamp(0.0, 1.0);
        let at_rest = growth(0.0);
        let back = slowness * (self.min_length + at_rest) + (growth(-speed.min(0.0)) - at_rest);
        let back = (self.rear && back > 0.0).then(|| Feeler::REAR.whisker(me, back));
        let list = self.feelers.list().iter();
        let front = list.map(move |feeler| feeler.whisker(me, length));
        front.chain(back)
    }
}

impl Behavior for WallAvoidance {
    const PRIORITY: i16 = 180;
    const COLOR: Option<[u8; 3]> = Some([70, 219, 5]);

    type Memory = ();
    type World = (Surroundings<'static, 'static>, Stops<'static, 'static>);

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("WallAvoidance.min_length", self.min_length)?;
        InvalidParameter::unless_non_negative(
            "WallAvoidance.look_ahead_time",
            self.look_ahead_time,
        )?;
        self.feelers.check("WallAvoidance.feelers")
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        for whisker in self.whiskers(me) {
            probes.ask_whisker(whisker);
        }
        probes.ask_near(me.position, body_range(me));
    }
}

impl Steer for WallAvoidance {
    fn steer(&self, me: &Agent, _: (), (surroundings, stops): &(Surroundings, Stops)) -> Vec2 {
        let answers = surroundings.answers(self, me);
        let response = self.response;
        // Only a body with a turning circle backs off before walls.
        let backs_off = me.turning_radius() > 0.0;
        let stop = backs_off.then(|| stops.of(me)).flatten();
        let rays = answers.rays().filter(|ray| is_in_the_way(ray, me, stop));
        let by_feelers = rays.filter_map(|ray| touched_by_feeler(&ray, me, response));
        let near = answers.near();
        let by_body = near.filter_map(|near| touched_by_body(&near, me, response));
        let push = wall_avoidance(me, by_feelers.chain(by_body), response);
        backing_from_walls(me, push, || nearest_hit(&answers, me))
    }
}

/// Whether what a feeler meets counts: nothing farther away than the stop of the agent, if it has one.
fn is_in_the_way(feeler: &RayProbe, me: &Agent, stop: Option<Vec2>) -> bool {
    let stops = |(hit, stop): (WallHit, Vec2)| {
        stops_within(me, stop, me.position.distance(hit.point) - me.radius)
    };
    !feeler.hit.zip(stop).is_some_and(stops)
}

/// The offset from the agent to the nearest point that a feeler or its body has found, m.
fn nearest_hit(answers: &ProbeAnswers, me: &Agent) -> Option<Vec2> {
    let by_feelers = answers.rays().filter_map(|it| it.hit);
    let by_body = answers.near().filter_map(|it| it.hit);
    let offsets = by_feelers.chain(by_body).map(|it| it.point - me.position);
    offsets.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
}

/// Share of a feeler beyond a wall at which the push is full. The other half of the feeler is a reserve
/// against behaviors that push towards the wall.
const FULL_PUSH: f32 = 0.5;

/// How far ahead in time the gap beside the body counts, in response times. It damps the pushes of two walls between
/// which the body hardly fits.
const ANTICIPATION: f32 = 0.2;

/// Search radius for the nearest wall, m: enough to stop in time.
fn body_range(me: &Agent) -> f32 {
    me.radius + skin(me) + sight(me, me.speed(), 0.0, STOPPING_DISTANCES)
}

fn touched_by_feeler(feeler: &RayProbe, me: &Agent, response: WallResponse) -> Option<Touch> {
    let hit = feeler.hit?;
    // A feeler may start beyond the wall; the side that counts is that of the body's center.
    let on_my_side = (me.position - hit.point).dot(hit.normal) >= 0.0;
    let normal = if on_my_side { hit.normal } else { -hit.normal };
    let overshoot = feeler.from.distance(feeler.to) - hit.distance;
    let probing = (overshoot / (FULL_PUSH * feeler.free)).clamp(0.0, 1.0);
    let across = ahead(me).perp_dot(normal).abs();
    let turning = 1.0 - across * across * (1.0 - most_turning(me));
    let gap = (me.position - hit.point).dot(normal) - me.radius;
    let closing_speed = -me.velocity.dot(normal);
    let strength = response.urgency_for(strength(me, gap, closing_speed));
    let soon = gap - ANTICIPATION * me.response_time * closing_speed;
    Some(Touch {
        normal,
        urgency: strength * turning * probing * (1.0 + proximity_urgency(me, soon)),
    })
}

/// The touch of the nearest wall, for wall ends that slip between feelers.
fn touched_by_body(near: &NearProbe, me: &Agent, response: WallResponse) -> Option<Touch> {
    let hit = near.hit?;
    let gap = hit.distance - me.radius;
    let closing_speed = -me.velocity.dot(hit.normal);
    let strength = response.urgency_for(strength(me, gap, closing_speed));
    Some(Touch {
        normal: hit.normal,
        urgency: stopping_urgency(me, closing_speed, gap)
            .max(strength * proximity_urgency(me, gap)),
    })
}

/// The share of `max_force` with which a wall pushes: no more than brings the agent to full speed within its response
/// time. With more a light or strong agent would be thrown to and fro. Close to the wall it brings the agent a quarter of the
/// way out of its skin in this update, against others that press; in the wall it is all.
fn strength(me: &Agent, gap: f32, closing_speed: f32) -> f32 {
    let update = me.delta.max(f32::MIN_POSITIVE);
    let calm = me.max_speed / me.response();
    let leaving = (skin(me) - gap) / update + closing_speed;
    let share = calm.max(0.25 * leaving / update) / me.max_acceleration();
    share
        .min(1.0)
        .lerp(1.0, (-2.0 * gap / skin(me)).clamp(0.0, 1.0))
}

/// The force of [`WallAvoidance`] for touches in any order, N.
pub fn wall_avoidance(
    me: &Agent,
    touches: impl IntoIterator<Item = Touch>,
    response: WallResponse,
) -> Vec2 {
    let mut pushes = Touches::default();
    for touch in touches {
        let urgency = response.strength(me, &touch);
        pushes.add(Touch { urgency, ..touch });
    }
    me.max_force * pushes.push()
}

impl WallResponse {
    /// The urgency of a touch that pushes with this share of `max_force`.
    fn urgency_for(self, share: f32) -> f32 {
        match self {
            Self::Quadratic => share.sqrt(),
            Self::Linear | Self::Stop => share,
        }
    }

    /// The share of `max_force` with which a touch pushes.
    fn strength(self, me: &Agent, touch: &Touch) -> f32 {
        match self {
            Self::Linear => touch.urgency,
            Self::Quadratic => touch.urgency * touch.urgency,
            Self::Stop if touch.urgency == 0.0 => 0.0,
            Self::Stop => {
                let closing_speed = -me.velocity.dot(touch.normal);
                let stop_in_a_tick = me.mass * closing_speed / me.delta.max(f32::MIN_POSITIVE);
                touch.urgency.max((stop_in_a_tick / me.max_force).min(1.0))
            }
        }
    }
}

#[cfg(test)]
mod tests;
