//! Steering inspector: an egui panel to inspect and tune the agents of `bevy_steering2d`.
//!
//! ```no_run
//! use bevy::prelude::*;
//! # mod bevy_steering2d { pub use bevy_steering2d_inspector as inspector; }
//! use bevy_steering2d::inspector::SteeringInspectorPlugin;
//!
//! App::new()
//!     .add_plugins(DefaultPlugins)
//!     // .add_plugins((RapierPhysicsPlugin …, SteeringPlugin::default()))
//!     .add_plugins(SteeringInspectorPlugin::default())
//!     .run();
//! ```
//!
//! Click an agent, or choose one from the list; shift-click adds to the selection. The panel has these
//! tabs:
//!
//! - **Behaviors**: one row per behavior, in the order of priority, with switch, weight, and a bar of
//!   its force: requested (mark), weighted (pale) and accepted (bright), and why it was cut. Drag the
//!   handle to change priorities. Click the name to edit parameters; units, ranges and hover texts
//!   come from the doc comments. Any registered behavior can be added and removed, including your
//!   own. A condition or predictor that is chosen comes with its component, unless the agent has it.
//!   A doc comment begins like `Perception radius, m, > 0`, with the range in backticks: `> 0`, `≥ 1`, `(0, 1]`, `0..=2π`. The
//!   units are m, m/s, m/s², N, kg, s, 1/s, rad, rad/s, m per √s, rad per √s and ticks.
//!   Above the rows the panel says why an agent stands: its steering is off, its `Vehicle` is invalid, or, with the feature
//!   `navigation`, its `NavigateTo` has no path or its group no room for it.
//! - **Vehicle**: limits, locomotion with its gauges, and other components that affect motion: conditions and
//!   predictors as well. Those of a behavior entity are among the parameters of its behaviors.
//! - **Plots**: speed, force, and the accepted force of each behavior over the last seconds.
//! - **Draw**: the layers of [`bevy_steering2d_debug`].
//! - **Presets**: files of [`bevy_steering2d_presets`], and two stored tunings to compare, A and B.
//!
//! An edit applies to the shown agent, all selected agents, or all similar agents; see [`Scope`]. The
//! controls above the tabs pause, step and scale `Time<Virtual>`.
//!
//! Below them is the timeline of [`bevy_steering2d_recorder`]: drag it to look back at a recorded tick, with
//! the bodies, rows, bars and drawings of that tick. `⬅` and `➡` go to what happened to the shown agent: it
//! arrived, completed its path, lost its target, got stuck, touched something, or a force was cut. Resume time there, and the world goes on from that
//! tick; while the panel is open and agents are drawn, where the first eight selected ones went before is drawn beside where they
//! go now. A selected agent that was despawned is selected again in the ticks in which it is back.
//!
//! The plugin adds `EguiPlugin` unless it exists; if your app adds it, do so before this plugin. The first camera draws the
//! panel, and after its end another one of the window, unless `EguiGlobalSettings::auto_create_primary_context` is off. While
//! the pointer is over the panel, or one of its fields has keyboard focus, the app does not receive
//! that input: the plugin enables `EguiGlobalSettings::enable_absorb_bevy_input_system`. Touches and the motion of the mouse do
//! reach it. `bevy_picking` picks entities below the panel, unless `bevy_egui` has its feature `picking`. A press that selects
//! an agent does reach the app: leave it to the panel if [`SteeringInspector::hovered`] has an agent then. Tab belongs to the
//! app while neither the focus nor the pointer is in the panel.

mod add_menu;
mod camera;
mod choices;
mod cuts;
mod docs;
mod fields;
mod gauges;
mod history;
mod input;
mod layers;
mod list;
mod numbers;
mod options;
mod panel;
mod patch;
mod pick;
mod plots;
mod preset_files;
mod presets;
mod recent;
mod reorder;
mod reselect;
mod rows;
mod scope;
mod theme;
mod time;
mod timeline;
mod variants;
mod vehicle;

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy_egui::input::absorb_bevy_input_system;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, EguiPreUpdateSet, EguiPrimaryContextPass, egui};
use bevy_inspector_egui::DefaultInspectorConfigPlugin;
use bevy_steering2d_core::{BehaviorRegistry, Feeler, SteeringSchedule, Vehicle};
use bevy_steering2d_debug::{DrawnAgents, SteeringDebug, SteeringDebugPlugin};
use bevy_steering2d_presets::SteeringPresetPlugin;

pub use scope::Scope;

use panel::Panel;

/// Adds the panel and, unless the app has them already, `EguiPlugin`, presets, debug drawings of the selected agents, and a
/// recorder of the last ticks, which takes up to 64 MiB.
///
/// Adding it twice has no effect.
#[derive(Clone, Debug)]
pub struct SteeringInspectorPlugin {
    /// The key that opens and closes the panel. A function key does so also while a field has the keyboard focus. `None`
    /// leaves that to [`SteeringInspector::open`]. Default F2.
    pub key: Option<KeyCode>,
    /// Whether the panel is open at startup. Default `true`.
    pub open: bool,
}

impl Default for SteeringInspectorPlugin {
    fn default() -> Self {
        Self {
            key: Some(KeyCode::F2),
            open: true,
        }
    }
}

/// The state of the panel, which may change at any time.
///
/// The selected agents are in [`bevy_steering2d_debug::SteeringSelection`].
#[derive(Resource, Debug)]
pub struct SteeringInspector {
    /// Whether the panel is shown.
    pub open: bool,
    /// The tab that is shown.
    pub tab: Tab,
    /// The agents an edit applies to.
    pub scope: Scope,
    area: Option<Rect>,
    hovered: Option<Entity>,
}

impl SteeringInspector {
    fn new(open: bool) -> Self {
        Self {
            open,
            tab: Tab::default(),
            scope: Scope::default(),
            area: None,
            hovered: None,
        }
    }

    /// The agent under the mouse in the last frame, if the panel is open. A press there selects it and belongs to the panel,
    /// not to the game. A finger hovers over nothing.
    pub fn hovered(&self) -> Option<Entity> {
        self.hovered.filter(|_| self.open)
    }

    /// The part of the window that the panel covered in the last frame, logical pixels; `None`
    /// while it is closed, or no camera draws it.
    pub fn area(&self) -> Option<Rect> {
        self.area.filter(|_| self.open)
    }
}

/// The tabs of the panel.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// One row per behavior. The default.
    #[default]
    Behaviors,
    /// Limits and other components that affect motion.
    Vehicle,
    /// Plots of the last seconds.
    Plots,
    /// Debug drawing.
    Draw,
    /// Preset files, and two tunings to compare.
    Presets,
}

impl Tab {
    /// All tabs, in order.
    pub const ALL: [Self; 5] = [
        Self::Behaviors,
        Self::Vehicle,
        Self::Plots,
        Self::Draw,
        Self::Presets,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Behaviors => "Behaviors",
            Self::Vehicle => "Vehicle",
            Self::Plots => "Plots",
            Self::Draw => "Draw",
            Self::Presets => "Presets",
        }
    }
}

impl Plugin for SteeringInspectorPlugin {
    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<SteeringInspector>() {
            return;
        }
        if !app.is_plugin_added::<EguiPlugin>() {
            app.add_plugins(EguiPlugin::default());
        }
        self.install(app);
        app.add_systems(EguiPrimaryContextPass, panel::show)
            .add_systems(
                PreUpdate,
                (
                    camera::find_another.before(EguiPreUpdateSet::InitContexts),
                    input::absorb
                        .in_set(EguiPreUpdateSet::ProcessInput)
                        .after(absorb_bevy_input_system)
                        .run_if(|it: Res<EguiGlobalSettings>| it.enable_absorb_bevy_input_system),
                ),
            );
        app.world_mut()
            .resource_mut::<EguiGlobalSettings>()
            .enable_absorb_bevy_input_system = true;
    }

    // In `finish`, because apps may register behaviors and add the asset plugin after this plugin.
    fn finish(&self, app: &mut App) {
        describe_parameters(app);
        find_asset_folder(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

impl SteeringInspectorPlugin {
    /// Adds everything but the egui systems.
    fn install(&self, app: &mut App) {
        if !app.is_plugin_added::<DefaultInspectorConfigPlugin>() {
            app.add_plugins(DefaultInspectorConfigPlugin);
        }
        // Drawing all agents would hide the selected one.
        if !app.world().contains_resource::<SteeringDebug>() {
            app.insert_resource(SteeringDebug::default().with_agents(DrawnAgents::Selected));
        }
        app.add_plugins((SteeringDebugPlugin::default(), SteeringPresetPlugin))
            .insert_resource(SteeringInspector::new(self.open))
            .insert_resource(Panel {
                agents: list::AgentList::default(),
                in_group: recent::Recent::default(),
                presets: presets::PresetsTab::default(),
                outline: None,
                window: egui::Rect::ZERO,
                pressed: None,
            })
            .init_resource::<history::History>()
            // Without a default of its list `Feelers::Custom` could not be chosen.
            .register_type::<Vec<Feeler>>()
            .register_type_data::<Vec<Feeler>, ReflectDefault>()
            .add_plugins((time::plugin, timeline::plugin, reselect::plugin))
            .add_systems(SteeringSchedule::Move, history::record);
        if let Some(key) = self.key {
            input::open_and_close(app, key);
        }
    }
}

fn describe_parameters(app: &mut App) {
    let Some(registry) = app.world().get_resource::<BehaviorRegistry>() else {
        log::warn!("SteeringInspectorPlugin shows no agents: it needs the steering plugin");
        app.init_resource::<BehaviorRegistry>();
        return;
    };
    let behaviors: Vec<_> = registry.iter().map(|info| info.type_id).collect();
    let types = app.world().resource::<AppTypeRegistry>().clone();
    let own = vehicle::tuning(&types.read());
    let roots: Vec<_> = behaviors
        .into_iter()
        .chain([TypeId::of::<Vehicle>()])
        .chain(vehicle::COMPANIONS)
        .chain(own)
        .collect();
    options::describe(&mut types.write(), roots);
}

/// Tells the Presets tab where the app's assets are.
fn find_asset_folder(app: &mut App) {
    let root = app
        .get_added_plugins::<AssetPlugin>()
        .first()
        .map(|it| it.file_path.clone());
    let Some(root) = root else {
        return;
    };
    if let Some(mut panel) = app.world_mut().get_resource_mut::<Panel>() {
        panel.presets.root = root;
    }
}
