//! Invalid input causes no panic and no NaN, one warning that names entity and field, and no change
//! to any other agent.

use std::fmt::Debug;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

mod bodies;
mod duplicates;
mod forces;
mod missing;
mod parameters;
mod targets;
mod warnings;

const FAR: Vec2 = Vec2::new(40.0, 30.0);
const NOT_POSITIVE: [f32; 4] = [0.0, -1.0, f32::NAN, f32::INFINITY];
const NOT_POSITIVE_OR_INFINITE: [f32; 3] = [0.0, -1.0, f32::NAN];
const NEGATIVE: [f32; 3] = [-1.0, f32::NAN, f32::INFINITY];
const NOT_A_FRACTION: [f32; 4] = [-0.1, 1.1, f32::NAN, f32::INFINITY];
const NOWHERE: [Vec2; 3] = [Vec2::NAN, Vec2::INFINITY, Vec2::new(f32::NEG_INFINITY, 0.0)];

/// One agent's mistake: what it spawns with, and the field that the warning must name.
struct Mistake {
    field: &'static str,
    value: String,
    make: Box<dyn Fn(&mut EntityWorldMut)>,
}

/// One mistake per value, put into a component by `with`.
fn mistakes<V, B>(
    list: &mut Vec<Mistake>,
    field: &'static str,
    values: impl IntoIterator<Item = V>,
    with: fn(V) -> B,
) where
    V: Copy + std::fmt::Debug + 'static,
    B: Bundle,
{
    list.extend(values.into_iter().map(|value| Mistake {
        field,
        value: format!("{value:?}"),
        make: Box::new(move |agent| {
            agent.insert(with(value));
        }),
    }));
}

fn limits(max_speed: f32, max_force: f32, response_time: f32) -> (Vehicle, Seek) {
    let vehicle = Vehicle {
        max_speed,
        max_force,
        response_time,
        radius: None,
    };
    (vehicle, Seek::new(FAR))
}

const INNOCENTS: u32 = 50;
const TICKS: u32 = 90;

/// Fifty agents that do a bit of everything to each other, with ids of their own.
fn spawn_innocents(backend: Backend, app: &mut App) {
    let bodies: Vec<Entity> = (0..INNOCENTS)
        .map(|i| {
            let at = Vec2::from_angle(i as f32) * (2.0 + 0.3 * i as f32);
            backend.spawn(app, Body::at(at.x, at.y), SteeringId(i))
        })
        .collect();
    for (i, &agent) in bodies.iter().enumerate() {
        let other = bodies[(i * 7 + 1) % bodies.len()];
        let mut agent = app.world_mut().entity_mut(agent);
        match i % 5 {
            0 => agent.insert(Wander::default()),
            1 => agent.insert(Pursuit::new(other)),
            2 => agent.insert((Evade::new(other), Wander::default(), Combine::Dithered)),
            3 => agent.insert((
                Arrive::new(FAR),
                Flee::new(Vec2::ZERO),
                Combine::WeightedSum,
            )),
            _ => agent.insert((Seek::new(other), FaceVelocity::default())),
        };
    }
}

fn spawn_culprit(backend: Backend, app: &mut App, mistake: &Mistake) -> Entity {
    let culprit = Body::at(-3.0, 2.0).moving(0.5, 0.0);
    let culprit = backend.spawn(app, culprit, SteeringId(INNOCENTS));
    (mistake.make)(&mut app.world_mut().entity_mut(culprit));
    culprit
}

/// What the fifty do when nobody is wrong.
fn undisturbed(backend: Backend) -> Vec<(SteeringId, Bits)> {
    let mut app = backend.app(HERTZ);
    spawn_innocents(backend, &mut app);
    run_ticks(&mut app, TICKS);
    let states = states(&mut app);
    assert_eq!(states.len(), INNOCENTS as usize);
    states
}

/// One tick of a culprit among the innocents at a time; `judge` sees the end.
fn try_all(
    backend: Backend,
    mistakes: &[Mistake],
    mut judge: impl FnMut(&mut App, Entity, &str, &Mistake),
) {
    let expected = undisturbed(backend);
    for mistake in mistakes {
        let case = format!("{backend:?}, {} = {}", mistake.field, mistake.value);
        let mut app = backend.app(HERTZ);
        spawn_innocents(backend, &mut app);
        let culprit = spawn_culprit(backend, &mut app, mistake);
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, culprit, mistake.field, &case);
        let mut states = states(&mut app);
        states.retain(|(id, _)| id.0 < INNOCENTS);
        assert!(states == expected, "{case}: changed the others");
        judge(&mut app, culprit, &case, mistake);
    }
}
