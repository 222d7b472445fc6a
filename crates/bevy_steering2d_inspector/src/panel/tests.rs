//! The panel, with pointer events in a headless app.

use std::time::Duration;

use super::*;
use crate::SteeringInspectorPlugin;
use bevy::ecs::reflect::AppTypeRegistry;
use bevy::time::TimeUpdateStrategy;
use bevy_egui::egui::{Event, Modifiers, PointerButton, RawInput, Rect as Area, accesskit};
use bevy_steering2d_core::{
    Alone, BehaviorRegistry, Feelers, PointMass, Prediction, Pursuit, Separation,
    SteeringCorePlugin, SteersFor, WallAvoidance, Wander, When,
};
use bevy_steering2d_presets::UsesPreset;
use bevy_steering2d_recorder::SteeringRecorder;

mod choices;
mod despawned;
mod everything;
#[cfg(feature = "navigation")]
mod navigation;
mod numbers;
mod own_behaviors;
mod presets;
mod rows;
mod tabs;

/// A headless app that shows the panel and sends it pointer events.
struct TestApp {
    app: App,
    context: egui::Context,
    /// The size of the panel, egui points.
    size: egui::Vec2,
    /// Name and center of each widget of the last frame. One without a name has its value for one.
    widgets: Vec<(String, egui::Pos2)>,
    /// The texts of the last frame, those in fields as well.
    texts: Vec<String>,
}

impl TestApp {
    fn new() -> Self {
        Self::with_assets(AssetPlugin::default())
    }

    /// An app in which each tick lasts 20 ms, however long it takes.
    fn in_even_ticks() -> Self {
        let mut test = Self::new();
        let tick = Duration::from_millis(20);
        test.world()
            .insert_resource(TimeUpdateStrategy::ManualDuration(tick));
        test
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
            size: egui::vec2(420.0, 900.0),
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
            screen_rect: Some(Area::from_min_size(egui::Pos2::ZERO, self.size)),
            events,
            ..default()
        };
        let world = self.app.world_mut();
        let output = self.context.run_ui(input, |ui| {
            world.resource_scope(|world, mut panel: Mut<Panel>| contents(ui, world, &mut panel));
        });
        let tree = output.platform_output.accesskit_update;
        let nodes = tree.into_iter().flat_map(|tree| tree.nodes);
        let is_part = |role: accesskit::Role| role == accesskit::Role::TextRun;
        let nodes: Vec<_> = nodes.filter(|(_, node)| !is_part(node.role())).collect();
        let texts = nodes.iter().filter_map(|(_, node)| node.value());
        self.texts = texts.map(str::to_owned).collect();
        self.widgets = nodes
            .into_iter()
            .filter(|(_, node)| node.role() != accesskit::Role::Label)
            .filter_map(|(_, node)| {
                let number = || Some(node.numeric_value()?.to_string());
                let name = node.label().map(str::to_owned).or_else(number);
                let name = name.or_else(|| node.value().map(str::to_owned))?;
                let area = node.bounds()?;
                let middle = |a: f64, b: f64| (0.5 * (a + b)) as f32;
                let at = egui::pos2(middle(area.x0, area.x1), middle(area.y0, area.y1));
                Some((name, at))
            })
            .collect();
        // The tree has them in no particular order.
        let place = |(_, at): &(String, egui::Pos2)| [at.y, at.x];
        self.widgets
            .sort_by(|a, b| place(a).partial_cmp(&place(b)).expect("finite places"));
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
            std::thread::sleep(Duration::from_millis(5));
            self.frame(Vec::new());
        }
        panic!("{preset:?} is not loaded");
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
fn the_timeline_goes_to_events_of_the_agent_and_back() {
    let mut test = TestApp::in_even_ticks();
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
fn the_timeline_goes_to_an_event_of_the_last_recorded_tick() {
    let mut test = TestApp::in_even_ticks();
    let agent = (PointMass::default(), Wander::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    for _ in 0..10 {
        test.frame(Vec::new());
    }
    test.world().trigger(bevy_steering2d_core::Arrived {
        entity: agent,
        target: Vec2::X.into(),
        source: agent,
    });
    let mut recorder = test.world().resource_mut::<SteeringRecorder>();
    recorder.recording = false;
    let last = recorder.ticks().map(|ticks| *ticks.end());
    test.frame(Vec::new());
    test.click("To the previous event of this agent");
    let recorder = test.app.world().resource::<SteeringRecorder>();
    assert_eq!(recorder.shown(), last);
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
fn custom_feelers_begin_as_those_that_were_chosen() {
    let mut test = TestApp::new();
    let agent = (PointMass::default(), WallAvoidance::default());
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    test.click("WallAvoidance parameters");
    test.click("Whiskers");
    test.click("Custom");
    let walls = test.app.world().get::<WallAvoidance>(agent).unwrap();
    let whiskers = Feelers::Whiskers.list().to_vec();
    assert_eq!(walls.feelers, Feelers::Custom(whiskers));
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
    let is_shown = |test: &TestApp| test.widgets.iter().any(|(name, _)| name == "Wander on");
    assert!(is_shown(&test));
    test.world().despawn(agent);
    test.frame(Vec::new());
    assert!(!is_shown(&test));
}
