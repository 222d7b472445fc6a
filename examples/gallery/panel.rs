//! The panel at the left: what is on, what it says, what can be pressed.

use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};
use bevy_steering2d_scenes::{CurrentScene, Report, SCENES, Scene, Value, live_report};
use egui::{Color32, RichText};

use crate::controls::{Wish, Wishes};

/// Width of the panel, logical pixels.
pub const PANEL_WIDTH: f32 = 332.0;

const MARGIN: f32 = 14.0;
const INNER_WIDTH: f32 = PANEL_WIDTH - 2.0 * MARGIN;

/// Height of the gallery's own controls at its foot, logical pixels.
const CONTROLS_HEIGHT: f32 = 88.0;

pub fn plugin(app: &mut App) {
    app.init_resource::<Live>()
        .add_systems(Update, take_report)
        .add_systems(EguiPrimaryContextPass, (dress, show_panel).chain());
}

/// What the scene says at this moment.
#[derive(Resource, Default)]
struct Live {
    report: Option<Report>,
    chosen: Vec<char>,
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

/// Colors and sizes, once.
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
    time: Res<Time<Virtual>>,
    mut wishes: ResMut<Wishes>,
) -> Result {
    let (Some(scene), Some(report)) = (current.scene(), &live.report) else {
        return Ok(());
    };
    let context = contexts.ctx_mut()?;
    let height = context.content_rect().height();
    let wishes = &mut wishes.0;
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
                            pick_scene(ui, scene, wishes);
                            describe(ui, scene);
                            offer_keys(ui, scene, &live.chosen, wishes);
                            show_report(ui, report);
                        });
                    drive(ui, report, time.is_paused(), wishes);
                });
        });
    Ok(())
}

fn pick_scene(ui: &mut egui::Ui, scene: &Scene, wishes: &mut Vec<Wish>) {
    ui.horizontal(|ui| {
        egui::ComboBox::from_id_salt("scene")
            .width(INNER_WIDTH - 2.0 * 38.0)
            .selected_text(RichText::new(scene.title).size(16.0).strong())
            .show_ui(ui, |ui| {
                for other in SCENES {
                    let selected = other.name == scene.name;
                    if ui.selectable_label(selected, other.title).clicked() {
                        wishes.push(Wish::Show(other.name));
                    }
                }
            });
        if ui.button("⏴").on_hover_text("previous scene (B)").clicked() {
            wishes.push(Wish::Turn(-1));
        }
        if ui.button("⏵").on_hover_text("next scene (N)").clicked() {
            wishes.push(Wish::Turn(1));
        }
    });
}

fn describe(ui: &mut egui::Ui, scene: &Scene) {
    ui.add_space(6.0);
    ui.label(RichText::new(scene.help).size(13.5));
    if !scene.mouse.is_empty() {
        ui.label(RichText::new(scene.mouse).size(13.5).color(BRIGHT));
    }
}

fn offer_keys(ui: &mut egui::Ui, scene: &Scene, chosen: &[char], wishes: &mut Vec<Wish>) {
    if scene.keys.is_empty() {
        return;
    }
    section(ui, "Keys");
    ui.horizontal_wrapped(|ui| {
        for key in scene.keys {
            let button = key_button(&key.key.to_string(), key.does);
            let button = button.selected(chosen.contains(&key.key));
            if ui.add(button).clicked() {
                wishes.push(Wish::Press(key.key));
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

/// The gallery's own controls.
fn drive(ui: &mut egui::Ui, report: &Report, paused: bool, wishes: &mut Vec<Wish>) {
    ui.separator();
    let buttons = [
        ("Space", if paused { "Go on" } else { "Pause" }, Wish::Pause),
        (".", "Step", Wish::Step),
        ("R", "Restart", Wish::Restart),
        ("G", "New seed", Wish::Reseed),
        ("+", "In", Wish::Zoom(1.25)),
        ("−", "Out", Wish::Zoom(0.8)),
        ("O", "Overlay", Wish::Overlay),
    ];
    for row in [&buttons[..3], &buttons[3..]] {
        ui.horizontal(|ui| {
            for (key, does, wish) in row {
                if ui.add(key_button(key, does)).clicked() {
                    wishes.push(*wish);
                }
            }
        });
    }
    let (seed, ticks, seconds) = (report.seed, report.ticks, report.ticks as f32 / 64.0);
    let status = format!("seed {seed}   tick {ticks}   {seconds:.1} s");
    ui.label(RichText::new(status).size(12.5).color(FAINT));
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
