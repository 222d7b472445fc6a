//! A race: cars of different speed on a closed circuit, which overtake without contact.
//!
//! The road has two lanes. A [driver](drivers) stays behind a slower car, and goes to the other lane where
//! that is free; [`PathFollowing`] steers along the lane and slows down for curves. All cars are solid.
//! The walls beside the road are not, so that a car that leaves the road is counted. The slowest cars
//! start in front.

mod drivers;
mod tally;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use drivers::{Driver, LANES, Road, Rules};
use tally::{Lap, Tally};

use crate::arena::Arena;
use crate::cars::{CAR, Driven, car_at, draw_wheels};
use crate::course::{beside, road, rounded, walls};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette, props};

pub(crate) const SCENE: Scene = Scene {
    name: "race",
    title: "Race",
    help: "Eight cars of different speed on a closed circuit, the slowest in front. They slow \
           down for curves as much as their grip demands, and go to the other lane to overtake. \
           Drivers who do not look out run into the others. The numbers are rank and laps.",
    keys: &[SceneKey::new('l', "Look out")],
    chosen: |world| {
        let looks = world.resource::<Rules>().look_out;
        looks.then_some('l').into_iter().collect()
    },
    mouse: "",
    crowd: None,
    arena: Arena {
        half_size: Vec2::new(66.0, 48.0),
        corner: 20.0,
    },
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

const CARS: usize = 8;
/// Speed limits of the slowest car, and from one to the next, m/s.
const SLOWEST: f32 = 8.0;
const FASTER: f32 = 0.7;
/// Distance between two cars of a lane at the start, m.
const ROW: f32 = 9.0;
/// From the middle of the road to the walls, m.
const TO_WALL: f32 = 6.0;

/// The corners of the circuit before they are rounded, counterclockwise, m.
const CORNERS: [Vec2; 9] = [
    Vec2::new(-50.0, -32.0),
    Vec2::new(8.0, -34.0),
    Vec2::new(22.0, -12.0),
    Vec2::new(52.0, -22.0),
    Vec2::new(52.0, 30.0),
    Vec2::new(18.0, 36.0),
    Vec2::new(-4.0, 8.0),
    Vec2::new(-28.0, 34.0),
    Vec2::new(-54.0, 24.0),
];

/// A car and its number; cars with higher numbers are faster.
#[derive(Component, Clone, Copy, Debug)]
struct Racer(usize);

fn build(app: &mut App) {
    app.add_scene_component::<Driver>()
        .add_scene_component::<Lap>()
        .add_scene_resource::<Rules>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (drivers::change_rules, tally::keep, drivers::drive),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Rules { look_out: true });
    world.insert_resource(Tally::default());
    let middle = match rounded(&CORNERS, 3) {
        Ok(path) => path,
        Err(error) => return error!("the circuit: {error}"),
    };
    for slab in road(&middle, TO_WALL) {
        world.spawn(slab);
    }
    for wall in walls(&middle, TO_WALL) {
        world.spawn(props::wall(wall));
    }
    let lanes = LANES.map(|left| {
        let lane = SteeringPath::looped(beside(&middle, left)).unwrap_or_else(|_| middle.clone());
        world
            .spawn((Name::new("lane"), InScene::default(), lane))
            .id()
    });
    for number in 0..CARS {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        // The slowest in front, in turns on both lanes.
        let arc = 0.5 * ROW * (CARS - number) as f32 + 0.5 * random.signed_unit();
        let lane = number % 2;
        let on_path = middle.at(arc);
        let ahead = middle.direction(on_path.segment);
        let car = Driven {
            name: "racer",
            position: on_path.position + LANES[lane] * ahead.perp(),
            facing: ahead.to_angle(),
            half: CAR,
            mass: 1_200.0,
            vehicle: car_at(SLOWEST + FASTER * number as f32),
            color: palette::SKY.mix(&palette::RED, number as f32 / (CARS - 1) as f32),
        };
        let follows = PathFollowing::new(lanes[lane]).with_corridor(1.2, 0.5);
        let measured = (Racer(number), Lap::from(arc), Driver { lane });
        world.spawn((measured, follows, Wheeled::default(), car.bundle()));
    }
    world.insert_resource(Road { middle, lanes });
}

fn report(world: &World) -> Vec<Line> {
    let mut lines = world.resource::<Tally>().lines();
    if let Some(mut cars) = world.try_query::<(&Racer, &Lap)>() {
        let mut laps: Vec<_> = cars.iter(world).collect();
        laps.sort_by_key(|(racer, _)| racer.0);
        lines.extend(laps.into_iter().flat_map(|(racer, lap)| lap.lines(racer)));
    }
    lines
}

/// Runs the same race with drivers that do not look out.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let labels = ["contacts", "overtakes", "mean lap"];
    experiment.trial("not looking out", Rules { look_out: false }, &labels)
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    road: Res<Road>,
    lanes: Query<&SteeringPath>,
    cars: Query<(&Lap, &Drawn, &Wheeled, &Controls)>,
    mut gizmos: Gizmos,
) {
    for lane in road.lanes.iter().filter_map(|it| lanes.get(*it).ok()) {
        overlay::path(&mut gizmos, lane, palette::FENCE.with_alpha(0.4));
    }
    let mut ranking: Vec<_> = cars.iter().collect();
    ranking.sort_by(|(a, ..), (b, ..)| b.distance().total_cmp(&a.distance()));
    for (rank, (lap, drawn, wheels, controls)) in ranking.into_iter().enumerate() {
        draw_wheels(&mut gizmos, drawn, CAR, wheels, controls);
        let text = format!("{}:{}", rank + 1, lap.laps());
        let above = drawn.pose.position + Vec2::new(0.0, 3.4);
        overlay::headline(&mut gizmos, above, &text, palette::SAND);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn racing_cars_overtake_without_contact() {
        let report = headless::run(&SCENE, 1, 64 * 60);
        assert_eq!(number(&report, "contacts"), 0.0, "{report}");
        assert_eq!(number(&report, "walls touched"), 0.0, "{report}");
        assert!(number(&report, "overtakes") > 3.0, "{report}");
        assert!(number(&report, "laps") >= 8.0, "{report}");
    }

    #[test]
    #[ignore = "ten minutes of simulated time take half a minute"]
    fn cars_race_for_ten_minutes_without_contact() {
        let report = headless::run(&SCENE, 1, 64 * 600);
        println!("{report}");
        assert_eq!(number(&report, "contacts"), 0.0, "{report}");
        assert_eq!(number(&report, "walls touched"), 0.0, "{report}");
        assert!(number(&report, "overtakes") > 100.0, "{report}");
        for car in 1..=CARS {
            let laps = number(&report, &format!("car {car}: laps"));
            assert!(laps >= 12.0, "{report}");
        }
    }

    #[test]
    fn cars_whose_drivers_do_not_look_out_collide() {
        let report = headless::study(&SCENE, 1, 64 * 20);
        let contacts = number(&report, "not looking out: contacts");
        assert!(contacts > 0.0, "{report}");
    }
}
