//! Arrive: heads for a target and comes to rest there.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use super::embeds_influence;
use crate::{
    Agent, Announcements, Arrived, Behavior, Influence, InvalidParameter, Steer, SteeringAppExt,
    Target, Targets,
};

/// Heads for a target and comes to rest there.
///
#[doc = include_str!("figures/arrive.svg")]
///
/// Use it wherever an agent must stop: units sent to a point, guests at their seats. When the agent
/// has come to rest, [`Arrived`] is triggered once per order: each insertion is one, also to the same
/// target, and so is a change of the target by more than the tolerance. To pass through the target use
/// [`Seek`](crate::Seek).
///
/// Outside the tolerance: `F = track(v · dir(p → t))`, in N, with the braking speed v of
/// [`Braking`], m/s. Inside: `F = track(0)`, so even a frictionless body stops. (Reynolds 1999;
/// Buckland 2005)
#[doc(alias("Arribar", "Arrival", "прибытие"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_discard = forget_arrival)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Arrive {
    /// The point or entity to approach. Default the origin.
    #[entities]
    pub target: Target,
    /// How it slows down. Default [`Braking::Physical`].
    pub braking: Braking,
    /// The agent has arrived within this distance of the target, m, between the centers, `> 0`. Default `0.1`.
    /// For one order [`Arrived`] comes again only after the agent was beyond twice this: for repeated attacks test the distance.
    pub tolerance: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// How an [`Arrive`] slows down: the allowed speed v at a distance d from the target.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Braking {
    /// As late as the body can: `v = √(2·a·d)` with `a = 0.9 · max_force / mass`, or 0.9 of what the
    /// brakes of a driven body can do, reduced for the response time. Never overshoots, for any mass.
    /// The default.
    ///
    /// The remaining tenth of the force corrects the direction while braking.
    #[default]
    Physical,
    /// `v = d / (k · 0.3 s)` with k = 1, 2, 3. Heavy or weak bodies overshoot. (Buckland 2005)
    Deceleration(Deceleration),
    /// `v = max_speed · d / slowing_radius`. (Reynolds 1999)
    Ramp {
        /// The agent slows down within this distance of the target, m, `> 0`.
        slowing_radius: f32,
    },
}

/// The three rates of [`Braking::Deceleration`].
#[doc(alias("Desaceleracion"))]
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Deceleration {
    /// Gentle: k = 3, `v = d / 0.9 s`.
    Slow,
    /// The default: k = 2, `v = d / 0.6 s`.
    #[default]
    Normal,
    /// Hard: k = 1, `v = d / 0.3 s`.
    Fast,
}

/// What an [`Arrive`] remembers between ticks: whether the agent has arrived, and where.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ArriveMemory {
    /// The agent has come to rest inside the tolerance and has stayed within twice the tolerance.
    pub arrived: bool,
    /// The target at which it has arrived; the default until then.
    #[entities]
    pub target: Target,
}

impl ArriveMemory {
    /// Whether the agent has arrived at a target, or at a point within the tolerance of that one: a point
    /// that moves little by little is not a new one in every tick.
    fn has_arrived_at(&self, target: Target, tolerance: f32) -> bool {
        self.arrived
            && match (self.target, target) {
                (Target::Point(before), Target::Point(now)) => before.distance(now) <= tolerance,
                (before, now) => before == now,
            }
    }
}

impl Arrive {
    /// Arrives at a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    /// Sets the [`braking`](Self::braking).
    #[must_use]
    pub fn with_braking(mut self, braking: Braking) -> Self {
        self.braking = braking;
        self
    }
}

impl Default for Arrive {
    fn default() -> Self {
        Self {
            target: Target::default(),
            braking: Braking::default(),
            tolerance: 0.1,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Arrive {
    const PRIORITY: i16 = 90;
    const COLOR: Option<[u8; 3]> = Some([191, 192, 2]);

    type Memory = (Entity, &'static mut ArriveMemory);
    type World = (
        Targets<'static, 'static>,
        Res<'static, Announcements<Arrived>>,
    );

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.target), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("Arrive.target")?;
        InvalidParameter::unless_positive("Arrive.tolerance", self.tolerance)?;
        self.braking.check("Arrive.braking.slowing_radius")
    }

    fn build(app: &mut App) {
        app.add_announcement::<Arrived>();
    }
}

impl Steer for Arrive {
    fn steer(
        &self,
        me: &Agent,
        (source, mut memory): (Entity, Mut<ArriveMemory>),
        (targets, arrivals): &(Targets, Res<Announcements<Arrived>>),
    ) -> Vec2 {
        let Some(target) = targets.get(self.target) else {
            return Vec2::ZERO;
        };
        let before = memory.has_arrived_at(self.target, self.tolerance);
        let arrived = has_arrived(me, target.position, self.tolerance, before);
        if !arrived {
            memory.set_if_neq(ArriveMemory::default());
        } else if !before {
            *memory = ArriveMemory {
                arrived,
                target: self.target,
            };
            let event = Arrived {
                entity: me.entity,
                target: self.target,
                source,
            };
            arrivals.send(me.source_id, source, event);
        }
        arrive(me, target.position, self.braking, self.tolerance)
    }
}

/// Resets the memory, so that an `Arrive` that is inserted again, also in place of another, triggers the
/// event again.
fn forget_arrival(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut memory) = world.get_mut::<ArriveMemory>(context.entity) {
        *memory = ArriveMemory::default();
    }
}

/// The force of [`Arrive`], N.
pub fn arrive(me: &Agent, point: Vec2, braking: Braking, tolerance: f32) -> Vec2 {
    me.track(approach(me, point, braking, tolerance))
}

/// The velocity that brings the agent to rest at a point, m/s.
pub(super) fn approach(me: &Agent, point: Vec2, braking: Braking, tolerance: f32) -> Vec2 {
    let distance = me.position.distance(point);
    if distance <= tolerance {
        return Vec2::ZERO;
    }
    let way = me.way_to(point);
    slowed(
        me,
        way.run,
        way.direction,
        me.max_speed.min(way.speed),
        braking,
    )
}

/// The velocity in a direction, at up to `most` m/s, that brings the agent to rest after `run` m, m/s.
pub(super) fn slowed(me: &Agent, run: f32, direction: Vec2, most: f32, braking: Braking) -> Vec2 {
    let BrakingCurve { speed, slope } = braking.curve(me, run);
    if speed >= most {
        return most * direction;
    }
    // On the curve the speed must fall by slope · closing speed per second. Requesting the lower
    // speed ahead of time compensates for the response time.
    let closing_speed = me.velocity.dot(direction).max(0.0);
    (speed - braking_lag(me) * slope * closing_speed) * direction
}

/// Whether the agent has arrived: inside the tolerance and slow enough to stop there. It departs at
/// twice the tolerance, so that a nudge does not count as a departure.
pub(super) fn has_arrived(me: &Agent, point: Vec2, tolerance: f32, before: bool) -> bool {
    let distance = me.position.distance(point);
    if before {
        distance <= 2.0 * tolerance
    } else {
        distance <= tolerance && me.speed() * me.response_time.max(me.delta) <= tolerance
    }
}

/// The speed allowed at a distance and how it changes with it.
struct BrakingCurve {
    /// m/s
    speed: f32,
    /// Derivative of the speed by distance, where the response time is compensated, 1/s.
    slope: f32,
}

impl Braking {
    #[inline]
    pub(super) fn check(self, slowing_radius_field: &'static str) -> Result<(), InvalidParameter> {
        match self {
            Self::Ramp { slowing_radius } => {
                InvalidParameter::unless_positive(slowing_radius_field, slowing_radius)
            }
            _ => Ok(()),
        }
    }

    /// The distance from the target at which an agent at full speed begins to slow down, m.
    pub fn slowing_distance(self, me: &Agent) -> f32 {
        const FARTHEST: f32 = 1e6;
        const HALVINGS: u32 = 24;
        let is_slowed = |distance| self.curve(me, distance).speed < me.max_speed;
        let (mut near, mut far) = (0.0, 1.0);
        while is_slowed(far) && far < FARTHEST {
            (near, far) = (far, 2.0 * far);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            if is_slowed(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    }

    fn curve(self, me: &Agent, distance: f32) -> BrakingCurve {
        match self {
            Self::Physical => {
                let planned = PLANNED * me.braking();
                physical(distance, planned, braking_lag(me))
            }
            Self::Deceleration(deceleration) => BrakingCurve {
                speed: distance / deceleration.time(),
                slope: 0.0,
            },
            Self::Ramp { slowing_radius } => BrakingCurve {
                speed: me.max_speed * distance / slowing_radius,
                slope: 0.0,
            },
        }
    }
}

impl Deceleration {
    /// `k · 0.3 s`
    fn time(self) -> f32 {
        match self {
            Self::Slow => 0.9,
            Self::Normal => 0.6,
            Self::Fast => 0.3,
        }
    }
}

/// Share of the strongest deceleration that [`Braking::Physical`] plans with.
pub(super) const PLANNED: f32 = 0.9;

/// The response time, s: at least two ticks, since the agent cannot follow the curve with less, and at
/// least the lag of a driven body.
pub(super) fn braking_lag(me: &Agent) -> f32 {
    let lag = me.abilities.map_or(0.0, |body| body.lag);
    me.response_time.max(2.0 * me.delta).max(lag)
}

/// The distance in which the agent can stop, m.
pub(super) fn stopping_distance(me: &Agent) -> f32 {
    let speed = me.speed();
    speed * speed / (2.0 * PLANNED * me.braking()) + speed * braking_lag(me)
}

/// The highest speed from which full braking with response time `lag` stops within `distance`:
/// `√(2·a·d)` reduced for the lag, and `d / lag` where the force no longer saturates.
fn physical(distance: f32, acceleration: f32, lag: f32) -> BrakingCurve {
    let unsaturated = acceleration * lag * lag;
    if distance <= unsaturated {
        BrakingCurve {
            speed: distance / lag,
            slope: lag.recip(),
        }
    } else {
        let speed = (acceleration * (2.0 * distance - unsaturated)).sqrt();
        BrakingCurve {
            speed,
            slope: acceleration / speed,
        }
    }
}

#[cfg(test)]
mod tests;
