//! The window with all its parts.

use std::any::TypeId;

use bevy::prelude::*;
use bevy_egui::{EguiContext, PrimaryEguiContext, egui};
use bevy_steering2d_core::{
    FaceVelocity, Kinematics, PointMass, SpeedLimit, SteeringDisabled, SteeringGroups, ThinkEvery,
    Vehicle,
};
use bevy_steering2d_debug::SteeringSelection;
use egui::Ui;

use crate::scope::{self, Scope};
use crate::theme::{LINE, faint, section};
use crate::{SteeringInspector, Tab, fields, layers, list, pick, plots, presets, rows, time};

/// Width at first, logical pixels.
const WIDTH: f32 = 384.0;

/// Shows the panel, then picks what was clicked beside it.
pub(crate) fn show(
    world: &mut World,
    contexts: &mut QueryState<&mut EguiContext, With<PrimaryEguiContext>>,
) {
    let Ok(mut context) = contexts.single_mut(world) else {
        return;
    };
    let context = context.get_mut().clone();
    world.resource_scope(|world, mut inspector: Mut<SteeringInspector>| {
        if !inspector.open {
            return;
        }
        let mut open = true;
        let room = context.content_rect();
        let window = egui::Window::new("Steering")
            .id("steering inspector".into())
            .open(&mut open)
            .default_width(WIDTH)
            .min_width(340.0)
            .default_pos(egui::pos2(room.right() - WIDTH - 24.0, room.top() + 8.0))
            .max_height(room.height() - 16.0)
            .default_height(room.height() - 60.0)
            .show(&context, |ui| contents(ui, world, &mut inspector));
        inspector.area = window.and_then(|it| {
            let zoom = pick::zoom(&context, world)?;
            let [min, max] = [it.response.rect.min, it.response.rect.max];
            Some(Rect::new(
                zoom * min.x,
                zoom * min.y,
                zoom * max.x,
                zoom * max.y,
            ))
        });
        if !open {
            inspector.open = false;
        }
        pick::pick(&context, world);
    });
}

fn contents(ui: &mut Ui, world: &mut World, inspector: &mut SteeringInspector) {
    ui.spacing_mut().item_spacing = egui::vec2(6.0, 5.0);
    list::choose(ui, world, &mut inspector.search);
    let shown = world.resource::<SteeringSelection>().primary();
    let shown = shown.filter(|agent| world.get::<Vehicle>(*agent).is_some());
    choose_scope(ui, world, inspector, shown);
    time::strip(ui, world);
    ui.horizontal(|ui| {
        for tab in Tab::ALL {
            ui.selectable_value(&mut inspector.tab, tab, tab.title());
        }
    });
    ui.separator();
    egui::ScrollArea::vertical()
        .id_salt(inspector.tab.title())
        .auto_shrink([false, true])
        .show(ui, |ui| match (inspector.tab, shown) {
            (Tab::Draw, shown) => layers::show(ui, world, shown),
            (Tab::Presets, shown) => {
                presets::show(ui, world, &mut inspector.presets, shown, inspector.scope);
            }
            (_, None) => {
                ui.add_space(12.0);
                ui.label("Click an agent in the window, or choose one from the list above.");
            }
            (Tab::Behaviors, Some(shown)) => rows::show(ui, world, shown, inspector.scope),
            (Tab::Vehicle, Some(shown)) => vehicle(ui, world, shown, inspector.scope),
            (Tab::Plots, Some(shown)) => plots::show(ui, world, shown),
        });
}

fn choose_scope(
    ui: &mut Ui,
    world: &mut World,
    inspector: &mut SteeringInspector,
    shown: Option<Entity>,
) {
    ui.horizontal(|ui| {
        ui.set_min_height(LINE);
        ui.label(faint("Edit"));
        for scope in Scope::ALL {
            let count = shown.map_or(0, |shown| scope::agents(world, scope, shown).len());
            let (text, hover) = match scope {
                Scope::One => ("this".to_owned(), "Edits change the shown agent alone"),
                Scope::Selected => (
                    format!("selected ({count})"),
                    "Edits change all selected; select more with shift and a click",
                ),
                Scope::Group => (
                    format!("group ({count})"),
                    "Edits change everybody with the same behaviors and SteeringGroups",
                ),
            };
            ui.selectable_value(&mut inspector.scope, scope, text)
                .on_hover_text(hover);
        }
    });
}

/// Limits of the vehicle and what else makes it move as it does.
fn vehicle(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    if let Some(body) = world.get::<Kinematics>(shown) {
        let Kinematics {
            position,
            mass,
            radius,
            ..
        } = *body;
        ui.label(faint(format!(
            "at ({:.2}, {:.2}) m   {:.2} m/s   {mass:.2} kg   radius {radius:.2} m",
            position.x,
            position.y,
            body.speed(),
        )));
    }
    let mut steers = world.get::<SteeringDisabled>(shown).is_none();
    let switch = ui.checkbox(&mut steers, "Steering on");
    let switch = switch.on_hover_text("Off: SteeringDisabled; the body is all physics' own");
    if switch.changed() {
        for agent in scope::agents(world, scope, shown) {
            let mut agent = world.entity_mut(agent);
            if steers {
                agent.remove::<SteeringDisabled>();
            } else {
                agent.insert(SteeringDisabled);
            }
        }
    }
    companion::<Vehicle>(ui, world, shown, scope);
    companion::<SteeringGroups>(ui, world, shown, scope);
    companion::<FaceVelocity>(ui, world, shown, scope);
    companion::<SpeedLimit>(ui, world, shown, scope);
    companion::<ThinkEvery>(ui, world, shown, scope);
    companion::<PointMass>(ui, world, shown, scope);
}

/// A component that is no behavior, if the agent has it.
fn companion<C: Component + Reflect + TypePath>(
    ui: &mut Ui,
    world: &mut World,
    shown: Entity,
    scope: Scope,
) {
    if world.get::<C>(shown).is_none() {
        return;
    }
    section(ui, C::short_type_path());
    fields::edit(ui, world, TypeId::of::<C>(), shown, |world| {
        scope::agents(world, scope, shown)
    });
}
