//! [`DebugLayer`]: the kinds of debug drawing, with names and descriptions.

use bevy::prelude::*;

/// One kind of debug drawing. [`SteeringDebug`](crate::SteeringDebug) sets which layers are on.
///
/// To list all layers in a panel:
///
/// ```
/// # use bevy_steering2d_debug::{DebugLayer, SteeringDebug};
/// let debug = SteeringDebug::default();
/// for layer in DebugLayer::ALL {
///     let mark = if debug.is_on(layer) { "x" } else { " " };
///     println!("[{mark}] {}: {}", layer.name(), layer.description());
/// }
/// ```
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Debug, PartialEq, Clone, Hash)]
#[non_exhaustive]
pub enum DebugLayer {
    /// The velocity of each agent.
    Velocity,
    /// The velocity that each behavior of the selected agent desires, and the steering force between
    /// the tips of velocity and desired velocity, as in Reynolds' figures. The velocity of a car is that of its axle, which
    /// its driver steers. (Reynolds 1999)
    DesiredVelocity,
    /// The combined steering force.
    TotalForce,
    /// The requested and the accepted force of each behavior.
    BehaviorForces,
    /// Targets of behaviors, those of games as well, of `Flee` and `FaceTarget`, and where `Arrive` stops. Behaviors that are
    /// drawn in another layer, such as `Pursuit`, are left out.
    Targets,
    /// The circle of `Wander` and the target on it.
    Wander,
    /// Feelers of `WallAvoidance` and the wall that `WallFollowing` follows.
    Feelers,
    /// The detection box of `ObstacleAvoidance`.
    DetectionBox,
    /// Perception radius, field of view and neighbors of `Separation`, `Alignment`, `Cohesion`, `CollisionAvoidance`,
    /// `ReciprocalAvoidance` and `Queuing`.
    Neighbors,
    /// Paths, the progress along them and the aim point.
    Paths,
    /// The flow field around an agent.
    FlowField,
    /// The spots that `Hide` considers.
    HidingSpots,
    /// Predicted positions of `Pursuit`, `Evade` and `CollisionAvoidance`.
    Predictions,
    /// Slots of `OffsetPursuit`, `LeaderFollowing` and `Interpose`.
    Slots,
    /// The area of `Containment`, the leash of `Tether` and the circle of `Orbit`.
    Areas,
    /// The path of each agent over the last seconds.
    Trails,
    /// Turning circles and wheels of driven agents, and the way to a target.
    Locomotion,
}

impl DebugLayer {
    /// All layers, in the order of a panel.
    pub const ALL: [Self; 17] = [
        Self::Velocity,
        Self::DesiredVelocity,
        Self::TotalForce,
        Self::BehaviorForces,
        Self::Targets,
        Self::Wander,
        Self::Feelers,
        Self::DetectionBox,
        Self::Neighbors,
        Self::Paths,
        Self::FlowField,
        Self::HidingSpots,
        Self::Predictions,
        Self::Slots,
        Self::Areas,
        Self::Trails,
        Self::Locomotion,
    ];

    /// A short name for a check box.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// A description of one line.
    pub const fn description(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Velocity => ("Velocity", "direction and speed of each agent"),
            Self::DesiredVelocity => (
                "Desired velocity",
                "velocity, desired velocity, and the steering force between their tips",
            ),
            Self::TotalForce => (
                "Total force",
                "the combined steering force, scaled by max_force",
            ),
            Self::BehaviorForces => (
                "Behavior forces",
                "the force of each behavior in its color: faint as requested, bright as accepted",
            ),
            Self::Targets => (
                "Targets",
                "targets of behaviors without a layer of their own; slowing and panic distances",
            ),
            Self::Wander => (
                "Wander circle",
                "the circle ahead of the agent and the target on it",
            ),
            Self::Feelers => (
                "Feelers",
                "feelers, red beyond the wall they hit, and the wall being followed",
            ),
            Self::DetectionBox => (
                "Detection box",
                "the area ahead that the agent keeps clear, and the obstacles in it",
            ),
            Self::Neighbors => (
                "Neighbors",
                "how far and where flocks, crowds and queues see, with lines to their neighbors",
            ),
            Self::Paths => (
                "Paths",
                "the path, its corridor, the progress along it, and the aim point",
            ),
            Self::FlowField => (
                "Flow field",
                "the flow field around the agent, and the sample it follows",
            ),
            Self::HidingSpots => (
                "Hiding spots",
                "all hiding spots considered, and the one chosen",
            ),
            Self::Predictions => (
                "Predictions",
                "predicted positions of quarry and pursuer, and closest approaches",
            ),
            Self::Slots => (
                "Slots",
                "the slot in a formation, behind a leader, or between two targets",
            ),
            Self::Areas => (
                "Areas",
                "the area of Containment, the leash of Tether and the circle of Orbit",
            ),
            Self::Trails => ("Trails", "the path of each agent over the last seconds"),
            Self::Locomotion => (
                "Locomotion",
                "turning circles and wheel angles, and the arc and line to the target",
            ),
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of [`DebugLayer`]s.
///
/// ```
/// # use bevy_steering2d_debug::{DebugLayer, DebugLayers};
/// let mut layers = DebugLayers::from_iter([DebugLayer::Velocity, DebugLayer::Trails]);
/// layers.set(DebugLayer::Trails, false);
/// assert_eq!(layers.iter().collect::<Vec<_>>(), [DebugLayer::Velocity]);
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Clone, Hash)]
pub struct DebugLayers(u32);

impl DebugLayers {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Whether the set contains a layer.
    pub const fn contains(self, layer: DebugLayer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// Adds or removes a layer.
    pub fn set(&mut self, layer: DebugLayer, on: bool) {
        if on {
            self.0 |= layer.bit();
        } else {
            self.0 &= !layer.bit();
        }
    }

    /// The layers of the set, in the order of [`DebugLayer::ALL`].
    pub fn iter(self) -> impl Iterator<Item = DebugLayer> {
        DebugLayer::ALL
            .into_iter()
            .filter(move |layer| self.contains(*layer))
    }
}

impl FromIterator<DebugLayer> for DebugLayers {
    fn from_iter<T: IntoIterator<Item = DebugLayer>>(layers: T) -> Self {
        let bits = layers.into_iter().map(DebugLayer::bit);
        Self(bits.fold(0, |all, bit| all | bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_layer_is_listed_once_and_has_a_description() {
        let listed = BTreeSet::from(DebugLayer::ALL);
        assert_eq!(listed.len(), DebugLayer::ALL.len());
        let bits = DebugLayer::ALL.iter().map(|layer| layer.bit());
        assert_eq!(bits.fold(0, |all, bit| all | bit).count_ones(), 17);
        let names: BTreeSet<_> = DebugLayer::ALL.map(DebugLayer::name).into();
        assert_eq!(names.len(), DebugLayer::ALL.len());
        for layer in DebugLayer::ALL {
            assert!(layer.name().len() <= 16, "{layer:?} fits a check box");
            let line = layer.description().len();
            assert!((10..=90).contains(&line), "{layer:?} fits a line");
        }
    }
}
