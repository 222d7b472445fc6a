//! The panel at the left: scene, report, keys and controls.

use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};
use bevy_steering2d::inspector::SteeringInspector;
use bevy_steering2d_scenes::{CurrentScene, Report, SCENES, Scene, Value, live_report};
use egui::{Color32, RichText};

use crate::args::MOST_SEED;
use crate::camera::View;
use crate::controls::{Action, Actions};
use crate::pace::Pace;

/// Width of the panel, logical pixels.
pub const PANEL_WIDTH: f32 = 332.0;

const MARGIN: f32 = 14.0;
const INNER_WIDTH: f32 = PANEL_WIDTH - 2.0 * MARGIN;

/// Height of the gallery's own controls at its foot, logical pixels.
const CONTROLS_HEIGHT: f32 = 210.0;

pub fn plugin(app: &mut App) {
    app.init_resource::<Live>()
        .add_systems(Update, take_report)
        .init_resource::<Draft>()
        .add_systems(EguiPrimaryContextPass, (dress, show_panel).chain());
}

/// The current report of the scene, and its chosen keys.
#[derive(Resource, Default)]
struct Live {
    report: Option<Report>,
    chosen: Vec<char>,
}

/// Input being typed or dragged that is not yet an action.
#[derive(Resource, Default)]
struct Draft {
    search: String,
    seed: Option<u64>,
    agents: Option<usize>,
}

fn take_report(world: &mut World) {
    let scene = world.resource::<CurrentScene>().scene();
    let live = Live {
        report: live_report(world),
        chosen: scene.map_or_else(Vec::new, |scene| (scene.chosen)(world)),
    };
    world.insert_resource(live);
}

const INK: Color32 = Color32::from_rgb(214, 220, 230);
const FAINT: Color32 = Color32::from_rgb(139, 149, 166);
const BRIGHT: Color32 = Color32::from_rgb(250, 212, 92);
const PAPER: Color32 = Color32::from_rgb(24, 29, 37);
const RAISED: Color32 = Color32::from_rgb(38, 45, 57);
const SELECTED: Color32 = Color32::from_rgb(46, 84, 122);
const HOVERED: Color32 = Color32::from_rgb(52, 62, 79);

/// Sets colors and sizes, once.
fn dress(mut contexts: EguiContexts, mut dressed: Local<bool>) -> Result {
    if std::mem::replace(&mut *dressed, true) {
        return Ok(());
    }
    contexts.ctx_mut()?.all_styles_mut(|style| {
        style.visuals = egui::Visuals::dark();
        style.visuals.override_text_color = Some(INK);
        style.visuals.panel_fill = PAPER;
        style.visuals.window_fill = PAPER;
        style.visuals.widgets.inactive.weak_bg_fill = RAISED;
        style.visuals.widgets.hovered.weak_bg_fill = HOVERED;
        style.visuals.widgets.open.weak_bg_fill = HOVERED;
        style.visuals.selection.bg_fill = SELECTED;
        style.spacing.item_spacing = egui::vec2(6.0, 6.0);
        style.spacing.button_padding = egui::vec2(8.0, 4.0);
        style.interaction.selectable_labels = false;
    });
    Ok(())
}

fn show_panel(
    mut contexts: EguiContexts,
    current: Res<CurrentScene>,
    live: Res<Live>,
    (time, pace): (Res<Time<Virtual>>, Res<Pace>),
    (view, inspector, store): (Res<View>, Res<SteeringInspector>, Res<GizmoConfigStore>),
    (mut draft, mut actions): (ResMut<Draft>, ResMut<Actions>),
) -> Result {
    let (Some(scene), Some(report)) = (current.scene(), &live.report) else {
        return Ok(());
    };
    let context = contexts.ctx_mut()?;
    let height = context.content_rect().height();
    let actions = &mut actions.0;
    egui::Area::new("panel".into())
        .fixed_pos(egui::Pos2::ZERO)
        .show(context, |ui| {
            egui::Frame::new()
                .fill(PAPER)
                .inner_margin(MARGIN)
                .show(ui, |ui| {
                    ui.set_width(INNER_WIDTH);
                    egui::ScrollArea::vertical()
                        .max_height(height - 2.0 * MARGIN - CONTROLS_HEIGHT)
                        .auto_shrink(false)
                        .show(ui, |ui| {
                            pick_scene(ui, scene, &mut draft.search, actions);
                            describe(ui, scene);
                            offer_keys(ui, scene, &live.chosen, actions);
                            show_report(ui, report);
                        });
                    ui.separator();
                    choose_run(ui, scene, &current, &mut draft, actions);
                    let chosen = [
                        (Action::Follow, view.follows),
                        (Action::Inspect, inspector.open),
                        (
                            Action::Overlay,
                            store.config::<DefaultGizmoConfigGroup>().0.enabled,
                        ),
                    ];
                    drive(ui, time.is_paused(), &chosen, actions);
                    show_pace(ui, report, &pace);
                });
        });
    Ok(())
}

fn pick_scene(ui: &mut egui::Ui, scene: &Scene, search: &mut String, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        egui::ComboBox::from_id_salt("scene")
            .width(INNER_WIDTH - 2.0 * 38.0)
            .height(560.0)
            .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
            .selected_text(RichText::new(scene.title).size(16.0).strong())
            .show_ui(ui, |ui| {
                let field = egui::TextEdit::singleline(search).hint_text("search");
                let field = ui.add(field.desired_width(INNER_WIDTH));
                if ui.memory(|memory| memory.focused().is_none()) {
                    field.request_focus();
                }
                let entered = field.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
                let found = SCENES.iter().filter(|it| matches(it, search));
                let mut chosen = found.clone().next().filter(|_| entered);
                for other in found {
                    let selected = other.name == scene.name;
                    let mut text = egui::text::LayoutJob::default();
                    let format = |size, color| {
                        egui::TextFormat::simple(egui::FontId::proportional(size), color)
                    };
                    text.append(other.title, 0.0, format(14.0, INK));
                    let gist = format!("\n{}", gist(other));
                    text.append(&gist, 0.0, format(11.5, FAINT));
                    text.wrap.max_width = INNER_WIDTH;
                    if ui.selectable_label(selected, text).clicked() {
                        chosen = Some(other);
                    }
                }
                if let Some(chosen) = chosen {
                    actions.push(Action::Show(chosen.name));
                    search.clear();
                    ui.close();
                }
            });
        if ui.button("⏴").on_hover_text("previous scene (B)").clicked() {
            actions.push(Action::Turn(-1));
        }
        if ui.button("⏵").on_hover_text("next scene (N)").clicked() {
            actions.push(Action::Turn(1));
        }
    });
}

/// Whether name, title or help text of a scene contain the search text.
fn matches(scene: &Scene, search: &str) -> bool {
    let wanted = search.trim().to_lowercase();
    [scene.name, scene.title, scene.help]
        .iter()
        .any(|text| text.to_lowercase().contains(&wanted))
}

/// The first sentence of a scene's help text.
fn gist(scene: &Scene) -> &'static str {
    let end = scene.help.find('.').unwrap_or(scene.help.len());
    &scene.help[..end]
}

fn describe(ui: &mut egui::Ui, scene: &Scene) {
    ui.add_space(6.0);
    ui.label(RichText::new(scene.help).size(13.5));
    if !scene.mouse.is_empty() {
        ui.label(RichText::new(scene.mouse).size(13.5).color(BRIGHT));
    }
}

fn offer_keys(ui: &mut egui::Ui, scene: &Scene, chosen: &[char], actions: &mut Vec<Action>) {
    if scene.keys.is_empty() {
        return;
    }
    section(ui, "Keys");
    ui.horizontal_wrapped(|ui| {
        for key in scene.keys {
            let button = key_button(&key.key.to_string(), key.does);
            let button = button.selected(chosen.contains(&key.key));
            if ui.add(button).clicked() {
                actions.push(Action::Press(key.key));
            }
        }
    });
}

fn show_report(ui: &mut egui::Ui, report: &Report) {
    section(ui, "So far");
    egui::Grid::new("report")
        .num_columns(2)
        .spacing([10.0, 4.0])
        .max_col_width(0.5 * INNER_WIDTH)
        .show(ui, |ui| {
            for line in &report.lines {
                ui.label(RichText::new(&line.label).size(13.0).color(FAINT));
                let text = match line.value {
                    Value::None => "–".to_string(),
                    _ => format!("{} {}", line.value, line.unit),
                };
                ui.label(RichText::new(text).size(13.0));
                ui.end_row();
            }
        });
}

/// Seed and number of agents. A completed change restarts the scene.
fn choose_run(
    ui: &mut egui::Ui,
    scene: &Scene,
    current: &CurrentScene,
    draft: &mut Draft,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        ui.set_min_height(24.0);
        ui.label(RichText::new("Seed").size(12.5).color(FAINT));
        let mut seed = draft.seed.unwrap_or(current.seed());
        // The seed of a replay may be larger, and stays.
        let field = egui::DragValue::new(&mut seed)
            .range(0..=MOST_SEED)
            .clamp_existing_to_range(false)
            .speed(0.1);
        let response = ui.add(field).on_hover_text("Same seed, same run");
        draft.seed = (seed != current.seed()).then_some(seed);
        if let Some(seed) = draft
            .seed
            .filter(|_| !response.dragged() && !response.has_focus())
        {
            actions.push(Action::Seed(seed));
        }
        let Some(crowd) = scene.crowd else {
            return;
        };
        ui.label(RichText::new("Agents").size(12.5).color(FAINT));
        ui.spacing_mut().slider_width = 96.0;
        let mut agents = draft.agents.unwrap_or(current.agents());
        let slider = egui::Slider::new(&mut agents, crowd.fewest..=crowd.most).logarithmic(true);
        let response = ui.add(slider);
        draft.agents = (agents != current.agents()).then_some(agents);
        if let Some(agents) = draft
            .agents
            .filter(|_| !response.dragged() && !response.has_focus())
        {
            actions.push(Action::Agents(agents));
            draft.agents = None;
        }
    });
}

/// The gallery's own controls.
fn drive(ui: &mut egui::Ui, paused: bool, chosen: &[(Action, bool)], actions: &mut Vec<Action>) {
    let buttons = [
        (
            "Space",
            if paused { "Go on" } else { "Pause" },
            Action::Pause,
        ),
        (".", "Step", Action::Step),
        ("R", "Restart", Action::Restart),
        ("+", "In", Action::Zoom(1.25)),
        ("−", "Out", Action::Zoom(0.8)),
        ("Home", "Whole", Action::Whole),
        ("F2", "Inspector", Action::Inspect),
        ("F3", "Follow", Action::Follow),
        ("O", "Overlay", Action::Overlay),
    ];
    for row in buttons.chunks(3) {
        ui.horizontal(|ui| {
            for (key, does, action) in row {
                let button = key_button(key, does).selected(chosen.contains(&(*action, true)));
                if ui.add(button).clicked() {
                    actions.push(*action);
                }
            }
        });
    }
    let more = "wheel: zoom, right drag: move, N B: scene, G: seed";
    ui.label(RichText::new(more).size(12.0).color(FAINT));
}

/// Frames per second, and the time of each steering step.
fn show_pace(ui: &mut egui::Ui, report: &Report, pace: &Pace) {
    let faint = |text: String| RichText::new(text).size(12.0).color(FAINT);
    let (ticks, seconds) = (report.ticks, report.ticks as f32 / 64.0);
    let frames = pace.frames_per_second();
    ui.label(faint(format!(
        "tick {ticks}   {seconds:.1} s   {frames:.0} frames/s"
    )));
    let [sense, steer, adjust, combine, moved] = pace.steps();
    ui.label(faint(format!(
        "ms: sense {sense:.2} steer {steer:.2} adjust {adjust:.2} combine {combine:.2} move {moved:.2}"
    )))
    .on_hover_text("Time of each steering step in a tick, averaged over the last second");
}

fn key_button(key: &str, does: &str) -> egui::Button<'static> {
    let mut text = egui::text::LayoutJob::default();
    let format = |color| egui::TextFormat::simple(egui::FontId::proportional(12.5), color);
    text.append(&key.to_uppercase(), 0.0, format(BRIGHT));
    text.append(does, 6.0, format(INK));
    egui::Button::new(text)
}

fn section(ui: &mut egui::Ui, title: &str) {
    ui.add_space(8.0);
    ui.label(RichText::new(title).size(12.5).strong().color(FAINT));
}
