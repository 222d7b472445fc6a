//! The system that gives the members of each group their places.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Announcements, Circle, Kinematics, ReciprocalAvoidance, SnapshotAppExt, SnapshotKind,
    SteeringAppExt, SteeringClock, SteeringGroups, SteeringId, SteeringWarnings, SwitchedOff,
    Target, Targets, Vehicle,
};

use super::exchange::{exchange, move_up};
use super::gather::{DisabledMembers, Members, awaits_unsteered, gather};
use super::grids::Grids;
use super::group_arrive::Planned;
use super::hand_over::hand_over;
use super::holding::places_hold;
use super::kept_places::{Bystanders, KeptPlace, keep_places, renewed, taken_places};
use super::meeting::Way;
use super::member::Member;
use super::places::Floor;
use super::placing::{Lot, place_all, place_latecomers, reassign};
use super::settling::{Extent, settle};
use super::{
    GroupArrive, GroupArriveMemory, GroupArrived, GroupMember, GroupMembers, GroupPlace, GroupShape,
};
use crate::paths::ClearanceGrid;
use crate::terrain::Terrain;
use crate::{ActivePathfinder, NoPath, NoPathReason};

pub(crate) fn register(app: &mut App) {
    app.register_type::<GroupShape>()
        .register_type::<GroupMembers>()
        .register_type::<GroupArrived>()
        .add_announcement::<GroupArrived>()
        .add_guide_planner::<GroupMember>()
        .require_part::<GroupArrive, GroupArriveMemory>()
        .require_part::<GroupMember, GroupPlace>()
        .add_saved_relationship::<GroupMember>()
        .add_saved_component_with_targets::<GroupArrive>(|it, into| into.extend(it.target.entity()))
        .add_saved_component::<GroupArriveMemory>(SnapshotKind::State)
        .add_saved_component::<GroupPlace>(SnapshotKind::State)
        .init_resource::<SwitchedOff>();
    let mut switched_off = app.world_mut().resource_mut::<SwitchedOff>();
    switched_off.add::<ReciprocalAvoidance>(|member| {
        let place = member.get::<GroupPlace>();
        place.is_some_and(|it| it.is_pushing_in)
    });
}

/// Ticks between two looks for members that should exchange their places.
const EXCHANGE_TICKS: u32 = 8;
/// Ticks between two looks for room for members that have none: a place may have become free.
const ROOM_TICKS: u32 = 32;

/// Ticks between two looks whether solids have taken places: those of a group in the way of a door that swings would be
/// taken in every tick.
const SOLID_TICKS: u32 = 8;

/// What a group reads of any agent.
type BodyData = (
    &'static SteeringId,
    &'static Kinematics,
    Option<&'static SteeringGroups>,
);

/// What decides on the places of groups, besides their members.
#[derive(SystemParam)]
pub(crate) struct GroupWorld<'w, 's> {
    clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
    pub(super) terrain: Res<'w, Terrain>,
    pub(super) pathfinder: Res<'w, ActivePathfinder>,
    targets: Targets<'w, 's>,
    disabled: DisabledMembers<'w, 's>,
    bystanders: Bystanders<'w, 's>,
    bodies: Query<'w, 's, BodyData, With<Vehicle>>,
}

impl GroupWorld<'_, '_> {
    /// Where bodies may stand, over the grid of the terrain.
    fn floor<'a>(&'a self, grid: &'a ClearanceGrid) -> Floor<'a> {
        Floor {
            grid,
            pathfinder: Some(&self.pathfinder),
        }
    }
}

/// What is known of all groups in a tick.
#[derive(Debug, Default)]
pub(crate) struct Overview {
    turns: Vec<OrderInHand>,
    kept: Vec<KeptPlace>,
    ways: Vec<Way>,
    /// The members of the group of each turn, in the order in which the groups were looked at.
    groups: Vec<Vec<Member>>,
    grids: Grids,
}

type Order<'a> = (
    Entity,
    &'a GroupArrive,
    &'a GroupArriveMemory,
    Option<&'a GroupMembers>,
);

pub(crate) fn order_groups(
    world: GroupWorld,
    mut orders: Query<(
        Entity,
        &GroupArrive,
        &mut GroupArriveMemory,
        Option<&GroupMembers>,
    )>,
    mut members: Members,
    arrivals: Res<Announcements<GroupArrived>>,
    refusals: Res<Announcements<NoPath>>,
    mut overview: Local<Overview>,
    mut commands: Commands,
) {
    overview.clear();
    for order in &orders {
        let (entity, _, memory, listed) = order;
        if memory.is_temporary && listed.is_none_or(RelationshipTarget::is_empty) {
            commands.entity(entity).despawn();
        } else {
            overview.look_at(order, &members, &world);
        }
    }
    overview.turns.sort_unstable_by_key(|it| it.first);
    let renewed = renewed(&overview.turns);
    let Overview {
        turns,
        kept,
        ways,
        groups,
        grids,
    } = &mut *overview;
    for (index, turn) in turns.iter().enumerate() {
        let entity = turn.lot.order;
        let Ok((_, order, mut memory, _)) = orders.get_mut(entity) else {
            continue;
        };
        let group = &mut groups[turn.seen_as];
        let mut now = *memory;
        let turn_of = (entity, index);
        let taken = || taken_places(&members, &world.bystanders, kept, &renewed, turn_of);
        let lot = turn.give_places(group, order, &world, grids, taken, &mut now);
        if turn.holds {
            pass_others(group, entity, ways, &mut now);
        }
        improve_places(group, lot, &world.clock, &mut now);
        push_through(group, &world);
        now.radius = Extent::of(group, now.center).spread;
        for member in group.iter() {
            if hand_over(member, member.pushes(group), &mut members, &mut commands) {
                log::debug!("entity {}: no room in its group", member.entity);
                refusals.send(member.id, member.entity, refusal(member, order.target));
            }
        }
        if !now.arrived && !turn.awaits_unsteered && has_arrived(group) {
            now.arrived = true;
            arrivals.send(turn.first, entity, arrival(entity, group));
        }
        memory.set_if_neq(now);
    }
}

impl Overview {
    fn clear(&mut self) {
        self.turns.clear();
        self.kept.clear();
        self.ways.clear();
    }

    /// Notes what an order has to do with the other groups, and its turn if its group gets or has places.
    fn look_at(
        &mut self,
        (entity, order, memory, listed): Order,
        members: &Members,
        world: &GroupWorld,
    ) {
        let lot = Lot {
            order: entity,
            plan: memory.plan,
        };
        let seen_as = self.turns.len();
        if self.groups.len() == seen_as {
            self.groups.push(Vec::new());
        }
        let group = &mut self.groups[seen_as];
        group.clear();
        let mut awaits = false;
        if let Some(listed) = listed {
            gather(listed, members, order.target, memory.center, group);
            // Those that are left out are not steered now.
            if group.len() < listed.len() {
                keep_places(listed, members, &world.disabled, lot, &mut self.kept);
                awaits = awaits_unsteered(listed, members, &world.disabled, order.target, lot);
            }
        }
        if let Err(error) = order.check() {
            world
                .warnings
                .raise_invalid(&world.clock, entity, &error, "the group gets no places");
            return;
        }
        let host = host_of(order, world, memory);
        // While the target is steered, it has a place among those of its group.
        if !group.iter().any(|it| it.is_host) {
            self.kept.extend(kept_target(order, listed, host, world));
        }
        // A group is planned as soon as one of its members is steered.
        let Some(first) = group.first().map(|it| it.id) else {
            return;
        };
        if memory.planned.is_some() && !memory.arrived {
            let way = Way::of(entity, first, group, memory.center);
            self.ways.push(way);
        }
        let revision = known_revision(first, memory, world);
        let Some(planned) = planned_for(entity, order, memory, host, revision, world) else {
            return;
        };
        let holds = places_hold(group, lot, order, memory, &planned, world);
        self.turns.push(OrderInHand {
            seen_as,
            first,
            lot,
            planned,
            holds,
            awaits_unsteered: awaits,
        });
    }
}

/// The disc of a target that is listed in its own group, but not steered now.
fn kept_target(
    order: &GroupArrive,
    listed: Option<&GroupMembers>,
    host: Option<SteeringId>,
    world: &GroupWorld,
) -> Option<KeptPlace> {
    let target = order.target.entity()?;
    let is_listed = listed?.iter().any(|it| it == target);
    let disc = host_disc(host, order, world).filter(|_| is_listed);
    disc.map(KeptPlace::of_target)
}

/// The revision of the solids that a group knows: that of its last look at whether solids have taken its places.
fn known_revision(first: SteeringId, memory: &GroupArriveMemory, world: &GroupWorld) -> u32 {
    let looks = world.clock.is_due(SOLID_TICKS, first.turn_of(SOLID_TICKS));
    match memory.planned {
        Some(before) if !looks => before.revision,
        _ => world.terrain.revision(),
    }
}

/// What the places of an order are to be for in this tick. `None`, with a warning, if its target is lost and its group has
/// no places.
fn planned_for(
    entity: Entity,
    order: &GroupArrive,
    memory: &GroupArriveMemory,
    host: Option<SteeringId>,
    revision: u32,
    world: &GroupWorld,
) -> Option<Planned> {
    let target = world.targets.get(order.target).map(|it| it.position);
    // The places of a group whose target is lost stay.
    let Some(target) = target.or(memory.planned.map(|it| it.target)) else {
        world
            .warnings
            .raise(&world.clock, entity, "GroupArrive.target", || {
                "GroupArrive.target is lost; until it exists the group gets no places".into()
            });
        return None;
    };
    Some(Planned {
        target,
        shape: order.shape,
        gap: order.gap,
        revision,
        host,
    })
}

/// The agent that is the target, a member or not, steered or not. One that is hidden from queries now remains it.
fn host_of(
    order: &GroupArrive,
    world: &GroupWorld,
    memory: &GroupArriveMemory,
) -> Option<SteeringId> {
    let target = order.target.entity()?;
    match world.bodies.get(target) {
        Ok((&id, ..)) => Some(id),
        Err(_) => memory.planned.and_then(|it| it.host),
    }
}

/// The order of a group that has its turn in this tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderInHand {
    /// The index of its group.
    seen_as: usize,
    /// The least id of its members: turns do not depend on the entities.
    first: SteeringId,
    pub(super) lot: Lot,
    /// What its places are to be for.
    planned: Planned,
    /// Whether they already are.
    pub(super) holds: bool,
    /// Whether a member that is not steered now is still to come.
    awaits_unsteered: bool,
}

impl OrderInHand {
    /// Gives all members new places, or only those that have none if the places still hold.
    fn give_places(
        &self,
        group: &mut [Member],
        order: &GroupArrive,
        world: &GroupWorld,
        grids: &mut Grids,
        taken: impl Fn() -> Vec<Circle>,
        memory: &mut GroupArriveMemory,
    ) -> Lot {
        let Self { lot, planned, .. } = *self;
        if !self.holds {
            let grid = grids.for_group(group, &world.terrain);
            let floor = world.floor(&grid);
            let around = (planned.target, host_disc(planned.host, order, world));
            let lot = place_all(group, lot.order, order, around, floor, taken(), memory);
            // Also between two looks they are chosen for the solids of now.
            let planned = Planned {
                revision: world.terrain.revision(),
                ..planned
            };
            (memory.planned, memory.arrived, memory.ways_known) = (Some(planned), false, false);
            (memory.meeting, memory.last_look) = (None, None);
            return lot;
        }
        if let Some(it) = &mut memory.planned {
            it.revision = planned.revision;
        }
        let looks_for_room = world
            .clock
            .is_due(ROOM_TICKS, self.first.turn_of(ROOM_TICKS));
        let needs_place =
            |it: &Member| !lot.includes(&it.place) || looks_for_room && it.place.at.is_none();
        if group.iter().any(needs_place) {
            let grid = grids.for_group(group, &world.terrain);
            let floor = (world.floor(&grid), world.terrain.revision());
            let mut taken = taken();
            // A member that is steered has a place among those of its group.
            if !group.iter().any(|it| it.is_host) {
                taken.extend(host_disc(planned.host, order, world));
            }
            place_latecomers(group, lot, order, floor, taken, memory);
        }
        lot
    }
}

/// The disc of the target of an order if it is an agent.
fn host_disc(host: Option<SteeringId>, order: &GroupArrive, world: &GroupWorld) -> Option<Circle> {
    host?;
    let host = world.targets.get(order.target)?;
    Some(Circle::new(host.position, host.radius.max(0.0)))
}

/// Lets members have the places of each other, or the spots where they stand, where that is better.
fn improve_places(
    group: &mut [Member],
    lot: Lot,
    clock: &SteeringClock,
    memory: &mut GroupArriveMemory,
) {
    let needs_no_way = |it: &Member| it.is_host || it.has_path() || is_excused(it);
    if !memory.ways_known && group.iter().all(needs_no_way) {
        memory.ways_known = true;
        reassign(group, lot);
    }
    if clock.is_due(EXCHANGE_TICKS, 0) {
        let look = (clock.tick / EXCHANGE_TICKS) as usize;
        exchange(group, look);
        move_up(group, look);
    }
    for member in group.iter_mut() {
        member.wait(clock.delta);
    }
    settle(group, memory.center);
}

/// Lets members that are stuck push through others that stand in their way.
fn push_through(group: &mut [Member], world: &GroupWorld) {
    for index in 0..group.len() {
        let member = group[index];
        let is_beside_others = || {
            let mut others = world.bodies.iter().filter(|(id, _, groups)| {
                **id != member.id && *groups != Some(&SteeringGroups::NONE)
            });
            others.any(|(_, body, _)| member.is_beside(body))
        };
        group[index].place.through =
            member.pushing_through(group, world.clock.delta, is_beside_others);
    }
}

/// Leads the members past the next group that they meet head-on, if there is one.
fn pass_others(group: &mut [Member], order: Entity, ways: &[Way], memory: &mut GroupArriveMemory) {
    let Some(mine) = ways.iter().find(|it| it.order == order) else {
        return;
    };
    let others = ways.iter().filter(|it| it.order != order);
    let met = others.filter_map(|other| Some((other, mine.meeting(other)?)));
    let distance = |other: &Way| other.from.distance_squared(mine.from);
    let next = met.min_by(|(a, _), (b, _)| {
        let nearer = distance(a).total_cmp(&distance(b));
        nearer.then(a.first.cmp(&b.first))
    });
    if let Some((other, meeting)) = next
        && memory.meeting != Some(other.order)
    {
        memory.meeting = Some(other.order);
        for member in group.iter_mut().filter(|it| !it.is_host) {
            member.place.detour = Some(meeting.detour(member.position));
        }
    }
}

/// Whether a group need not wait for a member: there is no room or no way for it.
fn is_excused(member: &Member) -> bool {
    member.place.at.is_none() || member.is_cut_off()
}

/// Whether every member that can be at its place is there.
fn has_arrived(group: &[Member]) -> bool {
    let mut waited_for = group.iter().filter(|it| !is_excused(it)).peekable();
    waited_for.peek().is_some() && waited_for.all(Member::is_settled)
}

/// The event of a group that has arrived.
fn arrival(entity: Entity, group: &[Member]) -> GroupArrived {
    let settled = group.iter().filter(|it| it.is_settled()).count();
    GroupArrived {
        entity,
        members: settled as u32,
        missing: (group.len() - settled) as u32,
    }
}

/// The event of a member for which there is no room at the target of its order.
fn refusal(member: &Member, target: Target) -> NoPath {
    NoPath {
        entity: member.entity,
        target,
        reason: NoPathReason::TargetBlocked,
    }
}
