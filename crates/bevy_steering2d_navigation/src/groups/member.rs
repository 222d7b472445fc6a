//! [`Member`]: what a group knows of each of its members.

use bevy::prelude::*;
use bevy_steering2d_core::{Kinematics, SteeringId};

use super::GroupPlace;
use super::placing::Lot;
use crate::Lane;

/// Slower bodies are at rest, m/s.
pub(super) const AT_REST: f32 = 0.01;
/// A place is next to a member within this many radii.
const CLOSE: f32 = 1.5;
/// A slower member waits, m/s.
const WAITING: f32 = 0.1;
/// A member that stands longer elsewhere than at its place is held up, s.
const HELD_UP: f32 = 0.15;
/// Others within this many radii are near a member.
const NEAR: f32 = 8.0;
/// A member has got through others once it has moved freely over so many radii, and none stands within so many.
const THROUGH: f32 = 2.0;
/// How long a member waits for a place next to it, s.
const PATIENCE: f32 = 0.4;
/// A member that has neither come to rest nor got on for so long, among others that do not get on either, is shut in, s.
const SHUT_IN: f32 = 2.5;
/// A member has got on once its way is shorter by so many radii.
const STEP: f32 = 0.5;
/// A member whose way is longer by so many radii has another way: no push takes it back so far.
const OTHER_WAY: f32 = 4.0;

/// A member as its group sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(super) id: SteeringId,
    pub(super) entity: Entity,
    pub(super) position: Vec2,
    pub(super) speed: f32,
    pub(super) radius: f32,
    /// It is at its place within this distance, m.
    pub(super) at_place: f32,
    pub(super) place: GroupPlace,
    /// The group is to stand around it: it stays where it is.
    pub(super) is_host: bool,
    /// Whether it gets to its place.
    pub(super) outlook: Outlook,
    /// The condition of its path following does not let it go to its place now, such as in a fight.
    pub(super) is_busy: bool,
    pub(super) is_stuck: bool,
    /// It moves at half of its pace at least.
    pub(super) is_under_way: bool,
    /// It drives so fast that it would hit others hard.
    pub(super) is_fast: bool,
    /// Where it comes from.
    pub(super) coming: Coming,
}

/// Whether a member gets to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// It is not known yet: it has no place, or no path to it yet.
    Unknown,
    /// It follows a path there.
    Path,
    /// There is no way.
    NoWay,
    /// The game has taken its [`NavigateTo`](crate::NavigateTo) on the way: it is not sent again.
    GaveUp,
}

/// The way of a member to the surroundings of its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coming {
    /// The last corner of its way, m; its position if the rest of the way is straight.
    pub(super) corner: Vec2,
    /// The way to the corner, m.
    pub(super) to_corner: f32,
    /// Where it would be if the rest of its way were straight, m: behind those that come to the corner
    /// before it.
    pub(super) unrolled: Vec2,
}

impl Coming {
    /// Straight from a position.
    pub(super) fn straight(position: Vec2) -> Self {
        Self {
            corner: position,
            to_corner: 0.0,
            unrolled: position,
        }
    }

    /// The way to a place, m.
    pub(super) fn way(&self, place: Vec2) -> f32 {
        self.to_corner + self.corner.distance(place)
    }
}

impl Member {
    /// Forgets its way to where it was sent before: it says nothing of the way to a new place.
    pub(super) fn forget_way(&mut self) {
        self.outlook = Outlook::Unknown;
        self.coming = Coming::straight(self.position);
    }

    /// Whether it follows a path to its place.
    pub(super) fn has_path(&self) -> bool {
        self.outlook == Outlook::Path
    }

    /// Whether the game has taken its [`NavigateTo`](crate::NavigateTo) on the way.
    pub(super) fn gave_up(&self) -> bool {
        self.outlook == Outlook::GaveUp
    }

    /// Whether it keeps its place although it does not go there now.
    pub(super) fn keeps_place(&self) -> bool {
        self.is_busy || self.gave_up()
    }

    /// Whether it does not get to its place: there is no way, or it gave up.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self.outlook, Outlook::NoWay | Outlook::GaveUp)
    }

    /// Whether it is within `distance` m of its place.
    pub(super) fn is_within(&self, distance: f32) -> bool {
        let near = |at: Vec2| at.distance(self.position) <= distance;
        self.place.at.is_some_and(near)
    }

    /// Whether it is so near to its place that it pushes its way in.
    pub(super) fn is_near_place(&self) -> bool {
        let radii = if self.place.is_pushing_in { 5.0 } else { 4.0 };
        self.is_within(radii * self.radius) && !self.is_fast
    }

    /// Whether it pushes others aside: on the last steps to its place, and when it is stuck outside of a queue, such as
    /// among members of another group that stand in its way by now, until it has got through.
    pub(super) fn pushes(&self, group: &[Self]) -> bool {
        let is_hindered = self.is_hindered() && !self.queues(group);
        self.is_near_place() || self.place.through.is_some() || is_hindered
    }

    /// How far it has moved freely since it began to push through others, a tick later; `None` if it does not, or has got
    /// through. Among others that stand beside it, it would be thrown back by its avoidance.
    pub(super) fn pushing_through(
        &self,
        group: &[Self],
        delta: f32,
        is_beside_others: impl FnOnce() -> bool,
    ) -> Option<f32> {
        if !self.is_on_its_way() || self.is_fast && self.is_under_way {
            return None;
        }
        let freely = match self.place.through {
            None => return (self.is_stuck && !self.queues(group)).then_some(0.0),
            Some(freely) if self.is_under_way => freely + self.speed * delta,
            Some(_) => 0.0,
        };
        let is_through = freely >= THROUGH * self.radius && !is_beside_others();
        (!is_through).then_some(freely)
    }

    /// Whether a body of another agent stands beside it.
    pub(super) fn is_beside(&self, other: &Kinematics) -> bool {
        let reach = (1.0 + THROUGH) * self.radius + other.radius.max(0.0);
        other.speed() < WAITING && other.position.distance(self.position) < reach
    }

    /// Whether it does not get on: it is stuck, or it pushes and hardly moves.
    fn is_hindered(&self) -> bool {
        self.is_stuck || self.place.is_pushing_in && !self.is_under_way
    }

    fn is_on_its_way(&self) -> bool {
        self.place.at.is_some() && !self.is_cut_off() && !self.is_within(self.at_place)
    }

    /// Whether it waits for others of its group near it that are on their way as well. Of those that do not get on, the
    /// first one does not wait: they would wait for each other.
    fn queues(&self, group: &[Self]) -> bool {
        let waits_for = |it: &Self| !(it.is_hindered() && self.goes_before(it));
        let mut others = self.near(group).filter(|it| it.is_on_its_way());
        others.any(waits_for)
    }

    /// Whether it pushes through others before another member: one that does so already, else the one nearer to its place.
    fn goes_before(&self, other: &Self) -> bool {
        let way = |it: &Self| it.place.at.map_or(0.0, |at| it.coming.way(at));
        let pushing = other
            .place
            .through
            .is_some()
            .cmp(&self.place.through.is_some());
        let ways = way(self).total_cmp(&way(other));
        pushing.then(ways).then(self.id.cmp(&other.id)).is_lt()
    }

    /// Whether it waits among others at their places, such as larger ones between which it does not fit. Others may be
    /// shut in with it.
    pub(super) fn is_shut_in(&self, group: &[Self]) -> bool {
        let is_halted = |it: &Self| it.place.halted >= SHUT_IN;
        let stays = |it: &Self| it.is_within(it.at_place) || it.is_cut_off() || is_halted(it);
        self.place.at.is_some() && is_halted(self) && self.near(group).all(stays)
    }

    /// The other members near it.
    fn near<'a>(&'a self, group: &'a [Self]) -> impl Iterator<Item = &'a Self> {
        let reach = NEAR * self.radius;
        let others = group.iter().filter(|it| it.id != self.id);
        others.filter(move |it| it.position.distance(self.position) < reach)
    }

    /// Counts how long the member has stood elsewhere than at its place, and how long it has neither come to rest nor got on.
    pub(super) fn wait(&mut self, delta: f32) {
        // Others are not in its way. Once it goes on it begins anew.
        if self.is_busy || self.is_cut_off() {
            (self.place.waiting, self.place.halted) = (0.0, 0.0);
            self.place.nearest = None;
            return;
        }
        let waits = self.speed < WAITING && !self.is_within(self.at_place);
        let waiting = self.place.waiting;
        self.place.waiting = if waits { waiting + delta } else { 0.0 };
        let halted = self.place.halted;
        self.place.halted = if self.is_settled() {
            (halted - delta).max(0.0)
        } else if self.is_planning() {
            halted
        } else if self.note_progress() {
            0.0
        } else if self.is_under_way {
            halted
        } else {
            (halted + delta).min(SHUT_IN)
        };
    }

    /// Whether its way to its place is not known yet.
    fn is_planning(&self) -> bool {
        self.place.at.is_some() && self.outlook == Outlook::Unknown
    }

    /// Returns whether it has come nearer to its place by a step, or has another way now. Its speed does not tell: others
    /// push it to and fro.
    fn note_progress(&mut self) -> bool {
        let way = self.place.at.map_or(0.0, |at| self.coming.way(at));
        let (step, other) = (STEP * self.radius, OTHER_WAY * self.radius);
        let is_same = |nearest: f32| (nearest - step..=nearest + other).contains(&way);
        let gets_on = !self.place.nearest.is_some_and(is_same);
        if gets_on {
            self.place.nearest = Some(way);
        }
        gets_on
    }

    /// Whether it has waited for a while: other members are in the way.
    pub(super) fn is_held_up(&self) -> bool {
        self.place.waiting > HELD_UP
    }

    /// Whether its place is next to it, and it has waited for it: pushing would not end.
    pub(super) fn is_held_up_next_to_place(&self) -> bool {
        self.is_within(CLOSE * self.radius) && self.place.waiting > PATIENCE
    }

    /// Takes the spot where it stands for its place.
    pub(super) fn settle_here(&mut self) {
        (self.place.at, self.place.radius) = (Some(self.position), self.radius);
        (self.place.waiting, self.place.halted) = (0.0, 0.0);
        self.place.nearest = None;
    }

    /// Has the place where it is.
    pub(super) fn stay(&mut self, lot: Lot) {
        self.settle_here();
        self.place.lane = Lane::default();
        (self.place.order, self.place.plan) = (Some(lot.order), lot.plan);
    }

    /// Whether each of two members may have the other's place, and has room there.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let is_fixed = self.is_host || other.is_host;
        !is_fixed && self.radius <= other.place.radius && other.radius <= self.place.radius
    }

    /// Whether it stands at its place, or almost.
    pub(super) fn is_at_place(&self) -> bool {
        self.is_within(self.at_place) && self.speed < WAITING
    }

    pub(super) fn is_settled(&self) -> bool {
        self.is_within(self.at_place) && self.speed < AT_REST
    }
}

#[cfg(test)]
impl Member {
    /// A member that stands, and has waited for some seconds.
    pub(super) fn standing(position: Vec2, place: Vec2, radius: f32, waiting: f32) -> Self {
        Self {
            id: SteeringId(0),
            entity: Entity::PLACEHOLDER,
            position,
            speed: 0.0,
            radius,
            at_place: super::gather::AT_PLACE,
            place: GroupPlace {
                at: Some(place),
                radius,
                waiting,
                halted: waiting.min(SHUT_IN),
                nearest: Some(position.distance(place)),
                ..default()
            },
            is_host: false,
            outlook: Outlook::Path,
            is_busy: false,
            is_stuck: false,
            is_under_way: false,
            is_fast: false,
            coming: Coming::straight(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_queues_while_others_near_it_are_on_their_way() {
        let member = |id, x: f32, place: f32| Member {
            id: SteeringId(id),
            ..Member::standing(Vec2::new(x, 0.0), Vec2::new(place, 0.0), 0.3, 1.0)
        };
        let me = member(0, 0.0, 20.0);
        assert!(me.queues(&[me, member(1, 1.0, 21.0)]));
        assert!(!me.queues(&[me, member(1, 3.0, 21.0)]), "too far");
        assert!(!me.queues(&[me, member(1, 1.0, 1.0)]), "at its place");
    }

    #[test]
    fn of_stuck_members_that_would_wait_for_each_other_the_first_one_pushes_through() {
        let member = |id, x: f32| Member {
            id: SteeringId(id),
            is_stuck: true,
            ..Member::standing(Vec2::new(x, 0.0), Vec2::new(20.0, 0.0), 0.3, 1.0)
        };
        let (mut last, mut first) = (member(0, 0.0), member(1, 0.7));
        assert!(first.pushes(&[last, first]) && !last.pushes(&[last, first]));
        let begin = |it: Member, group: &[Member]| it.pushing_through(group, 0.1, || true);
        assert_eq!(begin(first, &[last, first]), Some(0.0));
        assert_eq!(begin(last, &[last, first]), None);
        last.place.through = Some(0.0);
        assert!(!first.pushes(&[last, first]), "the other one has begun");
        (last.is_stuck, last.place.through, first.is_stuck) = (true, None, false);
        assert!(!last.pushes(&[last, first]), "the other one gets on");
    }

    #[test]
    fn a_member_waits_for_none_that_has_no_way() {
        let stuck = Member {
            is_stuck: true,
            ..Member::standing(Vec2::ZERO, Vec2::new(20.0, 0.0), 0.3, 1.0)
        };
        let mut other = Member {
            id: SteeringId(1),
            ..Member::standing(Vec2::X, Vec2::new(9.0, 0.0), 0.3, 1.0)
        };
        assert!(!stuck.pushes(&[stuck, other]));
        other.outlook = Outlook::NoWay;
        assert!(stuck.pushes(&[stuck, other]));
        (other.outlook, other.place.at) = (Outlook::Path, None);
        assert!(stuck.pushes(&[stuck, other]), "there is no room for it");
    }

    #[test]
    fn a_member_pushes_through_until_nobody_stands_beside_it() {
        let mut me = Member {
            is_stuck: true,
            ..Member::standing(Vec2::ZERO, Vec2::new(20.0, 0.0), 0.5, 1.0)
        };
        let next = |me: &Member, beside: bool| me.pushing_through(&[*me], 0.1, || beside);
        assert_eq!(next(&me, true), Some(0.0));
        (me.is_stuck, me.place.through) = (false, Some(0.0));
        assert_eq!(next(&me, false), Some(0.0), "it hardly moves");
        (me.is_under_way, me.speed) = (true, 4.0);
        assert_eq!(next(&me, false), Some(0.4));
        me.place.through = Some(0.8);
        assert!(next(&me, true).is_some() && me.pushes(&[me]));
        assert_eq!(next(&me, false), None);
        let standing = Kinematics::at(Vec2::new(1.2, 0.0));
        assert!(me.is_beside(&standing));
        assert!(!me.is_beside(&Kinematics::at(Vec2::new(2.5, 0.0))));
    }

    #[test]
    fn a_member_is_shut_in_once_nobody_near_it_moves() {
        let member = |id, x: f32, place: f32, waiting| Member {
            id: SteeringId(id),
            ..Member::standing(Vec2::new(x, 0.0), Vec2::new(place, 0.0), 0.3, waiting)
        };
        let me = member(0, 0.0, 9.0, 4.0);
        let (at_place, shut_in_too) = (member(1, 1.0, 1.0, 0.0), member(2, -1.0, 9.0, 4.0));
        assert!(me.is_shut_in(&[me, at_place, shut_in_too]));
        assert!(!me.is_shut_in(&[me, member(1, 1.0, 9.0, 1.0)]), "a queue");
        assert!(!at_place.is_shut_in(&[at_place]));
        let mut without = me;
        without.place.at = None;
        assert!(!without.is_shut_in(&[without]), "there is no room for it");
    }

    /// Lets a member wait for some seconds, with its `x` after each tick.
    fn after(member: Member, seconds: f32, x: impl Fn(f32) -> f32) -> Member {
        let (mut member, delta) = (member, 1.0 / 64.0);
        for tick in 1..=(seconds / delta) as u32 {
            member.position.x = x(tick as f32 * delta);
            member.coming = Coming::straight(member.position);
            member.wait(delta);
        }
        member
    }

    #[test]
    fn a_member_that_is_pushed_to_and_fro_and_does_not_get_on_is_shut_in() {
        let pushed = Member {
            speed: 0.8,
            ..Member::standing(Vec2::ZERO, Vec2::new(3.0, 0.0), 0.3, 0.0)
        };
        let to_and_fro = |seconds: f32| 0.1 * ((seconds * 8.0) as u32 % 2) as f32;
        let soon = after(pushed, 2.0, to_and_fro);
        assert!(!soon.is_shut_in(&[soon]));
        let later = after(pushed, 3.0, to_and_fro);
        assert!(later.is_shut_in(&[later]));
    }

    #[test]
    fn a_member_that_gets_on_by_small_steps_is_not_shut_in() {
        let slow = Member {
            speed: 0.08,
            ..Member::standing(Vec2::ZERO, Vec2::new(3.0, 0.0), 0.3, 0.0)
        };
        let later = after(slow, 9.0, |seconds| 0.08 * seconds);
        assert!(!later.is_shut_in(&[later]));
        let stopped = after(later, 3.0, |_| 0.72);
        assert!(stopped.is_shut_in(&[stopped]));
    }

    #[test]
    fn a_member_that_takes_another_way_or_has_none_yet_is_not_shut_in() {
        let mut me = Member::standing(Vec2::ZERO, Vec2::new(3.0, 0.0), 0.3, 4.0);
        me.coming.to_corner = 9.0;
        me.wait(0.1);
        assert!(!me.is_shut_in(&[me]), "its way leads around a wall by now");
        me.outlook = Outlook::Unknown;
        for _ in 0..90 {
            me.wait(0.1);
        }
        assert!(!me.is_shut_in(&[me]), "its way is not known yet");
        me.place.at = None;
        for _ in 0..90 {
            me.wait(0.1);
        }
        let next = Member {
            id: SteeringId(1),
            ..Member::standing(Vec2::X, Vec2::new(9.0, 0.0), 0.3, 4.0)
        };
        assert!(
            next.is_shut_in(&[me, next]),
            "there is no room for the other"
        );
    }

    #[test]
    fn a_member_that_was_stuck_pushes_until_it_is_under_way() {
        let here = Vec2::ZERO;
        let mut me = Member::standing(here, Vec2::new(20.0, 0.0), 0.3, 1.0);
        assert!(!me.pushes(&[me]));
        me.is_stuck = true;
        assert!(me.pushes(&[me]));
        (me.is_stuck, me.place.is_pushing_in) = (false, true);
        assert!(me.pushes(&[me]), "it has left its circle, but hardly moves");
        me.is_under_way = true;
        assert!(!me.pushes(&[me]));
    }
}
