//! How large the bodies in the neighbor index are.

use super::rows::{Row, is_indexable};

/// The sizes of all indexed bodies. Few that are large beside the cells, such as a ship among people, are set apart:
/// searches up to the edges of bodies look at them one by one, so that all others need not be searched as far.
#[derive(Debug, Default)]
pub(super) struct BodySizes {
    /// The largest radius, m.
    pub(super) largest: f32,
    /// The largest radius of the bodies that are not set apart, m.
    pub(super) ordinary: f32,
    /// The rows of the bodies that are set apart, by id.
    pub(super) large: Vec<u32>,
}

impl BodySizes {
    /// A body is large if its radius is this part of the side of a cell.
    const LARGE: f32 = 0.25;
    /// More large bodies than this are ordinary.
    pub(super) const FEW: usize = 32;

    /// Of the bodies in `rows`, of which the largest has a radius of `largest` m, beside cells with sides of `cell` m.
    pub(super) fn measure(&mut self, rows: &[Row], largest: f32, cell: f32) {
        let most = Self::LARGE * cell;
        (self.largest, self.ordinary) = (largest, largest);
        self.large.clear();
        if largest <= most {
            return;
        }
        let numbered = (0..).zip(rows);
        let large = numbered.filter(|(_, it)| is_indexable(it.position) && it.radius > most);
        self.large
            .extend(large.map(|(row, _)| row).take(Self::FEW + 1));
        if self.large.len() > Self::FEW {
            self.large.clear();
            return;
        }
        self.large
            .sort_unstable_by_key(|&row| rows[row as usize].id);
        let ordinary = rows.iter().map(|it| it.radius).filter(|it| *it <= most);
        self.ordinary = ordinary.fold(0.0, f32::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Vec2;

    #[test]
    fn few_bodies_that_are_large_beside_the_cells_are_set_apart() {
        let measured = |radii: &[f32]| {
            let row = |&radius: &f32| Row {
                position: Vec2::ZERO,
                radius,
                ..Row::EMPTY
            };
            let rows: Vec<_> = radii.iter().map(row).collect();
            let mut sizes = BodySizes::default();
            sizes.measure(&rows, radii.iter().copied().fold(0.0, f32::max), 4.0);
            (sizes.largest, sizes.ordinary, sizes.large)
        };
        assert_eq!(measured(&[0.3, 5.0, 0.4]), (5.0, 0.4, vec![1]));
        assert_eq!(measured(&[0.3, 0.4]), (0.4, 0.4, vec![]));
        assert_eq!(measured(&[5.0; 40]), (5.0, 5.0, vec![]), "all are large");
    }
}
