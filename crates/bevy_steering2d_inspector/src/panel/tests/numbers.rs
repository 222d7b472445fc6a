//! Numbers that are shown stay as they are.

use std::collections::HashSet;

use bevy_steering2d_core::Behavior;

use super::*;

#[test]
fn showing_values_out_of_range_changes_no_agent() {
    for bad in [-1.0, f32::NAN] {
        let mut test = TestApp::new();
        let valid = (
            PointMass::default(),
            Vehicle::default(),
            Separation::default(),
            Pursuit::new(Vec2::X),
        );
        let mut faulty = valid;
        faulty.1.max_force = -5.0;
        faulty.1.response_time = bad;
        faulty.1.radius = Some(bad);
        faulty.2.perception_radius = bad;
        faulty.2.influence.weight = bad;
        faulty.2.influence.probability = bad;
        faulty.3.prediction = Prediction::Fixed(bad);
        let agents = [faulty, valid].map(|agent| test.world().spawn(agent).id());
        test.select(agents[0]);
        test.world().resource_mut::<SteeringInspector>().scope = Scope::Group;
        // As text, in which NaN equals NaN, and -0 differs from 0.
        let values = |test: &TestApp| {
            agents.map(|agent| {
                let agent = test.app.world().entity(agent);
                let vehicle = agent.get::<Vehicle>().unwrap();
                let behaviors = agent.get::<Separation>().zip(agent.get::<Pursuit>());
                format!("{vehicle:?} {behaviors:?}")
            })
        };
        let before = values(&test);
        test.frame(Vec::new());
        test.click("Separation parameters");
        test.click("Pursuit parameters");
        for tab in [Tab::Behaviors, Tab::Vehicle] {
            test.world().resource_mut::<SteeringInspector>().tab = tab;
            test.frame(Vec::new());
            test.frame(Vec::new());
            assert_eq!(values(&test), before, "{tab:?} with {bad}");
        }
    }
}

#[test]
fn tab_through_the_fields_changes_none_of_their_numbers() {
    let mut test = TestApp::new();
    let agent = (
        PointMass::default(),
        Vehicle {
            response_time: 0.123_456,
            ..default()
        },
        Pursuit {
            facing_angle: 20_f32.to_radians(),
            ..Pursuit::new(Vec2::X)
        }
        .with_weight(0.004),
        Separation::default().with_weight(0.125),
    );
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    let values = |test: &TestApp| {
        let agent = test.app.world().entity(agent);
        let behaviors = agent.get::<Pursuit>().zip(agent.get::<Separation>());
        format!("{:?} {behaviors:?}", agent.get::<Vehicle>())
    };
    let before = values(&test);
    test.frame(Vec::new());
    test.click("Separation parameters");
    test.click("Pursuit parameters");
    for tab in [Tab::Behaviors, Tab::Vehicle] {
        test.world().resource_mut::<SteeringInspector>().tab = tab;
        test.frame(Vec::new());
        let mut focused = HashSet::new();
        for _ in 0..100 {
            test.press_tab();
            focused.extend(test.context.memory(egui::Memory::focused));
        }
        assert!(focused.len() > 15, "{} widgets", focused.len());
        assert_eq!(values(&test), before, "{tab:?}");
    }
}

#[test]
fn a_large_number_changes_faster_under_a_drag() {
    let mut test = TestApp::new();
    let truck = Vehicle {
        max_force: 50_000.0,
        ..default()
    };
    let agent = test.world().spawn((PointMass::default(), truck)).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Vehicle;
    test.frame(Vec::new());
    test.frame(Vec::new());
    let from = test.place_of("50000");
    test.button(from, true);
    for by in [20.0, 40.0] {
        test.frame(vec![Event::PointerMoved(from + egui::vec2(by, 0.0))]);
    }
    test.button(from + egui::vec2(40.0, 0.0), false);
    let max_force = test.app.world().get::<Vehicle>(agent).unwrap().max_force;
    assert!(max_force > 55_000.0, "{max_force}");
}

#[test]
fn a_number_with_a_decimal_comma_is_read_and_a_text_keeps_its_commas() {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), Separation::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    let typed = |test: &mut TestApp, keys: [&str; 3]| {
        for key in keys {
            test.frame(vec![Event::Text(key.into())]);
        }
    };
    test.frame(Vec::new());
    test.click("Separation parameters");
    test.click("Separation probability");
    typed(&mut test, ["0", ",", "5"]);
    let separation = test.app.world().get::<Separation>(agent).unwrap();
    assert_eq!(separation.influence.probability, 0.5);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    test.click("Preset name");
    typed(&mut test, ["a", ",", "b"]);
    test.frame(Vec::new());
    assert!(test.shows("a,b"), "{:?}", test.texts);
}

#[test]
fn a_double_click_on_a_weight_sets_it_to_1() {
    // The knob's rail, and the number beside it.
    for widget in ["Wander weight", "3.25"] {
        let mut test = TestApp::new();
        let agent = (PointMass::default(), Wander::default().with_weight(3.25));
        let agent = test.world().spawn(agent).id();
        test.select(agent);
        test.frame(Vec::new());
        test.frame(Vec::new());
        let place = test.place_of(widget);
        for pressed in [true, false, true, false] {
            test.button(place, pressed);
        }
        for _ in 0..3 {
            test.frame(Vec::new());
        }
        let wander = test.app.world().get::<Wander>(agent).unwrap();
        assert_eq!(wander.influence.weight, 1.0, "{widget}");
        assert_eq!(test.context.memory(egui::Memory::focused), None);
    }
}
