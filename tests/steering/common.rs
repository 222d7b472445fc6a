//! Shared test fixtures: apps of both backends, bodies, accessors, recorded events and assertions.

use std::cell::RefCell;
use std::io;
use std::sync::{Mutex, Once};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::ecs::schedule::{
    LogLevel, MultiThreadedExecutor, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor,
};
use bevy::log::tracing_subscriber;
use bevy::prelude::*;
use bevy::reflect::PartialReflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::time::TimeUpdateStrategy;
use bevy_rapier2d::plugin::context::RapierRigidBodySet;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{IntegrationParameters, RigidBody as SimulatedBody};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, LedgerEntry, SteeringWarning, SteeringWarnings, digest};

use crate::extremes::numbers::aim;

/// The default tick rate, Hz.
pub const HERTZ: f64 = 60.0;
/// The tick at [`HERTZ`], s.
pub const TICK: f32 = 1.0 / 60.0;

/// A point far to the east, m.
pub const EAST: Vec2 = Vec2::new(100.0, 0.0);

/// Change of velocity of 1 kg by one tick of the default `max_force`, m/s.
pub const STRONGEST_CHANGE: f32 = 20.0 * TICK;

/// What moves the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    PointMass,
    Rapier,
}

pub const BACKENDS: [Backend; 2] = [Backend::PointMass, Backend::Rapier];

impl Backend {
    pub fn app(self, hertz: f64) -> App {
        match self {
            Self::PointMass => point_mass_app(hertz),
            Self::Rapier => rapier_app(hertz),
        }
    }

    /// Spawns `agent` with a body of this backend: a circle of radius 0.5 m without collisions.
    pub fn spawn(self, app: &mut App, body: Body, agent: impl Bundle) -> Entity {
        let mut entity = app.world_mut().spawn(body.transform());
        match self {
            Self::PointMass => entity.insert(PointMass {
                velocity: body.velocity,
                mass: body.mass,
            }),
            Self::Rapier => entity.insert((
                RigidBody::Dynamic,
                Collider::ball(PointMass::RADIUS),
                ColliderMassProperties::Mass(body.mass),
                CollisionGroups::new(Group::NONE, Group::NONE),
                Velocity::linear(body.velocity),
            )),
        };
        entity.insert(agent).id()
    }
}

/// A body before it is spawned.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub position: Vec2,
    pub velocity: Vec2,
    pub mass: f32,
}

impl Body {
    /// 1 kg at rest.
    pub fn at(x: f32, y: f32) -> Self {
        Self {
            position: Vec2::new(x, y),
            velocity: Vec2::ZERO,
            mass: 1.0,
        }
    }

    pub fn moving(self, x: f32, y: f32) -> Self {
        let velocity = Vec2::new(x, y);
        Self { velocity, ..self }
    }

    pub fn weighing(self, mass: f32) -> Self {
        Self { mass, ..self }
    }

    pub fn transform(&self) -> Transform {
        Transform::from_translation(self.position.extend(0.0))
    }
}

/// Steering with point masses. Ambiguous system order is an error: the first tick panics.
pub fn point_mass_app(hertz: f64) -> App {
    let mut app = bare_app(hertz);
    forbid_ambiguity(&mut app, FixedUpdate);
    app.add_plugins(SteeringPlugin::default());
    start(&mut app);
    app
}

/// Steering with Rapier bodies, without gravity.
pub fn rapier_app(hertz: f64) -> App {
    let mut app = bare_app(hertz);
    match_rapier_timestep(&mut app);
    app.add_plugins((
        rapier_without_gravity().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    start(&mut app);
    app
}

/// An app without steering, whose time advances by one tick per update.
pub fn bare_app(hertz: f64) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin))
        .insert_resource(Time::<Fixed>::from_hz(hertz))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

pub fn rapier_without_gravity() -> RapierPhysicsPlugin<NoUserData> {
    RapierPhysicsPlugin::default().with_custom_initialization(
        RapierContextInitialization::InitializeDefaultRapierContext {
            integration_parameters: IntegrationParameters::default(),
            rapier_configuration: RapierConfiguration {
                gravity: Vec2::ZERO,
                ..RapierConfiguration::new(1.0)
            },
        },
    )
}

pub fn match_rapier_timestep(app: &mut App) {
    let dt = tick_length(app);
    app.insert_resource(TimestepMode::Fixed { dt, substeps: 1 });
}

pub fn forbid_ambiguity(app: &mut App, schedule: impl ScheduleLabel) {
    app.edit_schedule(schedule, |schedule| {
        schedule.set_build_settings(ScheduleBuildSettings {
            ambiguity_detection: LogLevel::Error,
            ..default()
        });
    });
}

/// Finishes the app. Its first update runs the startup schedules and no tick.
///
/// Systems run serially, which is much faster because tests run in parallel.
/// [`run_systems_in_parallel`] changes that.
pub fn start(app: &mut App) {
    app.finish();
    app.cleanup();
    let mut schedules = app.world_mut().resource_mut::<Schedules>();
    for (_, schedule) in schedules.iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    app.update();
}

/// Runs systems in parallel, as a game does.
pub fn run_systems_in_parallel(app: &mut App) {
    app.edit_schedule(FixedUpdate, |schedule| {
        schedule.set_executor(MultiThreadedExecutor::new());
    });
}

pub fn run_ticks(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}

pub fn run_seconds(app: &mut App, seconds: f32) {
    run_ticks(app, (seconds / tick_length(app)).round() as u32);
}

pub fn tick_length(app: &App) -> f32 {
    let fixed = app.world().resource::<Time<Fixed>>();
    fixed.timestep().as_secs_f32()
}

pub fn get<C: Component>(app: &App, entity: Entity) -> &C {
    app.world().get(entity).unwrap()
}

pub fn position(app: &App, entity: Entity) -> Vec2 {
    get::<Transform>(app, entity).translation.truncate()
}

pub fn move_to(app: &mut App, entity: Entity, place: Vec2) {
    let mut transform = app.world_mut().get_mut::<Transform>(entity).unwrap();
    transform.translation = place.extend(0.0);
}

/// The velocity after the last tick; `Kinematics` holds that at its start.
pub fn velocity(app: &App, entity: Entity) -> Vec2 {
    velocity_of(app.world().entity(entity))
}

fn velocity_of(entity: EntityRef) -> Vec2 {
    match entity.get::<PointMass>() {
        Some(point) => point.velocity,
        None => entity.get::<Velocity>().unwrap().linear,
    }
}

pub fn facing(app: &App, entity: Entity) -> Vec2 {
    (get::<Transform>(app, entity).rotation * Vec3::X).truncate()
}

pub fn total(app: &App, entity: Entity) -> Vec2 {
    get::<SteeringForce>(app, entity).total
}

pub fn ledger(app: &App, entity: Entity) -> Vec<LedgerEntry> {
    get::<SteeringForce>(app, entity).ledger().collect()
}

/// The ledger entry of behavior `B` on the agent itself in the last tick.
pub fn entry<B: Behavior>(app: &App, entity: Entity) -> LedgerEntry {
    let behavior = app
        .world()
        .resource::<BehaviorRegistry>()
        .of::<B>()
        .unwrap();
    let mine =
        |entry: &&LedgerEntry| entry.behavior == behavior.id && !entry.is_from_behavior_entity();
    *ledger(app, entity).iter().find(mine).unwrap()
}

/// Reads a body inside Rapier.
pub fn simulated<R>(app: &mut App, entity: Entity, read: impl Fn(&SimulatedBody) -> R) -> R {
    let mut sets = app.world_mut().query::<&RapierRigidBodySet>();
    let set = sets.single(app.world()).unwrap();
    read(&set.bodies[set.entity2body()[&entity]])
}

pub fn warnings(app: &App) -> Vec<SteeringWarning> {
    app.world().resource::<SteeringWarnings>().recent()
}

/// Asserts exactly one warning so far, about this field of this entity.
#[track_caller]
pub fn assert_warned_once(app: &App, entity: Entity, field: &str, case: &str) {
    let warnings = warnings(app);
    let [warning] = &warnings[..] else {
        panic!("{case}: expected one warning about {field}, got {warnings:?}");
    };
    assert_eq!((warning.entity, warning.field), (entity, field), "{case}");
    let message = &warning.message;
    assert!(
        message.starts_with(&format!("entity {entity}: ")),
        "{case}: {message}"
    );
}

/// Position and velocity of an agent, to the bit.
pub type Bits = [u32; 4];

/// The states of all agents with a body, sorted by id.
pub fn states(app: &mut App) -> Vec<(SteeringId, Bits)> {
    let mut bodies = app
        .world_mut()
        .query_filtered::<EntityRef, (With<Kinematics>, With<SteeringId>)>();
    let mut states: Vec<_> = bodies
        .iter(app.world())
        .map(|entity| {
            let position = entity.get::<Transform>().unwrap().translation;
            let velocity = velocity_of(entity);
            let bits = [position.x, position.y, velocity.x, velocity.y].map(f32::to_bits);
            (*entity.get::<SteeringId>().unwrap(), bits)
        })
        .collect();
    states.sort_unstable();
    states
}

/// A digest of [`states`].
pub fn fingerprint(states: &[(SteeringId, Bits)]) -> u64 {
    let words = states
        .iter()
        .flat_map(|(id, bits)| std::iter::once(id.0).chain(*bits));
    digest(words.flat_map(u32::to_le_bytes))
}

/// Asserts that no body holds a NaN or an infinity, except the one that the test made invalid.
#[track_caller]
pub fn assert_all_finite(app: &mut App, except: Option<Entity>, case: &str) {
    let mut bodies = app
        .world_mut()
        .query_filtered::<EntityRef, (With<Kinematics>, With<Transform>)>();
    for entity in bodies.iter(app.world()) {
        if Some(entity.id()) == except {
            continue;
        }
        let transform = entity.get::<Transform>().unwrap();
        let finite = transform.is_finite() && velocity_of(entity).is_finite();
        assert!(
            finite,
            "{case}: {} is not finite: {transform:?}",
            entity.id()
        );
    }
}

/// The events that an app has triggered, in order.
#[derive(Resource)]
struct RecordedEvents<E>(Vec<E>);

pub fn record_events<E: Event + Clone>(app: &mut App) {
    app.insert_resource(RecordedEvents::<E>(Vec::new()))
        .add_observer(|event: On<E>, mut events: ResMut<RecordedEvents<E>>| {
            events.0.push(event.event().clone());
        });
}

pub fn recorded_events<E: Event + Clone>(app: &App) -> Vec<E> {
    app.world().resource::<RecordedEvents<E>>().0.clone()
}

/// Inserts every registered behavior with its default value. Behaviors without a default, such as
/// those of a test, are left out.
pub fn insert_every_behavior(world: &mut World, entity: Entity) {
    insert_behaviors(world, entity, |_| {});
}

/// The same, with an entity for every target.
pub fn insert_every_behavior_at(world: &mut World, entity: Entity, target: Entity) {
    insert_behaviors(world, entity, |behavior| aim(behavior, target));
}

fn insert_behaviors(world: &mut World, entity: Entity, change: impl Fn(&mut dyn PartialReflect)) {
    let types = world.resource::<AppTypeRegistry>().clone();
    let types = types.read();
    let registry = world.resource::<BehaviorRegistry>().clone();
    for behavior in registry.iter() {
        let component = types.get_type_data::<ReflectComponent>(behavior.type_id);
        let default = types.get_type_data::<ReflectDefault>(behavior.type_id);
        if let (Some(component), Some(default)) = (component, default) {
            let mut value = default.default();
            change(value.as_partial_reflect_mut());
            let mut entity = world.entity_mut(entity);
            component.insert(&mut entity, value.as_partial_reflect(), &types);
        }
    }
}

/// The pairs of systems of a schedule whose order is ambiguous.
pub fn ambiguities(app: &mut App, schedule: impl ScheduleLabel) -> Vec<String> {
    let mut ambiguities = Vec::new();
    app.world_mut().schedule_scope(schedule, |world, schedule| {
        schedule.initialize(world).unwrap();
        let graph = schedule.graph();
        let pairs = graph.conflicting_systems();
        ambiguities.extend(
            pairs
                .to_string(graph, world.components())
                .map(|(a, b, conflicts)| format!("{a} and {b} over {conflicts:?}")),
        );
    });
    ambiguities
}

/// Counts the logged warnings that contain these words, from all tests of this process: the words
/// must be unique to the test.
pub fn count_logged(words: &str) -> usize {
    let log = LOG.lock().unwrap();
    String::from_utf8_lossy(&log)
        .lines()
        .filter(|line| line.contains(words))
        .count()
}

pub fn record_log() {
    static START: Once = Once::new();
    START.call_once(|| {
        tracing_subscriber::fmt()
            .with_max_level(bevy::log::Level::WARN)
            .with_ansi(false)
            .with_writer(|| Recorder)
            .init();
    });
}

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

thread_local! {
    /// The lines of this thread, if it keeps them to itself.
    static OWN_LINES: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The first thousand warnings and errors that `work` logs on this thread.
pub fn lines_logged(work: impl FnOnce()) -> Vec<String> {
    record_log();
    OWN_LINES.set(Some(Vec::new()));
    work();
    OWN_LINES.take().unwrap_or_default()
}

struct Recorder;

impl io::Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        OWN_LINES.with_borrow_mut(|lines| match lines {
            Some(lines) if lines.len() < 1_000 => {
                lines.push(String::from_utf8_lossy(bytes).into_owned());
            }
            Some(_) => {}
            None => LOG.lock().unwrap().extend_from_slice(bytes),
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A user behavior with a constant force, N.
#[derive(Component, Reflect, Default, Clone, Copy)]
#[reflect(Component, Default)]
pub struct Push {
    pub influence: Influence,
    pub force: Vec2,
}

impl Push {
    pub fn new(x: f32, y: f32) -> Self {
        Self {
            influence: default(),
            force: Vec2::new(x, y),
        }
    }
}

impl Behavior for Push {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }
}

impl Steer for Push {
    fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
        self.force
    }
}

#[track_caller]
pub fn assert_near(actual: Vec2, expected: Vec2, tolerance: f32, case: &str) {
    let error = actual.distance(expected);
    assert!(
        error <= tolerance,
        "{case}: {actual} is {error} from {expected}"
    );
}
