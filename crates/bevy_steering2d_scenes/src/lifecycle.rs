//! Starts, restarts and stops scenes.

use bevy::ecs::system::ScheduleSystem;
use bevy::prelude::*;
use bevy_steering2d::navigation::ActivePathfinder;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{NextSteeringId, SteeringClock};
use bevy_steering2d_steerbench::Town;

use crate::arena::{self, Arena};
use crate::in_scene::{InScene, SpawnCount};
use crate::input::{Held, Pointer, Presses};
use crate::physics::{register_bodies, spawn_physics};
use crate::replay;
use crate::report::Report;
use crate::scene::{Crowd, Scene};

/// The system set in which scenes select actions, each tick before physics and steering.
///
/// Read positions from [`Transform`], which Rapier has just written; [`Kinematics`] is one tick
/// old here, and still at its default for agents spawned since.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActionSelection;

/// The scene that is running. Changed by [`start`](crate::start) and [`stop`].
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct CurrentScene {
    scene: Option<&'static Scene>,
    /// The arena it was started on, which it may have replaced since.
    arena: Arena,
    seed: u64,
    agents: usize,
    tick: u32,
}

impl CurrentScene {
    /// The running scene, if any.
    pub fn scene(&self) -> Option<&'static Scene> {
        self.scene
    }

    /// The seed it was started with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of agents it was started with; zero if the scene has no [`Crowd`].
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// Ticks since it started.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Ticks since an earlier one; zero if time was set back before it.
    pub fn since(&self, tick: u32) -> u32 {
        self.tick.saturating_sub(tick)
    }
}

/// The state of what begins again and again in a scene: a race, a walk.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Round {
    /// Begins with the next tick.
    #[default]
    Due,
    /// Since this tick.
    On(u32),
    /// Its result is shown since this tick.
    Over(u32),
}

impl Round {
    /// Whether the next one begins, for results that are shown for so many ticks.
    pub(crate) fn is_due(self, current: &CurrentScene, pause: u32) -> bool {
        match self {
            Self::Due => true,
            Self::On(_) => false,
            Self::Over(since) => current.tick >= since + pause,
        }
    }
}

/// The number of agents requested for the current scene.
pub(crate) fn agent_count(world: &World) -> usize {
    world.resource::<CurrentScene>().agents
}

/// Run condition: the scene of this name is running.
pub fn playing(name: &'static str) -> impl Fn(Res<CurrentScene>) -> bool + Clone {
    move |current| current.scene.is_some_and(|scene| scene.name == name)
}

/// Adds the systems of a scene.
pub(crate) trait SceneSystemsExt {
    /// Adds systems that select actions, one after the other, while the scene of this name is running.
    fn add_scene_systems<M>(
        &mut self,
        name: &'static str,
        systems: impl IntoScheduleConfigs<ScheduleSystem, M>,
    ) -> &mut Self;
}

impl SceneSystemsExt for App {
    fn add_scene_systems<M>(
        &mut self,
        name: &'static str,
        systems: impl IntoScheduleConfigs<ScheduleSystem, M>,
    ) -> &mut Self {
        let systems = systems.chain().in_set(ActionSelection);
        self.add_systems(FixedUpdate, systems.run_if(playing(name)))
    }
}

/// While present, the scene's [script](Scene::script) provides the input.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Scripted;

/// Random stream of the scene itself, for example for spawn positions. Agents have their own.
#[derive(Resource, Clone, Debug)]
pub struct SceneRandom(pub RandomStream);

impl SceneRandom {
    fn new(seed: u64) -> Self {
        const SALT: u64 = 0x0073_6365_6e65_7321;
        Self(RandomStream::new(seed, SteeringId::UNASSIGNED, SALT))
    }
}

impl Default for SceneRandom {
    fn default() -> Self {
        Self::new(0)
    }
}

/// Restarts the current scene with its seed and number of agents; does nothing without one.
pub fn restart(world: &mut World) {
    let current = *world.resource::<CurrentScene>();
    restart_with(world, current.seed, current.agents);
}

/// Restarts the current scene with another seed or number of agents, within the limits of its
/// [`Crowd`]; does nothing without a current scene.
pub fn restart_with(world: &mut World, seed: u64, agents: usize) {
    let current = *world.resource::<CurrentScene>();
    if let Some(scene) = current.scene {
        start_with(world, scene, seed, agents, current.arena);
    }
}

/// Starts a scene on its arena with its default number of agents.
pub(crate) fn start_scene(world: &mut World, scene: &'static Scene, seed: u64) {
    start_in(world, scene, seed, scene.arena);
}

/// Starts a scene on this arena with its default number of agents.
pub(crate) fn start_in(world: &mut World, scene: &'static Scene, seed: u64, arena: Arena) {
    let agents = scene.crowd.map_or(0, |crowd| crowd.usual);
    start_with(world, scene, seed, agents, arena);
}

fn start_with(world: &mut World, scene: &'static Scene, seed: u64, agents: usize, arena: Arena) {
    let within = |crowd: Crowd| agents.clamp(crowd.fewest, crowd.most);
    stop(world);
    world.insert_resource(SteeringSeed(seed));
    world.insert_resource(SceneRandom::new(seed));
    world.insert_resource(CurrentScene {
        scene: Some(scene),
        arena,
        seed,
        agents: scene.crowd.map_or(0, within),
        tick: 0,
    });
    spawn_physics(world);
    world.insert_resource(arena);
    arena::spawn(world);
    (scene.setup)(world);
    register_bodies(world);
    replay::begin(world);
}

/// Stops the current scene: despawns everything [`InScene`] and resets ids, clock, input, neighbor
/// index, pathfinder and recorder.
pub fn stop(world: &mut World) {
    let entities: Vec<_> = world
        .query_filtered::<Entity, With<InScene>>()
        .iter(world)
        .collect();
    for entity in entities {
        // Behavior entities are despawned with their agent.
        if let Ok(entity) = world.get_entity_mut(entity) {
            entity.despawn();
        }
    }
    world.insert_resource(SpawnCount::default());
    world.insert_resource(NextSteeringId::default());
    world.insert_resource(SteeringClock::default());
    world.insert_resource(Pointer::default());
    world.insert_resource(Held::default());
    world.insert_resource(Presses::default());
    world.insert_resource(CurrentScene::default());
    // Until the first tick it would have the agents of this run.
    world.insert_resource(Neighbors::default());
    // What it has found would let the next run plan sooner.
    world.insert_resource(ActivePathfinder::default());
    world.remove_resource::<Town>();
    // Its ticks are those of this run, and would show it in the next one.
    if let Some(mut recorder) = world.get_resource_mut::<SteeringRecorder>() {
        recorder.clear();
    }
}

/// The report of the current scene so far; `None` without a current scene.
pub fn live_report(world: &World) -> Option<Report> {
    let current = world.resource::<CurrentScene>();
    let scene = current.scene?;
    Some(Report {
        scene: scene.name,
        seed: current.seed,
        ticks: current.tick,
        lines: (scene.report)(world),
    })
}

pub(crate) fn play_script(world: &mut World) {
    let current = *world.resource::<CurrentScene>();
    if let Some(scene) = current.scene
        && world.contains_resource::<Scripted>()
    {
        (scene.script)(world, current.tick);
    }
}

pub(crate) fn count_tick(mut current: ResMut<CurrentScene>) {
    current.tick += 1;
}
