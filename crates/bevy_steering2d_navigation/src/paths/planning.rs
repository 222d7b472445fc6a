//! The system that plans the paths of all [`NavigateTo`]s: which are due, in which order, and with which
//! budget.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Arrived, Kinematics, PathFollowing, PathFollowingMemory, SnapshotAppExt, SnapshotKind,
    SteeringAppExt, SteeringDisabled, SteeringId, SteeringPath, SteersFor, StuckMemory, Targets,
    Vehicle,
};

use super::active_pathfinder::Guarded;
use super::detour::lead_over;
use super::followers::Followers;
use super::navigate_to::stop_at;
use super::reports::Reports;
use super::search_terrain::SearchTerrain;
use super::situation::Situation;
use super::turns::{Turns, Waiting};
use crate::terrain::Terrain;
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
        .add_guide_planner::<NavigateTo>()
        .register_type::<PathFound>()
        .register_type::<NoPath>()
        .add_announcement::<PathFound>()
        .add_announcement::<NoPath>()
        .add_announcement::<Arrived>()
        .add_saved_component_with_targets::<NavigateTo>(|it, into| into.extend(it.target.entity()))
        .add_saved_component::<NavigateToMemory>(SnapshotKind::State);
}

/// Ticks between two looks at whether a solid is in the way to the next waypoint.
const LOOK_TICKS: u32 = 8;

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

/// Who plans, and who hears of it.
#[derive(SystemParam)]
pub(crate) struct Planning<'w, 's> {
    navigators: Navigators<'w, 's>,
    misplaced: Query<'w, 's, Entity, (With<NavigateTo>, With<SteersFor>)>,
    followers: Followers<'w, 's>,
    targets: Targets<'w, 's>,
    reports: Reports<'w, 's>,
    turns: Local<'s, Turns>,
    commands: Commands<'w, 's>,
}

pub(crate) fn plan_paths(
    terrain: Res<Terrain>,
    budget: Res<NavigationBudget>,
    mut active: ResMut<ActivePathfinder>,
    mut held: ResMut<SearchTerrain>,
    mut planning: Planning,
) {
    planning.report_mistakes();
    let tick = planning.reports.clock.tick;
    SearchTerrain::follow(held.reborrow(), &terrain, tick, |tick| {
        let mut all = planning.navigators.iter();
        all.any(|(_, _, how, memory, body, ..)| {
            memory.has_searched_since(tick) && body.is_steerable() && how.check().is_ok()
        })
    });
    let (solids, revision) = held.solids(&terrain);
    let mut pathfinder = active.over(solids, revision);
    pathfinder.hand_over();
    planning.line_up(revision, &mut pathfinder);
    planning.search(budget.expansions.max(1), &mut pathfinder);
    SearchTerrain::keep_if(held.reborrow(), !planning.turns.is_empty(), &terrain, tick);
}

impl Planning<'_, '_> {
    /// Reports orders on entities that do not steer themselves, and paths that nothing follows.
    fn report_mistakes(&mut self) {
        let Self {
            misplaced,
            followers,
            reports,
            ..
        } = self;
        misplaced
            .iter()
            .for_each(|entity| reports.behavior_entity(entity));
        followers
            .missing(&reports.clock)
            .for_each(|entity| reports.no_follower(entity));
    }

    /// Finds out who has arrived, and who needs a plan.
    fn line_up(&mut self, revision: u32, pathfinder: &mut Guarded) {
        let Self {
            navigators,
            targets,
            reports,
            turns,
            ..
        } = self;
        turns.clear();
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
            if let (Some(path), Some(progress)) = (&path, &mut progress)
                && let Some(next) = passed(path, progress, body, pathfinder)
            {
                progress.waypoint = next;
            }
            let situation = Situation {
                how,
                follow,
                body,
                target: targets.get(how.target),
                path: path.as_deref(),
                progress: progress.as_deref(),
                times_stuck: stuck.map_or(0, |stuck| stuck.times),
                revision,
                tick: clock.tick,
                looks: clock.is_due(LOOK_TICKS, id.turn_of(LOOK_TICKS)),
            };
            let now = reviewed(*memory, &situation, (id, entity), pathfinder, reports);
            if now.searching {
                turns.push(Waiting {
                    spent: now.spent,
                    age: now.age,
                    id,
                    entity,
                });
            }
            memory.set_if_neq(now);
        }
    }

    /// Searches paths for those who wait, in turn, with so many expansions.
    fn search(&mut self, mut expansions: u32, pathfinder: &mut Guarded) {
        let Self {
            navigators,
            reports,
            turns,
            commands,
            ..
        } = self;
        turns.begin(expansions);
        while expansions > 0
            && let Some((waiting, portion)) = turns.take(expansions)
        {
            let Waiting { id, entity, .. } = waiting;
            let Ok((_, _, how, memory, body, path, progress, _, follow)) =
                navigators.get_mut(entity)
            else {
                continue;
            };
            let mut searcher = Searcher {
                id,
                entity,
                how,
                memory,
                body,
                path,
                progress,
                follow,
            };
            let (found, used) = continued(how, &searcher.memory, body, pathfinder, portion);
            expansions -= used;
            searcher.memory.spent = searcher.memory.spent.saturating_add(used);
            match found {
                Search::Unfinished if searcher.memory.spent < how.max_expansions => {
                    // For a further portion in this tick or the next.
                    turns.put_back(waiting, searcher.memory.spent);
                }
                Search::Unfinished => searcher.give_up(NoPathReason::TooLong, reports),
                Search::Found(new) => searcher.take(new, reports, commands),
                Search::None(reason) => searcher.go_without(reason, reports, commands),
            }
            if pathfinder.take_panic() {
                reports.failure(entity);
            }
        }
    }
}

/// The memory of an agent in its situation: whether it has arrived, and whether it searches. Reports an arrival, and a
/// target that is lost.
fn reviewed(
    mut now: NavigateToMemory,
    situation: &Situation,
    (id, entity): (SteeringId, Entity),
    pathfinder: &mut Guarded,
    reports: &Reports,
) -> NavigateToMemory {
    let target = situation.how.target;
    now.age += reports.clock.delta;
    // The memory may have begun anew.
    now.times_stuck = now.times_stuck.min(situation.times_stuck);
    if now.notices_arrival(situation) {
        reports.arrival(id, entity, target);
    }
    if now.needs_plan(situation, pathfinder) {
        now.begin_search(situation);
    }
    now.follow_target(target);
    if pathfinder.take_panic() {
        reports.failure(entity);
    }
    if now.searching && situation.target.is_none() {
        now.fail(NoPathReason::TargetLost);
        reports.no_path(id, entity, target, NoPathReason::TargetLost);
    }
    now
}

/// An agent for which a path is searched.
struct Searcher<'a> {
    id: SteeringId,
    entity: Entity,
    how: &'a NavigateTo,
    memory: Mut<'a, NavigateToMemory>,
    body: &'a Kinematics,
    path: Option<Mut<'a, SteeringPath>>,
    progress: Option<Mut<'a, PathFollowingMemory>>,
    follow: Option<&'a PathFollowing>,
}

impl Searcher<'_> {
    /// Takes the path that was found, unless the agent is already there.
    fn take(mut self, new: SteeringPath, reports: &Reports, commands: &mut Commands) {
        let old = self.path.as_deref();
        if self
            .memory
            .is_already_there(self.how, self.follow, self.body, old, &new)
        {
            self.memory.stay();
            return;
        }
        // An agent that was put back to where it started may get the path along which it has arrived before.
        if let Some(mut progress) = self.progress
            && progress.is_about(&new)
        {
            *progress = PathFollowingMemory::default();
        }
        self.memory.succeed(self.how, self.id);
        reports.path(self.id, self.entity, self.how.target, new.length());
        put(commands, self.entity, self.path, new);
    }

    /// Stops the agent where it is, since there is no path. One that waits for its pathfinder is told so once.
    fn go_without(mut self, reason: NoPathReason, reports: &Reports, commands: &mut Commands) {
        let waits = NavigationState::NoPath(NoPathReason::NotReady);
        if reason == NoPathReason::NotReady && self.memory.state == waits {
            self.memory.stay();
            return;
        }
        if reason == NoPathReason::Failed {
            reports.failure(self.entity);
        } else if let Some(stop) = stop_at(self.body.position) {
            put(commands, self.entity, self.path.take(), stop);
        }
        self.give_up(reason, reports);
    }

    /// Ends the search without a path.
    fn give_up(mut self, reason: NoPathReason, reports: &Reports) {
        self.memory.fail(reason);
        reports.no_path(self.id, self.entity, self.how.target, reason);
    }
}

/// Continues the search for an agent. Returns the answer, and how many of these expansions it took.
fn continued(
    how: &NavigateTo,
    memory: &NavigateToMemory,
    body: &Kinematics,
    pathfinder: &mut Guarded,
    expansions: u32,
) -> (Search, u32) {
    let query = PathQuery {
        from: body.position,
        to: memory.planned_to,
        radius: body.radius.max(0.0),
    };
    let mut unused = expansions;
    let found = pathfinder.find(&query, &mut unused);
    let found = checked(adapted(found, &query, how, memory, pathfinder));
    (found, expansions - unused)
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
