//! [`ClearanceGrids`]: the clearance grids of the same solids for several reaches, each built once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clearance::ClearanceGrid;
use crate::Solid;

/// Clearance grids of the same solids. Few serve bodies of all radii: their reaches are powers of two.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClearanceGrids {
    /// By the bits of the reach.
    by_reach: BTreeMap<u32, Arc<ClearanceGrid>>,
}

impl ClearanceGrids {
    /// The smallest reach, m.
    const SMALLEST: f32 = 0.5;

    /// The grid that knows distances up to `least` m or farther, of the solids that all calls have in common until
    /// [`clear`](Self::clear).
    pub(crate) fn reaching(&mut self, least: f32, solids: &[Solid]) -> Arc<ClearanceGrid> {
        let mut reach = Self::SMALLEST;
        while reach < least {
            reach *= 2.0;
        }
        let grid = self.by_reach.entry(reach.to_bits());
        Arc::clone(grid.or_insert_with(|| Arc::new(ClearanceGrid::new(solids, reach))))
    }

    /// Forgets the grids: from now on there are other solids.
    pub(crate) fn clear(&mut self) {
        self.by_reach.clear();
    }
}
