//! Extreme numbers in every parameter and body: no panic, a finite force within the limit, no change
//! to agents far away, and the agent steers again once the number is mended.
//!
//! `EXTREMES_CASES` sets the number of random cases.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::reflect::{PartialReflect, Reflect, ReflectMut, TypeRegistryArc};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, FlowField, Perception};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::common::*;

const EXTREMES: [f32; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    1e-38,
    -1e-38,
    1e-20,
    -1e-20,
    1e-9,
    1e-5,
    1e5,
    1e9,
    -1e9,
    1e10,
    1e15,
    -1e15,
    1.8e19,
    1e20,
    1e25,
    -1e25,
    1e30,
    1e38,
    3e38,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

const WHOLE_EXTREMES: [u32; 8] = [
    0,
    1,
    2,
    1 << 16,
    1 << 24,
    i32::MAX as u32,
    u32::MAX - 1,
    u32::MAX,
];

/// A number inside a component.
enum Number<'a> {
    Float(&'a mut f32),
    Whole(&'a mut u32),
    Small(&'a mut i16),
}

impl Number<'_> {
    /// How many extremes it can take.
    fn extremes(&self) -> usize {
        match self {
            Self::Float(_) => EXTREMES.len(),
            Self::Whole(_) | Self::Small(_) => WHOLE_EXTREMES.len(),
        }
    }

    fn set(self, extreme: usize) {
        match self {
            Self::Float(value) => *value = EXTREMES[extreme % EXTREMES.len()],
            Self::Whole(value) => *value = WHOLE_EXTREMES[extreme % WHOLE_EXTREMES.len()],
            Self::Small(value) => *value = [i16::MIN, 0, i16::MAX][extreme % 3],
        }
    }
}

/// Visits the fields of a value, and theirs, until `visit` returns true.
fn for_each_field(
    value: &mut dyn PartialReflect,
    visit: &mut dyn FnMut(&mut dyn PartialReflect) -> bool,
) {
    if visit(value) {
        return;
    }
    match value.reflect_mut() {
        ReflectMut::Struct(all) => {
            for at in 0..all.field_len() {
                for_each_field(all.field_at_mut(at).unwrap(), visit);
            }
        }
        ReflectMut::TupleStruct(all) => {
            for at in 0..all.field_len() {
                for_each_field(all.field_mut(at).unwrap(), visit);
            }
        }
        ReflectMut::Enum(all) => {
            for at in 0..all.field_len() {
                for_each_field(all.field_at_mut(at).unwrap(), visit);
            }
        }
        ReflectMut::List(all) => {
            for at in 0..all.len() {
                for_each_field(all.get_mut(at).unwrap(), visit);
            }
        }
        _ => {}
    }
}

fn for_each_number(value: &mut dyn PartialReflect, mut visit: impl FnMut(Number)) {
    for_each_field(value, &mut |field| {
        if let Some(number) = field.try_downcast_mut::<f32>() {
            visit(Number::Float(number));
        } else if let Some(number) = field.try_downcast_mut::<u32>() {
            visit(Number::Whole(number));
        } else if let Some(number) = field.try_downcast_mut::<i16>() {
            visit(Number::Small(number));
        } else {
            return false;
        }
        true
    });
}

/// The number of extremes of each number of a component.
fn numbers(value: &dyn Reflect) -> Vec<usize> {
    let mut found = Vec::new();
    for_each_number(copy(value).as_partial_reflect_mut(), |number| {
        found.push(number.extremes());
    });
    found
}

/// Sets one number of a component to an extreme.
fn set_number(value: &mut dyn Reflect, which: usize, extreme: usize) {
    let mut at = 0;
    for_each_number(value.as_partial_reflect_mut(), |number| {
        if at == which {
            number.set(extreme);
        }
        at += 1;
    });
}

fn copy(value: &dyn Reflect) -> Box<dyn Reflect> {
    value.reflect_clone().unwrap()
}

/// Gives every optional number a value, so that it can be changed.
fn fill_options(value: &mut dyn PartialReflect) {
    for_each_field(value, &mut |field| {
        let option = field.try_downcast_mut::<Option<f32>>();
        option.is_some_and(|option| option.replace(1.0).is_some())
    });
}

/// Makes targets entities, and sets entities that are absent.
fn aim_at(value: &mut dyn PartialReflect, entity: Entity) {
    for_each_field(value, &mut |field| {
        if let Some(target) = field.try_downcast_mut::<Target>() {
            *target = entity.into();
        } else if let Some(option) = field.try_downcast_mut::<Option<Entity>>() {
            *option = Some(entity);
        } else {
            return false;
        }
        true
    });
}

/// Behaviors in other variants than their default.
fn variants() -> Vec<Box<dyn Reflect>> {
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
const SUBJECT: usize = 0;
const NEIGHBOR: usize = 1;
const TARGET: usize = 2;
const OBSTACLE: usize = 3;
const WALL: usize = 4;
const GROUP: usize = 5;
const ENTITIES: usize = 6;

/// A component of one of the entities.
struct Part {
    of: usize,
    value: Box<dyn Reflect>,
}

fn part(of: usize, value: impl Reflect) -> Part {
    let mut value: Box<dyn Reflect> = Box::new(value);
    fill_options(value.as_partial_reflect_mut());
    Part { of, value }
}

fn place(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

fn moving(x: f32, y: f32) -> PointMass {
    PointMass {
        velocity: Vec2::new(x, y),
        ..default()
    }
}

/// The components besides the behavior that is tested.
fn surroundings() -> Vec<Part> {
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
struct Change {
    part: usize,
    number: usize,
    extreme: usize,
}

impl Change {
    /// Whether a body, obstacle or wall may become so large that it touches agents far away.
    fn reaches_far(&self, parts: &[Part]) -> bool {
        const RADIUS: usize = 3;
        let Part { of, value } = &parts[self.part];
        matches!(*of, OBSTACLE | WALL) || value.is::<Vehicle>() && self.number == RADIUS
    }
}

struct Extremes {
    app: App,
    types: TypeRegistryArc,
    behaviors: Vec<Box<dyn Reflect>>,
    dice: Xoshiro256PlusPlus,
    undisturbed: Vec<(SteeringId, Bits)>,
}

/// Ticks before a number is changed, while it is extreme, and after it is mended.
const TICKS: [u32; 3] = [1, 2, 2];

impl Extremes {
    fn new(seed: u64) -> Self {
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
    fn parts(&mut self, behavior: usize) -> Vec<Part> {
        let behavior = Part {
            of: SUBJECT,
            value: copy(&*self.behaviors[behavior]),
        };
        let mut parts = vec![behavior];
        parts.extend(surroundings());
        parts
    }

    /// Spawns the entities of a case.
    fn spawn(&mut self) -> [Entity; ENTITIES] {
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

    fn insert(&mut self, entity: Entity, value: &dyn Reflect) {
        let types = self.types.read();
        let id = value.reflect_type_info().type_id();
        let component = types.get_type_data::<ReflectComponent>(id).unwrap();
        let mut entity = self.app.world_mut().entity_mut(entity);
        component.insert(&mut entity, value.as_partial_reflect(), &types);
    }

    /// Sane numbers, then the changes, then sane numbers again.
    fn run(&mut self, parts: &[Part], aims: bool, changes: &[Change]) -> Result<(), String> {
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

    fn check_forces(&mut self) -> Result<(), String> {
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

    fn check_mended(&self, subject: Entity) -> Result<(), String> {
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
    fn outcome(&mut self, behavior: usize, aims: bool, changes: &[Change]) -> Option<String> {
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

    fn random_change(&mut self, parts: &[Vec<usize>]) -> Change {
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

fn describe(part: &Part, change: Change) -> String {
    let mut value = copy(&*part.value);
    set_number(&mut *value, change.number, change.extreme);
    format!("{} {value:?}", part.of)
}

const FIRST_BYSTANDER: u32 = 100;

/// Agents far away that interact with each other.
fn spawn_bystanders(app: &mut App) {
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

fn despawn_all(app: &mut App) {
    let world = app.world_mut();
    let mut all =
        world.query_filtered::<Entity, Or<(With<Transform>, With<SteersFor>, With<Wall>)>>();
    let all: Vec<Entity> = all.iter(world).collect();
    for entity in all {
        world.try_despawn(entity).ok();
    }
}

fn assert_none(failures: &[String]) {
    let first = failures.iter().take(40).cloned().collect::<Vec<_>>();
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        first.join("\n")
    );
}

#[test]
fn each_extreme_number_of_a_behavior_is_survived() {
    let mut extremes = Extremes::new(1);
    let mut failures = Vec::new();
    for behavior in 0..extremes.behaviors.len() {
        let counts = numbers(&*extremes.behaviors[behavior]);
        for (number, count) in counts.into_iter().enumerate() {
            for extreme in 0..count {
                let change = Change {
                    part: 0,
                    number,
                    extreme,
                };
                failures.extend(extremes.outcome(behavior, extreme % 2 == 0, &[change]));
            }
        }
    }
    let warnings = warnings(&extremes.app);
    assert_eq!(warnings.len(), 64, "many of the numbers are out of range");
    assert_none(&failures);
}

#[test]
fn extreme_numbers_in_random_pairs_are_survived() {
    let cases = std::env::var("EXTREMES_CASES").map_or(12_000, |cases| cases.parse().unwrap());
    let mut extremes = Extremes::new(2);
    let mut failures = Vec::new();
    for case in 0..cases {
        let behavior = case % extremes.behaviors.len();
        let parts = extremes.parts(behavior);
        let parts: Vec<_> = parts.iter().map(|part| numbers(&*part.value)).collect();
        let changes = [(); 2].map(|()| extremes.random_change(&parts));
        let aims = extremes.dice.random_bool(0.5);
        let changes = &changes[..1 + usize::from(case % 4 > 0)];
        failures.extend(extremes.outcome(behavior, aims, changes));
    }
    assert_none(&failures);
}

#[test]
fn extreme_points_of_paths_and_vectors_of_flow_fields_are_survived() {
    let mut extremes = Extremes::new(3);
    for case in 0..600 {
        let entities = extremes.spawn();
        for part in surroundings() {
            extremes.insert(entities[part.of], &*part.value);
        }
        let mut number = || *EXTREMES.choose(&mut extremes.dice).unwrap();
        let points = [(); 3].map(|()| Vec2::new(number(), number()));
        let (spacing, vector) = (number(), Vec2::new(number(), number()));
        let path = if case % 2 == 0 {
            SteeringPath::looped(points)
        } else {
            SteeringPath::open(points)
        };
        let flow = FlowField::new(points[0], spacing, UVec2::splat(3), |_| vector);
        let style = if case % 3 == 0 {
            PathFollowing::default()
        } else {
            PathFollowing::default().with_corridor(1.0, 0.5)
        };
        let mut agent = extremes.app.world_mut().entity_mut(entities[SUBJECT]);
        agent.insert((style, StayOnPath::default(), FlowFieldFollowing::default()));
        if let Ok(path) = path {
            agent.insert(path);
        }
        if let Ok(flow) = flow {
            agent.insert(flow);
        }
        for _ in 0..3 {
            extremes.app.update();
            extremes.check_forces().unwrap_or_else(|error| {
                panic!("{points:?}, {spacing}, {vector}: {error}");
            });
        }
        despawn_all(&mut extremes.app);
    }
}

#[test]
fn extreme_numbers_of_the_neighbor_index_are_survived() {
    let mut extremes = Extremes::new(4);
    let entities = extremes.spawn();
    let perception = *get::<Perception>(&extremes.app, entities[NEIGHBOR]);
    for (number, count) in numbers(&perception).into_iter().enumerate() {
        for extreme in 0..count {
            let mut value = copy(&perception);
            set_number(&mut *value, number, extreme);
            extremes.insert(entities[NEIGHBOR], &*value);
            extremes.app.update();
            extremes.check_forces().unwrap();
        }
    }
}
