//! Predictions along a course, and predictors of a game.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Encounter, Predictor, PursuitMemory};

use crate::common::*;

/// A predictor of a game: expects the other where a file of answers says, and counts its questions.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
struct Oracle {
    /// The answer, m.
    answer: Vec2,
    /// Must be zero or more.
    doubt: f32,
}

#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
struct OracleMemory {
    questions: u32,
    fastest: f32,
}

impl Predictor for Oracle {
    type Memory = &'static mut OracleMemory;
    type World = Surroundings<'static, 'static>;

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_non_negative("Oracle.doubt", self.doubt)
    }

    fn predict(&self, pair: &Encounter, mut memory: Mut<OracleMemory>, _: &Surroundings) -> Vec2 {
        memory.questions += 1;
        memory.fastest = pair.limits.map_or(0.0, |limits| limits.max_speed);
        self.answer
    }
}

fn oracle_app() -> App {
    let mut app = point_mass_app(HERTZ);
    app.add_predictor::<Oracle>();
    app
}

fn spawn(app: &mut App, at: Body, agent: impl Bundle) -> Entity {
    Backend::PointMass.spawn(app, at, agent)
}

fn by_oracle(quarry: Entity) -> Pursuit {
    Pursuit::new(quarry).with_prediction(Prediction::by::<Oracle>())
}

fn quarry(app: &mut App) -> Entity {
    let vehicle = Vehicle {
        max_speed: 7.0,
        ..default()
    };
    spawn(app, Body::at(9.0, 0.0).moving(0.0, 2.0), vehicle)
}

/// Moves a quarry by its transform, with a hunter and prey of these predictions, and counts the warnings.
fn warnings_about_a_quarry_without_velocity(prediction: Prediction) -> usize {
    let mut app = oracle_app();
    let quarry = app.world_mut().spawn(Transform::default()).id();
    let hunts = Pursuit::new(quarry).with_prediction(prediction);
    let flees = Evade::new(quarry).with_prediction(prediction);
    spawn(&mut app, Body::at(9.0, 0.0), (hunts, Oracle::default()));
    spawn(&mut app, Body::at(5.0, 0.0), (flees, Oracle::default()));
    for tick in 0..60 {
        move_to(&mut app, quarry, Vec2::new(0.05 * tick as f32, 5.0));
        run_ticks(&mut app, 1);
    }
    warnings(&app).len()
}

#[test]
fn only_predictions_of_the_library_warn_of_a_quarry_without_velocity() {
    let count = warnings_about_a_quarry_without_velocity;
    assert_eq!(count(Prediction::default()), 1);
    assert_eq!(count(Prediction::TurnRate), 1);
    assert_eq!(count(Prediction::by::<Oracle>()), 0);
}

#[test]
fn a_predictor_of_a_game_tells_where_the_quarry_will_be() {
    let mut app = oracle_app();
    let quarry = quarry(&mut app);
    let answer = Vec2::new(0.0, -30.0);
    let oracle = Oracle { answer, doubt: 0.0 };
    let hunter = spawn(&mut app, Body::at(0.0, 0.0), (by_oracle(quarry), oracle));
    let prey = Evade::new(quarry).with_prediction(Prediction::by::<Oracle>());
    let prey = spawn(&mut app, Body::at(5.0, 0.0), (prey, oracle));
    run_ticks(&mut app, 10);
    assert!(
        entry::<Pursuit>(&app, hunter).raw.y < -1.0,
        "towards the answer"
    );
    assert!(
        entry::<Evade>(&app, prey).raw.y > 1.0,
        "away from the answer"
    );
    let memory = get::<OracleMemory>(&app, hunter);
    assert_eq!((memory.questions, memory.fastest), (10, 7.0));
    let expected = get::<PursuitMemory>(&app, hunter).sighting.expected;
    assert_eq!(expected, answer);
}

#[test]
fn two_behaviors_of_one_agent_have_predictors_of_their_own() {
    let mut app = oracle_app();
    let (a, b) = (quarry(&mut app), quarry(&mut app));
    let up = Oracle {
        answer: Vec2::new(0.0, 30.0),
        doubt: 0.0,
    };
    let down = Oracle {
        answer: -up.answer,
        ..up
    };
    let agent = spawn(&mut app, Body::at(0.0, 0.0), (by_oracle(a), up));
    app.world_mut()
        .spawn((SteersFor(agent), by_oracle(b), down));
    run_ticks(&mut app, 3);
    let raw: Vec<f32> = ledger(&app, agent).iter().map(|it| it.raw.y).collect();
    assert!(raw[0] > 1.0 && raw[1] < -1.0, "{raw:?}");
}

#[test]
fn a_predictor_that_returns_nonsense_warns_once_and_the_present_position_is_expected() {
    for answer in [Vec2::NAN, Vec2::new(f32::INFINITY, 0.0), Vec2::splat(1e30)] {
        let mut app = oracle_app();
        let quarry = quarry(&mut app);
        let oracle = Oracle { answer, doubt: 0.0 };
        let hunter = spawn(&mut app, Body::at(0.0, 0.0), (by_oracle(quarry), oracle));
        let seeker = spawn(&mut app, Body::at(0.0, 0.0), Seek::new(quarry));
        run_ticks(&mut app, 90);
        assert_warned_once(&app, hunter, "Oracle", &format!("{answer}"));
        assert_eq!(position(&app, hunter), position(&app, seeker), "{answer}");
    }
}

#[test]
fn a_predictor_that_is_missing_or_invalid_warns_once_and_the_present_position_is_expected() {
    let invalid = Oracle {
        doubt: f32::NAN,
        ..default()
    };
    for (oracle, field) in [
        (None, "Prediction::Custom"),
        (Some(invalid), "Oracle.doubt"),
    ] {
        let mut app = oracle_app();
        let quarry = quarry(&mut app);
        let hunter = spawn(&mut app, Body::at(0.0, 0.0), by_oracle(quarry));
        if let Some(oracle) = oracle {
            app.world_mut().entity_mut(hunter).insert(oracle);
        }
        let seeker = spawn(&mut app, Body::at(0.0, 0.0), Seek::new(quarry));
        run_ticks(&mut app, 90);
        assert_warned_once(&app, hunter, field, field);
        assert_eq!(position(&app, hunter), position(&app, seeker), "{field}");
    }
}

#[test]
fn a_preset_holds_a_predictor_by_its_name() {
    let mut app = oracle_app();
    let types = app.world().resource::<AppTypeRegistry>().clone();
    let text = "{ Oracle: (doubt: 2.0), Pursuit: (prediction: Custom(Oracle)) }";
    let preset = SteeringPreset::from_ron(text, &types).unwrap();
    let agent = spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    preset.apply(app.world_mut(), agent).unwrap();
    assert_eq!(get::<Oracle>(&app, agent).doubt, 2.0);
    let by_oracle = Prediction::by::<Oracle>();
    assert_eq!(get::<Pursuit>(&app, agent).prediction, by_oracle);
    let written = SteeringPreset::capture(app.world(), agent).unwrap();
    let written = written.to_ron(&types).unwrap();
    let again = SteeringPreset::from_ron(&written, &types).unwrap();
    assert_eq!(again.get::<Pursuit>().unwrap().prediction, by_oracle);
}

/// Seconds until a hunter is within half a meter of a quarry on a circle of 4 m, at 5 m/s.
fn time_to_catch_on_a_circle(prediction: Prediction) -> f32 {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>();
    let quarry = spawn(
        &mut app,
        Body::at(4.0, 0.0).moving(0.0, 5.0),
        Push::new(0.0, 0.0),
    );
    let vehicle = Vehicle {
        max_speed: 5.5,
        max_force: 30.0,
        ..default()
    };
    let hunter = Pursuit::new(quarry).with_prediction(prediction);
    let hunter = spawn(&mut app, Body::at(-14.0, 0.0), (vehicle, hunter));
    for tick in 1..60 * 60 {
        // Centripetal: v² / r, towards the origin.
        let inward = -position(&app, quarry).normalize_or_zero();
        app.world_mut().get_mut::<Push>(quarry).unwrap().force = 25.0 / 4.0 * inward;
        app.update();
        if position(&app, hunter).distance(position(&app, quarry)) < 0.5 {
            return tick as f32 * TICK;
        }
    }
    f32::INFINITY
}

#[test]
fn a_circling_quarry_is_caught_sooner_by_its_turn_rate() {
    let straight = time_to_catch_on_a_circle(Prediction::Intercept);
    let turning = time_to_catch_on_a_circle(Prediction::TurnRate);
    assert!(
        turning < 0.8 * straight,
        "{turning} s, straight {straight} s"
    );
}

#[test]
fn predictions_along_a_course_are_the_same_for_point_masses_and_bodies() {
    for prediction in [
        Prediction::TurnRate,
        Prediction::Acceleration,
        Prediction::Scenery,
    ] {
        for backend in BACKENDS {
            let mut app = backend.app(HERTZ);
            app.world_mut()
                .spawn(Wall::new(Vec2::new(12.0, -50.0), Vec2::new(12.0, 50.0)));
            let quarry = Body::at(9.0, 0.0).moving(2.0, 2.0);
            let quarry = backend.spawn(&mut app, quarry, Vehicle::default());
            let hunter = Pursuit::new(quarry).with_prediction(prediction);
            let hunter = backend.spawn(&mut app, Body::at(0.0, 0.0), hunter);
            run_ticks(&mut app, 30);
            let expected = get::<PursuitMemory>(&app, hunter).sighting.expected;
            let straight = expected.y - position(&app, quarry).y > 0.5;
            assert!(
                expected.is_finite() && straight,
                "{backend:?} {prediction:?}"
            );
            let through = expected.x > 12.0;
            assert_eq!(through, prediction != Prediction::Scenery, "{expected}");
        }
    }
}
