//! The inspector and the debug drawing without a window.

use bevy::gizmos::GizmoAsset;
use bevy::input::InputPlugin;
use bevy::prelude::*;
use bevy::window::{ExitCondition, WindowPlugin};
use bevy_egui::{EguiInput, PrimaryEguiContext, egui};
use bevy_steering2d::debug::{DebugLayer, SteeringDebug, SteeringSelection};
use bevy_steering2d::inspector::{Scope, SteeringInspector, Tab};
use bevy_steering2d::prelude::*;

/// The size of the panel's window, egui points.
const SIZE: egui::Vec2 = egui::vec2(420.0, 720.0);

pub fn add(app: &mut App) {
    let no_window = WindowPlugin {
        primary_window: None,
        exit_condition: ExitCondition::DontExit,
        ..default()
    };
    app.add_plugins((InputPlugin, no_window))
        .init_asset::<Shader>()
        .init_asset::<Image>()
        .init_asset::<GizmoAsset>()
        .insert_resource(SteeringDebug::of(DebugLayer::ALL))
        .add_plugins(SteeringInspectorPlugin {
            open: false,
            ..default()
        });
    app.world_mut().spawn(PrimaryEguiContext);
}

/// Runs one frame with the panel, in which a point is clicked.
pub fn click(app: &mut App, tab: u8, at: egui::Pos2, selected: Option<Entity>) {
    let world = app.world_mut();
    if let Some(selected) = selected {
        world.resource_mut::<SteeringSelection>().set([selected]);
    }
    let mut inspector = world.resource_mut::<SteeringInspector>();
    inspector.open = true;
    inspector.tab = Tab::ALL[usize::from(tab) % Tab::ALL.len()];
    inspector.scope = Scope::ALL[usize::from(tab) / 8 % Scope::ALL.len()];
    for pressed in [true, false] {
        let click = egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        let world = app.world_mut();
        let mut contexts = world.query::<&mut EguiInput>();
        for mut input in contexts.iter_mut(world) {
            input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, SIZE));
            input.events.push(egui::Event::PointerMoved(at));
            input.events.push(click.clone());
        }
        app.update();
    }
    let mut inspector = app.world_mut().resource_mut::<SteeringInspector>();
    inspector.open = false;
}
