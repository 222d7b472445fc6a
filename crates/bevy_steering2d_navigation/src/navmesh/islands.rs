//! [`Islands`]: the parts of a mesh on which the centers of bodies of one radius may be.

use std::f32::consts::{PI, TAU};

use bevy::math::ops;
use bevy::prelude::*;
use polyanya::geo::{BooleanOps, LineString, MultiPolygon, Polygon, unary_union};
use vleue_navigator::{NavMesh, Triangulation};

use super::ground::{self, Ground, line, polygon};
use crate::Solid;

/// A navigation mesh for each part of the ground that is connected for bodies of one radius.
#[derive(Clone, Debug)]
pub(super) struct Islands(Vec<NavMesh>);

impl Islands {
    /// The ground without all points within `distance` m of a solid.
    ///
    /// It is cut by polygons and triangulated anew: meshes that are cut along their own triangles get triangles
    /// so thin that searches miss ways.
    pub(super) fn new(ground: &Ground, solids: &[Solid], distance: f32) -> Self {
        let hulls = solids.iter().map(|it| polygon(&hull(it, distance)));
        let hulls: Vec<_> = hulls.collect();
        let free = ground.area().difference(&unary_union(&hulls));
        Self(meshes(&free, 0.02 * distance))
    }

    /// The island with a point.
    pub(super) fn with(&self, point: Vec2) -> Option<&NavMesh> {
        self.0.iter().find(|it| it.is_in_mesh(point))
    }
}

fn meshes(free: &MultiPolygon<f32>, shortest: f32) -> Vec<NavMesh> {
    /// Points count as on a mesh up to this distance, m: the corners of its own paths are.
    const DELTA: f32 = 0.01;
    let mesh = |part: &Polygon<f32>| {
        let outline = cleaned(part.exterior(), shortest)?;
        let holes = part.interiors().iter();
        let holes = holes.filter_map(|it| cleaned(it, shortest)).collect();
        let mut mesh = Triangulation::from_geo_polygon(Polygon::new(outline, holes)).as_navmesh();
        mesh.bake();
        mesh.set_search_delta(DELTA);
        Some(NavMesh::from_polyanya_mesh(mesh))
    };
    free.iter().filter_map(mesh).collect()
}

/// A ring without sides shorter than `shortest` m, and without corners that are hardly one; `None` if nothing is
/// left.
fn cleaned(ring: &LineString<f32>, shortest: f32) -> Option<LineString<f32>> {
    let mut corners: Vec<Vec2> = Vec::new();
    for at in ground::corners(ring) {
        if corners
            .last()
            .is_none_or(|last| last.distance(at) >= shortest)
        {
            corners.push(at);
        }
    }
    while corners.len() > 1 && corners[0].distance(corners[corners.len() - 1]) < shortest {
        corners.pop();
    }
    let all = corners.clone();
    let count = all.len();
    let mut index = 0;
    corners.retain(|at| {
        let (before, after) = (all[(index + count - 1) % count], all[(index + 1) % count]);
        index += 1;
        let bend = Solid::segment(before, after).distance(*at);
        bend > 1e-3 * shortest
    });
    (corners.len() > 2).then(|| line(&corners))
}

/// A polygon around all points within `distance` m of a solid, counter-clockwise.
///
/// It is the hull of two regular polygons around the ends of the solid that all solids have in the same
/// orientation, so that the hulls of solids that meet share their corners exactly.
fn hull(solid: &Solid, distance: f32) -> Vec<Vec2> {
    let out = solid.radius + distance;
    let count = corner_count(out);
    let step = TAU / count as f32;
    let reach = out / ops::cos(0.5 * step);
    let along = solid.to - solid.from;
    let faces_along = |side: u32| along.dot(Vec2::from_angle(side as f32 * step));
    let mut corners = Vec::new();
    for index in 0..count {
        let offset = reach * Vec2::from_angle((index as f32 + 0.5) * step);
        let (before, after) = (faces_along(index), faces_along(index + 1));
        let (from, to) = (solid.from + offset, solid.to + offset);
        match (before > 0.0, after > 0.0) {
            (true, true) => corners.push(to),
            (false, false) => corners.push(from),
            (false, true) => corners.extend([from, to]),
            (true, false) => corners.extend([to, from]),
        }
    }
    corners.dedup();
    corners
}

/// How many corners replace a circle: so many that none is more than about 5 cm outside, from 16 to 64.
fn corner_count(radius: f32) -> u32 {
    let enough = PI * (10.0 * radius.max(0.0)).sqrt();
    (enough as u32).next_power_of_two().clamp(16, 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_keep_the_distance_and_little_more() {
        let post = Solid::segment(Vec2::ONE, Vec2::ONE);
        let rock = Solid {
            radius: 6.0,
            ..post
        };
        let walls = (0..40).map(|i| {
            let along = 3.0 * Vec2::from_angle(i as f32 * TAU / 32.0);
            Solid::segment(Vec2::ONE, Vec2::ONE + along)
        });
        for solid in walls.chain([post, rock]) {
            let corners = hull(&solid, 0.52);
            for side in Solid::outline(&corners) {
                let nearest = solid.distance_to_segment(side.from, side.to);
                assert!((0.519..0.58).contains(&nearest), "{side:?}: {nearest}");
                assert!(solid.distance(side.from) < 0.58, "{side:?}");
            }
        }
    }

    #[test]
    fn what_is_left_of_a_mesh_is_as_far_from_solids_as_told() {
        let room = [(0.0, 0.0), (10.0, 0.0), (10.0, 6.0), (0.0, 6.0)].map(Vec2::from);
        let source = NavMesh::from_edge_and_obstacles(room.to_vec(), vec![]);
        let ground = Ground::of(&source, 0.0).unwrap();
        let wall = Solid::segment(Vec2::new(5.0, 0.0), Vec2::new(7.0, 5.5));
        let solids = [ground.border(), &[wall]].concat();
        let islands = Islands::new(&ground, &solids, 0.5);
        for step in 0..2_000 {
            let at = Vec2::new((step % 50) as f32, (step / 50) as f32) * Vec2::new(0.2, 0.15);
            let clearance = solids.iter().map(|it| it.distance(at));
            let clearance = clearance.fold(9.0, f32::min);
            if clearance < 0.48 {
                assert!(islands.with(at).is_none(), "{at}");
            } else if clearance > 0.52 {
                assert!(islands.with(at).is_some(), "{at}");
            }
        }
        assert_eq!(islands.0.len(), 2);
    }

    #[test]
    fn rings_lose_their_short_sides_and_straight_corners() {
        let ring = [
            (0.0, 0.0),
            (2.0, 0.0),
            (4.0, 0.0),
            (4.0, 3.0),
            (3.999, 3.0),
            (0.0, 0.001),
        ];
        let ring = cleaned(&line(&ring.map(Vec2::from)), 0.01).unwrap();
        assert_eq!(
            ring,
            line(&[(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)].map(Vec2::from))
        );
        let dot = [(0.0, 0.0), (0.001, 0.0), (0.0, 0.001)].map(Vec2::from);
        assert_eq!(cleaned(&line(&dot), 0.01), None);
    }
}
