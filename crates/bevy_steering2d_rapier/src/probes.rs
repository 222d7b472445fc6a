//! Collider probes: answers the queries of agents with `SensesColliders` through Rapier's query
//! pipeline.

use bevy::prelude::*;
use bevy_rapier2d::parry::query::{DefaultQueryDispatcher, ShapeCastOptions, cast_shapes};
use bevy_rapier2d::parry::shape::{Ball, Shape, TypedShape};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as SimulatedBody;
use bevy_rapier2d::rapier::geometry::{Aabb, Collider as SimulatedCollider, ColliderHandle, Ray};
use bevy_rapier2d::rapier::math::Pose;
use bevy_rapier2d::rapier::pipeline::{
    QueryFilter as ColliderFilter, QueryFilterFlags, QueryPipeline,
};
use bevy_steering2d_core::parallel::{Pass, for_each_match};
use bevy_steering2d_core::perception::{NearProbe, RayProbe, SweepProbe, nearest_on_segment};
use bevy_steering2d_core::{
    Circle, ColliderProbes, InvalidParameter, SeenObstacle, SensesColliders, SteeringClock,
    SteeringWarnings, WallHit,
};

use crate::owners::{Owners, entity_of};

/// Answers the probes of all agents. Before Rapier's first step its query pipeline is empty and
/// agents see no colliders.
pub(crate) fn answer_probes(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    contexts: Query<(
        &RapierContextSimulation,
        &RapierContextColliders,
        &RapierRigidBodySet,
    )>,
    owners: Owners,
    mut agents: Query<(
        Entity,
        &SensesColliders,
        Option<&RapierContextEntityLink>,
        Has<RigidBody>,
        &mut ColliderProbes,
    )>,
    default_contexts: Query<Entity, With<DefaultRapierContext>>,
) {
    let default_context = default_contexts.single().ok();
    for_each_match(
        &mut agents,
        PROBING_PASS,
        || (),
        |(), (entity, senses, link, has_body, mut probes)| {
            let probes = probes.bypass_change_detection();
            if !probes.take_unanswered() {
                return;
            }
            let context = link.map(|link| link.0).or(default_context);
            // A body that no context takes in has a warning of its own.
            if context.is_none() && !has_body && !contexts.is_empty() {
                warnings.raise(&clock, entity, "RapierContextEntityLink", || {
                    "has SensesColliders and is in no Rapier context, so it sees no colliders: mark exactly one context \
                     with DefaultRapierContext, or give it a RapierContextEntityLink"
                        .into()
                });
            }
            let found = context.and_then(|context| contexts.get(context).ok());
            let Some((simulation, colliders, bodies)) = found else {
                return;
            };
            let visible = |_: ColliderHandle, collider: &SimulatedCollider| {
                is_visible(collider, entity, senses, bodies, &owners)
            };
            let pipeline = simulation.broad_phase.as_query_pipeline(
                &DefaultQueryDispatcher,
                &bodies.bodies,
                &colliders.colliders,
                filter_of(senses, &visible),
            );
            answer(&pipeline, probes);
        },
    );
}

/// Whether an agent may perceive a collider: never one that is part of it, such as that of a shield with a body of its own, and
/// those of other agents only if it senses them.
fn is_visible(
    collider: &SimulatedCollider,
    agent: Entity,
    senses: &SensesColliders,
    bodies: &RapierRigidBodySet,
    owners: &Owners,
) -> bool {
    let part = entity_of(collider.user_data);
    let body = collider.parent().and_then(|it| bodies.bodies.get(it));
    let of_body = body.and_then(|body| entity_of(body.user_data));
    // A collider without a body may be part of an agent without one.
    let owner = of_body.or_else(|| owners.agent_of(part?)).or(part);
    owner.is_none_or(|it| {
        let is_own = it == agent || owners.agent_of(it) == Some(agent);
        !is_own && (senses.agents || !owners.is_agent(it))
    })
}

/// The filter of an agent for Rapier. That of `bevy_rapier2d` would panic on a collider without an entity.
fn filter_of<'a>(
    senses: &SensesColliders,
    visible: &'a impl Fn(ColliderHandle, &SimulatedCollider) -> bool,
) -> ColliderFilter<'a> {
    let groups = CollisionGroups::new(
        Group::from_bits_truncate(senses.memberships),
        Group::from_bits_truncate(senses.filter),
    );
    ColliderFilter {
        flags: if senses.sensors {
            QueryFilterFlags::empty()
        } else {
            QueryFilterFlags::EXCLUDE_SENSORS
        },
        groups: Some(groups.into()),
        predicate: Some(visible),
        ..ColliderFilter::default()
    }
}

/// A probe takes a microsecond.
const PROBING_PASS: Pass = Pass {
    parallel_from: 100,
    least_chunk: 6,
};

/// The entity that a probe reports for a collider.
fn reported(pipeline: &QueryPipeline, handle: ColliderHandle) -> Entity {
    let collider = pipeline.colliders.get(handle);
    let entity = collider.and_then(|it| entity_of(it.user_data));
    entity.unwrap_or(Entity::PLACEHOLDER)
}

fn answer(pipeline: &QueryPipeline, probes: &mut ColliderProbes) {
    let ColliderProbes {
        rays,
        sweeps,
        near,
        areas,
        found,
        ..
    } = probes;
    for ray in rays {
        ray.hit = cast_ray(pipeline, ray);
    }
    for sweep in sweeps {
        let begin = found.len();
        collect_contacts(pipeline, sweep, found);
        sweep.found = begin..found.len();
    }
    for near in near {
        near.hit = nearest_surface(pipeline, near);
    }
    for probe in areas {
        let begin = found.len();
        collect_obstacles(pipeline, probe.area, found);
        probe.found = begin..found.len();
    }
}

/// The first hit of a feeler.
fn cast_ray(pipeline: &QueryPipeline, probe: &RayProbe) -> Option<WallHit> {
    let path = probe.to - probe.from;
    let length = path.length();
    let direction = path.try_normalize()?;
    let ray = Ray::new(probe.from, direction);
    let solid = true;
    let (handle, hit) = pipeline.cast_ray_and_get_normal(&ray, length, solid)?;
    let point = probe.from + hit.time_of_impact * direction;
    Some(WallHit {
        entity: reported(pipeline, handle),
        distance: hit.time_of_impact,
        point,
        // A ray that starts inside a collider has no normal: point back along the ray.
        normal: hit.normal.try_normalize().unwrap_or(-direction),
        velocity: surface_velocity(pipeline, handle, point),
    })
}

/// Adds all colliders that a swept disc touches.
fn collect_contacts(pipeline: &QueryPipeline, probe: &SweepProbe, found: &mut Vec<SeenObstacle>) {
    let &SweepProbe {
        from, to, radius, ..
    } = probe;
    let bounds = Aabb::new(from.min(to) - radius, from.max(to) + radius);
    for (handle, collider) in pipeline.intersect_aabb_conservative(bounds) {
        let around = bounding_circle(collider.shape(), collider.position());
        let nearest = nearest_on_segment(around.center, from, to);
        if nearest.distance(around.center) > around.radius + radius {
            continue;
        }
        let circles = match collider.shape().as_typed_shape() {
            TypedShape::Ball(_) => [Some(around), None],
            _ => [
                first_contact(collider, probe),
                initial_overlap(collider, probe),
            ],
        };
        let circles = circles.into_iter().flatten();
        found.extend(circles.map(|circle| seen(pipeline, handle, collider, circle)));
    }
}

/// Where a swept disc first touches a collider.
fn first_contact(collider: &SimulatedCollider, probe: &SweepProbe) -> Option<Circle> {
    let options = ShapeCastOptions {
        max_time_of_impact: 1.0,
        // Ignores an overlapping collider that the disc moves away from.
        stop_at_penetration: false,
        ..ShapeCastOptions::default()
    };
    let place = collider.position();
    let hit = cast_shapes(
        place,
        Vec2::ZERO,
        collider.shape(),
        &Pose::from_translation(probe.from),
        probe.to - probe.from,
        &Ball::new(probe.radius),
        options,
    );
    let hit = hit.ok().flatten()?;
    let (point, normal) = (place * hit.witness1, place.rotation * hit.normal1);
    Some(touching(point, normal, probe.radius))
}

/// Where the disc overlaps a collider at the start of its sweep.
fn initial_overlap(collider: &SimulatedCollider, probe: &SweepProbe) -> Option<Circle> {
    let solid = false;
    let nearest = collider
        .shape()
        .project_point(collider.position(), probe.from, solid);
    let offset = probe.from - nearest.point;
    let outwards = if nearest.is_inside { -offset } else { offset };
    let normal = outwards.try_normalize()?;
    let overlaps = offset.length() <= probe.radius;
    overlaps.then(|| touching(nearest.point, normal, probe.radius))
}

/// A circle as large as the disc that touches a surface at the same point, so that the agent slides along the surface.
fn touching(point: Vec2, normal: Vec2, radius: f32) -> Circle {
    Circle::new(point - radius * normal, radius)
}

/// The body that a collider belongs to.
fn body_of<'a>(
    pipeline: &'a QueryPipeline,
    collider: &SimulatedCollider,
) -> Option<&'a SimulatedBody> {
    collider.parent().and_then(|it| pipeline.bodies.get(it))
}

/// The velocity of a point of a collider's surface, m/s.
fn surface_velocity(pipeline: &QueryPipeline, handle: ColliderHandle, point: Vec2) -> Vec2 {
    let collider = pipeline.colliders.get(handle);
    let body = collider.and_then(|it| body_of(pipeline, it));
    body.map_or(Vec2::ZERO, |it| it.velocity_at_point(point))
}

/// The surface point nearest to a probe's point, which may be inside of the collider.
fn nearest_surface(pipeline: &QueryPipeline, probe: &NearProbe) -> Option<WallHit> {
    let solid = false;
    let (handle, projection) = pipeline.project_point(probe.point, probe.radius, solid)?;
    let offset = probe.point - projection.point;
    let side = if projection.is_inside { -1.0 } else { 1.0 };
    let outwards = side * offset;
    let distance = offset.length();
    (distance <= probe.radius).then(|| WallHit {
        entity: reported(pipeline, handle),
        distance: side * distance,
        point: projection.point,
        normal: outwards.try_normalize().unwrap_or(Vec2::Y),
        velocity: surface_velocity(pipeline, handle, projection.point),
    })
}

/// Adds the bounding circles of all colliders near a disc.
fn collect_obstacles(pipeline: &QueryPipeline, area: Circle, found: &mut Vec<SeenObstacle>) {
    let bounds = Aabb::from_half_extents(area.center, Vec2::splat(area.radius));
    let touching = pipeline.intersect_aabb_conservative(bounds);
    found.extend(touching.filter_map(|(handle, collider)| {
        let circle = bounding_circle(collider.shape(), collider.position());
        // That of a half-space is no circle.
        let is_bounded = circle.radius <= InvalidParameter::LARGEST;
        is_bounded.then(|| seen(pipeline, handle, collider, circle))
    }));
}

/// A collider that a probe found, as a circle.
fn seen(
    pipeline: &QueryPipeline,
    handle: ColliderHandle,
    collider: &SimulatedCollider,
    circle: Circle,
) -> SeenObstacle {
    SeenObstacle {
        entity: reported(pipeline, handle),
        circle,
        filled: filled_around(collider, circle),
        velocity: body_of(pipeline, collider).map_or(Vec2::ZERO, SimulatedBody::linvel),
    }
}

/// The radius of the disc around the center of a circle that the collider fills, m.
fn filled_around(collider: &SimulatedCollider, circle: Circle) -> f32 {
    let solid = false;
    let nearest = collider
        .shape()
        .project_point(collider.position(), circle.center, solid);
    if nearest.is_inside {
        nearest.point.distance(circle.center)
    } else {
        0.0
    }
}

fn bounding_circle(shape: &dyn Shape, position: &Pose) -> Circle {
    let circle = shape.compute_bounding_sphere(position);
    Circle::new(circle.center, circle.radius)
}
