//! Leader following: follows the highest-ranked leader in range.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;

use super::arrive::stay;
use super::braking::{Braking, slowed_while_closing};
use super::collision_avoidance::giving_way;
use super::embeds_influence;
use super::flee::panic_urgency;
use super::shared::arrive_at_moving::to_catch_up;
use crate::perception::{Neighbor, NeighborView, SteeringGroups, with_groups};
use crate::pipeline::IndexSystems;
use crate::require::forget;
use crate::{
    Agent, Behavior, Influence, InvalidParameter, Kinematics, SnapshotAppExt, SnapshotKind, Steer,
    SteeringClock, SteeringId, SteeringSchedule, SteeringWarnings, Vehicle,
};

/// The rank of a leader, any number. Agents without it are not followed, nor are bodies without a [`Vehicle`].
///
/// Each follower searches all leaders above its own rank, from the highest down, until one is in
/// range; thousands of leaders are slow.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Leadership(pub f32);

impl Leadership {
    fn check(self) -> Result<(), InvalidParameter> {
        if self.0.is_nan() {
            return Err(InvalidParameter {
                field: "Leadership",
                value: self.0.into(),
                must_be: "a number",
            });
        }
        Ok(())
    }
}

/// Follows the highest-ranked leader in range at a distance, and gives way to it.
///
#[doc = include_str!("figures/leader_following.svg")]
///
/// Use it for ducklings, squads and tour groups, together with [`Separation`](crate::Separation). For
/// fixed slots use [`OffsetPursuit`](crate::OffsetPursuit).
///
/// Of the agents within `perception_radius` whose [`Leadership`] exceeds its own, the agent follows the
/// highest (ties by id), and keeps it while it is in range. It arrives `follow_distance` behind the
/// leader. The force fades to zero over the outer tenth of `perception_radius`. Since a leader's rank exceeds
/// its follower's, no agent follows itself and there are no cycles.
///
/// When the leader is gone, the next in rank leads. If it was a follower, it has no leader now and its force is zero: it drifts on
/// until the game gives it something to do, such as the [`Arrive`](crate::Arrive) of the old leader. The game notices by its
/// [`LeaderFollowingMemory::leader`], which is `None` then. The others are without a leader only if none has a `Leadership`
/// above theirs in range.
///
/// An agent ahead of its leader first gives way, and follows with the force that is left. It gives way
/// as in [`CollisionAvoidance`](crate::CollisionAvoidance), with half of `clearance` as the margin and
/// with twice the force, since the leader does not avoid it, and drifts sideways out of the leader's
/// way. (Reynolds 1999; Falcón 2008)
#[doc(alias("Seguimiento de un líder"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_remove = forget::<LeaderFollowingMemory>)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaderFollowing {
    /// How far leaders count, m, `> 0`. Default `12`.
    pub perception_radius: f32,
    /// Distance behind the leader's center, m, `> 0`. Default `2`. Take less than nine tenths of `perception_radius`:
    /// beyond that the force fades.
    pub follow_distance: f32,
    /// Length of the zone ahead of the leader that the agent keeps clear, beyond the way of the leader in 1 s, m, `≥ 0`.
    /// Half of it is kept clear on each side. Default `2`.
    pub clearance: f32,
    /// Groups of the leaders that count. Default all.
    pub groups: SteeringGroups,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// The state of a [`LeaderFollowing`]: its leader.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaderFollowingMemory {
    /// The leader; `None` while none is in range.
    #[entities]
    pub leader: Option<Entity>,
}

impl Default for LeaderFollowing {
    fn default() -> Self {
        Self {
            perception_radius: 12.0,
            follow_distance: 2.0,
            clearance: 2.0,
            groups: SteeringGroups::ALL,
            influence: Influence::of::<Self>(),
        }
    }
}

impl LeaderFollowing {
    with_groups!();

    /// Sets the [`perception_radius`](Self::perception_radius).
    #[must_use]
    pub fn with_perception_radius(mut self, perception_radius: f32) -> Self {
        self.perception_radius = perception_radius;
        self
    }

    /// Sets the [`follow_distance`](Self::follow_distance).
    #[must_use]
    pub fn with_follow_distance(mut self, follow_distance: f32) -> Self {
        self.follow_distance = follow_distance;
        self
    }

    /// Sets the [`clearance`](Self::clearance).
    #[must_use]
    pub fn with_clearance(mut self, clearance: f32) -> Self {
        self.clearance = clearance;
        self
    }

    /// The point behind a leader that the agent goes to, m.
    pub fn place_behind(&self, leader: Vec2, heading: Vec2) -> Vec2 {
        leader - self.follow_distance * heading
    }

    /// Size of the zone that it keeps clear ahead of a leader: length beyond the leader's center and
    /// half-width, m. `radii` is the sum of the agent's and the leader's radius, m.
    pub fn clear_zone(&self, radii: f32, leader_speed: f32) -> Vec2 {
        let margin = 0.5 * self.clearance;
        let width = radii + margin;
        Vec2::new(width + margin + NOTICE * leader_speed, width)
    }
}

/// An agent that others may follow.
#[derive(QueryData)]
pub struct LeaderData {
    entity: Entity,
    id: &'static SteeringId,
    leadership: &'static Leadership,
    body: &'static Kinematics,
    groups: Option<&'static SteeringGroups>,
}

impl LeaderDataItem<'_, '_> {
    fn ranked(&self) -> (f32, Neighbor) {
        let neighbor = Neighbor {
            position: self.body.position,
            velocity: self.body.velocity,
            heading: self.body.heading,
            radius: self.body.radius,
            groups: self.groups.copied().unwrap_or_default(),
            id: *self.id,
            entity: self.entity,
        };
        // Adding zero makes −0 and 0 equal.
        (self.leadership.0 + 0.0, neighbor)
    }
}

/// All leaders, the highest rank first. Leaders are few, so followers search them and not their
/// neighbors.
#[derive(Resource, Debug, Default)]
pub struct Leaders(Vec<(f32, Neighbor)>);

fn index_leaders(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut leaders: ResMut<Leaders>,
    agents: Query<LeaderData, With<Vehicle>>,
    no_agents: Query<Entity, (With<Leadership>, Without<Vehicle>)>,
) {
    for entity in &no_agents {
        warnings.raise(&clock, entity, "Leadership", || {
            "leads none, since only agents do; insert a Vehicle, also if the game moves its body".into()
        });
    }
    let Leaders(leaders) = &mut *leaders;
    leaders.clear();
    let agents = agents.iter().filter(|leader| {
        if let Err(error) = leader.leadership.check() {
            warnings.raise_invalid(
                &clock,
                leader.entity,
                &error,
                "it is not followed and follows no other",
            );
            return false;
        }
        leader.body.was_sensed() && leader.body.is_finite()
    });
    leaders.extend(agents.map(|leader| leader.ranked()));
    leaders.sort_unstable_by(|(a_rank, a), (b_rank, b)| {
        b_rank.total_cmp(a_rank).then(a.id.cmp(&b.id))
    });
}

impl Leaders {
    /// The leader of an agent of rank `mine`: the present one while it is in view and above that rank,
    /// else the highest.
    fn choose(
        &self,
        view: NeighborView,
        mine: f32,
        present: Option<(f32, Neighbor)>,
    ) -> Option<Neighbor> {
        let above_me = |(rank, _): &&(f32, Neighbor)| *rank > mine;
        let present = present.iter().filter(above_me);
        let mut leaders = present.chain(self.0.iter().take_while(above_me));
        let (_, leader) = leaders.find(|(_, leader)| view.sees(leader))?;
        Some(*leader)
    }
}

impl Behavior for LeaderFollowing {
    const PRIORITY: i16 = 60;
    const COLOR: Option<[u8; 3]> = Some([209, 75, 238]);

    type Memory = &'static mut LeaderFollowingMemory;
    type World = (
        Res<'static, Leaders>,
        Query<'static, 'static, LeaderData, With<Vehicle>>,
    );

    embeds_influence!();

    fn build(app: &mut App) {
        app.init_resource::<Leaders>()
            .add_saved_component::<Leadership>(SnapshotKind::Parameter)
            .add_systems(
                SteeringSchedule::Index,
                index_leaders
                    .after(IndexSystems::Prepare)
                    .run_if(any_with_component::<Self>),
            );
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive(
            "LeaderFollowing.perception_radius",
            self.perception_radius,
        )?;
        InvalidParameter::unless_positive("LeaderFollowing.follow_distance", self.follow_distance)?;
        InvalidParameter::unless_non_negative("LeaderFollowing.clearance", self.clearance)
    }
}

impl Steer for LeaderFollowing {
    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<LeaderFollowingMemory>,
        (leaders, agents): &(Res<Leaders>, Query<LeaderData, With<Vehicle>>),
    ) -> Vec2 {
        let view = NeighborView::around(me, self.perception_radius, self.groups);
        let ranked = |entity| agents.get(entity).ok().map(|leader| leader.ranked());
        let mine = ranked(me.entity).map_or(f32::NEG_INFINITY, |(rank, _)| rank);
        let leader = leaders.choose(view, mine, memory.leader.and_then(ranked));
        memory.set_if_neq(LeaderFollowingMemory {
            leader: leader.map(|it| it.entity),
        });
        leader.map_or(Vec2::ZERO, |leader| {
            let distance = me.position.distance(leader.position);
            let nearness = panic_urgency(distance, self.perception_radius, FALLOFF);
            nearness * leader_following(me, &leader, self)
        })
    }
}

/// Share of the perception radius over which the force fades to zero at its edge.
const FALLOFF: f32 = 0.1;

/// The force of [`LeaderFollowing`] behind a leader, N.
pub fn leader_following(me: &Agent, leader: &Neighbor, how: &LeaderFollowing) -> Vec2 {
    let giving_way = give_way_to_leader(me, leader, how).clamp_length_max(me.max_force);
    let left = me.max_force - giving_way.length();
    giving_way + keep_behind_leader(me, leader, how).clamp_length_max(left.max(0.0))
}

/// The force to the point behind the leader, N.
fn keep_behind_leader(me: &Agent, leader: &Neighbor, how: &LeaderFollowing) -> Vec2 {
    let behind = how.place_behind(leader.position, leader.heading);
    let speed = leader.velocity.length();
    if speed <= Kinematics::REST {
        return stay(me, behind, Braking::Physical, me.radius.max(0.1));
    }
    // It arrives there as at a point at rest, in the frame of the leader.
    let (direction, distance) = (behind - me.position).normalize_and_length();
    let closing = (me.rolling() - leader.velocity).dot(direction);
    let most = me.max_speed + speed;
    let approach = slowed_while_closing(me, distance, closing, direction, most, Braking::Physical);
    let lasting = to_catch_up(me, leader.velocity);
    me.track_while_lasting(leader.velocity + approach, lasting)
}

/// Time before contact with the leader at which followers start to give way, s.
const NOTICE: f32 = 1.0;

/// Share of the sideways drift out of the clear zone; a full drift would run ahead of the leader.
const DRIFT: f32 = 0.2;

/// The force out of the clear zone ahead of a leader, N.
fn give_way_to_leader(me: &Agent, leader: &Neighbor, how: &LeaderFollowing) -> Vec2 {
    let offset = me.position - leader.position;
    let ahead = offset.dot(leader.heading);
    let aside = offset.dot(leader.heading.perp());
    let zone = how.clear_zone(me.radius + leader.radius, leader.velocity.length());
    let (length, half_width) = (zone.x, zone.y);
    if !(0.0..length).contains(&ahead) || aside.abs() >= half_width {
        return Vec2::ZERO;
    }
    // Twice the avoidance, since the leader does not avoid the agent.
    let give_way = 2.0 * me.mass * giving_way(me, leader, NOTICE, 0.5 * how.clearance);
    // Dead ahead of the leader: to its left.
    let side = if aside < 0.0 { -1.0 } else { 1.0 };
    let drift = me.track(side * me.max_speed * leader.heading.perp());
    let edge = |share: f32| (2.0 * (1.0 - share)).min(1.0);
    // None where the leader is level with the agent.
    let level = (ahead / (me.radius + leader.radius).max(f32::MIN_POSITIVE)).min(1.0);
    give_way + DRIFT * level * edge(aside.abs() / half_width) * edge(ahead / length) * drift
}

#[cfg(test)]
mod tests;
