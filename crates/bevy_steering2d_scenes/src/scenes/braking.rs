//! The braking curves of [`Arrive`] side by side, for a light and a heavy body, and an agent whose
//! velocity is set directly.
//!
//! All runners go to the target at once and come to rest; then the target moves to the other side.
//! [`Braking::Physical`] brakes as late as each body can. The other curves know nothing of the body:
//! heavy ones overshoot. Setting the velocity never overshoots, but no force of a body could do it.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::Animal;
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::trail::Trail;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "braking",
    title: "Braking",
    help: "Runners arrive at the gold line with different braking curves, and the target moves \
           to the other side. Above light bodies, below heavy ones. Physical brakes as late as \
           the body can; with the other curves heavy bodies overshoot. The velocity of the red \
           runners is set directly: they start, turn and stop at once, which no force could do.",
    keys: &[SceneKey::new('m', "Restless target")],
    chosen: |world| {
        let restless = world.resource::<Course>().restless;
        restless.then_some('m').into_iter().collect()
    },
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

const RADIUS: f32 = 0.35;
/// The target is this far from the middle, m.
const GOAL: f32 = 9.0;
/// Ticks until the target moves: enough to come to rest, or not.
const CALM: u32 = 64 * 9;
const RESTLESS: u32 = 64 * 2;
/// A runner rests within this distance of the target, m, below this speed, m/s.
const AT_REST: (f32, f32) = (0.15, 0.15);

/// Reaches its speed in a quarter of a second; with the heavy mass, in one.
const RUNNER: Vehicle = Vehicle {
    max_speed: 6.0,
    max_force: 24.0,
    response_time: 0.1,
    radius: None,
};
/// Masses of the runners, kg, and their names.
const MASSES: [(f32, &str); 2] = [(1.0, "light"), (5.0, "heavy")];

/// How a runner comes to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Curve {
    Physical,
    Slow,
    Normal,
    Fast,
    Ramp,
    /// Its velocity is set, without a force.
    Direct,
}

impl Curve {
    const ALL: [Self; 6] = [
        Self::Physical,
        Self::Slow,
        Self::Normal,
        Self::Fast,
        Self::Ramp,
        Self::Direct,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Physical => "physical",
            Self::Slow => "slow",
            Self::Normal => "normal",
            Self::Fast => "fast",
            Self::Ramp => "ramp",
            Self::Direct => "direct",
        }
    }

    fn color(self) -> Color {
        match self {
            Self::Physical => palette::MINT,
            Self::Slow | Self::Normal | Self::Fast => palette::SKY,
            Self::Ramp => palette::LILAC,
            Self::Direct => palette::RED,
        }
    }

    fn braking(self) -> Option<Braking> {
        match self {
            Self::Physical => Some(Braking::Physical),
            Self::Slow => Some(Braking::Deceleration(Deceleration::Slow)),
            Self::Normal => Some(Braking::Deceleration(Deceleration::Normal)),
            Self::Fast => Some(Braking::Deceleration(Deceleration::Fast)),
            Self::Ramp => Some(Braking::Ramp {
                slowing_radius: 2.5,
            }),
            Self::Direct => None,
        }
    }
}

/// A runner and its measurements.
#[derive(Component, Clone, Copy, Debug)]
struct Runner {
    curve: Curve,
    weight: &'static str,
    /// y of its lane, m.
    lane: f32,
    /// m/s, one tick ago
    velocity: Vec2,
    /// The farthest it has gone beyond a target, m.
    overshoot: f32,
    /// Since when it has been at rest in this run, ticks after its beginning.
    rest: Option<u32>,
    /// Time until it rests, s. A run without rest counts in full.
    times: Mean,
    /// Greatest acceleration, m/s².
    hardest: f32,
}

/// The moving target.
#[derive(Resource, Clone, Copy, Debug)]
struct Course {
    /// The target moves before the runners have arrived.
    restless: bool,
    /// The side of the target: 1 right, −1 left.
    side: f32,
    /// The tick in which the target has come to this side.
    begin: u32,
}

impl Default for Course {
    fn default() -> Self {
        Self {
            restless: false,
            side: 1.0,
            begin: 0,
        }
    }
}

impl Course {
    fn target(&self, runner: &Runner) -> Vec2 {
        Vec2::new(self.side * GOAL, runner.lane)
    }

    fn length(&self) -> u32 {
        if self.restless { RESTLESS } else { CALM }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Runner>()
        .add_scene_resource::<Course>()
        .add_scene_systems(
            SCENE.name,
            (change_course, keep_tally, move_target, set_velocities),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Course::default());
    let lanes = Curve::ALL.len() * MASSES.len();
    for number in 0..lanes {
        let (mass, weight) = MASSES[number / Curve::ALL.len()];
        let curve = Curve::ALL[number % Curve::ALL.len()];
        let gap = if mass > 1.0 { -0.5 } else { 0.5 };
        let lane = 1.45 * (0.5 * (lanes - 1) as f32 - number as f32) + gap;
        // A different start in each world.
        let shift = 2.0 * world.resource_mut::<SceneRandom>().0.unit();
        let animal = Animal {
            name: "runner",
            position: Vec2::new(-GOAL + shift, lane),
            facing: 0.0,
            radius: RADIUS,
            color: curve.color(),
            vehicle: RUNNER,
        };
        let runner = Runner {
            curve,
            weight,
            lane,
            velocity: Vec2::ZERO,
            overshoot: 0.0,
            rest: None,
            times: Mean::default(),
            hardest: 0.0,
        };
        let mut entity = world.spawn((runner, Trail::default(), animal.compact()));
        entity.insert(ColliderMassProperties::Mass(mass));
        if let Some(braking) = curve.braking() {
            let target = Course::default().target(&runner);
            entity.insert(Arrive::new(target).with_braking(braking));
        }
    }
}

fn change_course(presses: Res<Presses>, mut course: ResMut<Course>) {
    for _ in presses.keys().filter(|key| *key == 'm') {
        course.restless ^= true;
    }
}

fn keep_tally(
    time: Res<Time>,
    current: Res<CurrentScene>,
    course: Res<Course>,
    mut runners: Query<(&mut Runner, &Transform, &Velocity)>,
) {
    for (mut runner, at, velocity) in &mut runners {
        let offset = at.translation.truncate() - course.target(&runner);
        let velocity = velocity.linear;
        let change = (velocity - runner.velocity).length() / time.delta_secs();
        runner.hardest = runner.hardest.max(change);
        runner.velocity = velocity;
        runner.overshoot = runner.overshoot.max(course.side * offset.x);
        let rests = offset.length() < AT_REST.0 && velocity.length() < AT_REST.1;
        let elapsed = current.since(course.begin);
        runner.rest = rests.then(|| runner.rest.unwrap_or(elapsed));
    }
}

/// Moves the target to the other side when the run is over.
fn move_target(
    time: Res<Time>,
    current: Res<CurrentScene>,
    mut course: ResMut<Course>,
    mut runners: Query<(&mut Runner, Option<&mut Arrive>)>,
) {
    let elapsed = current.since(course.begin);
    if elapsed < course.length() {
        return;
    }
    for (mut runner, _) in &mut runners {
        let ticks = runner.rest.take().unwrap_or(elapsed);
        runner.times.add(ticks as f32 * time.delta_secs());
    }
    course.side = -course.side;
    course.begin = current.tick();
    for (runner, arrive) in &mut runners {
        if let Some(mut arrive) = arrive {
            arrive.target = course.target(&runner).into();
        }
    }
}

/// Sets the velocity of runners without a behavior: full speed to the target, and none on it.
fn set_velocities(
    time: Res<Time>,
    course: Res<Course>,
    mut runners: Query<(&Runner, &Transform, &mut Velocity), Without<Arrive>>,
) {
    for (runner, at, mut velocity) in &mut runners {
        let offset = course.target(runner) - at.translation.truncate();
        velocity.linear = (offset / time.delta_secs()).clamp_length_max(RUNNER.max_speed);
    }
}

fn report(world: &World) -> Vec<Line> {
    let Some(mut runners) = world.try_query::<&Runner>() else {
        return Vec::new();
    };
    let mut runners: Vec<_> = runners.iter(world).collect();
    runners.sort_by(|a, b| b.lane.total_cmp(&a.lane));
    let lines = runners.into_iter().flat_map(|runner| {
        let name = format!("{} {}", runner.weight, runner.curve.name());
        [
            Line::new("overshoot", runner.overshoot, "m"),
            Line::new("time to rest", runner.times.get(), "s"),
            Line::new("hardest push", runner.hardest, "m/s²"),
        ]
        .map(|line| line.of(&name))
    });
    lines.collect()
}

/// Runs the same runners after a target that moves before they arrive.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let restless = Course {
        restless: true,
        ..default()
    };
    let labels: Vec<_> = MASSES
        .iter()
        .flat_map(|(_, weight)| {
            ["physical", "direct"].map(|it| format!("{weight} {it}: hardest push"))
        })
        .collect();
    let labels: Vec<_> = labels.iter().map(String::as_str).collect();
    experiment.trial("restless target", restless, &labels)
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    course: Res<Course>,
    runners: Query<(&Runner, &Drawn, &Trail, Option<(&SteeringForce, &Vehicle)>)>,
    mut gizmos: Gizmos,
) {
    let goal = Vec2::new(course.side * GOAL, 0.0);
    gizmos.line_2d(goal - 9.2 * Vec2::Y, goal + 9.2 * Vec2::Y, palette::GOLD);
    for (runner, drawn, trail, force) in &runners {
        let here = drawn.pose.position;
        let color = runner.curve.color();
        trail.draw(&mut gizmos, here, color);
        overlay::cross(&mut gizmos, course.target(runner), 0.25, palette::GOLD);
        if let Some((force, vehicle)) = force {
            overlay::force(&mut gizmos, drawn, force, vehicle);
        }
        let text = format!("{}: {:.2} m", runner.curve.name(), runner.overshoot);
        let above = Vec2::new(0.0, runner.lane + 0.55);
        overlay::caption(&mut gizmos, above, &text, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn physical_braking_stops_every_mass_and_other_curves_let_heavy_ones_overshoot() {
        let report = headless::run(&SCENE, 1, 3 * CALM);
        let of = |runner: &str, what: &str| number(&report, &format!("{runner}: {what}"));
        for weight in ["light", "heavy"] {
            let physical = format!("{weight} physical");
            assert!(of(&physical, "overshoot") < 0.05, "{report}");
            assert!(of(&physical, "time to rest") < 7.0, "{report}");
        }
        for curve in ["normal", "fast", "ramp"] {
            let overshoot = of(&format!("heavy {curve}"), "overshoot");
            assert!(overshoot > 0.2, "{curve}:\n{report}");
        }
        assert!(of("light slow", "overshoot") < 0.05, "{report}");
        // The gentler the curve, the longer it takes a light body.
        let time = |curve: &str| of(&format!("light {curve}"), "time to rest");
        assert!(time("slow") > time("normal"), "{report}");
        assert!(time("normal") > time("fast"), "{report}");
    }

    #[test]
    fn a_velocity_that_is_set_needs_a_push_beyond_any_force() {
        let report = headless::study(&SCENE, 1, 900);
        let of =
            |runner: &str| number(&report, &format!("restless target: {runner}: hardest push"));
        // 24 N for 1 kg and for 5 kg.
        assert!(of("light physical") <= 24.1, "{report}");
        assert!(of("heavy physical") <= 4.9, "{report}");
        assert!(of("heavy direct") > 300.0, "{report}");
    }
}
