//! Meetings: two groups whose ways lead head-on through each other both keep right.

use bevy::prelude::*;
use bevy_steering2d_core::SteeringId;

use super::member::Member;

/// The way of a group, as other groups see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(super) order: Entity,
    /// The least id of its members: choices do not depend on the entities.
    pub(super) first: SteeringId,
    /// The middle of its members, m.
    pub(super) from: Vec2,
    /// The middle of its places, m.
    pub(super) to: Vec2,
    /// The radius of a disc in which bodies are spread like the members, m.
    pub(super) radius: f32,
}

/// Two groups meet head-on if the cosine between their directions is less than this.
const HEAD_ON: f32 = -0.7;

/// The share of the other group's radius that a group keeps clear of; those at the edges give way.
const PASSED: f32 = 0.85;

impl Way {
    pub(super) fn of(order: Entity, first: SteeringId, group: &[Member], to: Vec2) -> Self {
        let count = group.len().max(1) as f32;
        let from = group.iter().map(|it| it.position).sum::<Vec2>() / count;
        let squares = group.iter().map(|it| it.position.distance_squared(from));
        // In a disc of radius R the mean of the squared distances is R²/2.
        let spread = (2.0 * squares.sum::<f32>() / count).sqrt();
        let radius = PASSED * spread + group.iter().map(|it| it.radius).fold(0.0, f32::max);
        Self {
            order,
            first,
            from,
            to,
            radius,
        }
    }

    fn direction(&self) -> Vec2 {
        (self.to - self.from).normalize_or_zero()
    }

    /// Where this group meets another one, if their ways lead through each other.
    pub(super) fn meeting(&self, other: &Self) -> Option<Meeting> {
        let (mine, theirs) = (self.direction(), other.direction());
        let along = (mine - theirs).normalize_or_zero();
        let apart = other.from - self.from;
        let ahead = apart.dot(along);
        let both = self.radius + other.radius;
        let half_way = 0.5 * ahead;
        let is_met = mine.dot(theirs) < HEAD_ON
            && apart.perp_dot(along).abs() < both
            && ahead > 0.0
            && half_way < (self.to - self.from).dot(along)
            && half_way < (self.from + apart - other.to).dot(along);
        is_met.then_some(Meeting {
            at: self.from + 0.5 * apart,
            from: self.from,
            along,
            radius: self.radius,
            others: other.radius,
        })
    }
}

/// Where a group passes another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meeting {
    /// m
    at: Vec2,
    /// The middle of the group, m.
    from: Vec2,
    /// The direction in which the group passes.
    along: Vec2,
    /// m
    radius: f32,
    /// The radius of the other group, m.
    others: f32,
}

impl Meeting {
    /// The points between which a member passes the other group: to the right of the line on which both
    /// meet, and as far from the middle of its group as now. It meets the front of the other group at the
    /// first point, and leaves its rear at the second.
    pub(super) fn detour(&self, member: Vec2) -> [Vec2; 2] {
        let right = -self.along.perp();
        let offset = member - self.from;
        let aside = self.radius + offset.dot(right);
        let at = |behind: f32| {
            let ahead = 0.5 * (offset.dot(self.along) + behind);
            self.at + ahead * self.along + aside * right
        };
        [at(-self.others), at(self.others)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(from: (f32, f32), to: (f32, f32)) -> Way {
        Way {
            first: SteeringId(0),
            order: Entity::PLACEHOLDER,
            from: from.into(),
            to: to.into(),
            radius: 2.0,
        }
    }

    #[test]
    fn groups_that_swap_places_pass_each_other_on_the_right() {
        let (a, b) = (way((0.0, 0.0), (20.0, 0.0)), way((20.0, 0.0), (0.0, 0.0)));
        let meeting = a.meeting(&b).unwrap();
        let [first, second] = meeting.detour(Vec2::ZERO);
        assert!(first.distance(Vec2::new(9.0, -2.0)) < 1e-4, "{first}");
        assert!(second.distance(Vec2::new(11.0, -2.0)) < 1e-4, "{second}");
        let [first, _] = b.meeting(&a).unwrap().detour(Vec2::new(20.0, 0.0));
        assert!(first.distance(Vec2::new(11.0, 2.0)) < 1e-4, "{first}");
        let left = meeting.detour(Vec2::new(0.0, 2.0))[0];
        assert!(
            left.y.abs() < 1e-4,
            "the left edge passes on the line: {left}"
        );
    }

    #[test]
    fn groups_beside_behind_and_across_each_other_do_not_meet() {
        let mine = way((0.0, 0.0), (20.0, 0.0));
        for other in [
            way((20.0, 5.0), (0.0, 5.0)),
            way((-5.0, 0.0), (-20.0, 0.0)),
            way((5.0, 0.0), (25.0, 0.0)),
            way((10.0, 9.0), (10.0, -9.0)),
            way((60.0, 0.0), (50.0, 0.0)),
        ] {
            assert_eq!(mine.meeting(&other), None, "{other:?}");
        }
    }
}
