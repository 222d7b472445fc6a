//! Settling: members that do not get to their places stay where they stand.

use bevy::prelude::*;

use super::exchange::NEXT_RADII;
use super::member::Member;

/// Between members that press on each other, m.
const GAP: f32 = 0.1;

/// How far the places of a group reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// m
    center: Vec2,
    /// The distance of the farthest place from the center, m.
    pub(super) spread: f32,
    /// The radius of the largest place, m.
    largest: f32,
}

impl Extent {
    pub(super) fn of(group: &[Member], center: Vec2) -> Self {
        let places = group.iter().filter_map(|it| it.place.disc());
        let nothing = Self {
            center,
            spread: 0.0,
            largest: 0.0,
        };
        places.fold(nothing, |all, place| Self {
            spread: all.spread.max(place.center.distance(center)),
            largest: all.largest.max(place.radius),
            ..all
        })
    }

    /// How far outside of the places a member is, m.
    fn outside(&self, member: &Member) -> f32 {
        member.position.distance(self.center) - self.spread
    }

    /// Whether a member stands among the places, or right behind one of the outermost.
    fn reaches(&self, member: &Member) -> bool {
        self.outside(member) <= member.radius + self.largest + GAP
    }
}

/// Lets members stay where they stand that have waited next to their places, or are shut in among others.
pub(super) fn settle(group: &mut [Member], center: Vec2) {
    let extent = Extent::of(group, center);
    for index in 0..group.len() {
        let member = group[index];
        // One that gave up would be sent again, and one before a shut gate would not go in when it opens.
        if member.is_cut_off() {
            continue;
        }
        let is_next = extent.outside(&member) <= 0.0 && member.is_held_up_next_to_place();
        if is_next || extent.reaches(&member) && member.is_shut_in(group) {
            stay_here(group, index, &extent);
        }
    }
}

/// Lets a member stay where it stands. Another one whose place is there, and that waits beside it, stays as well: it would
/// wait for ever.
fn stay_here(group: &mut [Member], settled: usize, extent: &Extent) {
    group[settled].settle_here();
    for index in 0..group.len() {
        if index != settled && waits_behind(group, index, settled, extent) {
            group[index].settle_here();
        }
    }
}

/// Whether a member waits for its place beside another one that stands there, and may as well stay where it is.
fn waits_behind(group: &[Member], waiting: usize, settled: usize, extent: &Extent) -> bool {
    let (member, other) = (&group[waiting], &group[settled]);
    let apart = member.position.distance(other.position);
    let goes = member.is_host || member.is_under_way || member.is_busy || member.is_cut_off();
    let mut others = (0..group.len()).filter(|&it| it != waiting && it != settled);
    !goes
        && stands_on_place(other, member)
        && !member.is_within(member.at_place)
        && apart < NEXT_RADII * (member.radius + other.radius)
        && extent.reaches(member)
        && !others.any(|it| stands_on_place(member, &group[it]))
}

/// Whether a member stands in the middle of the place of another one.
fn stands_on_place(member: &Member, other: &Member) -> bool {
    let reach = member.radius.max(other.radius);
    let is_there = |at: Vec2| at.distance(member.position) < reach;
    other.place.at.is_some_and(is_there)
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_core::SteeringId;

    use super::*;
    use crate::groups::member::Outlook;

    /// A member at `x` that has waited for some seconds for its place at `to`.
    fn member(id: u32, radius: f32, x: f32, to: f32, waiting: f32) -> Member {
        let at = |x: f32| Vec2::new(x, 0.0);
        Member {
            id: SteeringId(id),
            ..Member::standing(at(x), at(to), radius, waiting)
        }
    }

    fn place(member: &Member) -> f32 {
        member.place.at.unwrap().x
    }

    #[test]
    fn a_small_member_behind_the_outermost_large_one_stays_there() {
        let large = member(0, 0.6, 3.0, 3.0, 0.0);
        let small = member(1, 0.3, 3.95, 0.5, 9.0);
        let mut group = [large, small];
        settle(&mut group, Vec2::ZERO);
        assert_eq!(group.each_ref().map(place), [3.0, 3.95]);
        let far = member(1, 0.3, 4.2, 0.5, 9.0);
        let mut group = [large, far];
        settle(&mut group, Vec2::ZERO);
        assert_eq!(place(&group[1]), 0.5, "another one has room between them");
    }

    #[test]
    fn a_member_whose_place_another_one_keeps_stays_behind_it() {
        let in_front = member(0, 0.5, 1.1, 0.6, 1.0);
        let behind = member(1, 0.5, 2.15, 1.1, 0.2);
        let mut group = [in_front, behind];
        settle(&mut group, Vec2::ZERO);
        assert_eq!(group.each_ref().map(place), [1.1, 2.15]);
    }

    #[test]
    fn a_member_without_a_way_to_its_place_does_not_stay_where_it_stands() {
        let here = member(0, 0.5, 0.0, 0.6, 9.0);
        for outlook in [Outlook::NoWay, Outlook::GaveUp] {
            let mut group = [Member { outlook, ..here }];
            settle(&mut group, Vec2::ZERO);
            assert_eq!(place(&group[0]), 0.6, "{outlook:?}");
        }
        let in_front = member(0, 0.5, 1.1, 0.6, 1.0);
        let behind = Member {
            outlook: Outlook::NoWay,
            ..member(1, 0.5, 2.15, 1.1, 0.2)
        };
        let mut group = [in_front, behind];
        settle(&mut group, Vec2::ZERO);
        assert_eq!(group.each_ref().map(place), [1.1, 1.1]);
    }

    #[test]
    fn a_member_that_has_stood_before_a_shut_gate_is_not_shut_in_when_it_opens() {
        let (mut me, next) = (member(0, 0.3, 0.0, 3.0, 4.0), member(1, 0.3, 1.0, 9.0, 4.0));
        me.outlook = Outlook::NoWay;
        me.wait(0.1);
        assert!(next.is_shut_in(&[me, next]), "the other one waits for none");
        me.outlook = Outlook::Path;
        me.wait(0.1);
        assert!(!me.is_shut_in(&[me, next]) && !me.is_held_up());
    }

    #[test]
    fn a_member_whose_place_another_one_keeps_leaves_the_places_of_others_free() {
        let in_front = member(0, 0.5, 1.1, 0.6, 1.0);
        let behind = member(1, 0.5, 2.15, 1.1, 0.2);
        let on_its_way = member(2, 0.5, 9.0, 2.2, 0.0);
        let mut group = [in_front, behind, on_its_way];
        settle(&mut group, Vec2::ZERO);
        assert_eq!(group.each_ref().map(place), [1.1, 1.1, 2.2]);
    }
}
