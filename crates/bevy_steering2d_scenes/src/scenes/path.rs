//! Path following: waypoints, a corridor, and wandering on the road.
//!
//! Each column shows another kind of walker on the same path. Walkers pass through each other.

mod route;
mod score;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;

use route::{Column, Outline, ROAD, Route};
use score::{Tally, distance_from};

use crate::arena::Arena;
use crate::bodies::{Animal, pass_through};
use crate::experiment::{Experiment, advance};
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, Scripted, playing};
use crate::look::{Drawn, Look};
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::trail::Trail;
use crate::{course, overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "path",
    title: "Along a path",
    help: "The same path three times. By waypoints, each point is reached in turn, on any line. \
           As a corridor, it is a road that is never left, even by fast or heavy walkers. The \
           strollers wander and only stay on the path. At the end of an open path walkers rest, \
           then walk back. Change the path while they walk.",
    keys: &[
        SceneKey::new('1', "Race track"),
        SceneKey::new('2', "Zigzag"),
        SceneKey::new('3', "Star"),
        SceneKey::new('l', "Loop"),
        SceneKey::new('h', "Heavy"),
    ],
    chosen,
    mouse: "",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment,
};

/// A waypoint is reached within this distance, m.
const REACH: f32 = 0.4;
const RADIUS: f32 = 0.35;
/// Rest at the end of an open path, ticks.
const REST: u32 = 48;
/// A walker has joined a new road after this time on it, ticks.
const JOINED: u32 = 32;
/// Mass of a heavy walker, kg.
const HEAVY: f32 = 5.0;

const WALKER: Vehicle = Vehicle {
    max_speed: 5.0,
    max_force: 20.0,
    response_time: 0.2,
    radius: None,
};
const STROLLER: Vehicle = Vehicle {
    max_speed: 2.5,
    ..WALKER
};
const STROLLERS: usize = 4;

/// The state of a walker.
#[derive(Component, Clone, Copy, Debug, Default)]
struct Walk {
    /// Whether it walks back along an open path.
    back: bool,
    /// Tick at which it completed the path.
    rests_since: Option<u32>,
    /// Ticks for which it has been well inside the road.
    steady: u32,
    /// Whether it has joined the road since the path was changed. Before that it may cross the
    /// road.
    joined: bool,
    /// Whether it has left the road since, and has not returned.
    astray: bool,
    /// Progress in the previous tick.
    before: Option<PathFollowingMemory>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Walk>()
        .add_scene_resource::<Route>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (measure, choose, walk_back))
        .add_observer(rest);
}

fn setup(world: &mut World) {
    world.insert_resource(Tally::default());
    let route = Route::default();
    world.insert_resource(route);
    for column in [Column::Waypoints, Column::Corridor] {
        let path = route.path(column, false);
        let begin = path.at(path.length() * world.resource_mut::<SceneRandom>().0.unit());
        let follow = match column {
            Column::Corridor => PathFollowing::default().with_corridor(ROAD, 0.5),
            _ => PathFollowing::default().with_waypoints(REACH),
        };
        let facing = path.direction(begin.segment).to_angle();
        let walker = walker(column, begin.position, facing, WALKER);
        world.spawn((walker, Trail::default(), path, follow));
    }
    for _ in 0..STROLLERS {
        let path = route.path(Column::Stroll, false);
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let begin = path.at(path.length() * random.unit());
        let facing = random.angle();
        let stroller = walker(Column::Stroll, begin.position, facing, STROLLER);
        // Keeps the whole body on the road.
        let stay = StayOnPath::default().with_half_width(ROAD - RADIUS);
        world.spawn((stroller, path, stay, Wander::default()));
    }
}

fn walker(column: Column, position: Vec2, facing: f32, vehicle: Vehicle) -> impl Bundle {
    let animal = Animal {
        name: "walker",
        position,
        facing,
        radius: RADIUS,
        color: column.color(),
        vehicle,
    };
    (column, Walk::default(), pass_through(), animal.dart())
}

fn choose(
    presses: Res<Presses>,
    mut route: ResMut<Route>,
    mut walkers: Query<(
        Entity,
        &Column,
        &mut Walk,
        &mut ColliderMassProperties,
        Option<&mut Trail>,
    )>,
    mut commands: Commands,
) {
    let before = *route;
    for key in presses.keys() {
        if let Some(shape) = Outline::ALL.into_iter().find(|it| it.key() == key) {
            route.shape = shape;
        }
        route.looped ^= key == 'l';
        route.heavy ^= key == 'h';
    }
    if *route == before {
        return;
    }
    let mass = if route.heavy { HEAVY } else { 1.0 };
    let new_path = (route.shape, route.looped) != (before.shape, before.looped);
    for (entity, column, mut walk, mut it, trail) in &mut walkers {
        if route.heavy != before.heavy {
            *it = ColliderMassProperties::Mass(mass);
        }
        if new_path {
            *walk = Walk::default();
            if let Some(mut trail) = trail {
                *trail = Trail::default();
            }
            commands.entity(entity).insert(route.path(*column, false));
        }
    }
}

/// A drawn piece of the road of this route.
#[derive(Component, Clone, Copy, Debug)]
struct Pavement(Route);

/// Draws the roads of the columns that have one.
fn pave(route: Res<Route>, old: Query<(Entity, &Pavement)>, mut commands: Commands) {
    // Compared, since going back to an earlier tick is not detected as a change.
    if old.iter().any(|(_, piece)| piece.0 == *route) {
        return;
    }
    for (piece, _) in &old {
        commands.entity(piece).despawn();
    }
    for column in [Column::Corridor, Column::Stroll] {
        let path = route.path(column, false);
        for (at, shape) in course::pavement(&path, ROAD) {
            commands.spawn((
                (Name::new("road"), InScene::default(), Pavement(*route)),
                Transform::from_translation(at.extend(0.0)),
                Look {
                    shape,
                    color: palette::ROAD,
                    layer: -0.5,
                },
            ));
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let route = world.resource::<Route>();
    let options = [(route.looped, 'l'), (route.heavy, 'h')];
    let on = options.into_iter().filter(|(on, _)| *on);
    [route.shape.key()]
        .into_iter()
        .chain(on.map(|(_, key)| key))
        .collect()
}

/// Lets a walker rest at the end of an open path.
fn rest(
    completed: On<PathCompleted>,
    current: Res<CurrentScene>,
    tally: Option<ResMut<Tally>>,
    mut walkers: Query<(&Column, &mut Walk)>,
) {
    if let (Some(mut tally), Ok((column, mut walk))) = (tally, walkers.get_mut(completed.entity)) {
        tally.0[*column as usize].completed += 1;
        walk.rests_since = Some(current.tick());
    }
}

/// Sends walkers back along the path after their rest.
fn walk_back(
    current: Res<CurrentScene>,
    route: Res<Route>,
    mut walkers: Query<(Entity, &Column, &mut Walk)>,
    mut commands: Commands,
) {
    for (entity, column, mut walk) in &mut walkers {
        let rested = |since| current.tick() >= since + REST;
        if walk.rests_since.is_some_and(rested) {
            *walk = Walk {
                back: !walk.back,
                joined: walk.joined,
                astray: walk.astray,
                ..default()
            };
            commands
                .entity(entity)
                .insert(route.path(*column, walk.back));
        }
    }
}

fn measure(
    mut tally: ResMut<Tally>,
    mut walkers: Query<(
        &Column,
        &mut Walk,
        &Kinematics,
        &Vehicle,
        &SteeringPath,
        Option<&PathFollowingMemory>,
    )>,
) {
    for (column, mut walk, body, vehicle, path, progress) in &mut walkers {
        if body.mass == 0.0 {
            continue; // not sensed yet
        }
        let score = &mut tally.0[*column as usize];
        if walk.rests_since.is_none() {
            score.speed.add(body.speed() / vehicle.max_speed);
        }
        let off = distance_from(path, body.position, progress);
        let steady = off <= 0.8 * ROAD;
        walk.steady = if steady { walk.steady + 1 } else { 0 };
        walk.joined |= walk.steady >= JOINED;
        if walk.joined {
            score.off.add(off);
            score.left_road += u32::from(off > ROAD && !walk.astray);
            walk.astray = off > ROAD || walk.astray && !steady;
        }
        if let Some(progress) = progress {
            if let Some(before) = walk.before {
                // A corridor may cut the corners of its center line.
                let reach = if *column == Column::Corridor {
                    f32::INFINITY
                } else {
                    REACH
                };
                score.count_waypoints(path, reach, body.position, before, progress);
            }
            walk.before = Some(*progress);
        }
    }
}

/// Selects the track, looped and open, then the zigzag and the star.
fn script(world: &mut World, tick: u32) {
    let key = match tick % 2_400 {
        640 => 'l',
        1_100 => '2',
        1_700 => 'l',
        1_800 => '3',
        2_399 => '1',
        _ => return,
    };
    world.resource_mut::<Presses>().press(key);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let columns = Column::ALL.into_iter().zip(&tally.0);
    columns
        .flat_map(|(column, score)| score.lines(column, &format!("{}: ", column.word())))
        .collect()
}

/// Runs each path, open and looped, with two seeds: first light walkers, then heavy ones.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    const WORLDS: u64 = 2;
    let mut lines = vec![Line::new("runs per weight", 6 * WORLDS as u32, "")];
    for (heavy, weight) in [(false, "light"), (true, "heavy")] {
        let routes = Outline::ALL.into_iter().flat_map(|shape| {
            [true, false].map(|looped| Route {
                shape,
                looped,
                heavy,
            })
        });
        let sum = routes
            .flat_map(|route| (0..WORLDS).map(move |world| (route, world)))
            .map(|(route, world)| trial(experiment, route, world))
            .fold(Tally::default(), |sum, tally| sum.plus(&tally));
        for column in Column::ALL {
            let prefix = format!("{weight} {}: ", column.word());
            lines.extend(sum.0[column as usize].lines(column, &prefix));
        }
    }
    lines
}

fn trial(experiment: &Experiment, route: Route, world: u64) -> Tally {
    let mut app = experiment.app(experiment.seed.wrapping_add(world));
    app.world_mut().remove_resource::<Scripted>();
    let mut presses = app.world_mut().resource_mut::<Presses>();
    presses.press(route.shape.key());
    if !route.looped {
        presses.press('l');
    }
    if route.heavy {
        presses.press('h');
    }
    advance(&mut app, experiment.ticks);
    *app.world().resource::<Tally>()
}

fn build_overlay(app: &mut App) {
    // In every frame, not in ticks: none runs while an earlier one is shown.
    app.add_systems(
        Update,
        (pave, draw_overlay).chain().run_if(playing(SCENE.name)),
    );
}

fn draw_overlay(
    route: Res<Route>,
    walkers: Query<(
        &Drawn,
        &Column,
        &Vehicle,
        &SteeringForce,
        Option<(&Trail, &SteeringPath, &PathFollowingMemory)>,
    )>,
    mut gizmos: Gizmos,
) {
    for column in Column::ALL {
        let path = route.path(column, false);
        overlay::path(&mut gizmos, &path, palette::MUTED.with_alpha(0.3));
        let title = column.center() + Vec2::new(0.0, 10.3);
        overlay::caption(&mut gizmos, title, column.name(), column.color());
        if column == Column::Waypoints {
            for point in path.points() {
                gizmos.circle_2d(*point, REACH, palette::MUTED);
            }
        }
    }
    for (drawn, column, vehicle, force, walk) in &walkers {
        let here = drawn.pose.position;
        if let Some((trail, path, progress)) = walk {
            trail.draw(&mut gizmos, here, column.color());
            let next = path.points()[progress.waypoint.min(path.points().len() - 1)];
            match column {
                Column::Waypoints => overlay::aim(&mut gizmos, here, next, palette::GOLD),
                _ => overlay::cross(
                    &mut gizmos,
                    path.at(progress.distance).position,
                    0.3,
                    palette::GOLD,
                ),
            }
        }
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}
