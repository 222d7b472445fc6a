//! Forces behind neighbors by hand, and cars that queue without an app.

use super::*;
use crate::SteeringId;
use crate::agent::limited;
use crate::behaviors::seek;
use crate::behaviors::testing::assert_close;
use crate::locomotion::Wheeled;
use crate::locomotion::testing::Drive;

fn standing_at(x: f32) -> Neighbor {
    Neighbor {
        position: Vec2::new(x, 0.0),
        velocity: Vec2::ZERO,
        heading: Vec2::X,
        radius: 0.5,
        groups: SteeringGroups::default(),
        id: SteeringId(1),
        entity: Entity::PLACEHOLDER,
    }
}

/// The distance in which the walker stops, m.
const STOPPING: f32 = 1.0 / 9.0;

fn walker() -> Agent {
    Agent {
        velocity: Vec2::new(2.0, 0.0),
        ..default()
    }
}

#[test]
fn queuing_takes_over_the_speed_and_holds_back() {
    // It stops from 2 m/s in 2² / (2 · 0.9 · 20) = 1/9 m. Gap 0.5 of 1 m beyond that, so u = 1/2:
    // 0.5 · 1 kg · (0 − 2) m/s / 0.25 s − 0.25 · 20 N.
    let force = queuing(&walker(), &standing_at(1.5 + STOPPING), &Queuing::default());
    assert_close(force, Vec2::new(-4.0 - 5.0, 0.0));
}

#[test]
fn the_force_fades_in_with_the_gap() {
    let at = |x| queuing(&walker(), &standing_at(x), &Queuing::default()).length();
    assert!(at(STOPPING + 1.99) < 0.1 && at(STOPPING + 2.01) == 0.0);
}

#[test]
fn a_standing_agent_still_holds_back() {
    let waiting = Agent::default();
    let force = queuing(&waiting, &standing_at(1.5), &Queuing::default());
    assert_close(force, Vec2::new(-5.0, 0.0));
}

#[test]
fn the_force_fades_as_the_neighbor_gets_faster() {
    let at = |speed| {
        let other = Neighbor {
            velocity: Vec2::new(speed, 0.0),
            ..standing_at(1.5)
        };
        queuing(&walker(), &other, &Queuing::default()).x
    };
    // The agent walks at 2 m/s, and creeps below 0.5 m/s.
    assert!((at(2.0) + 5.0).abs() < 1e-4 && at(2.5) == 0.0);
    // s = u = 1/2: 0.5 · (0.5 · 1 kg · 0.25 m/s / 0.25 s − 0.25 · 20 N).
    assert!((at(2.25) + 2.25).abs() < 1e-4, "{}", at(2.25));
    for step in 0..3_000_u16 {
        let speed = 1e-3 * f32::from(step);
        let jump = (at(speed + 1e-3) - at(speed)).abs();
        assert!(jump < 0.1, "{jump} N at {speed} m/s");
    }
}

#[test]
fn an_agent_that_drifts_back_is_held_less() {
    let at = |speed| {
        let me = Agent {
            velocity: Vec2::new(speed, 0.0),
            ..default()
        };
        queuing(&me, &standing_at(1.5), &Queuing::default()).x
    };
    assert!((at(0.0) + 5.0).abs() < 1e-4);
    // s = u = 1/2: 0.5 · (0.5 · 1 kg · 0.25 m/s / 0.25 s − 0.25 · 20 N).
    assert!((at(-0.25) + 2.25).abs() < 1e-4, "{}", at(-0.25));
    assert_eq!(at(-0.5), 0.0);
}

#[test]
fn the_searched_disc_holds_the_corridor() {
    let me = Agent {
        position: Vec2::new(3.0, -2.0),
        heading: Vec2::from_angle(0.7),
        ..default()
    };
    for half_width in [0.1, 0.8, 5.0] {
        let how = Queuing {
            half_width,
            ..default()
        };
        let searched = how.corridor(&me, travel(&me), 0.5);
        let seen = how.view(&me, 0.5);
        assert!(searched.radius <= seen.radius);
        for (x, y) in (-20..=20).flat_map(|x| (-20..=20).map(move |y| (x, y))) {
            let place = me.position + 0.125 * Vec2::new(x as f32, y as f32);
            let other = Neighbor {
                position: place,
                ..standing_at(0.0)
            };
            if how.queues_behind(&me, &other) {
                let far = place.distance(searched.position);
                assert!(far <= searched.radius, "{half_width} m: {place}");
            }
        }
    }
}

#[test]
fn a_neighbor_half_aside_counts_in_full() {
    let half_aside = Neighbor {
        position: Vec2::new(1.5, 0.4),
        ..standing_at(0.0)
    };
    // Gap √2.41 − 1 of 1 m, and a neighbor half of the half-width aside counts in full.
    let urgency = 2.0 - 2.41_f32.sqrt();
    let force = queuing(&Agent::default(), &half_aside, &Queuing::default());
    assert_close(force, Vec2::new(-20.0 * urgency * urgency, 0.0));
}

#[test]
fn the_force_fades_where_the_neighbor_is_level() {
    let abreast = |ahead: f32| {
        let other = Neighbor {
            position: Vec2::new(ahead, 0.6),
            radius: 0.25,
            ..standing_at(0.0)
        };
        let me = Agent {
            radius: 0.25,
            ..default()
        };
        queuing(&me, &other, &Queuing::default()).x
    };
    assert!(abreast(0.3) < -1.0, "half of a body ahead");
    assert!(abreast(1e-3) > -1e-3, "{}", abreast(1e-3));
    assert_eq!(abreast(-1e-3), 0.0);
}

#[test]
fn of_two_agents_that_block_each_other_one_goes_first() {
    let at = |id, x: f32, y: f32| Agent {
        id: SteeringId(id),
        position: Vec2::new(x, y),
        heading: Vec2::new(1.0, -y.signum()).normalize(),
        ..default()
    };
    let seen = |it: &Agent| Neighbor {
        position: it.position,
        heading: it.heading,
        id: it.id,
        ..standing_at(0.0)
    };
    let brakes = |a: &Agent, b: &Agent| {
        [(a, b), (b, a)]
            .map(|(me, other)| queuing(me, &seen(other), &Queuing::default()) != Vec2::ZERO)
    };
    // Both head for the middle of a door.
    let (left, right) = (at(1, 0.0, 0.55), at(2, 0.0, -0.55));
    assert_eq!(
        brakes(&left, &right),
        [false, true],
        "ties go to the lower id"
    );
    let ahead = at(2, 0.2, -0.55);
    assert_eq!(brakes(&left, &ahead), [true, false], "the one ahead");
}

#[test]
fn faster_neighbors_and_those_aside_or_behind_do_not_count() {
    let faster = Neighbor {
        velocity: Vec2::new(3.0, 0.0),
        ..standing_at(1.5)
    };
    let aside = Neighbor {
        position: Vec2::new(1.2, 0.9),
        ..standing_at(0.0)
    };
    for other in [faster, aside, standing_at(-1.2)] {
        assert_eq!(queuing(&walker(), &other, &Queuing::default()), Vec2::ZERO);
    }
}

#[test]
fn queues_behind_tells_which_neighbors_count() {
    let how = Queuing::default();
    assert!(how.queues_behind(&walker(), &standing_at(1.5)));
    assert!(
        !how.queues_behind(&walker(), &standing_at(-1.5)),
        "behind it"
    );
    assert!(!how.queues_behind(&walker(), &standing_at(2.5)), "too far");
    let searched = how.view(&walker(), 3.0).radius;
    assert!((searched - (STOPPING + 1.0 + 0.5 + 3.0)).abs() < 1e-5);
}

#[test]
fn a_car_queues_from_its_stopping_distance_on() {
    let how = Queuing::default();
    let mut car = Drive::car(Wheeled::default(), 60.0);
    car.body.velocity = Vec2::new(10.0, 0.0);
    let me = car.agent();
    // 10² / (2 · 0.9 · 8) + 10 · 0.25 = 9.4 m, and 1 m.
    let reaches = |gap: f32| queuing(&me, &standing_at(gap + 2.5), &how) != Vec2::ZERO;
    assert!(reaches(10.0) && !reaches(11.0));
}

#[test]
fn a_car_stops_behind_a_standing_neighbor() {
    let how = Queuing::default();
    let mut car = Drive::car(Wheeled::default(), 60.0);
    car.body.velocity = Vec2::new(10.0, 0.0);
    let other = standing_at(40.0);
    for _ in 0..60 * 20 {
        let me = car.agent();
        let brake = queuing(&me, &other, &how);
        let rest = me.max_force - brake.length();
        car.step(brake + limited(seek(&me, Vec2::new(90.0, 0.0)), rest.max(0.0)));
    }
    let gap = 40.0 - car.body.position.x - 2.5;
    assert!(gap > 0.0 && gap < 3.0, "{gap} m");
}

#[test]
fn a_car_in_reverse_queues_behind_what_it_backs_up_to() {
    let mut car = Drive::car(Wheeled::default(), 60.0);
    car.body.velocity = Vec2::new(-3.0, 0.0);
    car.controls.reversing = true;
    let other = Neighbor {
        heading: Vec2::NEG_X,
        ..standing_at(-3.5)
    };
    let force = queuing(&car.agent(), &other, &Queuing::default());
    assert!(force.x > 0.0, "{force}");
}

#[test]
fn a_car_that_creeps_back_has_the_one_ahead_in_view() {
    let how = Queuing::default();
    let mut car = Drive::car(Wheeled::default(), 60.0);
    car.controls.reversing = true;
    let me = car.agent();
    let other = Neighbor {
        entity: Entity::from_raw_u32(1).unwrap(),
        ..standing_at(3.0)
    };
    assert!(how.queues_behind(&me, &other) && how.view(&me, other.radius).sees(&other));
}

#[test]
fn a_car_that_holds_back_close_behind_another_does_not_hunt_for_a_gear() {
    let how = Queuing {
        look_ahead_distance: 20.0,
        ..default()
    };
    for gap in [0.5, 1.5, 4.0] {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        let other = standing_at(gap + 2.5);
        let mut gears = 0;
        for _ in 0..60 * 18 {
            let me = car.agent();
            let before = car.controls.reversing;
            let hold = queuing(&me, &other, &how);
            let rest = me.max_force - hold.length();
            car.step(hold + limited(seek(&me, Vec2::new(90.0, 0.0)), rest.max(0.0)));
            gears += u32::from(before != car.controls.reversing);
        }
        assert!(gears <= 2, "{gap} m: {gears} changes of gear");
        let left = other.position.x - car.body.position.x - 2.5;
        assert!(left > gap && car.body.speed() < 0.1, "{gap} m: {left} m");
    }
}
