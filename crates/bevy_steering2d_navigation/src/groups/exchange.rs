//! Exchange: pairs of members swap their places where that brings them nearer.

use super::member::Member;

/// Members farther apart than this many radii do not exchange places if one of them is at rest.
const EXCHANGE_RADII: f32 = 8.0;
/// Members far apart exchange places for this multiple of the gain.
const FAR_GAIN: f32 = 4.0;
/// The most members that look for another place at a time.
const LOOKERS: usize = 128;

/// Lets pairs of members exchange their places where the sum of the squared distances falls: of a member
/// that waits behind another one that is at rest, the other moves up; of two on the way, the first goes to
/// the farther place. Of a large group some members look at a time.
pub(super) fn exchange(group: &mut [Member], look: usize) {
    let turns = group.len().div_ceil(LOOKERS).max(1);
    for mover in (look % turns..group.len()).step_by(turns) {
        if group[mover].is_settled() {
            continue;
        }
        for other in 0..group.len() {
            if other != mover && gains(&group[mover], &group[other]) {
                let (a, b) = (group[mover].place, group[other].place);
                (group[mover].place.at, group[mover].place.radius) = (b.at, b.radius);
                (group[other].place.at, group[other].place.radius) = (a.at, a.radius);
            }
        }
    }
}

/// Whether two members should exchange their places.
fn gains(a: &Member, b: &Member) -> bool {
    let (Some(to_a), Some(to_b)) = (a.place.at, b.place.at) else {
        return false;
    };
    let fits = a.radius <= b.place.radius && b.radius <= a.place.radius;
    // |a − to_a|² + |b − to_b|² − |a − to_b|² − |b − to_a|²
    let gain = 2.0 * (a.unrolled - b.unrolled).dot(to_b - to_a);
    let least = a.radius * a.radius;
    if !fits || gain <= least {
        return false;
    }
    // A member at rest is asked only by those that are near.
    let near = EXCHANGE_RADII * (a.radius + b.radius);
    let is_near = a.position.distance(b.position) < near;
    is_near || !b.is_settled() && gain > FAR_GAIN * least
}
