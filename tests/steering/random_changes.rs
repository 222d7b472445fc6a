//! Random changes in every tick: agents, bodies, behaviors, targets and behavior entities are added
//! and removed in any order, in one world with both backends. Nothing panics or becomes NaN.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::common::*;

struct RandomChanges {
    app: App,
    entities: Vec<Entity>,
    dice: Xoshiro256PlusPlus,
}

impl RandomChanges {
    fn new(seed: u64) -> Self {
        Self {
            app: rapier_app(HERTZ),
            entities: Vec::new(),
            dice: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Any existing or despawned entity, or the origin.
    fn target(&mut self) -> Target {
        match self.entities.choose(&mut self.dice) {
            Some(&entity) if self.dice.random_bool(0.8) => entity.into(),
            _ => Vec2::ZERO.into(),
        }
    }

    /// A random entity that still exists.
    fn existing_entity(&mut self) -> Option<EntityWorldMut<'_>> {
        let entity = *self.entities.choose(&mut self.dice)?;
        self.app.world_mut().get_entity_mut(entity).ok()
    }

    fn place(&mut self) -> (f32, f32) {
        let mut coordinate = || self.dice.random_range(-5.0..5.0_f32);
        (coordinate(), coordinate())
    }

    fn spawn(&mut self) {
        let (x, y) = self.place();
        let backend = *BACKENDS.choose(&mut self.dice).unwrap();
        // Half of the rigid bodies are solid.
        let solid = self.dice.random_bool(0.5);
        let entity = backend.spawn(&mut self.app, Body::at(x, y), Wander::default());
        if solid {
            let mut entity = self.app.world_mut().entity_mut(entity);
            entity.remove::<CollisionGroups>();
        }
        self.entities.push(entity);
    }

    fn spawn_behavior_entity(&mut self) {
        let target = self.target();
        let Some(agent) = self.existing_entity().map(|agent| agent.id()) else {
            return;
        };
        let behavior_entity = (SteersFor(agent), Evade::new(target), Seek::new(target));
        let behavior_entity = self.app.world_mut().spawn(behavior_entity).id();
        self.entities.push(behavior_entity);
    }

    fn insert_behavior(&mut self) {
        let (target, which) = (self.target(), self.dice.random_range(0..6));
        let Some(mut agent) = self.existing_entity() else {
            return;
        };
        match which {
            0 => agent.insert(Seek::new(target)),
            1 => agent.insert(Flee::new(target)),
            2 => agent.insert(Arrive::new(target)),
            3 => agent.insert(Pursuit::new(target)),
            4 => agent.insert(Evade::new(target)),
            _ => agent.insert((Combine::DITHERED, Wander::default().with_probability(0.5))),
        };
    }

    fn remove_behavior(&mut self) {
        let which = self.dice.random_range(0..6);
        let Some(mut agent) = self.existing_entity() else {
            return;
        };
        match which {
            0 => agent.remove::<Seek>(),
            1 => agent.remove::<Flee>(),
            2 => agent.remove::<(Arrive, Pursuit)>(),
            3 => agent.remove::<Evade>(),
            4 => agent.remove::<Wander>(),
            _ => agent.remove::<Vehicle>(),
        };
    }

    fn change_body(&mut self) {
        let ((x, y), which) = (self.place(), self.dice.random_range(0..12));
        let Some(mut body) = self.existing_entity() else {
            return;
        };
        let is_behavior_entity = body.contains::<SteersFor>();
        match which {
            _ if is_behavior_entity => &mut body,
            0 => body.insert(SteeringDisabled),
            1 => body.remove::<SteeringDisabled>(),
            2 => body.insert(Transform::from_xyz(x, y, 0.0)),
            3 if body.contains::<RigidBody>() => body.insert(RigidBodyDisabled),
            4 => body.remove::<RigidBodyDisabled>(),
            5 if body.contains::<RigidBody>() => body.insert(RigidBody::Fixed),
            6 if body.contains::<RigidBody>() => body.insert(RigidBody::KinematicVelocityBased),
            7 if body.contains::<RigidBody>() => body.insert(RigidBody::Dynamic),
            8 => body.remove::<PointMass>(),
            9 => body.remove::<RigidBody>(),
            10 => body.remove::<Collider>(),
            _ => body.insert((FaceVelocity::default(), SpeedLimit::Hard)),
        };
    }

    fn despawn(&mut self) {
        if let Some(entity) = self.existing_entity() {
            entity.despawn();
        }
    }

    fn act(&mut self) {
        match self.dice.random_range(0..20) {
            0..5 => self.spawn(),
            5..7 => self.spawn_behavior_entity(),
            7..11 => self.insert_behavior(),
            11..13 => self.remove_behavior(),
            13..17 => self.change_body(),
            _ => self.despawn(),
        }
    }
}

/// Checks positions and forces. An invalid velocity would show in the position.
fn assert_valid(app: &mut App, case: &str) {
    let mut bodies = app.world_mut().query::<(Entity, &Transform)>();
    for (entity, transform) in bodies.iter(app.world()) {
        assert!(transform.is_finite(), "{case}: {entity} at {transform:?}");
    }
    let mut forces = app.world_mut().query::<(Entity, &SteeringForce)>();
    for (entity, force) in forces.iter(app.world()) {
        let force = force.total;
        let within = force.is_finite() && force.length() <= 20.0 * 1.000_01;
        assert!(within, "{case}: {entity} steers with {force}");
    }
}

#[test]
fn random_changes_keep_transforms_finite_and_forces_within_the_limit() {
    for seed in 0..6 {
        let mut changes = RandomChanges::new(seed);
        for tick in 0..400 {
            for _ in 0..3 {
                changes.act();
            }
            changes.app.update();
            assert_valid(&mut changes.app, &format!("seed {seed}, tick {tick}"));
        }
    }
}
