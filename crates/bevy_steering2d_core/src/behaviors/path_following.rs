//! Path following: follows a path to its end, or in laps.

mod corridor;
mod tight_corner;

use bevy::prelude::*;

pub use corridor::corridor_following;

use corridor::{corridor_aim_point, straight_after};
pub(super) use tight_corner::TURN_IN;

use super::arrive::{arrive, has_arrived, stay};
use super::braking::{preferred_speed, slowed_to};
use super::path_progress::PathFollowingMemory;
use super::seek::last_speed;
use super::unguided::warn_of_unguided;
use super::{embeds_influence, guide, seek};
use crate::{
    Agent, Announcements, Behavior, Braking, Influence, InvalidParameter, PathCompleted,
    ReciprocalAvoidanceMemory, Steer, SteeringAppExt, SteeringPath, Target,
};

/// Follows a [`SteeringPath`].
///
#[doc = include_str!("figures/path_following.svg")]
///
/// Use it for patrols, race tracks and paths of a pathfinder. It does not plan paths, which `NavigateTo` (feature
/// `navigation`) does, and ignores obstacles: add an avoidance behavior. To move freely on a road use
/// [`StayOnPath`](crate::StayOnPath), in a crowd the bundles [`CrowdPathFollowing`](crate::CrowdPathFollowing) and
/// [`Pedestrian`](crate::Pedestrian), and for thousands of agents with one goal
/// [`FlowFieldFollowing`](crate::FlowFieldFollowing).
///
/// The path is a component of the same entity, or of another entity that many agents share
/// ([`new`](Self::new)). Without a path the force is zero; when a shared path is despawned,
/// [`TargetLost`](crate::TargetLost) is triggered. At the end of an open path the agent comes to rest
/// and [`PathCompleted`] is triggered once. A looped path has no end and triggers nothing: count
/// [`PathFollowingMemory::laps`].
///
/// The path can be replaced at any time, also by another [`path`](Self::path), and the laps begin at zero. The agent joins
/// a corridor at the closest point, a loop at the nearest waypoint, and an open path by waypoints at its first point,
/// unless it is already past that one: begin a new path where the agent is. A path
/// that was only [`translated`](SteeringPath::translated), or inserted again with the same points,
/// counts as the same path and progress continues. Progress is in [`PathFollowingMemory`].
///
/// Waypoints: `F = seek(w)`, in N, for one point after the other, `F = arrive(w)` at the last.
/// Corridor: with `q = p + v·T` and q' the closest point to q on the path, move along while
/// `|q − q'| ≤ 0.8 · half_width`, else steer back; brake before corners and curves that need a lower speed.
/// (Reynolds 1999; Buckland 2005)
#[doc(alias("FollowPath", "Seguimiento del camino"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PathFollowing {
    /// The entity with the [`SteeringPath`]. Default `None`: this entity, or the agent that it steers
    /// for.
    #[entities]
    pub path: Option<Entity>,
    /// By waypoints or as a corridor. Default [`PathStyle::Waypoints`].
    pub style: PathStyle,
    /// An open path is completed within this distance of its end, m, `> 0`. Default `0.1`. If many agents end there
    /// and are to be removed, take a larger one, or test [`PathFollowingMemory::distance`]: the end may be occupied.
    pub tolerance: f32,
    /// The preferred speed, m/s, `≥ 0`; at `0` the agent stops on its path. Default `None`: the vehicle's `max_speed`. A lower pace lets
    /// other behaviors accelerate the agent, to dodge or to catch up.
    pub pace: Option<f32>,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// How closely a [`PathFollowing`] keeps to its path.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum PathStyle {
    /// From waypoint to waypoint, each one reached in order; the agent may leave the lines between
    /// them. An open path begins at its first point, a looped one at the nearest. The agent slows down
    /// to keep from circling around a waypoint. For points closer together than it brakes, use a corridor:
    /// here it brakes for the next one only. (Buckland 2005)
    Waypoints {
        /// A waypoint is reached within this distance, m, `> 0`. Default `0.5`. An agent with
        /// [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) also passes beside others that stand there, outside of
        /// this distance; else a waypoint that bodies occupy is not reached.
        tolerance: f32,
    },
    /// Along a corridor around the path, joined at the closest point. The agent keeps its lane, and steers back only
    /// from the outer fifth of the half-width. Before sharp corners it slows down, and before curves, which are corners
    /// that follow each other closely, so that it stays in the corridor. A car takes corners tighter than its turning
    /// circle wide; it stays clear of walls whose distance from the path is at least `half_width` plus the radius of
    /// its bounding circle. (Reynolds 1999)
    Corridor {
        /// Half the width of the corridor, m, `> 0`. The agent's center stays in it; its body may stick out. Boats drift out of
        /// corners by up to two and a half times as much at 8 m/s: give them a lower pace.
        half_width: f32,
        /// How far ahead the agent predicts its position, s, `≥ 0`; `0.5` suits most agents.
        look_ahead_time: f32,
    },
}

impl Default for PathStyle {
    fn default() -> Self {
        Self::Waypoints { tolerance: 0.5 }
    }
}

impl PathFollowing {
    /// Follows the path on another entity.
    pub fn new(path: Entity) -> Self {
        Self {
            path: Some(path),
            ..Self::default()
        }
    }

    /// Sets the [`pace`](Self::pace).
    #[must_use]
    pub fn with_pace(mut self, pace: f32) -> Self {
        self.pace = Some(pace);
        self
    }

    /// Sets the [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Follows the path by [waypoints](PathStyle::Waypoints), each reached within `tolerance` m.
    #[must_use]
    pub fn with_waypoints(mut self, tolerance: f32) -> Self {
        self.style = PathStyle::Waypoints { tolerance };
        self
    }

    /// Follows the path as a [corridor](PathStyle::Corridor) of `half_width` m to each side, looking `look_ahead_time` s ahead.
    #[must_use]
    pub fn with_corridor(mut self, half_width: f32, look_ahead_time: f32) -> Self {
        self.style = PathStyle::Corridor {
            half_width,
            look_ahead_time,
        };
        self
    }

    /// The preferred speed of an agent, m/s: the [`pace`](Self::pace), within its `max_speed`.
    pub fn preferred_speed(&self, me: &Agent) -> f32 {
        preferred_speed(me, self.pace)
    }

    /// The point that the agent heads for at a progress, m: the next waypoint, or the farthest visible
    /// point on its lane of the corridor. `None` before the first tick on this path.
    pub fn aim_point(
        &self,
        me: &Agent,
        path: &SteeringPath,
        progress: &PathFollowingMemory,
    ) -> Option<Vec2> {
        if !progress.is_about(path) {
            return None;
        }
        match self.style {
            PathStyle::Waypoints { .. } => progress
                .beside
                .or_else(|| path.points().get(progress.waypoint).copied()),
            PathStyle::Corridor {
                half_width,
                look_ahead_time,
            } => Some(corridor_aim_point(
                me,
                path,
                progress.distance,
                half_width,
                look_ahead_time,
            )),
        }
    }
}

impl Default for PathFollowing {
    fn default() -> Self {
        Self {
            path: None,
            style: PathStyle::default(),
            tolerance: 0.1,
            pace: None,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for PathFollowing {
    const PRIORITY: i16 = 30;
    const COLOR: Option<[u8; 3]> = Some([53, 151, 146]);

    type Memory = (
        (Entity, &'static mut PathFollowingMemory),
        (
            Option<&'static SteeringPath>,
            Option<&'static ReciprocalAvoidanceMemory>,
        ),
    );
    type World = (
        Query<'static, 'static, &'static SteeringPath>,
        Res<'static, Announcements<PathCompleted>>,
    );

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [None, self.path.map(Target::Entity)]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("PathFollowing.tolerance", self.tolerance)?;
        InvalidParameter::unless_non_negative("PathFollowing.pace", self.pace.unwrap_or(1.0))?;
        match self.style {
            PathStyle::Waypoints { tolerance } => {
                InvalidParameter::unless_positive("PathFollowing.style.tolerance", tolerance)
            }
            PathStyle::Corridor {
                half_width,
                look_ahead_time,
            } => {
                InvalidParameter::unless_positive("PathFollowing.style.half_width", half_width)?;
                InvalidParameter::unless_non_negative(
                    "PathFollowing.style.look_ahead_time",
                    look_ahead_time,
                )
            }
        }
    }

    fn build(app: &mut App) {
        app.add_announcement::<PathCompleted>();
        warn_of_unguided::<Self, SteeringPath>(app);
    }
}

impl Steer for PathFollowing {
    fn steer(
        &self,
        me: &Agent,
        ((source, mut memory), (own, avoidance)): (
            (Entity, Mut<PathFollowingMemory>),
            (Option<&SteeringPath>, Option<&ReciprocalAvoidanceMemory>),
        ),
        (paths, completions): &(Query<&SteeringPath>, Res<Announcements<PathCompleted>>),
    ) -> Vec2 {
        let Some(path) = guide(self.path, own, me, paths) else {
            return Vec2::ZERO;
        };
        let beside = avoidance.and_then(|it| it.beside);
        let known = PathFollowingMemory {
            beside: beside.filter(|it| it.is_finite()),
            ..*memory
        };
        let progress = known.after_a_tick(me, path, self);
        if progress.completed && !(memory.completed && memory.is_about(path)) {
            let event = PathCompleted {
                entity: me.entity,
                path: self.path,
                source,
            };
            completions.send(me.source_id, source, event);
        }
        memory.set_if_neq(progress);
        path_following(me, path, &progress, self)
    }
}

/// The force of [`PathFollowing`] at a progress, N.
pub fn path_following(
    me: &Agent,
    path: &SteeringPath,
    progress: &PathFollowingMemory,
    how: &PathFollowing,
) -> Vec2 {
    let me = &slowed_to(me, how.preferred_speed(me));
    let last = path.points().len() - 1;
    let end = path.points()[last];
    if progress.completed && has_arrived(me, end, how.tolerance, true) {
        return stay(me, end, Braking::Physical, how.tolerance);
    }
    match how.style {
        PathStyle::Waypoints { tolerance } => {
            let next = progress.waypoint.min(last);
            let point = path.points()[next];
            if is_end(path, next) {
                return arrive(me, point, Braking::Physical, how.tolerance);
            }
            let waypoint = progress.beside.unwrap_or(point);
            let slowed = Agent {
                max_speed: turning_speed(me, waypoint, tolerance)
                    .min(lagging_speed(me, waypoint, tolerance)),
                ..*me
            };
            pass(me, &slowed, waypoint, || {
                straight_after(path, path.arc_of(next))
            })
        }
        PathStyle::Corridor {
            half_width,
            look_ahead_time,
        } => corridor_following(
            me,
            path,
            progress.distance,
            half_width,
            look_ahead_time,
            how.tolerance,
        ),
    }
}

/// The force to pass a waypoint at the speed of the slowed agent, N.
///
/// Behind a driven body all that leads straight `onward` counts, m, at full speed, so that it turns around and does not reverse
/// along the path.
fn pass(me: &Agent, slowed: &Agent, waypoint: Vec2, onward: impl FnOnce() -> f32) -> Vec2 {
    if me.abilities.is_none() || !me.is_behind(waypoint) {
        return seek(slowed, waypoint);
    }
    let most = slowed.max_speed.min(last_speed(me, waypoint));
    me.track(me.velocity_through(waypoint, onward(), most))
}

/// Whether the path ends at a point: the last point of an open path, or the only point.
pub(super) fn is_end(path: &SteeringPath, point: usize) -> bool {
    path.segments() == 0 || !path.is_looped() && point + 1 == path.points().len()
}

/// Share of the maximum acceleration that planned turns use.
const TURNING: f32 = 0.5;

/// The highest speed at which a turn passes within `tolerance` m of a point, m/s.
///
/// The widest such circle, tangent to the velocity, has the radius
/// `R = (d² − tolerance²) / 2(y − tolerance)` with the point's lateral offset y; `v = √(a·R)`.
fn turning_speed(me: &Agent, point: Vec2, tolerance: f32) -> f32 {
    let circle = circle_to(me, point, tolerance);
    circle.map_or(me.max_speed, |radius| {
        me.speed_in_circle(radius, TURNING).min(me.max_speed)
    })
}

/// The same for a body that first has to turn, m/s: in its lag it goes a quarter of the radius.
fn lagging_speed(me: &Agent, point: Vec2, tolerance: f32) -> f32 {
    let lag = me.abilities.map_or(0.0, |body| body.lag);
    let circle = circle_to(me, point, tolerance).filter(|_| lag > 0.0);
    circle.map_or(me.max_speed, |radius| {
        (0.25 * radius / lag).min(me.max_speed)
    })
}

/// The radius of the widest circle, m; `None` for an agent at rest, and if it heads for the point.
fn circle_to(me: &Agent, point: Vec2, tolerance: f32) -> Option<f32> {
    let offset = point - me.position;
    let beside = me.heading.perp_dot(offset).abs() - tolerance;
    let square = offset.length_squared() - tolerance * tolerance;
    let turns = me.velocity != Vec2::ZERO && beside > 0.0 && square > 0.0;
    turns.then(|| square / (2.0 * beside))
}

#[cfg(test)]
mod tests;
