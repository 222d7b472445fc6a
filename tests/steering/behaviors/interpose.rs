//! Interpose: kinds of targets, lost targets.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

#[test]
fn interpose_reaches_the_midpoint_of_any_two_targets() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let obstacle = app
            .world_mut()
            .spawn(Transform::from_xyz(0.0, 10.0, 0.0))
            .id();
        let other = app
            .world_mut()
            .spawn(Transform::from_xyz(8.0, 0.0, 0.0))
            .id();
        let moving = Body::at(-6.0, -6.0).moving(1.0, 0.0);
        let walker = backend.spawn(&mut app, moving, ());
        let second = backend.spawn(&mut app, Body::at(6.0, -6.0).moving(1.0, 0.0), ());
        let point = Target::Point(Vec2::new(-8.0, 2.0));
        let ends: [Target; 5] = [
            obstacle.into(),
            other.into(),
            walker.into(),
            second.into(),
            point,
        ];
        let mut guards = Vec::new();
        for (i, &first) in ends.iter().enumerate() {
            for &second in &ends[i + 1..] {
                let body = Body::at(i as f32, -2.0);
                let guard = backend.spawn(&mut app, body, Interpose::new(first, second));
                guards.push((guard, first, second));
            }
        }
        run_seconds(&mut app, 10.0);
        let place = |app: &App, target| match target {
            Target::Point(point) => point,
            Target::Entity(entity) => position(app, entity),
        };
        for (guard, first, second) in guards {
            let middle = place(&app, first).midpoint(place(&app, second));
            let off = position(&app, guard).distance(middle);
            assert!(off < 0.2, "{backend:?}, {first:?} {second:?}: {off} m off");
        }
    }
}

#[test]
fn interpose_reports_the_target_that_is_lost() {
    for lose_first in [true, false] {
        let mut app = point_mass_app(HERTZ);
        record_events::<TargetLost>(&mut app);
        let [first, second] = [-3.0, 3.0].map(|x| {
            let place = Transform::from_xyz(x, 5.0, 0.0);
            app.world_mut().spawn(place).id()
        });
        let guard = Interpose::new(first, second);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), guard);
        run_seconds(&mut app, 0.5);
        let gone = if lose_first { first } else { second };
        app.world_mut().despawn(gone);
        run_seconds(&mut app, 0.5);
        let lost = recorded_events::<TargetLost>(&app);
        assert_eq!(lost.len(), 1);
        assert_eq!((lost[0].entity, lost[0].target), (agent, gone.into()));
    }
}
