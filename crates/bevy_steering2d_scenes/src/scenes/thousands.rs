//! Performance: the time of a tick by number of agents and of behaviors.
//!
//! The window shows a large flock and the time that its steering takes. The
//! [experiment](Scene::experiment) prints the two tables of Falcón's thesis (2008): an increasing
//! number of agents, and ten agents with an increasing number of behaviors. Times depend on the
//! computer and the build; everything else is reproducible.

use std::time::Duration;

use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::StepTimes;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Animal, pass_through};
use crate::experiment::{Experiment, advance};
use crate::in_scene::InScene;
use crate::lifecycle::{SceneRandom, agent_count, playing};
use crate::palette;
use crate::report::Line;
use crate::scene::{Crowd, Scene};

pub(crate) const SCENE: Scene = Scene {
    name: "thousands",
    title: "Thousands",
    help: "One large flock: each boid perceives about ten neighbors. Steering is the time of this \
           library in a tick, physics the time of Rapier. At 64 ticks a second, 15.6 ms are \
           available. Above 16,000 the boids are point masses, without physics.",
    keys: &[],
    chosen: |_| Vec::new(),
    mouse: "",
    crowd: Crowd::new(125, 2_000, 64_000),
    arena: Arena::USUAL,
    build,
    build_overlay: |_| {},
    setup,
    script: |_, _| {},
    report,
    experiment,
};

/// Maximum number of Rapier bodies; with more, a tick would take longer than its timestep.
const MOST_BODIES: usize = 16_000;
/// Number of neighbors in range when boids are evenly distributed.
const NEIGHBORS: f32 = 10.0;

/// A boid of the flock.
#[derive(Component, Clone, Copy, Debug)]
struct Boid;

/// Start times within the current tick, and the durations of the last ticks.
#[derive(Resource, Debug)]
struct Stopwatch {
    begin: Instant,
    moved: Instant,
    stepped: Instant,
    ticks: Vec<Times>,
}

/// Durations of a tick.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// All steps of steering.
    steering: Duration,
    /// Rapier.
    physics: Duration,
    /// All systems of the tick.
    whole: Duration,
}

impl Stopwatch {
    /// Number of ticks in the report.
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

    /// The median of the last ticks, ms; robust against single slow ticks.
    fn median(&self, of: fn(&Times) -> Duration) -> Option<f32> {
        let mut times: Vec<Duration> = self.ticks.iter().map(of).collect();
        times.sort_unstable();
        let median = times.get(times.len() / 2)?;
        Some(1_000.0 * median.as_secs_f32())
    }
}

fn build(app: &mut App) {
    let on = || playing(SCENE.name);
    app.init_resource::<StepTimes>()
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
            (|mut watch: ResMut<Stopwatch>, times: Res<StepTimes>| watch.stop(times.total()))
                .run_if(on()),
        );
}

/// A system that records the current time.
fn mark(set: fn(&mut Stopwatch, Instant)) -> impl Fn(ResMut<Stopwatch>) + Clone {
    move |mut watch| set(&mut watch, Instant::now())
}

fn setup(world: &mut World) {
    world.insert_resource(Stopwatch::new());
    fill(world, agent_count(world));
}

/// Replaces the flock by one of this size.
fn fill(world: &mut World, count: usize) {
    let mut flock = world.query_filtered::<Entity, With<Boid>>();
    let flock: Vec<_> = flock.iter(world).collect();
    for boid in flock {
        world.despawn(boid);
    }
    let arena = *world.resource::<Arena>();
    let size = 2.0 * arena.half_size;
    let density = count.max(1) as f32 / (size.x * size.y);
    let range = (NEIGHBORS / (density * std::f32::consts::PI)).sqrt();
    for _ in 0..count {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let (position, facing) = (arena.spot(1.0, random), random.angle());
        spawn_boid(world, position, facing, range, count <= MOST_BODIES);
    }
}

fn spawn_boid(world: &mut World, position: Vec2, facing: f32, range: f32, solid: bool) {
    let colors = [palette::SAND, palette::AMBER, palette::SKY, palette::MINT];
    let boid = Animal {
        name: "boid",
        position,
        facing,
        radius: 0.09 * range.min(1.5),
        color: colors[(position.x.abs() * 7.0) as usize % colors.len()],
        vehicle: Vehicle {
            max_speed: 4.0,
            ..default()
        },
    };
    let velocity = 2.0 * Vec2::from_angle(facing);
    let flocking = (Boid, Flocking::new(range));
    if solid {
        let mut boid = world.spawn((flocking, boid.bundle()));
        // There is not enough space for boids that collide.
        boid.insert((Velocity::linear(velocity), pass_through()));
    } else {
        world.spawn((flocking, boid.point_mass(velocity)));
    }
}

fn report(world: &World) -> Vec<Line> {
    let count = agent_count(world);
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

/// The tables of Falcón's thesis: by entities (its table 22, which continues here to larger
/// numbers), by behaviors (23 and 24), and the frames a second with ten entities.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let ticks = experiment.ticks.min(Stopwatch::KEPT as u32);
    let mut lines = Vec::new();
    for count in [10, 100, 500, 1_000, 2_000, 5_000, 10_000, 50_000] {
        let watch = measure(experiment, ticks, |world| fill(world, count));
        let steering = watch.median(|times| times.steering);
        lines.push(Line::new(
            format!("{count} entities"),
            steering,
            "ms per tick",
        ));
        if count == 10 {
            let rate = watch.median(|times| times.whole).map(|time| 1_000.0 / time);
            lines.push(Line::new("10 entities, rate", rate, "ticks a second"));
        }
    }
    for count in [100, 500, 1_000, 2_000, 5_000, 10_000] {
        let watch = measure(experiment, ticks, |world| ten_agents(world, count));
        let steering = watch.median(|times| times.steering);
        let label = format!("10 entities, {count} behaviors");
        lines.push(Line::new(label, steering, "ms per tick"));
    }
    lines
}

/// The times of a tick in a prepared world.
fn measure(experiment: &Experiment, ticks: u32, prepare: impl FnOnce(&mut World)) -> Stopwatch {
    /// Ticks before measuring, in which buffers grow to their size.
    const WARM_UP: u32 = 16;
    let mut app = experiment.app(experiment.seed);
    prepare(app.world_mut());
    advance(&mut app, WARM_UP);
    app.insert_resource(Stopwatch::new());
    advance(&mut app, ticks);
    let watch = app.world_mut().remove_resource::<Stopwatch>();
    watch.unwrap_or_else(Stopwatch::new)
}

/// Spawns ten agents with this number of behaviors in total.
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
            let behavior = (SteersFor(agent), InScene::default());
            match number % 5 {
                0 => world.spawn((behavior, Seek::new(target))),
                1 => world.spawn((behavior, Flee::new(target))),
                2 => world.spawn((behavior, Arrive::new(target))),
                3 => world.spawn((behavior, Evade::new(target))),
                _ => world.spawn((behavior, Wander::default())),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::lifecycle::restart_with;
    use crate::report::number;

    #[test]
    fn flock_has_the_requested_size_with_or_without_physics() {
        let mut app = headless::app(&SCENE, 1);
        for (wanted, bodies, masses) in [(500, 500, 0), (1, 125, 0), (16_001, 0, 16_001)] {
            restart_with(app.world_mut(), 1, wanted);
            advance(&mut app, 2);
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
    fn experiment_reports_both_tables() {
        let report = headless::study(&SCENE, 1, 1);
        for row in [
            "10 entities, rate",
            "50000 entities",
            "10 entities, 10000 behaviors",
        ] {
            assert!(number(&report, row) > 0.0, "{report}");
        }
    }
}
