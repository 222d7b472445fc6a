//! Rows of behaviors: they are moved, added, removed and combined.

use bevy_steering2d_core::{
    Alignment, Behavior, Combine, Combiner, Influence, LedgerEntry, Seek, SteeringAppExt,
};
use bevy_steering2d_recorder::rewind;

use super::*;

/// An agent with three behaviors in the panel, and their influences, by priority.
fn agent_with_three_rows() -> (TestApp, impl Fn(&TestApp) -> Vec<Influence>) {
    let mut test = TestApp::new();
    let agent = (
        PointMass::default(),
        Seek::new(Vec2::X).with_priority(30),
        Separation::default().with_priority(29),
        Wander::default().with_priority(10),
    );
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.frame(Vec::new());
    let influences = move |test: &TestApp| {
        let world = test.app.world();
        let behaviors = world.resource::<BehaviorRegistry>();
        let mut influences: Vec<_> = behaviors
            .assigned_to(world, agent)
            .iter()
            .map(|it| it.influence)
            .collect();
        influences.sort_by_key(|it| std::cmp::Reverse(it.priority));
        influences
    };
    (test, influences)
}

#[test]
fn a_click_on_the_handle_of_a_row_changes_no_priority() {
    let (mut test, influences) = agent_with_three_rows();
    let before = influences(&test);
    test.click("Separation handle");
    assert_eq!(influences(&test), before);
}

#[test]
fn a_drag_moves_the_row_whose_handle_was_pressed() {
    let (mut test, influences) = agent_with_three_rows();
    let [from, to] = ["Seek handle", "Wander handle"].map(|name| test.place_of(name));
    test.button(from, true);
    test.frame(vec![Event::PointerMoved(to)]);
    // In the lower half of the row.
    test.button(to + egui::vec2(0.0, 20.0), false);
    let priorities: Vec<_> = influences(&test).iter().map(|it| it.priority).collect();
    assert_eq!(priorities, [29, 10, 0], "Seek is the last");
}

#[test]
fn a_drag_ends_with_the_behavior_whose_row_is_dragged() {
    let (mut test, influences) = agent_with_three_rows();
    test.button(test.place_of("Seek handle"), true);
    let to = test.place_of("Wander handle");
    test.frame(vec![Event::PointerMoved(to)]);
    let agent = test.world().resource::<SteeringSelection>().primary();
    let agent = agent.expect("selected");
    test.world().entity_mut(agent).remove::<Seek>();
    test.frame(Vec::new());
    let before = influences(&test);
    assert_eq!(before.len(), 2);
    let to = test.place_of("Wander handle") + egui::vec2(0.0, 20.0);
    test.button(to, false);
    test.frame(Vec::new());
    assert_eq!(influences(&test), before);
}

#[test]
fn a_priority_can_be_typed_although_its_first_digit_moves_the_row() {
    let (mut test, influences) = agent_with_three_rows();
    test.click("Separation parameters");
    test.click("Separation priority");
    for digit in ["3", "5"] {
        test.frame(vec![Event::Text(digit.into())]);
        test.frame(Vec::new());
    }
    let priorities: Vec<_> = influences(&test).iter().map(|it| it.priority).collect();
    assert_eq!(priorities, [35, 30, 10], "Separation is the first");
}

#[test]
fn a_row_stays_open_in_other_ticks_of_an_agent_that_is_gone() {
    let mut test = TestApp::in_even_ticks();
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    for _ in 0..10 {
        test.frame(Vec::new());
    }
    let recorder = test.world().resource::<SteeringRecorder>();
    let last = *recorder.ticks().expect("recorded").end();
    test.world().despawn(agent);
    test.frame(Vec::new());
    rewind(test.world(), last).expect("recorded");
    test.frame(Vec::new());
    test.click("Wander parameters");
    let shown = |test: &TestApp| test.app.world().resource::<SteeringSelection>().primary();
    let is_open = |test: &TestApp| test.widgets.iter().any(|(it, _)| it == "Wander priority");
    let before = shown(&test);
    assert!(before.is_some() && is_open(&test));
    rewind(test.world(), last - 3).expect("recorded");
    test.frame(Vec::new());
    assert!(shown(&test).is_some() && shown(&test) != before);
    assert!(is_open(&test));
}

#[test]
fn an_observer_of_an_added_behavior_may_write_to_the_type_registry() {
    #[derive(Resource, Default)]
    struct Written(bool);

    let mut test = TestApp::new();
    test.app.init_resource::<Written>().add_observer(
        |_: On<Add, Alignment>, types: Res<AppTypeRegistry>, mut written: ResMut<Written>| {
            drop(types.write());
            written.0 = true;
        },
    );
    let agent = (PointMass::default(), Seek::new(Vec2::X));
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("➕ Add behavior");
    test.click("Alignment");
    assert!(test.world().resource::<Written>().0);
}

#[test]
fn an_observer_of_an_edit_may_read_the_inspector() {
    #[derive(Resource, Default)]
    struct Seen(Option<Tab>);

    let mut test = TestApp::new();
    test.app.init_resource::<Seen>().add_observer(
        |_: On<Remove, Seek>, inspector: Res<SteeringInspector>, mut seen: ResMut<Seen>| {
            seen.0 = Some(inspector.tab);
        },
    );
    let agent = (PointMass::default(), Seek::new(Vec2::X));
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Seek parameters");
    test.click("Remove Seek");
    assert_eq!(test.world().resource::<Seen>().0, Some(Tab::Behaviors));
}

#[test]
fn behaviors_can_be_removed_and_added() {
    let mut test = TestApp::new();
    let bird = (PointMass::default(), Seek::new(Vec2::X), Wander::default());
    let agent = test.world().spawn(bird).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Seek parameters");
    test.click("Remove Seek");
    assert!(test.app.world().get::<Seek>(agent).is_none());
    test.click("➕ Add behavior");
    let is_listed = |name| test.widgets.iter().any(|(it, _)| it == name);
    assert!(
        !is_listed("BehaviorGroup"),
        "it acts on its own entity only"
    );
    test.click("Alignment");
    assert!(test.app.world().get::<Alignment>(agent).is_some());
}

#[test]
fn a_click_into_the_search_field_leaves_the_list_of_behaviors_open() {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), Seek::new(Vec2::X));
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("➕ Add behavior");
    test.click("Search behaviors");
    test.frame(vec![Event::Text("align".into())]);
    test.frame(Vec::new());
    let is_listed = |test: &TestApp, name: &str| test.widgets.iter().any(|(it, _)| it == name);
    assert!(is_listed(&test, "Alignment") && !is_listed(&test, "Cohesion"));
    test.click("Alignment");
    assert!(test.app.world().get::<Alignment>(agent).is_some());
    test.frame(Vec::new());
    assert!(
        !is_listed(&test, "Search behaviors"),
        "it closes with a choice"
    );
}

/// A combiner of a game: no behavior has an effect.
#[derive(Reflect)]
struct Silence;

impl Combiner for Silence {
    fn combine(_: &mut [LedgerEntry], _: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
        Vec2::ZERO
    }
}

#[test]
fn combiner_can_be_switched_to_one_of_the_game() {
    let mut test = TestApp::new();
    test.app.add_combiner::<Silence>();
    let agent = (PointMass::default(), Seek::new(Vec2::X));
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Combiner");
    test.click("Silence");
    let chosen = test.app.world().get::<Combine>(agent);
    assert_eq!(chosen, Some(&Combine::by::<Silence>()));
    test.click("Combiner");
    test.click("Dithered");
    let chosen = test.app.world().get::<Combine>(agent);
    assert_eq!(chosen, Some(&Combine::DITHERED));
}
