//! One agent under keyboard control: each key switches a behavior, so that any combination can be tried.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::AgentViews;

use crate::arena::Arena;
use crate::bodies::{Animal, enable};
use crate::combiners::{DIGITS, combiner_of, key_of};
use crate::input::Presses;
use crate::lifecycle::{SceneRandom, SceneSystemsExt, playing};
use crate::look::Drawn;
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "keyboard",
    title: "Keyboard",
    help: "One agent: its keys switch behaviors on and off, in any combination. Arrive, seek and flee \
           use the target (the cross); pursuit and evade use the other agent, which wanders. Blue is \
           the force, green the velocity. Seek the target and evade the other at once, and see how the \
           four ways to combine forces differ.",
    keys: &[
        SceneKey::new('a', "Arrive"),
        SceneKey::new('s', "Seek"),
        SceneKey::new('f', "Flee"),
        SceneKey::new('w', "Wander"),
        SceneKey::new('p', "Pursuit"),
        SceneKey::new('e', "Evade"),
        SceneKey::new('1', "Weighted sum"),
        SceneKey::new('2', "Average"),
        SceneKey::new('3', "Prioritized"),
        SceneKey::new('4', "Dithered"),
    ],
    chosen,
    mouse: "Click to set the target.",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment: |_| Vec::new(),
};

const PLAYER_RADIUS: f32 = 0.5;
const OTHER_RADIUS: f32 = 0.45;
/// Distance at which the two agents collide, m.
const COLLISION_DISTANCE: f32 = PLAYER_RADIUS + OTHER_RADIUS + 0.1;

/// The controlled agent.
#[derive(Component, Clone, Copy, Debug)]
struct Player;

/// The agent to pursue and evade.
#[derive(Component, Clone, Copy, Debug)]
struct Other;

/// A behavior that can be switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Arrive,
    Seek,
    Flee,
    Wander,
    Pursuit,
    Evade,
}

impl Mode {
    const ALL: [Self; 6] = [
        Self::Arrive,
        Self::Seek,
        Self::Flee,
        Self::Wander,
        Self::Pursuit,
        Self::Evade,
    ];

    fn of_key(key: char) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.key() == key)
    }

    fn key(self) -> char {
        match self {
            Self::Arrive => 'a',
            Self::Seek => 's',
            Self::Flee => 'f',
            Self::Wander => 'w',
            Self::Pursuit => 'p',
            Self::Evade => 'e',
        }
    }

    fn targets_other(self) -> bool {
        matches!(self, Self::Pursuit | Self::Evade)
    }
}

/// Options chosen by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
struct Choice {
    /// Which behaviors are on.
    on: [bool; Mode::ALL.len()],
    /// m
    target: Vec2,
}

impl Choice {
    fn is_on(&self, mode: Mode) -> bool {
        self.on[mode as usize]
    }

    fn active(self) -> impl Iterator<Item = Mode> {
        Mode::ALL.into_iter().filter(move |mode| self.is_on(*mode))
    }
}

impl Default for Choice {
    /// Arrive only.
    fn default() -> Self {
        let mut on = [false; Mode::ALL.len()];
        on[Mode::Arrive as usize] = true;
        let target = Vec2::ZERO;
        Self { on, target }
    }
}

/// Measurements of each behavior since it was last switched on.
#[derive(Resource, Clone, Default)]
struct Trials([Option<Trial>; Mode::ALL.len()]);

/// Measurements of one behavior. Distances are to the target or to the other agent.
#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    /// Distance at the beginning, m.
    first_distance: f32,
    /// Current distance, m.
    distance: f32,
    /// Smallest distance so far, m.
    closest: f32,
    /// Current speed, m/s.
    speed: f32,
    mean_speed: Mean,
    /// Current direction of the velocity.
    heading: Vec2,
    /// Largest turn within one tick, collisions excluded, rad.
    largest_turn: f32,
}

impl Trial {
    fn begin(distance: f32, velocity: Vec2) -> Self {
        Self {
            first_distance: distance,
            closest: f32::INFINITY,
            heading: velocity.normalize_or_zero(),
            ..default()
        }
    }

    fn observe(&mut self, distance: f32, velocity: Vec2, collides: bool) {
        self.distance = distance;
        self.speed = velocity.length();
        self.mean_speed.add(self.speed);
        self.closest = self.closest.min(distance);
        let heading = velocity.normalize_or_zero();
        if !collides && heading != Vec2::ZERO && self.heading != Vec2::ZERO {
            self.largest_turn = self.largest_turn.max(self.heading.angle_to(heading).abs());
        }
        self.heading = heading;
    }
}

fn build(app: &mut App) {
    app.add_scene_resource::<Choice>()
        .add_scene_resource::<Trials>()
        .add_scene_systems(SCENE.name, (measure, choose, steer_player));
}

fn setup(world: &mut World) {
    world.insert_resource(Choice::default());
    world.insert_resource(Trials::default());
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let player_at = arena.spot(4.0, random);
    let other_at = player_at - 7.0 * player_at.normalize_or(Vec2::X);
    let facings = [random.angle(), random.angle()];
    let other = Animal {
        name: "other",
        position: other_at,
        facing: facings[1],
        radius: OTHER_RADIUS,
        color: palette::MUTED,
        vehicle: Vehicle {
            max_speed: 3.0,
            ..default()
        },
    };
    let other = world.spawn((Other, Wander::default(), other.bundle())).id();
    let player = Animal {
        name: "player",
        position: player_at,
        facing: facings[0],
        radius: PLAYER_RADIUS,
        color: palette::AMBER,
        vehicle: Vehicle::default(),
    };
    world.spawn((
        Player,
        (
            Arrive::default(),
            Seek::default().disabled(),
            Flee::default().disabled(),
            Wander::default().disabled(),
            Pursuit::new(other).disabled(),
            Evade::new(other).disabled(),
        ),
        player.bundle(),
    ));
}

/// Reads keys and clicks.
fn choose(
    presses: Res<Presses>,
    mut choice: ResMut<Choice>,
    mut trials: ResMut<Trials>,
    player: Single<(&Transform, &Velocity, &mut Combine), With<Player>>,
    other: Single<&Transform, (With<Other>, Without<Player>)>,
) {
    let (at, velocity, mut combine) = player.into_inner();
    if let Some(target) = presses.click() {
        choice.target = target;
    }
    for key in presses.keys() {
        if let Some(mode) = Mode::of_key(key) {
            choice.on[mode as usize] ^= true;
            if choice.is_on(mode) {
                trials.0[mode as usize] = None;
            }
        }
        if let Some(combiner) = combiner_of(DIGITS, key) {
            *combine = combiner;
        }
    }
    for mode in choice.active() {
        let trial = &mut trials.0[mode as usize];
        if presses.click().is_some() || trial.is_none() {
            let distance = reference(mode, &choice, &other).distance(at.translation.truncate());
            *trial = Some(Trial::begin(distance, velocity.linear));
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let choice = world.resource::<Choice>();
    let player = world.try_query_filtered::<&Combine, With<Player>>();
    let combiner = player.and_then(|mut player| player.single(world).ok().copied());
    let active = choice.active().map(Mode::key);
    active
        .chain(combiner.and_then(|it| key_of(DIGITS, it)))
        .collect()
}

/// The point that distances of a behavior refer to, m.
fn reference(mode: Mode, choice: &Choice, other: &Transform) -> Vec2 {
    if mode.targets_other() {
        other.translation.truncate()
    } else {
        choice.target
    }
}

/// Applies the choice to the behaviors.
fn steer_player(
    choice: Res<Choice>,
    player: Single<
        (
            &mut Arrive,
            &mut Seek,
            &mut Flee,
            &mut Wander,
            &mut Pursuit,
            &mut Evade,
        ),
        With<Player>,
    >,
) {
    if !choice.is_changed() {
        return;
    }
    let (mut arrive, mut seek, mut flee, mut wander, mut pursuit, mut evade) = player.into_inner();
    let target = Target::Point(choice.target);
    (arrive.target, seek.target, flee.threat) = (target, target, target);
    enable(&mut arrive, choice.is_on(Mode::Arrive));
    enable(&mut seek, choice.is_on(Mode::Seek));
    enable(&mut flee, choice.is_on(Mode::Flee));
    enable(&mut wander, choice.is_on(Mode::Wander));
    enable(&mut pursuit, choice.is_on(Mode::Pursuit));
    enable(&mut evade, choice.is_on(Mode::Evade));
}

fn measure(
    choice: Res<Choice>,
    mut trials: ResMut<Trials>,
    player: Single<(&Transform, &Velocity), With<Player>>,
    other: Single<&Transform, (With<Other>, Without<Player>)>,
) {
    let (at, velocity) = *player;
    let here = at.translation.truncate();
    let collides = other.translation.truncate().distance(here) < COLLISION_DISTANCE;
    for mode in choice.active() {
        let distance = reference(mode, &choice, &other).distance(here);
        trials.0[mode as usize]
            .get_or_insert_with(|| Trial::begin(distance, velocity.linear))
            .observe(distance, velocity.linear, collides);
    }
}

/// The behaviors of the script, one after another, and their durations, ticks.
const ROUND: [(Mode, u32); Mode::ALL.len()] = [
    (Mode::Pursuit, 160),
    (Mode::Evade, 70),
    (Mode::Arrive, 150),
    (Mode::Seek, 70),
    (Mode::Flee, 70),
    (Mode::Wander, 80),
];

/// Switches each behavior on and the others off, in turn. Targets lie towards the center, the point to flee from behind the
/// agent.
fn script(world: &mut World, tick: u32) {
    let Some(mode) = mode_that_begins(tick) else {
        return;
    };
    let mut player = world.query_filtered::<&Transform, With<Player>>();
    let Ok(at) = player.single(world).map(|it| it.translation.truncate()) else {
        return;
    };
    let inward = -at.normalize_or(Vec2::X);
    let choice = *world.resource::<Choice>();
    let mut presses = world.resource_mut::<Presses>();
    match mode {
        Mode::Arrive | Mode::Seek => presses.click_at(at + 3.0 * inward),
        Mode::Flee => presses.click_at(at - 2.0 * inward),
        Mode::Wander | Mode::Pursuit | Mode::Evade => {}
    }
    // Off and on again, if it is on, so that its measurements begin anew.
    for on in choice.active() {
        presses.press(on.key());
    }
    presses.press(mode.key());
}

/// The behavior that begins at this tick of the script.
fn mode_that_begins(tick: u32) -> Option<Mode> {
    let mut begin = 0;
    let round: u32 = ROUND.iter().map(|(_, ticks)| ticks).sum();
    ROUND.into_iter().find_map(|(mode, ticks)| {
        let begins = tick % round == begin;
        begin += ticks;
        begins.then_some(mode)
    })
}

fn report(world: &World) -> Vec<Line> {
    let trials = &world.resource::<Trials>().0;
    let tried = Mode::ALL.into_iter().zip(trials);
    tried
        .filter_map(|(mode, trial)| Some((mode, trial.as_ref()?)))
        .flat_map(|(mode, trial)| mode_lines(mode, trial))
        .collect()
}

/// The report lines of a mode.
fn mode_lines(mode: Mode, trial: &Trial) -> [Line; 2] {
    let gained = trial.distance - trial.first_distance;
    match mode {
        Mode::Arrive => [
            Line::new(
                "arrive: from the target",
                trial.distance,
                "m (tolerance 0.10)",
            ),
            Line::new("arrive: speed", trial.speed, "m/s"),
        ],
        Mode::Seek => [
            Line::new("seek: closest to the target", trial.closest, "m"),
            Line::new("seek: mean speed", trial.mean_speed.get(), "m/s"),
        ],
        Mode::Flee => [
            Line::new("flee: distance gained", gained, "m"),
            Line::new("flee: mean speed", trial.mean_speed.get(), "m/s"),
        ],
        Mode::Wander => [
            Line::new("wander: mean speed", trial.mean_speed.get(), "m/s"),
            Line::new(
                "wander: largest turn",
                trial.largest_turn.to_degrees(),
                "degrees in a tick",
            ),
        ],
        Mode::Pursuit => [
            Line::new("pursuit: from the other", trial.distance, "m"),
            Line::new("pursuit: closest", trial.closest, "m (touching: 0.95)"),
        ],
        Mode::Evade => [
            Line::new("evade: distance gained", gained, "m"),
            Line::new("evade: mean speed", trial.mean_speed.get(), "m/s"),
        ],
    }
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    choice: Res<Choice>,
    player: Single<
        (
            Entity,
            &Drawn,
            &Kinematics,
            &Vehicle,
            &SteeringForce,
            &Wander,
            &WanderMemory,
            &Pursuit,
            &Flee,
        ),
        With<Player>,
    >,
    other: Single<(&Drawn, &Kinematics), With<Other>>,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    let (entity, drawn, body, vehicle, force, wander, memory, pursuit, flee) = *player;
    let (other, other_body) = *other;
    let center = drawn.pose.position;
    if wander.influence.enabled {
        overlay::wander_circle(&mut gizmos, drawn, body, wander, memory);
    }
    for mode in choice.active() {
        match mode {
            Mode::Arrive | Mode::Seek => {
                overlay::aim(&mut gizmos, center, choice.target, palette::GOLD);
            }
            Mode::Flee => {
                overlay::cross(&mut gizmos, choice.target, 0.3, palette::GOLD);
                let panic_distance = flee.panic_distance;
                overlay::range(&mut gizmos, choice.target, panic_distance, palette::GOLD);
            }
            Mode::Pursuit => {
                if let Some(me) = views.get(entity) {
                    let aim = overlay::predicted(&me, pursuit, other, other_body);
                    overlay::aim(&mut gizmos, center, aim, palette::RED);
                }
            }
            Mode::Wander | Mode::Evade => {}
        }
    }
    overlay::velocity(&mut gizmos, drawn, body);
    overlay::force(&mut gizmos, drawn, force, vehicle);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::lifecycle::Scripted;

    #[test]
    fn seek_and_evade_act_at_once() {
        let mut app = headless::app(&SCENE, 1);
        app.world_mut().remove_resource::<Scripted>();
        for key in ['a', 's', 'e'] {
            app.world_mut().resource_mut::<Presses>().press(key);
        }
        headless::advance(&mut app, 2);
        assert_eq!(chosen(app.world()), ['s', 'e', '3']);
        let world = app.world_mut();
        let mut player = world.query_filtered::<&SteeringForce, With<Player>>();
        let force = player.single(world).unwrap();
        let acting = force.ledger().filter(|entry| entry.raw != Vec2::ZERO);
        assert_eq!(acting.count(), 2);
    }
}
