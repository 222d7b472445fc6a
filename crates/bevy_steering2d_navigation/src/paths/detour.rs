//! Detours: straight paths that are led over two points, so that groups which meet pass each other.

use bevy::prelude::*;

/// Leads a straight path over those of two points that are between its ends, if all legs are clear.
pub(super) fn lead_over(
    detour: [Vec2; 2],
    points: &mut Vec<Vec2>,
    mut is_clear: impl FnMut(Vec2, Vec2) -> bool,
) {
    let &[from, to] = points.as_slice() else {
        return;
    };
    let along = detour[1] - detour[0];
    let is_between = |at: &Vec2| (at - from).dot(along) > 0.0 && (to - at).dot(along) > 0.0;
    let between = detour.into_iter().filter(is_between);
    let led: Vec<_> = [from].into_iter().chain(between).chain([to]).collect();
    if led.windows(2).all(|leg| is_clear(leg[0], leg[1])) {
        *points = led;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DETOUR: [Vec2; 2] = [Vec2::new(2.0, -1.0), Vec2::new(4.0, -1.0)];

    fn led(points: &[Vec2], is_clear: bool) -> Vec<Vec2> {
        let mut points = points.to_vec();
        lead_over(DETOUR, &mut points, |_, _| is_clear);
        points
    }

    #[test]
    fn a_straight_path_is_led_over_the_points_that_are_still_ahead() {
        let (from, passing, to) = (Vec2::ZERO, Vec2::new(3.0, -1.0), Vec2::new(6.0, 0.0));
        assert_eq!(led(&[from, to], true), [from, DETOUR[0], DETOUR[1], to]);
        assert_eq!(led(&[passing, to], true), [passing, DETOUR[1], to]);
        assert_eq!(led(&[to, 2.0 * to], true), [to, 2.0 * to]);
    }

    #[test]
    fn without_room_and_around_corners_paths_stay() {
        let straight = [Vec2::ZERO, Vec2::new(6.0, 0.0)];
        assert_eq!(led(&straight, false), straight);
        let bent = [Vec2::ZERO, Vec2::new(3.0, 3.0), Vec2::new(6.0, 0.0)];
        assert_eq!(led(&bent, true), bent);
    }
}
