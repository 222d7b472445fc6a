//! The neighbor index: who is near whom.

use std::ops::Range;

use bevy::math::ops;
use bevy::prelude::*;
use smallvec::SmallVec;

use super::grid::Grid;
use super::lanes::LANES;
use crate::{Agent, Kinematics, SteeringId, Vehicle};

/// The groups an agent belongs to, one per bit. Absent means group 1 (`0b1`).
///
/// Behaviors with a `groups` mask see an agent when the two have a bit in common.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringGroups(pub u32);

impl SteeringGroups {
    /// In every group; as a mask, seeing everybody.
    pub const ALL: Self = Self(u32::MAX);
}

impl Default for SteeringGroups {
    fn default() -> Self {
        Self(1)
    }
}

/// An agent's place in the neighbor index. Required by every behavior that looks at neighbors;
/// `#[require(Perception)]` it on your own, and the index is kept.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct Perception {
    /// How far it usually looks, m, `≥ 0`: a hint for the size of the index's cells. Kept up to
    /// date by the built-in behaviors. Default `0`, no opinion.
    pub reach: f32,
    /// What the flock walk shall sum for it.
    pub(crate) class: u32,
    /// Its row among this tick's agents.
    pub(crate) row: u32,
}

impl Perception {
    pub(crate) const NOT_INDEXED: u32 = u32::MAX;
}

impl Default for Perception {
    fn default() -> Self {
        Self {
            reach: 0.0,
            class: 0,
            row: Self::NOT_INDEXED,
        }
    }
}

/// An agent as its neighbors see it this tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// World position, m.
    pub position: Vec2,
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Unit vector it last moved along.
    pub heading: Vec2,
    /// Radius of its bounding circle, m.
    pub radius: f32,
    /// Its groups.
    pub groups: SteeringGroups,
    /// Who it is.
    pub id: SteeringId,
    /// Its entity.
    pub entity: Entity,
}

/// Who looks, how far and how wide, and at whom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighborView {
    /// From where, m.
    pub position: Vec2,
    /// Which way, unit vector; matters when the field of view is less than a full circle.
    pub heading: Vec2,
    /// How far, m, `> 0`.
    pub radius: f32,
    /// The whole angle of the field of view, rad, `0..=2π`.
    pub field_of_view: f32,
    /// Whom to see.
    pub groups: SteeringGroups,
    /// Whom not to see: oneself.
    pub except: Entity,
}

impl NeighborView {
    /// All around an agent, `radius` m far.
    pub fn around(me: &Agent, radius: f32, groups: SteeringGroups) -> Self {
        Self {
            position: me.position,
            heading: me.heading,
            radius,
            field_of_view: f32::INFINITY,
            groups,
            except: me.entity,
        }
    }

    /// Whether the view includes a neighbor.
    #[inline]
    pub fn sees(&self, neighbor: &Neighbor) -> bool {
        let offset = neighbor.position - self.position;
        let distance_squared = offset.length_squared();
        neighbor.entity != self.except
            && distance_squared <= self.radius * self.radius
            && (neighbor.groups.0 & self.groups.0) != 0
            && self.faces(offset, distance_squared)
    }

    #[inline]
    fn faces(&self, offset: Vec2, distance_squared: f32) -> bool {
        let half = 0.5 * self.field_of_view;
        half >= std::f32::consts::PI
            || offset.dot(self.heading) >= ops::cos(half) * distance_squared.sqrt()
    }
}

/// All agents, sorted by place. Built every tick while any agent has a [`Perception`]; empty
/// otherwise. Use it as the [`World`](crate::Behavior::World) of a behavior of your own:
/// `type World = Res<'static, Neighbors>`.
#[derive(Resource, Debug, Default)]
pub struct Neighbors {
    grid: Grid,
    /// In the order of the query that gathered them.
    gathered: Vec<Neighbor>,
    points: Vec<Vec2>,
    classes_gathered: Vec<u32>,
    order: Vec<u32>,
    ranks: Vec<u32>,
    /// In canonical order: by cell, then by id.
    sorted: Vec<Neighbor>,
    /// The sorted agents' numbers that the flock walk reads, one array each and padded, so that
    /// eight fit in one load.
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) heading_x: Vec<f32>,
    pub(crate) heading_y: Vec<f32>,
    pub(crate) classes: Vec<u32>,
    pub(crate) cells: Vec<u32>,
}

impl Neighbors {
    /// Agents farther from the origin than this, or nowhere, are not seen, m.
    const FARTHEST: f32 = 1e15;
    /// The cells' side when nobody says how far it looks, m.
    const DEFAULT_CELL: f32 = 4.0;
    /// One for each exponent a float can have.
    const REACH_BUCKETS: usize = 256;

    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none, or nobody keeps the index.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Everybody in view, in canonical order.
    pub fn in_view(&self, view: NeighborView) -> impl Iterator<Item = &Neighbor> {
        self.ranges(view.position, view.radius)
            .into_iter()
            .flat_map(|range| &self.sorted[range])
            .filter(move |neighbor| view.sees(neighbor))
    }

    /// The up to `most` nearest in view, nearest first, equally near ones by id.
    pub fn nearest_in_view(&self, view: NeighborView, most: usize) -> SmallVec<[Neighbor; 16]> {
        let mut nearest: SmallVec<[(f32, Neighbor); 16]> = SmallVec::new();
        for neighbor in self.in_view(view) {
            let distance = neighbor.position.distance_squared(view.position);
            let nearer =
                |(other, who): &(f32, Neighbor)| (*other, who.id) < (distance, neighbor.id);
            let place = nearest.partition_point(nearer);
            if place < most {
                if nearest.len() == most {
                    nearest.pop();
                }
                nearest.insert(place, (distance, *neighbor));
            }
        }
        nearest.into_iter().map(|(_, neighbor)| neighbor).collect()
    }

    /// How many agents a look from `position` has to sift through, for diagnostics.
    pub fn candidates_within(&self, position: Vec2, radius: f32) -> usize {
        let ranges = self.ranges(position, radius);
        ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// The ranges of [`sorted`](Self::at) that contain everybody within `radius`.
    fn ranges(&self, position: Vec2, radius: f32) -> SmallVec<[Range<usize>; 16]> {
        let mut ranges = SmallVec::new();
        self.grid
            .ranges_around(position, radius * REACH_SLACK, |range| ranges.push(range));
        ranges
    }

    /// The agent at a sorted place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &Neighbor {
        &self.sorted[place]
    }

    /// The sorted place of a gathered row.
    #[inline]
    pub(crate) fn place_of(&self, row: u32) -> usize {
        self.ranks[row as usize] as usize
    }

    /// The candidates for the neighborhoods of all agents in a cell.
    #[inline]
    pub(crate) fn candidates(&self, cell: u32, radius: f32) -> Candidates {
        let mut candidates = Candidates::default();
        self.grid.ranges_around_cell(cell, radius, |range| {
            candidates.count += range.len();
            candidates.ranges.push(range);
        });
        candidates
    }

    /// An index over these agents and their classes, for tests.
    #[cfg(test)]
    pub(crate) fn of(agents: impl Iterator<Item = (Neighbor, u32)>, cell: f32) -> Self {
        let mut neighbors = Self::default();
        let mut bounds = Bounds::NOTHING;
        agents.for_each(|(agent, class)| neighbors.gather(agent, class, &mut bounds));
        neighbors.build(bounds.rect(), cell);
        neighbors
    }

    #[inline]
    fn gather(&mut self, agent: Neighbor, class: u32, bounds: &mut Bounds) {
        bounds.low = bounds.low.min(agent.position);
        bounds.high = bounds.high.max(agent.position);
        self.points.push(agent.position);
        self.classes_gathered.push(class);
        self.gathered.push(agent);
    }

    fn clear(&mut self) {
        self.gathered.clear();
        self.points.clear();
        self.classes_gathered.clear();
        self.sorted.clear();
    }

    /// Sorts what was gathered.
    fn build(&mut self, bounds: Rect, cell: f32) {
        self.grid
            .sort(&self.points, bounds, cell, &mut self.order, &mut self.ranks);
        for cell in self.grid.cells() {
            let order = &mut self.order[cell.clone()];
            let id = |&row: &u32| self.gathered[row as usize].id;
            if !order.is_sorted_by_key(id) {
                order.sort_unstable_by_key(id);
                for (place, &row) in cell.zip(order.iter()) {
                    self.ranks[row as usize] = place as u32;
                }
            }
        }
        let rows = || self.order.iter().map(|&row| row as usize);
        self.sorted.extend(rows().map(|row| self.gathered[row]));
        let pad = |lane: &mut Vec<f32>, of: fn(&Neighbor) -> f32| {
            lane.clear();
            lane.extend(self.sorted.iter().map(of));
            lane.resize(self.sorted.len() + LANES, 0.0);
        };
        pad(&mut self.x, |neighbor| neighbor.position.x);
        pad(&mut self.y, |neighbor| neighbor.position.y);
        pad(&mut self.heading_x, |neighbor| neighbor.heading.x);
        pad(&mut self.heading_y, |neighbor| neighbor.heading.y);
        self.cells.clear();
        self.cells.extend(self.grid.cells_in_order(&self.order));
        self.classes.clear();
        self.classes
            .extend(rows().map(|row| self.classes_gathered[row]));
    }
}

/// Makes up for rounding where a neighbor is exactly at the radius.
const REACH_SLACK: f32 = 1.000_1;

/// Ranges of sorted agents among which the neighbors of an agent are.
#[derive(Clone, Default)]
pub(crate) struct Candidates {
    pub(crate) ranges: SmallVec<[Range<usize>; 6]>,
    count: usize,
}

impl Candidates {
    /// In a crowd denser than this an agent looks at a sample of it, around itself in canonical
    /// order: ten thousand agents on one point cost a bounded time.
    const MOST: usize = 512;

    /// Whether the crowd is so dense that each agent must [take a sample](Self::sample).
    #[inline]
    pub(crate) fn are_too_many(&self) -> bool {
        self.count > Self::MOST
    }

    /// The agent at `place` and those around it, in each range its share.
    #[cold]
    pub(crate) fn sample(&self, place: usize) -> Self {
        let mut sample = self.clone();
        for range in &mut sample.ranges {
            let kept = (range.len() * Self::MOST / self.count).max(1);
            let latest = range.end - kept;
            let start = if range.contains(&place) {
                place.saturating_sub(kept / 2)
            } else {
                range.start + place % (range.len() - kept + 1)
            };
            let start = start.clamp(range.start, latest);
            *range = start..start + kept;
        }
        sample
    }
}

/// Rebuilds the index from this tick's bodies.
pub(crate) fn index_neighbors(
    mut neighbors: ResMut<Neighbors>,
    mut agents: Query<
        (
            Entity,
            &SteeringId,
            &Kinematics,
            Option<&SteeringGroups>,
            Option<&mut Perception>,
        ),
        With<Vehicle>,
    >,
    perceivers: Query<(), With<Perception>>,
) {
    let neighbors = &mut *neighbors;
    neighbors.clear();
    if perceivers.is_empty() {
        return;
    }
    let mut bounds = Bounds::NOTHING;
    let mut reach = ReachHistogram::default();
    for (entity, &id, body, groups, perception) in &mut agents {
        let seen = body.is_finite() && body.position.abs().max_element() < Neighbors::FARTHEST;
        let mut class = 0;
        if let Some(mut perception) = perception {
            let perception = perception.bypass_change_detection();
            perception.row = if seen {
                neighbors.points.len() as u32
            } else {
                Perception::NOT_INDEXED
            };
            class = perception.class;
            reach.add(perception.reach);
        }
        if !seen {
            continue;
        }
        let agent = Neighbor {
            position: body.position,
            velocity: body.velocity,
            heading: body.heading,
            radius: body.radius,
            groups: groups.copied().unwrap_or_default(),
            id,
            entity,
        };
        neighbors.gather(agent, class, &mut bounds);
    }
    let cell = reach.usual().unwrap_or(Neighbors::DEFAULT_CELL);
    neighbors.build(bounds.rect(), cell);
}

/// The box around all agents.
struct Bounds {
    low: Vec2,
    high: Vec2,
}

impl Bounds {
    const NOTHING: Self = Self {
        low: Vec2::INFINITY,
        high: Vec2::NEG_INFINITY,
    };

    fn rect(&self) -> Rect {
        Rect {
            min: self.low,
            max: self.high,
        }
    }
}

/// How far agents look, by powers of two: the usual reach makes the cells, and a single agent
/// that looks a hundred times as far does not spoil them for all.
struct ReachHistogram {
    counts: [u32; Neighbors::REACH_BUCKETS],
    longest: [f32; Neighbors::REACH_BUCKETS],
}

impl Default for ReachHistogram {
    fn default() -> Self {
        Self {
            counts: [0; Neighbors::REACH_BUCKETS],
            longest: [0.0; Neighbors::REACH_BUCKETS],
        }
    }
}

impl ReachHistogram {
    #[inline]
    fn add(&mut self, reach: f32) {
        if reach > 0.0 && reach < f32::INFINITY {
            // The exponent bits of a positive float.
            let bucket = (reach.to_bits() >> 23) as usize;
            self.counts[bucket] += 1;
            self.longest[bucket] = self.longest[bucket].max(reach);
        }
    }

    /// The longest reach of the fullest bucket, m.
    fn usual(&self) -> Option<f32> {
        let fullest = (0..Neighbors::REACH_BUCKETS).max_by_key(|&bucket| self.counts[bucket])?;
        (self.counts[fullest] > 0).then_some(self.longest[fullest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An index over bodies at these places; ids count up.
    fn index(places: &[Vec2], cell: f32) -> Neighbors {
        let agents = places.iter().enumerate().map(|(id, &position)| {
            let id = id as u32;
            let neighbor = Neighbor {
                position,
                velocity: Vec2::ZERO,
                heading: Vec2::X,
                radius: 0.5,
                groups: SteeringGroups(1 << (id % 3)),
                id: SteeringId(id),
                entity: Entity::from_raw_u32(id).expect("a small index"),
            };
            (neighbor, 0)
        });
        Neighbors::of(agents, cell)
    }

    fn view(me: &Neighbor, radius: f32) -> NeighborView {
        NeighborView {
            position: me.position,
            heading: me.heading,
            radius,
            field_of_view: f32::INFINITY,
            groups: SteeringGroups::ALL,
            except: me.entity,
        }
    }

    /// The oracle: looks at everybody.
    fn brute_force(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
        let mut ids: Vec<u32> = neighbors
            .gathered
            .iter()
            .filter(|neighbor| view.sees(neighbor))
            .map(|neighbor| neighbor.id.0)
            .collect();
        ids.sort_unstable();
        ids
    }

    fn found(neighbors: &Neighbors, view: NeighborView) -> Vec<u32> {
        let mut ids: Vec<u32> = neighbors.in_view(view).map(|it| it.id.0).collect();
        ids.sort_unstable();
        ids
    }

    fn assert_equals_brute_force(places: &[Vec2], cell: f32, radius: f32) {
        let neighbors = index(places, cell);
        for me in &neighbors.gathered {
            let view = view(me, radius);
            assert_eq!(found(&neighbors, view), brute_force(&neighbors, view));
        }
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![
            -20.0_f32..20.0,
            (-8_i32..8).prop_map(|i| i as f32 * 2.0), // on cell borders
            Just(0.0),
            Just(-1e9),
            Just(1e9),
        ]
    }

    proptest! {
        #[test]
        fn the_index_equals_brute_force(
            places in prop::collection::vec((coordinate(), coordinate()), 1..60),
            cell in 0.5_f32..5.0,
            radius in 0.1_f32..30.0,
        ) {
            let places: Vec<Vec2> = places.into_iter().map(Vec2::from).collect();
            assert_equals_brute_force(&places, cell, radius);
        }

        #[test]
        fn neighbors_on_cell_borders_are_found(
            places in prop::collection::vec((-6_i32..6, -6_i32..6), 1..80),
        ) {
            let places: Vec<Vec2> = places
                .into_iter()
                .map(|(x, y)| 2.0 * Vec2::new(x as f32, y as f32))
                .collect();
            assert_equals_brute_force(&places, 2.0, 2.0);
        }
    }

    #[test]
    fn two_agents_at_opposite_ends_of_the_world_need_little_memory() {
        let neighbors = index(&[Vec2::splat(-1e9), Vec2::splat(1e9)], 0.1);
        assert!(neighbors.grid.cells().count() <= 2);
        assert!(neighbors.grid.memory() <= 2 * 1024 + 16);
    }

    #[test]
    fn an_infinite_radius_sees_everybody_else() {
        let places: Vec<Vec2> = (0..50).map(|i| Vec2::new(i as f32 * 7.0, 0.0)).collect();
        let neighbors = index(&places, 1.0);
        let all = neighbors.in_view(view(&neighbors.gathered[0], f32::INFINITY));
        assert_eq!(all.count(), 49);
    }

    #[test]
    fn the_order_is_by_cell_then_id_however_they_were_gathered() {
        let places: Vec<Vec2> = (0..40)
            .map(|i| Vec2::new((i * 7 % 10) as f32, (i * 3 % 4) as f32))
            .collect();
        let mut one = index(&places, 3.0);
        let sorted = |neighbors: &Neighbors| {
            neighbors
                .sorted
                .iter()
                .map(|it| it.id.0)
                .collect::<Vec<_>>()
        };
        let before = sorted(&one);
        one.gathered.reverse();
        one.points.reverse();
        one.sorted.clear();
        one.build(Rect::from_corners(Vec2::ZERO, Vec2::new(9.0, 3.0)), 3.0);
        assert_eq!(sorted(&one), before);
        for (row, me) in one.gathered.iter().enumerate() {
            assert_eq!(one.sorted[one.place_of(row as u32)].id, me.id);
        }
    }

    #[test]
    fn the_nearest_come_first_and_ties_go_by_id() {
        let places = [0.0, 3.0, -1.0, 1.0, 2.0].map(|x| Vec2::new(x, 0.0));
        let neighbors = index(&places, 1.0);
        let nearest = neighbors.nearest_in_view(view(&neighbors.gathered[0], 9.0), 3);
        let ids: Vec<u32> = nearest.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, [2, 3, 4]);
    }

    #[test]
    fn groups_and_field_of_view_hide_neighbors() {
        let places = [Vec2::ZERO, Vec2::X, Vec2::NEG_X, Vec2::Y];
        let neighbors = index(&places, 1.0);
        let me = view(&neighbors.gathered[0], 2.0);
        let ahead = NeighborView {
            field_of_view: std::f32::consts::FRAC_PI_2,
            ..me
        };
        assert_eq!(found(&neighbors, ahead), [1]);
        let second_group = NeighborView {
            groups: SteeringGroups(0b010),
            ..me
        };
        assert_eq!(found(&neighbors, second_group), [1]);
        let nobody = NeighborView {
            groups: SteeringGroups(0),
            ..me
        };
        assert!(found(&neighbors, nobody).is_empty());
    }

    #[test]
    fn one_far_sighted_agent_does_not_spoil_the_cells() {
        let mut reach = ReachHistogram::default();
        (0..100).for_each(|_| reach.add(3.0));
        reach.add(3.5);
        reach.add(1e6);
        assert_eq!(reach.usual(), Some(3.5));
        assert_eq!(ReachHistogram::default().usual(), None);
    }

    #[test]
    fn a_clump_is_sampled_around_oneself() {
        let neighbors = index(&vec![Vec2::ZERO; 10_000], 1.0);
        for place in [0, 1, 5_000, 9_999] {
            let candidates = neighbors.candidates(neighbors.cells[place], 1.0);
            assert!(candidates.are_too_many());
            let sample = candidates.sample(place);
            let count: usize = sample.ranges.iter().map(ExactSizeIterator::len).sum();
            assert!(count <= Candidates::MOST);
            assert!(sample.ranges.iter().any(|range| range.contains(&place)));
        }
    }
}
