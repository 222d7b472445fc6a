//! [`Turns`]: in which order agents that wait for a path get portions of the budget.

use std::cmp::Reverse;
use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_steering2d_core::SteeringId;

/// An agent that waits for a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// Expansions that its search has used.
    pub(super) spent: u32,
    /// How long ago it last had an answer, s.
    pub(super) age: f32,
    pub(super) id: SteeringId,
    pub(super) entity: Entity,
}

/// The turns of agents that wait for a path.
///
/// Few searches are under way at a time, since a pathfinder keeps only so many: those that have used the most
/// expansions. But half of the budget is for first portions, so that short ways need not wait for long ones; all of
/// it where few wait.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Those that have had no portion yet.
    new: VecDeque<Waiting>,
    /// The others; the first of them take turns.
    begun: VecDeque<Waiting>,
    /// The part of the budget that is for searches that have begun.
    reserved: u32,
}

impl Turns {
    /// The most expansions of one portion.
    const PORTION: u32 = 64;
    /// The most searches that take turns.
    pub(super) const OPEN: usize = 16;

    pub(super) fn clear(&mut self) {
        self.new.clear();
        self.begun.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.new.is_empty() && self.begun.is_empty()
    }

    pub(super) fn push(&mut self, waiting: Waiting) {
        let is_new = waiting.spent == 0;
        let line = if is_new {
            &mut self.new
        } else {
            &mut self.begun
        };
        line.push_back(waiting);
    }

    /// Lines up those that wait in this tick: first those whose last answer is the oldest, so that targets which keep
    /// moving starve no agent; then by id, never by entity.
    pub(super) fn begin(&mut self, budget: u32) {
        let Self { new, begun, .. } = self;
        new.make_contiguous()
            .sort_unstable_by(|a, b| b.age.total_cmp(&a.age).then(a.id.cmp(&b.id)));
        begun
            .make_contiguous()
            .sort_unstable_by_key(|it| (Reverse(it.spent), it.id));
        let all_take_turns = new.len() + begun.len() <= Self::OPEN;
        self.reserved = if all_take_turns {
            0
        } else {
            budget.div_ceil(2)
        };
    }

    /// The agent whose turn it is, and its portion of what is left of the budget.
    pub(super) fn take(&mut self, left: u32) -> Option<(Waiting, u32)> {
        let spare = if self.begun.is_empty() {
            left
        } else {
            left.saturating_sub(self.reserved)
        };
        if spare > 0
            && let Some(new) = self.new.pop_front()
        {
            return Some((new, spare.min(Self::PORTION)));
        }
        let next = self.begun.pop_front()?;
        Some((next, left.min(Self::PORTION)))
    }

    /// Lines up an agent whose search is unfinished, behind those that take turns; after its first portion
    /// behind all.
    pub(super) fn put_back(&mut self, waiting: Waiting, spent: u32) {
        let all = self.begun.len();
        let at = if waiting.spent == 0 {
            all
        } else {
            all.min(Self::OPEN - 1)
        };
        self.begun.insert(at, Waiting { spent, ..waiting });
    }
}
