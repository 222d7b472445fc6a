//! Conditions, predictors and variants that are chosen in rows.

use bevy_steering2d_core::{Cut, Encounter, Predictor, SteeringAppExt, SteeringForce, WanderStyle};

use super::*;

/// Expects the other where it is.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
pub(super) struct Present {
    /// Without effect, s.
    delay: f32,
}

impl Predictor for Present {
    type Memory = ();
    type World = ();

    fn predict(&self, pair: &Encounter, _: (), _: &()) -> Vec2 {
        pair.other.position
    }
}

/// Two agents that pursue a point, the first of which is shown with its parameters.
fn hunters() -> (TestApp, [Entity; 2]) {
    let mut test = TestApp::in_even_ticks();
    test.app.add_predictor::<Present>();
    let hunters = [10.0, -10.0].map(|y| {
        let agent = (PointMass::default(), Transform::from_xyz(0.0, y, 0.0));
        test.world().spawn((agent, Pursuit::new(Vec2::X))).id()
    });
    test.select(hunters[0]);
    test.frame(Vec::new());
    test.click("group (2)");
    test.click("Pursuit parameters");
    (test, hunters)
}

#[test]
fn a_chosen_condition_comes_to_the_agents_that_lack_it() {
    let (mut test, hunters) = hunters();
    test.world().entity_mut(hunters[1]).insert(Alone::new(3.0));
    test.click("Pursuit when");
    test.click("only Alone");
    test.frame(Vec::new());
    let world = test.app.world();
    let alone = hunters.map(|it| world.get::<Alone>(it).copied());
    assert_eq!(alone, [Some(Alone::default()), Some(Alone::new(3.0))]);
    for hunter in hunters {
        let force = world.get::<SteeringForce>(hunter).unwrap();
        let cuts: Vec<Cut> = force.ledger().map(|entry| entry.cut).collect();
        assert!(matches!(cuts[..], [cut] if cut != Cut::Invalid), "{cuts:?}");
    }
}

#[test]
fn a_condition_of_the_agent_is_not_inserted_on_its_behavior_entity() {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), Vehicle::default(), Alone::default());
    let agent = test.world().spawn(agent).id();
    let helper = (SteersFor(agent), Wander::default());
    let helper = test.world().spawn(helper).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Wander parameters");
    test.click("Wander when");
    test.click("unless Alone");
    let world = test.app.world();
    let when = world.get::<Wander>(helper).unwrap().influence.when;
    assert_eq!(when, When::unless::<Alone>());
    assert_eq!(world.get::<Alone>(helper), None);
}

#[test]
fn a_chosen_predictor_comes_to_the_agents_that_lack_it() {
    let (mut test, hunters) = hunters();
    let own = Present { delay: 2.0 };
    test.world().entity_mut(hunters[1]).insert(own.clone());
    test.click("prediction");
    test.click("Present");
    let world = test.app.world();
    let predictors = hunters.map(|it| world.get::<Present>(it).cloned());
    assert_eq!(predictors, [Some(Present::default()), Some(own)]);
    for hunter in hunters {
        let pursuit = world.get::<Pursuit>(hunter).unwrap();
        assert_eq!(pursuit.prediction, Prediction::by::<Present>());
    }
}

#[test]
fn conditions_of_a_behavior_entity_are_edited_in_its_row() {
    let mut test = TestApp::new();
    let agents = [(); 2].map(|()| {
        let agent = (PointMass::default(), Vehicle::default());
        test.world().spawn(agent).id()
    });
    let helpers = agents.map(|it| {
        let helper = (SteersFor(it), Wander::default(), Alone::new(2.75));
        test.world().spawn(helper).id()
    });
    test.select(agents[0]);
    test.frame(Vec::new());
    test.click("group (2)");
    test.click("Wander parameters");
    let is_shown = test.widgets.iter().any(|(it, _)| it == "2.75");
    assert!(is_shown, "{:?}", test.widgets);
    test.click("Reset to the default");
    for helper in helpers {
        let alone = test.app.world().get::<Alone>(helper);
        assert_eq!(alone, Some(&Alone::default()));
    }
}

/// Opens the list of an enum, and clicks a variant in it.
#[track_caller]
pub(super) fn choose(test: &mut TestApp, active: &str, variant: &str) {
    let button = test.place_of(active);
    test.click(active);
    let mut listed = test.widgets.iter();
    let listed = listed.find(|(it, at)| it == variant && at.y > button.y + 10.0);
    let (_, place) = listed.unwrap_or_else(|| panic!("no {variant} in {:?}", test.widgets));
    let place = *place;
    test.button(place, true);
    test.button(place, false);
    test.frame(Vec::new());
}

#[test]
fn a_choice_of_the_active_variant_changes_none_of_its_numbers() {
    let mut test = TestApp::new();
    let style = WanderStyle::Angle {
        radius: 1.5,
        distance: 2.5,
        angle_change: 3.5,
    };
    let wander = Wander { style, ..default() };
    let agent = test.world().spawn((PointMass::default(), wander)).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Wander parameters");
    let style_of = |test: &TestApp| test.app.world().get::<Wander>(agent).unwrap().style;
    choose(&mut test, "Angle", "Angle");
    assert_eq!(style_of(&test), style);
    choose(&mut test, "Angle", "Circle");
    let chosen = style_of(&test);
    assert!(matches!(chosen, WanderStyle::Circle { .. }), "{chosen:?}");
}
