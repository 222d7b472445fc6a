//! Progress of an agent along its path.

use bevy::prelude::*;

use super::arrive::has_arrived;
use super::path_following::{TURN_IN, is_end};
use crate::perception::nearest_on_segment;
use crate::{Agent, PathFollowing, PathPoint, PathStyle, SteeringPath};

/// Progress of a [`PathFollowing`] along its path. Insert the default to start over.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct PathFollowingMemory {
    /// The waypoint that the agent heads for, an index into [`SteeringPath::points`].
    pub waypoint: usize,
    /// The agent's distance along the path, m, `0..=length`.
    pub distance: f32,
    /// Completed laps of a looped path, at most `u32::MAX`: by waypoints, how often the agent has reached the last point; in a
    /// corridor, how often it has passed the first point again, less how often it was pushed back over it.
    pub laps: u32,
    /// The agent has come to rest at the end of an open path.
    pub completed: bool,
    /// Where the agent passes the waypoint instead, m, because others stand there: see
    /// [`ReciprocalAvoidanceMemory::beside`](crate::ReciprocalAvoidanceMemory::beside).
    pub beside: Option<Vec2>,
    /// The identity of the path.
    pub(super) path: Option<u64>,
    /// The time from the last update to the next one, s; `0` before the first.
    pub(super) delta: f32,
    /// Where the agent was in the last update, m.
    pub(super) position: Vec2,
}

impl PathFollowingMemory {
    /// Whether this is the progress along `path`: not along one that it replaced, with a waypoint that
    /// the path has and a finite distance.
    pub fn is_about(&self, path: &SteeringPath) -> bool {
        self.path == Some(path.identity())
            && self.waypoint < path.points().len()
            && self.distance.is_finite()
    }

    /// The progress at the agent's current position; starts over on another path.
    pub(super) fn after_a_tick(
        &self,
        me: &Agent,
        path: &SteeringPath,
        how: &PathFollowing,
    ) -> Self {
        let mut progress = if self.is_about(path) {
            *self
        } else {
            self.joining(me, path, how.style)
        };
        if progress.completed {
            return progress;
        }
        match how.style {
            PathStyle::Waypoints { tolerance } => progress.pass_waypoints(me, path, tolerance),
            PathStyle::Corridor { half_width, .. } => progress.walk_on(me, path, half_width),
        }
        // In a pause the agent does not move.
        if me.delta > 0.0 {
            (progress.delta, progress.position) = (me.delta, me.position);
        }
        let end = path.points().len() - 1;
        // The end may be near before the last point but one is passed.
        let is_near = path.length() - progress.distance <= how.tolerance;
        let at_the_end = !path.is_looped() && (progress.waypoint == end || is_near);
        progress.completed =
            at_the_end && has_arrived(me, path.points()[end], how.tolerance, false);
        if progress.completed {
            progress.waypoint = end;
        }
        progress
    }

    /// The progress of an agent that joins a path.
    fn joining(&self, me: &Agent, path: &SteeringPath, style: PathStyle) -> Self {
        let nearest = path.closest(me.position);
        let points = path.points();
        let waypoint = match style {
            PathStyle::Corridor { .. } => nearest.segment + 1,
            _ if path.is_looped() => nearest_of(points, me.position),
            // Replanned from a previous position of the agent: do not turn back to the start.
            PathStyle::Waypoints { tolerance } if self.path.is_some() && points.len() > 1 => {
                let walked = points[0].distance(nearest.position);
                let is_on_it = nearest.position.distance(me.position) <= tolerance
                    && nearest.arc > 0.0
                    && nearest.arc <= BENDS * walked;
                if is_on_it { nearest.segment + 1 } else { 0 }
            }
            PathStyle::Waypoints { .. } => 0,
        };
        Self {
            waypoint: waypoint % points.len(),
            distance: nearest.arc,
            path: Some(path.identity()),
            delta: self.delta,
            position: me.position,
            ..default()
        }
    }

    /// The time since the last update, s.
    fn elapsed(&self) -> f32 {
        // Also in a faulty save; `max` turns NaN into zero.
        self.delta.max(0.0)
    }

    /// Where the agent has come from since the last update, m: where it is if it was moved elsewhere.
    fn way_from(&self, me: &Agent) -> Vec2 {
        // That update may have been longer than this one.
        let reach = 2.0 * me.speed().max(me.max_speed) * self.elapsed() + me.radius;
        let has_walked = self.position.distance(me.position) <= reach;
        if self.delta > 0.0 && has_walked {
            self.position
        } else {
            me.position
        }
    }

    fn pass_waypoints(&mut self, me: &Agent, path: &SteeringPath, tolerance: f32) {
        let points = path.points();
        // Points passed since the last update count as well.
        let before = self.way_from(me);
        // At most one lap: in a loop smaller than the tolerance all points are always reached.
        for _ in 0..points.len() {
            let passes = |point: Vec2| {
                let nearest = nearest_on_segment(point, before, me.position);
                nearest.distance(point) <= tolerance
            };
            let reached = passes(points[self.waypoint]) || self.beside.is_some_and(passes);
            let next = (self.waypoint + 1) % points.len();
            // In a pause no lap is completed.
            let waits = next == 0 && me.delta == 0.0;
            if !reached || waits || is_end(path, self.waypoint) {
                break;
            }
            self.waypoint = next;
            self.beside = None;
            self.laps = self.laps.saturating_add(u32::from(next == 0));
        }
        let (from, to) = match self.waypoint {
            0 if path.is_looped() => (path.arc_of(points.len() - 1), path.length()),
            0 => (0.0, 0.0),
            waypoint => (path.arc_of(waypoint - 1), path.arc_of(waypoint)),
        };
        let left = me.position.distance(points[self.waypoint]);
        self.distance = (to - left).max(from).min(to);
    }

    fn walk_on(&mut self, me: &Agent, path: &SteeringPath, half_width: f32) {
        // A stretch that an agent inside the corridor cannot leave in one tick; an inner lane may
        // skip a corner. An agent pushed farther away returns to its last point on the path.
        let from = self.distance - half_width;
        let to = self.distance + 4.0 * half_width + 2.0 * me.max_speed * self.elapsed();
        let foot = path.closest_between(me.position, from, to);
        let foot = on_the_way_back(me, path, foot, half_width).unwrap_or(foot);
        let arc = path.wrap(foot.arc);
        let step = arc - self.distance;
        if path.is_looped() && step.abs() > 0.5 * path.length() {
            if step < 0.0 {
                self.laps = self.laps.saturating_add(1);
            } else if self.laps > 0 {
                self.laps -= 1;
            } else {
                // Pushed back over the first point: it has not passed the last one.
                return;
            }
        }
        self.distance = arc;
        self.waypoint = (foot.segment + 1) % path.points().len();
    }
}

/// The point of the next segment for an agent that drives along it already, where the path turns back along itself: both
/// segments are as near, and the one before would take the agent back. Only near the turning point: elsewhere the agent was pushed
/// back.
fn on_the_way_back(
    me: &Agent,
    path: &SteeringPath,
    foot: PathPoint,
    half_width: f32,
) -> Option<PathPoint> {
    let next = (foot.segment + 1) % path.segments().max(1);
    let (before, after) = (path.direction(foot.segment), path.direction(next));
    let turns_back = before.dot(after) < TURNS_BACK && (path.is_looped() || next > 0);
    let turning_point = match next {
        0 => path.length(),
        _ => path.arc_of(next),
    };
    let reach = 2.0 * half_width + TURN_IN * me.turning_radius();
    let is_near = turning_point - foot.arc <= reach;
    if !turns_back || !is_near || after.dot(me.velocity) <= 0.0 {
        return None;
    }
    let other = path.project(next, me.position);
    let distance = |it: &PathPoint| it.position.distance(me.position);
    (distance(&other) <= distance(&foot) + 0.05 * half_width).then_some(other)
}

/// A path turns back along itself where its directions differ by more than 154°; the cosine.
const TURNS_BACK: f32 = -0.9;

/// How much longer than straight the begin of a new path may be that the agent has walked already: around a corner
/// there may be a wall between the agent and the path.
const BENDS: f32 = 1.05;

fn nearest_of(points: &[Vec2], position: Vec2) -> usize {
    let distances = points.iter().map(|point| point.distance_squared(position));
    distances
        .enumerate()
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or(0, |(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::zigzag;

    #[test]
    fn the_number_of_laps_saturates() {
        let path = SteeringPath::looped([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)].map(Vec2::from));
        let path = path.unwrap();
        let last = PathFollowingMemory {
            waypoint: 2,
            distance: path.length(),
            laps: u32::MAX,
            path: Some(path.identity()),
            ..default()
        };
        let at = |x, y| Agent {
            position: Vec2::new(x, y),
            ..default()
        };
        let waypoints = PathFollowing::default().with_waypoints(0.5);
        let passed = last.after_a_tick(&at(0.0, 4.0), &path, &waypoints);
        assert_eq!((passed.waypoint, passed.laps), (0, u32::MAX));
        let corridor = PathFollowing::default().with_corridor(0.7, 0.5);
        let passed = last.after_a_tick(&at(0.5, 0.0), &path, &corridor);
        assert_eq!((passed.waypoint, passed.laps), (1, u32::MAX));
    }

    #[test]
    fn reaching_the_last_waypoint_of_a_loop_is_a_lap() {
        let square = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)].map(Vec2::from);
        let path = SteeringPath::looped(square).unwrap();
        let how = PathFollowing::default();
        let at = |position| Agent {
            position,
            ..default()
        };
        let mut progress = PathFollowingMemory::default();
        for (step, &corner) in square.iter().cycle().take(8).enumerate() {
            progress = progress.after_a_tick(&at(corner), &path, &how);
            assert_eq!(progress.laps as usize, (step + 1) / 4, "{step}");
        }
        let other = zigzag(true);
        let progress = progress.after_a_tick(&at(Vec2::ONE), &other, &how);
        assert_eq!(progress.laps, 0, "a new path");
    }

    #[test]
    fn an_agent_that_is_pushed_back_does_not_skip_the_turning_point_of_a_way_out_and_back() {
        let points = [Vec2::ZERO, 20.0 * Vec2::X, Vec2::ZERO];
        let how = PathFollowing::default().with_corridor(1.0, 0.5);
        let at = |x, speed| Agent {
            position: Vec2::new(x, 0.0),
            velocity: Vec2::new(speed, 0.0),
            ..default()
        };
        let open = SteeringPath::open(points).unwrap();
        let begun = PathFollowingMemory::default().after_a_tick(&at(0.05, -0.3), &open, &how);
        assert_eq!((begun.waypoint, begun.completed), (1, false));
        let patrol = SteeringPath::looped([points[0], points[1]]).unwrap();
        let mut progress = PathFollowingMemory::default();
        for tick in 0..120 {
            progress = progress.after_a_tick(&at(0.1 * tick as f32, 6.0), &patrol, &how);
        }
        let pushed = progress.after_a_tick(&at(11.8, -0.5), &patrol, &how);
        assert!((pushed.distance - 11.8).abs() < 1e-3, "{pushed:?}");
    }

    #[test]
    fn a_corridor_is_completed_within_the_tolerance_before_its_last_leg() {
        let path = SteeringPath::open((0..=20).map(|i| Vec2::new(0.5 * i as f32, 0.0))).unwrap();
        let how = PathFollowing::default().with_corridor(1.0, 0.5);
        let how = how.with_tolerance(1.0);
        let resting = Agent {
            position: Vec2::new(9.35, 0.0),
            ..default()
        };
        let progress = PathFollowingMemory::default().after_a_tick(&resting, &path, &how);
        assert!(progress.completed, "{progress:?}");
    }

    #[test]
    fn a_waypoint_between_two_updates_is_reached() {
        let path = SteeringPath::open([Vec2::ZERO, 10.0 * Vec2::X, 30.0 * Vec2::X]).unwrap();
        let at = |x| Agent {
            position: Vec2::new(x, 0.0),
            velocity: 10.0 * Vec2::X,
            delta: 1.0 / 6.0,
            ..default()
        };
        let how = PathFollowing::default();
        let mut progress = PathFollowingMemory::default();
        for x in [0.0, 8.9, 10.6] {
            progress = progress.after_a_tick(&at(x), &path, &how);
        }
        assert_eq!(progress.waypoint, 2);
    }

    #[test]
    fn a_waypoint_passed_in_a_long_frame_is_reached() {
        let path = SteeringPath::open([Vec2::ZERO, 10.0 * Vec2::X, 30.0 * Vec2::X]).unwrap();
        let how = PathFollowing::default();
        let mut progress = PathFollowingMemory::default();
        // It passes the waypoint in the frame of a sixth of a second, and is asked in a short one.
        for (x, delta) in [(0.0, 1.0 / 60.0), (8.9, 1.0 / 6.0), (10.9, 1.0 / 60.0)] {
            let me = Agent {
                position: Vec2::new(x, 0.0),
                velocity: 12.0 * Vec2::X,
                delta,
                ..default()
            };
            progress = progress.after_a_tick(&me, &path, &how);
        }
        assert_eq!(progress.waypoint, 2);
    }

    #[test]
    fn a_waypoint_ahead_of_an_agent_that_is_thrown_back_is_not_reached() {
        let path = SteeringPath::open([Vec2::ZERO, 2.0 * Vec2::X, Vec2::new(2.0, 9.0)]).unwrap();
        let how = PathFollowing::default();
        let mut progress = PathFollowingMemory::default();
        for (x, speed) in [(0.0, 4.0), (0.25, 4.0), (-0.25, -30.0)] {
            let me = Agent {
                position: Vec2::new(x, 0.0),
                velocity: speed * Vec2::X,
                delta: 4.0 / 60.0,
                ..default()
            };
            progress = progress.after_a_tick(&me, &path, &how);
        }
        assert_eq!(progress.waypoint, 1);
    }

    #[test]
    fn a_corridor_is_walked_on_in_a_long_frame() {
        let path = SteeringPath::open([Vec2::ZERO, 30.0 * Vec2::X]).unwrap();
        let how = PathFollowing::default().with_corridor(0.1, 0.5);
        let mut progress = PathFollowingMemory::default();
        // 5 m in the frame of a second, and a pause after it.
        for (x, delta) in [(0.0, 1.0), (5.0, 0.0), (5.0, 1.0 / 60.0)] {
            let me = Agent {
                position: Vec2::new(x, 0.0),
                velocity: 5.0 * Vec2::X,
                delta,
                ..default()
            };
            progress = progress.after_a_tick(&me, &path, &how);
            assert!((progress.distance - x).abs() < 1e-4, "{progress:?}");
        }
    }

    #[test]
    fn a_replaced_path_is_joined_at_the_agents_position() {
        let how = PathFollowing::default();
        let old = zigzag(false);
        let walked = |x| Agent {
            position: Vec2::new(x, 0.1),
            ..default()
        };
        let progress = PathFollowingMemory::default().after_a_tick(&walked(0.0), &old, &how);
        assert_eq!(progress.waypoint, 1);
        // Replanned from the agent's previous position.
        let new = SteeringPath::open([(2.0, 0.0), (9.0, 0.0), (9.0, 9.0)].map(Vec2::from)).unwrap();
        let joined = progress.after_a_tick(&walked(3.0), &new, &how);
        assert_eq!(
            joined.waypoint, 1,
            "the agent does not turn back to the start"
        );
        // A new agent begins at the first point.
        let fresh = PathFollowingMemory::default().after_a_tick(&walked(3.0), &new, &how);
        assert_eq!(fresh.waypoint, 0);
        // Progress continues on a translated path.
        let moved = new.translated(Vec2::Y).unwrap();
        let far = PathFollowingMemory {
            waypoint: 2,
            ..joined
        };
        assert_eq!(far.after_a_tick(&walked(3.0), &moved, &how).waypoint, 2);
    }

    #[test]
    fn a_path_of_many_points_is_joined_where_the_agent_is_by_now() {
        let how = PathFollowing::default();
        let at = |x, y| Agent {
            position: Vec2::new(x, y),
            ..default()
        };
        let followed =
            PathFollowingMemory::default().after_a_tick(&at(0.0, 0.0), &zigzag(false), &how);
        // Of a grid, found while the agent walked 1.4 m.
        let found = (0..9).map(|x| Vec2::new(x as f32, 0.0));
        let found = SteeringPath::open(found).unwrap();
        let joined = followed.after_a_tick(&at(1.4, 0.3), &found, &how);
        assert_eq!(joined.waypoint, 2);
        // Where a path comes back to its first point, the agent has not been yet.
        let there_and_back = [(0.0, 0.0), (20.0, 0.0), (0.0, 0.4), (0.0, 9.0)].map(Vec2::from);
        let there_and_back = SteeringPath::open(there_and_back).unwrap();
        let begun = followed.after_a_tick(&at(0.1, 0.6), &there_and_back, &how);
        assert_eq!(begun.waypoint, 0);
    }

    #[test]
    fn only_a_whole_lap_counts() {
        let square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)].map(Vec2::from);
        let square = SteeringPath::looped(square).unwrap();
        let corridor = PathFollowing::default().with_corridor(1.0, 0.5);
        let drive = |progress: PathFollowingMemory, x, y| {
            let me = Agent {
                position: Vec2::new(x, y),
                ..default()
            };
            progress.after_a_tick(&me, &square, &corridor)
        };
        let mut progress = PathFollowingMemory::default();
        for (x, y) in [(0.0, 0.0), (0.05, 0.0), (0.2, 0.0)] {
            progress = drive(progress, x, y);
            assert_eq!(progress.laps, 0, "it has just started");
        }
        for (x, y) in [(0.0, 0.3), (0.1, 0.0), (1.0, 0.0)] {
            progress = drive(progress, x, y);
            assert_eq!(progress.laps, 0, "it was pushed back over the first point");
        }
        for step in 1..40 {
            let at = square.at(1.0 + step as f32).position;
            progress = drive(progress, at.x, at.y);
        }
        assert_eq!(progress.laps, 1);
    }
}
