//! Match velocity.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn match_velocity_reaches_the_velocity_of_its_target() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let other = backend.spawn(&mut app, Body::at(50.0, 0.0).moving(1.0, -2.0), ());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), MatchVelocity::new(other));
        run_seconds(&mut app, 3.0);
        let error = velocity(&app, agent) - Vec2::new(1.0, -2.0);
        assert!(error.length() < 0.01, "{backend:?}: {error}");
    }
}
