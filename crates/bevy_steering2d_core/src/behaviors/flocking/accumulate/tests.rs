//! Tests of the accumulation, against the formulas and among instruction sets.

use bevy_steering2d_kernel::simd::{Baseline, Portable};
use proptest::prelude::*;

use super::super::rule::{Rule, sum_over};
use super::super::{Alignment, Cohesion, Separation};
use super::*;
use crate::SteeringId;
use crate::behaviors::testing::assert_close;
use crate::perception::Neighbor;

fn place_agents(positions: &[Vec2], profiles: Vec<FlockProfile>) -> (Neighbors, FlockProfiles) {
    let gathered = positions.iter().enumerate().map(|(id, &position)| {
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

/// Each rule has another field of view and other groups.
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

fn random_positions(count: u32, side: f32) -> Vec<Vec2> {
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

/// The sums of agents at these positions.
fn sums_at(positions: &[Vec2], profile: FlockProfile) -> Vec<FlockSums> {
    let (neighbors, profiles) = place_agents(positions, vec![profile]);
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

/// The sums by the definition: one neighbor at a time, the nearest `max_neighbors` in view.
fn by_definition(neighbors: &Neighbors, slot: usize, rules: [Visibility; 3]) -> FlockSums {
    let me = neighbors.at(slot);
    fn sum<R: Rule>(neighbors: &Neighbors, me: &Neighbor, rule: Visibility) -> Sum {
        if rule.is_absent() {
            return Sum::zero();
        }
        let view = rule.view(&NeighborView {
            position: me.position,
            heading: me.heading,
            radius: 0.0,
            body_radius: me.radius,
            field_of_view: 0.0,
            groups: SteeringGroups::ALL,
            except: me.entity,
            id: me.id,
        });
        let nearest = neighbors.nearest_slots(view, rule.max_neighbors as usize);
        let nearest = nearest.into_iter().map(|slot| neighbors.at(slot));
        sum_over::<R>(me.position, nearest, rule.radius)
    }
    let mut sums = [
        sum::<Separation>(neighbors, &me, rules[0]),
        sum::<Alignment>(neighbors, &me, rules[1]),
        sum::<Cohesion>(neighbors, &me, rules[2]),
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
fn sums_equal_their_documented_formulas() {
    // One neighbor 1 m ahead, radii 2 m: u = 1 − 1/4 = 3/4.
    let [separation, alignment, cohesion] =
        sums_at(&[Vec2::ZERO, Vec2::X], seeing(2.0, 2.0, 2.0))[0];
    assert_close(separation.vector.into(), Vec2::new(0.75 * 0.75, 0.0));
    assert_close(alignment.vector.into(), 0.75 * Vec2::from_angle(1.0));
    assert_close(cohesion.vector.into(), Vec2::new(0.75, 0.0));
    assert!((alignment.weight - 0.75).abs() < 1e-6 && (cohesion.weight - 0.75).abs() < 1e-6);
}

#[test]
fn sums_are_exactly_zero_without_neighbors() {
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
    // In the small square every agent has too many candidates.
    for positions in [random_positions(501, 20.0), random_positions(1_200, 5.0)] {
        for profile in [
            seeing(1.5, 3.0, 2.5),
            seeing(3.0, 3.0, 3.0),
            half_blind(u32::MAX),
            half_blind(5),
        ] {
            let (neighbors, profiles) = place_agents(&positions, vec![profile]);
            let oracle = bits(&rows_with::<Portable>(&neighbors, &profiles));
            assert_eq!(bits(&rows_with::<Baseline>(&neighbors, &profiles)), oracle);
            let mut rows = vec![SumsRow::ZERO; neighbors.len()];
            dispatch(accumulate_all(&neighbors, &profiles, &mut rows));
            assert_eq!(bits(&rows), oracle);
        }
    }
}

#[test]
fn sums_are_independent_of_the_chunk_size() {
    let positions = random_positions(200, 12.0);
    let (neighbors, profiles) = place_agents(&positions, vec![seeing(1.5, 3.0, 2.5)]);
    let mut rows = vec![SumsRow::default(); 200];
    for (at, rows) in rows.chunks_mut(13).enumerate() {
        let first = 13 * at;
        let chunk = accumulate_all(&neighbors, &profiles, rows);
        Accumulate { first, ..chunk }.run::<Baseline>();
    }
    assert_eq!(rows, rows_with::<Baseline>(&neighbors, &profiles));
}

#[test]
fn sums_equal_the_definition() {
    let positions = random_positions(400, 18.0);
    for profile in [
        seeing(1.5, 3.0, 2.5),
        half_blind(u32::MAX),
        half_blind(4),
        at_most(7, 3.0),
    ] {
        let rules = profile.visibilities();
        let (neighbors, _) = place_agents(&positions, vec![profile.clone()]);
        for (slot, sums) in sums_at(&positions, profile).into_iter().enumerate() {
            assert_near(sums, by_definition(&neighbors, slot, rules));
        }
    }
}

#[test]
fn the_nearest_neighbors_of_a_dense_crowd_are_exact() {
    let positions = random_positions(3_000, 5.0);
    let profile = at_most(7, 3.0);
    let rules = profile.visibilities();
    let (neighbors, _) = place_agents(&positions, vec![profile.clone()]);
    let sums = sums_at(&positions, profile);
    for slot in (0..3_000).step_by(37) {
        assert_near(sums[slot], by_definition(&neighbors, slot, rules));
    }
}

#[test]
fn in_a_crowd_all_near_neighbors_count_and_a_sample_of_the_far_ones_stands_for_all() {
    let positions = random_positions(4_000, 60.0);
    let profile = seeing(2.0, 25.0, 30.0);
    let rules = profile.visibilities();
    let (neighbors, _) = place_agents(&positions, vec![profile.clone()]);
    let sums = sums_at(&positions, profile);
    for slot in (0..4_000).step_by(61) {
        let [separation, alignment, cohesion] = sums[slot];
        let exact = by_definition(&neighbors, slot, rules);
        assert_close(separation.vector.into(), exact[0].vector.into());
        for (sum, exact) in [(alignment, exact[1]), (cohesion, exact[2])] {
            let all = sum.weight / exact.weight;
            assert!((0.8..1.2).contains(&all), "{all}");
        }
        let center = |sum: Sum| Vec2::from(sum.vector) / sum.weight;
        let off = center(cohesion).distance(center(exact[2]));
        assert!(off < 3.0, "{off} m");
    }
}

#[test]
fn an_agent_in_no_group_does_not_count() {
    let profiles = [
        seeing(2.0, 3.0, 4.0),
        seeing(2.0, 2.0, 2.0),
        at_most(3, 2.0),
    ];
    for profile in profiles {
        let agent = |id: u32, groups| Neighbor {
            position: Vec2::new(id as f32, 0.0),
            velocity: Vec2::ZERO,
            heading: Vec2::X,
            radius: 0.5,
            groups,
            id: SteeringId(id),
            entity: Entity::from_raw_u32(id).expect("a small index"),
        };
        let agents = [SteeringGroups::default(), SteeringGroups::NONE];
        let agents = agents.into_iter().enumerate();
        let agents = agents.map(|(id, groups)| (agent(id as u32, groups), 1));
        let neighbors = Neighbors::of(agents, 4.0);
        let rows = rows_with::<Baseline>(&neighbors, &FlockProfiles::of(vec![profile]));
        let [seen, hidden] = [0, 1].map(|slot| SumsRow::sums(rows[slot].0, 0.0));
        assert_eq!(seen, FlockSums::default());
        assert_ne!(hidden, FlockSums::default(), "it sees the other one");
    }
}

#[test]
fn of_equally_near_neighbors_the_lower_ids_count() {
    let lattice = (0..100).map(|at| Vec2::new((at % 10) as f32, (at / 10) as f32));
    let positions: Vec<Vec2> = lattice.collect();
    for most in [2, 4, 6] {
        let profile = at_most(most, 3.0);
        let rules = profile.visibilities();
        let (neighbors, _) = place_agents(&positions, vec![profile.clone()]);
        for (slot, sums) in sums_at(&positions, profile).into_iter().enumerate() {
            assert_near(sums, by_definition(&neighbors, slot, rules));
        }
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
fn a_large_radius_within_a_clump_finds_all_that_are_beyond_it() {
    // The clump sets the cell size, so the agent with the large radius has many ranges.
    let column = (0..400).map(|i| Vec2::new(0.0, i as f32));
    let positions: Vec<Vec2> = column.chain(vec![Vec2::splat(0.5); 1_000]).collect();
    let profiles = vec![seeing(1.0, 1.0, 1.0), seeing(400.0, 400.0, f32::INFINITY)];
    let (mut neighbors, profiles) = place_agents(&positions, profiles);
    neighbors.columns.profiles[0] = 2;
    let rows = rows_with::<Baseline>(&neighbors, &profiles);
    assert!(rows.iter().flat_map(|it| it.0).all(f32::is_finite));
    // Within an infinite radius each one counts as much; the agent itself is at no offset.
    let me = neighbors.at(0).position;
    let others = positions.len() as f32 - 1.0;
    let offsets = positions.iter().map(|it| *it - me);
    let center = offsets.sum::<Vec2>() / others;
    let [.., cohesion] = SumsRow::sums(rows[0].0, 0.0);
    // A sample stands for all.
    let all = cohesion.weight / others;
    assert!((0.8..1.2).contains(&all), "{all}");
    let found = Vec2::from(cohesion.vector) / cohesion.weight;
    let off = found.distance(center);
    assert!(off < 0.2 * center.length(), "{found}, not {center}");
}

fn profile() -> impl Strategy<Value = [Visibility; 3]> {
    let rule = (0_u32..40, 1_u32..8, 1_u32..8).prop_map(|(tenths, groups, eighths)| Visibility {
        radius: tenths as f32 * 0.1,
        field_of_view: eighths as f32 * std::f32::consts::FRAC_PI_4,
        groups: SteeringGroups(groups),
        max_neighbors: u32::MAX,
    });
    prop::array::uniform3(rule)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One agent at a time, eight at a time, and with a limit that no agent reaches: for the same
    /// neighbors all give the same bits.
    #[test]
    fn every_path_gives_the_same_bits(
        cells in prop::collection::vec((0_u32..60, 0_u32..60), 1..250),
        rules in profile(),
    ) {
        let positions: Vec<Vec2> = cells
            .into_iter()
            .map(|(x, y)| 0.13 * Vec2::new(x as f32, y as f32))
            .collect();
        let limited = rules.map(|rule| Visibility { max_neighbors: 1_000, ..rule });
        let (neighbors, profiles) = place_agents(&positions, vec![
            FlockProfile::seeing(rules),
        ]);
        let eight = rows_with::<Baseline>(&neighbors, &profiles);
        let limited = FlockProfiles::of(vec![FlockProfile::seeing(limited)]);
        prop_assert_eq!(bits(&rows_with::<Baseline>(&neighbors, &limited)), bits(&eight));
        for (slot, row) in eight.iter().enumerate() {
            let me = neighbors.at(slot);
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
