//! [`SteeringRecorder`]: the ring of snapshots.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use bevy::prelude::*;
use bevy_steering2d_core::{ColliderProbes, SteeringSnapshot};

use crate::Moment;
use crate::aliases::{Aliases, component};
use crate::answers::{Answers, Probes, copy_answered};
use crate::moment::{contacts, cuts};

/// The last ticks, each as a [`SteeringSnapshot`].
#[derive(Resource)]
pub struct SteeringRecorder {
    /// Whether new ticks are recorded. Off, recording costs nothing. Default `true`.
    pub recording: bool,
    /// The number of ticks that the memory held when the recording stopped.
    stopped: Option<usize>,
    budget: usize,
    ring: VecDeque<Recorded>,
    /// The last tick that was dropped, whose memory the next one takes.
    spare: Option<SteeringSnapshot>,
    /// The memory of the ring, bytes.
    ring_bytes: usize,
    /// What probes met in the ticks of the ring.
    answers: Answers,
    /// In order, with the first entity of each agent.
    moments: VecDeque<Moment>,
    aliases: Aliases,
    /// Whether a tick runs that has not been recorded yet.
    is_in_tick: bool,
    /// The tick to which the world was rewound, until it goes on.
    shown: Option<u32>,
    /// The world before it was rewound. Only while a tick is shown.
    pub(crate) present: Option<TickState>,
    abandoned: Vec<Recorded>,
    /// Their memory, bytes.
    abandoned_bytes: usize,
}

/// A recorded tick.
struct Recorded {
    snapshot: SteeringSnapshot,
    /// The memory that it adds to that of the one before, bytes.
    bytes: usize,
}

impl Recorded {
    fn tick(&self) -> u32 {
        self.snapshot.tick()
    }
}

/// All that a world shows of the end of a tick.
pub(crate) struct TickState {
    pub(crate) snapshot: SteeringSnapshot,
    /// The probes that met something, which are no part of a snapshot.
    pub(crate) probes: Probes,
}

impl SteeringRecorder {
    /// The default [`budget`](Self::budget): 64 MiB, about a minute of 50 agents.
    pub const BUDGET: usize = 64 << 20;
    /// The largest budget: 16 GiB, or 1 GiB on targets with addresses of 32 bits.
    pub const MOST: usize = if usize::BITS > 32 { 16 << 30 } else { 1 << 30 };
    /// A recording that cannot hold this many ticks stops.
    const FEWEST: usize = 60;

    /// An empty recorder. `budget` is in bytes, see [`set_budget`](Self::set_budget).
    pub fn new(budget: usize) -> Self {
        Self {
            recording: true,
            stopped: None,
            budget: Self::within_limit(budget),
            ring: VecDeque::new(),
            spare: None,
            ring_bytes: 0,
            answers: Answers::default(),
            moments: VecDeque::new(),
            aliases: Aliases::default(),
            is_in_tick: false,
            shown: None,
            present: None,
            abandoned: Vec::new(),
            abandoned_bytes: 0,
        }
    }

    /// The most memory for recorded ticks, bytes. When it is used up, first the [abandoned](Self::abandoned)
    /// ticks are dropped, then the oldest.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Changes the [`budget`](Self::budget), at most [`MOST`](Self::MOST). A recording that has stopped
    /// for lack of memory continues if [`recording`](Self::recording) is set again.
    pub fn set_budget(&mut self, budget: usize) {
        self.budget = Self::within_limit(budget);
        self.keep_within_budget();
    }

    fn within_limit(budget: usize) -> usize {
        if budget > Self::MOST {
            log::warn!("a recording of {budget} bytes is limited to {}", Self::MOST);
        }
        budget.min(Self::MOST)
    }

    /// The memory of the recorded ticks with their events, and of the [abandoned](Self::abandoned) ticks, bytes. One dropped
    /// tick, whose memory the next one reuses, is extra, and so is the present while an earlier tick is
    /// [shown](Self::shown).
    pub fn bytes(&self) -> usize {
        let moments = self.moments.len() * size_of::<Moment>();
        self.ring_bytes + self.answers.bytes() + moments + self.abandoned_bytes
    }

    /// From the first recorded tick to the last; `None` before the first. Ticks that ran while [`recording`](Self::recording)
    /// was off are gaps in between, without a [`snapshot`](Self::snapshot).
    pub fn ticks(&self) -> Option<RangeInclusive<u32>> {
        Some(self.ring.front()?.tick()..=self.ring.back()?.tick())
    }

    /// The tick to which the world was [rewound](crate::rewind) and where it still is.
    pub fn shown(&self) -> Option<u32> {
        self.shown
    }

    /// The state at the end of a tick; `None` if it is not recorded.
    pub fn snapshot(&self, tick: u32) -> Option<&SteeringSnapshot> {
        let at = self.ring.partition_point(|it| it.tick() < tick);
        let found = self.ring.get(at).map(|it| &it.snapshot);
        found.filter(|it| it.tick() == tick)
    }

    /// The entities of an agent: the first one, those in recorded ticks, that in the present which is kept
    /// while an earlier tick is [shown](Self::shown), and the one now. An agent that a
    /// [rewind](crate::rewind) spawns again gets another entity; a recorded tick has the one of its time.
    ///
    /// An entity that a rewind has spawned is forgotten at the next rewind unless a tick ran in between, and some time after
    /// the last tick that has it is dropped; keep [`first_entity_of`](Self::first_entity_of), which stays the same.
    ///
    /// The methods of this type find an agent by any of them.
    pub fn entities_of(&self, agent: Entity) -> Vec<Entity> {
        self.aliases.all_of(agent)
    }

    /// The first of the [entities of an agent](Self::entities_of), which stays the same.
    pub fn first_entity_of(&self, agent: Entity) -> Entity {
        self.aliases.first_of(agent)
    }

    /// Where an agent was at the end of each recorded tick from the given one on, as in its `Transform`: for a body below a
    /// parent, in the coordinates of the parent.
    pub fn trail(&self, agent: Entity, from: u32) -> impl Iterator<Item = Vec2> {
        let at = self.ring.partition_point(|it| it.tick() < from);
        let own = self.entities_of(agent);
        let later = self.ring.range(at..);
        later.filter_map(move |it| place(&it.snapshot, &own))
    }

    /// Where an agent was in the ticks that were recorded and then left behind, when the world went
    /// on from an earlier tick, which is not among them; coordinates as of [`trail`](Self::trail). They are dropped from the
    /// last one on when the new ticks need their memory.
    pub fn abandoned(&self, agent: Entity) -> impl Iterator<Item = Vec2> {
        let own = self.entities_of(agent);
        let abandoned = self.abandoned.iter();
        abandoned.filter_map(move |it| place(&it.snapshot, &own))
    }

    /// The first of the [abandoned](Self::abandoned) ticks: the recorded one after the tick from which the world went on.
    pub fn forked(&self) -> Option<u32> {
        Some(self.abandoned.first()?.tick())
    }

    /// What happened to an agent in the recorded ticks, oldest first: its events, its contacts with other
    /// bodies, obstacles and walls, and the ticks in which a force was cut, since the sum would exceed
    /// `max_force`. A contact is known one tick later.
    ///
    /// Contacts are those of bounding circles and of the segments of walls. A body without a `Vehicle` that cannot be steered,
    /// such as a fixed one, and with more than twice the radius of the agent is left out, unless it is an `Obstacle`: it may be
    /// a long wall. An obstacle without a body is looked for at its `Transform`; below a parent that is another place.
    pub fn moments(&self, agent: Entity) -> Vec<Moment> {
        self.moments_in(agent, 0..=u32::MAX)
    }

    /// The [moments](Self::moments) of an agent in some ticks.
    pub fn moments_in(&self, agent: Entity, ticks: RangeInclusive<u32>) -> Vec<Moment> {
        let (first, last) = (*ticks.start(), *ticks.end());
        // Each tick is compared with the one before, and contacts are in the one after.
        let from = self.ring.partition_point(|it| it.tick() < first);
        let to = self.ring.partition_point(|it| it.tick() <= last);
        let to = to.max(from);
        let some = from.saturating_sub(1)..(to + 1).min(self.ring.len());
        let first_entity = self.first_entity_of(agent);
        let events = self.moments.iter().filter(|it| it.agent == first_entity);
        let mut moments: Vec<Moment> = events.map(|it| Moment { agent, ..*it }).collect();
        let aliases = &self.aliases;
        let some = || self.ring.range(some.clone()).map(|it| &it.snapshot);
        moments.extend(contacts(some(), agent, aliases));
        moments.extend(cuts(some(), agent, aliases));
        moments.retain(|it| ticks.contains(&it.tick));
        moments.sort_by_key(|it| it.tick);
        moments
    }

    /// The recorded ticks in order, of those in a range.
    pub fn snapshots(
        &self,
        ticks: RangeInclusive<u32>,
    ) -> impl DoubleEndedIterator<Item = &SteeringSnapshot> {
        let from = self.ring.partition_point(|it| it.tick() < *ticks.start());
        let to = self.ring.partition_point(|it| it.tick() <= *ticks.end());
        let some = self.ring.range(from..to.max(from));
        some.map(|it| &it.snapshot)
    }

    /// Whether a tick has begun and is not recorded yet.
    pub(crate) fn is_in_tick(&self) -> bool {
        self.is_in_tick
    }

    /// Forgets everything. A recording that has [stopped](Self::stopped) begins anew.
    pub fn clear(&mut self) {
        *self = Self {
            recording: self.recording || self.stopped.is_some(),
            // A tick that runs goes on.
            is_in_tick: self.is_in_tick,
            ..Self::new(self.budget)
        };
    }

    /// The number of ticks that the [`budget`](Self::budget) held when the recording stopped for lack of memory; `None`
    /// while it records, and if it was switched off.
    pub fn stopped(&self) -> Option<usize> {
        self.stopped
    }

    pub(crate) fn note(&mut self, moment: Moment) {
        if self.recording {
            // An event that a game triggers between ticks belongs to the tick before, which is recorded and stays.
            if self.is_in_tick {
                self.forget_from(moment.tick);
            }
            let agent = self.first_entity_of(moment.agent);
            // While an earlier tick is shown, an event belongs to it.
            let at = self.moments.partition_point(|it| it.tick <= moment.tick);
            self.moments.insert(at, Moment { agent, ..moment });
        }
    }

    pub(crate) fn latest(&self) -> Option<&SteeringSnapshot> {
        self.ring.back().map(|it| &it.snapshot)
    }

    /// The state at the end of a tick; `None` if it is not recorded.
    pub(crate) fn state(&self, tick: u32) -> Option<TickState> {
        Some(TickState {
            snapshot: self.snapshot(tick)?.clone(),
            probes: self.answers.of(tick).to_vec(),
        })
    }

    /// Notes which tick the world shows, or that it shows the present, and the entities that were spawned for
    /// it, each with the one that it replaces.
    pub(crate) fn show(&mut self, tick: Option<u32>, spawned: &[(Entity, Entity)]) {
        self.shown = tick;
        let present = self.present.as_ref().map(|it| &it.snapshot);
        self.aliases.add(spawned, present);
        if self.aliases.are_many() {
            let recorded = self.ring.iter().chain(&self.abandoned);
            let recorded = recorded.map(|it| &it.snapshot);
            self.aliases.forget_unused(recorded.chain(present));
        }
    }

    /// Removes the ticks from the given one on, and returns them.
    fn cut_off(&mut self, from: u32) -> Vec<Recorded> {
        let later = self.ring.partition_point(|it| it.tick() < from);
        let removed: Vec<Recorded> = self.ring.drain(later..).collect();
        self.ring_bytes -= bytes(&removed);
        self.answers.forget_from(from);
        removed
    }

    /// Forgets what was recorded from a tick on that runs again: a game may have restored a snapshot of its own.
    fn forget_from(&mut self, tick: u32) {
        if self.latest().is_some_and(|it| it.tick() >= tick) {
            self.cut_off(tick);
            self.moments.retain(|it| it.tick < tick);
        }
    }

    /// Leaves behind what was recorded after a tick, if anything was.
    fn abandon_after(&mut self, tick: u32) {
        if self.latest().is_none_or(|it| it.tick() <= tick) {
            return;
        }
        self.abandoned = self.cut_off(tick + 1);
        self.abandoned_bytes = bytes(&self.abandoned);
        self.moments.retain(|it| it.tick <= tick);
        self.keep_within_budget();
    }

    /// Copies the world, in the memory of the dropped tick if there is one.
    fn copy(&mut self, world: &mut World) -> SteeringSnapshot {
        match (self.spare.take(), self.latest()) {
            (Some(spare), Some(latest)) => spare.replace_after(world, latest),
            (None, Some(latest)) => SteeringSnapshot::take_after(world, latest),
            (_, None) => SteeringSnapshot::take(world),
        }
    }

    fn push(&mut self, snapshot: SteeringSnapshot, probes: Probes) {
        self.stopped = None;
        // Unless an event of this tick has already done so, and is to stay.
        self.forget_from(snapshot.tick());
        let bytes = snapshot.bytes_beyond(self.latest());
        self.ring_bytes += bytes;
        self.answers.push(snapshot.tick(), probes);
        self.ring.push_back(Recorded { snapshot, bytes });
        let is_full = self.keep_within_budget() || self.bytes() > self.budget;
        if is_full && self.ring.len() < Self::FEWEST {
            log::warn!(
                "recording stops: {} bytes hold only {} ticks of these agents; raise the budget with SteeringRecorder::set_budget and set recording again",
                self.budget,
                self.ring.len()
            );
            let held = self.ring.len();
            self.clear();
            (self.recording, self.stopped) = (false, Some(held));
        }
    }

    /// Drops what is beyond the budget, first the abandoned ticks, then the oldest; returns whether there was
    /// one of these.
    fn keep_within_budget(&mut self) -> bool {
        while self.bytes() > self.budget && !self.abandoned.is_empty() {
            self.drop_last_abandoned();
        }
        let before = self.ring.len();
        while self.bytes() > self.budget && self.ring.len() > 1 {
            self.drop_oldest();
        }
        self.ring.len() < before
    }

    /// From the end, so that the first ones stay comparable with what the world does now.
    fn drop_last_abandoned(&mut self) {
        let Some(last) = self.abandoned.pop() else {
            return;
        };
        self.abandoned_bytes -= last.bytes;
        self.spare = Some(last.snapshot);
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.ring.pop_front() else {
            return;
        };
        self.ring_bytes -= oldest.bytes;
        self.spare = Some(oldest.snapshot);
        let mut first = u32::MAX;
        if let Some(next) = self.ring.front_mut() {
            // What it shared with the oldest is its own now.
            let bytes = next.snapshot.bytes_beyond(None);
            self.ring_bytes += bytes - next.bytes;
            next.bytes = bytes;
            first = next.tick();
        }
        self.answers.forget_before(first);
        while self.moments.front().is_some_and(|it| it.tick < first) {
            self.moments.pop_front();
        }
    }
}

/// Where the agent with these entities was, as in its `Transform`. Its [`Kinematics`](bevy_steering2d_core::Kinematics) are from
/// before the move.
fn place(snapshot: &SteeringSnapshot, agent: &[Entity]) -> Option<Vec2> {
    let transform: &Transform = component(snapshot, agent)?;
    Some(transform.translation.truncate())
}

/// The memory of successive ticks, bytes.
fn bytes(ticks: &[Recorded]) -> usize {
    ticks.iter().map(|it| it.bytes).sum()
}

/// Begins a tick. If the world goes on from a shown tick, what was recorded after it is left behind, and the
/// present from which the world was rewound is forgotten.
pub(crate) fn go_on(time: Res<Time>, recorder: Option<ResMut<SteeringRecorder>>) {
    let Some(mut recorder) = recorder.filter(|_| !time.delta().is_zero()) else {
        return;
    };
    recorder.is_in_tick = true;
    recorder.aliases.keep();
    if let Some(shown) = recorder.shown.take() {
        recorder.present = None;
        recorder.abandon_after(shown);
    }
}

/// Keeps the world as it is, to return to it.
pub(crate) fn keep_present(world: &mut World) {
    let mut query = world.query();
    let probes = copy_answered(world, &mut query);
    world.resource_scope(|world, mut recorder: Mut<SteeringRecorder>| {
        let snapshot = recorder.copy(world);
        recorder.present = Some(TickState { snapshot, probes });
    });
}

/// Records the tick that has just run.
pub(crate) fn record(
    world: &mut World,
    probes: &mut QueryState<(Entity, &'static ColliderProbes)>,
) {
    let Some(mut resource) = world.get_resource_mut::<SteeringRecorder>() else {
        return;
    };
    // Not by the clock: a rewind at the beginning of this schedule has put back that of a tick in which time passed.
    let has_run = std::mem::take(&mut resource.is_in_tick);
    if !has_run || !resource.recording {
        return;
    }
    // The resource stays, since removing one allocates.
    let mut recorder = std::mem::replace(&mut *resource, SteeringRecorder::new(0));
    let snapshot = recorder.copy(world);
    recorder.push(snapshot, copy_answered(world, probes));
    *world.resource_mut::<SteeringRecorder>() = recorder;
}
