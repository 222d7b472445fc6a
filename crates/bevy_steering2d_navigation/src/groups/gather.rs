//! Gathering: what each member of a group is read from.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Abilities, ConditionStates, Kinematics, PathFollowing, PathFollowingMemory,
    ReciprocalAvoidance, SteeringDisabled, SteeringGroups, SteeringId, SteeringPath, StuckMemory,
    Target, Vehicle, When,
};

use super::member::{Coming, Member, Outlook};
use super::placing::Lot;
use super::{GroupMember, GroupMembers, GroupPlace};
use crate::{NavigateTo, NavigateToMemory, NavigationState};

/// A member is at its place within this distance, m, beyond where [`NavigateTo`] comes to rest; with a larger tolerance of
/// its own, within that.
pub(super) const AT_PLACE: f32 = 0.15;
/// A driven member pushes others only if it could stop within this many radii.
const GENTLE: f32 = 0.25;
/// A member is under way from this share of its pace on.
const UNDER_WAY: f32 = 0.5;

/// What a group reads of a member, and changes.
#[derive(QueryData)]
#[query_data(mutable)]
pub(crate) struct MemberData {
    entity: Entity,
    id: &'static SteeringId,
    pub(super) body: &'static Kinematics,
    pub(super) place: &'static mut GroupPlace,
    pub(super) navigate: Option<&'static mut NavigateTo>,
    pub(super) memory: Option<&'static mut NavigateToMemory>,
    pub(super) avoidance: Option<&'static mut ReciprocalAvoidance>,
    way: Option<(&'static SteeringPath, &'static PathFollowingMemory)>,
    follow: Option<&'static PathFollowing>,
    conditions: Option<&'static ConditionStates>,
    stuck: Option<&'static StuckMemory>,
    abilities: Option<&'static Abilities>,
    vehicle: &'static Vehicle,
    pub(super) member: &'static GroupMember,
}

pub(super) type Members<'w, 's> = Query<'w, 's, MemberData, Without<SteeringDisabled>>;

/// What a group reads of a member that is disabled.
#[derive(QueryData)]
pub(crate) struct DisabledMemberData {
    pub(super) place: &'static GroupPlace,
    body: Option<&'static Kinematics>,
    follow: Option<&'static PathFollowing>,
    groups: Option<&'static SteeringGroups>,
    is_agent: Has<Vehicle>,
    is_hidden: Has<Disabled>,
}

/// The disabled members, which [`Members`] leaves out.
pub(super) type DisabledMembers<'w, 's> =
    Query<'w, 's, DisabledMemberData, Or<(With<SteeringDisabled>, With<Disabled>)>>;

/// The members of a group with a target, which stands around `center`, by id.
pub(super) fn gather(
    listed: &GroupMembers,
    members: &Members,
    target: Target,
    center: Vec2,
    group: &mut Vec<Member>,
) {
    let seen = |entity: Entity| Member::seen(members.get(entity).ok()?, target, center);
    group.clear();
    group.extend(listed.iter().filter_map(seen));
    group.sort_unstable_by_key(|member| member.id);
}

/// Whether a member that is not steered now, such as a stunned one, is still elsewhere than at the place of this lot that it
/// keeps. One that is parked, since it is hidden or no agent any more, may never come.
pub(super) fn awaits_unsteered(
    listed: &GroupMembers,
    members: &Members,
    disabled: &DisabledMembers,
    target: Target,
    lot: Lot,
) -> bool {
    let is_away = |place: &GroupPlace, body: &Kinematics, follow: Option<&PathFollowing>| {
        let is_elsewhere = |at: Vec2| at.distance(body.position) > at_place(follow);
        lot.includes(place) && body.position.is_finite() && place.at.is_some_and(is_elsewhere)
    };
    let is_awaited = |member: Entity| match (disabled.get(member), members.get(member)) {
        (Ok(it), _) => {
            let is_parked =
                !it.is_agent || it.is_hidden || it.groups == Some(&SteeringGroups::NONE);
            let is_away = |body: &Kinematics| is_away(it.place, body, it.follow);
            !is_parked && it.body.is_some_and(is_away)
        }
        (_, Ok(it)) => !it.body.is_steerable() && is_away(it.place, it.body, it.follow),
        _ => false,
    };
    let mut others = listed.iter().filter(|it| target != Target::Entity(*it));
    others.any(is_awaited)
}

/// Within this distance of its place a member is there, m.
fn at_place(follow: Option<&PathFollowing>) -> f32 {
    follow.map_or(AT_PLACE, |it| it.tolerance.max(AT_PLACE))
}

impl Member {
    /// A member of a group with a target, which stands around `center`; `None` if its body is not steered now.
    fn seen(it: MemberDataReadOnlyItem, target: Target, center: Vec2) -> Option<Self> {
        let body = it.body;
        if !body.is_steerable() {
            return None;
        }
        let pace = it.follow.and_then(|it| it.pace);
        let pace = pace.map_or(it.vehicle.max_speed, |pace| pace.min(it.vehicle.max_speed));
        let at_place = at_place(it.follow);
        let is_host = target == Target::Entity(it.entity);
        let mut place = *it.place;
        if is_host && it.navigate.is_none() {
            // The game drives it: its place goes with it.
            place.at = place.at.map(|_| body.position);
        }
        let way = it.way.filter(|_| it.follows_path());
        let coming = way.and_then(|(path, progress)| coming(center, body.position, path, progress));
        Some(Self {
            id: *it.id,
            entity: it.entity,
            position: body.position,
            speed: body.speed(),
            radius: body.radius.max(0.0),
            at_place,
            place,
            is_host,
            outlook: it.outlook(place, at_place),
            is_busy: it.is_busy(),
            is_stuck: it.stuck.is_some_and(|it| it.stuck),
            is_under_way: body.speed() >= UNDER_WAY * pace,
            is_fast: it.abilities.is_some_and(|it| {
                let stopping = body.speed() * body.speed() / (2.0 * it.braking);
                stopping > GENTLE * body.radius
            }),
            coming: coming.unwrap_or(Coming::straight(body.position)),
        })
    }
}

impl MemberDataReadOnlyItem<'_, '_> {
    /// Whether it follows a path to the place that it has.
    fn follows_path(&self) -> bool {
        self.memory
            .zip(self.place.at)
            .is_some_and(|(it, at)| it.follows_path_to(Target::Point(at)))
    }

    /// Whether its [`PathFollowing`] does not act now because of its condition. One that is disabled says nothing: the game
    /// may lead it along its path.
    fn is_busy(&self) -> bool {
        let held = |it| self.conditions.and_then(|conditions| conditions.get(it));
        match self.follow.map(|it| it.influence.when) {
            Some(When::Only(condition)) => held(condition) == Some(false),
            Some(When::Unless(condition)) => held(condition) == Some(true),
            Some(When::Always) | None => false,
        }
    }

    /// Whether it gets to a place, at which it is within a distance, m.
    fn outlook(&self, place: GroupPlace, at_place: f32) -> Outlook {
        let is_elsewhere = |at: Vec2| at.distance(self.body.position) > at_place;
        let has_no_path = |it: &NavigateToMemory| matches!(it.state, NavigationState::NoPath(_));
        if self.navigate.is_none() && place.at.is_some_and(is_elsewhere) {
            Outlook::GaveUp
        } else if self.memory.is_some_and(has_no_path) {
            Outlook::NoWay
        } else if self.follows_path() {
            Outlook::Path
        } else {
            Outlook::Unknown
        }
    }
}

/// Where a member at a position comes from that has a corner of its path ahead.
fn coming(
    center: Vec2,
    position: Vec2,
    path: &SteeringPath,
    progress: &PathFollowingMemory,
) -> Option<Coming> {
    let corner = path.points().len().checked_sub(2)?;
    if !progress.is_about(path) || progress.waypoint > corner {
        return None;
    }
    let to_corner = (path.arc_of(corner) - progress.distance).max(0.0);
    let (corner, end) = (path.points()[corner], path.points()[corner + 1]);
    // At a corner among the places they turn to all sides: unrolled, two that exchanged theirs would exchange them back.
    let is_outside = center.distance(corner) > center.distance(end);
    let unrolled = is_outside.then(|| behind(corner, to_corner, center));
    Some(Coming {
        corner,
        to_corner,
        unrolled: unrolled.unwrap_or(position),
    })
}

/// The point `distance` m behind a corner, in line with the center of the group.
fn behind(corner: Vec2, distance: f32, center: Vec2) -> Vec2 {
    corner - distance * (center - corner).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_way_is_unrolled_behind_its_last_corner() {
        let (corner, center) = (Vec2::new(3.0, 0.0), Vec2::new(3.0, 9.0));
        let unrolled = behind(corner, 2.0, center);
        assert_eq!(unrolled, Vec2::new(3.0, -2.0), "in line with the center");
    }
}
