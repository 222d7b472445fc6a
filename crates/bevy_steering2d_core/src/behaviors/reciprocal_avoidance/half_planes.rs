//! Linear programming in two dimensions: the velocity nearest to a preferred one under half-plane
//! constraints.
//!
//! All velocities lie in a disc. The constraints are added one by one: while the best velocity
//! satisfies the next constraint it stays, else the new best lies on that constraint's border. (de Berg
//! et al., Computational Geometry, ch. 4; used likewise by van den Berg et al. 2011)

use bevy::math::FloatPow;
use bevy::prelude::*;
use smallvec::SmallVec;

use crate::Circle;

/// Constraints, allocated only beyond 32.
pub(crate) type HalfPlanes = SmallVec<[HalfPlane; 32]>;

/// A constraint: velocities v with `(v − point) · normal ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfPlane {
    /// A velocity on the border, m/s.
    pub(crate) point: Vec2,
    /// Unit vector into the allowed half-plane.
    pub(crate) normal: Vec2,
}

impl HalfPlane {
    /// Distance of a velocity from the border, m/s; negative outside.
    #[inline]
    pub(crate) fn inside(&self, velocity: Vec2) -> f32 {
        (velocity - self.point).dot(self.normal)
    }

    /// Unit vector along the border, with the allowed half-plane to the left.
    fn along(&self) -> Vec2 {
        -self.normal.perp()
    }
}

/// Tolerance of constraints, m/s.
const SLACK: f32 = 1e-5;

/// Violations that differ by less are equal, in radii of the disc.
const EASE: f32 = 2.5e-5;

/// Returns the velocity in the disc nearest to `wanted` that satisfies all constraints, and zero. If there is none: the
/// nearest of those that satisfy the first `strict` constraints and minimize the largest violation of the others, and that
/// violation, m/s. If the strict ones cannot be met either, they count as met by those that minimize their largest violation.
pub(crate) fn nearest_allowed(
    planes: &[HalfPlane],
    strict: usize,
    disc: Circle,
    wanted: Vec2,
) -> (Vec2, f32) {
    match solve(planes, disc, Aim::Near(wanted)) {
        Ok(best) => (best, 0.0),
        Err((failed, best)) if failed < strict => {
            let (strict, others) = planes.split_at(strict);
            let (_, violation) = least_violation(strict, 0, disc, failed, best);
            let mut met = eased(strict, violation + EASE * disc.radius);
            met.extend_from_slice(others);
            match solve(&met, disc, Aim::Near(wanted)) {
                Ok(best) => (best, violation),
                Err((failed, best)) => {
                    let (best, more) =
                        nearest_of_least(&met, strict.len(), disc, wanted, (failed, best));
                    (best, violation.max(more))
                }
            }
        }
        Err(failure) => nearest_of_least(planes, strict, disc, wanted, failure),
    }
}

/// The velocity nearest to `wanted` of those that minimize the largest violation, and that violation, where not all
/// constraints can be met.
fn nearest_of_least(
    planes: &[HalfPlane],
    strict: usize,
    disc: Circle,
    wanted: Vec2,
    (failed, best): (usize, Vec2),
) -> (Vec2, f32) {
    let (best, violation) = least_violation(planes, strict, disc, failed, best);
    let (strict, others) = planes.split_at(strict);
    let mut met = HalfPlanes::from_slice(strict);
    met.extend(eased(others, violation + EASE * disc.radius));
    let nearest = solve(&met, disc, Aim::Near(wanted));
    (nearest.unwrap_or(best), violation)
}

/// Constraints eased by a violation. Opposite ones, as of the walls of a passage too narrow for the agent, or of neighbors to
/// both sides, then leave a strip, of which rounding would choose an end.
fn eased(planes: &[HalfPlane], violation: f32) -> HalfPlanes {
    let ease = |it: &HalfPlane| HalfPlane {
        point: it.point - violation * it.normal,
        ..*it
    };
    planes.iter().map(ease).collect()
}

/// The objective.
#[derive(Clone, Copy)]
enum Aim {
    /// Least distance to a velocity.
    Near(Vec2),
    /// Greatest extent along a unit vector.
    Far(Vec2),
}

/// The best allowed velocity, or the first constraint that cannot be satisfied and the best velocity
/// before it.
fn solve(planes: &[HalfPlane], disc: Circle, aim: Aim) -> Result<Vec2, (usize, Vec2)> {
    let mut best = match aim {
        Aim::Near(wanted) => disc.nearest(wanted),
        Aim::Far(direction) => disc.center + disc.radius * direction,
    };
    for (i, plane) in planes.iter().enumerate() {
        if plane.inside(best) < -SLACK {
            best = best_on_border(planes, i, disc, aim).ok_or((i, best))?;
        }
    }
    Ok(best)
}

/// The best velocity on the border of a constraint that satisfies those before it.
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
        Aim::Near(wanted) => (wanted - border.point).dot(along).max(from).min(to),
        Aim::Far(direction) if direction.dot(along) > 0.0 => to,
        Aim::Far(_) => from,
    };
    Some(border.point + place * along)
}

/// Minimizes the largest violation, starting at the constraint that cannot be satisfied: each
/// constraint violated more than those before it moves the velocity to where the two violations are
/// equal.
fn least_violation(
    planes: &[HalfPlane],
    strict: usize,
    disc: Circle,
    failed: usize,
    mut best: Vec2,
) -> (Vec2, f32) {
    let mut violation = 0.0;
    for i in failed..planes.len() {
        let plane = planes[i];
        if -plane.inside(best) <= violation {
            continue;
        }
        let mut equal = HalfPlanes::from_slice(&planes[..strict.min(i)]);
        for other in &planes[strict.min(i)..i] {
            let turn = other.normal - plane.normal;
            let length = turn.length();
            if length <= 1e-5 {
                continue;
            }
            // The border lies where both violations are equal; inside, the other's is smaller.
            let normal = turn / length;
            let offset = (other.point.dot(other.normal) - plane.point.dot(plane.normal)) / length;
            equal.push(HalfPlane {
                point: offset * normal,
                normal,
            });
        }
        if let Ok(better) = solve(&equal, disc, Aim::Far(plane.normal)) {
            best = better;
        }
        violation = -plane.inside(best);
    }
    (best, violation)
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
    fn an_allowed_velocity_stays_and_another_moves_to_the_border() {
        let above = [plane((0.0, 0.5), 90.0)];
        let nearest = |wanted| nearest_allowed(&above, 0, DISC, wanted).0;
        assert_close(nearest(Vec2::new(0.3, 1.0)), Vec2::new(0.3, 1.0));
        assert_close(nearest(Vec2::new(0.3, -1.0)), Vec2::new(0.3, 0.5));
        assert_close(nearest(Vec2::new(0.0, 9.0)), Vec2::new(0.0, 2.0));
    }

    #[test]
    fn two_constraints_give_their_corner() {
        let corner = [plane((0.0, 0.5), 90.0), plane((0.7, 0.0), 0.0)];
        assert_close(
            nearest_allowed(&corner, 0, DISC, Vec2::NEG_ONE).0,
            Vec2::new(0.7, 0.5),
        );
    }

    #[test]
    fn contradicting_constraints_are_violated_equally_and_strict_ones_never() {
        let apart = [plane((1.0, 0.0), 0.0), plane((0.0, 0.0), 180.0)];
        let (between, violation) = nearest_allowed(&apart, 0, DISC, Vec2::ZERO);
        assert!((between.x - 0.5).abs() < 1e-4, "{between}");
        assert!((violation - 0.5).abs() < 1e-4, "{violation}");
        for y in [-1.0, 0.0, 0.3, 1.0] {
            let wanted = Vec2::new(0.0, y);
            let (nearest, _) = nearest_allowed(&apart, 0, DISC, wanted);
            assert!(
                (nearest.y - y).abs() < 1e-2,
                "{nearest}, but {y} m/s is free"
            );
        }
        let (strict, violation) = nearest_allowed(&apart, 1, DISC, Vec2::ZERO);
        assert!((strict.x - 1.0).abs() < 1e-4, "{strict}");
        assert!((violation - 1.0).abs() < 1e-4, "{violation}");
    }

    #[test]
    fn walls_too_close_leave_the_velocity_along_them_free_at_any_scale() {
        // Both cannot be met; rounding must not decide which way along them the velocity goes.
        for (scale, tilt) in [(1.0, 0.0), (1.0, 1e-4), (1.0, -1e-4), (100.0, 1e-4)] {
            let walls = [plane((scale, 0.0), tilt), plane((0.0, 0.0), 180.0 - tilt)];
            let disc = Circle::new(Vec2::ZERO, 2.0 * scale);
            for wanted in [-1.0, 0.0, 0.3, 1.0] {
                let wanted = Vec2::new(0.0, wanted * scale);
                let (best, violation) = nearest_allowed(&walls, 2, disc, wanted);
                let expected = Vec2::new(0.5 * scale, wanted.y);
                assert!(best.distance(expected) < 2e-2 * scale, "{best}");
                assert!((violation - 0.5 * scale).abs() < 1e-3 * scale);
            }
        }
    }

    #[test]
    fn between_walls_too_close_a_neighbor_counts() {
        let walls = [plane((0.2, 0.0), 0.0), plane((-0.2, 0.0), 180.0)];
        let neighbor = plane((0.0, 0.5), 270.0);
        let [a, b] = walls;
        let (best, violation) = nearest_allowed(&[a, b, neighbor], 2, DISC, Vec2::Y);
        assert!(best.distance(0.5 * Vec2::Y) < 1e-2, "{best}");
        assert!((violation - 0.2).abs() < 1e-3, "{violation}");
    }

    #[test]
    fn strict_constraints_that_cannot_be_met_share_the_violation_in_any_order() {
        // The disc reaches neither wall's velocities; a neighbor asks for the opposite.
        let walls = [plane((-2.5, 0.0), 180.0), plane((0.0, -2.8), 270.0)];
        let neighbor = plane((1.0, 0.0), 0.0);
        let nearest = |[a, b]: [HalfPlane; 2]| nearest_allowed(&[a, b, neighbor], 2, DISC, Vec2::X);
        let [a, b] = walls;
        let ((one, violation), (other, same)) = (nearest([a, b]), nearest([b, a]));
        assert_close(one, other);
        assert!((violation - same).abs() < 1e-4, "{violation} {same}");
        for wall in walls {
            assert!(-wall.inside(one) <= violation + 1e-4, "{one}");
        }
        // Both equally: −2.5 − x = −2.8 − y on the circle.
        assert!((one.x - one.y - 0.3).abs() < 1e-3, "{one}");
    }

    proptest! {
        #[test]
        fn no_sampled_velocity_is_better(
            constraints in prop::collection::vec((-1.5..1.5_f32, -1.5..1.5_f32, 0.0..360.0_f32), 1..8),
            x in -2.0..2.0_f32, y in -2.0..2.0_f32,
        ) {
            let planes: Vec<_> = constraints.iter().map(|&(x, y, a)| plane((x, y), a)).collect();
            let wanted = Vec2::new(x, y);
            let (best, violation) = nearest_allowed(&planes, 0, DISC, wanted);
            prop_assert!(best.is_finite() && best.length() <= 2.001);
            let worst = |v: Vec2| planes.iter().map(|p| p.inside(v)).fold(0.0, f32::min);
            prop_assert!((violation + worst(best)).abs() < 1e-3, "{violation}");
            let (mut nearest, mut least) = (f32::INFINITY, f32::NEG_INFINITY);
            for i in -40..=40 {
                for j in -40..=40 {
                    let v = Vec2::new(i as f32, j as f32) / 20.0;
                    if v.length() <= 2.0 {
                        least = least.max(worst(v));
                        if worst(v) >= 0.0 {
                            nearest = nearest.min(v.distance(wanted));
                        }
                    }
                }
            }
            if nearest.is_finite() {
                prop_assert!(worst(best) > -1e-3, "{best} violates a constraint by {}", worst(best));
                prop_assert!(best.distance(wanted) <= nearest + 1e-3);
            } else {
                prop_assert!(worst(best) >= least - 1e-2, "{} < {least}", worst(best));
            }
        }
    }
}
