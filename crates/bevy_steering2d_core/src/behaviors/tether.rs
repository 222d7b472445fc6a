//! Tether: keeps an agent within a distance of an anchor.

use bevy::prelude::*;

use super::braking::slowed;
use super::embeds_influence;
use super::shared::arrive_at_moving::arrive_at_moving;
use crate::agent::limited;
use crate::{
    Abilities, Agent, Behavior, Braking, Influence, InvalidParameter, Kinematics, Steer, Target,
    Targets,
};

/// Keeps the agent within a distance of an anchor, like a dog on a leash.
///
#[doc = include_str!("figures/tether.svg")]
///
/// Use it beside [`Wander`](crate::Wander) for guards that stay near their post and pets that stay
/// near their owner. Within `length` of the anchor the force is zero. To keep an agent inside an area,
/// use [`Containment`](crate::Containment).
///
/// `F = u · arrive(r)`, where r is the nearest point within `length`, moving with the anchor, and the
/// pull u grows from 0 at `length` to 1 at `length + stretch`, and on at the same rate, up to half of the
/// number of updates in a response time; the force is at most `max_force`. A body with a kind of locomotion is
/// pulled by at most 1; for one with a turning circle, such as a car, r is the anchor itself. To an anchor at rest it turns about rather than back up to it, and where it does back up, it is pulled on for two
/// turning radii, so that it has room to turn. (Of this project)
#[doc(alias("leash"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Tether {
    /// What the agent is tied to. Default the origin.
    #[entities]
    pub anchor: Target,
    /// Length of the slack leash, m, `≥ 0`. Default `5`.
    pub length: f32,
    /// How far the leash stretches until it pulls with full force, m, `> 0`. Default `0.5`.
    pub stretch: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Tether {
    /// Ties the agent to a point or an entity with a leash of `length` m.
    pub fn new(anchor: impl Into<Target>, length: f32) -> Self {
        Self {
            anchor: anchor.into(),
            length,
            ..Self::default()
        }
    }

    /// Sets the [`stretch`](Self::stretch).
    #[must_use]
    pub fn with_stretch(mut self, stretch: f32) -> Self {
        self.stretch = stretch;
        self
    }
}

impl Default for Tether {
    fn default() -> Self {
        Self {
            anchor: Target::default(),
            length: 5.0,
            stretch: 0.5,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Tether {
    const PRIORITY: i16 = 104;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([252, 202, 33]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.anchor), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.anchor.check("Tether.anchor")?;
        InvalidParameter::unless_non_negative("Tether.length", self.length)?;
        InvalidParameter::unless_positive("Tether.stretch", self.stretch)
    }
}

impl Steer for Tether {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets
            .get(self.anchor)
            .map_or(Vec2::ZERO, |anchor| tether(me, &anchor, self))
    }
}

/// The force of [`Tether`], N.
pub fn tether(me: &Agent, anchor: &Kinematics, how: &Tether) -> Vec2 {
    let circle = me.turning_radius();
    if circle > 0.0 && anchor.speed() < Abilities::FOLLOWS {
        return turn_back(me, anchor.position, circle, how);
    }
    let offset = me.position - anchor.position;
    let excess = offset.length() - how.length;
    if excess <= 0.0 {
        return Vec2::ZERO;
    }
    // The nearest point inside is within the turning circle of a car: it would only back up to it.
    let inside = if circle > 0.0 {
        anchor.position
    } else {
        anchor.position + offset.clamp_length_max(how.length)
    };
    let pull = (excess / how.stretch).min(most_pull(me));
    let force = arrive_at_moving(me, inside, anchor.velocity, Braking::Physical, 0.0);
    limited(pull * force, me.max_force)
}

/// The force on a body with a turning circle, whose anchor rests, N. One that stopped at its anchor, or went forward as soon as it is
/// inside, would change gear again and again.
fn turn_back(me: &Agent, anchor: Vec2, circle: f32, how: &Tether) -> Vec2 {
    let is_backing = me.forward_speed() < -Kinematics::STANDING;
    let slack = if is_backing {
        (how.length - 2.0 * circle).max(0.0)
    } else {
        how.length
    };
    let excess = me.position.distance(anchor) - slack;
    if excess <= 0.0 {
        return Vec2::ZERO;
    }
    let way = me.way_through(anchor, 4.0 * circle + 2.0 * how.length);
    let most = me.max_speed.min(way.speed);
    let velocity = slowed(me, way.run, way.direction, most, Braking::Physical);
    (excess / how.stretch).min(1.0) * me.track(velocity)
}

/// The most pull of a leash. The slower an agent responds, the harder others may drive it outward, and the more pull it bears
/// without a swing: two updates remain to respond.
fn most_pull(me: &Agent) -> f32 {
    /// A shorter update counts as one of this length, s.
    const SHORTEST: f32 = 1e-3;
    if me.abilities.is_some() {
        return 1.0;
    }
    (0.5 * me.response() / me.delta.max(SHORTEST)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close};
    use crate::behaviors::{arrive, seek, target_speed};
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;

    fn at(x: f32) -> Agent {
        Agent {
            position: Vec2::new(x, 0.0),
            velocity: Vec2::new(2.0, 0.0),
            ..default()
        }
    }

    #[test]
    fn the_force_is_zero_within_the_length() {
        let post = Kinematics::default();
        for x in [0.0, 3.0, 5.0] {
            assert_eq!(tether(&at(x), &post, &Tether::default()), Vec2::ZERO);
        }
    }

    #[test]
    fn tether_equals_its_documented_formula() {
        let post = Kinematics::default();
        let rim = Vec2::new(5.0, 0.0);
        let full = arrive(&at(5.5), rim, Braking::Physical, 0.0);
        assert_close(tether(&at(5.5), &post, &Tether::default()), full);
        let half = 0.5 * arrive(&at(5.25), rim, Braking::Physical, 0.0);
        assert_close(tether(&at(5.25), &post, &Tether::default()), half);
        let far = tether(&at(500.0), &post, &Tether::default());
        assert_close(far, seek(&at(500.0), rim));
    }

    #[test]
    fn the_force_is_continuous_at_the_length() {
        let post = Kinematics::default();
        let force = |i: i32| tether(&at(4.9 + 1e-3 * i as f32), &post, &Tether::default());
        for i in 0..2_000 {
            assert!(force(i).distance(force(i + 1)) < 0.2, "at {i}");
        }
    }

    #[test]
    fn an_agent_that_runs_away_is_held_and_returns_gently() {
        let mut course = Course::new(60.0);
        course.agent.velocity = Vec2::new(5.0, 0.0);
        let post = Kinematics::default();
        for _ in 0..60 * 20 {
            let me = course.agent;
            course.step(tether(&me, &post, &Tether::default()));
        }
        assert!(course.farthest_x < 7.5, "{} m", course.farthest_x);
        let me = course.agent;
        assert!(me.speed() < 1.0, "comes back gently: {me:?}");
        assert!(me.position.length() < 5.5, "{me:?}");
    }

    #[test]
    fn a_leash_holds_a_slow_to_respond_agent_against_its_desired_velocity() {
        for mass in [0.1, 1.0, 4.0] {
            let mut course = Course::new(60.0);
            course.agent.mass = mass;
            course.agent.response_time = 1.0;
            for _ in 0..60 * 30 {
                let me = course.agent;
                let pull = tether(&me, &Kinematics::default(), &Tether::default());
                let rest = (me.max_force - pull.length()).max(0.0);
                let outward = me.track(me.max_speed * Vec2::X);
                course.step(pull + outward.clamp_length_max(rest));
            }
            let stretched = course.farthest_x - 5.0;
            assert!(stretched < 2.5, "{mass} kg: stretched by {stretched} m");
        }
    }

    #[test]
    fn a_car_on_a_short_leash_seldom_changes_gear() {
        for (length, most) in [(4.0, 20), (8.0, 2)] {
            let mut car = Drive::car(Wheeled::default(), 60.0);
            let how = Tether::new(Vec2::ZERO, length);
            let mut gears = 0;
            for _ in 0..60 * 30 {
                let me = car.agent();
                let pull = tether(&me, &Kinematics::default(), &how);
                let rest = (me.max_force - pull.length()).max(0.0);
                let before = car.controls.reversing;
                car.step(pull + target_speed(&me, 6.0).clamp_length_max(rest));
                gears += u32::from(before != car.controls.reversing);
            }
            assert!(gears <= most, "{length} m: {gears} changes in 30 s");
        }
    }

    #[test]
    fn a_leash_of_zero_length_is_valid() {
        let me = Agent::default();
        let short = Tether::new(Vec2::ZERO, 0.0);
        assert_eq!(tether(&me, &Kinematics::default(), &short), Vec2::ZERO);
        assert!(tether(&at(0.1), &Kinematics::default(), &short).x < 0.0);
    }
}
