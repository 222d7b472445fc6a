//! Flocking: separation, alignment and cohesion share one pass over the neighbors, but have ledger
//! entries and influences of their own.

use bevy::prelude::*;
use bevy_steering2d::BehaviorRegistry;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Spawns two boids side by side and returns the second.
fn pair(app: &mut App) -> Entity {
    let mut spawn = |x: f32| {
        let body = Body::at(x, 0.0).moving(1.0, x);
        Backend::PointMass.spawn(app, body, Flocking::default())
    };
    spawn(0.0);
    spawn(1.0)
}

/// The behaviors in an agent's ledger, and why each was cut.
fn cuts(app: &App, agent: Entity) -> Vec<(&'static str, Cut)> {
    let registry = app.world().resource::<BehaviorRegistry>();
    let entries = ledger(app, agent).into_iter();
    entries
        .map(|entry| (registry.get(entry.behavior).name, entry.cut))
        .collect()
}

#[test]
fn each_flocking_behavior_has_its_own_ledger_entry() {
    let mut app = point_mass_app(HERTZ);
    let boid = pair(&mut app);
    run_ticks(&mut app, 1);
    let names: Vec<_> = cuts(&app, boid).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Separation", "Alignment", "Cohesion"]);
    assert!(
        ledger(&app, boid)
            .iter()
            .all(|entry| entry.raw != Vec2::ZERO)
    );
}

#[test]
fn a_removed_flocking_behavior_leaves_only_the_others_in_the_ledger() {
    let mut app = point_mass_app(HERTZ);
    let boid = pair(&mut app);
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(boid).remove::<Separation>();
    run_ticks(&mut app, 1);
    let names: Vec<_> = cuts(&app, boid).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Alignment", "Cohesion"]);
    app.world_mut()
        .entity_mut(boid)
        .remove::<(Alignment, Cohesion)>();
    run_ticks(&mut app, 1);
    assert_eq!(cuts(&app, boid), []);
    app.world_mut().entity_mut(boid).insert(Cohesion::default());
    run_ticks(&mut app, 1);
    assert_eq!(cuts(&app, boid), [("Cohesion", Cut::Nothing)]);
}

#[test]
fn weight_priority_and_enabled_take_effect_in_the_next_tick() {
    let mut app = point_mass_app(HERTZ);
    let boid = pair(&mut app);
    run_ticks(&mut app, 2);
    let mut entity = app.world_mut().entity_mut(boid);
    let mut cohesion = entity.get_mut::<Cohesion>().unwrap();
    cohesion.influence.weight = 0.25;
    cohesion.influence.priority = 1_000;
    entity.get_mut::<Alignment>().unwrap().influence.enabled = false;
    run_ticks(&mut app, 1);
    let first = ledger(&app, boid)[0];
    assert_eq!(first.weight, 0.25);
    assert_eq!(cuts(&app, boid)[0].0, "Cohesion", "first by priority");
    assert!(cuts(&app, boid).contains(&("Alignment", Cut::Disabled)));
}

#[test]
fn an_invalid_flocking_behavior_warns_and_the_others_continue() {
    let mut app = point_mass_app(HERTZ);
    let boid = pair(&mut app);
    let mut entity = app.world_mut().entity_mut(boid);
    entity.get_mut::<Separation>().unwrap().perception_radius = f32::NAN;
    run_ticks(&mut app, 2);
    assert!(cuts(&app, boid).contains(&("Separation", Cut::Invalid)));
    assert!(cuts(&app, boid).contains(&("Cohesion", Cut::Nothing)));
    let warned = warnings(&app);
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert_eq!(
        (warned[0].entity, warned[0].field),
        (boid, "Separation.perception_radius")
    );
}

#[test]
fn a_boid_with_an_invalid_vehicle_warns_and_gets_no_force() {
    let mut app = point_mass_app(HERTZ);
    let boid = pair(&mut app);
    let mut entity = app.world_mut().entity_mut(boid);
    entity.get_mut::<Vehicle>().unwrap().max_speed = -1.0;
    run_ticks(&mut app, 2);
    assert_eq!(cuts(&app, boid), []);
    assert_eq!(total(&app, boid), Vec2::ZERO);
    assert_eq!(warnings(&app)[0].field, "Vehicle.max_speed");
}

#[test]
fn a_huge_perception_radius_finds_only_existing_neighbors() {
    // The square of the last radius overflows.
    for radius in [1e12, 1e18, 1e30] {
        let mut app = point_mass_app(HERTZ);
        let boid = Backend::PointMass.spawn(
            &mut app,
            Body::at(0.0, 0.0).moving(1.0, 0.0),
            Flocking::new(radius),
        );
        run_ticks(&mut app, 1);
        assert!(
            ledger(&app, boid)
                .iter()
                .all(|entry| entry.raw == Vec2::ZERO)
        );
        let other = Body::at(0.0, 4.0).moving(0.0, 1.0);
        Backend::PointMass.spawn(&mut app, other, Wander::default());
        run_ticks(&mut app, 1);
        let [separation, alignment, ..] = ledger(&app, boid)[..] else {
            panic!("expected three entries")
        };
        assert!(separation.raw.y < 0.0 && alignment.raw.y > 0.0, "{radius}");
    }
}
