//! One walk over an agent's neighbors for Separation, Alignment and Cohesion together.

use std::ops::Range;

use bevy::prelude::*;

use super::boid::FlockSums;
use super::class::{FlockClass, FlockClasses, Sight};
use super::look::{SPOT_SQUARED, own_direction, sums_in_view};
use crate::SteeringId;
use crate::parallel::{FLOCK_PASS, chunk_size, for_each_chunk, prefetch};
use crate::perception::{Candidates, Columns, Neighbors, PADDING, Perception};
use bevy_steering2d_kernel::simd::{Operation, Register, WIDTH, dispatch};

/// What every agent sees of its flock this tick, by sorted place.
#[derive(Resource, Debug, Default)]
pub(crate) struct Flock {
    sums: Vec<SumsRow>,
}

/// The sums of one agent in half a line of the processor's cache, since they are fetched in another
/// order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(super) struct SumsRow(pub(super) [f32; WIDTH]);

impl SumsRow {
    const NOTHING: Self = Self([0.0; WIDTH]);
}

impl Flock {
    /// Asks for the sums of an agent whose turn comes soon.
    #[inline]
    pub(super) fn prefetch(&self, perception: &Perception, neighbors: &Neighbors) {
        let place = neighbors.place_of(perception);
        prefetch(place.and_then(|place| self.sums.get(place)));
    }

    /// Zeros for whoever was not walked.
    #[inline]
    pub(super) fn sums_of(&self, perception: &Perception, neighbors: &Neighbors) -> &SumsRow {
        let place = neighbors.place_of(perception);
        let sums = place.and_then(|place| self.sums.get(place));
        sums.unwrap_or(&SumsRow::NOTHING)
    }
}

/// Sums up the flock around every agent, in cell order: neighbors in the world are neighbors in
/// memory.
pub(crate) fn walk_flock(
    mut flock: ResMut<Flock>,
    classes: Res<FlockClasses>,
    neighbors: Res<Neighbors>,
) {
    if classes.are_empty() {
        return;
    }
    // What is in them is overwritten, so only their number matters.
    flock.sums.resize(neighbors.len(), default());
    let piece = chunk_size(neighbors.len(), FLOCK_PASS);
    for_each_chunk(flock.sums.chunks_mut(piece).enumerate(), |(at, sums)| {
        walk_places(&neighbors, &classes, at * piece, sums);
    });
}

/// Walks the agents at the sorted places from `first` on, one for each of `sums`, with the best
/// instructions the processor has.
fn walk_places(neighbors: &Neighbors, classes: &FlockClasses, first: usize, sums: &mut [SumsRow]) {
    dispatch(WalkPlaces {
        neighbors,
        classes,
        first,
        sums,
    });
}

/// [`walk_places`] for [`dispatch`].
struct WalkPlaces<'a> {
    neighbors: &'a Neighbors,
    classes: &'a FlockClasses,
    first: usize,
    sums: &'a mut [SumsRow],
}

impl Operation for WalkPlaces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        walk_places_with::<R>(self.neighbors, self.classes, self.first, self.sums);
    }
}

#[inline(always)]
fn walk_places_with<L: Register>(
    neighbors: &Neighbors,
    classes: &FlockClasses,
    first: usize,
    sums: &mut [SumsRow],
) {
    let columns = neighbors.places.columns();
    let mut crowd = Crowd::default();
    let (mut known, mut around) = (f32::NAN, 0);
    for (cell, places) in neighbors.cells_of(first..first + sums.len()) {
        // Who stands in one cell and looks equally far has the same candidates.
        let (mut gathered, mut too_many) = (f32::NAN, None);
        for place in places {
            let class = classes.get(neighbors.places.classes[place]);
            let sums = &mut sums[place - first];
            if class.reach <= 0.0 {
                *sums = SumsRow::default();
                continue;
            }
            if class.sight == Sight::OneByOne {
                *sums = SumsRow(sums_in_view(class, neighbors, &neighbors.at(place)).into_array());
                continue;
            }
            if class.reach != gathered {
                gathered = class.reach;
                if gathered != known {
                    (known, around) = (gathered, neighbors.cells_within(gathered));
                }
                let all = neighbors.ranges_around_cell(cell, around);
                let has_room = crowd.gather::<L>(columns, all);
                too_many = (!has_room).then(|| Candidates::find(neighbors, cell, around));
            }
            if let Some(candidates) = &too_many {
                crowd.gather::<L>(columns, candidates.sample(place));
            }
            let at = neighbors.places.at(place);
            let (walk, itself) = if class.sight == Sight::Some {
                let eyes = Eyes::<L>::of(class, neighbors, place);
                (crowd.walk_seen(class, at, &eyes), eyes.sees_itself)
            } else if class.alike {
                (crowd.walk::<L, true>(class, at), [1.0; 3])
            } else {
                (crowd.walk::<L, false>(class, at), [1.0; 3])
            };
            walk.add_up(neighbors, place, itself, sums);
        }
    }
}

/// The candidates of a cell, copied together so that no lane stays empty between their ranges.
struct Crowd {
    x: [f32; Self::ROOM],
    y: [f32; Self::ROOM],
    heading_x: [f32; Self::ROOM],
    heading_y: [f32; Self::ROOM],
    groups: [u32; Self::ROOM],
    count: usize,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            x: [0.0; Self::ROOM],
            y: [0.0; Self::ROOM],
            heading_x: [0.0; Self::ROOM],
            heading_y: [0.0; Self::ROOM],
            groups: [0; Self::ROOM],
            count: 0,
        }
    }
}

impl Crowd {
    /// The last copy of a range writes up to fifteen too many.
    const ROOM: usize = Candidates::MOST + PADDING;
    /// Where nobody is, m: out of every reach, and its square is still a number.
    const NOWHERE: f32 = 1e18;

    /// Takes in all candidates, and says whether there was room.
    #[inline(always)]
    fn gather<L: Register>(
        &mut self,
        columns: Columns,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> bool {
        let mut count = 0;
        for range in ranges {
            let (mut from, mut to) = (range.start, count);
            count += range.len();
            if count > Candidates::MOST {
                return false;
            }
            // Mostly one round, so that the processor need not guess how many.
            while from < range.end {
                let of = from..from + PADDING;
                let (x, y) = (&columns.x[of.clone()], &columns.y[of.clone()]);
                let heading_x = &columns.heading_x[of.clone()];
                let heading_y = &columns.heading_y[of.clone()];
                for at in (0..PADDING).step_by(WIDTH) {
                    L::load(x, at).store(&mut self.x, to + at);
                    L::load(y, at).store(&mut self.y, to + at);
                    L::load(heading_x, at).store(&mut self.heading_x, to + at);
                    L::load(heading_y, at).store(&mut self.heading_y, to + at);
                }
                self.groups[to..to + PADDING].copy_from_slice(&columns.groups[of]);
                from += PADDING;
                to += PADDING;
            }
        }
        L::splat(Self::NOWHERE).store(&mut self.x, count);
        self.count = count;
        true
    }

    /// The eight-at-a-time walk for an agent that sees all around; it meets itself as well, with u = 1
    /// and offset 0.
    #[inline(always)]
    fn walk<L: Register, const ALIKE: bool>(&self, class: &FlockClass, me: Vec2) -> Walk<L> {
        let mut walk = Walk::new(class, me);
        for at in (0..self.count).step_by(WIDTH) {
            walk.add::<ALIKE>(self, at);
        }
        if ALIKE {
            walk.cohering = walk.aligned;
        }
        walk
    }

    /// The same for an agent that does not see everybody.
    #[inline(always)]
    fn walk_seen<L: Register>(&self, class: &FlockClass, me: Vec2, eyes: &Eyes<L>) -> Walk<L> {
        let mut walk = Walk::new(class, me);
        for at in (0..self.count).step_by(WIDTH) {
            walk.add_seen(self, at, eyes);
        }
        walk
    }
}

/// Whom the three rules of one agent see.
struct Eyes<L> {
    heading: [L; 2],
    least_cosine: [L; 3],
    groups: [u32; 3],
    /// 1 for those that see the agent itself, which is in nobody's back, else 0.
    sees_itself: [f32; 3],
}

impl<L: Register> Eyes<L> {
    #[inline(always)]
    fn of(class: &FlockClass, neighbors: &Neighbors, place: usize) -> Self {
        let places = &neighbors.places;
        let mine = places.groups[place];
        let groups = class.groups.map(|groups| groups.0);
        let [separation, alignment, cohesion] = class.least_cosine;
        Self {
            heading: [
                L::splat(places.heading_x[place]),
                L::splat(places.heading_y[place]),
            ],
            least_cosine: [
                L::splat(separation),
                L::splat(alignment),
                L::splat(cohesion),
            ],
            groups,
            sees_itself: groups.map(|groups| f32::from(u8::from(groups & mine != 0))),
        }
    }

    /// `much` of those of the eight candidates from `at` that one of the rules sees, so far `ahead` and
    /// so far away at all, m.
    #[inline(always)]
    fn see(&self, rule: usize, crowd: &Crowd, at: usize, [ahead, distance]: [L; 2], much: L) -> L {
        let in_groups = L::with_common_bit(&crowd.groups, at, self.groups[rule]);
        let least = self.least_cosine[rule] * distance;
        ahead.if_below(least, L::zero(), much * in_groups)
    }
}

/// The running sums of one agent, in eight lanes each.
struct Walk<L> {
    x: L,
    y: L,
    separation: L,
    alignment: L,
    cohesion: L,
    away_x: L,
    away_y: L,
    heading_x: L,
    heading_y: L,
    aligned: L,
    offset_x: L,
    offset_y: L,
    cohering: L,
    on_the_spot: L,
}

/// `u = max(0, 1 − d²/r²)`
#[inline(always)]
fn fall_off<L: Register>(square: L, per_square: L) -> L {
    (L::splat(1.0) - square * per_square).max(L::zero())
}

impl<L: Register> Walk<L> {
    #[inline(always)]
    fn new(class: &FlockClass, at: Vec2) -> Self {
        let zero = L::zero();
        let [separation, alignment, cohesion] = class.per_square;
        Self {
            x: L::splat(at.x),
            y: L::splat(at.y),
            separation: L::splat(separation),
            alignment: L::splat(alignment),
            cohesion: L::splat(cohesion),
            away_x: zero,
            away_y: zero,
            heading_x: zero,
            heading_y: zero,
            aligned: zero,
            offset_x: zero,
            offset_y: zero,
            cohering: zero,
            on_the_spot: zero,
        }
    }

    /// Adds the eight candidates from `at`; `ALIKE` when one fall-off serves all.
    #[inline(always)]
    fn add<const ALIKE: bool>(&mut self, crowd: &Crowd, at: usize) {
        let x = L::load(&crowd.x, at) - self.x;
        let y = L::load(&crowd.y, at) - self.y;
        let square = x * x + y * y;
        let near = fall_off(square, self.separation);
        let push = near * near * square.inverse_sqrt();
        self.away_x = self.away_x - x * push;
        self.away_y = self.away_y - y * push;
        self.on_the_spot = self.on_the_spot + square.is_below(L::splat(SPOT_SQUARED));

        let aligned = if ALIKE {
            near
        } else {
            fall_off(square, self.alignment)
        };
        self.heading_x = self.heading_x + L::load(&crowd.heading_x, at) * aligned;
        self.heading_y = self.heading_y + L::load(&crowd.heading_y, at) * aligned;
        self.aligned = self.aligned + aligned;

        let cohering = if ALIKE {
            near
        } else {
            fall_off(square, self.cohesion)
        };
        self.offset_x = self.offset_x + x * cohering;
        self.offset_y = self.offset_y + y * cohering;
        if !ALIKE {
            self.cohering = self.cohering + cohering;
        }
    }

    /// Adds those of the eight candidates from `at` that are seen.
    #[inline(always)]
    fn add_seen(&mut self, crowd: &Crowd, at: usize, eyes: &Eyes<L>) {
        let x = L::load(&crowd.x, at) - self.x;
        let y = L::load(&crowd.y, at) - self.y;
        let square = x * x + y * y;
        let per_distance = square.inverse_sqrt();
        let ahead = x * eyes.heading[0] + y * eyes.heading[1];
        let way = [ahead, square * per_distance];
        let near = eyes.see(0, crowd, at, way, fall_off(square, self.separation));
        let push = near * near * per_distance;
        self.away_x = self.away_x - x * push;
        self.away_y = self.away_y - y * push;
        let on_the_spot = square.is_below(L::splat(SPOT_SQUARED));
        self.on_the_spot = self.on_the_spot + eyes.see(0, crowd, at, way, on_the_spot);

        let aligned = eyes.see(1, crowd, at, way, fall_off(square, self.alignment));
        self.heading_x = self.heading_x + L::load(&crowd.heading_x, at) * aligned;
        self.heading_y = self.heading_y + L::load(&crowd.heading_y, at) * aligned;
        self.aligned = self.aligned + aligned;

        let cohering = eyes.see(2, crowd, at, way, fall_off(square, self.cohesion));
        self.offset_x = self.offset_x + x * cohering;
        self.offset_y = self.offset_y + y * cohering;
        self.cohering = self.cohering + cohering;
    }

    /// Adds up the lanes, but for the agent itself, who is at `place` and seen by those of the three
    /// rules for which there is a 1.
    #[inline(always)]
    fn add_up(
        self,
        neighbors: &Neighbors,
        place: usize,
        [spot, aligned, cohering]: [f32; 3],
        sums: &mut SumsRow,
    ) {
        let all = FlockSums {
            away: [self.away_x, self.away_y],
            headings: [self.heading_x, self.heading_y],
            aligned: self.aligned,
            offsets: [self.offset_x, self.offset_y],
            cohering: self.cohering,
        };
        let places = &neighbors.places;
        let myself = FlockSums {
            headings: [
                aligned * places.heading_x[place],
                aligned * places.heading_y[place],
            ],
            aligned,
            cohering,
            ..FlockSums::default()
        };
        let others = L::sums(all.into_array()) - L::load(&myself.into_array(), 0);
        others.store(&mut sums.0, 0);
        let on_my_spot = self.on_the_spot.sum() - spot;
        if on_my_spot > 0.0 {
            part(&mut sums.0, on_my_spot, neighbors.at(place).id);
        }
    }
}

/// Those on one spot leave it in directions of their own.
#[cold]
fn part(sums: &mut [f32; WIDTH], on_my_spot: f32, me: SteeringId) {
    let mut parted = FlockSums::from_array(*sums);
    let away = Vec2::from(parted.away) + on_my_spot * own_direction(me);
    parted.away = away.into();
    *sums = parted.into_array();
}

#[cfg(test)]
mod tests {
    use super::super::class::Look;
    use super::*;
    use crate::behaviors::testing::assert_close;
    use crate::perception::{Neighbor, SteeringGroups};
    use bevy_steering2d_kernel::simd::{Baseline, Portable};

    fn place_agents(places: &[Vec2], classes: Vec<FlockClass>) -> (Neighbors, FlockClasses) {
        let gathered = places.iter().enumerate().map(|(id, &position)| {
            let id = id as u32;
            let neighbor = Neighbor {
                position,
                velocity: Vec2::ZERO,
                heading: Vec2::from_angle(id as f32),
                radius: 0.5,
                groups: SteeringGroups(1 << (id % 3)),
                id: SteeringId(id),
                entity: Entity::from_raw_u32(id).expect("a small index"),
            };
            (neighbor, 1)
        });
        let neighbors = Neighbors::of(gathered, classes[0].reach);
        (neighbors, FlockClasses::of(classes))
    }

    fn look(radius: f32) -> Look {
        Look {
            radius,
            ..Look::NONE
        }
    }

    fn looks(separation: f32, alignment: f32, cohesion: f32) -> FlockClass {
        FlockClass::of_looks([separation, alignment, cohesion].map(look))
    }

    fn random_places(count: u32, side: f32) -> Vec<Vec2> {
        let mut dice = crate::RandomStream::new(3, SteeringId(0), 0);
        let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(side));
        (0..count).map(|_| dice.point_in(area)).collect()
    }

    type Walker = fn(&Neighbors, &FlockClasses, usize, &mut [SumsRow]);

    fn walked_by(walk: Walker, neighbors: &Neighbors, classes: &FlockClasses) -> Vec<SumsRow> {
        let mut sums = vec![SumsRow([f32::NAN; WIDTH]); neighbors.len()];
        walk(neighbors, classes, 0, &mut sums);
        sums
    }

    /// The sums of agents at these places, who see all around.
    fn sums_at(places: &[Vec2], class: FlockClass) -> Vec<FlockSums> {
        let (neighbors, classes) = place_agents(places, vec![class]);
        let sums = walked_by(walk_places, &neighbors, &classes);
        sums.into_iter()
            .map(|row| FlockSums::from_array(row.0))
            .collect()
    }

    #[test]
    fn the_sums_by_hand() {
        // One neighbor 1 m ahead, radii 2 m: u = 1 − 1/4 = 3/4.
        let mine = sums_at(&[Vec2::ZERO, Vec2::X], looks(2.0, 2.0, 2.0))[0];
        assert_close(mine.away.into(), Vec2::new(-0.75 * 0.75, 0.0));
        assert_close(mine.headings.into(), 0.75 * Vec2::from_angle(1.0));
        assert_close(mine.offsets.into(), Vec2::new(0.75, 0.0));
        assert!((mine.aligned - 0.75).abs() < 1e-6 && (mine.cohering - 0.75).abs() < 1e-6);
    }

    #[test]
    fn alone_every_sum_is_exactly_zero() {
        for class in [looks(2.0, 3.0, 4.0), looks(2.0, 2.0, 2.0)] {
            assert_eq!(
                sums_at(&[Vec2::new(3.7, -2.9)], class),
                [FlockSums::default()]
            );
        }
    }

    /// Each rule sees another part of those around.
    fn half_blind() -> FlockClass {
        let class = FlockClass::of_looks([0, 1, 2].map(|rule| Look {
            field_of_view: [1.5, 4.0, 7.0][rule],
            groups: SteeringGroups([0b011, 0b110, 0b101][rule]),
            ..look([1.5, 3.0, 2.5][rule])
        }));
        assert_eq!(class.sight, Sight::Some);
        class
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        // In the narrow square everybody has too many candidates.
        for places in [random_places(501, 20.0), random_places(1_200, 5.0)] {
            for class in [looks(1.5, 3.0, 2.5), looks(3.0, 3.0, 3.0), half_blind()] {
                let (neighbors, classes) = place_agents(&places, vec![class]);
                let bits = |walk: Walker| {
                    let sums = walked_by(walk, &neighbors, &classes);
                    let numbers = sums.into_iter().flat_map(|row| row.0);
                    numbers.map(f32::to_bits).collect::<Vec<_>>()
                };
                let oracle = bits(walk_places_with::<Portable>);
                assert_eq!(bits(walk_places), oracle);
                assert_eq!(bits(walk_places_with::<Baseline>), oracle);
            }
        }
    }

    #[test]
    fn where_a_piece_begins_does_not_matter() {
        let places = random_places(200, 12.0);
        let (neighbors, classes) = place_agents(&places, vec![looks(1.5, 3.0, 2.5)]);
        let mut pieces = vec![SumsRow::default(); 200];
        for (at, piece) in pieces.chunks_mut(13).enumerate() {
            walk_places(&neighbors, &classes, 13 * at, piece);
        }
        assert_eq!(pieces, walked_by(walk_places, &neighbors, &classes));
    }

    #[test]
    fn eight_at_a_time_agrees_with_one_at_a_time() {
        let places = random_places(500, 20.0);
        for class in [looks(1.5, 3.0, 2.5), half_blind()] {
            let (neighbors, _) = place_agents(&places, vec![class.clone()]);
            for (place, sums) in sums_at(&places, class.clone()).into_iter().enumerate() {
                let one_by_one = sums_in_view(&class, &neighbors, &neighbors.at(place));
                assert_close(sums.away.into(), one_by_one.away.into());
                assert_close(sums.headings.into(), one_by_one.headings.into());
                assert_close(sums.offsets.into(), one_by_one.offsets.into());
                assert!((sums.aligned - one_by_one.aligned).abs() < 1e-4);
                assert!((sums.cohering - one_by_one.cohering).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn agents_on_one_spot_part() {
        let class = FlockClass::of_looks([look(2.0), Look::NONE, Look::NONE]);
        let away: Vec<Vec2> = sums_at(&[Vec2::ONE; 9], class)
            .into_iter()
            .map(|sums| sums.away.into())
            .collect();
        for (i, a) in away.iter().enumerate() {
            assert!(a.is_finite() && a.length() > 1.0);
            assert!(away[i + 1..].iter().all(|b| a.distance(*b) > 0.1));
        }
    }

    #[test]
    fn looking_far_from_within_a_clump_is_possible() {
        // The clump makes the cells, and so the walk of the far-sighted one has many ranges.
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let places: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 1_000]).collect();
        let classes = vec![looks(1.0, 1.0, 1.0), looks(400.0, 400.0, 400.0)];
        let (mut neighbors, classes) = place_agents(&places, classes);
        neighbors.places.classes[0] = 2;
        let sums = walked_by(walk_places, &neighbors, &classes);
        assert!(sums.iter().flat_map(|it| it.0).all(f32::is_finite));
    }
}
