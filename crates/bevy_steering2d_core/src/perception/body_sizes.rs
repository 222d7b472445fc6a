//! How large the bodies in the neighbor index are.

use super::rows::{Row, is_indexable};

/// The sizes of all indexed bodies. A few that are large beside the cells, such as a ship among people, are set apart:
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
    /// A body is large if its radius is more than this part of the side of a cell. Of more than a few such bodies the limit
    /// doubles until only few are beyond it.
    const LARGE: f32 = 0.25;
    /// At most so many bodies are set apart.
    pub(super) const FEW: usize = 32;

    /// Of the bodies in `rows`, of which the largest has a radius of `largest` m, beside cells with sides of `cell` m.
    pub(super) fn measure(&mut self, rows: &[Row], largest: f32, cell: f32) {
        // Doubling zero would not end.
        let mut most = (Self::LARGE * cell).max(f32::MIN_POSITIVE);
        (self.largest, self.ordinary) = (largest, largest);
        self.large.clear();
        if largest <= most {
            return;
        }
        let numbered = (0..).zip(rows);
        for (row, body) in numbered.filter(|(_, it)| is_indexable(it.position)) {
            if body.radius > most {
                self.large.push(row);
            }
            while self.large.len() > Self::FEW {
                most *= 2.0;
                self.large.retain(|&row| rows[row as usize].radius > most);
            }
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

    /// The largest and the ordinary radius, m, of bodies with these beside cells of 4 m, and which of them are set apart.
    fn measured(radii: &[f32]) -> (f32, f32, Vec<u32>) {
        let row = |&radius: &f32| Row {
            position: Vec2::ZERO,
            radius,
            ..Row::EMPTY
        };
        let rows: Vec<_> = radii.iter().map(row).collect();
        let mut sizes = BodySizes::default();
        sizes.measure(&rows, radii.iter().copied().fold(0.0, f32::max), 4.0);
        (sizes.largest, sizes.ordinary, sizes.large)
    }

    #[test]
    fn few_bodies_that_are_large_beside_the_cells_are_set_apart() {
        assert_eq!(measured(&[0.3, 5.0, 0.4]), (5.0, 0.4, vec![1]));
        assert_eq!(measured(&[0.3, 0.4]), (0.4, 0.4, vec![]));
        assert_eq!(measured(&[5.0; 40]), (5.0, 5.0, vec![]), "all are large");
    }

    #[test]
    fn a_ship_among_many_trucks_is_set_apart() {
        let trucks = [1.5; 40];
        let (_, ordinary, large) = measured(&[&trucks[..], &[50.0], &trucks].concat());
        assert_eq!((ordinary, large), (1.5, vec![40]));
        let (_, ordinary, large) = measured(&[&[50.0; 33][..], &[90.0, 300.0]].concat());
        assert_eq!((ordinary, large), (50.0, vec![33, 34]));
    }
}
