//! [`Shadows`]: which points solids hide from a viewpoint.

use bevy::prelude::*;

use crate::Solid;

/// Sectors on each side of the square.
const PER_SIDE: usize = 128;
const SECTORS: usize = 4 * PER_SIDE;

/// From which distance on solids hide what lies in each direction from a viewpoint. It may miss what is hidden, but never
/// hides what is not.
///
/// Directions are points on the border of a square around the viewpoint, with sides of 2, and distances are the larger
/// of |x| and |y|. This needs neither angles nor roots.
pub(crate) struct Shadows {
    from: Vec2,
    margin: f32,
    /// By the sectors of the border, counter-clockwise from the lower right; infinite where nothing hides.
    hidden_beyond: [f32; SECTORS],
}

impl Shadows {
    /// Around a viewpoint, with views blocked that pass a solid nearer than `margin` m.
    pub(crate) fn new(from: Vec2, margin: f32) -> Self {
        /// Coordinates are rounded.
        const SURELY: f32 = 0.9;
        Self {
            from,
            margin: SURELY * margin.max(0.0),
            hidden_beyond: [f32::INFINITY; SECTORS],
        }
    }

    /// Hides what lies behind a solid.
    pub(crate) fn cast(&mut self, solid: &Solid) {
        /// Sectors that are left out at both ends: directions are rounded.
        const ROUNDING: f32 = 0.01;
        let (from, to) = (solid.from - self.from, solid.to - self.from);
        let core = to - from;
        // What crosses the line of the core so near to its ends is too near to the solid.
        let along = if core == Vec2::ZERO {
            from.perp()
        } else {
            core
        };
        let longer = (solid.radius + self.margin) * along.normalize_or_zero();
        let (from, to) = (from - longer, to + longer);
        let (right, left) = if from.perp_dot(to) < 0.0 {
            (to, from)
        } else {
            (from, to)
        };
        let (across, area) = (left - right, right.perp_dot(left));
        if area <= 1e-4 * across.length_squared() {
            // Seen from its end, it hides next to nothing.
            return;
        }
        let (begin, mut end) = (sector_of(right), sector_of(left));
        if end < begin {
            end += SECTORS as f32;
        }
        let first = (begin + ROUNDING).ceil() as usize;
        let end = (end - ROUNDING) as usize;
        let distance = |sector: usize| area / border(sector).perp_dot(across);
        let mut before = distance(first);
        for sector in first..end {
            let after = distance(sector + 1);
            let hidden = &mut self.hidden_beyond[sector % SECTORS];
            *hidden = hidden.min(before.max(after));
            before = after;
        }
    }

    /// Whether a point is hidden.
    pub(crate) fn hide(&self, point: Vec2) -> bool {
        let offset = point - self.from;
        let sector = sector_of(offset) as usize % SECTORS;
        self.hides_beyond(sector, offset.abs().max_element())
    }

    /// Whether an area is hidden as a whole.
    pub(crate) fn hide_all(&self, area: Rect) -> bool {
        const HALF: f32 = 0.5 * SECTORS as f32;
        let (min, max) = (area.min - self.from, area.max - self.from);
        let distance = min.max(-max).max_element();
        if distance <= 0.0 {
            return false;
        }
        let middle = sector_of(0.5 * (min + max));
        let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
        let aside = corners.map(|it| (sector_of(it) - middle + 3.0 * HALF) % (2.0 * HALF) - HALF);
        let right = middle + aside.into_iter().fold(0.0, f32::min) + 2.0 * HALF;
        let left = middle + aside.into_iter().fold(0.0, f32::max) + 2.0 * HALF;
        let mut sectors = right as usize..=left as usize;
        sectors.all(|sector| self.hides_beyond(sector % SECTORS, distance))
    }

    fn hides_beyond(&self, sector: usize, distance: f32) -> bool {
        1.0001 * self.hidden_beyond[sector] < distance
    }
}

/// Where a direction meets the border of the square, in sectors. Opposite directions are half of all sectors apart.
fn sector_of(direction: Vec2) -> f32 {
    let Vec2 { x, y } = direction;
    let size = direction.abs().max_element();
    let (side, along) = if x == size {
        (0.0, y)
    } else if y == size {
        (1.0, -x)
    } else if x == -size {
        (2.0, -y)
    } else {
        (3.0, x)
    };
    // A direction without a length, or with one that is no number, meets the middle of a side.
    let along = if size > 0.0 { along / size } else { 0.0 };
    PER_SIDE as f32 * (side + 0.5 * (along + 1.0))
}

/// The point of the border at which a sector begins.
fn border(sector: usize) -> Vec2 {
    let along = (sector % PER_SIDE) as f32 * (2.0 / PER_SIDE as f32) - 1.0;
    match sector / PER_SIDE % 4 {
        0 => Vec2::new(1.0, along),
        1 => Vec2::new(-along, 1.0),
        2 => Vec2::new(-1.0, -along),
        _ => Vec2::new(along, -1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::testing::point;
    use bevy_steering2d_core::Circle;
    use proptest::prelude::*;

    fn solid() -> impl Strategy<Value = Solid> {
        let ends = (point(9.0), point(9.0), 0.0..1.0_f32, any::<bool>());
        ends.prop_map(|(from, to, radius, is_disc)| Solid {
            from,
            to: if is_disc { from } else { to },
            radius,
        })
    }

    #[test]
    fn a_sector_begins_where_the_one_before_ends() {
        for sector in 0..SECTORS {
            assert_eq!(sector_of(border(sector)), sector as f32);
        }
    }

    #[test]
    fn a_wall_hides_what_is_behind_it_and_nothing_else() {
        let mut shadows = Shadows::new(Vec2::ONE, 0.0);
        shadows.cast(&Solid::segment(Vec2::new(4.0, -2.0), Vec2::new(4.0, 4.0)));
        assert!(shadows.hide(Vec2::new(5.0, 1.0)));
        assert!(shadows.hide_all(Rect::new(5.0, 0.0, 9.0, 2.0)));
        for seen in [(3.9, 1.0), (-5.0, 1.0), (4.5, 8.0), (1.0, 1.0)] {
            assert!(!shadows.hide(seen.into()), "{seen:?}");
        }
        assert!(!shadows.hide_all(Rect::new(5.0, 0.0, 9.0, 9.0)));
    }

    #[test]
    fn walls_with_a_gap_narrower_than_twice_the_margin_hide_what_is_behind_it() {
        let mut shadows = Shadows::new(Vec2::ZERO, 0.5);
        shadows.cast(&Solid::segment(Vec2::new(4.0, -6.0), Vec2::new(4.0, -0.4)));
        shadows.cast(&Solid::segment(Vec2::new(4.0, 0.4), Vec2::new(4.0, 6.0)));
        assert!(shadows.hide_all(Rect::new(6.0, -2.0, 9.0, 2.0)));
    }

    #[test]
    fn a_disc_hides_what_is_behind_it() {
        let mut shadows = Shadows::new(Vec2::ZERO, 0.0);
        shadows.cast(&Circle::new(Vec2::new(-4.0, 0.0), 1.0).into());
        assert!(shadows.hide(Vec2::new(-6.0, 0.5)));
        assert!(!shadows.hide(Vec2::new(-6.0, 2.0)));
    }

    proptest! {
        #[test]
        fn no_view_that_keeps_the_margin_is_hidden(
            solids in prop::collection::vec(solid(), 1..5),
            from in point(9.0),
            to in point(9.0),
            margin in 0.0..0.8_f32,
        ) {
            let mut shadows = Shadows::new(from, margin);
            solids.iter().for_each(|it| shadows.cast(it));
            let distances = solids.iter().map(|it| it.distance_to_segment(from, to));
            if shadows.hide(to) {
                prop_assert!(distances.fold(f32::INFINITY, f32::min) <= margin);
            }
        }

        #[test]
        fn every_point_of_a_hidden_area_is_hidden(
            solids in prop::collection::vec(solid(), 1..9),
            from in point(9.0),
            corner in point(9.0),
            inside in (0.0..1.0_f32, 0.0..1.0_f32).prop_map(Vec2::from),
        ) {
            let mut shadows = Shadows::new(from, 0.3);
            solids.iter().for_each(|it| shadows.cast(it));
            let area = Rect::from_corners(corner, corner + Vec2::splat(1.5));
            if shadows.hide_all(area) {
                prop_assert!(shadows.hide(area.min + inside * area.size()));
            }
        }
    }
}
