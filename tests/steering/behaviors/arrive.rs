//! Arrive: tolerance, braking, moving targets.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn arrive_stops_inside_tolerance_for_any_mass_and_rate_in_rapier() {
    let point = Vec2::new(20.0, 0.0);
    let masses = [0.1, 1.0, 10.0, 100.0];
    for hertz in [30.0, 60.0, 240.0] {
        let mut app = rapier_app(hertz);
        record_events::<Arrived>(&mut app);
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
            let arrivals = recorded_events::<Arrived>(&app);
            let mine = arrivals.iter().filter(|arrived| arrived.entity == agent);
            assert_eq!(mine.count(), 1, "{case}");
        }
    }
}

#[test]
fn arrive_stops_inside_tolerance_with_every_braking() {
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
            record_events::<Arrived>(&mut app);
            let point = Vec2::new(-7.0, 9.0);
            let arrive = Arrive::new(point).with_braking(braking);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), arrive);
            run_seconds(&mut app, 20.0);
            let case = format!("{backend:?} {braking:?}");
            assert_near(position(&app, agent), point, 0.1, &case);
            assert!(
                velocity(&app, agent).length() < 1e-3,
                "{case}: still moving"
            );
            assert_eq!(recorded_events::<Arrived>(&app).len(), 1, "{case}");
        }
    }
}

#[test]
fn arrive_follows_a_moving_target() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let host = backend.spawn(&mut app, Body::at(4.0, 0.0).moving(0.0, 1.0), ());
        let guest = backend.spawn(&mut app, Body::at(0.0, 0.0), Arrive::new(host));
        run_seconds(&mut app, 10.0);
        let behind = position(&app, guest).distance(position(&app, host));
        // It brakes as for a target at rest, so it trails by the stopping distance from 1 m/s.
        assert!(behind < 1.0, "{backend:?}: {behind} m behind");
    }
}

#[test]
fn an_agent_with_a_standoff_stops_that_far_from_its_target_and_follows_when_it_leaves() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<Arrived>(&mut app);
        let player = app.world_mut().spawn(Transform::default()).id();
        let arrive = Arrive::new(player).with_standoff(3.0);
        let agent = backend.spawn(&mut app, Body::at(12.0, 9.0), arrive);
        run_seconds(&mut app, 15.0);
        let distance = |app: &App| position(app, agent).distance(position(app, player));
        assert!((distance(&app) - 3.0).abs() < 0.1, "{backend:?}");
        assert!(velocity(&app, agent).length() < 1e-3, "{backend:?}");
        assert_eq!(recorded_events::<Arrived>(&app).len(), 1, "{backend:?}");

        let stood = position(&app, agent);
        move_to(&mut app, player, 0.5 * stood);
        run_seconds(&mut app, 5.0);
        assert_near(position(&app, agent), stood, 0.1, "the player comes nearer");

        move_to(&mut app, player, Vec2::new(-10.0, 0.0));
        run_seconds(&mut app, 15.0);
        assert!((distance(&app) - 3.0).abs() < 0.1, "{backend:?}");
        assert_eq!(recorded_events::<Arrived>(&app).len(), 2, "{backend:?}");
    }
}
