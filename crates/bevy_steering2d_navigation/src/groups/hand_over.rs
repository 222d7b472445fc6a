//! Handing over: a member gets its place and is sent there.

use bevy::prelude::*;
use bevy_steering2d_core::Target;

use super::GroupPlace;
use super::gather::{MemberDataItem, Members};
use super::member::Member;
use crate::{Lane, NavigateTo};

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
    let mut new = member.place;
    if let Some(mut avoidance) = avoidance {
        if pushes && avoidance.influence.enabled {
            avoidance.influence.enabled = false;
            new.is_pushing_in = true;
        } else if !pushes && new.is_pushing_in {
            avoidance.influence.enabled = true;
            new.is_pushing_in = false;
        }
    }
    let had = *place;
    // Without room it stops: where it was sent before is not its place any more.
    let stops = new.at.is_none() && (had.at.is_some() || had.order != new.order);
    if stops {
        new.stopped_at = navigate.as_ref().map(|_| member.position);
    } else if new.at.is_some() {
        new.stopped_at = None;
    }
    let is_sent_anew = errand(&had) != errand(&new);
    if !place.set_if_neq(new) {
        return false;
    }
    if let Some(mut memory) = memory
        && memory.detour() != new.detour
    {
        memory.set_detour(new.detour);
    }
    // A member that only waits goes on, or stays as it is if the game has taken its `NavigateTo`.
    if !is_sent_anew {
        return false;
    }
    let Some(at) = new.at else {
        if stops && let Some(mut navigate) = navigate {
            navigate.target = member.position.into();
        }
        return stops || had.plan != new.plan;
    };
    let target = Target::Point(at);
    match navigate {
        Some(mut navigate) if navigate.target != target || navigate.lane != new.lane => {
            (navigate.target, navigate.lane) = (target, new.lane);
        }
        Some(_) => {}
        // It is where it is to be, and the game may drive it.
        None if member.is_host => {}
        None => {
            let navigate = NavigateTo::new(target).with_lane(new.lane);
            commands.entity(member.entity).try_insert(navigate);
        }
    }
    false
}

/// Where a member is sent, by which plan of which order, and in which lane.
fn errand(place: &GroupPlace) -> (Option<Vec2>, Option<Entity>, u32, Lane) {
    (place.at, place.order, place.plan, place.lane)
}
