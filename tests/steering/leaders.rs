//! Leaders and those who follow them.

use bevy::prelude::*;
use bevy_rapier2d::prelude::{Collider, RigidBody};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{LeaderFollowing, LeaderFollowingMemory, Leadership, Separation};

use crate::common::*;
use crate::groups::scatter;

#[test]
fn followers_stay_behind_their_leader_and_never_block_it() {
    let mut app = point_mass_app(HERTZ);
    let leader = app
        .world_mut()
        .spawn((
            PointMass::default(),
            Vehicle {
                max_speed: 2.0,
                ..default()
            },
            Leadership(1.0),
            Seek::new(Vec2::new(1_000.0, 0.0)),
        ))
        .id();
    let followers: Vec<Entity> = scatter(8, 6.0, 2)
        .into_iter()
        .map(|place| {
            let follower = (
                Transform::from_translation((place + Vec2::new(3.0, 0.0)).extend(0.0)),
                PointMass::default(),
                LeaderFollowing::default(),
                Separation::new(1.5),
            );
            app.world_mut().spawn(follower).id()
        })
        .collect();
    run_seconds(&mut app, 15.0);
    let front = position(&app, leader).x;
    assert!(front > 25.0, "the leader moves only {front} m");
    for follower in followers {
        let memory = app.world().get::<LeaderFollowingMemory>(follower).unwrap();
        assert_eq!(memory.leader, Some(leader));
        let gap = front - position(&app, follower).x;
        assert!((0.0..8.0).contains(&gap), "{gap} m behind");
    }
}

#[test]
fn followers_of_a_leader_at_rest_come_to_rest() {
    let mut app = point_mass_app(HERTZ);
    let leader = (PointMass::default(), Vehicle::default(), Leadership(1.0));
    app.world_mut().spawn(leader);
    let followers: Vec<Entity> = scatter(8, 6.0, 2)
        .into_iter()
        .map(|place| {
            let follower = (
                Transform::from_translation((place + Vec2::new(6.0, 0.0)).extend(0.0)),
                PointMass::default(),
                LeaderFollowing::default(),
                Separation::new(1.5),
            );
            app.world_mut().spawn(follower).id()
        })
        .collect();
    run_seconds(&mut app, 30.0);
    let mut fastest: f32 = 0.0;
    for _ in 0..60 {
        run_ticks(&mut app, 1);
        let speeds = followers.iter().map(|&it| velocity(&app, it).length());
        fastest = speeds.fold(fastest, f32::max);
    }
    assert!(fastest < 0.1, "one still moves at {fastest} m/s");
}

#[test]
fn the_force_to_a_leader_fades_where_it_is_out_of_range() {
    let force = |distance: f32| {
        let mut app = point_mass_app(HERTZ);
        let leader = (PointMass::default(), Vehicle::default(), Leadership(1.0));
        app.world_mut().spawn(leader);
        let follower = (
            Transform::from_xyz(distance, 0.0, 0.0),
            PointMass::default(),
            LeaderFollowing::default(),
        );
        let follower = app.world_mut().spawn(follower).id();
        run_ticks(&mut app, 1);
        total(&app, follower).length()
    };
    let edge = LeaderFollowing::default().perception_radius;
    assert!(force(0.8 * edge) > 19.0, "{} N", force(0.8 * edge));
    assert!(force(0.999 * edge) < 0.3, "{} N", force(0.999 * edge));
    assert_eq!(force(1.001 * edge), 0.0);
}

#[test]
fn agents_of_equal_rank_do_not_follow_each_other() {
    let mut app = point_mass_app(HERTZ);
    let all: Vec<Entity> = (0..6)
        .map(|i| {
            // Equal ranks, and one that is NaN.
            let rank = if i == 5 { f32::NAN } else { 1.0 };
            let place = Transform::from_xyz(i as f32, 0.0, 0.0);
            let agent = (LeaderFollowing::default(), Leadership(rank));
            let agent = (PointMass::default(), place, agent);
            app.world_mut().spawn(agent).id()
        })
        .collect();
    run_ticks(&mut app, 30);
    for &agent in &all[..5] {
        let memory = app.world().get::<LeaderFollowingMemory>(agent).unwrap();
        assert_eq!(memory.leader, None);
        assert_eq!(velocity(&app, agent), Vec2::ZERO);
    }
}

#[test]
fn a_leader_that_is_no_agent_is_warned_of() {
    let mut app = rapier_app(HERTZ);
    let player = (RigidBody::Dynamic, Collider::ball(0.5), Leadership(1.0));
    let player = app.world_mut().spawn((player, Transform::default())).id();
    let follows = LeaderFollowing::default();
    Backend::Rapier.spawn(&mut app, Body::at(3.0, 0.0), follows);
    run_ticks(&mut app, 3);
    assert_warned_once(&app, player, "Leadership", "no agent");
}
