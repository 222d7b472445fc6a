//! Evacuation of a room through one door.
//!
//! Four behaviors lead the people out: [`Seek`], [`Separation`], [`WallAvoidance`] and [`Queuing`]
//! (Falcón 2008). With [`Queuing`] people brake behind slower ones ahead, and the room empties without a
//! crush; without it they push. The [experiment](Scene::experiment) empties the same room both ways.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::BehaviorRegistry;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Person, enable, recolor};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look, Shape};
use crate::placement::spot_in;
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "door",
    title: "Door",
    help: "People leave a room by its only door, at most two abreast, and walk to seats \
           outside. With queuing a person brakes behind a slower one ahead (amber); without it \
           people push. Red people collide.",
    keys: &[SceneKey::new('q', "Queuing")],
    chosen: |world| {
        let queues = world.resource::<Options>().queue;
        queues.then_some('q').into_iter().collect()
    },
    mouse: "",
    crowd: Crowd::new(10, 80, 80),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.25;
/// x of the wall with the door, m.
const WALL: f32 = 2.0;
/// Half the width of the door, m.
const DOOR: f32 = 0.65;
/// Inside, guests seek a point this far behind the door, m.
const THROUGH: f32 = 1.0;
/// Collisions count within this distance of the door, m.
const AT_THE_DOOR: f32 = 4.0;

const PERSON: Vehicle = Vehicle {
    max_speed: 1.6,
    max_force: 8.0,
    response_time: 0.25,
    radius: None,
};

/// A person who leaves the room.
#[derive(Component, Clone, Copy, Debug)]
struct Guest;

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug)]
struct Options {
    queue: bool,
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    people: usize,
    collisions: Contacts<Pair>,
    out: u32,
    /// Time when the last person was out, s.
    emptied: Option<f32>,
    speed: Mean,
}

impl Tally {
    fn collisions_per_person(&self) -> f32 {
        self.collisions.per_person(self.people)
    }
}

fn build(app: &mut App) {
    app.add_scene_resource::<Options>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (read_keys, guide_guests, keep_tally, color_guests),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Options { queue: true });
    let people = agent_count(world);
    world.insert_resource(Tally {
        people,
        ..default()
    });
    let arena = *world.resource::<Arena>();
    for side in [-1.0, 1.0] {
        let post = Vec2::new(WALL, side * DOOR);
        spawn_wall(world, post, Vec2::new(WALL, side * arena.half_size.y));
    }
    let mut places = Vec::new();
    let room = Rect::new(-13.5, -8.5, WALL - 1.5, 8.5);
    for _ in 0..people {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        places.push(spot_in(room, &places, 0.9, random));
    }
    // The nearest person gets the farthest seat, so that the rows fill from the far end.
    let door = Vec2::new(WALL, 0.0);
    let by_distance = |a: &Vec2, b: &Vec2| a.distance(door).total_cmp(&b.distance(door));
    places.sort_by(by_distance);
    for (place, seat) in places.into_iter().zip(seats()) {
        let person = Person {
            name: "guest",
            position: place,
            velocity: Vec2::X,
            radius: RADIUS,
            color: palette::SAND,
            vehicle: PERSON,
            solid: true,
        };
        world.spawn((
            Guest,
            Seek::new(door + THROUGH * Vec2::X),
            Arrive::new(seat).disabled(),
            Queuing::default(),
            Separation::new(1.0),
            // Short, so that those at the door feel its posts late, and without the rear feeler,
            // which would push them off the wall and into each other.
            WallAvoidance {
                min_length: 0.3,
                look_ahead_time: 0.1,
                rear: false,
                ..WallAvoidance::new(Feelers::Single)
            },
            person.bundle(),
        ));
    }
}

/// Rows of seats outside, the farthest first.
fn seats() -> impl Iterator<Item = Vec2> {
    const ROWS: usize = 8;
    const PER_ROW: usize = 10;
    (0..ROWS * PER_ROW).map(|i| {
        let (row, seat) = (i / PER_ROW, i % PER_ROW);
        Vec2::new(
            14.2 - 1.1 * row as f32,
            1.5 * (seat as f32 - 0.5 * (PER_ROW - 1) as f32),
        )
    })
}

/// A solid wall that feelers also detect.
fn spawn_wall(world: &mut World, from: Vec2, to: Vec2) {
    const HALF_WIDTH: f32 = 0.08;
    let side = HALF_WIDTH * (to - from).normalize_or_zero().perp();
    world.spawn((
        Name::new("wall"),
        InScene::default(),
        (
            RigidBody::Fixed,
            Collider::segment(from, to),
            Friction::coefficient(0.0),
        ),
        Wall::new(from, to),
        Transform::default(),
        Look {
            shape: Shape::Area([from - side, to - side, to + side, from + side].into()),
            color: palette::MUTED,
            layer: 0.0,
        },
    ));
}

fn read_keys(
    presses: Res<Presses>,
    mut options: ResMut<Options>,
    mut guests: Query<(&Transform, &mut Queuing), With<Guest>>,
) {
    for _ in presses.keys().filter(|key| *key == 'q') {
        options.queue ^= true;
    }
    for (at, mut queuing) in &mut guests {
        // Guests do not wait behind those who sit.
        enable(&mut queuing, options.queue && !is_outside(at));
    }
}

/// Outside, guests walk to their seats.
fn guide_guests(mut guests: Query<(&Transform, &mut Seek, &mut Arrive), With<Guest>>) {
    for (at, mut seek, mut arrive) in &mut guests {
        let outside = is_outside(at);
        enable(&mut seek, !outside);
        enable(&mut arrive, outside);
    }
}

fn is_outside(at: &Transform) -> bool {
    at.translation.x > WALL + RADIUS
}

fn keep_tally(
    time: Res<Time>,
    current: Res<CurrentScene>,
    mut tally: ResMut<Tally>,
    guests: Query<(Entity, &Transform, &Velocity), With<Guest>>,
) {
    let position = |at: &Transform| at.translation.truncate();
    let door = Vec2::new(WALL, 0.0);
    let near = guests
        .iter()
        .filter(|(_, at, _)| position(at).distance(door) < AT_THE_DOOR)
        .map(|(entity, at, _)| Disc::new(entity, at, RADIUS));
    tally.collisions.observe_pairs(near.collect());
    let is_out = |at: &Transform| position(at).x > WALL + RADIUS;
    tally.out = guests.iter().filter(|(_, at, _)| is_out(at)).count() as u32;
    if tally.out as usize == tally.people && tally.emptied.is_none() {
        tally.emptied = Some(time.delta_secs() * current.tick() as f32);
    }
    for (_, _, velocity) in guests.iter().filter(|(_, at, _)| !is_out(at)) {
        tally.speed.add(velocity.linear.length());
    }
}

fn color_guests(
    tally: Res<Tally>,
    registry: Res<BehaviorRegistry>,
    mut guests: Query<(Entity, &SteeringForce, &mut Look), With<Guest>>,
) {
    let touching = tally.collisions.touching();
    let queuing = registry.of::<Queuing>().map(|info| info.id);
    for (entity, force, mut look) in &mut guests {
        let holds_back = |force: &SteeringForce| {
            let mut ledger = force.ledger();
            ledger.any(|entry| Some(entry.behavior) == queuing && entry.accepted().length() > 0.5)
        };
        let color = if touching.contains(&entity) {
            palette::RED
        } else if holds_back(force) {
            palette::AMBER
        } else {
            palette::SAND
        };
        recolor(&mut look, color);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let queue = world.resource::<Options>().queue;
    let mut lines = vec![Line::new("queuing", if queue { "yes" } else { "no" }, "")];
    lines.extend(tally.lines());
    lines
}

impl Tally {
    fn lines(&self) -> Vec<Line> {
        vec![
            Line::new("out of the room", self.out, format!("of {}", self.people)),
            Line::new("time to empty the room", self.emptied, "s"),
            Line::new("collisions at the door", self.collisions.begun(), ""),
            Line::new("collisions per person", self.collisions_per_person(), ""),
            Line::new("mean speed in the room", self.speed.get(), "m/s"),
        ]
    }
}

/// Empties the same room with and without queuing.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    /// Maximum length of a run, ticks.
    const AT_MOST: u32 = 64 * 180;
    let run = |name: &str, queue| {
        let mut app = experiment.app(experiment.seed);
        app.insert_resource(Options { queue });
        for _ in 0..AT_MOST {
            app.update();
            if app.world().resource::<Tally>().emptied.is_some() {
                break;
            }
        }
        let lines = app.world().resource::<Tally>().lines().into_iter();
        lines.map(|line| line.of(name)).collect::<Vec<_>>()
    };
    [run("with queuing", true), run("without", false)].concat()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

/// Draws the perception of one guest; lines for all would hide the crowd.
fn draw_overlay(
    guests: Query<(&Drawn, &Transform, &Vehicle, &SteeringForce, &Queuing), With<Guest>>,
    mut gizmos: Gizmos,
) {
    let door = Vec2::new(WALL, 0.0);
    overlay::range(&mut gizmos, door, AT_THE_DOOR, palette::MUTED);
    let post = DOOR * Vec2::Y;
    gizmos.line_2d(door - post, door + post, palette::MINT);
    // The last guests of the query leave late.
    let inside = guests.iter().filter(|(_, at, ..)| at.translation.x < WALL);
    let Some((drawn, _, vehicle, force, queuing)) = inside.last() else {
        return;
    };
    let center = drawn.pose.position;
    gizmos.circle_2d(center, 2.0 * RADIUS, palette::GOLD);
    overlay::force(&mut gizmos, drawn, force, vehicle);
    // The area in which a slower person makes it brake.
    let ahead = drawn.pose.facing * Vec2::X;
    let length = 2.0 * RADIUS + queuing.look_ahead_distance;
    let area = Isometry2d::new(center + 0.5 * length * ahead, drawn.pose.facing);
    let size = Vec2::new(length, 2.0 * queuing.half_width);
    gizmos.rect_2d(area, size, palette::GOLD.with_alpha(0.5));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn room_empties_and_queuing_makes_collisions_rarer() {
        let report = headless::study(&SCENE, 1, 0);
        for run in ["with queuing", "without"] {
            let out = number(&report, &format!("{run}: out of the room"));
            assert_eq!(out, 80.0, "{report}");
        }
        let with = number(&report, "with queuing: collisions at the door");
        let without = number(&report, "without: collisions at the door");
        assert!(4.0 * with < without, "{report}");
    }
}
