//! The crowd: what avoiding agents read of each other, by slot of the neighbor index.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Register, WIDTH, dot};

use super::aims::Claim;
use super::other::LEAST_TURN;
use super::precedence::unsteadiness;
use super::{Intent, quickness};
use crate::parallel::{LIGHT_PASS, chunk_size, for_each_chunk};
use crate::perception::{Neighbor, Neighbors, PADDING, SteeringGroups};
use crate::{Agent, Circle, SteeringDisabled, SteeringId, Vehicle};

/// The agents by slot of the neighbor index, so that those near each other are near in memory.
#[derive(Resource, Debug, Default)]
pub(crate) struct Crowd {
    members: Vec<Member>,
    /// The [unsteadiness] of each, padded for SIMD loads.
    unsteadiness: Vec<f32>,
}

/// One of the agents.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    /// See [`Row::motion`].
    motion: Row,
    /// See [`Row::plan`].
    plan: Row,
    label: Label,
}

/// Half a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Row([f32; WIDTH]);

#[derive(Clone, Copy, Debug, Default)]
struct Label {
    id: SteeringId,
    /// The groups whose members it avoids; see [`Intent::avoids`].
    avoids: SteeringGroups,
    /// Where it wants to end, m; not a number if nowhere.
    aim: Vec2,
    waits: bool,
}

/// What an agent reads of a neighbor, or of one in each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Walker<N> {
    pub(super) position: [N; 2],
    pub(super) velocity: [N; 2],
    /// The preferred direction, a unit vector or zero.
    pub(super) direction: [N; 2],
    /// The direction of its path within its horizon, a unit vector or zero.
    pub(super) course: [N; 2],
    /// The direction of the end of its path, a unit vector or zero.
    pub(super) destination: [N; 2],
    /// The next point of its path, m; not a number if there is none.
    pub(super) door: [N; 2],
    /// Length of the rest of its path, m.
    pub(super) left: N,
    pub(super) radius: N,
    /// How much room it has to avoid the reader as well, `0..=1`; 0 if it does not.
    pub(super) avoids: N,
    /// Its [quickness].
    pub(super) quickness: N,
    /// 1 if the reader has the lower id, else −1.
    pub(super) reader_first: N,
}

/// Each row is written here in the order in which [`Crowd`] reads it.
impl Row {
    /// Position, velocity, preferred direction, length of the rest of the path, radius.
    #[inline(always)]
    fn motion(it: &Neighbor, ahead: Vec2, left: f32) -> Self {
        Self([
            it.position.x,
            it.position.y,
            it.velocity.x,
            it.velocity.y,
            ahead.x,
            ahead.y,
            left,
            it.radius,
        ])
    }

    /// Course, destination, door (not a number if there is none), how much room it has to avoid others (see
    /// [`Intent::hemmed_in`]), [quickness].
    #[inline(always)]
    fn plan(intent: &Intent, quickness: f32) -> Self {
        let door = intent.door.unwrap_or(Vec2::NAN);
        Self([
            intent.course.x,
            intent.course.y,
            intent.destination.x,
            intent.destination.y,
            door.x,
            door.y,
            1.0 - intent.hemmed_in,
            quickness,
        ])
    }
}

impl Crowd {
    /// One bit for each of the agents in eight slots from one on that goes on as it moves.
    #[inline(always)]
    pub(super) fn steady_lanes<R: Register>(&self, first: usize) -> u32 {
        R::load(&self.unsteadiness, first).at_most(R::splat(LEAST_TURN))
    }

    /// Where a neighbor is and wants to be.
    pub(super) fn claim(&self, slot: usize) -> Claim {
        let Member { motion, label, .. } = &self.members[slot];
        let [x, y, .., radius] = motion.0;
        Claim {
            position: Vec2::new(x, y),
            radius,
            aim: label.aim,
            waits: label.waits,
        }
    }

    /// The body of a neighbor that [stands](Walker::standing_lanes), if it wants to be where it is.
    pub(super) fn at_rest(&self, slot: usize) -> Option<Circle> {
        let Member { motion, label, .. } = &self.members[slot];
        let [x, y, _, _, ahead_x, ahead_y, _, radius] = motion.0;
        let goes_on = (ahead_x != 0.0 || ahead_y != 0.0) && !label.waits;
        (!goes_on).then(|| Circle::new(Vec2::new(x, y), radius))
    }

    /// The neighbors in up to eight slots, for a reader in these groups; the other lanes are copies of the first.
    #[inline(always)]
    pub(super) fn eight<R: Register>(
        &self,
        me: &Agent,
        groups: SteeringGroups,
        slots: &[u32],
    ) -> Walker<R> {
        let slot = |lane: usize| slots[if lane < slots.len() { lane } else { 0 }] as usize;
        let [mut motions, mut plans] = [[R::zero(); WIDTH]; 2];
        let (mut avoids, mut reader_first) = (0, 0);
        for lane in 0..WIDTH {
            let Member {
                motion,
                plan,
                label,
            } = &self.members[slot(lane)];
            motions[lane] = R::load(&motion.0, 0);
            plans[lane] = R::load(&plan.0, 0);
            avoids |= u32::from(label.avoids.intersects(groups)) << lane;
            reader_first |= u32::from(me.id < label.id) << lane;
        }
        let [x, y, velocity_x, velocity_y, ahead_x, ahead_y, left, radius] = R::transposed(motions);
        let [
            course_x,
            course_y,
            end_x,
            end_y,
            door_x,
            door_y,
            room,
            quickness,
        ] = R::transposed(plans);
        let (one, two) = (R::splat(1.0), R::splat(2.0));
        Walker {
            position: [x, y],
            velocity: [velocity_x, velocity_y],
            direction: [ahead_x, ahead_y],
            course: [course_x, course_y],
            destination: [end_x, end_y],
            door: [door_x, door_y],
            left,
            radius,
            avoids: room * R::of_lanes(avoids),
            quickness,
            reader_first: two * R::of_lanes(reader_first) - one,
        }
    }
}

/// Up to this speed a pedestrian stands, m/s.
pub(super) const STANDS: f32 = 0.1;

impl<R: Register> Walker<R> {
    /// One bit for each lane in which the neighbor stands.
    #[inline(always)]
    pub(super) fn standing_lanes(&self) -> u32 {
        let slow = R::splat(STANDS) * self.quickness;
        dot(self.velocity, self.velocity).at_most(slow * slow)
    }
}

/// Copies the indexed agents and their intents into the [`Crowd`].
pub(crate) fn fill_crowd(
    mut crowd: ResMut<Crowd>,
    neighbors: Res<Neighbors>,
    agents: Query<(&Intent, &Vehicle), Without<SteeringDisabled>>,
) {
    let count = neighbors.len();
    let Crowd {
        members,
        unsteadiness: columns,
    } = &mut *crowd;
    // All of them are overwritten, so only the length matters.
    members.resize(count, default());
    columns.resize(count + PADDING, 0.0);
    let size = chunk_size(count, LIGHT_PASS);
    let members = members.chunks_mut(size);
    let chunks = members.zip(columns[..count].chunks_mut(size));
    for_each_chunk(chunks.enumerate(), |(at, (members, columns))| {
        let of_slots = members.iter_mut().zip(columns);
        for (slot, (member, its_unsteadiness)) in (at * size..).zip(of_slots) {
            let it = neighbors.at(slot);
            let agent = agents.get(it.entity).ok();
            (*member, *its_unsteadiness) = member_of(&it, agent);
        }
    });
}

/// What the [`Crowd`] has of one of its agents, and its unsteadiness.
#[inline(always)]
fn member_of(it: &Neighbor, agent: Option<(&Intent, &Vehicle)>) -> (Member, f32) {
    let (intent, quickness) = agent.map_or((Intent::default(), 1.0), |(intent, vehicle)| {
        (*intent, quickness(vehicle.max_speed))
    });
    let ahead = intent.direction();
    let velocity = it.velocity / quickness;
    let member = Member {
        motion: Row::motion(it, ahead, intent.left),
        plan: Row::plan(&intent, quickness),
        label: Label {
            id: it.id,
            avoids: intent.avoids,
            aim: intent.aim.unwrap_or(Vec2::NAN),
            waits: intent.waits,
        },
    };
    let unsteadiness = unsteadiness(velocity.to_array(), ahead.to_array());
    (member, unsteadiness)
}

#[cfg(test)]
impl Walker<f32> {
    /// An avoiding agent that walks where it wants to, with so much left of its path.
    pub(super) fn of(reader: &Agent, it: &Agent, left: f32) -> Self {
        Self {
            position: it.position.to_array(),
            velocity: it.velocity.to_array(),
            direction: it.velocity.normalize_or_zero().to_array(),
            course: it.velocity.normalize_or_zero().to_array(),
            destination: it.velocity.normalize_or_zero().to_array(),
            door: [f32::NAN; 2],
            left,
            radius: it.radius,
            avoids: 1.0,
            quickness: quickness(it.max_speed),
            reader_first: if reader.id < it.id { 1.0 } else { -1.0 },
        }
    }
}
