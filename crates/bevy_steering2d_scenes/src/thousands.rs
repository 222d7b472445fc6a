//! Thousands: how the time of a tick grows with the number of agents and of behaviors.
//!
//! The window shows a large flock and the milliseconds that its steering takes. The
//! [experiment](Scene::experiment) prints the two tables by which Falcón measured his library
//! (2008): more and more entities, and ten entities with more and more behaviors among them.
//! Times are of this computer and this build; everything else is the same on every run.

use std::time::Duration;

use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::StageTimes;
use bevy_steering2d::prelude::*;

use crate::bodies::{Animal, ghostly};
use crate::report::Line;
use crate::scene::{Crowd, Scene};
use crate::stage::{InScene, agents_wanted};
use crate::{Arena, SceneRandom, headless, palette, playing};

pub(crate) const SCENE: Scene = Scene {
    name: "thousands",
    title: "Thousands",
    help: "One large flock: each boid minds the ten or so neighbors around it. Steering means all \
           that this library does in a tick; physics is what Rapier needs to move the bodies. At \
           64 ticks a second there are 15.6 ms for everything. Above 16,000 the boids are point \
           masses, without physics.",
    keys: &[],
    chosen: |_| Vec::new(),
    mouse: "",
    crowd: Crowd::new(125, 2_000, 64_000),
    build,
    build_overlay: |_| {},
    setup,
    script: |_, _| {},
    report,
    experiment,
};

/// More are not left to Rapier, or a tick would take longer than it lasts.
const MOST_BODIES: usize = 16_000;
/// How many neighbors each sees when all are evenly spread.
const NEIGHBORS: f32 = 10.0;

/// One of the flock.
#[derive(Component, Clone, Copy, Debug)]
struct Boid;

/// When this tick's physics and the whole tick began, and how long the last ticks took.
#[derive(Resource, Debug)]
struct Stopwatch {
    begin: Instant,
    moved: Instant,
    stepped: Instant,
    ticks: Vec<Times>,
}

/// What a tick has cost.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// All stages of steering.
    steering: Duration,
    /// Rapier.
    physics: Duration,
    /// All systems of the tick.
    whole: Duration,
}

impl Stopwatch {
    /// The report looks back this far, ticks.
    const KEPT: usize = 64;

    fn new() -> Self {
        let now = Instant::now();
        Self {
            begin: now,
            moved: now,
            stepped: now,
            ticks: Vec::new(),
        }
    }

    fn stop(&mut self, steering: Duration) {
        if self.ticks.len() == Self::KEPT {
            self.ticks.remove(0);
        }
        self.ticks.push(Times {
            steering,
            physics: self.stepped - self.moved,
            whole: self.begin.elapsed(),
        });
    }

    /// The median of the last ticks, ms: one hiccup of the computer says nothing.
    fn median(&self, of: fn(&Times) -> Duration) -> Option<f32> {
        let mut times: Vec<Duration> = self.ticks.iter().map(of).collect();
        times.sort_unstable();
        let median = times.get(times.len() / 2)?;
        Some(1_000.0 * median.as_secs_f32())
    }
}

fn build(app: &mut App) {
    let on = || playing(SCENE.name);
    app.init_resource::<StageTimes>()
        .add_systems(
            FixedFirst,
            mark(|watch, now| watch.begin = now).run_if(on()),
        )
        .add_systems(
            FixedUpdate,
            (
                mark(|watch, now| watch.moved = now)
                    .after(SteeringSystems::Move)
                    .before(PhysicsSet::StepSimulation),
                mark(|watch, now| watch.stepped = now).after(PhysicsSet::Writeback),
            )
                .run_if(on()),
        )
        .add_systems(
            FixedLast,
            (|mut watch: ResMut<Stopwatch>, times: Res<StageTimes>| watch.stop(times.total()))
                .run_if(on()),
        );
}

/// A system that takes down the time.
fn mark(set: fn(&mut Stopwatch, Instant)) -> impl Fn(ResMut<Stopwatch>) + Clone {
    move |mut watch| set(&mut watch, Instant::now())
}

fn setup(world: &mut World) {
    world.insert_resource(Stopwatch::new());
    fill(world, agents_wanted(world));
}

/// Lets in a flock of that size instead of the one there is.
fn fill(world: &mut World, count: usize) {
    let mut flock = world.query_filtered::<Entity, With<Boid>>();
    let flock: Vec<_> = flock.iter(world).collect();
    for boid in flock {
        world.despawn(boid);
    }
    let arena = *world.resource::<Arena>();
    let size = 2.0 * arena.half_size;
    let crowding = count.max(1) as f32 / (size.x * size.y);
    let sight = (NEIGHBORS / (crowding * std::f32::consts::PI)).sqrt();
    for _ in 0..count {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let (position, facing) = (arena.spot(1.0, random), random.angle());
        spawn_boid(world, position, facing, sight, count <= MOST_BODIES);
    }
}

fn spawn_boid(world: &mut World, position: Vec2, facing: f32, sight: f32, solid: bool) {
    let colors = [palette::SAND, palette::AMBER, palette::SKY, palette::MINT];
    let boid = Animal {
        name: "boid",
        position,
        facing,
        radius: 0.09 * sight.min(1.5),
        color: colors[(position.x.abs() * 7.0) as usize % colors.len()],
        vehicle: Vehicle {
            max_speed: 4.0,
            ..default()
        },
    };
    let velocity = 2.0 * Vec2::from_angle(facing);
    let flocking = (Boid, Flocking::within(sight));
    if solid {
        let mut boid = world.spawn((flocking, boid.bundle()));
        // There is no room for all of them side by side.
        boid.insert((Velocity::linear(velocity), ghostly()));
    } else {
        world.spawn((flocking, boid.point_mass(velocity)));
    }
}

fn report(world: &World) -> Vec<Line> {
    let count = agents_wanted(world);
    let watch = world.resource::<Stopwatch>();
    let steering = watch.median(|times| times.steering);
    let each = steering.map(|time| 1_000.0 * time / count as f32);
    let bodies = if count <= MOST_BODIES {
        "Rapier"
    } else {
        "point masses"
    };
    vec![
        Line::new("boids", count as u32, ""),
        Line::new("bodies", bodies, ""),
        Line::new("steering", steering, "ms per tick"),
        Line::new("steering of one boid", each, "µs per tick"),
        Line::new(
            "physics",
            watch.median(|times| times.physics),
            "ms per tick",
        ),
        Line::new("whole tick", watch.median(|times| times.whole), "ms"),
    ]
}

/// The two tables of Falcón's thesis, the first one continued.
fn experiment(seed: u64, ticks: u32) -> Vec<Line> {
    let measured = ticks.min(Stopwatch::KEPT as u32);
    let mut lines = Vec::new();
    for count in [100, 500, 1_000, 2_000, 5_000, 10_000, 50_000] {
        let time = steering_time(seed, measured, |world| fill(world, count));
        lines.push(Line::new(format!("{count} entities"), time, "ms per tick"));
    }
    for count in [100, 500, 1_000, 2_000, 5_000, 10_000] {
        let time = steering_time(seed, measured, |world| ten_agents(world, count));
        let label = format!("10 entities, {count} behaviors");
        lines.push(Line::new(label, time, "ms per tick"));
    }
    lines
}

/// How long a tick's steering takes in such a world, ms.
fn steering_time(seed: u64, ticks: u32, prepare: impl FnOnce(&mut World)) -> Option<f32> {
    /// Ticks in which buffers grow to their size.
    const WARM_UP: u32 = 16;
    let mut app = headless::app(&SCENE, seed);
    prepare(app.world_mut());
    headless::advance(&mut app, WARM_UP);
    app.insert_resource(Stopwatch::new());
    headless::advance(&mut app, ticks);
    let watch = app.world().resource::<Stopwatch>();
    watch.median(|times| times.steering)
}

/// Ten agents with that many behaviors among them.
fn ten_agents(world: &mut World, behaviors: usize) {
    fill(world, 0);
    for index in 0..10 {
        let position = 8.0 * Vec2::from_angle(0.2 * std::f32::consts::PI * index as f32);
        let agent = Animal {
            name: "agent",
            position,
            facing: 0.0,
            radius: 0.3,
            color: palette::SAND,
            vehicle: Vehicle::default(),
        };
        let agent = world.spawn(agent.bundle()).id();
        for number in 0..behaviors / 10 {
            let target = Vec2::from_angle(number as f32);
            let helper = (SteersFor(agent), InScene::default());
            match number % 5 {
                0 => world.spawn((helper, Seek::new(target))),
                1 => world.spawn((helper, Flee::new(target))),
                2 => world.spawn((helper, Arrive::new(target))),
                3 => world.spawn((helper, Evade::new(target))),
                _ => world.spawn((helper, Wander::default())),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::number;
    use crate::{Report, restart_with};

    #[test]
    fn the_flock_is_as_large_as_asked_for_with_or_without_physics() {
        let mut app = headless::app(&SCENE, 1);
        for (wanted, bodies, masses) in [(500, 500, 0), (1, 125, 0), (16_001, 0, 16_001)] {
            restart_with(app.world_mut(), 1, wanted);
            headless::advance(&mut app, 2);
            let world = app.world_mut();
            let solid = world
                .query_filtered::<(), (With<Boid>, With<RigidBody>)>()
                .iter(world)
                .len();
            assert_eq!(solid, bodies);
            let light = world
                .query_filtered::<(), (With<Boid>, With<PointMass>)>()
                .iter(world)
                .len();
            assert_eq!(light, masses);
        }
    }

    #[test]
    fn both_tables_are_complete() {
        let report = Report {
            scene: SCENE.name,
            seed: 1,
            ticks: 1,
            lines: experiment(1, 1),
        };
        for row in ["50000 entities", "10 entities, 10000 behaviors"] {
            assert!(number(&report, row) > 0.0, "{report}");
        }
    }
}
