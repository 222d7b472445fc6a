//! Fixed colliders as solids of navigation, while they change.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::navigation::{ColliderSolids, NavigateTo, Solid};

use super::fixed;
use crate::common::*;

/// An app with balls on the x-axis, and an agent that plans around them.
fn app_with_balls(balls: [(f32, f32); 3]) -> (App, [Entity; 3]) {
    let mut app = rapier_app(HERTZ);
    let balls = balls.map(|(x, radius)| fixed(&mut app, Collider::ball(radius), x, 0.0));
    let way = NavigateTo::new(Vec2::new(0.0, 30.0));
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 20.0), way);
    run_ticks(&mut app, 3);
    (app, balls)
}

#[track_caller]
fn assert_balls(app: &App, balls: &[(f32, f32)]) {
    let solids = &app.world().resource::<ColliderSolids>().0;
    assert_eq!(solids.len(), balls.len(), "{solids:?}");
    for &(x, radius) in balls {
        let is_there = |it: &Solid| {
            let middle = Vec2::new(x, 0.0);
            it.from.distance(middle) < 1e-3 && (it.radius - radius).abs() < 1e-3
        };
        assert!(solids.iter().any(is_there), "{radius} m at {x}: {solids:?}");
    }
}

#[test]
fn solids_follow_colliders_that_move_change_their_shape_or_go() {
    let (mut app, [a, b, c]) = app_with_balls([(0.0, 1.0), (5.0, 2.0), (9.0, 1.0)]);
    assert_balls(&app, &[(0.0, 1.0), (5.0, 2.0), (9.0, 1.0)]);
    run_ticks(&mut app, 5);
    assert_balls(&app, &[(0.0, 1.0), (5.0, 2.0), (9.0, 1.0)]);
    app.world_mut()
        .get_mut::<Transform>(a)
        .unwrap()
        .translation
        .x = -3.0;
    run_ticks(&mut app, 3);
    assert_balls(&app, &[(-3.0, 1.0), (5.0, 2.0), (9.0, 1.0)]);
    app.world_mut().entity_mut(b).insert(Collider::ball(0.5));
    run_ticks(&mut app, 3);
    assert_balls(&app, &[(-3.0, 1.0), (5.0, 0.5), (9.0, 1.0)]);
    app.world_mut().entity_mut(c).insert(Sensor);
    run_ticks(&mut app, 3);
    assert_balls(&app, &[(-3.0, 1.0), (5.0, 0.5)]);
    app.world_mut().entity_mut(c).remove::<Sensor>();
    app.world_mut().despawn(a);
    run_ticks(&mut app, 3);
    assert_balls(&app, &[(5.0, 0.5), (9.0, 1.0)]);
    app.world_mut().entity_mut(b).insert(RigidBody::Dynamic);
    run_ticks(&mut app, 3);
    assert_balls(&app, &[(9.0, 1.0)]);
}

#[test]
fn solids_of_colliders_replace_what_a_game_writes_there() {
    let balls = [(0.0, 1.0), (5.0, 2.0), (9.0, 1.0)];
    let (mut app, _) = app_with_balls(balls);
    app.world_mut().resource_mut::<ColliderSolids>().0.clear();
    run_ticks(&mut app, 1);
    assert_balls(&app, &balls);
}
