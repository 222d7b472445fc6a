//! Keeps an agent selected while the inspector is open, or the camera follows it: first the one that the user plays, else
//! the one with the lowest id; after a restart of the scene the one with the same id. While that one does not exist,
//! another agent stands in for it: looking back may bring it back.

use bevy::prelude::*;
use bevy_steering2d::debug::SteeringSelection;
use bevy_steering2d::inspector::SteeringInspector;
use bevy_steering2d::{SteeringId, Vehicle};
use bevy_steering2d_scenes::CurrentScene;

use crate::camera::View;

/// The name of an agent that the user plays.
const PLAYER: &str = "player";

pub fn plugin(app: &mut App) {
    app.add_systems(Update, keep_selected);
}

fn keep_selected(
    (inspector, view, current): (Res<SteeringInspector>, Res<View>, Res<CurrentScene>),
    mut selection: ResMut<SteeringSelection>,
    agents: Query<(&SteeringId, Entity), With<Vehicle>>,
    names: Query<&Name>,
    mut last: Local<SteeringId>,
    mut scene: Local<Option<&'static str>>,
    mut stand_in: Local<Option<Entity>>,
    mut was_needed: Local<bool>,
) {
    let name = current.scene().map(|scene| scene.name);
    if std::mem::replace(&mut *scene, name) != name {
        // The agent with this id is another one there.
        *last = SteeringId::UNASSIGNED;
    }
    let is_needed = inspector.open || view.follows;
    if std::mem::replace(&mut *was_needed, is_needed) && !is_needed {
        selection.set(None::<Entity>);
        *stand_in = None;
    }
    let selected = selection.primary().and_then(|it| agents.get(it).ok());
    match selected {
        Some((id, agent)) if *stand_in != Some(agent) => {
            (*last, *stand_in) = (*id, None);
            return;
        }
        None if !is_needed => return,
        _ => {}
    }
    let is_player = |agent| names.get(agent).is_ok_and(|it| it.as_str() == PLAYER);
    let first = || {
        agents
            .iter()
            .min_by_key(|(id, agent)| (!is_player(*agent), *id))
    };
    let same = agents.iter().find(|(id, _)| **id == *last);
    let found = same.or(selected).or_else(first);
    let found = found.map(|(_, agent)| agent);
    if selection.primary() != found {
        selection.set(found);
    }
    *stand_in = found.filter(|_| same.is_none());
}
