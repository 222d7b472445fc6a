//! Behind whoever leads.

use bevy::prelude::*;

use super::arrive::{Braking, arrive};
use super::collision_avoidance::avoid_collision;
use super::embeds_influence;
use crate::perception::{Neighbor, NeighborView, Neighbors, Perception, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, priority};

/// How much of a leader an agent is: in a neighborhood the highest is followed. Any number;
/// absent counts as nobody to follow.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Leadership(pub f32);

/// Follows the strongest leader in sight at a distance, and gets out of its way.
///
#[doc = include_str!("figures/leader_following.svg")]
///
/// Use it for ducklings, squads and tour groups, together with a
/// [`Separation`](crate::Separation). For fixed places use an offset pursuit.
///
/// Among the neighbors within `radius` whose [`Leadership`] exceeds its own it picks the highest
/// (ties by id) and keeps it until it leaves, so that it does not waver between two. It arrives
/// `follow_distance` behind the leader. Since a leader must exceed its follower, nobody follows
/// itself and there are no circles.
///
/// In front of the leader it makes way first, and follows with the force that is left: it gives
/// way as in a [`CollisionAvoidance`](crate::CollisionAvoidance), with half of `clearance` for a
/// margin and for both of them, since the leader does not, and drifts out of its lane besides.
/// (Falcón 2008; Reynolds 1999)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception, LeaderMemory)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaderFollowing {
    /// How far it looks for a leader, m, `> 0`. Default `12`.
    pub radius: f32,
    /// How far behind the leader's center it walks, m, `> 0`. Default `2`.
    pub follow_distance: f32,
    /// Room that it keeps free ahead of the leader and, one half each, at its sides, m, `≥ 0`.
    /// Default `2`.
    pub clearance: f32,
    /// Whom it may follow. Default everybody.
    pub groups: SteeringGroups,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

/// What a [`LeaderFollowing`] remembers: whom it follows.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaderMemory {
    /// The leader, while it is in sight.
    pub leader: Option<Entity>,
}

impl Default for LeaderFollowing {
    fn default() -> Self {
        Self {
            radius: 12.0,
            follow_distance: 2.0,
            clearance: 2.0,
            groups: SteeringGroups::ALL,
            influence: Influence::at(priority::LEADER_FOLLOWING),
        }
    }
}

impl LeaderFollowing {
    /// The place behind a leader that it goes to, m.
    pub fn spot(&self, leader: Vec2, heading: Vec2) -> Vec2 {
        leader - self.follow_distance * heading
    }

    /// What it keeps free ahead of a leader: how far beyond its center, and how far to each side,
    /// m. `radii` are its own and the leader's together, m.
    pub fn lane(&self, radii: f32, leader_speed: f32) -> Vec2 {
        let margin = 0.5 * self.clearance;
        let width = radii + margin;
        Vec2::new(width + margin + NOTICE * leader_speed, width)
    }
}

impl Behavior for LeaderFollowing {
    type Memory = &'static mut LeaderMemory;
    type World = (
        Res<'static, Neighbors>,
        Query<'static, 'static, &'static Leadership>,
    );

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("LeaderFollowing.radius", self.radius)?;
        InvalidParameter::unless_positive("LeaderFollowing.follow_distance", self.follow_distance)?;
        InvalidParameter::unless_non_negative("LeaderFollowing.clearance", self.clearance)
    }

    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<LeaderMemory>,
        (neighbors, leaderships): &(Res<Neighbors>, Query<&Leadership>),
    ) -> Vec2 {
        let view = NeighborView::around(me, self.radius, self.groups);
        let rank_of = |entity| leaderships.get(entity).map_or(f32::NEG_INFINITY, |it| it.0);
        let leader = choose_leader(
            neighbors.in_view(view).map(|it| (rank_of(it.entity), it)),
            rank_of(me.entity),
            memory.leader,
        );
        memory.set_if_neq(LeaderMemory {
            leader: leader.map(|it| it.entity),
        });
        leader.map_or(Vec2::ZERO, |leader| follow_leader(me, &leader, self))
    }
}

/// Keeps the present leader while it is in sight and above me; else takes the highest.
fn choose_leader(
    in_sight: impl Iterator<Item = (f32, Neighbor)>,
    my_rank: f32,
    present: Option<Entity>,
) -> Option<Neighbor> {
    let key = |&(rank, it): &(f32, Neighbor)| {
        let kept = present == Some(it.entity);
        (kept, rank, std::cmp::Reverse(it.id))
    };
    in_sight
        .filter(|&(rank, _)| rank > my_rank)
        .max_by(|a, b| {
            let ((kept_a, rank_a, id_a), (kept_b, rank_b, id_b)) = (key(a), key(b));
            kept_a
                .cmp(&kept_b)
                .then(rank_a.total_cmp(&rank_b))
                .then(id_a.cmp(&id_b))
        })
        .map(|(_, it)| it)
}

/// The force of [`LeaderFollowing`] behind a leader, N.
fn follow_leader(me: &Agent, leader: &Neighbor, how: &LeaderFollowing) -> Vec2 {
    let way = make_way(me, leader, how).clamp_length_max(me.max_force);
    let left = me.max_force - way.length();
    way + keep_behind(me, leader, how).clamp_length_max(left.max(0.0))
}

/// To the place behind the leader, N.
fn keep_behind(me: &Agent, leader: &Neighbor, how: &LeaderFollowing) -> Vec2 {
    let behind = how.spot(leader.position, leader.heading);
    if leader.velocity == Vec2::ZERO {
        return arrive(me, behind, Braking::Physical, me.radius.max(0.1));
    }
    // The place moves on while I get there.
    let time = me.position.distance(behind) / (me.max_speed + leader.velocity.length());
    me.track(leader.velocity + (behind - me.position) / time.max(me.response_time))
}

/// How long before the leader comes its followers begin to make way, s.
const NOTICE: f32 = 1.0;

/// The share of its strength with which it leaves the leader's lane, or it would run ahead of it.
const DRIFT: f32 = 0.2;

/// Out of the way of a leader that comes towards me, N.
fn make_way(me: &Agent, leader: &Neighbor, how: &LeaderFollowing) -> Vec2 {
    let offset = me.position - leader.position;
    let ahead = offset.dot(leader.heading);
    let aside = offset.dot(leader.heading.perp());
    let lane = how.lane(me.radius + leader.radius, leader.velocity.length());
    let (length, width) = (lane.x, lane.y);
    if !(0.0..length).contains(&ahead) || aside.abs() >= width {
        return Vec2::ZERO;
    }
    // It does for both what each of two would do.
    let give_way = 2.0 * me.mass * avoid_collision(me, leader, NOTICE, 0.5 * how.clearance);
    // Dead ahead, to its left.
    let side = if aside < 0.0 { -1.0 } else { 1.0 };
    let drift = me.track(side * me.max_speed * leader.heading.perp());
    let edge = |share: f32| (2.0 * (1.0 - share)).min(1.0);
    give_way + DRIFT * edge(aside.abs() / width) * edge(ahead / length) * drift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::Course;

    fn someone(id: u32, x: f32) -> Neighbor {
        Neighbor {
            position: Vec2::new(x, 0.0),
            velocity: Vec2::X,
            heading: Vec2::X,
            radius: 0.5,
            groups: SteeringGroups::default(),
            id: SteeringId(id),
            entity: Entity::from_raw_u32(id).expect("a small index"),
        }
    }

    #[test]
    fn the_highest_above_me_is_chosen_and_kept() {
        let (low, high) = (someone(1, 1.0), someone(2, 9.0));
        let choose = |present, mine| {
            let in_sight = [(3.0, low), (5.0, high)];
            choose_leader(in_sight.into_iter(), mine, present).map(|it| it.id.0)
        };
        assert_eq!(choose(None, 0.0), Some(2));
        assert_eq!(
            choose(Some(low.entity), 0.0),
            Some(1),
            "keeps whom it follows"
        );
        assert_eq!(
            choose(Some(low.entity), 4.0),
            Some(2),
            "unless it rose above it"
        );
        assert_eq!(choose(None, 5.0), None, "an equal is no leader");
    }

    #[test]
    fn equals_among_leaders_are_told_apart_by_id() {
        let (a, b) = (someone(7, 1.0), someone(3, 1.0));
        let chosen = choose_leader([(1.0, a), (1.0, b)].into_iter(), 0.0, None);
        assert_eq!(chosen.map(|it| it.id.0), Some(3));
    }

    #[test]
    fn in_front_of_the_leader_it_makes_way() {
        let leader = someone(1, 0.0);
        let at = |x, y| {
            let me = Agent {
                position: Vec2::new(x, y),
                ..default()
            };
            make_way(&me, &leader, &LeaderFollowing::default())
        };
        assert!(at(1.0, 0.3).y > 1.0);
        assert!(at(1.0, -0.3).y < -1.0);
        assert!(at(2.5, 0.0).y > 1.0, "dead ahead, to the leader's left");
        assert!(at(1.0, 0.0).y > 1.0, "and so when it is near");
        assert_eq!(at(-1.0, 0.3), Vec2::ZERO, "behind it is not in the way");
        assert_eq!(at(1.0, 2.5), Vec2::ZERO);
    }

    #[test]
    fn a_leader_that_turns_back_is_not_stopped() {
        // Followers at rest in its lane; it comes straight at them.
        for y in [-0.4, -0.1, 0.0, 0.3] {
            let mut leader = Neighbor {
                velocity: 2.0 * Vec2::X,
                ..someone(1, 0.0)
            };
            let mut course = Course::new(60.0);
            course.agent.position = Vec2::new(3.0, y);
            for _ in 0..180 {
                let me = course.agent;
                course.step(follow_leader(&me, &leader, &LeaderFollowing::default()));
                leader.position += leader.velocity * me.delta;
                let gap = leader.position.distance(course.agent.position) - 1.0;
                assert!(gap > 0.0, "from {y} m aside: {gap} m");
            }
            let behind = leader.position.x - course.agent.position.x;
            assert!(behind > 1.0, "from {y} m aside: {behind} m behind");
        }
    }

    #[test]
    fn in_its_place_behind_a_moving_leader_it_keeps_pace() {
        let me = Agent {
            position: Vec2::new(-2.0, 0.0),
            velocity: Vec2::X,
            ..default()
        };
        let force = follow_leader(&me, &someone(1, 0.0), &LeaderFollowing::default());
        assert!(force.length() < 1e-4, "{force}");
    }

    #[test]
    fn it_says_where_it_walks_and_what_it_keeps_free() {
        let how = LeaderFollowing::default();
        assert_eq!(how.spot(Vec2::new(5.0, 1.0), Vec2::Y), Vec2::new(5.0, -1.0));
        // Radii 1, margins 1 and 1, and a second's way at 2 m/s.
        assert_eq!(how.lane(1.0, 2.0), Vec2::new(5.0, 2.0));
    }
}
