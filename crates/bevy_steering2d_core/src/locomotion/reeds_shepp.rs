//! Reeds–Shepp paths: all candidates for the shortest path between two poses of a body that drives straight
//! lines and arcs of one radius, forward and in reverse.
//!
//! A way is a word of up to five letters, such as left, straight, right. Each [`Family`] of words has a
//! formula for the lengths of its letters. The formulas hold for words that begin to the left and
//! forward; the others follow by symmetry: mirrored, with the gears exchanged, and from the end to the
//! beginning. Source: Reeds and Shepp 1990, *Optimal paths for a car that goes both forwards and
//! backwards*, section 8.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use bevy::math::ops;
use bevy::prelude::*;

use super::leg::{Leg, Pose};
use super::way::whole_turn;

/// The legs of a way; unused ones have no length.
pub(crate) type Legs = [Leg; 5];

/// Length, m, of the shortest Reeds–Shepp path between two poses; `radius` is that of the turning circle, m, `> 0`.
///
/// The poses are those of the point that moves along the heading, for a car the rear axle, see
/// [`Abilities::pivot`](crate::Abilities::pivot).
pub fn shortest_way(from: Pose, to: Pose, radius: f32) -> f32 {
    let length = |legs: Legs| legs.iter().map(|leg| leg.length.abs()).sum::<f32>();
    ways(from, to, radius)
        .map(length)
        .fold(f32::INFINITY, f32::min)
}

/// All ways from one pose to another that may be the shortest with a turning circle of `radius` m.
pub(crate) fn ways(from: Pose, to: Pose, radius: f32) -> impl Iterator<Item = Legs> {
    let end = End::between(from, to, radius);
    let symmetries = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
    FAMILIES.iter().flat_map(move |family| {
        let directions = [false, true]
            .into_iter()
            .take(1 + usize::from(family.both_ways));
        directions.flat_map(move |backward| {
            let end = if backward {
                end.driven_backwards()
            } else {
                end
            };
            symmetries.into_iter().filter_map(move |(gear, side)| {
                let lengths = (family.lengths)(end.seen_with(gear, side))?;
                let mut legs = Legs::default();
                for (at, leg) in legs.iter_mut().enumerate().take(family.letters.len()) {
                    let letter = if backward {
                        family.letters.len() - 1 - at
                    } else {
                        at
                    };
                    let length = gear * lengths[letter];
                    leg.length = radius * length;
                    leg.turn = side * family.letters[letter] * length;
                }
                Some(legs)
            })
        })
    })
}

/// The ways of an arc, a straight line and an arc that a body drives forward with a turning circle of `radius` m. There
/// always is one. (Dubins 1957)
pub(crate) fn forward_ways(from: Pose, to: Pose, radius: f32) -> impl Iterator<Item = Legs> {
    let end = End::between(from, to, radius);
    [LEFT, RIGHT].into_iter().flat_map(move |side| {
        let end = end.seen_with(1.0, side);
        let same = Some((straight_to_the_same_side(end), side));
        let other = straight_to_the_other_side(end).map(|lengths| (lengths, -side));
        [same, other]
            .into_iter()
            .flatten()
            .map(move |(lengths, last)| {
                let [first, line, second] = lengths;
                let leg = |length: f32, turn: f32| Leg {
                    length: radius * length,
                    turn: turn * length,
                };
                let mut legs = Legs::default();
                legs[0] = leg(whole_turn(first), side);
                legs[1] = leg(line, STRAIGHT);
                legs[2] = leg(whole_turn(second), last);
                legs
            })
    })
}

const LEFT: f32 = 1.0;
const STRAIGHT: f32 = 0.0;
const RIGHT: f32 = -1.0;

/// The lengths of the letters of a word, in radii; negative in reverse.
type Lengths = [f32; 5];

/// Words of the same letters, and the formula for their lengths.
struct Family {
    letters: &'static [f32],
    lengths: fn(End) -> Option<Lengths>,
    /// Whether the word from the end to the beginning is another one.
    both_ways: bool,
}

const FAMILIES: [Family; 8] = [
    Family::new(&[LEFT, STRAIGHT, LEFT], line_to_the_same_side, false),
    Family::new(&[LEFT, STRAIGHT, RIGHT], line_to_the_other_side, false),
    Family::new(&[LEFT, RIGHT, LEFT], three_arcs, true),
    Family::new(&[LEFT, RIGHT, LEFT, RIGHT], four_arcs_with_a_cusp, false),
    Family::new(&[LEFT, RIGHT, LEFT, RIGHT], four_arcs_with_two_cusps, false),
    Family::new(
        &[LEFT, RIGHT, STRAIGHT, LEFT],
        cusp_and_line_to_the_same_side,
        true,
    ),
    Family::new(
        &[LEFT, RIGHT, STRAIGHT, RIGHT],
        cusp_and_line_to_the_other_side,
        true,
    ),
    Family::new(
        &[LEFT, RIGHT, STRAIGHT, LEFT, RIGHT],
        line_between_cusps,
        false,
    ),
];

impl Family {
    const fn new(
        letters: &'static [f32],
        lengths: fn(End) -> Option<Lengths>,
        both_ways: bool,
    ) -> Self {
        Self {
            letters,
            lengths,
            both_ways,
        }
    }
}

/// The end of a way in the frame of its beginning, in radii and rad.
#[derive(Clone, Copy)]
struct End {
    x: f32,
    y: f32,
    angle: f32,
}

impl End {
    fn between(from: Pose, to: Pose, radius: f32) -> Self {
        let offset = (to.position - from.position) / radius;
        Self {
            x: from.heading.dot(offset),
            y: from.heading.perp_dot(offset),
            angle: from.angle_to(to.heading),
        }
    }

    /// The end of the same way with the gears exchanged, or mirrored.
    fn seen_with(self, gear: f32, side: f32) -> Self {
        Self {
            x: gear * self.x,
            y: side * self.y,
            angle: gear * side * self.angle,
        }
    }

    /// The end of the way that is driven from the end to the beginning, with the gears exchanged.
    fn driven_backwards(self) -> Self {
        let (sine, cosine) = ops::sin_cos(self.angle);
        Self {
            x: self.x * cosine + self.y * sine,
            y: self.x * sine - self.y * cosine,
            angle: self.angle,
        }
    }

    /// From the center of the left circle at the beginning to that at the end.
    fn to_the_left_circle(self) -> Vec2 {
        let (sine, cosine) = ops::sin_cos(self.angle);
        Vec2::new(self.x - sine, self.y - 1.0 + cosine)
    }

    /// From the center of the left circle at the beginning to that of the right circle at the end.
    fn to_the_right_circle(self) -> Vec2 {
        let (sine, cosine) = ops::sin_cos(self.angle);
        Vec2::new(self.x + sine, self.y - 1.0 - cosine)
    }
}

/// What rounding puts below zero is zero.
const ROUNDING: f32 = 1e-4;

/// The lengths, if each is positive or negative as its word demands.
fn with_signs<const N: usize>(lengths: [f32; N], signs: [f32; N]) -> Option<Lengths> {
    let mut all = Lengths::default();
    for (at, (length, sign)) in lengths.into_iter().zip(signs).enumerate() {
        if length * sign < -ROUNDING {
            return None;
        }
        all[at] = length;
    }
    Some(all)
}

/// An angle between −π and π.
fn half_turns(angle: f32) -> f32 {
    let rest = angle % TAU;
    if rest > PI {
        rest - TAU
    } else if rest < -PI {
        rest + TAU
    } else {
        rest
    }
}

fn angle_of(vector: Vec2) -> f32 {
    ops::atan2(vector.y, vector.x)
}

/// 8.1
fn line_to_the_same_side(end: End) -> Option<Lengths> {
    with_signs(straight_to_the_same_side(end), [1.0, 1.0, 1.0])
}

/// Left, straight, left; an arc that is negative ends where the rest of the circle does.
fn straight_to_the_same_side(end: End) -> [f32; 3] {
    let offset = end.to_the_left_circle();
    let first = angle_of(offset);
    [first, offset.length(), half_turns(end.angle - first)]
}

/// 8.2
fn line_to_the_other_side(end: End) -> Option<Lengths> {
    with_signs(straight_to_the_other_side(end)?, [1.0, 1.0, 1.0])
}

/// Left, straight, right; an arc that is negative ends where the rest of the circle does.
fn straight_to_the_other_side(end: End) -> Option<[f32; 3]> {
    let offset = end.to_the_right_circle();
    let square = offset.length_squared() - 4.0;
    if square < 0.0 {
        return None;
    }
    let line = square.sqrt();
    let first = half_turns(angle_of(offset) + ops::atan2(2.0, line));
    Some([first, line, half_turns(first - end.angle)])
}

/// 8.3
fn three_arcs(end: End) -> Option<Lengths> {
    let offset = end.to_the_left_circle();
    let distance = offset.length();
    if distance > 4.0 {
        return None;
    }
    let middle = -2.0 * ops::asin(0.25 * distance);
    let first = half_turns(angle_of(offset) + 0.5 * middle + PI);
    let last = half_turns(end.angle - first + middle);
    // The last letter may be driven in either gear: 8.3 and 8.4.
    with_signs([first, middle, last], [1.0, -1.0, 0.0])
}

/// 8.7
fn four_arcs_with_a_cusp(end: End) -> Option<Lengths> {
    let offset = end.to_the_right_circle();
    let cosine = 0.25 * (2.0 + offset.length());
    if cosine > 1.0 {
        return None;
    }
    let inner = ops::acos(cosine);
    let [first, last] = outer_arcs(inner, -inner, offset, end.angle);
    with_signs([first, inner, -inner, last], [1.0, 1.0, -1.0, -1.0])
}

/// 8.8
fn four_arcs_with_two_cusps(end: End) -> Option<Lengths> {
    let offset = end.to_the_right_circle();
    let cosine = (20.0 - offset.length_squared()) / 16.0;
    if !(0.0..=1.0).contains(&cosine) {
        return None;
    }
    let inner = -ops::acos(cosine);
    let [first, last] = outer_arcs(inner, inner, offset, end.angle);
    with_signs([first, inner, inner, last], [1.0, -1.0, -1.0, 1.0])
}

/// The first and the last of four arcs with these two between them.
fn outer_arcs(second: f32, third: f32, offset: Vec2, angle: f32) -> [f32; 2] {
    let difference = half_turns(second - third);
    let (sine, cosine) = ops::sin_cos(difference);
    let a = ops::sin(second) - sine;
    let b = ops::cos(second) - cosine - 1.0;
    let first = ops::atan2(offset.y * a - offset.x * b, offset.x * a + offset.y * b);
    let turns_away = 2.0 * (cosine - ops::cos(third) - ops::cos(second)) + 3.0 < 0.0;
    let first = half_turns(if turns_away { first + PI } else { first });
    [first, half_turns(first - second + third - angle)]
}

/// 8.9
fn cusp_and_line_to_the_same_side(end: End) -> Option<Lengths> {
    let offset = end.to_the_left_circle();
    let square = offset.length_squared() - 4.0;
    if square < 0.0 {
        return None;
    }
    let r = square.sqrt();
    let first = half_turns(angle_of(offset) + ops::atan2(r, -2.0));
    let last = half_turns(end.angle - FRAC_PI_2 - first);
    with_signs([first, -FRAC_PI_2, 2.0 - r, last], [1.0, -1.0, -1.0, -1.0])
}

/// 8.10
fn cusp_and_line_to_the_other_side(end: End) -> Option<Lengths> {
    let offset = end.to_the_right_circle();
    let distance = offset.length();
    if distance < 2.0 {
        return None;
    }
    let first = ops::atan2(offset.x, -offset.y);
    let last = half_turns(first + FRAC_PI_2 - end.angle);
    with_signs(
        [first, -FRAC_PI_2, 2.0 - distance, last],
        [1.0, -1.0, -1.0, -1.0],
    )
}

/// 8.11
fn line_between_cusps(end: End) -> Option<Lengths> {
    let offset = end.to_the_right_circle();
    let square = offset.length_squared() - 4.0;
    if square < 0.0 {
        return None;
    }
    let line = 4.0 - square.sqrt();
    let first = half_turns(ops::atan2(
        (4.0 - line) * offset.x - 2.0 * offset.y,
        -2.0 * offset.x + (line - 4.0) * offset.y,
    ));
    let last = half_turns(first - end.angle);
    let lengths = [first, -FRAC_PI_2, line, -FRAC_PI_2, last];
    with_signs(lengths, [1.0, -1.0, -1.0, -1.0, 1.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomStream, SteeringId};

    fn poses(count: usize, reach: f32) -> impl Iterator<Item = Pose> {
        let mut random = RandomStream::new(17, SteeringId(0), 3);
        (0..count).map(move |_| {
            let at = reach * Vec2::new(random.signed_unit(), random.signed_unit());
            Pose::new(at, random.angle())
        })
    }

    #[test]
    fn every_pose_has_ways_that_are_driven_forward() {
        let from = Pose::new(Vec2::new(1.0, -2.0), 0.7);
        for to in poses(500, 9.0) {
            let mut count = 0;
            for legs in forward_ways(from, to, 4.0) {
                assert!(legs.iter().all(|leg| leg.length >= 0.0), "{to:?}: {legs:?}");
                let end = legs.iter().fold(from, |at, leg| leg.after(1.0, at));
                assert!(end.position.distance(to.position) < 1e-2, "{to:?}: {end:?}");
                assert!(end.angle_to(to.heading).abs() < 1e-2, "{to:?}: {end:?}");
                count += 1;
            }
            assert!(count >= 2, "{to:?}");
        }
    }

    #[test]
    fn every_way_ends_at_the_pose() {
        let from = Pose::new(Vec2::new(1.0, -2.0), 0.7);
        let mut count = [0; FAMILIES.len()];
        for reach in [2.0, 9.0, 60.0] {
            for to in poses(500, reach) {
                for legs in ways(from, to, 4.0) {
                    let end = legs.iter().fold(from, |at, leg| leg.after(1.0, at));
                    let apart = end.position.distance(to.position);
                    let turned = end.angle_to(to.heading).abs();
                    assert!(
                        apart < 5e-3 && turned < 2e-3,
                        "{to:?}: {legs:?} ends at {end:?}"
                    );
                    let letters = legs.iter().filter(|leg| leg.length != 0.0).count();
                    count[letters] += 1;
                }
            }
        }
        assert!(count[3] > 0 && count[4] > 0 && count[5] > 0, "{count:?}");
    }

    #[test]
    fn shortest_ways_have_the_lengths_of_their_lines_and_arcs() {
        let origin = Pose::new(Vec2::ZERO, 0.0);
        let length = |x, y, angle| shortest_way(origin, Pose::new(Vec2::new(x, y), angle), 2.0);
        assert!((length(5.0, 0.0, 0.0) - 5.0).abs() < 1e-4);
        assert!((length(-5.0, 0.0, 0.0) - 5.0).abs() < 1e-4);
        // Half a circle.
        assert!((length(0.0, 4.0, PI) - 2.0 * PI).abs() < 1e-3);
        // Turning about on the spot: three arcs of a sixth of a turn each.
        assert!((length(0.0, 0.0, PI) - 2.0 * PI).abs() < 1e-3);
    }

    #[test]
    fn the_shortest_way_is_a_distance() {
        let all: Vec<_> = poses(300, 12.0).collect();
        for [a, b, c] in all.as_chunks::<3>().0 {
            let (there, back) = (shortest_way(*a, *b, 4.0), shortest_way(*b, *a, 4.0));
            assert!(
                (there - back).abs() < 1e-2,
                "{a:?} {b:?}: {there} m, {back} m back"
            );
            let around = there + shortest_way(*b, *c, 4.0);
            let direct = shortest_way(*a, *c, 4.0);
            assert!(
                direct < around + 1e-2,
                "{a:?} {c:?}: {direct} m, {around} m by {b:?}"
            );
            assert!(there > a.position.distance(b.position) - 1e-3);
        }
    }
}
