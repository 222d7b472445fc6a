//! Park: comes to rest at a position with a given heading.

use std::f32::consts::TAU;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use super::arrive::{approach, has_arrived};
use super::embeds_influence;
use super::maneuver::Maneuver;
use crate::locomotion::{ON_THE_SPOT, Pose, direction, idle_speed, within};
use crate::require::forget;
use crate::{
    Abilities, Agent, Announcements, Arrived, Behavior, Braking, Influence, InvalidParameter,
    Kinematics, Situational, Steer, SteeringAppExt, Target, Targets,
};

/// Comes to rest at a position with a given heading.
///
#[doc = include_str!("figures/park.svg")]
///
/// Use it for cars in parking bays, trucks at a ramp, guards who must face the door. When the agent has
/// come to rest, [`Arrived`] is triggered once per order: each insertion is one, also to the same place, and
/// so is a place that moves or turns by more than the tolerances. Where the direction does not matter,
/// [`Arrive`](crate::Arrive) is quicker. It ignores obstacles: choose the [`run_in`](Self::run_in) so that
/// the way into the place is free. Lead the car there by a [`PathFollowing`](crate::PathFollowing), and insert `Park` at
/// [`PathCompleted`](crate::PathCompleted).
///
/// A body with a [turning circle](Agent::turning_radius) drives the quickest Reeds–Shepp path, arcs and
/// straight lines in both gears (Reeds and Shepp 1990), then the straight run-in: so it parks forward, in
/// reverse, and with three-point turns. Without a reverse gear it drives the shortest path of an arc, a straight
/// line and an arc (Dubins 1957), and the run-in forward. `F = track(v)`, in N, where the velocity v leads the rear axle to a
/// point ahead on that path (pure pursuit: Coulter 1992) and slows down as [`Arrive`](crate::Arrive) does.
/// The agent plans again if it has left its path, or if the place has moved. To turn about where it stands, a car needs room for its
/// body around all points within about 1.6 [turning radii](Agent::turning_radius) of its middle, without a reverse gear within 3.
///
/// A body that turns on the spot arrives, then turns. A body that moves in any direction approaches along the
/// given heading, so its own [heading](Agent::heading) is right when it arrives; to turn its facing as well,
/// add [`FaceVelocity`](crate::FaceVelocity). A boat needs a [`keel`](crate::Hull::keel) of at least 0.2 /s: a flatter hull drifts
/// past the place.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # use std::f32::consts::FRAC_PI_2;
/// # fn system(mut commands: Commands) {
/// // Into a bay in reverse, over the last 5 m.
/// let bay = Park::new(Vec2::new(30.0, 10.0), FRAC_PI_2).with_run_in(-5.0);
/// commands.spawn((
///     PointMass { mass: 1_200.0, ..default() },
///     Vehicle { max_speed: 14.0, max_force: 9_600.0, ..default() },
///     Wheeled::default(),
///     bay,
/// ));
/// # }
/// ```
#[doc(alias("Aparcar", "Estacionar", "Docking"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_discard = forget_arrival, on_remove = forget::<ParkMemory>)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Park {
    /// The place: a point or an entity. Default the origin.
    #[entities]
    pub target: Target,
    /// Where the body points in the end, rad, `-2π..=2π`, counter-clockwise from +x. Default `0`. That is in the world, also for
    /// a target that is an entity: while that one turns, write it in each tick.
    #[reflect(@Situational)]
    pub heading: f32,
    /// Length of the straight line into the place, m, `-1e9..=1e9`. Driven forward if positive, in reverse if
    /// negative. Default `0`: the last part may be an arc, in any gear.
    pub run_in: f32,
    /// The agent has arrived within this distance of the place, m, `> 0`. Default `0.1`.
    pub tolerance: f32,
    /// The agent has arrived within this angle of the heading, rad, `> 0`. Default `0.05`.
    pub heading_tolerance: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// What a [`Park`] remembers between ticks.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ParkMemory {
    /// The agent has come to rest as wished and has stayed within twice the tolerances.
    pub arrived: bool,
    /// The maneuver of a body with a turning circle.
    pub maneuver: Option<Maneuver>,
    /// Whether another body has come to the beginning of its run-in.
    lined_up: bool,
    /// The place at which it has parked; until then that of the last update.
    goal: Pose,
    /// The heading of a boat in the last update; zero for other bodies.
    heading: Vec2,
}

impl Park {
    /// Parks at a point or an entity, with a heading in rad.
    pub fn new(target: impl Into<Target>, heading: f32) -> Self {
        Self {
            target: target.into(),
            heading,
            ..Self::default()
        }
    }

    /// Sets the [`run_in`](Self::run_in), m.
    #[must_use]
    pub fn with_run_in(mut self, run_in: f32) -> Self {
        self.run_in = run_in;
        self
    }

    /// Sets the [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets the [`heading_tolerance`](Self::heading_tolerance).
    #[must_use]
    pub fn with_heading_tolerance(mut self, heading_tolerance: f32) -> Self {
        self.heading_tolerance = heading_tolerance;
        self
    }
}

impl ParkMemory {
    /// By how much the bow of a boat turns on before the rudder stops it, rad.
    fn swing(&mut self, me: &Agent) -> f32 {
        let Some(body) = me.abilities.filter(drifts) else {
            self.heading = Vec2::ZERO;
            return 0.0;
        };
        if me.delta == 0.0 {
            return 0.0;
        }
        let before = std::mem::replace(&mut self.heading, me.heading);
        before.angle_to(me.heading) * (0.5 * body.lag / me.delta)
    }
}

impl Default for Park {
    fn default() -> Self {
        Self {
            target: Target::default(),
            heading: 0.0,
            run_in: 0.0,
            tolerance: 0.1,
            heading_tolerance: 0.05,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Park {
    const PRIORITY: i16 = 88;
    const COLOR: Option<[u8; 3]> = Some([123, 177, 129]);

    type Memory = (Entity, &'static mut ParkMemory);
    type World = (
        Targets<'static, 'static>,
        Res<'static, Announcements<Arrived>>,
    );

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.target), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        const FARTHEST: f32 = InvalidParameter::LARGEST;
        self.target.check("Park.target")?;
        let angles = "an angle between -2π and 2π";
        InvalidParameter::unless_within("Park.heading", self.heading, -TAU..=TAU, angles)?;
        let lengths = -FARTHEST..=FARTHEST;
        InvalidParameter::unless_within(
            "Park.run_in",
            self.run_in,
            lengths,
            "between -1e9 and 1e9",
        )?;
        InvalidParameter::unless_positive("Park.tolerance", self.tolerance)?;
        InvalidParameter::unless_positive("Park.heading_tolerance", self.heading_tolerance)
    }

    fn build(app: &mut App) {
        app.add_announcement::<Arrived>();
    }
}

impl Steer for Park {
    fn steer(
        &self,
        me: &Agent,
        (source, mut memory): (Entity, Mut<ParkMemory>),
        (targets, arrivals): &(Targets, Res<Announcements<Arrived>>),
    ) -> Vec2 {
        let Some(target) = targets.get(self.target) else {
            return Vec2::ZERO;
        };
        let mut after = *memory;
        let goal = Pose::new(target.position, self.heading);
        let force = park(me, goal, self, &mut after);
        let is_elsewhere = after.goal != memory.goal;
        let arrives = after.arrived && (!memory.arrived || is_elsewhere);
        memory.set_if_neq(after);
        if arrives {
            let event = Arrived {
                entity: me.entity,
                target: self.target,
                source,
            };
            arrivals.send(me.source_id, source, event);
        }
        force
    }
}

/// Resets the arrival, so that a `Park` that is inserted again, also in place of another, triggers the event
/// again. The maneuver goes on if the place is the same.
fn forget_arrival(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut memory) = world.get_mut::<ParkMemory>(context.entity) {
        memory.arrived = false;
    }
}

/// The force of [`Park`] to a pose, N.
pub fn park(me: &Agent, goal: Pose, how: &Park, memory: &mut ParkMemory) -> Vec2 {
    let is_same = is_same_place(memory.goal, goal, how);
    memory.lined_up &= is_same;
    let before = memory.arrived && is_same;
    let swing = memory.swing(me);
    memory.arrived = is_parked(me, goal, how, before, swing);
    if !(before && memory.arrived) {
        memory.goal = goal;
    }
    if memory.arrived {
        memory.maneuver = None;
        return me.track(Vec2::ZERO);
    }
    me.track(match me.abilities {
        Some(body) if body.turning_radius > 0.0 => maneuver(me, &body, goal, how, memory),
        Some(body) => turn_in(me, &body, goal, how, memory),
        None => line_up(me, goal, how, memory),
    })
}

/// Whether a place has not moved or turned, within the tolerances.
fn is_same_place(before: Pose, now: Pose, how: &Park) -> bool {
    before.position.distance(now.position) <= how.tolerance
        && before.angle_to(now.heading).abs() <= how.heading_tolerance
}

/// Whether the agent has come to rest as wished, within the tolerances, or twice as wide ones if it had
/// before. One that has not must also be within its heading's tolerance once it has turned on by `swing`, rad.
fn is_parked(me: &Agent, goal: Pose, how: &Park, before: bool, swing: f32) -> bool {
    let (slack, swing) = if before { (2.0, 0.0) } else { (1.0, swing) };
    let angle = goal.angle_to(me.heading);
    let most = slack * how.heading_tolerance;
    let aligned = angle.abs() <= most && (angle + swing).abs() <= most;
    aligned && has_arrived(me, goal.position, how.tolerance, before)
}

/// The velocity of a body with a turning circle, m/s.
fn maneuver(me: &Agent, body: &Abilities, goal: Pose, how: &Park, memory: &mut ParkMemory) -> Vec2 {
    let planned = memory.maneuver;
    let is_same = |it: &Maneuver| it.run_in == how.run_in && is_same_place(it.goal, goal, how);
    memory.maneuver = planned.filter(is_same);
    if let Some(planned) = &mut memory.maneuver {
        if let Some(velocity) = planned.drive_on(me, body, how.tolerance) {
            return velocity;
        }
        // It has missed the pose. Once it stands, it plans again.
        if me.speed() > Kinematics::STANDING {
            return Vec2::ZERO;
        }
    }
    let mut planned = Maneuver::plan(me, body, goal, how.run_in);
    let velocity = planned.drive_on(me, body, how.tolerance);
    memory.maneuver = Some(planned);
    velocity.unwrap_or_default()
}

/// The speed at which a body turns on the spot, in times of the [idle one](idle_speed), which changes no gear.
const TURNING: f32 = 1.5;

/// The same of a boat, in tolerances per second: it drifts while it turns.
const DRIFT: f32 = 0.3;

/// How much farther than the heading a boat turns the velocity that it asks for: its bow leads the motion by a part only.
const LEAD: f32 = 5.0;

/// Within so many tolerances of the place, and below this share of its speed limit, a body that turns on the spot has come
/// in along its run-in.
const NEARLY_THERE: f32 = 4.0;
const SLOW: f32 = 0.2;

/// Below this share of its speed limit it stands, and may turn up to twice the tolerance from the place.
const STANDING: f32 = 0.03;

/// The velocity of a body that turns on the spot, m/s.
fn turn_in(me: &Agent, body: &Abilities, goal: Pose, how: &Park, memory: &mut ParkMemory) -> Vec2 {
    let distance = me.position.distance(goal.position);
    if how.run_in != 0.0 {
        let comes_in = memory.lined_up && distance <= NEARLY_THERE * how.tolerance;
        let has_come_in = memory.lined_up && distance <= how.tolerance;
        return if has_come_in && drifts(body) && me.speed() < Kinematics::STANDING {
            turn_to(me, body, goal, how)
        } else if comes_in && !drifts(body) && me.speed() < SLOW * me.max_speed {
            // What is missing of the heading it turns on the spot.
            let stands = me.speed() < STANDING * me.max_speed;
            let slack = if stands { 2.0 } else { 0.5 };
            if distance <= slack * how.tolerance {
                turn_to(me, body, goal, how)
            } else {
                approach(me, goal.position, Braking::Physical, 0.25 * how.tolerance)
            }
        } else {
            line_up(me, goal, how, memory)
        };
    }
    // At the place it turns, as long as it stays within twice the tolerance.
    let slack = if memory.lined_up { 2.0 } else { 0.5 };
    memory.lined_up = distance <= slack * how.tolerance;
    if !memory.lined_up {
        return approach(me, goal.position, Braking::Physical, 0.25 * how.tolerance);
    }
    turn_to(me, body, goal, how)
}

/// Whether a body keeps moving while it turns.
fn drifts(body: &Abilities) -> bool {
    body.lag > 0.0
}

/// The velocity of a body that turns at the place, m/s.
fn turn_to(me: &Agent, body: &Abilities, goal: Pose, how: &Park) -> Vec2 {
    let lead = if drifts(body) { LEAD } else { 1.0 };
    let turn = within(lead * me.pose().angle_to(goal.heading), ON_THE_SPOT);
    // In the gear that is in: a change of gear would turn it the other way.
    let gear = if body.reversing { -1.0 } else { 1.0 };
    let change = me.max_acceleration() * me.response();
    let speed = TURNING * idle_speed(me.max_speed, change);
    let speed = if drifts(body) {
        speed.min(DRIFT * how.tolerance)
    } else {
        // The combiner weakens the wish by the weight.
        let weight = how.influence.acting_weight().min(1.0);
        (speed / weight.max(f32::MIN_POSITIVE)).min(me.max_speed)
    };
    gear * speed * direction(turn).rotate(me.heading)
}

/// The velocity of a body that comes in along the wished direction, m/s.
fn line_up(me: &Agent, goal: Pose, how: &Park, memory: &mut ParkMemory) -> Vec2 {
    let reverses = me.abilities.is_some_and(|body| body.reverse_speed > 0.0);
    let gear = if how.run_in < 0.0 && reverses {
        -1.0
    } else {
        1.0
    };
    // Within the tolerance around its beginning the agent would stand already.
    let length = how
        .run_in
        .abs()
        .max(2.0 * me.radius)
        .max(10.0 * how.tolerance);
    let begin = goal.ahead(-gear * length).position;
    let tolerance = how.tolerance.max(0.1 * length);
    if !memory.lined_up {
        memory.lined_up = has_arrived(me, begin, tolerance, false);
        return approach(me, begin, Braking::Physical, 0.5 * tolerance);
    }
    // It has missed the place or the heading.
    let here = goal.position - me.position;
    if me.speed() < Kinematics::STANDING && here.length() <= how.tolerance
        || here.length() > 1.5 * length
    {
        memory.lined_up = false;
    }
    let velocity = approach(me, goal.position, Braking::Physical, 0.25 * how.tolerance);
    if !reverses {
        return velocity;
    }
    let axis = Pose {
        position: me.position,
        heading: gear * me.heading,
    };
    let turn = within(axis.angle_to(here), ON_THE_SPOT);
    velocity.length() * direction(turn).rotate(axis.heading)
}

#[cfg(test)]
mod tests;
