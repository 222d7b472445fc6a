//! Preset files to apply and save, and two memories to compare.

use std::fs;
use std::path::PathBuf;

use bevy::asset::io::file::FileAssetReader;
use bevy::prelude::*;
use bevy_egui::egui::{self, RichText, Ui};
use bevy_steering2d_presets::{PresetProblems, SteeringPreset, UsesPreset, save_preset};

use crate::scope::{self, Scope};
use crate::theme::{self, ALARM, faint, named, section};

/// Where the files are, below the folder of assets.
const FOLDER: &str = "presets";
const ENDING: &str = ".steering.ron";

/// What the tab remembers.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    /// Name of the file to save to, without ending.
    name: String,
    /// The outcome of the last deed, and whether it was good.
    said: Option<(String, bool)>,
    /// Settings to go back and forth between.
    memories: [Option<SteeringPreset>; 2],
}

impl Shelf {
    fn say(&mut self, outcome: Result<String, String>) {
        self.said = Some(match outcome {
            Ok(text) => (text, true),
            Err(text) => (text, false),
        });
    }
}

pub(crate) fn show(
    ui: &mut Ui,
    world: &mut World,
    shelf: &mut Shelf,
    shown: Option<Entity>,
    scope: Scope,
) {
    let agents = shown.map_or_else(Vec::new, |shown| scope::agents(world, scope, shown));
    compare(ui, world, shelf, &agents);
    save(ui, world, shelf, shown);
    files(ui, world, shelf, &agents);
    problems(ui, world);
}

/// A and B: remember the shown agent twice, then switch between the two.
fn compare(ui: &mut Ui, world: &mut World, shelf: &mut Shelf, agents: &[Entity]) {
    section(ui, "Compare");
    for (index, name) in ["A", "B"].into_iter().enumerate() {
        ui.horizontal(|ui| {
            let remember = egui::Button::new(format!("Remember as {name}"));
            let remember = ui.add_enabled(!agents.is_empty(), remember);
            if remember
                .on_hover_text("Keeps the shown agent's settings")
                .clicked()
                && let Some(shown) = agents.first()
            {
                match SteeringPreset::capture(world, *shown) {
                    Ok(memory) => shelf.memories[index] = Some(memory),
                    Err(error) => shelf.say(Err(error.to_string())),
                }
            }
            let memory = shelf.memories[index].clone();
            let usable = memory.is_some() && !agents.is_empty();
            let button = ui.add_enabled(usable, egui::Button::new(format!("Apply {name}")));
            if button.clicked()
                && let Some(memory) = memory
            {
                for agent in agents {
                    world.entity_mut(*agent).remove::<UsesPreset>();
                }
                let applied = agents
                    .iter()
                    .try_for_each(|agent| memory.apply(world, *agent));
                shelf.say(match applied {
                    Ok(()) => Ok(format!("Applied {name} to {}", count(agents))),
                    Err(error) => Err(error.to_string()),
                });
            }
        });
    }
}

fn save(ui: &mut Ui, world: &mut World, shelf: &mut Shelf, shown: Option<Entity>) {
    section(ui, "Save the shown agent");
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut shelf.name)
            .hint_text("name")
            .desired_width(150.0);
        named(ui.add(field), "Preset name");
        let path = path_of(shelf.name.trim());
        let exists = path.as_ref().is_ok_and(|path| path.exists());
        let text = if exists { "Overwrite" } else { "Save" };
        let button = ui.add_enabled(
            shown.is_some() && !shelf.name.trim().is_empty(),
            egui::Button::new(text),
        );
        let button = button.on_hover_text(match &path {
            Ok(path) => path.display().to_string(),
            Err(error) => error.clone(),
        });
        if named(button, "Save preset").clicked()
            && let Some(shown) = shown
        {
            let saved = path.and_then(|path| {
                save_preset(world, shown, &path).map_err(|error| error.to_string())?;
                Ok(format!("Saved {}", path.display()))
            });
            shelf.say(saved);
        }
    });
    if let Some((text, good)) = &shelf.said {
        let color = if *good { theme::FAINT } else { ALARM };
        ui.label(RichText::new(text).size(12.0).color(color));
    }
}

/// The file of a preset's name.
fn path_of(name: &str) -> Result<PathBuf, String> {
    let allowed = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | ' ');
    if let Some(bad) = name.chars().find(|it| !allowed(*it)) {
        return Err(format!(
            "'{bad}' cannot be part of a preset's name: letters, digits, '_' and '-' can"
        ));
    }
    Ok(folder().join(format!("{name}{ENDING}")))
}

fn folder() -> PathBuf {
    FileAssetReader::get_base_path().join("assets").join(FOLDER)
}

/// Each file, to apply.
fn files(ui: &mut Ui, world: &mut World, shelf: &mut Shelf, agents: &[Entity]) {
    section(ui, "Files");
    let Some(assets) = world.get_resource::<AssetServer>().cloned() else {
        ui.label(faint("This app has no AssetServer, so no files."));
        return;
    };
    let names = names();
    if names.is_empty() {
        ui.label(faint(format!("none in {}", folder().display())));
    }
    for name in names {
        ui.horizontal(|ui| {
            let button = ui.add_enabled(!agents.is_empty(), egui::Button::new("Apply"));
            let button = named(button, &format!("Apply {name}"));
            if button
                .on_hover_text("The agents follow the file: saved changes show at once")
                .clicked()
            {
                let preset = assets.load(format!("{FOLDER}/{name}{ENDING}"));
                for agent in agents {
                    world.entity_mut(*agent).insert(UsesPreset(preset.clone()));
                }
                shelf.name.clone_from(&name);
                shelf.say(Ok(format!("{} now {name}", count(agents))));
            }
            ui.label(name);
        });
    }
}

fn names() -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder()) else {
        return Vec::new();
    };
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_suffix(ENDING)?.to_owned())
    };
    let mut names: Vec<_> = entries.flatten().filter_map(name).collect();
    names.sort_unstable();
    names
}

/// Files that do not load, and why; what they held before stays in force.
fn problems(ui: &mut Ui, world: &World) {
    let Some(problems) = world.get_resource::<PresetProblems>() else {
        return;
    };
    if problems.is_empty() {
        return;
    }
    section(ui, "Mistakes; what was good last stays in force");
    for problem in problems.iter() {
        let text = RichText::new(problem.to_string());
        ui.label(text.size(12.0).color(ALARM));
    }
}

fn count(agents: &[Entity]) -> String {
    match agents.len() {
        1 => "1 agent".into(),
        many => format!("{many} agents"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_presets_stay_inside_their_folder() {
        let path = path_of("my flock_2").expect("a good name");
        assert!(path.ends_with("presets/my flock_2.steering.ron"));
        for bad in ["../evil", "a/b", "a\\b", "c:d", "x.y"] {
            assert!(path_of(bad).is_err(), "{bad}");
        }
    }
}
