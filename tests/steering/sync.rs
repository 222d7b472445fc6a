//! Rollback: worlds with every behavior go back 1 to 60 ticks again and again, and repeat each tick
//! bit for bit, with the same events.
//!
//! They go back by a [`SteeringSnapshot`], and all state that `docs/saves.md` lists must then be the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::std_traits::ReflectDefault;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, Restored, SteeringSnapshot};

use crate::common::*;
use crate::paths::zigzag;
use crate::saves::listed;

/// The deepest rollback, in ticks.
const DEEPEST: usize = 60;
/// In these ticks the target that agents pursue is lost and found again.
const LOST: std::ops::Range<usize> = 80..100;

/// The events that observers have received since the last tick.
#[derive(Resource, Default)]
struct Received(Vec<String>);

fn receive<E>(app: &mut App)
where
    E: for<'a> EntityEvent<Trigger<'a>: Default> + std::fmt::Debug,
{
    app.add_observer(|event: On<E>, mut received: ResMut<Received>| {
        received.0.push(format!("{:?}", event.event()));
    });
}

/// What must be equal when a tick is repeated: a hash of each component, and the events.
#[derive(PartialEq, Debug)]
struct Outcome {
    digests: Vec<(Entity, String, u64)>,
    events: Vec<String>,
}

impl Outcome {
    #[track_caller]
    fn assert_equals(&self, expected: &Self, case: &str) {
        let mut pairs = self.digests.iter().zip(&expected.digests);
        if let Some((one, other)) = pairs.find(|(one, other)| one != other) {
            panic!("{case}: {} of {} differs: {one:?}, {other:?}", one.1, one.0);
        }
        assert_eq!(self.events, expected.events, "{case}");
        assert_eq!(self.digests.len(), expected.digests.len(), "{case}");
    }
}

struct Run {
    app: App,
    target: Entity,
    /// Components that the list says to roll back.
    state: Vec<(String, ReflectComponent)>,
    /// How many ticks have run.
    tick: usize,
}

impl Run {
    fn new(backend: Backend) -> Self {
        let mut app = backend.app(HERTZ);
        app.init_resource::<Received>().add_behavior::<Push>();
        receive::<Arrived>(&mut app);
        receive::<TargetLost>(&mut app);
        receive::<PathCompleted>(&mut app);
        receive::<Stuck>(&mut app);
        let target = app.world_mut().spawn(Transform::from_xyz(9.0, -3.0, 0.0));
        let target = target.id();
        spawn_every_behavior(backend, &mut app, target);
        let state = rolled_back(&app);
        Self {
            app,
            target,
            state,
            tick: 0,
        }
    }

    /// Runs a tick, with the game's input for it.
    fn advance(&mut self) -> Outcome {
        let mut target = self.app.world_mut().entity_mut(self.target);
        if LOST.contains(&self.tick) {
            target.remove::<Transform>();
        } else {
            target.insert(Transform::from_xyz(9.0, -3.0, 0.0));
        }
        self.tick += 1;
        self.app.update();
        let events = std::mem::take(&mut self.app.world_mut().resource_mut::<Received>().0);
        let digests = self.digests();
        Outcome { digests, events }
    }

    fn entities(&mut self) -> Vec<Entity> {
        let mut entities = self.app.world_mut().query::<Entity>();
        let mut entities: Vec<Entity> = entities.iter(self.app.world()).collect();
        entities.sort_unstable();
        entities
    }

    /// Hashes of all state. Of a force only the total counts, since its ledger is not rolled back.
    fn digests(&mut self) -> Vec<(Entity, String, u64)> {
        let mut digests = Vec::new();
        for entity in self.entities() {
            for (name, component) in &self.state {
                let Some(value) = component.reflect(self.app.world().entity(entity)) else {
                    continue;
                };
                let mut hasher = DefaultHasher::new();
                match value.downcast_ref::<SteeringForce>() {
                    Some(force) => force.total.to_array().map(f32::to_bits).hash(&mut hasher),
                    None => format!("{value:?}").hash(&mut hasher),
                }
                digests.push((entity, name.clone(), hasher.finish()));
            }
        }
        digests
    }

    fn snapshot(&mut self) -> SteeringSnapshot {
        SteeringSnapshot::take(self.app.world_mut())
    }

    fn roll_back(&mut self, tick: usize, snapshot: &SteeringSnapshot) {
        let restored = snapshot.restore(self.app.world_mut());
        assert_eq!(restored, Restored::default());
        self.tick = tick;
    }
}

/// The components that `docs/saves.md` says to roll back.
fn rolled_back(app: &App) -> Vec<(String, ReflectComponent)> {
    let listed = listed();
    let types = app.world().resource::<AppTypeRegistry>().read();
    let ours = types.iter().filter_map(|it| {
        let name = it.type_info().type_path_table().short_path();
        let [_, roll_back] = listed.get(name)?;
        let component = it.data::<ReflectComponent>()?;
        (roll_back == "yes").then(|| (name.to_owned(), component.clone()))
    });
    let components: Vec<_> = ours.collect();
    assert!(components.len() >= 14, "{}", components.len());
    components
}

/// One agent for each behavior, agents with all of them, and agents that cause events.
pub fn spawn_every_behavior(backend: Backend, app: &mut App, target: Entity) {
    let registry = app.world().resource::<BehaviorRegistry>().clone();
    let field = FlowField::new(Vec2::splat(-20.0), 4.0, UVec2::splat(11), |node| {
        Vec2::from_angle(node.x as f32)
    });
    let guides = (zigzag(), field.unwrap());
    let place = |number: usize| {
        Body::at(
            (number % 6) as f32 * 2.0 - 5.0,
            (number / 6) as f32 * 2.0 - 5.0,
        )
    };
    let mut number = 0;
    let mut spawn = |app: &mut App| {
        number += 1;
        let base = (
            guides.clone(),
            StuckDetection::default(),
            FaceVelocity::default(),
            Wander::default().with_weight(0.3),
        );
        let agent = backend.spawn(app, place(number).moving(0.5, 0.2), base);
        let mut entity = app.world_mut().entity_mut(agent);
        match number % 4 {
            0 => entity.insert(Combine::DITHERED),
            1 => entity.insert((ThinkEvery(3), Leadership(number as f32))),
            2 => entity.insert(Combine::WEIGHTED_SUM),
            _ => entity.insert(SpeedLimit::Hard),
        };
        agent
    };
    for behavior in registry.iter() {
        let agent = spawn(app);
        insert_default(app.world_mut(), agent, behavior.type_id);
    }
    for _ in 0..3 {
        let agent = spawn(app);
        insert_every_behavior(app.world_mut(), agent);
        let group = (
            SteersFor(agent),
            BehaviorGroup::default(),
            Evade::new(target),
        );
        let group = app.world_mut().spawn(group).id();
        app.world_mut()
            .spawn((SteersFor(group), Pursuit::new(target), Wander::default()));
    }
    // Arrives, loses its target, completes its path, and cannot get away.
    let watch = StuckDetection {
        after: 0.7,
        ..default()
    };
    backend.spawn(app, Body::at(8.0, 8.0), Arrive::new(Vec2::new(8.6, 8.0)));
    backend.spawn(app, Body::at(9.0, 8.0), Arrive::new(target));
    backend.spawn(
        app,
        Body::at(3.0, 8.0),
        (Seek::new(target), Hide::new(target)),
    );
    let short = SteeringPath::open([Vec2::new(-8.0, 8.0), Vec2::new(-7.0, 8.0)]).unwrap();
    backend.spawn(app, Body::at(-8.0, 8.0), (PathFollowing::default(), short));
    let torn = (watch, Push::new(9.0, 0.0), Combine::WEIGHTED_SUM);
    let torn = backend.spawn(app, Body::at(20.0, 20.0), torn);
    app.world_mut()
        .spawn((SteersFor(torn), Push::new(-9.0, 0.0)));
    for at in [Vec2::new(2.0, 3.0), Vec2::new(-4.0, 1.0)] {
        let rock = Transform::from_translation(at.extend(0.0));
        app.world_mut().spawn((rock, Obstacle { radius: 0.7 }));
    }
    app.world_mut()
        .spawn(Wall::new(Vec2::new(-9.0, -7.0), Vec2::new(9.0, -7.0)));
}

fn insert_default(world: &mut World, entity: Entity, behavior: std::any::TypeId) {
    let types = world.resource::<AppTypeRegistry>().clone();
    let types = types.read();
    let default = types.get_type_data::<ReflectDefault>(behavior).unwrap();
    let component = types.get_type_data::<ReflectComponent>(behavior).unwrap();
    let mut entity = world.entity_mut(entity);
    component.insert(&mut entity, default.default().as_partial_reflect(), &types);
}

fn assert_events_of_every_kind(outcomes: &[Outcome]) {
    for kind in ["Arrived", "TargetLost", "PathCompleted", "Stuck"] {
        let mut events = outcomes.iter().flat_map(|outcome| &outcome.events);
        assert!(events.any(|event| event.starts_with(kind)), "no {kind}");
    }
}

/// Goes 1 to 60 ticks back and on again.
fn assert_repeats_after_rollbacks(backend: Backend) {
    let mut run = Run::new(backend);
    let mut snapshots = vec![run.snapshot()];
    let mut outcomes = Vec::new();
    let step = |run: &mut Run, snapshots: &mut Vec<SteeringSnapshot>| {
        let outcome = run.advance();
        snapshots.push(run.snapshot());
        outcome
    };
    for _ in 0..DEEPEST {
        outcomes.push(step(&mut run, &mut snapshots));
    }
    for depth in 1..=DEEPEST {
        outcomes.push(step(&mut run, &mut snapshots));
        let now = run.tick;
        run.roll_back(now - depth, &snapshots[now - depth]);
        for expected in &outcomes[now - depth..] {
            let case = format!("tick {} after {depth} ticks back", run.tick);
            run.advance().assert_equals(expected, &case);
        }
    }
    assert_events_of_every_kind(&outcomes);
}

#[test]
fn point_masses_repeat_every_tick_after_a_rollback() {
    assert_repeats_after_rollbacks(Backend::PointMass);
}

#[test]
fn rapier_bodies_repeat_every_tick_after_a_rollback() {
    assert_repeats_after_rollbacks(Backend::Rapier);
}

#[test]
fn rapier_bodies_repeat_every_tick_from_the_start() {
    let outcomes = || {
        let mut run = Run::new(Backend::Rapier);
        let outcomes: Vec<Outcome> = (0..2 * DEEPEST).map(|_| run.advance()).collect();
        outcomes
    };
    let first = outcomes();
    assert_events_of_every_kind(&first);
    for (tick, (again, first)) in outcomes().iter().zip(&first).enumerate() {
        again.assert_equals(first, &format!("tick {tick}"));
    }
}
