//! From spawn to force: agents, satellites, schedules, switching, and the ledger that explains it.

use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, LedgerEntry, SteeredBy, WanderMemory};

use crate::common::*;

const EAST: Vec2 = Vec2::new(100.0, 0.0);

fn accepted(app: &App, agent: Entity) -> Vec2 {
    ledger(app, agent).iter().map(LedgerEntry::accepted).sum()
}

/// A hunter for each angle, 3 m around the origin, at rest.
fn hunters(app: &mut App, count: usize) -> Vec<Entity> {
    (0..count)
        .map(|i| {
            let at = 3.0 * Vec2::from_angle(i as f32);
            Backend::PointMass.spawn(app, Body::at(at.x, at.y), ())
        })
        .collect()
}

/// A rabbit at the origin with one `Evade` per hunter, each on an entity of its own.
fn rabbit(app: &mut App, hunters: &[Entity]) -> (Entity, Vec<Entity>) {
    let rabbit = Backend::PointMass.spawn(app, Body::at(0.0, 0.0), Vehicle::default());
    let evades = hunters
        .iter()
        .map(|&hunter| {
            let evade = (SteersFor(rabbit), Evade::new(hunter));
            app.world_mut().spawn(evade).id()
        })
        .collect();
    (rabbit, evades)
}

#[test]
fn a_body_with_only_a_behavior_becomes_an_agent_and_moves() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_seconds(&mut app, 1.0);
        assert_eq!(*get::<Vehicle>(&app, agent), Vehicle::default());
        assert!(position(&app, agent).x > 1.0, "{backend:?}");
    }
}

#[test]
fn a_behavior_does_not_replace_the_vehicle_that_is_there() {
    let mut app = point_mass_app(HERTZ);
    let truck = Vehicle {
        max_speed: 2.0,
        ..default()
    };
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), truck);
    app.world_mut().entity_mut(agent).insert(Seek::new(EAST));
    run_ticks(&mut app, 1);
    assert_eq!(*get::<Vehicle>(&app, agent), truck);
}

#[test]
fn a_behavior_of_ones_own_is_registered_in_one_line_before_or_after_the_plugin() {
    let before = |app: &mut App| {
        app.add_behavior::<Push>();
        app.add_plugins(SteeringPlugin::default());
        start(app);
    };
    let after = |app: &mut App| {
        app.add_plugins(SteeringPlugin::default());
        app.add_behavior::<Push>();
        start(app);
    };
    let running = |app: &mut App| {
        app.add_plugins(SteeringPlugin::default());
        start(app);
        run_ticks(app, 3);
        app.add_behavior::<Push>();
    };
    for (order, set_up) in [
        ("before", &before as &dyn Fn(&mut App)),
        ("after", &after),
        ("running", &running),
    ] {
        let mut app = bare_app(HERTZ);
        forbid_ambiguity(&mut app, FixedUpdate);
        set_up(&mut app);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Push::new(0.0, 2.0));
        run_ticks(&mut app, 1);
        assert_eq!(
            entry::<Push>(&app, agent).raw,
            Vec2::new(0.0, 2.0),
            "{order}"
        );
        assert!(velocity(&app, agent).y > 0.0, "{order}");
    }
}

#[test]
fn each_satellite_has_an_entry_of_its_own_that_names_it() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 3);
    let (rabbit, evades) = rabbit(&mut app, &hunters);
    run_ticks(&mut app, 1);
    let force = get::<SteeringForce>(&app, rabbit);
    let sources: EntityHashSet = force
        .ledger()
        .filter_map(|entry| force.source(&entry))
        .collect();
    assert_eq!(sources, evades.into_iter().collect());
    for entry in force.ledger() {
        let source = force.source(&entry).unwrap();
        let hunter = match get::<Evade>(&app, source).pursuer {
            Target::Entity(hunter) => hunter,
            Target::Point(_) => unreachable!(),
        };
        let away = -position(&app, hunter).normalize();
        assert!(entry.raw.normalize().dot(away) > 0.999);
    }
}

#[test]
fn satellites_alone_move_an_agent() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
        app.world_mut().spawn((SteersFor(agent), Seek::new(EAST)));
        run_seconds(&mut app, 1.0);
        assert!(position(&app, agent).x > 1.0, "{backend:?}");
    }
}

#[test]
fn a_satellite_counts_as_much_as_the_same_behavior_on_the_agent() {
    let flee = Flee::new(Vec2::new(1.0, 2.0));
    let mut app = point_mass_app(HERTZ);
    let with_own = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), flee);
    let with_lent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    app.world_mut().spawn((SteersFor(with_lent), flee));
    run_seconds(&mut app, 2.0);
    assert_eq!(position(&app, with_own), position(&app, with_lent));
}

#[test]
fn satellites_go_with_their_agent() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 3);
    let (rabbit, evades) = rabbit(&mut app, &hunters);
    run_ticks(&mut app, 1);
    app.world_mut().despawn(rabbit);
    run_ticks(&mut app, 1);
    let left = evades
        .iter()
        .filter(|&&evade| app.world().get_entity(evade).is_ok());
    assert_eq!(left.count(), 0);
}

#[test]
fn a_despawned_satellite_has_no_say_any_more() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 2);
    let (rabbit, evades) = rabbit(&mut app, &hunters);
    run_ticks(&mut app, 1);
    for (left, evade) in [(1, evades[0]), (0, evades[1])] {
        app.world_mut().despawn(evade);
        run_ticks(&mut app, 1);
        assert_eq!(ledger(&app, rabbit).len(), left);
    }
    assert_eq!(total(&app, rabbit), Vec2::ZERO);
}

#[test]
fn a_satellite_may_change_its_agent() {
    let mut app = point_mass_app(HERTZ);
    let [a, b] = [(); 2]
        .map(|()| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default()));
    let satellite = app.world_mut().spawn((SteersFor(a), Seek::new(EAST))).id();
    run_ticks(&mut app, 1);
    app.world_mut().entity_mut(satellite).insert(SteersFor(b));
    run_ticks(&mut app, 1);
    assert_eq!((ledger(&app, a).len(), ledger(&app, b).len()), (0, 1));
    app.world_mut().entity_mut(satellite).remove::<SteersFor>();
    run_ticks(&mut app, 1);
    assert_eq!((ledger(&app, a).len(), ledger(&app, b).len()), (0, 0));
}

#[test]
fn an_agent_that_becomes_a_satellite_is_no_longer_pushed() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let other = backend.spawn(&mut app, Body::at(0.0, 9.0), Vehicle::default());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_ticks(&mut app, 5);
        app.world_mut().entity_mut(agent).insert(SteersFor(other));
        run_ticks(&mut app, 1);
        let before = velocity(&app, agent);
        run_ticks(&mut app, 10);
        assert_eq!(velocity(&app, agent), before, "{backend:?}");
        assert!(velocity(&app, other).x > 0.1, "{backend:?}");
    }
}

#[test]
fn an_agent_may_have_a_thousand_satellites() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 1_000);
    let (rabbit, _) = rabbit(&mut app, &hunters);
    app.world_mut()
        .entity_mut(rabbit)
        .insert(Combine::WeightedSum);
    run_ticks(&mut app, 3);
    assert_eq!(ledger(&app, rabbit).len(), 1_000);
    assert_eq!(get::<SteeredBy>(&app, rabbit).len(), 1_000);
    let force = total(&app, rabbit);
    assert!(
        force.length() <= 20.0 * 1.000_01 && force != Vec2::ZERO,
        "{force}"
    );
}

#[test]
fn a_disabled_behavior_is_silent_and_keeps_parameters_and_memory() {
    let mut app = point_mass_app(HERTZ);
    let wander = Wander::default().with_weight(0.8);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), wander);
    run_seconds(&mut app, 1.0);
    let memory = get::<WanderMemory>(&app, agent).clone();

    set_enabled(&mut app, agent, false);
    run_seconds(&mut app, 1.0);
    assert_eq!(entry::<Wander>(&app, agent).cut, Cut::Disabled);
    assert_eq!(total(&app, agent), Vec2::ZERO);
    assert_eq!(*get::<WanderMemory>(&app, agent), memory);
    assert_eq!(get::<Wander>(&app, agent).influence.weight, 0.8);

    set_enabled(&mut app, agent, true);
    run_ticks(&mut app, 1);
    assert_ne!(total(&app, agent), Vec2::ZERO);
}

fn set_enabled(app: &mut App, agent: Entity, enabled: bool) {
    let mut wander = app.world_mut().get_mut::<Wander>(agent).unwrap();
    wander.influence.enabled = enabled;
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

#[test]
fn a_behavior_inserted_while_running_acts_in_the_same_tick_as_one_spawned() {
    let mut app = point_mass_app(HERTZ);
    run_ticks(&mut app, 5);
    let early = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    run_ticks(&mut app, 1);
    app.world_mut().entity_mut(early).insert(Seek::new(EAST));
    let late = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 1);
    assert_eq!(velocity(&app, early), velocity(&app, late));
    assert!(velocity(&app, late).x > 0.0);
}

#[test]
fn two_agents_see_the_same_snapshot_whoever_comes_first() {
    let mut app = point_mass_app(HERTZ);
    let a = Backend::PointMass.spawn(&mut app, Body::at(-4.0, -3.0), Vehicle::default());
    let b = Backend::PointMass.spawn(&mut app, Body::at(4.0, 3.0), Pursuit::new(a));
    app.world_mut().entity_mut(a).insert(Pursuit::new(b));
    for _ in 0..120 {
        app.update();
        assert_eq!(
            position(&app, a),
            -position(&app, b),
            "mirror images stay mirror images"
        );
    }
}

#[test]
fn steering_runs_in_the_schedule_it_is_given() {
    let mut app = bare_app(HERTZ);
    forbid_ambiguity(&mut app, Update);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(
        std::time::Duration::from_millis(10),
    ));
    app.add_plugins(SteeringPlugin::new(Update));
    start(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    app.update();
    // 20 N on 1 kg for 10 ms.
    assert_near(
        velocity(&app, agent),
        Vec2::new(0.2, 0.0),
        1e-6,
        "one frame",
    );
}

#[test]
fn steering_may_be_stepped_by_hand() {
    #[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Turn;

    let mut app = bare_app(HERTZ);
    app.add_plugins(SteeringPlugin::new(Turn));
    start(&mut app);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 10);
    assert_eq!(position(&app, agent), Vec2::ZERO, "nobody asked it to");
    app.world_mut().run_schedule(Turn);
    assert!(position(&app, agent).x > 0.0);
}

#[test]
fn while_time_stands_still_nothing_moves_and_nothing_breaks() {
    let mut app = bare_app(HERTZ);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(
        std::time::Duration::ZERO,
    ));
    app.add_plugins(SteeringPlugin::new(Update));
    start(&mut app);
    let everything = (
        Seek::new(EAST),
        Wander::default(),
        Arrive::new(Vec2::ONE),
        Flee::default(),
        FaceVelocity::default(),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), everything);
    run_ticks(&mut app, 10);
    assert!(total(&app, agent).is_finite());
    assert_eq!(position(&app, agent), Vec2::ZERO);
    assert_all_finite(&mut app, None, "paused");
    assert!(warnings(&app).is_empty());
}

#[test]
fn a_system_between_combine_and_move_has_the_last_word() {
    let mut app = point_mass_app(HERTZ);
    app.add_systems(
        FixedUpdate,
        (|mut forces: Query<&mut SteeringForce>| {
            for mut force in &mut forces {
                force.total = Vec2::new(0.0, 6.0);
            }
        })
        .after(SteeringSystems::Combine)
        .before(SteeringSystems::Move),
    );
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
    run_ticks(&mut app, 1);
    assert_near(
        velocity(&app, agent),
        Vec2::new(0.0, 6.0 * TICK),
        1e-6,
        "changed total",
    );
}

#[test]
fn the_ledger_says_what_the_budget_cut() {
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
        panic!("three entries in order of priority");
    };
    assert_eq!((push.cut, push.share), (Cut::Nothing, 1.0));
    assert_eq!(flee.cut, Cut::Budget);
    assert_near(
        flee.accepted(),
        Vec2::new(0.0, 5.0),
        1e-5,
        "what 15 N left of 20 N",
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
fn the_ledger_says_what_dithering_skipped() {
    let mut app = point_mass_app(HERTZ);
    let agent = (
        Combine::Dithered,
        Flee::new(Vec2::new(0.0, -1.0))
            .within(1e6)
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
    // Binomial: 100 ± 7, so five sigmas are 35.
    assert!(
        wins.iter().all(|wins| (65..=135).contains(wins)),
        "{wins:?}"
    );
}

#[test]
fn the_ledger_says_what_was_disabled_and_what_was_invalid() {
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
fn an_agent_may_be_all_six_at_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let other = backend.spawn(&mut app, Body::at(2.0, 2.0).moving(1.0, 0.0), ());
        let everything = (
            Seek::new(other),
            Flee::new(EAST),
            Arrive::new(other),
            Pursuit::new(other),
            Evade::new(other),
            Wander::default(),
        );
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), everything);
        for mode in [
            Combine::WeightedSum,
            Combine::Average,
            Combine::Prioritized,
            Combine::Dithered,
        ] {
            app.world_mut().entity_mut(agent).insert(mode);
            run_seconds(&mut app, 1.0);
            assert_eq!(ledger(&app, agent).len(), 6, "{backend:?} {mode:?}");
            let force = total(&app, agent).length();
            assert!(force <= 20.0 * 1.000_01, "{backend:?} {mode:?}: {force} N");
        }
        assert!(warnings(&app).is_empty());
    }
}

#[test]
fn no_system_of_ours_is_in_ambiguous_order() {
    // Of the point mass app every test makes sure: there ambiguity is an error.
    let mut without = bare_app(HERTZ);
    step_with_the_schedule(&mut without);
    without.add_plugins(weightless_rapier().in_fixed_schedule());
    start(&mut without);
    let theirs = ambiguities(&mut without, FixedUpdate);

    let mut app = rapier_app(HERTZ);
    app.add_behavior::<Push>();
    let all = ambiguities(&mut app, FixedUpdate);
    let ours: Vec<_> = all
        .iter()
        .filter(|pair| pair.contains("bevy_steering2d"))
        .collect();
    assert!(ours.is_empty(), "{ours:#?}");
    assert_eq!(all.len(), theirs.len(), "{all:#?}");
}

#[test]
fn behaviors_are_registered_once_however_often_they_are_added() {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>()
        .add_behavior::<Push>()
        .add_behavior::<Seek>();
    let registry = app.world().resource::<BehaviorRegistry>();
    for name in ["Push", "Seek"] {
        let registered = registry.iter().filter(|behavior| behavior.name == name);
        assert_eq!(registered.count(), 1, "{name}");
    }
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Push::new(1.0, 0.0));
    run_ticks(&mut app, 1);
    assert_eq!(ledger(&app, agent).len(), 1);
}
