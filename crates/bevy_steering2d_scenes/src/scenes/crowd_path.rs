//! A crowd on a winding road: [`CrowdPathFollowing`] keeps walkers on the road and apart.
//!
//! Walkers pass through each other, so only steering keeps them apart. The
//! [experiment](Scene::experiment) compares with walkers that only follow the path.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::PathFollowingMemory;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Person, enable, recolor};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::placement::spot_in;
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{course, overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "crowd_path",
    title: "Crowd on a path",
    help: "A crowd walks laps on a winding road, half of it in the opposite direction. \
           Walkers could pass through each other; only steering keeps them apart: separation \
           keeps a distance, collision avoidance gives way to oncoming walkers. Red walkers \
           overlap.",
    keys: &[
        SceneKey::new('w', "Both directions"),
        SceneKey::new('s', "Separation"),
        SceneKey::new('c', "Collision avoidance"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(10, 120, 160),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.25;
/// Half the width of the road, m.
const ROAD: f32 = 2.0;

const WALKER: Vehicle = Vehicle {
    max_speed: 1.6,
    max_force: 8.0,
    response_time: 0.25,
    radius: None,
};

/// The center line of the road, counterclockwise, m.
const BENDS: [Vec2; 8] = [
    Vec2::new(-12.5, -8.2),
    Vec2::new(12.5, -8.2),
    Vec2::new(12.5, 8.2),
    Vec2::new(4.5, 8.2),
    Vec2::new(4.5, -1.0),
    Vec2::new(-4.5, -1.0),
    Vec2::new(-4.5, 8.2),
    Vec2::new(-12.5, 8.2),
];

/// A walker; every second one walks in the opposite direction if both directions are used.
#[derive(Component, Clone, Copy, Debug)]
struct Walker {
    opposite: bool,
}

/// The road in both directions.
#[derive(Resource, Clone, Copy, Debug)]
struct Roads {
    forward: Entity,
    backward: Entity,
}

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Options {
    both_directions: bool,
    separation: bool,
    avoidance: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            both_directions: true,
            separation: true,
            avoidance: true,
        }
    }
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    contacts: Contacts<Pair>,
    speed: Mean,
    /// Share of the time off the road, `0..=1`.
    outside: Mean,
}

fn build(app: &mut App) {
    app.add_scene_resource::<Options>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (read_keys, apply_options, keep_tally, color_walkers),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Options::default());
    world.insert_resource(Tally::default());
    let roads = Roads {
        forward: spawn_road(world, BENDS),
        backward: spawn_road(world, BENDS.into_iter().rev()),
    };
    world.insert_resource(roads);
    pave(world, roads.forward);
    for (index, place) in start_positions(world, roads.forward)
        .into_iter()
        .enumerate()
    {
        let opposite = index % 2 == 1;
        let road = if opposite {
            roads.backward
        } else {
            roads.forward
        };
        let person = Person {
            name: "walker",
            position: place,
            velocity: WALKER.max_speed * along(world, road, place),
            radius: RADIUS,
            color: palette::AMBER,
            vehicle: WALKER,
            solid: false,
        };
        let mut walk = CrowdPathFollowing::new(road).with_half_width(ROAD);
        // Half the default, for walkers half as wide; more would push them off the road.
        walk.separation.perception_radius = 1.2;
        world.spawn((Walker { opposite }, walk, person.bundle()));
    }
}

fn spawn_road(world: &mut World, points: impl IntoIterator<Item = Vec2>) -> Entity {
    let path = SteeringPath::looped(points);
    let path = path.unwrap_or_else(|error| unreachable!("a road is a path: {error}"));
    world.spawn((InScene::default(), path)).id()
}

/// Draws the road.
fn pave(world: &mut World, road: Entity) {
    let Some(path) = world.get::<SteeringPath>(road).cloned() else {
        return;
    };
    for (at, shape) in course::pavement(&path, ROAD) {
        world.spawn((
            (Name::new("pavement"), InScene::default()),
            Transform::from_translation(at.extend(0.0)),
            Look {
                shape,
                color: palette::FENCE.mix(&palette::GROUND, 0.5),
                layer: -0.5,
            },
        ));
    }
}

/// Random start positions on the road, away from each other.
fn start_positions(world: &mut World, road: Entity) -> Vec<Vec2> {
    let Some(path) = world.get::<SteeringPath>(road).cloned() else {
        return Vec::new();
    };
    let wanted = agent_count(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let everywhere = Rect::from_center_half_size(Vec2::ZERO, Vec2::new(14.5, 10.2));
    let mut places = Vec::new();
    while places.len() < wanted {
        let place = spot_in(everywhere, &places, 4.0 * RADIUS, random);
        if path.closest(place).position.distance(place) < ROAD - RADIUS {
            places.push(place);
        }
    }
    places
}

/// The direction of a road at a point.
fn along(world: &World, road: Entity, place: Vec2) -> Vec2 {
    world
        .get::<SteeringPath>(road)
        .map_or(Vec2::X, |path| path.direction(path.closest(place).segment))
}

fn read_keys(presses: Res<Presses>, mut options: ResMut<Options>) {
    for key in presses.keys() {
        match key {
            'w' => options.both_directions ^= true,
            's' => options.separation ^= true,
            'c' => options.avoidance ^= true,
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let options = world.resource::<Options>();
    [
        ('w', options.both_directions),
        ('s', options.separation),
        ('c', options.avoidance),
    ]
    .into_iter()
    .filter_map(|(key, on)| on.then_some(key))
    .collect()
}

fn apply_options(
    options: Res<Options>,
    roads: Res<Roads>,
    mut walkers: Query<(
        &Walker,
        &mut PathFollowing,
        &mut Separation,
        &mut CollisionAvoidance,
    )>,
) {
    if !options.is_changed() {
        return;
    }
    for (walker, mut follow, mut separation, mut avoidance) in &mut walkers {
        let road = if options.both_directions && walker.opposite {
            roads.backward
        } else {
            roads.forward
        };
        if follow.path != Some(road) {
            follow.path = Some(road);
        }
        enable(&mut separation, options.separation);
        enable(&mut avoidance, options.avoidance);
    }
}

fn keep_tally(
    roads: Res<Roads>,
    paths: Query<&SteeringPath>,
    mut tally: ResMut<Tally>,
    walkers: Query<(Entity, &Transform, &Velocity), With<Walker>>,
) {
    let bodies = walkers
        .iter()
        .map(|(entity, at, _)| Disc::new(entity, at, RADIUS));
    tally.contacts.observe_pairs(bodies.collect());
    let Ok(road) = paths.get(roads.forward) else {
        return;
    };
    for (_, at, velocity) in &walkers {
        let at = at.translation.truncate();
        let off = road.closest(at).position.distance(at) > ROAD;
        tally.outside.note(off);
        tally.speed.add(velocity.linear.length());
    }
}

fn color_walkers(
    options: Res<Options>,
    tally: Res<Tally>,
    mut walkers: Query<(Entity, &Walker, &mut Look)>,
) {
    let touching = tally.contacts.touching();
    for (entity, walker, mut look) in &mut walkers {
        let color = match walker.opposite && options.both_directions {
            _ if touching.contains(&entity) => palette::RED,
            true => palette::SKY,
            false => palette::AMBER,
        };
        recolor(&mut look, color);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let laps = world.try_query_filtered::<&PathFollowingMemory, With<Walker>>();
    let laps: u32 = laps.map_or(0, |mut it| it.iter(world).map(|memory| memory.laps).sum());
    let mut lines = tally.lines();
    lines.push(Line::new("laps of all", laps, ""));
    lines
}

impl Tally {
    fn lines(&self) -> Vec<Line> {
        vec![
            Line::new(
                "deepest overlap",
                self.contacts.deepest(),
                "% of the radius",
            ),
            Line::new("contacts", self.contacts.begun(), ""),
            Line::new("off the road", self.outside.percent(), "% of the time"),
            Line::new(
                "mean speed",
                self.speed.get(),
                format!("m/s of {:.1}", WALKER.max_speed),
            ),
        ]
    }
}

/// Runs the same crowd in one direction, and with path following alone.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let one_direction = Options {
        both_directions: false,
        ..default()
    };
    let path_alone = Options {
        separation: false,
        avoidance: false,
        ..default()
    };
    let run = |name: &str, options: Options| {
        let app = experiment.run_with(experiment.seed, options);
        let lines = app.world().resource::<Tally>().lines().into_iter();
        lines.map(|line| line.of(name)).collect::<Vec<_>>()
    };
    [
        run("one direction", one_direction),
        run("path alone", path_alone),
    ]
    .concat()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

/// Draws the perception of one walker; lines for all would hide the crowd.
fn draw_overlay(
    roads: Res<Roads>,
    paths: Query<&SteeringPath>,
    walkers: Query<(&Drawn, &Vehicle, &SteeringForce, &Separation), With<Walker>>,
    mut gizmos: Gizmos,
) {
    if let Ok(road) = paths.get(roads.forward) {
        overlay::path(&mut gizmos, road, palette::FENCE);
    }
    if let Some((drawn, vehicle, force, separation)) = walkers.iter().next() {
        let center = drawn.pose.position;
        gizmos.circle_2d(center, 2.0 * RADIUS, palette::GOLD);
        let color = palette::GOLD.with_alpha(0.3);
        gizmos
            .circle_2d(center, separation.perception_radius, color)
            .resolution(96);
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn walkers_overlap_by_at_most_a_twentieth_of_the_radius() {
        let report = headless::study(&SCENE, 1, 2_000);
        for run in ["", "one direction: "] {
            let deepest = number(&report, &format!("{run}deepest overlap"));
            assert!(deepest <= 5.0, "{report}");
            let outside = number(&report, &format!("{run}off the road"));
            assert!(outside < 3.0, "{report}");
        }
        assert!(number(&report, "path alone: deepest overlap") > 50.0);
    }
}
