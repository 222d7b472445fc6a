//! Obstacle avoidance: steers around round obstacles ahead.

use bevy::prelude::*;
use smallvec::SmallVec;

use super::backing::Blockade;
use super::danger::{
    alarm, insisting, pressing, sight, stopping, travel, travel_speed, turn_alarm,
};
use super::embeds_influence;
use super::touch::{Touch, Touches};
use crate::perception::{Circle, ColliderProbes, Surroundings};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};

/// Steers around [`Obstacle`](crate::Obstacle)s ahead, and brakes where the agent may not get around
/// them.
///
#[doc = include_str!("figures/obstacle_avoidance.svg")]
///
/// Use it for trees, rocks and parked cars; with [`SensesColliders`](crate::SensesColliders) also for
/// colliders of any shape. For long straight obstacles [`WallAvoidance`](crate::WallAvoidance) is
/// better. Only obstacles in the detection box ahead count, and those that nearly touch the agent.
///
/// In the agent's frame the obstacle is at (x, y); r is the sum of its radius, the agent's radius and
/// the margin, m. The agent turns for the obstacle that needs the strongest acceleration, m/s², and
/// brakes for all:
///
/// - turning: `2·v·c·(r − |y|) / (x² + y² − r²)`, sideways away from the obstacle's center, for the
///   tightest circle that passes it; an obstacle dead ahead is passed on the left,
/// - braking: `c² / 2·gap`, away from the obstacle's center; and `v² / 2·d`, straight back, before a
///   gap between two obstacles that is too narrow for the agent,
///
/// where v is the speed and c the closing speed, m/s, and d the distance to the contact with one of
/// the two, m. Each gets a share of `max_force` that rises from 0, if a quarter of the maximum
/// acceleration suffices, to 1, if half is needed. Obstacles that nearly touch the agent push it back.
/// The force fades over the last quarter of the box. (Reynolds 1999; Buckland 2005)
///
/// In reverse gear the box is behind the agent. A car backs off from an obstacle ahead that its turning
/// circle does not pass.
#[doc(alias("Evadir Obstáculos", "Evitar obstáculos"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ObstacleAvoidance {
    /// Length of the detection box at rest, m, `≥ 0`; that of a driven body is longer by its
    /// [turning radius](Agent::turning_radius). Default `1`.
    pub min_length: f32,
    /// Time ahead by which the box grows with speed, s, `≥ 0`. Default `1`. It grows by at least three
    /// stopping distances.
    pub look_ahead_time: f32,
    /// Clearance beside the body, m, `≥ 0`. Default `0.25`.
    pub margin: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Default for ObstacleAvoidance {
    fn default() -> Self {
        Self {
            min_length: 1.0,
            look_ahead_time: 1.0,
            margin: 0.25,
            influence: Influence::of::<Self>(),
        }
    }
}

/// Least growth of the box in stopping distances; turning needs more than stopping.
const STOPPING_DISTANCES: f32 = 3.0;

/// Share of the box over which the force fades.
const FADING: f32 = 0.25;

impl ObstacleAvoidance {
    /// Length of the detection box, m.
    pub fn length(&self, me: &Agent) -> f32 {
        let speed = travel_speed(me).max(0.0);
        me.radius + self.min_length + sight(me, speed, self.look_ahead_time, STOPPING_DISTANCES)
    }

    /// Whether the agent avoids an obstacle: one in the detection box or nearly touching.
    pub fn avoids(&self, me: &Agent, obstacle: Circle) -> bool {
        Threat::seen(me, obstacle, self).is_some()
    }
}

impl Behavior for ObstacleAvoidance {
    const PRIORITY: i16 = 170;
    const COLOR: Option<[u8; 3]> = Some([253, 136, 217]);

    type Memory = ();
    type World = Surroundings<'static, 'static>;

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("ObstacleAvoidance.min_length", self.min_length)?;
        InvalidParameter::unless_non_negative(
            "ObstacleAvoidance.look_ahead_time",
            self.look_ahead_time,
        )?;
        InvalidParameter::unless_non_negative("ObstacleAvoidance.margin", self.margin)
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        let tip = me.position + self.length(me) * travel(me);
        probes.ask_sweep(me.position, tip, me.radius + self.margin);
    }
}

impl Steer for ObstacleAvoidance {
    fn steer(&self, me: &Agent, _: (), surroundings: &Surroundings) -> Vec2 {
        let mut threats = Threats::default();
        surroundings
            .answers(self, me)
            .for_each_obstacle(|obstacle| {
                threats.add(me, obstacle.circle, self);
            });
        threats.force(me)
    }
}

/// The force of [`ObstacleAvoidance`] for these obstacles, N.
pub fn obstacle_avoidance(
    me: &Agent,
    obstacles: impl IntoIterator<Item = Circle>,
    how: &ObstacleAvoidance,
) -> Vec2 {
    let mut threats = Threats::default();
    for obstacle in obstacles {
        threats.add(me, obstacle, how);
    }
    threats.force(me)
}

/// The obstacles to avoid: the agent turns for the worst, and brakes for all and before narrow gaps.
#[derive(Default)]
struct Threats {
    worst: Option<Threat>,
    braking: Touches,
    /// The obstacle before which the agent backs off.
    blockade: Option<Blockade>,
    /// The nearest ones, by distance ahead.
    nearest: SmallVec<[Threat; Self::KEPT]>,
}

impl Threats {
    /// Most obstacles between which narrow gaps are looked for.
    const KEPT: usize = 8;

    fn add(&mut self, me: &Agent, obstacle: Circle, how: &ObstacleAvoidance) {
        let blockade = Blockade::seen(me, obstacle, how.margin);
        self.blockade = Blockade::tighter(self.blockade, blockade);
        let Some(threat) = Threat::seen(me, obstacle, how) else {
            return;
        };
        self.braking.add(threat.brake(me));
        for other in &self.nearest {
            self.braking.add(threat.brake_before_gap(me, other));
        }
        let place = self.nearest.partition_point(|near| near.at.x < threat.at.x);
        if place < Self::KEPT {
            self.nearest.truncate(Self::KEPT - 1);
            self.nearest.insert(place, threat);
        }
        if self.worst.is_none_or(|worst| threat.need() > worst.need()) {
            self.worst = Some(threat);
        }
    }

    fn force(&self, me: &Agent) -> Vec2 {
        let turning = self.worst.map_or(Vec2::ZERO, |worst| worst.turn(me));
        let pushes = me.max_force * (turning + self.braking.push());
        let all = match self.blockade {
            Some(blockade) => pushes + blockade.back_off(me),
            None => pushes,
        };
        all.clamp_length_max(me.max_force)
    }
}

/// An obstacle to avoid, and the accelerations that avoid it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Threat {
    /// Position in the agent's frame, m: x ahead, y to the left.
    at: Vec2,
    /// Sum of its radius and the agent's, m.
    touching: f32,
    /// Lateral acceleration that passes it, m/s².
    turning: f32,
    /// Acceleration that stops before it, m/s².
    braking: f32,
    /// Push of an obstacle that nearly touches the agent: 1 at contact, more in overlap.
    pressing: f32,
    /// Direction of turning.
    sideways: Vec2,
    /// Direction of braking.
    back: Vec2,
    /// 1 near, falling to 0 at the end of the box.
    nearness: f32,
}

impl Threat {
    fn seen(me: &Agent, obstacle: Circle, how: &ObstacleAvoidance) -> Option<Self> {
        let heading = travel(me);
        let left = heading.perp();
        let offset = obstacle.center - me.position;
        let (x, y) = (heading.dot(offset), left.dot(offset));
        let touching = obstacle.radius + me.radius;
        let r = touching + how.margin;
        // Distance straight on until it touches the margin.
        let distance_ahead = x - (r * r - y * y).max(0.0).sqrt();
        let length = how.length(me);
        let distance = offset.length().max(f32::MIN_POSITIVE);
        let gap = distance - touching;
        let speed = travel_speed(me);
        // An obstacle behind no longer pushes once the agent moves away fast enough.
        let leaving = -speed * x / (distance * me.max_speed);
        let pressing = insisting(me, gap) * (1.0 - leaving / LEAVING).clamp(0.0, 1.0);
        if !((x > 0.0 || pressing > 0.0) && y.abs() < r && distance_ahead < length) {
            return None;
        }
        let speed = speed.max(0.0);
        let closing = speed * x.max(0.0) / distance;
        // Squared length of the tangent to the obstacle; inside the margin there is none.
        let tangent_squared = (distance * distance - r * r).max(CONTACT * r * r);
        Some(Self {
            at: Vec2::new(x, y),
            touching,
            turning: 2.0 * speed * closing * (r - y.abs()) / tangent_squared,
            braking: stopping(me, closing, gap),
            pressing,
            sideways: if y > 0.0 { -left } else { left },
            back: -offset / distance,
            nearness: ((length - distance_ahead) / (FADING * length)).min(1.0),
        })
    }

    /// The acceleration needed to avoid it, m/s².
    fn need(&self) -> f32 {
        self.turning.max(self.braking) * self.nearness
    }

    /// The turn as a share of `max_force`.
    fn turn(&self, me: &Agent) -> Vec2 {
        self.nearness * turn_alarm(me, self.turning) * self.sideways
    }

    fn brake(&self, me: &Agent) -> Touch {
        Touch {
            normal: self.back,
            urgency: self.nearness * alarm(me, self.braking).max(self.pressing),
        }
    }
}

impl Threat {
    /// Brakes before a gap between two obstacles that is too narrow for the agent. Avoiding them one by
    /// one, the agent would turn from one to the other.
    fn brake_before_gap(&self, me: &Agent, other: &Self) -> Touch {
        let between = self.at.y * other.at.y < 0.0;
        let too_narrow = self.at.distance(other.at) < self.touching + other.touching;
        let distance = self.distance_to_contact().min(other.distance_to_contact());
        let urgency = if between && too_narrow && distance.is_finite() {
            let stopping = stopping(me, travel_speed(me), distance);
            self.nearness.min(other.nearness) * alarm(me, stopping).max(pressing(me, distance))
        } else {
            0.0
        };
        Touch {
            normal: -travel(me),
            urgency,
        }
    }

    /// Distance straight on until contact, m; infinity if there is none.
    fn distance_to_contact(&self) -> f32 {
        let across = self.touching * self.touching - self.at.y * self.at.y;
        if across > 0.0 {
            self.at.x - across.sqrt()
        } else {
            f32::INFINITY
        }
    }
}

/// Share of the maximum speed, away from an obstacle, at which it no longer pushes.
const LEAVING: f32 = 0.25;

/// A tangent shorter than this, squared and in radii, counts as contact.
const CONTACT: f32 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close, between};
    use proptest::prelude::*;

    /// At full speed along x: 5 m/s, 20 m/s² at most, radius 0.5 m.
    fn rushing() -> Agent {
        Agent {
            velocity: Vec2::new(5.0, 0.0),
            ..default()
        }
    }

    fn force(x: f32, y: f32) -> Vec2 {
        let obstacle = Circle::new(Vec2::new(x, y), 1.0);
        obstacle_avoidance(&rushing(), [obstacle], &ObstacleAvoidance::default())
    }

    #[test]
    fn by_hand() {
        let me = Agent {
            delta: 0.0,
            ..rushing()
        };
        let force = |x| {
            let obstacle = Circle::new(Vec2::new(x, -0.75), 1.0);
            obstacle_avoidance(&me, [obstacle], &ObstacleAvoidance::default())
        };
        // r = 1 + 0.5 + 0.25 = 1.75; x = 4, y = −0.75, so distance² = 16.5625, c = 5 · 4 / 4.0697
        // = 4.9144. Turning 2 · 5 · 4.9144 · 1 / (16.5625 − 3.0625) = 3.640: below a quarter of 20.
        // Braking 4.9144² / (2 · 2.5697) = 4.699: likewise.
        assert_eq!(force(4.0), Vec2::ZERO);
        // x = 3: distance² = 9.5625, c = 5 · 3 / 3.0923 = 4.8507. Turning 48.507 / 6.5 = 7.463,
        // share (7.463 − 5) / 5 = 0.4925: 9.850 N to the left. Braking 23.529 / (2 · 1.5923) =
        // 7.388, share 0.4777: 9.554 N along (−3, 0.75) / 3.0923 = (−0.9701, 0.2425).
        let expected = Vec2::new(-9.554 * 0.9701, 9.850 + 9.554 * 0.2425);
        assert!((force(3.0) - expected).length() < 0.01, "{}", force(3.0));
    }

    #[test]
    fn the_agent_brakes_before_a_gap_that_is_too_narrow() {
        let me = Agent {
            delta: 0.0,
            ..rushing()
        };
        let gap = |apart: f32| {
            let [left, right] = [0.5, -0.5].map(|side| {
                let obstacle = Circle::new(Vec2::new(2.5, side * apart), 1.0);
                Threat::seen(&me, obstacle, &ObstacleAvoidance::default()).expect("in the box")
            });
            left.brake_before_gap(&me, &right)
        };
        // The gap is 0.8 m for a body of 1 m. Contact is after 2.5 − √(1.5² − 1.4²) = 1.9615 m, so
        // 25 / (2 · 1.9615) = 6.373 m/s² stop it, share (6.373 − 5) / 5.
        let narrow = gap(2.8);
        assert_close(narrow.normal, Vec2::NEG_X);
        assert!((narrow.urgency - 0.2745).abs() < 1e-3, "{narrow:?}");
        assert_eq!(gap(3.2).urgency, 0.0, "1.2 m are enough");
    }

    #[test]
    fn the_gap_is_seen_in_any_order_of_obstacles() {
        let posts = [1.4, -1.4].map(|y| Circle::new(Vec2::new(2.5, y), 1.0));
        let pebbles = (0..7).map(|at| Circle::new(Vec2::new(2.3 + 0.01 * at as f32, 0.74), 0.001));
        let far = Circle::new(Vec2::new(4.0, 0.74), 0.001);
        let force = |obstacles: Vec<Circle>| {
            obstacle_avoidance(&rushing(), obstacles, &ObstacleAvoidance::default())
        };
        let first = posts.into_iter().chain(pebbles.clone()).chain([far]);
        let last = pebbles.chain([posts[0], far, posts[1]]);
        assert_close(force(last.collect()), force(first.collect()));
    }

    #[test]
    fn the_agent_passes_an_obstacle_on_the_nearer_side() {
        assert!(force(3.0, 0.5).y < -1.0, "obstacle to the left");
        assert!(force(3.0, -0.5).y > 1.0, "obstacle to the right");
        let mirrored = force(3.0, 0.5) * Vec2::new(1.0, -1.0);
        assert_close(force(3.0, -0.5), mirrored);
    }

    #[test]
    fn an_obstacle_dead_ahead_is_passed_on_the_left() {
        assert!(force(3.0, 0.0).y > 5.0);
        assert_eq!(force(3.0, 0.0), force(3.0, -0.0));
    }

    #[test]
    fn obstacles_behind_or_beside_do_not_count() {
        assert_eq!(force(-0.1, 0.3), Vec2::ZERO);
        assert_eq!(force(-3.0, 0.0), Vec2::ZERO);
        assert_eq!(force(3.0, 1.75), Vec2::ZERO);
        assert_eq!(force(3.0, -9.0), Vec2::ZERO);
    }

    #[test]
    fn braking_grows_as_the_agent_approaches() {
        let braking: Vec<f32> = (0..10)
            .map(|i| -force(4.0 - 0.1 * i as f32, 0.9).x)
            .collect();
        assert!(braking.is_sorted() && braking[9] > braking[0]);
    }

    #[test]
    fn the_detection_box_grows_with_speed() {
        let how = ObstacleAvoidance::default();
        // 0.5 m + 1 m, and 5 m in one second.
        assert_eq!(how.length(&Agent::default()), 1.5);
        assert_eq!(how.length(&rushing()), 6.5);
    }

    #[test]
    fn the_force_fades_at_every_edge_of_the_box() {
        let along_x = (150..1_000).map(|i| force(0.01 * i as f32, -0.4));
        // The force jumps only at the middle, where the side changes.
        let to_the_left = (0..300).map(|i| force(3.0, 0.01 * i as f32 + 0.005));
        let to_the_right = (0..300).map(|i| force(3.0, -0.01 * i as f32));
        let jump = |forces: Vec<Vec2>| {
            let steps = forces.windows(2).map(|pair| pair[0].distance(pair[1]));
            steps.fold(0.0, f32::max)
        };
        for forces in [
            along_x.collect(),
            to_the_left.collect(),
            to_the_right.collect(),
        ] {
            let jump = jump(forces);
            assert!(jump < 3.0, "{jump} N in a centimeter");
        }
    }

    #[test]
    fn inside_the_margin_the_agent_may_leave_but_not_go_deeper() {
        let obstacle = Circle::new(Vec2::new(1.2, 0.0), 1.0);
        let how = ObstacleAvoidance::default();
        assert!(obstacle_avoidance(&rushing(), [obstacle], &how).x < -10.0);
        let leaving = Agent {
            velocity: Vec2::new(-5.0, 0.0),
            heading: Vec2::NEG_X,
            ..default()
        };
        assert_eq!(obstacle_avoidance(&leaving, [obstacle], &how), Vec2::ZERO);
    }

    #[test]
    fn obstacles_of_all_sizes_are_avoided_at_full_speed_by_agents_of_any_mass() {
        let how = ObstacleAvoidance::default();
        for mass in [0.1, 1.0, 10.0, 100.0] {
            for radius in [0.1, 0.5, 2.0, 10.0, 50.0] {
                for y in [-0.9, -0.3, 0.0, 0.01, 0.6] {
                    for hertz in [30.0, 120.0] {
                        let mut course = Course::new(hertz);
                        course.agent.mass = mass;
                        course.agent.velocity = Vec2::new(5.0, 0.0);
                        let far = how.length(&course.agent) + radius + 2.0;
                        let obstacle = Circle::new(Vec2::new(far, y * radius), radius);
                        let mut gap = f32::INFINITY;
                        for _ in 0..(60.0 * hertz) as u32 {
                            let me = course.agent;
                            let offset = me.position.distance(obstacle.center);
                            gap = gap.min(offset - radius - me.radius);
                            // The remaining force drives it along x.
                            let avoiding = obstacle_avoidance(&me, [obstacle], &how);
                            let rest = me.max_force - avoiding.length();
                            let on = me.track(Vec2::new(5.0, 0.0)).clamp_length_max(rest);
                            course.step(avoiding + on);
                        }
                        let case = format!("{mass} kg, radius {radius}, y {y}, {hertz} Hz");
                        assert!(gap > -5e-3, "{case}: {gap} m deep");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn forces_are_finite_and_bounded(
            x in -20.0..20.0_f32, y in -20.0..20.0_f32, radius in between(1e-3..=1e4),
            vx in -9.0..9.0_f32, vy in -9.0..9.0_f32, mass in between(0.01..=1e3),
        ) {
            let velocity = Vec2::new(vx, vy);
            let me = Agent {
                velocity,
                heading: velocity.normalize_or(Vec2::X),
                mass,
                ..default()
            };
            let obstacle = Circle::new(Vec2::new(x, y), radius);
            let force = obstacle_avoidance(&me, [obstacle], &ObstacleAvoidance::default());
            prop_assert!(force.is_finite() && force.length() <= me.max_force * 1.000_01);
        }
    }

    #[test]
    fn obstacles_in_the_detection_box_are_avoided() {
        let how = ObstacleAvoidance::default();
        let avoids = |x, y| how.avoids(&rushing(), Circle::new(Vec2::new(x, y), 1.0));
        assert!(avoids(3.0, 0.5) && avoids(3.0, 1.7));
        assert!(!avoids(3.0, 1.8), "beside it");
        assert!(!avoids(-3.0, 0.0), "behind it");
        assert!(!avoids(60.0, 0.0), "too far");
    }
}
