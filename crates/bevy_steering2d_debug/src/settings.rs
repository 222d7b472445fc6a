//! [`SteeringDebug`]: the settings of the debug drawing.

use bevy::prelude::*;

use bevy_steering2d_core::{Behavior, BehaviorInfo};

use crate::colors::{BehaviorColors, behavior_color, color_or_derived};
use crate::{DebugLayer, DebugLayers};

/// The settings of [`SteeringDebugPlugin`](crate::SteeringDebugPlugin), which may change at any time.
///
/// By default it draws velocity, total force and behavior forces of all agents.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_debug::{DebugLayer, SteeringDebug, DrawnAgents};
/// fn toggle_feelers(mut debug: ResMut<SteeringDebug>) {
///     let on = debug.is_on(DebugLayer::Feelers);
///     debug.set(DebugLayer::Feelers, !on);
///     debug.agents = DrawnAgents::Selected;
/// }
/// # bevy::ecs::system::assert_is_system(toggle_feelers);
/// ```
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
pub struct SteeringDebug {
    /// The agents to draw. Default [`DrawnAgents::All`].
    pub agents: DrawnAgents,
    /// Arrow length of a force of `max_force`, m, `> 0`. Default `2.5`.
    pub force_scale: f32,
    /// Arrow length of a velocity of 1 m/s, m, `> 0`. Default `0.4`.
    pub velocity_scale: f32,
    /// Duration of trails, s, `> 0`. Default `4`.
    pub trail_seconds: f32,
    /// The maximum number of agents to draw. Selected agents come first, then those nearest to the
    /// center of the topmost camera in a window that draws [`SteeringGizmos`](crate::SteeringGizmos);
    /// without a camera, those with the lowest [`SteeringId`](bevy_steering2d_core::SteeringId). One
    /// warning is logged if agents are left out. Default `500`.
    pub max_agents: usize,
    /// Whether forces of the first selected agent, or of a single agent, are labeled with the names
    /// of their behaviors. Default `true`.
    pub labels: bool,
    /// Whether a ring is drawn around each selected agent. Default `true`.
    pub rings: bool,
    /// The layers to draw. Default velocity, total force and behavior forces.
    pub layers: DebugLayers,
    /// Colors that replace the [`behavior_color`] of a behavior. Default none.
    pub colors: BehaviorColors,
}

/// Which agents are drawn.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone, Hash)]
pub enum DrawnAgents {
    /// The agents in the [`SteeringSelection`](crate::SteeringSelection).
    Selected,
    /// All agents, up to [`SteeringDebug::max_agents`]. The default.
    #[default]
    All,
    /// No agent.
    None,
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
    /// No layers; all other settings have their default.
    pub const fn off() -> Self {
        Self {
            agents: DrawnAgents::All,
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

    /// Only these layers; all other settings have their default.
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

    /// Sets [`agents`](Self::agents).
    #[must_use]
    pub fn with_agents(mut self, agents: DrawnAgents) -> Self {
        self.agents = agents;
        self
    }

    /// Whether a layer is on.
    pub const fn is_on(&self, layer: DebugLayer) -> bool {
        self.layers.contains(layer)
    }

    /// Turns a layer on or off.
    pub fn set(&mut self, layer: DebugLayer, on: bool) {
        self.layers.set(layer, on);
    }

    /// Whether any layer is on for any agent.
    pub fn draws_anything(&self) -> bool {
        self.layers != DebugLayers::NONE && self.agents != DrawnAgents::None
    }

    /// The color of a behavior's force: the one from [`set_color`](Self::set_color), else its
    /// [`behavior_color`].
    pub fn color_of(&self, behavior: &BehaviorInfo) -> Color {
        let custom = self.colors.get(behavior.name);
        custom.unwrap_or_else(|| behavior_color(behavior))
    }

    /// The same by the behavior's type.
    pub(crate) fn color<B: Behavior>(&self) -> Color {
        let name = B::short_type_path();
        let custom = self.colors.get(name);
        custom.unwrap_or_else(|| color_or_derived(name, B::COLOR))
    }

    /// Sets the color of a behavior, by its [name](BehaviorInfo::name).
    pub fn set_color(&mut self, behavior: impl Into<String>, color: impl Into<Color>) {
        self.colors.set(behavior.into(), color.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{BehaviorRegistry, Seek, SteeringCorePlugin};

    #[test]
    fn default_draws_velocity_and_forces_of_all_agents() {
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
        assert_eq!(
            (on.as_slice(), debug.agents),
            (&expected[..], DrawnAgents::All)
        );
    }

    #[test]
    fn set_turns_one_layer_on_or_off() {
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
                .with_agents(DrawnAgents::None)
                .draws_anything()
        );
    }

    #[test]
    fn set_color_replaces_the_built_in_color() {
        let mut debug = SteeringDebug::default();
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        let registry = app.world().resource::<BehaviorRegistry>();
        let seek = registry.of::<Seek>().expect("a built-in behavior");
        assert_eq!(debug.color_of(seek), behavior_color(seek));
        assert_eq!(debug.color::<Seek>(), behavior_color(seek));
        debug.set_color("Seek", Color::BLACK);
        debug.set_color("Seek", Color::WHITE);
        assert_eq!(debug.color_of(seek), Color::WHITE);
        assert_eq!(debug.color::<Seek>(), Color::WHITE);
    }
}
