//! Wall avoidance: wanderers in a room with sharp corners, whose walls are not solid.
//!
//! Only [`WallAvoidance`] keeps the agents inside: the walls have no colliders. The agents have,
//! and could push each other through a wall; [`Separation`] prevents that.
//!
//! In a crowd that presses against a wall, it depends on the combiner whether the forces of the
//! crowd push agents through it. The [experiment](Scene::experiment) compares all four.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::{AgentViews, draw};

use crate::arena::Arena;
use crate::bodies::{Animal, enable, pass_through, recolor};
use crate::combiners::{COMBINERS, combiner_of, key_of, name_of};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::props::{self, crosses, distance_to_walls};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "wall_room",
    title: "Wall room",
    help: "Wanderers in a room with sharp corners. The walls are not solid: agents detect \
           them with feelers and turn away. Choose the feelers, and how the force grows. The gold \
           agent shows all its feelers, the others only those that touch a wall. Let them crowd \
           at the lower wall, and choose how their forces are combined. An agent that passes \
           through a wall turns red.",
    keys: &[
        SceneKey::new('1', "Single feeler"),
        SceneKey::new('2', "Whiskers"),
        SceneKey::new('3', "Parallel"),
        SceneKey::new('4', "Detection box"),
        SceneKey::new('l', "Linear"),
        SceneKey::new('q', "Quadratic"),
        SceneKey::new('t', "Stop"),
        SceneKey::new('s', "Separation"),
        SceneKey::new('c', "Crowd"),
        SceneKey::new('w', "Weighted sum"),
        SceneKey::new('a', "Average"),
        SceneKey::new('p', "Prioritized"),
        SceneKey::new('d', "Dithered"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(5, 50, 60),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.35;

/// The room.
const ROOM: Rect = Rect {
    min: Vec2::new(-14.0, -10.0),
    max: Vec2::new(14.0, 10.0),
};

/// The walls around and inside the room.
fn walls() -> Vec<Wall> {
    let line = |x, y, to_x, to_y| Wall::new(Vec2::new(x, y), Vec2::new(to_x, to_y));
    let mut walls = Wall::room(ROOM).to_vec();
    walls.extend([
        // Runs out of a corner and splits it into two acute ones.
        line(-14.0, 10.0, -7.0, 6.5),
        // A corner of about 30° at the lower wall.
        line(-1.0, -10.0, 6.0, -6.0),
        // A free-standing wedge of 30°, and a single wall.
        line(9.0, 6.0, 0.0, 6.0),
        line(9.0, 6.0, 1.2, 1.5),
        line(-8.0, -6.0, -8.0, 2.5),
    ]);
    walls.extend(Wall::room(Rect::new(7.0, -2.5, 9.0, -0.5)));
    walls
}

/// Where the crowd gathers, at the lower wall, m.
const GATHERING: Vec2 = Vec2::new(-5.0, -9.6);

#[derive(Component, Clone, Copy, Debug)]
struct Wanderer {
    /// Position one tick ago, m.
    before: Vec2,
}

/// The agent whose perception is drawn.
#[derive(Component, Clone, Copy, Debug)]
struct Sample;

/// Keys of the feelers.
const FEELERS: [(char, Feelers); 4] = [
    ('1', Feelers::Single),
    ('2', Feelers::Whiskers),
    ('3', Feelers::Parallel),
    ('4', Feelers::DetectionBox),
];

/// Keys of the wall responses.
const RESPONSES: [(char, WallResponse); 3] = [
    ('l', WallResponse::Linear),
    ('q', WallResponse::Quadratic),
    ('t', WallResponse::Stop),
];

/// Keys of the combiners.
const COMBINER_KEYS: [char; 4] = ['w', 'a', 'p', 'd'];

/// Options chosen by the user.
#[derive(Resource, Clone, Debug, PartialEq)]
struct Choice {
    feelers: Feelers,
    response: WallResponse,
    separation: bool,
    /// All go to one point at a wall instead of wandering, and pass through each other, so that
    /// only steering pushes them.
    crowd: bool,
    combine: Combine,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            feelers: Feelers::Whiskers,
            response: WallResponse::Linear,
            separation: true,
            crowd: false,
            combine: Combine::PRIORITIZED,
        }
    }
}

/// Measurements.
#[derive(Resource, Clone)]
struct Tally {
    /// How often agents have passed through a wall.
    crossings: u32,
    /// Agents outside the room now.
    outside: u32,
    walls: Contacts<Entity>,
    /// The smallest gap to a wall, m.
    closest: f32,
    bumps: Contacts<Pair>,
    speed: Mean,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            crossings: 0,
            outside: 0,
            walls: Contacts::overlapping(),
            closest: f32::INFINITY,
            bumps: Contacts::solid(),
            speed: Mean::default(),
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Wanderer>()
        .add_scene_resource::<Choice>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (choose, apply_choice, keep_tally));
}

fn setup(world: &mut World) {
    world.insert_resource(Choice::default());
    world.insert_resource(Tally::default());
    let walls = walls();
    let wanted = agent_count(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let mut places: Vec<(Vec2, f32)> = Vec::new();
    while places.len() < wanted {
        let spot = random.point_in(ROOM);
        let alone = places.iter().all(|(other, _)| other.distance(spot) > 1.2);
        // Excludes the inside of the block: no point there is this far from its walls.
        if alone && distance_to_walls(spot, &walls) > 1.1 {
            places.push((spot, random.angle()));
        }
    }
    for wall in walls {
        world.spawn(props::wall(wall));
    }
    for (number, (position, facing)) in places.into_iter().enumerate() {
        let sample = number == 0;
        let color = if sample { palette::GOLD } else { palette::SAND };
        let mut agent = world.spawn((
            Wanderer { before: position },
            (
                Wander::default(),
                WallAvoidance::default(),
                Separation::new(1.5),
                Arrive::new(GATHERING).disabled(),
            ),
            Animal {
                name: "wanderer",
                position,
                facing,
                radius: RADIUS,
                color,
                vehicle: Vehicle {
                    max_speed: 4.0,
                    ..default()
                },
            }
            .compact(),
        ));
        if sample {
            agent.insert(Sample);
        }
    }
}

fn choose(presses: Res<Presses>, mut choice: ResMut<Choice>) {
    for key in presses.keys() {
        if let Some((_, feelers)) = FEELERS.into_iter().find(|(its_key, _)| *its_key == key) {
            choice.feelers = feelers;
        }
        if let Some((_, response)) = RESPONSES.into_iter().find(|(its_key, _)| *its_key == key) {
            choice.response = response;
        }
        choice.separation ^= key == 's';
        choice.crowd ^= key == 'c';
        if let Some(combiner) = combiner_of(COMBINER_KEYS, key) {
            choice.combine = combiner;
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let choice = world.resource::<Choice>();
    let feelers = FEELERS
        .into_iter()
        .filter(|(_, it)| *it == choice.feelers)
        .map(|(key, _)| key);
    let responses = RESPONSES
        .into_iter()
        .filter(|(_, it)| *it == choice.response)
        .map(|(key, _)| key);
    feelers
        .chain(responses)
        .chain(choice.separation.then_some('s'))
        .chain(choice.crowd.then_some('c'))
        .chain(key_of(COMBINER_KEYS, choice.combine))
        .collect()
}

/// Applies the choice to the behaviors.
fn apply_choice(
    choice: Res<Choice>,
    mut agents: Query<(
        Entity,
        &mut Wander,
        &mut WallAvoidance,
        &mut Separation,
        &mut Arrive,
        &mut Combine,
    )>,
    mut commands: Commands,
) {
    if !choice.is_changed() {
        return;
    }
    for (agent, mut wander, mut avoidance, mut separation, mut arrive, mut combine) in &mut agents {
        avoidance.feelers = choice.feelers.clone();
        avoidance.response = choice.response;
        enable(&mut separation, choice.separation);
        enable(&mut wander, !choice.crowd);
        enable(&mut arrive, choice.crowd);
        *combine = choice.combine;
        let groups = if choice.crowd {
            pass_through()
        } else {
            CollisionGroups::default()
        };
        commands.entity(agent).insert(groups);
    }
}

fn keep_tally(
    mut tally: ResMut<Tally>,
    walls: Query<&Wall>,
    mut agents: Query<(Entity, &Transform, &Velocity, &mut Wanderer, &mut Look)>,
) {
    let mut bodies = Vec::new();
    tally.outside = 0;
    for (agent, at, velocity, mut wanderer, mut look) in &mut agents {
        let here = at.translation.truncate();
        let gap = distance_to_walls(here, walls) - RADIUS;
        let crossed = walls
            .iter()
            .filter(|wall| crosses(wanderer.before, here, wall))
            .count();
        tally.crossings += crossed as u32;
        tally.outside += u32::from(!ROOM.contains(here));
        tally.walls.observe(agent, gap, RADIUS);
        tally.closest = tally.closest.min(gap);
        tally.speed.add(velocity.linear.length());
        if crossed > 0 {
            // The agent keeps this color.
            recolor(&mut look, palette::RED);
        }
        wanderer.before = here;
        bodies.push(Disc::new(agent, at, RADIUS));
    }
    tally.bumps.observe_pairs(bodies);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let closest = tally.closest.is_finite().then_some(tally.closest);
    let combiner = name_of(world.resource::<Choice>().combine);
    vec![
        Line::new("combined by", combiner, ""),
        Line::new("walls crossed", tally.crossings, "times"),
        Line::new("outside the room", tally.outside, "agents"),
        Line::new("closest to a wall", closest, "m of gap"),
        Line::new("walls touched", tally.walls.begun(), "times"),
        Line::new(
            "deepest in a wall",
            tally.walls.deepest(),
            "% of the radius",
        ),
        Line::new("agents bumped", tally.bumps.begun(), "times"),
        Line::new("deepest overlap", tally.bumps.deepest(), "% of the radius"),
        Line::new("mean speed", tally.speed.get(), "m/s (of 4)"),
    ]
}

/// Runs the same room with other feelers, without separation, and as a crowd with each combiner.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let with = |feelers: Feelers| Choice {
        feelers,
        ..default()
    };
    let alone = Choice {
        separation: false,
        ..default()
    };
    let trials = [
        ("single feeler", with(Feelers::Single)),
        ("parallel feelers", with(Feelers::Parallel)),
        ("detection box", with(Feelers::DetectionBox)),
        ("without separation", alone),
    ]
    .map(|(run, choice)| (run.to_owned(), choice));
    let combined = COMBINERS.into_iter().flat_map(|(combine, name)| {
        [("wanderers", false), ("crowd", true)].map(|(who, crowd)| {
            let choice = Choice {
                crowd,
                combine,
                ..default()
            };
            (format!("{who} by {name}"), choice)
        })
    });
    let labels = [
        "walls crossed",
        "walls touched",
        "deepest in a wall",
        "agents bumped",
    ];
    let trial = |(run, choice): (String, Choice)| experiment.trial(&run, choice, &labels);
    trials.into_iter().chain(combined).flat_map(trial).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    sample: Single<(Entity, &Drawn, &Kinematics, &Wander, &WanderMemory), With<Sample>>,
    agents: Query<(Entity, &Drawn, &Vehicle, &SteeringForce, &WallAvoidance)>,
    surroundings: Surroundings,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    let (sample, drawn, body, wander, memory) = *sample;
    if wander.influence.enabled {
        overlay::wander_circle(&mut gizmos, drawn, body, wander, memory);
    }
    for (entity, drawn, vehicle, force, avoidance) in &agents {
        if let Some(me) = views.get(entity) {
            let lag = drawn.pose.position - me.position;
            let all = entity == sample;
            draw::feelers(&mut gizmos, lag, &me, avoidance, &surroundings, all);
        }
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}
