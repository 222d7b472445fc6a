//! The three styles of [`Wander`] side by side.
//!
//! Each style has a field of its own. An agent that leaves its field enters it again on the opposite
//! side, so that nothing but [`Wander`] turns it. A new random target every few seconds makes an
//! agent turn about on the spot; the circle ahead makes it turn smoothly. The
//! [experiment](Scene::experiment) changes the parameters of the circle.

use std::array;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Animal, pass_through};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::report::{Extent, Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::trail::Trail;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "wander_styles",
    title: "Styles of wandering",
    help: "Three styles of wandering side by side. Left: the target is pushed about on a circle ahead, in the frame of the agent. Middle: \
           its angle changes at random, in the frame of the world. Right: a new random target \
           every few seconds. Compare the trails and the largest turn in a quarter of a second. \
           Agents that leave their field enter it on the other side.",
    keys: &[
        SceneKey::new('d', "Distant circle"),
        SceneKey::new('w', "Wide circle"),
        SceneKey::new('j', "Strong jitter"),
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

/// Agents of each style.
const EACH: usize = 3;
/// Ticks between two looks at a heading: a quarter of a second.
const LOOK: u32 = 16;
/// Looks per second.
const LOOKS: f32 = 4.0;
/// Ticks until all agents have reached their speed.
const WARM_UP: u32 = 128;

/// A wanderer's style, its heading at the last look, and its turn before that, rad.
#[derive(Component, Clone, Copy, Debug)]
struct Wanderer {
    style: Style,
    heading: Option<Vec2>,
    turn: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Circle,
    Angle,
    RandomTarget,
}

impl Style {
    const ALL: [Self; 3] = [Self::Circle, Self::Angle, Self::RandomTarget];

    fn name(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Angle => "angle",
            Self::RandomTarget => "random target",
        }
    }

    fn color(self) -> Color {
        match self {
            Self::Circle => palette::MINT,
            Self::Angle => palette::SKY,
            Self::RandomTarget => palette::AMBER,
        }
    }

    /// The field of its agents, m.
    fn field(self) -> Rect {
        let center = Vec2::new(9.8 * (self as u8 as f32 - 1.0), 0.0);
        Rect::from_center_half_size(center, Vec2::new(4.6, 9.3))
    }

    fn wander(self, circle: Circle) -> WanderStyle {
        let Circle {
            distant,
            wide,
            strong,
        } = circle;
        let times = |factor: f32, on: bool| if on { factor } else { 1.0 };
        let distance = 2.0 * times(3.0, distant);
        let radius = times(1.8, wide);
        match self {
            Self::Circle => WanderStyle::Circle {
                radius,
                distance,
                jitter: 3.0 * times(3.0, strong),
            },
            Self::Angle => WanderStyle::Angle {
                radius,
                distance,
                angle_change: 3.0 * times(3.0, strong),
            },
            Self::RandomTarget => WanderStyle::RandomTarget {
                area: self.field().inflate(-0.5),
                every: 2.5,
            },
        }
    }
}

/// Changes of the circle ahead, set by the user.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Circle {
    distant: bool,
    wide: bool,
    strong: bool,
}

impl Circle {
    fn with_keys(&mut self) -> [(char, &mut bool); 3] {
        [
            ('d', &mut self.distant),
            ('w', &mut self.wide),
            ('j', &mut self.strong),
        ]
    }
}

/// Measurements by style.
#[derive(Resource, Clone, Default)]
struct Tally([Score; Style::ALL.len()]);

#[derive(Clone, Copy, Debug, Default)]
struct Score {
    /// Turns between two looks, rad.
    turns: Extent,
    /// Share of looks at which the agent turns to the other side than before.
    swaps: Mean,
    speed: Mean,
    /// Smallest speed, m/s.
    slowest: Option<f32>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Wanderer>()
        .add_scene_resource::<Circle>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (change_circle, enter_again, keep_tally));
}

fn setup(world: &mut World) {
    world.insert_resource(Circle::default());
    world.insert_resource(Tally::default());
    for style in Style::ALL {
        for _ in 0..EACH {
            let random = &mut world.resource_mut::<SceneRandom>().0;
            let (position, facing) = (random.point_in(style.field()), random.angle());
            let animal = Animal {
                name: "wanderer",
                position,
                facing,
                radius: 0.3,
                color: style.color(),
                vehicle: Vehicle::default(),
            };
            world.spawn((
                Wanderer {
                    style,
                    heading: None,
                    turn: 0.0,
                },
                Wander::new(style.wander(Circle::default())),
                (Trail::default(), animal.dart(), pass_through()),
            ));
        }
    }
}

fn change_circle(
    presses: Res<Presses>,
    mut circle: ResMut<Circle>,
    mut wanderers: Query<(&Wanderer, &mut Wander)>,
) {
    for key in presses.keys() {
        for (its_key, option) in circle.with_keys() {
            *option ^= key == its_key;
        }
    }
    if circle.is_changed() {
        for (wanderer, mut wander) in &mut wanderers {
            wander.style = wanderer.style.wander(*circle);
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let mut circle = *world.resource::<Circle>();
    let on = circle.with_keys().into_iter().filter(|(_, on)| **on);
    on.map(|(key, _)| key).collect()
}

/// Moves agents that have left their field to its opposite side.
fn enter_again(mut wanderers: Query<(&Wanderer, &mut Transform)>) {
    for (wanderer, mut at) in &mut wanderers {
        let field = wanderer.style.field();
        let here = at.translation.truncate();
        if !field.contains(here) {
            let there = field.min + (here - field.min).rem_euclid(field.size());
            at.translation = there.extend(at.translation.z);
        }
    }
}

fn keep_tally(
    current: Res<CurrentScene>,
    mut tally: ResMut<Tally>,
    mut wanderers: Query<(&mut Wanderer, &Velocity)>,
) {
    if current.tick() < WARM_UP {
        return;
    }
    for (mut wanderer, velocity) in &mut wanderers {
        let score = &mut tally.0[wanderer.style as usize];
        let speed = velocity.linear.length();
        score.speed.add(speed);
        score.slowest = Some(score.slowest.map_or(speed, |it| it.min(speed)));
        if !current.tick().is_multiple_of(LOOK) {
            continue;
        }
        let heading = velocity.linear.try_normalize();
        if let (Some(before), Some(now)) = (wanderer.heading, heading) {
            let turn = before.angle_to(now);
            score.turns.add(turn.abs());
            score.swaps.note(turn * wanderer.turn < 0.0);
            wanderer.turn = turn;
        }
        wanderer.heading = heading;
    }
}

fn report(world: &World) -> Vec<Line> {
    let scores = Style::ALL.into_iter().zip(&world.resource::<Tally>().0);
    let lines = scores.flat_map(|(style, score)| {
        let mean = score.turns.mean().map(|turn| LOOKS * turn.to_degrees());
        let largest = score.turns.largest().map(f32::to_degrees);
        let swaps = score.swaps.get().map(|share| LOOKS * share);
        [
            Line::new("largest turn", largest, "° in a quarter of a second"),
            Line::new("mean turn", mean, "°/s"),
            Line::new("turns to the other side", swaps, "times a second"),
            Line::new("mean speed", score.speed.get(), "m/s (of 5)"),
            Line::new("lowest speed", score.slowest, "m/s"),
        ]
        .map(|line| line.of(style.name()))
    });
    lines.collect()
}

/// Runs the same agents with other circles.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let labels = ["circle: mean turn", "circle: turns to the other side"];
    let trials: [(&str, fn(&mut Circle)); 3] = [
        ("distant circle", |circle| circle.distant = true),
        ("wide circle", |circle| circle.wide = true),
        ("strong jitter", |circle| circle.strong = true),
    ];
    let trial = |(run, change): (&str, fn(&mut Circle))| {
        let mut circle = Circle::default();
        change(&mut circle);
        experiment.trial(run, circle, &labels)
    };
    trials.into_iter().flat_map(trial).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    tally: Res<Tally>,
    wanderers: Query<(
        &Wanderer,
        &Drawn,
        &Trail,
        &Kinematics,
        &Wander,
        &WanderMemory,
    )>,
    mut gizmos: Gizmos,
) {
    let largest: [f32; 3] = array::from_fn(|i| tally.0[i].turns.largest().unwrap_or(0.0));
    for (style, turn) in Style::ALL.into_iter().zip(largest) {
        let field = style.field();
        gizmos.rect_2d(field.center(), field.size(), palette::FENCE);
        let text = format!("{}: {:.0} deg", style.name(), turn.to_degrees());
        let above = Vec2::new(field.center().x, field.max.y + 0.6);
        overlay::caption(&mut gizmos, above, &text, style.color());
    }
    for (wanderer, drawn, trail, body, wander, memory) in &wanderers {
        trail.draw(&mut gizmos, drawn.pose.position, wanderer.style.color());
        overlay::wander_circle(&mut gizmos, drawn, body, wander, memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn circle_and_angle_turn_smoothly_and_random_targets_abruptly() {
        let report = headless::run(&SCENE, 1, 4_000);
        let of = |style: &str, what: &str| number(&report, &format!("{style}: {what}"));
        for style in ["circle", "angle"] {
            assert!(of(style, "largest turn") < 60.0, "{report}");
            assert!(of(style, "lowest speed") > 4.0, "{report}");
        }
        assert!(of("random target", "largest turn") > 120.0, "{report}");
        assert!(of("random target", "lowest speed") < 2.0, "{report}");
    }

    #[test]
    fn the_circle_sets_how_much_wanderers_turn() {
        let report = headless::study(&SCENE, 1, 3_000);
        let usual = |what: &str| number(&report, &format!("circle: {what}"));
        let of = |run: &str, what: &str| number(&report, &format!("{run}: circle: {what}"));
        let [turn, swaps] = ["mean turn", "turns to the other side"];
        assert!(of("distant circle", turn) < 0.7 * usual(turn), "{report}");
        assert!(of("wide circle", turn) > 1.3 * usual(turn), "{report}");
        assert!(of("strong jitter", swaps) > 1.3 * usual(swaps), "{report}");
    }
}
