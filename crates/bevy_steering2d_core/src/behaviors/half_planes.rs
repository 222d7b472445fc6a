//! The nearest velocity that breaks none of many rules, or breaks them least.
//!
//! Each rule is a half-plane of the plane of velocities, and all velocities in question lie in a
//! disc. That is linear programming in two dimensions, solved one rule after the other: as long as
//! the best velocity so far obeys the next rule it stays, else the new best lies on that rule's
//! border. (de Berg et al., Computational Geometry, ch. 4; van den Berg et al. 2011 use it likewise)

use bevy::math::FloatPow;
use bevy::prelude::*;
use smallvec::SmallVec;

use crate::Circle;

/// Rules, allocated only beyond 32.
pub(crate) type HalfPlanes = SmallVec<[HalfPlane; 32]>;

/// Velocities v with `(v − point) · normal ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfPlane {
    /// A velocity on the border, m/s.
    pub(crate) point: Vec2,
    /// Unit vector into the allowed half.
    pub(crate) normal: Vec2,
}

impl HalfPlane {
    /// How far a velocity is inside, m/s; negative outside.
    #[inline]
    pub(crate) fn inside(&self, velocity: Vec2) -> f32 {
        (velocity - self.point).dot(self.normal)
    }

    /// Along the border, with the allowed half to the left.
    fn along(&self) -> Vec2 {
        -self.normal.perp()
    }
}

/// Outside by less than this is not outside, m/s.
const SLACK: f32 = 1e-5;

/// The velocity in the disc nearest to `wanted` that all half-planes allow. If there is none: one
/// that all of the first `strict` allow, and the others forbid by the least that is possible.
pub(crate) fn nearest_allowed(
    planes: &[HalfPlane],
    strict: usize,
    disc: Circle,
    wanted: Vec2,
) -> Vec2 {
    match solve(planes, disc, Aim::Near(wanted)) {
        Ok(best) => best,
        Err((failed, best)) => least_forbidden(planes, strict, disc, failed, best),
    }
}

/// What makes a velocity good.
#[derive(Clone, Copy)]
enum Aim {
    /// To be near this one.
    Near(Vec2),
    /// To be far along this unit vector.
    Far(Vec2),
}

/// The best allowed velocity, or the first rule that leaves none and the best before it.
fn solve(planes: &[HalfPlane], disc: Circle, aim: Aim) -> Result<Vec2, (usize, Vec2)> {
    let mut best = match aim {
        Aim::Near(wanted) => disc.center + (wanted - disc.center).clamp_length_max(disc.radius),
        Aim::Far(direction) => disc.center + disc.radius * direction,
    };
    for (i, plane) in planes.iter().enumerate() {
        if plane.inside(best) < -SLACK {
            best = best_on_border(planes, i, disc, aim).ok_or((i, best))?;
        }
    }
    Ok(best)
}

/// The best velocity on the border of a half-plane that those before it allow.
fn best_on_border(planes: &[HalfPlane], which: usize, disc: Circle, aim: Aim) -> Option<Vec2> {
    let border = planes[which];
    let along = border.along();
    let center = disc.center - border.point;
    let middle = center.dot(along);
    let half_square = disc.radius * disc.radius - center.perp_dot(along).squared();
    if half_square < 0.0 {
        return None;
    }
    let half = half_square.sqrt();
    let (mut from, mut to) = (middle - half, middle + half);
    for other in &planes[..which] {
        let slope = along.dot(other.normal);
        let at_zero = other.inside(border.point);
        if slope.abs() <= 1e-6 {
            if at_zero < -SLACK {
                return None;
            }
        } else if slope > 0.0 {
            from = from.max(-at_zero / slope);
        } else {
            to = to.min(-at_zero / slope);
        }
        if from > to {
            return None;
        }
    }
    let place = match aim {
        Aim::Near(wanted) => (wanted - border.point).dot(along).clamp(from, to),
        Aim::Far(direction) if direction.dot(along) > 0.0 => to,
        Aim::Far(_) => from,
    };
    Some(border.point + place * along)
}

/// Beginning with the rule that left nothing, each rule that is broken worse than those before it
/// is broken as little as they let it: on the lines where two are broken alike.
fn least_forbidden(
    planes: &[HalfPlane],
    strict: usize,
    disc: Circle,
    failed: usize,
    mut best: Vec2,
) -> Vec2 {
    let mut broken = 0.0;
    for i in failed..planes.len() {
        let plane = planes[i];
        if -plane.inside(best) <= broken {
            continue;
        }
        let mut alike = HalfPlanes::from_slice(&planes[..strict.min(i)]);
        for other in &planes[strict.min(i)..i] {
            let turn = other.normal - plane.normal;
            let length = turn.length();
            if length <= 1e-5 {
                continue;
            }
            // Where other.inside = plane.inside, and beyond it the other is broken less.
            let normal = turn / length;
            let offset = (other.point.dot(other.normal) - plane.point.dot(plane.normal)) / length;
            alike.push(HalfPlane {
                point: offset * normal,
                normal,
            });
        }
        if let Ok(better) = solve(&alike, disc, Aim::Far(plane.normal)) {
            best = better;
        }
        broken = -plane.inside(best);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;
    use proptest::prelude::*;

    const DISC: Circle = Circle::new(Vec2::ZERO, 2.0);

    fn plane(point: (f32, f32), angle: f32) -> HalfPlane {
        HalfPlane {
            point: Vec2::from(point),
            normal: Vec2::from_angle(angle.to_radians()),
        }
    }

    #[test]
    fn what_is_allowed_stays_and_what_is_not_moves_to_the_border() {
        let above = [plane((0.0, 0.5), 90.0)];
        let nearest = |wanted| nearest_allowed(&above, 0, DISC, wanted);
        assert_close(nearest(Vec2::new(0.3, 1.0)), Vec2::new(0.3, 1.0));
        assert_close(nearest(Vec2::new(0.3, -1.0)), Vec2::new(0.3, 0.5));
        assert_close(nearest(Vec2::new(0.0, 9.0)), Vec2::new(0.0, 2.0));
    }

    #[test]
    fn of_two_rules_the_corner() {
        let corner = [plane((0.0, 0.5), 90.0), plane((0.7, 0.0), 0.0)];
        assert_close(
            nearest_allowed(&corner, 0, DISC, Vec2::NEG_ONE),
            Vec2::new(0.7, 0.5),
        );
    }

    #[test]
    fn rules_that_contradict_are_broken_alike_but_strict_ones_never() {
        let apart = [plane((1.0, 0.0), 0.0), plane((0.0, 0.0), 180.0)];
        let between = nearest_allowed(&apart, 0, DISC, Vec2::ZERO);
        assert!((between.x - 0.5).abs() < 1e-4, "{between}");
        let strict = nearest_allowed(&apart, 1, DISC, Vec2::ZERO);
        assert!((strict.x - 1.0).abs() < 1e-4, "{strict}");
    }

    proptest! {
        #[test]
        fn no_sampled_velocity_is_better(
            rules in prop::collection::vec((-1.5..1.5_f32, -1.5..1.5_f32, 0.0..360.0_f32), 1..8),
            x in -2.0..2.0_f32, y in -2.0..2.0_f32,
        ) {
            let planes: Vec<_> = rules.iter().map(|&(x, y, a)| plane((x, y), a)).collect();
            let wanted = Vec2::new(x, y);
            let best = nearest_allowed(&planes, 0, DISC, wanted);
            prop_assert!(best.is_finite() && best.length() <= 2.001);
            let worst = |v: Vec2| planes.iter().map(|p| p.inside(v)).fold(0.0, f32::min);
            let (mut nearest, mut mildest) = (f32::INFINITY, f32::NEG_INFINITY);
            for i in -40..=40 {
                for j in -40..=40 {
                    let v = Vec2::new(i as f32, j as f32) / 20.0;
                    if v.length() <= 2.0 {
                        mildest = mildest.max(worst(v));
                        if worst(v) >= 0.0 {
                            nearest = nearest.min(v.distance(wanted));
                        }
                    }
                }
            }
            if nearest.is_finite() {
                prop_assert!(worst(best) > -1e-3, "{best} breaks a rule by {}", worst(best));
                prop_assert!(best.distance(wanted) <= nearest + 1e-3);
            } else {
                prop_assert!(worst(best) >= mildest - 1e-2, "{} < {mildest}", worst(best));
            }
        }
    }
}
