//! Isolation: what a distant agent does cannot change the bits of the others.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;

const CROWD: u32 = 60;
const TICKS: u32 = 120;

/// What a crowd does beside an agent that `disturb` changes, far outside all perception radii.
fn crowd_beside(start: Vec2, disturb: impl Fn(&mut App, Entity, u32)) -> Vec<(SteeringId, Bits)> {
    beside(start, spawn_crowd, disturb)
}

/// The same for the agents that `populate` spawns, with ids below [`CROWD`].
fn beside(
    start: Vec2,
    populate: fn(&mut App),
    disturb: impl Fn(&mut App, Entity, u32),
) -> Vec<(SteeringId, Bits)> {
    let mut app = point_mass_app(HERTZ);
    populate(&mut app);
    let distant = spawn(&mut app, Body::at(start.x, start.y), CROWD).id();
    for tick in 0..TICKS {
        disturb(&mut app, distant, tick);
        run_ticks(&mut app, 1);
    }
    let mut states = states(&mut app);
    states.retain(|(id, _)| id.0 < CROWD);
    states
}

fn spawn_crowd(app: &mut App) {
    for id in 0..CROWD {
        let at = Vec2::from_angle(2.4 * id as f32) * 0.9 * (id as f32).sqrt();
        let body = Body::at(at.x, at.y).moving(-at.y, at.x);
        let mut agent = spawn(app, body, id);
        match id % 5 {
            0 => agent.insert(CollisionAvoidance::default()),
            1 => agent.insert(ReciprocalAvoidance::default()),
            2 => agent.insert(Queuing::default()),
            3 => agent.insert(Headway::default()),
            _ => agent.insert(Separation {
                max_neighbors: 5,
                ..default()
            }),
        };
    }
}

/// Four streams that meet around the origin, so dense that reflexes decide.
fn spawn_streams(app: &mut App) {
    for id in 0..CROWD {
        let along = Vec2::from_angle(std::f32::consts::FRAC_PI_2 * (id % 4) as f32);
        let (row, file) = (id / 4 / 3, id / 4 % 3);
        let at = -(2.0 + 1.1 * row as f32) * along + (file as f32 - 1.0) * 1.1 * along.perp();
        let walker = (
            SteeringId(id),
            Pedestrian::default(),
            Seek::new(100.0 * along),
        );
        Backend::PointMass.spawn(app, Body::at(at.x, at.y), walker);
    }
}

fn spawn(app: &mut App, body: Body, id: u32) -> EntityWorldMut<'_> {
    let agent = (SteeringId(id), Flocking::new(3.0), Wander::default());
    let agent = Backend::PointMass.spawn(app, body, agent);
    app.world_mut().entity_mut(agent)
}

#[test]
fn streams_that_meet_do_not_depend_on_how_large_the_world_is() {
    let of = |start: Vec2| beside(start, spawn_streams, |_, _, _| ());
    let expected = of(Vec2::new(70.0, -40.0));
    assert_eq!(of(Vec2::splat(1e9)), expected);
}

#[test]
fn a_distant_agent_does_not_change_the_bits_of_the_others() {
    let aside = Vec2::new(700.0, -40.0);
    let expected = crowd_beside(aside, |_, _, _| ());
    let move_to = |at: Vec2| {
        move |app: &mut App, distant: Entity, tick: u32| {
            let body = app.world_mut().get_mut::<Transform>(distant);
            if let Some(mut body) = body.filter(|_| tick == 20) {
                body.translation = at.extend(0.0);
            }
        }
    };
    // The grid covers the crowd alone, or both, or wraps around.
    for (case, start) in [
        ("nearer", Vec2::new(-60.0, 80.0)),
        ("farther", Vec2::new(1e4, 1e5)),
        ("very far", Vec2::splat(-1e9)),
    ] {
        assert_eq!(crowd_beside(start, |_, _, _| ()), expected, "{case}");
    }
    for at in [Vec2::NAN, Vec2::INFINITY, Vec2::splat(-400.0)] {
        assert_eq!(crowd_beside(aside, move_to(at)), expected, "moved to {at}");
    }
    let despawn = |app: &mut App, distant: Entity, tick: u32| {
        if tick == 20 {
            app.world_mut().despawn(distant);
        }
    };
    assert_eq!(crowd_beside(aside, despawn), expected, "despawned");
    let grow = |app: &mut App, distant: Entity, tick: u32| {
        if tick == 20 {
            let vehicle = app.world_mut().get_mut::<Vehicle>(distant);
            vehicle.expect("an agent").radius = Some(300.0);
        }
    };
    assert_eq!(crowd_beside(aside, grow), expected, "grown");
}
