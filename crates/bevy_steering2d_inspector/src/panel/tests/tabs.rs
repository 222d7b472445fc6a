//! Every tab, with typical agents.

use bevy::ecs::entity_disabling::Disabled;
use bevy_steering2d_core::{
    Arrive, BehaviorGroup, Combine, FaceTarget, PathFollowing, PathStyle, Seek, SensesColliders,
    SteeringDisabled, SteeringGroups, SteeringPath, StuckDetection, ThinkEvery, Wheeled,
};
use bevy_steering2d_debug::{DebugLayer, SteeringDebug};

use super::*;

/// A tab with an agent.
fn tab_of(agent: impl Bundle, tab: Tab) -> (TestApp, Entity) {
    let mut test = TestApp::new();
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    show_tab(&mut test, tab);
    (test, agent)
}

fn show_tab(test: &mut TestApp, tab: Tab) {
    test.world().resource_mut::<SteeringInspector>().tab = tab;
    for _ in 0..3 {
        test.frame(Vec::new());
    }
}

#[track_caller]
fn assert_shows(test: &TestApp, expected: &[&str]) {
    for text in expected {
        assert!(test.shows(text), "no {text} in {:?}", test.texts);
    }
}

#[test]
fn the_vehicle_tab_of_a_car_has_its_gauges_and_units() {
    let body = PointMass {
        mass: 1200.0,
        ..default()
    };
    let car = (
        body,
        Wheeled::default(),
        StuckDetection::default(),
        ThinkEvery(4),
        Arrive::new(Vec2::X),
    );
    let (test, _) = tab_of(car, Tab::Vehicle);
    assert_shows(&test, &["Vehicle", "max speed", " m/s", "max force", " N"]);
    assert_shows(&test, &["Wheeled", "max steering", " rad", "throttle"]);
    assert_shows(&test, &["PointMass", "1200 kg", "velocity"]);
    assert_shows(&test, &["StuckDetection", "after", " s"]);
    assert_shows(&test, &["ThinkEvery", "4 ticks"]);
    test.place_of("Steering on");
}

#[test]
fn a_drag_in_the_vehicle_tab_goes_on_when_another_component_goes() {
    let body = PointMass {
        mass: 777.0,
        ..default()
    };
    let agent = (body, Vehicle::default(), FaceTarget::default());
    let (mut test, agent) = tab_of(agent, Tab::Vehicle);
    let mass = |test: &TestApp| test.app.world().get::<PointMass>(agent).unwrap().mass;
    let from = test.place_of("777");
    let moved = |by| vec![Event::PointerMoved(from + egui::vec2(by, 0.0))];
    test.button(from, true);
    test.frame(moved(20.0));
    let before = mass(&test);
    assert!(before > 777.0, "{before}");
    test.world().entity_mut(agent).remove::<FaceTarget>();
    test.frame(Vec::new());
    test.frame(moved(40.0));
    assert!(mass(&test) > before, "{}", mass(&test));
}

#[test]
fn the_parameters_of_a_walker_on_a_path_can_be_chosen() {
    let path = SteeringPath::open([Vec2::ZERO, Vec2::X, Vec2::ONE]).expect("three points");
    let walker = (
        PointMass::default(),
        path,
        PathFollowing::default(),
        FaceTarget::default(),
    );
    let (mut test, agent) = tab_of(walker, Tab::Behaviors);
    test.click("PathFollowing parameters");
    let labels = ["priority", "probability", "when", "style", "tolerance"];
    assert_shows(&test, &labels);
    assert_shows(&test, &["pace", " m"]);
    assert!(!test.shows("influence"), "the row itself edits it");
    test.click("Waypoints");
    test.click("Corridor");
    let followed = test.app.world().get::<PathFollowing>(agent).unwrap();
    let PathStyle::Corridor { half_width, .. } = followed.style else {
        panic!("{:?}", followed.style);
    };
    assert_eq!(half_width, 1.0, "zero would be invalid");
    test.frame(Vec::new());
    assert!(!test.shows("invalid"), "{:?}", test.texts);
    show_tab(&mut test, Tab::Vehicle);
    assert_shows(&test, &["FaceTarget", "target"]);
}

#[test]
fn a_group_has_rows_and_a_combiner_of_its_own() {
    let (mut test, agent) = tab_of((PointMass::default(), Seek::default()), Tab::Behaviors);
    let flock = (
        SteersFor(agent),
        BehaviorGroup::default(),
        Separation::default(),
    );
    let flock = test.world().spawn(flock).id();
    test.frame(Vec::new());
    for name in ["Seek on", "BehaviorGroup on", "Separation on"] {
        test.place_of(name);
    }
    test.click("BehaviorGroup parameters");
    test.click(&format!("Combiner of {flock}"));
    test.click("Dithered");
    let chosen = [agent, flock].map(|it| test.app.world().get::<Combine>(it).copied());
    assert_eq!(chosen, [Some(Combine::default()), Some(Combine::DITHERED)]);
}

#[test]
fn groups_have_their_numbers() {
    let groups = SteeringGroups::of(2);
    let (mut test, agent) = tab_of(
        (PointMass::default(), Vehicle::default(), groups),
        Tab::Vehicle,
    );
    assert_shows(&test, &["SteeringGroups"]);
    test.click("3");
    let groups = test.app.world().get::<SteeringGroups>(agent);
    assert_eq!(groups, Some(&SteeringGroups(0b1100)));
}

#[test]
fn the_collision_groups_of_an_agent_that_senses_colliders_have_rapiers_numbers() {
    let senses = (Vehicle::default(), SensesColliders::default());
    let (mut test, agent) = tab_of((PointMass::default(), senses), Tab::Vehicle);
    let labels = [
        "SensesColliders",
        "memberships",
        "filter",
        "sensors",
        "agents",
    ];
    assert_shows(&test, &labels);
    test.click("2");
    let senses = test.app.world().get::<SensesColliders>(agent);
    let without_group_2 = SensesColliders {
        memberships: !0b10,
        ..default()
    };
    assert_eq!(senses, Some(&without_group_2));
}

#[test]
fn a_row_says_that_a_parameter_is_invalid() {
    let invalid = Separation {
        perception_radius: -1.0,
        ..default()
    };
    let (mut test, _) = tab_of((PointMass::default(), invalid), Tab::Behaviors);
    assert_shows(&test, &["invalid"]);
    test.click("Separation parameters");
    assert_shows(&test, &["perception radius"]);
    assert!(test.shows("-1") || test.shows("−1"), "{:?}", test.texts);
}

#[test]
fn the_rows_of_an_agent_that_is_off_or_invalid_say_so() {
    let seeker = (PointMass::default(), Vehicle::default(), Seek::default());
    let (mut test, agent) = tab_of(seeker, Tab::Behaviors);
    assert!(!test.shows("Steering is off") && !test.shows("max_force"));
    test.world().entity_mut(agent).insert(SteeringDisabled);
    test.frame(Vec::new());
    assert_shows(&test, &["Steering is off", "no force"]);
    test.world().entity_mut(agent).remove::<SteeringDisabled>();
    let vehicle = Vehicle {
        max_force: -1.0,
        ..default()
    };
    test.world().entity_mut(agent).insert(vehicle);
    test.frame(Vec::new());
    assert_shows(&test, &["max_force"]);
}

#[test]
fn the_rows_of_an_agent_with_bevys_disabled_have_no_forces_and_say_why() {
    let seeker = (PointMass::default(), Vehicle::default(), Seek::default());
    let (mut test, agent) = tab_of(seeker, Tab::Behaviors);
    assert!(!test.shows("Disabled") && !test.shows("no force"));
    test.world().entity_mut(agent).insert(Disabled);
    test.frame(Vec::new());
    assert_shows(&test, &["Bevy's Disabled", "no force"]);
}

#[test]
fn the_draw_tab_has_each_layer_and_each_color_once() {
    let (mut test, agent) = tab_of((PointMass::default(), Seek::default()), Tab::Draw);
    test.world().spawn((SteersFor(agent), Seek::default()));
    test.frame(Vec::new());
    assert_shows(&test, &["Draw for", "Behavior colors"]);
    let colors = test.texts.iter().filter(|it| it.contains("Seek"));
    assert_eq!(colors.count(), 1, "{:?}", test.texts);
    for layer in DebugLayer::ALL {
        test.place_of(layer.name());
    }
    let layer = DebugLayer::ALL[0];
    let is_on = |test: &TestApp| test.app.world().resource::<SteeringDebug>().is_on(layer);
    let before = is_on(&test);
    test.click(layer.name());
    assert_ne!(is_on(&test), before);
}

#[test]
fn the_plots_have_units_and_a_legend() {
    let (test, _) = tab_of((PointMass::default(), Wander::default()), Tab::Plots);
    assert_shows(&test, &["Speed, m/s (", "Force, N (", "max_speed"]);
    assert_shows(&test, &["Accepted force per behavior, N", "Wander"]);
}

#[test]
fn tabs_without_an_agent_say_how_to_select_one() {
    let mut test = TestApp::new();
    for tab in Tab::ALL {
        show_tab(&mut test, tab);
        let expected: &[&str] = match tab {
            Tab::Behaviors | Tab::Vehicle | Tab::Plots => &["Click an agent in the window"],
            Tab::Draw => &["Draw for"],
            Tab::Presets => &[
                "Click an agent to",
                "Compare",
                "Save the shown agent",
                "Files",
            ],
        };
        assert_shows(&test, expected);
        assert_shows(&test, &["Pick an agent"]);
    }
}

#[test]
fn a_panel_without_room_for_its_rows_is_shown() {
    let (mut test, agent) = tab_of((PointMass::default(), Seek::default()), Tab::Behaviors);
    let mut outer = agent;
    for _ in 0..30 {
        let group = (
            SteersFor(outer),
            BehaviorGroup::default(),
            Separation::default(),
        );
        outer = test.world().spawn(group).id();
    }
    for size in [[420.0, 900.0], [120.0, 900.0], [20.0, 20.0]] {
        test.size = size.into();
        for tab in Tab::ALL {
            show_tab(&mut test, tab);
        }
    }
}
