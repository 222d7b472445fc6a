//! Writes what the window shows to a file, for the end-to-end tests.
//!
//! The widgets come from the accessibility tree: tests find what a screen reader finds.

use std::fmt::Write;
use std::path::PathBuf;

use bevy::prelude::*;
use bevy_egui::{EguiContext, EguiFullOutput, EguiPostUpdateSet, PrimaryEguiContext};
use bevy_steering2d::debug::SteeringSelection;
use bevy_steering2d::{BehaviorRegistry, SteeringId, Vehicle};
use bevy_steering2d_scenes::{CurrentScene, Drawn};

use crate::shared::files;

/// Replaces the file at `path` ten times a second, atomically.
pub fn write_to(app: &mut App, path: PathBuf) {
    app.insert_resource(Probe {
        path,
        timer: Timer::from_seconds(0.1, TimerMode::Repeating),
        widgets: String::new(),
    })
    .add_systems(
        PostUpdate,
        (list_widgets, write_file)
            .chain()
            .after(EguiPostUpdateSet::EndPass)
            .before(EguiPostUpdateSet::ProcessOutput),
    );
}

#[derive(Resource)]
struct Probe {
    path: PathBuf,
    timer: Timer,
    widgets: String,
}

/// One line per widget: `widget ROLE x y value "name"`, with x and y of its center.
fn list_widgets(
    mut probe: ResMut<Probe>,
    mut contexts: Query<(&mut EguiContext, &EguiFullOutput), With<PrimaryEguiContext>>,
) {
    let Ok((mut context, output)) = contexts.single_mut() else {
        return;
    };
    context.get_mut().enable_accesskit();
    let tree = output.as_ref();
    let Some(tree) = tree.and_then(|it| it.platform_output.accesskit_update.as_ref()) else {
        return;
    };
    probe.widgets.clear();
    for (_, node) in &tree.nodes {
        let (Some(bounds), Some(name)) = (node.bounds(), node.label().or(node.value())) else {
            continue;
        };
        let (x, y) = (0.5 * (bounds.x0 + bounds.x1), 0.5 * (bounds.y0 + bounds.y1));
        let value = match (node.numeric_value(), node.toggled()) {
            (Some(number), _) => number.to_string(),
            (_, Some(toggled)) => format!("{toggled:?}"),
            _ => "-".to_owned(),
        };
        let role = node.role();
        let line = writeln!(
            probe.widgets,
            "widget {role:?} {x:.1} {y:.1} {value} {name:?}"
        );
        line.expect("writing to a String cannot fail");
    }
}

fn write_file(world: &mut World) {
    let delta = world.resource::<Time<Real>>().delta();
    let mut probe = world.resource_mut::<Probe>();
    if !probe.timer.tick(delta).just_finished() {
        return;
    }
    let path = probe.path.clone();
    let text = format!("{}{}", facts(world), world.resource::<Probe>().widgets);
    if let Err(error) = files::write(&path, text) {
        eprintln!("gallery: cannot write {error}");
        world.write_message(AppExit::from_code(1));
    }
}

/// The scene, the agents' screen positions, and the influence of their behaviors.
fn facts(world: &mut World) -> String {
    let current = *world.resource::<CurrentScene>();
    let scene = current.scene().map_or("-", |scene| scene.name);
    let mut text = format!(
        "scene {scene}\nseed {}\ntick {}\n",
        current.seed(),
        current.tick()
    );
    let mut cameras = world.query_filtered::<(&Camera, &GlobalTransform), With<Camera2d>>();
    let Ok((camera, eye)) = cameras.single(world).map(|(it, eye)| (it.clone(), *eye)) else {
        return text;
    };
    let mut agents = world.query_filtered::<(Entity, &SteeringId, &Drawn), With<Vehicle>>();
    let agents: Vec<_> = agents
        .iter(world)
        .map(|(entity, id, drawn)| (entity, id.0, drawn.pose.position))
        .collect();
    let selection = world.resource::<SteeringSelection>();
    for (entity, id, position) in &agents {
        let Ok(pixel) = camera.world_to_viewport(&eye, position.extend(0.0)) else {
            continue;
        };
        let selected = selection.contains(*entity);
        text += &format!("agent {id} {:.1} {:.1} {selected}\n", pixel.x, pixel.y);
    }
    for info in world.resource::<BehaviorRegistry>().iter() {
        let influences: Vec<_> = agents
            .iter()
            .filter_map(|(entity, ..)| info.influence(world.get_entity(*entity).ok()?))
            .collect();
        if influences.is_empty() {
            continue;
        }
        let count = influences.len();
        let on = influences.iter().filter(|it| it.enabled).count();
        let weight = influences.iter().map(|it| it.weight).sum::<f32>() / count as f32;
        text += &format!("behavior {} {count} {on} {weight}\n", info.name);
    }
    text
}
