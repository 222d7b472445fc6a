//! Where scenes are put on: starting, stopping, and telling whose turn it is.

use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy_rapier2d::pipeline::{CollisionEvent, ContactForceEvent};
use bevy_rapier2d::plugin::RapierContextInitialization;
use bevy_rapier2d::plugin::systems::{init_colliders, init_rigid_bodies};
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{NextSteeringId, RandomStream, SteeringClock};
use bevy_steering2d_steerbench::Town;

use crate::input::forget_presses;
use crate::{
    Arena, Crowd, Pointer, Presses, Report, SCENES, Scene, StayInside, UnknownScene, arena, case,
    scene,
};

/// Physics, steering and the systems of every scene, all in `FixedUpdate` and asleep until
/// [`start`].
///
/// Needs `MinimalPlugins` and `TransformPlugin`, or `DefaultPlugins`.
pub struct ScenesPlugin;

impl Plugin for ScenesPlugin {
    fn build(&self, app: &mut App) {
        add_physics(app);
        app.add_plugins(SteeringPlugin::default())
            .add_behavior::<StayInside>()
            .init_resource::<Arena>()
            .init_resource::<CurrentScene>()
            .init_resource::<Appearances>()
            .init_resource::<SceneRandom>()
            .init_resource::<Pointer>()
            .init_resource::<Presses>()
            .configure_sets(FixedUpdate, ActionSelection.before(PhysicsSet::SyncBackend))
            .add_systems(FixedPreUpdate, (play_script, count_tick).chain())
            .add_systems(FixedUpdate, forget_presses.after(ActionSelection));
        for scene in SCENES.iter().chain([&case::SCENE]) {
            (scene.build)(app);
        }
    }
}

/// Rapier in `FixedUpdate`. Each run of a scene brings a physics world of its own.
fn add_physics(app: &mut App) {
    let tick = Time::<Fixed>::default().timestep().as_secs_f32();
    app.insert_resource(TimestepMode::Fixed {
        dt: tick,
        substeps: 1,
    })
    // Rapier's plugin inserts its messages without anything that ever clears them.
    .add_message::<CollisionEvent>()
    .add_message::<ContactForceEvent>()
    .add_message::<MassModifiedEvent>()
    .add_plugins(
        RapierPhysicsPlugin::<NoUserData>::default()
            .with_custom_initialization(RapierContextInitialization::NoAutomaticRapierContext)
            .in_fixed_schedule(),
    );
}

/// A fresh physics world without gravity: scenes are seen from above.
///
/// Despawned with the scene, because a used one would remember: the handles it hands out and the
/// order in which it solves contacts depend on everything that was ever in it.
fn spawn_physics(world: &mut World) {
    let from_above = RapierConfiguration {
        gravity: Vec2::ZERO,
        ..RapierConfiguration::new(1.0)
    };
    world.spawn((
        Name::new("physics"),
        InScene::default(),
        DefaultRapierContext,
        RapierContextSimulation::default(),
        from_above,
    ));
}

/// Where scenes decide what their agents want, each tick before physics and steering.
///
/// Positions are best read from [`Transform`], which Rapier has just written;
/// [`Kinematics`] is a tick old here, and empty for newcomers.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActionSelection;

/// Belongs to the scene that is on: despawned when it stops.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(on_add = take_place)]
pub struct InScene {
    /// Its place in the order of appearance.
    place: u32,
}

/// How many have appeared in this scene.
#[derive(Resource, Default)]
struct Appearances(u32);

fn take_place(mut world: DeferredWorld, context: HookContext) {
    let Some(mut appearances) = world.get_resource_mut::<Appearances>() else {
        return;
    };
    let place = appearances.0;
    appearances.0 += 1;
    if let Some(mut it) = world.get_mut::<InScene>(context.entity) {
        it.place = place;
    }
}

/// What is on. Changed by [`start`] and [`stop`].
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct CurrentScene {
    scene: Option<&'static Scene>,
    seed: u64,
    agents: usize,
    tick: u32,
}

impl CurrentScene {
    /// The scene that is on, if any.
    pub fn scene(&self) -> Option<&'static Scene> {
        self.scene
    }

    /// The seed it was started with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many agents it was started with; zero where the scene has no [`Crowd`].
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// Ticks since it started.
    pub fn tick(&self) -> u32 {
        self.tick
    }
}

/// How many agents the scene that is being set up shall have.
pub(crate) fn agents_wanted(world: &World) -> usize {
    world.resource::<CurrentScene>().agents
}

/// Run condition: the scene of that name is on.
pub fn playing(name: &'static str) -> impl Fn(Res<CurrentScene>) -> bool + Clone {
    move |current| current.scene.is_some_and(|scene| scene.name == name)
}

/// While present the scene's [script](Scene::script) plays the user.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Scripted;

/// Chance for the scene itself, apart from its agents: where someone appears.
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

/// Starts the scene of that name instead of what is on.
///
/// The same name and seed give the same run, bit for bit, whatever was on before.
///
/// # Errors
/// When there is no such scene; what is on then stays on.
pub fn start(world: &mut World, name: &str, seed: u64) -> Result<(), UnknownScene> {
    put_on(world, scene(name)?, seed);
    Ok(())
}

/// Starts the current scene again with its seed and number of agents; does nothing if none is on.
pub fn restart(world: &mut World) {
    let current = *world.resource::<CurrentScene>();
    restart_with(world, current.seed, current.agents);
}

/// Starts the current scene again with another seed or another number of agents, as far as its
/// [`Crowd`] allows; does nothing if none is on.
pub fn restart_with(world: &mut World, seed: u64, agents: usize) {
    if let Some(scene) = world.resource::<CurrentScene>().scene {
        put_on_with(world, scene, seed, agents);
    }
}

pub(crate) fn put_on(world: &mut World, scene: &'static Scene, seed: u64) {
    put_on_with(
        world,
        scene,
        seed,
        scene.crowd.map_or(0, |crowd| crowd.usual),
    );
}

fn put_on_with(world: &mut World, scene: &'static Scene, seed: u64, agents: usize) {
    let within = |crowd: Crowd| agents.clamp(crowd.fewest, crowd.most);
    stop(world);
    world.insert_resource(SteeringSeed(seed));
    world.insert_resource(SceneRandom::new(seed));
    world.insert_resource(CurrentScene {
        scene: Some(scene),
        seed,
        agents: scene.crowd.map_or(0, within),
        tick: 0,
    });
    spawn_physics(world);
    let ground = case::ground(world, scene);
    world.insert_resource(ground);
    arena::spawn(world);
    (scene.setup)(world);
    enlist_bodies(world);
}

/// Shows the bodies to Rapier one at a time, in order of appearance.
///
/// Left alone it would take them as its queries find them, and that order depends on which
/// component sets the world has ever seen: on the app, and on the scenes before. Rapier solves
/// contacts in the order of its bodies, so the last bits of a collision would depend on it too.
fn enlist_bodies(world: &mut World) {
    let mut bodies: Vec<_> = world
        .query_filtered::<(&InScene, Entity, &Transform), With<RigidBody>>()
        .iter(world)
        .map(|(it, entity, at)| (it.place, entity, GlobalTransform::from(*at)))
        .collect();
    bodies.sort_unstable_by_key(|(place, ..)| *place);
    for (_, entity, at) in &bodies {
        // Hidden until its turn comes, and at its place: nothing has propagated transforms yet.
        world.entity_mut(*entity).insert((*at, Disabled));
    }
    for (_, entity, _) in bodies {
        world.entity_mut(entity).remove::<Disabled>();
        let enlisted = world
            .run_system_cached(init_rigid_bodies)
            .and_then(|()| world.run_system_cached(init_colliders));
        if let Err(error) = enlisted {
            error!("entity {entity} is no body for Rapier: {error}");
        }
    }
}

/// Ends what is on: despawns everything [`InScene`] and takes ids, clock and input back to the
/// beginning.
pub fn stop(world: &mut World) {
    let props: Vec<_> = world
        .query_filtered::<Entity, With<InScene>>()
        .iter(world)
        .collect();
    for prop in props {
        // Some go with others: what steers for an agent is despawned with it.
        if let Ok(prop) = world.get_entity_mut(prop) {
            prop.despawn();
        }
    }
    world.insert_resource(Appearances::default());
    world.insert_resource(NextSteeringId::default());
    world.insert_resource(SteeringClock::default());
    world.insert_resource(Pointer::default());
    world.insert_resource(Presses::default());
    world.insert_resource(CurrentScene::default());
    world.remove_resource::<Town>();
}

/// What the current scene has to report so far; `None` if none is on.
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

fn play_script(world: &mut World) {
    let current = *world.resource::<CurrentScene>();
    if let Some(scene) = current.scene
        && world.contains_resource::<Scripted>()
    {
        (scene.script)(world, current.tick);
    }
}

fn count_tick(mut current: ResMut<CurrentScene>) {
    current.tick += 1;
}
