//! Which bodies touch each other.

use bevy::prelude::*;

/// The pairs of bodies that overlap, each a center and a radius, m: their indices, the lower one first, and how deep they
/// overlap, m. Sweep and prune along x.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_steerbench::touching;
/// let bodies = [2.0, 0.0, 0.75].map(|x| (Vec2::new(x, 0.0), 0.5));
/// assert_eq!(touching(&bodies).collect::<Vec<_>>(), [(1, 2, 0.25)]);
/// ```
pub fn touching(bodies: &[(Vec2, f32)]) -> impl Iterator<Item = (usize, usize, f32)> {
    let mut row: Vec<usize> = (0..bodies.len()).collect();
    row.sort_by(|&a, &b| bodies[a].0.x.total_cmp(&bodies[b].0.x));
    let widest = bodies.iter().map(|it| it.1).fold(0.0, f32::max);
    let (mut at, mut next) = (0, 1);
    std::iter::from_fn(move || {
        loop {
            let a = *row.get(at)?;
            let (center, radius) = bodies[a];
            let reach = center.x + radius + widest;
            let Some(&b) = row.get(next).filter(|&&b| bodies[b].0.x <= reach) else {
                at += 1;
                next = at + 1;
                continue;
            };
            next += 1;
            let (other, its_radius) = bodies[b];
            let depth = radius + its_radius - center.distance(other);
            if depth > 0.0 {
                return Some((a.min(b), a.max(b), depth));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use bevy_steering2d::{RandomStream, SteeringId};

    use super::*;

    #[test]
    fn all_pairs_that_overlap_are_found_once() {
        let mut random = RandomStream::new(3, SteeringId(0), 1);
        let square = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(5.0));
        let mut body = || (random.point_in(square), random.unit());
        let bodies: Vec<_> = (0..200).map(|_| body()).collect();
        let mut found: Vec<_> = touching(&bodies).collect();
        found.sort_by_key(|it| (it.0, it.1));
        let depth =
            |a: usize, b: usize| bodies[a].1 + bodies[b].1 - bodies[a].0.distance(bodies[b].0);
        let pairs = (0..200).flat_map(|a| (a + 1..200).map(move |b| (a, b)));
        let overlap = pairs.filter(|&(a, b)| depth(a, b) > 0.0);
        let expected: Vec<_> = overlap.map(|(a, b)| (a, b, depth(a, b))).collect();
        assert!(expected.len() > 100);
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_touches_itself_or_what_it_only_meets() {
        let body = |x: f32| (Vec2::new(x, 0.0), 0.5);
        assert_eq!(touching(&[]).count(), 0);
        assert_eq!(touching(&[body(0.0)]).count(), 0);
        assert_eq!(touching(&[body(0.0), body(1.0)]).count(), 0);
    }
}
