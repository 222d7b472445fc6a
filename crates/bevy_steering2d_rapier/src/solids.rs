//! Fixed colliders as solids of navigation.

mod filling;

use std::sync::Arc;

use bevy::prelude::*;
use bevy_rapier2d::parry::shape::{AxisMask, Shape, SharedShape, TypedShape, VoxelData};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::geometry::Collider as SimulatedCollider;
use bevy_rapier2d::rapier::math::Pose;
use bevy_steering2d_core::{Circle, SteeringSchedule};
use bevy_steering2d_navigation::{
    ColliderSolids, GoalField, GroupArrive, NavigateTo, NavigationSystems, Solid,
};

use crate::owners::Owners;
use crate::radius::rectangle;
use filling::fill;

/// Keeps the solids of navigation equal to the fixed colliders, while an agent, a group or a field needs
/// them.
pub(crate) fn register(app: &mut App) {
    app.init_resource::<ColliderSolids>().add_systems(
        SteeringSchedule::Answer,
        collect_solids.before(NavigationSystems::Survey).run_if(
            any_with_component::<NavigateTo>
                .or_else(any_with_component::<GroupArrive>)
                .or_else(any_with_component::<GoalField>),
        ),
    );
}

/// What the outline of a collider depends on.
struct Outlined {
    /// Held, so that no other shape comes to its address.
    shape: SharedShape,
    at: Pose,
}

impl Outlined {
    fn of(collider: &SimulatedCollider) -> Self {
        Self {
            shape: collider.shared_shape().clone(),
            at: *collider.position(),
        }
    }

    /// Whether a collider has the same outline.
    fn holds(&self, collider: &SimulatedCollider) -> bool {
        Arc::ptr_eq(&self.shape.0, &collider.shared_shape().0) && self.at == *collider.position()
    }
}

/// Lists the outlines of all colliders that are solid. While these are the same, so are the outlines: a map has thousands.
fn collect_solids(
    contexts: Query<(&RapierContextColliders, &RapierRigidBodySet)>,
    owners: Owners,
    mut solids: ResMut<ColliderSolids>,
    mut outlined: Local<Vec<Outlined>>,
    mut found: Local<Vec<Solid>>,
) {
    let owners = &owners;
    let colliders = || {
        contexts.iter().flat_map(move |(colliders, bodies)| {
            let all = colliders.colliders.iter().map(|(_, it)| it);
            all.filter(move |it| owners.is_solid(it, bodies))
        })
    };
    let mut last = outlined.iter();
    let are_same = colliders().all(|it| last.next().is_some_and(|last| last.holds(it)));
    // The game may have written others.
    if are_same && last.next().is_none() && !solids.is_changed() {
        return;
    }
    outlined.clear();
    found.clear();
    for collider in colliders() {
        outlined.push(Outlined::of(collider));
        let mut outline = Outline {
            at: collider.position(),
            solids: &mut found,
        };
        outline.add(collider.shape());
    }
    if solids.0 != *found {
        solids.0.clone_from(&found);
    }
}

/// Half the length of the solid along the edge of a half-space, m. It bounds the grid in which solids are found.
const EDGE: f32 = 1_000.0;

/// The outlines of shapes at a pose, as solids.
struct Outline<'a> {
    at: &'a Pose,
    solids: &'a mut Vec<Solid>,
}

impl Outline<'_> {
    /// Adds the outline of a shape: of a half-space its edge, of a shape without one its bounding box. Convex ones and voxels
    /// are filled.
    fn add(&mut self, shape: &dyn Shape) {
        match shape.as_typed_shape() {
            TypedShape::Ball(it) => {
                let disc = Circle::new(self.at.translation, it.radius);
                self.solids.push(disc.into());
            }
            TypedShape::Cuboid(it) => self.filled(&rectangle(it.half_extents), 0.0),
            TypedShape::RoundCuboid(it) => {
                self.filled(&rectangle(it.inner_shape.half_extents), it.border_radius);
            }
            TypedShape::Capsule(it) => self.segment(it.segment.a, it.segment.b, it.radius),
            TypedShape::Segment(it) => self.segment(it.a, it.b, 0.0),
            TypedShape::Triangle(it) => self.filled(&[it.a, it.b, it.c], 0.0),
            TypedShape::RoundTriangle(it) => {
                let inner = &it.inner_shape;
                self.filled(&[inner.a, inner.b, inner.c], it.border_radius);
            }
            TypedShape::ConvexPolygon(it) => self.filled(it.points(), 0.0),
            TypedShape::RoundConvexPolygon(it) => {
                self.filled(it.inner_shape.points(), it.border_radius);
            }
            TypedShape::Polyline(it) => self.segments(it.segments().map(|it| [it.a, it.b])),
            TypedShape::HeightField(it) => self.segments(it.segments().map(|it| [it.a, it.b])),
            TypedShape::HalfSpace(it) => {
                let along = EDGE * it.normal.perp();
                self.segment(-along, along, 0.0);
            }
            TypedShape::TriMesh(it) => {
                for triangle in it.triangles() {
                    self.filled(&[triangle.a, triangle.b, triangle.c], 0.0);
                }
            }
            TypedShape::Voxels(it) => {
                let ([first, end], size) = (it.domain(), it.voxel_size());
                let voxels = || it.voxels_in_range(first, end);
                self.segments(voxels().flat_map(|voxel| free_sides(size, voxel)));
                for [first, end] in rows(voxels().map(|voxel| voxel.grid_coords)) {
                    let [min, max] = [first, end + IVec2::Y].map(|it| size * it.as_vec2());
                    self.filling(&corners_of(min, max), 0.0);
                }
            }
            TypedShape::Compound(it) => {
                for (place, part) in it.shapes() {
                    let mut outline = Outline {
                        at: &(*self.at * *place),
                        solids: &mut *self.solids,
                    };
                    outline.add(part.as_ref());
                }
            }
            _ => self.bounding_box(shape),
        }
    }

    /// Adds all points within a radius of a segment, m.
    fn segment(&mut self, from: Vec2, to: Vec2, radius: f32) {
        self.solids.push(Solid {
            radius,
            ..Solid::segment(*self.at * from, *self.at * to)
        });
    }

    /// Adds segments without thickness, each with its two ends.
    fn segments(&mut self, segments: impl Iterator<Item = [Vec2; 2]>) {
        for [from, to] in segments {
            self.segment(from, to, 0.0);
        }
    }

    /// Adds a convex polygon with a border of this width, m.
    ///
    /// Between its sides alone a box has room for the center of an agent, and the way out of a thin one would lead
    /// from the nearer side through the other. In the capsules inside it distances are negative.
    fn filled(&mut self, corners: &[Vec2], border: f32) {
        let ends = corners.iter().cycle().skip(1);
        for (&from, &to) in corners.iter().zip(ends) {
            self.segment(from, to, border);
        }
        self.filling(corners, border);
    }

    /// Adds the inside of a convex polygon with a border of this width, m.
    fn filling(&mut self, corners: &[Vec2], border: f32) {
        fill(corners, border, |from, to, radius| {
            self.segment(from, to, radius);
        });
    }

    /// Adds the sides of the upright box around a shape.
    fn bounding_box(&mut self, shape: &dyn Shape) {
        let bounds = shape.compute_aabb(self.at);
        let corners = corners_of(bounds.mins, bounds.maxs);
        self.solids
            .extend(Solid::outline(&corners).filter(Solid::is_sound));
    }
}

/// The corners of an upright box.
fn corners_of(min: Vec2, max: Vec2) -> [Vec2; 4] {
    [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)]
}

/// The rows of voxels without a gap, along x: the first one of each, and the one after the last.
fn rows(voxels: impl Iterator<Item = IVec2>) -> Vec<[IVec2; 2]> {
    let mut voxels: Vec<_> = voxels.collect();
    voxels.sort_unstable_by_key(|it| (it.y, it.x));
    let mut rows: Vec<[IVec2; 2]> = Vec::new();
    for voxel in voxels {
        if let Some([_, end]) = rows.last_mut()
            && *end == voxel
        {
            end.x += 1;
        } else {
            rows.push([voxel, voxel + IVec2::X]);
        }
    }
    rows
}

/// The sides of a voxel that touch no other one, each with its two ends.
fn free_sides(size: Vec2, voxel: VoxelData) -> impl Iterator<Item = [Vec2; 2]> {
    // From the grid rather than the center, so that sides in one line have equal ends.
    let corner = |x, y| size * (voxel.grid_coords + IVec2::new(x, y)).as_vec2();
    let corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    let free = voxel.state.free_faces();
    let faces = [
        AxisMask::Y_NEG,
        AxisMask::X_POS,
        AxisMask::Y_POS,
        AxisMask::X_NEG,
    ];
    (0..4)
        .filter(move |&side| free.contains(faces[side]))
        .map(move |side| [corners[side], corners[(side + 1) % 4]])
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_core::{RandomStream, SteeringId};
    use bevy_steering2d_navigation::{
        NoPathReason, PathQuery, PathSearch, Pathfinder, RoadmapPathfinder,
    };

    use super::*;

    fn solids_of(collider: &Collider, at: Vec2) -> Vec<Solid> {
        let mut solids = Vec::new();
        let mut outline = Outline {
            at: &Pose::from_translation(at),
            solids: &mut solids,
        };
        outline.add(collider.raw.as_ref());
        solids
    }

    #[test]
    fn every_shape_has_its_outline() {
        let at = Vec2::new(3.0, 1.0);
        let corners = [Vec2::ZERO, Vec2::X, Vec2::Y];
        for (collider, count) in [
            (Collider::ball(0.5), 1),
            (Collider::cuboid(0.5, 2.0), 5),
            (Collider::cuboid(1.0, 2.0), 9),
            (Collider::round_cuboid(1.0, 2.0, 0.1), 9),
            (Collider::capsule_x(1.0, 0.3), 1),
            (Collider::triangle(corners[0], corners[1], corners[2]), 7),
            (Collider::polyline(corners.to_vec(), None), 2),
            (
                Collider::compound(vec![(at, 0.0, Collider::cuboid(1.0, 1.0))]),
                9,
            ),
            (
                Collider::voxels(Vec2::splat(0.5), &[IVec2::ZERO, IVec2::X, 5 * IVec2::X]),
                12,
            ),
        ] {
            let solids = solids_of(&collider, at);
            assert_eq!(solids.len(), count, "{collider:?}");
            assert!(solids.iter().all(Solid::is_sound));
        }
        let sides = solids_of(&Collider::cuboid(1.0, 2.0), at);
        assert_eq!(sides[0].from, Vec2::new(2.0, -1.0));
        let half_space = Collider::halfspace(Vec2::Y).unwrap();
        let edge = solids_of(&half_space, at)[0];
        assert!(edge.is_sound());
        assert_eq!(edge.distance(Vec2::new(500.0, 3.0)), 2.0);
    }

    #[test]
    fn a_box_is_exact_from_outside_and_filled() {
        let solids = solids_of(&Collider::cuboid(0.5, 3.0), Vec2::ZERO);
        let distance = |x: f32, y: f32| {
            let distances = solids.iter().map(|it| it.distance(Vec2::new(x, y)));
            distances.fold(f32::INFINITY, f32::min)
        };
        for (x, y) in [(1.5, 0.0), (-1.5, 2.75), (0.0, 4.0), (0.25, -4.0)] {
            assert!((distance(x, y) - 1.0).abs() < 1e-6, "({x}, {y})");
        }
        for (x, y) in [(0.0, 0.0), (-0.4, 2.0), (0.4, -1.0), (0.0, 2.9)] {
            assert!(distance(x, y) < 0.0, "({x}, {y})");
        }
    }

    #[test]
    fn convex_shapes_are_filled_without_a_part_outside() {
        let plank = [(-0.15, -3.0), (0.15, -3.0), (0.15, 3.0), (-0.15, 3.0)].map(Vec2::from);
        let hexagon: Vec<Vec2> = (0..6)
            .map(|side| Vec2::new(1.0, 3.0) * Vec2::from_angle(side as f32))
            .collect();
        let house = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(Vec2::from);
        // At some depth its short side has come to an end.
        let chipped = [(0.0, 0.0), (9.0, 0.0), (9.0, 5.9), (8.9, 6.0), (0.0, 6.0)].map(Vec2::from);
        for points in [
            plank.to_vec(),
            hexagon,
            vec![Vec2::ZERO, 4.0 * Vec2::X, Vec2::new(1.0, 0.5)],
            vec![Vec2::ZERO, 30.0 * Vec2::X, Vec2::new(10.0, 8.0)],
            house.to_vec(),
            chipped.to_vec(),
        ] {
            let hull = Collider::convex_hull(&points).unwrap();
            let solids = solids_of(&hull, Vec2::ZERO);
            let (sides, filling) = solids.split_at(points.len());
            assert!(!filling.is_empty());
            let depth = |point: Vec2| {
                let to_sides = sides.iter().map(|side| side.distance(point));
                to_sides.fold(f32::INFINITY, f32::min)
            };
            for capsule in filling {
                assert!(capsule.radius > 0.0);
                for end in [capsule.from, capsule.to] {
                    let depth = depth(end);
                    assert!(
                        depth > capsule.radius,
                        "{points:?}: {depth} m deep, {capsule:?}"
                    );
                }
            }
            // All that is left inside is too narrow for a body, also between the ends of rims in a sharp corner.
            let area = Rect::from_corners(Vec2::splat(-10.0), Vec2::splat(30.0));
            let mut random = RandomStream::new(7, SteeringId(0), 1);
            for _ in 0..20_000 {
                let point = random.point_in(area);
                let inside = hull.contains_local_point(point);
                let clear = solids.iter().map(|it| it.distance(point));
                let clear = clear.fold(f32::INFINITY, f32::min);
                assert!(!inside || clear < 0.3, "{points:?}: {clear} m at {point}");
            }
        }
    }

    #[test]
    fn between_voxels_there_is_room() {
        let voxels = [IVec2::ZERO, IVec2::X, 5 * IVec2::X];
        let solids = solids_of(&Collider::voxels(Vec2::splat(0.5), &voxels), Vec2::Y);
        let between = Vec2::new(1.75, 1.25);
        let distances = solids.iter().map(|it| it.distance(between));
        assert_eq!(distances.fold(f32::INFINITY, f32::min), 0.75);
    }

    #[test]
    fn a_block_of_voxels_is_exact_from_outside_and_filled() {
        for size in [0.5, 2.0] {
            let block: Vec<_> = (0..25).map(|i| IVec2::new(i % 5, i / 5 - 2)).collect();
            let solids = solids_of(&Collider::voxels(Vec2::splat(size), &block), Vec2::ZERO);
            let distance = |point: Vec2| {
                let distances = solids.iter().map(|it| it.distance(point));
                distances.fold(f32::INFINITY, f32::min)
            };
            // In voxels.
            for (x, y) in [(-1.0, 0.0), (6.0, 1.2), (2.5, 4.0), (0.7, -3.0)] {
                let distance = distance(size * Vec2::new(x, y));
                assert!((distance - size).abs() < 1e-5, "({x}, {y}): {distance}");
            }
            let area = Rect::new(0.0, -2.0 * size, 5.0 * size, 3.0 * size);
            let mut random = RandomStream::new(7, SteeringId(0), 1);
            for _ in 0..20_000 {
                let point = random.point_in(area);
                let clear = distance(point);
                assert!(clear < 0.3, "{clear} m at {point}");
            }
            let mut planner = RoadmapPathfinder::default();
            planner.set_solids(&solids);
            let query = PathQuery {
                from: Vec2::splat(-5.0 * size),
                to: size * Vec2::new(2.5, 0.5),
                radius: 0.3,
            };
            let blocked = PathSearch::None(NoPathReason::TargetBlocked);
            assert_eq!(planner.find(&query, &mut 1_000), blocked);
        }
    }

    #[test]
    fn voxels_with_gaps_are_filled_row_by_row() {
        let voxels = [(3, 0), (0, 1), (1, 0), (0, 0), (4, 1)].map(IVec2::from);
        let found = rows(voxels.into_iter());
        let ends = [
            [(0, 0), (2, 0)],
            [(3, 0), (4, 0)],
            [(0, 1), (1, 1)],
            [(4, 1), (5, 1)],
        ];
        assert_eq!(found, ends.map(|row| row.map(IVec2::from)));
    }
}
