//! The world in which a number is changed and mended.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::reflect::{Reflect, TypeRegistryArc};
use bevy_steering2d::Feeler;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, FlowField};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::numbers::*;
use crate::common::*;

/// Behaviors in other variants than their default.
pub(super) fn variants() -> Vec<Box<dyn Reflect>> {
    let area = Rect::new(-4.0, -4.0, 4.0, 4.0);
    let feelers = vec![Feeler {
        root: Vec2::ZERO,
        reach: Vec2::X,
    }];
    let circle = Area::Circle {
        center: Vec2::ZERO,
        radius: 5.0,
    };
    vec![
        Box::new(Wander::new(WanderStyle::Angle {
            radius: 1.0,
            distance: 2.0,
            angle_change: 3.0,
        })),
        Box::new(Wander::new(WanderStyle::RandomTarget { area, every: 1.0 })),
        Box::new(Arrive::new(Vec2::X).with_braking(Braking::Ramp {
            slowing_radius: 2.0,
        })),
        Box::new(PathFollowing::default().with_corridor(1.0, 0.5)),
        Box::new(Pursuit::new(Vec2::X).with_prediction(Prediction::Fixed(1.0))),
        Box::new(Evade::new(Vec2::X).with_prediction(Prediction::Intercept)),
        Box::new(WallAvoidance::new(Feelers::Custom(feelers))),
        Box::new(Containment {
            area: circle,
            ..default()
        }),
    ]
}

/// The entities of a case.
pub(super) const SUBJECT: usize = 0;
pub(super) const NEIGHBOR: usize = 1;
pub(super) const TARGET: usize = 2;
pub(super) const OBSTACLE: usize = 3;
pub(super) const WALL: usize = 4;
pub(super) const GROUP: usize = 5;
pub(super) const ENTITIES: usize = 6;

/// A component of one of the entities.
pub(super) struct Part {
    pub(super) of: usize,
    pub(super) value: Box<dyn Reflect>,
}

pub(super) fn part(of: usize, value: impl Reflect) -> Part {
    let mut value: Box<dyn Reflect> = Box::new(value);
    fill_options(value.as_partial_reflect_mut());
    Part { of, value }
}

pub(super) fn place(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

pub(super) fn moving(x: f32, y: f32) -> PointMass {
    PointMass {
        velocity: Vec2::new(x, y),
        ..default()
    }
}

/// The components besides the behavior that is tested.
pub(super) fn surroundings() -> Vec<Part> {
    vec![
        part(SUBJECT, Vehicle::default()),
        part(SUBJECT, moving(1.0, 0.2)),
        part(SUBJECT, place(0.0, 0.0)),
        part(SUBJECT, ThinkEvery(1)),
        part(SUBJECT, StuckDetection::default()),
        part(SUBJECT, FaceVelocity::default()),
        part(SUBJECT, SteeringGroups(1)),
        part(NEIGHBOR, Vehicle::default()),
        part(NEIGHBOR, moving(-1.0, 0.0)),
        part(NEIGHBOR, place(1.5, 0.3)),
        part(NEIGHBOR, SteeringGroups(1)),
        part(TARGET, Vehicle::default()),
        part(TARGET, moving(0.0, 1.0)),
        part(TARGET, place(4.0, -1.0)),
        part(OBSTACLE, Obstacle::default()),
        part(OBSTACLE, place(2.5, 1.0)),
        part(WALL, Wall::new(Vec2::new(-3.0, 2.0), Vec2::new(5.0, 2.2))),
        part(GROUP, BehaviorGroup::default()),
    ]
}

/// A number of a part, and the extreme that it takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) part: usize,
    pub(super) number: usize,
    pub(super) extreme: usize,
}

impl Change {
    /// Whether a body, obstacle or wall may become so large that it touches agents far away.
    pub(super) fn reaches_far(&self, parts: &[Part]) -> bool {
        const RADIUS: usize = 3;
        let Part { of, value } = &parts[self.part];
        matches!(*of, OBSTACLE | WALL) || value.is::<Vehicle>() && self.number == RADIUS
    }
}

pub(super) struct Extremes {
    pub(super) app: App,
    pub(super) types: TypeRegistryArc,
    pub(super) behaviors: Vec<Box<dyn Reflect>>,
    pub(super) dice: Xoshiro256PlusPlus,
    pub(super) undisturbed: Vec<(SteeringId, Bits)>,
}

/// Ticks before a number is changed, while it is extreme, and after it is mended.
pub(super) const TICKS: [u32; 3] = [1, 2, 2];

impl Extremes {
    pub(super) fn new(seed: u64) -> Self {
        let mut app = point_mass_app(HERTZ);
        app.register_type::<Transform>();
        let types = app.world().resource::<AppTypeRegistry>().0.clone();
        let mut behaviors = variants();
        {
            let types = types.read();
            let registry = app.world().resource::<BehaviorRegistry>();
            behaviors.extend(registry.iter().filter_map(|behavior| {
                let default = types.get_type_data::<ReflectDefault>(behavior.type_id)?;
                Some(default.default())
            }));
        }
        for behavior in &mut behaviors {
            fill_options(behavior.as_partial_reflect_mut());
        }
        spawn_bystanders(&mut app);
        run_ticks(&mut app, TICKS.iter().sum());
        let undisturbed = states(&mut app);
        despawn_all(&mut app);
        Self {
            app,
            types,
            behaviors,
            dice: Xoshiro256PlusPlus::seed_from_u64(seed),
            undisturbed,
        }
    }

    /// The parts of a case; the behavior comes first.
    pub(super) fn parts(&mut self, behavior: usize) -> Vec<Part> {
        let behavior = Part {
            of: SUBJECT,
            value: copy(&*self.behaviors[behavior]),
        };
        let mut parts = vec![behavior];
        parts.extend(surroundings());
        parts
    }

    /// Spawns the entities of a case.
    pub(super) fn spawn(&mut self) -> [Entity; ENTITIES] {
        spawn_bystanders(&mut self.app);
        let world = self.app.world_mut();
        let path = SteeringPath::looped([Vec2::ZERO, Vec2::X, Vec2::new(3.0, 4.0)]).unwrap();
        let flow = FlowField::new(Vec2::splat(-5.0), 1.0, UVec2::splat(9), |_| Vec2::X).unwrap();
        let entities: [Entity; ENTITIES] = std::array::from_fn(|_| world.spawn_empty().id());
        let combines = [
            Combine::WEIGHTED_SUM,
            Combine::AVERAGE,
            Combine::PRIORITIZED,
            Combine::DITHERED,
        ];
        let combine = *combines.choose(&mut self.dice).unwrap();
        world.entity_mut(entities[SUBJECT]).insert((
            SteeringId(0),
            combine,
            Seek::new(Vec2::new(3.0, 2.0)),
            path.clone(),
            flow.clone(),
            PointMass::default(),
        ));
        world.entity_mut(entities[NEIGHBOR]).insert((
            SteeringId(1),
            ReciprocalAvoidance::default(),
            Flocking::default(),
            PointMass::default(),
        ));
        world
            .entity_mut(entities[TARGET])
            .insert((SteeringId(2), path, flow));
        world
            .entity_mut(entities[GROUP])
            .insert((SteersFor(entities[SUBJECT]), Flee::new(Vec2::NEG_X)));
        entities
    }

    pub(super) fn insert(&mut self, entity: Entity, value: &dyn Reflect) {
        let types = self.types.read();
        let id = value.reflect_type_info().type_id();
        let component = types.get_type_data::<ReflectComponent>(id).unwrap();
        let mut entity = self.app.world_mut().entity_mut(entity);
        component.insert(&mut entity, value.as_partial_reflect(), &types);
    }

    /// Sane numbers, then the changes, then sane numbers again.
    pub(super) fn run(
        &mut self,
        parts: &[Part],
        aims: bool,
        changes: &[Change],
    ) -> Result<(), String> {
        let entities = self.spawn();
        let mut sane = Vec::new();
        for part in parts {
            let mut value = copy(&*part.value);
            if aims {
                aim_at(value.as_partial_reflect_mut(), entities[TARGET]);
            }
            self.insert(entities[part.of], &*value);
            sane.push((entities[part.of], value));
        }
        run_ticks(&mut self.app, TICKS[0]);
        for change in changes {
            let (entity, value) = &sane[change.part];
            let mut value = copy(&**value);
            // Two changes may be in one component.
            for other in changes.iter().filter(|other| other.part == change.part) {
                set_number(&mut *value, other.number, other.extreme);
            }
            let entity = *entity;
            self.insert(entity, &*value);
        }
        for _ in 0..TICKS[1] {
            self.app.update();
            self.check_forces()?;
        }
        for (entity, value) in sane {
            self.insert(entity, &*value);
        }
        for _ in 0..TICKS[2] {
            self.app.update();
            self.check_forces()?;
        }
        self.check_mended(entities[SUBJECT])?;
        let mut states = states(&mut self.app);
        states.retain(|(id, _)| id.0 >= FIRST_BYSTANDER);
        let reaches_far = changes.iter().any(|change| change.reaches_far(parts));
        if states != self.undisturbed && !reaches_far {
            return Err("changed agents far away".into());
        }
        despawn_all(&mut self.app);
        Ok(())
    }

    pub(super) fn check_forces(&mut self) -> Result<(), String> {
        let world = self.app.world_mut();
        let mut agents = world.query::<(&SteeringId, &Vehicle, &SteeringForce)>();
        for (id, vehicle, force) in agents.iter(world) {
            let total = force.total;
            if !total.is_finite() {
                return Err(format!("{id:?} steers with {total}"));
            }
            // In f64, whose squares do not overflow.
            let excess = total.as_dvec2().length() / f64::from(vehicle.max_force);
            if vehicle.check().is_ok() && excess > 1.0 + 1e-4 {
                return Err(format!("{id:?} steers with {excess} of max_force"));
            }
        }
        Ok(())
    }

    pub(super) fn check_mended(&self, subject: Entity) -> Result<(), String> {
        let force = get::<SteeringForce>(&self.app, subject);
        let invalid = force.ledger().find(|entry| entry.cut == Cut::Invalid);
        if let Some(entry) = invalid {
            let registry = self.app.world().resource::<BehaviorRegistry>();
            let name = registry.get(entry.behavior).name;
            return Err(format!("{name} is still invalid"));
        }
        let steers = force.is_steered() && force.ledger().any(|entry| entry.raw != Vec2::ZERO);
        if !steers {
            return Err("does not steer again".into());
        }
        Ok(())
    }

    /// Runs a case and describes its failure. A panic ends the app.
    pub(super) fn outcome(
        &mut self,
        behavior: usize,
        aims: bool,
        changes: &[Change],
    ) -> Option<String> {
        let parts = self.parts(behavior);
        let run = catch_unwind(AssertUnwindSafe(|| self.run(&parts, aims, changes)));
        let error = match run {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => error,
            Err(_) => "panicked".to_owned(),
        };
        let described: Vec<String> = changes
            .iter()
            .map(|change| describe(&parts[change.part], *change))
            .collect();
        let seed = self.dice.random();
        *self = Self::new(seed);
        let name = parts[0].value.reflect_short_type_path().to_owned();
        Some(format!("{name} with {}: {error}", described.join(", ")))
    }

    pub(super) fn random_change(&mut self, parts: &[Vec<usize>]) -> Change {
        loop {
            // Half of the changes are in the behavior.
            let part = if self.dice.random_bool(0.5) {
                0
            } else {
                self.dice.random_range(0..parts.len())
            };
            if parts[part].is_empty() {
                continue;
            }
            let number = self.dice.random_range(0..parts[part].len());
            let extreme = self.dice.random_range(0..parts[part][number]);
            return Change {
                part,
                number,
                extreme,
            };
        }
    }
}

pub(super) fn describe(part: &Part, change: Change) -> String {
    let mut value = copy(&*part.value);
    set_number(&mut *value, change.number, change.extreme);
    format!("{} {value:?}", part.of)
}

pub(super) const FIRST_BYSTANDER: u32 = 100;

/// Agents far away that interact with each other.
pub(super) fn spawn_bystanders(app: &mut App) {
    let mut last = None;
    for number in 0..4 {
        let body = Body::at(4_000.0 + number as f32, -3_000.0).moving(0.3, 0.1 * number as f32);
        let agent = (
            SteeringId(FIRST_BYSTANDER + number),
            Pursuit::new(last.map_or(Target::Point(Vec2::ZERO), Target::Entity)),
            CollisionAvoidance::default(),
            ReciprocalAvoidance::default(),
        );
        let entity = Backend::PointMass.spawn(app, body, agent);
        if number % 2 == 0 {
            app.world_mut()
                .entity_mut(entity)
                .insert(Flocking::default());
        }
        last = Some(entity);
    }
}

pub(super) fn despawn_all(app: &mut App) {
    let world = app.world_mut();
    let mut all =
        world.query_filtered::<Entity, Or<(With<Transform>, With<SteersFor>, With<Wall>)>>();
    let all: Vec<Entity> = all.iter(world).collect();
    for entity in all {
        world.try_despawn(entity).ok();
    }
}

pub(super) fn assert_none(failures: &[String]) {
    let first = failures.iter().take(40).cloned().collect::<Vec<_>>();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        first.join("\n")
    );
}
