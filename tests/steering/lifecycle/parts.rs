//! Components that a behavior, an agent or a body requires, removed by hand.

use bevy::ecs::component::ComponentId;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{ArriveMemory, WanderMemory};
use bevy_steering2d::{BehaviorInfo, BehaviorRegistry, ReflectBehavior};

use crate::common::*;

/// The components of an entity.
fn components(app: &App, entity: Entity) -> HashSet<ComponentId> {
    let entity = app.world().entity(entity);
    entity.archetype().components().iter().copied().collect()
}

/// Spawns a point mass with the default value of a behavior; `None` if it has no default.
fn spawn_default(app: &mut App, behavior: &BehaviorInfo) -> Option<Entity> {
    let types = app.world().resource::<AppTypeRegistry>().clone();
    let types = types.read();
    let default = types.get_type_data::<ReflectDefault>(behavior.type_id)?;
    let access = types.get_type_data::<ReflectBehavior>(behavior.type_id)?;
    let mut agent = app.world_mut().spawn(PointMass::default());
    access.access().write(&mut agent, default.default()).ok()?;
    Some(agent.id())
}

#[test]
fn every_part_that_a_behavior_requires_is_put_back_with_one_warning() {
    let behaviors: Vec<_> = {
        let app = point_mass_app(HERTZ);
        let registry = app.world().resource::<BehaviorRegistry>();
        registry.iter().cloned().collect()
    };
    let mut removed = 0;
    for behavior in behaviors {
        let name = behavior.name;
        let mut app = point_mass_app(HERTZ);
        let body = app.world_mut().spawn(PointMass::default()).id();
        let Some(agent) = spawn_default(&mut app, &behavior) else {
            panic!("{name} has no default");
        };
        run_ticks(&mut app, 1);
        let own = app.world().components();
        let own = [own.get_id(behavior.type_id), own.component_id::<Vehicle>()];
        let bare = components(&app, body);
        let parts = components(&app, agent);
        let parts = parts.difference(&bare);
        for &part in parts.filter(|part| !own.contains(&Some(**part))) {
            let case = format!("{name}, {:?}", app.world().components().get_name(part));
            let before = warnings(&app).len();
            app.world_mut().entity_mut(agent).remove_by_id(part);
            assert!(!components(&app, agent).contains(&part), "{case}");
            run_ticks(&mut app, 1);
            assert!(components(&app, agent).contains(&part), "{case}");
            let raised = &warnings(&app)[before..];
            assert_eq!(raised.len(), 1, "{case}: {raised:?}");
            assert_eq!(raised[0].entity, agent, "{case}");
            removed += 1;
        }
    }
    // At least force, id, combiner and target watch of each behavior.
    assert!(removed > 100, "{removed}");
}

#[test]
fn a_behavior_goes_on_after_its_memory_was_removed() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    run_ticks(&mut app, 1);
    app.world_mut().entity_mut(agent).remove::<WanderMemory>();
    run_ticks(&mut app, 1);
    assert_warned_once(&app, agent, "WanderMemory", "removed by hand");
    assert_eq!(ledger(&app, agent).len(), 1);
}

#[test]
fn parts_that_leave_with_their_behavior_are_not_put_back() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Wander::default());
    run_ticks(&mut app, 1);
    let mut entity = app.world_mut().entity_mut(agent);
    entity.remove::<WanderMemory>().remove::<Wander>();
    run_ticks(&mut app, 2);
    assert!(!app.world().entity(agent).contains::<WanderMemory>());
    let replaced = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Arrive::default());
    let mut entity = app.world_mut().entity_mut(replaced);
    let memory = ArriveMemory {
        arrived: true,
        ..default()
    };
    entity.insert((Arrive::new(EAST), memory));
    app.world_mut().despawn(agent);
    run_ticks(&mut app, 1);
    assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
}

#[test]
fn a_part_shared_with_another_behavior_stays() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Arrive::new(EAST), Seek::new(EAST));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    let mut entity = app.world_mut().entity_mut(agent);
    entity.remove_with_requires::<Arrive>();
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Nothing);
}

#[test]
fn a_point_mass_without_a_transform_is_no_target() {
    let mut app = point_mass_app(HERTZ);
    record_events::<TargetLost>(&mut app);
    let target = Backend::PointMass.spawn(&mut app, Body::at(9.0, 0.0), ());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(target));
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(target).remove::<Transform>();
    run_ticks(&mut app, 2);
    assert_eq!(total(&app, agent), Vec2::ZERO);
    assert_eq!(recorded_events::<TargetLost>(&app).len(), 1);
    assert_warned_once(&app, target, "Transform", "a target");
    let back = Transform::from_xyz(0.0, 9.0, 0.0);
    app.world_mut().entity_mut(target).insert(back);
    run_ticks(&mut app, 1);
    assert!(total(&app, agent).y > 0.0, "{}", total(&app, agent));
}

#[test]
fn an_agent_without_a_transform_raises_one_warning() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(agent).remove::<Transform>();
    run_ticks(&mut app, 5);
    assert_warned_once(&app, agent, "Transform", "an agent");
}

#[test]
fn a_point_mass_whose_kinematics_were_removed_is_sensed_again() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 2);
    app.world_mut().entity_mut(agent).remove::<Kinematics>();
    run_ticks(&mut app, 1);
    assert!(total(&app, agent).x > 0.0);
}
