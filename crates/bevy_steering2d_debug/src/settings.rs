//! What to draw, of whom, and how large.

use bevy::prelude::*;

use crate::colors::{BehaviorColors, behavior_color};
use crate::{DebugLayer, DebugLayers};

/// What [`SteeringDebugPlugin`](crate::SteeringDebugPlugin) draws. Change it at any time.
///
/// By default velocity, total force and the behaviors' forces of all agents.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_debug::{DebugLayer, SteeringDebug, Whom};
/// fn toggle_feelers(mut debug: ResMut<SteeringDebug>) {
///     let on = debug.is_on(DebugLayer::Feelers);
///     debug.set(DebugLayer::Feelers, !on);
///     debug.whom = Whom::Selected;
/// }
/// # bevy::ecs::system::assert_is_system(toggle_feelers);
/// ```
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
pub struct SteeringDebug {
    /// Whose drawings. Default [`Whom::All`].
    pub whom: Whom,
    /// Length of a force of `max_force`, m, `> 0`. Default `2.5`.
    pub force_scale: f32,
    /// Length of a velocity of 1 m/s, m, `> 0`. Default `0.4`.
    pub velocity_scale: f32,
    /// How far back trails reach, s, `> 0`. Default `4`.
    pub trail_seconds: f32,
    /// At most this many agents are drawn: the selected ones first, then those nearest to the middle
    /// of the topmost camera in a window; without one those with the lowest
    /// [`SteeringId`](bevy_steering2d_core::SteeringId). Default `500`. One warning says when
    /// there are more.
    pub max_agents: usize,
    /// Writes the names of behaviors at their forces, of the first selected agent, or of the only
    /// one there is. Default `true`.
    pub labels: bool,
    /// Draws a ring around the selected agents. Default `true`.
    pub rings: bool,
    /// What to draw. Default velocity, total force and the behaviors' forces.
    pub layers: DebugLayers,
    /// Colors of behaviors that shall not have their [`behavior_color`]. Default none.
    pub colors: BehaviorColors,
}

/// Whose drawings are shown.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone, Hash)]
pub enum Whom {
    /// The agents in the [`SteeringSelection`](crate::SteeringSelection).
    Selected,
    /// Everybody, up to [`SteeringDebug::max_agents`]. The default.
    #[default]
    All,
    /// Nobody's.
    Nobody,
}

impl Default for SteeringDebug {
    fn default() -> Self {
        Self::of([
            DebugLayer::Velocity,
            DebugLayer::TotalForce,
            DebugLayer::BehaviorForces,
        ])
    }
}

impl SteeringDebug {
    /// No layer is on; all else as by default.
    pub const fn off() -> Self {
        Self {
            whom: Whom::All,
            force_scale: 2.5,
            velocity_scale: 0.4,
            trail_seconds: 4.0,
            max_agents: 500,
            labels: true,
            rings: true,
            layers: DebugLayers::NONE,
            colors: BehaviorColors::NONE,
        }
    }

    /// Only these layers are on; all else as by default.
    ///
    /// ```
    /// # use bevy_steering2d_debug::{DebugLayer, SteeringDebug};
    /// let debug = SteeringDebug::of([DebugLayer::Paths, DebugLayer::Trails]);
    /// assert!(debug.is_on(DebugLayer::Paths) && !debug.is_on(DebugLayer::Velocity));
    /// ```
    pub fn of(layers: impl IntoIterator<Item = DebugLayer>) -> Self {
        Self {
            layers: layers.into_iter().collect(),
            ..Self::off()
        }
    }

    /// Sets [`whom`](Self::whom).
    #[must_use]
    pub fn of_whom(mut self, whom: Whom) -> Self {
        self.whom = whom;
        self
    }

    /// Whether a layer is on.
    pub const fn is_on(&self, layer: DebugLayer) -> bool {
        self.layers.contains(layer)
    }

    /// Switches a layer on or off.
    pub fn set(&mut self, layer: DebugLayer, on: bool) {
        self.layers.set(layer, on);
    }

    /// Whether any layer of anybody is on.
    pub fn draws_anything(&self) -> bool {
        self.layers != DebugLayers::NONE && self.whom != Whom::Nobody
    }

    /// The color of a behavior's force, by the behavior's
    /// [name](bevy_steering2d_core::BehaviorInfo::name): what [`set_color`](Self::set_color) said,
    /// else [`behavior_color`]. Legends use the same.
    pub fn color_of(&self, behavior: &str) -> Color {
        self.colors
            .get(behavior)
            .unwrap_or_else(|| behavior_color(behavior))
    }

    /// The same by type.
    pub(crate) fn color<B: TypePath>(&self) -> Color {
        self.color_of(B::short_type_path())
    }

    /// Gives a behavior another color.
    pub fn set_color(&mut self, behavior: impl Into<String>, color: impl Into<Color>) {
        self.colors.set(behavior.into(), color.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_sees_velocity_and_forces_of_all() {
        let debug = SteeringDebug::default();
        let on: Vec<_> = DebugLayer::ALL
            .into_iter()
            .filter(|layer| debug.is_on(*layer))
            .collect();
        let expected = [
            DebugLayer::Velocity,
            DebugLayer::TotalForce,
            DebugLayer::BehaviorForces,
        ];
        assert_eq!((on.as_slice(), debug.whom), (&expected[..], Whom::All));
    }

    #[test]
    fn layers_are_switched_one_by_one() {
        let mut debug = SteeringDebug::off();
        assert!(!debug.draws_anything());
        for layer in DebugLayer::ALL {
            debug.set(layer, true);
            assert!(debug.is_on(layer) && debug.draws_anything());
            debug.set(layer, false);
            assert_eq!(debug, SteeringDebug::off());
        }
        assert!(
            !SteeringDebug::default()
                .of_whom(Whom::Nobody)
                .draws_anything()
        );
    }

    #[test]
    fn a_color_of_ones_own_wins() {
        let mut debug = SteeringDebug::default();
        assert_eq!(debug.color_of("Seek"), behavior_color("Seek"));
        debug.set_color("Seek", Color::BLACK);
        debug.set_color("Seek", Color::WHITE);
        assert_eq!(debug.color_of("Seek"), Color::WHITE);
    }
}
