//! The accumulation of neighbors: one pass in cell order that sums up what the three rules of a flock
//! add for every neighbor of every agent, eight candidates at a time.

use bevy::prelude::*;
use bevy_steering2d_kernel::simd::{Operation, Register, WIDTH, dispatch};

use super::gathered::Gathered;
use super::profile::{FlockProfile, FlockProfiles, Seeing, Visibility};
use super::rule::{FlockSums, Rule, Seen, Sum};
use super::visibility::{AllAround, InView, Marks, Nearest, Sight};
use super::{Alignment, Cohesion, Separation};
use crate::Agent;
use crate::parallel::{FLOCK_PASS, chunk_size, for_each_chunk, prefetch};
use crate::perception::{Candidates, NeighborView, Neighbors, Perception, SteeringGroups};

/// The sums of every agent of this tick, by place in the neighbor index.
#[derive(Resource, Debug, Default)]
pub(crate) struct AccumulatedSums {
    rows: Vec<SumsRow>,
}

/// The sums of one agent in half a cache line, since they are fetched in another order: the vectors
/// of the three rules, and the weights of the second and third.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(super) struct SumsRow(pub(super) [f32; WIDTH]);

impl SumsRow {
    const ZERO: Self = Self([0.0; WIDTH]);

    /// A row of sums, after neighbors on the agent's own spot got a direction.
    #[inline(always)]
    pub(super) fn columns<N: Copy>([first, second, third]: [Sum<N>; 3]) -> [N; WIDTH] {
        [
            first.vector[0],
            first.vector[1],
            second.vector[0],
            second.vector[1],
            second.weight,
            third.vector[0],
            third.vector[1],
            third.weight,
        ]
    }

    /// The sums in a row, or in eight columns of rows. `spot` is the weight of the first.
    #[inline(always)]
    pub(super) fn sums<N: Copy>(columns: [N; WIDTH], spot: N) -> [Sum<N>; 3] {
        let sum = |x: N, y: N, weight: N| Sum {
            vector: [x, y],
            weight,
        };
        let [a, b, c, d, e, f, g, h] = columns;
        [sum(a, b, spot), sum(c, d, e), sum(f, g, h)]
    }
}

impl AccumulatedSums {
    /// Prefetches the sums of an agent that is visited soon.
    #[inline]
    pub(super) fn prefetch(&self, perception: &Perception, neighbors: &Neighbors) {
        let place = neighbors.slot_of(perception);
        prefetch(place.and_then(|place| self.rows.get(place)));
    }

    /// The sums of an agent; zero for one that was not indexed.
    #[inline]
    pub(super) fn of(&self, perception: &Perception, neighbors: &Neighbors) -> &SumsRow {
        let place = neighbors.slot_of(perception);
        let row = place.and_then(|place| self.rows.get(place));
        row.unwrap_or(&SumsRow::ZERO)
    }
}

/// Accumulates the neighbors of every agent, in cell order: neighbors in the world are neighbors in
/// memory.
pub(super) fn accumulate_neighbors(
    mut sums: ResMut<AccumulatedSums>,
    profiles: Res<FlockProfiles>,
    neighbors: Res<Neighbors>,
) {
    if profiles.are_empty() {
        return;
    }
    // Every row is overwritten, so only their number matters.
    sums.rows.resize(neighbors.len(), default());
    let size = chunk_size(neighbors.len(), FLOCK_PASS);
    for_each_chunk(sums.rows.chunks_mut(size).enumerate(), |(at, rows)| {
        dispatch(Accumulate {
            neighbors: &neighbors,
            profiles: &profiles,
            first: at * size,
            rows,
        });
    });
}

/// The sums around one agent, for rules on behavior entities.
pub(super) fn sums_around(neighbors: &Neighbors, me: &Agent, rules: [Visibility; 3]) -> FlockSums {
    struct Around<'a>(&'a Neighbors, &'a Agent, FlockProfile);

    impl Operation for Around<'_> {
        type Output = FlockSums;

        #[inline(always)]
        fn run<R: Register>(self) -> FlockSums {
            let Self(neighbors, me, profile) = self;
            let Some(place) = neighbors.slot_near(me.position, me.entity) else {
                return default();
            };
            let mut pass = Pass::<R>::new(neighbors);
            pass.enter_cell(neighbors.cell_at(place));
            let row = pass.sums_at(place, &profile);
            SumsRow::sums(row.0, 0.0)
        }
    }

    dispatch(Around(neighbors, me, FlockProfile::seeing(rules)))
}

/// Accumulates the agents at the places from `first` on, one for each row.
struct Accumulate<'a> {
    neighbors: &'a Neighbors,
    profiles: &'a FlockProfiles,
    first: usize,
    rows: &'a mut [SumsRow],
}

impl Operation for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        let (neighbors, first) = (self.neighbors, self.first);
        let mut pass = Pass::<R>::new(neighbors);
        for (cell, places) in neighbors.cells_of(first..first + self.rows.len()) {
            pass.enter_cell(cell);
            for place in places {
                let profile = self.profiles.get(neighbors.columns.profiles[place]);
                self.rows[place - first] = if profile.radius > 0.0 {
                    pass.sums_at(place, profile)
                } else {
                    SumsRow::ZERO
                };
            }
        }
    }
}

/// The state of a pass over places.
struct Pass<'a, R> {
    neighbors: &'a Neighbors,
    candidates: Gathered,
    marks: Option<Box<Marks>>,
    cell: usize,
    /// The radius that the candidates were gathered for, m.
    gathered: f32,
    /// The candidates of a cell that has too many to gather all.
    too_many: Option<Candidates>,
    /// The last radius for which the number of cells around was computed, m.
    known: f32,
    around: i64,
    register: std::marker::PhantomData<R>,
}

impl<'a, R: Register> Pass<'a, R> {
    #[inline(always)]
    fn new(neighbors: &'a Neighbors) -> Self {
        Self {
            neighbors,
            candidates: Gathered::default(),
            marks: None,
            cell: 0,
            gathered: f32::NAN,
            too_many: None,
            known: f32::NAN,
            around: 0,
            register: std::marker::PhantomData,
        }
    }

    /// Agents in one cell with equal radii share their candidates.
    #[inline(always)]
    fn enter_cell(&mut self, cell: usize) {
        self.cell = cell;
        (self.gathered, self.too_many) = (f32::NAN, None);
    }

    #[inline(always)]
    fn sums_at(&mut self, place: usize, profile: &FlockProfile) -> SumsRow {
        self.gather(place, profile.radius);
        let at = self.neighbors.columns.at(place);
        match profile.seeing {
            Seeing::AllAround if profile.alike => self.sum::<true>(profile, place, at, &AllAround),
            Seeing::AllAround => self.sum::<false>(profile, place, at, &AllAround),
            Seeing::InView => {
                let view = self.view(place, profile);
                self.sum::<false>(profile, place, at, &view)
            }
            Seeing::Nearest => self.sum_nearest(profile, place, at),
        }
    }

    #[inline(always)]
    fn gather(&mut self, place: usize, radius: f32) {
        let neighbors = self.neighbors;
        let columns = neighbors.columns.slices();
        if radius != self.gathered {
            self.gathered = radius;
            if radius != self.known {
                (self.known, self.around) = (radius, neighbors.cells_within(radius));
            }
            let all = neighbors.ranges_around_cell(self.cell, self.around);
            let fits = self.candidates.gather::<R>(columns, all);
            self.too_many = (!fits).then(|| Candidates::find(neighbors, self.cell, self.around));
        }
        if let Some(candidates) = &self.too_many {
            self.candidates
                .gather::<R>(columns, candidates.sample(place));
        }
    }

    #[inline(always)]
    fn view(&self, place: usize, profile: &FlockProfile) -> InView<R> {
        let places = &self.neighbors.columns;
        let heading = [places.heading_x[place], places.heading_y[place]];
        InView::of(profile, heading, places.groups[place])
    }

    /// The sums over the nearest neighbors. In a cell with too many candidates just these are
    /// gathered.
    fn sum_nearest(&mut self, profile: &FlockProfile, place: usize, at: Vec2) -> SumsRow {
        let me = self.neighbors.at(place);
        let me = NeighborView {
            position: me.position,
            heading: me.heading,
            radius: 0.0,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            except: me.entity,
            id: me.id,
        };
        let rules = profile.visibilities();
        if self.too_many.is_some() {
            let nearest = self.nearest_of_any(rules, &me, place);
            let single = nearest.iter().map(|&place| place..place + 1);
            let columns = self.neighbors.columns.slices();
            self.candidates.gather::<R>(columns, single.clone());
            self.candidates.keep_ranges(single);
        } else {
            let all = self.neighbors.ranges_around_cell(self.cell, self.around);
            self.candidates.keep_ranges(all);
        }
        let mut marks = self.marks.take().unwrap_or_default();
        marks.mark(rules, self.neighbors, &me, Some(place), &self.candidates);
        let sight = Nearest {
            view: self.view(place, profile),
            marks: &marks,
        };
        let row = self.sum::<false>(profile, place, at, &sight);
        self.marks = Some(marks);
        row
    }

    /// The places of the nearest neighbors of each rule and of the agent itself, in order, at most
    /// as many as can be gathered.
    fn nearest_of_any(
        &self,
        rules: [Visibility; 3],
        me: &NeighborView,
        place: usize,
    ) -> Vec<usize> {
        let share = (Candidates::MOST - 1) / rules.len();
        let present = rules.iter().filter(|rule| !rule.is_absent());
        let mut places: Vec<usize> = present
            .flat_map(|rule| {
                let most = share.min(rule.max_neighbors as usize);
                self.neighbors.nearest_slots(rule.view(me), most)
            })
            .chain([place])
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The sums over the candidates that are visible, without the agent itself. `ALIKE` when one
    /// weight serves all rules.
    #[inline(always)]
    fn sum<const ALIKE: bool>(
        &self,
        profile: &FlockProfile,
        place: usize,
        at: Vec2,
        sight: &impl Sight<R>,
    ) -> SumsRow {
        let lanes = accumulate::<ALIKE, R, Separation, Alignment, Cohesion>(
            &self.candidates,
            profile.per_square,
            at,
            sight,
        );
        let spots = lanes[0].weight.sum();
        let all = R::sums(SumsRow::columns(lanes));
        // The agent is one of the candidates, with u = 1 and offset 0.
        let places = &self.neighbors.columns;
        let itself = Seen {
            offset: [0.0; 2],
            square: 0.0,
            heading: [places.heading_x[place], places.heading_y[place]],
        };
        let [first, second, third] = sight.of_itself();
        let itself = [
            Separation::contribution(&itself, first),
            Alignment::contribution(&itself, second),
            Cohesion::contribution(&itself, third),
        ];
        let others = all - R::load(&SumsRow::columns(itself), 0);
        let mut row = SumsRow::ZERO;
        others.store(&mut row.0, 0);
        let spots = spots - itself[0].weight;
        if spots > 0.0 {
            self.leave_spot(&mut row, place, spots);
        }
        row
    }

    #[cold]
    fn leave_spot(&self, row: &mut SumsRow, place: usize, spots: f32) {
        let mut sums = SumsRow::sums(row.0, spots);
        Separation::leave_spot(&mut sums[0], self.neighbors.at(place).id);
        *row = SumsRow(SumsRow::columns(sums));
    }
}

/// Adds up what three rules make of each candidate, in the lanes of registers. The agent at `at`
/// meets itself as well.
#[inline(always)]
fn accumulate<const ALIKE: bool, R: Register, A: Rule, B: Rule, C: Rule>(
    candidates: &Gathered,
    per_square: [f32; 3],
    at: Vec2,
    sight: &impl Sight<R>,
) -> [Sum<R>; 3] {
    let per_square = [
        R::splat(per_square[0]),
        R::splat(per_square[1]),
        R::splat(per_square[2]),
    ];
    let (x, y) = (R::splat(at.x), R::splat(at.y));
    let [mut a, mut b, mut c] = [Sum::zero(), Sum::zero(), Sum::zero()];
    for at in (0..candidates.count).step_by(WIDTH) {
        let offset = [
            R::load(&candidates.x, at) - x,
            R::load(&candidates.y, at) - y,
        ];
        let seen = Seen {
            offset,
            square: offset[0] * offset[0] + offset[1] * offset[1],
            heading: [
                R::load(&candidates.heading_x, at),
                R::load(&candidates.heading_y, at),
            ],
        };
        let first = weight(seen.square, per_square[0]);
        let u = |rule: usize| {
            let u = if ALIKE {
                first
            } else {
                weight(seen.square, per_square[rule])
            };
            sight.visible(rule, candidates, at, &seen, u)
        };
        a.add(A::contribution(&seen, u(0)));
        b.add(B::contribution(&seen, u(1)));
        c.add(C::contribution(&seen, u(2)));
    }
    [a, b, c]
}

/// `u = max(0, 1 − d²/r²)`
#[inline(always)]
fn weight<R: Register>(square: R, per_square: R) -> R {
    (R::splat(1.0) - square * per_square).max(R::zero())
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_kernel::simd::{Baseline, Portable};
    use proptest::prelude::*;

    use super::*;
    use crate::SteeringId;
    use crate::behaviors::testing::assert_close;
    use crate::perception::Neighbor;

    fn place_agents(places: &[Vec2], profiles: Vec<FlockProfile>) -> (Neighbors, FlockProfiles) {
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
        let neighbors = Neighbors::of(gathered, profiles[0].radius);
        (neighbors, FlockProfiles::of(profiles))
    }

    fn visibility(radius: f32) -> Visibility {
        Visibility {
            radius,
            ..Visibility::NONE
        }
    }

    fn seeing(separation: f32, alignment: f32, cohesion: f32) -> FlockProfile {
        FlockProfile::seeing([separation, alignment, cohesion].map(visibility))
    }

    /// Each rule sees another part of the surroundings.
    fn half_blind(max_neighbors: u32) -> FlockProfile {
        FlockProfile::seeing([0, 1, 2].map(|rule| Visibility {
            field_of_view: [1.5, 4.0, 7.0][rule],
            groups: SteeringGroups([0b011, 0b110, 0b101][rule]),
            max_neighbors,
            ..visibility([1.5, 3.0, 2.5][rule])
        }))
    }

    fn at_most(max_neighbors: u32, radius: f32) -> FlockProfile {
        FlockProfile::seeing(
            [Visibility {
                max_neighbors,
                ..visibility(radius)
            }; 3],
        )
    }

    fn random_places(count: u32, side: f32) -> Vec<Vec2> {
        let mut dice = crate::RandomStream::new(3, SteeringId(0), 0);
        let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(side));
        (0..count).map(|_| dice.point_in(area)).collect()
    }

    fn rows_with<R: Register>(neighbors: &Neighbors, profiles: &FlockProfiles) -> Vec<SumsRow> {
        let mut rows = vec![SumsRow([f32::NAN; WIDTH]); neighbors.len()];
        accumulate_all(neighbors, profiles, &mut rows).run::<R>();
        rows
    }

    fn accumulate_all<'a>(
        neighbors: &'a Neighbors,
        profiles: &'a FlockProfiles,
        rows: &'a mut [SumsRow],
    ) -> Accumulate<'a> {
        Accumulate {
            neighbors,
            profiles,
            first: 0,
            rows,
        }
    }

    /// The sums of agents at these places.
    fn sums_at(places: &[Vec2], profile: FlockProfile) -> Vec<FlockSums> {
        let (neighbors, profiles) = place_agents(places, vec![profile]);
        let rows = rows_with::<Baseline>(&neighbors, &profiles);
        rows.into_iter()
            .map(|row| SumsRow::sums(row.0, 0.0))
            .collect()
    }

    fn bits(rows: &[SumsRow]) -> Vec<u32> {
        rows.iter()
            .flat_map(|row| row.0.map(f32::to_bits))
            .collect()
    }

    /// The sums by the definition: neighbor after neighbor, the nearest `max_neighbors` in view.
    fn by_definition(neighbors: &Neighbors, place: usize, rules: [Visibility; 3]) -> FlockSums {
        let me = neighbors.at(place);
        let sum = |rule: Visibility, contribution: fn(&Seen<f32>, f32) -> Sum| {
            let mut sum = Sum::zero();
            if rule.is_absent() {
                return sum;
            }
            let view = rule.view(&NeighborView {
                position: me.position,
                heading: me.heading,
                radius: 0.0,
                field_of_view: 0.0,
                groups: SteeringGroups::ALL,
                except: me.entity,
                id: me.id,
            });
            for other in neighbors.nearest_slots(view, rule.max_neighbors as usize) {
                let other = neighbors.at(other);
                let offset = other.position - me.position;
                let square = offset.length_squared();
                let seen = Seen {
                    offset: offset.into(),
                    square,
                    heading: other.heading.into(),
                };
                let u = (1.0 - square / (rule.radius * rule.radius)).max(0.0);
                sum.add(contribution(&seen, u));
            }
            sum
        };
        let mut sums = [
            sum(rules[0], Separation::contribution),
            sum(rules[1], Alignment::contribution),
            sum(rules[2], Cohesion::contribution),
        ];
        Separation::leave_spot(&mut sums[0], me.id);
        sums
    }

    fn assert_near(a: FlockSums, b: FlockSums) {
        for (a, b) in a.iter().zip(b) {
            assert_close(a.vector.into(), b.vector.into());
        }
        assert!((a[1].weight - b[1].weight).abs() < 1e-3);
        assert!((a[2].weight - b[2].weight).abs() < 1e-3);
    }

    #[test]
    fn the_sums_by_hand() {
        // One neighbor 1 m ahead, radii 2 m: u = 1 − 1/4 = 3/4.
        let [separation, alignment, cohesion] =
            sums_at(&[Vec2::ZERO, Vec2::X], seeing(2.0, 2.0, 2.0))[0];
        assert_close(separation.vector.into(), Vec2::new(0.75 * 0.75, 0.0));
        assert_close(alignment.vector.into(), 0.75 * Vec2::from_angle(1.0));
        assert_close(cohesion.vector.into(), Vec2::new(0.75, 0.0));
        assert!((alignment.weight - 0.75).abs() < 1e-6 && (cohesion.weight - 0.75).abs() < 1e-6);
    }

    #[test]
    fn alone_every_sum_is_exactly_zero() {
        for profile in [
            seeing(2.0, 3.0, 4.0),
            seeing(2.0, 2.0, 2.0),
            at_most(3, 2.0),
        ] {
            let alone = sums_at(&[Vec2::new(3.7, -2.9)], profile);
            assert_eq!(alone, [FlockSums::default()]);
        }
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        // In the narrow square every agent has too many candidates.
        for places in [random_places(501, 20.0), random_places(1_200, 5.0)] {
            for profile in [
                seeing(1.5, 3.0, 2.5),
                seeing(3.0, 3.0, 3.0),
                half_blind(u32::MAX),
                half_blind(5),
            ] {
                let (neighbors, profiles) = place_agents(&places, vec![profile]);
                let oracle = bits(&rows_with::<Portable>(&neighbors, &profiles));
                assert_eq!(bits(&rows_with::<Baseline>(&neighbors, &profiles)), oracle);
                let mut rows = vec![SumsRow::ZERO; neighbors.len()];
                dispatch(accumulate_all(&neighbors, &profiles, &mut rows));
                assert_eq!(bits(&rows), oracle);
            }
        }
    }

    #[test]
    fn the_place_where_a_chunk_begins_does_not_matter() {
        let places = random_places(200, 12.0);
        let (neighbors, profiles) = place_agents(&places, vec![seeing(1.5, 3.0, 2.5)]);
        let mut rows = vec![SumsRow::default(); 200];
        for (at, rows) in rows.chunks_mut(13).enumerate() {
            let first = 13 * at;
            let chunk = accumulate_all(&neighbors, &profiles, rows);
            Accumulate { first, ..chunk }.run::<Baseline>();
        }
        assert_eq!(rows, rows_with::<Baseline>(&neighbors, &profiles));
    }

    #[test]
    fn the_sums_are_those_of_the_definition() {
        let places = random_places(400, 18.0);
        for profile in [
            seeing(1.5, 3.0, 2.5),
            half_blind(u32::MAX),
            half_blind(4),
            at_most(7, 3.0),
        ] {
            let rules = profile.visibilities();
            let (neighbors, _) = place_agents(&places, vec![profile.clone()]);
            for (place, sums) in sums_at(&places, profile).into_iter().enumerate() {
                assert_near(sums, by_definition(&neighbors, place, rules));
            }
        }
    }

    #[test]
    fn the_nearest_of_a_dense_crowd_are_found_among_all_of_it() {
        let places = random_places(3_000, 5.0);
        let profile = at_most(7, 3.0);
        let rules = profile.visibilities();
        let (neighbors, _) = place_agents(&places, vec![profile.clone()]);
        let sums = sums_at(&places, profile);
        for place in (0..3_000).step_by(37) {
            assert_near(sums[place], by_definition(&neighbors, place, rules));
        }
    }

    #[test]
    fn agents_on_one_spot_leave_it_in_different_directions() {
        let profile = FlockProfile::seeing([visibility(2.0), Visibility::NONE, Visibility::NONE]);
        let away: Vec<Vec2> = sums_at(&[Vec2::ONE; 9], profile)
            .into_iter()
            .map(|sums| sums[0].vector.into())
            .collect();
        for (i, a) in away.iter().enumerate() {
            assert!(a.is_finite() && a.length() > 1.0);
            assert!(away[i + 1..].iter().all(|b| a.distance(*b) > 0.1));
        }
    }

    #[test]
    fn ten_thousand_agents_on_one_spot_have_finite_sums() {
        for profile in [seeing(2.0, 2.0, 2.0), half_blind(u32::MAX), at_most(7, 2.0)] {
            let sums = sums_at(&[Vec2::ONE; 10_000], profile);
            assert!(
                sums.iter()
                    .flatten()
                    .all(|sum| Vec2::from(sum.vector).is_finite())
            );
        }
    }

    #[test]
    fn a_large_radius_within_a_clump_is_possible() {
        // The clump sets the cell size, so the agent with the large radius has many ranges.
        let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
        let places: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 1_000]).collect();
        let profiles = vec![seeing(1.0, 1.0, 1.0), seeing(400.0, 400.0, f32::INFINITY)];
        let (mut neighbors, profiles) = place_agents(&places, profiles);
        neighbors.columns.profiles[0] = 2;
        let rows = rows_with::<Baseline>(&neighbors, &profiles);
        assert!(rows.iter().flat_map(|it| it.0).all(f32::is_finite));
    }

    fn profile() -> impl Strategy<Value = [Visibility; 3]> {
        let rule =
            (0_u32..40, 1_u32..8, 1_u32..8).prop_map(|(tenths, groups, eighths)| Visibility {
                radius: tenths as f32 * 0.1,
                field_of_view: eighths as f32 * std::f32::consts::FRAC_PI_4,
                groups: SteeringGroups(groups),
                max_neighbors: u32::MAX,
            });
        prop::array::uniform3(rule)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// One agent at a time, eight at a time, and with a limit that no agent reaches: wherever they
        /// see the same neighbors, all give the same bits.
        #[test]
        fn every_path_gives_the_same_bits(
            cells in prop::collection::vec((0_u32..60, 0_u32..60), 1..250),
            rules in profile(),
        ) {
            let places: Vec<Vec2> = cells
                .into_iter()
                .map(|(x, y)| 0.13 * Vec2::new(x as f32, y as f32))
                .collect();
            let limited = rules.map(|rule| Visibility { max_neighbors: 1_000, ..rule });
            let (neighbors, profiles) = place_agents(&places, vec![
                FlockProfile::seeing(rules),
            ]);
            let eight = rows_with::<Baseline>(&neighbors, &profiles);
            let limited = FlockProfiles::of(vec![FlockProfile::seeing(limited)]);
            prop_assert_eq!(bits(&rows_with::<Baseline>(&neighbors, &limited)), bits(&eight));
            for (place, row) in eight.iter().enumerate() {
                let me = neighbors.at(place);
                let me = Agent {
                    entity: me.entity,
                    id: me.id,
                    position: me.position,
                    heading: me.heading,
                    ..default()
                };
                let one = sums_around(&neighbors, &me, rules);
                prop_assert_eq!(SumsRow::columns(one).map(f32::to_bits), row.0.map(f32::to_bits));
            }
        }
    }
}
