//! Placing: the members of a group get the places that there are, all of them anew or only those that have none.

use bevy::prelude::*;
use bevy_steering2d_core::{Circle, digest};

use super::assignment::assign;
use super::member::Member;
use super::places::{Floor, Site, ideal_radius, place_radius};
use super::{GroupArrive, GroupArriveMemory, GroupPlace};
use crate::Lane;

/// Width of all lanes of a group, in radii of the disc that it fills.
const LANES: f32 = 1.5;

/// The places that an order gives out together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lot {
    pub(super) order: Entity,
    /// How many it has given out before.
    pub(super) plan: u32,
}

impl Lot {
    /// Whether a place is one of these, or says that there was no room.
    pub(super) fn includes(self, place: &GroupPlace) -> bool {
        place.order == Some(self.order) && place.plan == self.plan
    }
}

/// Gives all members new places. A member that is the target keeps the one where it is; the disc of an agent that is the
/// target is `host`, also if it is not in the group.
pub(super) fn place_all(
    group: &mut [Member],
    order: Entity,
    how: &GroupArrive,
    (target, host): (Vec2, Option<Circle>),
    floor: Floor,
    mut taken: Vec<Circle>,
    memory: &mut GroupArriveMemory,
) -> Lot {
    for member in group.iter_mut() {
        member.forget_way();
    }
    let is_sent = |it: &Member| !it.is_host;
    let sent = group.iter().filter(|it| is_sent(it));
    let radii: Vec<_> = sent.map(|it| it.radius).collect();
    taken.extend(host);
    let largest = radii.iter().copied().fold(0.0, f32::max);
    let middle = middle_of(group.iter().filter(|it| is_sent(it)));
    let target = on_their_side(floor, target, middle, largest);
    let site = Site::new(floor, target, how.shape, how.gap, &taken);
    let places = match host {
        Some(_) => site.around_target(&radii),
        None => site.places(&radii),
    };
    memory.center = places.center;
    memory.plan = memory.plan.wrapping_add(1);
    let lot = Lot {
        order,
        plan: memory.plan,
    };
    distribute(group, lot, &place_radii(&radii), &places.at, is_sent);
    for member in group.iter_mut() {
        member.place.detour = None;
        if member.is_host {
            member.stay(lot);
        }
    }
    give_lanes(group, is_sent, places.center, how.gap);
    lot
}

/// The mean position of some members, m; the origin if there are none.
fn middle_of<'a>(members: impl Iterator<Item = &'a Member> + Clone) -> Vec2 {
    let count = members.clone().count().max(1) as f32;
    members.map(|it| it.position).sum::<Vec2>() / count
}

/// A target inside a solid or off the ground, moved in there towards those who come by the width of a body at most: of sides
/// that are about equally near they get theirs.
fn on_their_side(floor: Floor, target: Vec2, from: Vec2, radius: f32) -> Vec2 {
    let depth = floor.depth(target);
    match depth > 0.0 {
        true => target + depth.min(2.0 * radius) * (from - target).normalize_or_zero(),
        false => target,
    }
}

/// Distributes the places anew, now that the ways are known: those that come first get the farthest.
pub(super) fn reassign(group: &mut [Member], lot: Lot) {
    let goes = |it: &Member| !it.gave_up() && !it.is_host;
    let going: Vec<_> = group
        .iter()
        .filter(|it| goes(it))
        .map(|it| it.place)
        .collect();
    let sizes: Vec<_> = going.iter().map(|it| it.radius).collect();
    let places: Vec<_> = going.iter().map(|it| it.at).collect();
    distribute(group, lot, &sizes, &places, goes);
}

/// Gives each of some members a lane, so that they pass corners as wide as the disc that they fill with a gap between
/// them: those on the left keep left.
fn give_lanes(group: &mut [Member], who: impl Fn(&Member) -> bool, center: Vec2, gap: f32) {
    let mut some: Vec<_> = group.iter_mut().filter(|it| who(it)).collect();
    let radii: Vec<_> = some.iter().map(|it| it.radius).collect();
    let width = if some.len() > 1 {
        LANES * ideal_radius(&radii, gap)
    } else {
        0.0
    };
    let middle = middle_of(some.iter().map(|it| &**it));
    let left = (center - middle).normalize_or_zero().perp();
    let aside: Vec<_> = some.iter().map(|it| it.position.dot(left)).collect();
    let most = aside.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let least = aside.iter().copied().fold(f32::INFINITY, f32::min);
    for (member, aside) in some.iter_mut().zip(aside) {
        let from_left = (most - aside) / (most - least).max(f32::MIN_POSITIVE);
        member.place.lane = Lane {
            left: width * from_left,
            right: width * (1.0 - from_left),
        };
    }
}

/// Gives places to members that have none of these, beside those that are taken; also to those for which there was no
/// room, unless nothing has changed since the last look.
pub(super) fn place_latecomers(
    group: &mut [Member],
    lot: Lot,
    how: &GroupArrive,
    (floor, revision): (Floor, u32),
    mut taken: Vec<Circle>,
    memory: &mut GroupArriveMemory,
) {
    let is_new = |member: &Member| !lot.includes(&member.place);
    let late = |member: &Member| is_new(member) || member.place.at.is_none();
    let kept = group.iter().filter(|member| !late(member));
    taken.extend(kept.filter_map(|it| it.place.disc()));
    let radii: Vec<_> = group
        .iter()
        .filter(|it| late(it))
        .map(|it| it.radius)
        .collect();
    let look = Some(room_digest(&taken, &radii, revision));
    if memory.last_look == look && !group.iter().any(is_new) {
        return;
    }
    memory.last_look = look;
    for member in group.iter_mut().filter(|it| late(it)) {
        member.place.detour = None;
        member.forget_way();
    }
    give_lanes(group, late, memory.center, how.gap);
    let site = Site::new(floor, memory.center, how.shape, how.gap, &taken);
    let places = site.around(memory.center, &radii);
    distribute(group, lot, &place_radii(&radii), &places.at, late);
}

/// A digest of what decides whether bodies of these radii find room: the discs that are taken, up to a centimeter, and the
/// solids.
fn room_digest(taken: &[Circle], radii: &[f32], revision: u32) -> u64 {
    /// Bodies at rest creep.
    const PER_METER: f32 = 100.0;
    let discs = taken.iter().map(|it| {
        let at = (PER_METER * it.center).round();
        digest([at.x, at.y, it.radius].map(f32::to_bits))
    });
    // A sum, since the order of the discs depends on Bevy's archetypes.
    let discs = discs.fold(0, u64::wrapping_add);
    let radii = radii.iter().map(|radius| u64::from(radius.to_bits()));
    digest([discs, revision.into()].into_iter().chain(radii))
}

/// The radii of the places for bodies of these radii.
fn place_radii(radii: &[f32]) -> Vec<f32> {
    let largest = radii.iter().copied().fold(0.0, f32::max);
    radii.iter().map(|&it| place_radius(it, largest)).collect()
}

/// Assigns places of these radii to some of the members: each size by itself.
fn distribute(
    group: &mut [Member],
    lot: Lot,
    sizes: &[f32],
    places: &[Option<Vec2>],
    who: impl Fn(&Member) -> bool,
) {
    let chosen: Vec<_> = (0..group.len()).filter(|&it| who(&group[it])).collect();
    let mut done = vec![false; chosen.len()];
    for first in 0..chosen.len() {
        if done[first] {
            continue;
        }
        let alike: Vec<_> = (first..chosen.len())
            .filter(|&it| sizes[it] == sizes[first])
            .collect();
        let spots: Vec<_> = alike.iter().filter_map(|&it| places[it]).collect();
        // With less room than members, those nearest to it go there.
        let mut takers = alike.clone();
        let middle = spots.iter().sum::<Vec2>() / spots.len().max(1) as f32;
        takers.sort_by(|&a, &b| {
            let distance = |it: usize| group[chosen[it]].coming.unrolled.distance_squared(middle);
            distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
        });
        takers.truncate(spots.len());
        takers.sort_unstable();
        let positions: Vec<_> = takers
            .iter()
            .map(|&it| group[chosen[it]].coming.unrolled)
            .collect();
        for &it in &alike {
            done[it] = true;
            group[chosen[it]].place = GroupPlace {
                at: None,
                radius: sizes[it],
                waiting: 0.0,
                halted: 0.0,
                nearest: None,
                order: Some(lot.order),
                plan: lot.plan,
                ..group[chosen[it]].place
            };
        }
        for (&taker, spot) in takers.iter().zip(assign(&positions, &spots)) {
            group[chosen[taker]].place.at = Some(spots[spot]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_a_look_for_room_depends_on_everything_but_the_order_of_the_discs() {
        let disc = |x, y| Circle::new(Vec2::new(x, y), 0.5);
        let (a, b) = (disc(1.0, 0.0), disc(3.0, 1.0));
        let digest = room_digest(&[a, b], &[0.5], 7);
        assert_eq!(digest, room_digest(&[b, a], &[0.5], 7));
        let moved = disc(3.0, 2.0);
        for other in [
            room_digest(&[a, moved], &[0.5], 7),
            room_digest(&[a], &[0.5], 7),
            room_digest(&[a, b], &[0.4], 7),
            room_digest(&[a, b], &[0.5], 8),
        ] {
            assert_ne!(digest, other);
        }
    }
}
