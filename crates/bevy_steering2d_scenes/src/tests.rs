//! Tests of every scene: reproducibility, cleanup, bounds, and the measurements of each report.

use bevy::prelude::*;
use bevy_steering2d::prelude::{Neighbors, SteeringRecorder, SteeringRecorderPlugin};

use crate::headless;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{live_report, restart, stop};
use crate::report::number;
use crate::scene::Scene;
use crate::scenes::{SCENES, scene, start};

/// Positions and rotations of all entities, bit for bit.
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

fn the(name: &str) -> &'static Scene {
    scene(name).expect("the scene exists")
}

#[test]
fn same_seed_gives_the_same_run() {
    for scene in SCENES {
        let run = |seed| {
            let mut app = headless::app(scene, seed);
            headless::advance(&mut app, 300);
            fingerprint(&mut app)
        };
        assert_eq!(run(7), run(7), "{}", scene.name);
        assert_ne!(run(7), run(8), "{}: the seed has no effect", scene.name);
    }
}

#[test]
fn restart_is_independent_of_the_previous_run() {
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
fn restart_is_independent_of_the_keys_pressed_before() {
    for scene in SCENES {
        let mut app = headless::app(scene, 7);
        headless::advance(&mut app, 100);
        let first = fingerprint(&mut app);
        for key in scene.keys {
            app.world_mut().resource_mut::<Presses>().press(key.key);
            headless::advance(&mut app, 5);
        }
        restart(app.world_mut());
        headless::advance(&mut app, 100);
        assert_eq!(first, fingerprint(&mut app), "{}", scene.name);
    }
}

#[test]
fn scene_is_independent_of_previous_scenes() {
    // Each one comes after all others.
    let mut used = headless::app(the("plaza"), 5);
    for scene in SCENES {
        start(used.world_mut(), scene.name, 5).expect("the scene exists");
        headless::advance(&mut used, 50);
    }
    for scene in SCENES {
        let mut fresh = headless::app(scene, 3);
        headless::advance(&mut fresh, 300);
        start(used.world_mut(), scene.name, 3).expect("the scene exists");
        headless::advance(&mut used, 300);
        let (fresh, used) = (fingerprint(&mut fresh), fingerprint(&mut used));
        assert_eq!(fresh, used, "{}", scene.name);
    }
}

#[test]
fn stop_despawns_all_entities() {
    for scene in SCENES {
        let mut app = headless::app(scene, 7);
        headless::advance(&mut app, 10);
        stop(app.world_mut());
        headless::advance(&mut app, 2);
        let empty = app.world().entities().count_spawned();
        start(app.world_mut(), scene.name, 7).expect("the scene exists");
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
fn recorded_ticks_of_one_scene_are_not_those_of_the_next() {
    let mut app = headless::app(the("leader"), 1);
    let plugin = SteeringRecorderPlugin::default();
    plugin.build(&mut app);
    plugin.finish(&mut app);
    headless::advance(&mut app, 20);
    let ticks = |app: &App| app.world().resource::<SteeringRecorder>().ticks();
    assert!(ticks(&app).is_some());
    start(app.world_mut(), "keyboard", 1).expect("the scene exists");
    assert_eq!(ticks(&app), None);
}

#[test]
fn agents_of_one_scene_are_not_found_in_the_next() {
    let mut app = headless::app(the("plaza"), 1);
    headless::advance(&mut app, 2);
    let found = |app: &App| app.world().resource::<Neighbors>().len();
    assert!(found(&app) > 0);
    start(app.world_mut(), "keyboard", 1).expect("the scene exists");
    assert_eq!(found(&app), 0);
}

#[test]
fn bodies_stay_inside_the_arena() {
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
                assert!(clearance > 0.0, "{name} of {} is outside", scene.name);
            }
        }
    }
}

#[test]
fn pursuit_catches_sooner_than_seek() {
    let report = headless::study(the("fox_and_rabbit"), 1, 600);
    let pursuit = number(&report, "worlds by Pursuit: time to catch");
    let seek = number(&report, "worlds by Seek: time to catch");
    assert!(pursuit < 0.8 * seek, "{report}");
}

#[test]
fn hunters_catch_and_rest_and_prey_comes_to_the_pointer() {
    let report = headless::run(the("hunter_and_prey"), 1, 1_200);
    for label in ["catches", "arrivals at the pointer", "hunters rest"] {
        assert!(number(&report, label) > 0.0, "{label}:\n{report}");
    }
    // Recovery takes twice as long as the run before it.
    let (hunt, rest) = ("hunters hunt", "hunters rest");
    assert!(number(&report, hunt) < 60.0, "{report}");
    assert!(number(&report, rest) < 70.0, "{report}");
}

#[test]
fn each_key_of_the_keyboard_scene_selects_its_behavior() {
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
fn cars_avoid_rocks_that_are_not_solid() {
    let report = headless::study(the("auto_fantastico"), 1, 2_000);
    for label in [
        "pucks: penetrations",
        "pucks by colliders: penetrations",
        "cars by colliders: penetrations",
        "pucks: fence touched",
    ] {
        assert_eq!(number(&report, label), 0.0, "{label}:\n{report}");
    }
    assert!(number(&report, "pucks: mean speed") > 2.0, "{report}");
    let blind = number(&report, "pucks not avoiding: penetrations");
    assert!(blind > 50.0, "{report}");
}

#[test]
fn whiskers_keep_all_agents_in_the_room() {
    let report = headless::run(the("wall_room"), 1, 2_000);
    for label in ["walls crossed", "outside the room", "walls touched"] {
        assert_eq!(number(&report, label), 0.0, "{label}:\n{report}");
    }
    assert!(number(&report, "mean speed") > 2.0, "{report}");
}

#[test]
fn a_rider_keeps_the_herd_together() {
    for seed in 1..=4 {
        let report = headless::study(the("pasture"), seed, 3_000);
        let strayed = number(&report, "strayed");
        let without = number(&report, "without a rider: strayed");
        assert!(strayed < 0.7 * without && strayed < 10.0, "{report}");
        assert_eq!(number(&report, "outside the pasture"), 0.0, "{report}");
    }
}

#[test]
fn two_goals_drive_cars_into_rocks_in_a_plain_sum() {
    let report = headless::study(the("auto_fantastico"), 1, 2_000);
    let hits = |combiner: &str| {
        number(
            &report,
            &format!("pucks on errands by {combiner}: penetrations"),
        )
    };
    for combiner in ["prioritized", "dithered"] {
        assert!(4.0 * hits(combiner) < hits("weighted sum"), "{report}");
    }
}

#[test]
fn plain_sums_push_agents_into_walls_and_priorities_do_not() {
    let report = headless::study(the("wall_room"), 1, 1_000);
    let of = |run: &str, what: &str| number(&report, &format!("{run}: {what}"));
    for combiner in ["weighted sum", "average"] {
        let [wanderers, crowd] = ["wanderers", "crowd"].map(|it| format!("{it} by {combiner}"));
        let crossed = of(&wanderers, "walls crossed") + of(&crowd, "walls crossed");
        assert!(crossed > 0.0, "{report}");
        assert!(of(&wanderers, "walls touched") >= 5.0, "{report}");
        assert!(of(&crowd, "walls touched") >= 5.0, "{report}");
    }
    for combiner in ["prioritized", "dithered"] {
        for who in ["wanderers", "crowd"] {
            let run = format!("{who} by {combiner}");
            assert_eq!(of(&run, "walls crossed"), 0.0, "{report}");
            assert_eq!(of(&run, "walls touched"), 0.0, "{report}");
        }
    }
}

#[test]
fn mice_bring_the_cheese_home_without_touching_a_wall_or_each_other() {
    let report = headless::run(the("maze"), 1, 3_000);
    assert!(number(&report, "rounds completed") >= 14.0, "{report}");
    assert_eq!(number(&report, "walls touched"), 0.0, "{report}");
    assert_eq!(number(&report, "mice bumped"), 0.0, "{report}");
    assert_eq!(number(&report, "stuck"), 0.0, "{report}");
}

#[test]
fn hiding_agents_are_seen_less_and_caught_less() {
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
fn stalkers_come_near_their_prey_unseen() {
    let report = headless::study(the("hide_and_seek"), 1, 6_000);
    assert!(number(&report, "stalk: unseen") >= 90.0, "{report}");
    let [near, far] =
        ["stalk", "only wander"].map(|it| number(&report, &format!("{it}: from the hunter")));
    assert!(near < 0.75 * far, "{report}");
}

#[test]
fn every_prediction_catches_sooner_than_seek() {
    // One race in each of sixteen worlds, then duels with a quarry that evades.
    let report = headless::study(the("pursuit_evade"), 1, 200);
    let [course, evaded] = ["course: Seek: chase", "evaded: Seek"].map(|it| number(&report, it));
    for rival in [
        "Intercept",
        "Dist. / speed",
        "Look ahead",
        "Fixed 0.5 s",
        "Turn rate",
        "Acceleration",
        "Scenery",
    ] {
        let chase = number(&report, &format!("course: {rival}: chase"));
        assert!(chase < 0.8 * course, "{rival}:\n{report}");
        let chase = number(&report, &format!("evaded: {rival}"));
        assert!(chase < 0.8 * evaded, "{rival}:\n{report}");
    }
    // A quarry that circles is met on its circle, not on the tangent.
    let quicker = number(&report, "circle: Turn rate quicker");
    assert!(quicker >= 20.0, "{report}");
    // Evading delays the catch longer than fleeing, at least from a pursuer that does not predict.
    assert!(evaded > number(&report, "fled: Seek"), "{report}");
}

#[test]
fn formation_of_nine_holds_within_one_radius_on_a_turning_leader() {
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
fn guard_keeps_the_attacker_from_the_victim() {
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
fn walkers_reach_all_waypoints_and_stay_on_the_road() {
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
fn path_can_change_while_it_is_followed() {
    // The script changes the path four times.
    let report = headless::run(the("path"), 1, 2_000);
    assert_eq!(number(&report, "waypoints: points missed"), 0.0, "{report}");
    for walker in ["corridor", "strollers"] {
        let left = format!("{walker}: left the road");
        assert_eq!(number(&report, &left), 0.0, "{report}");
    }
}

#[test]
fn a_run_that_is_stopped_reports_the_ticks_that_ran() {
    let scene = the("keyboard");
    let mut asked = Vec::new();
    let stopped = headless::run_while(scene, 7, 600, |done| {
        asked.push(done);
        done < 20
    });
    assert_eq!(stopped, headless::run(scene, 7, 20));
    assert_eq!(asked, (0..=20).collect::<Vec<u32>>());
}
