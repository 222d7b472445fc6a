//! [`SteeringRecorder`]: the ring of snapshots.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use bevy::prelude::*;
use bevy_steering2d_core::{SteeringClock, SteeringSnapshot};

use crate::Moment;
use crate::moment::cuts;

/// The last ticks, each as a [`SteeringSnapshot`].
#[derive(Resource)]
pub struct SteeringRecorder {
    /// Whether new ticks are recorded. Off, recording costs nothing. Default `true`.
    pub recording: bool,
    budget: usize,
    ring: VecDeque<SteeringSnapshot>,
    /// The memory of the ring, bytes.
    bytes: usize,
    moments: VecDeque<Moment>,
    /// The tick to which the world was rewound, until it goes on.
    shown: Option<u32>,
    abandoned: Vec<SteeringSnapshot>,
}

impl SteeringRecorder {
    /// The default [`budget`](Self::budget): 64 MiB, about a minute of 50 agents.
    pub const BUDGET: usize = 64 << 20;
    /// A recording that cannot hold this many ticks stops.
    const FEWEST: usize = 60;
    /// The most moments that are kept.
    const MOST_MOMENTS: usize = 10_000;

    /// Without a tick. `budget` is in bytes.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            recording: true,
            budget,
            ring: VecDeque::new(),
            bytes: 0,
            moments: VecDeque::new(),
            shown: None,
            abandoned: Vec::new(),
        }
    }

    /// The most memory for recorded ticks, bytes. When it is used up, the oldest ticks are dropped.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// The memory of the recorded ticks, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The recorded ticks; `None` before the first.
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
        self.ring.get(at).filter(|it| it.tick() == tick)
    }

    /// Where an agent was at the end of each recorded tick from the given one on.
    pub fn trail(&self, agent: Entity, from: u32) -> impl Iterator<Item = Vec2> {
        let at = self.ring.partition_point(|it| it.tick() < from);
        self.ring.range(at..).filter_map(move |it| place(it, agent))
    }

    /// Where an agent was in the ticks that were recorded and then left behind, when the world went
    /// on from an earlier tick.
    pub fn abandoned(&self, agent: Entity) -> impl Iterator<Item = Vec2> {
        self.abandoned.iter().filter_map(move |it| place(it, agent))
    }

    /// The tick from which on there are [abandoned](Self::abandoned) ones.
    pub fn forked(&self) -> Option<u32> {
        Some(self.abandoned.first()?.tick())
    }

    /// What happened to an agent in the recorded ticks, oldest first: its events, and the ticks in
    /// which a behavior lost its force to those of higher priority.
    pub fn moments(&self, agent: Entity) -> Vec<Moment> {
        let events = self.moments.iter().filter(|it| it.agent == agent);
        let mut moments: Vec<Moment> = events.copied().collect();
        moments.extend(cuts(self.ring.iter(), agent));
        moments.sort_by_key(|it| it.tick);
        moments
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self {
            recording: self.recording,
            ..Self::new(self.budget)
        };
    }

    pub(crate) fn note(&mut self, moment: Moment) {
        if self.recording {
            self.moments.push_back(moment);
            if self.moments.len() > Self::MOST_MOMENTS {
                self.moments.pop_front();
            }
        }
    }

    pub(crate) fn latest(&self) -> Option<&SteeringSnapshot> {
        self.ring.back()
    }

    pub(crate) fn show(&mut self, tick: Option<u32>) {
        self.shown = tick;
    }

    /// Removes the ticks from the given one on, and returns them.
    fn cut_off(&mut self, from: u32) -> Vec<SteeringSnapshot> {
        let later = self.ring.partition_point(|it| it.tick() < from);
        let removed = self.ring.drain(later..).collect();
        self.bytes = bytes(&self.ring);
        removed
    }

    fn push(&mut self, snapshot: SteeringSnapshot) {
        // A game may have restored a snapshot of its own.
        if self.latest().is_some_and(|it| it.tick() >= snapshot.tick()) {
            self.cut_off(snapshot.tick());
            self.moments.retain(|it| it.tick <= snapshot.tick());
        }
        self.bytes += snapshot.bytes_beyond(self.ring.back());
        self.ring.push_back(snapshot);
        while self.bytes > self.budget && self.ring.len() > 1 {
            self.drop_oldest();
        }
        if self.ring.len() < Self::FEWEST && self.bytes + self.bytes / 8 > self.budget {
            log::warn!(
                "recording stops: {} bytes hold only {} ticks of these agents",
                self.budget,
                self.ring.len()
            );
            self.clear();
            self.recording = false;
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.ring.pop_front() else {
            return;
        };
        let next = self.ring.front();
        let shared = next.map_or(0, |next| {
            next.bytes_beyond(None) - next.bytes_beyond(Some(&oldest))
        });
        self.bytes -= oldest.bytes_beyond(None) - shared;
        let first = next.map_or(u32::MAX, SteeringSnapshot::tick);
        while self.moments.front().is_some_and(|it| it.tick < first) {
            self.moments.pop_front();
        }
    }
}

/// Where an agent was, m. Its [`Kinematics`](bevy_steering2d_core::Kinematics) are from before the move.
fn place(snapshot: &SteeringSnapshot, agent: Entity) -> Option<Vec2> {
    let transform = snapshot.get::<Transform>(agent)?;
    Some(transform.translation.truncate())
}

/// The memory of successive snapshots, bytes.
fn bytes(ring: &VecDeque<SteeringSnapshot>) -> usize {
    let before = std::iter::once(None).chain(ring.iter().map(Some));
    let own = ring
        .iter()
        .zip(before)
        .map(|(it, before)| it.bytes_beyond(before));
    own.sum()
}

/// Leaves behind what was recorded after the shown tick, when the world goes on from there.
pub(crate) fn go_on(time: Res<Time>, mut recorder: ResMut<SteeringRecorder>) {
    if time.delta().is_zero() {
        return;
    }
    if let Some(shown) = recorder.shown.take() {
        recorder.abandoned = recorder.cut_off(shown + 1);
        recorder.moments.retain(|it| it.tick <= shown);
    }
}

/// Records the tick that has just run.
pub(crate) fn record(world: &mut World) {
    let is_paused = world.resource::<SteeringClock>().delta == 0.0;
    let Some(mut recorder) = world.remove_resource::<SteeringRecorder>() else {
        return;
    };
    if recorder.recording && !is_paused {
        let snapshot = match recorder.latest() {
            Some(latest) => SteeringSnapshot::take_after(world, latest),
            None => SteeringSnapshot::take(world),
        };
        recorder.push(snapshot);
    }
    world.insert_resource(recorder);
}
