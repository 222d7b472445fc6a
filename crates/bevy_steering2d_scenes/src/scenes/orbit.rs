//! Agents that circle: [`Orbit`] round a body that moves, round a point and round a fountain.
//!
//! A boss strolls, and [`Separation`] spreads its drones over their circle. A duelist strafes round a post, which it faces by
//! [`FaceTarget`]. The circle of a car is wider than its turning circle. The [experiment](Scene::experiment) leaves the drones
//! without separation.

mod orbiters;
mod tally;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use orbiters::{Boss, Orbiter, spawn_boss, spawn_car, spawn_drones, spawn_duelist};
use tally::{Tally, keep_tally, report};

use crate::arena::Arena;
use crate::bodies::enable;
use crate::cars::{CAR, draw_wheels};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "orbit",
    title: "Orbit",
    help: "Six drones circle a boss that strolls, and separation spreads them evenly over their \
           circle. A duelist strafes round its post: it always faces the post, and turns around \
           when told to. A car circles a fountain, in a circle wider than its turning circle.",
    keys: &[
        SceneKey::new('d', "Turn around"),
        SceneKey::new('s', "Separation"),
    ],
    chosen,
    mouse: "Click to move the post.",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment,
};

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug)]
struct Options {
    /// The drones keep apart.
    separation: bool,
    /// The duelist circles counter-clockwise.
    turned: bool,
    /// m
    post: Vec2,
    /// The tick of the last change after which agents have to find their circle again.
    since: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            separation: true,
            turned: false,
            post: Vec2::new(9.0, 6.0),
            since: 0,
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Orbiter>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (read_input, apply_options, keep_tally));
}

fn setup(world: &mut World) {
    let options = Options::default();
    world.insert_resource(options);
    world.insert_resource(Tally::default());
    let boss = spawn_boss(world);
    spawn_drones(world, boss);
    spawn_duelist(world, options.post);
    spawn_car(world);
}

fn read_input(presses: Res<Presses>, current: Res<CurrentScene>, mut options: ResMut<Options>) {
    for key in presses.keys() {
        match key {
            'd' => options.turned ^= true,
            's' => {
                options.separation ^= true;
                options.since = current.tick();
            }
            _ => {}
        }
    }
    if let Some(point) = presses.click() {
        options.post = point;
        options.since = current.tick();
    }
}

fn chosen(world: &World) -> Vec<char> {
    let options = world.resource::<Options>();
    let keys = [('d', options.turned), ('s', options.separation)].into_iter();
    keys.filter_map(|(key, on)| on.then_some(key)).collect()
}

fn apply_options(
    options: Res<Options>,
    mut drones: Query<&mut Separation>,
    duelist: Single<(&mut Orbit, &mut FaceTarget)>,
) {
    if !options.is_changed() {
        return;
    }
    for mut separation in &mut drones {
        enable(&mut separation, options.separation);
    }
    let (mut orbit, mut face) = duelist.into_inner();
    orbit.direction = if options.turned {
        OrbitDirection::CounterClockwise
    } else {
        OrbitDirection::Clockwise
    };
    orbit.center = options.post.into();
    face.target = options.post.into();
}

/// Turns the duelist around every ten seconds.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 64 * 10;
    if tick > 0 && tick.is_multiple_of(EVERY) {
        world.resource_mut::<Presses>().press('d');
    }
}

/// Leaves the drones without separation.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let alone = Options {
        separation: false,
        ..default()
    };
    experiment.trial("without separation", alone, &["drones: smallest gap"])
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    options: Res<Options>,
    boss: Single<&Drawn, With<Boss>>,
    car: Single<(&Drawn, &Wheeled, &Controls)>,
    mut gizmos: Gizmos,
) {
    for orbiter in Orbiter::ALL {
        let center = orbiter.center(boss.pose.position, options.post);
        let color = orbiter.color().with_alpha(0.4);
        gizmos
            .circle_2d(center, orbiter.radius(), color)
            .resolution(96);
    }
    overlay::cross(&mut gizmos, options.post, 0.3, palette::GOLD);
    let (drawn, wheels, controls) = *car;
    draw_wheels(&mut gizmos, drawn, CAR, wheels, controls);
}

#[cfg(test)]
mod tests;
