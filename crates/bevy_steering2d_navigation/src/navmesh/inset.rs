//! [`NavmeshInset`]: how far a mesh ends before its real border.

use bevy::prelude::*;
use bevy_steering2d_core::InvalidParameter;
use vleue_navigator::prelude::NavMeshSettings;

/// How far a navigation mesh ends before its real border, because it was built for agents of some radius.
///
/// Made of one number it is for the whole border; of the `NavMeshSettings` of a managed mesh it is what these say.
///
/// ```
/// # use bevy_steering2d_navigation::NavmeshInset;
/// # use vleue_navigator::prelude::NavMeshSettings;
/// let settings = NavMeshSettings { agent_radius: 0.5, ..Default::default() };
/// // By default vleue_navigator keeps the radius away from obstacles only.
/// assert_eq!(NavmeshInset::from(&settings), NavmeshInset { outer: 0.0, holes: 0.5 });
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub struct NavmeshInset {
    /// Inset of the outer edge, m, `≥ 0`. Default `0`.
    pub outer: f32,
    /// Inset of the edges around holes, m, `≥ 0`. Default `0`.
    pub holes: f32,
}

impl From<f32> for NavmeshInset {
    fn from(meters: f32) -> Self {
        Self {
            outer: meters,
            holes: meters,
        }
    }
}

impl From<&NavMeshSettings> for NavmeshInset {
    fn from(settings: &NavMeshSettings) -> Self {
        let radius = settings.agent_radius;
        Self {
            outer: if settings.agent_radius_on_outer_edge {
                radius
            } else {
                0.0
            },
            holes: radius,
        }
    }
}

impl NavmeshInset {
    /// Checks that both lengths are in their range.
    ///
    /// # Errors
    /// Names the first one that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("NavmeshInset.outer", self.outer)?;
        InvalidParameter::unless_non_negative("NavmeshInset.holes", self.holes)
    }
}
