//! Separation, Alignment and Cohesion, and which neighbors count.

use bevy_steering2d::behaviors::*;

use super::*;

fn neighbor(position: Vec2, heading: Vec2) -> Neighbor {
    Neighbor {
        position,
        velocity: heading,
        heading,
        radius: 0.5,
        groups: SteeringGroups::ALL,
        id: SteeringId(1),
        entity: Entity::from_raw_u32(1).unwrap(),
    }
}

#[test]
fn separation_points_as_listed_and_fades_to_zero_at_the_radius() {
    let me = Agent::default(); // 20 N
    let side = Vec2::from_angle(0.7);
    // (d, ours / max_force, listed): u² with u = 1 − (d/2)², and 1/d.
    for (distance, ours, listed) in [
        (0.5, 0.878_906, 2.0),
        (1.0, 0.562_5, 1.0),
        (1.5, 0.191_406, 0.666_667),
        (2.0, 0.0, 0.5),
    ] {
        let near = neighbor(distance * side, Vec2::X);
        assert_equal(separation(&me, [near], 2.0), -20.0 * ours * side);
        assert_equal(listed::separation(&me, &[near]), -listed * side);
    }
    // Two equally distant neighbors: the sums have one direction.
    let two = [side, Vec2::Y].map(|place| neighbor(place, Vec2::X));
    let ours = separation(&me, two, 2.0);
    let listed = listed::separation(&me, &two);
    assert_equal(ours.normalize(), listed.normalize());
}

#[test]
fn alignment_is_the_listed_difference_for_one_neighbor_and_keeps_full_speed_for_more() {
    // At its full speed of 1 m/s the velocity is the heading.
    let me = Agent {
        velocity: Vec2::X,
        heading: Vec2::X,
        position: Vec2::ZERO,
        max_speed: 1.0,
        ..unit_agent()
    };
    for angle in [-3.0, -1.0, 0.4, 2.0] {
        let one = neighbor(Vec2::Y, Vec2::from_angle(angle));
        let listed = listed::alignment(&me, &[one]);
        // u = 1 − (1/4)²
        assert_equal(alignment(&me, [one], 4.0), 0.937_5 * listed);
    }
    // Neighbors that disagree by 60° to each side: the listing halves the speed.
    let two = [1.0, -1.0].map(|side| {
        let heading = Vec2::from_angle(side * std::f32::consts::FRAC_PI_3);
        neighbor(side * Vec2::Y, heading)
    });
    assert_equal(listed::alignment(&me, &two), Vec2::new(-0.5, 0.0));
    assert_equal(alignment(&me, two, 4.0), Vec2::ZERO);
}

#[test]
fn cohesion_points_to_the_listed_center_and_grows_with_its_distance() {
    let me = Agent::default(); // at rest, 20 N
    let one = [neighbor(Vec2::X, Vec2::X)];
    assert_equal(listed::cohesion(&me, &one), Vec2::X);
    // 20 N · 1/2 · u with u = 1 − (1/2)².
    assert_equal(cohesion(&me, one, 2.0), Vec2::new(7.5, 0.0));
    let two = [Vec2::X, Vec2::Y].map(|place| neighbor(place, Vec2::X));
    let [ours, listed] = [cohesion(&me, two, 2.0), listed::cohesion(&me, &two)];
    assert_equal(ours.normalize(), listed.normalize());
    // The listing also brakes the motion aside, ours does not.
    let moving = Agent {
        velocity: Vec2::new(0.0, 3.0),
        ..me
    };
    assert!(listed::cohesion(&moving, &one).y < -0.5);
    assert_eq!(cohesion(&moving, one, 2.0), cohesion(&me, one, 2.0));
}

/// `TagNeighbors` adds the neighbor's radius, 0.5 m, to the radius.
#[test]
fn neighbors_count_by_center_distance_where_the_listing_adds_their_radius() {
    let me = Agent::default();
    for distance in [1.9, 2.1, 2.4, 2.6] {
        let other = neighbor(distance * Vec2::Y, Vec2::X);
        let sees = |radius| NeighborView::around(&me, radius, SteeringGroups::ALL).sees(&other);
        let tagged = distance < 2.0 + other.radius;
        assert_eq!(sees(2.0), distance <= 2.0);
        assert_eq!(sees(2.0 + other.radius), tagged);
    }
}
