//! [`ActivePathfinder`]: the pathfinder in use, and how it is asked without harm.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::prelude::*;

use crate::{NoPathReason, PathQuery, PathSearch, Pathfinder, RoadmapPathfinder, Solid};

/// The pathfinder in use. The built-in one unless
/// [`NavigationPlugin::with_pathfinder`](crate::NavigationPlugin::with_pathfinder) or [`new`](Self::new) sets
/// another one.
///
/// Games may ask it as well, see [`pathfinder_mut`](Self::pathfinder_mut); expansions of their own do not count against the [`NavigationBudget`](crate::NavigationBudget).
///
/// It is no part of a snapshot: what it has found stays when the world goes back, unless the solids differ. A
/// search which is repeated then may end in another tick.
#[derive(Resource)]
pub struct ActivePathfinder {
    pathfinder: Box<dyn Pathfinder>,
    /// The solids that it knows, by their [digest](crate::terrain::Terrain::revision); `None` before the first.
    revision: Option<u32>,
}

impl ActivePathfinder {
    /// With a pathfinder that gets the solids before its first search. Insert it to replace the pathfinder of
    /// a running app.
    pub fn new(pathfinder: Box<dyn Pathfinder>) -> Self {
        Self {
            pathfinder,
            revision: None,
        }
    }

    /// What plans paths. It knows the solids that agents planned around in the last tick, and none before the first. Those of
    /// Rapier's colliders are followed only while there is a [`NavigateTo`](crate::NavigateTo), a
    /// [`GroupArrive`](crate::GroupArrive) or a [`GoalField`](crate::GoalField).
    pub fn pathfinder_mut(&mut self) -> &mut dyn Pathfinder {
        self.pathfinder.as_mut()
    }

    /// Whether there is ground at a point; also if the pathfinder cannot tell, since it panics.
    pub(crate) fn has_ground(&self, at: Vec2) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.pathfinder.has_ground(at))).unwrap_or(true)
    }

    /// The pathfinder for these solids, by their digest.
    pub(super) fn over<'a>(&'a mut self, solids: &'a [Solid], revision: u32) -> Guarded<'a> {
        Guarded {
            active: self,
            solids,
            revision,
            has_panicked: false,
        }
    }
}

impl Default for ActivePathfinder {
    fn default() -> Self {
        Self::new(Box::new(RoadmapPathfinder::default()))
    }
}

/// A pathfinder that cannot take the app down: a panic is an answer, and the pathfinder then starts over.
pub(super) struct Guarded<'a> {
    active: &'a mut ActivePathfinder,
    solids: &'a [Solid],
    revision: u32,
    has_panicked: bool,
}

impl Guarded<'_> {
    /// Hands over the solids if it knows others: games ask it as well.
    pub(super) fn hand_over(&mut self) {
        self.ask(|_| ());
    }

    pub(super) fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch {
        let before = *expansions;
        let found = self.ask(|it| it.find(query, expansions));
        // Also a faulty pathfinder uses up its budget.
        *expansions = (*expansions).min(before.saturating_sub(1));
        found.unwrap_or(PathSearch::None(NoPathReason::Failed))
    }

    /// Whether a body can move straight from one point to another; `None` if the pathfinder cannot tell.
    pub(super) fn is_clear(&mut self, from: Vec2, to: Vec2, radius: f32) -> Option<bool> {
        self.ask(|it| it.is_clear(from, to, radius))
    }

    /// The answer to a question about these solids; `None` if it panics.
    fn ask<T>(&mut self, question: impl FnOnce(&mut dyn Pathfinder) -> T) -> Option<T> {
        let ActivePathfinder {
            pathfinder,
            revision,
        } = self.active;
        let answer = catch_unwind(AssertUnwindSafe(|| {
            if *revision != Some(self.revision) {
                pathfinder.set_solids(self.solids);
            }
            question(pathfinder.as_mut())
        }));
        *revision = answer.is_ok().then_some(self.revision);
        self.has_panicked |= answer.is_err();
        answer.ok()
    }

    /// Whether it has panicked since the last call of this.
    pub(super) fn take_panic(&mut self) -> bool {
        std::mem::take(&mut self.has_panicked)
    }
}
