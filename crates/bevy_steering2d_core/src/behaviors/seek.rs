//! Seek: heads for a target at full speed.

use bevy::prelude::*;

use super::embeds_influence;
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, Target, Targets};

/// Heads for a target at full speed.
///
#[doc = include_str!("figures/seek.svg")]
///
/// Use it for agents that never need to stop: missiles, animals that follow a scent. The agent
/// overshoots its target and circles back. To stop there use [`Arrive`](crate::Arrive), to catch a
/// moving target use [`Pursuit`](crate::Pursuit).
///
/// `F = track(max_speed · dir(p → t))`, in N, see [`Agent::track`]. On the target itself the
/// direction is zero, so the agent brakes. An agent with a turning circle takes the
/// [way](Agent::way_to) that it can drive. (Reynolds 1999)
#[doc(alias("Buscar", "Seguir", "поиск"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Seek {
    /// The point or entity to approach. Default the origin.
    #[entities]
    pub target: Target,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl Seek {
    /// Seeks a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            influence: Influence::of::<Self>(),
        }
    }
}

impl Default for Seek {
    fn default() -> Self {
        Self::new(Target::default())
    }
}

impl Behavior for Seek {
    const PRIORITY: i16 = 100;
    const COLOR: Option<[u8; 3]> = Some([128, 131, 164]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.target), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("Seek.target")
    }
}

impl Steer for Seek {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets
            .get(self.target)
            .map_or(Vec2::ZERO, |target| seek(me, target.position))
    }
}

/// The force of [`Seek`], N.
pub fn seek(me: &Agent, point: Vec2) -> Vec2 {
    me.track(me.velocity_to(point, me.max_speed.min(last_speed(me, point))))
}

/// The speed at which a driven body does not overshoot the point within one update, m/s. Such a body points
/// somewhere also at the point itself; the velocity of others fades there.
pub(super) fn last_speed(me: &Agent, point: Vec2) -> f32 {
    match me.abilities {
        Some(_) => me.position.distance(point) / me.delta.max(f32::MIN_POSITIVE),
        None => f32::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Abilities;
    use crate::behaviors::testing::{assert_close, reynolds};

    #[test]
    fn seek_equals_the_formula_of_reynolds() {
        // desired = 3 · (0.6, 0.8) = (1.8, 2.4); steering = desired − (1, −1).
        let me = Agent {
            velocity: Vec2::new(1.0, -1.0),
            ..reynolds(3.0)
        };
        assert_close(seek(&me, Vec2::new(30.0, 40.0)), Vec2::new(0.8, 3.4));
    }

    #[test]
    fn seek_adds_no_force_at_full_speed_towards_the_target() {
        let me = Agent {
            velocity: Vec2::new(5.0, 0.0),
            ..default()
        };
        assert_close(seek(&me, Vec2::new(100.0, 0.0)), Vec2::ZERO);
    }

    #[test]
    fn seek_brakes_on_the_target() {
        let moving = Agent {
            velocity: Vec2::new(2.0, 0.0),
            ..default()
        };
        // 1 kg · (0 − 2) m/s / 0.25 s.
        assert_close(seek(&moving, moving.position), Vec2::new(-8.0, 0.0));
        assert_eq!(
            seek(&Agent::default(), Vec2::ZERO),
            Vec2::ZERO,
            "at rest on the target"
        );
    }

    /// A tank at the origin.
    fn tank() -> Agent {
        Agent {
            abilities: Some(Abilities {
                turn_rate: 1.0,
                braking: 5.0,
                cornering: 7.0,
                reverse_speed: 4.0,
                ..default()
            }),
            max_speed: 14.0,
            ..default()
        }
    }

    #[test]
    fn a_driven_body_does_not_overshoot_the_target_within_one_update() {
        let me = tank();
        assert_eq!(seek(&me, me.position), Vec2::ZERO);
        // At 14 m/s it drives 0.2333 m in a tick.
        for distance in [0.2, 0.01, 1e-4, 1e-9] {
            let force = seek(&me, Vec2::new(distance, 0.0));
            assert_close(force, me.track(Vec2::new(distance / me.delta, 0.0)));
        }
        let beyond = seek(&me, Vec2::new(0.24, 0.0));
        assert_eq!(beyond, seek(&me, Vec2::new(100.0, 0.0)), "as fast as ever");
    }

    #[test]
    fn seek_force_is_continuous_across_the_target() {
        let at = |x: f32| seek(&Agent::default(), Vec2::new(x, 0.0)).x;
        let steps = (-100..100).map(|i| (at(i as f32 * 1e-4), at((i + 1) as f32 * 1e-4)));
        let largest = steps.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest < 1.0, "{largest} N in a tenth of a millimeter");
    }
}
