//! Flocks, crowds and queues: agents that sense each other as neighbors.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{
    Alignment, Cohesion, CrowdPathFollowing, Flocking, Neighbors, PathFollowingMemory, Perception,
    Queuing, Separation, SteeringGroups, SteeringWarnings,
};

use crate::common::{HERTZ, get, point_mass_app, position, run_seconds, run_ticks, velocity};

/// Random positions in a square around the origin.
pub fn scatter(count: u32, side: f32, seed: u64) -> Vec<Vec2> {
    let mut dice = RandomStream::new(seed, SteeringId(0), 0);
    let square = Rect::from_center_size(Vec2::ZERO, Vec2::splat(side));
    (0..count).map(|_| dice.point_in(square)).collect()
}

fn boid(place: Vec2, heading: f32) -> impl Bundle {
    (
        Transform::from_translation(place.extend(0.0)),
        PointMass {
            velocity: 2.0 * Vec2::from_angle(heading),
            mass: 1.0,
        },
        Flocking::default(),
    )
}

/// Length of the mean heading: 1 when all headings agree, near 0 when they are random.
fn order(app: &mut App) -> f32 {
    let world = app.world_mut();
    let headings: Vec<Vec2> = world
        .query::<&Kinematics>()
        .iter(world)
        .map(|body| body.heading)
        .collect();
    (headings.iter().sum::<Vec2>() / headings.len() as f32).length()
}

#[test]
fn a_flock_aligns_its_headings() {
    let mut app = point_mass_app(HERTZ);
    for (index, place) in scatter(100, 14.0, 5).into_iter().enumerate() {
        app.world_mut().spawn(boid(place, index as f32));
    }
    run_ticks(&mut app, 2);
    let before = order(&mut app);
    run_seconds(&mut app, 20.0);
    let after = order(&mut app);
    assert!(before < 0.3 && after > 0.9, "{before} → {after}");
}

#[test]
fn a_neighbor_at_rest_counts_with_its_facing() {
    let mut app = point_mass_app(HERTZ);
    let north = Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2));
    app.world_mut()
        .spawn((north, PointMass::default(), Vehicle::default()));
    let me = (PointMass::default(), Alignment::default());
    let me = app.world_mut().spawn(me).id();
    run_ticks(&mut app, 5);
    assert!(velocity(&app, me).y > 0.1, "{}", velocity(&app, me));
}

#[test]
fn a_lone_boid_gets_no_force() {
    let mut app = point_mass_app(HERTZ);
    let lone = app.world_mut().spawn(boid(Vec2::ONE, 0.3)).id();
    run_ticks(&mut app, 10);
    assert_eq!(velocity(&app, lone), 2.0 * Vec2::from_angle(0.3));
}

#[test]
fn coincident_agents_separate() {
    let mut app = point_mass_app(HERTZ);
    let agents: Vec<Entity> = (0..50)
        .map(|_| {
            let body = (PointMass::default(), Separation::default());
            app.world_mut().spawn(body).id()
        })
        .collect();
    run_seconds(&mut app, 5.0);
    for (i, &a) in agents.iter().enumerate() {
        for &b in &agents[i + 1..] {
            let distance = position(&app, a).distance(position(&app, b));
            assert!(distance > 0.3, "{a} and {b} are {distance} m apart");
        }
    }
}

#[test]
fn an_agent_at_an_invalid_position_does_not_change_its_flock() {
    let bits = |invalid: bool| {
        let mut app = point_mass_app(HERTZ);
        let flock: Vec<Entity> = scatter(1_200, 60.0, 1)
            .into_iter()
            .enumerate()
            .map(|(id, place)| {
                let id = id as u32;
                let boid = (boid(place, id as f32), SteeringId(id));
                app.world_mut().spawn(boid).id()
            })
            .collect();
        if invalid {
            app.world_mut()
                .spawn((boid(Vec2::NAN, 0.0), SteeringId(5_000)));
        }
        run_ticks(&mut app, 60);
        let coordinates = flock
            .iter()
            .flat_map(|&it| position(&app, it).to_array())
            .map(f32::to_bits);
        coordinates.collect::<Vec<_>>()
    };
    assert_eq!(bits(true), bits(false));
}

/// Two crowds of twelve with default vehicles meet on a bent path. Returns the deepest overlap, as
/// a share of the radius, and the mean distance that the first crowd has moved along the path, m.
fn crowds_meet_on_a_road(walk: impl Fn(Entity) -> CrowdPathFollowing) -> (f32, f32) {
    const BENDS: [Vec2; 3] = [Vec2::ZERO, Vec2::new(40.0, 0.0), Vec2::new(60.0, 30.0)];
    let mut app = point_mass_app(HERTZ);
    let mut walkers = Vec::new();
    for points in [BENDS.to_vec(), BENDS.into_iter().rev().collect()] {
        let path = SteeringPath::open(points).unwrap();
        let along = path.direction(0);
        let begin = path.points()[0];
        let road = app.world_mut().spawn(path).id();
        for i in 0..12 {
            let (row, lane) = ((i / 3) as f32, (i % 3) as f32 - 1.0);
            let place = begin - 3.0 * row * along + 1.8 * lane * along.perp();
            let walker = (
                Transform::from_translation(place.extend(0.0)),
                PointMass::default(),
                walk(road),
            );
            walkers.push(app.world_mut().spawn(walker).id());
        }
    }
    let mut deepest: f32 = 0.0;
    for _ in 0..60 * 14 {
        run_ticks(&mut app, 1);
        let places: Vec<Vec2> = walkers.iter().map(|&it| position(&app, it)).collect();
        for (i, a) in places.iter().enumerate() {
            for b in &places[i + 1..] {
                let overlap = 2.0 * PointMass::RADIUS - a.distance(*b);
                deepest = deepest.max(overlap / PointMass::RADIUS);
            }
        }
    }
    let come = |it: &Entity| {
        app.world()
            .get::<PathFollowingMemory>(*it)
            .unwrap()
            .distance
    };
    (deepest, walkers[..12].iter().map(come).sum::<f32>() / 12.0)
}

#[test]
fn crowds_pass_each_other_on_a_path_with_little_overlap() {
    let (overlap, come) =
        crowds_meet_on_a_road(|road| CrowdPathFollowing::new(road).with_half_width(3.0));
    assert!(overlap <= 0.05, "{overlap} of the radius");
    assert!(come > 45.0, "{come} m");
    let (overlap, _) = crowds_meet_on_a_road(|road| {
        let mut walk = CrowdPathFollowing::new(road).with_half_width(3.0);
        walk.separation.influence.enabled = false;
        walk.collision_avoidance.influence.enabled = false;
        walk
    });
    assert!(
        overlap > 0.5,
        "without avoidance the crowds should overlap: {overlap}"
    );
}

#[test]
fn default_queuing_holds_an_agent_back_beside_a_default_seek() {
    // An agent walks up to another one that stands still.
    let nearest = |queue: bool| {
        let mut app = point_mass_app(HERTZ);
        app.world_mut().spawn((
            Transform::from_xyz(10.0, 0.0, 0.0),
            PointMass::default(),
            Vehicle::default(),
        ));
        let walker = app
            .world_mut()
            .spawn((
                PointMass::default(),
                Vehicle {
                    max_speed: 1.5,
                    ..default()
                },
                Seek::new(Vec2::new(100.0, 0.0)),
            ))
            .id();
        if queue {
            app.world_mut()
                .entity_mut(walker)
                .insert(Queuing::default());
        }
        run_seconds(&mut app, 10.0);
        position(&app, walker).x
    };
    assert!(nearest(false) > 12.0, "without queuing it walks through");
    assert!(nearest(true) < 9.0, "{} m", nearest(true));
}

#[test]
fn a_queuing_agent_waits_without_turning_about() {
    for (hertz, lent) in [(30.0, false), (HERTZ, false), (120.0, false), (HERTZ, true)] {
        let mut app = point_mass_app(hertz);
        let standing = (PointMass::default(), Vehicle::default());
        app.world_mut()
            .spawn((Transform::from_xyz(10.0, 0.0, 0.0), standing));
        let walker = (PointMass::default(), Seek::new(Vec2::new(100.0, 0.0)));
        let walker = app.world_mut().spawn(walker).id();
        if lent {
            let queuing = (SteersFor(walker), Queuing::default());
            app.world_mut().spawn(queuing);
        } else {
            app.world_mut()
                .entity_mut(walker)
                .insert(Queuing::default());
        }
        run_seconds(&mut app, 10.0);
        let mut turns = 0;
        for _ in 0..600 {
            let before = get::<Kinematics>(&app, walker).heading;
            run_ticks(&mut app, 1);
            let after = get::<Kinematics>(&app, walker).heading;
            turns += u32::from(before.dot(after) < 0.0);
        }
        let case = format!("{hertz} Hz, on a behavior entity: {lent}");
        assert_eq!(turns, 0, "{case}");
        let x = position(&app, walker).x;
        assert!((8.0..9.0).contains(&x), "{case}: {x} m");
        let heading = get::<Kinematics>(&app, walker).heading;
        assert!(heading.x > 0.9, "{case}: {heading}");
    }
}

#[test]
fn a_queue_keeps_its_order() {
    let mut app = point_mass_app(HERTZ);
    // The last in the queue has the lowest id.
    let queue: Vec<Entity> = (0..6_u8)
        .map(|place| {
            let walker = (
                Transform::from_xyz(1.7 * f32::from(place), 0.0, 0.0),
                PointMass::default(),
                Vehicle {
                    max_speed: 1.5,
                    ..default()
                },
                Seek::new(Vec2::new(1_000.0, 0.0)),
                Queuing::default(),
            );
            app.world_mut().spawn(walker).id()
        })
        .collect();
    app.world_mut().spawn((
        Transform::from_xyz(12.0, 0.0, 0.0),
        PointMass::default(),
        Vehicle::default(),
    ));
    run_seconds(&mut app, 30.0);
    let places: Vec<f32> = queue.iter().map(|&it| position(&app, it).x).collect();
    let mut gaps = places.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps.all(|gap| gap > 1.0), "{places:?}");
    assert!(places[5] < 11.0, "{places:?}");
}

#[test]
fn groups_and_field_of_view_filter_neighbors() {
    let pushed = |separation: Separation, other_group: u32| {
        let mut app = point_mass_app(HERTZ);
        let me = app
            .world_mut()
            .spawn((PointMass::default(), separation))
            .id();
        app.world_mut().spawn((
            Transform::from_xyz(-1.0, 0.0, 0.0),
            PointMass::default(),
            Vehicle::default(),
            SteeringGroups(other_group),
        ));
        run_ticks(&mut app, 5);
        velocity(&app, me) != Vec2::ZERO
    };
    let all_around = Separation::default();
    assert!(pushed(all_around, 1));
    let ahead = Separation {
        field_of_view: FRAC_PI_2,
        ..all_around
    };
    assert!(!pushed(ahead, 1), "the neighbor is behind");
    let second_group = Separation {
        groups: SteeringGroups(0b10),
        ..all_around
    };
    assert!(!pushed(second_group, 0b01));
    assert!(pushed(second_group, 0b11));
    let no_group = Separation {
        groups: SteeringGroups(0),
        ..all_around
    };
    assert!(!pushed(no_group, u32::MAX));
}

#[test]
fn an_invalid_radius_warns_and_keeps_neighbors_finite() {
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut app = point_mass_app(HERTZ);
        for (index, place) in scatter(20, 3.0, 4).into_iter().enumerate() {
            app.world_mut().spawn((
                Transform::from_translation(place.extend(0.0)),
                PointMass::default(),
                Separation::new(if index == 0 { radius } else { 1.0 }),
                Alignment::new(2.0),
                Cohesion::new(2.0),
            ));
        }
        run_ticks(&mut app, 30);
        let warnings = app.world().resource::<SteeringWarnings>().recent();
        assert_eq!(warnings.len(), 1, "{radius}: {warnings:?}");
        assert_eq!(warnings[0].field, "Separation.perception_radius");
        let world = app.world_mut();
        let finite = |transform: &Transform| transform.translation.is_finite();
        assert!(world.query::<&Transform>().iter(world).all(finite));
    }
}

#[test]
fn agents_at_invalid_positions_are_not_indexed() {
    for invalid in [Vec2::NAN, Vec2::INFINITY, Vec2::splat(1e20)] {
        for count in [1, 2, 8, 9] {
            let mut app = point_mass_app(HERTZ);
            for _ in 0..count {
                app.world_mut().spawn(boid(invalid, 0.0));
            }
            run_ticks(&mut app, 3);
            assert!(app.world().resource::<Neighbors>().is_empty());
        }
    }
}

#[test]
fn an_unsensed_body_is_not_a_neighbor() {
    let mut app = point_mass_app(HERTZ);
    // A body that is not sensed yet is at the origin only by default.
    let unsensed = (Kinematics::default(), Vehicle::default());
    app.world_mut().spawn(unsensed);
    let body = (PointMass::default(), Transform::from_xyz(0.5, 0.0, 0.0));
    let agent = app.world_mut().spawn((body, Separation::default())).id();
    run_ticks(&mut app, 10);
    assert_eq!(velocity(&app, agent), Vec2::ZERO);
}

#[test]
fn index_cells_are_as_wide_as_the_perception_radius() {
    let candidates = |agent: fn() -> CollisionAvoidance| {
        let mut app = point_mass_app(HERTZ);
        for place in scatter(2_000, 6_000.0, 3) {
            let place = Transform::from_translation(place.extend(0.0));
            app.world_mut()
                .spawn((PointMass::default(), place, agent()));
        }
        run_ticks(&mut app, 1);
        let neighbors = app.world().resource::<Neighbors>();
        let middle_of_cell = Vec2::splat(150.0);
        neighbors.candidates_within(middle_of_cell, 300.0)
    };
    // In pixel units, nine cells of 300 by 300 hold about 45 of the 2,000 agents.
    let found = candidates(|| CollisionAvoidance {
        perception_radius: 300.0,
        ..default()
    });
    assert!((10..60).contains(&found), "{found}");
}

#[test]
fn a_flock_may_be_despawned_and_spawned_again() {
    let mut app = point_mass_app(HERTZ);
    for (index, place) in scatter(30, 10.0, 8).into_iter().enumerate() {
        app.world_mut().spawn(boid(place, index as f32));
    }
    run_ticks(&mut app, 5);
    let world = app.world_mut();
    let agents: Vec<Entity> = world
        .query_filtered::<Entity, With<Perception>>()
        .iter(world)
        .collect();
    agents.into_iter().for_each(|it| {
        app.world_mut().despawn(it);
    });
    run_ticks(&mut app, 5);
    assert!(app.world().resource::<Neighbors>().is_empty());
    app.world_mut().spawn(boid(Vec2::ZERO, 0.0));
    run_ticks(&mut app, 5);
    assert_eq!(app.world().resource::<Neighbors>().len(), 1);
}
