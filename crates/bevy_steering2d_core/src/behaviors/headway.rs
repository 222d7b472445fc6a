//! Headway: walks slower the nearer the next neighbor ahead is.

use bevy::prelude::*;

use super::embeds_influence;
use crate::perception::{Circle, Neighbor, NeighborView, Neighbors, SteeringGroups, with_groups};
use crate::{Adjust, Agent, Behavior, Influence, InvalidParameter, Requests};

/// Limits the speed that the agent's other behaviors ask for by the gap to the neighbors ahead, as
/// people do: crowds become slow where they are dense.
///
#[doc = include_str!("figures/headway.svg")]
///
/// Use it beside [`ReciprocalAvoidance`](crate::ReciprocalAvoidance), which then avoids contacts at that
/// speed; [`Pedestrian::measured`](crate::Pedestrian::measured) has both. Without it the agents of a crowd
/// keep their pace until they touch, and are faster than people. The direction does not change. To keep a
/// fixed gap behind neighbors that are not faster, use [`Queuing`](crate::Queuing).
///
/// It is made for people. At the speed v it asks for decelerations up to `v / T`: the time gaps of a car
/// ([`Wheeled`](crate::Wheeled)) are at least its `max_speed` by the deceleration of its brakes, and its `clearance` is its
/// length less the diameter of its bounding circle. Even then it sees those ahead of its body, not those ahead along its lane: on
/// a road with curves set [`PathFollowing::pace`](crate::PathFollowing::pace) by the gap along the lane instead, as the recipe
/// "A car on a road" does.
///
/// Combine by [`Combine::WEIGHTED_SUM`](crate::Combine::WEIGHTED_SUM): other combiners may cut its force, and
/// then the agent does not slow down.
///
/// It adjusts the preferred velocity, which neighbors with `ReciprocalAvoidance` take into account. With the
/// preferred velocity w in the direction u, and a neighbor at `a` m ahead and `b` m aside, whose bounding
/// circle and the agent's touch at the distance l:
///
/// - the gap is `g = a − √(l² − b²) − clearance`, m, the root being zero beyond `b = l`;
/// - its share is `s = (1 − (b / (width · l))²) · (1 + u·h) / 2 · first`, `0..=1`: less to the side, zero if
///   its heading h is opposite, and zero if it waits for the agent. `first` falls from 1 to 0 around the
///   point at which each is equally far ahead of the other;
/// - it allows the speed `g / (s · T)`, at least `least_speed`.
///
/// The least of these speeds counts. The time gap `T` is `single_file_time_gap` for an agent without a
/// neighbor beside it. As a neighbor with a similar heading, ahead or behind, moves sideways from `b = 0.4 l` to `0.8 l`,
/// it changes gradually to `time_gap`: people who walk staggered follow closer. In single file that is a headway of
/// `l + clearance + single_file_time_gap · v`, which is linear in the speed. (Seyfried, Steffen, Klingsch and Boltes
/// 2005: 0.36 m + 1.06 s · v; as a model: Tordeux, Chraibi and Seyfried 2016)
#[doc(alias("car following"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Headway {
    /// Time gap to the neighbor ahead while others walk beside the agent, s, `> 0`. Default `0.68`, with which crowds
    /// in open areas have the measured flows. A shorter gap makes faster crowds.
    pub time_gap: f32,
    /// Time gap to the neighbor ahead in single file, s, `> 0`. Default `1.06`, as measured.
    pub single_file_time_gap: f32,
    /// Gap between the bounding circles below which the agent only closes up at `least_speed`, m, `≥ 0`. Default `0`. With a
    /// `least_speed` of zero it is the gap at rest.
    pub clearance: f32,
    /// How far aside neighbors count, in distances of contact, `> 0`. Default `1.2`.
    pub width: f32,
    /// The speed with which it closes up in any case, m/s, `≥ 0`. Default `0.05`. At zero two agents
    /// may wait for each other.
    pub least_speed: f32,
    /// Groups of the neighbors that count. Default all.
    pub groups: SteeringGroups,
    /// How it is ordered, and when it acts. Its weight does not matter, see
    /// [`Influence::unweighted`].
    pub influence: Influence,
}

impl Default for Headway {
    fn default() -> Self {
        Self {
            time_gap: 0.68,
            single_file_time_gap: 1.06,
            clearance: 0.0,
            width: 1.2,
            least_speed: 0.05,
            groups: SteeringGroups::ALL,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Headway {
    const PRIORITY: i16 = 6;
    const COLOR: Option<[u8; 3]> = Some([214, 201, 154]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    /// As far as a neighbor slows down a person of the usual pace.
    fn perception_radius(&self, body_radius: f32) -> f32 {
        const PACE: f32 = 1.4;
        2.0 * body_radius + self.clearance + PACE * self.longest_time_gap()
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Headway.time_gap", self.time_gap)?;
        let single_file = self.single_file_time_gap;
        InvalidParameter::unless_positive("Headway.single_file_time_gap", single_file)?;
        InvalidParameter::unless_non_negative("Headway.clearance", self.clearance)?;
        InvalidParameter::unless_positive("Headway.width", self.width)?;
        InvalidParameter::unless_non_negative("Headway.least_speed", self.least_speed)
    }
}

impl Headway {
    /// Sets the [`time_gap`](Self::time_gap).
    #[must_use]
    pub fn with_time_gap(mut self, time_gap: f32) -> Self {
        self.time_gap = time_gap;
        self
    }

    /// Sets the [`single_file_time_gap`](Self::single_file_time_gap).
    #[must_use]
    pub fn with_single_file_time_gap(mut self, single_file_time_gap: f32) -> Self {
        self.single_file_time_gap = single_file_time_gap;
        self
    }

    /// Sets the [`clearance`](Self::clearance).
    #[must_use]
    pub fn with_clearance(mut self, clearance: f32) -> Self {
        self.clearance = clearance;
        self
    }

    /// Sets the [`width`](Self::width).
    #[must_use]
    pub fn with_width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    /// Sets the [`least_speed`](Self::least_speed).
    #[must_use]
    pub fn with_least_speed(mut self, least_speed: f32) -> Self {
        self.least_speed = least_speed;
        self
    }

    with_groups!();

    fn longest_time_gap(&self) -> f32 {
        self.time_gap.max(self.single_file_time_gap)
    }

    /// How far an agent of a speed looks, m, where circles touch at most at the distance `contact`, m.
    fn reach(&self, contact: f32, speed: f32) -> f32 {
        self.width.max(1.0) * contact + self.clearance + speed * self.longest_time_gap()
    }
}

impl Adjust for Headway {
    const IS_PREFERENCE: bool = true;

    fn adjust(&self, me: &Agent, requests: &Requests, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let preferred = requests.velocity(me);
        let speed = preferred.length();
        if speed < 1e-3 {
            return Vec2::ZERO;
        }
        let ahead = preferred / speed;
        let view = |radius: f32| {
            let reach = self.reach(me.radius + radius, speed);
            NeighborView::around(me, reach, self.groups)
        };
        let seen = neighbors.in_view(view(neighbors.ordinary_radius()));
        let allowed = if neighbors.has_large() {
            let around = Circle::new(me.position, view(neighbors.largest_radius()).radius);
            let large = neighbors.large_near(around, 0.0);
            let seen = seen.chain(large.filter(|it| view(it.radius).sees(it)));
            allowed_speed(me, speed, ahead, seen, self)
        } else {
            allowed_speed(me, speed, ahead, seen, self)
        };
        if allowed >= speed {
            return Vec2::ZERO;
        }
        let allowed = me.track(allowed * ahead);
        self.influence.unweighted(allowed - requests.force)
    }
}

/// The speed that neighbors allow an agent with [`Headway`] that prefers a speed in a direction, a unit vector; m/s,
/// infinity if they do not limit it.
fn allowed_speed(
    me: &Agent,
    speed: f32,
    ahead: Vec2,
    neighbors: impl Iterator<Item = Neighbor>,
    how: &Headway,
) -> f32 {
    let (mut gap, mut abreast) = (f32::INFINITY, 0.0_f32);
    for other in neighbors {
        gap = gap.min(gap_to(me, ahead, &other, how));
        let reach = how.reach(me.radius + other.radius, speed);
        abreast = abreast.max(walks_abreast(me, ahead, &other, reach));
    }
    let time_gap = how.single_file_time_gap.lerp(how.time_gap, abreast);
    (gap / time_gap).max(how.least_speed)
}

/// The gap to a neighbor by its share, m: g / s in the documentation; infinity if the neighbor does not count.
fn gap_to(me: &Agent, ahead: Vec2, other: &Neighbor, how: &Headway) -> f32 {
    let offset = other.position - me.position;
    let lead = offset.dot(ahead);
    if lead <= 0.0 {
        return f32::INFINITY;
    }
    let contact = me.radius + other.radius;
    let aside = offset.perp_dot(ahead).abs();
    let share = share(me, ahead, offset, other, how);
    if share <= 0.0 {
        return f32::INFINITY;
    }
    let touching = (contact * contact - aside * aside).max(0.0).sqrt();
    (lead - touching - how.clearance).max(0.0) / share
}

/// Whether a neighbor walks beside the agent, `0..=1`: the more, the farther aside it is, the more alike their
/// directions, and the nearer it is.
fn walks_abreast(me: &Agent, ahead: Vec2, other: &Neighbor, reach: f32) -> f32 {
    // In distances of contact: those in file count from this far aside, and wholly twice as far.
    const STAGGERED: f32 = 0.4;
    // The share of the reach within which a neighbor comes to count.
    const FADE: f32 = 0.3;
    let offset = other.position - me.position;
    let contact = (me.radius + other.radius).max(f32::MIN_POSITIVE);
    let aside = offset.perp_dot(ahead).abs() / contact;
    let beside = ((aside - STAGGERED) / STAGGERED).clamp(0.0, 1.0);
    let near = ((1.0 - offset.length() / reach) / FADE).clamp(0.0, 1.0);
    beside * likeness(ahead, other) * near
}

/// How much a neighbor ahead counts, `0..=1`: s in the documentation.
fn share(me: &Agent, ahead: Vec2, offset: Vec2, other: &Neighbor, how: &Headway) -> f32 {
    let contact = me.radius + other.radius;
    let beside = offset.perp_dot(ahead) / (how.width * contact).max(f32::MIN_POSITIVE);
    // How much farther ahead of the agent the neighbor is than the agent of it, in bodies.
    let (its_lead, my_lead) = (offset.dot(ahead), -offset.dot(other.heading));
    let farther = (its_lead - my_lead) / contact.max(f32::MIN_POSITIVE);
    // A tie goes to the lower id.
    let tie = if me.id < other.id { -0.1 } else { 0.1 };
    let first = (0.5 + tie + farther).clamp(0.0, 1.0);
    (1.0 - beside * beside).max(0.0) * likeness(ahead, other) * first
}

/// How alike a direction, a unit vector, and a neighbor's heading are, `0..=1`: (1 + u·h) / 2 in the documentation.
fn likeness(ahead: Vec2, other: &Neighbor) -> f32 {
    0.5 * (1.0 + ahead.dot(other.heading))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;

    /// Of a radius of 0.2 m, walking along x.
    fn walker() -> Agent {
        Agent {
            radius: 0.2,
            heading: Vec2::X,
            ..default()
        }
    }

    fn neighbor(x: f32, y: f32, heading: Vec2) -> Neighbor {
        Neighbor {
            position: Vec2::new(x, y),
            velocity: Vec2::ZERO,
            heading,
            radius: 0.2,
            groups: SteeringGroups::default(),
            id: SteeringId(1),
            entity: Entity::PLACEHOLDER,
        }
    }

    fn allowed(x: f32, y: f32, heading: Vec2) -> f32 {
        allowed_by([neighbor(x, y, heading)])
    }

    fn allowed_by<const N: usize>(neighbors: [Neighbor; N]) -> f32 {
        let how = Headway::default();
        allowed_speed(&walker(), 1.4, Vec2::X, neighbors.into_iter(), &how)
    }

    #[test]
    fn in_single_file_the_headway_is_linear_in_the_speed() {
        for speed in [0.2, 0.6, 1.0, 1.3] {
            let headway = 0.4 + 1.06 * speed;
            assert!((allowed(headway, 0.0, Vec2::X) - speed).abs() < 1e-5);
        }
    }

    #[test]
    fn an_agent_beside_another_keeps_the_shorter_time_gap() {
        let ahead = neighbor(1.0, 0.0, Vec2::X);
        let beside = |y, heading| allowed_by([ahead, neighbor(0.0, y, heading)]);
        let (single_file, abreast) = (0.6 / 1.06, 0.6 / 0.68);
        assert!((beside(0.4, Vec2::X) - abreast).abs() < 1e-5);
        assert!((beside(0.1, Vec2::X) - single_file).abs() < 1e-5);
        assert!(
            (beside(0.4, Vec2::NEG_X) - single_file).abs() < 1e-5,
            "oncoming"
        );
        assert!(
            (beside(5.0, Vec2::X) - single_file).abs() < 1e-5,
            "far away"
        );
        let between = beside(0.24, Vec2::X);
        assert!(single_file < between && between < abreast, "{between}");
    }

    #[test]
    fn it_closes_up_at_the_least_speed() {
        assert_eq!(allowed(0.4, 0.0, Vec2::X), 0.05);
        assert_eq!(allowed(0.3, 0.1, Vec2::X), 0.05);
    }

    #[test]
    fn the_limit_fades_to_the_side() {
        let speeds = [0.0, 0.2, 0.3, 0.47].map(|y| allowed(1.0, y, Vec2::X));
        assert!(speeds.is_sorted(), "{speeds:?}");
        assert!(speeds[3] > 10.0, "{speeds:?}");
        assert_eq!(allowed(1.0, 0.49, Vec2::X), f32::INFINITY);
    }

    #[test]
    fn neighbors_behind_or_oncoming_do_not_count() {
        assert_eq!(allowed(-1.0, 0.0, Vec2::X), f32::INFINITY);
        assert_eq!(allowed(1.0, 0.0, Vec2::NEG_X), f32::INFINITY);
    }

    #[test]
    fn of_two_that_cross_the_one_nearer_to_the_crossing_goes_first() {
        let gap = |me: Vec2, its: Vec2| {
            let other = neighbor(its.x, its.y, Vec2::NEG_Y);
            let me = Agent {
                position: me,
                ..walker()
            };
            let wide = Headway {
                width: 4.0,
                ..default()
            };
            gap_to(&me, Vec2::X, &other, &wide)
        };
        // They cross at the origin.
        assert_eq!(
            gap(Vec2::new(-0.5, 0.0), Vec2::new(0.0, 1.0)),
            f32::INFINITY
        );
        assert!(gap(Vec2::new(-1.0, 0.0), Vec2::new(0.0, 0.5)).is_finite());
    }
}
