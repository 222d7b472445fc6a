//! Paths that are replaced, moved, inserted late, or lost while an agent follows them.

use bevy::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;

use super::{styles, triangle, zigzag};
use crate::common::*;

#[test]
fn a_replaced_path_is_joined_and_completed() {
    for backend in BACKENDS {
        for follow in styles() {
            let mut app = backend.app(HERTZ);
            record_events::<PathCompleted>(&mut app);
            let body = Body::at(0.0, 0.0);
            let agent = backend.spawn(&mut app, body, (zigzag(), follow));
            run_seconds(&mut app, 1.2);
            // The new path starts at an earlier position.
            let here = position(&app, agent);
            let start = here - Vec2::new(0.4, 0.0);
            let other = [start, Vec2::new(9.0, 0.0), Vec2::new(9.0, -5.0)];
            let other = SteeringPath::open(other).unwrap();
            app.world_mut().entity_mut(agent).insert(other.clone());
            for _ in 0..60 * 10 {
                app.update();
                let x = position(&app, agent).x;
                assert!(x >= here.x - 0.01, "{backend:?}: turned back to {x}");
            }
            let completed = recorded_events::<PathCompleted>(&app);
            assert_eq!(completed.len(), 1, "{backend:?}, {:?}", follow.style);
            // Inserting an equal path does not restart it, inserting another one does.
            app.world_mut().entity_mut(agent).insert(other);
            run_seconds(&mut app, 2.0);
            assert_eq!(recorded_events::<PathCompleted>(&app).len(), 1);
            app.world_mut().entity_mut(agent).insert(zigzag());
            run_seconds(&mut app, 20.0);
            assert_eq!(recorded_events::<PathCompleted>(&app).len(), 2);
        }
    }
}

#[test]
fn a_moved_path_keeps_the_progress_of_its_follower() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(
            &mut app,
            Body::at(0.0, 0.0),
            (zigzag(), PathFollowing::default()),
        );
        run_seconds(&mut app, 2.5);
        let before = get::<PathFollowingMemory>(&app, agent).waypoint;
        assert!(before > 1, "{before}");
        for i in 1..=30 {
            let moved = zigzag()
                .translated(Vec2::new(0.0, 0.02 * i as f32))
                .unwrap();
            app.world_mut().entity_mut(agent).insert(moved);
            app.update();
            let waypoint = get::<PathFollowingMemory>(&app, agent).waypoint;
            assert!(waypoint >= before, "{backend:?}: back to {waypoint}");
        }
    }
}

#[test]
fn a_follower_without_a_path_gets_no_force() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 1.0), PathFollowing::default());
        run_seconds(&mut app, 1.0);
        assert_eq!(total(&app, agent), Vec2::ZERO);
        app.world_mut().entity_mut(agent).insert(zigzag());
        run_seconds(&mut app, 1.0);
        assert!(total(&app, agent) != Vec2::ZERO || velocity(&app, agent) != Vec2::ZERO);
        app.world_mut().entity_mut(agent).remove::<SteeringPath>();
        run_seconds(&mut app, 1.0);
        assert_eq!(total(&app, agent), Vec2::ZERO);
        assert_eq!(warnings(&app), []);
    }
}

#[test]
fn agents_share_one_path_and_each_reports_its_loss() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        record_events::<TargetLost>(&mut app);
        let round = app.world_mut().spawn(triangle()).id();
        let agents: Vec<_> = (0..3)
            .map(|i| {
                let body = Body::at(3.0 * i as f32, -1.0);
                backend.spawn(&mut app, body, PathFollowing::new(round))
            })
            .collect();
        run_seconds(&mut app, 3.0);
        for &agent in &agents {
            assert!(velocity(&app, agent).length() > 1.0, "{backend:?}");
        }
        assert_eq!(
            recorded_events::<TargetLost>(&app),
            [],
            "a path needs no transform"
        );
        app.world_mut().despawn(round);
        run_seconds(&mut app, 1.0);
        let lost = recorded_events::<TargetLost>(&app);
        let who: Vec<_> = lost.iter().map(|lost| lost.entity).collect();
        assert_eq!(who, agents, "{backend:?}: once each");
        assert!(lost.iter().all(|lost| lost.target == Target::Entity(round)));
        assert_eq!(total(&app, agents[0]), Vec2::ZERO);
    }
}
