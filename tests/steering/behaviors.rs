//! What each of the six behaviors promises its user, in whole apps.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

// ---- Pursuit ----

const PREDICTIONS: [Prediction; 5] = [
    Prediction::LookAhead,
    Prediction::DistanceOverMaxSpeed,
    Prediction::Fixed(1.0),
    Prediction::Intercept,
    Prediction::Custom(CustomPrediction(|me, quarry| {
        0.5 * me.position.distance(quarry.position) / me.max_speed
    })),
];

/// Seconds until a hunter is within half a meter of a quarry that crosses its way.
fn time_to_catch<B: Bundle>(backend: Backend, with: impl Fn(Entity) -> B) -> f32 {
    let mut app = backend.app(HERTZ);
    let quarry = backend.spawn(&mut app, Body::at(14.0, -6.0).moving(0.0, 4.0), ());
    let hunter = backend.spawn(&mut app, Body::at(0.0, 0.0), with(quarry));
    for tick in 1..60 * 60 {
        app.update();
        if position(&app, hunter).distance(position(&app, quarry)) < 0.5 {
            return tick as f32 * TICK;
        }
    }
    f32::INFINITY
}

#[test]
fn pursuit_catches_a_crossing_quarry_sooner_than_seek_with_every_prediction() {
    for backend in BACKENDS {
        let seek = time_to_catch(backend, Seek::new);
        for prediction in PREDICTIONS {
            let with = |quarry: Entity| Pursuit::new(quarry).predicting(prediction);
            let pursuit = time_to_catch(backend, with);
            assert!(
                pursuit + 0.1 < seek,
                "{backend:?} {prediction:?}: {pursuit} s, seek {seek} s"
            );
        }
    }
}

#[test]
fn pursuit_of_a_target_at_rest_is_seek() {
    let mut app = point_mass_app(HERTZ);
    let rock = Backend::PointMass.spawn(&mut app, Body::at(9.0, 5.0), ());
    let seeker = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(rock));
    let hunter = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Pursuit::new(rock));
    for _ in 0..120 {
        app.update();
        assert_eq!(position(&app, hunter), position(&app, seeker));
    }
}

// ---- Flee and evade ----

/// The forces of agents at these distances from a threat, by the tick that sees it.
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
        // 20 N fade over one meter; what else changes with the place is smaller.
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
fn an_infinite_panic_distance_never_calms() {
    let distances = [1.0, 1e3, 1e6];
    let rest = Body::at(0.0, 0.0);
    let forces = forces_at(rest, &distances, |threat| {
        Flee::new(threat).within(f32::INFINITY)
    });
    for force in forces {
        assert!((force.x - 20.0).abs() < 1e-3, "{force}");
    }
}

#[test]
fn evade_keeps_a_faster_hunter_off_longer_than_flee() {
    // The hunter runs across; who flees from where it is now runs on into its way.
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
        "evade let it come to {evade} m, flee to {flee} m"
    );
}

#[test]
fn three_hunters_are_evaded_at_once() {
    let mut app = point_mass_app(HERTZ);
    let rabbit = (Vehicle::default(), Combine::WeightedSum);
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

// ---- Arrive ----

#[test]
fn arrive_stops_inside_tolerance_for_any_mass_and_rate_in_rapier() {
    let point = Vec2::new(20.0, 0.0);
    let masses = [0.1, 1.0, 10.0, 100.0];
    for hertz in [30.0, 60.0, 240.0] {
        let mut app = rapier_app(hertz);
        listen::<Arrived>(&mut app);
        let agents = masses.map(|mass| {
            let body = Body::at(0.0, 0.0).weighing(mass);
            Backend::Rapier.spawn(&mut app, body, Arrive::new(point))
        });
        let mut farthest = [f32::NEG_INFINITY; 4];
        for _ in 0..(hertz as u32 * 45) {
            app.update();
            for (farthest, &agent) in farthest.iter_mut().zip(&agents) {
                *farthest = farthest.max(position(&app, agent).x);
            }
        }
        for ((mass, agent), farthest) in masses.into_iter().zip(agents).zip(farthest) {
            let case = format!("{mass} kg at {hertz} Hz");
            assert_near(position(&app, agent), point, 0.1, &case);
            assert!(
                velocity(&app, agent).length() < 1e-3,
                "{case}: still moving"
            );
            assert!(farthest - point.x <= 0.1, "{case}: overshot to {farthest}");
            let arrivals = heard::<Arrived>(&app);
            let mine = arrivals.iter().filter(|arrived| arrived.entity == agent);
            assert_eq!(mine.count(), 1, "{case}");
        }
    }
}

#[test]
fn every_braking_arrives() {
    for backend in BACKENDS {
        for braking in [
            Braking::Physical,
            Braking::Deceleration(Deceleration::Slow),
            Braking::Deceleration(Deceleration::Normal),
            Braking::Deceleration(Deceleration::Fast),
            Braking::Ramp {
                slowing_radius: 4.0,
            },
        ] {
            let mut app = backend.app(HERTZ);
            listen::<Arrived>(&mut app);
            let point = Vec2::new(-7.0, 9.0);
            let arrive = Arrive::new(point).braking(braking);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), arrive);
            run_seconds(&mut app, 20.0);
            let case = format!("{backend:?} {braking:?}");
            assert_near(position(&app, agent), point, 0.1, &case);
            assert!(
                velocity(&app, agent).length() < 1e-3,
                "{case}: still moving"
            );
            assert_eq!(heard::<Arrived>(&app).len(), 1, "{case}");
        }
    }
}

#[test]
fn arrive_stays_with_a_target_that_walks() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let host = backend.spawn(&mut app, Body::at(4.0, 0.0).moving(0.0, 1.0), ());
        let guest = backend.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(host));
        run_seconds(&mut app, 10.0);
        let behind = position(&app, guest).distance(position(&app, host));
        // It brakes for a target at rest, so it trails by what one meter per second takes to stop.
        assert!(behind < 1.0, "{backend:?}: {behind} m behind");
    }
}

// ---- Wander ----

#[test]
fn wander_turns_smoothly_and_keeps_moving() {
    let angle = WanderStyle::Angle {
        radius: 1.0,
        distance: 2.0,
        angle_change: 3.0,
    };
    for backend in BACKENDS {
        for style in [WanderStyle::default(), angle] {
            let mut app = backend.app(HERTZ);
            let strollers =
                [(); 20].map(|()| backend.spawn(&mut app, Body::at(0.0, 0.0), Wander::new(style)));
            run_seconds(&mut app, 2.0);
            let mut before = strollers.map(|one| velocity(&app, one));
            for _ in 0..60 * 20 {
                app.update();
                for (&one, before) in strollers.iter().zip(&mut before) {
                    let now = velocity(&app, one);
                    let turn = before.angle_to(now).abs();
                    assert!(turn < 0.1, "{backend:?} {style:?}: {turn} rad in one tick");
                    assert!(now.length() > 2.5, "{backend:?} {style:?}: slowed to {now}");
                    *before = now;
                }
            }
        }
    }
}

#[test]
fn wander_prefers_neither_side() {
    let mut app = point_mass_app(HERTZ);
    let strollers: Vec<Entity> = (0..400)
        .map(|_| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default()))
        .collect();
    run_seconds(&mut app, 2.0);
    let mut before: Vec<Vec2> = strollers.iter().map(|&one| velocity(&app, one)).collect();
    let (mut turned, mut squares) = (0.0, 0.0);
    for _ in 0..10 {
        run_seconds(&mut app, 1.0);
        for (&one, before) in strollers.iter().zip(&mut before) {
            let now = velocity(&app, one);
            let turn = before.angle_to(now);
            turned += turn;
            squares += turn * turn;
            *before = now;
        }
    }
    let samples = strollers.len() as f32 * 10.0;
    let deviation = (squares / samples).sqrt();
    let mean = turned / samples;
    // Turns of one stroller are correlated; as if only every tenth counted, five sigmas:
    let allowed = 5.0 * deviation / (samples / 10.0).sqrt();
    assert!(
        mean.abs() < allowed,
        "{mean} rad/s on average, {allowed} allowed"
    );
}

#[test]
fn random_targets_keep_a_wanderer_in_its_area() {
    let area = Rect::new(-8.0, -5.0, 8.0, 5.0);
    let style = WanderStyle::RandomTarget { area, every: 2.0 };
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Wander::new(style));
        // It may run past a target by what it takes to brake: 5 m/s at 20 m/s² and 0.25 s.
        let reach = area.inflate(5.0 * 5.0 / (2.0 * 20.0) + 5.0 * 0.25);
        for _ in 0..60 * 30 {
            app.update();
            let place = position(&app, agent);
            assert!(reach.contains(place), "{backend:?}: {place}");
        }
    }
}

// ---- Seek ----

#[test]
fn seek_follows_an_entity_by_its_transform_or_its_body() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let flag = app
            .world_mut()
            .spawn(Transform::from_xyz(0.0, 50.0, 0.0))
            .id();
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(flag));
        run_ticks(&mut app, 1);
        assert!(total(&app, agent).y > 19.9, "{backend:?}");
        let mut place = app.world_mut().get_mut::<Transform>(flag).unwrap();
        place.translation = Vec3::new(50.0, 0.0, 0.0);
        run_ticks(&mut app, 1);
        assert!(
            total(&app, agent).x > 19.5,
            "{backend:?}: seen in the same tick"
        );
    }
}

#[test]
fn seek_follows_a_child_by_its_global_place() {
    let mut app = point_mass_app(HERTZ);
    let ship = app
        .world_mut()
        .spawn(Transform::from_xyz(0.0, 40.0, 0.0))
        .id();
    let mast = (ChildOf(ship), Transform::from_xyz(0.0, 10.0, 0.0));
    let mast = app.world_mut().spawn(mast).id();
    run_ticks(&mut app, 1);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 49.0), Arrive::new(mast));
    run_seconds(&mut app, 5.0);
    assert_near(
        position(&app, agent),
        Vec2::new(0.0, 50.0),
        0.1,
        "at the mast",
    );
}
