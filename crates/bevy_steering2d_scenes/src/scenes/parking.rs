//! Parking: a car looks for a free bay among parked cars and enters it, forward or in reverse.
//!
//! The car drives along the aisle until it sees a free bay, goes to the side from which it can enter, and
//! [`Park`]s. Then the bays are dealt anew. All cars are solid. The [experiment](Scene::experiment) parks
//! two hundred times and counts the contacts with other cars and with the walls behind the bays.

mod bay;

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::ParkMemory;
use bevy_steering2d::prelude::*;

use bay::{Bay, COLUMNS, FORWARD_FROM, OPEN, REVERSE_FROM, SIGHT, WALL, WIDTH, Way};

use crate::arena::Arena;
use crate::bodies::teleport;
use crate::cars::{Block, CAR, Driven, car_at, coachwork, draw_wheels};
use crate::contacts::Contacts;
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, playing};
use crate::look::{Drawn, Look, Shape};
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::trail::Trail;
use crate::{overlay, palette, props};

pub(crate) const SCENE: Scene = Scene {
    name: "parking",
    title: "Parking",
    help: "The amber car looks for a free bay, goes to the far side of the aisle and parks: \
           forward, or past the bay and in reverse. The line is its maneuver, made of arcs \
           and straight lines; if it misses, it pulls out and tries again. Then the bays \
           are dealt anew.",
    keys: &[
        SceneKey::new('1', "Forward"),
        SceneKey::new('2', "In reverse"),
    ],
    chosen: |world| vec![world.resource::<Way>().key()],
    mouse: "",
    crowd: None,
    arena: Arena {
        half_size: Vec2::new(21.0, 12.0),
        corner: 2.0,
    },
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

/// The first bays are too near for a car that has just come.
const FIRST_FREE: usize = 2;
const FREE: usize = 2;

/// Time in the bay, and the longest time of an attempt, ticks.
const REST: u32 = 64;
const LIMIT: u32 = 64 * 60;

/// The car that parks.
#[derive(Component, Clone, Copy, Debug, Default)]
struct Driver {
    stage: Stage,
    /// Tick in which it has come.
    since: u32,
    /// Gear in the last tick, and changes of it in this attempt.
    reversing: bool,
    shifts: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Comes with the next tick.
    #[default]
    Due,
    /// Looks for a bay.
    Looks,
    /// Drives to where it can enter.
    Approaches(Bay),
    Enters(Bay),
    /// Rests since this tick.
    Rests(u32),
}

/// A parked car in a bay.
#[derive(Component, Clone, Copy, Debug)]
struct Parked(Bay);

/// Measurements.
#[derive(Resource, Clone)]
struct Tally {
    attempts: u32,
    parked: u32,
    cars: Contacts<Entity>,
    walls: Contacts<Entity>,
    /// From the entrance to the bay, s.
    times: Mean,
    shifts: Mean,
    /// From the middle of the bay, m.
    offset: Mean,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            attempts: 0,
            parked: 0,
            cars: Contacts::solid(),
            walls: Contacts::solid(),
            times: Mean::default(),
            shifts: Mean::default(),
            offset: Mean::default(),
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Driver>()
        .add_scene_component::<Parked>()
        .add_scene_resource::<Way>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (choose, deal, drive, keep_tally));
}

fn setup(world: &mut World) {
    world.insert_resource(Way::default());
    world.insert_resource(Tally::default());
    for side in [1.0, -1.0] {
        let end = 0.5 * WIDTH * COLUMNS as f32 + 0.2;
        let corner = |x: f32| Vec2::new(x, side * WALL);
        world.spawn(props::wall(Wall::new(corner(-end), corner(end))));
    }
    for number in 0..=Bay::ALL {
        if number % COLUMNS == 0 && number > 0 {
            let last = Bay(number - 1).middle() + Vec2::new(0.5 * WIDTH, 0.0);
            world.spawn(line(last));
        }
        if number < Bay::ALL {
            world.spawn(line(Bay(number).middle() - Vec2::new(0.5 * WIDTH, 0.0)));
        }
    }
    for number in FREE..Bay::ALL {
        let at = Bay(number).middle().extend(0.0);
        world.spawn((
            (Name::new("parked car"), InScene::default()),
            Parked(Bay(number)),
            Transform::from_translation(at),
            RigidBody::Fixed,
            Collider::cuboid(CAR.x, CAR.y),
            Friction::coefficient(0.0),
            coachwork(CAR, palette::MUTED),
        ));
    }
    let car = Driven {
        name: "car",
        position: Vec2::new(-17.0, 0.0),
        facing: 0.0,
        half: CAR,
        mass: 1_200.0,
        vehicle: car_at(5.0),
        color: palette::AMBER,
    };
    let driver = (Driver::default(), Trail::default(), Wheeled::default());
    world.spawn((driver, car.bundle()));
}

/// A line between two bays.
fn line(middle: Vec2) -> impl Bundle {
    let half = Vec2::new(0.05, 0.5 * (WALL - OPEN));
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let look = Look {
        shape: Shape::Area(corners.map(|at| half * Vec2::from(at)).into()),
        color: palette::FENCE,
        layer: -0.5,
    };
    let at = Vec2::new(middle.x, middle.y.signum() * 0.5 * (WALL + OPEN));
    (
        (Name::new("line"), InScene::default()),
        Transform::from_translation(at.extend(0.0)),
        look,
    )
}

fn choose(presses: Res<Presses>, mut way: ResMut<Way>, mut driver: Single<&mut Driver>) {
    for key in presses.keys() {
        if let Some(chosen) = Way::ALL.into_iter().find(|it| it.key() == key) {
            *way = chosen;
            driver.stage = Stage::Due;
        }
    }
}

/// Deals the bays anew and lets the car come.
fn deal(
    current: Res<CurrentScene>,
    mut random: ResMut<SceneRandom>,
    mut parked: Query<(&mut Parked, &mut Transform), Without<Driver>>,
    driver: Single<(Entity, &mut Driver, &mut Transform, &mut Velocity)>,
    mut commands: Commands,
) {
    let (entity, mut driver, mut at, mut velocity) = driver.into_inner();
    if driver.stage != Stage::Due {
        return;
    }
    let random = &mut random.0;
    let mut bays: Vec<_> = (0..Bay::ALL).map(Bay).collect();
    for _ in 0..FREE {
        let free = |bay: &Bay| bay.0 % COLUMNS >= FIRST_FREE;
        let candidates = bays.iter().filter(|bay| free(bay)).count() as f32;
        let drawn = (candidates * random.unit()) as usize;
        let taken = bays.iter().copied().filter(free).nth(drawn);
        bays.retain(|bay| Some(*bay) != taken);
    }
    for ((mut parked, mut at), bay) in parked.iter_mut().zip(bays) {
        parked.0 = bay;
        let about = if random.unit() < 0.5 { 0.0 } else { 2.0 };
        let angle = FRAC_PI_2 * (1.0 + about) + 0.03 * random.signed_unit();
        let beside = Vec2::new(0.15 * random.signed_unit(), 0.2 * random.signed_unit());
        at.translation = (bay.middle() + beside).extend(0.0);
        at.rotation = Quat::from_rotation_z(angle);
    }
    let start = Vec2::new(-18.0, 0.5 * random.signed_unit());
    teleport(&mut at, &mut velocity, start);
    at.rotation = Quat::from_rotation_z(0.1 * random.signed_unit());
    *driver = Driver {
        stage: Stage::Looks,
        since: current.tick(),
        ..default()
    };
    let aisle = [start, Vec2::new(start.x + 6.0, 0.0), Vec2::new(18.0, 0.0)];
    let mut car = commands.entity(entity);
    car.remove::<(Park, ParkMemory)>();
    follow(&mut car, aisle);
}

fn follow(car: &mut EntityCommands, points: [Vec2; 3]) {
    match SteeringPath::open(points) {
        Ok(path) => {
            car.insert((path, PathFollowing::default().with_corridor(0.4, 0.5)));
        }
        Err(error) => error!("the way to a bay: {error}"),
    }
}

/// Goes from stage to stage.
fn drive(
    current: Res<CurrentScene>,
    way: Res<Way>,
    parked: Query<&Parked>,
    driver: Single<(Entity, &mut Driver, &Transform, Option<&ParkMemory>)>,
    mut commands: Commands,
) {
    let (entity, mut driver, at, memory) = driver.into_inner();
    let here = at.translation.truncate();
    let mut car = commands.entity(entity);
    match driver.stage {
        Stage::Looks => {
            let taken = |bay: &Bay| parked.iter().any(|it| it.0 == *bay);
            let seen = |bay: &Bay| {
                let ahead = bay.middle().x - here.x;
                ahead > SIGHT - 2.0 && ahead < SIGHT && !taken(bay)
            };
            if let Some(bay) = (0..Bay::ALL).map(Bay).find(seen) {
                follow(&mut car, bay.approach(*way, here));
                driver.stage = Stage::Approaches(bay);
            }
        }
        Stage::Approaches(bay) => {
            let from = match *way {
                Way::Forward => FORWARD_FROM,
                Way::Reverse => REVERSE_FROM,
            };
            if here.x > bay.middle().x + from {
                car.remove::<(PathFollowing, SteeringPath)>();
                car.insert(bay.wish(*way));
                driver.stage = Stage::Enters(bay);
            }
        }
        Stage::Enters(_) if memory.is_some_and(|it| it.arrived) => {
            driver.stage = Stage::Rests(current.tick());
        }
        Stage::Rests(since) if current.tick() >= since + REST => driver.stage = Stage::Due,
        _ => {}
    }
}

/// Counts contacts and attempts; an attempt ends in the bay, or after a time.
fn keep_tally(
    time: Res<Time>,
    current: Res<CurrentScene>,
    mut tally: ResMut<Tally>,
    parked: Query<(Entity, &Transform), With<Parked>>,
    walls: Query<(Entity, &Wall)>,
    driver: Single<(&mut Driver, &Transform, &Controls)>,
) {
    let (mut driver, at, controls) = driver.into_inner();
    let body = Block::new(at, CAR);
    for (entity, at) in &parked {
        tally
            .cars
            .observe(entity, body.gap(&Block::new(at, CAR)), CAR.y);
    }
    for (entity, wall) in &walls {
        tally
            .walls
            .observe(entity, body.gap(&Block::of_wall(wall)), CAR.y);
    }
    driver.shifts += u32::from(driver.reversing != controls.reversing);
    driver.reversing = controls.reversing;
    let elapsed = current.tick() - driver.since;
    match driver.stage {
        Stage::Rests(since) if since == current.tick() => {
            let place = Bay::nearest(at.translation.truncate()).middle();
            tally.attempts += 1;
            tally.parked += 1;
            tally.times.add(elapsed as f32 * time.delta_secs());
            tally.shifts.add(driver.shifts as f32);
            tally.offset.add(place.distance(at.translation.truncate()));
        }
        Stage::Looks | Stage::Approaches(_) | Stage::Enters(_) if elapsed > LIMIT => {
            tally.attempts += 1;
            driver.stage = Stage::Due;
        }
        _ => {}
    }
}

impl Tally {
    fn lines(&self) -> Vec<Line> {
        vec![
            Line::new("parked", self.parked, format!("of {}", self.attempts)),
            Line::new("cars touched", self.cars.begun(), "times"),
            Line::new("walls touched", self.walls.begun(), "times"),
            Line::new("time", self.times.get(), "s from the entrance to the bay"),
            Line::new("changes of gear", self.shifts.get(), ""),
            Line::new("from the middle", self.offset.get(), "m"),
        ]
    }
}

fn report(world: &World) -> Vec<Line> {
    let mut lines = vec![Line::new("enters", world.resource::<Way>().name(), "")];
    lines.extend(world.resource::<Tally>().lines());
    lines
}

/// A hundred parkings each way.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    const PARKINGS: u32 = 100;
    let parkings = |way: Way| {
        let mut app = experiment.app(experiment.seed);
        app.insert_resource(way);
        while app.world().resource::<Tally>().attempts < PARKINGS {
            app.update();
        }
        let lines = app.world().resource::<Tally>().lines();
        lines.into_iter().map(move |line| line.of(way.name()))
    };
    Way::ALL.into_iter().flat_map(parkings).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    driver: Single<(
        (&Driver, &Drawn, &Trail),
        (&Wheeled, &Controls),
        Option<&ParkMemory>,
        Entity,
    )>,
    views: bevy_steering2d_debug::AgentViews,
    mut gizmos: Gizmos,
) {
    let ((driver, drawn, trail), (wheels, controls), memory, entity) = *driver;
    trail.draw(&mut gizmos, drawn.pose.position, palette::AMBER);
    draw_wheels(&mut gizmos, drawn, CAR, wheels, controls);
    if let Stage::Approaches(bay) | Stage::Enters(bay) = driver.stage {
        overlay::cross(&mut gizmos, bay.middle(), 0.4, palette::GOLD);
    }
    if let Some(me) = views.get(entity)
        && let Some(maneuver) = memory.and_then(|it| it.maneuver)
    {
        gizmos.linestrip_2d(maneuver.outline(&me), palette::GOLD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn cars_park_two_hundred_times_without_a_contact() {
        let report = headless::study(&SCENE, 1, 0);
        for way in Way::ALL {
            let of = |what: &str| number(&report, &format!("{}: {what}", way.name()));
            assert_eq!(of("parked"), 100.0, "{report}");
            assert_eq!(of("cars touched"), 0.0, "{report}");
            assert_eq!(of("walls touched"), 0.0, "{report}");
            assert!(of("from the middle") < 0.1, "{report}");
        }
    }
}
