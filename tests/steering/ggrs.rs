//! Rollback netcode: the SyncTest of `bevy_ggrs` goes back in every frame, runs the frames again, and compares
//! their checksums. The world is stored as `docs/saves.md` shows.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::time::Duration;

use bevy::ecs::schedule::ScheduleBuildSettings;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_ggrs::ggrs::SessionBuilder;
use bevy_ggrs::{
    ChecksumPart, ConfirmedFrameCount, GgrsConfig, GgrsPlugin, GgrsSchedule, LoadWorld,
    LoadWorldSystems, LocalInputs, LocalPlayers, ReadInputs, RollbackFrameCount, SaveWorld,
    SaveWorldSystems, Session, SyncTestMismatch,
};
use bevy_steering2d::SteeringSnapshot;
use bevy_steering2d::prelude::*;

use crate::common::*;
use crate::repository::file;
use crate::sync::spawn_every_behavior;

type Config = GgrsConfig<u8>;

// `docs/saves.md` shows the next lines.

/// The frames that may be loaded.
#[derive(Resource, Default)]
struct Frames(BTreeMap<i32, SteeringSnapshot>);

fn store_frames(app: &mut App) {
    app.init_resource::<Frames>()
        .add_systems(SaveWorld, save.in_set(SaveWorldSystems::Snapshot))
        .add_systems(LoadWorld, load.in_set(LoadWorldSystems::Data));
}

fn save(world: &mut World) {
    let frame = world.resource::<RollbackFrameCount>().0;
    let confirmed = world.resource::<ConfirmedFrameCount>().0;
    let snapshot = SteeringSnapshot::take(world);
    let frames = &mut world.resource_mut::<Frames>().0;
    frames.retain(|known, _| *known >= confirmed);
    frames.insert(frame, snapshot);
}

fn load(world: &mut World) {
    let frame = world.resource::<RollbackFrameCount>().0;
    let snapshot = world.resource::<Frames>().0[&frame].clone();
    snapshot.restore(world);
}

const FRAMES: i32 = 1_000;
const FRAMES_PER_SECOND: usize = 60;

#[derive(Resource, Default)]
struct Mismatches(Vec<String>);

/// Hashes the agents in order of their ids.
fn sum(world: &mut World, mut agents: Local<Option<AgentState>>) {
    let agents = agents.get_or_insert_with(|| world.query());
    let states = agents.iter(world).map(|(id, place, body, force)| {
        let [a, b, c] = [body.position, body.velocity, force.total].map(|it| it.to_array());
        let floats = [a[0], a[1], b[0], b[1], c[0], c[1]];
        let (place, rotation) = (place.translation.to_array(), place.rotation.to_array());
        let place = (place.map(f32::to_bits), rotation.map(f32::to_bits));
        (*id, floats.map(f32::to_bits), place)
    });
    let mut states: Vec<_> = states.collect();
    states.sort_unstable();
    let mut hasher = DefaultHasher::new();
    states.hash(&mut hasher);
    let part = ChecksumPart(hasher.finish().into());
    let mut parts = world.query_filtered::<&mut ChecksumPart, With<OfAgents>>();
    match parts.single_mut(world) {
        Ok(mut present) => *present = part,
        Err(_) => {
            world.spawn((part, OfAgents));
        }
    }
}

type AgentState = QueryState<(
    &'static SteeringId,
    &'static Transform,
    &'static Kinematics,
    &'static SteeringForce,
)>;

/// Marks the checksum of all agents.
#[derive(Component)]
struct OfAgents;

/// The game: agents come and go, and so do behaviors.
fn play(world: &mut World) {
    let frame = world.resource::<RollbackFrameCount>().0;
    let mut agents = world.query_filtered::<(&SteeringId, Entity), With<PointMass>>();
    let mut agents: Vec<_> = agents.iter(world).map(|(id, it)| (*id, it)).collect();
    agents.sort_unstable();
    let chosen = agents[frame as usize * 7 % agents.len()].1;
    match frame % 12 {
        0 => {
            let place = Vec2::from_angle(frame as f32) * 6.0;
            let newcomer = (Flocking::default(), Wander::default(), Pursuit::new(chosen));
            world.spawn((
                PointMass::default(),
                Transform::from_translation(place.extend(0.0)),
                newcomer,
            ));
        }
        3 => {
            world.despawn(chosen);
        }
        6 => {
            world.entity_mut(chosen).remove::<Wander>();
        }
        9 => {
            world.entity_mut(chosen).insert(Cohesion::new(5.0));
        }
        _ => {}
    }
}

fn read_inputs(mut commands: Commands, players: Res<LocalPlayers>) {
    let inputs: HashMap<_, _> = players.0.iter().map(|player| (*player, 0)).collect();
    commands.insert_resource(LocalInputs::<Config>(inputs));
}

/// An app whose session goes that many frames back in every frame.
fn app(backend: Backend, distance: usize) -> App {
    let session = SessionBuilder::<Config>::new()
        .with_num_players(1)
        .unwrap()
        .with_max_prediction_window(distance + 1)
        .with_check_distance(distance)
        .add_player(bevy_ggrs::ggrs::PlayerType::Local, 0)
        .unwrap()
        .start_synctest_session()
        .unwrap();
    let tick = Duration::from_secs(1) / FRAMES_PER_SECOND as u32;
    let mut app = bare_app(HERTZ);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick))
        .insert_resource(Session::SyncTest(session))
        .init_resource::<Mismatches>()
        .add_plugins((GgrsPlugin::<Config>::default(), store_frames))
        .add_systems(ReadInputs, read_inputs)
        .add_systems(SaveWorld, sum.in_set(SaveWorldSystems::Checksum))
        .add_observer(
            |mismatch: On<SyncTestMismatch>, mut found: ResMut<Mismatches>| {
                found.0.push(format!("{:?}", mismatch.event()));
            },
        );
    if backend == Backend::Rapier {
        // Rapier's own systems are ambiguous.
        app.edit_schedule(GgrsSchedule, |schedule| {
            schedule.set_build_settings(ScheduleBuildSettings::default());
        });
        match_rapier_timestep(&mut app);
        app.add_plugins(rapier_without_gravity().in_schedule(GgrsSchedule));
    }
    app.add_plugins(SteeringPlugin::new(GgrsSchedule))
        .add_behavior::<Push>();
    start(&mut app);
    let target = app.world_mut().spawn(Transform::from_xyz(9.0, -3.0, 0.0));
    let target = target.id();
    spawn_every_behavior(backend, &mut app, target);
    app
}

fn run(app: &mut App, frames: i32) {
    while app.world().resource::<RollbackFrameCount>().0 < frames {
        let before = app.world().resource::<RollbackFrameCount>().0;
        app.update();
        let mismatches = &app.world().resource::<Mismatches>().0;
        assert!(mismatches.is_empty(), "{mismatches:?}");
        let now = app.world().resource::<RollbackFrameCount>().0;
        assert!(now >= before, "frame {now} after {before}");
    }
}

/// Frames of point masses with spawns and despawns.
fn assert_in_sync(distance: usize) {
    let mut app = app(Backend::PointMass, distance);
    app.add_systems(GgrsSchedule, play.before(SteeringSystems::Sense));
    run(&mut app, FRAMES);
    let frames = &app.world().resource::<Frames>().0;
    let kept: Range<i32> = *frames.keys().next().unwrap()..*frames.keys().last().unwrap();
    assert!(kept.len() >= distance, "{kept:?}");
}

#[test]
fn the_page_on_saves_shows_how_frames_are_stored_here() {
    let here = file("tests/steering/ggrs.rs");
    let (_, code) = here.split_once("shows the next lines.\n\n").unwrap();
    let (code, _) = code.split_once("\nconst FRAMES").unwrap();
    let shown = format!("```rust,ignore\n{code}```");
    assert!(file("docs/saves.md").contains(&shown));
}

#[test]
fn every_behavior_stays_in_sync_8_frames_back() {
    assert_in_sync(8);
}

#[test]
fn every_behavior_stays_in_sync_60_frames_back() {
    assert_in_sync(60);
}

#[test]
fn rapier_bodies_stay_in_sync_8_frames_back() {
    run(&mut app(Backend::Rapier, 8), 300);
}

#[test]
fn state_that_is_not_rolled_back_is_found() {
    let mut app = app(Backend::PointMass, 8);
    let mut counted = 0.0;
    let push = move |mut agents: Query<&mut Transform, With<SteeringId>>| {
        counted += 0.001;
        for mut place in &mut agents {
            place.translation.x += counted;
        }
    };
    app.add_systems(GgrsSchedule, push.before(SteeringSystems::Sense));
    for _ in 0..20 {
        app.update();
    }
    assert!(!app.world().resource::<Mismatches>().0.is_empty());
}
