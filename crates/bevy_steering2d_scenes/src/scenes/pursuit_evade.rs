//! Pursuit predictors compared: eight pursuers that differ only in their prediction, and one quarry.
//!
//! Pursuers start together and pass through each other, so that each race is eight chases over the
//! same course. The [experiment](Scene::experiment) adds a hundred races after a quarry that circles and
//! a hundred among walls, and duels, in which the quarry flees from a single pursuer.

mod circling;
mod rival;
mod rules;
mod score;
mod trials;
mod walls;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::PursuitMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::AgentViews;

use circling::Circling;
use rival::Rival;
use rules::{Escape, LIMIT, Rules};
use score::{CATCH_DISTANCE, Pass, Tally};
use walls::{CourseWall, build_walls};

use crate::arena::Arena;
use crate::bodies::{Animal, enable, launch, pass_through, recolor, set_max_speed};
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, Round, SceneRandom, SceneSystemsExt, playing};
use crate::look::{Drawn, Look};
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::trail::Trail;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "pursuit_evade",
    title: "Pursuit and evade",
    help: "Eight pursuers chase one quarry and differ only in their prediction: a cross in the \
           color of the pursuer marks where it expects the quarry. They start together; a pursuer \
           that has caught the quarry stops. Seek does not predict. Switch pursuers on and off, \
           and let the quarry circle, run among walls, evade or flee.",
    keys: &[
        SceneKey::new('1', "Intercept"),
        SceneKey::new('2', "Dist. / speed"),
        SceneKey::new('3', "Look ahead"),
        SceneKey::new('4', "Fixed 0.5 s"),
        SceneKey::new('5', "Seek"),
        SceneKey::new('6', "Turn rate"),
        SceneKey::new('7', "Acceleration"),
        SceneKey::new('8', "Scenery"),
        SceneKey::new('c', "Course"),
        SceneKey::new('k', "Circle"),
        SceneKey::new('w', "Walls"),
        SceneKey::new('e', "Evade"),
        SceneKey::new('f', "Flee"),
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
    experiment: trials::experiment,
};

/// Distance between pursuers and quarry at the start, m.
const HEAD_START: f32 = 11.0;
/// Time for which the result is shown, ticks.
const PAUSE: u32 = 64;

/// Faster than the quarry; its turning radius is 3.6 m (v²/a).
const PURSUER: Vehicle = Vehicle {
    max_speed: 8.0,
    max_force: 18.0,
    response_time: 0.15,
    radius: None,
};
/// Its turning radius is 1.2 m.
const QUARRY: Vehicle = Vehicle {
    max_speed: 6.0,
    max_force: 30.0,
    response_time: 0.1,
    radius: None,
};

/// The quarry's circle: radius, m, and speed, m/s. Straight predictions suffice against a slower one.
const CIRCLE: (f32, f32) = (4.0, 7.0);
/// Distance from the circle's center to the fence, m, so that nothing else turns the quarry.
const CIRCLE_CLEARANCE: f32 = 7.5;

#[derive(Component, Clone, Copy, Debug)]
struct Quarry;

/// A pursuer and its state in this race.
#[derive(Component, Clone, Copy, Debug)]
struct Pursuer {
    rival: Rival,
    progress: Progress,
    pass: Pass,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Progress {
    /// Does not take part.
    Resting,
    Chasing,
    /// Has caught the quarry after this time, s.
    Caught(f32),
}

fn build(app: &mut App) {
    app.add_scene_component::<Pursuer>()
        .add_scene_component::<CourseWall>()
        .add_scene_resource::<Rules>()
        .add_scene_resource::<Round>()
        .add_scene_resource::<Tally>()
        .add_behavior::<Circling>()
        .add_scene_systems(SCENE.name, (change_rules, judge, begin_race, guide_quarry));
}

fn setup(world: &mut World) {
    world.insert_resource(Rules::default());
    world.insert_resource(Round::default());
    world.insert_resource(Tally::default());
    let animal = |name, radius, color, vehicle| Animal {
        name,
        position: Vec2::ZERO,
        facing: 0.0,
        radius,
        color,
        vehicle,
    };
    let course = Wander::new(WanderStyle::Circle {
        radius: 1.2,
        distance: 3.0,
        jitter: 2.5,
    });
    // The race decides when to escape, so the ranges are unlimited.
    let evade = Evade::default()
        .with_panic_distance(f32::INFINITY)
        .disabled();
    let flee = Flee::default()
        .with_panic_distance(f32::INFINITY)
        .disabled();
    let circling = Circling {
        turn_rate: CIRCLE.1 / CIRCLE.0,
        influence: Influence::of::<Wander>(),
    }
    .disabled();
    let avoidance = WallAvoidance::default().disabled();
    let quarry = world
        .spawn((
            (Quarry, Trail::default(), pass_through()),
            (course, evade, flee, circling, avoidance),
            animal("quarry", 0.4, palette::SAND, QUARRY).bundle(),
        ))
        .id();
    for rival in Rival::ALL {
        let pursuer = Pursuer {
            rival,
            progress: Progress::Resting,
            pass: Pass::default(),
        };
        // No `StayInside`: only the prediction guides the pursuers, and the fence is solid.
        let mut pursuer = world.spawn((
            (pursuer, Trail::default(), pass_through()),
            animal("pursuer", 0.4, rival.color(), PURSUER).dart(),
        ));
        match rival.prediction() {
            Some(prediction) => pursuer.insert(Pursuit::new(quarry).with_prediction(prediction)),
            None => pursuer.insert(Seek::new(quarry)),
        };
    }
}

fn change_rules(presses: Res<Presses>, mut rules: ResMut<Rules>, mut race: ResMut<Round>) {
    for key in presses.keys() {
        if let Some(rival) = Rival::ALL.into_iter().find(|rival| rival.key() == key) {
            rules.takes_part[rival as usize] ^= true;
            *race = Round::Due;
        }
        if let Some(escape) = Escape::ALL.into_iter().find(|escape| escape.key() == key) {
            rules.escape = escape;
            *race = Round::Due;
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let rules = world.resource::<Rules>();
    let rivals = Rival::ALL
        .into_iter()
        .filter(|rival| rules.takes_part[*rival as usize]);
    rivals.map(Rival::key).chain([rules.escape.key()]).collect()
}

/// Records catches and misses, and ends the race.
fn judge(
    time: Res<Time>,
    current: Res<CurrentScene>,
    mut race: ResMut<Round>,
    mut tally: ResMut<Tally>,
    quarry: Single<&Transform, With<Quarry>>,
    mut pursuers: Query<(Entity, &mut Pursuer, &Transform, &mut Velocity, &mut Look)>,
    mut commands: Commands,
) {
    let Round::On(begin) = *race else {
        return;
    };
    let elapsed = current.since(begin) as f32 * time.delta_secs();
    let late = elapsed > LIMIT;
    let there = quarry.translation.truncate();
    for (entity, mut pursuer, at, mut velocity, mut look) in &mut pursuers {
        if pursuer.progress != Progress::Chasing {
            continue;
        }
        let score = &mut tally.scores[pursuer.rival as usize];
        let distance = at.translation.truncate().distance(there);
        if let Some(miss) = pursuer.pass.observe(distance) {
            score.misses.add(miss);
            score.hits.note(distance <= CATCH_DISTANCE);
        }
        let catches = distance <= CATCH_DISTANCE;
        if catches || late {
            score.chases.add(elapsed);
            score.catches.note(catches);
        }
        if catches {
            tally.last_catch = Some((there, current.tick()));
            pursuer.progress = Progress::Caught(elapsed);
            *velocity = Velocity::zero();
            recolor(&mut look, pursuer.rival.color().with_alpha(0.35));
            commands.entity(entity).insert(SteeringDisabled);
        }
    }
    let chases = |it: &Pursuer| it.progress == Progress::Chasing;
    if late || !pursuers.iter().any(|(_, pursuer, ..)| chases(pursuer)) {
        *race = Round::Over(current.tick());
        tally.races += 1;
    }
}

/// Places the quarry at random, and all pursuers together at a distance.
fn begin_race(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    rules: Res<Rules>,
    mut random: ResMut<SceneRandom>,
    mut race: ResMut<Round>,
    mut tally: ResMut<Tally>,
    quarry: Single<(&mut Transform, &mut Velocity), (With<Quarry>, Without<Pursuer>)>,
    mut pursuers: Query<(
        Entity,
        &mut Pursuer,
        &mut Transform,
        &mut Velocity,
        &mut Look,
    )>,
    mut commands: Commands,
) {
    if !race.is_due(&current, PAUSE) {
        return;
    }
    *race = Round::On(current.tick());
    tally.last_catch = None;
    let circles = rules.escape == Escape::Circle;
    let clearance = if circles { CIRCLE_CLEARANCE } else { 4.0 };
    let there = arena.spot(clearance, &mut random.0);
    let here = arena.spot_apart(3.0, &[there], HEAD_START, &mut random.0);
    let ahead = Vec2::from_angle(random.0.angle());
    launch_quarry(quarry.into_inner(), there, ahead, circles);
    let towards = (there - here).normalize_or(Vec2::X);
    for pursuer in &mut pursuers {
        if rules.takes_part[pursuer.1.rival as usize] {
            set_off(pursuer, here, towards, &mut commands);
        } else {
            sit_out(pursuer, &mut commands);
        }
    }
}

/// Launches the quarry at a spot, or on its circle around it.
fn launch_quarry(
    (mut at, mut velocity): (Mut<Transform>, Mut<Velocity>),
    spot: Vec2,
    ahead: Vec2,
    circles: bool,
) {
    let (start, speed) = if circles {
        (spot - CIRCLE.0 * ahead.perp(), CIRCLE.1)
    } else {
        (spot, QUARRY.max_speed)
    };
    launch(&mut at, &mut velocity, start, speed * ahead);
}

/// A pursuer, with the components that change when a race begins.
type Racer<'a> = (
    Entity,
    Mut<'a, Pursuer>,
    Mut<'a, Transform>,
    Mut<'a, Velocity>,
    Mut<'a, Look>,
);

/// Launches a pursuer that takes part in the race.
fn set_off(
    (entity, mut pursuer, mut at, mut velocity, mut look): Racer,
    start: Vec2,
    towards: Vec2,
    commands: &mut Commands,
) {
    pursuer.pass = Pass::default();
    pursuer.progress = Progress::Chasing;
    launch(
        &mut at,
        &mut velocity,
        start,
        0.5 * PURSUER.max_speed * towards,
    );
    recolor(&mut look, pursuer.rival.color());
    commands.entity(entity).remove::<SteeringDisabled>();
}

/// Puts a pursuer that does not take part on the bench.
fn sit_out((entity, mut pursuer, mut at, mut velocity, mut look): Racer, commands: &mut Commands) {
    pursuer.pass = Pass::default();
    pursuer.progress = Progress::Resting;
    let bench = Vec2::new(-4.0 + 2.0 * f32::from(pursuer.rival as u8), -11.0);
    launch(&mut at, &mut velocity, bench, Vec2::ZERO);
    recolor(&mut look, pursuer.rival.color().with_alpha(0.35));
    commands.entity(entity).insert(SteeringDisabled);
}

fn guide_quarry(
    rules: Res<Rules>,
    quarry: Single<
        (
            &Transform,
            &mut Wander,
            &mut Evade,
            &mut Flee,
            &mut Circling,
            &mut WallAvoidance,
            &mut Vehicle,
        ),
        With<Quarry>,
    >,
    pursuers: Query<(Entity, &Pursuer, &Transform)>,
    walls: Query<Entity, With<CourseWall>>,
    mut commands: Commands,
) {
    let (at, mut wander, mut evade, mut flee, mut circling, mut avoidance, mut vehicle) =
        quarry.into_inner();
    let nearest = pursuers
        .iter()
        .filter(|(_, pursuer, _)| pursuer.progress == Progress::Chasing)
        .map(|(entity, _, it)| (entity, it.translation.distance_squared(at.translation)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(entity, _)| entity);
    if let Some(threat) = nearest {
        evade.threat = threat.into();
        flee.threat = threat.into();
    }
    let flees = matches!(rules.escape, Escape::Evade | Escape::Flee);
    let escape = if flees && nearest.is_none() {
        Escape::Course
    } else {
        rules.escape
    };
    enable(
        &mut wander,
        matches!(escape, Escape::Course | Escape::Walls),
    );
    enable(&mut circling, escape == Escape::Circle);
    let circles = escape == Escape::Circle;
    set_max_speed(
        &mut vehicle,
        if circles { CIRCLE.1 } else { QUARRY.max_speed },
    );
    enable(&mut avoidance, escape == Escape::Walls);
    enable(&mut evade, escape == Escape::Evade);
    enable(&mut flee, escape == Escape::Flee);
    build_walls(&mut commands, &walls, escape == Escape::Walls);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let scores = || Rival::ALL.into_iter().zip(&tally.scores);
    let times = scores().map(|(rival, score)| {
        let time = score.chases.get();
        Line::new(rival.name(), time, "s to catch")
    });
    let misses = scores().map(|(rival, score)| {
        let label = format!("{}, miss", rival.name());
        Line::new(label, score.misses.get(), "m at first pass")
    });
    [Line::new("races", tally.races, "")]
        .into_iter()
        .chain(times)
        .chain(misses)
        .collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    time: Res<Time<Fixed>>,
    current: Res<CurrentScene>,
    race: Res<Round>,
    tally: Res<Tally>,
    quarry: Single<(&Drawn, &Kinematics, &Trail), With<Quarry>>,
    pursuers: Query<(
        Entity,
        &Drawn,
        &Pursuer,
        &Trail,
        Option<(&Pursuit, &PursuitMemory)>,
    )>,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    let (quarry, body, trail) = *quarry;
    trail.draw(&mut gizmos, quarry.pose.position, palette::SAND);
    let so_far = match *race {
        Round::On(begin) => {
            let elapsed = current.since(begin) as f32 * time.timestep().as_secs_f32();
            format!("{elapsed:.1} s ...")
        }
        Round::Due | Round::Over(_) => "got away".into(),
    };
    for (entity, drawn, pursuer, trail, pursuit) in &pursuers {
        let (here, color) = (drawn.pose.position, pursuer.rival.color());
        let result = match pursuer.progress {
            Progress::Resting => "-",
            Progress::Chasing => &so_far,
            Progress::Caught(after) => &format!("{after:.1} s"),
        };
        show_result(&mut gizmos, pursuer.rival, result);
        if pursuer.progress != Progress::Resting {
            trail.draw(&mut gizmos, here, color);
        }
        if pursuer.progress == Progress::Chasing {
            let aim = pursuit.zip(views.get(entity)).map_or(
                quarry.pose.position,
                |((pursuit, memory), me)| {
                    let lag = quarry.pose.position - body.position;
                    pursuit.expected_target(&me, body, memory) + lag
                },
            );
            overlay::aim(&mut gizmos, here, aim, color);
        }
    }
    overlay::splash(&mut gizmos, &current, tally.last_catch);
}

/// Draws a row of the result table.
fn show_result(gizmos: &mut Gizmos, rival: Rival, result: &str) {
    let row = Vec2::new(-11.9, 11.1 - 0.75 * f32::from(rival as u8));
    overlay::label(gizmos, row, rival.name(), rival.color());
    overlay::label(gizmos, row + 5.4 * Vec2::X, result, rival.color());
}
