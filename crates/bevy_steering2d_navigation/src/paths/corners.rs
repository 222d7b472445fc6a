//! Corners: the points at which shortest paths around solids bend.
//!
//! Around the end of a segment a shortest path turns only while it faces away from every segment that
//! meets there: the end's normal cone. The cone's arc, moved out by the body's radius, is replaced by
//! the tangent polygon around it, and the vertices of this polygon are the corners.
//!
//! In a gap too narrow for such corners, paths bend before and behind its narrowest place.

use std::cmp::Ordering;
use std::f32::consts::{FRAC_PI_4, PI, TAU};

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d_core::perception::order_of;

use super::room::ROUNDING;
use crate::Solid;

/// A point at which paths may bend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// World position, m.
    pub(crate) at: Vec2,
    /// Unit vector away from the solid.
    outward: Vec2,
    /// The largest part of a path's unit direction along `outward`, in either sense.
    slack: f32,
    /// Half of the distance to the next corner around the same end, m.
    pub(crate) half_edge: f32,
    /// The most clearance that a leg from here or to here needs, m: in a gap, half its width.
    pub(crate) needed: f32,
}

impl Corner {
    /// Whether a taut path may pass in a direction, a unit vector: its line touches the polygon around
    /// the solid here, but does not enter it.
    pub(crate) fn allows(&self, direction: Vec2) -> bool {
        direction.dot(self.outward).abs() <= self.slack
    }

    /// Whether a taut path may begin or end at a point and bend here. From a point inside the polygon no
    /// line touches it; such a point is nearer to a corner than an edge is long.
    pub(crate) fn allows_from(&self, point: Vec2) -> bool {
        let offset = self.at - point;
        offset.length() <= 2.1 * self.half_edge || self.allows(offset.normalize_or_zero())
    }

    /// Whether a taut path may lead straight between two corners, in a direction, a unit vector. A corner in a gap may be
    /// inside the polygon of the other, so that no line from it touches the polygon.
    pub(crate) fn joins(&self, other: &Self, direction: Vec2) -> bool {
        let is_in_gap = self.is_in_gap() || other.is_in_gap();
        is_in_gap || self.allows(direction) && other.allows(direction)
    }

    pub(crate) fn is_in_gap(&self) -> bool {
        self.needed < f32::INFINITY
    }
}

/// An end of solids, with the unit directions of the segments that begin there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct End {
    at: Vec2,
    radius: f32,
    directions: Vec<Vec2>,
}

/// Half of the angle by which a path bends at each corner at most, rad: once per 45° of a turn.
pub(crate) const ROUND: f32 = 0.5 * FRAC_PI_4;
/// The same for paths that bend once around a right angle.
pub(crate) const SHARP: f32 = FRAC_PI_4;

/// The distinct ends of solids, in an order that depends only on the geometry.
pub(crate) fn ends(solids: &[Solid]) -> Vec<End> {
    let mut all: Vec<(Vec2, f32, Vec2)> = Vec::with_capacity(2 * solids.len());
    for solid in solids {
        // Adding zero turns −0 into 0, so that equal points have equal bits.
        let (from, to) = (solid.from + Vec2::ZERO, solid.to + Vec2::ZERO);
        let along = (to - from).normalize_or_zero();
        all.push((from, solid.radius, along));
        if along != Vec2::ZERO {
            all.push((to, solid.radius, -along));
        }
    }
    all.sort_by(compare_ends);
    let mut ends: Vec<End> = Vec::new();
    for (at, radius, direction) in all {
        let directions = Some(direction).filter(|it| *it != Vec2::ZERO);
        match ends.last_mut() {
            Some(last) if last.at == at && last.radius == radius => {
                last.directions.extend(directions);
            }
            _ => ends.push(End {
                at,
                radius,
                directions: directions.into_iter().collect(),
            }),
        }
    }
    ends
}

fn compare_ends(a: &(Vec2, f32, Vec2), b: &(Vec2, f32, Vec2)) -> Ordering {
    let key = |(at, radius, along): &(Vec2, f32, Vec2)| [at.x, at.y, *radius, along.x, along.y];
    order_of(key(a), key(b))
}

impl End {
    /// The corners around this end for a path that keeps `distance` m from the solid and bends by at most
    /// twice the angle `half_bend`, rad, at each.
    pub(crate) fn corners(&self, distance: f32, half_bend: f32) -> impl Iterator<Item = Corner> {
        let out = self.radius + distance;
        let cone = self.normal_cone();
        let count = cone.map_or(0, |cone| cone.vertices(out, half_bend));
        let Cone { start, width } = cone.unwrap_or_default();
        let half = 0.5 * width / count.max(1) as f32;
        let at = self.at;
        (0..count).map(move |index| {
            let outward = Vec2::from_angle(start + (2 * index + 1) as f32 * half);
            Corner {
                at: at + out / ops::cos(half) * outward,
                outward,
                slack: ops::sin(half) + 0.02,
                half_edge: out * ops::tan(half),
                needed: f32::INFINITY,
            }
        })
    }

    /// The halves of the two edges that meet at a corner `distance` m from the solid, up to where they touch the arc.
    pub(crate) fn half_edges(&self, corner: &Corner, distance: f32) -> [[Vec2; 2]; 2] {
        let out = self.radius + distance;
        let outward = out * corner.outward;
        let aside = corner.half_edge * corner.outward.perp();
        [outward - aside, outward + aside]
            .map(|touching| [corner.at, self.at + out * touching.normalize_or_zero()])
    }

    /// Whether this end makes the way past a solid. Of two ends at which paths bend, it is the one with the larger radius,
    /// whose edges are longer. All ends are given in their order.
    pub(crate) fn leads_past(&self, solid: &Solid, ends: &[Self]) -> bool {
        let key = |at: Vec2, radius: f32| [radius, at.x, at.y];
        let other = solid.nearest_core(self.at) + Vec2::ZERO;
        let place = |at: Vec2, radius: f32| [at.x, at.y, radius];
        let of_other = |it: &Self| order_of(place(it.at, it.radius), place(other, solid.radius));
        let end = ends.binary_search_by(of_other);
        let bends = end.is_ok_and(|it| ends[it].normal_cone().is_some());
        !bends || order_of(key(self.at, self.radius), key(other, solid.radius)).is_gt()
    }

    /// The way through the gap between this end and a solid: points `distance` m before the narrowest place, in it,
    /// and behind it.
    pub(crate) fn way_past(&self, solid: &Solid, distance: f32) -> [Corner; 3] {
        let to_core = solid.nearest_core(self.at) - self.at;
        let (across, length) = to_core.normalize_and_length();
        let half_gap = 0.5 * (length - self.radius - solid.radius);
        let middle = self.at + (self.radius + half_gap) * across;
        [-distance, 0.0, distance].map(|along| Corner {
            at: middle + along * across.perp(),
            outward: across,
            slack: 1.0,
            half_edge: 0.0,
            needed: half_gap - ROUNDING,
        })
    }

    /// The directions that face away from every segment that begins here; `None` where paths do not
    /// bend.
    fn normal_cone(&self) -> Option<Cone> {
        /// Narrower cones are straight joints.
        const NARROWEST: f32 = 0.01;
        let mut angles: Vec<f32> = self.directions.iter().map(|it| it.to_angle()).collect();
        angles.sort_by(f32::total_cmp);
        let Some(&first) = angles.first() else {
            return Some(Cone {
                start: 0.0,
                width: TAU,
            });
        };
        let after = angles.iter().copied().skip(1).chain([first + TAU]);
        let gaps = angles
            .iter()
            .zip(after)
            .map(|(from, to)| (*from, to - from));
        let (from, gap) = gaps.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let width = gap - PI;
        (width > NARROWEST).then_some(Cone {
            start: from + 0.5 * PI,
            width,
        })
    }
}

/// Directions from an angle on, counter-clockwise, rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cone {
    start: f32,
    width: f32,
}

impl Cone {
    /// How many vertices the polygon around an arc of a radius has: so many that none is more than 0.3 m
    /// outside of the arc, up to 32 around a disc, and at least one per `2 · half_bend`.
    fn vertices(self, radius: f32, half_bend: f32) -> u32 {
        let half = (0.6 / radius).sqrt().max(PI / 32.0).min(half_bend);
        (self.width / (2.0 * half) - 0.01).ceil().max(1.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::Circle;

    fn corners(solids: &[Solid], distance: f32) -> Vec<Corner> {
        let ends = ends(solids);
        ends.iter()
            .flat_map(|end| end.corners(distance, ROUND))
            .collect()
    }

    #[test]
    fn every_corner_keeps_its_distance() {
        let block = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)].map(Vec2::from);
        let mut solids: Vec<_> = Solid::outline(&block).collect();
        solids.push(Circle::new(Vec2::new(9.0, 0.0), 1.5).into());
        solids.push(Solid::segment(Vec2::new(-5.0, 0.0), Vec2::new(-5.0, 6.0)));
        let corners = corners(&solids, 0.5);
        // Two at each corner of the block, eight around the disc, four at each end of the wall.
        assert_eq!(corners.len(), 4 * 2 + 8 + 2 * 4);
        for corner in corners {
            let nearest = solids.iter().map(|it| it.distance(corner.at));
            let nearest = nearest.fold(f32::INFINITY, f32::min);
            assert!((0.5..0.7).contains(&nearest), "{corner:?}: {nearest}");
        }
    }

    #[test]
    fn a_straight_joint_and_a_crossing_have_no_corners() {
        let along = |x: f32| Vec2::new(x, 0.0);
        let line = [
            Solid::segment(along(-3.0), along(0.0)),
            Solid::segment(along(0.0), along(3.0)),
        ];
        assert_eq!(
            corners(&line, 0.5).len(),
            2 * 4,
            "only at the ends of the line"
        );
        let arms = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y];
        let star = arms.map(|arm| Solid::segment(Vec2::ZERO, 3.0 * arm));
        assert_eq!(corners(&star, 0.5).len(), 4 * 4);
    }

    #[test]
    fn a_path_bends_around_a_corner_and_not_towards_it() {
        let wall = [Solid::segment(Vec2::new(0.0, -4.0), Vec2::ZERO)];
        let corners = corners(&wall, 0.5);
        let top = corners.iter().filter(|it| it.at.y > 0.0 && it.at.x > 0.0);
        let upper = top.max_by(|a, b| a.at.y.total_cmp(&b.at.y)).unwrap();
        assert!(upper.allows(Vec2::new(0.92, -0.38)), "{upper:?}");
        assert!(!upper.allows(Vec2::Y), "{upper:?}");
    }

    #[test]
    fn a_sharp_right_angle_has_one_corner() {
        let block = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)].map(Vec2::from);
        let solids: Vec<_> = Solid::outline(&block).collect();
        for end in ends(&solids) {
            let corners: Vec<_> = end.corners(0.5, SHARP).collect();
            assert_eq!(corners.len(), 1);
            // On the diagonal, so that both sides are 0.5 m away.
            assert!((corners[0].at - end.at).abs().distance(Vec2::splat(0.5)) < 1e-5);
        }
    }

    #[test]
    fn a_large_disc_has_more_corners() {
        let disc = |radius| corners(&[Circle::new(Vec2::ZERO, radius).into()], 0.1).len();
        assert_eq!((disc(0.5), disc(10.0), disc(1e4)), (8, 13, 32));
    }
}
