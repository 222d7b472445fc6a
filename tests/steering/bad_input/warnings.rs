//! Warnings about invalid parameters: which entity they name, and how often.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{FAR, TICKS, vehicle};
use crate::common::*;

#[test]
fn an_invalid_vehicle_warns_once_with_several_behaviors() {
    let mut app = point_mass_app(HERTZ);
    let (vehicle, seek) = vehicle(f32::NAN, 20.0, 0.25);
    let agent = (vehicle, seek, Wander::default(), Flee::default());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    app.world_mut().spawn((SteersFor(agent), Evade::default()));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, agent, "Vehicle.max_speed", "four behaviors");
}

#[test]
fn an_invalid_vehicle_warns_with_behavior_entities_only() {
    let mut app = point_mass_app(HERTZ);
    let (vehicle, seek) = vehicle(-1.0, 20.0, 0.25);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), vehicle);
    app.world_mut().spawn((SteersFor(agent), seek));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, agent, "Vehicle.max_speed", "behavior entities only");
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

#[test]
fn an_invalid_behavior_does_not_stop_the_others_of_its_agent() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Seek::new(FAR), Flee::default().with_panic_distance(-1.0));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Flee>(&app, agent).cut, Cut::Invalid);
    let message = &warnings(&app)[0].message;
    assert!(message.ends_with("Flee counts as zero"), "{message}");
    assert_eq!(total(&app, agent), entry::<Seek>(&app, agent).raw);
}

#[test]
fn an_invalid_behavior_entity_warns_about_itself() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let faulty = (SteersFor(agent), Seek::new(FAR).with_weight(f32::NAN));
    let faulty = app.world_mut().spawn(faulty).id();
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, faulty, "Influence.weight", "behavior entity");
}

#[test]
fn each_invalid_influence_of_an_agent_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let seek = Seek::new(FAR).with_weight(f32::NAN);
    let flee = Flee::default().with_weight(f32::NAN);
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), (seek, flee));
    run_ticks(&mut app, 2);
    let messages: Vec<_> = warnings(&app).into_iter().map(|it| it.message).collect();
    for name in ["Seek", "Flee"] {
        let its = messages.iter().filter(|it| it.contains(name)).count();
        assert_eq!(its, 1, "{name}: {messages:?}");
    }
}

#[test]
fn warnings_about_many_invalid_agents_are_capped() {
    let mut app = point_mass_app(HERTZ);
    for i in 0..3_000 {
        let faulty = (
            Seek::new(Vec2::NAN),
            Wander::default().with_weight(f32::NAN),
        );
        Backend::PointMass.spawn(&mut app, Body::at(i as f32, 0.0), faulty);
    }
    run_ticks(&mut app, 10);
    assert_eq!(warnings(&app).len(), 64);
    assert_all_finite(&mut app, None, "many agents");
}
