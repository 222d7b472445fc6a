//! Parameters of behaviors of the game.

use bevy_steering2d_core::{Agent, Behavior, Influence, Steer, SteeringAppExt};

use super::choices::choose;
use super::*;

/// Walks between posts.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
struct Patrol {
    influence: Influence,
    /// Where it waits, m.
    posts: [Vec2; 2],
    /// The shortest and the longest wait at each post, s.
    waits: Vec<[f32; 2]>,
    /// The sharpest turns, left and right, rad.
    turns: (f32, f32),
}

impl Behavior for Patrol {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }
}

impl Steer for Patrol {
    fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
        Vec2::ZERO
    }
}

/// Waits for two others.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
struct Ambush {
    influence: Influence,
    /// Of the first one.
    first: Prediction,
    /// Of the second one.
    second: Prediction,
    /// Of what lures them.
    bait: Option<Prediction>,
}

impl Behavior for Ambush {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }
}

impl Steer for Ambush {
    fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
        Vec2::ZERO
    }
}

/// Shows the parameters of an agent.
fn shown(patrol: Patrol) -> (TestApp, Entity) {
    let mut test = TestApp::new();
    test.app.add_behavior::<Patrol>();
    let agent = test.world().spawn((PointMass::default(), patrol)).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Patrol parameters");
    (test, agent)
}

#[test]
fn parameters_of_several_values_are_shown_and_edited() {
    let posts = Patrol {
        posts: [Vec2::X, 2.5 * Vec2::Y],
        ..default()
    };
    let waits = Patrol {
        waits: vec![[1.0, 2.5]],
        ..default()
    };
    let turns = Patrol {
        turns: (1.0, 2.5),
        ..default()
    };
    for patrol in [posts, waits, turns] {
        let (mut test, agent) = shown(patrol);
        let is_shown = test.widgets.iter().any(|(it, _)| it == "2.5");
        assert!(is_shown, "{:?}", test.widgets);
        test.click("Reset to the default");
        let patrol = test.app.world().get::<Patrol>(agent);
        assert_eq!(patrol, Some(&Patrol::default()));
    }
}

#[test]
fn showing_several_values_that_are_nan_changes_none() {
    let (mut test, agent) = shown(Patrol {
        posts: [Vec2::NAN, Vec2::X],
        waits: vec![[1.0, f32::NAN]],
        turns: (f32::NAN, 1.0),
        ..default()
    });
    test.frame(Vec::new());
    let patrol = test.app.world().get::<Patrol>(agent).unwrap();
    assert!(patrol.posts[0].is_nan() && patrol.waits[0][1].is_nan());
    assert!(patrol.turns.0.is_nan());
}

#[test]
fn each_of_two_predictions_has_a_menu_of_its_own() {
    let mut test = TestApp::new();
    test.app.add_behavior::<Ambush>();
    let agent = (PointMass::default(), Ambush::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Ambush parameters");
    test.click("prediction");
    let choices = test.widgets.iter().filter(|(it, _)| it == "TurnRate");
    assert_eq!(choices.count(), 1);
    test.click("TurnRate");
    let ambush = test.app.world().get::<Ambush>(agent).unwrap();
    let predictions = [ambush.first, ambush.second];
    assert_eq!(predictions, [Prediction::TurnRate, Prediction::default()]);
}

#[test]
fn a_choice_in_a_list_keeps_the_enum_around_it() {
    let mut test = TestApp::new();
    test.app.add_behavior::<Ambush>();
    let ambush = Ambush {
        bait: Some(Prediction::Intercept),
        ..default()
    };
    let agent = test.world().spawn((PointMass::default(), ambush)).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Ambush parameters");
    let bait = |test: &TestApp| test.app.world().get::<Ambush>(agent).unwrap().bait;
    choose(&mut test, "Intercept", "TurnRate");
    assert_eq!(bait(&test), Some(Prediction::TurnRate));
    for active in ["TurnRate", "Some"] {
        choose(&mut test, active, active);
        assert_eq!(bait(&test), Some(Prediction::TurnRate), "{active}");
    }
}
