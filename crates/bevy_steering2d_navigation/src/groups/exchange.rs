//! Exchange: pairs of members swap their places where that brings them nearer, or lets one in.

use super::member::Member;

/// Members farther apart than this many radii do not exchange places if one of them is at rest.
const EXCHANGE_RADII: f32 = 8.0;
/// A member within this many radii is next to another one.
pub(super) const NEXT_RADII: f32 = 2.2;
/// Members far apart exchange places for this multiple of the gain.
const FAR_GAIN: f32 = 4.0;
/// The most members that look for another place at a time.
const LOOKERS: usize = 128;

/// Lets pairs of members exchange their places where the sum of the squared distances falls: of a member
/// that waits behind another one that is at rest, the other moves up; of two on the way, the first goes to
/// the farther place. Of a large group some members look at a time.
pub(super) fn exchange(group: &mut [Member], look: usize) {
    for mover in lookers(group.len(), look) {
        if group[mover].is_settled() {
            continue;
        }
        for other in 0..group.len() {
            if other != mover && gains(&group[mover], &group[other]) {
                swap(group, mover, other);
            }
        }
    }
}

/// The members that look this time.
fn lookers(members: usize, look: usize) -> impl Iterator<Item = usize> {
    let turns = members.div_ceil(LOOKERS).max(1);
    (look % turns..members).step_by(turns)
}

fn swap(group: &mut [Member], one: usize, other: usize) {
    let (a, b) = (group[one].place, group[other].place);
    (group[one].place.at, group[one].place.radius) = (b.at, b.radius);
    (group[other].place.at, group[other].place.radius) = (a.at, a.radius);
    // Neither has waited for its new place yet, or come near to it.
    for member in [one, other] {
        let place = &mut group[member].place;
        (place.waiting, place.nearest) = (0.0, None);
    }
}

/// Lets members in that are held up outside: the nearest member that stands on the way moves up to the place
/// of the one that waits, and leaves it its own. Of a large group some members look at a time.
pub(super) fn move_up(group: &mut [Member], look: usize) {
    for waiting in lookers(group.len(), look) {
        if !group[waiting].is_held_up() || group[waiting].is_cut_off() {
            continue;
        }
        let distance = |other: usize| {
            let here = group[waiting].position;
            here.distance_squared(group[other].position)
        };
        let blockers =
            (0..group.len()).filter(|&it| stands_in_the_way(&group[it], &group[waiting]));
        if let Some(next) = blockers.min_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            swap(group, waiting, next);
        }
    }
}

/// Whether a member at its place is next to one that waits, and on its way, so that it gains when both exchange their places.
fn stands_in_the_way(standing: &Member, waiting: &Member) -> bool {
    let Some(to) = waiting.place.at else {
        return false;
    };
    let radii = standing.radius + waiting.radius;
    let apart = standing.position.distance(waiting.position);
    let from_there = standing.position.distance(to);
    let way = waiting.coming.way(to);
    let least = standing.radius.min(waiting.radius);
    // For more than this they would exchange them back.
    let most = way * way + least * least;
    standing.is_at_place()
        && standing.fits(waiting)
        && apart < NEXT_RADII * radii
        // On the place of the one that waits, it would stay where it is.
        && (0.5 * radii..way - 0.5 * radii).contains(&from_there)
        && apart + from_there < way + radii
        && apart * apart + from_there * from_there <= most
}

/// Whether two members should exchange their places.
fn gains(a: &Member, b: &Member) -> bool {
    let (Some(to_a), Some(to_b)) = (a.place.at, b.place.at) else {
        return false;
    };
    if a.keeps_place() || b.keeps_place() {
        return false;
    }
    // |a − to_a|² + |b − to_b|² − |a − to_b|² − |b − to_a|²
    let gain = 2.0 * (a.coming.unrolled - b.coming.unrolled).dot(to_b - to_a);
    let least = a.radius * a.radius;
    if !a.fits(b) || gain <= least {
        return false;
    }
    // A member at rest is asked only by those that are near.
    let near = EXCHANGE_RADII * (a.radius + b.radius);
    let is_near = a.position.distance(b.position) < near;
    is_near || !b.is_settled() && gain > FAR_GAIN * least
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::groups::member::Coming;

    const RADIUS: f32 = 0.5;

    /// A member that stands at `x`, with its place at `to`, and has waited for a second if that is elsewhere.
    fn standing(x: f32, to: f32) -> Member {
        let waiting = if x == to { 0.0 } else { 1.0 };
        Member::standing(Vec2::new(x, 0.0), Vec2::new(to, 0.0), RADIUS, waiting)
    }

    fn places(group: &[Member]) -> Vec<f32> {
        let place = |it: &Member| it.place.at.map(|at| at.x);
        group.iter().filter_map(place).collect()
    }

    #[test]
    fn members_in_the_way_of_one_that_waits_move_up_one_after_the_other() {
        let mut group = [standing(0.0, 3.3), standing(2.2, 2.2), standing(1.1, 1.1)];
        move_up(&mut group, 0);
        assert_eq!(places(&group), [1.1, 2.2, 3.3], "the nearest one goes");
        // It waits in turn.
        group[2].place.waiting = 1.0;
        move_up(&mut group, 0);
        assert_eq!(places(&group), [1.1, 3.3, 2.2]);
    }

    #[test]
    fn members_that_exchange_places_have_not_waited_for_the_new_ones() {
        let mut group = [standing(0.0, 3.3), standing(3.0, 0.6)];
        exchange(&mut group, 0);
        assert_eq!(places(&group), [0.6, 3.3]);
        assert!(group.iter().all(|it| it.place.waiting == 0.0));
    }

    #[test]
    fn a_member_that_is_busy_elsewhere_keeps_its_place() {
        let fights = Member {
            is_busy: true,
            ..standing(3.5, 0.0)
        };
        let mut group = [fights, standing(1.1, 1.1)];
        exchange(&mut group, 0);
        assert_eq!(places(&group), [0.0, 1.1]);
    }

    #[test]
    fn a_member_beside_the_way_does_not_move_up_since_both_would_exchange_back() {
        let (waiting, mut beside) = (standing(0.0, 2.0), standing(1.0, 1.0));
        beside.position.y = 1.1;
        beside.place.at = Some(beside.position);
        beside.coming = Coming::straight(beside.position);
        let mut group = [waiting, beside];
        move_up(&mut group, 0);
        assert_eq!(places(&group), [2.0, 1.0]);
        exchange(&mut group, 0);
        assert_eq!(places(&group), [2.0, 1.0]);
    }

    #[test]
    fn a_member_that_stays_on_the_place_of_another_one_does_not_move_up() {
        let (waiting, mut staying) = (standing(0.0, 1.2), standing(1.1, 1.1));
        staying.place.at = waiting.place.at;
        let mut group = [waiting, staying];
        move_up(&mut group, 0);
        assert!(group[0].is_held_up(), "it has waited for its place");
    }

    #[test]
    fn members_that_are_not_in_the_way_keep_their_places() {
        let mut group = [standing(0.0, 3.0), standing(-1.1, -1.1), standing(3.8, 3.8)];
        move_up(&mut group, 0);
        assert_eq!(places(&group), [3.0, -1.1, 3.8]);
        let mut near = [standing(0.0, 0.6), standing(1.1, 1.1)];
        move_up(&mut near, 0);
        assert_eq!(
            places(&near),
            [0.6, 1.1],
            "its place is nearer than the other"
        );
    }
}
