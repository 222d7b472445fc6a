//! A hall with two exits, and a crowd that shares one flow field.
//!
//! A [`GoalField`] leads everyone to the street along the quickest way, and [`ReciprocalAvoidance`] keeps people apart.
//! Since people make the ground more costly ([`GoalField::crowd_cost`]), those at the end of the queue take the
//! far exit; without that all wait at the near one. Who is out enters again. The
//! [experiment](Scene::experiment) runs the hall both ways.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::navigation::GoalField;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Person, recolor, teleport};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::Look;
use crate::placement::spot_in;
use crate::props;
use crate::report::Line;
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "exits",
    title: "Exits",
    help: "A crowd leaves a hall for the street below, on one flow field. People make the ground more \
           costly, so those at the end of the queue take the far exit; switch that off, and all wait \
           at the near one. Amber people are held up, red ones collide. Who is out enters again.",
    keys: &[SceneKey::new('c', "Crowd cost")],
    chosen: |world| {
        let crowd_counts = world.resource::<Options>().crowd_counts;
        crowd_counts.then_some('c').into_iter().collect()
    },
    mouse: "",
    crowd: Crowd::new(20, 120, 200),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const RADIUS: f32 = 0.25;
/// Minimum distance between centers at the start and at the entrance, m.
const APART: f32 = 0.6;
/// y of the wall with the exits, m.
const WALL: f32 = -6.0;
/// The exits are as far to the left and to the right, m.
const EXIT: f32 = 9.0;
/// Half the width of an exit, m.
const HALF_WIDTH: f32 = 0.7;
/// y of the line in the street to which the field leads, m.
const STREET: f32 = -9.5;
/// People are out below this y, m.
const OUT: f32 = -8.5;
/// Where people are at the start.
const HALL: Rect = Rect {
    min: Vec2::new(-13.0, -4.0),
    max: Vec2::new(0.0, 10.0),
};
/// Where they enter again.
const ENTRANCE: Rect = Rect {
    min: Vec2::new(-11.0, 8.0),
    max: Vec2::new(-3.0, 10.5),
};
/// What each person per square meter adds to a meter, m.
const CROWD_COST: f32 = 0.5;
const TICKS_PER_MINUTE: f32 = 64.0 * 60.0;
/// People are held up below this share of their pace.
const HELD_UP: f32 = 0.4;

/// A person in the hall, or in the street.
#[derive(Component, Clone, Copy, Debug)]
struct Visitor;

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug)]
struct Options {
    crowd_counts: bool,
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    visitors: usize,
    near: u32,
    far: u32,
    collisions: Contacts<Pair>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Visitor>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (read_keys, keep_tally, reenter, color_visitors));
}

fn setup(world: &mut World) {
    world.insert_resource(Options { crowd_counts: true });
    let visitors = agent_count(world);
    world.insert_resource(Tally {
        visitors,
        ..default()
    });
    let end = world.resource::<Arena>().half_size.x;
    for (from, to) in [
        (-end, -EXIT - HALF_WIDTH),
        (-EXIT + HALF_WIDTH, EXIT - HALF_WIDTH),
        (EXIT + HALF_WIDTH, end),
    ] {
        let [from, to] = [from, to].map(|x| Vec2::new(x, WALL));
        world.spawn(props::wall(Wall::new(from, to)));
    }
    let field = world.spawn((InScene::default(), way_out())).id();
    let mut places = Vec::new();
    for _ in 0..visitors {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = spot_in(HALL, &places, APART, random);
        places.push(place);
        let pace = Pedestrian::desired_speed(random);
        let person = Person {
            name: "visitor",
            position: place,
            velocity: 0.2 * Vec2::NEG_Y,
            radius: RADIUS,
            color: palette::SAND,
            vehicle: Pedestrian::default().vehicle,
            solid: true,
        };
        world.spawn((
            Visitor,
            FlowFieldFollowing::new(field).with_pace(pace),
            ReciprocalAvoidance::default(),
            Combine::WEIGHTED_SUM,
            person.bundle(),
        ));
    }
}

/// The field that leads everyone to a line in the street: towards a single point all would press together.
fn way_out() -> GoalField {
    let area = Rect::new(-14.0, -10.5, 14.0, 10.5);
    let field = GoalField::new(area).with_radius(RADIUS + 0.1);
    let goals = (-11..=11).map(|x: i16| Vec2::new(x.into(), STREET));
    goals.fold(field, GoalField::with_goal)
}

fn read_keys(
    presses: Res<Presses>,
    mut options: ResMut<Options>,
    mut fields: Query<&mut GoalField>,
) {
    for _ in presses.keys().filter(|key| *key == 'c') {
        options.crowd_counts ^= true;
    }
    let crowd_cost = if options.crowd_counts {
        CROWD_COST
    } else {
        0.0
    };
    for field in &mut fields {
        let mut cost = field.map_unchanged(|it| &mut it.crowd_cost);
        cost.set_if_neq(crowd_cost);
    }
}

fn keep_tally(mut tally: ResMut<Tally>, visitors: Query<(Entity, &Transform), With<Visitor>>) {
    let bodies = visitors
        .iter()
        .map(|(entity, at)| Disc::new(entity, at, RADIUS));
    tally.collisions.observe_pairs(bodies.collect());
}

/// Moves those who are out back into the hall.
fn reenter(
    mut tally: ResMut<Tally>,
    mut random: ResMut<SceneRandom>,
    mut visitors: Query<(&mut Transform, &mut Velocity), With<Visitor>>,
) {
    let places = visitors.iter().map(|(at, _)| at.translation.truncate());
    let mut places: Vec<Vec2> = places.collect();
    for (mut at, mut velocity) in &mut visitors {
        if at.translation.y > OUT {
            continue;
        }
        if at.translation.x < 0.0 {
            tally.near += 1;
        } else {
            tally.far += 1;
        }
        let place = spot_in(ENTRANCE, &places, APART, &mut random.0);
        places.push(place);
        teleport(&mut at, &mut velocity, place);
    }
}

fn color_visitors(
    tally: Res<Tally>,
    mut visitors: Query<(Entity, &Velocity, &FlowFieldFollowing, &mut Look), With<Visitor>>,
) {
    let touching = tally.collisions.touching();
    for (entity, velocity, follows, mut look) in &mut visitors {
        let pace = follows.pace.unwrap_or_default();
        let color = if touching.contains(&entity) {
            palette::RED
        } else if velocity.linear.length() < HELD_UP * pace {
            palette::AMBER
        } else {
            palette::SAND
        };
        recolor(&mut look, color);
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let counts = world.resource::<Options>().crowd_counts;
    let minutes = world.resource::<CurrentScene>().tick() as f32 / TICKS_PER_MINUTE;
    let rate = (minutes > 0.0).then(|| (tally.near + tally.far) as f32 / minutes);
    let per_person = tally.collisions.per_person(tally.visitors);
    vec![
        Line::new("the crowd costs", if counts { "yes" } else { "no" }, ""),
        Line::new("through the near exit", tally.near, ""),
        Line::new("through the far exit", tally.far, ""),
        Line::new("out of the hall", rate, "per minute"),
        Line::new("collisions per person", per_person, ""),
    ]
}

/// Runs the same hall with and without the cost of the crowd.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let run = |name: &str, crowd_counts| {
        let labels = [
            "through the near exit",
            "through the far exit",
            "out of the hall",
        ];
        experiment.trial(name, Options { crowd_counts }, &labels)
    };
    [run("the crowd costs", true), run("it does not", false)].concat()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

/// Draws the ways of the field, and how many have left by each exit.
fn draw_overlay(tally: Res<Tally>, fields: Query<&FlowField>, mut gizmos: Gizmos) {
    const LENGTH: f32 = 0.5;
    for field in &fields {
        for (x, y) in (-13..=13).flat_map(|x: i16| (-9..=10).map(move |y: i16| (x, y))) {
            let at = Vec2::new(x.into(), y.into());
            let way = LENGTH * field.sample(at);
            if way != Vec2::ZERO {
                let arrow = gizmos.arrow_2d(at - 0.5 * way, at + 0.5 * way, palette::FENCE);
                arrow.with_tip_length(0.15);
            }
        }
    }
    for (x, out) in [(-EXIT, tally.near), (EXIT, tally.far)] {
        let below = Vec2::new(x, STREET - 1.0);
        overlay::caption(&mut gizmos, below, &out.to_string(), palette::GOLD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn a_part_of_the_crowd_takes_the_far_exit_so_that_more_get_out() {
        let report = headless::study(&SCENE, 1, 64 * 60);
        let of = |run: &str, label: &str| number(&report, &format!("{run}: {label}"));
        let [costs, free] = ["the crowd costs", "it does not"];
        let [near, far] = ["through the near exit", "through the far exit"].map(|it| of(costs, it));
        assert!(far > 0.25 * near, "{report}");
        assert_eq!(of(free, "through the far exit"), 0.0, "{report}");
        let [with, without] = [costs, free].map(|run| of(run, "out of the hall"));
        assert!(with > 1.2 * without, "{report}");
        assert!(number(&report, "collisions per person") < 0.5, "{report}");
    }
}
