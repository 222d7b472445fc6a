//! The system that gives the members of each group their places.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Announcements, Kinematics, ReciprocalAvoidance, SnapshotAppExt, SnapshotKind, SteeringAppExt,
    SteeringClock, SteeringDisabled, SteeringId, SteeringWarnings, Target, Targets, Vehicle,
};

use super::assignment::assign;
use super::group_arrive::Planned;
use super::places::{Site, place_radius};
use super::{
    GroupArrive, GroupArriveMemory, GroupArrived, GroupMember, GroupMembers, GroupPlace, GroupShape,
};
use crate::paths::ClearanceGrid;
use crate::world::Terrain;
use crate::{NavigateTo, NavigateToMemory, NavigationState};

pub(crate) fn register(app: &mut App) {
    app.register_type::<GroupShape>()
        .register_type::<GroupMembers>()
        .add_announcement::<GroupArrived>()
        .require_part::<GroupArrive, GroupArriveMemory>()
        .require_part::<GroupMember, GroupPlace>()
        .add_saved_relationship::<GroupMember>()
        .add_saved_component::<GroupArrive>(SnapshotKind::Parameter)
        .add_saved_component::<GroupArriveMemory>(SnapshotKind::State)
        .add_saved_component::<GroupPlace>(SnapshotKind::State);
}

/// A member is at its place within this distance, m: beyond where [`NavigateTo`] comes to rest.
const AT_PLACE: f32 = 0.15;
/// Slower bodies are at rest, m/s.
const AT_REST: f32 = 0.01;
/// Ticks between two looks for members that should exchange their places.
const EXCHANGE_TICKS: u32 = 8;
/// Members farther apart than this many radii do not exchange places.
const EXCHANGE_RADII: f32 = 8.0;

type Members<'w, 's> = Query<
    'w,
    's,
    (
        &'static SteeringId,
        &'static Kinematics,
        &'static mut GroupPlace,
        Option<&'static mut NavigateTo>,
        Option<&'static NavigateToMemory>,
        Option<&'static mut ReciprocalAvoidance>,
    ),
    (With<Vehicle>, Without<SteeringDisabled>),
>;

/// A member as its group sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    id: SteeringId,
    entity: Entity,
    position: Vec2,
    speed: f32,
    radius: f32,
    place: GroupPlace,
    /// There is no way to its place.
    is_cut_off: bool,
}

impl Member {
    /// Whether it is within `distance` m of its place.
    fn is_within(&self, distance: f32) -> bool {
        let near = |at: Vec2| at.distance(self.position) <= distance;
        self.place.at.is_some_and(near)
    }

    /// Whether it is so near to its place that it pushes its way in.
    fn is_near_place(&self) -> bool {
        let radii = if self.place.is_pushing_in { 5.0 } else { 4.0 };
        self.is_within(radii * self.radius)
    }

    fn is_settled(&self) -> bool {
        self.is_within(AT_PLACE) && self.speed < AT_REST
    }
}

pub(crate) fn order_groups(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    terrain: Res<Terrain>,
    mut orders: Query<(
        Entity,
        &GroupArrive,
        &mut GroupArriveMemory,
        Option<&GroupMembers>,
    )>,
    mut members: Members,
    targets: Targets,
    arrivals: Res<Announcements<GroupArrived>>,
    mut group: Local<Vec<Member>>,
    mut commands: Commands,
) {
    for (entity, order, mut memory, listed) in &mut orders {
        if let Err(error) = order.check() {
            warnings.raise(&clock, entity, error.field, || {
                format!("{error}; until then the group gets no places")
            });
            continue;
        }
        let Some(listed) = listed.filter(|it| !it.is_empty()) else {
            if memory.is_temporary && memory.had_members {
                commands.entity(entity).despawn();
            }
            continue;
        };
        gather(listed, &members, &mut group);
        let Some(target) = targets.get(order.target) else {
            continue;
        };
        let mut now = *memory;
        now.had_members = true;
        let planned = Planned {
            target: target.position,
            shape: order.shape,
            gap: order.gap,
            revision: terrain.revision(),
        };
        let is_late = |member: &Member| member.place.order != Some(entity);
        let holds = now.planned.is_some_and(|it| {
            let same_world = it.revision == planned.revision;
            it.still_holds(&planned, order) && (same_world || have_room(&group, entity, &terrain))
        });
        if holds {
            if let Some(it) = &mut now.planned {
                it.revision = planned.revision;
            }
            if group.iter().any(is_late) {
                place_latecomers(&mut group, entity, order, &terrain, now.center);
            }
        } else {
            place_all(
                &mut group,
                entity,
                order,
                target.position,
                &terrain,
                &mut now,
            );
            (now.planned, now.arrived) = (Some(planned), false);
        }
        if clock.tick.is_multiple_of(EXCHANGE_TICKS) {
            exchange(&mut group);
        }
        for member in group.iter() {
            hand_over(member, &mut members, &mut commands);
        }
        if !now.arrived && has_arrived(&group) {
            now.arrived = true;
            let settled = group.iter().filter(|it| it.is_settled()).count();
            let event = GroupArrived {
                entity,
                members: settled as u32,
                missing: (group.len() - settled) as u32,
            };
            if let Some(first) = group.first() {
                arrivals.send(first.id, entity, event);
            }
        }
        memory.set_if_neq(now);
    }
}

impl Planned {
    /// Whether places for this still suit the order.
    fn still_holds(&self, now: &Self, order: &GroupArrive) -> bool {
        let moved = self.target.distance(now.target) > order.retarget_distance;
        let same = Self {
            target: now.target,
            revision: now.revision,
            ..*self
        } == *now;
        same && !moved
    }
}

/// Whether every member that has a place of this order still has room there.
fn have_room(group: &[Member], order: Entity, terrain: &Terrain) -> bool {
    // Places were chosen with the whole radius as clearance, up to rounding.
    let is_free = |at: Vec2, radius: f32| {
        let mut solids = terrain.solids().iter();
        solids.all(|solid| solid.distance(at) >= 0.98 * radius)
    };
    let mut placed = group.iter().filter(|it| it.place.order == Some(order));
    placed.all(|it| it.place.at.is_some_and(|at| is_free(at, it.place.radius)))
}

/// The members, by id.
fn gather(listed: &GroupMembers, members: &Members, group: &mut Vec<Member>) {
    let seen = |entity: Entity| {
        let (&id, body, place, _, memory, _) = members.get(entity).ok()?;
        let is_cut_off = memory.is_some_and(|it| matches!(it.state, NavigationState::NoPath(_)));
        body.is_steerable().then(|| Member {
            id,
            entity,
            position: body.position,
            speed: body.speed(),
            radius: body.radius.max(0.0),
            place: *place,
            is_cut_off,
        })
    };
    group.clear();
    group.extend(listed.iter().filter_map(seen));
    group.sort_unstable_by_key(|member| member.id);
}

/// Gives all members new places.
fn place_all(
    group: &mut [Member],
    order: Entity,
    how: &GroupArrive,
    target: Vec2,
    terrain: &Terrain,
    memory: &mut GroupArriveMemory,
) {
    let radii: Vec<_> = group.iter().map(|it| it.radius).collect();
    let largest = radii.iter().copied().fold(0.0, f32::max);
    let grid = ClearanceGrid::new(terrain.solids(), 1.5 * largest.max(0.1));
    let places = Site::new(&grid, target, how.shape, how.gap, &[]).places(&radii);
    memory.center = places.center;
    distribute(group, order, &radii, &places.at, |_| true);
}

/// Gives places to members that have none of this order.
fn place_latecomers(
    group: &mut [Member],
    order: Entity,
    how: &GroupArrive,
    terrain: &Terrain,
    center: Vec2,
) {
    let late = |member: &Member| member.place.order != Some(order);
    let taken: Vec<_> = group
        .iter()
        .filter(|member| !late(member))
        .filter_map(|member| Some((member.place.at?, member.place.radius)))
        .collect();
    let radii: Vec<_> = group
        .iter()
        .filter(|it| late(it))
        .map(|it| it.radius)
        .collect();
    let largest = radii.iter().copied().fold(0.0, f32::max);
    let grid = ClearanceGrid::new(terrain.solids(), 1.5 * largest.max(0.1));
    let site = Site::new(&grid, center, how.shape, how.gap, &taken);
    let places = site.around(center, &radii);
    distribute(group, order, &radii, &places.at, late);
}

/// Assigns places, chosen for bodies of these radii, to some of the members: each size by itself.
fn distribute(
    group: &mut [Member],
    order: Entity,
    radii: &[f32],
    places: &[Option<Vec2>],
    who: impl Fn(&Member) -> bool,
) {
    let largest = radii.iter().copied().fold(0.0, f32::max);
    let chosen: Vec<_> = (0..group.len()).filter(|&it| who(&group[it])).collect();
    let sizes: Vec<_> = radii.iter().map(|&it| place_radius(it, largest)).collect();
    let mut done = vec![false; chosen.len()];
    for first in 0..chosen.len() {
        if done[first] {
            continue;
        }
        let alike: Vec<_> = (first..chosen.len())
            .filter(|&it| sizes[it] == sizes[first])
            .collect();
        let spots: Vec<_> = alike.iter().filter_map(|&it| places[it]).collect();
        // With less room than members, those nearest to it go there.
        let mut takers = alike.clone();
        let middle = spots.iter().sum::<Vec2>() / spots.len().max(1) as f32;
        takers.sort_by(|&a, &b| {
            let distance = |it: usize| group[chosen[it]].position.distance_squared(middle);
            distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
        });
        takers.truncate(spots.len());
        takers.sort_unstable();
        let positions: Vec<_> = takers
            .iter()
            .map(|&it| group[chosen[it]].position)
            .collect();
        for &it in &alike {
            done[it] = true;
            group[chosen[it]].place = GroupPlace {
                at: None,
                radius: sizes[it],
                order: Some(order),
                ..group[chosen[it]].place
            };
        }
        for (&taker, spot) in takers.iter().zip(assign(&positions, &spots)) {
            group[chosen[taker]].place.at = Some(spots[spot]);
        }
    }
}

/// Lets pairs of members exchange their places where the sum of the squared distances falls: of a member
/// that waits behind another one that is at rest, the other moves up.
fn exchange(group: &mut [Member]) {
    for mover in 0..group.len() {
        let far = 2.0 * EXCHANGE_RADII * group[mover].radius;
        if group[mover].is_settled() || !group[mover].is_within(2.0 * far) {
            continue;
        }
        for other in 0..group.len() {
            let (a, b) = (group[mover], group[other]);
            let near = EXCHANGE_RADII * (a.radius + b.radius);
            let (Some(to_a), Some(to_b)) = (a.place.at, b.place.at) else {
                continue;
            };
            let is_near = a.position.distance(b.position) < near
                && a.position.distance(to_b) < near
                && b.position.distance(to_a) < near;
            let fits = a.radius <= b.place.radius && b.radius <= a.place.radius;
            if mover == other || !is_near || !fits {
                continue;
            }
            // |a − to_a|² + |b − to_b|² − |a − to_b|² − |b − to_a|²
            let gain = 2.0 * (a.position - b.position).dot(to_b - to_a);
            if gain > a.radius * a.radius {
                (group[mover].place.at, group[mover].place.radius) = (Some(to_b), b.place.radius);
                (group[other].place.at, group[other].place.radius) = (Some(to_a), a.place.radius);
            }
        }
    }
}

/// Writes the place of a member, and sends it there.
fn hand_over(member: &Member, members: &mut Members, commands: &mut Commands) {
    let Ok((_, _, mut place, navigate, _, avoidance)) = members.get_mut(member.entity) else {
        return;
    };
    let mut new = member.place;
    if let Some(mut avoidance) = avoidance {
        if member.is_near_place() && avoidance.influence.enabled {
            avoidance.influence.enabled = false;
            new.is_pushing_in = true;
        } else if !member.is_near_place() && new.is_pushing_in {
            avoidance.influence.enabled = true;
            new.is_pushing_in = false;
        }
    }
    if !place.set_if_neq(new) {
        return;
    }
    let Some(at) = member.place.at else {
        return;
    };
    match navigate {
        Some(mut navigate) if navigate.target != Target::Point(at) => {
            navigate.target = Target::Point(at);
        }
        Some(_) => {}
        None => {
            commands.entity(member.entity).insert(NavigateTo::new(at));
        }
    }
}

/// Gives agents that have left their group their avoidance back.
pub(crate) fn release_leavers(
    mut leavers: Query<(&mut GroupPlace, Option<&mut ReciprocalAvoidance>), Without<GroupMember>>,
) {
    for (mut place, avoidance) in &mut leavers {
        if place.is_pushing_in {
            place.is_pushing_in = false;
            if let Some(mut avoidance) = avoidance {
                avoidance.influence.enabled = true;
            }
        }
    }
}

/// Whether every member that can be at its place is there.
fn has_arrived(group: &[Member]) -> bool {
    let is_excused = |it: &Member| it.place.at.is_none() || it.is_cut_off;
    let mut waited_for = group.iter().filter(|it| !is_excused(it)).peekable();
    waited_for.peek().is_some() && waited_for.all(Member::is_settled)
}
