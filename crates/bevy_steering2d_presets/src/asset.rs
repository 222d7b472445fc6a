//! Preset assets: the loader, [`UsesPreset`], and hot reloading.

use bevy::asset::io::Reader;
use bevy::asset::{
    AssetLoadError, AssetLoadFailedEvent, AssetLoader, AssetTrackingSystems, AsyncReadExt,
    LoadContext,
};
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemChangeTick;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::prelude::*;
use bevy_steering2d_core::SnapshotAppExt;

use crate::SteeringPreset;
use crate::before::BeforePresets;
use crate::change::Origin;
use crate::error::{Place, PresetError, PresetFault};
use crate::parts::Parts;
use crate::rollback::{LastRead, PresetUsers};

/// Loads `*.steering.ron` files and applies each preset to the agents that [use](UsesPreset) it.
///
/// The steering plugin adds it when the feature `presets` is enabled; adding it again has no effect.
/// Without Bevy's `AssetPlugin` it does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SteeringPresetPlugin;

impl Plugin for SteeringPresetPlugin {
    fn build(&self, app: &mut App) {
        install(app);
    }

    // `AssetPlugin` may have been added later.
    fn finish(&self, app: &mut App) {
        install(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

fn install(app: &mut App) {
    let installed = app.world().contains_resource::<PresetProblems>();
    if installed || !app.world().contains_resource::<AssetServer>() {
        return;
    }
    let types = app.world().resource::<AppTypeRegistry>().clone();
    let users = PresetUsers::new(app.world_mut());
    app.add_snapshot_part(users);
    app.init_asset::<SteeringPreset>()
        .register_asset_loader(PresetLoader { types })
        .register_type::<UsesPreset>()
        .init_resource::<PresetProblems>()
        .init_resource::<LastRead>()
        .add_systems(
            PreUpdate,
            (update_problems, apply_to_users)
                .chain()
                .after(AssetTrackingSystems),
        );
}

/// Applies a preset to the agent when it is loaded, and again whenever it changes.
///
/// The preset determines all behaviors of the agent, see [`SteeringPreset::apply`]. When it changes, a behavior that the
/// game has switched on or off with [`Influence::enabled`](bevy_steering2d_core::Influence::enabled) stays so, unless the
/// change is in that field. Removing this component changes nothing else on the agent.
///
/// It goes back with a [`SteeringSnapshot`](bevy_steering2d_core::SteeringSnapshot) in memory: the agent then has the tuning
/// of that time, and uses the preset of that time. A file that has changed since the latest of all snapshots was taken is applied
/// again if the world goes back to that one.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::PointMass;
/// # use bevy_steering2d_presets::UsesPreset;
/// fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
///     let boids = assets.load("presets/boids.steering.ron");
///     commands.spawn((PointMass::default(), UsesPreset(boids)));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct UsesPreset(pub Handle<SteeringPreset>);

/// The preset files that currently fail to load. Their agents keep the last valid version.
///
/// A problem is removed when its file loads again, or when no handle refers to it any more.
#[derive(Resource, Debug, Default)]
pub struct PresetProblems(HashMap<AssetId<SteeringPreset>, PresetProblem>);

/// A preset file that fails to load. Displays as `path:line:column: reason`.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetProblem {
    /// The asset's path, e.g. `presets/boids.steering.ron`.
    pub path: String,
    /// Place and reason.
    pub error: PresetError,
}

impl PresetProblems {
    /// All problems, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = &PresetProblem> {
        let mut problems: Vec<_> = self.0.values().collect();
        problems.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        problems.into_iter()
    }

    /// The problem of a preset; `None` if it is valid or not loaded yet.
    pub fn get(&self, preset: impl Into<AssetId<SteeringPreset>>) -> Option<&PresetProblem> {
        self.0.get(&preset.into())
    }

    /// Whether there is no problem.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for PresetProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:", self.path)?;
        if let Some(Place { line, column }) = self.error.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.error.fault)
    }
}

#[derive(TypePath)]
struct PresetLoader {
    types: AppTypeRegistry,
}

impl AssetLoader for PresetLoader {
    type Asset = SteeringPreset;
    type Settings = ();
    type Error = PresetError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _: &(),
        _: &mut LoadContext<'_>,
    ) -> Result<SteeringPreset, PresetError> {
        let mut bytes = Vec::new();
        // One byte over the limit shows that a file is too long without reading all of it.
        reader
            .take(SteeringPreset::MAX_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .await
            .map_err(|error| PresetFault::Io(error.to_string()))?;
        SteeringPreset::from_bytes(&bytes, &self.types)
    }

    fn extensions(&self) -> &[&str] {
        &["steering.ron"]
    }
}

/// Updates [`PresetProblems`]. The asset server itself logs each failure.
fn update_problems(
    mut failed: MessageReader<AssetLoadFailedEvent<SteeringPreset>>,
    mut events: MessageReader<AssetEvent<SteeringPreset>>,
    mut problems: ResMut<PresetProblems>,
    server: Res<AssetServer>,
) {
    for failure in failed.read() {
        let problem = PresetProblem {
            path: failure.path.to_string(),
            error: reason_of(&failure.error),
        };
        problems.0.insert(failure.id, problem);
    }
    // A file may have loaded and failed in one frame; the state tells which came last.
    let fails = |id: AssetId<SteeringPreset>| server.load_state(id).is_failed();
    for event in events.read() {
        // Not `Modified`: code may modify the asset while the file still fails to load.
        if let AssetEvent::LoadedWithDependencies { id } = event
            && problems.0.contains_key(id)
            && !fails(*id)
        {
            problems.0.remove(id);
        }
    }
    // The server drops assets that no handle refers to.
    let is_dropped = |id: &AssetId<SteeringPreset>| server.get_load_state(*id).is_none();
    if problems.0.keys().any(is_dropped) {
        problems.0.retain(|id, _| !is_dropped(id));
    }
}

fn reason_of(error: &AssetLoadError) -> PresetError {
    if let AssetLoadError::AssetLoaderError(error) = error
        && let Some(error) = error.error().downcast_ref::<PresetError>()
    {
        return error.clone();
    }
    PresetFault::Io(error.to_string()).into()
}

fn apply_to_users(
    mut events: MessageReader<AssetEvent<SteeringPreset>>,
    presets: Res<Assets<SteeringPreset>>,
    users: Query<(Entity, Ref<UsesPreset>), Allow<Disabled>>,
    ticks: SystemChangeTick,
    mut last_read: ResMut<LastRead>,
    mut commands: Commands,
) {
    last_read.0 = ticks.this_run();
    let changed: HashSet<_> = events
        .read()
        .filter_map(|event| match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => Some(*id),
            _ => None,
        })
        .collect();
    let due = users.iter().filter_map(|(agent, preset)| {
        let id = preset.0.id();
        let origin = if preset.is_changed() {
            Origin::Asset(id)
        } else if changed.contains(&id) {
            Origin::Changed(id)
        } else {
            return None;
        };
        // Agents whose preset is not loaded yet follow with its `Added` event.
        let is_loaded = presets.contains(id);
        is_loaded.then(|| (agent, preset.0.clone(), origin))
    });
    let due: Vec<_> = due.collect();
    if !due.is_empty() {
        commands.queue(|world: &mut World| apply_all(due, world));
    }
}

fn apply_all(due: Vec<(Entity, Handle<SteeringPreset>, Origin)>, world: &mut World) {
    let types = world.resource::<AppTypeRegistry>().clone();
    let parts = Parts::new(&types.read());
    let mut warned = HashSet::new();
    for (agent, handle, origin) in due {
        // A copy of references: observers of what it inserts may read the assets.
        let preset = world.resource::<Assets<SteeringPreset>>().get(&handle);
        let Some(preset) = preset.cloned() else {
            continue;
        };
        // The event that an asset is there comes a frame later: an agent may have found it already.
        let before = world.get::<BeforePresets>(agent);
        let last = before.and_then(|it| it.last_version(origin));
        if last.is_some_and(|it| it.is_copy_of(&preset)) {
            continue;
        }
        // The agent may have been despawned since.
        let Ok(applied) = preset.apply_to(agent, &parts, world, origin) else {
            continue;
        };
        for name in applied.lost {
            if warned.insert((handle.id(), name)) {
                let path = handle.path().map_or_else(
                    || "a preset created in code".to_owned(),
                    ToString::to_string,
                );
                log::warn!(
                    "{path} does not name {name}, so it was removed from entity {agent} (and \
                     possibly others); to keep it, add the line `{name}: (),`"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use bevy_steering2d_core::{Behavior, Influence, PointMass, Seek, SteeringCorePlugin, Wander};

    /// An agent that uses a preset.
    struct User {
        app: App,
        preset: Handle<SteeringPreset>,
        agent: Entity,
    }

    impl User {
        fn of(text: &str) -> Self {
            let mut app = App::new();
            app.add_plugins((
                MinimalPlugins,
                AssetPlugin::default(),
                SteeringCorePlugin::default(),
                SteeringPresetPlugin,
            ));
            app.finish();
            app.cleanup();
            let preset = read(&app, text);
            let preset = app
                .world_mut()
                .resource_mut::<Assets<SteeringPreset>>()
                .add(preset);
            let agent = (PointMass::default(), UsesPreset(preset.clone()));
            let agent = app.world_mut().spawn(agent).id();
            let mut user = Self { app, preset, agent };
            user.update();
            user
        }

        fn update(&mut self) {
            // Events about assets are written at the end of a frame.
            for _ in 0..2 {
                self.app.update();
            }
        }

        /// Replaces the preset, as a watcher of files does.
        fn change_preset(&mut self, text: &str) {
            let preset = read(&self.app, text);
            let mut presets = self
                .app
                .world_mut()
                .resource_mut::<Assets<SteeringPreset>>();
            presets.insert(&self.preset, preset).unwrap();
            self.update();
        }

        fn switch_seek(&mut self, on: bool) {
            let mut seek = self.app.world_mut().get_mut::<Seek>(self.agent).unwrap();
            seek.influence.enabled = on;
        }

        fn influence<B: Behavior>(&self) -> Influence {
            *self.app.world().get::<B>(self.agent).unwrap().influence()
        }
    }

    fn read(app: &App, text: &str) -> SteeringPreset {
        SteeringPreset::from_ron(text, app.world().resource::<AppTypeRegistry>()).unwrap()
    }

    #[test]
    fn a_behavior_that_the_game_has_disabled_stays_so_when_the_file_changes() {
        let mut user = User::of("{ Seek: (), Wander: () }");
        user.switch_seek(false);
        let changed = "{ Seek: (influence: (weight: 0.5)), Wander: (influence: (weight: 2.0)) }";
        user.change_preset(changed);
        let seek = user.influence::<Seek>();
        assert_eq!((seek.enabled, seek.weight), (false, 0.5));
        assert_eq!(user.influence::<Wander>().weight, 2.0);
        user.switch_seek(true);
        user.change_preset("{ Seek: (), Wander: () }");
        assert!(user.influence::<Seek>().enabled);
    }

    #[test]
    fn a_preset_that_an_agent_finds_at_once_is_applied_once() {
        let mut user = User::of("{ }");
        let preset = read(&user.app, "{ Seek: () }");
        let world = user.app.world_mut();
        let preset = world.resource_mut::<Assets<SteeringPreset>>().add(preset);
        world.entity_mut(user.agent).insert(UsesPreset(preset));
        user.app.update();
        let mut seek = user.app.world_mut().get_mut::<Seek>(user.agent).unwrap();
        seek.influence.weight = 0.3;
        user.update();
        assert_eq!(user.influence::<Seek>().weight, 0.3);
    }

    #[test]
    fn a_file_that_loads_and_then_fails_in_one_frame_is_a_problem() {
        let User { mut app, .. } = User::of("{ }");
        let server = app.world().resource::<AssetServer>();
        let missing = server.load::<SteeringPreset>("missing.steering.ron");
        let is_problem = |app: &App| {
            let problems = app.world().resource::<PresetProblems>();
            problems.get(&missing).is_some()
        };
        let start = Instant::now();
        while !is_problem(&app) {
            assert!(start.elapsed() < Duration::from_secs(20));
            app.update();
        }
        let loaded = AssetEvent::LoadedWithDependencies { id: missing.id() };
        app.world_mut().write_message(loaded);
        app.update();
        assert!(is_problem(&app));
    }

    #[test]
    fn a_file_that_changes_the_switch_of_a_behavior_applies() {
        let (on, off) = ("{ Seek: () }", "{ Seek: (influence: (enabled: false)) }");
        let mut user = User::of(on);
        user.change_preset(off);
        assert!(!user.influence::<Seek>().enabled);
        user.change_preset(on);
        assert!(user.influence::<Seek>().enabled);
    }

    #[test]
    fn a_preset_that_is_chosen_again_applies_with_its_switches() {
        let mut user = User::of("{ Seek: () }");
        user.switch_seek(false);
        let again = UsesPreset(user.preset.clone());
        user.app.world_mut().entity_mut(user.agent).insert(again);
        user.update();
        assert!(user.influence::<Seek>().enabled, "the same one");

        user.switch_seek(false);
        let another = read(&user.app, "{ Seek: () }");
        let world = user.app.world_mut();
        let another = world.resource_mut::<Assets<SteeringPreset>>().add(another);
        world.entity_mut(user.agent).insert(UsesPreset(another));
        user.update();
        assert!(user.influence::<Seek>().enabled, "another one");
    }
}
