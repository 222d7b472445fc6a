//! Flow field following: follows a grid of vectors.

use bevy::prelude::*;

pub use crate::flow_field::FlowField;

use super::braking::{preferred_speed, slowed_to};
use super::unguided::warn_of_unguided;
use super::{embeds_influence, guide};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, Target};

/// Follows a [`FlowField`].
///
#[doc = include_str!("figures/flow_field.svg")]
///
/// Use it for many agents with one goal that share a field: one that a `GoalField` (feature
/// `navigation`) keeps, or one of your own, such as wind. For the path of one agent
/// [`PathFollowing`](crate::PathFollowing) is cheaper.
///
/// With the sample `s` at the predicted position `p + v·T`, clamped to length 1:
/// `F = |s| · track(pace · dir(s))`. Exactly zero outside the field. (Reynolds 1999)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct FlowFieldFollowing {
    /// The entity with the [`FlowField`]. Default `None`: this entity, or the agent that it steers for.
    #[entities]
    pub field: Option<Entity>,
    /// How far ahead the agent predicts its position, s, `≥ 0`. Default `0.1`.
    pub look_ahead_time: f32,
    /// The preferred speed, m/s, `≥ 0`. Default `None`: the vehicle's `max_speed`. A lower pace lets other behaviors accelerate
    /// the agent, to dodge or to catch up.
    pub pace: Option<f32>,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl FlowFieldFollowing {
    /// Follows the field of another entity.
    pub fn new(field: Entity) -> Self {
        Self {
            field: Some(field),
            ..Self::default()
        }
    }

    /// Sets the [`look_ahead_time`](Self::look_ahead_time).
    #[must_use]
    pub fn with_look_ahead_time(mut self, look_ahead_time: f32) -> Self {
        self.look_ahead_time = look_ahead_time;
        self
    }

    /// Sets the [`pace`](Self::pace).
    #[must_use]
    pub fn with_pace(mut self, pace: f32) -> Self {
        self.pace = Some(pace);
        self
    }

    /// The preferred speed of an agent, m/s: the [`pace`](Self::pace), within its `max_speed`.
    pub fn preferred_speed(&self, me: &Agent) -> f32 {
        preferred_speed(me, self.pace)
    }

    /// The predicted position of the agent, m, at which the field is sampled.
    pub fn sample_point(&self, me: &Agent) -> Vec2 {
        me.position + me.velocity * self.look_ahead_time
    }
}

impl Default for FlowFieldFollowing {
    fn default() -> Self {
        Self {
            field: None,
            look_ahead_time: 0.1,
            pace: None,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for FlowFieldFollowing {
    const PRIORITY: i16 = 25;
    const COLOR: Option<[u8; 3]> = Some([247, 47, 167]);

    type Memory = Option<&'static FlowField>;
    type World = Query<'static, 'static, &'static FlowField>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [None, self.field.map(Target::Entity)]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative(
            "FlowFieldFollowing.look_ahead_time",
            self.look_ahead_time,
        )?;
        InvalidParameter::unless_non_negative("FlowFieldFollowing.pace", self.pace.unwrap_or(1.0))
    }

    fn build(app: &mut App) {
        warn_of_unguided::<Self, FlowField>(app);
    }
}

impl Steer for FlowFieldFollowing {
    fn steer(&self, me: &Agent, own: Option<&FlowField>, fields: &Query<&FlowField>) -> Vec2 {
        guide(self.field, own, me, fields).map_or(Vec2::ZERO, |field| {
            let me = slowed_to(me, self.preferred_speed(me));
            flow_field_following(&me, field.sample(self.sample_point(&me)))
        })
    }
}

/// The force of [`FlowFieldFollowing`] for a sample of the field, N.
pub fn flow_field_following(me: &Agent, sample: Vec2) -> Vec2 {
    let urgency = sample.length().min(1.0);
    urgency * me.track_for_long(me.max_speed * sample.normalize_or_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{assert_close, reynolds};

    #[test]
    fn flow_field_following_equals_its_documented_formula() {
        let me = Agent {
            velocity: Vec2::new(0.0, 1.0),
            ..reynolds(4.0)
        };
        assert_close(
            flow_field_following(&me, Vec2::new(3.0, 0.0)),
            Vec2::new(4.0, -1.0),
        );
        assert_close(
            flow_field_following(&me, Vec2::new(0.5, 0.0)),
            Vec2::new(2.0, -0.5),
        );
        assert_eq!(flow_field_following(&me, Vec2::ZERO), Vec2::ZERO);
    }

    #[test]
    fn the_pace_is_limited_by_the_maximum_speed() {
        let me = reynolds(4.0);
        let speed = |how: FlowFieldFollowing| how.preferred_speed(&me);
        assert_eq!(speed(FlowFieldFollowing::default()), 4.0);
        assert_eq!(speed(FlowFieldFollowing::default().with_pace(1.5)), 1.5);
        assert_eq!(speed(FlowFieldFollowing::default().with_pace(9.0)), 4.0);
        let error = FlowFieldFollowing::default().with_pace(-1.0).check();
        assert_eq!(error.unwrap_err().field, "FlowFieldFollowing.pace");
    }

    #[test]
    fn the_sample_point_lies_ahead_by_the_look_ahead_time() {
        let me = Agent {
            velocity: Vec2::new(0.0, 3.0),
            ..reynolds(4.0)
        };
        let following = FlowFieldFollowing::default();
        assert_close(following.sample_point(&me), Vec2::new(0.0, 0.3));
    }
}
