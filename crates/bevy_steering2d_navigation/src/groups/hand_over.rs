//! Handing over: a member gets its place and is sent there.

use bevy::prelude::*;
use bevy_steering2d_core::Target;

use super::GroupPlace;
use super::gather::{MemberDataItem, Members};
use super::member::Member;
use crate::{Lane, NavigateTo, NavigateToMemory};

/// Writes the place of a member and whether it pushes others aside, and sends it there. Returns whether it has just
/// turned out that there is no room for it.
pub(super) fn hand_over(
    member: &Member,
    pushes: bool,
    members: &mut Members,
    commands: &mut Commands,
) -> bool {
    let Ok(MemberDataItem {
        mut place,
        navigate,
        memory,
        avoidance,
        ..
    }) = members.get_mut(member.entity)
    else {
        return false;
    };
    let (had, mut new) = (*place, member.place);
    new.set_pushing(avoidance, pushes);
    // Without room it stops: where it was sent before is not its place any more.
    let stops = new.at.is_none() && (had.at.is_some() || had.order != new.order);
    if stops {
        new.stopped_at = navigate.as_ref().map(|_| member.position);
    } else if new.at.is_some() {
        new.stopped_at = None;
    }
    if !place.set_if_neq(new) {
        return false;
    }
    lead_over(new.detour, memory);
    // A member that only waits goes on, or stays as it is if the game has taken its `NavigateTo`.
    if errand(&had) == errand(&new) {
        return false;
    }
    match new.at {
        Some(at) => {
            send(member, at, new.lane, navigate, commands);
            false
        }
        None if stops => {
            if let Some(mut navigate) = navigate {
                navigate.target = member.position.into();
            }
            true
        }
        None => had.plan != new.plan,
    }
}

/// Leads the path of a member over a detour, or no longer.
fn lead_over(detour: Option<[Vec2; 2]>, memory: Option<Mut<NavigateToMemory>>) {
    if let Some(mut memory) = memory
        && memory.detour() != detour
    {
        memory.set_detour(detour);
    }
}

/// Sends a member to its place.
fn send(
    member: &Member,
    at: Vec2,
    lane: Lane,
    navigate: Option<Mut<NavigateTo>>,
    commands: &mut Commands,
) {
    let target = Target::Point(at);
    match navigate {
        Some(mut navigate) if navigate.target != target || navigate.lane != lane => {
            (navigate.target, navigate.lane) = (target, lane);
        }
        Some(_) => {}
        // It is where it is to be, and the game may drive it.
        None if member.is_host => {}
        None => {
            let navigate = NavigateTo::new(target).with_lane(lane);
            commands.entity(member.entity).try_insert(navigate);
        }
    }
}

/// Where a member is sent, by which plan of which order, and in which lane.
fn errand(place: &GroupPlace) -> (Option<Vec2>, Option<Entity>, u32, Lane) {
    (place.at, place.order, place.plan, place.lane)
}
