//! Seek: moving transforms and child entities as targets.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn seek_follows_the_transform_of_its_target() {
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
            "{backend:?}: sensed in the same tick"
        );
    }
}

#[test]
fn arrive_uses_the_global_transform_of_a_child() {
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
