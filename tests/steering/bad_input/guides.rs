//! Behaviors that follow a path or flow field, and have none.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;
use crate::paths::zigzag;

/// Longer than a behavior may wait for its path or field, s.
const LONG: f32 = 8.0;

/// An agent that stands, with further components.
fn agent(app: &mut App, with: impl Bundle) -> Entity {
    Backend::PointMass.spawn(app, Body::at(0.0, 0.0), with)
}

/// A behavior entity of an agent that stands.
fn helper(app: &mut App, with: impl Bundle) -> Entity {
    let agent = agent(app, Vehicle::default());
    app.world_mut().spawn((SteersFor(agent), with)).id()
}

fn field() -> FlowField {
    FlowField::new(Vec2::ZERO, 1.0, UVec2::splat(4), |_| Vec2::X).unwrap()
}

/// Asserts that an entity that `spawn` spawns with a faulty behavior raises one warning, with these words.
#[track_caller]
fn assert_warns_once(behavior: &str, words: &str, spawn: impl FnOnce(&mut App) -> Entity) {
    let mut app = point_mass_app(HERTZ);
    let faulty = spawn(&mut app);
    run_seconds(&mut app, 4.0);
    assert_eq!(warnings(&app), [], "{behavior}: too soon");
    run_seconds(&mut app, LONG);
    assert_warned_once(&app, faulty, behavior, words);
    let message = &warnings(&app)[0].message;
    assert!(message.contains(words), "{message}");
}

#[test]
fn a_behavior_without_a_path_or_field_warns_once() {
    let words = "finds no SteeringPath";
    assert_warns_once("PathFollowing", words, |app| {
        agent(app, PathFollowing::default())
    });
    assert_warns_once("PathFollowing", words, |app| {
        helper(app, PathFollowing::default())
    });
    assert_warns_once("PathFollowing", words, |app| {
        let group = helper(app, BehaviorGroup::default());
        let member = (SteersFor(group), PathFollowing::default());
        app.world_mut().spawn(member).id()
    });
    assert_warns_once("StayOnPath", words, |app| {
        agent(app, (StayOnPath::default(), Wander::default()))
    });
    assert_warns_once("FlowFieldFollowing", "finds no FlowField", |app| {
        agent(app, FlowFieldFollowing::default())
    });
}

#[test]
fn a_behavior_waits_for_its_path_for_five_to_six_seconds() {
    let mut app = point_mass_app(64.0);
    let agent = agent(&mut app, PathFollowing::default());
    run_seconds(&mut app, 5.0);
    assert_eq!(warnings(&app), [], "too soon");
    run_seconds(&mut app, 1.1);
    assert_warned_once(&app, agent, "PathFollowing", "after six seconds");
}

#[test]
fn many_behaviors_without_a_path_share_one_warning() {
    let mut app = point_mass_app(HERTZ);
    let agents = [(); 9].map(|()| agent(&mut app, PathFollowing::default()));
    run_seconds(&mut app, LONG);
    let first = agents.into_iter().min().unwrap();
    assert_warned_once(&app, first, "PathFollowing", "nine agents");
}

#[test]
fn a_behavior_that_names_an_entity_without_its_path_or_field_warns_once() {
    let words = "which has no SteeringPath";
    assert_warns_once("PathFollowing", words, |app| {
        let sprite = app.world_mut().spawn(Transform::default()).id();
        agent(app, PathFollowing::new(sprite))
    });
    assert_warns_once("StayOnPath", words, |app| {
        let other = agent(app, Vehicle::default());
        helper(app, StayOnPath::new(other))
    });
    assert_warns_once("PathFollowing", words, |app| {
        let field = app.world_mut().spawn(field()).id();
        agent(app, PathFollowing::new(field))
    });
    assert_warns_once("FlowFieldFollowing", "which has no FlowField", |app| {
        let path = app.world_mut().spawn(zigzag()).id();
        agent(app, FlowFieldFollowing::new(path))
    });
}

#[test]
fn a_behavior_that_names_an_entity_without_a_path_warns_beside_others_that_have_one() {
    let mut app = point_mass_app(HERTZ);
    agent(&mut app, (zigzag(), PathFollowing::default()));
    let sprite = app.world_mut().spawn(Transform::default()).id();
    let faulty = agent(&mut app, PathFollowing::new(sprite));
    run_seconds(&mut app, LONG);
    assert_warned_once(&app, faulty, "PathFollowing", "beside one with a path");
}

#[test]
fn a_behavior_that_has_got_its_path_is_not_warned_of_any_more() {
    let mut app = point_mass_app(HERTZ);
    let late = agent(&mut app, PathFollowing::default());
    run_seconds(&mut app, LONG);
    assert_warned_once(&app, late, "PathFollowing", "late");
    app.world_mut().entity_mut(late).insert(zigzag());
    run_seconds(&mut app, 12.0);
    assert_eq!(warnings(&app).len(), 1, "after ten seconds");
}

/// Asserts that what `spawn` spawns raises no warning, now or after `later`.
#[track_caller]
fn assert_silent<T>(case: &str, spawn: impl FnOnce(&mut App) -> T, later: fn(&mut App, T)) {
    let mut app = point_mass_app(HERTZ);
    let spawned = spawn(&mut app);
    run_seconds(&mut app, 3.0);
    later(&mut app, spawned);
    run_seconds(&mut app, LONG);
    assert_eq!(warnings(&app), [], "{case}");
}

fn nothing<T>(_: &mut App, _: T) {}

#[test]
fn behaviors_with_a_path_or_field_do_not_warn() {
    assert_silent(
        "of its own",
        |app| {
            agent(
                app,
                (zigzag(), PathFollowing::default(), StayOnPath::default()),
            )
        },
        nothing,
    );
    assert_silent(
        "of its agent",
        |app| {
            let agent = agent(app, (Vehicle::default(), zigzag()));
            let follows = (SteersFor(agent), PathFollowing::default());
            app.world_mut().spawn(follows);
        },
        nothing,
    );
    assert_silent(
        "of its behavior entity",
        |app| helper(app, (zigzag(), PathFollowing::default())),
        nothing,
    );
    assert_silent(
        "of another entity",
        |app| {
            let path = app.world_mut().spawn(zigzag()).id();
            agent(app, (PathFollowing::new(path), StayOnPath::new(path)))
        },
        nothing,
    );
    assert_silent(
        "a field",
        |app| {
            let field = app.world_mut().spawn(field()).id();
            agent(app, FlowFieldFollowing::new(field))
        },
        nothing,
    );
}

#[test]
fn behaviors_whose_path_comes_or_goes_do_not_warn() {
    assert_silent(
        "comes after three seconds",
        |app| agent(app, PathFollowing::default()),
        |app, agent| {
            app.world_mut().entity_mut(agent).insert(zigzag());
        },
    );
    assert_silent(
        "ends after three seconds",
        |app| agent(app, (zigzag(), PathFollowing::default())),
        |app, agent| {
            app.world_mut().entity_mut(agent).remove::<SteeringPath>();
        },
    );
    assert_silent(
        "is lost, of which TargetLost tells",
        |app| {
            let road = app.world_mut().spawn(zigzag()).id();
            agent(app, PathFollowing::new(road));
            road
        },
        |app, road| {
            app.world_mut().despawn(road);
        },
    );
    assert_silent(
        "never was",
        |app| {
            let gone = app.world_mut().spawn_empty().id();
            app.world_mut().despawn(gone);
            agent(app, PathFollowing::new(gone))
        },
        nothing,
    );
}

#[test]
fn behaviors_that_do_not_act_do_not_warn() {
    let follows = PathFollowing::default;
    assert_silent("disabled", |app| agent(app, follows().disabled()), nothing);
    assert_silent(
        "disabled after three seconds",
        |app| agent(app, follows()),
        |app, agent| {
            let mut follows = app.world_mut().get_mut::<PathFollowing>(agent).unwrap();
            follows.influence.enabled = false;
        },
    );
    assert_silent(
        "without steering",
        |app| agent(app, (follows(), SteeringDisabled)),
        nothing,
    );
    assert_silent(
        "without steering after three seconds",
        |app| agent(app, follows()),
        |app, agent| {
            app.world_mut().entity_mut(agent).insert(SteeringDisabled);
        },
    );
    assert_silent(
        "a disabled entity",
        |app| agent(app, (follows(), Disabled)),
        nothing,
    );
    assert_silent(
        "removed after three seconds",
        |app| agent(app, (follows(), Seek::default())),
        |app, agent| {
            app.world_mut().entity_mut(agent).remove::<PathFollowing>();
        },
    );
    assert_silent(
        "in a disabled group",
        |app| {
            let group = helper(app, BehaviorGroup::default().disabled());
            app.world_mut().spawn((SteersFor(group), follows())).id()
        },
        nothing,
    );
    assert_silent(
        "not now",
        |app| {
            let unseen = TargetInSight::new(EAST).with_distance(1.0);
            let when = When::only::<TargetInSight>();
            agent(app, (unseen, follows().with_when(when)))
        },
        nothing,
    );
}

#[test]
fn an_agent_that_waits_for_its_turn_does_not_warn() {
    let pedestrian = || Pedestrian::new(1.3);
    assert_silent(
        "beside one that walks",
        |app| {
            agent(app, (zigzag(), pedestrian()));
            agent(app, pedestrian())
        },
        nothing,
    );
    assert_silent(
        "beside one that finds its way",
        |app| {
            agent(app, (NavigateTo::new(EAST), pedestrian()));
            agent(app, pedestrian())
        },
        nothing,
    );
    assert_silent(
        "until it is sent",
        |app| agent(app, Vehicle::default()),
        |app, agent| {
            let order = NavigateTo::new(EAST);
            app.world_mut().entity_mut(agent).insert(order);
        },
    );
}

/// Brings the agent its path some day.
#[derive(Component)]
struct Errand;

#[test]
fn an_agent_with_a_planner_of_the_game_does_not_warn() {
    let mut app = point_mass_app(HERTZ);
    app.add_guide_planner::<Errand>()
        .add_guide_planner::<Errand>();
    agent(&mut app, (Errand, PathFollowing::default()));
    helper(&mut app, (Errand, StayOnPath::default()));
    let errand = app.world_mut().spawn((Errand, Transform::default())).id();
    agent(&mut app, FlowFieldFollowing::new(errand));
    run_seconds(&mut app, LONG);
    assert_eq!(warnings(&app), []);
}
