//! A rider drives strayed cows back to the herd.
//!
//! The rancher ([`rider::choose_cow`]) selects the action, the rider steers, the horse moves: the
//! three layers. Every animal of the pasture shows a behavior: [`Containment`] keeps all inside,
//! calves are on a [`Tether`] to their mothers, a foal matches the velocity of the horse
//! ([`MatchVelocity`]), a dog patrols along the fence ([`WallFollowing`]), and in the evening a flow
//! field leads the herd home ([`FlowFieldFollowing`]). The [experiment](Scene::experiment) leaves the
//! herd without a rider.

mod rider;
mod tally;

use bevy::prelude::*;
use bevy_steering2d::Circle;
use bevy_steering2d::prelude::*;

use rider::{Drive, Rider};
use tally::Tally;

use crate::arena::Arena;
use crate::bodies::{Animal, enable, pass_through};
use crate::experiment::Experiment;
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::placement::spot_in;
use crate::props;
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::trail::Trail;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "pasture",
    title: "Pasture",
    help: "Now and then a cow leaves the herd for better grass (red ring). The rider (amber) drives \
           it back into the ring of the herd, from behind. Calves (lilac) stay near their mothers, a \
           foal (gold) runs with the horse, a dog (red) patrols along the fence. Call the herd home, and all follow one flow field.",
    keys: &[SceneKey::new('d', "Drive"), SceneKey::new('h', "Home")],
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

/// The area that no animal leaves, m.
const PASTURE: Rect = Rect {
    min: Vec2::new(-14.0, -9.5),
    max: Vec2::new(14.0, 9.5),
};
/// A cow has strayed at this distance from the middle of the herd, m.
const STRAYED: f32 = 6.0;
const COWS: usize = 12;
const CALVES: usize = 3;
/// The leash of a calf, and that of the foal, m.
const LEASH: f32 = 1.5;
/// Distance that the dog keeps from the fence, m.
const PATROL: f32 = 0.7;
/// Where the herd goes in the evening, m.
const HOME: Vec2 = Vec2::new(9.0, 3.0);

const COW: Vehicle = Vehicle {
    max_speed: 1.8,
    max_force: 6.0,
    response_time: 0.3,
    radius: None,
};
const HORSE: Vehicle = Vehicle {
    max_speed: 6.0,
    max_force: 18.0,
    response_time: 0.2,
    radius: None,
};
const DOG: Vehicle = Vehicle {
    max_speed: 4.0,
    max_force: 16.0,
    response_time: 0.2,
    radius: None,
};

#[derive(Component, Clone, Copy, Debug, Default)]
struct Cow {
    /// It goes to better grass, away from the herd, until it is brought back.
    tempted: bool,
}

/// A calf or the foal, which stays near this animal.
#[derive(Component, Clone, Copy, Debug)]
struct Young {
    mother: Entity,
}

#[derive(Component, Clone, Copy, Debug)]
struct Dog;

/// Options chosen by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Options {
    /// The rider drives strayed cows back.
    drive: bool,
    /// The herd goes home.
    home: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            drive: true,
            home: false,
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Cow>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Drive>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                change_options,
                rider::tempt_cow,
                rider::choose_cow,
                apply_options,
                rider::ride,
                tally::keep,
            ),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Options::default());
    world.insert_resource(Drive::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    for wall in Wall::outline(arena.outline()) {
        world.spawn((Name::new("fence"), InScene::default(), wall));
    }
    for rock in rocks() {
        world.spawn(props::rock(rock));
    }
    let way_home = world.spawn((InScene::default(), way_home())).id();
    let horse = spawn_horse(world);
    let herd = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(3.5));
    let mut places = Vec::new();
    for number in 0..COWS {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = spot_in(herd, &places, 1.2, random);
        let facing = random.angle();
        places.push(place);
        let cow = spawn_cow(world, place, facing, horse, way_home);
        if number < CALVES {
            spawn_calf(world, place + 0.8 * Vec2::from_angle(facing), cow);
        }
    }
    spawn_dog(world);
}

fn rocks() -> [Circle; 4] {
    [
        (-8.0, 4.0, 0.9),
        (6.0, -5.0, 1.1),
        (-5.0, -6.0, 0.7),
        (4.5, 6.5, 0.8),
    ]
    .map(|(x, y, radius)| Circle::new(Vec2::new(x, y), radius))
}

/// A field that leads home from everywhere; it fades near home, where the herd comes to rest.
fn way_home() -> FlowField {
    const SPACING: f32 = 1.0;
    const FADING: f32 = 3.0;
    let size = (PASTURE.size() / SPACING).ceil().as_uvec2() + 1;
    let vector = |node: UVec2| {
        let here = PASTURE.min + SPACING * node.as_vec2();
        (HOME - here).clamp_length_max(FADING) / FADING
    };
    FlowField::new(PASTURE.min, SPACING, size, vector).expect("its numbers are finite")
}

fn animal(
    name: &'static str,
    position: Vec2,
    radius: f32,
    color: Color,
    vehicle: Vehicle,
) -> Animal {
    Animal {
        name,
        position,
        facing: 0.0,
        radius,
        color,
        vehicle,
    }
}

fn spawn_horse(world: &mut World) -> Entity {
    let place = Vec2::new(-11.0, -6.0);
    let horse = animal("rider", place, 0.5, palette::AMBER, HORSE);
    let behaviors = (
        Arrive::new(place),
        ObstacleAvoidance::default(),
        Containment::new(PASTURE),
    );
    let parts = (Rider, behaviors, Trail::default(), pass_through());
    let horse = world.spawn((parts, horse.dart())).id();
    let foal = animal("foal", place - Vec2::X, 0.3, palette::GOLD, HORSE);
    let behaviors = (
        MatchVelocity::new(horse),
        Tether::new(horse, LEASH),
        Separation::new(1.0),
        Containment::new(PASTURE),
    );
    let young = Young { mother: horse };
    world.spawn((young, behaviors, foal.dart(), pass_through()));
    horse
}

fn spawn_cow(
    world: &mut World,
    place: Vec2,
    facing: f32,
    horse: Entity,
    way_home: Entity,
) -> Entity {
    let graze = Wander::new(WanderStyle::Circle {
        radius: 1.0,
        distance: 2.5,
        jitter: 2.0,
    });
    let behaviors = (
        graze.with_weight(0.3),
        Flee::new(horse).with_panic_distance(3.5),
        Separation::new(1.4),
        Cohesion::new(12.0),
        Arrive::new(place).disabled(),
        ObstacleAvoidance::default(),
        Containment::new(PASTURE),
        FlowFieldFollowing::new(way_home).disabled(),
    );
    let cow = Animal {
        facing,
        ..animal("cow", place, 0.4, palette::SAND, COW)
    };
    let parts = (Cow::default(), behaviors, pass_through());
    world.spawn((parts, cow.dart())).id()
}

fn spawn_calf(world: &mut World, place: Vec2, mother: Entity) {
    let behaviors = (
        Wander::default().with_weight(0.5),
        Tether::new(mother, LEASH),
        Separation::new(0.8),
        ObstacleAvoidance::default(),
        Containment::new(PASTURE),
    );
    let vehicle = Vehicle {
        max_speed: 2.5,
        ..COW
    };
    let calf = animal("calf", place, 0.25, palette::LILAC, vehicle);
    world.spawn((Young { mother }, behaviors, calf.dart(), pass_through()));
}

fn spawn_dog(world: &mut World) {
    let behaviors = WallFollowing::new(PATROL);
    let dog = animal("dog", Vec2::new(0.0, -11.0), 0.3, palette::RED, DOG);
    world.spawn((Dog, behaviors, dog.dart(), pass_through()));
}

fn change_options(presses: Res<Presses>, mut options: ResMut<Options>) {
    for key in presses.keys() {
        match key {
            'd' => options.drive ^= true,
            'h' => options.home ^= true,
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let options = world.resource::<Options>();
    let (drive, home) = (options.drive.then_some('d'), options.home.then_some('h'));
    drive.into_iter().chain(home).collect()
}

/// What the cows do: graze with the herd, go to better grass, or follow the field home.
fn apply_options(
    options: Res<Options>,
    mut cows: Query<(
        &Cow,
        &mut Wander,
        &mut Cohesion,
        &mut Arrive,
        &mut FlowFieldFollowing,
    )>,
) {
    for (cow, mut graze, mut gather, mut leave, mut follow) in &mut cows {
        enable(&mut graze, !options.home);
        enable(&mut gather, !options.home && !cow.tempted);
        enable(&mut leave, !options.home && cow.tempted);
        enable(&mut follow, options.home);
    }
}

fn report(world: &World) -> Vec<Line> {
    world.resource::<Tally>().lines()
}

/// Leaves the same herd without a rider, and calls it home.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let alone = Options {
        drive: false,
        ..default()
    };
    let evening = Options {
        home: true,
        ..default()
    };
    let labels = ["strayed", "from the middle of the herd", "cows at home"];
    [
        experiment.trial("without a rider", alone, &labels),
        experiment.trial("evening", evening, &labels),
    ]
    .concat()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    options: Res<Options>,
    drive: Res<Drive>,
    rider: Single<(&Drawn, &Trail, &Arrive), With<Rider>>,
    young: Query<(&Young, &Drawn)>,
    drawn: Query<&Drawn>,
    mut gizmos: Gizmos,
) {
    let (horse, trail, arrive) = *rider;
    trail.draw(&mut gizmos, horse.pose.position, palette::AMBER);
    overlay::range(&mut gizmos, drive.middle, STRAYED, palette::GOLD);
    gizmos
        .circle_2d(drive.middle, STRAYED, palette::GOLD.with_alpha(0.5))
        .resolution(96);
    if let Target::Point(place) = arrive.target {
        overlay::aim(&mut gizmos, horse.pose.position, place, palette::AMBER);
    }
    if let Some(cow) = drive.cow.and_then(|cow| drawn.get(cow).ok()) {
        gizmos.circle_2d(cow.pose.position, 0.8, palette::RED);
    }
    for (young, at) in &young {
        if let Ok(mother) = drawn.get(young.mother) {
            let leash = palette::LILAC.with_alpha(0.4);
            gizmos.line_2d(mother.pose.position, at.pose.position, leash);
        }
    }
    if options.home {
        overlay::cross(&mut gizmos, HOME, 0.5, palette::MINT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn rider_keeps_the_herd_together_and_every_animal_keeps_its_place() {
        let report = headless::study(&SCENE, 1, 6_000);
        let of = |label: &str| number(&report, label);
        assert!(of("cows brought back") > 3.0, "{report}");
        assert!(
            of("strayed") < 0.5 * of("without a rider: strayed"),
            "{report}"
        );
        assert_eq!(of("outside the pasture"), 0.0, "{report}");
        // A calf that passes a rock on the other side counts much in one run.
        let others = [2, 3].map(|seed| headless::run(&SCENE, seed, 6_000));
        let calves = [&report, &others[0], &others[1]];
        let calves = calves.map(|it| number(it, "calves: from the mother"));
        let mean = calves.iter().sum::<f32>() / 3.0;
        assert!(mean < LEASH + 0.3, "{calves:?} m");
        assert!((of("dog: from the fence") - PATROL).abs() < 0.3, "{report}");
        assert!(of("foal: difference of velocity") < 1.5, "{report}");
        assert!(of("evening: cows at home") > 90.0, "{report}");
    }
}
