//! Pedestrians who meet: at a crossing, in a corridor, at a door.
//!
//! All are of the bundle [`Pedestrian`]: they follow a path, and [`ReciprocalAvoidance`] adjusts the
//! velocity so that they share the detour. Without it they push; then [`Sidestep`] at least frees
//! those that are stuck. Each walk ends when the last one has arrived, and the next one begins at the
//! same starts. The [experiment](Scene::experiment) compares all three in each place.

mod layout;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;

use layout::Layout;

use crate::arena::Arena;
use crate::bodies::{Person, enable, launch, recolor};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, Round, SceneRandom, SceneSystemsExt, playing};
use crate::look::{Drawn, Look};
use crate::props;
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "crossing",
    title: "Crossing",
    help: "Two groups of pedestrians cross, meet in a corridor, or leave a hall by one door. \
           Reciprocal avoidance adjusts each one's velocity, and each does a share of the \
           detour; the lines show where they go. Without it they push each other; sidesteps \
           then free those that are stuck. Red people collide.",
    keys: &[
        SceneKey::new('1', "Crossing"),
        SceneKey::new('2', "Corridor"),
        SceneKey::new('3', "Door"),
        SceneKey::new('a', "Avoidance"),
        SceneKey::new('s', "Sidestep"),
    ],
    chosen,
    mouse: "",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.25;
/// People in each of the two groups.
const GROUP: usize = 20;
/// A walker has arrived within this distance of the end of its path, m.
const ARRIVED: f32 = 0.6;
/// A walk ends after this time, ticks, even if some have not arrived.
const LIMIT: u32 = 64 * 90;
/// Time between two walks, ticks.
const PAUSE: u32 = 64;

/// A walker, and whether it has arrived in this walk.
#[derive(Component, Clone, Copy, Debug)]
struct Walker {
    group: usize,
    member: usize,
    goal: Vec2,
    arrived: bool,
}

/// Options chosen by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Options {
    layout: Layout,
    avoid: bool,
    sidestep: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            avoid: true,
            sidestep: false,
        }
    }
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    walks: u32,
    arrived: u32,
    walkers: u32,
    /// Time until the last one has arrived, s.
    times: Mean,
    collisions: Contacts<Pair>,
    /// Collisions before this walk.
    before: u32,
    /// Collisions in walks that are over.
    counted: u32,
}

fn build(app: &mut App) {
    app.add_scene_component::<Walker>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Round>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (change_options, begin_walk, apply_options, judge, color),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Options::default());
    world.insert_resource(Round::default());
    world.insert_resource(Tally::default());
    for (group, member) in (0..2).flat_map(|group| (0..GROUP).map(move |it| (group, it))) {
        let pedestrian = Pedestrian::new(1.4);
        let start = Layout::default().start(group, member);
        let person = Person {
            name: "walker",
            position: start,
            velocity: Vec2::ZERO,
            radius: RADIUS,
            color: color_of(group),
            vehicle: pedestrian.vehicle,
            solid: true,
        };
        let walker = Walker {
            group,
            member,
            goal: start,
            arrived: false,
        };
        let behaviors = Sidestep::default().disabled();
        let mut entity = world.spawn((walker, behaviors, person.bundle()));
        // Afterwards, because both bundles have a vehicle.
        entity.insert(pedestrian);
    }
}

fn color_of(group: usize) -> Color {
    [palette::AMBER, palette::SKY][group]
}

fn change_options(presses: Res<Presses>, mut options: ResMut<Options>, mut walk: ResMut<Round>) {
    for key in presses.keys() {
        if let Some(layout) = Layout::ALL.into_iter().find(|layout| layout.key() == key) {
            options.layout = layout;
            *walk = Round::Due;
        }
        match key {
            'a' => options.avoid ^= true,
            's' => options.sidestep ^= true,
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let options = world.resource::<Options>();
    [options.layout.key()]
        .into_iter()
        .chain(options.avoid.then_some('a'))
        .chain(options.sidestep.then_some('s'))
        .collect()
}

/// Moves all walkers to their start, and puts up the walls.
fn begin_walk(
    current: Res<CurrentScene>,
    options: Res<Options>,
    mut random: ResMut<SceneRandom>,
    mut walk: ResMut<Round>,
    mut tally: ResMut<Tally>,
    walls: Query<Entity, With<Wall>>,
    mut walkers: Query<(Entity, &mut Walker, &mut Transform, &mut Velocity)>,
    mut commands: Commands,
) {
    if !walk.is_due(&current, PAUSE) {
        return;
    }
    *walk = Round::On(current.tick());
    tally.collisions.pause();
    tally.before = tally.collisions.begun();
    for wall in &walls {
        commands.entity(wall).despawn();
    }
    for wall in options.layout.walls() {
        commands.spawn(props::wall(wall));
    }
    for (entity, mut walker, mut at, mut velocity) in &mut walkers {
        let way = options.layout.way(walker.group, walker.member);
        let jitter = Vec2::new(random.0.unit(), random.0.unit()) - 0.5;
        let (start, goal) = (way[0] + 0.2 * jitter, way[way.len() - 1]);
        walker.goal = goal;
        walker.arrived = false;
        launch(
            &mut at,
            &mut velocity,
            start,
            0.1 * (goal - start).normalize_or_zero(),
        );
        match SteeringPath::open(way) {
            Ok(path) => {
                // Along a path with the same points it would go on instead.
                let start_over = PathFollowingMemory::default();
                commands.entity(entity).insert((path, start_over));
            }
            Err(error) => error!("the way of {walker:?}: {error}"),
        }
    }
}

fn apply_options(
    options: Res<Options>,
    mut walkers: Query<(&mut ReciprocalAvoidance, &mut Sidestep), With<Walker>>,
) {
    for (mut avoidance, mut sidestep) in &mut walkers {
        enable(&mut avoidance, options.avoid);
        enable(&mut sidestep, options.sidestep);
    }
}

/// Counts arrivals and collisions, and ends the walk.
fn judge(
    time: Res<Time>,
    current: Res<CurrentScene>,
    mut walk: ResMut<Round>,
    mut tally: ResMut<Tally>,
    mut walkers: Query<(Entity, &mut Walker, &Transform)>,
) {
    let Round::On(begin) = *walk else {
        return;
    };
    let mut bodies = Vec::new();
    for (entity, mut walker, at) in &mut walkers {
        walker.arrived |= at.translation.truncate().distance(walker.goal) < ARRIVED;
        bodies.push(Disc::new(entity, at, RADIUS));
    }
    tally.collisions.observe_pairs(bodies);
    let elapsed = current.since(begin);
    let all_arrived = walkers.iter().all(|(_, walker, _)| walker.arrived);
    if all_arrived || elapsed >= LIMIT {
        *walk = Round::Over(current.tick());
        tally.walks += 1;
        let collisions = tally.collisions.begun() - tally.before;
        tally.counted += collisions;
        tally.walkers += walkers.iter().len() as u32;
        tally.arrived += walkers.iter().filter(|(_, it, _)| it.arrived).count() as u32;
        tally.times.add(elapsed as f32 * time.delta_secs());
    }
}

fn color(tally: Res<Tally>, mut walkers: Query<(Entity, &Walker, &mut Look)>) {
    let touching = tally.collisions.touching();
    for (entity, walker, mut look) in &mut walkers {
        let color = if touching.contains(&entity) {
            palette::RED
        } else {
            color_of(walker.group)
        };
        recolor(&mut look, color);
    }
}

fn report(world: &World) -> Vec<Line> {
    let layout = world.resource::<Options>().layout.name();
    let mut lines = vec![Line::new("place", layout, "")];
    lines.extend(world.resource::<Tally>().lines());
    lines
}

impl Tally {
    fn lines(&self) -> Vec<Line> {
        let of = format!("of {}", self.walkers);
        // Each collision counts for both.
        let each = (self.walks > 0).then(|| 2.0 * self.counted as f32 / self.walkers as f32);
        vec![
            Line::new("walks", self.walks, ""),
            Line::new("arrived", self.arrived, of),
            Line::new(
                "time of a walk",
                self.times.get(),
                "s until the last has arrived",
            ),
            Line::new("collisions per person", each, "in a walk"),
        ]
    }
}

/// One walk in each place: with avoidance, without, and with sidesteps in its place.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let means = [
        ("avoidance", true, false),
        ("nothing", false, false),
        ("sidesteps", false, true),
    ];
    let runs = Layout::ALL.into_iter().flat_map(|layout| {
        means.map(|(name, avoid, sidestep)| {
            let options = Options {
                layout,
                avoid,
                sidestep,
            };
            (format!("{} by {name}", layout.name()), options)
        })
    });
    let walk = |(run, options): (String, Options)| {
        let mut app = experiment.app(experiment.seed);
        app.insert_resource(options);
        while app.world().resource::<Tally>().walks == 0 {
            app.update();
        }
        let lines = app.world().resource::<Tally>().lines();
        lines.into_iter().map(move |line| line.of(&run))
    };
    runs.flat_map(walk).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

/// Draws the velocity of each walker as a point ahead, and the force of one of them.
fn draw_overlay(
    walkers: Query<(&Walker, &Drawn, &Kinematics, &Vehicle, &SteeringForce)>,
    mut gizmos: Gizmos,
) {
    for (walker, drawn, body, vehicle, force) in &walkers {
        let here = drawn.pose.position;
        let color = color_of(walker.group).with_alpha(0.5);
        gizmos.line_2d(here, here + 0.7 * body.velocity, color);
        if walker.member == 0 {
            overlay::force(&mut gizmos, drawn, force, vehicle);
            overlay::aim(&mut gizmos, here, walker.goal, palette::GOLD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::lifecycle::live_report;
    use crate::report::{Value, number};

    #[test]
    fn every_walk_through_the_door_begins_at_the_first_waypoint() {
        let mut app = headless::app(&SCENE, 1);
        app.insert_resource(Options {
            layout: Layout::Door,
            ..default()
        });
        let waypoints = |app: &mut App| {
            let world = app.world_mut();
            let mut walkers = world.query_filtered::<&PathFollowingMemory, With<Walker>>();
            walkers
                .iter(world)
                .map(|it| it.waypoint)
                .collect::<Vec<_>>()
        };
        headless::advance(&mut app, 640);
        assert!(waypoints(&mut app).contains(&2), "some are past the door");
        app.insert_resource(Round::Due);
        headless::advance(&mut app, 3);
        assert_eq!(waypoints(&mut app), [1; 2 * GROUP]);
    }

    #[test]
    fn collisions_of_a_walk_that_is_broken_off_do_not_count() {
        let mut app = headless::app(&SCENE, 1);
        app.insert_resource(Options {
            avoid: false,
            ..default()
        });
        headless::advance(&mut app, 640);
        let tally = app.world().resource::<Tally>();
        assert!(tally.collisions.begun() > 0);
        let report = live_report(app.world()).unwrap();
        assert_eq!(report.get("collisions per person"), Some(&Value::None));
        app.insert_resource(Round::Due);
        while app.world().resource::<Tally>().walks == 0 {
            app.update();
        }
        let tally = app.world().resource::<Tally>();
        assert!(tally.counted > 0 && tally.counted < tally.collisions.begun());
    }

    #[test]
    fn pedestrians_cross_meet_and_leave_without_collisions() {
        let report = headless::study(&SCENE, 1, 0);
        for layout in Layout::ALL {
            let of = |means: &str, what: &str| {
                number(&report, &format!("{} by {means}: {what}", layout.name()))
            };
            assert_eq!(of("avoidance", "arrived"), 2.0 * GROUP as f32, "{report}");
            let collisions = |means| of(means, "collisions per person");
            assert!(
                4.0 * collisions("avoidance") < collisions("nothing"),
                "{report}"
            );
        }
    }
}
