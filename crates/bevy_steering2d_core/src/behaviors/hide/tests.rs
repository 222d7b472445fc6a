//! Hiding spots by hand, and runs without an app.

use super::*;
use crate::behaviors::testing::{Course, assert_close};
use std::f32::consts::{FRAC_PI_2, PI, TAU};

fn threat(x: f32, y: f32) -> Kinematics {
    Kinematics {
        heading: Vec2::X,
        ..Kinematics::at(Vec2::new(x, y))
    }
}

fn obstacle(index: u32, x: f32, y: f32) -> SeenObstacle {
    SeenObstacle {
        entity: Entity::from_raw_u32(index).unwrap(),
        circle: Circle::new(Vec2::new(x, y), 1.0),
        filled: 1.0,
        velocity: Vec2::ZERO,
    }
}

fn choose(
    me: &Agent,
    threat: Vec2,
    current: Option<Entity>,
    obstacles: &[SeenObstacle],
) -> Option<HideMemory> {
    let current = HideMemory {
        obstacle: current,
        ..default()
    };
    let mut choice = Choice::new(&current);
    for obstacle in obstacles {
        let spot = hiding_spot(me, threat, obstacle.circle, 0.5).unwrap();
        choice.consider(me, threat, *obstacle, spot);
    }
    choice.chosen(1.0, 0)
}

const FAR_LEFT: Vec2 = Vec2::new(-10.0, 0.0);

#[test]
fn the_hiding_spot_lies_behind_the_obstacle() {
    // 5 m from the threat along (0.6, 0.8); 1 + 0.5 + 0.5 behind the center.
    let rock = Circle::new(Vec2::new(3.0, 4.0), 1.0);
    let spot = hiding_spot(&Agent::default(), Vec2::ZERO, rock, 0.5).unwrap();
    assert_close(spot, Vec2::new(4.2, 5.6));
    let on_it = hiding_spot(&Agent::default(), rock.center, rock, 0.5);
    assert_eq!(on_it, None);
}

#[test]
fn the_nearest_hiding_spot_is_chosen() {
    let me = Agent::default();
    let rocks = [obstacle(1, 8.0, 0.0), obstacle(2, 4.0, 1.0)];
    let chosen = choose(&me, FAR_LEFT, None, &rocks).unwrap();
    assert_eq!(chosen.obstacle, Some(rocks[1].entity));
}

#[test]
fn an_agent_does_not_run_through_the_threat_to_hide() {
    let me = Agent::default();
    let threat = Vec2::new(4.0, 0.5);
    let behind_it = obstacle(1, 9.0, 0.0);
    assert_eq!(choose(&me, threat, None, &[behind_it]), None);
    let on_this_side = obstacle(2, -12.0, 0.0);
    let chosen = choose(&me, threat, None, &[behind_it, on_this_side]).unwrap();
    assert_eq!(chosen.obstacle, Some(on_this_side.entity));
}

#[test]
fn a_run_is_finished_when_the_threat_is_gone() {
    let mut course = Course::new(60.0);
    course.agent.velocity = Vec2::new(4.0, 1.0);
    let run = HideMemory {
        obstacle: Some(obstacle(1, 0.0, 0.0).entity),
        spot: Vec2::new(3.0, 3.0),
        urgency: 0.8,
        ..default()
    };
    let mut now = run;
    for _ in 0..60 * 8 {
        let me = course.agent;
        now = finished(&me, now);
        course.step(go_to_spot(&me, &now));
    }
    assert_eq!(now, HideMemory::default());
    let me = course.agent;
    assert!(
        me.speed() < 0.05 && me.position.distance(run.spot) < 0.3,
        "{me:?}"
    );
}

#[test]
fn a_run_that_does_not_get_on_ends() {
    let run = HideMemory {
        obstacle: Some(obstacle(1, 0.0, 0.0).entity),
        spot: Vec2::new(3.0, 3.0),
        urgency: 1.0,
        ..default()
    };
    let blocked = Agent::default();
    let after = |seconds: u32| (0..60 * seconds).fold(run, |it, _| finished(&blocked, it));
    assert!(after(2).urgency > 0.3 && after(4) == HideMemory::default());
}

#[test]
fn a_run_keeps_its_urgency_and_another_begins_anew() {
    let (me, rocks) = (
        Agent::default(),
        [obstacle(1, 4.0, 0.0), obstacle(2, 0.0, 4.0)],
    );
    let current = HideMemory {
        obstacle: Some(rocks[0].entity),
        spot: Vec2::ZERO,
        urgency: 0.9,
        ..default()
    };
    for (rock, urgency) in [(0, 0.9), (1, 0.2)] {
        let mut choice = Choice::new(&current);
        choice.consider(&me, FAR_LEFT, rocks[rock], rocks[rock].circle.center);
        assert_eq!(choice.chosen(0.2, 0).unwrap().urgency, urgency);
    }
}

#[test]
fn the_choice_does_not_flip_between_equally_distant_obstacles() {
    let rocks = [obstacle(1, 0.0, 6.0), obstacle(2, 0.0, -6.0)];
    let mut memory = HideMemory::default();
    let mut changes = 0;
    for tick in 0..200 {
        // The agent oscillates about the midpoint.
        let me = Agent {
            position: Vec2::new(0.0, if tick % 2 == 0 { 0.5 } else { -0.5 }),
            ..default()
        };
        let chosen = choose(&me, FAR_LEFT, memory.obstacle, &rocks).unwrap();
        changes += u32::from(chosen.obstacle != memory.obstacle);
        memory = chosen;
    }
    assert_eq!(changes, 1, "chosen once");
}

#[test]
fn a_much_nearer_obstacle_is_chosen() {
    let me = Agent::default();
    let rocks = [obstacle(1, 12.0, 0.0), obstacle(2, 0.0, 3.0)];
    let chosen = choose(&me, FAR_LEFT, Some(rocks[0].entity), &rocks).unwrap();
    assert_eq!(chosen.obstacle, Some(rocks[1].entity));
}

#[test]
fn a_stalker_counts_only_spots_that_bring_it_nearer() {
    let me = Agent::default();
    let prey = Vec2::new(10.0, 0.0);
    assert!(brings_nearer(&me, prey, Vec2::new(5.0, 3.0)));
    assert!(
        !brings_nearer(&me, prey, Vec2::new(0.5, 0.0)),
        "hardly nearer"
    );
    assert!(!brings_nearer(&me, prey, Vec2::new(0.0, 4.0)), "beside it");
}

#[test]
fn without_obstacles_the_agent_evades() {
    let me = Agent::default();
    let force = hide(&me, &threat(5.0, 0.0), None, &Hide::default());
    assert_close(force, Vec2::new(-20.0, 0.0));
}

#[test]
fn the_force_fades_at_the_threat_distance() {
    let me = Agent::default();
    let how = Hide::default();
    let at = |x: f32, hides: bool| {
        let threat = threat(x, 0.0);
        let run = HideMemory {
            obstacle: Some(Entity::PLACEHOLDER),
            spot: Vec2::new(0.0, 9.0),
            urgency: how.urgency(&me, &threat),
            ..default()
        };
        hide(&me, &threat, hides.then_some(&run), &how).length()
    };
    for hides in [false, true] {
        assert!((at(10.0, hides) - 20.0).abs() < 1e-3);
        assert!((at(14.25, hides) - 10.0).abs() < 1e-2);
        assert!(at(14.999, hides) < 0.1);
    }
    assert!(!how.counts(&me, &threat(15.01, 0.0), true));
}

#[test]
fn a_threat_that_looks_elsewhere_does_not_count() {
    let ahead = Vec2::new(9.0, 1.0);
    assert!(sees(&threat(0.0, 0.0), ahead, FRAC_PI_2));
    assert!(!sees(&threat(0.0, 0.0), -ahead, FRAC_PI_2));
    assert!(!sees(&threat(0.0, 0.0), Vec2::new(-1.0, 3.0), PI));
    assert!(sees(&threat(0.0, 0.0), Vec2::NEG_X, TAU));
    assert!(sees(&Kinematics::at(Vec2::ZERO), -ahead, FRAC_PI_2));
}
