//! Feelers: line segments along which an agent probes for walls.

use bevy::prelude::*;

use super::shared::urgency::ahead;
use crate::{Agent, InvalidParameter, InvalidValue};

/// The feelers of a [`WallAvoidance`](crate::WallAvoidance).
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Feelers {
    /// One straight ahead. Cheap, but does not detect walls at the agent's sides.
    Single,
    /// One straight ahead and a shorter one 45° to each side. The default.
    #[default]
    Whiskers,
    /// Two straight ahead from the sides of the body, for narrow passages.
    Parallel,
    /// A detection box: its sides, from the sides of the body, and its middle. Detects a wall in the box
    /// that is at least as long as the radius of the body.
    DetectionBox,
    /// A custom set of at least one.
    Custom(Vec<Feeler>),
}

/// One feeler, in the agent's frame (x ahead, y to the left). The default has no reach and is refused: set `reach`.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Feeler {
    /// Start, in radii of the body; `(0, 1)` is its left side.
    pub root: Vec2,
    /// Direction and length, in lengths of the longest feeler; `(1, 0)` is straight ahead at full
    /// length. Not zero.
    pub reach: Vec2,
}

/// A feeler in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whisker {
    /// Start, m.
    pub from: Vec2,
    /// End, m.
    pub to: Vec2,
    /// Length of its part outside the body, m.
    pub free: f32,
}

const AHEAD: Feeler = Feeler::new(Vec2::ZERO, Vec2::X);
const SINGLE: [Feeler; 1] = [AHEAD];
const WHISKERS: [Feeler; 3] = [
    AHEAD,
    Feeler::new(Vec2::ZERO, Vec2::new(0.5, 0.5)),
    Feeler::new(Vec2::ZERO, Vec2::new(0.5, -0.5)),
];
const PARALLEL: [Feeler; 2] = [
    Feeler::new(Vec2::Y, Vec2::X),
    Feeler::new(Vec2::NEG_Y, Vec2::X),
];

const DETECTION_BOX: [Feeler; 3] = [AHEAD, PARALLEL[0], PARALLEL[1]];

impl Feeler {
    /// A feeler from `root` (in radii) along `reach` (in lengths of the longest).
    pub const fn new(root: Vec2, reach: Vec2) -> Self {
        Self { root, reach }
    }

    /// Straight back.
    pub(crate) const REAR: Self = Self::new(Vec2::ZERO, Vec2::NEG_X);

    /// The feeler in world coordinates if the longest one has `length` m outside the body.
    pub fn whisker(&self, me: &Agent, length: f32) -> Whisker {
        let heading = ahead(me);
        let share = self.reach.length();
        let free = share * length;
        let from = me.position + me.radius * heading.rotate(self.root);
        let direction = heading.rotate(self.reach / share);
        Whisker {
            from,
            to: from + (me.radius + free) * direction,
            free,
        }
    }
}

impl Feelers {
    /// The feelers as a slice.
    pub fn list(&self) -> &[Feeler] {
        match self {
            Self::Single => &SINGLE,
            Self::Whiskers => &WHISKERS,
            Self::Parallel => &PARALLEL,
            Self::DetectionBox => &DETECTION_BOX,
            Self::Custom(feelers) => feelers,
        }
    }

    /// # Errors
    /// If the list is empty, or a feeler is not finite or has no length; names `field`.
    pub(crate) fn check(&self, field: &'static str) -> Result<(), InvalidParameter> {
        let fault = |value: InvalidValue, must_be| InvalidParameter {
            field,
            value,
            must_be,
        };
        let list = self.list();
        if list.is_empty() {
            return Err(fault("[]".into(), "at least one feeler"));
        }
        for &Feeler { root, reach } in list {
            if !InvalidParameter::is_in_range(root) {
                return Err(fault(
                    root.into(),
                    "feelers with roots of at most 1e9 radii",
                ));
            }
            if InvalidParameter::unless_positive(field, reach.length()).is_err() {
                let must_be = "feelers with reaches between 1e-9 and 1e9 lengths";
                return Err(fault(reach.into(), must_be));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;

    #[test]
    fn feeler_lengths_start_at_the_rim_of_the_body() {
        let me = Agent {
            position: Vec2::new(1.0, 1.0),
            heading: Vec2::Y,
            ..default()
        };
        // To the right of (0, 1): (√½, √½); 0.5 m through the body, 4 · √½ m beyond.
        let right = Feelers::Whiskers.list()[2].whisker(&me, 4.0);
        assert_eq!(right.from, me.position);
        let diagonal = Vec2::ONE.normalize();
        assert_close(right.to, me.position + 0.5 * diagonal + 2.0);
        assert!((right.free - 8_f32.sqrt()).abs() < 1e-5);
    }

    #[test]
    fn the_detection_box_is_as_wide_as_the_body_and_as_long_as_the_feelers() {
        let me = Agent::default(); // at the origin, ahead +x, radius 0.5
        let mut sides = Feelers::DetectionBox
            .list()
            .iter()
            .map(|it| it.whisker(&me, 3.0));
        assert!(sides.all(|it| it.from.x == 0.0 && (it.to.x - 3.5).abs() < 1e-5));
        let sides = Feelers::DetectionBox
            .list()
            .iter()
            .map(|it| it.whisker(&me, 3.0));
        let across: Vec<f32> = sides.map(|it| it.to.y).collect();
        assert_eq!(across, [0.0, 0.5, -0.5]);
    }

    #[test]
    fn feelers_without_length_are_refused() {
        let faulty = |feelers| {
            let error = Feelers::Custom(feelers).check("A.feelers");
            assert_eq!(error.unwrap_err().field, "A.feelers");
        };
        faulty(vec![]);
        faulty(vec![Feeler::new(Vec2::ZERO, Vec2::ZERO)]);
        faulty(vec![AHEAD, Feeler::new(Vec2::ZERO, Vec2::NAN)]);
        faulty(vec![Feeler::new(Vec2::splat(f32::INFINITY), Vec2::X)]);
    }
}
