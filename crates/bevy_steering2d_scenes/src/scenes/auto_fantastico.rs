//! Auto fantástico: cars drive among obstacles; each behavior can be switched on and off.
//!
//! Rocks are not solid: only [`ObstacleAvoidance`] keeps the cars out of them, and only
//! [`WallAvoidance`] keeps them away from the fence. Cars are not solid to each other either,
//! because a car that is pushed into a rock tells nothing about steering; a key makes them solid.
//! On [errands] the combiner decides whether the cars still avoid the rocks. A key puts [pucks](fleet),
//! which move in any direction, in the place of cars, with the same behaviors.

mod errands;
mod fleet;
mod skids;
mod tally;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::{AgentViews, draw};

use errands::Errands;
use fleet::Fleet;
use skids::Skids;
use tally::Tally;

use crate::arena::FENCE_GROUP;
use crate::bodies::enable;
use crate::cars::{CAR, draw_wheels};
use crate::combiners::{COMBINERS, name_of};
use crate::experiment::{Experiment, advance};
use crate::input::Presses;
use crate::lifecycle::{SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::overlay;
use crate::props::Rock;
use crate::report::Line;
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;

pub(crate) const SCENE: Scene = Scene {
    name: "auto_fantastico",
    title: "Auto fantástico",
    help: "Cars wander among rocks that are not solid: only steering keeps them out. The red car \
           shows its wander circle, its detection box for rocks and its feelers for the fence. \
           Switch a behavior off to see what it does. As colliders, the rocks are Rapier sensors. \
           Separation keeps the cars apart; solid cars push each other. On errands the cars seek \
           one point and flee from another: choose how these forces are combined with avoidance. \
           Pucks move in any direction, among narrower gaps.",
    keys: &[
        SceneKey::new('w', "Wander"),
        SceneKey::new('a', "Avoid obstacles"),
        SceneKey::new('f', "Avoid walls"),
        SceneKey::new('p', "Separation"),
        SceneKey::new('k', "Rocks as colliders"),
        SceneKey::new('s', "Solid cars"),
        SceneKey::new('m', "Pucks"),
        SceneKey::new('e', "Errands"),
        SceneKey::new('1', "Weighted sum"),
        SceneKey::new('2', "Average"),
        SceneKey::new('3', "Prioritized"),
        SceneKey::new('4', "Dithered"),
    ],
    chosen,
    mouse: "",
    crowd: Crowd::new(2, 20, 24),
    arena: Fleet::WIDE,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment,
};

#[derive(Component, Clone, Copy, Debug)]
struct Car;

/// The collision group of the cars.
const CAR_GROUP: Group = Group::GROUP_1;

/// The car whose perception is drawn.
#[derive(Component, Clone, Copy, Debug)]
struct Fantastic;

/// The behaviors and options that are switched on.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Switches {
    wander: bool,
    avoid_obstacles: bool,
    avoid_walls: bool,
    keep_apart: bool,
    /// Rocks are colliders instead of [`Obstacle`]s.
    colliders: bool,
    /// Cars are solid to each other.
    solid: bool,
    /// Pucks drive instead of cars.
    pucks: bool,
}

impl Switches {
    const ON: Self = Self {
        wander: true,
        avoid_obstacles: true,
        avoid_walls: true,
        keep_apart: true,
        colliders: false,
        solid: false,
        pucks: false,
    };

    fn with_keys(&mut self) -> [(char, &mut bool); 7] {
        [
            ('w', &mut self.wander),
            ('a', &mut self.avoid_obstacles),
            ('f', &mut self.avoid_walls),
            ('p', &mut self.keep_apart),
            ('k', &mut self.colliders),
            ('s', &mut self.solid),
            ('m', &mut self.pucks),
        ]
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Car>()
        .add_scene_component::<Fantastic>()
        .add_scene_resource::<Switches>()
        .add_scene_resource::<Errands>()
        .add_scene_resource::<Fleet>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                flip_switches,
                fleet::change,
                apply_switches,
                errands::choose,
                errands::apply,
                errands::run,
                tally::keep,
            ),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Switches::ON);
    world.insert_resource(Errands::default());
    fleet::furnish(world);
}

fn flip_switches(presses: Res<Presses>, mut switches: ResMut<Switches>) {
    for key in presses.keys() {
        for (its_key, switch) in switches.with_keys() {
            *switch ^= key == its_key;
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let mut switches = *world.resource::<Switches>();
    let on = switches.with_keys().into_iter().filter(|(_, on)| **on);
    let errands = world.resource::<Errands>().keys();
    on.map(|(key, _)| key).chain(errands).collect()
}

/// Applies the switches to the behaviors and rocks.
fn apply_switches(
    switches: Res<Switches>,
    mut cars: Query<
        (
            Entity,
            &mut Wander,
            &mut ObstacleAvoidance,
            &mut WallAvoidance,
            &mut Separation,
        ),
        With<Car>,
    >,
    rocks: Query<(Entity, &Rock)>,
    mut commands: Commands,
) {
    if !switches.is_changed() {
        return;
    }
    for (car, mut wander, mut avoidance, mut feelers, mut separation) in &mut cars {
        enable(&mut wander, switches.wander);
        enable(&mut avoidance, switches.avoid_obstacles);
        enable(&mut feelers, switches.avoid_walls);
        enable(&mut separation, switches.keep_apart);
        let touches = if switches.solid {
            Group::ALL
        } else {
            !CAR_GROUP
        };
        let mut car = commands.entity(car);
        car.insert(CollisionGroups::new(CAR_GROUP, touches));
        if switches.colliders {
            // Excludes the fence, which the feelers detect as walls.
            car.insert(SensesColliders {
                filter: (!FENCE_GROUP).bits(),
                sensors: true,
                ..default()
            });
        } else {
            car.remove::<SensesColliders>();
        }
    }
    for (rock, &Rock { radius }) in &rocks {
        let mut rock = commands.entity(rock);
        if switches.colliders {
            // Sensors are perceived but do not collide.
            let sensor = (RigidBody::Fixed, Collider::ball(radius), Sensor);
            rock.remove::<Obstacle>().insert(sensor);
        } else {
            rock.remove::<(RigidBody, Collider, Sensor)>()
                .insert(Obstacle { radius });
        }
    }
}

fn report(world: &World) -> Vec<Line> {
    let seen_as = if world.resource::<Switches>().colliders {
        "colliders"
    } else {
        "obstacles"
    };
    let combined = name_of(world.resource::<Errands>().combine);
    let mut lines = vec![
        Line::new("driven", world.resource::<Fleet>().name(), ""),
        Line::new("rocks seen as", seen_as, ""),
        Line::new("combined by", combined, ""),
    ];
    lines.extend(world.resource::<Tally>().lines());
    lines
}

/// Runs the same world with other switches, for cars and for pucks.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let fleets = [false, true].map(|pucks| Switches {
        pucks,
        ..Switches::ON
    });
    fleets
        .into_iter()
        .flat_map(|on| trials(experiment, on))
        .collect()
}

/// The runs of one fleet.
fn trials(experiment: &Experiment, on: Switches) -> Vec<Line> {
    let fleet = Fleet::of(&on).name();
    let blind = Switches {
        avoid_obstacles: false,
        ..on
    };
    let colliders = Switches {
        colliders: true,
        ..on
    };
    let solid = Switches { solid: true, ..on };
    let switched = [
        ("", on),
        (" not avoiding", blind),
        (" by colliders", colliders),
        (" that are solid", solid),
    ];
    let switched = switched.map(|(how, switches)| {
        let run = format!("{fleet}{how}");
        trial(experiment, &run, switches, Errands::default())
    });
    let errand = |(combine, name): (Combine, &str)| {
        let run = format!("{fleet} on errands by {name}");
        trial(experiment, &run, on, Errands { on: true, combine })
    };
    let errands = COMBINERS.into_iter().map(errand);
    switched.into_iter().chain(errands).flatten().collect()
}

/// Runs the scene with these options.
fn trial(experiment: &Experiment, run: &str, switches: Switches, errands: Errands) -> Vec<Line> {
    let labels = [
        "penetrations",
        "deepest",
        "fence touched",
        "mean speed",
        "stuck",
    ];
    let mut app = experiment.app(experiment.seed);
    app.insert_resource(switches).insert_resource(errands);
    advance(&mut app, experiment.ticks);
    let lines = app.world().resource::<Tally>().lines().into_iter();
    lines
        .filter(|line| labels.contains(&line.label.as_str()))
        .map(|line| line.of(run))
        .collect()
}

fn build_overlay(app: &mut App) {
    app.init_resource::<Skids>()
        .add_systems(FixedPostUpdate, skids::record.run_if(playing(SCENE.name)))
        .add_systems(
            Update,
            (skids::draw, draw_overlay).run_if(playing(SCENE.name)),
        )
        .add_observer(skids::forget);
}

fn draw_overlay(
    hero: Single<
        (
            Entity,
            &Drawn,
            &Kinematics,
            (&Wander, &WanderMemory, &ObstacleAvoidance, &WallAvoidance),
        ),
        With<Fantastic>,
    >,
    forces: Query<(&Drawn, &Vehicle, &SteeringForce), With<Car>>,
    wheels: Query<(&Drawn, &Wheeled, &Controls), With<Car>>,
    surroundings: Surroundings,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    let (entity, drawn, body, (wander, memory, avoidance, feelers)) = *hero;
    if wander.influence.enabled {
        overlay::wander_circle(&mut gizmos, drawn, body, wander, memory);
    }
    if let Some(me) = views.get(entity) {
        let lag = drawn.pose.position - me.position;
        if avoidance.influence.enabled {
            draw::detection_box(&mut gizmos, lag, &me, avoidance, &surroundings);
        }
        if feelers.influence.enabled {
            draw::feelers(&mut gizmos, lag, &me, feelers, &surroundings, true);
        }
    }
    for (drawn, wheels, controls) in &wheels {
        draw_wheels(&mut gizmos, drawn, CAR, wheels, controls);
    }
    for (drawn, vehicle, force) in &forces {
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    #[ignore = "ten minutes of simulated time take a minute"]
    fn cars_hit_no_rock_in_ten_minutes() {
        let report = headless::run(&SCENE, 1, 64 * 600);
        println!("{report}");
        assert_eq!(number(&report, "penetrations"), 0.0, "{report}");
        assert_eq!(number(&report, "fence touched"), 0.0, "{report}");
    }

    #[test]
    fn cars_drive_among_sixty_rocks() {
        let report = headless::run(&SCENE, 1, 2_000);
        assert_eq!(number(&report, "penetrations"), 0.0, "{report}");
        assert_eq!(number(&report, "fence touched"), 0.0, "{report}");
        assert!(number(&report, "mean speed") > 5.0, "{report}");
        assert!(number(&report, "stuck") < 0.5, "{report}");
        assert!(number(&report, "largest sideways speed") < 0.1, "{report}");
    }
}
