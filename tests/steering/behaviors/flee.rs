//! Flee and evade: panic distance, falloff, several threats.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// The forces on agents at these distances from a threat, in the first tick.
fn forces_at<B: Bundle>(threat: Body, distances: &[f32], with: impl Fn(Entity) -> B) -> Vec<Vec2> {
    let mut app = point_mass_app(HERTZ);
    let threat = Backend::PointMass.spawn(&mut app, threat, ());
    let agents: Vec<Entity> = distances
        .iter()
        .map(|&x| Backend::PointMass.spawn(&mut app, Body::at(x, 0.0), with(threat)))
        .collect();
    run_ticks(&mut app, 1);
    agents
        .iter()
        .map(|&agent| ledger(&app, agent)[0].raw)
        .collect()
}

#[test]
fn flee_and_evade_are_exactly_zero_beyond_the_panic_distance() {
    let beyond = [10.000_01, 10.5, 11.0, 1e3, 1e6];
    let charging = Body::at(0.0, 0.0).moving(9.0, 0.0);
    for forces in [
        forces_at(charging, &beyond, Flee::new),
        forces_at(charging, &beyond, Evade::new),
    ] {
        assert_eq!(forces, [Vec2::ZERO; 5]);
    }
}

#[test]
fn flee_and_evade_fade_in_without_a_jump() {
    let step = 0.002;
    let distances: Vec<f32> = (0..1_000).map(|i| 9.0 + step * i as f32).collect();
    let passing = Body::at(0.0, 0.0).moving(2.0, 3.0);
    for forces in [
        forces_at(passing, &distances, Flee::new),
        forces_at(passing, &distances, Evade::new),
    ] {
        // 20 N fade over one meter; other changes with the position are smaller.
        let allowed = 1.5 * 20.0 * step;
        for pair in forces.windows(2) {
            assert!(
                pair[0].distance(pair[1]) <= allowed,
                "{} to {}",
                pair[0],
                pair[1]
            );
        }
        assert!(
            (forces[0].length() - 20.0).abs() < 0.5,
            "full urgency one meter inside"
        );
    }
}

#[test]
fn flee_with_infinite_panic_distance_never_fades() {
    let distances = [1.0, 1e3, 1e6];
    let rest = Body::at(0.0, 0.0);
    let forces = forces_at(rest, &distances, |threat| {
        Flee::new(threat).with_panic_distance(f32::INFINITY)
    });
    for force in forces {
        assert!((force.x - 20.0).abs() < 1e-3, "{force}");
    }
}

#[test]
fn evade_keeps_a_faster_pursuer_farther_away_than_flee() {
    // The hunter crosses: fleeing from its current position leads into its path.
    let nearest = |with: fn(Entity) -> (Evade, Flee)| {
        let mut app = point_mass_app(HERTZ);
        let hunter = Body::at(-8.0, -6.0).moving(4.0, 3.5);
        let hunter = Backend::PointMass.spawn(&mut app, hunter, ());
        let prey = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), with(hunter));
        (0..60 * 5)
            .map(|_| {
                app.update();
                position(&app, prey).distance(position(&app, hunter))
            })
            .fold(f32::INFINITY, f32::min)
    };
    let flee = nearest(|hunter| (Evade::default().disabled(), Flee::new(hunter)));
    let evade = nearest(|hunter| (Evade::new(hunter), Flee::default().disabled()));
    assert!(
        evade > flee,
        "nearest distance: {evade} m with evade, {flee} m with flee"
    );
}

#[test]
fn evade_escapes_three_pursuers_at_once() {
    let mut app = point_mass_app(HERTZ);
    let rabbit = (Vehicle::default(), Combine::WEIGHTED_SUM);
    let rabbit = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), rabbit);
    for place in [
        Vec2::new(-4.0, 0.0),
        Vec2::new(-2.0, 4.0),
        Vec2::new(-2.0, -4.0),
    ] {
        let hunter = Backend::PointMass.spawn(&mut app, Body::at(place.x, place.y), ());
        app.world_mut()
            .spawn((SteersFor(rabbit), Evade::new(hunter)));
    }
    run_ticks(&mut app, 1);
    let force = total(&app, rabbit);
    assert!(
        force.x > 10.0 && force.y.abs() < 1e-3,
        "{force} leads out of the half circle"
    );
}
