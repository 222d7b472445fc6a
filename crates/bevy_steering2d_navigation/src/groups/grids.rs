//! [`Grids`]: the clearance grids over which groups look for places, kept while the solids stay the same.

use std::sync::Arc;

use super::member::Member;
use crate::paths::{ClearanceGrid, ClearanceGrids};
use crate::terrain::Terrain;

/// The clearance grids of the terrain. Groups that get places share them, and one that follows a target keeps its own.
#[derive(Debug, Default)]
pub(super) struct Grids {
    /// The solids that they are of, by their [digest](Terrain::revision).
    revision: Option<u32>,
    grids: ClearanceGrids,
}

impl Grids {
    /// The grid for the bodies of a group.
    pub(super) fn for_group(&mut self, group: &[Member], terrain: &Terrain) -> Arc<ClearanceGrid> {
        let revision = Some(terrain.revision());
        if self.revision != revision {
            self.grids.clear();
            self.revision = revision;
        }
        let largest = group.iter().map(|it| it.radius).fold(0.1, f32::max);
        self.grids.reaching(1.5 * largest, terrain.solids())
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::Solid;

    #[test]
    fn groups_of_bodies_of_about_one_size_share_a_grid_until_the_solids_change() {
        let group = |radius| [Member::standing(Vec2::ZERO, Vec2::X, radius, 0.0)];
        let wall = |x: f32| Solid::segment(Vec2::new(x, 0.0), Vec2::new(x, 4.0));
        let (before, now) = (Terrain::of(&[wall(1.0)]), Terrain::of(&[wall(2.0)]));
        let mut grids = Grids::default();
        let first = grids.for_group(&group(0.5), &before);
        assert!(Arc::ptr_eq(&first, &grids.for_group(&group(0.6), &before)));
        assert!(!Arc::ptr_eq(&first, &grids.for_group(&group(2.0), &before)));
        let other = grids.for_group(&group(0.5), &now);
        assert_eq!(other.solids(), [wall(2.0)]);
    }
}
