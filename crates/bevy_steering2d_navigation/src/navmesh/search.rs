//! [`Search`]: a search of Polyanya that goes on in a later tick.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bevy::platform::cell::SyncCell;
use bevy::prelude::*;
use vleue_navigator::NavMesh;

use super::area::Ends;
use crate::PathQuery;

type Steps = Pin<Box<dyn Future<Output = Option<Vec<Vec2>>> + Send>>;

/// A search under way.
pub(super) struct Search {
    pub(super) query: PathQuery,
    /// Where it began: the start of the query, or the nearest place with room.
    pub(super) start: Vec2,
    /// Where it ends: the target, or the nearest place with room.
    pub(super) goal: Vec2,
    /// The last query that it was for, by number.
    pub(super) used: u64,
    /// `None` once it has ended.
    steps: Option<SyncCell<Steps>>,
}

impl Search {
    pub(super) fn new(query: &PathQuery, ends: Ends) -> Self {
        let Ends { mesh, from, to } = ends;
        Self {
            query: *query,
            start: from,
            goal: to,
            used: 0,
            steps: Some(SyncCell::new(Box::pin(bends(mesh, from, to)))),
        }
    }

    /// Takes at most as many steps as there are expansions. The path begins with the first bend; there is none if
    /// the search has missed it, also when it is asked again.
    pub(super) fn go_on(&mut self, expansions: &mut u32) -> Poll<Option<Vec<Vec2>>> {
        let Some(steps) = &mut self.steps else {
            return Poll::Ready(None);
        };
        let mut context = Context::from_waker(Waker::noop());
        while *expansions > 0 {
            *expansions -= 1;
            if let Poll::Ready(path) = steps.get().as_mut().poll(&mut context) {
                self.steps = None;
                return Poll::Ready(path);
            }
        }
        Poll::Pending
    }
}

/// The bends and the end of the shortest path. What rounding errors hide in one direction is mostly seen in the
/// other.
async fn bends(mesh: NavMesh, from: Vec2, to: Vec2) -> Option<Vec<Vec2>> {
    if let Some(found) = mesh.get_path(from, to).await {
        return Some(found.path);
    }
    let back = mesh.get_path(to, from).await?.path;
    let bends = back.into_iter().rev().skip(1);
    Some(bends.chain([to]).collect())
}
