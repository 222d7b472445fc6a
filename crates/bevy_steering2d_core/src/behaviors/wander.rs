//! Wander: random motion with smooth turns.

use bevy::math::ops;
use bevy::prelude::*;

use super::embeds_influence;
use crate::id::move_only;
use crate::locomotion::direction;
use crate::random::RandomStream;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};

/// Moves about without a goal, turning smoothly.
///
#[doc = include_str!("figures/wander.svg")]
///
/// Use it for idle animals and patrols without a route. It ignores walls and leaves the screen: add a
/// [`Containment`](crate::Containment) or [`WallAvoidance`](crate::WallAvoidance). To visit all of an
/// area, use a route, see [`PathFollowing`](crate::PathFollowing).
///
/// `F = track(max_speed · dir(p → w))`, N, where w is the wander target of the [`WanderStyle`]. A target on a circle
/// counts as at most 60° aside of the heading. Its random steps scale with √dt, so the motion looks the same at 30 and at 120 Hz. Each agent has its
/// own random stream. (Reynolds 1999; Buckland 2005)
#[doc(alias("Deambular", "Aleatorio", "блуждание"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Wander {
    /// How the wander target moves. Default [`WanderStyle::Circle`].
    pub style: WanderStyle,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// How the target of a [`Wander`] moves.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum WanderStyle {
    /// The target is pushed at random around a circle ahead. (Reynolds 1999; Buckland 2005)
    ///
    /// A large distance makes wide turns, a large radius sharp ones, a large jitter frequent ones.
    Circle {
        /// Radius of the circle, m, `> 0`. Default `1`.
        radius: f32,
        /// Distance from the agent to the circle's center, m, `≥ 0`. Default `2`.
        distance: f32,
        /// Largest push per axis, m per √s, `≥ 0`. Default `3`.
        jitter: f32,
    },
    /// The target lies on the circle at an angle that changes at random. The angle is in the world
    /// frame, so the agent keeps its direction longer.
    Angle {
        /// Radius of the circle, m, `> 0`.
        radius: f32,
        /// Distance from the agent to the circle's center, m, `≥ 0`.
        distance: f32,
        /// Largest change of the angle, rad per √s, `≥ 0`.
        angle_change: f32,
    },
    /// A new random target in an area at fixed intervals. The agent turns abruptly; for comparison with
    /// the circle.
    RandomTarget {
        /// Area of the targets, m; `min` is at most `max` on both axes.
        area: Rect,
        /// Time between targets, s, `> 0`.
        every: f32,
    },
}

impl Default for WanderStyle {
    fn default() -> Self {
        Self::Circle {
            radius: 1.0,
            distance: 2.0,
            jitter: 3.0,
        }
    }
}

/// The state of a [`Wander`]. A clone of the agent begins with a new one.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(clone_behavior = Custom(move_only::<Self>))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct WanderMemory {
    /// The wander target, m, world frame.
    pub target: Vec2,
    /// Center of the wander circle, m, world frame; the agent itself under
    /// [`WanderStyle::RandomTarget`].
    pub center: Vec2,
    /// Unit vector from the circle's center to the target: in the agent's frame under
    /// [`WanderStyle::Circle`], in the world frame under [`WanderStyle::Angle`].
    rim: Vec2,
    /// Time until the next target under [`WanderStyle::RandomTarget`], s.
    time_left: f32,
    stream: Option<RandomStream>,
}

const WANDER_SALT: u64 = 0x0077_616e_6465_7221;

impl Wander {
    /// Wanders in the given style.
    pub fn new(style: WanderStyle) -> Self {
        Self {
            style,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Default for Wander {
    fn default() -> Self {
        Self::new(WanderStyle::default())
    }
}

impl Behavior for Wander {
    const PRIORITY: i16 = 10;
    const COLOR: Option<[u8; 3]> = Some([198, 162, 143]);

    type Memory = &'static mut WanderMemory;
    type World = ();

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        self.style.check()
    }
}

impl Steer for Wander {
    fn steer(&self, me: &Agent, mut memory: Mut<WanderMemory>, _: &()) -> Vec2 {
        wander(me, &mut memory, self.style)
    }
}

/// The force of [`Wander`], N. Advances the wander target by one tick.
pub fn wander(me: &Agent, memory: &mut WanderMemory, style: WanderStyle) -> Vec2 {
    memory.advance(me, style);
    let aim = match style {
        WanderStyle::Circle { .. } | WanderStyle::Angle { .. } => {
            no_farther_aside(me, memory.target)
        }
        _ => memory.target,
    };
    me.track(me.velocity_to(aim, me.max_speed))
}

/// Limits the angle between heading and wander target. A target beside or behind turns with the heading, so the agent would
/// spin in place.
fn no_farther_aside(me: &Agent, target: Vec2) -> Vec2 {
    let offset = target - me.position;
    let angle = ops::atan2(me.heading.perp_dot(offset), me.heading.dot(offset));
    if angle.abs() <= FARTHEST_ASIDE {
        return target;
    }
    let aside = direction(FARTHEST_ASIDE.copysign(angle));
    me.position + offset.length() * aside.rotate(me.heading)
}

/// How far from its heading an agent wanders, rad.
const FARTHEST_ASIDE: f32 = std::f32::consts::FRAC_PI_3;

impl WanderStyle {
    fn check(self) -> Result<(), InvalidParameter> {
        match self {
            Self::Circle {
                radius,
                distance,
                jitter,
            } => {
                InvalidParameter::unless_positive("Wander.style.radius", radius)?;
                InvalidParameter::unless_non_negative("Wander.style.distance", distance)?;
                InvalidParameter::unless_non_negative("Wander.style.jitter", jitter)
            }
            Self::Angle {
                radius,
                distance,
                angle_change,
            } => {
                InvalidParameter::unless_positive("Wander.style.radius", radius)?;
                InvalidParameter::unless_non_negative("Wander.style.distance", distance)?;
                InvalidParameter::unless_non_negative("Wander.style.angle_change", angle_change)
            }
            Self::RandomTarget { area, every } => {
                InvalidParameter::unless_finite("Wander.style.area", area.min)?;
                InvalidParameter::unless_finite("Wander.style.area", area.max)?;
                let size = area.size().min_element();
                InvalidParameter::unless_non_negative("Wander.style.area.size", size)?;
                InvalidParameter::unless_positive("Wander.style.every", every)
            }
        }
    }
}

impl WanderMemory {
    /// Moves the wander target by one tick.
    ///
    /// A memory with a number that is not finite, as from a faulty save, begins anew.
    pub fn advance(&mut self, me: &Agent, style: WanderStyle) {
        if !(self.target.is_finite() && self.rim.is_finite() && self.time_left.is_finite()) {
            *self = Self::default();
        }
        let stream = self.stream.get_or_insert_with(|| {
            let mut stream = me.random_stream(WANDER_SALT);
            self.rim = direction(stream.angle());
            stream
        });
        if me.delta == 0.0 {
            // A pause draws no random numbers.
            return;
        }
        // A random walk spreads with √t at any tick length.
        let walk = me.delta.sqrt();
        match style {
            WanderStyle::Circle {
                radius,
                distance,
                jitter,
            } => {
                let push = Vec2::new(stream.signed_unit(), stream.signed_unit()) * jitter * walk;
                self.rim = (self.rim + push / radius)
                    .try_normalize()
                    .unwrap_or(self.rim);
                self.center = me.position + distance * me.heading;
                self.target = self.center + radius * me.to_world(self.rim);
            }
            WanderStyle::Angle {
                radius,
                distance,
                angle_change,
            } => {
                let turn = stream.signed_unit() * angle_change * walk;
                self.rim = direction(turn).rotate(self.rim).normalize_or(self.rim);
                self.center = me.position + distance * me.heading;
                self.target = self.center + radius * self.rim;
            }
            WanderStyle::RandomTarget { area, every } => {
                // Not longer than the time that now applies.
                self.time_left = self.time_left.min(every) - me.delta;
                if self.time_left <= 0.0 {
                    self.time_left += every.max(me.delta);
                    self.target = stream.point_in(area);
                }
                self.center = me.position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::Course;
    use bevy::math::FloatPow;

    const ANGLE: WanderStyle = WanderStyle::Angle {
        radius: 1.0,
        distance: 2.0,
        angle_change: 3.0,
    };

    /// Signed turns of the heading per tick, rad.
    fn turns(style: WanderStyle, hertz: f32, seconds: f32, id: u32) -> Vec<f32> {
        let mut course = Course::new(hertz);
        course.agent.source_id = SteeringId(id);
        let mut memory = WanderMemory::default();
        let ticks = (seconds * hertz) as usize;
        (0..ticks)
            .map(|_| {
                let me = course.agent;
                course.step(wander(&me, &mut memory, style));
                me.heading.angle_to(course.agent.heading)
            })
            .collect()
    }

    /// Root mean square of the turn over one second.
    fn turn_per_second(style: WanderStyle, hertz: f32) -> f32 {
        let squares: Vec<f32> = (0..40)
            .flat_map(|id| {
                let turns = turns(style, hertz, 30.0, id);
                turns
                    .chunks(hertz as usize)
                    .map(|second| second.iter().sum::<f32>().squared())
                    .collect::<Vec<_>>()
            })
            .collect();
        (squares.iter().sum::<f32>() / squares.len() as f32).sqrt()
    }

    #[test]
    fn wandering_turns_alike_at_every_tick_rate() {
        for style in [WanderStyle::default(), ANGLE] {
            let (slow, fast) = (turn_per_second(style, 30.0), turn_per_second(style, 120.0));
            let ratio = slow / fast;
            assert!(
                (0.85..1.18).contains(&ratio),
                "{style:?}: {slow} and {fast} rad/s"
            );
        }
    }

    #[test]
    fn wandering_turns_smoothly() {
        for style in [WanderStyle::default(), ANGLE] {
            // Skip the start, where the agent picks up speed from rest.
            let turns = turns(style, 60.0, 120.0, 1);
            let sharpest = turns[60..].iter().fold(0.0_f32, |a, b| a.max(b.abs()));
            assert!(sharpest < 0.1, "{style:?}: {sharpest} rad in one tick");
        }
    }

    #[test]
    fn wandering_with_a_circle_around_the_agent_does_not_whirl() {
        for distance in [0.0, 0.5, 1.0] {
            let (radius, jitter, angle_change) = (1.0, 3.0, 3.0);
            let circle = WanderStyle::Circle {
                radius,
                distance,
                jitter,
            };
            let angle = WanderStyle::Angle {
                radius,
                distance,
                angle_change,
            };
            for style in [circle, angle] {
                let turns = turns(style, 60.0, 120.0, 1);
                let sharpest = turns[60..].iter().fold(0.0_f32, |a, b| a.max(b.abs()));
                assert!(sharpest < 0.2, "{style:?}: {sharpest} rad in one tick");
            }
        }
    }

    #[test]
    fn wandering_is_unbiased_between_left_and_right() {
        for style in [WanderStyle::default(), ANGLE] {
            let mean = (0..200)
                .map(|id| turns(style, 60.0, 20.0, id).iter().sum::<f32>())
                .sum::<f32>()
                / 200.0;
            // One walk spreads by a few turns; the mean of 200 by a fourteenth of that.
            assert!(mean.abs() < 1.0, "{style:?}: {mean} rad");
        }
    }

    #[test]
    fn wandering_depends_on_the_id_and_is_reproducible() {
        let style = WanderStyle::default();
        assert_eq!(turns(style, 60.0, 1.0, 3), turns(style, 60.0, 1.0, 3));
        assert_ne!(turns(style, 60.0, 1.0, 3), turns(style, 60.0, 1.0, 4));
    }

    #[test]
    fn the_target_stays_on_the_circle() {
        let me = Agent {
            position: Vec2::new(3.0, 1.0),
            heading: Vec2::Y,
            ..default()
        };
        for style in [WanderStyle::default(), ANGLE] {
            let mut memory = WanderMemory::default();
            for _ in 0..1_000 {
                memory.advance(&me, style);
                assert_eq!(memory.center, Vec2::new(3.0, 3.0));
                assert!((memory.target.distance(memory.center) - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn random_targets_lie_in_the_area_and_change_on_time() {
        let area = Rect::new(-3.0, 5.0, 4.0, 6.0);
        let style = WanderStyle::RandomTarget { area, every: 0.5 };
        let mut memory = WanderMemory::default();
        let mut targets = Vec::new();
        for _ in 0..60 * 10 {
            memory.advance(&Agent::default(), style);
            assert!(area.contains(memory.target));
            targets.push(memory.target);
        }
        targets.dedup();
        assert!((20..=21).contains(&targets.len()), "{}", targets.len());
    }

    #[test]
    fn a_tick_of_zero_length_has_a_finite_force_and_leaves_the_memory() {
        let paused = Agent {
            delta: 0.0,
            ..default()
        };
        let area = Rect::new(-3.0, 5.0, 4.0, 6.0);
        let random_target = WanderStyle::RandomTarget { area, every: 0.5 };
        for style in [WanderStyle::default(), ANGLE, random_target] {
            let mut memory = WanderMemory::default();
            assert!(wander(&paused, &mut memory, style).is_finite());
            wander(&Agent::default(), &mut memory, style);
            let before = memory.clone();
            assert!(wander(&paused, &mut memory, style).is_finite());
            assert_eq!(memory, before);
        }
    }
}
