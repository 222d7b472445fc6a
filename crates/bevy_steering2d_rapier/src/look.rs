//! Sense: answers the questions of agents that see colliders, with Rapier's query pipeline.

use bevy::prelude::*;
use bevy_rapier2d::parry::query::{DefaultQueryDispatcher, ShapeCastOptions};
use bevy_rapier2d::parry::shape::{Ball, Shape, TypedShape};
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::geometry::{Aabb, ColliderHandle, Ray};
use bevy_rapier2d::rapier::math::Pose;
use bevy_steering2d_core::perception::{NearProbe, RayProbe, SweepProbe};
use bevy_steering2d_core::{
    Circle, ColliderProbes, SeenObstacle, SensesColliders, Vehicle, WallHit,
};

/// Before Rapier's first step its query pipeline is empty, and agents see nothing.
pub(crate) fn answer_probes(
    contexts: Query<(
        &RapierContextSimulation,
        &RapierContextColliders,
        &RapierRigidBodySet,
    )>,
    vehicles: Query<(), With<Vehicle>>,
    mut agents: Query<(
        Entity,
        &SensesColliders,
        Option<&RapierContextEntityLink>,
        &mut ColliderProbes,
    )>,
    worlds: Query<Entity, With<DefaultRapierContext>>,
) {
    let default_world = worlds.single().ok();
    agents
        .par_iter_mut()
        .for_each(|(entity, senses, link, mut probes)| {
            let Some((simulation, colliders, bodies)) = link
                .map(|link| link.0)
                .or(default_world)
                .and_then(|context| contexts.get(context).ok())
            else {
                return;
            };
            let parent_of = |collider| colliders.collider_parent(bodies, collider);
            let is_agent = |entity| vehicles.contains(entity);
            let visible = |collider: Entity| {
                let owner = parent_of(collider).unwrap_or(collider);
                owner != entity && (senses.agents || !is_agent(owner))
            };
            // Not shareable between threads, so every agent builds its own.
            let mut filter = QueryFilter::new()
                .groups(CollisionGroups::new(
                    Group::from_bits_truncate(senses.memberships),
                    Group::from_bits_truncate(senses.filter),
                ))
                .predicate(&visible);
            if !senses.sensors {
                filter = filter.exclude_sensors();
            }
            RapierQueryPipeline::new_scoped(
                &simulation.broad_phase,
                colliders,
                bodies,
                &filter,
                &DefaultQueryDispatcher,
                |pipeline| answer(&pipeline, probes.bypass_change_detection()),
            );
        });
}

fn answer(pipeline: &RapierQueryPipeline, probes: &mut ColliderProbes) {
    let ColliderProbes {
        rays,
        sweeps,
        near,
        areas,
        found,
    } = probes;
    for ray in rays {
        ray.hit = cast(pipeline, ray);
    }
    for sweep in sweeps {
        sweep.ahead = ahead(pipeline, sweep);
        sweep.beside = beside(pipeline, sweep);
    }
    for near in near {
        near.hit = nearest(pipeline, near);
    }
    for area in areas {
        list(pipeline, *area, found);
    }
}

/// What a feeler meets first.
fn cast(pipeline: &RapierQueryPipeline, probe: &RayProbe) -> Option<WallHit> {
    let way = probe.to - probe.from;
    let length = way.length();
    let direction = way.try_normalize()?;
    let ray = Ray::new(probe.from, direction);
    let solid = true;
    let (handle, hit) = pipeline
        .query_pipeline
        .cast_ray_and_get_normal(&ray, length, solid)?;
    Some(WallHit {
        entity: pipeline.collider_entity(handle),
        distance: hit.time_of_impact,
        point: probe.from + hit.time_of_impact * direction,
        // From inside there is no normal: back out.
        normal: hit.normal.try_normalize().unwrap_or(-direction),
    })
}

/// What a disc on its way touches first.
fn ahead(pipeline: &RapierQueryPipeline, probe: &SweepProbe) -> Option<SeenObstacle> {
    let way = probe.to - probe.from;
    let options = ShapeCastOptions {
        max_time_of_impact: 1.0,
        // Whatever it touches already but moves away from is behind.
        stop_at_penetration: false,
        ..ShapeCastOptions::default()
    };
    let (handle, hit) = pipeline.query_pipeline.cast_shape(
        &Pose::from_translation(probe.from),
        way,
        &Ball::new(probe.radius),
        options,
    )?;
    stone(pipeline, handle, hit.witness1, hit.normal1, probe.radius)
}

/// The nearest of what the disc touches before it moves.
fn beside(pipeline: &RapierQueryPipeline, probe: &SweepProbe) -> Option<SeenObstacle> {
    let solid = false;
    let (handle, nearest) =
        pipeline
            .query_pipeline
            .project_point(probe.from, probe.radius, solid)?;
    let offset = probe.from - nearest.point;
    let outwards = if nearest.is_inside { -offset } else { offset };
    let normal = outwards.try_normalize()?;
    (offset.length() <= probe.radius)
        .then(|| stone(pipeline, handle, nearest.point, normal, probe.radius))?
}

/// A collider touched in a point, as a circle that is touched there too: a ball as it is, any
/// other shape as a stone of the looker's size, so that it slides along.
fn stone(
    pipeline: &RapierQueryPipeline,
    handle: ColliderHandle,
    point: Vec2,
    normal: Vec2,
    radius: f32,
) -> Option<SeenObstacle> {
    let collider = pipeline.query_pipeline.colliders.get(handle)?;
    let circle = match collider.shape().as_typed_shape() {
        TypedShape::Ball(ball) => Circle::new(collider.position().translation, ball.radius),
        _ => Circle::new(point - radius * normal, radius),
    };
    Some(SeenObstacle {
        entity: pipeline.collider_entity(handle),
        circle,
    })
}

/// What is nearest to a point.
fn nearest(pipeline: &RapierQueryPipeline, probe: &NearProbe) -> Option<WallHit> {
    let solid = false;
    let (handle, projection) =
        pipeline
            .query_pipeline
            .project_point(probe.point, probe.reach, solid)?;
    let offset = probe.point - projection.point;
    let distance = offset.length();
    let outwards = offset.try_normalize().unwrap_or(Vec2::Y);
    (distance <= probe.reach).then(|| WallHit {
        entity: pipeline.collider_entity(handle),
        distance,
        point: projection.point,
        normal: outwards,
    })
}

/// Adds what touches a disc, as circles around it.
fn list(pipeline: &RapierQueryPipeline, area: Circle, found: &mut Vec<SeenObstacle>) {
    let bounds = Aabb::from_half_extents(area.center, Vec2::splat(area.radius));
    let touching = pipeline.query_pipeline.intersect_aabb_conservative(bounds);
    found.extend(touching.map(|(handle, collider)| SeenObstacle {
        entity: pipeline.collider_entity(handle),
        circle: around(collider.shape(), collider.position()),
    }));
}

/// The circle around a shape.
fn around(shape: &dyn Shape, position: &Pose) -> Circle {
    let circle = shape.compute_bounding_sphere(position);
    Circle::new(circle.center, circle.radius)
}
