//! Tight corners of a corridor: those that the turning circle of a body does not fit into from the
//! middle. The body approaches on the outside, slowly, and turns in when its arc passes inside of the
//! corner.

use bevy::prelude::*;

use crate::Agent;
use crate::behaviors::braking::{braking_lag, speed_before};
use crate::locomotion::RESERVE;

/// How far ahead bodies plan for corners, in turning radii: to go to the outside and turn.
pub(in crate::behaviors) const TURN_IN: f32 = 4.0;

/// Corners that an arc of this many turning radii fits into are not tight.
const EASY: f32 = 1.4;

/// The speed in tight corners, turning radii per second: the wheels need the time to turn.
const SPEED: f32 = 0.6;

/// A turn of a path by an angle θ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Where, m.
    pub(super) corner: Vec2,
    /// `cos(θ/2)`
    pub(super) cosine: f32,
    /// 1 to the left, −1 to the right.
    side: f32,
}

impl Turn {
    /// The turn between two directions.
    pub(super) fn new(corner: Vec2, before: Vec2, after: Vec2) -> Self {
        let left = before.perp_dot(after) >= 0.0;
        Self {
            corner,
            cosine: ((1.0 + before.dot(after)) / 2.0).max(0.0).sqrt(),
            side: if left { 1.0 } else { -1.0 },
        }
    }

    /// Whether it is a corner, and not part of a curve: more than about 20°.
    pub(super) fn is_sharp(&self) -> bool {
        const CURVE: f32 = 0.985;
        self.cosine < CURVE
    }
}

/// A corner that is too tight for the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct TightCorner(Turn);

impl TightCorner {
    /// The corner of a turn; `None` if it is not tight. The arc inside of the corridor that begins in the
    /// middle has the radius `curb · c / (1 − c)` with `c = cos(θ/2)`.
    pub(super) fn new(me: &Agent, curb: f32, turn: Turn) -> Option<Self> {
        let wanted = EASY * RESERVE * me.turning_radius();
        (curb * turn.cosine < wanted * (1.0 - turn.cosine)).then_some(Self(turn))
    }

    /// The lane on which to approach it and to leave it, m to the left of the middle: an arc that begins
    /// a m outside has the radius `R = (a + curb · c) / (1 − c)`.
    pub(super) fn lane(&self, me: &Agent, curb: f32) -> f32 {
        let wanted = EASY * RESERVE * me.turning_radius();
        let outside = wanted * (1.0 - self.0.cosine) - curb * self.0.cosine;
        -self.0.side * outside.max(0.0).min(curb)
    }

    /// The highest current speed from which the agent can brake for it, m/s.
    pub(super) fn speed(&self, me: &Agent) -> f32 {
        let radius = RESERVE * me.turning_radius();
        let ahead = me.position.distance(self.0.corner) - 1.5 * radius;
        speed_before(me, SPEED * radius, ahead - me.speed() * braking_lag(me))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::path_following::path_following;
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;
    use crate::{PathFollowing, PathFollowingMemory, SteeringPath};

    /// Half the length and the width of the body of a car, m.
    const HALF: Vec2 = Vec2::new(2.0, 0.9);

    /// The corners of a car's body, m.
    fn body(car: &Drive<Wheeled>) -> [Vec2; 4] {
        let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)];
        signs.map(|it| car.body.position + car.body.heading.rotate(HALF * Vec2::from(it)))
    }

    /// Whether the body covers a point.
    fn covers(car: &Drive<Wheeled>, point: Vec2) -> bool {
        let offset = point - car.body.position;
        let heading = car.body.heading;
        heading.dot(offset).abs() < HALF.x && heading.perp_dot(offset).abs() < HALF.y
    }

    /// The points where the walls on the inside of corners meet, `wall` m beside the path.
    fn inner_corners(path: &SteeringPath, wall: f32) -> Vec<Vec2> {
        let inner = |corner: usize| {
            let (before, after) = (path.direction(corner - 1), path.direction(corner));
            let inward = (after - before).normalize();
            let cosine = ((1.0 + before.dot(after)) / 2.0).sqrt();
            path.points()[corner] + wall / cosine * inward
        };
        (1..path.points().len() - 1).map(inner).collect()
    }

    /// A car follows a path between walls this far beside it, m; returns the largest distance of its
    /// body from the path, m, its mean speed and that within 3 m of corners, m/s.
    fn drive(points: &[(f32, f32)], wall: f32, hertz: f32) -> (f32, f32, f32) {
        let path = SteeringPath::open(points.iter().copied().map(Vec2::from)).unwrap();
        let inner = inner_corners(&path, wall);
        // The body fits into its bounding circle.
        let how = PathFollowing::default().with_corridor(wall - HALF.length(), 0.5);
        let mut car = Drive::car(Wheeled::default(), hertz);
        let mut progress = PathFollowingMemory::default();
        let (mut off, mut in_corners, mut ticks) = (0.0_f32, 0.0_f32, 0);
        while !progress.completed {
            ticks += 1;
            let me = car.agent();
            assert!(ticks < (120.0 * hertz) as u32, "{wall} m: {me:?}");
            progress = progress.after_a_tick(&me, &path, &how);
            car.step(path_following(&me, &path, &progress, &how));
            for corner in body(&car) {
                off = off.max(path.closest(corner).position.distance(corner));
            }
            let touched = inner.iter().find(|it| covers(&car, **it));
            assert!(touched.is_none(), "{wall} m: {:?}", car.body);
            let here = car.body.position;
            let corners = &path.points()[1..points.len() - 1];
            if corners.iter().any(|it| it.distance(here) < 3.0) {
                in_corners = in_corners.max(car.body.speed());
            }
        }
        (off, path.length() * hertz / ticks as f32, in_corners)
    }

    #[test]
    fn a_car_cuts_no_wall_in_corners_tighter_than_its_turning_circle() {
        // The rear axle turns on a circle of 3.7 m, the outer front corner of the body on 5.7 m.
        let corner = [(0.0, 0.0), (40.0, 0.0), (40.0, 30.0)];
        let hairpin = [(0.0, 0.0), (40.0, 0.0), (40.0, -7.0), (0.0, -7.0)];
        let zigzag = [(0.0, 0.0), (40.0, 0.0), (40.0, 12.0), (80.0, 12.0)];
        let courses = [
            ("corner", &corner[..]),
            ("hairpin", &hairpin),
            ("zigzag", &zigzag),
        ];
        for (name, points) in courses {
            for wall in [3.2, 3.5] {
                for hertz in [30.0, 60.0, 120.0] {
                    let case = format!("{name}, walls at {wall} m, {hertz} Hz");
                    let (off, speed, in_corners) = drive(points, wall, hertz);
                    assert!(off < wall, "{case}: {off} m off");
                    assert!(in_corners < 3.0, "{case}: {in_corners} m/s in corners");
                    assert!(speed > 4.0, "{case}: {speed} m/s");
                }
            }
        }
    }

    #[test]
    fn a_tight_corner_is_taken_wide() {
        let me = Drive::car(Wheeled::default(), 60.0).agent();
        let left = Turn::new(Vec2::ZERO, Vec2::X, Vec2::Y);
        // 1.4 · 1.1 · 3.72 m = 5.73 m; from the middle at 0.8 m an arc of 1.93 m fits in.
        let corner = TightCorner::new(&me, 0.8, left).expect("tight");
        assert_eq!(corner.lane(&me, 0.8), -0.8);
        // At 2.2 m one of 5.31 m: 5.73 m · 0.293 - 2.2 m · 0.707 = 0.12 m outside.
        let corner = TightCorner::new(&me, 2.2, left).expect("tight");
        assert!((corner.lane(&me, 2.2) + 0.12).abs() < 0.01);
        assert!(TightCorner::new(&me, 2.5, left).is_none(), "wide enough");
        let right = Turn::new(Vec2::ZERO, Vec2::X, Vec2::NEG_Y);
        let corner = TightCorner::new(&me, 0.8, right).expect("tight");
        assert_eq!(corner.lane(&me, 0.8), 0.8);
    }
}
