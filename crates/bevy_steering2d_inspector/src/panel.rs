//! Panel: the egui window with agent list, scope, time controls and tabs.

use bevy::prelude::*;
use bevy_egui::{EguiContext, PrimaryEguiContext, egui};
use bevy_steering2d_core::Vehicle;
use bevy_steering2d_debug::SteeringSelection;
use egui::Ui;

use crate::recent::Recent;
use crate::scope::{self, Scope};
use crate::theme::{self, LINE, faint};
use crate::{
    SteeringInspector, Tab, history, input, layers, list, numbers, pick, plots, presets, rows,
    time, timeline, vehicle,
};

/// The initial width, egui points.
const WIDTH: f32 = 384.0;

/// What the panel keeps between frames. It is out of the world while the panel is shown; observers that an edit wakes
/// find the [`SteeringInspector`].
#[derive(Resource, Debug)]
pub(crate) struct Panel {
    pub(crate) agents: list::AgentList,
    /// The number of agents in the shown agent's group.
    pub(crate) in_group: Recent<Entity, usize>,
    pub(crate) presets: presets::PresetsTab,
    /// Where the panel was in the last frame, egui points.
    pub(crate) outline: Option<egui::Rect>,
    /// The window in the last frame, egui points.
    pub(crate) window: egui::Rect,
    /// The agent under the pointer when its button was pressed.
    pub(crate) pressed: Option<Entity>,
}

/// Shows the panel, and picks agents outside of it.
pub(crate) fn show(
    world: &mut World,
    contexts: &mut QueryState<&mut EguiContext, With<PrimaryEguiContext>>,
) {
    let context = contexts.single_mut(world).ok();
    let context = context.map(|mut it| it.get_mut().clone());
    let is_open = world.resource::<SteeringInspector>().open;
    let Some(context) = context.filter(|_| is_open) else {
        let mut inspector = world.resource_mut::<SteeringInspector>();
        (inspector.area, inspector.hovered) = (None, None);
        return;
    };
    world.resource_scope(|world, mut panel: Mut<Panel>| {
        let mut open = true;
        let area = context.content_rect();
        let mut window = egui::Window::new("Steering")
            .id("steering inspector".into())
            .open(&mut open)
            .default_width(WIDTH)
            .min_width(340.0)
            .default_pos(egui::pos2(area.right() - WIDTH - 24.0, area.top() + 8.0))
            // Without title and frame.
            .max_height(area.height() - 60.0)
            .default_height(area.height() - 60.0);
        if let Some(position) = docked_position(panel.outline, panel.window, area) {
            window = window.current_pos(position);
        }
        input::leave_tab_to_the_game(&context);
        let window = theme::in_the_dark(&context, || {
            window.show(&context, |ui| contents(ui, world, &mut panel))
        });
        panel.window = area;
        panel.outline = window.as_ref().map(|it| it.response.rect);
        let covered = window.and_then(|it| {
            let zoom = pick::zoom(&context, world)?;
            let [min, max] = [it.response.rect.min, it.response.rect.max];
            Some(Rect::new(
                zoom * min.x,
                zoom * min.y,
                zoom * max.x,
                zoom * max.y,
            ))
        });
        let mut inspector = world.resource_mut::<SteeringInspector>();
        inspector.area = covered;
        inspector.open &= open;
        pick::pick(&context, world, &mut panel.pressed);
    });
}

/// The new position of a panel docked at the right edge, when the window's width changes.
fn docked_position(
    outline: Option<egui::Rect>,
    before: egui::Rect,
    now: egui::Rect,
) -> Option<egui::Pos2> {
    /// The maximum distance of a docked panel from the edge, egui points.
    const DOCKED: f32 = 48.0;
    let outline = outline?;
    let moved = now.right() - before.right();
    let docked = (before.right() - outline.right()).abs() < DOCKED;
    (docked && moved != 0.0).then(|| outline.min + egui::vec2(moved, 0.0))
}

fn contents(ui: &mut Ui, world: &mut World, panel: &mut Panel) {
    ui.spacing_mut().item_spacing = egui::vec2(6.0, 5.0);
    ui.style_mut().number_formatter = numbers::formatter();
    numbers::take_comma_for_point(ui);
    list::choose(ui, world, &mut panel.agents);
    let shown = world.resource::<SteeringSelection>().primary();
    let shown = shown.filter(|agent| world.get::<Vehicle>(*agent).is_some());
    choose_scope(ui, world, shown, &mut panel.in_group);
    time::controls(ui, world);
    timeline::show(ui, world, shown);
    ui.horizontal(|ui| {
        let mut inspector = world.resource_mut::<SteeringInspector>();
        for tab in Tab::ALL {
            ui.selectable_value(&mut inspector.tab, tab, tab.title());
        }
    });
    ui.separator();
    let SteeringInspector { tab, scope, .. } = *world.resource::<SteeringInspector>();
    egui::ScrollArea::vertical()
        .id_salt(tab.title())
        .auto_shrink([false, true])
        // Down to the edge of the window, also after it was smaller.
        .min_scrolled_height(
            (ui.ctx().content_rect().bottom() - 24.0 - ui.cursor().top()).max(64.0),
        )
        .show(ui, |ui| match (tab, shown) {
            (Tab::Draw, shown) => layers::show(ui, world, shown),
            (Tab::Presets, shown) => {
                presets::show(ui, world, &mut panel.presets, shown, scope);
            }
            (_, None) => {
                ui.add_space(12.0);
                ui.label("Click an agent in the window, or choose one from the list above.");
            }
            (Tab::Behaviors, Some(shown)) => rows::show(ui, world, shown, scope),
            (Tab::Vehicle, Some(shown)) => {
                // Widgets of their own for each agent: what is dragged or typed for one is not for the next.
                ui.push_id(shown, |ui| {
                    vehicle::show(ui, world, shown, scope);
                });
            }
            (Tab::Plots, Some(shown)) => {
                history::look_back(world);
                plots::show(ui, world, shown);
            }
        });
}

fn choose_scope(
    ui: &mut Ui,
    world: &mut World,
    shown: Option<Entity>,
    in_group: &mut Recent<Entity, usize>,
) {
    ui.horizontal(|ui| {
        ui.set_min_height(LINE);
        ui.label(faint("Edit"));
        for scope in Scope::ALL {
            let count = |shown| scope::agents(world, scope, shown).len();
            let count = shown.map_or(0, |shown| match scope {
                // Looks at all agents.
                Scope::Group => *in_group.get(shown, |shown| count(*shown)),
                Scope::One | Scope::Selected => count(shown),
            });
            let (text, hover) = match scope {
                Scope::One => ("this".to_owned(), "Edits change only the shown agent"),
                Scope::Selected => (
                    format!("selected ({count})"),
                    "Edits change all selected agents; shift-click selects more",
                ),
                Scope::Group => (
                    format!("group ({count})"),
                    "Edits change all agents with the same behaviors and SteeringGroups",
                ),
            };
            let mut inspector = world.resource_mut::<SteeringInspector>();
            ui.selectable_value(&mut inspector.scope, scope, text)
                .on_hover_text(hover);
        }
    });
}

#[cfg(test)]
mod tests;
