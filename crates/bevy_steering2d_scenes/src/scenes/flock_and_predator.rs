//! Flocking with a predator: separation, alignment and cohesion form a flock, [`Evade`] scatters
//! it.
//!
//! There is no leader, and each boid perceives only a limited range. Without the predator the flock
//! agrees on a direction, which the [experiment](Scene::experiment) measures.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Animal, enable, pass_through, recolor, teleport};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::placement::spot_in;
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::stay_inside::StayInside;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "flock_and_predator",
    title: "Flock and predator",
    help: "Each boid reacts to the neighbors that it perceives: separation, alignment and \
           cohesion. The gold circles show the radius of separation and of alignment for one of \
           them. A boid that perceives no other wanders until it meets some (lilac). A large \
           predator wanders through; boids near it evade it (green). Without it the boids agree on a \
           direction, and the order approaches 1.",
    keys: &[
        SceneKey::new('p', "Predator"),
        SceneKey::new('s', "Separation"),
        SceneKey::new('a', "Alignment"),
        SceneKey::new('c', "Cohesion"),
        SceneKey::new('w', "Wander alone"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(20, 120, 400),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const BOID_RADIUS: f32 = 0.2;
/// Radius of separation, m.
const SEPARATION_RADIUS: f32 = 1.5;
/// Radius of alignment, m.
const ALIGNMENT_RADIUS: f32 = 5.0;
/// Radius of cohesion, m.
const COHESION_RADIUS: f32 = 10.0;
/// Boids evade the predator within this distance, m.
const FEAR_RANGE: f32 = 7.0;
/// Weight of evading and of staying inside, above that of flocking.
const ESCAPE_WEIGHT: f32 = 3.0;
/// Distance at which the predator catches a boid, m.
const CATCH_DISTANCE: f32 = 0.9;
/// A caught boid respawns at least this far from the predator, m.
const HEAD_START: f32 = 10.0;

const BOID: Vehicle = Vehicle {
    max_speed: 5.0,
    max_force: 20.0,
    response_time: 0.2,
    radius: None,
};
/// Faster than a boid, but its turning radius is 5 m (v²/a).
const PREDATOR: Vehicle = Vehicle {
    max_speed: 7.0,
    max_force: 10.0,
    response_time: 0.3,
    radius: None,
};

/// Boids form their own group, so that they do not flock with the predator.
const FLOCK: SteeringGroups = SteeringGroups(0b01);
const PREDATORS: SteeringGroups = SteeringGroups(0b10);

/// A boid, and how long it has been alone, s.
#[derive(Component, Clone, Copy, Debug, Default)]
struct Boid {
    alone_for: f32,
}

#[derive(Component, Clone, Copy, Debug)]
struct Predator;

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    separation: bool,
    alignment: bool,
    cohesion: bool,
    /// Boids that are alone wander.
    wander: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            separation: true,
            alignment: true,
            cohesion: true,
            wander: true,
        }
    }
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    /// Length of the mean heading, `0..=1`: 1 if all headings agree.
    order: f32,
    highest_order: f32,
    contacts: Contacts<Pair>,
    /// Distance to the predator, m.
    distance: Mean,
    /// Share of the boids' time alone, `0..=1`.
    alone: Mean,
    /// How long boids that met others had been alone, s.
    time_alone: Mean,
    /// Smallest distance to the predator, m.
    nearest: Option<f32>,
    catches: u32,
    /// Position and tick of the last catch.
    last_catch: Option<(Vec2, u32)>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Boid>()
        .add_scene_component::<Predator>()
        .add_scene_resource::<Rules>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                read_keys,
                switch_rules,
                evade_predator,
                catch_boids,
                watch_the_lone,
                keep_tally,
            ),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Rules::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    let mut places = Vec::new();
    for _ in 0..agent_count(world) {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = arena.spot_apart(2.0, &places, 3.0 * BOID_RADIUS, random);
        let facing = random.angle();
        places.push(place);
        spawn_boid(world, place, facing);
    }
    spawn_predator(world);
}

fn spawn_boid(world: &mut World, position: Vec2, facing: f32) {
    let flocking = Flocking {
        separation: Separation::new(SEPARATION_RADIUS),
        alignment: Alignment::new(ALIGNMENT_RADIUS),
        cohesion: Cohesion::new(COHESION_RADIUS),
    }
    .with_groups(FLOCK);
    let alone = Alone::new(COHESION_RADIUS).with_groups(FLOCK);
    let evade = Evade::default()
        .with_panic_distance(FEAR_RANGE)
        .with_weight(ESCAPE_WEIGHT);
    let mut boid = world.spawn((
        Boid::default(),
        FLOCK,
        // With priorities, evading boids would no longer keep apart.
        Combine::WEIGHTED_SUM,
        (flocking, evade.disabled()),
        (alone, Wander::default().with_when(When::only::<Alone>())),
        Animal {
            name: "boid",
            position,
            facing,
            radius: BOID_RADIUS,
            color: palette::SAND,
            vehicle: BOID,
        }
        .bundle(),
    ));
    boid.insert((
        Velocity::linear(0.5 * BOID.max_speed * Vec2::from_angle(facing)),
        StayInside::default().with_weight(ESCAPE_WEIGHT),
        // They do not collide: only steering keeps them apart.
        pass_through(),
    ));
}

fn spawn_predator(world: &mut World) {
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let (position, facing) = (arena.spot(4.0, random), random.angle());
    let predator = Animal {
        name: "predator",
        position,
        facing,
        radius: 0.6,
        color: palette::RED,
        vehicle: PREDATOR,
    };
    let stroll = Wander::new(WanderStyle::Circle {
        radius: 1.5,
        distance: 4.0,
        jitter: 3.0,
    });
    world.spawn((Predator, PREDATORS, stroll, predator.bundle()));
}

fn read_keys(world: &mut World) {
    let keys: Vec<char> = world.resource::<Presses>().keys().collect();
    for key in keys {
        let mut rules = world.resource_mut::<Rules>();
        rules.separation ^= key == 's';
        rules.alignment ^= key == 'a';
        rules.cohesion ^= key == 'c';
        rules.wander ^= key == 'w';
        if key == 'p' {
            switch_predator(world);
        }
    }
}

fn switch_predator(world: &mut World) {
    let predator = world
        .query_filtered::<Entity, With<Predator>>()
        .iter(world)
        .next();
    match predator {
        Some(predator) => {
            world.despawn(predator);
        }
        None => spawn_predator(world),
    }
}

fn chosen(world: &World) -> Vec<char> {
    let rules = world.resource::<Rules>();
    let predator = world.try_query_filtered::<(), With<Predator>>();
    let predator = predator.is_some_and(|mut it| it.iter(world).next().is_some());
    [
        ('p', predator),
        ('s', rules.separation),
        ('a', rules.alignment),
        ('c', rules.cohesion),
        ('w', rules.wander),
    ]
    .into_iter()
    .filter_map(|(key, on)| on.then_some(key))
    .collect()
}

fn switch_rules(
    rules: Res<Rules>,
    mut boids: Query<(&mut Separation, &mut Alignment, &mut Cohesion, &mut Wander), With<Boid>>,
) {
    if !rules.is_changed() {
        return;
    }
    for (mut separation, mut alignment, mut cohesion, mut wander) in &mut boids {
        enable(&mut separation, rules.separation);
        enable(&mut alignment, rules.alignment);
        enable(&mut cohesion, rules.cohesion);
        enable(&mut wander, rules.wander);
    }
}

/// Sets the predator as the target of evasion and colors the boids that evade it.
fn evade_predator(
    predator: Option<Single<(Entity, &Transform), With<Predator>>>,
    mut boids: Query<(&Transform, &Boid, &mut Evade, &mut Look)>,
) {
    let predator = predator.map(|it| (it.0, it.1.translation));
    for (at, boid, mut evade, mut look) in &mut boids {
        enable(&mut evade, predator.is_some());
        let mut evades = false;
        if let Some((predator, predator_at)) = predator {
            if evade.threat != predator.into() {
                evade.threat = predator.into();
            }
            evades = at.translation.distance(predator_at) < FEAR_RANGE;
        }
        let color = match (evades, boid.alone_for > 0.0) {
            (true, _) => palette::MINT,
            (false, true) => palette::LILAC,
            (false, false) => palette::SAND,
        };
        recolor(&mut look, color);
    }
}

fn catch_boids(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    mut random: ResMut<SceneRandom>,
    mut tally: ResMut<Tally>,
    predator: Option<Single<&Transform, With<Predator>>>,
    mut boids: Query<(&mut Transform, &mut Velocity), (With<Boid>, Without<Predator>)>,
) {
    let Some(predator) = predator.map(|it| it.translation.truncate()) else {
        return;
    };
    for (mut transform, mut velocity) in &mut boids {
        let at = transform.translation.truncate();
        if at.distance(predator) > CATCH_DISTANCE {
            continue;
        }
        tally.catches += 1;
        tally.last_catch = Some((at, current.tick()));
        let inner = Rect::from_center_half_size(Vec2::ZERO, arena.half_size - arena.corner);
        let elsewhere = spot_in(inner, &[predator], HEAD_START, &mut random.0);
        teleport(&mut transform, &mut velocity, elsewhere);
    }
}

/// Measures how long boids are alone.
fn watch_the_lone(
    time: Res<Time>,
    mut tally: ResMut<Tally>,
    mut boids: Query<(&mut Boid, &ConditionStates)>,
) {
    for (mut boid, conditions) in &mut boids {
        let alone = conditions.holds::<Alone>();
        tally.alone.note(alone);
        if alone {
            boid.alone_for += time.delta_secs();
        } else if boid.alone_for > 0.0 {
            tally.time_alone.add(boid.alone_for);
            boid.alone_for = 0.0;
        }
    }
}

fn keep_tally(
    mut tally: ResMut<Tally>,
    predator: Option<Single<&Transform, With<Predator>>>,
    boids: Query<(Entity, &Transform, &Velocity), With<Boid>>,
) {
    let headings = boids.iter().map(|(_, _, it)| it.linear.normalize_or_zero());
    tally.order = (headings.sum::<Vec2>() / boids.iter().len().max(1) as f32).length();
    tally.highest_order = tally.highest_order.max(tally.order);
    let bodies = boids
        .iter()
        .map(|(entity, at, _)| Disc::new(entity, at, BOID_RADIUS));
    tally.contacts.observe_pairs(bodies.collect());
    if let Some(predator) = predator {
        for (_, at, _) in &boids {
            let distance = at.translation.distance(predator.translation);
            tally.distance.add(distance);
            let nearest = tally.nearest.unwrap_or(f32::INFINITY);
            tally.nearest = Some(nearest.min(distance));
        }
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    vec![
        Line::new("order now", tally.order, "of 1"),
        Line::new("highest order", tally.highest_order, "of 1"),
        Line::new("contacts among boids", tally.contacts.begun(), ""),
        Line::new(
            "deepest overlap",
            tally.contacts.deepest(),
            "% of the radius",
        ),
        Line::new("boids alone", tally.alone.percent(), "% of the time"),
        Line::new(
            "until a lone boid meets others",
            tally.time_alone.get(),
            "s",
        ),
        Line::new("mean distance to the predator", tally.distance.get(), "m"),
        Line::new("nearest to the predator", tally.nearest, "m"),
        Line::new("catches", tally.catches, ""),
    ]
}

/// Runs the same flock without the predator.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let ticks = experiment.ticks;
    let mut app = experiment.app(experiment.seed);
    app.world_mut().resource_mut::<Presses>().press('p');
    let mut order = Mean::default();
    for tick in 0..ticks {
        app.update();
        if tick >= ticks / 2 {
            order.add(app.world().resource::<Tally>().order);
        }
    }
    let highest = app.world().resource::<Tally>().highest_order;
    vec![
        Line::new("without the predator: highest order", highest, ""),
        Line::new(
            "without the predator: mean order",
            order.get(),
            "in the second half",
        ),
    ]
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    tally: Res<Tally>,
    predator: Option<Single<&Drawn, With<Predator>>>,
    boids: Query<(Entity, &Drawn, &Vehicle, &SteeringForce), With<Boid>>,
    mut gizmos: Gizmos,
) {
    if let Some(predator) = predator {
        let center = predator.pose.position;
        overlay::range(&mut gizmos, center, FEAR_RANGE, palette::RED);
    }
    // Draws the perception of one boid; lines for all would hide the flock.
    if let Some((example, drawn, vehicle, force)) = boids.iter().next() {
        let center = drawn.pose.position;
        for (other, it, ..) in &boids {
            let place = it.pose.position;
            if other != example && place.distance(center) < ALIGNMENT_RADIUS {
                gizmos.line_2d(center, place, palette::GOLD.with_alpha(0.25));
            }
        }
        for radius in [ALIGNMENT_RADIUS, SEPARATION_RADIUS] {
            gizmos
                .circle_2d(center, radius, palette::GOLD.with_alpha(0.3))
                .resolution(96);
        }
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
    overlay::splash(&mut gizmos, &current, tally.last_catch);
}

#[cfg(test)]
mod tests;
