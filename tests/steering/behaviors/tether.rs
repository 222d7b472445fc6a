//! Tether: wandering around an anchor.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn tether_keeps_a_wanderer_near_its_post() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let bundle = (Wander::default(), Tether::new(Vec2::new(3.0, 0.0), 4.0));
        let agent = backend.spawn(&mut app, Body::at(3.0, 0.0), bundle);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 120 {
            app.update();
            farthest = farthest.max(position(&app, agent).distance(Vec2::new(3.0, 0.0)));
        }
        assert!(farthest > 3.0, "{backend:?}: wanders only {farthest} m");
        assert!(farthest < 5.5, "{backend:?}: {farthest} m away");
    }
}
