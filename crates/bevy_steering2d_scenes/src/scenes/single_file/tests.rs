//! What a line of people does as it gets denser, and behind one who stops.

use bevy_rapier2d::prelude::*;

use super::tally::{STAND, WATCH};
use super::*;
use crate::headless;
use crate::report::number;

#[test]
fn speed_falls_as_people_are_added() {
    let report = headless::study(&SCENE, 1, 2_000);
    let speeds = [20, 60, 80, 100].map(|it| number(&report, &format!("{it} people: mean speed")));
    for pair in speeds.windows(2) {
        assert!(pair[1] < 0.8 * pair[0], "{report}");
    }
}

#[test]
fn people_who_are_held_up_keep_the_measured_headway() {
    for seed in 1..=3 {
        let report = headless::run(&SCENE, seed, 1_500);
        let kept = number(&report, "their headway");
        let measured = number(&report, "headway measured at that speed");
        assert!((kept / measured - 1.0).abs() < 0.15, "{report}");
    }
}

#[test]
fn the_jam_behind_one_who_stops_travels_backward() {
    for seed in 1..=3 {
        let report = headless::run(&SCENE, seed, WARM_UP + STAND + WATCH + 10);
        let speed = number(&report, "jams travel backward");
        assert!((0.2..0.8).contains(&speed), "{report}");
    }
}

#[test]
fn the_person_in_the_ring_stands_for_six_seconds() {
    let mut app = headless::app(&SCENE, 1);
    advance(&mut app, WARM_UP);
    let first = |app: &mut App| {
        let world = app.world_mut();
        let mut walkers = world.query::<(&Walker, &Velocity)>();
        let mut speeds = walkers.iter(world).filter(|(walker, _)| walker.number == 0);
        speeds.next().map(|(_, velocity)| velocity.linear.length())
    };
    assert!(first(&mut app).is_some_and(|speed| speed > 0.2));
    advance(&mut app, STAND - 10);
    assert!(first(&mut app).is_some_and(|speed| speed < 0.1));
    assert!(chosen(app.world()).contains(&'x'));
    advance(&mut app, 128);
    assert!(first(&mut app).is_some_and(|speed| speed > 0.2));
    assert!(!chosen(app.world()).contains(&'x'));
}
