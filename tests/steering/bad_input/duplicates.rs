//! Plugins and behaviors added twice.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{AssignedBehavior, BehaviorRegistry, OuterSchedule};

use super::FAR;
use crate::common::*;

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct FirstChoice;

#[test]
fn a_plugin_added_twice_warns_and_changes_nothing() {
    record_log();
    let twin = |twice: bool| {
        let mut app = bare_app(HERTZ);
        app.add_plugins(SteeringPlugin::default());
        if twice {
            app.add_plugins((SteeringPlugin::default(), SteeringPlugin::new(Update)));
        }
        start(&mut app);
        let agent = (Seek::new(FAR), Wander::default());
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 30);
        let registered = app.world().resource::<BehaviorRegistry>().iter().count();
        (position(&app, agent), ledger(&app, agent).len(), registered)
    };
    assert_eq!(twin(false), twin(true));

    let mut app = bare_app(HERTZ);
    app.add_plugins((SteeringPlugin::new(FirstChoice), SteeringPlugin::default()));
    let schedule = app.world().resource::<OuterSchedule>().label();
    assert_eq!(schedule, FirstChoice.intern());
    assert_eq!(
        count_logged("steering was already added and runs in FirstChoice"),
        1
    );
}

#[test]
fn a_behavior_inserted_twice_keeps_the_last_parameters() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    let west = Seek::new(Vec2::new(-100.0, 0.0)).with_weight(0.5);
    app.world_mut().entity_mut(agent).insert(west);
    run_ticks(&mut app, 1);
    let registry = app.world().resource::<BehaviorRegistry>();
    let assigned = registry.assigned_to(app.world(), agent);
    let [AssignedBehavior { influence, .. }] = assigned[..] else {
        panic!("one behavior, not {assigned:?}");
    };
    assert_eq!(influence.weight, 0.5);
    assert_eq!(ledger(&app, agent).len(), 1);
    assert!(total(&app, agent).x < 0.0);
}
