//! What holds for every scene, and what each of them promises.

use bevy::prelude::*;

use crate::{
    InScene, Report, SCENES, Scene, Value, headless, live_report, restart, scene, start, stop,
};

/// Where everything is, bit for bit.
fn fingerprint(app: &mut App) -> Vec<[u32; 4]> {
    let mut bodies = app
        .world_mut()
        .query_filtered::<&Transform, With<InScene>>();
    let mut bits: Vec<_> = bodies
        .iter(app.world())
        .map(|it| {
            let (at, turn) = (it.translation, it.rotation);
            [at.x, at.y, turn.z, turn.w].map(f32::to_bits)
        })
        .collect();
    bits.sort_unstable();
    bits
}

/// The number with that label.
pub(crate) fn number(report: &Report, label: &str) -> f32 {
    let value = report.get(label).and_then(Value::number);
    value.unwrap_or_else(|| panic!("no number \"{label}\" in\n{report}"))
}

fn the(name: &str) -> &'static Scene {
    scene(name).expect("it is in the list")
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for scene in SCENES {
        let run = |seed| {
            let mut app = headless::app(scene, seed);
            headless::advance(&mut app, 300);
            fingerprint(&mut app)
        };
        assert_eq!(run(7), run(7), "{}", scene.name);
        assert_ne!(run(7), run(8), "{}: chance does nothing", scene.name);
    }
}

#[test]
fn a_restart_leaves_no_trace_of_the_run_before() {
    for scene in SCENES {
        let mut app = headless::app(scene, 7);
        headless::advance(&mut app, 300);
        let first = fingerprint(&mut app);
        restart(app.world_mut());
        headless::advance(&mut app, 300);
        assert_eq!(first, fingerprint(&mut app), "{}", scene.name);
    }
}

#[test]
fn a_scene_does_not_care_what_was_on_before() {
    for scene in SCENES {
        let mut fresh = headless::app(scene, 3);
        headless::advance(&mut fresh, 300);
        let mut used = headless::app(scene, 5);
        for other in SCENES {
            start(used.world_mut(), other.name, 5).expect("it is in the list");
            headless::advance(&mut used, 50);
        }
        start(used.world_mut(), scene.name, 3).expect("it is in the list");
        headless::advance(&mut used, 300);
        let (fresh, used) = (fingerprint(&mut fresh), fingerprint(&mut used));
        assert_eq!(fresh, used, "{}", scene.name);
    }
}

#[test]
fn stopping_despawns_everything() {
    for scene in SCENES {
        let mut app = headless::app(scene, 7);
        headless::advance(&mut app, 10);
        stop(app.world_mut());
        headless::advance(&mut app, 2);
        let empty = app.world().entities().count_spawned();
        start(app.world_mut(), scene.name, 7).expect("it is in the list");
        headless::advance(&mut app, 10);
        assert!(app.world().entities().count_spawned() > empty);
        stop(app.world_mut());
        assert_eq!(
            app.world().entities().count_spawned(),
            empty,
            "{}",
            scene.name
        );
        assert_eq!(live_report(app.world()), None);
    }
}

#[test]
fn nobody_leaves_the_arena() {
    for scene in SCENES {
        let mut app = headless::app(scene, 7);
        for _ in 0..1_000 {
            app.update();
            let arena = *app.world().resource::<crate::Arena>();
            let mut bodies = app
                .world_mut()
                .query_filtered::<(&Name, &Transform), With<InScene>>();
            for (name, at) in bodies.iter(app.world()) {
                let clearance = arena.clearance(at.translation.truncate());
                assert!(clearance > 0.0, "{name} of {} is out", scene.name);
            }
        }
    }
}

#[test]
fn the_fox_catches_sooner_by_pursuit_than_by_seek() {
    let report = headless::study(the("fox_and_rabbit"), 1, 600);
    let pursuit = number(&report, "worlds by Pursuit: time to catch");
    let seek = number(&report, "worlds by Seek: time to catch");
    assert!(pursuit < 0.8 * seek, "{report}");
}

#[test]
fn hunters_catch_tire_and_rest_and_prey_comes_to_the_pointer() {
    let report = headless::run(the("hunter_and_prey"), 1, 1_200);
    for label in ["catches", "arrivals at the pointer", "hunters rest"] {
        assert!(number(&report, label) > 0.0, "{label}:\n{report}");
    }
    // Rest takes twice as long as the run it pays for.
    let (hunt, rest) = ("hunters hunt", "hunters rest");
    assert!(number(&report, hunt) < 60.0, "{report}");
    assert!(number(&report, rest) < 70.0, "{report}");
}

#[test]
fn every_key_of_the_keyboard_does_what_it_says() {
    for seed in 1..=5 {
        let report = headless::run(the("keyboard"), seed, 600);
        assert!(number(&report, "arrive: from the target") < 0.1, "{report}");
        assert!(number(&report, "arrive: speed") < 0.1, "{report}");
        assert!(
            number(&report, "seek: closest to the target") < 0.1,
            "{report}"
        );
        assert!(number(&report, "seek: mean speed") > 2.0, "{report}");
        assert!(number(&report, "flee: distance gained") > 2.0, "{report}");
        assert!(number(&report, "wander: mean speed") > 4.0, "{report}");
        assert!(number(&report, "wander: largest turn") < 6.0, "{report}");
        assert!(number(&report, "pursuit: closest") < 2.0, "{report}");
        assert!(number(&report, "evade: distance gained") > 2.0, "{report}");
    }
}
