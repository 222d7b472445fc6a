//! Invalid input causes no panic and no NaN, one warning that names entity and field, and no change
//! to any other agent.

/// A table of fields and the values out of their range. A row names a field of a component, which
/// has default values otherwise, alone or on an agent that seeks; or it says how the components are made of a value.
macro_rules! table {
    ($($component:ident . $field:ident: $values:expr,)*) => {
        [$(mistakes(
            concat!(stringify!($component), ".", stringify!($field)),
            $values,
            |value| $component { $field: value, ..default() },
        )),*]
    };
    ($($field:literal: $values:expr => $with:expr,)*) => {
        [$(mistakes($field, $values, $with)),*]
    };
    (seeking $($component:ident . $field:ident: $values:expr,)*) => {
        [$(mistakes(
            concat!(stringify!($component), ".", stringify!($field)),
            $values,
            |value| ($component { $field: value, ..default() }, Seek::new(FAR)),
        )),*]
    };
}

mod bodies;
mod complete;
mod drives;
mod duplicates;
mod forces;
mod guides;
mod missing;
mod parameters;
mod ranges;
mod rotation;
mod targets;
mod warnings;

use std::fmt::Debug;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

const FAR: Vec2 = Vec2::new(40.0, 30.0);

const NOT_POSITIVE: [f32; 4] = [0.0, -1.0, f32::NAN, f32::INFINITY];
const NOT_POSITIVE_OR_INFINITE: [f32; 3] = [0.0, -1.0, f32::NAN];
const NOT_A_FIELD_OF_VIEW: [f32; 4] = [0.0, -1.0, 270.0, f32::NAN];
const NEGATIVE: [f32; 3] = [-1.0, f32::NAN, f32::INFINITY];
const NOT_A_FRACTION: [f32; 4] = [-0.1, 1.1, f32::NAN, f32::INFINITY];
const NOT_FINITE: [Vec2; 3] = [Vec2::NAN, Vec2::INFINITY, Vec2::new(f32::NEG_INFINITY, 0.0)];

/// Ticks that each invalid input lasts.
const TICKS: u32 = 90;

/// One invalid value: the field that the warning must name, and how an agent gets the value.
struct Mistake {
    field: &'static str,
    value: String,
    insert: Box<dyn Fn(&mut EntityWorldMut)>,
}

/// A row of a table: one mistake per value, in the components that `with` makes of it.
fn mistakes<V, B, const N: usize>(
    field: &'static str,
    values: [V; N],
    with: fn(V) -> B,
) -> Vec<Mistake>
where
    V: Copy + Debug + 'static,
    B: Bundle,
{
    let mistake = |value: V| Mistake {
        field,
        value: format!("{value:?}"),
        insert: Box::new(move |agent| {
            agent.insert(with(value));
        }),
    };
    values.into_iter().map(mistake).collect()
}

/// A vehicle with these limits that seeks.
fn vehicle(max_speed: f32, max_force: f32, response_time: f32) -> (Vehicle, Seek) {
    let vehicle = Vehicle {
        max_speed,
        max_force,
        response_time,
        radius: None,
    };
    (vehicle, Seek::new(FAR))
}

const BYSTANDERS: u32 = 50;

/// Agents with valid input that interact with each other. Their ids start at 0.
fn spawn_bystanders(backend: Backend, app: &mut App) {
    let bodies: Vec<Entity> = (0..BYSTANDERS)
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
            2 => agent.insert((Evade::new(other), Wander::default(), Combine::DITHERED)),
            3 => agent.insert((
                Arrive::new(FAR),
                Flee::new(Vec2::ZERO),
                Combine::WEIGHTED_SUM,
            )),
            _ => agent.insert((Seek::new(other), FaceVelocity::default())),
        };
    }
}

fn spawn_faulty(backend: Backend, app: &mut App, mistake: &Mistake) -> Entity {
    let body = Body::at(-3.0, 2.0).moving(0.5, 0.0);
    let faulty = backend.spawn(app, body, SteeringId(BYSTANDERS));
    (mistake.insert)(&mut app.world_mut().entity_mut(faulty));
    faulty
}

/// The final states of the bystanders in an app without a faulty agent.
fn undisturbed(backend: Backend) -> Vec<(SteeringId, Bits)> {
    let mut app = backend.app(HERTZ);
    spawn_bystanders(backend, &mut app);
    run_ticks(&mut app, TICKS);
    let states = states(&mut app);
    assert_eq!(states.len(), BYSTANDERS as usize);
    states
}

/// Runs each mistake in an app of its own, with one faulty agent among the bystanders; `check` sees
/// the faulty agent at the end.
fn try_each(backend: Backend, mistakes: &[Mistake], check: fn(&mut App, Entity, &str)) {
    let expected = undisturbed(backend);
    for mistake in mistakes {
        let case = format!("{backend:?}, {} = {}", mistake.field, mistake.value);
        let mut app = backend.app(HERTZ);
        spawn_bystanders(backend, &mut app);
        let faulty = spawn_faulty(backend, &mut app, mistake);
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, faulty, mistake.field, &case);
        let mut states = states(&mut app);
        states.retain(|(id, _)| id.0 < BYSTANDERS);
        assert!(states == expected, "{case}: changed the others");
        check(&mut app, faulty, &case);
    }
}
