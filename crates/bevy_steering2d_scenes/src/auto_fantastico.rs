//! Auto fantástico: cars that drive about among obstacles, each behavior switched on and off live.
//!
//! Rocks do not push back, and the fence would, but nobody gets that far: what keeps the cars out
//! is [`ObstacleAvoidance`] and [`WallAvoidance`] alone, and the report says how well. Nor are the
//! cars solid to each other, because a car that is knocked into a rock says nothing about
//! steering; switch it on and see.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, StuckMemory, WanderMemory};
use bevy_steering2d_debug::{Minds, draw};

use crate::arena::FENCE_GROUP;
use crate::bodies::{Animal, enable};
use crate::contacts::{Contacts, pairs};
use crate::look::Drawn;
use crate::props::{self, Rock};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::stage::agents_wanted;
use crate::{
    ActionSelection, Arena, InScene, Presses, SceneRandom, headless, overlay, palette, playing,
};

pub(crate) const SCENE: Scene = Scene {
    name: "auto_fantastico",
    title: "Auto fantástico",
    help: "Cars stroll among rocks that are not solid: only steering keeps them out. The red car \
           shows what it sees: the wander circle, the box ahead that it keeps free of rocks, the \
           feelers that find the fence. Switch a behavior off and watch. Seen as \
           colliders, the rocks are Rapier sensors. Separation spreads the cars; made solid, they \
           knock each other about.",
    keys: &[
        SceneKey::new('w', "Wander"),
        SceneKey::new('a', "Avoid obstacles"),
        SceneKey::new('f', "Feel walls"),
        SceneKey::new('k', "See colliders"),
        SceneKey::new('s', "Solid cars"),
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
/// From rock to rock, m: a car fits through with a hand's breadth on either side. In a passage
/// that is exactly as wide as a car, both rocks press at once and cancel.
const PASSAGE: f32 = 2.0 * RADIUS + 0.2;

#[derive(Component, Clone, Copy, Debug)]
struct Car;

/// The collision group of the cars.
const CAR_GROUP: Group = Group::GROUP_1;

/// From rock to fence, m. Walls are heard before obstacles: in a narrow passage between the two
/// the feelers would push a car off the fence and into the rock.
const FENCE_CLEARANCE: f32 = 2.0;

/// The car that shows what it sees.
#[derive(Component, Clone, Copy, Debug)]
struct Fantastic;

/// What is switched on.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Switches {
    wander: bool,
    avoid: bool,
    feel: bool,
    /// Rocks are colliders instead of [`Obstacle`]s.
    colliders: bool,
    /// Cars are solid to each other.
    solid: bool,
}

impl Switches {
    const ON: Self = Self {
        wander: true,
        avoid: true,
        feel: true,
        colliders: false,
        solid: false,
    };

    fn with_keys(&mut self) -> [(char, &mut bool); 5] {
        [
            ('w', &mut self.wander),
            ('a', &mut self.avoid),
            ('f', &mut self.feel),
            ('k', &mut self.colliders),
            ('s', &mut self.solid),
        ]
    }
}

/// What has happened.
#[derive(Resource)]
struct Tally {
    rocks: Contacts<Entity>,
    fence: Contacts<Entity>,
    cars: Contacts<(Entity, Entity)>,
    /// All cars together, m.
    way: f64,
    speed: Mean,
    /// Share of the cars' time, `0..=1`.
    stuck: Mean,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rocks: Contacts::with_ghosts(),
            fence: Contacts::with_solids(),
            cars: Contacts::with_ghosts(),
            way: 0.0,
            speed: Mean::default(),
            stuck: Mean::default(),
        }
    }
}

fn build(app: &mut App) {
    app.add_systems(
        FixedUpdate,
        (flip_switches, apply_switches, keep_tally)
            .chain()
            .in_set(ActionSelection)
            .run_if(playing(SCENE.name)),
    );
}

fn setup(world: &mut World) {
    world.insert_resource(Switches::ON);
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    // The fence to be felt; the one to be seen is there already.
    for wall in Wall::outline(arena.outline()) {
        world.spawn((Name::new("fence"), InScene::default(), wall));
    }
    let cars = agents_wanted(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let rocks = props::scatter(&arena, ROCKS, 0.3..0.9, PASSAGE, FENCE_CLEARANCE, random);
    let mut taken = rocks.clone();
    let places: Vec<_> = (0..cars)
        .map(|_| {
            let spot = props::free_spot(&arena, 2.0 * RADIUS, &taken, random);
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
                Separation::within(1.5),
            ),
            StuckDetection::default(),
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
    on.map(|(key, _)| key).collect()
}

/// Hands the switches to the behaviors.
fn apply_switches(
    switches: Res<Switches>,
    mut cars: Query<
        (
            Entity,
            &mut Wander,
            &mut ObstacleAvoidance,
            &mut WallAvoidance,
        ),
        With<Car>,
    >,
    rocks: Query<(Entity, &Rock)>,
    mut commands: Commands,
) {
    if !switches.is_changed() {
        return;
    }
    for (car, mut wander, mut avoidance, mut feelers) in &mut cars {
        enable(&mut wander, switches.wander);
        enable(&mut avoidance, switches.avoid);
        enable(&mut feelers, switches.feel);
        let touches = if switches.solid {
            Group::ALL
        } else {
            !CAR_GROUP
        };
        let mut car = commands.entity(car);
        car.insert(CollisionGroups::new(CAR_GROUP, touches));
        if switches.colliders {
            // Only rocks: the fence is felt as walls.
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
            // Sensors are seen, but never push.
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
    let rocks: Vec<_> = rocks
        .iter()
        .map(|(at, rock)| Circle::new(at.translation.truncate(), rock.radius))
        .collect();
    let mut bodies = Vec::new();
    for (car, at, velocity, stuck) in &cars {
        let here = at.translation.truncate();
        let speed = velocity.linear.length();
        tally
            .rocks
            .observe(car, props::room(here, &rocks) - RADIUS, RADIUS);
        tally
            .fence
            .observe(car, arena.clearance(here) - RADIUS, RADIUS);
        tally.way += f64::from(speed * time.delta_secs());
        tally.speed.add(speed);
        tally.stuck.add(if stuck.stuck { 1.0 } else { 0.0 });
        bodies.push((car, here, RADIUS));
    }
    for (pair, gap, radius) in pairs(&bodies) {
        tally.cars.observe(pair, gap, radius);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let seen_as = if world.resource::<Switches>().colliders {
        "colliders"
    } else {
        "obstacles"
    };
    let stuck = tally.stuck.get().map(|share| 100.0 * share);
    vec![
        Line::new("rocks seen as", seen_as, ""),
        Line::new(
            "penetrations",
            tally.rocks.penetrations(),
            "(over 5 % of the radius)",
        ),
        Line::new("deepest", tally.rocks.deepest(), "% of the radius"),
        Line::new("fence touched", tally.fence.touches(), "times"),
        Line::new("cars overlapped", tally.cars.touches(), "times"),
        Line::new("distance driven", (tally.way / 1_000.0) as f32, "km"),
        Line::new("mean speed", tally.speed.get(), "m/s"),
        Line::new("stuck", stuck, "% of the time"),
    ]
}

/// The same world with other switches.
fn experiment(seed: u64, ticks: u32) -> Vec<Line> {
    let blind = Switches {
        avoid: false,
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
    let trial = |(which, choice)| headless::trial(&SCENE, seed, ticks, which, choice, &labels);
    trials.into_iter().flat_map(trial).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, explain.run_if(playing(SCENE.name)));
}

fn explain(
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
