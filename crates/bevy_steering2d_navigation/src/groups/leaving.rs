//! The system that takes from agents what they had as members of a group.

use bevy::prelude::*;
use bevy_steering2d_core::{ReciprocalAvoidance, SteeringClock, SteeringWarnings, Target};

use super::{GroupArrive, GroupMember, GroupPlace};
use crate::{Lane, NavigateTo, NavigateToMemory};

/// Whether the game has sent a member elsewhere than to its place, or one without room anywhere.
fn is_sent_elsewhere(
    place: &GroupPlace,
    member: &GroupMember,
    navigate: Option<&NavigateTo>,
) -> bool {
    let sent_to = place.at.or(place.stopped_at).map(Target::Point);
    let is_placed = place.order == Some(member.0);
    is_placed && navigate.is_some_and(|it| Some(it.target) != sent_to)
}

/// Takes their places and lanes from agents that have left their group, or whose order is gone, and gives them their
/// avoidance and their straight ways back. Those that the game has sent elsewhere leave it.
pub(crate) fn release_leavers(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    orders: Query<(), With<GroupArrive>>,
    mut agents: Query<(
        Entity,
        &mut GroupPlace,
        Option<Ref<GroupMember>>,
        Option<&mut ReciprocalAvoidance>,
        Option<&mut NavigateTo>,
        Option<&mut NavigateToMemory>,
    )>,
    mut commands: Commands,
) {
    for (entity, mut place, member, avoidance, navigate, memory) in &mut agents {
        if let Some(member) = member {
            if is_sent_elsewhere(&place, &member, navigate.as_deref()) {
                commands.entity(entity).remove::<GroupMember>();
            } else if orders.contains(member.0) {
                continue;
            } else if member.is_changed() {
                warnings.raise(&clock, member.0, "GroupMember", || {
                    "agents got it as their GroupMember, but it has no GroupArrive; they get no places".into()
                });
            }
        }
        if place.order.is_some() {
            place.order = None;
        }
        if place.lane != Lane::default() {
            // One that the game has given it since stays.
            if let Some(mut navigate) = navigate
                && navigate.lane == place.lane
            {
                navigate.lane = Lane::default();
            }
            place.lane = Lane::default();
        }
        if place.detour.is_some() {
            place.detour = None;
            if let Some(mut memory) = memory {
                memory.set_detour(None);
            }
        }
        if place.through.is_some() {
            place.through = None;
        }
        if place.is_pushing_in {
            place.set_pushing(avoidance, false);
            // Also if its avoidance is gone.
            place.is_pushing_in = false;
        }
    }
}
