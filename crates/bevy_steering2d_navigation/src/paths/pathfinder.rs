//! [`Pathfinder`]: what plans paths, its questions and answers.

use std::any::Any;
use std::fmt;

use bevy::prelude::*;

use crate::Solid;

/// Plans paths for [`NavigateTo`](crate::NavigateTo). The built-in one is
/// [`RoadmapPathfinder`](crate::RoadmapPathfinder); a game sets another one by
/// [`NavigationPlugin::with_pathfinder`](crate::NavigationPlugin::with_pathfinder).
///
/// Its answers depend only on the calls so far, so that runs are reproducible: it uses no clock, no
/// random numbers of its own and no other state.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d { pub use bevy_steering2d_navigation as navigation; }
/// use bevy_steering2d::navigation::{PathQuery, PathSearch, Pathfinder, Solid};
///
/// /// Goes straight, whatever is in between.
/// struct AsTheCrowFlies;
///
/// impl Pathfinder for AsTheCrowFlies {
///     fn set_solids(&mut self, _: &[Solid]) {}
///
///     fn find(&mut self, query: &PathQuery, _: &mut u32) -> PathSearch {
///         PathSearch::Found(vec![query.from, query.to])
///     }
///
///     fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
///         true
///     }
/// }
/// ```
pub trait Pathfinder: Any + Send + Sync {
    /// The solids of the world from now on. Called before the first query and after each change. A change waits for the
    /// searches that are under way, at most 600 ticks, so that a solid that moves in every tick lets them end. After three
    /// changes in quick succession there is one every 6 ticks.
    fn set_solids(&mut self, solids: &[Solid]);

    /// Finds a path, with at most `expansions` expansions of its search, and subtracts those it used.
    ///
    /// When they are used up it returns [`PathSearch::Unfinished`], and continues when it is asked the
    /// same question again. Few searches take turns at a time, so it may forget those that it was not asked for
    /// the longest. A call that leaves `expansions` as it is counts as one.
    fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch;

    /// Whether a body of `radius` m can move straight from one point to another.
    fn is_clear(&mut self, from: Vec2, to: Vec2, radius: f32) -> bool;

    /// Whether there is ground at a point, whatever solids are there: over a navigation mesh whether the point is on it.
    /// Groups get places on ground only. By default there is ground everywhere.
    fn has_ground(&self, _at: Vec2) -> bool {
        true
    }
}

/// A question to a [`Pathfinder`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathQuery {
    /// Where the body is, m.
    pub from: Vec2,
    /// Where it is to go, m.
    pub to: Vec2,
    /// Its radius, m, `≥ 0`.
    pub radius: f32,
}

/// The answer of a [`Pathfinder`].
#[derive(Clone, Debug, PartialEq)]
pub enum PathSearch {
    /// The points of a path from the start to the target, both included.
    Found(Vec<Vec2>),
    /// There is no path.
    None(NoPathReason),
    /// The expansions are used up.
    Unfinished,
}

/// Why there is no path.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum NoPathReason {
    /// No way leads to the target.
    Unreachable,
    /// The body has no room at the target: it is inside a solid, nearer to one than the radius, or off the
    /// navigation mesh.
    TargetBlocked,
    /// The body is inside a solid or off the navigation mesh, and there is no room near.
    AgentBlocked,
    /// The target entity is despawned or has no position.
    TargetLost,
    /// The search took more than
    /// [`NavigateTo::max_expansions`](crate::NavigateTo::max_expansions).
    TooLong,
    /// The pathfinder panicked or returned an invalid path.
    Failed,
    /// The pathfinder has nothing to search yet: its navigation mesh is missing, not loaded or empty.
    NotReady,
}

impl fmt::Display for NoPathReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "no way leads to the target",
            Self::TargetBlocked => "there is no room at the target",
            Self::AgentBlocked => "the agent has no room where it is",
            Self::TargetLost => "the target is lost",
            Self::TooLong => "the search took too many expansions",
            Self::Failed => "the pathfinder failed",
            Self::NotReady => "the pathfinder has no navigation mesh yet",
        })
    }
}
