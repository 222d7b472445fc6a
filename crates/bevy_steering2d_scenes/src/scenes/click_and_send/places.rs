//! How large units are, and where they start.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::placement::spot_in;

/// The radius of units, m: smaller if there are many, so that they fill a ninth of the arena at most.
pub(super) fn unit_radius(count: usize) -> f32 {
    const AREA: f32 = 85.0;
    (AREA / (std::f32::consts::PI * count as f32))
        .sqrt()
        .min(0.3)
}

/// Places in the left third of the arena, apart from each other: random ones, or on a lattice if they are too many
/// for that.
pub(super) fn start_places(count: usize, radius: f32, random: &mut RandomStream) -> Vec<Vec2> {
    /// Discs placed at random, one after the other, fill at most 0.547 of an area.
    const MOST: f32 = 0.54;
    let area = Rect::new(-14.5, -7.0, -3.0, 7.0);
    let apart = 2.4 * radius;
    let filled = count as f32 * std::f32::consts::PI * 0.25 * apart * apart;
    if filled > MOST * area.width() * area.height() {
        return lattice_places(area, count, radius, random);
    }
    let mut places = Vec::with_capacity(count);
    for _ in 0..count {
        places.push(spot_in(area, &places, apart, random));
    }
    places
}

/// Places on a lattice that fills an area, each moved at random within the gap to its neighbors.
fn lattice_places(area: Rect, count: usize, radius: f32, random: &mut RandomStream) -> Vec<Vec2> {
    let size = area.size();
    let columns = (count as f32 * size.x / size.y).sqrt().round() as usize;
    let rows = count.div_ceil(columns);
    let step = size / Vec2::new(columns as f32, rows as f32);
    // Two neighbors that are moved towards each other do not touch.
    let most = (0.4 * (step - 2.0 * radius)).max(Vec2::ZERO);
    let place = |index: usize| {
        let cell = Vec2::new((index % columns) as f32, (index / columns) as f32);
        let node = area.min + step * (cell + 0.5);
        random.point_in(Rect::from_center_half_size(node, most))
    };
    (0..count).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::distance_to_nearest;

    #[test]
    fn units_start_apart_however_many_they_are() {
        for count in [20, 214, 300, 700, 2_000] {
            let radius = unit_radius(count);
            let mut random = RandomStream::new(1, SteeringId(0), 0);
            let places = start_places(count, radius, &mut random);
            assert_eq!(places.len(), count);
            for (index, place) in places.iter().enumerate() {
                let nearest = distance_to_nearest(*place, &places[..index]);
                assert!(nearest > 2.0 * radius, "{count} units: {nearest} m");
            }
        }
    }
}
