//! A yard: tanks and trucks of different wheelbases drive in formation round rocks.
//!
//! A rigid slot beside a leader sweeps sideways when the leader turns, which nothing on wheels can do. So
//! the [slots](formation) are measured along the leader's course: so far behind on it, and so far beside it
//! (Barfoot and Clark 2004, *Motion planning for formations of mobile robots*). Each vehicle follows the
//! lane of its slot by [`PathFollowing`]; its pace keeps it level with the slot, and the leader waits for
//! the others. A key gives them rigid slots by [`OffsetPursuit`] instead.

mod formation;
mod tally;
mod vehicles;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use formation::{Course, Member, Slots};
use tally::Tally;
use vehicles::VEHICLES;

use crate::arena::Arena;
use crate::cars::draw_wheels;
use crate::course::{beside, road, rounded};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette, props};

pub(crate) const SCENE: Scene = Scene {
    name: "yard",
    title: "Yard",
    help: "Tanks and trucks of different wheelbases keep a formation on a course round rocks. \
           Their slots (green crosses) are so far behind the leader along the course, and so far \
           beside it; gold crosses are the targets of the course; the leader waits for the others. Rigid slots sweep sideways in turns, and nothing \
           on wheels can follow them.",
    keys: &[
        SceneKey::new('1', "Along the course"),
        SceneKey::new('2', "Rigid slots"),
    ],
    chosen: |world| vec![world.resource::<Slots>().key()],
    mouse: "",
    crowd: None,
    arena: Arena {
        half_size: Vec2::new(86.0, 54.0),
        corner: 24.0,
    },
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

/// The corners of the course before they are rounded, counterclockwise, m.
const CORNERS: [Vec2; 11] = [
    Vec2::new(-76.0, -14.0),
    Vec2::new(-52.0, -44.0),
    Vec2::new(-14.0, -44.0),
    Vec2::new(14.0, -44.0),
    Vec2::new(52.0, -44.0),
    Vec2::new(76.0, -14.0),
    Vec2::new(76.0, 18.0),
    Vec2::new(50.0, 44.0),
    Vec2::new(0.0, 28.0),
    Vec2::new(-50.0, 44.0),
    Vec2::new(-76.0, 18.0),
];
/// Half the width of the ground that the formation uses, m.
const ROAD: f32 = 7.0;

/// The rocks, m: x, y and radius.
const ROCKS: [(f32, f32, f32); 9] = [
    (-40.0, -4.0, 9.0),
    (-6.0, -12.0, 10.0),
    (36.0, 2.0, 8.0),
    (14.0, 12.0, 4.0),
    (0.0, 45.0, 4.0),
    (70.0, -42.0, 4.0),
    (-70.0, -42.0, 4.0),
    (68.0, 42.0, 4.0),
    (-68.0, 42.0, 4.0),
];

fn build(app: &mut App) {
    app.add_scene_component::<Member>()
        .add_scene_resource::<Slots>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                formation::choose,
                formation::apply,
                formation::advance,
                tally::keep,
                formation::drive,
            ),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Slots::default());
    world.insert_resource(Tally::default());
    let middle = match rounded(&CORNERS, 4) {
        Ok(path) => path,
        Err(error) => return error!("the course: {error}"),
    };
    for slab in road(&middle, ROAD) {
        world.spawn(slab);
    }
    for (x, y, radius) in ROCKS {
        let center = Vec2::new(x, y);
        world.spawn(props::rock(bevy_steering2d::Circle::new(center, radius)));
    }
    let start = formation::length() + 2.0;
    let mut leader = None;
    for (number, vehicle) in VEHICLES.iter().enumerate() {
        let jitter = 0.4 * world.resource_mut::<SceneRandom>().0.signed_unit();
        let lane = SteeringPath::looped(beside(&middle, vehicle.slot.y));
        let lane = lane.unwrap_or_else(|_| middle.clone());
        let lane = (Name::new("lane"), InScene::default(), lane);
        let lane = world.spawn(lane).id();
        let arc = start + vehicle.slot.x + jitter;
        let on_lane = formation::place(&middle, arc, vehicle.slot.y);
        let member = Member::new(number, arc, vehicle.slot.x + jitter);
        let follows = PathFollowing::new(lane).with_corridor(0.3, 0.5);
        let mut spawned = world.spawn((member, follows, vehicle.body(on_lane)));
        vehicle.locomotion.insert(&mut spawned);
        let entity = spawned.id();
        match leader {
            None => leader = Some(entity),
            Some(leader) => {
                let rigid = OffsetPursuit::new(leader, vehicle.slot);
                spawned.insert(rigid.disabled());
            }
        }
    }
    world.insert_resource(Course(middle));
}

fn report(world: &World) -> Vec<Line> {
    let slots = world.resource::<Slots>().name();
    let mut lines = vec![Line::new("slots", slots, "")];
    lines.extend(world.resource::<Tally>().lines());
    lines
}

/// Runs the same formation with rigid slots.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let labels = ["contacts", "slot error", "largest slot error"];
    experiment.trial("rigid slots", Slots::Rigid, &labels)
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    course: Res<Course>,
    members: Query<(&Member, &Drawn, Option<&Wheeled>, &Controls)>,
    mut gizmos: Gizmos,
) {
    overlay::path(&mut gizmos, &course.0, palette::FENCE);
    for target in tally::targets(&course.0) {
        overlay::cross(&mut gizmos, target, 1.2, palette::GOLD);
    }
    for (member, drawn, wheels, controls) in &members {
        if let Some(wheels) = wheels {
            let half = VEHICLES[member.number].half;
            draw_wheels(&mut gizmos, drawn, half, wheels, controls);
        }
        overlay::cross(&mut gizmos, member.slot, 0.7, palette::MINT);
        gizmos.line_2d(drawn.pose.position, member.slot, palette::MINT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    #[ignore = "ten minutes of simulated time take half a minute"]
    fn the_formation_holds_for_ten_minutes() {
        let report = headless::run(&SCENE, 1, 64 * 600);
        println!("{report}");
        assert_eq!(number(&report, "contacts"), 0.0, "{report}");
        assert_eq!(number(&report, "rocks touched"), 0.0, "{report}");
        assert!(number(&report, "targets reached") > 50.0, "{report}");
        let largest = number(&report, "largest slot error, straight");
        assert!(largest < 1.0, "{report}");
    }

    #[test]
    fn a_formation_of_tanks_and_trucks_keeps_its_slots() {
        let report = headless::study(&SCENE, 1, 64 * 90);
        let of = |what: &str| number(&report, what);
        assert_eq!(of("contacts"), 0.0, "{report}");
        assert!(of("targets reached") >= 3.0, "{report}");
        assert!(of("slot error, straight") < 0.5, "{report}");
        assert!(of("largest slot error, straight") < 1.0, "{report}");
        assert!(of("slot error") < of("rigid slots: slot error"), "{report}");
    }
}
