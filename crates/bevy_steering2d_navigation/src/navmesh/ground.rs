//! [`Ground`]: a navigation mesh in world coordinates, and its border.

use std::fmt;

use bevy::prelude::*;
use bevy_steering2d_core::InvalidParameter;
use polyanya::geo::{
    Coord, LineString, MultiPolygon, Orient, Polygon, orient::Direction, unary_union,
};
use vleue_navigator::NavMesh;

use super::NavmeshInset;
use super::border::widened;
use crate::Solid;

/// Why a navigation mesh cannot be used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NavmeshError {
    /// It has no polygon.
    Empty,
    /// It has so many layers; in two dimensions an agent cannot tell on which of them it is.
    Layers(usize),
    /// Its transform tilts it out of the plane of x and y.
    NotFlat,
    /// A vertex is not finite or too far away, or a polygon refers to a vertex that does not exist.
    Vertex(u32),
    /// Its inset is out of range.
    Inset(InvalidParameter),
}

impl fmt::Display for NavmeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the navigation mesh has no polygon"),
            Self::Layers(count) => write!(
                f,
                "the navigation mesh has {count} layers, but agents in two dimensions need one"
            ),
            Self::NotFlat => {
                f.write_str("the navigation mesh is tilted out of the plane of x and y")
            }
            Self::Vertex(index) => write!(
                f,
                "vertex {index} of the navigation mesh is missing or out of range"
            ),
            Self::Inset(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NavmeshError {}

/// A navigation mesh of one layer, in world coordinates.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    mesh: NavMesh,
    /// The area of the mesh.
    area: MultiPolygon<f32>,
    /// The outlines of the area, which is on their left.
    rim: Vec<Solid>,
    /// Where bodies must stop: the rim, moved out by the inset.
    border: Vec<Solid>,
}

impl Ground {
    /// The ground of a mesh that ends before its real border by an inset.
    pub(super) fn of(
        source: &NavMesh,
        inset: impl Into<NavmeshInset>,
    ) -> Result<Self, NavmeshError> {
        let inset = inset.into();
        inset.check().map_err(NavmeshError::Inset)?;
        let transform = source.transform();
        let mut mesh = (*source.get()).clone();
        match mesh.layers.len() {
            0 => return Err(NavmeshError::Empty),
            1 => {}
            more => return Err(NavmeshError::Layers(more)),
        }
        if (transform.rotation * Vec3::Z).z.abs() < 0.999 {
            return Err(NavmeshError::NotFlat);
        }
        let layer = &mut mesh.layers[0];
        layer.unbake();
        layer.polygons.retain(|polygon| polygon.vertices.len() > 2);
        if layer.polygons.is_empty() {
            return Err(NavmeshError::Empty);
        }
        let offset = std::mem::take(&mut layer.offset);
        for (index, vertex) in (0..).zip(&mut layer.vertices) {
            let at = (vertex.coords + offset).extend(0.0);
            vertex.coords = transform.transform_point(at).truncate();
            InvalidParameter::unless_finite("vertex", vertex.coords)
                .map_err(|_| NavmeshError::Vertex(index))?;
        }
        let count = layer.vertices.len() as u32;
        let mut used = layer.polygons.iter().flat_map(|it| &it.vertices);
        if let Some(&missing) = used.find(|index| **index >= count) {
            return Err(NavmeshError::Vertex(missing));
        }
        let mut polygons = Vec::new();
        for polygon in &mut layer.polygons {
            let at = |index: &u32| layer.vertices[*index as usize].coords;
            let mut corners: Vec<_> = polygon.vertices.iter().map(at).collect();
            if doubled_area(&corners) < 0.0 {
                polygon.vertices.reverse();
                corners.reverse();
            }
            polygons.push(self::polygon(&corners));
        }
        layer.bake_polygon_finder();
        mesh.set_search_delta(0.0);
        let area = unary_union(&polygons).orient(Direction::Default);
        let outer = area.iter().map(|part| corners(part.exterior()));
        let holes = area.iter().flat_map(Polygon::interiors).map(corners);
        let outlines = outer.map(|it| (it, inset.outer));
        let outlines: Vec<_> = outlines.chain(holes.map(|it| (it, inset.holes))).collect();
        let rim = outlines.iter().flat_map(|(it, _)| Solid::outline(it));
        let border = outlines.iter().flat_map(|(it, inset)| widened(it, *inset));
        Ok(Self {
            rim: rim.collect(),
            border: border.collect(),
            area,
            mesh: NavMesh::from_polyanya_mesh(mesh),
        })
    }

    /// The area of the mesh.
    pub(super) fn area(&self) -> &MultiPolygon<f32> {
        &self.area
    }

    /// Where bodies must stop.
    pub(super) fn border(&self) -> &[Solid] {
        &self.border
    }

    /// Whether a point is on the mesh.
    pub(super) fn contains(&self, point: Vec2) -> bool {
        self.mesh.is_in_mesh(point)
    }

    /// The point itself if it is on the mesh; else one just inside that is at most `reach` m away.
    pub(super) fn nearest(&self, point: Vec2, reach: f32) -> Option<Vec2> {
        /// How far inside, as a share of the reach.
        const INSIDE: f32 = 0.01;
        if self.contains(point) {
            return Some(point);
        }
        let distance = |edge: &&Solid| edge.distance(point);
        let edge = self
            .rim
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let along = (edge.to - edge.from).normalize_or_zero();
        let at = edge.nearest_core(point);
        // From an end, also along the edge.
        let middle = (0.5 * (edge.from + edge.to) - at).normalize_or_zero();
        let inside = at + INSIDE * reach * (along.perp() + middle).normalize_or_zero();
        (at.distance(point) <= reach && self.contains(inside)).then_some(inside)
    }
}

/// Twice the area of a polygon, m², negative if its corners are in clockwise order.
fn doubled_area(corners: &[Vec2]) -> f32 {
    let from = corners.first().copied().unwrap_or_default();
    let pairs = corners.windows(2);
    pairs
        .map(|side| (side[0] - from).perp_dot(side[1] - from))
        .sum()
}

/// The corners of a closed line, each once.
pub(super) fn corners(ring: &LineString<f32>) -> Vec<Vec2> {
    // Adding zero turns −0 into 0, so that equal points have equal bits.
    let all = ring.coords().map(|it| Vec2::new(it.x, it.y) + Vec2::ZERO);
    let mut corners: Vec<_> = all.collect();
    corners.dedup();
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    corners
}

/// A polygon without holes.
pub(super) fn polygon(corners: &[Vec2]) -> Polygon<f32> {
    Polygon::new(line(corners), Vec::new())
}

/// A closed line.
pub(super) fn line(corners: &[Vec2]) -> LineString<f32> {
    let closed = corners.iter().chain(corners.first());
    closed.map(|it| Coord { x: it.x, y: it.y }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vleue_navigator::Triangulation;

    fn points(points: &[(f32, f32)]) -> Vec<Vec2> {
        points.iter().copied().map(Vec2::from).collect()
    }

    /// 10 m by 6 m with a hole of 2 m by 2 m.
    fn holed() -> NavMesh {
        NavMesh::from_edge_and_obstacles(
            points(&[(0.0, 0.0), (10.0, 0.0), (10.0, 6.0), (0.0, 6.0)]),
            vec![points(&[(4.0, 2.0), (6.0, 2.0), (6.0, 4.0), (4.0, 4.0)])],
        )
    }

    fn length(border: &[Solid]) -> f32 {
        border.iter().map(|it| it.from.distance(it.to)).sum()
    }

    #[test]
    fn the_border_is_the_outline_and_the_outline_of_the_hole() {
        let ground = Ground::of(&holed(), 0.0).unwrap();
        assert!((length(ground.border()) - (32.0 + 8.0)).abs() < 1e-4);
        let outline = Rect::new(0.0, 0.0, 10.0, 6.0);
        for edge in ground.border() {
            let middle = 0.5 * (edge.from + edge.to);
            let left = middle + 0.1 * (edge.to - edge.from).normalize().perp();
            assert!(ground.contains(left), "{edge:?}");
            assert!(!ground.contains(2.0 * middle - left), "{edge:?}");
            assert!(outline.contains(middle));
        }
    }

    #[test]
    fn a_mesh_is_moved_turned_and_mirrored_into_the_world() {
        let mut mesh = holed();
        mesh.set_transform(
            Transform::from_xyz(100.0, 0.0, -7.0)
                .with_rotation(Quat::from_rotation_z(0.5 * std::f32::consts::PI))
                .with_scale(Vec3::new(1.0, -2.0, 1.0)),
        );
        let ground = Ground::of(&mesh, 0.0).unwrap();
        assert!((length(ground.border()) - (20.0 + 24.0 + 4.0 + 8.0)).abs() < 1e-3);
        assert!(ground.contains(Vec2::new(101.0, 1.0)));
        assert!(!ground.contains(Vec2::new(106.0, 5.0)), "in the hole");
        let edge = ground.border()[0];
        let middle = 0.5 * (edge.from + edge.to);
        let left = middle + 0.1 * (edge.to - edge.from).normalize().perp();
        assert!(ground.contains(left), "{edge:?}");
    }

    #[test]
    fn a_point_beside_the_mesh_has_its_nearest_place_just_inside() {
        let ground = Ground::of(&holed(), 0.0).unwrap();
        for outside in points(&[(-0.2, 3.0), (5.0, 2.1), (10.2, 6.2), (5.0, -0.3)]) {
            let inside = ground.nearest(outside, 0.5).unwrap();
            assert!(ground.contains(inside) && inside.distance(outside) < 0.35);
        }
        assert_eq!(ground.nearest(Vec2::new(5.0, 3.0), 0.5), None);
        assert_eq!(ground.nearest(Vec2::ONE, 0.5), Some(Vec2::ONE));
    }

    #[test]
    fn polygons_that_meet_along_a_part_of_a_side_have_one_outline() {
        let mut mesh = (*holed().get()).clone();
        let layer = &mut mesh.layers[0];
        // Two squares beside a wider one; no vertex is shared.
        let squares = [
            [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)],
            [(2.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0)],
            [(0.0, 2.0), (4.0, 2.0), (4.0, 6.0), (0.0, 6.0)],
        ];
        let vertex = layer.vertices[0].clone();
        layer.vertices = vec![vertex; 12];
        for (vertex, at) in layer.vertices.iter_mut().zip(squares.concat()) {
            vertex.coords = at.into();
        }
        layer.polygons.truncate(3);
        for (polygon, first) in layer.polygons.iter_mut().zip([0, 4, 8]) {
            polygon.vertices = (first..first + 4).collect();
        }
        let ground = Ground::of(&NavMesh::from_polyanya_mesh(mesh), 0.0).unwrap();
        assert_eq!(length(ground.border()), 20.0);
    }

    #[test]
    fn meshes_that_cannot_be_used_are_refused_with_the_reason() {
        let of = |mesh: NavMesh| Ground::of(&mesh, 0.0).err();
        let empty = Triangulation::from_outer_edges(&[]).as_navmesh();
        assert_eq!(
            of(NavMesh::from_polyanya_mesh(empty)),
            Some(NavmeshError::Empty)
        );
        let mut mesh = (*holed().get()).clone();
        mesh.layers.push(mesh.layers[0].clone());
        assert_eq!(
            of(NavMesh::from_polyanya_mesh(mesh)),
            Some(NavmeshError::Layers(2))
        );
        let mut tilted = holed();
        tilted.set_transform(Transform::from_rotation(Quat::from_rotation_x(1.0)));
        assert_eq!(of(tilted), Some(NavmeshError::NotFlat));
        let mut mesh = (*holed().get()).clone();
        mesh.layers[0].vertices[3].coords.x = f32::NAN;
        assert_eq!(
            of(NavMesh::from_polyanya_mesh(mesh)),
            Some(NavmeshError::Vertex(3))
        );
        let mut mesh = (*holed().get()).clone();
        mesh.layers[0].polygons[1].vertices[0] = 999;
        assert_eq!(
            of(NavMesh::from_polyanya_mesh(mesh)),
            Some(NavmeshError::Vertex(999))
        );
        let error = Ground::of(&holed(), -1.0).unwrap_err();
        assert!(error.to_string().contains("NavmeshInset.outer is -1"));
    }
}
