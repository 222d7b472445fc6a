//! What can be drawn, one entry per idea.

use bevy::prelude::*;

/// One kind of drawing. [`SteeringDebug`](crate::SteeringDebug) says which are on.
///
/// Panels list them all, with names and explanations:
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
pub enum DebugLayer {
    /// Where it goes and how fast.
    Velocity,
    /// The combined steering force.
    TotalForce,
    /// What each behavior asked for and what it got.
    BehaviorForces,
    /// Targets of Seek, Arrive, Flee and `MatchVelocity`, and what `FaceTarget` looks at.
    Targets,
    /// The circle of Wander and the target on it.
    Wander,
    /// Feelers of `WallAvoidance` and the wall that `WallFollowing` follows.
    Feelers,
    /// The detection box of `ObstacleAvoidance`.
    DetectionBox,
    /// Who looks how far, and who counts.
    Neighbors,
    /// Paths, the progress along them and the carrot.
    Paths,
    /// The flow field around an agent.
    FlowField,
    /// Hiding spots.
    HidingSpots,
    /// Where others are expected to be.
    Predictions,
    /// Places to keep: in a formation, behind a leader, between two.
    Slots,
    /// The area of Containment and the leash of Tether.
    Areas,
    /// Where it came along.
    Trails,
}

impl DebugLayer {
    /// All of them, from the simplest on: the order of a panel.
    pub const ALL: [Self; 15] = [
        Self::Velocity,
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
    ];

    /// A word or two for a check box.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// What there is to see, in one line.
    pub const fn description(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Velocity => ("Velocity", "where it goes and how fast"),
            Self::TotalForce => (
                "Total force",
                "the combined steering force, as long as it is strong",
            ),
            Self::BehaviorForces => (
                "Behavior forces",
                "each behavior in its color: faint what it asked for, strong what it got",
            ),
            Self::Targets => (
                "Targets",
                "what it seeks, arrives at, flees from, faces; where arriving slows and panic ends",
            ),
            Self::Wander => (
                "Wander circle",
                "the circle ahead and the target on its rim",
            ),
            Self::Feelers => (
                "Feelers",
                "feelers, red beyond the wall they hit; the wall that it follows",
            ),
            Self::DetectionBox => (
                "Detection box",
                "the way ahead that it keeps free, and the obstacles in it",
            ),
            Self::Neighbors => (
                "Neighbors",
                "how far and how wide each behavior looks, with lines to those that count",
            ),
            Self::Paths => (
                "Paths",
                "the path walked so far and to go, the corridor, and the carrot it heads for",
            ),
            Self::FlowField => (
                "Flow field",
                "the field around it, and the sample that it follows",
            ),
            Self::HidingSpots => (
                "Hiding spots",
                "every spot that it considers, and the one it goes to",
            ),
            Self::Predictions => (
                "Predictions",
                "where it expects quarry, pursuer, and both when they are nearest",
            ),
            Self::Slots => (
                "Slots",
                "its place in a formation, behind the leader, between two others",
            ),
            Self::Areas => ("Areas", "the area it stays in, and its leash"),
            Self::Trails => ("Trails", "where it came along in the last seconds"),
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of layers.
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
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Whether a layer is among them.
    pub const fn contains(self, layer: DebugLayer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// Puts a layer in or takes it out.
    pub fn set(&mut self, layer: DebugLayer, on: bool) {
        if on {
            self.0 |= layer.bit();
        } else {
            self.0 &= !layer.bit();
        }
    }

    /// Those in it, in the order of [`DebugLayer::ALL`].
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
    fn each_layer_is_listed_once_and_says_what_it_is() {
        let listed = BTreeSet::from(DebugLayer::ALL);
        assert_eq!(listed.len(), DebugLayer::ALL.len());
        let bits = DebugLayer::ALL.iter().map(|layer| layer.bit());
        assert_eq!(bits.fold(0, |all, bit| all | bit).count_ones(), 15);
        let names: BTreeSet<_> = DebugLayer::ALL.map(DebugLayer::name).into();
        assert_eq!(names.len(), DebugLayer::ALL.len());
        for layer in DebugLayer::ALL {
            assert!(layer.name().len() <= 16, "{layer:?} fits a check box");
            let line = layer.description().len();
            assert!((10..=90).contains(&line), "{layer:?} fits a line");
        }
    }
}
