//! What an agent does that finds its way, and why it stands.

use bevy::prelude::*;
use bevy_egui::egui::{RichText, Ui};
use bevy_steering2d_navigation::{
    GroupMember, GroupPlace, NavigateTo, NavigateToMemory, NavigationState,
};

use crate::theme::{alarm, faint};

/// Shows what the `NavigateTo` of an agent does, and whether it has a place in its group.
pub(super) fn show(ui: &mut Ui, world: &World, agent: Entity) {
    let lines = [of_way(world, agent), of_place(world, agent)];
    for line in lines.into_iter().flatten() {
        ui.label(line);
    }
}

fn of_way(world: &World, agent: Entity) -> Option<RichText> {
    let navigate = world.get::<NavigateTo>(agent)?;
    if let Err(error) = navigate.check() {
        return Some(alarm(error.to_string()));
    }
    let state = world.get::<NavigateToMemory>(agent)?.state;
    Some(match state {
        NavigationState::Planning => faint("NavigateTo plans its path"),
        NavigationState::Following => faint("NavigateTo has a path"),
        NavigationState::Arrived => faint("NavigateTo has arrived"),
        NavigationState::NoPath(reason) => alarm(format!("NavigateTo has no path: {reason}")),
    })
}

fn of_place(world: &World, agent: Entity) -> Option<RichText> {
    world.get::<GroupMember>(agent)?;
    let place = world.get::<GroupPlace>(agent)?;
    let is_without = place.at.is_none();
    is_without.then(|| alarm("GroupMember has no place in its group"))
}
