//! People in single file: [`Headway`] makes them as slow as their line is dense.
//!
//! They walk round an oval with all of [`Pedestrian::measured`] but its [`ReciprocalAvoidance`], by which they would
//! overtake. When one stops, those behind stop one after the other, and start one after the other: the jam travels
//! backward while the people in it walk on. The [experiment](Scene::experiment) changes the number of people.

mod diagram;
mod tally;

use std::f32::consts::PI;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use tally::{Jam, Tally, follow_jam, keep_tally, report};

use crate::arena::Arena;
use crate::bodies::Person;
use crate::course::road;
use crate::experiment::{Experiment, advance};
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{
    CurrentScene, SceneRandom, SceneSystemsExt, Scripted, agent_count, playing, restart_with,
};
use crate::palette;
use crate::report::Line;
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;

pub(crate) const SCENE: Scene = Scene {
    name: "single_file",
    title: "Single file",
    help: "People walk in one line and do not overtake. Each keeps a gap to the next that grows with \
           its speed, so the more there are, the slower they walk: green ones are fast, red ones \
           stand. Those in lilac rings are slow. The one in the gold ring stops for six seconds \
           when told to; watch the jam travel backward. The diagram has a dot for each person, \
           and the line that was measured on people.",
    keys: &[
        SceneKey::new('x', "Stop one"),
        SceneKey::new('s', "Slow people"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(20, 60, 100),
    arena: Arena {
        half_size: Vec2::new(12.0, 8.5),
        corner: 5.0,
    },
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment,
};

/// Half the length of the straights, and the radius of the bends, m.
const STRAIGHT: f32 = 3.5;
const BEND: f32 = 6.5;
/// Half the width of the track, and of the corridor in which the centers of people stay, m.
const TRACK: f32 = 0.35;
const IN_LINE: f32 = 0.15;
/// One in so many people is slow, and walks at this pace, m/s.
const ONE_IN: usize = 20;
const SLOW: f32 = 0.7;
/// Ticks until the people have found their speed.
const WARM_UP: u32 = 64 * 8;

/// A person.
#[derive(Component, Clone, Copy, Debug)]
struct Walker {
    /// The one with number zero is in the gold ring.
    number: usize,
    /// m/s
    pace: f32,
    slow: bool,
}

/// The middle of the track.
#[derive(Resource, Clone, Debug)]
struct Track(SteeringPath);

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug)]
struct Options {
    slow_people: bool,
}

fn build(app: &mut App) {
    app.add_scene_component::<Walker>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Jam>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (read_keys, set_paces, follow_jam, keep_tally));
}

/// Counterclockwise.
fn oval() -> SteeringPath {
    const STEPS: usize = 24;
    let bend = |side: f32| {
        (0..=STEPS).map(move |step| {
            let angle = PI * (step as f32 / STEPS as f32 - 0.5);
            side * (STRAIGHT * Vec2::X + BEND * Vec2::from_angle(angle))
        })
    };
    let path = SteeringPath::looped(bend(1.0).chain(bend(-1.0)));
    path.unwrap_or_else(|error| unreachable!("an oval is a path: {error}"))
}

fn setup(world: &mut World) {
    world.insert_resource(Options { slow_people: true });
    world.insert_resource(Jam::default());
    world.insert_resource(Tally::default());
    let track = oval();
    for slab in road(&track, TRACK) {
        world.spawn(slab);
    }
    let shared = world.spawn((InScene::default(), track.clone())).id();
    let people = agent_count(world);
    for number in 0..people {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let pace = Pedestrian::desired_speed(random);
        let place = (number as f32 + 0.1 * random.unit()) / people as f32;
        let on_track = track.at(place * track.length());
        let (pedestrian, headway) = Pedestrian::measured(pace);
        let person = Person {
            name: "walker",
            position: on_track.position,
            velocity: 0.2 * track.direction(on_track.segment),
            radius: Pedestrian::RADIUS,
            color: palette::RED,
            vehicle: pedestrian.vehicle,
            solid: true,
        };
        let walker = Walker {
            number,
            pace,
            slow: number % ONE_IN == ONE_IN / 2,
        };
        let walk = PathFollowing::new(shared)
            .with_corridor(IN_LINE, 0.5)
            .with_pace(pace);
        world.spawn((walker, walk, headway, pedestrian.combine, person.bundle()));
    }
    world.insert_resource(Track(track));
}

fn read_keys(
    presses: Res<Presses>,
    current: Res<CurrentScene>,
    mut options: ResMut<Options>,
    mut jam: ResMut<Jam>,
) {
    for key in presses.keys() {
        match key {
            'x' => jam.begin = Some(current.tick()),
            's' => options.slow_people ^= true,
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let held = world
        .resource::<Jam>()
        .is_held(world.resource::<CurrentScene>());
    let slow = world.resource::<Options>().slow_people;
    let keys = [('x', held), ('s', slow)].into_iter();
    keys.filter_map(|(key, on)| on.then_some(key)).collect()
}

fn set_paces(
    current: Res<CurrentScene>,
    options: Res<Options>,
    jam: Res<Jam>,
    mut walkers: Query<(&Walker, &mut PathFollowing)>,
) {
    for (walker, mut walk) in &mut walkers {
        let pace = if walker.number == 0 && jam.is_held(&current) {
            0.0
        } else if walker.slow && options.slow_people {
            SLOW
        } else {
            walker.pace
        };
        if walk.pace != Some(pace) {
            walk.pace = Some(pace);
        }
    }
}

/// Stops the person in the ring every thirty seconds.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 64 * 30;
    if tick % EVERY == WARM_UP {
        world.resource_mut::<Presses>().press('x');
    }
}

/// Runs from few to many people, of whom none is slow and none stops.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let run = |people: usize| {
        let mut app = experiment.app(experiment.seed);
        let world = app.world_mut();
        world.remove_resource::<Scripted>();
        restart_with(world, experiment.seed, people);
        world.insert_resource(Options { slow_people: false });
        advance(&mut app, experiment.ticks);
        let speed = app.world().resource::<Tally>().speed.get();
        Line::new("mean speed", speed, "m/s").of(&format!("{people} people"))
    };
    [20, 60, 80, 100].map(run).to_vec()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, diagram::draw_overlay.run_if(playing(SCENE.name)));
}

#[cfg(test)]
mod tests;
