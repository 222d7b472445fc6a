//! Hide: what it remembers of a run.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn a_hide_that_is_inserted_again_does_not_go_on_with_an_old_run() {
    let mut app = point_mass_app(HERTZ);
    let rock = (Transform::from_xyz(8.0, 0.0, 0.0), Obstacle::new(1.0));
    app.world_mut().spawn(rock);
    let threat = Vec2::new(-6.0, 0.0);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 3.0), Hide::new(threat));
    run_seconds(&mut app, 0.5);
    assert!(total(&app, agent) != Vec2::ZERO, "it runs");
    app.world_mut().entity_mut(agent).remove::<Hide>();
    run_ticks(&mut app, 2);
    let far_away = Hide::new(Vec2::new(500.0, 0.0));
    app.world_mut().entity_mut(agent).insert(far_away);
    for _ in 0..60 {
        app.update();
        assert_eq!(total(&app, agent), Vec2::ZERO);
    }
}
