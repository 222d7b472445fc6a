//! What the flock does without the predator, and what the keys do.

use bevy_steering2d::SteeringSnapshot;

use super::*;
use crate::headless;
use crate::report::number;

#[test]
fn flock_without_predator_agrees_on_a_direction() {
    for seed in 1..=3 {
        let report = headless::study(&SCENE, seed, 1_500);
        let highest = number(&report, "without the predator: highest order");
        assert!(highest > 0.9, "{report}");
    }
}

#[test]
fn each_key_switches_its_option() {
    let mut app = headless::app(&SCENE, 1);
    assert_eq!(chosen(app.world()), ['p', 's', 'a', 'c', 'w']);
    for key in ['p', 's', 'a', 'c', 'w'] {
        app.world_mut().resource_mut::<Presses>().press(key);
        headless::advance(&mut app, 2);
        assert!(!chosen(app.world()).contains(&key), "{key}");
    }
    app.world_mut().resource_mut::<Presses>().press('p');
    headless::advance(&mut app, 2);
    assert_eq!(chosen(app.world()), ['p']);
}

#[test]
fn a_removed_predator_is_back_in_an_earlier_tick() {
    let mut app = headless::app(&SCENE, 1);
    headless::advance(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let press = |app: &mut App| {
        app.world_mut().resource_mut::<Presses>().press('p');
        headless::advance(app, 2);
    };
    press(&mut app);
    snapshot.restore(app.world_mut());
    assert!(chosen(app.world()).contains(&'p'));
    // The key removes it, and does not add another one.
    press(&mut app);
    assert!(!chosen(app.world()).contains(&'p'));
}
