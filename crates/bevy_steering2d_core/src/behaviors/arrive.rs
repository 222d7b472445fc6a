//! Arrive: heads for a target and comes to rest there.

use bevy::prelude::*;

use super::braking::{Braking, slowed, slowed_while_closing, speed_before};
use super::embeds_influence;
use crate::require::forget;
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
/// [`Seek`](crate::Seek), to stop with a given heading [`Park`](crate::Park), and for a group that is to stand around the
/// target `GroupArrive` (feature `navigation`).
///
/// Outside the tolerance: `F = track(v · dir(p → t))`, in N, with the braking speed v of
/// [`Braking`], m/s. Inside: `F = track(0)`, so even a frictionless body stops. (Reynolds 1999;
/// Buckland 2005)
///
/// An agent that has arrived and is pushed out of its tolerance returns gently, unless it is driven: at the edge v is that of
/// a distance of 6 % of the tolerance, and it grows to its usual size at twice the tolerance. So an agent that others keep
/// pushing rests where the forces balance.
///
/// To stop before the target, for instance to shoot at it, set a [`standoff`](Self::standoff): t is then the point that
/// far before it.
#[doc(alias("Arribar", "Arrival", "прибытие"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
// One that is inserted again, also in place of another, triggers the event again.
#[component(on_discard = forget::<ArriveMemory>)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Arrive {
    /// The point or entity to approach. Default the origin.
    #[entities]
    pub target: Target,
    /// How far before the target the agent stops, m, between the centers, `≥ 0`. Default `0`. An agent that is nearer stays
    /// where it is.
    #[doc(alias("stopping distance"))]
    pub standoff: f32,
    /// How it slows down. Default [`Braking::Physical`].
    pub braking: Braking,
    /// The agent has arrived within this distance of where it stops, m, `> 0`. Default `0.1`. Inside it brakes, so with a large
    /// tolerance it stops short, by an amount that depends on its speed: to stop at a distance use
    /// [`standoff`](Self::standoff). [`Arrived`] is triggered inside, as soon as `speed · response_time` is at most the
    /// tolerance and the agent can stop within twice the tolerance. It comes again for the same order only after the agent was
    /// farther away than twice the tolerance: for
    /// repeated attacks, test the distance.
    pub tolerance: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
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

    /// Sets the [`standoff`](Self::standoff).
    #[must_use]
    pub fn with_standoff(mut self, standoff: f32) -> Self {
        self.standoff = standoff;
        self
    }

    /// Sets the [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Where an agent at `from` will stop, m: the [`standoff`](Self::standoff) before the target, or where it is
    /// if it is nearer.
    pub fn stop_point(&self, from: Vec2, target: Vec2) -> Vec2 {
        if self.standoff == 0.0 {
            return target;
        }
        target + (from - target).clamp_length_max(self.standoff)
    }
}

impl Default for Arrive {
    fn default() -> Self {
        Self {
            target: Target::default(),
            standoff: 0.0,
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
        InvalidParameter::unless_non_negative("Arrive.standoff", self.standoff)?;
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
        let stop = self.stop_point(me.position, target.position);
        let before = memory.has_arrived_at(self.target, self.tolerance);
        let arrived = has_arrived(me, stop, self.tolerance, before);
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
        if arrived {
            stay(me, stop, self.braking, self.tolerance)
        } else {
            arrive(me, stop, self.braking, self.tolerance)
        }
    }
}

/// The force of [`Arrive`], N.
pub fn arrive(me: &Agent, point: Vec2, braking: Braking, tolerance: f32) -> Vec2 {
    me.track(approach(me, point, braking, tolerance))
}

/// The force of [`Arrive`] on an agent that has arrived, N. It hardly jumps at the tolerance, where the force of one that arrives
/// begins with what brakes it: an agent that others push out would be thrown to and fro across the edge. A driven body, which
/// would shunt to and fro for such small corrections, arrives again.
pub(super) fn stay(me: &Agent, point: Vec2, braking: Braking, tolerance: f32) -> Vec2 {
    let distance = me.position.distance(point);
    if me.abilities.is_some() || distance <= tolerance || distance >= DEPARTURE * tolerance {
        return arrive(me, point, braking, tolerance);
    }
    // From almost nothing at the tolerance to the whole way where it counts as departed.
    let stretch = DEPARTURE / (DEPARTURE - RETURN);
    let run = stretch * (distance - RETURN * tolerance);
    let direction = (point - me.position) / distance;
    let closing = stretch * me.velocity.dot(direction);
    me.track(slowed_while_closing(
        me,
        run,
        closing,
        direction,
        me.max_speed,
        braking,
    ))
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

/// In tolerances: an agent that was pushed out heads for this distance, and so comes back inside.
const RETURN: f32 = 0.97;

/// In tolerances: an agent that has arrived departs at this distance, so that a nudge does not count as a departure.
const DEPARTURE: f32 = 2.0;

/// Whether the agent has arrived: inside the tolerance and slow enough to stop there. It departs at
/// [`DEPARTURE`].
pub(super) fn has_arrived(me: &Agent, point: Vec2, tolerance: f32, before: bool) -> bool {
    let distance = me.position.distance(point);
    if before {
        distance <= DEPARTURE * tolerance
    } else {
        // One that would run on beyond its departure would arrive twice.
        let stoppable = speed_before(me, 0.0, DEPARTURE * tolerance);
        let slow = me.speed() * me.response_time.max(me.delta) <= tolerance;
        distance <= tolerance && slow && me.speed() <= stoppable
    }
}

#[cfg(test)]
mod tests;
