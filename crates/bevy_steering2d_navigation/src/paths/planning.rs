//! The system that plans the paths of all [`NavigateTo`]s: which are due, in which order, and with which
//! budget.

use bevy::prelude::*;
use bevy_steering2d_core::perception::nearest_on_segment;
use bevy_steering2d_core::{
    Arrived, Kinematics, PathFollowing, PathFollowingMemory, SnapshotAppExt, SnapshotKind,
    SteeringAppExt, SteeringDisabled, SteeringId, SteeringPath, SteersFor, StuckMemory, Targets,
    Vehicle,
};

use super::active_pathfinder::Guarded;
use super::detour::lead_over;
use super::navigate_to::stop_at;
use super::reports::Reports;
use super::search_terrain::SearchTerrain;
use super::turns::{Turns, Waiting};
use crate::world::Terrain;
use crate::{
    ActivePathfinder, AtGoal, NavigateTo, NavigateToMemory, NavigationBudget, NavigationState,
    NoPath, NoPathReason, PathFound, PathQuery, PathSearch,
};

pub(crate) fn register(app: &mut App) {
    app.add_saved_resource::<NavigationBudget>()
        .init_resource::<NavigationBudget>()
        .add_saved_resource_with_heap::<SearchTerrain>(SearchTerrain::heap)
        .init_resource::<SearchTerrain>()
        .init_resource::<ActivePathfinder>()
        .add_condition::<AtGoal>()
        .register_type::<PathFound>()
        .register_type::<NoPath>()
        .add_announcement::<PathFound>()
        .add_announcement::<NoPath>()
        .add_announcement::<Arrived>()
        .add_saved_component_with_targets::<NavigateTo>(|it, into| into.extend(it.target.entity()))
        .add_saved_component::<NavigateToMemory>(SnapshotKind::State);
}

/// Ticks between two looks at whether a solid is in the way to the next waypoint.
const LOOKS: u32 = 8;

type Navigators<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        &'static SteeringId,
        &'static NavigateTo,
        &'static mut NavigateToMemory,
        &'static Kinematics,
        Option<&'static mut SteeringPath>,
        Option<&'static mut PathFollowingMemory>,
        Option<&'static StuckMemory>,
        Option<&'static PathFollowing>,
    ),
    (With<Vehicle>, Without<SteeringDisabled>),
>;

pub(crate) fn plan_paths(
    terrain: Res<Terrain>,
    budget: Res<NavigationBudget>,
    mut active: ResMut<ActivePathfinder>,
    mut held: ResMut<SearchTerrain>,
    mut navigators: Navigators,
    misplaced: Query<Entity, (With<NavigateTo>, With<SteersFor>)>,
    targets: Targets,
    reports: Reports,
    mut turns: Local<Turns>,
    mut commands: Commands,
) {
    misplaced
        .iter()
        .for_each(|entity| reports.behavior_entity(entity));
    let tick = reports.clock.tick;
    SearchTerrain::follow(held.reborrow(), &terrain, tick, |tick| {
        let mut all = navigators.iter();
        all.any(|(_, _, how, memory, body, ..)| {
            memory.has_searched_since(tick) && body.is_steerable() && how.check().is_ok()
        })
    });
    let (solids, revision) = held.solids(&terrain);
    let mut pathfinder = active.over(solids, revision);
    pathfinder.hand_over();
    turns.clear();
    line_up(
        &mut navigators,
        &targets,
        revision,
        &mut pathfinder,
        &reports,
        &mut turns,
    );
    search(
        &mut navigators,
        budget.expansions.max(1),
        &mut pathfinder,
        &reports,
        &mut turns,
        &mut commands,
    );
    SearchTerrain::keep_if(held.reborrow(), !turns.is_empty(), &terrain);
}

/// Finds out who has arrived, and who needs a plan.
fn line_up(
    navigators: &mut Navigators,
    targets: &Targets,
    revision: u32,
    pathfinder: &mut Guarded,
    reports: &Reports,
    turns: &mut Turns,
) {
    let clock = &reports.clock;
    for (entity, &id, how, mut memory, body, path, mut progress, stuck, follow) in navigators {
        if let Err(error) = how.check() {
            reports.invalid(entity, &error);
            continue;
        }
        if follow.is_some_and(|it| it.path.is_some_and(|path| path != entity)) {
            reports.other_path(entity);
        }
        if !body.is_steerable() {
            continue;
        }
        let target = targets.get(how.target);
        let mut now = *memory;
        now.age += clock.delta;
        if let (Some(path), Some(progress)) = (&path, &mut progress)
            && let Some(next) = passed(path, progress, body, pathfinder)
        {
            progress.waypoint = next;
        }
        let situation = Situation {
            how,
            follow,
            body,
            target,
            path: path.as_deref(),
            progress: progress.as_deref(),
            times_stuck: stuck.map_or(0, |stuck| stuck.times),
            revision,
            tick: clock.tick,
            looks: clock.tick.wrapping_add(id.0).is_multiple_of(LOOKS),
        };
        // The memory may have begun anew.
        now.times_stuck = now.times_stuck.min(situation.times_stuck);
        if now.notices_arrival(&situation) {
            reports.arrival(id, entity, how.target);
        }
        if now.needs_plan(&situation, pathfinder) {
            now.begin_search(&situation);
        }
        if pathfinder.take_panic() {
            reports.failure(entity);
        }
        match target {
            Some(_) if now.searching => turns.push(Waiting {
                spent: now.spent,
                age: now.age,
                id,
                entity,
            }),
            None if now.searching => {
                now.fail(NoPathReason::TargetLost);
                reports.no_path(id, entity, how.target, NoPathReason::TargetLost);
            }
            _ => {}
        }
        memory.set_if_neq(now);
    }
}

/// Searches paths for those who wait, in turn, with so many expansions.
fn search(
    navigators: &mut Navigators,
    mut expansions: u32,
    pathfinder: &mut Guarded,
    reports: &Reports,
    turns: &mut Turns,
    commands: &mut Commands,
) {
    turns.begin(expansions);
    while expansions > 0
        && let Some((waiting, portion)) = turns.take(expansions)
    {
        let Waiting { id, entity, .. } = waiting;
        let Ok((_, _, how, mut memory, body, path, .., follow)) = navigators.get_mut(entity) else {
            continue;
        };
        let query = PathQuery {
            from: body.position,
            to: memory.planned_to,
            radius: body.radius.max(0.0),
        };
        let mut unused = portion;
        let found = pathfinder.find(&query, &mut unused);
        let found = checked(adapted(found, &query, how, &memory, pathfinder));
        let used = portion - unused;
        expansions -= used;
        memory.spent = memory.spent.saturating_add(used);
        match found {
            Search::Unfinished if memory.spent < how.max_expansions => {
                // For a further portion in this tick or the next.
                turns.put_back(waiting, memory.spent);
            }
            Search::Unfinished => {
                memory.fail(NoPathReason::TooLong);
                reports.no_path(id, entity, how.target, NoPathReason::TooLong);
            }
            Search::Found(new)
                if memory.is_already_there(how, follow, body, path.as_deref(), &new) =>
            {
                memory.stay();
            }
            Search::Found(new) => {
                memory.succeed(how, id);
                reports.path(id, entity, how.target, new.length());
                put(commands, entity, path, new);
            }
            Search::None(NoPathReason::NotReady)
                if memory.state == NavigationState::NoPath(NoPathReason::NotReady) =>
            {
                memory.stay();
            }
            Search::None(reason) => {
                memory.fail(reason);
                if reason == NoPathReason::Failed {
                    reports.failure(entity);
                } else if let Some(stop) = stop_at(body.position) {
                    put(commands, entity, path, stop);
                }
                reports.no_path(id, entity, how.target, reason);
            }
        }
        if pathfinder.take_panic() {
            reports.failure(entity);
        }
    }
}

/// A path that was found, in the lane of the agent and over its detour.
fn adapted(
    mut found: PathSearch,
    query: &PathQuery,
    how: &NavigateTo,
    memory: &NavigateToMemory,
    pathfinder: &mut Guarded,
) -> PathSearch {
    if let PathSearch::Found(points) = &mut found {
        let mut is_clear =
            |from: Vec2, to: Vec2| pathfinder.is_clear(from, to, query.radius) == Some(true);
        how.lane.widen(points, &mut is_clear);
        if let Some(detour) = memory.detour {
            lead_over(detour, points, is_clear);
        }
    }
    found
}

/// A number from 0 to 1 that is spread evenly among agents with successive ids.
fn stagger(id: SteeringId) -> f32 {
    const TURNS: u32 = 8;
    (id.0 % TURNS) as f32 / TURNS as f32
}

/// The answer of a pathfinder, with a valid path.
enum Search {
    Found(SteeringPath),
    None(NoPathReason),
    Unfinished,
}

fn checked(found: PathSearch) -> Search {
    match found {
        PathSearch::Found(points) => match SteeringPath::open(points) {
            Ok(path) => Search::Found(path),
            Err(_) => Search::None(NoPathReason::Failed),
        },
        PathSearch::None(reason) => Search::None(reason),
        PathSearch::Unfinished => Search::Unfinished,
    }
}

/// Replaces the path of an entity, or inserts it.
fn put(commands: &mut Commands, entity: Entity, old: Option<Mut<SteeringPath>>, new: SteeringPath) {
    match old {
        Some(mut old) => *old = new,
        None => {
            commands.entity(entity).try_insert(new);
        }
    }
}

/// The waypoint after the one that an agent heads for, if it is already past that one, beside it, and can
/// go straight to the next: others may have kept it from the waypoint itself.
fn passed(
    path: &SteeringPath,
    progress: &PathFollowingMemory,
    body: &Kinematics,
    pathfinder: &mut Guarded,
) -> Option<usize> {
    if !progress.is_about(path) || path.is_looped() {
        return None;
    }
    let (here, points, at) = (body.position, path.points(), progress.waypoint);
    let next = *points.get(at + 1)?;
    let go = (next - points[at]).normalize_or_zero();
    let come = at.checked_sub(1).map_or(Vec2::ZERO, |before| {
        (points[at] - points[before]).normalize_or_zero()
    });
    let is_past = (here - points[at]).dot(come + go) > 0.0;
    let goes_on = is_past && pathfinder.is_clear(here, next, body.radius) == Some(true);
    goes_on.then_some(at + 1)
}

/// What decides whether an agent needs a plan.
struct Situation<'a> {
    how: &'a NavigateTo,
    follow: Option<&'a PathFollowing>,
    body: &'a Kinematics,
    target: Option<Kinematics>,
    path: Option<&'a SteeringPath>,
    progress: Option<&'a PathFollowingMemory>,
    times_stuck: u32,
    /// The solids that the pathfinder knows, by their digest.
    revision: u32,
    tick: u32,
    /// Whether it is this agent's turn to look ahead.
    looks: bool,
}

impl Situation<'_> {
    /// The progress along the current path.
    fn progress(&self) -> Option<(&SteeringPath, &PathFollowingMemory)> {
        let (path, progress) = (self.path?, self.progress?);
        progress.is_about(path).then_some((path, progress))
    }

    /// Whether the agent still brakes, or comes back to where it stops without a way to its target.
    fn comes_to_rest(&self) -> bool {
        let mut progress = self.progress().into_iter();
        self.body.speed() > Kinematics::REST
            && progress.any(|(path, it)| path.points().len() == 1 && !it.completed)
    }

    /// Whether the agent that had arrived is no longer at the end of its path.
    fn has_left_end(&self) -> bool {
        let end = self.path.and_then(|path| path.points().last());
        let reach = reach_of_end(self.how, self.follow, self.body);
        end.is_some_and(|end| end.distance(self.body.position) > reach)
    }

    /// Whether the agent is too far from its path, or a solid is in the way to the next waypoint.
    fn is_off_path(&self, pathfinder: &mut Guarded) -> bool {
        let Some((path, progress)) = self.progress() else {
            return false;
        };
        let here = self.body.position;
        let next = path.points()[progress.waypoint];
        let previous = path.points()[progress.waypoint.saturating_sub(1)];
        let on_path = nearest_on_segment(here, previous, next);
        let most = self.how.path_tolerance + self.body.radius;
        on_path.distance(here) > most
            || self.looks && pathfinder.is_clear(here, next, self.body.radius) == Some(false)
    }
}

/// How far an agent that has arrived may be from the end of its path, m.
fn reach_of_end(how: &NavigateTo, follow: Option<&PathFollowing>, body: &Kinematics) -> f32 {
    let tolerance = follow.map_or(0.0, |it| it.tolerance);
    how.path_tolerance.max(tolerance) + body.radius
}

impl NavigateToMemory {
    /// Whether the agent has come to rest at the end of its path since the last tick.
    fn notices_arrival(&mut self, situation: &Situation) -> bool {
        let completed = situation.progress().is_some_and(|(_, it)| it.completed);
        let follows = self.state == NavigationState::Following && !self.searching;
        // The target may have become another one, or have moved on, since the path was planned.
        let is_there = self.target == Some(situation.how.target) && !self.has_moved(situation);
        let arrives = completed && follows && is_there;
        if arrives {
            self.state = NavigationState::Arrived;
        }
        arrives
    }

    /// Whether the target is lost, or has moved too far since it was planned to.
    fn has_moved(&self, situation: &Situation) -> bool {
        let most = situation.how.retarget_distance;
        let target = situation.target;
        target.is_none_or(|it| it.position.distance(self.planned_to) > most)
    }

    /// Whether the last plan no longer holds.
    fn needs_plan(&self, situation: &Situation, pathfinder: &mut Guarded) -> bool {
        let how = situation.how;
        let moved = self.has_moved(situation);
        let has_lost_path = situation.path.is_none();
        let is_new = self.target != Some(how.target)
            || self.revision != situation.revision
            || self.times_stuck < situation.times_stuck;
        if self.searching {
            // A search for a target that moves on ends first: it would never end if it began anew.
            return is_new;
        }
        is_new
            || match self.state {
                NavigationState::Planning => true,
                NavigationState::NoPath(NoPathReason::TargetLost) => situation.target.is_some(),
                NavigationState::NoPath(NoPathReason::NotReady) => situation.looks,
                NavigationState::NoPath(_) => {
                    let off = situation.body.position.distance(self.planned_from);
                    moved || !situation.comes_to_rest() && off > how.path_tolerance
                }
                NavigationState::Arrived => moved || has_lost_path || situation.has_left_end(),
                NavigationState::Following => {
                    let is_old = self.age > how.refresh_time;
                    moved || has_lost_path || is_old || situation.is_off_path(pathfinder)
                }
            }
    }

    /// Whether a search is under way that began in a tick or before.
    fn has_searched_since(&self, tick: u32) -> bool {
        // Ticks wrap around.
        self.searching && tick.wrapping_sub(self.began) < u32::MAX / 2
    }

    /// Begins a search from where the agent and its target are now.
    fn begin_search(&mut self, situation: &Situation) {
        if self.is_at_end() && self.target != Some(situation.how.target) {
            // Events of this target are still to come.
            self.state = NavigationState::Planning;
        }
        self.searching = true;
        self.began = situation.tick;
        self.spent = 0;
        self.target = Some(situation.how.target);
        self.planned_from = situation.body.position;
        self.revision = situation.revision;
        self.times_stuck = situation.times_stuck;
        if let Some(target) = situation.target {
            self.planned_to = target.position;
        }
    }

    /// Whether the agent has arrived at the end of its path and a new one leads straight back to it, as after a
    /// change of the solids elsewhere.
    fn is_already_there(
        &self,
        how: &NavigateTo,
        follow: Option<&PathFollowing>,
        body: &Kinematics,
        old: Option<&SteeringPath>,
        new: &SteeringPath,
    ) -> bool {
        let end = |path: &SteeringPath| path.points().last().copied();
        let ends = old.and_then(end).zip(end(new));
        let is_straight = new.points().len() <= 2;
        let reach = reach_of_end(how, follow, body);
        let is_same =
            ends.is_some_and(|(old, new)| old == new && body.position.distance(new) <= reach);
        self.state == NavigationState::Arrived && is_straight && is_same
    }

    /// The first plan counts as older for some agents than for others, so that agents that were spawned together
    /// do not all plan again in the same tick.
    fn succeed(&mut self, how: &NavigateTo, id: SteeringId) {
        self.age = if self.state == NavigationState::Planning && how.refresh_time.is_finite() {
            how.refresh_time * stagger(id)
        } else {
            0.0
        };
        self.searching = false;
        self.state = NavigationState::Following;
    }

    fn fail(&mut self, reason: NoPathReason) {
        self.stay();
        self.state = NavigationState::NoPath(reason);
    }

    /// Ends the search without a new path.
    fn stay(&mut self) {
        self.searching = false;
        self.age = 0.0;
    }
}
