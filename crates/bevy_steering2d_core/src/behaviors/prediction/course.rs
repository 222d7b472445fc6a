//! Courses: where a body is expected in the next seconds, if it keeps turning, keeps accelerating, or
//! turns at walls and obstacles.

use bevy::prelude::*;

use super::sighting::Sighting;
use crate::locomotion::direction;
use crate::perception::{Circle, ObstacleIndex, WallIndex};
use crate::{Agent, Kinematics, Vehicle};

/// Steps of a course.
const STEPS: usize = 32;

/// The length of a course in multiples of the time that the agent takes to the present position.
const HORIZON: f32 = 4.0;

/// The expected positions of a body at equal intervals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Course {
    points: [Vec2; STEPS + 1],
    /// Time between two points, s.
    step: f32,
}

/// The body whose course is predicted.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    pub(super) body: &'a Kinematics,
    /// Its limits, if it is an agent.
    pub(super) limits: Option<&'a Vehicle>,
    pub(super) seen: &'a Sighting,
}

impl Mover<'_> {
    fn max_acceleration(&self) -> f32 {
        let limit = self.limits.map(|it| it.max_force / self.body.mass);
        limit.filter(|limit| *limit >= 0.0).unwrap_or(f32::INFINITY)
    }

    fn max_speed(&self) -> f32 {
        let limit = self.limits.map_or(f32::INFINITY, |it| it.max_speed);
        limit.max(self.body.speed())
    }
}

impl Course {
    /// The time that a course toward `body` covers for an agent, s.
    pub(super) fn horizon(me: &Agent, body: &Kinematics) -> f32 {
        HORIZON * me.position.distance(body.position) / me.max_speed
    }

    /// The same for an agent that gets up to speed first: a heavy one takes longer for that than for the way.
    pub(super) fn horizon_from_velocity(me: &Agent, body: &Kinematics) -> f32 {
        /// At most, s: an agent without force does not get up to speed.
        const LONGEST: f32 = 1e6;
        let speeding_up = 2.0 * me.max_speed / me.max_acceleration();
        Self::horizon(me, body) + speeding_up.min(LONGEST)
    }

    /// A body that keeps its speed and turn rate: an arc.
    pub(super) fn turning(mover: Mover, horizon: f32) -> Self {
        let step = horizon / STEPS as f32;
        let mut arc = Arc::of(mover, step);
        Self::walk(mover.body.position, step, |at| at + arc.advance())
    }

    /// A body that moves straight on and keeps accelerating or braking as observed, within its
    /// limits, until it has its top speed or stands.
    pub(super) fn accelerating(mover: Mover, horizon: f32) -> Self {
        let most = mover.max_acceleration();
        let acceleration = mover.seen.acceleration().max(-most).min(most);
        let step = horizon / STEPS as f32;
        let mut speed = mover.body.speed();
        let heading = mover.body.velocity.normalize_or_zero();
        Self::walk(mover.body.position, step, |at| {
            let next = (speed + acceleration * step)
                .max(0.0)
                .min(mover.max_speed());
            let mean = 0.5 * (speed + next);
            speed = next;
            at + mean * step * heading
        })
    }

    /// A body that keeps its speed and turn rate, and moves on along the walls and around the obstacles
    /// that it meets. If it runs straight at one, it stops there: which way it will turn cannot be known.
    pub(super) fn in_scenery(mover: Mover, scenery: Scenery, horizon: f32) -> Self {
        let step = horizon / STEPS as f32;
        let speed = mover.body.speed();
        let mut arc = Arc::of(mover, step);
        Self::walk(mover.body.position, step, |at| {
            let (next, normal) = scenery.advance(at, arc.advance(), mover.body.radius);
            if let Some(normal) = normal {
                let velocity = arc.velocity;
                let along = velocity - velocity.dot(normal).min(0.0) * normal;
                arc = Arc::straight(
                    step,
                    if along.length() > HEAD_ON * velocity.length() {
                        speed * along.normalize_or_zero()
                    } else {
                        Vec2::ZERO
                    },
                );
            }
            next
        })
    }

    fn walk(start: Vec2, step: f32, mut advance: impl FnMut(Vec2) -> Vec2) -> Self {
        let mut points = [start; STEPS + 1];
        for at in 1..=STEPS {
            points[at] = advance(points[at - 1]);
        }
        Self { points, step }
    }

    /// The position after a time, m.
    pub(super) fn at(&self, time: f32) -> Vec2 {
        let steps = if self.step > 0.0 {
            time / self.step
        } else {
            0.0
        };
        let steps = steps.max(0.0).min(STEPS as f32);
        let before = (steps as usize).min(STEPS - 1);
        self.points[before].lerp(self.points[before + 1], steps - before as f32)
    }

    /// The first time at which an agent that gets `reach(time)` m away can be at the body, s; `None` if
    /// it cannot within the course.
    pub(super) fn meeting_time(&self, from: Vec2, reach: impl Fn(f32) -> f32) -> Option<f32> {
        const HALVINGS: u32 = 10;
        let meets = |time: f32| reach(time) >= from.distance(self.at(time));
        let first = (0..=STEPS).find(|step| meets(*step as f32 * self.step))?;
        let (mut early, mut late) = (
            first.saturating_sub(1) as f32 * self.step,
            first as f32 * self.step,
        );
        for _ in 0..HALVINGS {
            let middle = 0.5 * (early + late);
            if meets(middle) {
                late = middle;
            } else {
                early = middle;
            }
        }
        Some(late)
    }

    /// The time until `latest` at which the course is nearest to a point, s. Places between two points of the
    /// course count too: a body may run over the agent between them.
    pub(super) fn nearest_time(&self, to: Vec2, latest: f32) -> f32 {
        let lines = self.points.windows(2).enumerate();
        let times = lines.map(|(step, line)| {
            let (offset, way) = (to - line[0], line[1] - line[0]);
            let share = offset.dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
            ((step as f32 + share.clamp(0.0, 1.0)) * self.step).min(latest)
        });
        times
            .min_by(|a, b| {
                let distance = |time: &f32| self.at(*time).distance_squared(to);
                distance(a).total_cmp(&distance(b))
            })
            .unwrap_or(0.0)
    }
}

/// Motion at a constant speed and turn rate, step by step.
struct Arc {
    /// m/s
    velocity: Vec2,
    /// Time of a step, s.
    step: f32,
    /// Rotation by half of the angle of a step.
    half_turn: Vec2,
    /// The chord of a step's arc, as a share of its length.
    chord: f32,
}

impl Arc {
    /// The turn rate is the one observed, at most what the body's force allows, `a / v`.
    fn of(mover: Mover, step: f32) -> Self {
        let most = mover.max_acceleration() / mover.body.speed().max(Kinematics::REST);
        let half = 0.5 * step * mover.seen.turn_rate().max(-most).min(most);
        let half_turn = direction(half);
        Self {
            velocity: mover.body.velocity,
            step,
            half_turn,
            chord: if half.abs() < 1e-3 {
                1.0
            } else {
                half_turn.y / half
            },
        }
    }

    fn straight(step: f32, velocity: Vec2) -> Self {
        Self {
            velocity,
            step,
            half_turn: Vec2::X,
            chord: 1.0,
        }
    }

    /// Moves by one step; returns how far, m.
    fn advance(&mut self) -> Vec2 {
        // The chord lies half of the angle ahead.
        let middle = self.half_turn.rotate(self.velocity);
        self.velocity = self.half_turn.rotate(middle);
        self.chord * self.step * middle
    }
}

/// Below this share of its speed along a wall, a body is expected to stop at it.
const HEAD_ON: f32 = 0.2;

/// How far ahead of a disc its path is tested for walls, in radii: enough for walls that it meets at an
/// angle of about 12°.
const SIDEWAYS: f32 = 5.0;

/// How far an agent gets in a time towards a point, m, if it accelerates from its velocity of now to full
/// speed.
pub(super) fn reach_from_velocity(me: &Agent, towards: Vec2, time: f32) -> f32 {
    let speed = me.velocity.dot(me.direction_to(towards)).min(me.max_speed);
    let acceleration = me.max_acceleration();
    let speeding_up = ((me.max_speed - speed) / acceleration).min(time);
    speed * speeding_up
        + 0.5 * acceleration * speeding_up * speeding_up
        + me.max_speed * (time - speeding_up)
}

/// The walls and obstacles around a body.
#[derive(Clone, Copy)]
pub(super) struct Scenery<'a> {
    pub(super) walls: &'a WallIndex,
    pub(super) obstacles: &'a ObstacleIndex,
    /// The body itself and the agent, which are not in the way, nor are their parts.
    pub(super) except: [Option<Entity>; 2],
}

impl Scenery<'_> {
    /// Moves a disc of this radius: its position, and the normal of what stopped it.
    fn advance(self, from: Vec2, by: Vec2, radius: f32) -> (Vec2, Option<Vec2>) {
        let Some(ahead) = by.try_normalize() else {
            return (from, None);
        };
        let to = from + by;
        let (mut free, mut stopped) = (by.length(), (to, None));
        if let Some(hit) = self.walls.first_hit(from, to + SIDEWAYS * radius * ahead) {
            let clearance = (hit.point - from).dot(-hit.normal) - radius;
            let closing = by.dot(-hit.normal);
            if clearance < closing {
                let share = (clearance / closing).clamp(0.0, 1.0);
                free *= share;
                stopped = (from + share * by, Some(hit.normal));
            }
        }
        let (min, max) = (from.min(to) - radius, from.max(to) + radius);
        let is_owner = |it| self.except.contains(&Some(it));
        self.obstacles
            .for_each_of_others(min, max, is_owner, |obstacle| {
                let Circle {
                    center,
                    radius: of_obstacle,
                } = obstacle.circle;
                let Some(run) = run_until(center - from, ahead, radius + of_obstacle) else {
                    return;
                };
                if run < free {
                    free = run;
                    let at = from + run * ahead;
                    let normal = (at - center).normalize_or(-ahead);
                    stopped = (center + (radius + of_obstacle) * normal, Some(normal));
                }
            });
        stopped
    }
}

/// How far a point moves in the direction `ahead` until it is within `reach` of another one at `offset` from it, m: none
/// if it is there already and comes nearer; `None` if it passes, or slides along.
fn run_until(offset: Vec2, ahead: Vec2, reach: f32) -> Option<f32> {
    /// A point that comes no nearer than this share of the reach slides along, up to rounding.
    const SLIDES: f32 = 0.999;
    let (along, beside) = (offset.dot(ahead), offset.perp_dot(ahead));
    let meets = along > 0.0 && beside.abs() < SLIDES * reach;
    meets.then(|| (along - (reach * reach - beside * beside).sqrt()).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wall;
    use crate::behaviors::testing::assert_close;
    use crate::perception::{OwnedObstacle, SeenObstacle};

    fn runner(velocity: Vec2) -> Kinematics {
        Kinematics {
            position: Vec2::new(10.0, 0.0),
            velocity,
            heading: velocity.normalize_or_zero(),
            mass: 1.0,
            radius: 0.5,
        }
    }

    fn mover<'a>(body: &'a Kinematics, seen: &'a Sighting) -> Mover<'a> {
        let limits = None;
        Mover { body, limits, seen }
    }

    #[test]
    fn a_turning_course_stays_on_its_circle() {
        // 6 m/s at 1.5 rad/s: a circle of 4 m around (6, 0).
        let (body, seen) = (runner(Vec2::new(0.0, 6.0)), Sighting::turning(1.5));
        let course = Course::turning(mover(&body, &seen), 4.0);
        for time in [0.0, 0.5, 1.0, 2.5, 4.0] {
            let angle = 1.5 * time;
            let expected = Vec2::new(6.0, 0.0) + 4.0 * Vec2::from_angle(angle);
            assert!(course.at(time).distance(expected) < 0.03, "{time} s");
        }
    }

    #[test]
    fn a_body_cannot_turn_faster_than_its_force_allows() {
        let (body, seen) = (runner(Vec2::new(0.0, 6.0)), Sighting::turning(100.0));
        let limits = Vehicle {
            max_force: 9.0,
            ..default()
        };
        let limited = Mover {
            limits: Some(&limits),
            ..mover(&body, &seen)
        };
        // a / v = 9 / 6 = 1.5 rad/s.
        let expected = Course::turning(mover(&body, &Sighting::turning(1.5)), 2.0);
        assert_close(Course::turning(limited, 2.0).at(2.0), expected.at(2.0));
    }

    #[test]
    fn a_braking_body_stops_and_an_accelerating_one_keeps_its_top_speed() {
        let body = runner(Vec2::new(4.0, 0.0));
        // From 4 m/s at −2 m/s²: 4 m.
        let brakes = Sighting::accelerating(-2.0);
        let course = Course::accelerating(mover(&body, &brakes), 8.0);
        assert!(course.at(8.0).distance(Vec2::new(14.0, 0.0)) < 0.05);
        // 0.5 s to 5 m/s, 2.25 m; then 1.5 s, 7.5 m.
        let (limits, speeds_up) = (Vehicle::default(), Sighting::accelerating(2.0));
        let limited = Mover {
            limits: Some(&limits),
            ..mover(&body, &speeds_up)
        };
        let course = Course::accelerating(limited, 2.0);
        assert!(course.at(2.0).distance(Vec2::new(19.75, 0.0)) < 0.05);
    }

    fn with_wall(x: f32, velocity: Vec2, time: f32) -> Vec2 {
        let walls = WallIndex::of(&[Wall::new(Vec2::new(x, -50.0), Vec2::new(x, 50.0))]);
        let scenery = Scenery {
            walls: &walls,
            obstacles: &ObstacleIndex::default(),
            except: [None; 2],
        };
        let (body, seen) = (runner(velocity), Sighting::default());
        Course::in_scenery(mover(&body, &seen), scenery, time).at(time)
    }

    #[test]
    fn a_body_that_runs_at_a_wall_stops_at_it() {
        let end = with_wall(13.0, Vec2::new(4.0, 0.0), 3.0);
        assert_close(end, Vec2::new(12.5, 0.0));
    }

    #[test]
    fn a_body_that_meets_a_wall_at_an_angle_goes_on_along_it() {
        // 2.5 m to the wall take 0.83 s; then 5 m/s along it.
        let end = with_wall(13.0, Vec2::new(3.0, 4.0), 3.0);
        assert!((end.x - 12.5).abs() < 0.01, "{end}");
        assert!(
            (end.y - (2.5 * 4.0 / 3.0 + 5.0 * (3.0 - 2.5 / 3.0))).abs() < 0.5,
            "{end}"
        );
    }

    #[test]
    fn a_body_stops_at_the_first_rock_on_its_way_even_in_large_steps() {
        let [far, near] = [30.0, 24.0].map(|x| {
            let entity = Entity::PLACEHOLDER;
            let seen = SeenObstacle {
                entity,
                circle: Circle::new(Vec2::new(x, 0.0), 1.0),
                filled: 1.0,
                velocity: Vec2::ZERO,
            };
            OwnedObstacle {
                seen,
                owner: entity,
            }
        });
        for rocks in [[far, near], [near, far]] {
            let mut obstacles = ObstacleIndex::default();
            obstacles.rebuild(rocks.into_iter());
            let scenery = Scenery {
                walls: &WallIndex::default(),
                obstacles: &obstacles,
                except: [None; 2],
            };
            // In steps of 6 m, more than a rock and the body are wide.
            let (body, seen) = (runner(Vec2::new(4.0, 0.0)), Sighting::default());
            let course = Course::in_scenery(mover(&body, &seen), scenery, 48.0);
            assert_close(course.at(48.0), Vec2::new(22.5, 0.0));
        }
    }

    #[test]
    fn a_body_that_meets_a_rock_at_its_side_slides_past_it() {
        let reach = 1.5;
        for angle in [0.1, 0.8, 1.5, 2.4, -0.7, -2.9] {
            let outward = Vec2::from_angle(angle);
            assert_eq!(run_until(-reach * outward, outward.perp(), reach), None);
            let run = run_until(-reach * outward, -outward, reach);
            assert!(run.is_some_and(|it| it < 1e-5), "{run:?}");
        }
        assert_eq!(run_until(Vec2::new(9.0, 1.6), Vec2::X, reach), None);
        assert_eq!(run_until(Vec2::new(9.0, 0.0), Vec2::X, reach), Some(7.5));
    }

    #[test]
    fn without_scenery_a_course_is_straight() {
        let end = with_wall(99.0, Vec2::new(3.0, 4.0), 3.0);
        assert_close(end, Vec2::new(19.0, 12.0));
    }

    #[test]
    fn the_meeting_time_on_a_straight_course_is_that_of_intercept() {
        let me = Agent::default(); // 5 m/s
        let (body, seen) = (runner(Vec2::new(0.0, 3.0)), Sighting::default());
        let course = Course::turning(mover(&body, &seen), Course::horizon(&me, &body));
        // 10² + 3²·T² = 5²·T²  →  T = 2.5.
        let time = course.meeting_time(me.position, |time| me.max_speed * time);
        assert!((time.unwrap() - 2.5).abs() < 0.01, "{time:?}");
    }

    #[test]
    fn a_heavy_agent_at_rest_meets_a_body_within_its_course() {
        let me = Agent {
            mass: 100.0,
            ..default()
        };
        let (body, seen) = (runner(Vec2::ZERO), Sighting::default());
        let horizon = Course::horizon_from_velocity(&me, &body);
        let course = Course::accelerating(mover(&body, &seen), horizon);
        let reach = |time| reach_from_velocity(&me, body.position, time);
        // √(2 · 10 m / 0.2 m/s²)
        let time = course.meeting_time(me.position, reach);
        assert!((time.unwrap() - 10.0).abs() < 0.1, "{time:?}");
    }

    #[test]
    fn the_nearest_place_may_lie_between_two_steps() {
        // Steps of 2.08 m along x: 1.68 m before the origin and 0.4 m past it.
        let (body, seen) = (runner(Vec2::new(-6.4, 0.0)), Sighting::default());
        let course = Course::turning(mover(&body, &seen), 10.4);
        let nearest = |latest| course.at(course.nearest_time(Vec2::ZERO, latest));
        assert!(nearest(10.4).length() < 0.01, "{}", nearest(10.4));
        // It gets only so far in a second.
        assert_close(nearest(1.0), Vec2::new(3.6, 0.0));
        // Nor does it come back to where it has begun.
        assert_eq!(course.nearest_time(Vec2::new(12.0, 1.0), 10.4), 0.0);
    }

    #[test]
    fn a_body_at_rest_is_nearest_where_it_is() {
        let (body, seen) = (runner(Vec2::ZERO), Sighting::default());
        let course = Course::turning(mover(&body, &seen), 3.0);
        let nearest = course.at(course.nearest_time(Vec2::ZERO, 3.0));
        assert_eq!(nearest, body.position);
    }

    #[test]
    fn an_agent_needs_time_to_get_up_to_speed() {
        let me = Agent {
            velocity: Vec2::new(-5.0, 0.0),
            ..default()
        };
        // 20 m/s²: a quarter second each to stop and to full speed, back at the start; 5 m/s.
        let ahead = Vec2::new(9.0, 0.0);
        assert!(reach_from_velocity(&me, ahead, 0.5).abs() < 1e-5);
        assert!((reach_from_velocity(&me, ahead, 1.5) - 5.0).abs() < 1e-5);
    }
}
