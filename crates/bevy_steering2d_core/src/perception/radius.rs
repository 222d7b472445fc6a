//! Perception radii of agents that do not flock. The neighbor index takes its cell size from them.

use bevy::ecs::component::ComponentId;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::QueryParamBuilder;
use bevy::ecs::world::FilteredEntityRef;
use bevy::prelude::*;

use super::Perception;
use crate::parallel::{LIGHT_PASS, for_each_mut};
use crate::{Behavior, Kinematics, PointMass, TargetWatch, Vehicle};

/// Resets the radius of agents whose `B` changed; [`note_perception_radius`] sets it again.
pub(crate) fn reset_changed_radius<B: Behavior>(
    mut agents: Query<&mut Perception, (Changed<B>, Allow<Disabled>)>,
) {
    for mut perception in &mut agents {
        reset(&mut perception);
    }
}

/// Resets the radius of an agent one of whose behaviors is removed.
pub(crate) fn reset_perception_radius(
    removed: On<Remove>,
    mut agents: Query<&mut Perception, Allow<Disabled>>,
) {
    if let Ok(mut perception) = agents.get_mut(removed.entity) {
        reset(&mut perception);
    }
}

/// Resets the radius of agents whose bodies have got another radius since.
pub(crate) fn reset_outdated_radius(
    mut agents: Query<
        (Option<&Vehicle>, Option<&Kinematics>, &mut Perception),
        (With<TargetWatch>, Allow<Disabled>),
    >,
) {
    for_each_mut(
        &mut agents,
        LIGHT_PASS,
        |(vehicle, body, mut perception)| {
            let is_known = perception.radius > 0.0;
            if is_known && perception.body_radius != body_radius(vehicle, body) {
                reset(&mut perception);
            }
        },
    );
}

/// Resets a radius that no flock profile sets.
fn reset(perception: &mut Mut<Perception>) {
    if !perception.flocks() {
        perception.radius = 0.0;
    }
}

/// A system that raises the radius of agents, after a reset, to that of their `B`.
pub(crate) fn note_perception_radius<B: Behavior>(
    world: &mut World,
) -> impl System<In = (), Out = ()> + use<B> {
    let behavior = world.register_component::<B>();
    note_radius(world, behavior, |entity, body_radius| {
        let behavior = entity.get::<B>();
        behavior.map_or(0.0, |it| it.perception_radius(body_radius))
    })
}

/// The system, with the radius that the behavior of an entity needs for a body radius.
fn note_radius(
    world: &mut World,
    behavior: ComponentId,
    radius_of: fn(&FilteredEntityRef, f32) -> f32,
) -> impl System<In = (), Out = ()> + use<> {
    type Agents<'w, 's> = Query<
        'w,
        's,
        (
            FilteredEntityRef<'static, 'static>,
            Option<&'static Vehicle>,
            Option<&'static Kinematics>,
            &'static mut Perception,
        ),
        (Changed<Perception>, Allow<Disabled>),
    >;
    let agents = QueryParamBuilder::new(move |query| {
        query.ref_id(behavior);
    });
    (agents,)
        .build_state(world)
        .build_system(move |mut agents: Agents| {
            for (entity, vehicle, body, mut perception) in &mut agents {
                if !perception.flocks() {
                    let body_radius = body_radius(vehicle, body);
                    let radius = radius_of(&entity, body_radius);
                    let perception = perception.bypass_change_detection();
                    perception.radius = perception.radius.max(radius);
                    perception.body_radius = body_radius;
                }
            }
        })
}

/// The radius of an agent's body, m.
fn body_radius(vehicle: Option<&Vehicle>, body: Option<&Kinematics>) -> f32 {
    // A disabled body may not have been sensed yet.
    let sensed = body.map(|body| body.radius).filter(|radius| *radius > 0.0);
    let given = vehicle.and_then(Vehicle::valid_radius);
    given.or(sensed).unwrap_or(PointMass::RADIUS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReciprocalAvoidance;

    #[test]
    fn the_perception_radius_follows_the_radius_of_the_body() {
        let mut app = App::new();
        let steps = (
            reset_changed_radius::<ReciprocalAvoidance>,
            reset_outdated_radius,
            note_perception_radius::<ReciprocalAvoidance>(app.world_mut()),
        );
        app.add_systems(Update, steps.chain());
        let avoidance = ReciprocalAvoidance::default();
        let of_radius = |radius| Kinematics {
            radius,
            ..default()
        };
        let parts = (avoidance, Perception::default(), TargetWatch::default());
        let agent = app.world_mut().spawn((parts, of_radius(0.5))).id();
        for radius in [0.5, 0.3, 0.4] {
            app.world_mut().entity_mut(agent).insert(of_radius(radius));
            app.update();
            let perception = app.world().get::<Perception>(agent);
            let expected = avoidance.perception_radius(radius);
            assert_eq!(perception.map(|it| it.radius), Some(expected));
        }
    }
}
