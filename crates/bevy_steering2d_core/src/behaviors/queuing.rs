//! Queuing: brakes behind neighbors ahead that are not faster.

use std::f32::consts::{PI, TAU};

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, Operation, Register, dispatch};

use super::braking::{braking_distance, stopping_distance};
use super::embeds_influence;
use super::shared::urgency::{ahead, travel};
use crate::behavior_entity::BehaviorRoots;
use crate::parallel::{LIGHT_PASS, for_each_mut};
use crate::perception::{Circle, Neighbor, NeighborView, Neighbors, SteeringGroups, with_groups};
use crate::pipeline::IndexSystems;
use crate::{
    Abilities, Agent, Behavior, Influence, InvalidParameter, Kinematics, Steer, SteeringClock,
    SteeringSchedule, SteersFor, ThinkEvery,
};

/// Brakes behind a neighbor ahead that is not faster.
///
#[doc = include_str!("figures/queuing.svg")]
///
/// Use it at doors, at counters and on narrow paths, beside the behavior that leads there. For agents that walk slower the
/// nearer the next one ahead is, as people do in crowds, use [`Headway`](crate::Headway). The default
/// [priority](Influence::priority) of `Queuing` is above those of [`Seek`](crate::Seek),
/// [`Arrive`](crate::Arrive) and path following, so under the default
/// [`Combine`](crate::Combine) it can hold the agent back:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let door = Seek::new(Vec2::new(10.0, 0.0));
/// commands.spawn((PointMass::default(), door, Queuing::default()));
/// # }
/// ```
///
/// A neighbor counts if it is ahead of the agent, and less than `half_width` beside its line of motion. Its urgency is
/// `u = min(2·ahead/(r₁ + r₂), 1) · min(2·(1 − aside/half_width), 1) · (1 − gap/look_ahead_distance)`, where ahead and
/// aside are the distances of its center along that line and beside it, m, and r₁ and r₂ both radii, m. If two agents
/// block each other, as at the sides of a door, the one farther ahead goes first. The agent takes over the neighbor's
/// pace, its speed along the heading of the agent, and holds back:
/// `F = s · (u · track(pace · heading) − u² · max_force · heading)`, N. The neighbor with the strongest force counts.
/// (Reynolds 1999; Falcón 2008)
///
/// The share `s = 1 − (pace − speed)/c`, `0..=1`, fades the force for faster neighbors: it is 1 up to the speed of
/// the agent along its heading, and 0 for neighbors that are faster by the creep speed c. That is a tenth of
/// `max_speed`, or what `max_force` adds in one update if that is more, m/s. An agent that already drifts back at c is
/// not pushed back further.
///
/// An agent that holds back and is slower than c waits. Meanwhile it keeps its [heading](Kinematics::heading), which
/// would otherwise turn about whenever it drifts back.
///
/// The gap counts less the distance `v²/2a` in which the agent ends its approach at a closing speed v, with nine tenths of
/// its strongest deceleration; for a driven body less its stopping distance. In reverse gear it looks back, and ahead as well while it hardly moves.
#[doc(alias("Salir por una puerta"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Queuing {
    /// Gap between the bounding circles at which the agent starts to brake, m, `> 0`. Default `1`. A fast one starts
    /// sooner, by the way that it needs to brake. It rests at 0.3 of it behind one that stands, where its force equals that of
    /// the behavior which leads it on; one that asks for less than `max_force` stops it farther off.
    pub look_ahead_distance: f32,
    /// Half-width of the corridor ahead in which centers of neighbors count, m, `> 0`. Default `0.8`.
    pub half_width: f32,
    /// Groups of the neighbors that count. Default all.
    pub groups: SteeringGroups,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// The state of a [`Queuing`]: the direction in which the agent waits.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct QueuingMemory {
    /// The heading that a waiting agent keeps, a unit vector; zero while it does not wait.
    pub heading: Vec2,
    /// The tick of the last update in which it waited.
    tick: u32,
}

impl Default for Queuing {
    fn default() -> Self {
        Self {
            look_ahead_distance: 1.0,
            half_width: 0.8,
            groups: SteeringGroups::ALL,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Queuing {
    with_groups!();

    /// Sets the [`look_ahead_distance`](Self::look_ahead_distance).
    #[must_use]
    pub fn with_look_ahead_distance(mut self, look_ahead_distance: f32) -> Self {
        self.look_ahead_distance = look_ahead_distance;
        self
    }

    /// Sets the [`half_width`](Self::half_width).
    #[must_use]
    pub fn with_half_width(mut self, half_width: f32) -> Self {
        self.half_width = half_width;
        self
    }

    /// The view in which neighbors count: half a disc, or all of it while the agent hardly moves in reverse gear.
    /// `largest` is the radius of the largest neighbor, m; see [`Neighbors::largest_radius`].
    pub fn view(&self, me: &Agent, largest: f32) -> NeighborView {
        let radius = self.reach(me) + me.radius + largest;
        NeighborView {
            heading: travel(me),
            // In both directions of `lines`.
            field_of_view: if creeps_back(me) { TAU } else { PI },
            ..NeighborView::around(me, radius, self.groups)
        }
    }

    /// The smallest disc around the corridor along a line, a unit vector, beyond which no neighbor counts.
    fn corridor(&self, me: &Agent, line: Vec2, largest: f32) -> NeighborView {
        let view = NeighborView {
            heading: line,
            // Those behind are left out by their place.
            field_of_view: f32::INFINITY,
            ..self.view(me, largest)
        };
        let half_length = 0.5 * view.radius;
        let radius = (half_length * half_length + self.half_width * self.half_width).sqrt();
        if radius >= view.radius {
            return view;
        }
        NeighborView {
            position: me.position + half_length * view.heading,
            radius,
            ..view
        }
    }

    /// The gap at which the agent starts to brake, m.
    fn reach(&self, me: &Agent) -> f32 {
        self.look_ahead_distance + stopping(me, 0.0)
    }

    /// Whether the agent holds back for a neighbor in its [`view`](Self::view).
    pub fn queues_behind(&self, me: &Agent, other: &Neighbor) -> bool {
        queuing(me, other, self) != Vec2::ZERO
    }
}

impl Behavior for Queuing {
    const PRIORITY: i16 = 158;
    const COLOR: Option<[u8; 3]> = Some([168, 107, 253]);

    type Memory = &'static mut QueuingMemory;
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    fn build(app: &mut App) {
        app.add_systems(
            SteeringSchedule::Index,
            (keep_headings, keep_headings_of_behavior_entities)
                .chain()
                .in_set(IndexSystems::Prepare)
                .run_if(any_with_component::<QueuingMemory>),
        );
    }

    fn perception_radius(&self, body_radius: f32) -> f32 {
        self.look_ahead_distance + 2.0 * body_radius
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Queuing.look_ahead_distance", self.look_ahead_distance)?;
        InvalidParameter::unless_positive("Queuing.half_width", self.half_width)
    }
}

impl Steer for Queuing {
    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<QueuingMemory>,
        neighbors: &Res<Neighbors>,
    ) -> Vec2 {
        let force = dispatch(Queue {
            how: self,
            me,
            neighbors,
        });
        let waits = force != Vec2::ZERO && me.abilities.is_none() && me.speed() < creep_speed(me);
        // In a pause the creep speed is lower.
        if me.delta > 0.0 {
            memory.set_if_neq(if waits {
                QueuingMemory {
                    heading: ahead(me),
                    tick: me.tick,
                }
            } else {
                QueuingMemory::default()
            });
        }
        force
    }
}

impl QueuingMemory {
    /// Keeps the heading of a body that waited in its last update. The heading of a body that is not driven is
    /// that of its velocity. If it turned about when the agent drifts back, the agent would no longer see the
    /// neighbor ahead, and those behind it would take it for an oncoming one.
    fn keep_heading(
        &self,
        clock: &SteeringClock,
        mut body: Mut<Kinematics>,
        every: Option<&ThinkEvery>,
    ) {
        let ticks = clock.tick.wrapping_sub(self.tick);
        let waited = self.heading.is_normalized() && ticks <= ThinkEvery::ticks(every);
        if waited && body.was_sensed() && body.heading != self.heading {
            body.heading = self.heading;
        }
    }
}

fn keep_headings(
    clock: Res<SteeringClock>,
    mut agents: Query<
        (&QueuingMemory, &mut Kinematics, Option<&ThinkEvery>),
        (Without<SteersFor>, Without<Abilities>),
    >,
) {
    for_each_mut(&mut agents, LIGHT_PASS, |(memory, body, every)| {
        memory.keep_heading(&clock, body, every);
    });
}

fn keep_headings_of_behavior_entities(
    clock: Res<SteeringClock>,
    roots: BehaviorRoots,
    waiting: Query<(Entity, &QueuingMemory), With<SteersFor>>,
    mut bodies: Query<(&mut Kinematics, Option<&ThinkEvery>), Without<Abilities>>,
) {
    for (entity, memory) in &waiting {
        let agent = roots
            .agent_of(entity)
            .and_then(|it| bodies.get_mut(it).ok());
        if let Some((body, every)) = agent {
            memory.keep_heading(&clock, body, every);
        }
    }
}

/// The force of one agent.
struct Queue<'a> {
    how: &'a Queuing,
    me: &'a Agent,
    neighbors: &'a Neighbors,
}

impl Operation for Queue<'_> {
    type Output = Vec2;

    #[inline(always)]
    fn run<R: Register>(self) -> Vec2 {
        let Self { how, me, neighbors } = self;
        let has_large = neighbors.has_large();
        let mut strongest = Vec2::ZERO;
        for line in lines(me) {
            let view = how.corridor(me, line, neighbors.ordinary_radius());
            let in_the_way = in_the_way::<R>(me, neighbors, line, how.half_width);
            let mut look_at = |other: Neighbor| {
                strongest = stronger(queuing_along(me, line, &other, how), strongest);
            };
            neighbors.for_each_in_view_that::<R>(view, in_the_way, &mut look_at);
            if has_large {
                let farthest = how.corridor(me, line, neighbors.largest_radius());
                neighbors
                    .large_near(Circle::new(farthest.position, farthest.radius), 0.0)
                    .filter(|it| how.corridor(me, line, it.radius).sees(it))
                    .for_each(look_at);
            }
        }
        strongest
    }
}

/// The directions in which the agent looks for neighbors, unit vectors: that of its motion. A driven body that holds back may
/// change to the reverse gear. While it hardly moves in that gear it looks ahead as well, or it would lose sight of the neighbor
/// and change back in the next update.
fn lines(me: &Agent) -> impl Iterator<Item = Vec2> {
    std::iter::once(travel(me)).chain(creeps_back(me).then(|| ahead(me)))
}

/// Whether a body in reverse gear hardly moves in it.
fn creeps_back(me: &Agent) -> bool {
    me.is_reversing() && -me.forward_speed() < creep_speed(me)
}

/// The longer of two forces; of equal ones the first.
fn stronger(force: Vec2, other: Vec2) -> Vec2 {
    if force.length_squared() >= other.length_squared() {
        force
    } else {
        other
    }
}

/// The force of [`Queuing`] behind one neighbor, N.
pub fn queuing(me: &Agent, other: &Neighbor, how: &Queuing) -> Vec2 {
    let forces = lines(me).map(|line| queuing_along(me, line, other, how));
    forces.fold(Vec2::ZERO, |strongest, force| stronger(force, strongest))
}

/// The force behind a neighbor along a line, N.
fn queuing_along(me: &Agent, heading: Vec2, other: &Neighbor, how: &Queuing) -> Vec2 {
    let pace = other.velocity.dot(heading).max(0.0);
    let share = (1.0 - (pace - me.velocity.dot(heading)) / creep_speed(me)).clamp(0.0, 1.0);
    if share == 0.0 {
        return Vec2::ZERO;
    }
    let offset = other.position - me.position;
    let touching = me.radius + other.radius;
    let gap = (offset.length() - touching - stopping(me, pace)).max(0.0);
    let urgency = blocking(offset, heading, touching, gap, how);
    if urgency == 0.0 || goes_first(me, heading, other, gap, how) {
        return Vec2::ZERO;
    }
    share * (urgency * me.track(pace * heading) - urgency * urgency * me.max_force * heading)
}

/// The speed below which an agent that holds back waits, m/s: c in the documentation. In one update it
/// cannot accelerate beyond that, so it does not swing back and forth.
fn creep_speed(me: &Agent) -> f32 {
    (0.1 * me.max_speed).max(me.max_acceleration() * me.delta)
}

/// The distance in which the agent brakes to the pace of a neighbor, of a driven body that in which it stops, m: it
/// brakes fully when only that is left of the gap.
fn stopping(me: &Agent, pace: f32) -> f32 {
    if me.abilities.is_some() {
        return stopping_distance(me);
    }
    let closing = (me.velocity.dot(travel(me)) - pace).max(0.0);
    braking_distance(me, closing)
}

/// How much a neighbor at an offset, with a gap in between, blocks an agent that moves along `heading`,
/// `0..=1`. One that is hardly ahead, less than half of the distance at which they touch, blocks it less, and none where it is
/// level.
fn blocking(offset: Vec2, heading: Vec2, touching: f32, gap: f32, how: &Queuing) -> f32 {
    let [ahead, aside] = ahead_and_aside(offset.to_array(), heading.to_array());
    if ahead <= 0.0 || aside >= how.half_width || gap >= how.look_ahead_distance {
        return 0.0;
    }
    let level = (2.0 * ahead / touching.max(f32::MIN_POSITIVE)).min(1.0);
    let side = (2.0 * (1.0 - aside / how.half_width)).min(1.0);
    level * side * (1.0 - gap / how.look_ahead_distance)
}

/// How far a neighbor at an offset is ahead of an agent that moves along `heading`, and how far beside
/// its line, m.
fn ahead_and_aside<N: Number>([x, y]: [N; 2], heading: [N; 2]) -> [N; 2] {
    let aside = x * heading[1] - y * heading[0];
    let ahead = x * heading[0] + y * heading[1];
    [ahead, aside.max(N::splat(0.0) - aside)]
}

/// Which of the eight neighbors from a slot on are ahead, within the corridor.
#[inline(always)]
fn in_the_way<R: Register>(
    me: &Agent,
    neighbors: &Neighbors,
    line: Vec2,
    half_width: f32,
) -> impl Fn(usize) -> u32 {
    let columns = &neighbors.columns;
    let position = me.position.to_array().map(R::splat);
    let heading = line.to_array().map(R::splat);
    let half_width = R::splat(half_width);
    #[inline(always)]
    move |first| {
        let offset = [
            R::load(&columns.x, first) - position[0],
            R::load(&columns.y, first) - position[1],
        ];
        let [ahead, aside] = ahead_and_aside(offset, heading);
        R::zero().at_most(ahead) & aside.at_most(half_width)
    }
}

/// Whether the agent blocks the neighbor as well and is farther ahead of it than the neighbor of the
/// agent; ties go to the lower id.
fn goes_first(me: &Agent, heading: Vec2, other: &Neighbor, gap: f32, how: &Queuing) -> bool {
    let offset = other.position - me.position;
    let touching = me.radius + other.radius;
    let (its_lead, my_lead) = (offset.dot(heading), -offset.dot(other.heading));
    blocking(-offset, other.heading, touching, gap, how) > 0.0
        && (my_lead > its_lead || my_lead == its_lead && me.id < other.id)
}

#[cfg(test)]
mod tests;
