//! Regression tests against known defects of other steering libraries.

use bevy::math::FloatPow;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

const EAST: Vec2 = Vec2::new(1e6, 0.0);

/// An early `return` inside the loop over agents: one arrived agent stops all later ones.
#[test]
fn an_agent_without_force_does_not_stop_the_others() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let gone = app.world_mut().spawn_empty().id();
        let mut seekers = Vec::new();
        for i in 0..20 {
            let y = 3.0 * i as f32;
            let body = Body::at(0.0, y);
            match i % 4 {
                0 => backend.spawn(&mut app, body, Seek::new(Vec2::new(0.0, y))),
                1 => backend.spawn(&mut app, body, Seek::new(gone)),
                2 => backend.spawn(&mut app, body, Seek::new(Vec2::NAN)),
                _ => {
                    seekers.push(backend.spawn(&mut app, body, Seek::new(EAST)));
                    continue;
                }
            };
        }
        run_seconds(&mut app, 1.0);
        for seeker in seekers {
            assert!(position(&app, seeker).x > 1.0, "{backend:?}");
        }
    }
}

/// Unguarded `normalize()`: NaN on coincident agents, on the target, at rest.
#[test]
fn coincident_agents_stay_finite() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agents = [(); 6].map(|()| backend.spawn(&mut app, Body::at(1.0, 1.0), ()));
        for (i, &agent) in agents.iter().enumerate() {
            let other = agents[(i + 1) % agents.len()];
            let mut agent = app.world_mut().entity_mut(agent);
            match i {
                0 => agent.insert(Seek::new(other)),
                1 => agent.insert(Flee::new(other)),
                2 => agent.insert(Arrive::new(other)),
                3 => agent.insert(Pursuit::new(other).with_prediction(Prediction::Intercept)),
                4 => agent.insert(Evade::new(other)),
                _ => agent.insert((Wander::default(), FaceVelocity::default())),
            };
        }
        for _ in 0..120 {
            app.update();
            assert_all_finite(&mut app, None, &format!("{backend:?}"));
        }
        assert!(warnings(&app).is_empty(), "{backend:?}");
    }
}

#[test]
fn seek_stays_at_rest_on_its_target() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(2.0, 3.0), Seek::new(Vec2::new(2.0, 3.0)));
        run_seconds(&mut app, 1.0);
        assert_eq!(position(&app, agent), Vec2::new(2.0, 3.0), "{backend:?}");
    }
}

/// The forces on a row of `count` agents on both sides of a target, one every `step` m along x.
fn forces_along_x<B: Bundle>(step: f32, count: i32, with: impl Fn(Vec2) -> B) -> Vec<Vec2> {
    let mut app = point_mass_app(HERTZ);
    let agents: Vec<Entity> = (0..count)
        .map(|i| {
            let x = (i - count / 2) as f32 * step;
            Backend::PointMass.spawn(&mut app, Body::at(x, 0.0), with(Vec2::ZERO))
        })
        .collect();
    run_ticks(&mut app, 1);
    agents.into_iter().map(|agent| total(&app, agent)).collect()
}

fn largest_jump(forces: &[Vec2]) -> f32 {
    let jumps = forces.windows(2).map(|pair| pair[0].distance(pair[1]));
    jumps.fold(0.0, f32::max)
}

#[test]
fn no_force_jumps_where_an_agent_reaches_its_target() {
    for forces in [
        forces_along_x(1e-4, 400, Seek::new),
        forces_along_x(1e-4, 400, Arrive::new),
        forces_along_x(1e-4, 400, Pursuit::new),
    ] {
        let largest = largest_jump(&forces);
        assert!(largest <= 1.0, "{largest} N in a tenth of a millimeter");
    }
}

/// A force that ends at the tolerance, 1.6 N: agents that others push out of it are thrown to and fro.
#[test]
fn the_force_on_an_agent_that_has_arrived_hardly_jumps_at_the_tolerance() {
    let mut app = point_mass_app(HERTZ);
    let agents: Vec<Entity> = (0..200)
        .map(|_| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(Vec2::ZERO)))
        .collect();
    run_ticks(&mut app, 2);
    for (at, &agent) in agents.iter().enumerate() {
        move_to(&mut app, agent, Vec2::new(1e-3 * at as f32, 0.0));
    }
    run_ticks(&mut app, 1);
    let forces: Vec<Vec2> = agents.iter().map(|&it| total(&app, it)).collect();
    assert!(forces[199].x < -1.0, "{}", forces[199]);
    let largest = largest_jump(&forces);
    assert!(largest <= 0.2, "{largest} N in a millimeter");
}

/// Wander's random step scaled by dt, so that paths straighten at high tick rates.
#[test]
fn wander_at_four_times_the_rate_turns_as_much() {
    let turned = |hertz: f64| {
        let mut app = point_mass_app(hertz);
        let agents: Vec<Entity> = (0..300)
            .map(|_| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default()))
            .collect();
        run_seconds(&mut app, 1.0);
        let before: Vec<Vec2> = agents.iter().map(|&agent| velocity(&app, agent)).collect();
        run_seconds(&mut app, 1.0);
        let turns = agents.iter().zip(before);
        let squares =
            turns.map(|(&agent, before)| before.angle_to(velocity(&app, agent)).squared());
        (squares.sum::<f32>() / agents.len() as f32).sqrt()
    };
    // A step scaled by dt instead of √dt would turn half as much. The standard error of a root
    // mean square over 300 samples is 4 %, that of the ratio of two is 6 %.
    let ratio = turned(30.0) / turned(120.0);
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

/// One shared random generator, consumed in query order.
#[test]
fn other_agents_do_not_change_the_path_of_a_wanderer() {
    #[derive(Component)]
    struct OtherArchetype;

    for backend in BACKENDS {
        let path = |company: u32| {
            let mut app = backend.app(HERTZ);
            for i in 0..company {
                let body = Body::at(i as f32, 5.0);
                let other = (Wander::default(), SteeringId(100 + i));
                if i % 2 == 0 {
                    backend.spawn(&mut app, body, other);
                } else {
                    backend.spawn(&mut app, body, (other, OtherArchetype, Combine::DITHERED));
                }
            }
            let hero = (Wander::default(), SteeringId(7));
            let hero = backend.spawn(&mut app, Body::at(0.0, 0.0), hero);
            (0..120)
                .map(|_| {
                    app.update();
                    position(&app, hero)
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(path(0), path(25), "{backend:?}");
    }
}

#[test]
fn an_agent_that_changes_its_archetype_keeps_its_random_stream() {
    let path = |tagged: bool| {
        let mut app = point_mass_app(HERTZ);
        let hero = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
        run_ticks(&mut app, 30);
        if tagged {
            app.world_mut().entity_mut(hero).insert(Name::new("hero"));
        }
        run_ticks(&mut app, 90);
        position(&app, hero)
    };
    assert_eq!(path(false), path(true));
}

/// Forces clamped per axis: diagonals get √2 more.
#[test]
fn a_diagonal_force_is_no_stronger_than_a_straight_one() {
    for backend in BACKENDS {
        for mode in [
            Combine::WEIGHTED_SUM,
            Combine::AVERAGE,
            Combine::PRIORITIZED,
            Combine::DITHERED,
        ] {
            let mut app = backend.app(HERTZ);
            for angle in [0.0, 0.3, std::f32::consts::FRAC_PI_4] {
                let target = 1e6 * Vec2::from_angle(angle);
                // Seek asks for 200 N and gets 20 N, its weight makes that 60 N: the behavior and the combiner clamp.
                let fast = Vehicle {
                    max_speed: 50.0,
                    ..default()
                };
                let agent = (Seek::new(target).with_weight(3.0), fast, mode);
                let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
                run_ticks(&mut app, 1);
                let raw = entry::<Seek>(&app, agent).raw.length();
                for force in [raw, total(&app, agent).length()] {
                    assert!(
                        (force - 20.0).abs() < 1e-3,
                        "{backend:?} {mode:?} {angle}: {force} N"
                    );
                }
            }
        }
    }
}

/// Zero force inside the tolerance: a frictionless body drifts through.
#[test]
fn arrive_brakes_a_drift_inside_its_tolerance() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let drifting = Body::at(-0.05, 0.0).moving(0.3, 0.0);
        let agent = backend.spawn(&mut app, drifting, Arrive::new(Vec2::ZERO));
        for _ in 0..60 * 5 {
            app.update();
            let out = position(&app, agent).length();
            assert!(out <= 0.1, "{backend:?}: {out} m outside");
        }
        let speed = velocity(&app, agent).length();
        assert!(speed < 1e-3, "{backend:?}: still {speed} m/s");
    }
}

/// Arrive that oscillates around its target.
#[test]
fn arrive_approaches_its_target_without_oscillation() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(-9.0, -4.0), Arrive::new(Vec2::ZERO));
        let mut before = f32::INFINITY;
        for tick in 0..60 * 10 {
            app.update();
            let distance = position(&app, agent).length();
            assert!(
                distance <= before + 1e-5,
                "{backend:?}: {before} then {distance} in {tick}"
            );
            before = distance;
        }
        assert!(before <= 0.1, "{backend:?}: {before} m away");
    }
}

/// Arrived agents that jitter.
#[test]
fn an_arrived_agent_stays_at_rest() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(3.0, 0.0), Arrive::new(Vec2::ZERO));
        run_seconds(&mut app, 10.0);
        let parked = position(&app, agent);
        run_seconds(&mut app, 30.0);
        assert_near(position(&app, agent), parked, 1e-3, &format!("{backend:?}"));
    }
}

/// A force applied as an impulse, or an acceleration as a force.
#[test]
fn heavier_bodies_accelerate_less_by_exactly_their_mass() {
    for backend in BACKENDS {
        let gained = |mass: f32| {
            let mut app = backend.app(HERTZ);
            let body = Body::at(0.0, 0.0).weighing(mass);
            let agent = backend.spawn(&mut app, body, Seek::new(EAST));
            run_ticks(&mut app, 1);
            assert!((total(&app, agent).x - 20.0).abs() < 1e-4, "full force");
            velocity(&app, agent).x
        };
        let expected = 20.0 * TICK;
        for mass in [1.0, 8.0, 100.0] {
            let gained = gained(mass);
            assert!(
                (gained * mass - expected).abs() < 1e-4 * expected,
                "{backend:?}: {mass} kg gained {gained} m/s"
            );
        }
    }
}

/// A published listing compares `velocity · velocity < 0.95` instead of headings: a slow quarry
/// then always counts as facing its pursuer.
#[test]
fn a_slow_crossing_quarry_is_predicted_too() {
    let mut app = point_mass_app(HERTZ);
    let quarry = Body::at(10.0, 0.0).moving(0.0, 0.1);
    let quarry = Backend::PointMass.spawn(&mut app, quarry, ());
    let body = Body::at(0.0, 0.0).moving(0.1, 0.0);
    let hunter = Pursuit::new(quarry).with_prediction(Prediction::Fixed(20.0));
    let hunter = Backend::PointMass.spawn(&mut app, body, hunter);
    run_ticks(&mut app, 1);
    let force = total(&app, hunter);
    // In 20 s the quarry is 2 m further: the force points 1 : 5 upwards.
    assert!((force.y / force.x - 0.2).abs() < 0.02, "{force}");
}

/// Weights without a common scale, such as 121500 and 8.8.
#[test]
fn equal_weights_contribute_equally() {
    let mut app = point_mass_app(HERTZ);
    let quarry = Backend::PointMass.spawn(&mut app, Body::at(0.0, 50.0), ());
    let agent = (Seek::new(EAST), Pursuit::new(quarry), Combine::WEIGHTED_SUM);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    let [seek, pursuit] = [entry::<Seek>(&app, agent), entry::<Pursuit>(&app, agent)];
    assert!((seek.raw.length() - pursuit.raw.length()).abs() < 1e-3);
    let force = total(&app, agent);
    assert!(
        (force.x - force.y).abs() < 1e-3,
        "{force} is halfway between"
    );
}

#[test]
fn no_target_behavior_exceeds_the_full_force_that_seek_and_flee_reach() {
    let mut app = point_mass_app(HERTZ);
    let other = Backend::PointMass.spawn(&mut app, Body::at(3.0, 0.0), ());
    let agent = (
        Seek::new(other),
        Flee::new(other),
        Arrive::new(other),
        Pursuit::new(other),
        Evade::new(other),
        Wander::default(),
    );
    // At full speed away from the desired direction.
    let body = Body::at(0.0, 0.0).moving(0.0, 5.0);
    let agent = Backend::PointMass.spawn(&mut app, body, agent);
    run_ticks(&mut app, 1);
    for entry in ledger(&app, agent) {
        let force = entry.raw.length();
        assert!(force <= 20.0 * 1.000_01, "{entry:?}");
    }
    for entry in [entry::<Seek>(&app, agent), entry::<Flee>(&app, agent)] {
        assert!((entry.raw.length() - 20.0).abs() < 1e-3, "{entry:?}");
    }
}

/// A priority set on one agent changes another agent or the defaults.
#[test]
fn an_influence_belongs_to_one_agent() {
    let mut app = point_mass_app(HERTZ);
    let seek = Seek::new(EAST);
    let loud = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seek.with_weight(0.25));
    let plain = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seek);
    run_ticks(&mut app, 1);
    assert_eq!(4.0 * total(&app, loud), total(&app, plain));
}
