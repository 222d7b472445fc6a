//! The force ledger: what each behavior asked for, what was accepted, and why the rest was cut.

use bevy::prelude::*;
use bevy_steering2d::LedgerEntry;
use bevy_steering2d::prelude::*;

use crate::common::*;

fn accepted(app: &App, agent: Entity) -> Vec2 {
    ledger(app, agent).iter().map(LedgerEntry::accepted).sum()
}

#[test]
fn the_ledger_marks_forces_cut_by_the_budget() {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>();
    let agent = (
        Push::new(15.0, 0.0).with_priority(300),
        Flee::new(Vec2::new(0.0, -1.0)).with_priority(200),
        Seek::new(EAST).with_priority(100),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    let [push, flee, seek] = ledger(&app, agent)[..] else {
        panic!("expected three entries in order of priority");
    };
    assert_eq!((push.cut, push.share), (Cut::Nothing, 1.0));
    assert_eq!(flee.cut, Cut::Budget);
    assert_near(
        flee.accepted(),
        Vec2::new(0.0, 5.0),
        1e-5,
        "the remaining 5 N of 20 N",
    );
    assert_eq!((seek.cut, seek.accepted()), (Cut::Budget, Vec2::ZERO));
    assert_near(
        accepted(&app, agent),
        total(&app, agent),
        1e-5,
        "the ledger adds up",
    );
}

#[test]
fn the_ledger_marks_behaviors_skipped_by_dithering() {
    let mut app = point_mass_app(HERTZ);
    let agent = (
        Combine::DITHERED,
        Flee::new(Vec2::new(0.0, -1.0))
            .with_panic_distance(1e6)
            .with_probability(0.5),
        Seek::new(1e6 * Vec2::X),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    let mut wins = [0, 0];
    for _ in 0..200 {
        app.update();
        let (flee, seek) = (entry::<Flee>(&app, agent), entry::<Seek>(&app, agent));
        let winner = usize::from(flee.cut == Cut::Dithered);
        wins[winner] += 1;
        let loser = [seek, flee][winner];
        assert_eq!((loser.cut, loser.accepted()), (Cut::Dithered, Vec2::ZERO));
        assert_near(
            accepted(&app, agent),
            total(&app, agent),
            1e-4,
            "the ledger adds up",
        );
    }
    // Binomial: 100 ± 7, so five standard deviations are 35.
    assert!(
        wins.iter().all(|wins| (65..=135).contains(wins)),
        "{wins:?}"
    );
}

#[test]
fn the_ledger_marks_disabled_and_invalid_behaviors() {
    let mut app = point_mass_app(HERTZ);
    let agent = (
        Seek::new(Vec2::NAN),
        Wander::default().disabled(),
        Flee::new(Vec2::ONE),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Invalid);
    assert_eq!(entry::<Wander>(&app, agent).cut, Cut::Disabled);
    assert_eq!(entry::<Flee>(&app, agent).cut, Cut::Nothing);
    assert_eq!(total(&app, agent), entry::<Flee>(&app, agent).raw);
}

#[test]
fn removing_the_last_behavior_empties_the_ledger() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 10);
    app.world_mut().entity_mut(agent).remove::<Seek>();
    run_ticks(&mut app, 1);
    assert_eq!(
        (ledger(&app, agent).len(), total(&app, agent)),
        (0, Vec2::ZERO)
    );
}
