//! A world that goes back goes on as it did, also after changes of its behaviors.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Restored, SteeringSnapshot};
use bevy_steering2d_scenes::{CurrentScene, SCENES, headless};

use super::{flock, outcome};
use crate::common::*;

#[test]
fn a_world_goes_on_from_a_snapshot_as_it_did() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 12);
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    assert_eq!(snapshot.tick(), 10);
    let expected = outcome(&mut app, &agents);
    for _ in 0..2 {
        assert_eq!(snapshot.restore(app.world_mut()), Restored::default());
        assert_eq!(outcome(&mut app, &agents), expected);
    }
}

#[test]
fn changes_of_behaviors_since_a_snapshot_are_taken_back() {
    let mut app = point_mass_app(HERTZ);
    let agents = flock(&mut app, 6);
    run_ticks(&mut app, 10);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &agents);
    snapshot.restore(app.world_mut());
    run_ticks(&mut app, 3);
    let world = app.world_mut();
    world
        .entity_mut(agents[0])
        .remove::<Wander>()
        .insert(Seek::new(Vec2::X));
    world
        .entity_mut(agents[1])
        .insert((Separation::default().with_weight(9.0), Disabled));
    world.entity_mut(agents[2]).remove::<Vehicle>();
    world
        .entity_mut(agents[3])
        .insert((SteeringDisabled, Combine::DITHERED));
    world.get_mut::<Vehicle>(agents[4]).unwrap().max_speed = 99.0;
    let helper = world.spawn((SteersFor(agents[5]), Flee::new(Vec2::X))).id();
    run_ticks(&mut app, 3);
    let restored = snapshot.restore(app.world_mut());
    assert_eq!((restored.spawned.len(), restored.despawned), (0, 1));
    assert!(app.world().get_entity(helper).is_err());
    assert!(!app.world().entity(agents[0]).contains::<Seek>());
    assert_eq!(outcome(&mut app, &agents), expected);
}

#[test]
fn a_way_around_walls_goes_back_as_well() {
    let mut app = point_mass_app(HERTZ);
    let target = app.world_mut().spawn(Transform::from_xyz(9.0, 0.0, 0.0));
    let target = target.id();
    let wall = Wall::new(Vec2::new(4.0, -3.0), Vec2::new(4.0, 3.0));
    app.world_mut().spawn(wall);
    let way = NavigateTo::new(target);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), way);
    run_ticks(&mut app, 30);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let expected = outcome(&mut app, &[agent]);
    app.world_mut()
        .spawn(Wall::new(Vec2::new(7.0, -3.0), Vec2::new(7.0, 9.0)));
    let moved = Transform::from_xyz(-9.0, 0.0, 0.0);
    app.world_mut().entity_mut(target).insert(moved);
    run_ticks(&mut app, 30);
    record_events::<PathFound>(&mut app);
    snapshot.restore(app.world_mut());
    assert_eq!(outcome(&mut app, &[agent]), expected);
    assert_eq!(
        recorded_events::<PathFound>(&app).len(),
        0,
        "the plan holds"
    );
}

#[test]
fn every_scene_goes_back_and_on() {
    for scene in SCENES.iter().filter(|it| it.name != "thousands") {
        let mut app = headless::app(scene, 7);
        let (before, after) = (150, 120);
        headless::advance(&mut app, before);
        let snapshot = SteeringSnapshot::take(app.world_mut());
        headless::advance(&mut app, after);
        snapshot.restore(app.world_mut());
        assert_eq!(app.world().resource::<CurrentScene>().tick(), before);
        headless::advance(&mut app, after);
        assert_eq!(
            app.world().resource::<CurrentScene>().tick(),
            before + after
        );
    }
}
