//! Agents that are despawned while they are edited.

use bevy_steering2d_core::{Alignment, Combine, Seek, SteeringDisabled};

use super::*;

#[test]
fn a_drag_ends_with_the_agent_whose_number_is_dragged() {
    let mut test = TestApp::new();
    let agents = [3.25, 7.25].map(|max_speed| {
        let vehicle = Vehicle {
            max_speed,
            ..default()
        };
        test.world().spawn((PointMass::default(), vehicle)).id()
    });
    let mut selection = test.world().resource_mut::<SteeringSelection>();
    selection.set(agents);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Vehicle;
    test.frame(Vec::new());
    test.frame(Vec::new());
    let max_speed = |test: &TestApp, agent: Entity| {
        let vehicle = test.app.world().get::<Vehicle>(agent);
        vehicle.map(|it| it.max_speed)
    };
    let pos = test.place_of("3.25");
    let press = Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed: true,
        modifiers: Modifiers::NONE,
    };
    test.frame(vec![Event::PointerMoved(pos), press]);
    let drag = |test: &mut TestApp, by: f32| {
        test.frame(vec![Event::PointerMoved(pos + egui::vec2(by, 0.0))]);
    };
    drag(&mut test, 30.0);
    drag(&mut test, 60.0);
    assert!(max_speed(&test, agents[0]) > Some(3.25));
    test.world().despawn(agents[0]);
    for by in [90.0, 120.0, 150.0] {
        drag(&mut test, by);
    }
    assert_eq!(max_speed(&test, agents[1]), Some(7.25));
}

/// Two agents to edit together. An event `E` about a `B` despawns the second one.
fn agents_of_which_one_vanishes<E: EntityEvent, B: Bundle>() -> (TestApp, [Entity; 2]) {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), Seek::new(Vec2::X));
    let agents = [(); 2].map(|()| test.world().spawn(agent).id());
    let vanishing = agents[1];
    test.world()
        .add_observer(move |_: On<E, B>, mut commands: Commands| {
            commands.entity(vanishing).try_despawn();
        });
    let mut selection = test.world().resource_mut::<SteeringSelection>();
    selection.set(agents);
    test.world().resource_mut::<SteeringInspector>().scope = Scope::Selected;
    test.frame(Vec::new());
    (test, agents)
}

#[test]
fn an_edit_may_despawn_an_agent_that_it_is_for() {
    let are_left = |test: &TestApp, agents: [Entity; 2]| {
        agents.map(|agent| test.app.world().get_entity(agent).is_ok())
    };
    let (mut test, agents) = agents_of_which_one_vanishes::<Remove, Seek>();
    test.click("Seek parameters");
    test.click("Remove Seek");
    assert_eq!(are_left(&test, agents), [true, false], "removed");

    let (mut test, agents) = agents_of_which_one_vanishes::<Insert, Combine>();
    test.click("Combiner");
    test.click("Dithered");
    assert_eq!(are_left(&test, agents), [true, false], "combined");

    let (mut test, agents) = agents_of_which_one_vanishes::<Add, Alignment>();
    test.click("➕ Add behavior");
    test.click("Alignment");
    assert_eq!(are_left(&test, agents), [true, false], "added");

    let (mut test, agents) = agents_of_which_one_vanishes::<Add, SteeringDisabled>();
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Vehicle;
    test.frame(Vec::new());
    test.click("Steering on");
    assert_eq!(are_left(&test, agents), [true, false], "disabled");
}

#[test]
fn a_stored_tuning_is_applied_to_the_agents_that_are_left() {
    let (mut test, agents) = agents_of_which_one_vanishes::<Remove, Alignment>();
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    test.click("Store as A");
    for agent in agents {
        let mut agent = test.app.world_mut().entity_mut(agent);
        agent.insert(Alignment::default());
    }
    test.click("Apply A");
    assert!(test.app.world().get::<Alignment>(agents[0]).is_none());
    assert!(test.shows("Applied A to 1 agent"), "{:?}", test.texts);
}

#[test]
fn an_agent_is_not_listed_once_it_is_despawned() {
    let mut test = TestApp::new();
    let [fox, hen] = ["Fox", "Hen"].map(|name| {
        let agent = (PointMass::default(), Vehicle::default(), Name::new(name));
        test.world().spawn(agent).id()
    });
    test.select(fox);
    test.frame(Vec::new());
    test.click("Agents");
    let is_listed = |test: &TestApp, name| test.widgets.iter().any(|(it, _)| it == name);
    assert!(is_listed(&test, "Hen #1"), "{:?}", test.widgets);
    test.world().despawn(hen);
    test.frame(Vec::new());
    assert!(is_listed(&test, "Fox #0") && !is_listed(&test, "Hen #1"));
}
