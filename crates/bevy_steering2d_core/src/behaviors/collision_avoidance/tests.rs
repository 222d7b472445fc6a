//! Evasive accelerations by hand, and pairs of agents without an app.

use bevy_steering2d_kernel::simd::Portable;
use proptest::prelude::*;

use super::*;
use crate::behaviors::arrive::arrive;
use crate::behaviors::testing::Course;
use crate::locomotion::Wheeled;
use crate::locomotion::testing::Drive;
use crate::{Braking, SteeringId};

fn neighbor(position: Vec2, velocity: Vec2) -> Neighbor {
    Neighbor {
        position,
        velocity,
        heading: velocity.normalize_or(Vec2::X),
        radius: 0.5,
        groups: SteeringGroups::default(),
        id: SteeringId(1),
        entity: Entity::PLACEHOLDER,
    }
}

fn walker() -> Agent {
    Agent {
        velocity: Vec2::new(2.0, 0.0),
        ..default()
    }
}

#[test]
fn only_neighbors_with_a_predicted_contact_count() {
    let avoid = |other| giving_way(&walker(), &other, 2.0, 0.0);
    let passing = neighbor(Vec2::new(4.0, 1.1), Vec2::new(-2.0, 0.0));
    assert_eq!(avoid(passing), Vec2::ZERO, "misses by more than the radii");
    let leaving = neighbor(Vec2::new(-4.0, 0.0), Vec2::new(-2.0, 0.0));
    assert_eq!(avoid(leaving), Vec2::ZERO);
    let late = neighbor(Vec2::new(20.0, 0.0), Vec2::new(-2.0, 0.0));
    assert_eq!(avoid(late), Vec2::ZERO, "beyond the horizon");
    let beside = neighbor(Vec2::new(0.0, 2.0), Vec2::new(2.0, 0.0));
    assert_eq!(avoid(beside), Vec2::ZERO, "same velocity, no approach");
}

#[test]
fn collision_avoidance_equals_its_documented_formula() {
    // r = (4, 0.6), w = (−4, 0), clearance 1: they touch when 4 − 4τ = √(1 − 0.6²) = 0.8, so
    // τ = 0.8 s, and miss by 0.6, so 0.4 m are missing. a = 2 · 0.4 / 0.64 = 1.25 m/s², faded
    // by 1 − 0.8/2: 0.75 down and a braking share along w. The walker weighs 1 kg.
    let other = neighbor(Vec2::new(4.0, 0.6), Vec2::new(-2.0, 0.0));
    let how = CollisionAvoidance::default().with_margin(0.0);
    let force = collision_avoidance(&walker(), [other], &how);
    let expected = 0.75 * (Vec2::NEG_Y + BRAKING_SHARE * Vec2::NEG_X);
    assert!((force - expected).length() < 1e-4, "{force}");
}

#[test]
fn on_nearly_parallel_ways_the_one_behind_brakes_and_the_one_ahead_speeds_up() {
    for ahead in [0.6, -0.6] {
        let other = neighbor(Vec2::new(ahead, 1.2), Vec2::new(2.0, -0.6));
        let force = giving_way(&walker(), &other, 2.0, 0.0);
        assert!(
            force.x * ahead < -0.1 && force.y < 0.0,
            "{ahead} m: {force}"
        );
    }
}

#[test]
fn a_neighbor_that_crosses_behind_does_not_count() {
    // The paths cross, but not at the same time.
    let other = neighbor(Vec2::new(1.0, 6.0), Vec2::new(0.0, -2.0));
    assert_eq!(giving_way(&walker(), &other, 4.0, 0.0), Vec2::ZERO);
}

#[test]
fn agents_keep_right_in_a_head_on_approach() {
    let other = neighbor(Vec2::new(4.0, 0.0), Vec2::new(-2.0, 0.0));
    let mine = giving_way(&walker(), &other, 3.0, 0.0);
    let they = Agent {
        position: other.position,
        velocity: other.velocity,
        ..default()
    };
    let me = neighbor(Vec2::ZERO, walker().velocity);
    let theirs = giving_way(&they, &me, 3.0, 0.0);
    assert!(mine.y < -0.01, "{mine}");
    assert!(
        (mine + theirs).length() < 1e-5,
        "{mine} and {theirs} mirror each other"
    );
}

#[test]
fn the_force_fades_in_at_the_horizon_and_at_the_margin() {
    let avoid = |x: f32, y: f32| {
        let other = neighbor(Vec2::new(x, y), Vec2::new(-2.0, 0.0));
        giving_way(&walker(), &other, 2.0, 0.0).length()
    };
    assert!(avoid(8.86, 0.5) < 1e-2, "{}", avoid(8.86, 0.5));
    assert!(avoid(4.0, 0.9999) < 1e-2, "{}", avoid(4.0, 0.9999));
}

#[test]
fn braking_is_continuous_into_the_margin() {
    // Margin 0.1: half of it is left, less the way of an update at a closing speed of 1 m/s:
    // 1 / (2 · (0.05 − 1/60)) = 15 m/s². The push, 20 / 4 · (1 + 1.2) m/s², is weaker.
    let slow = Agent {
        velocity: Vec2::X,
        ..default()
    };
    let other = neighbor(Vec2::new(1.05, 0.0), Vec2::ZERO);
    let force = giving_way(&slow, &other, 2.0, 0.1);
    assert!((force.x + 15.0).abs() < 1e-3, "{force}");
    // The force does not drop at the edge of the margin.
    let at = |x| {
        let other = neighbor(Vec2::new(x, 0.0), Vec2::new(-1.0, 0.0));
        giving_way(&slow, &other, 2.0, 0.1).length()
    };
    assert!(
        at(1.0999) > 0.8 * at(1.1001),
        "{} {}",
        at(1.0999),
        at(1.1001)
    );
}

#[test]
fn two_agents_that_arrive_at_one_point_come_to_rest_side_by_side() {
    for (hertz, mass) in [
        (30.0, 1.0),
        (60.0, 0.5),
        (60.0, 1.0),
        (60.0, 4.0),
        (240.0, 4.0),
    ] {
        let mut pair = [(-4.0, 0.3), (4.0, -0.2)].map(|position| {
            let mut course = Course::new(hertz);
            course.agent.mass = mass;
            course.agent.position = position.into();
            course
        });
        for _ in 0..(20.0 * hertz) as u32 {
            let [a, b] = [0, 1].map(|index: usize| pair[index].agent);
            let forces = [(a, b), (b, a)].map(|(me, it)| {
                let other = neighbor(it.position, it.velocity);
                let avoiding = me.push(giving_way(&me, &other, 2.0, 0.1));
                let rest = me.max_force - avoiding.length();
                let arriving = arrive(&me, Vec2::ZERO, Braking::Physical, 0.1);
                avoiding + arriving.clamp_length_max(rest)
            });
            pair.iter_mut()
                .zip(forces)
                .for_each(|(it, force)| it.step(force));
            let [a, b] = [0, 1].map(|index: usize| pair[index].agent);
            let gap = a.position.distance(b.position) - a.radius - b.radius;
            assert!(gap > 0.0, "{mass} kg at {hertz} Hz: {gap} m");
        }
        let [a, b] = pair.map(|it| it.agent.speed());
        assert!(a.max(b) < 1e-3, "{mass} kg at {hertz} Hz: {a} and {b} m/s");
    }
}

#[test]
fn creeping_agents_are_not_kicked() {
    let me = Agent {
        velocity: Vec2::new(0.005, 0.0),
        ..default()
    };
    for x in [1.0995, 1.1005] {
        let other = neighbor(Vec2::new(x, 0.0), Vec2::ZERO);
        let acceleration = giving_way(&me, &other, 2.0, 0.1).length();
        assert!(acceleration < 0.1, "{x} m: {acceleration} m/s²");
    }
}

#[test]
fn agents_on_one_spot_move_in_opposite_directions() {
    let other = neighbor(Vec2::ZERO, Vec2::ZERO);
    let me = Agent::default();
    let mine = giving_way(&me, &other, 2.0, 0.0);
    assert_eq!(mine, me.max_acceleration() * Vec2::X);
    let it = Agent {
        id: SteeringId(2),
        ..me
    };
    let its = giving_way(&it, &other, 2.0, 0.0);
    assert_eq!(its, -mine);
}

#[test]
fn closest_approach_is_where_both_will_be_nearest() {
    let how = CollisionAvoidance::default();
    // Head-on at 4 m/s with a lateral offset of 0.5 m: nearest after 1 s.
    let oncoming = neighbor(Vec2::new(4.0, 0.5), Vec2::new(-2.0, 0.0));
    let (mine, its) = how.closest_approach(&walker(), &oncoming).unwrap();
    assert!(mine.distance(Vec2::new(2.0, 0.0)) < 1e-5, "{mine}");
    assert!(its.distance(Vec2::new(2.0, 0.5)) < 1e-5, "{its}");
    let passing = neighbor(Vec2::new(4.0, 3.0), Vec2::new(-2.0, 0.0));
    assert_eq!(how.closest_approach(&walker(), &passing), None);
}

#[test]
fn a_slow_car_brakes_where_it_cannot_steer() {
    let mut car = Drive::car(Wheeled::default(), 60.0);
    let aside = Vec2::new(0.0, 4.0);
    car.body.velocity = Vec2::new(1.0, 0.0);
    let slow = steerable_acceleration(&car.agent(), aside);
    // On its turning circle: 1² / 3.72 m = 0.27 m/s².
    assert!((slow.y - 0.269).abs() < 1e-2 && slow.x < -3.0, "{slow}");
    // In an update of half a second 2 m/s² stop it.
    let seldom = Agent {
        delta: 0.5,
        ..car.agent()
    };
    let slow = steerable_acceleration(&seldom, aside);
    assert!((slow.x + 2.0).abs() < 1e-3, "{slow}");
    car.body.velocity = Vec2::new(8.0, 0.0);
    assert_eq!(
        steerable_acceleration(&car.agent(), aside),
        aside,
        "it can steer as hard"
    );
    assert_eq!(steerable_acceleration(&Agent::default(), aside), aside);
}

#[test]
fn the_horizon_of_a_car_is_its_stopping_time() {
    let mut car = Drive::car(Wheeled::default(), 60.0);
    car.body.velocity = Vec2::new(14.0, 0.0);
    // 14 / 8 + 0.25 s.
    assert!((horizon_of(&car.agent(), 0.5) - 2.0).abs() < 1e-3);
    assert_eq!(horizon_of(&walker(), 0.5), 0.5);
}

proptest! {
    #[test]
    fn the_search_finds_every_neighbor_that_the_agent_gives_way_to(
        bodies in prop::collection::vec(
            ((-6.0..6.0_f32, -6.0..6.0_f32), (-3.0..3.0_f32, -3.0..3.0_f32)),
            1..60,
        ),
    ) {
        let at = |row: usize| SteeringId(row as u32 + 1);
        let agents = bodies.iter().enumerate().map(|(row, &(position, velocity))| Neighbor {
            id: at(row),
            ..neighbor(position.into(), velocity.into())
        });
        let mut index = Neighbors::of(agents.clone().map(|agent| (agent, 0)), 2.0);
        index.index_motions();
        let me = Agent { id: SteeringId(0), ..walker() };
        let view = NeighborView {
            except: Entity::from_raw_u32(7).unwrap(),
            ..NeighborView::around(&me, 6.0, SteeringGroups::ALL)
        };
        let gives_way = |it: &&Neighbor| giving_way(&me, it, 2.0, 0.1) != Vec2::ZERO;
        let count = |found: Vec<Neighbor>| {
            found.iter().filter(gives_way).map(|it| it.id).collect::<Vec<_>>()
        };
        // Within the margin an agent does not give way to one that leaves fast.
        let is_near = |it: &Neighbor| it.position.distance(me.position) < me.radius + it.radius + 0.1;
        let all = count(index.in_view(view).collect());
        let mut found = Vec::new();
        let may_touch = may_touch::<Portable>(&me, &index, 2.0, 0.1);
        index.for_each_in_view_that::<Portable>(view, may_touch, |it| found.push(it));
        prop_assert!(found.iter().all(|it| is_near(it) || gives_way(&it)), "and no other");
        prop_assert_eq!(count(found), all);
    }
}
