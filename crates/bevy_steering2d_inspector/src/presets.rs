//! Presets tab: applies and saves preset files, and compares two stored tunings.

use std::fs;
use std::path::{Path, PathBuf};

use bevy::asset::LoadState;
use bevy::asset::io::file::FileAssetReader;
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::BehaviorRegistry;
use bevy_steering2d_presets::{PresetProblems, SteeringPreset, UsesPreset, save_preset};

use crate::scope::{self, Scope};
use crate::theme::{alarm, faint, named, section};

/// The folder of preset files inside the asset folder.
const FOLDER: &str = "presets";
const EXTENSION: &str = ".steering.ron";

/// The state of the tab.
#[derive(Debug)]
pub(crate) struct PresetsTab {
    /// The app's asset folder, see [`AssetPlugin::file_path`].
    pub(crate) root: String,
    /// Name of the file to save to, without extension.
    name: String,
    /// The outcome of the last action.
    outcome: Option<Outcome>,
    /// The stored tunings A and B.
    stored: [Option<SteeringPreset>; 2],
}

/// The outcome of an action.
#[derive(Debug)]
enum Outcome {
    /// What it did, or an error.
    Done(Result<String, String>),
    /// Agents use a file from now on, which may still be loading.
    Used {
        preset: Handle<SteeringPreset>,
        name: String,
        /// The number of agents.
        count: usize,
    },
}

impl Outcome {
    /// What to tell of it now, or an error.
    fn told(&self, world: &World) -> Result<String, String> {
        let (preset, name, count) = match self {
            Self::Done(told) => return told.clone(),
            Self::Used {
                preset,
                name,
                count,
            } => (preset, name, *count),
        };
        let state = world.get_resource::<AssetServer>();
        let state = state.and_then(|it| it.get_load_state(preset.id()));
        if matches!(state, Some(LoadState::Loading)) {
            return Ok(format!("Loading {name} …"));
        }
        let problems = world.get_resource::<PresetProblems>();
        if let Some(problem) = problems.and_then(|it| it.get(preset.id())) {
            return Err(problem.to_string());
        }
        let presets = world.get_resource::<Assets<SteeringPreset>>();
        if presets.is_some_and(|it| it.contains(preset.id())) {
            Ok(applied_to(name, count))
        } else {
            Ok(format!("Loading {name} …"))
        }
    }
}

impl Default for PresetsTab {
    fn default() -> Self {
        Self {
            root: "assets".into(),
            name: String::new(),
            outcome: None,
            stored: [None, None],
        }
    }
}

pub(crate) fn show(
    ui: &mut Ui,
    world: &mut World,
    tab: &mut PresetsTab,
    shown: Option<Entity>,
    scope: Scope,
) {
    let agents = shown.map_or_else(Vec::new, |shown| scope::agents(world, scope, shown));
    if let Some(shown) = shown {
        left_out(ui, world, shown);
    }
    compare(ui, world, tab, &agents);
    save(ui, world, tab, shown);
    // Before the files, whose list may be long.
    problems(ui, world);
    files(ui, world, tab, &agents);
}

/// What presets leave out, for hover texts.
const LEFT_OUT: &str =
    "its behaviors, limits and locomotion; not its SteeringGroups, nor its PointMass";

/// Says how many of the agent's behaviors are on other entities, where presets neither store nor change them.
fn left_out(ui: &mut Ui, world: &World, shown: Entity) {
    let behaviors = world.resource::<BehaviorRegistry>();
    let behaviors = behaviors.assigned_to(world, shown).into_iter();
    match behaviors.filter(|it| it.source != shown).count() {
        0 => {}
        1 => {
            ui.label(faint("1 behavior on another entity is not part of presets"));
        }
        count => {
            ui.label(faint(format!(
                "{count} behaviors on other entities are not part of presets"
            )));
        }
    }
}

/// Stores the shown agent's tuning as A or B, and applies either.
fn compare(ui: &mut Ui, world: &mut World, tab: &mut PresetsTab, agents: &[Entity]) {
    section(ui, "Compare");
    for (index, name) in ["A", "B"].into_iter().enumerate() {
        ui.horizontal(|ui| {
            let store = egui::Button::new(format!("Store as {name}"));
            let store = ui.add_enabled(!agents.is_empty(), store);
            if store
                .on_hover_text(format!("Stores the tuning of the shown agent: {LEFT_OUT}"))
                .clicked()
                && let Some(shown) = agents.first()
            {
                match SteeringPreset::capture(world, *shown) {
                    Ok(preset) => {
                        tab.stored[index] = Some(preset);
                        tab.outcome = Some(Outcome::Done(Ok(format!("Stored as {name}"))));
                    }
                    Err(error) => {
                        tab.outcome = Some(Outcome::Done(Err(error.to_string())));
                    }
                }
            }
            let stored = tab.stored[index].clone();
            let usable = stored.is_some() && !agents.is_empty();
            let button = ui.add_enabled(usable, egui::Button::new(format!("Apply {name}")));
            if button.clicked()
                && let Some(stored) = stored
            {
                for agent in agents {
                    if let Ok(mut agent) = world.get_entity_mut(*agent) {
                        agent.remove::<UsesPreset>();
                    }
                }
                let applied = agents.iter().try_for_each(|agent| {
                    if world.get_entity(*agent).is_err() {
                        return Ok(());
                    }
                    stored.apply(world, *agent)
                });
                let told = applied.map(|()| applied_to(name, agents.len()));
                tab.outcome = Some(Outcome::Done(told.map_err(|error| error.to_string())));
            }
        });
    }
}

fn save(ui: &mut Ui, world: &mut World, tab: &mut PresetsTab, shown: Option<Entity>) {
    section(ui, "Save the shown agent");
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut tab.name)
            .hint_text("name")
            .desired_width(150.0);
        named(ui.add(field), "Preset name");
        let path = path_of(&tab.root, tab.name.trim());
        let exists = path.as_ref().is_ok_and(|path| path.exists());
        let text = if exists { "Overwrite" } else { "Save" };
        let button = ui.add_enabled(
            shown.is_some() && !tab.name.trim().is_empty(),
            egui::Button::new(text),
        );
        let button = button.on_hover_text(match &path {
            Ok(path) => format!("{}\n\nStores {LEFT_OUT}", path.display()),
            Err(error) => error.clone(),
        });
        if named(button, "Save preset").clicked()
            && let Some(shown) = shown
        {
            let saved = path.and_then(|path| {
                save_preset(world, shown, &path).map_err(|error| error.to_string())?;
                // Those who use it get the new values also if no watcher looks at files.
                if let Some(assets) = world.get_resource::<AssetServer>() {
                    assets.reload(asset_path(tab.name.trim()));
                }
                Ok(format!("Saved {}", path.display()))
            });
            tab.outcome = Some(Outcome::Done(saved));
        }
    });
    // Also without one, so that the buttons below stay where they are.
    ui.label(match tab.outcome.as_ref().map(|it| it.told(world)) {
        Some(Ok(text)) => faint(text),
        Some(Err(text)) => alarm(text),
        None => faint(" "),
    });
}

/// The path of the preset file with this name in the asset folder `root`.
fn path_of(root: &str, name: &str) -> Result<PathBuf, String> {
    let allowed = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ' ');
    if let Some(bad) = name.chars().find(|it| !allowed(*it)) {
        return Err(format!(
            "'{bad}' is not allowed in a preset name: use letters, digits, spaces, '_', '-' and '.'"
        ));
    }
    // The file would be hidden.
    if name.starts_with('.') {
        return Err("a preset name cannot begin with '.'".to_owned());
    }
    Ok(folder(root).join(format!("{name}{EXTENSION}")))
}

/// The path of the preset file with this name for the asset server. In text, it would take what follows a `#` for the
/// label of an asset inside the file.
fn asset_path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}{EXTENSION}"))
}

/// The folder of preset files in the asset folder `root`, where the asset server looks for them as well.
fn folder(root: &str) -> PathBuf {
    FileAssetReader::get_base_path().join(root).join(FOLDER)
}

/// Lists the preset files, with a button to apply each.
fn files(ui: &mut Ui, world: &mut World, tab: &mut PresetsTab, agents: &[Entity]) {
    section(ui, "Files");
    let Some(assets) = world.get_resource::<AssetServer>().cloned() else {
        ui.label(faint("Preset files need an AssetServer."));
        return;
    };
    let folder = folder(&tab.root);
    let names = names(&folder);
    if names.is_empty() {
        ui.label(faint(format!("No files in {}", folder.display())));
    }
    for name in names {
        ui.horizontal(|ui| {
            let button = ui.add_enabled(!agents.is_empty(), egui::Button::new("Apply"));
            let button = named(button, &format!("Apply {name}"));
            if button
                .on_hover_text(
                    "Replaces the tuning: behaviors that the file does not name are removed. \
                     With Bevy's feature `file_watcher` agents are updated whenever the file is saved",
                )
                .clicked()
            {
                let path = asset_path(&name);
                let preset = assets.load(path.clone());
                let presets = world.get_resource::<Assets<SteeringPreset>>();
                if presets.is_some_and(|it| it.contains(&preset)) {
                    // The file may have changed since.
                    assets.reload(path);
                }
                for agent in agents {
                    if let Ok(mut agent) = world.get_entity_mut(*agent) {
                        agent.insert(UsesPreset(preset.clone()));
                    }
                }
                tab.outcome = Some(Outcome::Used {
                    preset,
                    name: name.clone(),
                    count: agents.len(),
                });
            }
            ui.label(name);
        });
    }
}

/// The names of the preset files in a folder, sorted. Hidden files are left out: editors keep locks in them.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let name = name.strip_suffix(EXTENSION)?;
        let is_hidden = name.is_empty() || name.starts_with('.');
        (!is_hidden).then(|| name.to_owned())
    };
    let mut names: Vec<_> = entries.flatten().filter_map(name).collect();
    names.sort_unstable();
    names
}

/// Lists the files that fail to load.
fn problems(ui: &mut Ui, world: &World) {
    let Some(problems) = world.get_resource::<PresetProblems>() else {
        return;
    };
    if problems.is_empty() {
        return;
    }
    section(ui, "Errors (agents keep the last valid version)");
    for problem in problems.iter() {
        ui.label(alarm(problem.to_string()));
    }
}

fn applied_to(name: &str, count: usize) -> String {
    match count {
        1 => format!("Applied {name} to 1 agent"),
        _ => format!("Applied {name} to {count} agents"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preset_paths_stay_inside_their_folder() {
        let path = path_of("data", "my flock_2").expect("a good name");
        assert!(path.ends_with("data/presets/my flock_2.steering.ron"));
        let path = path_of("data", "boids.v2").expect("a good name");
        assert!(path.ends_with("data/presets/boids.v2.steering.ron"));
        for bad in ["../evil", "..", ".hidden", "a/b", "a\\b", "c:d", "a#b"] {
            assert!(path_of("data", bad).is_err(), "{bad}");
        }
    }
}
