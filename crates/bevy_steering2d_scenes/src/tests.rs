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

#[test]
fn cars_keep_out_of_rocks_that_are_not_solid() {
    let report = headless::study(the("auto_fantastico"), 1, 2_000);
    for label in [
        "penetrations",
        "by colliders: penetrations",
        "fence touched",
    ] {
        assert_eq!(number(&report, label), 0.0, "{label}:\n{report}");
    }
    assert!(number(&report, "mean speed") > 2.0, "{report}");
    let blind = number(&report, "not avoiding: penetrations");
    assert!(blind > 50.0, "{report}");
}

#[test]
fn whiskers_keep_everybody_in_the_room() {
    let report = headless::run(the("wall_room"), 1, 2_000);
    for label in ["walls crossed", "outside the room", "walls touched"] {
        assert_eq!(number(&report, label), 0.0, "{label}:\n{report}");
    }
    assert!(number(&report, "mean speed") > 2.0, "{report}");
}

#[test]
fn mice_bring_the_cheese_home_without_touching_a_wall() {
    let report = headless::run(the("maze"), 1, 3_000);
    assert!(number(&report, "rounds completed") >= 14.0, "{report}");
    assert_eq!(number(&report, "walls touched"), 0.0, "{report}");
    assert_eq!(number(&report, "stuck"), 0.0, "{report}");
}

#[test]
fn who_hides_is_seen_less_and_caught_less() {
    let report = headless::study(the("hide_and_seek"), 1, 6_000);
    let unseen = number(&report, "unseen");
    let strolling = number(&report, "only wander: unseen");
    assert!(100.0 - unseen < 0.5 * (100.0 - strolling), "{report}");
    let caught = number(&report, "caught");
    assert!(
        caught < 0.5 * number(&report, "only wander: caught"),
        "{report}"
    );
    assert!(number(&report, "changes of rock") < 30.0, "{report}");
}

#[test]
fn every_prediction_beats_none() {
    // One race in each of sixteen worlds, then duels with a quarry that evades.
    let report = headless::study(the("pursuit_evade"), 1, 200);
    let [course, evaded] = ["course: Seek: chase", "evaded: Seek"].map(|it| number(&report, it));
    for rival in ["Intercept", "Dist. / speed", "Look ahead", "Fixed 0.5 s"] {
        let chase = number(&report, &format!("course: {rival}: chase"));
        assert!(chase < 0.8 * course, "{rival}:\n{report}");
        let chase = number(&report, &format!("evaded: {rival}"));
        assert!(chase < 0.8 * evaded, "{rival}:\n{report}");
    }
    // It buys time to look where a pursuer will be, at least from one who does not.
    assert!(evaded > number(&report, "fled: Seek"), "{report}");
}

#[test]
fn a_formation_of_nine_holds_within_one_radius_on_a_turning_leader() {
    for seed in [1, 2] {
        let report = headless::study(the("formation"), seed, 2_000);
        for formation in ["V", "Line", "Block"] {
            let of =
                |by: &str, what: &str| number(&report, &format!("{formation} by {by}: {what}"));
            assert_eq!(of("OffsetPursuit", "within one radius"), 100.0, "{report}");
            assert_eq!(
                of("OffsetPursuit", "collisions in formation"),
                0.0,
                "{report}"
            );
            assert!(of("Arrive", "within one radius") < 50.0, "{report}");
        }
    }
}

#[test]
fn nobody_gets_past_the_bodyguard() {
    let report = headless::study(the("bodyguard"), 1, 500);
    for victim in ["Person", "Statue", "Point"] {
        let with = |what: &str| number(&report, &format!("{victim} with guard: {what}"));
        assert_eq!(with("victim reached"), 0.0, "{report}");
        assert!(with("the same in charges") > 95.0, "{report}");
        let without = format!("{victim} without guard: victim reached");
        assert!(number(&report, &without) >= 8.0, "{report}");
    }
}

#[test]
fn no_waypoint_is_missed_and_no_corner_cut() {
    let report = headless::study(the("path"), 1, 900);
    for weight in ["light", "heavy"] {
        let of = |what: &str| number(&report, &format!("{weight} {what}"));
        assert!(of("waypoints: points in order") > 50.0, "{report}");
        assert_eq!(of("waypoints: points missed"), 0.0, "{report}");
        for walker in ["corridor", "strollers"] {
            assert_eq!(of(&format!("{walker}: left the road")), 0.0, "{report}");
        }
        assert!(of("corridor: ends") > 0.0, "{report}");
        for walker in ["waypoints", "corridor"] {
            assert!(of(&format!("{walker}: laps")) > 0.0, "{report}");
            assert!(of(&format!("{walker}: speed")) > 40.0, "{report}");
        }
    }
}

#[test]
fn a_path_may_be_swapped_while_it_is_walked() {
    // The script swaps it four times.
    let report = headless::run(the("path"), 1, 2_000);
    assert_eq!(number(&report, "waypoints: points missed"), 0.0, "{report}");
    for walker in ["corridor", "strollers"] {
        let left = format!("{walker}: left the road");
        assert_eq!(number(&report, &left), 0.0, "{report}");
    }
}
