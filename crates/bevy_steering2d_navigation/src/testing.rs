//! Whole apps for tests, and what they have heard.

use std::time::Duration;

use bevy::app::Plugins;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;

use crate::*;

/// The events of an app, in order.
#[derive(Resource, Default)]
pub(crate) struct Heard {
    /// Agents and the lengths of their paths, m.
    pub(crate) found: Vec<(Entity, f32)>,
    pub(crate) refused: Vec<(Entity, NoPathReason)>,
    pub(crate) arrived: Vec<Entity>,
    pub(crate) groups: Vec<GroupArrived>,
}

/// An app that steers point masses in `Update`, 60 times a second.
pub(crate) fn app_with<M>(plugins: impl Plugins<M>) -> App {
    let mut app = App::new();
    let tick = Duration::from_secs_f64(1.0 / 60.0);
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)))
        .add_plugins(plugins)
        .insert_resource(TimeUpdateStrategy::ManualDuration(tick))
        .init_resource::<Heard>()
        .add_observer(|it: On<PathFound>, mut heard: ResMut<Heard>| {
            heard.found.push((it.entity, it.length));
        })
        .add_observer(|it: On<NoPath>, mut heard: ResMut<Heard>| {
            heard.refused.push((it.entity, it.reason));
        })
        .add_observer(|it: On<Arrived>, mut heard: ResMut<Heard>| heard.arrived.push(it.entity))
        .add_observer(|it: On<GroupArrived>, mut heard: ResMut<Heard>| heard.groups.push(*it));
    app
}

/// An app whose paths are planned by the built-in pathfinder.
pub(crate) fn app() -> App {
    app_with(NavigationPlugin::default())
}

pub(crate) fn run(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}

pub(crate) fn heard(app: &App) -> &Heard {
    app.world().resource()
}

pub(crate) fn position(app: &App, entity: Entity) -> Vec2 {
    let transform = app.world().get::<Transform>(entity).unwrap();
    transform.translation.truncate()
}

/// The fields that were warned of.
pub(crate) fn warned(app: &App) -> Vec<&'static str> {
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    warnings.iter().map(|it| it.field).collect()
}
