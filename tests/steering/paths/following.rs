//! `PathFollowing` and `StayOnPath`: open and looped paths, corridors, paths of behavior entities.

use bevy::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;

use super::{distance_from, styles, triangle, zigzag};
use crate::common::*;

#[test]
fn an_open_path_is_followed_to_its_end_and_completed_once() {
    for backend in BACKENDS {
        for follow in styles() {
            let mut app = backend.app(HERTZ);
            record_events::<PathCompleted>(&mut app);
            let body = Body::at(0.0, 0.0);
            let agent = backend.spawn(&mut app, body, (zigzag(), follow));
            let mut next = 0;
            for _ in 0..60 * 20 {
                app.update();
                let waypoint = zigzag().points()[next.min(3)];
                // Half a meter plus the width by which a corridor may cut corners.
                if position(&app, agent).distance(waypoint) <= 0.75 {
                    next += 1;
                }
            }
            let case = format!("{backend:?}, {:?}", follow.style);
            assert!(next >= 4, "{case}: reached {next} waypoints in order");
            let end = zigzag().points()[3];
            assert!(position(&app, agent).distance(end) <= 0.1, "{case}");
            let progress = get::<PathFollowingMemory>(&app, agent);
            assert!(progress.completed, "{case}: {progress:?}");
            let completed = PathCompleted {
                entity: agent,
                path: None,
                source: agent,
            };
            assert_eq!(
                recorded_events::<PathCompleted>(&app),
                [completed],
                "{case}"
            );
        }
    }
}

#[test]
fn a_looped_path_closes_and_never_completes() {
    for backend in BACKENDS {
        for follow in styles() {
            let mut app = backend.app(HERTZ);
            record_events::<PathCompleted>(&mut app);
            let body = Body::at(4.0, 6.0);
            let agent = backend.spawn(&mut app, body, (triangle(), follow));
            let mut closing = f32::INFINITY;
            for _ in 0..60 * 30 {
                app.update();
                // The middle of the closing segment of the triangle.
                let middle = Vec2::new(2.0, 3.5);
                closing = closing.min(position(&app, agent).distance(middle));
            }
            let progress = *get::<PathFollowingMemory>(&app, agent);
            let case = format!("{backend:?}, {:?}: {progress:?}", follow.style);
            assert!(progress.laps >= 3 && !progress.completed, "{case}");
            assert!(
                closing < 0.8,
                "{case}: {closing} m from the closing segment"
            );
            assert_eq!(recorded_events::<PathCompleted>(&app), []);
        }
    }
}

#[test]
fn a_corridor_follower_stays_inside_its_corridor() {
    for backend in BACKENDS {
        for mass in [0.2, 1.0, 5.0] {
            let mut app = backend.app(HERTZ);
            let road = triangle();
            let body = Body::at(0.0, 0.0).weighing(mass);
            let follow = PathFollowing::default().with_corridor(0.6, 0.5);
            let agent = backend.spawn(&mut app, body, (road.clone(), follow));
            for _ in 0..60 * 30 {
                app.update();
                let off = distance_from(&road, position(&app, agent));
                assert!(off <= 0.6, "{backend:?}, {mass} kg: {off} m off the path");
            }
            assert!(get::<PathFollowingMemory>(&app, agent).laps >= 1);
        }
    }
}

#[test]
fn a_behavior_entity_follows_its_own_path_or_its_agents() {
    for backend in BACKENDS {
        for on_agent in [true, false] {
            let mut app = backend.app(HERTZ);
            record_events::<PathCompleted>(&mut app);
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
            let behavior_entity = (SteersFor(agent), PathFollowing::default());
            let behavior_entity = app.world_mut().spawn(behavior_entity).id();
            let holder = if on_agent { agent } else { behavior_entity };
            app.world_mut().entity_mut(holder).insert(zigzag());
            run_seconds(&mut app, 20.0);
            let completed = recorded_events::<PathCompleted>(&app);
            assert_eq!(completed.len(), 1, "{backend:?}");
            assert_eq!(
                (completed[0].entity, completed[0].source),
                (agent, behavior_entity)
            );
        }
    }
}

#[test]
fn stay_on_path_keeps_a_wanderer_on_its_path() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let road = triangle();
        let bundle = (Wander::default(), StayOnPath::default(), road.clone());
        let agent = backend.spawn(&mut app, Body::at(4.0, 0.0), bundle);
        let mut farthest: f32 = 0.0;
        for _ in 0..60 * 120 {
            app.update();
            farthest = farthest.max(distance_from(&road, position(&app, agent)));
        }
        assert!(farthest < 1.5, "{backend:?}: {farthest} m off the road");
    }
}
