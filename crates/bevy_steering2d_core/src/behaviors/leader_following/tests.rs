//! Leaders and followers by hand, and runs without an app.

use super::*;
use crate::SteeringId;
use crate::behaviors::testing::Course;

fn neighbor(id: u32, x: f32) -> Neighbor {
    Neighbor {
        position: Vec2::new(x, 0.0),
        velocity: Vec2::X,
        heading: Vec2::X,
        radius: 0.5,
        groups: SteeringGroups::default(),
        id: SteeringId(id),
        entity: Entity::from_raw_u32(id).expect("a small index"),
    }
}

#[test]
fn the_highest_leader_above_the_agent_is_chosen_and_kept() {
    let (low, high) = ((3.0, neighbor(1, 1.0)), (5.0, neighbor(2, 9.0)));
    let leaders = Leaders(vec![high, low]);
    let choose = |radius, mine, present| {
        let view = NeighborView::around(&Agent::default(), radius, SteeringGroups::ALL);
        let chosen = leaders.choose(view, mine, present);
        chosen.map(|it| it.id.0)
    };
    assert_eq!(choose(12.0, 0.0, None), Some(2));
    assert_eq!(choose(5.0, 0.0, None), Some(1), "the other is out of range");
    assert_eq!(
        choose(12.0, 0.0, Some(low)),
        Some(1),
        "the present leader is kept"
    );
    assert_eq!(
        choose(12.0, 4.0, Some(low)),
        Some(2),
        "unless it is not above the agent"
    );
    assert_eq!(choose(5.0, 0.0, Some(high)), Some(1), "or too far away");
    assert_eq!(choose(12.0, 5.0, None), None, "an equal is no leader");
}

#[test]
fn leaders_are_sorted_by_rank_and_then_by_id() {
    let mut world = World::new();
    world.init_resource::<Leaders>();
    world.init_resource::<SteeringClock>();
    world.init_resource::<SteeringWarnings>();
    for (id, rank) in [(7, 1.0), (3, 1.0), (5, 2.0), (6, f32::NAN)] {
        let body = Kinematics {
            heading: Vec2::X,
            ..default()
        };
        world.spawn((Vehicle::default(), SteeringId(id), body, Leadership(rank)));
    }
    // Its body has not been sensed yet.
    let not_sensed = (Kinematics::default(), Leadership(9.0));
    world.spawn((Vehicle::default(), SteeringId(1), not_sensed));
    world.run_system_cached(index_leaders).expect("it runs");
    let Leaders(leaders) = world.resource();
    let ids: Vec<u32> = leaders.iter().map(|(_, leader)| leader.id.0).collect();
    assert_eq!(ids, [5, 3, 7]);
    let warned = world.resource::<SteeringWarnings>().recent();
    assert_eq!(warned.len(), 1, "of the one that is no number: {warned:?}");
    assert_eq!(warned[0].field, "Leadership");
}

#[test]
fn a_follower_ahead_of_its_leader_gives_way() {
    let leader = neighbor(1, 0.0);
    let at = |x, y| {
        let me = Agent {
            position: Vec2::new(x, y),
            ..default()
        };
        give_way_to_leader(&me, &leader, &LeaderFollowing::default())
    };
    assert!(at(1.0, 0.3).y > 1.0);
    assert!(at(1.0, -0.3).y < -1.0);
    assert!(at(2.5, 0.0).y > 1.0, "dead ahead, to the leader's left");
    assert!(at(1.0, 0.0).y > 1.0, "and so when it is near");
    assert_eq!(at(-1.0, 0.3), Vec2::ZERO, "behind it is not in the way");
    assert_eq!(at(1.0, 2.5), Vec2::ZERO);
}

#[test]
fn a_leader_that_turns_back_is_not_stopped() {
    // Followers at rest in its clear zone; it moves straight towards them.
    for y in [-0.4, -0.1, 0.0, 0.3] {
        let mut leader = Neighbor {
            velocity: 2.0 * Vec2::X,
            ..neighbor(1, 0.0)
        };
        let mut course = Course::new(60.0);
        course.agent.position = Vec2::new(3.0, y);
        for _ in 0..180 {
            let me = course.agent;
            course.step(leader_following(&me, &leader, &LeaderFollowing::default()));
            leader.position += leader.velocity * me.delta;
            let gap = leader.position.distance(course.agent.position) - 1.0;
            assert!(gap > 0.0, "from {y} m aside: {gap} m");
        }
        let behind = leader.position.x - course.agent.position.x;
        assert!(behind > 1.0, "from {y} m aside: {behind} m behind");
    }
}

#[test]
fn a_follower_keeps_pace_with_a_moving_leader() {
    let me = Agent {
        position: Vec2::new(-2.0, 0.0),
        velocity: Vec2::X,
        ..default()
    };
    let force = leader_following(&me, &neighbor(1, 0.0), &LeaderFollowing::default());
    assert!(force.length() < 1e-4, "{force}");
}

#[test]
fn a_follower_with_a_short_response_time_does_not_oscillate() {
    // The last one is that of `ThinkEvery(30)` at 60 Hz.
    for (hertz, response_time) in [(60.0, 1e-3), (30.0, 1e-3), (2.0, 0.25)] {
        let mut leader = neighbor(1, 0.0);
        let mut course = Course::new(hertz);
        course.agent = Agent {
            response_time,
            position: Vec2::new(-2.2, 0.0),
            velocity: Vec2::X,
            ..course.agent
        };
        for tick in 0..1_200 {
            let me = course.agent;
            course.step(leader_following(&me, &leader, &LeaderFollowing::default()));
            leader.position += leader.velocity * me.delta;
            let off = leader.position.x - 2.0 - course.agent.position.x;
            assert!(
                tick < 600 || off.abs() < 0.05,
                "{hertz} Hz, {response_time} s: {off} m off"
            );
        }
    }
}

#[test]
fn a_leader_at_rest_but_for_rounding_is_at_rest() {
    let me = Agent {
        position: Vec2::new(-2.2, 0.0),
        ..default()
    };
    let force = |speed: f32| {
        let leader = Neighbor {
            velocity: speed * Vec2::X,
            ..neighbor(1, 0.0)
        };
        leader_following(&me, &leader, &LeaderFollowing::default())
    };
    assert_eq!(force(0.0), Vec2::ZERO, "near enough");
    assert_eq!(force(1e-6), Vec2::ZERO);
}

#[test]
fn the_follow_point_and_the_clear_zone_equal_their_documented_lengths() {
    let how = LeaderFollowing::default();
    assert_eq!(
        how.place_behind(Vec2::new(5.0, 1.0), Vec2::Y),
        Vec2::new(5.0, -1.0)
    );
    // Radii 1 m, margins 1 m and 1 m, and 2 m in one second.
    assert_eq!(how.clear_zone(1.0, 2.0), Vec2::new(5.0, 2.0));
}

#[test]
fn a_follower_comes_up_to_a_slow_leader_and_no_nearer() {
    for (mass, speed) in [(1.0, 1.0), (5.0, 0.001), (10.0, 0.5), (20.0, 1.0)] {
        let mut leader = Neighbor {
            velocity: speed * Vec2::X,
            ..neighbor(1, 0.0)
        };
        let mut course = Course::new(60.0);
        course.agent.mass = mass;
        course.agent.position = Vec2::new(-20.0, 0.0);
        let mut least = f32::INFINITY;
        for _ in 0..60 * 30 {
            let me = course.agent;
            course.step(leader_following(&me, &leader, &LeaderFollowing::default()));
            leader.position += leader.velocity * me.delta;
            least = least.min(leader.position.x - course.agent.position.x - 1.0);
        }
        assert!(
            (0.95..1.05).contains(&least),
            "{mass} kg, {speed} m/s: {least} m"
        );
    }
}
