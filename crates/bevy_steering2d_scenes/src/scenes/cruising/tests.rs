//! What becomes of a fright with a target speed and without one.

use super::*;
use crate::headless;
use crate::report::number;

const SPEED: &str = "mean speed after frights";

#[test]
fn frightened_fish_return_to_their_target_speed_and_others_do_not() {
    for seed in 1..=3 {
        let report = headless::run(&SCENE, seed, 2_600);
        let of = |pond: Pond, what: &str| number(&report, &format!("{}: {what}", pond.name()));
        let cruising = of(Pond::Cruising, SPEED) / CRUISE;
        assert!((0.85..1.05).contains(&cruising), "{report}");
        assert!(of(Pond::Drifting, SPEED) < 0.8 * CRUISE, "{report}");
        let share = |pond| of(pond, "at the target speed");
        assert!(
            share(Pond::Cruising) > 2.0 * share(Pond::Drifting),
            "{report}"
        );
    }
}

#[test]
fn a_fright_makes_fish_faster_than_they_cruise() {
    let mut app = headless::app(&SCENE, 1);
    let fastest = |app: &mut App| {
        let world = app.world_mut();
        let mut fish = world.query::<(&Pond, &Velocity)>();
        let cruising = fish
            .iter(world)
            .filter(|(pond, _)| **pond == Pond::Cruising);
        cruising
            .map(|(_, velocity)| velocity.linear.length())
            .fold(0.0, f32::max)
    };
    headless::advance(&mut app, 320);
    assert!(fastest(&mut app) < 1.5 * CRUISE);
    headless::advance(&mut app, 32);
    assert!(fastest(&mut app) > 1.5 * CRUISE);
}

#[test]
fn fish_whose_target_speed_is_switched_off_slow_down_as_well() {
    let mut app = headless::app(&SCENE, 1);
    app.world_mut().resource_mut::<Presses>().press('t');
    headless::advance(&mut app, 1_600);
    assert!((SCENE.chosen)(app.world()).is_empty());
    let tally = app.world().resource::<Tally>();
    let speed = tally.0[Pond::Cruising as usize].calm.get();
    assert!(speed.is_some_and(|speed| speed < 0.8 * CRUISE), "{speed:?}");
}
