//! In line, please.

use bevy::prelude::*;

use super::embeds_influence;
use crate::perception::{Neighbor, NeighborView, Neighbors, Perception, SteeringGroups};
use crate::{Agent, Behavior, Influence, InvalidParameter, priority};

/// Brakes behind a slower neighbor ahead instead of pushing.
///
#[doc = include_str!("figures/queuing.svg")]
///
/// Use it at doors, counters and on narrow paths, together with whatever leads there. It has a
/// high say by weight rather than by priority, since it works against the forward drive.
///
/// The point `look_ahead` before the agent is looked at: if a slower neighbor is within `radius`
/// of it, the agent takes on that neighbor's pace, `F = track(heading · pace) · urgency`, the more
/// urgently the nearer it is. (Reynolds' queuing 1999; the thesis' door)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Queuing {
    /// How far ahead of its center it looks, m, `> 0`. Default `1`.
    pub look_ahead: f32,
    /// Who is within this of the point ahead is in the way, m, `> 0`. Default `0.8`.
    pub radius: f32,
    /// Whom it queues behind. Default everybody.
    pub groups: SteeringGroups,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Default for Queuing {
    fn default() -> Self {
        Self {
            look_ahead: 1.0,
            radius: 0.8,
            groups: SteeringGroups::ALL,
            influence: Influence::at(priority::QUEUING),
        }
    }
}

impl Behavior for Queuing {
    type Memory = ();
    type World = Res<'static, Neighbors>;

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Queuing.look_ahead", self.look_ahead)?;
        InvalidParameter::unless_positive("Queuing.radius", self.radius)
    }

    fn steer(&self, me: &Agent, _: (), neighbors: &Res<Neighbors>) -> Vec2 {
        let view = NeighborView {
            position: me.position + self.look_ahead * me.heading,
            heading: me.heading,
            radius: self.radius,
            field_of_view: f32::INFINITY,
            groups: self.groups,
            except: me.entity,
        };
        neighbors
            .in_view(view)
            .map(|other| queue_behind(me, other, view.position, self.radius))
            .max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))
            .unwrap_or(Vec2::ZERO)
    }
}

/// The force of [`Queuing`] behind one neighbor near the point ahead, N.
fn queue_behind(me: &Agent, other: &Neighbor, ahead: Vec2, radius: f32) -> Vec2 {
    let pace = other.velocity.dot(me.heading).max(0.0);
    if pace >= me.speed() {
        return Vec2::ZERO;
    }
    let urgency = 1.0 - other.position.distance(ahead) / radius;
    urgency.max(0.0) * me.track(pace * me.heading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::assert_close;

    fn standing_at(x: f32) -> Neighbor {
        Neighbor {
            position: Vec2::new(x, 0.0),
            velocity: Vec2::ZERO,
            heading: Vec2::X,
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
    fn right_ahead_of_a_standing_neighbor_it_brakes_fully() {
        // 1 kg · (0 − 2) m/s / 0.25 s.
        let force = queue_behind(&walker(), &standing_at(1.0), Vec2::X, 0.8);
        assert_close(force, Vec2::new(-8.0, 0.0));
    }

    #[test]
    fn it_fades_with_the_distance_from_the_point_ahead() {
        let force = queue_behind(&walker(), &standing_at(1.4), Vec2::X, 0.8);
        assert_close(force, Vec2::new(-4.0, 0.0));
    }

    #[test]
    fn a_faster_neighbor_is_not_in_the_way() {
        let hurrying = Neighbor {
            velocity: Vec2::new(3.0, 0.0),
            ..standing_at(1.0)
        };
        assert_eq!(queue_behind(&walker(), &hurrying, Vec2::X, 0.8), Vec2::ZERO);
    }
}
