//! A crowd on a bent road: [`CrowdPathFollowing`] keeps it on the road and everybody apart.
//!
//! The walkers are ghosts to each other, so nothing but steering keeps them apart. The
//! [experiment](Scene::experiment) compares with those who only follow the path.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::FollowPathMemory;
use bevy_steering2d::prelude::*;

use crate::bodies::{enable, recolor};
use crate::crowd::{Bumps, Person, Round, free_place};
use crate::look::{Drawn, Look, Shape};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::stage::{InScene, agents_wanted};
use crate::{ActionSelection, Presses, SceneRandom, headless, overlay, palette, playing};

pub(crate) const SCENE: Scene = Scene {
    name: "crowd_path",
    title: "Crowd on a path",
    help: "A crowd walks round and round on a bent road, half of it the other way. They could go \
           right through each other, but steering keeps them apart: room to breathe (separation), \
           and giving way to those who come (collision avoidance). Red ones overlap.",
    keys: &[
        SceneKey::new('w', "Both ways"),
        SceneKey::new('s', "Separation"),
        SceneKey::new('c', "Collision avoidance"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(10, 120, 160),
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

/// The middle of the road, counter-clockwise, m.
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

/// A walker; every second one is a returner when they walk both ways.
#[derive(Component, Clone, Copy, Debug)]
struct Walker {
    returns: bool,
}

/// The road, one way and the other.
#[derive(Resource, Clone, Copy, Debug)]
struct Roads {
    there: Entity,
    back: Entity,
}

/// What the user has switched on.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Manners {
    both_ways: bool,
    separation: bool,
    avoidance: bool,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            both_ways: true,
            separation: true,
            avoidance: true,
        }
    }
}

/// What has happened.
#[derive(Resource, Default)]
struct Tally {
    bumps: Bumps,
    pace: Mean,
    /// Share of the time off the road, `0..=1`.
    outside: Mean,
}

fn build(app: &mut App) {
    app.add_systems(
        FixedUpdate,
        (read_keys, mind_manners, keep_tally, color_walkers)
            .chain()
            .in_set(ActionSelection)
            .run_if(playing(SCENE.name)),
    );
}

fn setup(world: &mut World) {
    world.insert_resource(Manners::default());
    world.insert_resource(Tally::default());
    let roads = Roads {
        there: spawn_road(world, BENDS),
        back: spawn_road(world, BENDS.into_iter().rev()),
    };
    world.insert_resource(roads);
    pave(world, roads.there);
    for (index, place) in places(world, roads.there).into_iter().enumerate() {
        let returns = index % 2 == 1;
        let road = if returns { roads.back } else { roads.there };
        let person = Person {
            name: "walker",
            position: place,
            velocity: WALKER.max_speed * along(world, road, place),
            radius: RADIUS,
            color: palette::AMBER,
            vehicle: WALKER,
            solid: false,
        };
        let mut walk = CrowdPathFollowing::along(road).corridor(ROAD);
        // They are half as wide as a default agent; more room would take them off the road.
        walk.separation.radius = 1.2;
        world.spawn((Walker { returns }, walk, person.bundle()));
    }
}

fn spawn_road(world: &mut World, points: impl IntoIterator<Item = Vec2>) -> Entity {
    let path = SteeringPath::looped(points);
    let path = path.unwrap_or_else(|error| unreachable!("a road is a path: {error}"));
    world.spawn((InScene::default(), path)).id()
}

/// Makes the road visible: a slab for each straight piece and a disc for each bend.
fn pave(world: &mut World, road: Entity) {
    let Some(path) = world.get::<SteeringPath>(road).cloned() else {
        return;
    };
    let points = path.points();
    for (index, &from) in points.iter().enumerate() {
        let to = points[(index + 1) % points.len()];
        let side = ROAD * (to - from).normalize_or_zero().perp();
        let slab = vec![from - side, to - side, to + side, from + side];
        let disc = (0..32).map(|i| {
            let angle = std::f32::consts::TAU * i as f32 / 32.0;
            from + ROAD * Vec2::from_angle(angle)
        });
        for outline in [slab, disc.collect()] {
            world.spawn((
                Name::new("pavement"),
                InScene::default(),
                Transform::default(),
                Look {
                    shape: Shape::Area(outline),
                    color: palette::FENCE.mix(&palette::GROUND, 0.5),
                    layer: -0.5,
                },
            ));
        }
    }
}

/// Starting places all over the road, none too near to another.
fn places(world: &mut World, road: Entity) -> Vec<Vec2> {
    let Some(path) = world.get::<SteeringPath>(road).cloned() else {
        return Vec::new();
    };
    let wanted = agents_wanted(world);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let everywhere = Rect::from_center_half_size(Vec2::ZERO, Vec2::new(14.5, 10.2));
    let mut places = Vec::new();
    while places.len() < wanted {
        let place = free_place(everywhere, &places, 4.0 * RADIUS, random);
        if path.closest(place).position.distance(place) < ROAD - RADIUS {
            places.push(place);
        }
    }
    places
}

/// Which way a road leads at a place.
fn along(world: &World, road: Entity, place: Vec2) -> Vec2 {
    world
        .get::<SteeringPath>(road)
        .map_or(Vec2::X, |path| path.direction(path.closest(place).segment))
}

fn read_keys(presses: Res<Presses>, mut manners: ResMut<Manners>) {
    for key in presses.keys() {
        match key {
            'w' => manners.both_ways ^= true,
            's' => manners.separation ^= true,
            'c' => manners.avoidance ^= true,
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let manners = world.resource::<Manners>();
    [
        ('w', manners.both_ways),
        ('s', manners.separation),
        ('c', manners.avoidance),
    ]
    .into_iter()
    .filter_map(|(key, on)| on.then_some(key))
    .collect()
}

fn mind_manners(
    manners: Res<Manners>,
    roads: Res<Roads>,
    mut walkers: Query<(
        &Walker,
        &mut FollowPath,
        &mut Separation,
        &mut CollisionAvoidance,
    )>,
) {
    if !manners.is_changed() {
        return;
    }
    for (walker, mut follow, mut separation, mut avoidance) in &mut walkers {
        let road = if manners.both_ways && walker.returns {
            roads.back
        } else {
            roads.there
        };
        if follow.path != Some(road) {
            follow.path = Some(road);
        }
        enable(&mut separation, manners.separation);
        enable(&mut avoidance, manners.avoidance);
    }
}

fn keep_tally(
    roads: Res<Roads>,
    paths: Query<&SteeringPath>,
    mut tally: ResMut<Tally>,
    walkers: Query<(Entity, &Transform, &Velocity), With<Walker>>,
) {
    let rounds = walkers
        .iter()
        .map(|(entity, at, _)| Round::new(entity, at, RADIUS));
    tally.bumps.watch(rounds.collect());
    let Ok(road) = paths.get(roads.there) else {
        return;
    };
    for (_, at, velocity) in &walkers {
        let at = at.translation.truncate();
        let off = road.closest(at).position.distance(at) > ROAD;
        tally.outside.add(f32::from(off));
        tally.pace.add(velocity.linear.length());
    }
}

fn color_walkers(
    manners: Res<Manners>,
    tally: Res<Tally>,
    mut walkers: Query<(Entity, &Walker, &mut Look)>,
) {
    let touching = tally.bumps.touching();
    for (entity, walker, mut look) in &mut walkers {
        let color = match walker.returns && manners.both_ways {
            _ if touching.contains(&entity) => palette::RED,
            true => palette::SKY,
            false => palette::AMBER,
        };
        recolor(&mut look, color);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let laps = world.try_query_filtered::<&FollowPathMemory, With<Walker>>();
    let laps: u32 = laps.map_or(0, |mut it| it.iter(world).map(|memory| memory.laps).sum());
    let mut lines = tally.lines();
    lines.push(Line::new("laps of all", laps, ""));
    lines
}

impl Tally {
    fn lines(&self) -> Vec<Line> {
        let overlap = 100.0 * self.bumps.deepest;
        let outside = self.outside.get().map(|share| 100.0 * share);
        vec![
            Line::new("deepest overlap", overlap, "% of the radius"),
            Line::new("touches", self.bumps.begun, ""),
            Line::new("off the road", outside, "% of the time"),
            Line::new(
                "mean speed",
                self.pace.get(),
                format!("m/s of {:.1}", WALKER.max_speed),
            ),
        ]
    }
}

/// The same crowd one way, and with the path alone.
fn experiment(seed: u64, ticks: u32) -> Vec<Line> {
    let one_way = Manners {
        both_ways: false,
        ..default()
    };
    let path_alone = Manners {
        separation: false,
        avoidance: false,
        ..default()
    };
    let run = |name: &str, manners| {
        let mut app = headless::app(&SCENE, seed);
        app.insert_resource::<Manners>(manners);
        headless::advance(&mut app, ticks);
        let lines = app.world().resource::<Tally>().lines().into_iter();
        lines.map(|line| line.of(name)).collect::<Vec<_>>()
    };
    [run("one way", one_way), run("path alone", path_alone)].concat()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, explain.run_if(playing(SCENE.name)));
}

/// One walker stands for all, or the lines would hide the crowd.
fn explain(
    roads: Res<Roads>,
    paths: Query<&SteeringPath>,
    walkers: Query<(&Drawn, &Vehicle, &SteeringForce, &Separation), With<Walker>>,
    mut gizmos: Gizmos,
) {
    if let Ok(road) = paths.get(roads.there) {
        overlay::path(&mut gizmos, road, palette::FENCE);
    }
    if let Some((drawn, vehicle, force, separation)) = walkers.iter().next() {
        let center = drawn.pose.position;
        gizmos.circle_2d(center, 2.0 * RADIUS, palette::GOLD);
        gizmos.circle_2d(center, separation.radius, palette::GOLD.with_alpha(0.3));
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::number;

    #[test]
    fn nobody_overlaps_by_more_than_a_twentieth_of_the_radius() {
        let report = headless::study(&SCENE, 1, 2_000);
        for run in ["", "one way: "] {
            let deepest = number(&report, &format!("{run}deepest overlap"));
            assert!(deepest <= 5.0, "{report}");
            let outside = number(&report, &format!("{run}off the road"));
            assert!(outside < 3.0, "{report}");
        }
        assert!(number(&report, "path alone: deepest overlap") > 50.0);
    }
}
