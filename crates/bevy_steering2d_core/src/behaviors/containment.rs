//! Containment: stays inside an area.

mod turning;

use bevy::prelude::*;

use super::arrive::arrive;
use super::braking::Braking;
use super::embeds_influence;
use super::shared::urgency::{depth_in_skin, proximity_urgency, skin, stopping_urgency};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer};
use turning::turn_inside;

/// Stays inside an area, and returns from outside.
///
#[doc = include_str!("figures/containment.svg")]
///
/// Use it for screens, pens and patrol zones: edges without walls. It needs no feelers and is
/// cheap. For walls use [`WallAvoidance`](crate::WallAvoidance), to stay near a point or an entity
/// [`Tether`](crate::Tether). Motion along the edge is not affected. Under combiners other than
/// [`PRIORITIZED`](crate::Combine::PRIORITIZED) forces of other behaviors may lead the agent out.
///
/// Worlds do not wrap around. A game may put an agent that leaves on one side back in on the other by writing its `Transform`,
/// which keeps its velocity; agents see no neighbors, targets or walls across the seam.
///
/// For each side: `max_force · urgency(c² / 2·gap)` inwards, where c is the speed towards the side
/// and gap the distance between body and side. The urgency rises from 0, when a quarter of the
/// maximum acceleration would stop the body, to 1, when half of it would. Outside, the side pushes with
/// `mass · (v + c) / response_time` inwards, at most `max_force`, which fades in before the side over a fifth
/// of the body's radius, or over the way of one update if that is longer. The return speed v is what the maximum
/// acceleration adds in the response time, more the farther the agent is outside, at most `max_speed`; and the response
/// time is shorter by as much, at least one update.
///
/// A body with a turning circle turns away along the side while its circle fits into the area; where it no
/// longer does, it brakes, and close to the side it backs off until it has room to turn. Without a reverse gear it
/// turns sooner, to keep a whole turning circle free, so it does not reach points close before a side.
///
/// An area hardly larger than that, in which every place is that near to its sides, has no place
/// without a push. Such an area brings the agent to rest in its middle, with the force of
/// [`Arrive`](crate::Arrive). (The behavior: Reynolds 1999, "containment"; the formula is of this project)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Containment {
    /// The area to stay in. Default a rectangle of 20 m by 20 m around the origin.
    pub area: Area,
    /// Clearance between body and edge, m, `≥ 0`. Default `0`.
    pub margin: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// The area of a [`Containment`].
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Area {
    /// An axis-aligned rectangle, m; `min` is at most `max` on both axes.
    Rect(Rect),
    /// A disc.
    Circle {
        /// Its center, m.
        center: Vec2,
        /// Its radius, m, `> 0`.
        radius: f32,
    },
}

impl Default for Area {
    fn default() -> Self {
        Self::Rect(Rect::new(-10.0, -10.0, 10.0, 10.0))
    }
}

impl From<Rect> for Area {
    fn from(rect: Rect) -> Self {
        Self::Rect(rect)
    }
}

impl Containment {
    /// Stays in a [`Rect`] or another [`Area`].
    pub fn new(area: impl Into<Area>) -> Self {
        Self {
            area: area.into(),
            ..Self::default()
        }
    }

    /// Sets the [`margin`](Self::margin).
    #[must_use]
    pub fn with_margin(mut self, margin: f32) -> Self {
        self.margin = margin;
        self
    }
}

impl Default for Containment {
    fn default() -> Self {
        Self {
            area: Area::default(),
            margin: 0.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Containment {
    const PRIORITY: i16 = 190;
    const COLOR: Option<[u8; 3]> = Some([197, 245, 254]);

    type Memory = ();
    type World = ();

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        match self.area {
            Area::Rect(Rect { min, max }) => {
                InvalidParameter::unless_finite("Containment.area", min)?;
                InvalidParameter::unless_finite("Containment.area", max)?;
                let size = (max - min).min_element();
                InvalidParameter::unless_non_negative("Containment.area.size", size)?;
            }
            Area::Circle { center, radius } => {
                InvalidParameter::unless_finite("Containment.area.center", center)?;
                InvalidParameter::unless_positive("Containment.area.radius", radius)?;
            }
        }
        InvalidParameter::unless_non_negative("Containment.margin", self.margin)
    }
}

impl Steer for Containment {
    fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
        containment(me, self.area, self.margin)
    }
}

/// The force of [`Containment`], N.
pub fn containment(me: &Agent, area: Area, margin: f32) -> Vec2 {
    let inner = area.shrunk(me.radius + margin);
    let (narrow, wide) = inner.room();
    if wide < skin(me) {
        return arrive(me, inner.middle(), Braking::Physical, narrow);
    }
    let pushes = inner
        .sides(me.position)
        .map(|side| keep_inside(me, side.inwards, side.gap));
    let push: Vec2 = pushes.iter().sum();
    turn_inside(me, &inner, push).clamp_length_max(me.max_force)
}

/// One side of an area, as seen from a point inside.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Unit vector away from the side.
    inwards: Vec2,
    /// The distance to the side, m; negative outside.
    gap: f32,
}

impl Side {
    /// In place of a side that an area does not have.
    const NONE: Self = Self {
        inwards: Vec2::ZERO,
        gap: f32::INFINITY,
    };
}

impl Area {
    /// The area without a strip along its edge; at least its middle remains.
    fn shrunk(self, inset: f32) -> Self {
        match self {
            Self::Rect(Rect { min, max }) => {
                let middle = min.midpoint(max);
                Self::Rect(Rect {
                    min: (min + inset).min(middle),
                    max: (max - inset).max(middle),
                })
            }
            Self::Circle { center, radius } => Self::Circle {
                center,
                radius: (radius - inset).max(0.0),
            },
        }
    }

    fn middle(self) -> Vec2 {
        match self {
            Self::Rect(rect) => rect.min.midpoint(rect.max),
            Self::Circle { center, .. } => center,
        }
    }

    /// Half of the shorter and of the longer extent, m.
    fn room(self) -> (f32, f32) {
        match self {
            Self::Rect(Rect { min, max }) => {
                let half = 0.5 * (max - min);
                (half.min_element(), half.max_element())
            }
            Self::Circle { radius, .. } => (radius, radius),
        }
    }

    /// The sides as seen from a point: of a disc the nearest point of its edge.
    fn sides(self, from: Vec2) -> [Side; 4] {
        let side = |inwards, gap| Side { inwards, gap };
        match self {
            Self::Rect(Rect { min, max }) => {
                let (below, above) = (from - min, max - from);
                [
                    side(Vec2::X, below.x),
                    side(Vec2::NEG_X, above.x),
                    side(Vec2::Y, below.y),
                    side(Vec2::NEG_Y, above.y),
                ]
            }
            Self::Circle { center, radius } => {
                let offset = from - center;
                let nearest = side(-offset.normalize_or_zero(), radius - offset.length());
                [nearest, Side::NONE, Side::NONE, Side::NONE]
            }
        }
    }
}

/// The force away from one side that is `gap` m away, N.
fn keep_inside(me: &Agent, inwards: Vec2, gap: f32) -> Vec2 {
    let outward_speed = -me.velocity.dot(inwards);
    let pressed = proximity_urgency(me, gap);
    // Most often the side is far, or the agent moves away from it.
    if pressed == 0.0 && outward_speed <= 0.0 {
        return Vec2::ZERO;
    }
    let holding = me.max_force * stopping_urgency(me, outward_speed, gap);
    if pressed == 0.0 {
        return holding * inwards;
    }
    let time = me.response();
    // A weak agent that returned faster would bounce off the side.
    let depth = depth_in_skin(me, gap).max(1.0);
    let back = me.max_speed.min(me.max_acceleration() * time * depth);
    let missing_speed = (back + outward_speed).max(0.0);
    // Several behaviors that drive a light agent outward would outdo a push that did not grow with the depth.
    let time = (time / depth).max(me.delta).max(f32::MIN_POSITIVE);
    // The outward speed counts also where the whole force would be too much.
    let returning = (pressed * me.mass * missing_speed / time).min(me.max_force);
    holding.max(returning) * inwards
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close, between};
    use proptest::prelude::*;

    fn pen() -> Area {
        Rect::new(0.0, 0.0, 20.0, 10.0).into()
    }

    fn at(x: f32, y: f32, velocity: Vec2) -> Agent {
        Agent {
            position: Vec2::new(x, y),
            velocity,
            heading: velocity.normalize_or(Vec2::X),
            ..default()
        }
    }

    #[test]
    fn containment_equals_its_documented_formula() {
        // The gap is 2.5 m, and 2 m after this tick: 5² / (2 · 2) = 6.25 m/s², a quarter of the way
        // from 5 to 10 m/s².
        let me = Agent {
            delta: 0.1,
            ..at(17.0, 5.0, Vec2::new(5.0, 0.0))
        };
        assert_close(containment(&me, pen(), 0.0), Vec2::new(-5.0, 0.0));
        // With the margin the gap is 1.25 m: 10 m/s², full urgency.
        assert_close(containment(&me, pen(), 0.75), Vec2::new(-20.0, 0.0));
    }

    #[test]
    fn an_area_with_its_corners_swapped_is_an_error() {
        let area = Rect {
            min: Vec2::ONE,
            max: Vec2::NEG_ONE,
        };
        let error = Containment::new(area).check().expect_err("swapped");
        assert_eq!(error.field, "Containment.area.size");
    }

    #[test]
    fn containment_is_zero_along_the_edge_and_away_from_it() {
        for velocity in [
            Vec2::new(5.0, 0.0),
            Vec2::new(-5.0, 0.0),
            Vec2::new(3.0, 4.0),
        ] {
            let me = at(10.0, 0.6, velocity);
            assert_eq!(containment(&me, pen(), 0.0), Vec2::ZERO, "{velocity}");
        }
    }

    #[test]
    fn containment_returns_from_outside() {
        let inward = containment(&at(30.0, -9.0, Vec2::ZERO), pen(), 0.0);
        assert!(inward.x < -5.0 && inward.y > 5.0, "{inward}");
        let disc = Area::Circle {
            center: Vec2::new(5.0, 0.0),
            radius: 3.0,
        };
        let me = at(5.0, 30.0, Vec2::new(1.0, 0.0));
        assert_close(containment(&me, disc, 0.0), Vec2::new(0.0, -20.0));
    }

    #[test]
    fn returning_in_a_long_update_does_not_overshoot() {
        let me = Agent {
            response_time: 0.01,
            delta: 0.5,
            max_force: 1e6,
            ..at(30.0, 5.0, Vec2::ZERO)
        };
        let velocity = containment(&me, pen(), 0.0) / me.mass * me.delta;
        assert_close(velocity, Vec2::new(-me.max_speed, 0.0));
    }

    #[test]
    fn the_force_is_continuous_across_the_edge() {
        let step = 1e-3;
        for speed in [-4.0, 0.0, 4.0] {
            let force = |i: i32| {
                let me = at(18.0 + step * i as f32, 5.0, Vec2::new(speed, 0.0));
                containment(&me, pen(), 0.0).x
            };
            let jump = (0..4_000).map(|i| (force(i + 1) - force(i)).abs());
            let jump = jump.fold(0.0, f32::max);
            assert!(jump < 0.5, "{jump} N in a millimeter at {speed} m/s");
        }
    }

    #[test]
    fn agents_stay_inside_against_their_desired_velocity() {
        let areas = [
            pen(),
            Area::Circle {
                center: Vec2::new(10.0, 5.0),
                radius: 5.0,
            },
        ];
        for area in areas {
            for mass in [0.1, 1.0, 4.0] {
                for desired in [
                    Vec2::new(5.0, 0.0),
                    Vec2::new(-3.0, 4.0),
                    Vec2::new(0.1, -4.9),
                ] {
                    let mut course = Course::new(60.0);
                    course.agent.mass = mass;
                    course.agent.position = Vec2::new(10.0, 5.0);
                    for _ in 0..60 * 20 {
                        let me = course.agent;
                        let holding = containment(&me, area, 0.0);
                        let rest = me.max_force - holding.length();
                        course.step(holding + me.track(desired).clamp_length_max(rest));
                        let inside = match area {
                            Area::Rect(rect) => rect.inflate(-0.45).contains(me.position),
                            Area::Circle { center, radius } => {
                                me.position.distance(center) < radius - 0.45
                            }
                        };
                        assert!(inside, "{mass} kg, {desired}, {area:?}: at {}", me.position);
                    }
                }
            }
        }
    }

    #[test]
    fn an_agent_that_presses_against_a_side_does_not_bounce() {
        for mass in [0.5, 1.0, 4.0, 20.0] {
            let mut course = Course::new(60.0);
            course.agent.mass = mass;
            course.agent.position = Vec2::new(15.0, 5.0);
            let (mut nearest, mut farthest) = (f32::INFINITY, 0.0_f32);
            for tick in 0..60 * 60 {
                let me = course.agent;
                let holding = containment(&me, pen(), 0.0);
                let rest = me.max_force - holding.length();
                course.step(holding + me.track(Vec2::X).clamp_length_max(rest));
                if tick > 60 * 50 {
                    nearest = nearest.min(me.position.x);
                    farthest = farthest.max(me.position.x);
                }
            }
            let swing = farthest - nearest;
            assert!(swing < 0.002, "{mass} kg: swings by {swing} m");
        }
    }

    #[test]
    fn two_behaviors_that_drive_a_light_agent_outward_do_not_take_it_out() {
        for mass in [0.05, 0.283, 1.0] {
            let mut course = Course::new(60.0);
            course.agent.mass = mass;
            course.agent.position = Vec2::new(15.0, 5.0);
            for _ in 0..60 * 20 {
                let me = course.agent;
                let holding = containment(&me, pen(), 0.0);
                let rest = (me.max_force - holding.length()).max(0.0);
                let outward = 2.0 * me.track(me.max_speed * Vec2::X);
                course.step(holding + outward.clamp_length_max(rest));
            }
            let outside = course.farthest_x - 19.5;
            assert!(outside < 0.2, "{mass} kg: {outside} m outside");
        }
    }

    #[test]
    fn an_area_hardly_larger_than_the_body_brings_it_to_rest() {
        // The body has a radius of 0.5 m.
        for half in [0.1, 0.5, 0.52, 0.58] {
            let disc = Area::Circle {
                center: Vec2::ZERO,
                radius: half,
            };
            for area in [disc, Rect::new(-half, -half, half, half).into()] {
                for (mass, hertz) in [(0.1, 60.0), (1.0, 60.0), (10.0, 60.0), (1.0, 20.0)] {
                    // At rest beside the center, and driven past it, as on an orbit.
                    for (position, velocity) in [
                        (Vec2::new(0.05, 0.0), Vec2::ZERO),
                        (Vec2::new(0.05, 0.3), Vec2::new(2.0, -1.0)),
                        (Vec2::new(5.0, 5.0), Vec2::ZERO),
                    ] {
                        let mut course = Course::new(hertz);
                        course.agent = Agent {
                            position,
                            velocity,
                            mass,
                            ..course.agent
                        };
                        for _ in 0..(20.0 * hertz) as u32 {
                            let me = course.agent;
                            course.step(containment(&me, area, 0.0));
                        }
                        let me = course.agent;
                        assert!(
                            me.speed() < 0.01 && me.position.length() < 0.1,
                            "{area:?}, {mass} kg at {hertz} Hz from {position}: {me:?}"
                        );
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn forces_are_finite_and_bounded(
            x in -1e6..1e6_f32, y in -30.0..30.0_f32, width in 0.0..50.0_f32,
            vx in -99.0..99.0_f32, vy in -9.0..9.0_f32, mass in between(0.01..=1e3),
        ) {
            let me = Agent { mass, ..at(x, y, Vec2::new(vx, vy)) };
            let disc = Area::Circle { center: Vec2::ONE, radius: width + 0.1 };
            for area in [Rect::new(0.0, 0.0, width, 10.0).into(), disc] {
                let force = containment(&me, area, 0.3);
                prop_assert!(force.is_finite() && force.length() <= me.max_force * 1.000_01);
            }
        }
    }
}
