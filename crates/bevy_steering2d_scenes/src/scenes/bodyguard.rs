//! A bodyguard: [`Interpose`] keeps a guard between an attacker and its victim.
//!
//! The guard only blocks the attacker with its body. The [experiment](Scene::experiment) runs the
//! same worlds with and without it.

mod tally;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use tally::{GUARD_RADIUS, Positions, Tally};

use crate::arena::Arena;
use crate::bodies::{Animal, enable, recolor, set_max_speed};
use crate::experiment::{Experiment, advance};
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, Scripted, playing};
use crate::look::{Drawn, Look, Shape};
use crate::report::Line;
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "bodyguard",
    title: "Bodyguard",
    help: "The attacker wanders and, every few seconds, turns red and charges at the victim in \
           the gold ring. The blue guard stays between the two, at the cross, and blocks the \
           attacker. The victim is a walking person, a statue or a point. Remove the guard to see \
           the difference.",
    keys: &[
        SceneKey::new('1', "Person"),
        SceneKey::new('2', "Statue"),
        SceneKey::new('3', "Point"),
        SceneKey::new('c', "Near the victim"),
        SceneKey::new('h', "Halfway"),
        SceneKey::new('f', "Near the attacker"),
        SceneKey::new('w', "Without guard"),
    ],
    chosen,
    mouse: "Click to move the point.",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment,
};

const PERSON_RADIUS: f32 = 0.45;
const STATUE_RADIUS: f32 = 0.8;
/// The point has no body; this is the radius it is reached at, m.
const POINT_RADIUS: f32 = 0.3;
const ATTACKER_RADIUS: f32 = 0.45;
/// Gap at which the attacker reaches its victim, m.
const REACH: f32 = 0.15;
const STATUE_AT: Vec2 = Vec2::new(8.5, 3.0);
/// Position of the guard while it is off duty, m.
const POST: Vec2 = Vec2::new(-12.5, -8.0);

/// Maximum duration of a charge, s.
const CHARGE: f32 = 6.0;
/// Time between two charges, s.
const REST: f32 = 1.5;

const ATTACKER: Vehicle = Vehicle {
    max_speed: 5.0,
    max_force: 16.0,
    response_time: 0.2,
    radius: None,
};
/// Speed between charges, m/s.
const STROLL: f32 = 3.5;
const PERSON: Vehicle = Vehicle {
    max_speed: 1.2,
    max_force: 60.0,
    response_time: 0.3,
    radius: None,
};
/// Mass of the guard and of the person, kg: too heavy to be pushed aside.
const HEAVY: f32 = 4.0;
const GUARD: Vehicle = Vehicle {
    max_speed: 7.0,
    max_force: 140.0,
    response_time: 0.1,
    radius: None,
};

#[derive(Component, Clone, Copy, Debug)]
struct Guard;

#[derive(Component, Clone, Copy, Debug)]
struct Person;

#[derive(Component, Clone, Copy, Debug)]
struct Statue;

/// The attacker's state machine.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
enum Attacker {
    /// Remaining time, s.
    Strolling(f32),
    /// Remaining time, s.
    Charging(f32),
}

/// The target of the attacker, which the guard protects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Victim {
    #[default]
    Person,
    Statue,
    Point,
}

impl Victim {
    const ALL: [Self; 3] = [Self::Person, Self::Statue, Self::Point];

    fn key(self) -> char {
        char::from(b'1' + self as u8)
    }

    fn radius(self) -> f32 {
        match self {
            Self::Person => PERSON_RADIUS,
            Self::Statue => STATUE_RADIUS,
            Self::Point => POINT_RADIUS,
        }
    }
}

/// Options chosen by the user.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
struct Choice {
    victim: Victim,
    guarded: bool,
    /// Position of the guard: 0 at the victim, 1 at the attacker.
    ratio: f32,
    /// Position of the victim [`Point`](Victim::Point), m.
    point: Vec2,
}

/// Keys of the ratios.
const RATIOS: [(char, f32); 3] = [('c', 0.25), ('h', 0.5), ('f', 0.75)];

impl Default for Choice {
    fn default() -> Self {
        Self {
            victim: Victim::Person,
            guarded: true,
            ratio: 0.5,
            point: Vec2::new(-9.0, -4.0),
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Attacker>()
        .add_scene_resource::<Choice>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (choose, keep_tally, guide_attacker, guide_guard),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Choice::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let person_at = arena.spot_apart(5.0, &[STATUE_AT], 6.0, random);
    let attacker_at = arena.spot_apart(3.0, &[STATUE_AT, person_at], 7.0, random);
    let facings = [random.angle(), random.angle()];
    spawn_statue(world);
    let person = Animal {
        name: "person",
        position: person_at,
        facing: facings[0],
        radius: PERSON_RADIUS,
        color: palette::SAND,
        vehicle: PERSON,
    };
    let bulky = ColliderMassProperties::Mass(HEAVY);
    world
        .spawn((Person, person.bundle()))
        .insert((bulky, round(PERSON_RADIUS, palette::SAND)))
        .insert((Wander::default(), ObstacleAvoidance::default()));
    let attacker = Animal {
        name: "attacker",
        position: attacker_at,
        facing: facings[1],
        radius: ATTACKER_RADIUS,
        color: palette::AMBER,
        vehicle: ATTACKER,
    };
    // Makes its path less predictable.
    let sway = Wander::default().with_weight(0.5);
    let attacker = world
        .spawn((Attacker::Strolling(REST), attacker.bundle()))
        .insert((Seek::default().disabled(), Flee::default()))
        .insert((sway, ObstacleAvoidance::default()))
        .insert(round(ATTACKER_RADIUS, palette::AMBER))
        .id();
    let guard = Animal {
        name: "guard",
        position: person_at.midpoint(attacker_at),
        facing: facings[1],
        radius: GUARD_RADIUS,
        color: palette::SKY,
        vehicle: GUARD,
    };
    world
        .spawn((Guard, guard.bundle()))
        .insert((bulky, round(GUARD_RADIUS, palette::SKY)))
        .insert((Interpose::default(), Arrive::new(POST).disabled()))
        .insert(FaceTarget::new(attacker));
}

/// A look as large as the body, to show contacts.
fn round(radius: f32, color: Color) -> Look {
    Look {
        shape: Shape::person(radius),
        color,
        layer: 1.0,
    }
}

fn spawn_statue(world: &mut World) {
    world.spawn((
        (Name::new("statue"), InScene::default(), Statue),
        Transform::from_translation(STATUE_AT.extend(0.0)),
        (
            RigidBody::Fixed,
            Collider::ball(STATUE_RADIUS),
            Friction::coefficient(0.0),
        ),
        Obstacle {
            radius: STATUE_RADIUS,
        },
        Look {
            shape: Shape::disc(STATUE_RADIUS),
            color: palette::MUTED,
            layer: 0.0,
        },
    ));
}

fn choose(presses: Res<Presses>, mut choice: ResMut<Choice>) {
    for key in presses.keys() {
        if let Some(victim) = Victim::ALL.into_iter().find(|it| it.key() == key) {
            choice.victim = victim;
        }
        if let Some((_, ratio)) = RATIOS.into_iter().find(|it| it.0 == key) {
            choice.ratio = ratio;
        }
        choice.guarded ^= key == 'w';
    }
    if let Some(point) = presses.click() {
        choice.point = point;
    }
}

fn chosen(world: &World) -> Vec<char> {
    let choice = world.resource::<Choice>();
    let ratio = RATIOS.into_iter().find(|it| it.1 == choice.ratio);
    let alone = (!choice.guarded).then_some('w');
    [choice.victim.key()]
        .into_iter()
        .chain(ratio.map(|it| it.0))
        .chain(alone)
        .collect()
}

/// Position of an entity, m.
fn position(transform: &Transform) -> Vec2 {
    transform.translation.truncate()
}

fn keep_tally(
    time: Res<Time>,
    current: Res<CurrentScene>,
    choice: Res<Choice>,
    mut tally: ResMut<Tally>,
    person: Single<&Transform, With<Person>>,
    guard: Single<&Transform, With<Guard>>,
    attacker: Single<(&Transform, &mut Attacker)>,
) {
    let (at, mut state) = attacker.into_inner();
    let positions = Positions {
        victim: choice.victim_at(position(&person)),
        attacker: position(at),
        guard: position(&guard),
    };
    let delta = time.delta_secs();
    let charging = matches!(*state, Attacker::Charging(_));
    if choice.guarded {
        tally.between.note(positions.blocked());
        tally.distance.add(positions.distance(choice.ratio));
        if charging {
            tally.between_in_charge.note(positions.blocked());
        }
    }
    let gap =
        positions.victim.distance(positions.attacker) - choice.victim.radius() - ATTACKER_RADIUS;
    if charging && gap <= REACH {
        tally.reached += 1;
        tally.last_reached = Some((positions.victim, current.tick()));
    }
    tally.charging += if charging { delta } else { 0.0 };
    *state = match *state {
        Attacker::Charging(_) if gap <= REACH => Attacker::Strolling(REST),
        Attacker::Charging(left) if left <= 0.0 => Attacker::Strolling(REST),
        Attacker::Charging(left) => Attacker::Charging(left - delta),
        Attacker::Strolling(left) if left <= 0.0 => {
            tally.charges += 1;
            Attacker::Charging(CHARGE)
        }
        Attacker::Strolling(left) => Attacker::Strolling(left - delta),
    };
}

impl Choice {
    /// Position of the victim, given that of the person, m.
    fn victim_at(&self, person: Vec2) -> Vec2 {
        match self.victim {
            Victim::Person => person,
            Victim::Statue => STATUE_AT,
            Victim::Point => self.point,
        }
    }

    /// The victim as a target.
    fn target(&self, person: Entity, statue: Entity) -> Target {
        match self.victim {
            Victim::Person => person.into(),
            Victim::Statue => statue.into(),
            Victim::Point => self.point.into(),
        }
    }
}

fn guide_attacker(
    choice: Res<Choice>,
    person: Single<Entity, With<Person>>,
    statue: Single<Entity, With<Statue>>,
    attacker: Single<(
        &Attacker,
        &mut Seek,
        &mut Flee,
        &mut ObstacleAvoidance,
        &mut Vehicle,
        &mut Look,
    )>,
) {
    let (state, mut seek, mut flee, mut avoidance, mut vehicle, mut look) = attacker.into_inner();
    let victim = choice.target(*person, *statue);
    if seek.target != victim {
        seek.target = victim;
        flee.threat = victim;
    }
    let charging = matches!(state, Attacker::Charging(_));
    enable(&mut seek, charging);
    enable(&mut flee, !charging);
    // The attacker must not avoid the victim it charges at.
    enable(&mut avoidance, choice.victim != Victim::Statue);
    let (pace, color) = if charging {
        (ATTACKER.max_speed, palette::RED)
    } else {
        (STROLL, palette::AMBER)
    };
    set_max_speed(&mut vehicle, pace);
    recolor(&mut look, color);
}

fn guide_guard(
    choice: Res<Choice>,
    person: Single<Entity, With<Person>>,
    statue: Single<Entity, With<Statue>>,
    attacker: Single<Entity, With<Attacker>>,
    guard: Single<(Entity, &mut Interpose, &mut Arrive, &mut Look), With<Guard>>,
    mut commands: Commands,
) {
    if !choice.is_changed() {
        return;
    }
    let (entity, mut interpose, mut arrive, mut look) = guard.into_inner();
    interpose.first = choice.target(*person, *statue);
    interpose.second = (*attacker).into();
    interpose.ratio = choice.ratio;
    enable(&mut interpose, choice.guarded);
    enable(&mut arrive, !choice.guarded);
    if choice.guarded {
        recolor(&mut look, palette::SKY);
        commands.entity(entity).remove::<Sensor>();
    } else {
        // A guard off duty does not collide.
        recolor(&mut look, palette::SKY.with_alpha(0.25));
        commands.entity(entity).insert(Sensor);
    }
}

/// Changes the victim every eight seconds.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 512;
    if tick > 0 && tick.is_multiple_of(EVERY) {
        let next = Victim::ALL[(tick / EVERY) as usize % Victim::ALL.len()];
        world.resource_mut::<Presses>().press(next.key());
    }
}

fn report(world: &World) -> Vec<Line> {
    let choice = world.resource::<Choice>();
    let victim = match choice.victim {
        Victim::Person => "the person",
        Victim::Statue => "the statue",
        Victim::Point => "the point",
    };
    let tally = world.resource::<Tally>();
    let mut lines = vec![Line::new("the attacker charges at", victim, "")];
    lines.extend(tally.attack_lines(""));
    lines.extend(tally.guard_lines(""));
    lines
}

/// Runs the same worlds with and without a guard, for each victim.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    const WORLDS: u64 = 8;
    let worlds = |victim, guarded| {
        (0..WORLDS)
            .map(|world| trial(experiment, victim, guarded, world))
            .fold(Tally::default(), |sum, tally| sum.plus(&tally))
    };
    let mut lines = vec![Line::new("worlds per victim", WORLDS as u32, "")];
    for victim in Victim::ALL {
        let guarded = worlds(victim, true);
        lines.extend(guarded.attack_lines(&format!("{victim:?} with guard: ")));
        lines.extend(guarded.guard_lines(&format!("{victim:?} with guard: ")));
        let alone = worlds(victim, false);
        lines.extend(alone.attack_lines(&format!("{victim:?} without guard: ")));
    }
    lines
}

fn trial(experiment: &Experiment, victim: Victim, guarded: bool, world: u64) -> Tally {
    let mut app = experiment.app(experiment.seed.wrapping_add(world));
    app.world_mut().remove_resource::<Scripted>();
    app.insert_resource(Choice {
        victim,
        guarded,
        ..default()
    });
    advance(&mut app, experiment.ticks);
    *app.world().resource::<Tally>()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    choice: Res<Choice>,
    tally: Res<Tally>,
    person: Single<&Drawn, With<Person>>,
    attacker: Single<&Drawn, With<Attacker>>,
    guard: Single<(&Drawn, &Vehicle, &SteeringForce, &Interpose), With<Guard>>,
    mut gizmos: Gizmos,
) {
    let victim = choice.victim_at(person.pose.position);
    let attacker = attacker.pose.position;
    let (guard, vehicle, force, interpose) = *guard;
    let point = if choice.victim == Victim::Point {
        palette::GOLD
    } else {
        palette::MUTED.with_alpha(0.5)
    };
    overlay::cross(&mut gizmos, choice.point, 0.3, point);
    gizmos.circle_2d(victim, choice.victim.radius() + 0.4, palette::GOLD);
    gizmos.line_2d(attacker, victim, palette::RED.with_alpha(0.35));
    if choice.guarded {
        let wanted = victim.lerp(attacker, interpose.ratio);
        overlay::cross(&mut gizmos, wanted, 0.3, palette::SAND);
        overlay::force(&mut gizmos, guard, force, vehicle);
    }
    overlay::splash(&mut gizmos, &current, tally.last_reached);
}
