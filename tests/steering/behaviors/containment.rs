//! Containment: agents that want to get out stand at the edge.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn an_agent_that_wants_to_get_out_stands_at_the_edge_without_trembling() {
    for (mass, max_force) in [(0.1, 20.0), (0.5, 20.0), (1.0, 200.0), (1.0, 1_000.0)] {
        let mut app = point_mass_app(HERTZ);
        let vehicle = Vehicle {
            max_force,
            ..default()
        };
        let pen = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(10.0));
        let agent = (
            vehicle,
            Containment::new(pen),
            Seek::new(Vec2::new(20.0, 0.0)),
        );
        let body = Body::at(0.0, 0.0).weighing(mass);
        let agent = Backend::PointMass.spawn(&mut app, body, agent);
        run_seconds(&mut app, 15.0);
        for _ in 0..300 {
            app.update();
            let speed = velocity(&app, agent).length();
            assert!(speed < 0.02, "{mass} kg, {max_force} N: {speed} m/s");
        }
        // A body of half a meter.
        let x = position(&app, agent).x;
        assert!((9.0..10.0).contains(&x), "{mass} kg, {max_force} N: {x} m");
    }
}
