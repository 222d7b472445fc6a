//! External forces: steering adds to `ExternalForce` and gravity, and changes neither.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn an_external_force_adds_to_steering_and_stays_unchanged() {
    let own = ExternalForce {
        force: Vec2::new(0.0, 3.0),
        torque: 0.0,
    };
    let mut app = rapier_app(HERTZ);
    let with = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), (Seek::new(EAST), own));
    let without = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 1);
    let difference = velocity(&app, with) - velocity(&app, without);
    assert_near(
        difference,
        own.force * TICK,
        1e-5,
        "force on 1 kg for one tick",
    );

    app.world_mut().entity_mut(with).remove::<Seek>();
    let before = velocity(&app, with);
    run_ticks(&mut app, 30);
    let after = velocity(&app, with);
    assert_near(
        after - before,
        own.force * 30.0 * TICK,
        1e-3,
        "the external force remains",
    );
    assert_eq!(*get::<ExternalForce>(&app, with), own);
}

#[test]
fn gravity_adds_to_steering() {
    let mut app = rapier_app(HERTZ);
    let mut worlds = app.world_mut().query::<&mut RapierConfiguration>();
    worlds.single_mut(app.world_mut()).unwrap().gravity = Vec2::new(0.0, -9.81);
    let agent = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    let stone = Backend::Rapier.spawn(&mut app, Body::at(0.0, 5.0), ());
    run_ticks(&mut app, 1);
    let fall = Vec2::new(0.0, -9.81 * TICK);
    assert_near(velocity(&app, stone), fall, 1e-5, "stone");
    let expected = fall + Vec2::new(STRONGEST_CHANGE, 0.0);
    assert_near(velocity(&app, agent), expected, 1e-5, "agent");

    // 20 N hold up 9.81 N: it soon flies level, sinking by 9.81 m/s² times 0.25 s of response time.
    run_seconds(&mut app, 3.0);
    let sag = velocity(&app, agent).y;
    assert!((-9.81 * 0.25 - 0.3..0.0).contains(&sag), "{sag} m/s");
}
