//! The warnings about what does not fit the locomotion of an agent.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

use super::{FaceVelocity, Locomotion};
use crate::{Kinematics, SteeringClock, SteeringDisabled, SteeringWarnings, Vehicle};

/// Ticks from one look at the masses of driven agents to the next. Only a mass that two looks in a row find counts: a body
/// may get its colliders after its spawn.
const LOOK_TICKS: u32 = 64;

/// Warns about agents that have a [`FaceVelocity`], which a driven body cannot follow, and about bodies that are far too light
/// for the forces of their locomotion.
pub(super) fn warn_of_unfit_bodies<L: Locomotion>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    facing: Query<
        Entity,
        (
            With<L>,
            With<FaceVelocity>,
            Or<(Added<FaceVelocity>, Added<L>)>,
            Allow<Disabled>,
        ),
    >,
    driven: Query<(Entity, &L, &Vehicle, &Kinematics), Without<SteeringDisabled>>,
    mut light: Local<EntityHashMap<u32>>,
) {
    let name = L::short_type_path();
    for entity in &facing {
        warnings.raise(&clock, entity, "FaceVelocity", || {
            format!(
                "FaceVelocity and FaceTarget have no effect beside {name}, which turns the body"
            )
        });
    }
    if !clock.is_due(LOOK_TICKS, 0) {
        return;
    }
    for (entity, kind, vehicle, body) in &driven {
        if let Some(cornering) = excessive_cornering(kind, vehicle, body)
            && light.insert(entity, clock.tick).is_some()
        {
            warnings.raise(&clock, entity, "Kinematics.mass", || {
                format!(
                    "with {name} it corners at up to {cornering:.0} m/s², so it brakes for no curve: the body has only {:.3} kg; \
                     set its mass (by default a Rapier collider weighs 1 kg per m², a PointMass 1 kg), or lower \
                     Vehicle.max_force",
                    body.mass
                )
            });
        }
    }
    light.retain(|_, seen| *seen == clock.tick);
}

/// The cornering of an agent, m/s², if its body is far too light for the forces of its locomotion: more than any vehicle
/// holds, and more than its tightest curve takes at full speed. `None` otherwise.
fn excessive_cornering<L: Locomotion>(
    kind: &L,
    vehicle: &Vehicle,
    body: &Kinematics,
) -> Option<f32> {
    /// Six times what a racing car with wings holds, m/s².
    const MOST: f32 = 300.0;
    if body.mass <= 0.0 || kind.check().is_err() || vehicle.check().is_err() {
        return None;
    }
    let abilities = kind.abilities(vehicle, body.mass);
    let cornering = abilities.cornering.min(vehicle.max_force / body.mass);
    let speed = vehicle.max_speed;
    let needed = if abilities.turning_radius > 0.0 {
        speed * speed / abilities.turning_radius
    } else {
        speed * abilities.turn_rate
    };
    // A kind whose cornering does not depend on the mass means it as it is.
    let is_by_mass = || kind.abilities(vehicle, 2.0 * body.mass).cornering < abilities.cornering;
    (cornering > MOST.max(needed) && is_by_mass()).then_some(cornering)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Abilities, Acceleration, Controls, Hull, Motion, Tracked, Wheeled};

    fn is_too_light<L: Locomotion>(kind: L, mass: f32, max_speed: f32, max_force: f32) -> bool {
        let body = Kinematics { mass, ..default() };
        excessive_cornering(&kind, &Vehicle::new(max_speed, max_force), &body).is_some()
    }

    #[test]
    fn a_vehicle_with_the_mass_of_its_collider_is_too_light() {
        // 4 m × 1.8 m.
        assert!(is_too_light(Wheeled::default(), 7.2, 15.0, 9_600.0));
        assert!(is_too_light(Wheeled::default(), 1.0, 5.0, 9_600.0));
        assert!(is_too_light(Tracked::default(), 24.0, 12.0, 100_000.0));
        assert!(is_too_light(Hull::default(), 2.0, 8.0, 900.0));
    }

    #[test]
    fn a_vehicle_with_a_mass_or_forces_that_suit_it_is_not_too_light() {
        assert!(!is_too_light(Wheeled::default(), 1_200.0, 15.0, 9_600.0));
        assert!(!is_too_light(Tracked::default(), 20_000.0, 12.0, 100_000.0));
        assert!(!is_too_light(Hull::default(), 300.0, 8.0, 900.0));
        assert!(!is_too_light(Wheeled::default(), 1.0, 5.0, 20.0), "a toy");
        let toy = Wheeled {
            wheelbase: 0.1,
            engine_force: 0.2,
            brake_force: 0.4,
            grip: 0.5,
            ..default()
        };
        assert!(!is_too_light(toy, 0.05, 2.0, 100.0));
    }

    #[test]
    fn a_vehicle_in_other_units_that_brakes_for_curves_is_not_too_light() {
        let in_pixels = Wheeled {
            wheelbase: 130.0,
            engine_force: 300.0,
            brake_force: 600.0,
            grip: 600.0,
            ..default()
        };
        assert!(!is_too_light(in_pixels, 1.0, 700.0, 600.0));
    }

    /// Corners as fast as it likes.
    #[derive(Component, Reflect, Clone)]
    struct Saucer(f32);

    impl Locomotion for Saucer {
        fn abilities(&self, _: &Vehicle, _: f32) -> Abilities {
            Abilities {
                cornering: self.0,
                ..default()
            }
        }

        fn drive(&self, _: &Motion, _: Vec2, _: &mut Controls) {}

        fn accelerate(&self, _: &Motion, _: &Controls) -> Acceleration {
            Acceleration::default()
        }
    }

    #[test]
    fn a_kind_whose_cornering_does_not_depend_on_the_mass_means_it() {
        for cornering in [1e6, f32::MAX, f32::INFINITY, f32::NAN] {
            assert!(!is_too_light(Saucer(cornering), 0.1, 5.0, 9_600.0));
        }
    }
}
