//! The places that are not free for a group: those of other groups, those kept for members that are not steered now,
//! those of targets that are such members, and those of bystanders: agents that rest in no group.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use bevy_steering2d_core::{Circle, Kinematics, SteeringGroups, Vehicle};

use super::gather::{DisabledMembers, Members};
use super::member::AT_REST;
use super::ordering::OrderInHand;
use super::placing::Lot;
use super::{GroupMember, GroupMembers, GroupPlace};
use crate::{NavigateTo, NavigateToMemory, NavigationState};

/// The agents that are in no group.
pub(super) type Bystanders<'w, 's> = Query<
    'w,
    's,
    (
        &'static Kinematics,
        Option<&'static NavigateTo>,
        Option<&'static NavigateToMemory>,
        Option<&'static SteeringGroups>,
    ),
    (With<Vehicle>, Without<GroupMember>),
>;

/// The place of a member that is not steered now.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptPlace {
    /// The order whose new places end it; `None` for that of a target, which stands there in any case.
    order: Option<Entity>,
    disc: Circle,
}

impl KeptPlace {
    /// The disc of a target that is a member and not steered.
    pub(super) fn of_target(disc: Circle) -> Self {
        Self { order: None, disc }
    }
}

/// Notes the places that members keep while they are not steered.
pub(super) fn keep_places(
    listed: &GroupMembers,
    members: &Members,
    disabled: &DisabledMembers,
    lot: Lot,
    kept: &mut Vec<KeptPlace>,
) {
    let place_of = |member: Entity| {
        if let Ok(member) = disabled.get(member) {
            return Some(*member.place);
        }
        let member = members.get(member).ok()?;
        (!member.body.is_steerable()).then_some(*member.place)
    };
    let places = listed.iter().filter_map(place_of);
    let places = places.filter(|place| lot.includes(place));
    kept.extend(places.filter_map(|place| {
        Some(KeptPlace {
            order: Some(lot.order),
            disc: place.disc()?,
        })
    }));
}

/// The orders whose groups get new places in this tick, each with the index of its turn.
pub(super) fn renewed(turns: &[OrderInHand]) -> EntityHashMap<usize> {
    let turns = turns.iter().enumerate();
    let renewed = turns.filter(|(_, it)| !it.holds);
    renewed.map(|(index, it)| (it.lot.order, index)).collect()
}

/// The places that the group of a turn, given by its order and index, has to leave free: those of the members of other
/// groups, those that members keep, and those of bystanders. The places of groups that get new ones in a later turn are free,
/// and a group that gets new ones keeps none but that of its target.
pub(super) fn taken_places(
    members: &Members,
    bystanders: &Bystanders,
    kept: &[KeptPlace],
    renewed: &EntityHashMap<usize>,
    (order, index): (Entity, usize),
) -> Vec<Circle> {
    let gets_new_later = |order: Entity| renewed.get(&order).is_some_and(|&at| at > index);
    let is_taken = |place: &GroupPlace, member: &GroupMember| {
        let is_its_own = place.order == Some(member.0);
        is_its_own && member.0 != order && !gets_new_later(member.0)
    };
    let taken = members.iter().filter(|it| is_taken(it.place, it.member));
    let discs = taken.filter_map(|it| it.place.disc());
    let is_renewed = |it: &KeptPlace| it.order.is_some_and(|it| renewed.contains_key(&it));
    let kept = kept.iter().filter(|it| !is_renewed(it));
    let mut discs: Vec<_> = discs.chain(kept.map(|it| it.disc)).collect();
    for (body, navigate, memory, groups) in bystanders {
        let is_seen = groups != Some(&SteeringGroups::NONE);
        if is_seen && rests(body, navigate, memory) {
            discs.push(Circle::new(body.position, body.radius.max(0.0)));
        }
    }
    discs
}

/// Whether an agent has arrived where it was sent, or stands and is not on its way.
fn rests(
    body: &Kinematics,
    navigate: Option<&NavigateTo>,
    memory: Option<&NavigateToMemory>,
) -> bool {
    let stands = body.position.is_finite() && body.speed() < AT_REST;
    let Some((navigate, memory)) = navigate.zip(memory) else {
        return stands;
    };
    match memory.state {
        // Others may push it a little.
        NavigationState::Arrived => memory.follows_path_to(navigate.target),
        NavigationState::NoPath(_) => stands,
        NavigationState::Planning | NavigationState::Following => false,
    }
}
