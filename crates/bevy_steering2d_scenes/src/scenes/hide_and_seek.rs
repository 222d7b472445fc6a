//! Hide and seek: a hunter with a view cone, and hiders that keep a rock in between.
//!
//! The hunter wanders until it sees a hider, and chases it until it has lost sight of it. Rocks
//! block its view. Hiders [`Hide`] while the hunter is near, and wander otherwise. As stalkers they go
//! from rock to rock towards the hunter, which then is their prey and does not chase.

mod choice;
mod tally;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, HideMemory};

use choice::Choice;
use tally::{Tally, keep_tally, report};

use crate::arena::Arena;
use crate::bodies::{Animal, enable, recolor, set_max_speed, teleport};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, playing};
use crate::look::{Drawn, Look, Pose};
use crate::props::{self, Rock};
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::senses::{ViewCone, is_clear};
use crate::snapshots::SceneSnapshotExt;
use crate::stay_inside::StayInside;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "hide_and_seek",
    title: "Hide and seek",
    help: "The hunter wanders and sees what is in its view cone; rocks block its view. It chases \
           a hider that it sees (red) until it loses sight. Hiders (green) keep a rock between \
           the hunter and themselves while it is near; crosses mark their hiding spots. Without \
           Hide they wander all the time. As stalkers they come nearer from rock to rock, while the \
           hunter, now their prey, looks elsewhere.",
    keys: &[
        SceneKey::new('h', "Hide"),
        SceneKey::new('w', "Only wander"),
        SceneKey::new('t', "Stalk"),
    ],
    chosen: |world| vec![world.resource::<Choice>().key()],
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

const HIDERS: usize = 5;
const ROCKS: usize = 11;
const RADIUS: f32 = 0.4;

/// The hunter's view cone.
const VIEW: ViewCone = ViewCone {
    range: 12.0,
    angle: 110.0 * std::f32::consts::PI / 180.0,
};
/// Hiders hide from the hunter within this distance, m.
const PANIC_DISTANCE: f32 = 14.0;
/// Distance at which the hunter catches a hider, m.
const CATCH_DISTANCE: f32 = 1.1;
/// A caught hider respawns at least this far from the hunter, m.
const HEAD_START: f32 = 12.0;
/// The hunter gives up this long after it has lost sight, s.
const PATIENCE: f32 = 0.5;

const STROLL: f32 = 3.0;
const RUN: f32 = 5.5;
const HIDER_RUN: f32 = 5.0;

/// The hunter's state machine.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
enum Hunter {
    #[default]
    Strolling,
    /// The hider it chases, and the time since it was last seen, s.
    Chasing(#[entities] Entity, f32),
}

/// A hider and its measurements.
#[derive(Component, Clone, Debug, Default)]
struct Hider {
    /// Whether the hunter sees it now.
    seen: bool,
    /// Share of its time unseen, `0..=1`.
    unseen: Mean,
    /// Share of the time behind a rock while within the hunter's range, whatever its heading,
    /// `0..=1`.
    covered: Mean,
    catches: u32,
    /// How often it changed the rock.
    changes: u32,
    /// Time spent hiding, s.
    hiding: f32,
    /// The rock it hides behind.
    #[entities]
    rock: Option<Entity>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Hunter>()
        .add_scene_component::<Hider>()
        .add_scene_resource::<Choice>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                choose,
                update_visibility,
                guide_hunter,
                catch,
                guide_hiders,
                keep_tally,
            ),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Choice::Hide);
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    // Leaves space for a hider behind each rock and for a path between any two.
    let rocks = props::scatter(&arena, ROCKS, 0.9..1.6, 2.4, 2.0, random);
    let hunter_at = props::spot_between(&arena, 1.5, &rocks, random);
    let mut taken = rocks.clone();
    taken.push(Circle::new(hunter_at, HEAD_START));
    let facing = random.angle();
    let places: Vec<_> = (0..HIDERS)
        .map(|_| {
            let spot = props::spot_between(&arena, 1.0, &taken, random);
            taken.push(Circle::new(spot, RADIUS));
            (spot, random.angle())
        })
        .collect();
    for at in rocks {
        world.spawn(props::rock(at));
    }
    let hunter = spawn_hunter(world, hunter_at, facing);
    for (position, facing) in places {
        spawn_hider(world, position, facing, hunter);
    }
}

/// Wanders in wide turns.
fn stroll() -> Wander {
    Wander::new(WanderStyle::Circle {
        radius: 1.2,
        distance: 3.0,
        jitter: 3.0,
    })
}

fn spawn_hunter(world: &mut World, position: Vec2, facing: f32) -> Entity {
    let animal = Animal {
        name: "hunter",
        position,
        facing,
        radius: 0.55,
        color: palette::AMBER,
        vehicle: Vehicle {
            max_speed: STROLL,
            ..default()
        },
    };
    let behaviors = (
        stroll(),
        Pursuit::default().disabled(),
        ObstacleAvoidance::default(),
    );
    world
        .spawn((Hunter::default(), behaviors, animal.bundle()))
        .id()
}

fn spawn_hider(world: &mut World, position: Vec2, facing: f32, hunter: Entity) {
    let animal = Animal {
        name: "hider",
        position,
        facing,
        radius: RADIUS,
        color: palette::SAND,
        vehicle: Vehicle {
            max_speed: STROLL,
            max_force: 28.0,
            response_time: 0.15,
            radius: None,
        },
    };
    world.spawn((
        Hider::default(),
        (
            Choice::Hide.tune(&Hide::new(hunter)),
            stroll(),
            ObstacleAvoidance::default(),
            Separation::new(1.2),
        ),
        animal.compact(),
        // Lets it hide between a rock and the fence.
        StayInside {
            margin: 0.8,
            ..default()
        },
    ));
}

fn choose(presses: Res<Presses>, mut choice: ResMut<Choice>) {
    for key in presses.keys() {
        if let Some(chosen) = Choice::ALL.into_iter().find(|it| it.key() == key) {
            *choice = chosen;
        }
    }
}

/// Determines which hiders the hunter sees.
fn update_visibility(
    rocks: Query<(&Transform, &Rock)>,
    hunter: Single<&Transform, With<Hunter>>,
    mut hiders: Query<(&Transform, &mut Hider)>,
) {
    let rocks = props::circles(rocks);
    let hunter = Pose::of(&hunter);
    for (at, mut hider) in &mut hiders {
        let here = at.translation.truncate();
        let clear = is_clear(hunter.position, here, &rocks);
        let seen = clear && VIEW.contains(hunter, here);
        hider.seen = seen;
        hider.unseen.note(!seen);
        if hunter.position.distance(here) <= VIEW.range {
            hider.covered.note(!clear);
        }
    }
}

fn guide_hunter(
    time: Res<Time>,
    choice: Res<Choice>,
    hunter: Single<(
        &Transform,
        &mut Hunter,
        &mut Vehicle,
        &mut Wander,
        &mut Pursuit,
        &mut Look,
    )>,
    hiders: Query<(Entity, &Transform, &Hider), Without<Hunter>>,
) {
    let (at, mut hunter, mut vehicle, mut wander, mut pursuit, mut look) = hunter.into_inner();
    let kept = match *hunter {
        Hunter::Chasing(quarry, lost) => {
            let seen = hiders.get(quarry).is_ok_and(|(.., hider)| hider.seen);
            let lost = if seen { 0.0 } else { lost + time.delta_secs() };
            (lost < PATIENCE).then_some((quarry, lost))
        }
        Hunter::Strolling => None,
    };
    let nearest = || {
        let seen = hiders.iter().filter(|(.., hider)| hider.seen);
        let distance = |it: &Transform| it.translation.distance_squared(at.translation);
        seen.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))
            .map(|(hider, ..)| (hider, 0.0))
    };
    *hunter = match kept.or_else(nearest).filter(|_| *choice != Choice::Stalk) {
        Some((quarry, lost)) => {
            if pursuit.target != quarry.into() {
                pursuit.target = quarry.into();
            }
            Hunter::Chasing(quarry, lost)
        }
        None => Hunter::Strolling,
    };
    let chasing = *hunter != Hunter::Strolling;
    enable(&mut pursuit, chasing);
    enable(&mut wander, !chasing);
    set_max_speed(&mut vehicle, if chasing { RUN } else { STROLL });
    recolor(
        &mut look,
        if chasing {
            palette::RED
        } else {
            palette::AMBER
        },
    );
}

fn catch(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    mut random: ResMut<SceneRandom>,
    mut tally: ResMut<Tally>,
    rocks: Query<(&Transform, &Rock), Without<Hider>>,
    hunter: Single<(&Transform, &Hunter), Without<Hider>>,
    mut hiders: Query<(&mut Transform, &mut Velocity, &mut Hider)>,
) {
    let (hunter_at, Hunter::Chasing(quarry, _)) = *hunter else {
        return;
    };
    let Ok((mut transform, mut velocity, mut hider)) = hiders.get_mut(*quarry) else {
        return;
    };
    if hunter_at.translation.distance(transform.translation) > CATCH_DISTANCE {
        return;
    }
    hider.catches += 1;
    tally.last_catch = Some((transform.translation.truncate(), current.tick()));
    let mut taken = props::circles(rocks);
    taken.push(Circle::new(hunter_at.translation.truncate(), HEAD_START));
    let elsewhere = props::spot_between(&arena, 1.0, &taken, &mut random.0);
    teleport(&mut transform, &mut velocity, elsewhere);
}

fn guide_hiders(
    time: Res<Time>,
    choice: Res<Choice>,
    mut hiders: Query<(
        &mut Hider,
        &HideMemory,
        &mut Hide,
        &mut Wander,
        &mut Vehicle,
        &mut Look,
    )>,
) {
    for (mut hider, memory, mut hide, mut wander, mut vehicle, mut look) in &mut hiders {
        let hiding = *choice != Choice::Wander && memory.obstacle.is_some();
        let rock = memory.obstacle.filter(|_| hiding);
        let changes = hider.rock.is_some() && rock.is_some() && rock != hider.rock;
        hider.changes += u32::from(changes);
        hider.hiding += if hiding { time.delta_secs() } else { 0.0 };
        hider.rock = rock;
        enable(&mut hide, *choice != Choice::Wander);
        if choice.is_changed() {
            *hide = choice.tune(&hide);
        }
        enable(&mut wander, !hiding);
        set_max_speed(&mut vehicle, if hiding { HIDER_RUN } else { STROLL });
        let color = match (hider.seen, hiding) {
            (true, _) => palette::RED,
            (false, true) => palette::MINT,
            (false, false) => palette::SAND,
        };
        recolor(&mut look, color);
    }
}

/// Runs the same world without [`Hide`], and with stalkers.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let labels = [
        "caught",
        "unseen",
        "covered in range",
        "from the hunter",
        "hunter chases",
    ];
    let wander = experiment.trial("only wander", Choice::Wander, &labels);
    let labels = ["unseen", "from the hunter", "deepest in a rock"];
    let stalk = experiment.trial("stalk", Choice::Stalk, &labels);
    wander.into_iter().chain(stalk).collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    choice: Res<Choice>,
    tally: Res<Tally>,
    rocks: Query<(&Transform, &Rock)>,
    hunter: Single<(&Drawn, &Hunter)>,
    hiders: Query<(&Drawn, &Hider, &HideMemory)>,
    forces: Query<(&Drawn, &Vehicle, &SteeringForce)>,
    mut gizmos: Gizmos,
) {
    let (drawn, state) = *hunter;
    let color = if *state == Hunter::Strolling {
        palette::AMBER
    } else {
        palette::RED
    };
    overlay::sight(
        &mut gizmos,
        drawn.pose,
        VIEW,
        &props::circles(rocks),
        &arena,
        color,
    );
    if let Hunter::Chasing(quarry, _) = *state
        && let Ok((quarry, ..)) = hiders.get(quarry)
    {
        overlay::aim(
            &mut gizmos,
            drawn.pose.position,
            quarry.pose.position,
            palette::RED,
        );
    }
    for (drawn, _, memory) in &hiders {
        if *choice != Choice::Wander && memory.obstacle.is_some() {
            overlay::aim(&mut gizmos, drawn.pose.position, memory.spot, palette::MINT);
        }
    }
    for (drawn, vehicle, force) in &forces {
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
    overlay::splash(&mut gizmos, &current, tally.last_catch);
}
