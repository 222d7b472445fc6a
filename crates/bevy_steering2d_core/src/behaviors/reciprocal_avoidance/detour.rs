//! Detours: the way past bodies that stand side by side.
//!
//! Foresight alone stops before them: no velocity near the preferred one leads past, and one aside gains no ground.

use bevy::math::ops;
use bevy::prelude::*;
use smallvec::SmallVec;

use crate::{Agent, Circle};

/// So far ahead bodies that stand count, s of the preferred motion.
const AHEAD: f32 = 4.0;
/// The largest turn, rad: beyond, the agent would go back.
const LARGEST_TURN: f32 = 1.9;
/// The other side is chosen if the turn to it is smaller by this factor.
const CHANGE: f32 = 0.8;
/// An agent that moves aside by less than this share of its preferred speed has not chosen a side.
const LEANS: f32 = 0.1;
/// An end of the way with a body so near to it is in the midst of them, in sums of both radii.
const AMONG: f32 = 2.0;
/// The agent stands before a body up to this multiple of the distance to keep from it.
const BEFORE: f32 = 1.05;
/// A wall closes the side of a body on which it is if it is as much beside it, as a share of its distance.
const BESIDE: f32 = 0.5;

/// What an agent knows of its way when it looks for a detour.
pub(super) struct Detour<'a> {
    pub(super) me: &'a Agent,
    /// The preferred velocity, m/s.
    pub(super) preferred: Vec2,
    /// The velocity that it chose before, m/s.
    pub(super) previous: Vec2,
    /// Where its way turns next, m, or else ends.
    pub(super) next: Option<Vec2>,
    /// Whether it ends there.
    pub(super) ends: bool,
    /// The clearance to keep, m.
    pub(super) clearance: f32,
    /// Visits the nearest points of all walls in a circle, m.
    pub(super) walls: &'a dyn Fn(Circle, &mut dyn FnMut(Vec2)),
}

/// A body that stands, in the frame of the preferred direction.
#[derive(Clone, Copy)]
struct Body {
    /// How far it is ahead, and to the left, m.
    at: Vec2,
    /// Distance from its center to keep, m.
    keep: f32,
}

/// Bodies that stand side by side, allocated only beyond 32.
type Row = SmallVec<[Body; 32]>;

impl Body {
    /// Whether the agent does not fit between two.
    fn is_beside(&self, other: &Self) -> bool {
        self.at.distance(other.at) < self.keep + other.keep
    }

    /// The turns to the right and to the left that lead past, rad.
    fn turns(&self) -> [f32; 2] {
        let direction = ops::atan2(self.at.y, self.at.x);
        let half = ops::asin((self.keep / self.at.length()).min(1.0));
        [half - direction, half + direction]
    }
}

impl Detour<'_> {
    /// The preferred velocity, turned to the side on which less of a turn leads past the bodies that stand in the way and those
    /// beside them, and which no wall closes. It stays as it is before a single one, unless the agent stands there or there is a
    /// wall beside it.
    #[cold]
    pub(super) fn past(&self, standing: &[Circle]) -> Vec2 {
        let (ahead, speed) = self.preferred.normalize_and_length();
        if speed == 0.0 {
            return self.preferred;
        }
        let row = self.row_ahead(standing, ahead, speed);
        let closed = self.closed_sides(&row, ahead);
        let is_easy = |it: &Body| closed == [false; 2] && it.at.length() > BEFORE * it.keep;
        if row.is_empty() || row.len() == 1 && is_easy(&row[0]) {
            return self.preferred;
        }
        let in_front = row.iter().filter(|it| it.at.x > 0.0);
        let turns = in_front.fold([0.0_f32; 2], |[right, left], it| {
            let [to_right, to_left] = it.turns();
            [right.max(to_right), left.max(to_left)]
        });
        let [right, left] = [0, 1].map(|side| {
            if closed[side] {
                f32::INFINITY
            } else {
                turns[side]
            }
        });
        let leans = ahead.perp_dot(self.previous) / speed;
        let goes_left = if leans > LEANS {
            left * CHANGE < right
        } else if leans < -LEANS {
            left < right * CHANGE
        } else {
            left < right
        };
        let turn = if goes_left { left } else { -right };
        if turn.abs() <= LARGEST_TURN {
            Rot2::radians(turn) * self.preferred
        } else {
            self.preferred
        }
    }

    /// Whether a wall leaves no room to the right of the bodies, and to the left.
    fn closed_sides(&self, row: &[Body], ahead: Vec2) -> [bool; 2] {
        let mut closed = [false; 2];
        for it in row {
            let center = self.me.position + ahead.rotate(it.at);
            (self.walls)(
                Circle::new(center, it.keep + self.me.radius),
                &mut |point| {
                    let (away, distance) = (point - center).normalize_and_length();
                    let left = ahead.perp_dot(away);
                    if distance > 0.0 && left.abs() > BESIDE {
                        closed[usize::from(left > 0.0)] = true;
                    }
                },
            );
        }
        closed
    }

    /// The bodies in the way, and those beside them.
    fn row_ahead(&self, standing: &[Circle], ahead: Vec2, speed: f32) -> Row {
        let me = self.me;
        let along = |point: Vec2| (point - me.position).dot(ahead);
        let next = self.next.filter(|it| it.is_finite());
        let is_among = |it: &Circle| {
            let near = AMONG * (me.radius + it.radius);
            let end = next.filter(|_| self.ends);
            end.is_some_and(|end| end.distance(it.center) < near)
        };
        if standing.iter().any(is_among) {
            return Row::new();
        }
        let farthest = next.map_or(f32::INFINITY, along).min(AHEAD * speed);
        let mut others: Row = standing
            .iter()
            .map(|it| Body {
                at: Vec2::new(along(it.center), ahead.perp_dot(it.center - me.position)),
                keep: me.radius + it.radius + self.clearance,
            })
            .collect();
        let is_in_the_way = |it: &Body| {
            let is_ahead = it.at.x > 0.0 && it.at.x < farthest;
            is_ahead && it.at.y.abs() < it.keep
        };
        let mut row = Row::new();
        let belongs = |row: &[Body], it: &Body| {
            is_in_the_way(it) || row.iter().any(|other| other.is_beside(it))
        };
        while let Some(next) = others.iter().position(|it| belongs(&row, it)) {
            row.push(others.swap_remove(next));
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::reciprocal_avoidance::testing::walker;

    const PREFERRED: Vec2 = Vec2::new(1.3, 0.0);

    fn bodies(at: &[(f32, f32)]) -> Vec<Circle> {
        let body = |&(x, y): &(f32, f32)| Circle::new(Vec2::new(x, y), 0.5);
        at.iter().map(body).collect()
    }

    /// A detour on a way that does not end, without walls.
    fn detour(me: &Agent) -> Detour<'_> {
        Detour {
            me,
            preferred: PREFERRED,
            previous: me.velocity,
            next: None,
            ends: false,
            clearance: 0.1,
            walls: &|_, _| (),
        }
    }

    fn past(me: &Agent, standing: &[(f32, f32)], end: Option<Vec2>) -> Vec2 {
        let detour = Detour {
            next: end,
            ends: true,
            ..detour(me)
        };
        detour.past(&bodies(standing))
    }

    #[test]
    fn an_agent_turns_past_two_that_stand_in_its_way_on_the_nearer_side() {
        let me = walker(0.0, 0.0, PREFERRED);
        let turned = past(&me, &[(4.0, 0.6), (4.0, -1.0)], None);
        assert!(turned.y > 0.0 && (turned.length() - 1.3).abs() < 1e-4);
        // Its line keeps the sum of the radii and the clearance from the upper one.
        let apart = turned.normalize().perp_dot(Vec2::new(4.0, 0.6));
        assert!((apart.abs() - 1.1).abs() < 1e-3, "{apart}");
        let right = past(&me, &[(4.0, 0.8), (4.0, -0.8)], None);
        assert!(right.y < 0.0, "as far on both sides: {right}");
    }

    #[test]
    fn one_body_a_gap_that_is_wide_enough_and_bodies_far_away_need_no_detour() {
        let me = walker(0.0, 0.0, PREFERRED);
        for standing in [
            vec![(3.0, 0.2)],
            vec![(3.0, 1.2), (3.0, -1.2)],
            vec![(9.0, 0.8), (9.0, -0.8)],
            vec![(-1.5, 0.8), (-1.5, -0.8)],
        ] {
            assert_eq!(past(&me, &standing, None), PREFERRED, "{standing:?}");
        }
    }

    #[test]
    fn an_agent_takes_no_detour_where_its_way_ends_before_or_among_them() {
        let me = walker(0.0, 0.0, PREFERRED);
        let row = [(4.0, 0.8), (4.0, -0.8)];
        for x in [1.5, 3.0, 4.0, 5.0] {
            let end = Some(Vec2::new(x, 0.0));
            assert_eq!(past(&me, &row, end), PREFERRED, "{x}");
        }
        assert_ne!(past(&me, &row, Some(Vec2::new(9.0, 0.0))), PREFERRED);
    }

    #[test]
    fn an_agent_that_stands_right_before_one_body_goes_aside() {
        let me = walker(0.0, 0.0, Vec2::ZERO);
        let aside = past(&me, &[(1.1, -0.1)], None);
        assert!(aside.y > 0.9 && aside.x > 0.0, "{aside}");
        assert_eq!(past(&me, &[(1.3, -0.1)], None), PREFERRED);
    }

    #[test]
    fn a_wall_closes_the_side_of_a_body_on_which_there_is_no_room() {
        let me = walker(0.0, 0.0, PREFERRED);
        let between = |walls: &[f32]| {
            let walls = |around: Circle, visit: &mut dyn FnMut(Vec2)| {
                let points = walls.iter().map(|&y| Vec2::new(around.center.x, y));
                points
                    .filter(|it| it.distance(around.center) <= around.radius)
                    .for_each(visit);
            };
            let detour = Detour {
                walls: &walls,
                ..detour(&me)
            };
            detour.past(&bodies(&[(4.0, 0.3)]))
        };
        assert_eq!(between(&[-1.4, 2.0]), PREFERRED, "it fits on both sides");
        assert!(between(&[1.8]).y < 0.0, "past a wall to the left");
        assert!(between(&[-1.2]).y > 0.0, "past a wall to the right");
        assert_eq!(between(&[-1.2, 1.8]), PREFERRED, "it fits nowhere");
    }

    #[test]
    fn an_agent_takes_a_detour_on_a_way_that_turns_among_bodies() {
        let me = walker(0.0, 0.0, PREFERRED);
        let detour = Detour {
            next: Some(5.0 * Vec2::X),
            ..detour(&me)
        };
        assert_ne!(detour.past(&bodies(&[(4.0, 0.8), (4.0, -0.8)])), PREFERRED);
    }

    #[test]
    fn an_agent_keeps_its_side() {
        let row = [(3.0, 0.6), (3.0, -0.9)];
        let [left, right] = [0.4, -0.4].map(|aside| walker(0.0, 0.0, Vec2::new(1.0, aside)));
        assert!(past(&left, &row, None).y > 0.0);
        assert!(past(&right, &row, None).y < 0.0);
    }
}
