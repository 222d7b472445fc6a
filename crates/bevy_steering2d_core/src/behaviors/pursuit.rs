//! After a quarry, to where it will be.

use bevy::math::ops;
use bevy::prelude::*;

use super::embeds_influence;
use super::prediction::turning_time;
use super::seek::seek;
use crate::{
    Agent, Behavior, Influence, InvalidParameter, Kinematics, Prediction, Steer, Target, Targets,
};

/// Heads for where a moving quarry will be.
///
#[doc = include_str!("figures/pursuit.svg")]
///
/// Use it for hunters and homing missiles. For a target at rest it equals [`Seek`](crate::Seek);
/// to keep a distance behind someone it is the wrong tool.
///
/// `F = seek(p_q + v_q·T)`, in N, with T in seconds from the [`Prediction`]. When the quarry is
/// ahead and comes straight at me there is nothing to predict: `F = seek(p_q)`. (Reynolds 1999;
/// Buckland; Interceptar)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pursuit {
    /// Whom to catch. Default the origin.
    #[entities]
    pub target: Target,
    /// How far ahead to look. Default [`Prediction::LookAhead`].
    pub prediction: Prediction,
    /// The quarry faces me when its heading is within this angle of the opposite of mine, rad,
    /// `0..=π`. Default 20°; `0` always predicts.
    pub facing_angle: f32,
    /// Added to the prediction for agents that turn slowly: the time to face about, s, `≥ 0`.
    /// Default `0`.
    pub turn_time: f32,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Pursuit {
    /// Pursues an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    /// Sets the [`prediction`](Self::prediction).
    #[must_use]
    pub fn with_prediction(mut self, prediction: Prediction) -> Self {
        self.prediction = prediction;
        self
    }

    /// Where it expects to meet a quarry as seen this tick, m: the point it heads for.
    pub fn aim_point(&self, me: &Agent, quarry: &Kinematics) -> Vec2 {
        if comes_straight_at(me, quarry, self.facing_angle) {
            return quarry.position;
        }
        let turning = turning_time(me, quarry.position, self.turn_time);
        quarry.position + quarry.velocity * (self.prediction.time(me, quarry) + turning)
    }
}

impl Default for Pursuit {
    fn default() -> Self {
        Self {
            target: Target::default(),
            prediction: Prediction::default(),
            facing_angle: 20_f32.to_radians(),
            turn_time: 0.0,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Pursuit {
    const PRIORITY: i16 = 80;
    const COLOR: Option<[u8; 3]> = Some([248, 78, 58]);

    type Memory = ();
    type World = Targets<'static, 'static>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.target), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("Pursuit.target")?;
        self.prediction.check("Pursuit.prediction")?;
        InvalidParameter::unless_half_turn("Pursuit.facing_angle", self.facing_angle)?;
        InvalidParameter::unless_non_negative("Pursuit.turn_time", self.turn_time)
    }
}

impl Steer for Pursuit {
    fn steer(&self, me: &Agent, _: (), targets: &Targets) -> Vec2 {
        targets
            .get(self.target)
            .map_or(Vec2::ZERO, |quarry| pursuit(me, &quarry, self))
    }
}

/// The force of [`Pursuit`] after a quarry as seen this tick, N.
pub fn pursuit(me: &Agent, quarry: &Kinematics, how: &Pursuit) -> Vec2 {
    seek(me, how.aim_point(me, quarry))
}

/// Ahead of me and facing me: `h · h_q < −cos(angle)`.
fn comes_straight_at(me: &Agent, quarry: &Kinematics, angle: f32) -> bool {
    let ahead = (quarry.position - me.position).dot(me.heading) > 0.0;
    ahead && me.heading.dot(quarry.heading) < -ops::cos(angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};

    fn crossing() -> Kinematics {
        Kinematics {
            position: Vec2::new(12.0, 0.0),
            velocity: Vec2::new(0.0, 3.0),
            heading: Vec2::Y,
            ..default()
        }
    }

    #[test]
    fn parity_with_the_textbooks() {
        // T = 12 / (5 + 3) = 1.5; seek (12, 4.5): 5 · (12, 4.5) / 12.816.
        let me = reynolds(5.0);
        let expected = 5.0 * Vec2::new(12.0, 4.5) / 12.816_006;
        assert_close(pursuit(&me, &crossing(), &Pursuit::default()), expected);
    }

    #[test]
    fn a_quarry_that_comes_straight_at_me_is_sought_where_it_is() {
        let me = reynolds(5.0);
        let oncoming = |degrees: f32| {
            let heading = Vec2::from_angle(degrees.to_radians());
            Kinematics {
                velocity: 3.0 * heading,
                heading,
                ..crossing()
            }
        };
        let how = Pursuit::default();
        let straight = seek(&me, crossing().position);
        assert_close(pursuit(&me, &oncoming(180.0), &how), straight);
        assert_close(pursuit(&me, &oncoming(165.0), &how), straight);
        assert!(
            pursuit(&me, &oncoming(150.0), &how).y > 0.1,
            "30° off is predicted"
        );
    }

    #[test]
    fn speeds_do_not_fake_a_facing_quarry() {
        // One published listing compares velocity · velocity with 0.95; headings are what counts.
        let me = Agent {
            velocity: Vec2::new(0.1, 0.0),
            ..reynolds(5.0)
        };
        let slow_crossing = Kinematics {
            velocity: Vec2::new(0.0, 0.1),
            ..crossing()
        };
        assert!(pursuit(&me, &slow_crossing, &Pursuit::default()).y > 0.01);
    }

    #[test]
    fn a_quarry_behind_is_predicted_even_when_it_faces_me() {
        let me = reynolds(5.0);
        let behind = Kinematics {
            position: Vec2::new(-12.0, 0.0),
            velocity: Vec2::new(3.0, 0.0),
            heading: Vec2::X,
            ..default()
        };
        assert_close(
            pursuit(&me, &behind, &Pursuit::default()),
            seek(&me, Vec2::new(-12.0 + 4.5, 0.0)),
        );
    }

    #[test]
    fn slow_turners_look_further_ahead() {
        let me = reynolds(5.0);
        let behind = Kinematics {
            position: Vec2::new(-12.0, 0.0),
            ..crossing()
        };
        let how = Pursuit {
            turn_time: 1.0,
            ..default()
        };
        assert_close(
            pursuit(&me, &behind, &how),
            seek(&me, Vec2::new(-12.0, 4.5 + 3.0)),
        );
    }

    #[test]
    fn pursuing_oneself_is_harmless() {
        let me = Agent::default();
        let myself = Kinematics {
            position: me.position,
            velocity: me.velocity,
            heading: me.heading,
            ..default()
        };
        assert_eq!(pursuit(&me, &myself, &Pursuit::default()), Vec2::ZERO);
    }

    #[test]
    fn it_says_where_it_aims() {
        // T = 12 / (5 + 3).
        let me = reynolds(5.0);
        let how = Pursuit::default();
        assert_close(how.aim_point(&me, &crossing()), Vec2::new(12.0, 4.5));
        let oncoming = Kinematics {
            velocity: Vec2::new(-3.0, 0.0),
            heading: Vec2::NEG_X,
            ..crossing()
        };
        assert_eq!(how.aim_point(&me, &oncoming), oncoming.position);
    }
}
