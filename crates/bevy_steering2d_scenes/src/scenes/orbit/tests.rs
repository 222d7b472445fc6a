//! Whether agents keep to their circles, and the duelist turns around.

use bevy_rapier2d::prelude::*;

use super::orbiters::DRONES;
use super::tally::SETTLE;
use super::*;
use crate::headless;
use crate::report::number;

#[test]
fn all_keep_to_their_circles_and_drones_spread_over_theirs() {
    for seed in 1..=3 {
        let report = headless::study(&SCENE, seed, 64 * 40);
        let of = |label: &str| number(&report, label);
        assert!(of("drones: largest error") < 0.5, "{report}");
        assert!(of("duelist: largest error") < 0.3, "{report}");
        // The middle of a car is ahead of the axle that rolls along the circle.
        assert!(of("car: largest error") < 1.0, "{report}");
        let gap = of("drones: smallest gap");
        assert!(gap > 45.0, "{report}");
        let alone = of("without separation: drones: smallest gap");
        assert!(alone < 0.5 * gap, "{report}");
    }
}

#[test]
fn drones_keep_their_distance_from_the_boss() {
    let mut app = headless::app(&SCENE, 1);
    headless::advance(&mut app, 64 * 20);
    let world = app.world_mut();
    let mut bosses = world.query_filtered::<&Transform, With<Boss>>();
    let boss = bosses.single(world).unwrap().translation;
    let mut orbiters = world.query::<(&Orbiter, &Transform)>();
    let drones = orbiters
        .iter(world)
        .filter(|(orbiter, _)| **orbiter == Orbiter::Drone);
    let distances: Vec<_> = drones
        .map(|(_, at)| at.translation.distance(boss))
        .collect();
    assert_eq!(distances.len(), DRONES);
    let off = |distance: &f32| (distance - Orbiter::Drone.radius()).abs();
    assert!(distances.iter().all(|it| off(it) < 0.5), "{distances:?}");
}

/// The place of the duelist from its post, m, where it points, and its velocity, m/s.
fn duelist(app: &mut App) -> [Vec2; 3] {
    let post = app.world().resource::<Options>().post;
    let world = app.world_mut();
    let mut duelists = world.query_filtered::<(&Transform, &Velocity), With<FaceTarget>>();
    let (at, velocity) = duelists.single(world).unwrap();
    let facing = (at.rotation * Vec3::X).truncate();
    [at.translation.truncate() - post, facing, velocity.linear]
}

#[test]
fn a_key_turns_the_duelist_around() {
    let mut app = headless::app(&SCENE, 1);
    for (key, sign) in [(None, -1.0), (Some('d'), 1.0), (Some('d'), -1.0)] {
        if let Some(key) = key {
            app.world_mut().resource_mut::<Presses>().press(key);
        }
        headless::advance(&mut app, 200);
        let [offset, facing, velocity] = duelist(&mut app);
        let around = sign * offset.perp_dot(velocity) / offset.length();
        assert!(around > 2.0, "{around} m/s");
        let faces = -facing.dot(offset.normalize());
        assert!(faces > 0.95, "it looks past the post: {faces}");
    }
}

#[test]
fn the_duelist_comes_to_a_post_that_is_put_elsewhere() {
    let mut app = headless::app(&SCENE, 1);
    headless::advance(&mut app, 10);
    let there = Vec2::new(-2.0, 5.0);
    app.world_mut().resource_mut::<Presses>().click_at(there);
    headless::advance(&mut app, SETTLE);
    let [offset, ..] = duelist(&mut app);
    assert_eq!(app.world().resource::<Options>().post, there);
    let error = (offset.length() - Orbiter::Duelist.radius()).abs();
    assert!(error < 0.3, "{error} m");
}
