//! Flow field following.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_flow_field_moves_agents_only_inside_its_border() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let east = FlowField::new(Vec2::splat(-10.0), 1.0, UVec2::splat(21), |_| Vec2::X);
        let field = app.world_mut().spawn(east.unwrap()).id();
        let inside = backend.spawn(
            &mut app,
            Body::at(-5.0, 0.0),
            FlowFieldFollowing::new(field),
        );
        let outside = backend.spawn(
            &mut app,
            Body::at(0.0, 20.0),
            FlowFieldFollowing::new(field),
        );
        run_seconds(&mut app, 2.0);
        assert!((velocity(&app, inside) - Vec2::new(5.0, 0.0)).length() < 0.1);
        assert_eq!(total(&app, outside), Vec2::ZERO);
        run_seconds(&mut app, 5.0);
        assert_eq!(total(&app, inside), Vec2::ZERO, "out of the field");
        assert_eq!(warnings(&app), []);
    }
}
