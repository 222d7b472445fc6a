//! Two crossing pedestrian streams.
//!
//! With [`CollisionAvoidance`] walkers look two seconds ahead and give way only as far as needed;
//! without it they collide. The [experiment](Scene::experiment) counts the collisions.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::AgentViews;

use crate::arena::Arena;
use crate::bodies::{Person, enable, recolor};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::placement::spot_in;
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "plaza",
    title: "Plaza",
    help: "Half of the people walk to the right, half walk up, and their paths cross. Each looks \
           two seconds ahead and avoids predicted collisions; the one in the gold ring \
           shows them. Red people collide.",
    keys: &[SceneKey::new('c', "Collision avoidance")],
    chosen: |world| {
        let avoids = world.resource::<Options>().avoid;
        avoids.then_some('c').into_iter().collect()
    },
    mouse: "",
    crowd: Crowd::new(20, 200, 300),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.25;
/// Minimum distance between centers at the start and at the entrances, m.
const APART: f32 = 0.8;

const WALKER: Vehicle = Vehicle {
    max_speed: 1.6,
    max_force: 8.0,
    response_time: 0.25,
    radius: None,
};

/// The direction of a walker.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Right,
    Up,
}

impl Stream {
    fn direction(self) -> Vec2 {
        match self {
            Self::Right => Vec2::X,
            Self::Up => Vec2::Y,
        }
    }

    fn color(self) -> Color {
        match self {
            Self::Right => palette::AMBER,
            Self::Up => palette::SKY,
        }
    }

    /// Half size of the area it crosses, m.
    fn half_size(self) -> Vec2 {
        match self {
            Self::Right => Vec2::new(14.5, 8.0),
            Self::Up => Vec2::new(11.0, 11.0),
        }
    }

    /// Progress of a walker, m; it leaves at half the length.
    fn progress(self, at: Vec2) -> f32 {
        at.dot(self.direction())
    }

    fn half_length(self) -> f32 {
        self.progress(self.half_size())
    }

    /// The line on which walkers enter.
    fn entrance(self) -> Rect {
        let half = self.half_size();
        Rect::from_corners(-half, -half + 2.0 * half * (Vec2::ONE - self.direction()))
    }

    /// A point straight ahead, far beyond the other side.
    fn goal(self, from: Vec2) -> Target {
        (from + 200.0 * self.direction()).into()
    }
}

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug)]
struct Options {
    avoid: bool,
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    walkers: usize,
    collisions: Contacts<Pair>,
    crossed: u32,
    /// Speed along the stream, m/s.
    speed: Mean,
}

impl Tally {
    fn collisions_per_walker(&self) -> f32 {
        self.collisions.per_person(self.walkers)
    }
}

fn build(app: &mut App) {
    app.add_scene_resource::<Options>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (read_keys, keep_tally, reenter, color_walkers));
}

fn setup(world: &mut World) {
    world.insert_resource(Options { avoid: true });
    let walkers = agent_count(world);
    world.insert_resource(Tally {
        walkers,
        ..default()
    });
    let mut places = Vec::new();
    for index in 0..walkers {
        let stream = [Stream::Right, Stream::Up][index % 2];
        let area = Rect::from_center_half_size(Vec2::ZERO, stream.half_size());
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = spot_in(area, &places, APART, random);
        places.push(place);
        let person = Person {
            name: "walker",
            position: place,
            velocity: WALKER.max_speed * stream.direction(),
            radius: RADIUS,
            color: stream.color(),
            vehicle: WALKER,
            solid: true,
        };
        world.spawn((
            stream,
            Seek::new(stream.goal(place)),
            CollisionAvoidance::default(),
            person.bundle(),
        ));
    }
}

fn read_keys(
    presses: Res<Presses>,
    mut options: ResMut<Options>,
    mut walkers: Query<&mut CollisionAvoidance, With<Stream>>,
) {
    for _ in presses.keys().filter(|key| *key == 'c') {
        options.avoid ^= true;
    }
    for mut avoidance in &mut walkers {
        enable(&mut avoidance, options.avoid);
    }
}

fn keep_tally(mut tally: ResMut<Tally>, walkers: Query<(Entity, &Stream, &Transform, &Velocity)>) {
    for (_, stream, _, velocity) in &walkers {
        tally.speed.add(velocity.linear.dot(stream.direction()));
    }
    let bodies = walkers
        .iter()
        .map(|(entity, _, at, _)| Disc::new(entity, at, RADIUS));
    tally.collisions.observe_pairs(bodies.collect());
}

/// Moves walkers that have crossed the plaza back to its entrance.
fn reenter(
    mut tally: ResMut<Tally>,
    mut random: ResMut<SceneRandom>,
    mut walkers: Query<(&Stream, &mut Transform, &mut Velocity, &mut Seek)>,
) {
    let mut places: Vec<Vec2> = walkers
        .iter()
        .map(|(_, at, ..)| at.translation.truncate())
        .collect();
    for (stream, mut transform, mut velocity, mut seek) in &mut walkers {
        let at = transform.translation.truncate();
        if stream.progress(at) < stream.half_length() {
            continue;
        }
        tally.crossed += 1;
        let place = spot_in(stream.entrance(), &places, APART, &mut random.0);
        places.push(place);
        transform.translation = place.extend(transform.translation.z);
        *velocity = Velocity::linear(WALKER.max_speed * stream.direction());
        seek.target = stream.goal(place);
    }
}

fn color_walkers(tally: Res<Tally>, mut walkers: Query<(Entity, &Stream, &mut Look)>) {
    let touching = tally.collisions.touching();
    for (entity, stream, mut look) in &mut walkers {
        let color = if touching.contains(&entity) {
            palette::RED
        } else {
            stream.color()
        };
        recolor(&mut look, color);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let avoid = world.resource::<Options>().avoid;
    vec![
        Line::new("collision avoidance", if avoid { "yes" } else { "no" }, ""),
        Line::new("collisions", tally.collisions.begun(), ""),
        Line::new("collisions per walker", tally.collisions_per_walker(), ""),
        Line::new(
            "mean speed along the stream",
            tally.speed.get(),
            format!("m/s of {:.1}", WALKER.max_speed),
        ),
        Line::new("crossed the plaza", tally.crossed, ""),
    ]
}

/// Runs the same plaza with and without collision avoidance.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let run = |avoid| {
        let mut app = experiment.run_with(experiment.seed, Options { avoid });
        let tally = app.world_mut().remove_resource::<Tally>();
        tally.unwrap_or_default()
    };
    let (with, without) = (run(true), run(false));
    let fewer = without.collisions.begun() as f32 / with.collisions.begun().max(1) as f32;
    vec![
        Line::new(
            "without avoidance: collisions",
            without.collisions.begun(),
            "",
        ),
        Line::new(
            "without avoidance: collisions per walker",
            without.collisions_per_walker(),
            "",
        ),
        Line::new(
            "without avoidance: mean speed along the stream",
            without.speed.get(),
            "m/s",
        ),
        Line::new("without avoidance: crossed the plaza", without.crossed, ""),
        Line::new("avoidance makes collisions", fewer, "times rarer"),
    ]
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

/// Draws the perception of one walker; lines for all would hide the crowd.
fn draw_overlay(
    neighbors: Res<Neighbors>,
    walkers: Query<(
        Entity,
        &Stream,
        &Drawn,
        &Vehicle,
        &SteeringForce,
        &CollisionAvoidance,
    )>,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    let Some((entity, _, drawn, vehicle, force, avoidance)) = walkers.iter().next() else {
        return;
    };
    let center = drawn.pose.position;
    gizmos.circle_2d(center, 2.0 * RADIUS, palette::GOLD);
    overlay::force(&mut gizmos, drawn, force, vehicle);
    let Some(me) = views.get(entity).filter(|_| avoidance.influence.enabled) else {
        return;
    };
    overlay::range(
        &mut gizmos,
        center,
        avoidance.perception_radius,
        palette::GOLD,
    );
    let view = NeighborView::around(&me, avoidance.perception_radius, avoidance.groups);
    for other in neighbors.in_view(view) {
        let Some((mine, its)) = avoidance.closest_approach(&me, &other) else {
            continue;
        };
        let lag = center - me.position;
        let (mine, its) = (mine + lag, its + lag);
        gizmos.line_2d(center, mine, palette::GOLD.with_alpha(0.4));
        gizmos.line_2d(other.position + lag, its, palette::MUTED.with_alpha(0.5));
        gizmos.circle_2d(mine, RADIUS, palette::GOLD.with_alpha(0.5));
        gizmos.circle_2d(its, RADIUS, palette::MUTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn avoidance_makes_collisions_ten_times_rarer() {
        let report = headless::study(&SCENE, 1, 1_200);
        let with = number(&report, "collisions");
        let without = number(&report, "without avoidance: collisions");
        assert!(without > 100.0 && 10.0 * with <= without, "{report}");
        // Avoidance hardly slows walkers down.
        let speed = number(&report, "mean speed along the stream");
        assert!(speed > 0.9 * WALKER.max_speed, "{report}");
    }
}
