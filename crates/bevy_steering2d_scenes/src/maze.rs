//! A maze of Rapier colliders: a planner says where to go, steering gets there.
//!
//! Action selection is a breadth-first search on the grid of the maze. What it returns becomes a
//! [`SteeringPath`]; [`FollowPath`] walks it, [`WallAvoidance`] and [`ObstacleAvoidance`] feel the
//! colliders ([`SensesColliders`]), [`Separation`] makes room for oncoming traffic.

mod grid;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{FollowPathMemory, RandomStream};
use bevy_steering2d_debug::{Minds, draw};

use crate::bodies::{Animal, enable, recolor};
use crate::contacts::{Contacts, pairs};
use crate::look::{Drawn, Look, Shape};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::stage::agents_wanted;
use crate::{
    ActionSelection, CurrentScene, InScene, Presses, SceneRandom, headless, overlay, palette,
    playing,
};
use grid::{Cell, Grid};

pub(crate) const SCENE: Scene = Scene {
    name: "maze",
    title: "Maze",
    help: "Mice fetch cheese from the middle and carry it home (gold), each on the shortest way \
           that a search on the grid has found. They follow it as a road, feel the walls, which \
           are Rapier colliders, and make room for each other. The faint lines are the ways.",
    keys: &[
        SceneKey::new('c', "Corridor"),
        SceneKey::new('p', "Point by point"),
        SceneKey::new('w', "Wall avoidance"),
        SceneKey::new('a', "Obstacle avoidance"),
        SceneKey::new('s', "Separation"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(2, 14, 30),
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.3;
const MAX_SPEED: f32 = 3.5;

/// Nearer than this a mouse has the cheese, or is at home, m.
const ARRIVED: f32 = 0.8;

/// Cells of the grid, and their size, m.
const COLUMNS: usize = 12;
const ROWS: usize = 8;
const CELL: f32 = 2.4;
/// Thickness of the walls, m.
const THICKNESS: f32 = 0.24;

/// Half the width of the road, m: between the walls less the mouse.
const ROAD: f32 = 0.5 * (CELL - THICKNESS) - RADIUS - 0.1;

/// What a mouse is up to.
#[derive(Component, Clone, Debug)]
struct Mouse {
    home: Cell,
    /// It has cheese.
    loaded: bool,
    /// When it left home, ticks.
    left_home: u32,
    /// The length of the ways it has gone since, m.
    way: f32,
}

impl Mouse {
    /// Its shortest way from here.
    fn plan(&self, grid: &Grid, here: Vec2) -> SteeringPath {
        plan(grid, here, self.loaded.then_some(self.home))
    }
}

/// Where the maze is open.
#[derive(Resource, Clone, Debug)]
struct Maze(Grid);

/// What the user has chosen.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    corridor: bool,
    walls: bool,
    obstacles: bool,
    separation: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            corridor: true,
            walls: true,
            obstacles: true,
            separation: true,
        }
    }
}

/// What has happened.
#[derive(Resource)]
struct Tally {
    rounds: u32,
    /// s
    time: Mean,
    /// Length of the ways by their time, m/s.
    pace: Mean,
    speed: Mean,
    walls: Contacts<Entity>,
    bumps: Contacts<(Entity, Entity)>,
    stuck: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rounds: 0,
            time: Mean::default(),
            pace: Mean::default(),
            speed: Mean::default(),
            walls: Contacts::with_solids(),
            bumps: Contacts::with_solids(),
            stuck: 0,
        }
    }
}

fn build(app: &mut App) {
    app.add_systems(
        FixedUpdate,
        (choose, apply_choice, keep_tally)
            .chain()
            .in_set(ActionSelection)
            .run_if(playing(SCENE.name)),
    )
    .add_observer(turn_around)
    .add_observer(plan_anew);
}

fn setup(world: &mut World) {
    world.insert_resource(Choice::default());
    world.insert_resource(Tally::default());
    let mice = agents_wanted(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let mut grid = Grid::maze(COLUMNS, ROWS, 0.12, random);
    clear_the_middle(&mut grid);
    let homes = homes(&grid, mice, random);
    let walls = grid.walls();
    world.spawn((
        (
            Name::new("cheese"),
            InScene::default(),
            Transform::default(),
        ),
        Look {
            shape: Shape::Area(vec![
                Vec2::new(-0.6, -0.4),
                Vec2::new(0.7, -0.4),
                Vec2::new(-0.6, 0.6),
            ]),
            color: palette::GOLD,
            layer: 0.0,
        },
    ));
    for wall in walls {
        world.spawn(brick(wall));
    }
    for home in homes {
        world.spawn(mouse(&grid, home));
    }
    world.insert_resource(Maze(grid));
}

/// The four cells around the cheese.
fn in_the_middle((column, row): Cell) -> bool {
    let near = |at: usize, count: usize| at == count / 2 - 1 || at == count / 2;
    near(column, COLUMNS) && near(row, ROWS)
}

fn clear_the_middle(grid: &mut Grid) {
    let (x, y) = (COLUMNS / 2, ROWS / 2);
    let around = [(x - 1, y - 1), (x, y - 1), (x, y), (x - 1, y)];
    for (i, cell) in around.into_iter().enumerate() {
        grid.open(cell, around[(i + 1) % around.len()]);
    }
}

/// Where mice live: cells from which it is some way to the cheese.
fn homes(grid: &Grid, mice: usize, random: &mut RandomStream) -> Vec<Cell> {
    const FAR: usize = 6;
    let far = |cell: &Cell| {
        grid.way(*cell, in_the_middle)
            .is_some_and(|way| way.len() > FAR)
    };
    let mut cells: Vec<_> = grid.cells().filter(far).collect();
    let count = mice.min(cells.len());
    (0..count)
        .map(|_| cells.swap_remove(grid::pick(cells.len(), random)))
        .collect()
}

/// Where a corner of the grid is, m.
fn corner(at: Vec2) -> Vec2 {
    CELL * (at - 0.5 * Vec2::new(COLUMNS as f32, ROWS as f32))
}

fn center((column, row): Cell) -> Vec2 {
    corner(Vec2::new(column as f32 + 0.5, row as f32 + 0.5))
}

fn cell_at(point: Vec2) -> Cell {
    let at = (point - corner(Vec2::ZERO)) / CELL;
    let within = |at: f32, count: usize| (at.max(0.0) as usize).min(count - 1);
    (within(at.x, COLUMNS), within(at.y, ROWS))
}

/// Where a wall stands, m.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Brick(Rect);

impl Brick {
    fn distance(&self, point: Vec2) -> f32 {
        point.distance(point.clamp(self.0.min, self.0.max))
    }
}

/// A wall from corner to corner of the grid.
fn brick((from, to): (UVec2, UVec2)) -> impl Bundle {
    let ends = [from, to].map(|end| corner(end.as_vec2()));
    let area = Rect::from_corners(ends[0], ends[1]).inflate(0.5 * THICKNESS);
    let half = area.half_size();
    let corners = [
        Vec2::NEG_ONE,
        Vec2::new(1.0, -1.0),
        Vec2::ONE,
        Vec2::new(-1.0, 1.0),
    ];
    (
        (Name::new("wall"), InScene::default(), Brick(area)),
        Transform::from_translation(area.center().extend(0.0)),
        (
            RigidBody::Fixed,
            Collider::cuboid(half.x, half.y),
            Friction::coefficient(0.0),
        ),
        Look {
            shape: Shape::Area(corners.map(|corner| half * corner).to_vec()),
            color: palette::WALL,
            layer: 0.0,
        },
    )
}

fn mouse(grid: &Grid, home: Cell) -> impl Bundle {
    let way = plan(grid, center(home), None);
    let facing = way.direction(0).to_angle();
    (
        Mouse {
            home,
            loaded: false,
            left_home: 0,
            way: 0.0,
        },
        (SensesColliders::default(), StuckDetection::default()),
        (
            follow(true),
            way,
            // Feelers no longer than the maze is wide, or every corner would be an alarm.
            WallAvoidance {
                min_length: 0.3,
                look_ahead: 0.1,
                ..default()
            },
            ObstacleAvoidance {
                min_length: 0.2,
                look_ahead: 0.1,
                margin: 0.05,
                ..default()
            },
            Separation::within(1.2),
        ),
        Animal {
            name: "mouse",
            position: center(home),
            facing,
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

fn follow(corridor: bool) -> FollowPath {
    let follow = FollowPath {
        tolerance: ARRIVED,
        ..default()
    };
    if corridor {
        follow.corridor(ROAD, 0.4)
    } else {
        follow.waypoints(0.5)
    }
}

/// The shortest way from here to a home, or to the cheese.
fn plan(grid: &Grid, here: Vec2, home: Option<Cell>) -> SteeringPath {
    let is_goal = |cell| home.map_or(in_the_middle(cell), |home| cell == home);
    let cells = grid.way(cell_at(here), is_goal).unwrap_or_default();
    let goal = home.map_or(Vec2::ZERO, center);
    let corners = cells.into_iter().skip(1).map(center);
    let points = std::iter::once(here).chain(corners).chain([goal]);
    SteeringPath::open(points).unwrap_or_else(|error| unreachable!("cells are finite: {error}"))
}

fn choose(presses: Res<Presses>, mut choice: ResMut<Choice>) {
    for key in presses.keys() {
        match key {
            'c' => choice.corridor = true,
            'p' => choice.corridor = false,
            'w' => choice.walls ^= true,
            'a' => choice.obstacles ^= true,
            's' => choice.separation ^= true,
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
        ('s', choice.separation),
    ];
    let on = switches.into_iter().filter(|(_, on)| *on);
    on.map(|(key, _)| key).collect()
}

/// Hands the choice to the behaviors.
fn apply_choice(
    choice: Res<Choice>,
    mut mice: Query<
        (
            &mut FollowPath,
            &mut WallAvoidance,
            &mut ObstacleAvoidance,
            &mut Separation,
        ),
        With<Mouse>,
    >,
) {
    if !choice.is_changed() {
        return;
    }
    for (mut path, mut walls, mut obstacles, mut separation) in &mut mice {
        *path = follow(choice.corridor);
        enable(&mut walls, choice.walls);
        enable(&mut obstacles, choice.obstacles);
        enable(&mut separation, choice.separation);
    }
}

/// At the end of its way a mouse has the cheese, or has brought it home: on to the next.
fn turn_around(
    completed: On<PathCompleted>,
    current: Res<CurrentScene>,
    time: Res<Time>,
    maze: Option<Res<Maze>>,
    tally: Option<ResMut<Tally>>,
    mut mice: Query<(&mut Mouse, &Transform, &mut SteeringPath, &mut Look)>,
) {
    let Ok((mut mouse, at, mut path, mut look)) = mice.get_mut(completed.entity) else {
        return;
    };
    let (Some(maze), Some(mut tally)) = (maze, tally) else {
        return;
    };
    mouse.way += path.length();
    mouse.loaded = !mouse.loaded;
    if !mouse.loaded {
        let seconds = (current.tick() - mouse.left_home) as f32 * time.delta_secs();
        tally.rounds += 1;
        tally.time.add(seconds);
        tally.pace.add(mouse.way / seconds);
        mouse.left_home = current.tick();
        mouse.way = 0.0;
    }
    recolor(
        &mut look,
        if mouse.loaded {
            palette::GOLD
        } else {
            palette::SAND
        },
    );
    *path = mouse.plan(&maze.0, at.translation.truncate());
}

/// Whoever is stuck looks for a way again.
fn plan_anew(
    stuck: On<Stuck>,
    maze: Option<Res<Maze>>,
    tally: Option<ResMut<Tally>>,
    mut mice: Query<(&Mouse, &mut SteeringPath)>,
) {
    if let Ok((mouse, mut path)) = mice.get_mut(stuck.entity)
        && let (Some(maze), Some(mut tally)) = (maze, tally)
    {
        tally.stuck += 1;
        *path = mouse.plan(&maze.0, stuck.position);
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
        bodies.push((mouse, here, RADIUS));
    }
    for (pair, gap, radius) in pairs(&bodies) {
        tally.bumps.observe(pair, gap, radius);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    vec![
        Line::new("rounds completed", tally.rounds, ""),
        Line::new("time per round", tally.time.get(), "s"),
        Line::new("pace on the way", tally.pace.get(), "m/s (of 3.5)"),
        Line::new("mean speed", tally.speed.get(), "m/s"),
        Line::new("walls touched", tally.walls.touches(), "times"),
        Line::new("mice bumped", tally.bumps.touches(), "times"),
        Line::new("stuck", tally.stuck, "times"),
    ]
}

/// The same maze without what the mice see, and point by point.
fn experiment(seed: u64, ticks: u32) -> Vec<Line> {
    let all = Choice::default();
    let trials = [
        (
            "blind",
            Choice {
                walls: false,
                obstacles: false,
                ..all
            },
        ),
        (
            "no separation",
            Choice {
                separation: false,
                ..all
            },
        ),
        (
            "point by point",
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
    let trial = |(which, choice)| headless::trial(&SCENE, seed, ticks, which, choice, &labels);
    trials.into_iter().flat_map(trial).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, explain.run_if(playing(SCENE.name)));
}

fn explain(
    mice: Query<(
        Entity,
        &Drawn,
        &Vehicle,
        &SteeringForce,
        &WallAvoidance,
        (&Mouse, &SteeringPath, &FollowPathMemory),
    )>,
    surroundings: Surroundings,
    minds: Minds,
    mut gizmos: Gizmos,
) {
    for (entity, drawn, vehicle, force, walls, (mouse, path, progress)) in &mice {
        let color = if mouse.loaded {
            palette::GOLD
        } else {
            palette::MINT
        };
        let ahead = path.points().iter().skip(progress.waypoint).copied();
        let way = std::iter::once(drawn.pose.position).chain(ahead);
        gizmos.linestrip_2d(way, color.with_alpha(0.14));
        overlay::cross(
            &mut gizmos,
            center(mouse.home),
            0.2,
            palette::MUTED.with_alpha(0.6),
        );
        if walls.influence.enabled
            && let Some(me) = minds.of(entity)
        {
            let lag = drawn.pose.position - me.position;
            draw::feelers(&mut gizmos, lag, &me, walls, &surroundings, true);
        }
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}
