//! Keeps an agent selected while the inspector is open: first the one with the lowest id, after a
//! restart the one with the same id.

use bevy::prelude::*;
use bevy_steering2d::debug::SteeringSelection;
use bevy_steering2d::inspector::SteeringInspector;
use bevy_steering2d::{SteeringId, Vehicle};

pub fn plugin(app: &mut App) {
    app.add_systems(Update, keep_selected);
}

fn keep_selected(
    inspector: Res<SteeringInspector>,
    mut selection: ResMut<SteeringSelection>,
    agents: Query<(&SteeringId, Entity), With<Vehicle>>,
    mut last: Local<SteeringId>,
) {
    if let Some((id, _)) = selection.primary().and_then(|it| agents.get(it).ok()) {
        *last = *id;
    } else if inspector.open {
        let same = agents.iter().find(|(id, _)| **id == *last);
        let found = same.or_else(|| agents.iter().min());
        selection.set(found.map(|(_, agent)| agent));
    }
}
