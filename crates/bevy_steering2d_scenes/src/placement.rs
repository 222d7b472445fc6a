//! Random placement: keeps new points away from existing ones.

use bevy::prelude::*;
use bevy_steering2d::RandomStream;

/// The first of up to `draws` random points whose clearance is at least `wanted`; without one,
/// the point with the largest clearance.
pub(crate) fn draw_clear(
    draws: usize,
    wanted: f32,
    mut draw: impl FnMut() -> Vec2,
    clearance: impl Fn(Vec2) -> f32,
) -> Vec2 {
    let mut best = (f32::NEG_INFINITY, Vec2::ZERO);
    for _ in 0..draws {
        let point = draw();
        let clearance = clearance(point);
        if clearance >= wanted {
            return point;
        }
        if clearance > best.0 {
            best = (clearance, point);
        }
    }
    best.1
}

/// Distance to the nearest of the others, m; infinite without any.
pub(crate) fn distance_to_nearest(point: Vec2, others: &[Vec2]) -> f32 {
    let distances = others.iter().map(|other| other.distance_squared(point));
    distances.fold(f32::INFINITY, f32::min).sqrt()
}

/// A random point in an area, at least `apart` m from the others if one is found.
pub(crate) fn spot_in(area: Rect, others: &[Vec2], apart: f32, random: &mut RandomStream) -> Vec2 {
    const DRAWS: usize = 64;
    draw_clear(
        DRAWS,
        apart,
        || random.point_in(area),
        |spot| distance_to_nearest(spot, others),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d::SteeringId;

    #[test]
    fn spots_keep_their_distance_while_there_is_space() {
        let mut random = RandomStream::new(1, SteeringId(0), 0);
        let area = Rect::new(0.0, 0.0, 10.0, 10.0);
        let mut spots = Vec::new();
        for _ in 0..20 {
            let spot = spot_in(area, &spots, 1.0, &mut random);
            assert!(spots.iter().all(|it: &Vec2| it.distance(spot) >= 1.0));
            spots.push(spot);
        }
    }
}
