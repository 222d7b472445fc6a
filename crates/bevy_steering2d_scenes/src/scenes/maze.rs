//! A maze of Rapier colliders: planned paths, and steering that follows them.
//!
//! [`NavigateTo`] plans around the colliders and writes a [`SteeringPath`], which [`PathFollowing`]
//! follows. A [`Lane`] makes the mice keep right. [`WallAvoidance`] and [`ObstacleAvoidance`] sense the
//! colliders ([`SensesColliders`]). By [`ReciprocalAvoidance`] mice make way for each other; with
//! [`Separation`] in its place they bump, and those that meet head-on hold each other up.

mod grid;
mod layout;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::{AgentViews, draw};

use crate::arena::Arena;
use crate::bodies::{Animal, enable, recolor};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look, Shape};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

use grid::{Cell, Grid};
use layout::{Brick, COLUMNS, RADIUS, ROAD, ROWS, center};

pub(crate) const SCENE: Scene = Scene {
    name: "maze",
    title: "Maze",
    help: "Mice fetch cheese from the middle and carry it home (gold), each on the shortest path \
           around the walls, which are Rapier colliders. They follow it as a corridor, keep right, \
           avoid the walls, and make way for each other. Faint lines show the paths.",
    keys: &[
        SceneKey::new('c', "Corridor"),
        SceneKey::new('p', "Waypoints"),
        SceneKey::new('w', "Wall avoidance"),
        SceneKey::new('a', "Obstacle avoidance"),
        SceneKey::new('m', "Make way"),
        SceneKey::new('s', "Separation"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(2, 14, 30),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const MAX_SPEED: f32 = 3.5;

/// Distance at which a mouse has reached the cheese or its home, m.
const ARRIVED: f32 = 0.8;

/// Corners on the left are passed far out, those on the right closely.
const KEEP_RIGHT: Lane = Lane {
    left: 0.6,
    right: 0.0,
};

/// The state of a mouse.
#[derive(Component, Clone, Debug)]
struct Mouse {
    home: Cell,
    /// Whether it carries cheese.
    loaded: bool,
    /// Tick at which it left home.
    left_home: u32,
    /// Length of the paths completed since, m.
    path_length: f32,
}

impl Mouse {
    /// Where it goes: home, or to the cheese in the middle.
    fn goal(&self) -> Vec2 {
        if self.loaded {
            center(self.home)
        } else {
            Vec2::ZERO
        }
    }
}

/// Options chosen by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    corridor: bool,
    walls: bool,
    obstacles: bool,
    make_way: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            corridor: true,
            walls: true,
            obstacles: true,
            make_way: true,
        }
    }
}

/// Measurements.
#[derive(Resource, Clone)]
struct Tally {
    rounds: u32,
    /// Time per round, s.
    time: Mean,
    /// Path length per time, m/s.
    pace: Mean,
    speed: Mean,
    walls: Contacts<Entity>,
    bumps: Contacts<Pair>,
    stuck: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rounds: 0,
            time: Mean::default(),
            pace: Mean::default(),
            speed: Mean::default(),
            walls: Contacts::solid(),
            bumps: Contacts::solid(),
            stuck: 0,
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Mouse>()
        .add_scene_resource::<Choice>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (choose, apply_choice, keep_tally))
        .add_observer(turn_around)
        .add_observer(count_stuck);
}

fn setup(world: &mut World) {
    world.insert_resource(Choice::default());
    world.insert_resource(Tally::default());
    let mice = agent_count(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let mut grid = Grid::maze(COLUMNS, ROWS, 0.12, random);
    layout::clear_middle(&mut grid);
    let homes = layout::homes(&grid, mice, random);
    let walls = grid.walls();
    world.spawn((
        (
            Name::new("cheese"),
            InScene::default(),
            Transform::default(),
        ),
        Look {
            shape: Shape::Area(
                [
                    Vec2::new(-0.6, -0.4),
                    Vec2::new(0.7, -0.4),
                    Vec2::new(-0.6, 0.6),
                ]
                .into(),
            ),
            color: palette::GOLD,
            layer: 0.0,
        },
    ));
    for wall in walls {
        world.spawn(layout::brick(wall));
    }
    for home in homes {
        world.spawn(mouse(home));
    }
}

fn mouse(home: Cell) -> impl Bundle {
    let mouse = Mouse {
        home,
        loaded: false,
        left_home: 0,
        path_length: 0.0,
    };
    (
        NavigateTo::new(mouse.goal()).with_lane(KEEP_RIGHT),
        mouse,
        (SensesColliders::default(), StuckDetection::default()),
        (
            follow(true),
            // Feelers shorter than the corridors, so that corners cause no avoidance.
            WallAvoidance::default()
                .with_min_length(0.3)
                .with_look_ahead_time(0.1),
            ObstacleAvoidance::default()
                .with_min_length(0.2)
                .with_look_ahead_time(0.1)
                .with_margin(0.05),
        ),
        (
            ReciprocalAvoidance::default().with_perception_radius(4.0),
            Separation::new(1.2),
            Combine::default(),
        ),
        Animal {
            name: "mouse",
            position: center(home),
            facing: 0.0,
            radius: RADIUS,
            color: palette::SAND,
            vehicle: Vehicle {
                max_speed: MAX_SPEED,
                max_force: 30.0,
                response_time: 0.15,
                radius: None,
            },
        }
        .compact(),
    )
}

fn follow(corridor: bool) -> PathFollowing {
    let follow = PathFollowing::default().with_tolerance(ARRIVED);
    if corridor {
        follow.with_corridor(ROAD, 0.4)
    } else {
        follow.with_waypoints(0.5)
    }
}

fn choose(presses: Res<Presses>, mut choice: ResMut<Choice>) {
    for key in presses.keys() {
        match key {
            'c' => choice.corridor = true,
            'p' => choice.corridor = false,
            'w' => choice.walls ^= true,
            'a' => choice.obstacles ^= true,
            'm' => choice.make_way = true,
            's' => choice.make_way = false,
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let choice = world.resource::<Choice>();
    let switches = [
        ('c', choice.corridor),
        ('p', !choice.corridor),
        ('w', choice.walls),
        ('a', choice.obstacles),
        ('m', choice.make_way),
        ('s', !choice.make_way),
    ];
    let on = switches.into_iter().filter(|(_, on)| *on);
    on.map(|(key, _)| key).collect()
}

/// Applies the choice to the behaviors.
fn apply_choice(
    choice: Res<Choice>,
    mut mice: Query<
        (
            &mut PathFollowing,
            &mut WallAvoidance,
            &mut ObstacleAvoidance,
            (&mut ReciprocalAvoidance, &mut Separation, &mut Combine),
        ),
        With<Mouse>,
    >,
) {
    if !choice.is_changed() {
        return;
    }
    for (mut path, mut walls, mut obstacles, (mut avoidance, mut separation, mut combine)) in
        &mut mice
    {
        *path = follow(choice.corridor);
        enable(&mut walls, choice.walls);
        enable(&mut obstacles, choice.obstacles);
        enable(&mut avoidance, choice.make_way);
        enable(&mut separation, !choice.make_way);
        *combine = if choice.make_way {
            Combine::WEIGHTED_SUM
        } else {
            Combine::PRIORITIZED
        };
    }
}

/// At the end of its path a mouse takes the cheese or leaves it at home, and turns around.
fn turn_around(
    completed: On<PathCompleted>,
    current: Res<CurrentScene>,
    time: Res<Time>,
    tally: Option<ResMut<Tally>>,
    mut mice: Query<(&mut Mouse, &mut NavigateTo, &SteeringPath, &mut Look)>,
) {
    let Ok((mut mouse, mut navigate, path, mut look)) = mice.get_mut(completed.entity) else {
        return;
    };
    let Some(mut tally) = tally else {
        return;
    };
    mouse.path_length += path.length();
    mouse.loaded = !mouse.loaded;
    if !mouse.loaded {
        let seconds = current.since(mouse.left_home) as f32 * time.delta_secs();
        tally.rounds += 1;
        tally.time.add(seconds);
        tally.pace.add(mouse.path_length / seconds);
        mouse.left_home = current.tick();
        mouse.path_length = 0.0;
    }
    recolor(
        &mut look,
        if mouse.loaded {
            palette::GOLD
        } else {
            palette::SAND
        },
    );
    navigate.target = mouse.goal().into();
}

fn count_stuck(stuck: On<Stuck>, tally: Option<ResMut<Tally>>, mice: Query<(), With<Mouse>>) {
    if mice.contains(stuck.entity)
        && let Some(mut tally) = tally
    {
        tally.stuck += 1;
    }
}

fn keep_tally(
    mut tally: ResMut<Tally>,
    bricks: Query<&Brick>,
    mice: Query<(Entity, &Transform, &Velocity), With<Mouse>>,
) {
    let mut bodies = Vec::new();
    for (mouse, at, velocity) in &mice {
        let here = at.translation.truncate();
        let distances = bricks.iter().map(|brick| brick.distance(here));
        let gap = distances.fold(f32::INFINITY, f32::min) - RADIUS;
        tally.walls.observe(mouse, gap, RADIUS);
        tally.speed.add(velocity.linear.length());
        bodies.push(Disc::new(mouse, at, RADIUS));
    }
    tally.bumps.observe_pairs(bodies);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    vec![
        Line::new("rounds completed", tally.rounds, ""),
        Line::new("time per round", tally.time.get(), "s"),
        Line::new("pace on the path", tally.pace.get(), "m/s (of 3.5)"),
        Line::new("mean speed", tally.speed.get(), "m/s"),
        Line::new("walls touched", tally.walls.begun(), "times"),
        Line::new("mice bumped", tally.bumps.begun(), "times"),
        Line::new("stuck", tally.stuck, "times"),
    ]
}

/// Runs the same maze without avoidance of walls, with separation and with waypoints.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let all = Choice::default();
    let trials = [
        (
            "no wall avoidance",
            Choice {
                walls: false,
                obstacles: false,
                ..all
            },
        ),
        (
            "separation",
            Choice {
                make_way: false,
                ..all
            },
        ),
        (
            "waypoints",
            Choice {
                corridor: false,
                ..all
            },
        ),
    ];
    let labels = [
        "rounds completed",
        "time per round",
        "walls touched",
        "mice bumped",
        "stuck",
    ];
    let trial = |(run, choice)| experiment.trial(run, choice, &labels);
    trials.into_iter().flat_map(trial).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    mice: Query<(
        Entity,
        &Drawn,
        &Vehicle,
        &SteeringForce,
        &WallAvoidance,
        (&Mouse, &SteeringPath, &PathFollowingMemory),
    )>,
    surroundings: Surroundings,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    for (entity, drawn, vehicle, force, walls, (mouse, path, progress)) in &mice {
        let color = if mouse.loaded {
            palette::GOLD
        } else {
            palette::MINT
        };
        let ahead = path.points().iter().skip(progress.waypoint).copied();
        let path = std::iter::once(drawn.pose.position).chain(ahead);
        gizmos.linestrip_2d(path, color.with_alpha(0.14));
        overlay::cross(
            &mut gizmos,
            center(mouse.home),
            0.2,
            palette::MUTED.with_alpha(0.6),
        );
        if walls.influence.enabled
            && let Some(me) = views.get(entity)
        {
            let lag = drawn.pose.position - me.position;
            draw::feelers(&mut gizmos, lag, &me, walls, &surroundings, true);
        }
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}
