//! Groups of solid bodies that one order sends to a target.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::{HERTZ, rapier_app, record_events, recorded_events, run_seconds};

#[test]
fn a_group_of_small_and_large_bodies_comes_to_rest() {
    const RADII: [f32; 3] = [0.35, 0.5, 0.7];
    let mut app = rapier_app(HERTZ);
    record_events::<GroupArrived>(&mut app);
    let units: Vec<_> = (0..30_u8)
        .map(|index| {
            let radius = RADII[usize::from(index % 3)];
            let cell = Vec2::new(f32::from(index % 5), f32::from(index / 5));
            let mass = 500.0 * radius * radius;
            let body = (
                Transform::from_translation((2.0 * cell).extend(0.0)),
                RigidBody::Dynamic,
                Collider::ball(radius),
                ColliderMassProperties::Mass(mass),
                Friction::coefficient(0.0),
                Velocity::zero(),
            );
            let vehicle = Vehicle {
                max_speed: 4.0,
                max_force: 6.0 * mass,
                ..default()
            };
            let agent = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
            app.world_mut().spawn((body, vehicle, agent)).id()
        })
        .collect();
    let order = GroupArrive::new(Vec2::new(40.0, 5.0));
    let mut commands = app.world_mut().commands();
    let order = commands.order_group(order, units);
    app.world_mut().flush();
    run_seconds(&mut app, 40.0);
    let arrived = GroupArrived {
        entity: order,
        members: 30,
        missing: 0,
    };
    assert_eq!(recorded_events::<GroupArrived>(&app), [arrived]);
}
