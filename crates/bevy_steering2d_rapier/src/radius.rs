//! Sense step: the radius of each body, from its `Vehicle` or its colliders.

use bevy::ecs::entity::Entities;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_rapier2d::parry::shape::{Shape, TypedShape};
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{InvalidParameter, Kinematics, PointMass, Vehicle};

/// Bodies whose radius may have changed since the last tick.
#[derive(Resource, Default)]
pub(crate) struct ChangedBodies(Vec<Entity>);

/// Watches for the removal of everything that a radius depends on, and for parts of bodies that become bodies.
pub(crate) fn watch_removals(app: &mut App) {
    app.init_resource::<ChangedBodies>()
        .add_observer(note_removal::<Vehicle>)
        .add_observer(note_removal::<Collider>)
        .add_observer(note_removal::<Sensor>)
        .add_observer(note_removal::<ColliderDisabled>)
        .add_observer(note_removal::<ChildOf>)
        .add_observer(note_parent::<Insert>)
        .add_observer(note_parent::<Discard>);
}

/// Notes the body above one that is new, or about to be none any more: it loses or gets its colliders.
fn note_parent<E: EntityEvent>(
    body: On<E, RigidBody>,
    tree: BodyTree,
    parents: Query<&ChildOf, Allow<Disabled>>,
    entities: &Entities,
    mut changed: ResMut<ChangedBodies>,
) {
    let parent = parents.get(body.event_target()).ok();
    if let Some(above) = parent.and_then(|it| tree.body_of(it.parent())) {
        changed.note(above, entities);
    }
}

/// Notes the body of an entity that is about to lose its `C`.
fn note_removal<C: Component>(
    lost: On<Discard, C>,
    tree: BodyTree,
    entities: &Entities,
    mut changed: ResMut<ChangedBodies>,
) {
    if let Some(body) = tree.body_of(lost.entity) {
        changed.note(body, entities);
    }
}

impl ChangedBodies {
    fn note(&mut self, body: Entity, entities: &Entities) {
        let noted = self.0.len();
        // Bounds the memory of a game that despawns bodies while no tick runs.
        if noted >= 1024 && noted.is_power_of_two() {
            self.0.retain(|body| entities.contains(*body));
        }
        self.0.push(body);
    }
}

/// Notes all bodies after a snapshot was restored: it holds the radii of then, perhaps from before a change of that tick.
pub(crate) fn note_restored(world: &mut World) {
    let mut bodies = world.query_filtered::<Entity, (With<RigidBody>, Allow<Disabled>)>();
    let noted: Vec<Entity> = bodies.iter(world).collect();
    world.resource_mut::<ChangedBodies>().0.extend(noted);
}

/// Colliders on descendants of bodies that have changed.
type ChangedParts = (
    With<Collider>,
    With<ChildOf>,
    Without<RigidBody>,
    Or<(
        Changed<Collider>,
        Changed<Transform>,
        Changed<ChildOf>,
        Added<Sensor>,
        Added<ColliderDisabled>,
    )>,
    Allow<Disabled>,
);

/// Bodies that have changed themselves.
type ChangedSelves = (
    With<RigidBody>,
    Without<PointMass>,
    Or<(
        Added<Kinematics>,
        Changed<Vehicle>,
        Changed<Collider>,
        Added<Sensor>,
        Added<ColliderDisabled>,
    )>,
    Allow<Disabled>,
);

/// Sets the radius of each body that changed: that of its `Vehicle`, else that of the circle around
/// the body's origin that contains its colliders.
pub(crate) fn update_radii(
    mut bodies: ParamSet<(
        Query<Entity, ChangedSelves>,
        Query<
            (&mut Kinematics, Option<&Vehicle>),
            (With<RigidBody>, Without<PointMass>, Allow<Disabled>),
        >,
    )>,
    parts: Query<Entity, ChangedParts>,
    tree: BodyTree,
    mut changed: ResMut<ChangedBodies>,
) {
    let changed = &mut changed.bypass_change_detection().0;
    changed.extend(&bodies.p0());
    changed.extend(parts.iter().filter_map(|part| tree.body_of(part)));
    let mut bodies = bodies.p1();
    for entity in changed.drain(..) {
        if let Ok((mut body, vehicle)) = bodies.get_mut(entity) {
            body.radius = vehicle
                .and_then(Vehicle::valid_radius)
                .or_else(|| tree.extent(entity))
                .filter(|radius| *radius <= InvalidParameter::LARGEST)
                .unwrap_or(PointMass::RADIUS);
        }
    }
}

/// The bodies and the colliders on them and on their descendants. Like Rapier it ends a body at the
/// next body below.
#[derive(SystemParam)]
pub(crate) struct BodyTree<'w, 's> {
    bodies: Query<'w, 's, (), (With<RigidBody>, Allow<Disabled>)>,
    parents: Query<'w, 's, &'static ChildOf, Allow<Disabled>>,
    children: Query<'w, 's, &'static Children, Allow<Disabled>>,
    colliders: Query<'w, 's, (&'static Collider, Hollow), Allow<Disabled>>,
    transforms: Query<'w, 's, &'static Transform, Allow<Disabled>>,
}

impl BodyTree<'_, '_> {
    /// The body that an entity is part of: itself or its nearest ancestor with a `RigidBody`.
    fn body_of(&self, part: Entity) -> Option<Entity> {
        std::iter::once(part)
            .chain(self.parents.iter_ancestors(part))
            .find(|entity| self.bodies.contains(*entity))
    }

    /// The farthest extent of a body's colliders from its origin, m. Sensors and disabled colliders do not count, except
    /// one on the body itself if there is no other. `None` without a collider.
    fn extent(&self, body: Entity) -> Option<f32> {
        // Rapier applies the body's own scale, but not its place.
        let scale = self.transforms.get(body).map_or(Vec3::ONE, |it| it.scale);
        let own = self.colliders.get(body).ok();
        let around = |(collider, _)| extent_of(collider, &Transform::IDENTITY);
        let solid = own.filter(|(_, hollow)| is_solid(*hollow)).map(around);
        self.extent_below(body, Transform::from_scale(scale), solid)
            .or(own.map(around))
    }

    /// The larger of `extent` and the farthest extent of the solid colliders below an entity.
    fn extent_below(&self, entity: Entity, place: Transform, extent: Option<f32>) -> Option<f32> {
        let children = self.children.get(entity).into_iter().flatten();
        let parts = children.filter(|child| !self.bodies.contains(**child));
        parts.fold(extent, |extent, &part| {
            let transform = self.transforms.get(part).copied().unwrap_or_default();
            let place = place * transform;
            let solid = self.colliders.get(part).ok();
            let solid = solid.filter(|(_, hollow)| is_solid(*hollow));
            // `None` is less than any extent.
            let own = solid.map(|(collider, _)| extent_of(collider, &place));
            let farthest = if own > extent { own } else { extent };
            self.extent_below(part, place, farthest)
        })
    }
}

/// Whether a collider is a sensor, and whether it is disabled: then nothing touches it.
type Hollow = (Has<Sensor>, Has<ColliderDisabled>);

fn is_solid((is_sensor, is_disabled): (bool, bool)) -> bool {
    !is_sensor && !is_disabled
}

/// The farthest extent of a collider at `place` from the origin, m.
fn extent_of(collider: &Collider, place: &Transform) -> f32 {
    // The shape is scaled already.
    let at = |point: Vec2| place.translation + place.rotation * point.extend(0.0);
    farthest(collider.raw.as_ref(), &|point| at(point).truncate())
}

/// The farthest extent of a shape from the origin, m, where `at` gives the place of each of its points.
fn farthest(shape: &dyn Shape, at: &dyn Fn(Vec2) -> Vec2) -> f32 {
    let of = |points: &[Vec2], border: f32| {
        let distances = points.iter().map(|&point| at(point).length());
        border + distances.fold(0.0, f32::max)
    };
    match shape.as_typed_shape() {
        TypedShape::Cuboid(it) => of(&rectangle(it.half_extents), 0.0),
        TypedShape::RoundCuboid(it) => {
            of(&rectangle(it.inner_shape.half_extents), it.border_radius)
        }
        TypedShape::Capsule(it) => of(&[it.segment.a, it.segment.b], it.radius),
        TypedShape::Segment(it) => of(&[it.a, it.b], 0.0),
        TypedShape::Triangle(it) => of(&[it.a, it.b, it.c], 0.0),
        TypedShape::RoundTriangle(it) => {
            let inner = &it.inner_shape;
            of(&[inner.a, inner.b, inner.c], it.border_radius)
        }
        TypedShape::ConvexPolygon(it) => of(it.points(), 0.0),
        TypedShape::RoundConvexPolygon(it) => of(it.inner_shape.points(), it.border_radius),
        TypedShape::Polyline(it) => of(it.vertices(), 0.0),
        TypedShape::TriMesh(it) => of(it.vertices(), 0.0),
        TypedShape::Compound(it) => {
            let parts = it.shapes().iter();
            let extents =
                parts.map(|(place, part)| farthest(part.as_ref(), &|point| at(*place * point)));
            extents.fold(0.0, f32::max)
        }
        _ => {
            let circle = shape.compute_local_bounding_sphere();
            of(&[circle.center], circle.radius)
        }
    }
}

/// The corners of a rectangle around the origin, counter-clockwise.
pub(crate) fn rectangle(half: Vec2) -> [Vec2; 4] {
    [
        -half,
        Vec2::new(half.x, -half.y),
        half,
        Vec2::new(-half.x, half.y),
    ]
}
