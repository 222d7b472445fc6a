//! An egui panel to watch and tune the agents of `bevy_steering2d`.
//!
//! ![The panel beside a flock](https://raw.githubusercontent.com/bevy-steering2d/bevy_steering2d/main/assets/pictures/inspector.png)
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_steering2d_inspector::SteeringInspectorPlugin;
//!
//! App::new()
//!     .add_plugins(DefaultPlugins)
//!     // .add_plugins((RapierPhysicsPlugin …, SteeringPlugin::default()))
//!     .add_plugins(SteeringInspectorPlugin::default())
//!     .run();
//! ```
//!
//! Click an agent, or choose one from the list; shift adds to the selection. The panel then shows,
//! tab by tab,
//!
//! - **Behaviors**: a row each, in the order the combiner hears them. Switch, weight, and a bar of the
//!   force: what it asks for (mark), weighted (pale), what it gets (bright), and why not more. Drag
//!   the handle to change priorities, click the name for the parameters (units and ranges come from
//!   the doc comments, and so does the hover text), add and remove any registered behavior, yours
//!   included.
//! - **Vehicle**: the limits and what else shapes its motion.
//! - **Plots**: speed, force, and what each behavior got, over the last seconds.
//! - **Draw**: the layers of [`bevy_steering2d_debug`].
//! - **Presets**: files of [`bevy_steering2d_presets`], and two memories to compare, A and B.
//!
//! An edit is for this agent, all selected, or its whole group, see [`Scope`]. The strip above stops,
//! steps and stretches `Time<Virtual>`.
//!
//! `EguiPlugin` is added if it is not there: if your app adds it itself, let it do so first. While
//! the pointer is over the panel, or one of its fields has the keyboard, the app sees neither: the
//! plugin switches on `EguiGlobalSettings::enable_absorb_bevy_input_system`.

mod docs;
mod fields;
mod history;
mod layers;
mod list;
mod options;
mod panel;
mod patch;
mod pick;
mod plots;
mod presets;
mod reorder;
mod rows;
mod scope;
mod theme;
mod time;

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy_egui::{EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, egui};
use bevy_inspector_egui::DefaultInspectorConfigPlugin;
use bevy_steering2d_core::{
    BehaviorRegistry, Combine, FaceVelocity, PointMass, SpeedLimit, SteeringGroups, SteeringStage,
    ThinkEvery, Vehicle,
};
use bevy_steering2d_debug::{SteeringDebug, SteeringDebugPlugin, Whom};
use bevy_steering2d_presets::SteeringPresetPlugin;

pub use scope::Scope;

/// Adds the panel, open, and what it needs: `EguiPlugin`, the debug drawing and the presets, each
/// unless it is there already.
///
/// Adding it twice does no harm.
#[derive(Clone, Debug)]
pub struct SteeringInspectorPlugin {
    /// Opens and closes the panel. Default F2; `None` leaves that to
    /// [`SteeringInspector::open`].
    pub key: Option<KeyCode>,
    /// Whether it is open at first. Default `true`.
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

/// The state of the panel; change it at any time.
///
/// Who is selected is in [`bevy_steering2d_debug::SteeringSelection`].
#[derive(Resource, Debug)]
pub struct SteeringInspector {
    /// Whether it is shown.
    pub open: bool,
    /// What it shows.
    pub tab: Tab,
    /// Whom an edit is for.
    pub scope: Scope,
    search: String,
    presets: presets::Shelf,
    area: Option<Rect>,
    /// The panel and the window it is in, as egui measures them.
    outline: Option<egui::Rect>,
    room: egui::Rect,
}

impl SteeringInspector {
    /// The part of the window that the panel covered in the last frame, logical pixels, to keep
    /// free of what must be seen; `None` while it is shut.
    pub fn area(&self) -> Option<Rect> {
        self.area.filter(|_| self.open)
    }
}

/// The parts of the panel.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// A row per behavior. The default.
    #[default]
    Behaviors,
    /// Limits of the vehicle.
    Vehicle,
    /// Curves of the last seconds.
    Plots,
    /// Debug drawing.
    Draw,
    /// Files, and A against B.
    Presets,
}

impl Tab {
    /// All of them, in order.
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
        app.add_systems(EguiPrimaryContextPass, panel::show);
        app.world_mut()
            .resource_mut::<EguiGlobalSettings>()
            .enable_absorb_bevy_input_system = true;
    }

    /// By now the app has registered its own behaviors too.
    fn finish(&self, app: &mut App) {
        describe_parameters(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

impl SteeringInspectorPlugin {
    /// All but what draws.
    fn install(&self, app: &mut App) {
        if !app.is_plugin_added::<DefaultInspectorConfigPlugin>() {
            app.add_plugins(DefaultInspectorConfigPlugin);
        }
        // All at once would hide what the panel is about.
        if !app.world().contains_resource::<SteeringDebug>() {
            app.insert_resource(SteeringDebug::default().of_whom(Whom::Selected));
        }
        app.add_plugins((SteeringDebugPlugin::default(), SteeringPresetPlugin))
            .insert_resource(SteeringInspector {
                open: self.open,
                tab: Tab::default(),
                scope: Scope::default(),
                search: String::new(),
                presets: presets::Shelf::default(),
                area: None,
                outline: None,
                room: egui::Rect::ZERO,
            })
            .init_resource::<history::History>()
            .add_plugins(time::plugin)
            .add_systems(SteeringStage::Move, history::record);
        if let Some(key) = self.key {
            app.add_systems(Update, open_and_close(key));
        }
    }
}

fn describe_parameters(app: &mut App) {
    let Some(registry) = app.world().get_resource::<BehaviorRegistry>() else {
        log::warn!("SteeringInspectorPlugin found no steering: add SteeringPlugin to see agents");
        app.init_resource::<BehaviorRegistry>();
        return;
    };
    let behaviors: Vec<_> = registry.iter().map(|info| info.type_id).collect();
    let companions = [
        TypeId::of::<Vehicle>(),
        TypeId::of::<Combine>(),
        TypeId::of::<SteeringGroups>(),
        TypeId::of::<FaceVelocity>(),
        TypeId::of::<SpeedLimit>(),
        TypeId::of::<ThinkEvery>(),
        TypeId::of::<PointMass>(),
    ];
    let roots: Vec<_> = behaviors.into_iter().chain(companions).collect();
    let types = app.world().resource::<AppTypeRegistry>().clone();
    options::describe(&mut types.write(), roots);
}

fn open_and_close(
    key: KeyCode,
) -> impl Fn(Res<ButtonInput<KeyCode>>, ResMut<SteeringInspector>) + Clone {
    move |keys, mut inspector| {
        if keys.just_pressed(key) {
            inspector.open = !inspector.open;
        }
    }
}
