//! Hide: keeps an obstacle between an agent and a threat.

mod choice;

use bevy::prelude::*;

use choice::Choice;

use super::arrive::arrive;
use super::braking::{Braking, speed_before};
use super::embeds_influence;
use super::evade::{Evade, evade};
use super::flee::panic_urgency;
use crate::condition::Rotations;
use crate::perception::{Circle, ColliderProbes, SeenObstacle, Surroundings, least_cosine};
use crate::require::forget;
use crate::{
    Agent, Behavior, Gaze, Influence, InvalidParameter, Kinematics, Steer, SteeringClock, Target,
    Targets,
};

/// Keeps an obstacle between the agent and a threat.
///
#[doc = include_str!("figures/hide.svg")]
///
/// Use it for prey and snipers, and with [`HideGoal::Approach`] for stalkers. The agent hides behind
/// [`Obstacle`](crate::Obstacle)s and, with [`SensesColliders`](crate::SensesColliders), behind colliders. Beyond
/// the panic distance the force is zero, and with [`HideGoal::Safety`] also while the agent is outside the
/// threat's field of view; but an agent that is on its way to a hiding spot goes on to it, unless something keeps
/// it from getting there. Its default priority is below those of the flock and of targets: prey in a flock need
/// `.with_priority(Evade::PRIORITY)`. To get away without cover, use [`Evade`](crate::Evade): a threat that walks
/// around the obstacle drives a hiding agent around it as well.
///
/// Each obstacle within the search distance has a hiding spot
/// `center + dir(threat → center) · (radius + own radius + standoff)`, m, behind its bounding circle; the outline of a room
/// around the agent or the threat has none. The agent goes to the nearest
/// one like [`Arrive`](crate::Arrive); without one it flees like [`Evade`](crate::Evade). It changes to
/// another obstacle only if the distance shrinks by a third. Spots do not count whose way passes near the threat.
/// The force of a run to a spot that begins in the last tenth of the panic distance is weaker, down to 0 at its
/// end. (Buckland 2005)
#[doc(alias("Esconderse", "Escondarse", "Ocultarse"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_remove = forget::<HideMemory>)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Hide {
    /// What to hide from. Default the origin.
    #[entities]
    pub threat: Target,
    /// Distance within which the threat counts, m, `> 0`; infinity is allowed. Default `15`.
    pub panic_distance: f32,
    /// Distance to their bounding circles within which obstacles count, m, `> 0`. Default `20`.
    pub search_distance: f32,
    /// Distance to keep between the obstacle and the body, m, `≥ 0`. Default `0.5`.
    pub standoff: f32,
    /// Field of view of the threat, rad, `(0, 4π]` or infinite, half of it on each side of its gaze; from `2π` on it sees
    /// in all directions, as does one without a heading. Default `2π`.
    pub threat_field_of_view: f32,
    /// What the threat's field of view is centered on: its heading, or with [`Gaze::Facing`] where it points, for a guard who
    /// stands and looks about. Default [`Gaze::Heading`].
    pub threat_gaze: Gaze,
    /// What the agent hides for. Default [`HideGoal::Safety`].
    pub goal: HideGoal,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// What an agent hides for.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum HideGoal {
    /// To stay out of sight. The default.
    #[default]
    Safety,
    /// To get near the threat unseen: a stalker and its prey. While the threat looks elsewhere (see
    /// [`Hide::threat_field_of_view`]) the agent goes to the nearest hiding spot that is nearer to the
    /// threat; while it looks at the agent, to the nearest of all. Behind the last cover the agent
    /// waits: the attack is up to another behavior.
    Approach,
}

/// The state of a [`Hide`]: its hiding spot.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct HideMemory {
    /// The obstacle it hides behind; `None` while it does not hide.
    #[entities]
    pub obstacle: Option<Entity>,
    /// The hiding spot, m.
    pub spot: Vec2,
    /// The largest urgency of the run to that obstacle so far, `0..=1`.
    pub urgency: f32,
    /// The tick of the last update. A run ends if the agent misses one.
    pub tick: u32,
}

impl Hide {
    /// Hides from an entity or a point.
    pub fn new(threat: impl Into<Target>) -> Self {
        Self {
            threat: threat.into(),
            ..Self::default()
        }
    }

    /// Sets the [`panic_distance`](Self::panic_distance).
    #[must_use]
    pub fn with_panic_distance(mut self, panic_distance: f32) -> Self {
        self.panic_distance = panic_distance;
        self
    }

    /// Sets the [`search_distance`](Self::search_distance).
    #[must_use]
    pub fn with_search_distance(mut self, search_distance: f32) -> Self {
        self.search_distance = search_distance;
        self
    }

    /// Sets the [`standoff`](Self::standoff).
    #[must_use]
    pub fn with_standoff(mut self, standoff: f32) -> Self {
        self.standoff = standoff;
        self
    }

    /// Sets the [`goal`](Self::goal).
    #[must_use]
    pub fn with_goal(mut self, goal: HideGoal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the [`threat_field_of_view`](Self::threat_field_of_view).
    #[must_use]
    pub fn with_threat_field_of_view(mut self, threat_field_of_view: f32) -> Self {
        self.threat_field_of_view = threat_field_of_view;
        self
    }

    /// Sets the [`threat_gaze`](Self::threat_gaze).
    #[must_use]
    pub fn with_threat_gaze(mut self, threat_gaze: Gaze) -> Self {
        self.threat_gaze = threat_gaze;
        self
    }

    /// Visits the hiding spots to choose from, m, each with its obstacle. Parts of the threat are none, nor is what carries it.
    pub fn for_each_spot(
        &self,
        me: &Agent,
        threat: &Kinematics,
        (surroundings, targets): &(Surroundings, Targets),
        mut visit: impl FnMut(SeenObstacle, Vec2),
    ) {
        let is_of_threat =
            |it| targets.is_part_of(it, self.threat) || targets.is_carried_by(self.threat, it);
        surroundings
            .answers(self, me)
            .for_each_obstacle(|obstacle| {
                let circle = obstacle.circle;
                // The search visits all that touch a square around the disc.
                let reach = self.search_distance + circle.radius;
                if me.position.distance(circle.center) <= reach
                    && !is_of_threat(obstacle.entity)
                    && !surrounds(&obstacle, [me.position, threat.position])
                    && let Some(spot) = hiding_spot(me, threat.position, circle, self.standoff)
                {
                    visit(obstacle, spot);
                }
            });
    }
}

impl Default for Hide {
    fn default() -> Self {
        Self {
            threat: Target::default(),
            panic_distance: 15.0,
            search_distance: 20.0,
            standoff: 0.5,
            threat_field_of_view: core::f32::consts::TAU,
            threat_gaze: Gaze::Heading,
            goal: HideGoal::Safety,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Hide {
    const PRIORITY: i16 = 40;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([101, 246, 61]);

    type Memory = &'static mut HideMemory;
    type World = (
        (Surroundings<'static, 'static>, Targets<'static, 'static>),
        Rotations<'static, 'static>,
        Res<'static, SteeringClock>,
    );

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.threat), None]
    }

    fn uses_target_velocity(&self) -> bool {
        self.threat_gaze == Gaze::Heading && self.threat_field_of_view < core::f32::consts::TAU
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.threat.check("Hide.threat")?;
        InvalidParameter::unless_positive_or_infinite("Hide.panic_distance", self.panic_distance)?;
        InvalidParameter::unless_positive("Hide.search_distance", self.search_distance)?;
        InvalidParameter::unless_non_negative("Hide.standoff", self.standoff)?;
        let angle = self.threat_field_of_view;
        InvalidParameter::unless_field_of_view("Hide.threat_field_of_view", angle)
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        probes.ask_area(Circle::new(me.position, self.search_distance));
    }
}

impl Steer for Hide {
    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<HideMemory>,
        (world, rotations, clock): &((Surroundings, Targets), Rotations, Res<SteeringClock>),
    ) -> Vec2 {
        let (_, targets) = world;
        let Some(threat) = targets.get(self.threat) else {
            memory.set_if_neq(HideMemory::default());
            return Vec2::ZERO;
        };
        let run = memory.unless_missed(me, clock.delta);
        let is_seen = self.is_seen(me, &threat, rotations);
        if !self.counts(me, &threat, is_seen) {
            let after = finished(me, run);
            memory.set_if_neq(after);
            return go_to_spot(me, &after);
        }
        let chosen = self.choose(me, &threat, is_seen, &run, world);
        memory.set_if_neq(chosen.unwrap_or_default());
        hide(me, &threat, chosen.as_ref(), self)
    }
}

impl HideMemory {
    /// The run, unless the agent was not updated in between: its condition was not met, or it was switched off.
    fn unless_missed(&self, me: &Agent, tick_length: f32) -> Self {
        let is_paused = me.delta <= 0.0;
        if is_paused || me.last_updated_in(self.tick, tick_length) {
            *self
        } else {
            Self::default()
        }
    }
}

impl Hide {
    /// Whether the agent has to hide.
    fn counts(&self, me: &Agent, threat: &Kinematics, is_seen: bool) -> bool {
        let is_near = me.position.distance(threat.position) <= self.panic_distance;
        is_near && (self.goal == HideGoal::Approach || is_seen)
    }

    /// Whether the agent is in the threat's field of view.
    fn is_seen(&self, me: &Agent, threat: &Kinematics, rotations: &Rotations) -> bool {
        let gaze = |body| self.threat_gaze.direction(body, threat.heading, rotations);
        let looking = Kinematics {
            heading: self.threat.entity().map_or(threat.heading, gaze),
            ..*threat
        };
        sees(&looking, me.position, self.threat_field_of_view)
    }

    fn choose(
        &self,
        me: &Agent,
        threat: &Kinematics,
        is_seen: bool,
        memory: &HideMemory,
        world: &(Surroundings, Targets),
    ) -> Option<HideMemory> {
        let urgency = self.urgency(me, threat);
        let choose = |counts: &dyn Fn(Vec2) -> bool| {
            let mut choice = Choice::new(memory);
            self.for_each_spot(me, threat, world, |obstacle, spot| {
                if counts(spot) {
                    choice.consider(me, threat.position, obstacle, spot);
                }
            });
            choice.chosen(urgency, me.tick)
        };
        let any = || choose(&|_| true);
        if self.goal != HideGoal::Approach || is_seen {
            return any();
        }
        let from_threat = |spot: Vec2| spot.distance(threat.position);
        let mut current = None;
        self.for_each_spot(me, threat, world, |obstacle, spot| {
            if memory.obstacle == Some(obstacle.entity) {
                current = Some(from_threat(spot));
            }
        });
        let brings_nearer = |spot| brings_nearer(me, threat.position, spot);
        // On its way to a nearer spot, it does not turn back to the one that it has left.
        let is_no_farther = |spot| current.is_some_and(|current| from_threat(spot) <= current);
        choose(&brings_nearer)
            .or_else(|| choose(&is_no_farther))
            .or_else(any)
    }

    fn urgency(&self, me: &Agent, threat: &Kinematics) -> f32 {
        let distance = me.position.distance(threat.position);
        panic_urgency(distance, self.panic_distance, FALLOFF)
    }
}

/// Whether an obstacle is hollow, with one of these points within its circle: such as the outline of a room, behind which the
/// agent would run into a wall.
fn surrounds(obstacle: &SeenObstacle, points: [Vec2; 2]) -> bool {
    let circle = obstacle.circle;
    let is_within = |point: Vec2| point.distance(circle.center) < circle.radius;
    obstacle.filled == 0.0 && points.into_iter().any(is_within)
}

/// Whether a hiding spot is nearer to the threat than the agent is.
fn brings_nearer(me: &Agent, threat: Vec2, spot: Vec2) -> bool {
    /// The least gain, as a share of the distance, so that small changes make no agent move.
    const GAIN: f32 = 0.1;
    spot.distance(threat) < (1.0 - GAIN) * me.position.distance(threat)
}

/// Whether a point lies in the field of view around the threat's heading; a threat without one sees everything.
fn sees(threat: &Kinematics, point: Vec2, field_of_view: f32) -> bool {
    let offset = point - threat.position;
    let is_ahead = || threat.heading.dot(offset) >= least_cosine(field_of_view) * offset.length();
    threat.heading == Vec2::ZERO || is_ahead()
}

/// The hiding spot behind an obstacle, m; `None` if the threat is at the obstacle's center.
pub fn hiding_spot(me: &Agent, threat: Vec2, obstacle: Circle, standoff: f32) -> Option<Vec2> {
    let away = (obstacle.center - threat).try_normalize()?;
    let spot = obstacle.center + (obstacle.radius + me.radius + standoff) * away;
    spot.is_finite().then_some(spot)
}

/// The force of [`Hide`] to the chosen hiding spot, N; without one, away from the threat.
pub fn hide(me: &Agent, threat: &Kinematics, chosen: Option<&HideMemory>, how: &Hide) -> Vec2 {
    let evading = Evade {
        threat: how.threat,
        panic_distance: how.panic_distance,
        falloff: FALLOFF,
        ..default()
    };
    chosen.map_or_else(|| evade(me, threat, &evading), |spot| go_to_spot(me, spot))
}

/// The force to a hiding spot, N; zero without one.
fn go_to_spot(me: &Agent, memory: &HideMemory) -> Vec2 {
    if memory.obstacle.is_none() || memory.urgency <= 0.0 {
        return Vec2::ZERO;
    }
    let me = with_urgency(me, memory.urgency);
    arrive(&me, memory.spot, Braking::Physical, TOLERANCE)
}

/// The agent with the share of its force that a run has: it also brakes with no more.
fn with_urgency(me: &Agent, urgency: f32) -> Agent {
    let max_force = urgency * me.max_force;
    Agent { max_force, ..*me }
}

/// The memory of a run whose threat no longer counts, one update later: it ends at rest, and fades where the agent no longer
/// comes nearer, at the spot or before.
fn finished(me: &Agent, run: HideMemory) -> HideMemory {
    /// An agent that comes nearer with less than this share of its full speed, or of that from which it can stop at its spot,
    /// does not get on.
    const SLOW: f32 = 0.1;
    /// The time in which a run fades from full urgency, s.
    const FADE_TIME: f32 = 3.0;
    let approach = me.velocity.dot(me.direction_to(run.spot));
    let left = me.position.distance(run.spot);
    let before_stop = speed_before(&with_urgency(me, run.urgency), 0.0, left);
    let lost = if approach < SLOW * before_stop.min(me.max_speed) {
        me.delta / FADE_TIME
    } else {
        0.0
    };
    let urgency = run.urgency - lost;
    if urgency <= 0.0 || has_hidden(me, &run) {
        HideMemory::default()
    } else {
        let tick = me.tick;
        HideMemory {
            urgency,
            tick,
            ..run
        }
    }
}

/// Whether the agent rests at its hiding spot.
fn has_hidden(me: &Agent, memory: &HideMemory) -> bool {
    /// Below this share of the tolerance per response time an agent rests.
    const AT_REST: f32 = 0.01;
    let rests = me.speed() * me.response() <= AT_REST * TOLERANCE;
    rests && me.position.distance(memory.spot) <= TOLERANCE
}

/// Share of the panic distance over which the force fades.
const FALLOFF: f32 = 0.1;

/// Distance within which the agent has arrived, m.
const TOLERANCE: f32 = 0.1;

#[cfg(test)]
mod tests;
