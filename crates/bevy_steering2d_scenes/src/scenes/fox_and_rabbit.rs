//! Fox and rabbit: a minimal chase. State machines select the behaviors.
//!
//! The fox is faster, the rabbit more agile. With [`Pursuit`] the fox runs to where the rabbit will
//! be; with [`Seek`] it runs to where the rabbit is, and needs longer. The
//! [experiment](Scene::experiment) measures the difference.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::AgentViews;

use crate::arena::Arena;
use crate::bodies::{Animal, recolor, set_max_speed, teleport};
use crate::experiment::Experiment;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, playing};
use crate::look::{Drawn, Look};
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "fox_and_rabbit",
    title: "Fox and rabbit",
    help: "The fox wanders until it sees the rabbit, then runs to where the rabbit will be. \
           The rabbit evades while the fox is near. The fox is faster, the rabbit turns tighter. \
           With Seek the fox runs to where the rabbit is now, and needs longer. The prediction \
           can add the time of a turn, or do without the rule for a rabbit that comes head-on.",
    keys: &[
        SceneKey::new('p', "Pursuit"),
        SceneKey::new('t', "Turn time"),
        SceneKey::new('h', "No head-on rule"),
        SceneKey::new('s', "Seek"),
    ],
    chosen: |world| vec![world.resource::<ChaseBy>().key()],
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

/// Perception radius of the fox, m.
const FOX_SIGHT: f32 = 16.0;
/// Perception radius of the rabbit, m; smaller, since it grazes.
const RABBIT_SIGHT: f32 = 8.0;
/// Sight is lost at this multiple of the perception radius.
const OUT_OF_SIGHT: f32 = 1.25;
/// Distance at which the fox catches the rabbit, m.
const CATCH_DISTANCE: f32 = 1.1;
/// A caught rabbit respawns at least this far from the fox, m.
const HEAD_START: f32 = 8.0;
/// Speed while wandering, m/s.
const STROLL: f32 = 4.5;

/// Fast; its turning radius at full speed is 6.8 m (v²/a).
const FOX: Vehicle = Vehicle {
    max_speed: 9.0,
    max_force: 12.0,
    response_time: 0.2,
    radius: None,
};
/// Half of the time in which the fox turns about, s: the rabbit does not wait for it.
const TURN_TIME: f32 = 1.2;
/// Slower; its turning radius is 1.2 m.
const RABBIT: Vehicle = Vehicle {
    max_speed: 7.0,
    max_force: 40.0,
    response_time: 0.1,
    radius: None,
};

/// The fox's state machine.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fox {
    #[default]
    Wandering,
    Chasing,
}

/// The rabbit's state machine.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rabbit {
    #[default]
    Wandering,
    Evading,
}

/// The behavior by which the fox chases.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChaseBy {
    #[default]
    Pursuit,
    /// Pursuit that adds the time in which the fox turns.
    PursuitWithTurnTime,
    /// Pursuit that predicts also while the rabbit comes head-on.
    PursuitWithoutHeadOn,
    Seek,
}

impl ChaseBy {
    const ALL: [Self; 4] = [
        Self::Pursuit,
        Self::PursuitWithTurnTime,
        Self::PursuitWithoutHeadOn,
        Self::Seek,
    ];

    fn key(self) -> char {
        match self {
            Self::Pursuit => 'p',
            Self::PursuitWithTurnTime => 't',
            Self::PursuitWithoutHeadOn => 'h',
            Self::Seek => 's',
        }
    }

    fn of_key(key: char) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.key() == key)
    }
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    catches: u32,
    /// Time spent chasing, s.
    chasing: f32,
    fox_speed: Mean,
    rabbit_speed: Mean,
    /// Position and tick of the last catch.
    last_catch: Option<(Vec2, u32)>,
}

/// Chasing time per catch, s. An unfinished chase counts too; otherwise the longest chases of a
/// slow chaser would be left out.
fn time_to_catch(catches: u32, chasing: f32) -> Option<f32> {
    (catches > 0).then(|| chasing / catches as f32)
}

fn build(app: &mut App) {
    app.add_scene_component::<Fox>()
        .add_scene_component::<Rabbit>()
        .add_scene_resource::<ChaseBy>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                choose_chase,
                catch_rabbit,
                guide_fox,
                guide_rabbit,
                keep_tally,
            ),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(ChaseBy::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    let mut random = world.resource_mut::<SceneRandom>();
    let fox_at = arena.spot(3.0, &mut random.0);
    let rabbit_at = arena.spot_apart(3.0, &[fox_at], HEAD_START, &mut random.0);
    let facings = [random.0.angle(), random.0.angle()];
    world.spawn((
        Fox::default(),
        stroll(),
        Animal {
            name: "fox",
            position: fox_at,
            facing: facings[0],
            radius: 0.55,
            color: palette::AMBER,
            vehicle: Vehicle {
                max_speed: STROLL,
                ..FOX
            },
        }
        .bundle(),
    ));
    world.spawn((
        Rabbit::default(),
        stroll(),
        Animal {
            name: "rabbit",
            position: rabbit_at,
            facing: facings[1],
            radius: 0.4,
            color: palette::SAND,
            vehicle: Vehicle {
                max_speed: STROLL,
                ..RABBIT
            },
        }
        .bundle(),
    ));
}

fn choose_chase(
    presses: Res<Presses>,
    mut chase_by: ResMut<ChaseBy>,
    fox: Single<(Entity, &Fox)>,
    rabbit: Single<Entity, With<Rabbit>>,
    mut commands: Commands,
) {
    let Some(chosen) = presses.keys().filter_map(ChaseBy::of_key).last() else {
        return;
    };
    *chase_by = chosen;
    if *fox.1 == Fox::Chasing {
        chase(commands.entity(fox.0), *rabbit, *chase_by);
    }
}

/// Wanders in wide turns.
fn stroll() -> Wander {
    Wander::new(WanderStyle::Circle {
        radius: 1.2,
        distance: 4.0,
        jitter: 2.5,
    })
}

/// Makes the fox chase the rabbit.
fn chase(mut fox: EntityCommands, rabbit: Entity, by: ChaseBy) {
    fox.remove::<(Wander, Pursuit, Seek)>();
    let pursuit = Pursuit::new(rabbit);
    match by {
        ChaseBy::Pursuit => fox.insert(pursuit),
        ChaseBy::PursuitWithTurnTime => fox.insert(pursuit.with_turn_time(TURN_TIME)),
        ChaseBy::PursuitWithoutHeadOn => fox.insert(pursuit.with_facing_angle(0.0)),
        ChaseBy::Seek => fox.insert(Seek::new(rabbit)),
    };
}

fn catch_rabbit(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    mut random: ResMut<SceneRandom>,
    mut tally: ResMut<Tally>,
    fox: Single<&Transform, With<Fox>>,
    rabbit: Single<(&mut Transform, &mut Velocity), (With<Rabbit>, Without<Fox>)>,
) {
    let (mut transform, mut velocity) = rabbit.into_inner();
    let [fox_at, rabbit_at] = [&**fox, &*transform].map(|it| it.translation.truncate());
    if fox_at.distance(rabbit_at) > CATCH_DISTANCE {
        return;
    }
    tally.catches += 1;
    tally.last_catch = Some((rabbit_at, current.tick()));
    let elsewhere = arena.spot_apart(3.0, &[fox_at], HEAD_START, &mut random.0);
    teleport(&mut transform, &mut velocity, elsewhere);
}

fn guide_fox(
    chase_by: Res<ChaseBy>,
    fox: Single<(Entity, &Transform, &mut Fox, &mut Vehicle, &mut Look)>,
    rabbit: Single<(Entity, &Transform), (With<Rabbit>, Without<Fox>)>,
    mut commands: Commands,
) {
    let (entity, transform, mut state, mut vehicle, mut look) = fox.into_inner();
    let (rabbit, rabbit_at) = *rabbit;
    let distance = transform.translation.distance(rabbit_at.translation);
    let next = match *state {
        Fox::Wandering if distance < FOX_SIGHT => Fox::Chasing,
        Fox::Chasing if distance > OUT_OF_SIGHT * FOX_SIGHT => Fox::Wandering,
        _ => return,
    };
    *state = next;
    let mut fox = commands.entity(entity);
    match next {
        Fox::Wandering => {
            fox.remove::<(Pursuit, Seek)>().insert(stroll());
            set_max_speed(&mut vehicle, STROLL);
            recolor(&mut look, palette::AMBER);
        }
        Fox::Chasing => {
            chase(fox, rabbit, *chase_by);
            set_max_speed(&mut vehicle, FOX.max_speed);
            recolor(&mut look, palette::RED);
        }
    }
}

fn guide_rabbit(
    fox: Single<(Entity, &Transform), With<Fox>>,
    rabbit: Single<(Entity, &Transform, &mut Rabbit, &mut Vehicle, &mut Look), Without<Fox>>,
    mut commands: Commands,
) {
    let (fox, fox_at) = *fox;
    let (entity, transform, mut state, mut vehicle, mut look) = rabbit.into_inner();
    let distance = transform.translation.distance(fox_at.translation);
    let next = match *state {
        Rabbit::Wandering if distance < RABBIT_SIGHT => Rabbit::Evading,
        Rabbit::Evading if distance > OUT_OF_SIGHT * RABBIT_SIGHT => Rabbit::Wandering,
        _ => return,
    };
    *state = next;
    let mut rabbit = commands.entity(entity);
    match next {
        Rabbit::Wandering => {
            rabbit.remove::<Evade>().insert(stroll());
            set_max_speed(&mut vehicle, STROLL);
            recolor(&mut look, palette::SAND);
        }
        Rabbit::Evading => {
            // The state machine decides when to evade, so the range is unlimited.
            let evade = Evade::new(fox).with_panic_distance(f32::INFINITY);
            rabbit.remove::<Wander>().insert(evade);
            set_max_speed(&mut vehicle, RABBIT.max_speed);
            recolor(&mut look, palette::MINT);
        }
    }
}

fn keep_tally(
    time: Res<Time>,
    mut tally: ResMut<Tally>,
    fox: Single<(&Fox, &Velocity)>,
    rabbit: Single<&Velocity, With<Rabbit>>,
) {
    tally.fox_speed.add(fox.1.linear.length());
    tally.rabbit_speed.add(rabbit.linear.length());
    if *fox.0 == Fox::Chasing {
        tally.chasing += time.delta_secs();
    }
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let time = time_to_catch(tally.catches, tally.chasing);
    let chase_by = format!("{:?}", world.resource::<ChaseBy>());
    vec![
        Line::new("the fox chases by", chase_by, ""),
        Line::new("catches", tally.catches, ""),
        Line::new("time to catch", time, "s of chase"),
        Line::new("mean speed of the fox", tally.fox_speed.get(), "m/s"),
        Line::new("mean speed of the rabbit", tally.rabbit_speed.get(), "m/s"),
    ]
}

/// Runs the same worlds with all kinds of chase. Several seeds, because the outcome of one short
/// run is mostly chance.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    const WORLDS: usize = 16;
    let seed = experiment.seed;
    let seed_of = |world: usize| seed.wrapping_add(world as u64);
    let by = |chase_by| -> [Trial; WORLDS] {
        std::array::from_fn(|world| Trial::run(experiment, chase_by, seed_of(world)))
    };
    let (pursuit, seek) = (by(ChaseBy::Pursuit), by(ChaseBy::Seek));
    let pairs = pursuit.iter().zip(&seek);
    let sooner = pairs.filter(|(pursuit, seek)| pursuit.beats(seek)).count();
    let seeds = format!("(seeds {seed} to {})", seed_of(WORLDS - 1));

    let mut lines = seek[0].lines("same world by Seek");
    lines.push(Line::new("worlds", WORLDS as u32, seeds));
    lines.extend(Trial::sum(&pursuit).lines("worlds by Pursuit"));
    lines.extend(Trial::sum(&seek).lines("worlds by Seek"));
    for chase_by in [ChaseBy::PursuitWithTurnTime, ChaseBy::PursuitWithoutHeadOn] {
        let name = format!("worlds by {chase_by:?}");
        lines.extend(Trial::sum(&by(chase_by)).lines(&name));
    }
    lines.push(Line::new(
        "worlds where Pursuit was quicker",
        sooner as u32,
        "",
    ));
    lines
}

/// The result of one run.
#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    catches: u32,
    /// s
    chasing: f32,
}

impl Trial {
    fn run(experiment: &Experiment, by: ChaseBy, seed: u64) -> Self {
        let app = experiment.run_with(seed, by);
        let tally = app.world().resource::<Tally>();
        Self {
            catches: tally.catches,
            chasing: tally.chasing,
        }
    }

    fn sum(trials: &[Self]) -> Self {
        Self {
            catches: trials.iter().map(|trial| trial.catches).sum(),
            chasing: trials.iter().map(|trial| trial.chasing).sum(),
        }
    }

    fn time_to_catch(&self) -> Option<f32> {
        time_to_catch(self.catches, self.chasing)
    }

    fn lines(&self, which: &str) -> Vec<Line> {
        let time = self.time_to_catch();
        vec![
            Line::new(format!("{which}: catches"), self.catches, ""),
            Line::new(format!("{which}: time to catch"), time, "s of chase"),
        ]
    }

    fn beats(&self, other: &Self) -> bool {
        let time = |trial: &Self| trial.time_to_catch().unwrap_or(f32::INFINITY);
        time(self) < time(other)
    }
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    tally: Res<Tally>,
    fox: Single<(Entity, &Drawn, &Fox, Option<&Pursuit>)>,
    rabbit: Single<(&Drawn, &Kinematics), With<Rabbit>>,
    forces: Query<(&Drawn, &Vehicle, &SteeringForce)>,
    wanderers: Query<(&Drawn, &Kinematics, &Wander, &WanderMemory)>,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    let (entity, fox, state, pursuit) = *fox;
    let (rabbit, body) = *rabbit;
    overlay::range(
        &mut gizmos,
        rabbit.pose.position,
        RABBIT_SIGHT,
        palette::SAND,
    );
    if *state == Fox::Chasing {
        let aim = pursuit
            .zip(views.get(entity))
            .map_or(rabbit.pose.position, |(pursuit, me)| {
                overlay::predicted(&me, pursuit, rabbit, body)
            });
        overlay::aim(&mut gizmos, fox.pose.position, aim, palette::RED);
    }
    for (drawn, vehicle, force) in &forces {
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
    for (drawn, body, wander, memory) in &wanderers {
        overlay::wander_circle(&mut gizmos, drawn, body, wander, memory);
    }
    overlay::splash(&mut gizmos, &current, tally.last_catch);
}
