//! Fixed colliders as solids of navigation.

use bevy::prelude::*;
use bevy_rapier2d::parry::shape::{AxisMask, Shape, TypedShape, VoxelData};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier;
use bevy_rapier2d::rapier::math::Pose;
use bevy_steering2d_core::{Circle, SteeringSchedule};
use bevy_steering2d_navigation::{
    ColliderSolids, GoalField, GroupArrive, NavigateTo, NavigationSystems, Solid,
};

use crate::owners::{Owners, entity_of};

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

/// Lists the outlines of all colliders that are solid.
fn collect_solids(
    contexts: Query<(&RapierContextColliders, &RapierRigidBodySet)>,
    owners: Owners,
    mut solids: ResMut<ColliderSolids>,
    mut found: Local<Vec<Solid>>,
) {
    found.clear();
    for (colliders, bodies) in &contexts {
        for (_, collider) in colliders.colliders.iter() {
            if is_solid(collider, bodies, &owners) {
                outline(collider.shape(), collider.position(), &mut found);
            }
        }
    }
    if solids.0 != *found {
        solids.0.clone_from(&found);
    }
}

/// Whether a collider is attached to no body or to a fixed one, and is neither a sensor nor part of an agent. An agent
/// would have to get out of itself, on another path in each tick.
fn is_solid(
    collider: &rapier::geometry::Collider,
    bodies: &RapierRigidBodySet,
    owners: &Owners,
) -> bool {
    let body = collider.parent().and_then(|body| bodies.bodies.get(body));
    let stands = body.is_none_or(rapier::dynamics::RigidBody::is_fixed);
    // A collider that a game adds to the set of Rapier by itself has no entity.
    let entity = entity_of(collider.user_data);
    stands
        && collider.is_enabled()
        && !collider.is_sensor()
        && entity.is_none_or(|it| owners.agent_of(it).is_none())
}

/// Half the length of the solid along the edge of a half-space, m. It bounds the grid in which solids are found.
const EDGE: f32 = 1_000.0;

/// The solid inside a box begins so far below its surface, m, or at a fifth of the way to the middle of a thin box: so
/// that seen from outside the sides are nearer, and paths bend around the corners of the box alone.
const BELOW: f32 = 0.016;

/// Adds the outline of a shape: of a half-space its edge, of a shape without one its bounding box. A box is filled.
fn outline(shape: &dyn Shape, at: &Pose, solids: &mut Vec<Solid>) {
    let closed = |corners: &[Vec2], radius: f32, solids: &mut Vec<Solid>| {
        let corners: Vec<_> = corners.iter().map(|corner| *at * *corner).collect();
        let sides = Solid::outline(&corners);
        solids.extend(sides.map(|side| Solid { radius, ..side }));
    };
    let segment = |from: Vec2, to: Vec2| Solid::segment(*at * from, *at * to);
    // Between its sides alone a box has room for the center of an agent, and the way out of a thin one would lead
    // from the nearer side through the other. In the capsule inside it distances are negative.
    let filled = |half: Vec2, border: f32, solids: &mut Vec<Solid>| {
        closed(&rectangle(half), border, solids);
        let end = half - half.min_element();
        let thickness = half.min_element() + border;
        solids.push(Solid {
            radius: (thickness - BELOW).max(0.8 * thickness),
            ..segment(-end, end)
        });
    };
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => solids.push(Circle::new(at.translation, ball.radius).into()),
        TypedShape::Cuboid(it) => filled(it.half_extents, 0.0, solids),
        TypedShape::RoundCuboid(it) => {
            filled(it.inner_shape.half_extents, it.border_radius, solids);
        }
        TypedShape::Capsule(it) => solids.push(Solid {
            radius: it.radius,
            ..segment(it.segment.a, it.segment.b)
        }),
        TypedShape::Segment(it) => solids.push(segment(it.a, it.b)),
        TypedShape::Triangle(it) => closed(&[it.a, it.b, it.c], 0.0, solids),
        TypedShape::RoundTriangle(it) => {
            let inner = &it.inner_shape;
            closed(&[inner.a, inner.b, inner.c], it.border_radius, solids);
        }
        TypedShape::ConvexPolygon(it) => closed(it.points(), 0.0, solids),
        TypedShape::RoundConvexPolygon(it) => {
            closed(it.inner_shape.points(), it.border_radius, solids);
        }
        TypedShape::Polyline(it) => {
            solids.extend(it.segments().map(|part| segment(part.a, part.b)));
        }
        TypedShape::HeightField(it) => {
            solids.extend(it.segments().map(|part| segment(part.a, part.b)));
        }
        TypedShape::HalfSpace(it) => {
            let along = EDGE * it.normal.perp();
            solids.push(segment(-along, along));
        }
        TypedShape::TriMesh(it) => {
            for triangle in it.triangles() {
                closed(&[triangle.a, triangle.b, triangle.c], 0.0, solids);
            }
        }
        TypedShape::Voxels(it) => {
            let [first, end] = it.domain();
            let voxels = it.voxels_in_range(first, end);
            let sides = voxels.flat_map(|voxel| free_sides(it.voxel_size(), voxel));
            solids.extend(sides.map(|[from, to]| segment(from, to)));
        }
        TypedShape::Compound(it) => {
            for (place, part) in it.shapes() {
                outline(part.as_ref(), &(*at * *place), solids);
            }
        }
        _ => {
            let bounds = shape.compute_aabb(at);
            let (min, max) = (bounds.mins, bounds.maxs);
            let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
            solids.extend(Solid::outline(&corners).filter(Solid::is_sound));
        }
    }
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

/// The corners of a rectangle around the origin, counter-clockwise.
fn rectangle(half: Vec2) -> [Vec2; 4] {
    [
        -half,
        Vec2::new(half.x, -half.y),
        half,
        Vec2::new(-half.x, half.y),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solids_of(collider: &Collider, at: Vec2) -> Vec<Solid> {
        let mut solids = Vec::new();
        outline(
            collider.raw.as_ref(),
            &Pose::from_translation(at),
            &mut solids,
        );
        solids
    }

    #[test]
    fn every_shape_has_its_outline() {
        let at = Vec2::new(3.0, 1.0);
        let corners = [Vec2::ZERO, Vec2::X, Vec2::Y];
        for (collider, count) in [
            (Collider::ball(0.5), 1),
            (Collider::cuboid(1.0, 2.0), 5),
            (Collider::round_cuboid(1.0, 2.0, 0.1), 5),
            (Collider::capsule_x(1.0, 0.3), 1),
            (Collider::triangle(corners[0], corners[1], corners[2]), 3),
            (Collider::polyline(corners.to_vec(), None), 2),
            (
                Collider::compound(vec![(at, 0.0, Collider::cuboid(1.0, 1.0))]),
                5,
            ),
            (
                Collider::voxels(Vec2::splat(0.5), &[IVec2::ZERO, IVec2::X, 5 * IVec2::X]),
                10,
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
    fn between_voxels_there_is_room() {
        let voxels = [IVec2::ZERO, IVec2::X, 5 * IVec2::X];
        let solids = solids_of(&Collider::voxels(Vec2::splat(0.5), &voxels), Vec2::Y);
        let between = Vec2::new(1.75, 1.25);
        let distances = solids.iter().map(|it| it.distance(between));
        assert_eq!(distances.fold(f32::INFINITY, f32::min), 0.75);
    }
}
