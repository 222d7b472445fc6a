//! Auto fantástico: cars drive among obstacles; each behavior can be switched on and off.
//!
//! Rocks are not solid: only [`ObstacleAvoidance`] keeps the cars out of them, and only
//! [`WallAvoidance`] keeps them away from the fence. Cars are not solid to each other either,
//! because a car that is pushed into a rock tells nothing about steering; a key makes them solid.
//! On [errands] the combiner decides whether the cars still avoid the rocks.

mod errands;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, StuckMemory, WanderMemory};
use bevy_steering2d_debug::{Minds, draw};

use errands::Errands;

use crate::arena::{Arena, FENCE_GROUP};
use crate::bodies::{Animal, enable};
use crate::combiners::{COMBINERS, name_of};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{ActionSelection, SceneRandom, agent_count, playing};
use crate::look::Drawn;
use crate::props::{self, Rock};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "auto_fantastico",
    title: "Auto fantástico",
    help: "Cars wander among rocks that are not solid: only steering keeps them out. The red car \
           shows its wander circle, its detection box for rocks and its feelers for the fence. \
           Switch a behavior off to see what it does. As colliders, the rocks are Rapier sensors. \
           Separation keeps the cars apart; solid cars push each other. On errands the cars seek \
           one point and flee from another: choose how these forces are combined with avoidance.",
    keys: &[
        SceneKey::new('w', "Wander"),
        SceneKey::new('a', "Avoid obstacles"),
        SceneKey::new('f', "Avoid walls"),
        SceneKey::new('p', "Separation"),
        SceneKey::new('k', "Rocks as colliders"),
        SceneKey::new('s', "Solid cars"),
        SceneKey::new('e', "Errands"),
        SceneKey::new('1', "Weighted sum"),
        SceneKey::new('2', "Average"),
        SceneKey::new('3', "Prioritized"),
        SceneKey::new('4', "Dithered"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(2, 20, 24),
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const ROCKS: usize = 60;
const RADIUS: f32 = 0.42;
/// Gap between rocks, m: a car has 0.1 m of clearance on each side. In a passage exactly as wide as
/// a car, the forces of both rocks would cancel.
const PASSAGE: f32 = 2.0 * RADIUS + 0.2;

#[derive(Component, Clone, Copy, Debug)]
struct Car;

/// The collision group of the cars.
const CAR_GROUP: Group = Group::GROUP_1;

/// Gap between rocks and fence, m. Wall avoidance has the higher priority: in a narrow passage it
/// would steer a car away from the fence and into the rock.
const FENCE_CLEARANCE: f32 = 2.0;

/// The car whose perception is drawn.
#[derive(Component, Clone, Copy, Debug)]
struct Fantastic;

/// The behaviors and options that are switched on.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Switches {
    wander: bool,
    avoid_obstacles: bool,
    avoid_walls: bool,
    keep_apart: bool,
    /// Rocks are colliders instead of [`Obstacle`]s.
    colliders: bool,
    /// Cars are solid to each other.
    solid: bool,
}

impl Switches {
    const ON: Self = Self {
        wander: true,
        avoid_obstacles: true,
        avoid_walls: true,
        keep_apart: true,
        colliders: false,
        solid: false,
    };

    fn with_keys(&mut self) -> [(char, &mut bool); 6] {
        [
            ('w', &mut self.wander),
            ('a', &mut self.avoid_obstacles),
            ('f', &mut self.avoid_walls),
            ('p', &mut self.keep_apart),
            ('k', &mut self.colliders),
            ('s', &mut self.solid),
        ]
    }
}

/// Measurements.
#[derive(Resource)]
struct Tally {
    rocks: Contacts<Entity>,
    fence: Contacts<Entity>,
    cars: Contacts<Pair>,
    /// Distance driven by all cars, m.
    distance: f64,
    speed: Mean,
    /// Share of the cars' time, `0..=1`.
    stuck: Mean,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rocks: Contacts::overlapping(),
            fence: Contacts::solid(),
            cars: Contacts::overlapping(),
            distance: 0.0,
            speed: Mean::default(),
            stuck: Mean::default(),
        }
    }
}

fn build(app: &mut App) {
    app.add_systems(
        FixedUpdate,
        (
            flip_switches,
            apply_switches,
            errands::choose,
            errands::apply,
            errands::run,
            keep_tally,
        )
            .chain()
            .in_set(ActionSelection)
            .run_if(playing(SCENE.name)),
    );
}

fn setup(world: &mut World) {
    world.insert_resource(Switches::ON);
    world.insert_resource(Errands::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    // The fence of the arena is a collider; feelers detect only walls.
    for wall in Wall::outline(arena.outline()) {
        world.spawn((Name::new("fence"), InScene::default(), wall));
    }
    let cars = agent_count(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let rocks = props::scatter(&arena, ROCKS, 0.3..0.9, PASSAGE, FENCE_CLEARANCE, random);
    let mut taken = rocks.clone();
    let places: Vec<_> = (0..cars)
        .map(|_| {
            let spot = props::spot_between(&arena, 2.0 * RADIUS, &taken, random);
            taken.push(Circle::new(spot, RADIUS));
            (spot, random.angle())
        })
        .collect();
    for at in rocks {
        world.spawn(props::rock(at));
    }
    for (number, (position, facing)) in places.into_iter().enumerate() {
        let fantastic = number == 0;
        let color = if fantastic {
            palette::RED
        } else {
            palette::SAND
        };
        let mut car = world.spawn((
            Car,
            (
                Wander::default(),
                ObstacleAvoidance::default(),
                WallAvoidance::default(),
                Separation::new(1.5),
            ),
            StuckDetection::default(),
            errands::behaviors(),
            Animal {
                name: "car",
                position,
                facing,
                radius: RADIUS,
                color,
                vehicle: Vehicle::default(),
            }
            .car(),
        ));
        if fantastic {
            car.insert(Fantastic);
        }
    }
}

fn flip_switches(presses: Res<Presses>, mut switches: ResMut<Switches>) {
    for key in presses.keys() {
        for (its_key, switch) in switches.with_keys() {
            *switch ^= key == its_key;
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let mut switches = *world.resource::<Switches>();
    let on = switches.with_keys().into_iter().filter(|(_, on)| **on);
    let errands = world.resource::<Errands>().keys();
    on.map(|(key, _)| key).chain(errands).collect()
}

/// Applies the switches to the behaviors and rocks.
fn apply_switches(
    switches: Res<Switches>,
    mut cars: Query<
        (
            Entity,
            &mut Wander,
            &mut ObstacleAvoidance,
            &mut WallAvoidance,
            &mut Separation,
        ),
        With<Car>,
    >,
    rocks: Query<(Entity, &Rock)>,
    mut commands: Commands,
) {
    if !switches.is_changed() {
        return;
    }
    for (car, mut wander, mut avoidance, mut feelers, mut separation) in &mut cars {
        enable(&mut wander, switches.wander);
        enable(&mut avoidance, switches.avoid_obstacles);
        enable(&mut feelers, switches.avoid_walls);
        enable(&mut separation, switches.keep_apart);
        let touches = if switches.solid {
            Group::ALL
        } else {
            !CAR_GROUP
        };
        let mut car = commands.entity(car);
        car.insert(CollisionGroups::new(CAR_GROUP, touches));
        if switches.colliders {
            // Excludes the fence, which the feelers detect as walls.
            car.insert(SensesColliders {
                filter: (!FENCE_GROUP).bits(),
                sensors: true,
                ..default()
            });
        } else {
            car.remove::<SensesColliders>();
        }
    }
    for (rock, &Rock { radius }) in &rocks {
        let mut rock = commands.entity(rock);
        if switches.colliders {
            // Sensors are perceived but do not collide.
            let sensor = (RigidBody::Fixed, Collider::ball(radius), Sensor);
            rock.remove::<Obstacle>().insert(sensor);
        } else {
            rock.remove::<(RigidBody, Collider, Sensor)>()
                .insert(Obstacle { radius });
        }
    }
}

fn keep_tally(
    time: Res<Time>,
    arena: Res<Arena>,
    mut tally: ResMut<Tally>,
    rocks: Query<(&Transform, &Rock)>,
    cars: Query<(Entity, &Transform, &Velocity, &StuckMemory), With<Car>>,
) {
    let rocks = props::circles(rocks);
    let mut bodies = Vec::new();
    for (car, at, velocity, stuck) in &cars {
        let here = at.translation.truncate();
        let speed = velocity.linear.length();
        tally
            .rocks
            .observe(car, props::clearance_to(here, &rocks) - RADIUS, RADIUS);
        tally
            .fence
            .observe(car, arena.clearance(here) - RADIUS, RADIUS);
        tally.distance += f64::from(speed * time.delta_secs());
        tally.speed.add(speed);
        tally.stuck.note(stuck.stuck);
        bodies.push(Disc::new(car, at, RADIUS));
    }
    tally.cars.observe_pairs(bodies);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let seen_as = if world.resource::<Switches>().colliders {
        "colliders"
    } else {
        "obstacles"
    };
    vec![
        Line::new("rocks seen as", seen_as, ""),
        Line::new(
            "combined by",
            name_of(world.resource::<Errands>().combine),
            "",
        ),
        Line::new(
            "penetrations",
            tally.rocks.penetrations(),
            "(over 5 % of the radius)",
        ),
        Line::new("deepest", tally.rocks.deepest(), "% of the radius"),
        Line::new("fence touched", tally.fence.begun(), "times"),
        Line::new("cars overlapped", tally.cars.begun(), "times"),
        Line::new("distance driven", (tally.distance / 1_000.0) as f32, "km"),
        Line::new("mean speed", tally.speed.get(), "m/s"),
        Line::new("stuck", tally.stuck.percent(), "% of the time"),
    ]
}

/// Runs the same world with other switches.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let blind = Switches {
        avoid_obstacles: false,
        ..Switches::ON
    };
    let colliders = Switches {
        colliders: true,
        ..Switches::ON
    };
    let solid = Switches {
        solid: true,
        ..Switches::ON
    };
    let trials = [
        ("not avoiding", blind),
        ("by colliders", colliders),
        ("solid cars", solid),
    ];
    let labels = ["penetrations", "deepest", "mean speed", "stuck"];
    let trial = |(run, switches)| experiment.trial(run, switches, &labels);
    let errand = |(combine, name)| {
        let run = format!("errands by {name}");
        let errands = Errands { on: true, combine };
        experiment.trial(&run, errands, &labels)
    };
    let switched = trials.into_iter().flat_map(trial);
    switched
        .chain(COMBINERS.into_iter().flat_map(errand))
        .collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    hero: Single<
        (
            Entity,
            &Drawn,
            &Kinematics,
            (&Wander, &WanderMemory, &ObstacleAvoidance, &WallAvoidance),
        ),
        With<Fantastic>,
    >,
    forces: Query<(&Drawn, &Vehicle, &SteeringForce), With<Car>>,
    surroundings: Surroundings,
    minds: Minds,
    mut gizmos: Gizmos,
) {
    let (entity, drawn, body, (wander, memory, avoidance, feelers)) = *hero;
    if wander.influence.enabled {
        overlay::wander_circle(&mut gizmos, drawn, body, wander, memory);
    }
    if let Some(me) = minds.of(entity) {
        let lag = drawn.pose.position - me.position;
        if avoidance.influence.enabled {
            draw::detection_box(&mut gizmos, lag, &me, avoidance, &surroundings);
        }
        if feelers.influence.enabled {
            draw::feelers(&mut gizmos, lag, &me, feelers, &surroundings, true);
        }
    }
    for (drawn, vehicle, force) in &forces {
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}
