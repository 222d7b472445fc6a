//! Presets tab: applies and saves preset files, and compares two stored tunings.

use std::path::{Path, PathBuf};

use bevy::asset::LoadState;
#[cfg(not(target_arch = "wasm32"))]
use bevy::asset::io::file::FileAssetReader;
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use bevy_steering2d_core::BehaviorRegistry;
use bevy_steering2d_presets::{
    PresetError, PresetProblems, SteeringPreset, UsesPreset, save_preset,
};

use crate::preset_files::{self, PresetFiles};
use crate::scope::{self, Scope};
use crate::theme::{alarm, faint, named, section};

/// The folder of preset files inside the asset folder.
const FOLDER: &str = "presets";
pub(crate) const EXTENSION: &str = ".steering.ron";

/// The state of the tab.
#[derive(Debug)]
pub(crate) struct PresetsTab {
    /// The app's asset folder, see [`AssetPlugin::file_path`].
    pub(crate) root: String,
    /// Name of the file to save to.
    name: String,
    files: PresetFiles,
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
            files: preset_files::unread(),
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
    match shown {
        Some(shown) => left_out(ui, world, shown),
        None => {
            ui.label(faint("Click an agent to store, save or change its tuning"));
        }
    }
    compare(ui, world, tab, shown, scope);
    save(ui, world, tab, shown);
    // Before the files, whose list may be long.
    problems(ui, world);
    files(ui, world, tab, shown, scope);
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
fn compare(
    ui: &mut Ui,
    world: &mut World,
    tab: &mut PresetsTab,
    shown: Option<Entity>,
    scope: Scope,
) {
    section(ui, "Compare");
    for (index, name) in ["A", "B"].into_iter().enumerate() {
        ui.horizontal(|ui| {
            let store = egui::Button::new(format!("Store as {name}"));
            let store = ui.add_enabled(shown.is_some(), store);
            if store
                .on_hover_text(format!("Stores the tuning of the shown agent: {LEFT_OUT}"))
                .clicked()
                && let Some(shown) = shown
            {
                match SteeringPreset::capture(world, shown) {
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
            let usable = stored.is_some() && shown.is_some();
            let button = ui.add_enabled(usable, egui::Button::new(format!("Apply {name}")));
            if button.clicked()
                && let (Some(stored), Some(shown)) = (stored, shown)
            {
                let agents = scope::agents(world, scope, shown);
                let applied = apply(world, &stored, &agents);
                let told = applied.map(|count| applied_to(name, count));
                tab.outcome = Some(Outcome::Done(told.map_err(|error| error.to_string())));
            }
        });
    }
}

/// Applies a stored tuning to each agent, which then follows its file no longer. Returns how many there are: an observer
/// may despawn some of them.
///
/// # Errors
/// The first one, after all agents have had their turn.
fn apply(
    world: &mut World,
    stored: &SteeringPreset,
    agents: &[Entity],
) -> Result<usize, PresetError> {
    let mut applied = Ok(0);
    for agent in agents {
        let outcome = stored.apply(world, *agent);
        let Ok(mut agent) = world.get_entity_mut(*agent) else {
            continue;
        };
        match outcome {
            Ok(()) => {
                agent.remove::<UsesPreset>();
                applied = applied.map(|count| count + 1);
            }
            Err(error) => applied = applied.and(Err(error)),
        }
    }
    applied
}

fn save(ui: &mut Ui, world: &mut World, tab: &mut PresetsTab, shown: Option<Entity>) {
    section(ui, "Save the shown agent");
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut tab.name)
            .hint_text("name")
            .desired_width(150.0);
        named(ui.add(field), "Preset name");
        let name = without_extension(&tab.name).to_owned();
        let path = path_of(&tab.root, &name);
        let exists = path.as_ref().is_ok_and(|path| path.exists());
        let text = if exists { "Overwrite" } else { "Save" };
        let button = ui.add_enabled(shown.is_some() && !name.is_empty(), egui::Button::new(text));
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
                    assets.reload(asset_path(&name));
                }
                tab.files = preset_files::unread();
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

/// The name of a preset: a user may type that of its file.
fn without_extension(name: &str) -> &str {
    let name = name.trim();
    name.strip_suffix(EXTENSION).unwrap_or(name)
}

/// The path of the preset file with this name in the asset folder `root`.
fn path_of(root: &str, name: &str) -> Result<PathBuf, String> {
    if cfg!(target_arch = "wasm32") {
        return Err("a browser has no files to save to".to_owned());
    }
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
    base_path().join(root).join(FOLDER)
}

#[cfg(not(target_arch = "wasm32"))]
fn base_path() -> PathBuf {
    FileAssetReader::get_base_path()
}

/// A browser has no files; the tab says so.
#[cfg(target_arch = "wasm32")]
fn base_path() -> PathBuf {
    PathBuf::new()
}

/// Lists the preset files, with a button to apply each.
fn files(
    ui: &mut Ui,
    world: &mut World,
    tab: &mut PresetsTab,
    shown: Option<Entity>,
    scope: Scope,
) {
    section(ui, "Files");
    let Some(assets) = world.get_resource::<AssetServer>().cloned() else {
        ui.label(faint("Preset files need an AssetServer."));
        return;
    };
    let folder = folder(&tab.root);
    let found = tab.files.get(folder.clone(), |it| preset_files::list(it));
    let names = match found {
        Ok(names) => names,
        Err(reason) => {
            ui.label(alarm(reason.as_str()));
            return;
        }
    };
    if names.is_empty() {
        ui.label(faint(format!("No files in {}", folder.display())));
    }
    for name in names {
        ui.horizontal(|ui| {
            let button = ui.add_enabled(shown.is_some(), egui::Button::new("Apply"));
            let button = named(button, &format!("Apply {name}"));
            if button
                .on_hover_text(
                    "Replaces the tuning: behaviors that the file does not name are removed. \
                     With Bevy's feature `file_watcher` agents are updated whenever the file is saved",
                )
                .clicked()
                && let Some(shown) = shown
            {
                let path = asset_path(name);
                let preset = assets.load(path.clone());
                let presets = world.get_resource::<Assets<SteeringPreset>>();
                if presets.is_some_and(|it| it.contains(&preset)) {
                    // The file may have changed since.
                    assets.reload(path);
                }
                let mut count = 0;
                for agent in scope::agents(world, scope, shown) {
                    if let Ok(mut agent) = world.get_entity_mut(agent) {
                        agent.insert(UsesPreset(preset.clone()));
                        count += 1;
                    }
                }
                let name = name.clone();
                tab.outcome = Some(Outcome::Used {
                    preset,
                    name,
                    count,
                });
            }
            ui.label(name.as_str());
        });
    }
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
        for typed in ["Größe 2", " Größe 2.steering.ron "] {
            let path = path_of("data", without_extension(typed)).expect("a good name");
            assert!(path.ends_with("data/presets/Größe 2.steering.ron"));
        }
        for bad in [
            "a\"b", "it's", "../evil", "..", ".hidden", "a/b", "a\\b", "c:d", "a#b",
        ] {
            assert!(path_of("data", bad).is_err(), "{bad}");
        }
    }
}
