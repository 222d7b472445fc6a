//! One walk over an agent's neighbors for Separation, Alignment and Cohesion together.

use bevy::math::ops;
use bevy::prelude::*;

use super::alignment::alignment;
use super::boid::{Boid, FlockSums};
use super::class::{FlockClass, FlockClasses, Look};
use super::cohesion::cohesion;
use super::separation::separation;
use crate::combine::Budget;
use crate::parallel::{WALK, piece_of, prefetch, work_on};
#[cfg(target_arch = "x86_64")]
use crate::perception::lanes::Avx2;
use crate::perception::lanes::{Baseline, LANES, Lanes};
use crate::perception::{
    Candidates, Neighbor, NeighborView, Neighbors, PADDING, Perception, Places, SteeringGroups,
};
use crate::{Agent, SteeringId};

/// The forces of this tick, N, by sorted place.
#[derive(Resource, Debug, Default)]
pub(crate) struct Flock {
    forces: Vec<FlockForces>,
}

/// What the flock asks of one agent: one line of the processor's cache, since the combiner fetches it
/// in another order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(super) struct FlockForces {
    /// Of Separation, Alignment and Cohesion, N.
    pub(super) raw: [Vec2; 3],
    /// How much of each is accepted if they are heard in this order and nobody else is.
    pub(super) shares: [f32; 3],
    /// What comes of it then, N.
    pub(super) total: Vec2,
}

impl Default for FlockForces {
    fn default() -> Self {
        Self {
            raw: [Vec2::ZERO; 3],
            shares: [1.0; 3],
            total: Vec2::ZERO,
        }
    }
}

impl Flock {
    /// Asks for the forces on an agent whose turn comes soon.
    #[inline]
    pub(super) fn prefetch(&self, perception: &Perception, neighbors: &Neighbors) {
        let place = neighbors.place_of(perception);
        prefetch(place.and_then(|place| self.forces.get(place)));
    }

    #[inline]
    pub(super) fn forces_on(
        &self,
        perception: &Perception,
        neighbors: &Neighbors,
    ) -> Option<&FlockForces> {
        let place = neighbors.place_of(perception)?;
        self.forces.get(place)
    }
}

/// Finds the forces of the flock on every agent, in cell order: neighbors in the world are
/// neighbors in memory.
pub(crate) fn walk_flock(
    mut flock: ResMut<Flock>,
    classes: Res<FlockClasses>,
    neighbors: Res<Neighbors>,
) {
    if classes.are_empty() {
        return;
    }
    // What is in them is overwritten, so only their number matters.
    flock.forces.resize(neighbors.len(), default());
    let piece = piece_of(neighbors.len(), WALK);
    work_on(
        flock.forces.chunks_mut(piece).enumerate(),
        |(at, forces)| {
            walk_places(&neighbors, &classes, at * piece, forces);
        },
    );
}

/// Walks the agents at the sorted places from `first` on, one for each of `forces`, with the best
/// instructions the processor has.
fn walk_places(
    neighbors: &Neighbors,
    classes: &FlockClasses,
    first: usize,
    forces: &mut [FlockForces],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        #[expect(unsafe_code, reason = "the instruction set is chosen at run time")]
        return unsafe { walk_places_avx2(neighbors, classes, first, forces) };
    }
    walk_places_with::<Baseline>(neighbors, classes, first, forces);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn walk_places_avx2(
    neighbors: &Neighbors,
    classes: &FlockClasses,
    first: usize,
    forces: &mut [FlockForces],
) {
    walk_places_with::<Avx2>(neighbors, classes, first, forces);
}

#[inline(always)]
fn walk_places_with<L: Lanes>(
    neighbors: &Neighbors,
    classes: &FlockClasses,
    first: usize,
    forces: &mut [FlockForces],
) {
    let mut crowd = Crowd::default();
    let mut batch = Batch::default();
    let mut candidates = Candidates::default();
    let (mut known, mut around) = (f32::NAN, 0);
    for (cell, places) in neighbors.cells_of(first..first + forces.len()) {
        // Who stands in one cell and looks equally far has the same candidates.
        let mut gathered = f32::NAN;
        for place in places {
            let class = classes.get(neighbors.places.classes[place]);
            let batched = (place - first) % LANES;
            batch.begin(batched, class);
            if class.reach <= 0.0 {
                batch.put(batched, FlockSums::default());
            } else if !class.simple {
                batch.put(batched, sums_in_view(class, neighbors, neighbors.at(place)));
            } else {
                if class.reach != gathered {
                    gathered = class.reach;
                    if gathered != known {
                        (known, around) = (gathered, neighbors.cells_within(gathered));
                    }
                    neighbors.find_candidates(cell, around, &mut candidates);
                    if !candidates.are_too_many() {
                        crowd.gather::<L>(&neighbors.places, &candidates);
                    }
                }
                if candidates.are_too_many() {
                    crowd.gather::<L>(&neighbors.places, &candidates.sample(place));
                }
                let at = neighbors.places.at(place);
                if class.alike {
                    batch.put_walk(batched, &crowd.walk::<L, true>(class, at));
                } else {
                    batch.put_walk(batched, &crowd.walk::<L, false>(class, at));
                }
            }
            if batched == LANES - 1 || place - first == forces.len() - 1 {
                let at = place - first - batched;
                let forces = &mut forces[at..=place - first];
                batch.settle::<L>(neighbors, first + at, forces);
            }
        }
    }
}

/// The sums of up to eight agents on their way to become forces.
#[derive(Default)]
struct Batch {
    /// Eight lanes of each agent, yet to be added up: `away`, `headings`, `aligned`, `offsets`,
    /// `cohering`, and how many are on the spot.
    sums: [Square; 9],
    /// How often an agent was counted as its own neighbor, with u = 1 and offset 0.
    myself: [f32; LANES],
    per_radius: [f32; LANES],
    weights: [[f32; LANES]; 3],
}

/// Eight lanes for each of eight agents.
struct Square([f32; LANES * LANES]);

impl Default for Square {
    fn default() -> Self {
        Self([0.0; LANES * LANES])
    }
}

impl Square {
    /// The sum of each agent's lanes.
    #[inline(always)]
    fn sums<L: Lanes>(&self) -> L {
        let of = |at| L::load(&self.0, LANES * at);
        L::sums([of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)])
    }
}

impl Batch {
    #[inline(always)]
    fn begin(&mut self, at: usize, class: &FlockClass) {
        self.per_radius[at] = class.per_radius;
        for (column, weight) in self.weights.iter_mut().zip(class.weights) {
            column[at] = weight;
        }
    }

    /// Takes the sums of an agent.
    fn put(&mut self, at: usize, sums: FlockSums) {
        self.myself[at] = 0.0;
        let [away_x, away_y] = sums.away;
        let [heading_x, heading_y] = sums.headings;
        let [offset_x, offset_y] = sums.offsets;
        let (aligned, cohering) = (sums.aligned, sums.cohering);
        let sums = [
            away_x, away_y, heading_x, heading_y, aligned, offset_x, offset_y, cohering, 0.0,
        ];
        for (square, sum) in self.sums.iter_mut().zip(sums) {
            let lanes = &mut square.0[LANES * at..][..LANES];
            lanes.fill(0.0);
            lanes[0] = sum;
        }
    }

    /// Takes what an agent found eight at a time.
    #[inline(always)]
    fn put_walk<L: Lanes>(&mut self, at: usize, walk: &Walk<L>) {
        self.myself[at] = 1.0;
        let sums = [
            walk.away_x,
            walk.away_y,
            walk.heading_x,
            walk.heading_y,
            walk.aligned,
            walk.offset_x,
            walk.offset_y,
            walk.cohering,
            walk.on_the_spot,
        ];
        for (square, sum) in self.sums.iter_mut().zip(sums) {
            sum.store(&mut square.0, LANES * at);
        }
    }

    /// The sums of the agents from `place` on.
    #[inline(always)]
    fn sums<L: Lanes>(&self, neighbors: &Neighbors, place: usize) -> FlockSums<L> {
        let mut added = [L::zero(); 9];
        for (sum, square) in added.iter_mut().zip(&self.sums) {
            *sum = square.sums();
        }
        let [
            away_x,
            away_y,
            heading_x,
            heading_y,
            aligned,
            offset_x,
            offset_y,
            cohering,
            on_the_spot,
        ] = added;
        let places = &neighbors.places;
        let myself = L::load(&self.myself, 0);
        let others_x = heading_x - myself * L::load(&places.heading_x, place);
        let others_y = heading_y - myself * L::load(&places.heading_y, place);
        let mut on_my_spot = [0.0; LANES];
        (on_the_spot - myself).store(&mut on_my_spot, 0);
        let mut away = [away_x, away_y];
        if on_my_spot.iter().any(|&others| others > 0.0) {
            away = part(away, &on_my_spot, neighbors, place);
        }
        FlockSums {
            away,
            headings: [others_x, others_y],
            aligned: aligned - myself,
            offsets: [offset_x, offset_y],
            cohering: cohering - myself,
        }
    }

    /// Turns the sums of the agents from `place` on into forces.
    #[inline(always)]
    fn settle<L: Lanes>(&self, neighbors: &Neighbors, place: usize, forces: &mut [FlockForces]) {
        let places = &neighbors.places;
        let lane = |lane: &[f32]| L::load(lane, place);
        let me = Boid {
            velocity: [lane(&places.velocity_x), lane(&places.velocity_y)],
            max_speed: lane(&places.max_speed),
            max_force: lane(&places.max_force),
            gain: lane(&places.gain),
        };
        let sums = self.sums::<L>(neighbors, place);
        let settled = [
            separation(&me, &sums),
            alignment(&me, &sums),
            cohesion(&me, &sums, L::load(&self.per_radius, 0)),
        ];
        let mut budget = Budget::of(me.max_force);
        let mut shares = [[0.0; LANES]; 3];
        let mut raw = [[[0.0; LANES]; 2]; 3];
        for (at, force) in settled.into_iter().enumerate() {
            let weight = L::load(&self.weights[at], 0);
            budget.accept(weight, force).store(&mut shares[at], 0);
            force[0].store(&mut raw[at][0], 0);
            force[1].store(&mut raw[at][1], 0);
        }
        let mut total = [[0.0; LANES]; 2];
        let [total_x, total_y] = budget.total();
        total_x.store(&mut total[0], 0);
        total_y.store(&mut total[1], 0);
        for (at, forces) in forces.iter_mut().enumerate() {
            let vector = |[x, y]: &[[f32; LANES]; 2]| Vec2::new(x[at], y[at]);
            *forces = FlockForces {
                raw: raw.each_ref().map(vector),
                shares: shares.each_ref().map(|share| share[at]),
                total: vector(&total),
            };
        }
    }
}

/// Those on one spot leave it in directions of their own.
#[cold]
fn part<L: Lanes>(
    away: [L; 2],
    on_my_spot: &[f32; LANES],
    neighbors: &Neighbors,
    place: usize,
) -> [L; 2] {
    let mut parting = [[0.0; LANES]; 2];
    for (at, &others) in on_my_spot.iter().enumerate() {
        if others > 0.0 && place + at < neighbors.len() {
            let way = others * own_direction(neighbors.at(place + at).id);
            (parting[0][at], parting[1][at]) = way.into();
        }
    }
    let [x, y] = parting.map(|lanes| L::load(&lanes, 0));
    [away[0] + x, away[1] + y]
}

/// The candidates of a cell, copied together so that no lane stays empty between their ranges.
struct Crowd {
    x: [f32; Self::ROOM],
    y: [f32; Self::ROOM],
    heading_x: [f32; Self::ROOM],
    heading_y: [f32; Self::ROOM],
    count: usize,
}

impl Default for Crowd {
    fn default() -> Self {
        Self {
            x: [0.0; Self::ROOM],
            y: [0.0; Self::ROOM],
            heading_x: [0.0; Self::ROOM],
            heading_y: [0.0; Self::ROOM],
            count: 0,
        }
    }
}

impl Crowd {
    /// The last copy of a range writes up to fifteen too many.
    const ROOM: usize = Candidates::MOST + PADDING;
    /// Where nobody is, m: out of every reach, and its square is still a number.
    const NOWHERE: f32 = 1e18;

    #[inline(always)]
    fn gather<L: Lanes>(&mut self, places: &Places, candidates: &Candidates) {
        self.count = 0;
        for range in &candidates.ranges {
            let mut from = range.start;
            let mut to = self.count;
            // Mostly one round, so that the processor need not guess how many.
            while from < range.end {
                for _ in 0..PADDING / LANES {
                    L::load(&places.x, from).store(&mut self.x, to);
                    L::load(&places.y, from).store(&mut self.y, to);
                    L::load(&places.heading_x, from).store(&mut self.heading_x, to);
                    L::load(&places.heading_y, from).store(&mut self.heading_y, to);
                    from += LANES;
                    to += LANES;
                }
            }
            self.count += range.len();
        }
        L::splat(Self::NOWHERE).store(&mut self.x, self.count);
    }

    /// The eight-at-a-time walk for an agent that sees all around; it meets itself as well.
    #[inline(always)]
    fn walk<L: Lanes, const ALIKE: bool>(&self, class: &FlockClass, me: Vec2) -> Walk<L> {
        let mut walk = Walk::new(class, me);
        for at in (0..self.count).step_by(LANES) {
            walk.add::<ALIKE>(self, at);
        }
        if ALIKE {
            walk.cohering = walk.aligned;
        }
        walk
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

/// Closer than the square root of this two agents are on the same spot, m².
const SPOT_SQUARED: f32 = 1e-12;

/// `u = max(0, 1 − d²/r²)`
#[inline(always)]
fn fall_off<L: Lanes>(square: L, per_square: L) -> L {
    (L::splat(1.0) - square * per_square).max(L::zero())
}

impl<L: Lanes> Walk<L> {
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
}

/// A direction of the agent's own, by the golden angle, so that agents on one spot part.
fn own_direction(id: SteeringId) -> Vec2 {
    const GOLDEN_ANGLE: f32 = 2.399_963_2;
    let angle = (id.0 & 0xffff) as f32 * GOLDEN_ANGLE;
    Vec2::new(ops::cos(angle), ops::sin(angle))
}

/// `u = 1 − (d/r)²`
fn fade(offset: Vec2, radius: f32) -> f32 {
    (1.0 - offset.length_squared() / (radius * radius)).max(0.0)
}

impl Look {
    /// Visits who is seen from `me` this way.
    fn visit(&self, neighbors: &Neighbors, me: &Neighbor, mut visit: impl FnMut(Vec2, &Neighbor)) {
        if self.radius <= 0.0 {
            return;
        }
        let view = NeighborView {
            position: me.position,
            heading: me.heading,
            radius: self.radius,
            field_of_view: self.field_of_view,
            groups: self.groups,
            except: me.entity,
        };
        let mut meet = |other: &Neighbor| visit(other.position - me.position, other);
        if self.max_neighbors < u32::MAX {
            let most = self.max_neighbors as usize;
            neighbors.nearest_in_view(view, most).iter().for_each(meet);
        } else {
            neighbors.in_view(view).for_each(&mut meet);
        }
    }
}

/// The one-at-a-time walk for agents with a field of view, a group mask or a limit.
fn sums_in_view(class: &FlockClass, neighbors: &Neighbors, me: &Neighbor) -> FlockSums {
    let (mut away, mut headings, mut offsets) = (Vec2::ZERO, Vec2::ZERO, Vec2::ZERO);
    let (mut aligned, mut cohering) = (0.0, 0.0);
    class.separation.visit(neighbors, me, |offset, _| {
        let near = fade(offset, class.separation.radius);
        let direction = if offset.length_squared() < SPOT_SQUARED {
            own_direction(me.id)
        } else {
            -offset.normalize_or_zero()
        };
        away += near * near * direction;
    });
    class.alignment.visit(neighbors, me, |offset, other| {
        let near = fade(offset, class.alignment.radius);
        headings += near * other.heading;
        aligned += near;
    });
    class.cohesion.visit(neighbors, me, |offset, _| {
        let near = fade(offset, class.cohesion.radius);
        offsets += near * offset;
        cohering += near;
    });
    FlockSums {
        away: away.into(),
        headings: headings.into(),
        aligned,
        offsets: offsets.into(),
        cohering,
    }
}

/// The sums of one look alone, for behaviors that an entity lends to an agent.
pub(super) fn sums_of_look(neighbors: &Neighbors, me: &Agent, looks: [Look; 3]) -> FlockSums {
    let me = Neighbor {
        position: me.position,
        velocity: me.velocity,
        heading: me.heading,
        radius: me.radius,
        groups: SteeringGroups::ALL,
        id: me.id,
        entity: me.entity,
    };
    sums_in_view(&FlockClass::of_looks(looks), neighbors, &me)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;
    use crate::perception::lanes::Portable;
    use crate::{BehaviorId, Combine, Cut, LedgerEntry};

    fn place_agents(places: &[Vec2], class: FlockClass) -> (Neighbors, FlockClasses) {
        let gathered = places.iter().enumerate().map(|(id, &position)| {
            let id = id as u32;
            let neighbor = Neighbor {
                position,
                velocity: Vec2::ZERO,
                heading: Vec2::from_angle(id as f32),
                radius: 0.5,
                groups: SteeringGroups::default(),
                id: SteeringId(id),
                entity: Entity::from_raw_u32(id).expect("a small index"),
            };
            (neighbor, 1)
        });
        let neighbors = Neighbors::of(gathered, class.reach);
        (neighbors, FlockClasses::of(vec![class]))
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

    /// The sums of one agent, eight candidates at a time.
    fn sums_of(neighbors: &Neighbors, class: &FlockClass, place: usize) -> FlockSums {
        let mut candidates = Candidates::default();
        let mut crowd = Crowd::default();
        let around = neighbors.cells_within(class.reach);
        let mut cells = neighbors.cells_of(place..place + 1);
        let (cell, _) = cells.next().expect("a cell");
        neighbors.find_candidates(cell, around, &mut candidates);
        crowd.gather::<Portable>(&neighbors.places, &candidates);
        let mut batch = Batch::default();
        let at = neighbors.places.at(place);
        if class.alike {
            batch.put_walk(0, &crowd.walk::<Portable, true>(class, at));
        } else {
            batch.put_walk(0, &crowd.walk::<Portable, false>(class, at));
        }
        let sums = batch.sums::<Portable>(neighbors, place);
        let first = |lanes: Portable| lanes.0[0];
        FlockSums {
            away: sums.away.map(first),
            headings: sums.headings.map(first),
            aligned: first(sums.aligned),
            offsets: sums.offsets.map(first),
            cohering: first(sums.cohering),
        }
    }

    #[test]
    fn the_sums_by_hand() {
        // One neighbor 1 m ahead, radii 2 m: u = 1 − 1/4 = 3/4.
        let class = looks(2.0, 2.0, 2.0);
        let (neighbors, _) = place_agents(&[Vec2::ZERO, Vec2::X], class);
        let mine = sums_of(&neighbors, &class, 0);
        assert_close(mine.away.into(), Vec2::new(-0.75 * 0.75, 0.0));
        assert_close(mine.headings.into(), 0.75 * Vec2::from_angle(1.0));
        assert_close(mine.offsets.into(), Vec2::new(0.75, 0.0));
        assert!((mine.aligned - 0.75).abs() < 1e-6 && (mine.cohering - 0.75).abs() < 1e-6);
    }

    #[test]
    fn the_forces_by_hand() {
        // As above, with a limit of 20 N, 5 m/s and 4 kg/s, at rest.
        let class = looks(2.0, 2.0, 2.0);
        let (neighbors, classes) = place_agents(&[Vec2::ZERO, Vec2::X], class);
        let mut forces = [FlockForces::default(); 2];
        walk_places(&neighbors, &classes, 0, &mut forces);
        let [separation, alignment, cohesion] = forces[0].raw;
        assert_close(separation, Vec2::new(-20.0 * 0.75 * 0.75, 0.0));
        assert_close(alignment, 0.75 * 20.0 * Vec2::from_angle(1.0));
        assert_close(cohesion, Vec2::new(20.0 * 0.75 / 2.0, 0.0));
    }

    #[test]
    fn alone_every_force_is_exactly_zero() {
        for class in [looks(2.0, 3.0, 4.0), looks(2.0, 2.0, 2.0)] {
            let (neighbors, classes) = place_agents(&[Vec2::new(3.7, -2.9)], class);
            assert_eq!(sums_of(&neighbors, &class, 0), FlockSums::default());
            let mut forces = [FlockForces {
                raw: [Vec2::ONE; 3],
                ..default()
            }];
            walk_places(&neighbors, &classes, 0, &mut forces);
            assert_eq!(forces[0], FlockForces::default());
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        type WalkPlaces = fn(&Neighbors, &FlockClasses, usize, &mut [FlockForces]);
        for class in [looks(1.5, 3.0, 2.5), looks(3.0, 3.0, 3.0)] {
            let (neighbors, classes) = place_agents(&random_places(501, 20.0), class);
            let walked = |walk: WalkPlaces| {
                let mut forces = vec![FlockForces::default(); 501];
                walk(&neighbors, &classes, 0, &mut forces);
                let numbers = forces.into_iter().flat_map(|it| {
                    let vectors = it.raw.into_iter().chain([it.total]);
                    vectors.flat_map(|force| force.to_array()).chain(it.shares)
                });
                numbers.map(f32::to_bits).collect::<Vec<_>>()
            };
            let oracle = walked(walk_places_with::<Portable>);
            assert_eq!(walked(walk_places), oracle);
            assert_eq!(walked(walk_places_with::<Baseline>), oracle);
        }
    }

    #[test]
    fn the_walk_combines_as_the_combiner_does() {
        let mut class = looks(3.0, 3.0, 3.0);
        class.weights = [1.5, 1.0, 0.5];
        let (neighbors, classes) = place_agents(&random_places(300, 15.0), class);
        let mut forces = vec![FlockForces::default(); 300];
        walk_places(&neighbors, &classes, 0, &mut forces);
        for forces in &forces {
            let mut ledger = [0, 1, 2].map(|at| LedgerEntry {
                raw: forces.raw[at],
                weight: class.weights[at],
                ..LedgerEntry::new(BehaviorId::for_test(at as u16), &default(), Cut::Nothing)
            });
            let total = Combine::Prioritized.combine(&mut ledger, 20.0, || 0.0);
            assert_eq!(forces.shares, ledger.map(|entry| entry.share));
            assert_close(forces.total, total);
        }
        let cut = |forces: &&FlockForces| forces.shares.iter().any(|share| *share < 1.0);
        let cuts = forces.iter().filter(cut).count();
        assert!((1..300).contains(&cuts), "{cuts}");
    }

    #[test]
    fn where_a_piece_begins_does_not_matter() {
        let class = looks(1.5, 3.0, 2.5);
        let (neighbors, classes) = place_agents(&random_places(200, 12.0), class);
        let mut whole = vec![FlockForces::default(); 200];
        walk_places(&neighbors, &classes, 0, &mut whole);
        let mut pieces = vec![FlockForces::default(); 200];
        for (at, piece) in pieces.chunks_mut(13).enumerate() {
            walk_places(&neighbors, &classes, 13 * at, piece);
        }
        assert_eq!(pieces, whole);
    }

    #[test]
    fn eight_at_a_time_agrees_with_one_at_a_time() {
        let class = looks(1.5, 3.0, 2.5);
        let (neighbors, _) = place_agents(&random_places(500, 20.0), class);
        for place in 0..500 {
            let sums = sums_of(&neighbors, &class, place);
            let one_by_one = sums_in_view(&class, &neighbors, neighbors.at(place));
            assert_close(sums.away.into(), one_by_one.away.into());
            assert_close(sums.headings.into(), one_by_one.headings.into());
            assert_close(sums.offsets.into(), one_by_one.offsets.into());
        }
    }

    #[test]
    fn agents_on_one_spot_part() {
        let class = FlockClass::of_looks([look(2.0), Look::NONE, Look::NONE]);
        let (neighbors, classes) = place_agents(&[Vec2::ONE; 9], class);
        let mut forces = [FlockForces::default(); 9];
        walk_places(&neighbors, &classes, 0, &mut forces);
        let away = forces.map(|forces| forces.raw[0]);
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
        let (mut neighbors, _) = place_agents(&places, looks(1.0, 1.0, 1.0));
        neighbors.places.classes[0] = 2;
        let classes = FlockClasses::of(vec![looks(1.0, 1.0, 1.0), looks(400.0, 400.0, 400.0)]);
        let mut forces = vec![FlockForces::default(); places.len()];
        walk_places(&neighbors, &classes, 0, &mut forces);
        assert!(forces.iter().flat_map(|it| it.raw).all(Vec2::is_finite));
    }
}
