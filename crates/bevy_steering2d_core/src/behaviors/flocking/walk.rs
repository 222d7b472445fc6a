//! One walk over an agent's neighbors for Separation, Alignment and Cohesion together.

use bevy::math::ops;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::tasks::ComputeTaskPool;

use super::{Alignment, Cohesion, Separation};
#[cfg(not(target_arch = "x86_64"))]
use crate::perception::lanes::Portable;
#[cfg(target_arch = "x86_64")]
use crate::perception::lanes::{Avx2, Sse2};
use crate::perception::lanes::{LANES, Lanes};
use crate::perception::{
    Candidates, Neighbor, NeighborView, Neighbors, Perception, SteeringGroups,
};
use crate::{Agent, SteeringId};

/// How one of the three behaviors looks at its neighbors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// m; zero when the behavior is absent.
    pub(crate) radius: f32,
    pub(crate) field_of_view: f32,
    pub(crate) groups: SteeringGroups,
    pub(crate) max_neighbors: u32,
}

impl Look {
    /// Of a behavior that is absent.
    pub(super) const NONE: Self = Self {
        radius: 0.0,
        field_of_view: f32::INFINITY,
        groups: SteeringGroups::ALL,
        max_neighbors: u32::MAX,
    };

    fn key(&self) -> [u32; 4] {
        [
            self.radius.to_bits(),
            self.field_of_view.to_bits(),
            self.groups.0,
            self.max_neighbors,
        ]
    }

    fn sees_all_around(&self) -> bool {
        self.radius == 0.0
            || (self.field_of_view >= std::f32::consts::TAU
                && self.groups == SteeringGroups::ALL
                && self.max_neighbors == u32::MAX)
    }
}

/// What an agent wants summed: many agents share one of a few classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FlockClass {
    separation: Look,
    alignment: Look,
    cohesion: Look,
    /// Largest of the three radii, m.
    reach: f32,
    /// Nobody is hidden by angle, group or number: the eight-at-a-time walk may be used.
    simple: bool,
}

impl FlockClass {
    fn new(separation: Look, alignment: Look, cohesion: Look) -> Self {
        let looks = [separation, alignment, cohesion];
        Self {
            separation,
            alignment,
            cohesion,
            reach: looks.iter().fold(0.0, |reach, look| look.radius.max(reach)),
            simple: looks.iter().all(Look::sees_all_around),
        }
    }
}

/// The sums over an agent's neighbors. Each neighbor at distance d counts with the fall-off
/// `u = 1 − (d/r)²`, so nothing jumps when one comes into view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FlockSums {
    /// `Σ u² · dir(neighbor → me)`; neighbors on my very spot push along a direction of my own.
    pub(crate) away: Vec2,
    /// `Σ u · heading`
    pub(crate) headings: Vec2,
    /// `Σ u` of the headings.
    pub(crate) aligned: f32,
    /// `Σ u · offset`, m
    pub(crate) offsets: Vec2,
    /// `Σ u` of the offsets.
    pub(crate) cohering: f32,
}

/// The classes in use and the sums of this tick.
#[derive(Resource, Debug)]
pub(crate) struct Flock {
    classes: Vec<FlockClass>,
    known: HashMap<[[u32; 4]; 3], u32>,
    /// By sorted place.
    sums: Vec<FlockSums>,
}

impl Default for Flock {
    fn default() -> Self {
        Self {
            classes: vec![FlockClass::new(Look::NONE, Look::NONE, Look::NONE)],
            known: HashMap::default(),
            sums: Vec::new(),
        }
    }
}

impl Flock {
    /// Forgets all classes when there are more than this, for games that vary every radius.
    const MOST_CLASSES: usize = 1 << 16;

    pub(crate) fn sums_of(&self, perception: &Perception, neighbors: &Neighbors) -> FlockSums {
        if perception.row == Perception::NOT_INDEXED {
            return FlockSums::default();
        }
        let place = neighbors.place_of(perception.row);
        self.sums.get(place).copied().unwrap_or_default()
    }

    fn class_of(&mut self, class: FlockClass) -> u32 {
        let key = [
            class.separation.key(),
            class.alignment.key(),
            class.cohesion.key(),
        ];
        *self.known.entry(key).or_insert_with(|| {
            self.classes.push(class);
            self.classes.len() as u32 - 1
        })
    }
}

/// Finds the class of every agent whose behaviors changed.
pub(crate) fn classify_flock(
    mut flock: ResMut<Flock>,
    mut agents: Query<
        (
            Option<Ref<Separation>>,
            Option<Ref<Alignment>>,
            Option<Ref<Cohesion>>,
            &mut Perception,
        ),
        Or<(With<Separation>, With<Alignment>, With<Cohesion>)>,
    >,
) {
    let forget = flock.classes.len() > Flock::MOST_CLASSES;
    if forget {
        *flock = Flock::default();
    }
    for (separation, alignment, cohesion, mut perception) in &mut agents {
        let changed = separation.as_ref().is_some_and(Ref::is_changed)
            || alignment.as_ref().is_some_and(Ref::is_changed)
            || cohesion.as_ref().is_some_and(Ref::is_changed);
        if changed || forget {
            let class = FlockClass::new(
                separation.map_or(Look::NONE, |it| it.look()),
                alignment.map_or(Look::NONE, |it| it.look()),
                cohesion.map_or(Look::NONE, |it| it.look()),
            );
            perception.reach = class.reach;
            perception.class = flock.class_of(class);
        }
    }
}

/// Sums over the neighbors of every agent, in cell order: neighbors in the world are neighbors
/// in memory.
pub(crate) fn walk_flock(mut flock: ResMut<Flock>, neighbors: Res<Neighbors>) {
    let Flock { classes, sums, .. } = &mut *flock;
    sums.clear();
    sums.resize(neighbors.len(), FlockSums::default());
    if classes.len() == 1 {
        return; // Nobody flocks.
    }
    let pool = ComputeTaskPool::get();
    let threads = pool.thread_num().max(1);
    if threads == 1 || neighbors.len() < 1_000 {
        walk_places(&neighbors, classes, 0, sums);
        return;
    }
    // Several pieces per thread, since dense places take longer.
    let piece = neighbors.len().div_ceil(threads * 4).max(256);
    pool.scope(|scope| {
        for (at, sums) in sums.chunks_mut(piece).enumerate() {
            let (neighbors, classes) = (&*neighbors, &*classes);
            scope.spawn(async move { walk_places(neighbors, classes, at * piece, sums) });
        }
    });
}

/// Walks the agents at the sorted places from `first` on, one for each of `sums`, with the best
/// instructions the processor has.
fn walk_places(
    neighbors: &Neighbors,
    classes: &[FlockClass],
    first: usize,
    sums: &mut [FlockSums],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        #[expect(unsafe_code, reason = "the instruction set is chosen at run time")]
        return unsafe { walk_places_avx2(neighbors, classes, first, sums) };
    }
    #[cfg(target_arch = "x86_64")]
    return walk_places_with::<Sse2>(neighbors, classes, first, sums);
    #[cfg(not(target_arch = "x86_64"))]
    walk_places_with::<Portable>(neighbors, classes, first, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn walk_places_avx2(
    neighbors: &Neighbors,
    classes: &[FlockClass],
    first: usize,
    sums: &mut [FlockSums],
) {
    walk_places_with::<Avx2>(neighbors, classes, first, sums);
}

#[inline(always)]
fn walk_places_with<L: Lanes>(
    neighbors: &Neighbors,
    classes: &[FlockClass],
    first: usize,
    sums: &mut [FlockSums],
) {
    // Who stands in one cell and looks equally far has the same candidates.
    let mut looked = (u32::MAX, u32::MAX);
    let mut candidates = Candidates::default();
    for (offset, sums) in sums.iter_mut().enumerate() {
        let place = first + offset;
        let look = (neighbors.cells[place], neighbors.classes[place]);
        let class = &classes[look.1 as usize];
        if class.reach <= 0.0 {
            continue;
        }
        if !class.simple {
            *sums = class.sums_in_view(neighbors, neighbors.at(place));
            continue;
        }
        if look != looked {
            looked = look;
            candidates = neighbors.candidates(look.0, class.reach);
        }
        *sums = if candidates.are_too_many() {
            sums_all_around::<L>(neighbors, class, place, &candidates.sample(place))
        } else {
            sums_all_around::<L>(neighbors, class, place, &candidates)
        };
    }
}

/// The eight-at-a-time walk for agents that see all around.
#[inline(always)]
fn sums_all_around<L: Lanes>(
    neighbors: &Neighbors,
    class: &FlockClass,
    place: usize,
    candidates: &Candidates,
) -> FlockSums {
    let mut walk = Walk::<L>::new(class, neighbors.x[place], neighbors.y[place]);
    for range in &candidates.ranges {
        let mut at = range.start;
        while at + LANES <= range.end {
            walk.add::<false>(neighbors, at, LANES);
            at += LANES;
        }
        if at < range.end {
            walk.add::<true>(neighbors, at, range.end - at);
        }
    }
    walk.finish(neighbors.at(place))
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

/// `1/r²`, or enough to make every fall-off zero for a behavior that is absent.
fn per_square(radius: f32) -> f32 {
    if radius > 0.0 {
        (radius * radius).recip()
    } else {
        f32::MAX
    }
}

/// `u = max(0, 1 − d²/r²)`
#[inline(always)]
fn fall_off<L: Lanes>(square: L, per_square: L) -> L {
    L::splat(1.0).sub(square.mul(per_square)).max(L::zero())
}

impl<L: Lanes> Walk<L> {
    #[inline(always)]
    fn new(class: &FlockClass, x: f32, y: f32) -> Self {
        let zero = L::zero();
        Self {
            x: L::splat(x),
            y: L::splat(y),
            separation: L::splat(per_square(class.separation.radius)),
            alignment: L::splat(per_square(class.alignment.radius)),
            cohesion: L::splat(per_square(class.cohesion.radius)),
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

    /// Adds the `live` candidates from `at`; `TAIL` when they are fewer than eight.
    #[inline(always)]
    fn add<const TAIL: bool>(&mut self, neighbors: &Neighbors, at: usize, live: usize) {
        let x = L::load(&neighbors.x, at).sub(self.x);
        let y = L::load(&neighbors.y, at).sub(self.y);
        let mut square = x.mul(x).add(y.mul(y));
        if TAIL {
            square = square.keep_first(live, f32::MAX);
        }
        let near = fall_off(square, self.separation);
        let push = near.mul(near).mul(square.inverse_sqrt());
        self.away_x = self.away_x.sub(x.mul(push));
        self.away_y = self.away_y.sub(y.mul(push));
        let on_the_spot = square.is_below(L::splat(SPOT_SQUARED));
        self.on_the_spot = self.on_the_spot.add(on_the_spot);

        let aligned = fall_off(square, self.alignment);
        let heading_x = L::load(&neighbors.heading_x, at).mul(aligned);
        let heading_y = L::load(&neighbors.heading_y, at).mul(aligned);
        self.heading_x = self.heading_x.add(heading_x);
        self.heading_y = self.heading_y.add(heading_y);
        self.aligned = self.aligned.add(aligned);

        let cohering = fall_off(square, self.cohesion);
        self.offset_x = self.offset_x.add(x.mul(cohering));
        self.offset_y = self.offset_y.add(y.mul(cohering));
        self.cohering = self.cohering.add(cohering);
    }

    /// Folds the lanes and takes the agent itself out: it counted with u = 1 and offset 0.
    #[inline(always)]
    fn finish(self, me: &Neighbor) -> FlockSums {
        let mut sums = FlockSums {
            away: Vec2::new(self.away_x.sum(), self.away_y.sum()),
            headings: Vec2::new(self.heading_x.sum(), self.heading_y.sum()) - me.heading,
            aligned: self.aligned.sum() - 1.0,
            offsets: Vec2::new(self.offset_x.sum(), self.offset_y.sum()),
            cohering: self.cohering.sum() - 1.0,
        };
        let on_my_spot = self.on_the_spot.sum() - 1.0;
        if on_my_spot > 0.0 {
            sums.away += on_my_spot * own_direction(me.id);
        }
        sums
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

impl FlockClass {
    /// The one-at-a-time walk for agents with a field of view, a group mask or a limit.
    fn sums_in_view(&self, neighbors: &Neighbors, me: &Neighbor) -> FlockSums {
        let mut sums = FlockSums::default();
        self.separation.visit(neighbors, me, |offset, _| {
            let near = fade(offset, self.separation.radius);
            let away = if offset.length_squared() < SPOT_SQUARED {
                own_direction(me.id)
            } else {
                -offset.normalize_or_zero()
            };
            sums.away += near * near * away;
        });
        self.alignment.visit(neighbors, me, |offset, other| {
            let aligned = fade(offset, self.alignment.radius);
            sums.headings += aligned * other.heading;
            sums.aligned += aligned;
        });
        self.cohesion.visit(neighbors, me, |offset, _| {
            let cohering = fade(offset, self.cohesion.radius);
            sums.offsets += cohering * offset;
            sums.cohering += cohering;
        });
        sums
    }
}

/// The sums of one look alone, for behaviors that an entity lends to an agent.
pub(crate) fn sums_of_look(
    neighbors: &Neighbors,
    me: &Agent,
    separation: Look,
    alignment: Look,
    cohesion: Look,
) -> FlockSums {
    FlockClass::new(separation, alignment, cohesion).sums_in_view(
        neighbors,
        &Neighbor {
            position: me.position,
            velocity: me.velocity,
            heading: me.heading,
            radius: me.radius,
            groups: SteeringGroups::ALL,
            id: me.id,
            entity: me.entity,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;
    use crate::perception::lanes::Portable;

    fn place_agents(places: &[Vec2], class: FlockClass) -> (Neighbors, Vec<FlockClass>) {
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
        (
            neighbors,
            vec![FlockClass::new(Look::NONE, Look::NONE, Look::NONE), class],
        )
    }

    fn look(radius: f32) -> Look {
        Look {
            radius,
            ..Look::NONE
        }
    }

    fn random_places(count: u32, side: f32) -> Vec<Vec2> {
        let mut dice = crate::RandomStream::new(3, SteeringId(0), 0);
        let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(side));
        (0..count).map(|_| dice.point_in(area)).collect()
    }

    fn bits(sums: &FlockSums) -> [u32; 8] {
        let [a, b] = sums.away.to_array();
        let [c, d] = sums.headings.to_array();
        let [e, f] = sums.offsets.to_array();
        [a, b, c, d, e, f, sums.aligned, sums.cohering].map(f32::to_bits)
    }

    #[test]
    fn the_sums_by_hand() {
        // One neighbor 1 m ahead, radii 2 m: u = 1 − 1/4 = 3/4.
        let class = FlockClass::new(look(2.0), look(2.0), look(2.0));
        let (neighbors, classes) = place_agents(&[Vec2::ZERO, Vec2::X], class);
        let mut sums = [FlockSums::default(); 2];
        walk_places(&neighbors, &classes, 0, &mut sums);
        let mine = sums[neighbors.place_of(0)];
        assert_close(mine.away, Vec2::new(-0.75 * 0.75, 0.0));
        assert_close(mine.headings, 0.75 * Vec2::from_angle(1.0));
        assert_close(mine.offsets, Vec2::new(0.75, 0.0));
        assert!((mine.aligned - 0.75).abs() < 1e-6 && (mine.cohering - 0.75).abs() < 1e-6);
    }

    #[test]
    fn alone_every_sum_is_exactly_zero() {
        let class = FlockClass::new(look(2.0), look(3.0), look(4.0));
        let (neighbors, classes) = place_agents(&[Vec2::new(3.7, -2.9)], class);
        let mut sums = [FlockSums::default()];
        walk_places(&neighbors, &classes, 0, &mut sums);
        assert_eq!(sums[0], FlockSums::default());
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let class = FlockClass::new(look(1.5), look(3.0), look(2.5));
        let (neighbors, classes) = place_agents(&random_places(500, 20.0), class);
        type WalkPlaces = fn(&Neighbors, &[FlockClass], usize, &mut [FlockSums]);
        let walked = |walk: WalkPlaces| {
            let mut sums = vec![FlockSums::default(); 500];
            walk(&neighbors, &classes, 0, &mut sums);
            sums.iter().map(bits).collect::<Vec<_>>()
        };
        let oracle = walked(walk_places_with::<Portable>);
        assert_eq!(walked(walk_places), oracle);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(walked(walk_places_with::<Sse2>), oracle);
    }

    #[test]
    fn eight_at_a_time_agrees_with_one_at_a_time() {
        let class = FlockClass::new(look(1.5), look(3.0), look(2.5));
        let (neighbors, classes) = place_agents(&random_places(500, 20.0), class);
        let mut sums = vec![FlockSums::default(); 500];
        walk_places(&neighbors, &classes, 0, &mut sums);
        for (place, sums) in sums.iter().enumerate() {
            let one_by_one = class.sums_in_view(&neighbors, neighbors.at(place));
            assert_close(sums.away, one_by_one.away);
            assert_close(sums.headings, one_by_one.headings);
            assert_close(sums.offsets, one_by_one.offsets);
        }
    }

    #[test]
    fn agents_on_one_spot_part() {
        let class = FlockClass::new(look(2.0), Look::NONE, Look::NONE);
        let (neighbors, classes) = place_agents(&[Vec2::ONE; 9], class);
        let mut sums = [FlockSums::default(); 9];
        walk_places(&neighbors, &classes, 0, &mut sums);
        for (i, a) in sums.iter().enumerate() {
            assert!(a.away.is_finite() && a.away.length() > 1.0);
            assert!(sums[i + 1..].iter().all(|b| a.away.distance(b.away) > 0.1));
        }
    }
}
