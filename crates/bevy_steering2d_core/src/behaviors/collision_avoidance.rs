//! Collision avoidance: steers around the predicted closest approach to moving neighbors.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Number, Operation, Register, dispatch, dot, length};

use super::braking::braking_lag;
use super::embeds_influence;
use crate::locomotion::within;
use crate::perception::{
    Neighbor, NeighborView, Neighbors, SteeringGroups, index_motions, with_groups,
};
use crate::pipeline::IndexSystems;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, SteeringSchedule};

/// Avoids collisions with moving neighbors by the predicted closest approach, and gives way no more
/// than necessary.
///
#[doc = include_str!("figures/collision_avoidance.svg")]
///
/// Use it for pedestrians, ships and traffic: agents that share a place but not a direction. Flocks
/// do not need it, since [`Alignment`](crate::Alignment) gives all the same direction. It assumes that
/// neighbors give way too; for obstacles use [`ObstacleAvoidance`](crate::ObstacleAvoidance).
///
/// For each neighbor two times are predicted from the relative position r and velocity w: the
/// closest approach `t = −r·w / w²`, and the first contact τ, when the distance falls to the sum of
/// the radii and the margin. If τ is below the horizon, the agent accelerates away from the closest
/// approach by the missing distance within the remaining time, `a = 2 · missing / τ²`, at most by what ends the approach,
/// `|w| / 0.1 s`. A second component, half as large, acts against the approach. So it goes sideways and brakes when they
/// meet head-on, and brakes or accelerates when they cross. In an exact head-on approach both pass on the right. Within the margin they stop
/// approaching before they touch, and push apart.
///
/// A body with a turning circle gives way sideways only as fast as it can steer, and brakes for the rest;
/// its horizon is at least the time in which it stops.
///
/// `F = mass · Σ min(2 · missing / τ² · (1 − τ/horizon), |w| / 0.1 s, max_force / mass) · (n + ŵ / 2)`, clamped, with τ at
/// least 0.1 s, the direction n away from the closest approach and ŵ along w. (unaligned collision avoidance: Reynolds 1999;
/// Falcón 2008)
#[doc(alias("Unaligned Collision Avoidance", "Evadir colisiones no alineadas"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CollisionAvoidance {
    /// Contacts later than this do not count, s, `> 0`; for a driven body at least the time in which it
    /// stops. Default `2`.
    pub horizon: f32,
    /// Clearance between the bounding circles, m, `≥ 0`. Default `0.1`.
    pub margin: f32,
    /// How far neighbors count, up to their centers, m, `> 0`. Default `6`: enough for pedestrians. Agents that approach
    /// head-on at a speed v need `2·v·horizon`; with less they react late. A car at 15 m/s needs 35 m for one that
    /// stands.
    pub perception_radius: f32,
    /// The groups whose members count. Default all.
    pub groups: SteeringGroups,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Default for CollisionAvoidance {
    fn default() -> Self {
        Self {
            horizon: 2.0,
            margin: 0.1,
            perception_radius: 6.0,
            groups: SteeringGroups::ALL,
            influence: Influence::of::<Self>(),
        }
    }
}

impl CollisionAvoidance {
    /// Sets the [`perception_radius`](Self::perception_radius).
    #[must_use]
    pub fn with_perception_radius(mut self, perception_radius: f32) -> Self {
        self.perception_radius = perception_radius;
        self
    }

    with_groups!();

    /// The positions of the agent and a neighbor at their closest approach, m; `None` if the agent
    /// does not give way to that neighbor.
    pub fn closest_approach(&self, me: &Agent, other: &Neighbor) -> Option<(Vec2, Vec2)> {
        let gives_way = collision_avoidance(me, other, self.horizon, self.margin) != Vec2::ZERO;
        gives_way.then(|| {
            let (offset, velocity) = (other.position - me.position, other.velocity - me.velocity);
            let time = -offset.dot(velocity) / velocity.length_squared().max(f32::MIN_POSITIVE);
            let time = time.max(0.0).min(horizon_of(me, self.horizon));
            (
                me.position + time * me.velocity,
                other.position + time * other.velocity,
            )
        })
    }
}

impl Behavior for CollisionAvoidance {
    const PRIORITY: i16 = 160;
    const COLOR: Option<[u8; 3]> = Some([252, 209, 220]);

    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    fn build(app: &mut App) {
        app.add_systems(
            SteeringSchedule::Index,
            index_motions
                .after(IndexSystems::Build)
                .run_if(any_with_component::<Self>),
        );
    }

    fn perception_radius(&self, _: f32) -> f32 {
        self.perception_radius
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("CollisionAvoidance.horizon", self.horizon)?;
        InvalidParameter::unless_non_negative("CollisionAvoidance.margin", self.margin)?;
        InvalidParameter::unless_positive(
            "CollisionAvoidance.perception_radius",
            self.perception_radius,
        )
    }
}

impl Steer for CollisionAvoidance {
    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        dispatch(Avoid {
            how: self,
            me,
            neighbors,
        })
    }
}

/// The force of one agent.
struct Avoid<'a> {
    how: &'a CollisionAvoidance,
    me: &'a Agent,
    neighbors: &'a Neighbors,
}

impl Operation for Avoid<'_> {
    type Output = Vec2;

    #[inline(always)]
    fn run<R: Register>(self) -> Vec2 {
        let Self { how, me, neighbors } = self;
        let view = NeighborView::around(me, how.perception_radius, how.groups);
        let may_touch = may_touch::<R>(me, neighbors, how.horizon, how.margin);
        let mut acceleration = Vec2::ZERO;
        neighbors.for_each_in_view_that::<R>(view, may_touch, |neighbor| {
            acceleration += collision_avoidance(me, &neighbor, how.horizon, how.margin);
        });
        me.push(steerable(me, acceleration))
    }
}

/// An evasive acceleration as a body with a turning circle can follow it, m/s²: it brakes for the sideways
/// part that it cannot steer.
fn steerable(me: &Agent, acceleration: Vec2) -> Vec2 {
    if me.turning_radius() == 0.0 {
        return acceleration;
    }
    let (along, across) = (me.heading, me.heading.perp());
    let sideways = acceleration.dot(across);
    let steered = within(sideways, me.turning());
    let missing = (sideways - steered).abs();
    let stop = me.forward_speed() / me.response_time.max(me.delta);
    let braked = acceleration.dot(along) - within(stop, missing);
    braked * along + steered * across
}

/// The horizon, s, for a driven body at least the time in which it stops.
fn horizon_of(me: &Agent, horizon: f32) -> f32 {
    let stopping = me
        .abilities
        .map_or(0.0, |_| me.speed() / me.braking() + braking_lag(me));
    horizon.max(stopping)
}

/// Share of the evasive acceleration that also brakes the approach.
const BRAKING_SHARE: f32 = 0.5;

/// Contacts earlier than this all have the highest urgency, s. The time in which an approach can be ended.
const SHORTEST: f32 = 0.1;

/// The acceleration by which [`CollisionAvoidance`] gives way to one neighbor, m/s².
pub fn collision_avoidance(me: &Agent, other: &Neighbor, horizon: f32, margin: f32) -> Vec2 {
    let horizon = horizon_of(me, horizon);
    let offset = other.position - me.position;
    let velocity = other.velocity - me.velocity;
    let clearance = me.radius + other.radius + margin;
    if offset.length() < clearance {
        return separate(me, other, offset, velocity, margin);
    }
    let contact = time_of_contact(offset.to_array(), velocity.to_array(), clearance);
    let is_soon = contact < horizon;
    if !is_soon {
        return Vec2::ZERO;
    }
    let speed_squared = velocity.length_squared();
    let miss = offset - velocity * (offset.dot(velocity) / speed_squared);
    let miss_distance = miss.length();
    let approach = velocity / speed_squared.sqrt();
    // In an exact head-on approach both keep right.
    let on_the_right = approach.perp();
    let away = if miss_distance > 1e-3 * clearance {
        -miss / miss_distance
    } else {
        on_the_right
    };
    let time = contact.max(SHORTEST);
    let missing = clearance - miss_distance;
    let needed = 2.0 * missing / (time * time) * (1.0 - contact / horizon);
    // No more than ends the approach: agents that creep have time enough.
    let needed = needed.min(speed_squared.sqrt() / SHORTEST);
    needed.min(me.max_acceleration()) * (away + BRAKING_SHARE * approach)
}

/// The time until a distance shrinks to `clearance`: the smaller root of
/// `|offset + velocity · τ| = clearance`, s. Infinite if it never does.
#[inline(always)]
fn time_of_contact<N: Number>(offset: [N; 2], velocity: [N; 2], clearance: N) -> N {
    let (zero, never) = (N::splat(0.0), N::splat(f32::INFINITY));
    let a = dot(velocity, velocity);
    let b = dot(offset, velocity);
    let c = dot(offset, offset) - clearance * clearance;
    let discriminant = b * b - a * c;
    let time = c / (discriminant.sqrt() - b);
    b.if_below(zero, zero.if_below(discriminant, time, never), never)
}

/// Which of the eight neighbors from a slot on the agent gives way to: those within the margin, and those
/// with a contact within the horizon.
#[inline(always)]
fn may_touch<R: Register>(
    me: &Agent,
    neighbors: &Neighbors,
    horizon: f32,
    margin: f32,
) -> impl Fn(usize) -> u32 {
    let (columns, motions) = (&neighbors.columns, &neighbors.motions);
    let horizon = R::splat(horizon_of(me, horizon));
    let radius = R::splat(me.radius);
    let margin = R::splat(margin);
    let position = me.position.to_array().map(R::splat);
    let my_velocity = me.velocity.to_array().map(R::splat);
    #[inline(always)]
    move |first| {
        if motions.is_empty() {
            return u32::MAX;
        }
        let offset = [
            R::load(&columns.x, first) - position[0],
            R::load(&columns.y, first) - position[1],
        ];
        let velocity = [
            R::load(&motions.velocity_x, first) - my_velocity[0],
            R::load(&motions.velocity_y, first) - my_velocity[1],
        ];
        let clearance = radius + R::load(&motions.radius, first) + margin;
        let contact = time_of_contact(offset, velocity, clearance);
        length(offset).at_most(clearance) | contact.at_most(horizon)
    }
}

/// The acceleration of an agent within the margin of a neighbor, m/s²: it stops approaching before
/// the bodies touch, `c² / 2·gap` at a closing speed c, or pushes away if that is stronger: by the square of its
/// way into the margin, in full when they touch, or a little deeper if the margin is less than the way of an update. The push fades as they part, so that agents that are pressed
/// together come to rest. On the same spot the ids give the direction.
fn separate(me: &Agent, other: &Neighbor, offset: Vec2, velocity: Vec2, margin: f32) -> Vec2 {
    let distance = offset.length();
    let bodies = me.radius + other.radius;
    let apart = if distance > 1e-6 {
        -offset / distance
    } else if me.id < other.id {
        Vec2::X
    } else {
        Vec2::NEG_X
    };
    let (most, gap) = (me.max_acceleration(), distance - bodies);
    let in_an_update = most * me.delta;
    // With a narrow margin the push rises over a longer way, into the bodies, so that it does not change at once from one
    // update to the next.
    let reach = margin
        .max(4.0 * in_an_update * me.delta)
        .max(f32::MIN_POSITIVE);
    let share = ((margin - gap) / reach).clamp(0.0, 1.0);
    let approach = velocity.dot(apart);
    let settling = (0.3 * (most * reach).sqrt()).max(2.5 * in_an_update);
    let push = share * share * most * (1.0 + approach / settling).max(0.0);
    let closing = approach.max(0.0);
    let room = (gap - closing * me.delta).max(f32::MIN_POSITIVE);
    let stop = (closing * closing / (2.0 * room)).min(closing / me.delta.max(f32::MIN_POSITIVE));
    stop.max(push).min(most) * apart
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_kernel::simd::Portable;
    use proptest::prelude::*;

    use super::*;
    use crate::behaviors::arrive::arrive;
    use crate::behaviors::testing::Course;
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;
    use crate::{Braking, SteeringId};

    fn neighbor(position: Vec2, velocity: Vec2) -> Neighbor {
        Neighbor {
            position,
            velocity,
            heading: velocity.normalize_or(Vec2::X),
            radius: 0.5,
            groups: SteeringGroups::default(),
            id: SteeringId(1),
            entity: Entity::PLACEHOLDER,
        }
    }

    fn walker() -> Agent {
        Agent {
            velocity: Vec2::new(2.0, 0.0),
            ..default()
        }
    }

    #[test]
    fn only_neighbors_with_a_predicted_contact_count() {
        let avoid = |other| collision_avoidance(&walker(), &other, 2.0, 0.0);
        let passing = neighbor(Vec2::new(4.0, 1.1), Vec2::new(-2.0, 0.0));
        assert_eq!(avoid(passing), Vec2::ZERO, "misses by more than the radii");
        let leaving = neighbor(Vec2::new(-4.0, 0.0), Vec2::new(-2.0, 0.0));
        assert_eq!(avoid(leaving), Vec2::ZERO);
        let late = neighbor(Vec2::new(20.0, 0.0), Vec2::new(-2.0, 0.0));
        assert_eq!(avoid(late), Vec2::ZERO, "beyond the horizon");
        let beside = neighbor(Vec2::new(0.0, 2.0), Vec2::new(2.0, 0.0));
        assert_eq!(avoid(beside), Vec2::ZERO, "same velocity, no approach");
    }

    #[test]
    fn collision_avoidance_equals_its_documented_formula() {
        // r = (4, 0.6), w = (−4, 0), clearance 1: they touch when 4 − 4τ = √(1 − 0.6²) = 0.8, so
        // τ = 0.8 s, and miss by 0.6, so 0.4 m are missing. a = 2 · 0.4 / 0.64 = 1.25 m/s², faded
        // by 1 − 0.8/2: 0.75 down and a braking share along w.
        let other = neighbor(Vec2::new(4.0, 0.6), Vec2::new(-2.0, 0.0));
        let force = collision_avoidance(&walker(), &other, 2.0, 0.0);
        let expected = 0.75 * (Vec2::NEG_Y + BRAKING_SHARE * Vec2::NEG_X);
        assert!((force - expected).length() < 1e-4, "{force}");
    }

    #[test]
    fn a_neighbor_that_crosses_behind_does_not_count() {
        // The paths cross, but not at the same time.
        let other = neighbor(Vec2::new(1.0, 6.0), Vec2::new(0.0, -2.0));
        assert_eq!(collision_avoidance(&walker(), &other, 4.0, 0.0), Vec2::ZERO);
    }

    #[test]
    fn agents_keep_right_in_a_head_on_approach() {
        let other = neighbor(Vec2::new(4.0, 0.0), Vec2::new(-2.0, 0.0));
        let mine = collision_avoidance(&walker(), &other, 3.0, 0.0);
        let they = Agent {
            position: other.position,
            velocity: other.velocity,
            ..default()
        };
        let me = neighbor(Vec2::ZERO, walker().velocity);
        let theirs = collision_avoidance(&they, &me, 3.0, 0.0);
        assert!(mine.y < -0.01, "{mine}");
        assert!(
            (mine + theirs).length() < 1e-5,
            "{mine} and {theirs} mirror each other"
        );
    }

    #[test]
    fn the_force_fades_in_at_the_horizon_and_at_the_margin() {
        let avoid = |x: f32, y: f32| {
            let other = neighbor(Vec2::new(x, y), Vec2::new(-2.0, 0.0));
            collision_avoidance(&walker(), &other, 2.0, 0.0).length()
        };
        assert!(avoid(8.86, 0.5) < 1e-2, "{}", avoid(8.86, 0.5));
        assert!(avoid(4.0, 0.9999) < 1e-2, "{}", avoid(4.0, 0.9999));
    }

    #[test]
    fn braking_is_continuous_into_the_margin() {
        // Margin 0.1: half of it is left, less the way of an update at a closing speed of 1 m/s:
        // 1 / (2 · (0.05 − 1/60)) = 15 m/s². The push, 20 / 4 · (1 + 1.2) m/s², is weaker.
        let slow = Agent {
            velocity: Vec2::X,
            ..default()
        };
        let other = neighbor(Vec2::new(1.05, 0.0), Vec2::ZERO);
        let force = collision_avoidance(&slow, &other, 2.0, 0.1);
        assert!((force.x + 15.0).abs() < 1e-3, "{force}");
        // The force does not drop at the edge of the margin.
        let at = |x| {
            let other = neighbor(Vec2::new(x, 0.0), Vec2::new(-1.0, 0.0));
            collision_avoidance(&slow, &other, 2.0, 0.1).length()
        };
        assert!(
            at(1.0999) > 0.8 * at(1.1001),
            "{} {}",
            at(1.0999),
            at(1.1001)
        );
    }

    #[test]
    fn two_agents_that_arrive_at_one_point_come_to_rest_side_by_side() {
        for (hertz, mass) in [
            (30.0, 1.0),
            (60.0, 0.5),
            (60.0, 1.0),
            (60.0, 4.0),
            (240.0, 4.0),
        ] {
            let mut pair = [(-4.0, 0.3), (4.0, -0.2)].map(|position| {
                let mut course = Course::new(hertz);
                course.agent.mass = mass;
                course.agent.position = position.into();
                course
            });
            for _ in 0..(20.0 * hertz) as u32 {
                let [a, b] = [0, 1].map(|index: usize| pair[index].agent);
                let forces = [(a, b), (b, a)].map(|(me, it)| {
                    let other = neighbor(it.position, it.velocity);
                    let avoiding = me.push(collision_avoidance(&me, &other, 2.0, 0.1));
                    let rest = me.max_force - avoiding.length();
                    let arriving = arrive(&me, Vec2::ZERO, Braking::Physical, 0.1);
                    avoiding + arriving.clamp_length_max(rest)
                });
                pair.iter_mut()
                    .zip(forces)
                    .for_each(|(it, force)| it.step(force));
                let [a, b] = [0, 1].map(|index: usize| pair[index].agent);
                let gap = a.position.distance(b.position) - a.radius - b.radius;
                assert!(gap > 0.0, "{mass} kg at {hertz} Hz: {gap} m");
            }
            let [a, b] = pair.map(|it| it.agent.speed());
            assert!(a.max(b) < 1e-3, "{mass} kg at {hertz} Hz: {a} and {b} m/s");
        }
    }

    #[test]
    fn creeping_agents_are_not_kicked() {
        let me = Agent {
            velocity: Vec2::new(0.005, 0.0),
            ..default()
        };
        for x in [1.0995, 1.1005] {
            let other = neighbor(Vec2::new(x, 0.0), Vec2::ZERO);
            let acceleration = collision_avoidance(&me, &other, 2.0, 0.1).length();
            assert!(acceleration < 0.1, "{x} m: {acceleration} m/s²");
        }
    }

    #[test]
    fn agents_on_one_spot_move_in_opposite_directions() {
        let other = neighbor(Vec2::ZERO, Vec2::ZERO);
        let me = Agent::default();
        let mine = collision_avoidance(&me, &other, 2.0, 0.0);
        assert_eq!(mine, me.max_acceleration() * Vec2::X);
        let it = Agent {
            id: SteeringId(2),
            ..me
        };
        let its = collision_avoidance(&it, &other, 2.0, 0.0);
        assert_eq!(its, -mine);
    }

    #[test]
    fn closest_approach_by_hand() {
        let how = CollisionAvoidance::default();
        // Head-on at 4 m/s with a lateral offset of 0.5 m: nearest after 1 s.
        let oncoming = neighbor(Vec2::new(4.0, 0.5), Vec2::new(-2.0, 0.0));
        let (mine, its) = how.closest_approach(&walker(), &oncoming).unwrap();
        assert!(mine.distance(Vec2::new(2.0, 0.0)) < 1e-5, "{mine}");
        assert!(its.distance(Vec2::new(2.0, 0.5)) < 1e-5, "{its}");
        let passing = neighbor(Vec2::new(4.0, 3.0), Vec2::new(-2.0, 0.0));
        assert_eq!(how.closest_approach(&walker(), &passing), None);
    }

    #[test]
    fn a_slow_car_brakes_where_it_cannot_steer() {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        let aside = Vec2::new(0.0, 4.0);
        car.body.velocity = Vec2::new(1.0, 0.0);
        let slow = steerable(&car.agent(), aside);
        // On its turning circle: 1² / 3.72 m = 0.27 m/s².
        assert!((slow.y - 0.269).abs() < 1e-2 && slow.x < -3.0, "{slow}");
        // In an update of half a second 2 m/s² stop it.
        let seldom = Agent {
            delta: 0.5,
            ..car.agent()
        };
        let slow = steerable(&seldom, aside);
        assert!((slow.x + 2.0).abs() < 1e-3, "{slow}");
        car.body.velocity = Vec2::new(8.0, 0.0);
        assert_eq!(
            steerable(&car.agent(), aside),
            aside,
            "it can steer as hard"
        );
        assert_eq!(steerable(&Agent::default(), aside), aside);
    }

    #[test]
    fn the_horizon_of_a_car_is_its_stopping_time() {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.body.velocity = Vec2::new(14.0, 0.0);
        // 14 / 8 + 0.25 s.
        assert!((horizon_of(&car.agent(), 0.5) - 2.0).abs() < 1e-3);
        assert_eq!(horizon_of(&walker(), 0.5), 0.5);
    }

    proptest! {
        #[test]
        fn the_search_finds_every_neighbor_that_the_agent_gives_way_to(
            bodies in prop::collection::vec(
                ((-6.0..6.0_f32, -6.0..6.0_f32), (-3.0..3.0_f32, -3.0..3.0_f32)),
                1..60,
            ),
        ) {
            let at = |row: usize| SteeringId(row as u32 + 1);
            let agents = bodies.iter().enumerate().map(|(row, &(position, velocity))| Neighbor {
                id: at(row),
                ..neighbor(position.into(), velocity.into())
            });
            let mut index = Neighbors::of(agents.clone().map(|agent| (agent, 0)), 2.0);
            index.index_motions();
            let me = Agent { id: SteeringId(0), ..walker() };
            let view = NeighborView {
                except: Entity::from_raw_u32(7).unwrap(),
                ..NeighborView::around(&me, 6.0, SteeringGroups::ALL)
            };
            let gives_way = |it: &&Neighbor| collision_avoidance(&me, it, 2.0, 0.1) != Vec2::ZERO;
            let count = |found: Vec<Neighbor>| {
                found.iter().filter(gives_way).map(|it| it.id).collect::<Vec<_>>()
            };
            // Within the margin an agent does not give way to one that leaves fast.
            let is_near = |it: &Neighbor| it.position.distance(me.position) < me.radius + it.radius + 0.1;
            let all = count(index.in_view(view).collect());
            let mut found = Vec::new();
            let may_touch = may_touch::<Portable>(&me, &index, 2.0, 0.1);
            index.for_each_in_view_that::<Portable>(view, may_touch, |it| found.push(it));
            prop_assert!(found.iter().all(|it| is_near(it) || gives_way(&it)), "and no other");
            prop_assert_eq!(count(found), all);
        }
    }
}
