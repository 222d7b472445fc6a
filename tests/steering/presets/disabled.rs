//! Presets of entities with Bevy's `Disabled`.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{app_in, preset, shipped};
use crate::common::*;

#[test]
fn a_preset_of_a_disabled_agent_is_applied_and_applied_again() {
    let mut app = app_in(&shipped());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Disabled);
    let [seek, flee] = ["{ Seek: () }", "{ Flee: () }"].map(|text| {
        let preset = preset(&app, text);
        let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
        (preset.clone(), presets.add(preset))
    });
    run_ticks(&mut app, 2);
    app.world_mut()
        .entity_mut(agent)
        .insert(UsesPreset(seek.1.clone()));
    run_ticks(&mut app, 2);
    assert!(app.world().entity(agent).contains::<Seek>(), "inserted");
    let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
    presets.insert(seek.1.id(), flee.0).unwrap();
    run_ticks(&mut app, 3);
    app.world_mut().entity_mut(agent).remove::<Disabled>();
    run_ticks(&mut app, 1);
    let entity = app.world().entity(agent);
    assert!(
        entity.contains::<Flee>() && !entity.contains::<Seek>(),
        "changed"
    );
}
