//! Places where pedestrians meet: a crossing, a corridor and a door.

use bevy::math::Vec2Swizzles;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

/// A place, with its walls and the routes of its two groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// Two groups cross at a right angle.
    #[default]
    Crossing,
    /// Two groups meet in a corridor.
    Corridor,
    /// Two groups leave a hall by one door.
    Door,
}

/// Distance between neighbors at the start, m.
const APART: f32 = 1.0;
/// Distance between their goals, m: enough for others to pass between.
const GOALS_APART: f32 = 1.6;
/// Half the width of the corridor, m.
const CORRIDOR: f32 = 2.2;
/// Half the width of the door, m.
const DOOR: f32 = 0.6;

impl Layout {
    pub(super) const ALL: [Self; 3] = [Self::Crossing, Self::Corridor, Self::Door];

    pub(super) fn key(self) -> char {
        char::from(b'1' + self as u8)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Crossing => "crossing",
            Self::Corridor => "corridor",
            Self::Door => "door",
        }
    }

    pub(super) fn walls(self) -> Vec<Wall> {
        let line = |x, y, to_x, to_y| Wall::new(Vec2::new(x, y), Vec2::new(to_x, to_y));
        match self {
            Self::Crossing => Vec::new(),
            Self::Corridor => [-CORRIDOR, CORRIDOR]
                .map(|y| line(-7.0, y, 7.0, y))
                .to_vec(),
            Self::Door => vec![line(0.0, DOOR, 0.0, 11.0), line(0.0, -DOOR, 0.0, -11.0)],
        }
    }

    /// The start of a member of a group, m.
    pub(super) fn start(self, group: usize, member: usize) -> Vec2 {
        match self {
            Self::Crossing => turned(group, block(-12.0, APART, 5, member)),
            Self::Corridor => mirrored(group, block(-12.5, APART, 4, member)),
            Self::Door => aside(group) + block(-7.0, APART, 5, member),
        }
    }

    /// The way of a member of a group, from its start to its goal. Those in front go farthest.
    pub(super) fn way(self, group: usize, member: usize) -> Vec<Vec2> {
        let start = self.start(group, member);
        match self {
            Self::Crossing => {
                let goal = block(7.2, GOALS_APART, 5, member);
                vec![start, turned(group, goal)]
            }
            Self::Corridor => {
                let goal = block(8.0, GOALS_APART, 4, member);
                vec![start, mirrored(group, goal)]
            }
            Self::Door => {
                let goal = block(6.2, GOALS_APART, 5, member);
                vec![start, 0.4 * Vec2::X, aside(group) + goal]
            }
        }
    }
}

/// A place in a block of people that faces right and begins at x, this many abreast.
fn block(x: f32, apart: f32, abreast: usize, member: usize) -> Vec2 {
    let (row, file) = (member / abreast, member % abreast);
    let y = file as f32 - 0.5 * (abreast - 1) as f32;
    Vec2::new(x + apart * row as f32, apart * y)
}

/// Where the two groups in the hall stand, above and below the door.
fn aside(group: usize) -> Vec2 {
    Vec2::new(0.0, [4.0, -4.0][group])
}

/// The second group walks up instead of right.
fn turned(group: usize, point: Vec2) -> Vec2 {
    if group == 0 {
        point
    } else {
        // The arena is less high than wide.
        0.83 * point.yx()
    }
}

/// The second group walks left instead of right.
fn mirrored(group: usize, point: Vec2) -> Vec2 {
    if group == 0 { point } else { -point }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Arena;
    use crate::placement::distance_to_nearest;
    use crate::scenes::crossing::GROUP;

    #[test]
    fn ways_begin_apart_and_stay_in_the_arena() {
        let arena = Arena::default();
        for layout in Layout::ALL {
            let mut starts: Vec<Vec2> = Vec::new();
            for (group, member) in (0..2).flat_map(|group| (0..GROUP).map(move |it| (group, it))) {
                let way = layout.way(group, member);
                let inside = way.iter().all(|point| arena.clearance(*point) > 0.5);
                assert!(inside, "{layout:?}: {way:?}");
                assert!(distance_to_nearest(way[0], &starts) > 0.8, "{layout:?}");
                starts.push(way[0]);
            }
        }
    }
}
