//! A world with agents of every behavior.

use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::body;

/// Spawns agents of every behavior, with obstacles, walls, paths and fields.
pub fn populate(world: &mut World) -> Vec<Entity> {
    let guides = Guides::spawn(world);
    [
        vec![guides.quarry, guides.path, guides.field],
        spawn_guided(world, &guides),
        spawn_flock(world),
        spawn_avoiders(world, &guides),
        spawn_escort(world, &guides),
    ]
    .concat()
}

/// What agents pursue and follow.
struct Guides {
    quarry: Entity,
    path: Entity,
    field: Entity,
}

impl Guides {
    fn spawn(world: &mut World) -> Self {
        let path = [Vec2::ZERO, Vec2::new(8.0, 1.0), Vec2::new(3.0, 7.0)];
        let path = SteeringPath::looped(path).expect("a path");
        let field = FlowField::new(Vec2::splat(-20.0), 4.0, UVec2::splat(11), |node| {
            Vec2::from_angle(node.x as f32)
        });
        Self {
            quarry: world.spawn((body(-6.0, 2.0), Wander::default())).id(),
            path: world.spawn(path).id(),
            field: world.spawn(field.expect("a field")).id(),
        }
    }
}

/// Agents with a target, a path or a field, and an obstacle to hide behind.
fn spawn_guided(world: &mut World, guides: &Guides) -> Vec<Entity> {
    let &Guides {
        quarry,
        path,
        field,
    } = guides;
    let obstacle = (
        Obstacle { radius: 1.5 },
        Transform::from_xyz(2.0, -5.0, 0.0),
    );
    let arrives = (
        body(4.0, 4.0),
        Arrive::new(quarry),
        StuckDetection::default(),
        FaceVelocity::default(),
    );
    let hides = (
        body(5.0, -7.0),
        Hide::new(quarry),
        ObstacleAvoidance::default(),
    );
    let follows_path = (
        body(1.0, 1.0),
        PathFollowing {
            path: Some(path),
            ..default()
        },
        Headway::default(),
        ReciprocalAvoidance::default(),
    );
    let follows_field = (
        body(0.0, 3.0),
        FlowFieldFollowing::new(field),
        ThinkEvery(3),
    );
    let keeps_beside = (body(-9.0, 0.0), OffsetPursuit::new(quarry, Vec2::NEG_X));
    // Its memory runs out now and then.
    let remembers = (
        body(-7.0, 3.0),
        TargetInSight::new(quarry)
            .with_field_of_view(1.0)
            .with_memory(0.5),
        Seek::new(quarry).with_when(When::only::<TargetInSight>()),
        Wander::default(),
    );
    let predicts = (
        body(-3.0, -2.0),
        Combine::DITHERED,
        Pursuit::new(quarry).with_prediction(Prediction::TurnRate),
        Evade::new(quarry).with_prediction(Prediction::Acceleration),
        Wander::default(),
    );
    vec![
        world.spawn(obstacle).id(),
        world.spawn(arrives).id(),
        world.spawn(hides).id(),
        world.spawn(follows_path).id(),
        world.spawn(follows_field).id(),
        world.spawn(keeps_beside).id(),
        world.spawn(remembers).id(),
        world.spawn(predicts).id(),
    ]
}

/// A leader and its flock.
fn spawn_flock(world: &mut World) -> Vec<Entity> {
    let leader = (body(6.0, 0.0), Leadership::default(), Wander::default());
    let mut entities = vec![world.spawn(leader).id()];
    for at in 0..8 {
        let place = Vec2::from_angle(at as f32) * 3.0;
        let stray = Wander::default().with_when(When::only::<Alone>());
        let flock = (
            Flocking::new(4.0),
            LeaderFollowing::default(),
            Alone::new(2.0),
            stray,
        );
        let member = (body(place.x, place.y), flock, SpeedLimit::Hard);
        entities.push(world.spawn(member).id());
    }
    entities
}

/// Agents that avoid walls and neighbors, and a wall.
fn spawn_avoiders(world: &mut World, guides: &Guides) -> Vec<Entity> {
    let wall = Wall::new(Vec2::new(-12.0, -9.0), Vec2::new(12.0, -9.0));
    let avoids_walls = (
        body(-2.0, -8.0),
        Wander::default(),
        WallAvoidance::default(),
        WallFollowing::default(),
        Containment::default(),
        Sidestep::default(),
    );
    let avoids_neighbors = (
        body(7.0, 7.0),
        Seek::new(guides.quarry),
        Flee::new(Vec2::new(7.0, 6.0)),
        CollisionAvoidance::default(),
        Queuing::default(),
        StayOnPath::new(guides.path),
    );
    vec![
        world.spawn(wall).id(),
        world.spawn(avoids_walls).id(),
        world.spawn(avoids_neighbors).id(),
    ]
}

/// An agent that escorts the quarry, and a group of behaviors that steers it too.
fn spawn_escort(world: &mut World, guides: &Guides) -> Vec<Entity> {
    let quarry = guides.quarry;
    let escort = (
        body(-8.0, 5.0),
        Interpose::new(quarry, Vec2::ZERO),
        MatchVelocity::new(quarry),
        TargetSpeed::new(2.0),
        Park::new(quarry, 1.0),
        Orbit::new(quarry, 3.0),
    );
    let escort = world.spawn(escort).id();
    let group = (
        SteersFor(escort),
        BehaviorGroup::default(),
        Tether::new(quarry, 2.0),
    );
    vec![escort, world.spawn(group).id()]
}
