//! The panel, with pointer events in a headless app.

use std::collections::HashSet;

use super::*;
use crate::SteeringInspectorPlugin;
use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy_egui::egui::{Event, Modifiers, PointerButton, RawInput, Rect as Area, accesskit};
use bevy_steering2d_core::{
    Alignment, Alone, Behavior, BehaviorRegistry, Combine, Combiner, Influence, LedgerEntry,
    PointMass, Prediction, Pursuit, Seek, Separation, SteeringAppExt, SteeringCorePlugin,
    SteersFor, Wander, When,
};
use bevy_steering2d_presets::{PresetProblems, UsesPreset};
use bevy_steering2d_recorder::SteeringRecorder;

mod despawned;
mod own_behaviors;

/// A headless app that shows the panel and sends it pointer events.
struct TestApp {
    app: App,
    context: egui::Context,
    /// Name and center of each widget of the last frame. A number without a name has its value for one.
    widgets: Vec<(String, egui::Pos2)>,
    /// The texts of the last frame.
    texts: Vec<String>,
}

impl TestApp {
    fn new() -> Self {
        Self::with_assets(AssetPlugin::default())
    }

    fn with_assets(assets: AssetPlugin) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            assets,
            bevy::input::InputPlugin,
            SteeringCorePlugin::new(Update),
        ));
        let plugin = SteeringInspectorPlugin::default();
        plugin.install(&mut app);
        app.finish();
        // The app does not have the plugin itself, which would add that of egui.
        plugin.finish(&mut app);
        app.cleanup();
        let context = egui::Context::default();
        context.enable_accesskit();
        Self {
            app,
            context,
            widgets: Vec::new(),
            texts: Vec::new(),
        }
    }

    fn world(&mut self) -> &mut World {
        self.app.world_mut()
    }

    fn select(&mut self, agent: Entity) {
        self.world()
            .resource_mut::<SteeringSelection>()
            .set([agent]);
    }

    /// Runs one tick, then shows the panel.
    fn frame(&mut self, events: Vec<Event>) {
        self.app.update();
        let input = RawInput {
            screen_rect: Some(Area::from_min_size(
                egui::Pos2::ZERO,
                egui::vec2(420.0, 900.0),
            )),
            events,
            ..default()
        };
        let world = self.app.world_mut();
        let output = self.context.run_ui(input, |ui| {
            world.resource_scope(|world, mut panel: Mut<Panel>| contents(ui, world, &mut panel));
        });
        let tree = output.platform_output.accesskit_update;
        let nodes = tree.into_iter().flat_map(|tree| tree.nodes);
        let (texts, widgets): (Vec<_>, Vec<_>) =
            nodes.partition(|(_, node)| node.role() == accesskit::Role::Label);
        let texts = texts.iter().filter_map(|(_, node)| node.value());
        self.texts = texts.map(str::to_owned).collect();
        self.widgets = widgets
            .into_iter()
            .filter_map(|(_, node)| {
                let value = || Some(node.numeric_value()?.to_string());
                let name = node.label().map(str::to_owned).or_else(value)?;
                let area = node.bounds()?;
                let middle = |a: f64, b: f64| (0.5 * (a + b)) as f32;
                let at = egui::pos2(middle(area.x0, area.x1), middle(area.y0, area.y1));
                Some((name, at))
            })
            .collect();
    }

    #[track_caller]
    fn place_of(&self, name: &str) -> egui::Pos2 {
        let found = self.widgets.iter().find(|(it, _)| it == name);
        let (_, place) = *found.unwrap_or_else(|| panic!("no {name} in {:?}", self.widgets));
        place
    }

    #[track_caller]
    fn click(&mut self, name: &str) {
        let place = self.place_of(name);
        self.button(place, true);
        self.button(place, false);
        self.frame(Vec::new());
    }

    /// Presses or releases the primary button at a place.
    fn button(&mut self, pos: egui::Pos2, pressed: bool) {
        let button = Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![Event::PointerMoved(pos), button]);
    }

    fn press_tab(&mut self) {
        for pressed in [true, false] {
            self.frame(vec![Event::Key {
                key: egui::Key::Tab,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: Modifiers::NONE,
            }]);
        }
    }

    fn shows(&self, text: &str) -> bool {
        self.texts.iter().any(|it| it.contains(text))
    }

    /// Shows the panel until the preset that an agent uses is loaded.
    #[track_caller]
    fn wait_for_preset_of(&mut self, agent: Entity) {
        let preset = self.app.world().get::<UsesPreset>(agent).unwrap().0.clone();
        for _ in 0..1_000 {
            let assets = self.app.world().resource::<AssetServer>();
            if assets.is_loaded(preset.id()) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
            self.frame(Vec::new());
        }
        panic!("{preset:?} is not loaded");
    }
}

/// An empty folder for the assets of a test.
fn asset_folder(name: &str) -> std::path::PathBuf {
    let folder = format!("steering_inspector_{name}_{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(folder.join("presets")).unwrap();
    folder
}

#[test]
fn every_tab_shows_an_agent_with_every_behavior() {
    let mut test = TestApp::new();
    let agent = test.world().spawn(PointMass::default()).id();
    let other = test.world().spawn(SteersFor(agent)).id();
    let types = test.world().resource::<AppTypeRegistry>().clone();
    let registry = test.world().resource::<BehaviorRegistry>().clone();
    for info in registry.iter() {
        let types = types.read();
        let component = types.get_type_data::<ReflectComponent>(info.type_id);
        let default = types.get_type_data::<ReflectDefault>(info.type_id);
        let (component, default) = component.zip(default).expect("reflected");
        for entity in [agent, other] {
            let mut entity = test.app.world_mut().entity_mut(entity);
            component.insert(&mut entity, default.default().as_partial_reflect(), &types);
        }
    }
    test.select(agent);
    for tab in Tab::ALL {
        test.world().resource_mut::<SteeringInspector>().tab = tab;
        test.frame(Vec::new());
        test.frame(Vec::new());
    }
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Behaviors;
    test.frame(Vec::new());
    for info in registry.iter() {
        let switch = format!("{} on", info.name);
        let count = test
            .widgets
            .iter()
            .filter(|(name, _)| *name == switch)
            .count();
        assert_eq!(count, 2, "{} on both entities", info.name);
    }
}

#[test]
fn switch_changes_the_agents_in_scope() {
    let mut test = TestApp::new();
    let bird = (
        PointMass::default(),
        Separation::default(),
        Wander::default(),
    );
    let [a, b] = [(); 2].map(|()| test.world().spawn(bird).id());
    test.select(a);
    let on = |test: &TestApp, agent| {
        let behavior = test.app.world().get::<Separation>(agent);
        behavior.is_some_and(|it| it.influence.enabled)
    };
    test.frame(Vec::new());
    test.click("Separation on");
    assert_eq!(
        [on(&test, a), on(&test, b)],
        [false, true],
        "only the shown agent"
    );
    test.click("group (2)");
    test.click("Separation on");
    test.click("Separation on");
    assert_eq!([on(&test, a), on(&test, b)], [false, false], "both agents");
}

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
fn presets_are_saved_where_the_app_loads_them() {
    let folder = asset_folder("saved");
    let mut test = TestApp::with_assets(AssetPlugin {
        file_path: folder.display().to_string(),
        ..default()
    });
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    test.click("Preset name");
    test.frame(vec![Event::Text("flock".into())]);
    test.click("Save preset");
    assert!(folder.join("presets/flock.steering.ron").exists());
    test.click("Apply flock");
    test.wait_for_preset_of(agent);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_listed_preset_can_be_applied() {
    let folder = asset_folder("listed");
    let names = ["a#b", "boids.v2"];
    for name in names.into_iter().chain([".#lock"]) {
        let file = folder.join(format!("presets/{name}.steering.ron"));
        std::fs::write(file, "{ Wander: () }").unwrap();
    }
    let mut test = TestApp::with_assets(AssetPlugin {
        file_path: folder.display().to_string(),
        ..default()
    });
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    test.frame(Vec::new());
    for name in names {
        test.click(&format!("Apply {name}"));
        test.wait_for_preset_of(agent);
    }
    let is_listed = |name: &str| test.widgets.iter().any(|(it, _)| it == name);
    assert!(is_listed("Apply a#b") && !is_listed("Apply .#lock"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_counts_as_applied_once_it_is_loaded() {
    let folder = asset_folder("broken");
    let files = [
        ("broken", "{ Wander: (mood: 1.0) }"),
        ("valid", "{ Wander: () }"),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(format!("presets/{name}.steering.ron")), text).unwrap();
    }
    let mut test = TestApp::with_assets(AssetPlugin {
        file_path: folder.display().to_string(),
        ..default()
    });
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    test.frame(Vec::new());
    test.click("Apply broken");
    for _ in 0..1_000 {
        assert!(!test.shows("Applied"), "{:?}", test.texts);
        if !test.world().resource::<PresetProblems>().is_empty() {
            break;
        }
        assert!(test.shows("Loading broken"), "{:?}", test.texts);
        std::thread::sleep(std::time::Duration::from_millis(5));
        test.frame(Vec::new());
    }
    test.frame(Vec::new());
    assert!(!test.shows("Applied") && !test.shows("Loading"));
    let told = test.texts.iter().filter(|it| it.contains("mood"));
    assert_eq!(told.count(), 2, "as the outcome, and as a problem");

    test.click("Apply valid");
    test.wait_for_preset_of(agent);
    test.frame(Vec::new());
    test.frame(Vec::new());
    assert!(test.shows("Applied valid to 1 agent"), "{:?}", test.texts);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_presets_tab_counts_behaviors_that_are_not_part_of_presets() {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.world().resource_mut::<SteeringInspector>().tab = Tab::Presets;
    test.frame(Vec::new());
    assert!(!test.shows("not part of presets"));
    let another = (SteersFor(agent), Seek::new(Vec2::X));
    test.world().spawn(another);
    test.frame(Vec::new());
    assert!(test.shows("1 behavior on another entity is not part of presets"));
    test.world().spawn(another);
    test.frame(Vec::new());
    assert!(test.shows("2 behaviors on other entities are not part of presets"));
}

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
    test.click("Alignment");
    assert!(test.app.world().get::<Alignment>(agent).is_some());
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

#[test]
fn the_timeline_goes_to_events_of_the_agent_and_back() {
    let mut test = TestApp::new();
    test.app
        .insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(
            std::time::Duration::from_millis(20),
        ));
    let target = Vec2::new(1.0, 0.0);
    let body = (PointMass::default(), Transform::default());
    let agent = (body, bevy_steering2d_core::Arrive::new(target));
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    for _ in 0..400 {
        test.frame(Vec::new());
    }
    let x = |test: &TestApp| {
        test.app
            .world()
            .get::<Transform>(agent)
            .unwrap()
            .translation
            .x
    };
    let end = x(&test);
    test.click("To the previous event of this agent");
    let recorder = test.app.world().resource::<SteeringRecorder>();
    let shown = recorder.shown().expect("rewound");
    assert_eq!(recorder.moments(agent)[0].what, "arrived");
    assert_eq!(recorder.moments(agent)[0].tick, shown);
    assert!(test.app.world().resource::<Time<Virtual>>().is_paused());
    test.click("Return to the latest tick");
    assert_eq!(x(&test), end);
    let recorder = test.app.world().resource::<SteeringRecorder>();
    assert_eq!(recorder.shown(), None);
}

#[test]
fn conditions_and_predictions_can_be_chosen() {
    let mut test = TestApp::new();
    let agent = (
        PointMass::default(),
        Pursuit::new(Vec2::X),
        Alone::default(),
    );
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("Pursuit parameters");
    test.click("Pursuit when");
    test.click("only Alone");
    test.click("prediction");
    test.click("TurnRate");
    let pursuit = test.app.world().get::<Pursuit>(agent).unwrap();
    assert_eq!(pursuit.influence.when, When::only::<Alone>());
    assert_eq!(pursuit.prediction, Prediction::TurnRate);
}

#[test]
fn docked_panel_stays_at_the_right_edge() {
    let window = |width| Area::from_min_size(egui::Pos2::ZERO, egui::vec2(width, 700.0));
    let panel = Area::from_min_max(egui::pos2(880.0, 8.0), egui::pos2(1270.0, 500.0));
    let docked = |panel, now| docked_position(Some(panel), window(1280.0), window(now));
    assert_eq!(docked(panel, 1920.0), Some(egui::pos2(1520.0, 8.0)));
    assert_eq!(docked(panel, 1280.0), None);
    let moved_away = panel.translate(egui::vec2(-300.0, 0.0));
    assert_eq!(docked(moved_away, 1920.0), None);
}

#[test]
fn despawned_agent_disappears_from_the_panel() {
    let mut test = TestApp::new();
    let agent = test
        .world()
        .spawn((PointMass::default(), Wander::default()))
        .id();
    test.select(agent);
    test.frame(Vec::new());
    test.world().despawn(agent);
    test.frame(Vec::new());
    assert!(test.widgets.iter().all(|(name, _)| name != "Wander on"));
}
