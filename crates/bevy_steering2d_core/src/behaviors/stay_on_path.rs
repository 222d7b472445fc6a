//! Stay on path: keeps an agent within a corridor around a path.

use bevy::prelude::*;

use super::unguided::warn_of_unguided;
use super::{embeds_influence, guide, seek};
use crate::{Agent, Behavior, Influence, InvalidParameter, Steer, SteeringPath, Target};

/// Steers back when the agent is about to leave the corridor around a path.
///
#[doc = include_str!("figures/stay_on_path.svg")]
///
/// Use it beside [`Wander`](crate::Wander) or [`Seek`](crate::Seek) for villagers on lanes and trucks on
/// roads. In the corridor it affects neither speed nor direction. To travel along the path, use
/// [`PathFollowing`](crate::PathFollowing).
///
/// Of the agent's current position, its position after `look_ahead_time` and the one halfway in
/// between, q is the one farthest from the [`SteeringPath`]. q' is the point nearest to q on the
/// stretch of path that the agent can cover in that time; the limit keeps it from crossing to the next
/// bend. `F = u · seek(q')`, N, where the urgency u grows from 0 when q is `half_width` from the path
/// to 1 at `1.5 · half_width`. (after Reynolds 1999)
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StayOnPath {
    /// The entity with the [`SteeringPath`]. Default `None`: this entity itself, or the agent it
    /// steers for.
    #[entities]
    pub path: Option<Entity>,
    /// Half-width of the corridor, m, `> 0`. Default `1`.
    pub half_width: f32,
    /// How far ahead the agent predicts its position, s, `≥ 0`. Default `0.5`.
    pub look_ahead_time: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

impl StayOnPath {
    /// Stays on the path of another entity.
    pub fn new(path: Entity) -> Self {
        Self {
            path: Some(path),
            ..Self::default()
        }
    }

    /// Sets the [`half_width`](Self::half_width).
    #[must_use]
    pub fn with_half_width(mut self, half_width: f32) -> Self {
        self.half_width = half_width;
        self
    }

    /// Sets the [`look_ahead_time`](Self::look_ahead_time).
    #[must_use]
    pub fn with_look_ahead_time(mut self, look_ahead_time: f32) -> Self {
        self.look_ahead_time = look_ahead_time;
        self
    }

    /// Of the current and predicted positions, the one farthest from the path, m, and its distance
    /// from the path, m.
    pub fn farthest_prediction(&self, me: &Agent, path: &SteeringPath) -> (Vec2, f32) {
        [0.0, 0.5, 1.0]
            .map(|share| me.position + me.velocity * (share * self.look_ahead_time))
            .map(|position| (position, path.closest(position).position.distance(position)))
            .into_iter()
            .fold((me.position, 0.0), |farthest, seen| {
                if seen.1 > farthest.1 { seen } else { farthest }
            })
    }

    /// The point on the path that the agent steers back to, m; `None` while it stays in the corridor.
    pub fn return_point(&self, me: &Agent, path: &SteeringPath) -> Option<Vec2> {
        let (position, distance) = self.farthest_prediction(me, path);
        (distance > self.half_width).then(|| self.nearest_in_range(position, me, path))
    }

    /// The nearest point on the stretch of path that the agent can cover in the look-ahead time; for a body with a
    /// turning circle one beyond the circle, in the direction in which it drives along the path.
    fn nearest_in_range(&self, position: Vec2, me: &Agent, path: &SteeringPath) -> Vec2 {
        /// How far beyond, in turning radii.
        const BEYOND: f32 = 4.0;
        let here = path.closest(me.position).arc;
        let stretch = self.half_width + me.speed() * self.look_ahead_time;
        let nearest = path.closest_between(position, here - stretch, here + stretch);
        let beyond = BEYOND * me.turning_radius();
        if beyond == 0.0 {
            return nearest.position;
        }
        let along = path.direction(nearest.segment).dot(me.heading);
        path.at(nearest.arc + beyond.copysign(along)).position
    }
}

impl Default for StayOnPath {
    fn default() -> Self {
        Self {
            path: None,
            half_width: 1.0,
            look_ahead_time: 0.5,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for StayOnPath {
    const PRIORITY: i16 = 108;
    const COLOR: Option<[u8; 3]> = Some([55, 175, 8]);

    type Memory = Option<&'static SteeringPath>;
    type World = Query<'static, 'static, &'static SteeringPath>;

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [None, self.path.map(Target::Entity)]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("StayOnPath.half_width", self.half_width)?;
        InvalidParameter::unless_non_negative("StayOnPath.look_ahead_time", self.look_ahead_time)
    }

    fn build(app: &mut App) {
        warn_of_unguided::<Self, SteeringPath>(app);
    }
}

impl Steer for StayOnPath {
    fn steer(&self, me: &Agent, own: Option<&SteeringPath>, paths: &Query<&SteeringPath>) -> Vec2 {
        guide(self.path, own, me, paths).map_or(Vec2::ZERO, |path| stay_on_path(me, path, self))
    }
}

/// The force of [`StayOnPath`], N.
pub fn stay_on_path(me: &Agent, path: &SteeringPath, how: &StayOnPath) -> Vec2 {
    let (position, distance) = how.farthest_prediction(me, path);
    let excess = distance - how.half_width;
    if excess <= 0.0 {
        return Vec2::ZERO;
    }
    let urgency = (excess / (0.5 * how.half_width)).min(1.0);
    urgency * seek(me, how.nearest_in_range(position, me, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close};

    fn road() -> SteeringPath {
        SteeringPath::open([Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0)]).unwrap()
    }

    fn moving(position: (f32, f32), velocity: (f32, f32)) -> Agent {
        Agent {
            position: position.into(),
            velocity: velocity.into(),
            ..default()
        }
    }

    #[test]
    fn the_force_is_zero_in_the_corridor() {
        for me in [
            moving((0.0, 0.0), (5.0, 0.0)),
            moving((0.0, 0.9), (-5.0, 0.0)),
            moving((0.0, -0.5), (0.0, 3.0)),
        ] {
            assert_eq!(
                stay_on_path(&me, &road(), &StayOnPath::default()),
                Vec2::ZERO
            );
        }
    }

    #[test]
    fn stay_on_path_equals_its_documented_formula() {
        // Predicted at y = 0.25 + 0.5 · 2 = 1.25: half the urgency.
        let me = moving((0.0, 0.25), (0.0, 2.0));
        let force = stay_on_path(&me, &road(), &StayOnPath::default());
        assert_close(force, 0.5 * seek(&me, Vec2::ZERO));
        assert!(force.y < 0.0);
    }

    #[test]
    fn stay_on_path_does_not_cross_to_the_next_bend() {
        // A hairpin with 4 m between its legs; the prediction is on the other leg.
        let legs = [(0.0, 0.0), (20.0, 0.0), (20.0, 4.0), (0.0, 4.0)].map(Vec2::from);
        let hairpin = SteeringPath::open(legs).unwrap();
        let me = moving((5.0, 0.9), (0.0, 5.0));
        let force = stay_on_path(&me, &hairpin, &StayOnPath::default());
        assert!(force.y < 0.0, "{force}");
    }

    #[test]
    fn the_force_is_continuous_at_the_edge() {
        let force = |i: i32| {
            let me = moving((0.0, 0.8 + 1e-3 * i as f32), (3.0, 0.0));
            stay_on_path(&me, &road(), &StayOnPath::default())
        };
        for i in 0..1_000 {
            assert!(force(i).distance(force(i + 1)) < 0.2, "at {i}");
        }
    }

    #[test]
    fn an_agent_heading_off_the_path_stays_in_the_corridor() {
        let mut course = Course::new(60.0);
        course.agent.velocity = Vec2::new(3.0, 3.0);
        for _ in 0..60 * 10 {
            let me = course.agent;
            course.step(stay_on_path(&me, &road(), &StayOnPath::default()));
            assert!(course.agent.position.y.abs() <= 1.0, "{:?}", course.agent);
        }
    }

    #[test]
    fn the_return_point_is_on_the_path() {
        let how = StayOnPath::default();
        let leaving = moving((0.0, 0.25), (0.0, 2.0));
        let (position, distance) = how.farthest_prediction(&leaving, &road());
        assert_close(position, Vec2::new(0.0, 1.25));
        assert!((distance - 1.25).abs() < 1e-5);
        assert_close(how.return_point(&leaving, &road()).unwrap(), Vec2::ZERO);
        let staying = moving((0.0, 0.25), (5.0, 0.0));
        assert_eq!(how.return_point(&staying, &road()), None);
    }
}
