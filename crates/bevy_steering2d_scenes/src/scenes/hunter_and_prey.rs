//! Hunters and prey: several of each, with stamina, and a pointer that attracts prey.
//!
//! Each animal has all its behaviors from the start; its state machine enables and retargets them,
//! which keeps parameters and memories.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::AgentViews;

use crate::arena::Arena;
use crate::bodies::{Animal, enable, recolor, set_max_speed, teleport};
use crate::input::Pointer;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene};
use crate::senses::notice;
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "hunter_and_prey",
    title: "Hunters and prey",
    help: "Hunters chase the nearest prey until they are exhausted (the ring shows their \
           stamina), then rest until they have recovered. Prey evades the nearest hunter. \
           Undisturbed prey comes to a pointer within 10 m and stops there.",
    keys: &[],
    chosen: |_| Vec::new(),
    mouse: "Hold the mouse still: prey comes to it.",
    crowd: Crowd::new(2, 12, 60),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment: |_| Vec::new(),
};

const HUNTERS: usize = 3;

/// Perception radius of a hunter, m.
const HUNTING_RANGE: f32 = 9.0;
/// Prey evades hunters within this distance, m.
const FEAR_RANGE: f32 = 6.0;
/// Radius within which the pointer attracts prey, m.
const POINTER_RANGE: f32 = 10.0;
/// Distance from the pointer at which prey begins to slow down, m.
const SLOWING_RADIUS: f32 = 2.5;
/// Distance at which a hunter catches its prey, m.
const CATCH_DISTANCE: f32 = 1.1;
/// Caught prey respawns at least this far from every hunter, m.
const HEAD_START: f32 = 10.0;

/// Running time of a rested hunter, s.
const FULL_STAMINA: f32 = 4.0;
/// Stamina regained per second of rest; a second of running costs 1.
const RECOVERY: f32 = 0.5;

const HUNTER_RUN: f32 = 8.0;
const HUNTER_STROLL: f32 = 4.0;
const HUNTER_REST: f32 = 1.5;
const PREY_RUN: f32 = 6.0;
const PREY_STROLL: f32 = 3.0;

const HUNTER: Vehicle = Vehicle {
    max_speed: HUNTER_STROLL,
    max_force: 16.0,
    response_time: 0.2,
    radius: None,
};
const GAME: Vehicle = Vehicle {
    max_speed: PREY_STROLL,
    max_force: 28.0,
    response_time: 0.15,
    radius: None,
};

/// A hunter's state machine.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hunter {
    #[default]
    Roaming,
    Hunting(#[entities] Entity),
    Resting,
}

/// Remaining running time of a hunter, s.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Stamina(f32);

/// The state machine of prey.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
enum Prey {
    #[default]
    Strolling,
    Evading(#[entities] Entity),
    Visiting(Vec2),
}

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    catches: u32,
    arrivals: u32,
    hunter_speed: Mean,
    prey_speed: Mean,
    /// Shares of the hunters' time, `0..=1`.
    hunting: Mean,
    resting: Mean,
    /// Share of the prey's time, `0..=1`.
    evading: Mean,
    /// Position and tick of the last catch.
    last_catch: Option<(Vec2, u32)>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Hunter>()
        .add_scene_component::<Stamina>()
        .add_scene_component::<Prey>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (catch_prey, tire, guide_hunters, guide_prey, keep_tally),
        )
        .add_observer(count_arrival);
}

fn setup(world: &mut World) {
    world.insert_resource(Tally::default());
    let hunters: Vec<_> = (0..HUNTERS).map(|_| spawn_hunter(world)).collect();
    for _ in 0..agent_count(world) {
        spawn_prey(world, &hunters);
    }
}

fn spawn_hunter(world: &mut World) -> Vec2 {
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let position = arena.spot(3.0, random);
    let facing = random.angle();
    world.spawn((
        Hunter::default(),
        Stamina(FULL_STAMINA),
        (stroll(), Pursuit::default().disabled()),
        Animal {
            name: "hunter",
            position,
            facing,
            radius: 0.55,
            color: palette::AMBER,
            vehicle: HUNTER,
        }
        .bundle(),
    ));
    position
}

fn spawn_prey(world: &mut World, hunters: &[Vec2]) {
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let position = arena.spot_apart(2.0, hunters, FEAR_RANGE, random);
    let facing = random.angle();
    // The state machine decides when to evade, so the range is unlimited.
    let evade = Evade::default()
        .with_panic_distance(f32::INFINITY)
        .disabled();
    let arrive = Arrive::default()
        // Prey comes in a crowd, which needs space around the target.
        .with_tolerance(1.5)
        .with_braking(Braking::Ramp {
            slowing_radius: SLOWING_RADIUS,
        })
        .disabled();
    world.spawn((
        Prey::default(),
        (stroll(), evade, arrive),
        Animal {
            name: "prey",
            position,
            facing,
            radius: 0.36,
            color: palette::SAND,
            vehicle: GAME,
        }
        .bundle(),
    ));
}

fn stroll() -> Wander {
    Wander::new(WanderStyle::Circle {
        radius: 1.2,
        distance: 3.0,
        jitter: 3.0,
    })
}

fn catch_prey(
    current: Res<CurrentScene>,
    arena: Res<Arena>,
    mut random: ResMut<SceneRandom>,
    mut tally: ResMut<Tally>,
    hunters: Query<(&Hunter, &Transform)>,
    mut prey: Query<(Entity, &mut Transform, &mut Velocity), (With<Prey>, Without<Hunter>)>,
) {
    for (hunter, at) in &hunters {
        let Hunter::Hunting(quarry) = *hunter else {
            continue;
        };
        let Ok((_, mut transform, mut velocity)) = prey.get_mut(quarry) else {
            continue;
        };
        if at.translation.distance(transform.translation) > CATCH_DISTANCE {
            continue;
        }
        tally.catches += 1;
        tally.last_catch = Some((transform.translation.truncate(), current.tick()));
        let hunters: Vec<_> = hunters
            .iter()
            .map(|(_, at)| at.translation.truncate())
            .collect();
        let elsewhere = arena.spot_apart(2.0, &hunters, HEAD_START, &mut random.0);
        teleport(&mut transform, &mut velocity, elsewhere);
    }
}

/// Running costs stamina; rest restores it.
fn tire(time: Res<Time>, mut hunters: Query<(&Hunter, &mut Stamina)>) {
    let delta = time.delta_secs();
    for (hunter, mut stamina) in &mut hunters {
        let change = match hunter {
            Hunter::Roaming => 0.0,
            Hunter::Hunting(_) => -delta,
            Hunter::Resting => RECOVERY * delta,
        };
        stamina.0 = (stamina.0 + change).clamp(0.0, FULL_STAMINA);
    }
}

fn guide_hunters(
    prey: Query<(Entity, &Transform), With<Prey>>,
    mut hunters: Query<(
        &mut Hunter,
        &Stamina,
        &Transform,
        &mut Vehicle,
        &mut Wander,
        &mut Pursuit,
        &mut Look,
    )>,
) {
    for (mut hunter, stamina, at, mut vehicle, mut wander, mut pursuit, mut look) in &mut hunters {
        *hunter = match *hunter {
            Hunter::Resting if stamina.0 < FULL_STAMINA => Hunter::Resting,
            Hunter::Hunting(_) if stamina.0 <= 0.0 => Hunter::Resting,
            state => {
                let watched = match state {
                    Hunter::Hunting(quarry) => Some(quarry),
                    _ => None,
                };
                notice(at, HUNTING_RANGE, watched, &prey).map_or(Hunter::Roaming, Hunter::Hunting)
            }
        };
        if let Hunter::Hunting(quarry) = *hunter
            && pursuit.target != quarry.into()
        {
            pursuit.target = quarry.into();
        }
        let (hunting, pace, color) = match *hunter {
            Hunter::Roaming => (false, HUNTER_STROLL, palette::AMBER),
            Hunter::Hunting(_) => (true, HUNTER_RUN, palette::RED),
            Hunter::Resting => (false, HUNTER_REST, palette::MUTED),
        };
        enable(&mut pursuit, hunting);
        enable(&mut wander, !hunting);
        set_max_speed(&mut vehicle, pace);
        recolor(&mut look, color);
    }
}

fn guide_prey(
    pointer: Res<Pointer>,
    hunters: Query<(Entity, &Transform), With<Hunter>>,
    mut prey: Query<
        (
            &mut Prey,
            &Transform,
            &mut Vehicle,
            &mut Wander,
            &mut Evade,
            &mut Arrive,
            &mut Look,
        ),
        Without<Hunter>,
    >,
) {
    for (mut prey, at, mut vehicle, mut wander, mut evade, mut arrive, mut look) in &mut prey {
        let watched = match *prey {
            Prey::Evading(hunter) => Some(hunter),
            _ => None,
        };
        let here = at.translation.truncate();
        let lure = pointer.0.filter(|it| it.distance(here) <= POINTER_RANGE);
        *prey = match (notice(at, FEAR_RANGE, watched, &hunters), lure) {
            (Some(hunter), _) => Prey::Evading(hunter),
            (None, Some(pointer)) => Prey::Visiting(pointer),
            (None, None) => Prey::Strolling,
        };
        let (pace, color) = match *prey {
            Prey::Strolling => (PREY_STROLL, palette::SAND),
            Prey::Evading(hunter) => {
                if evade.threat != hunter.into() {
                    evade.threat = hunter.into();
                }
                (PREY_RUN, palette::MINT)
            }
            Prey::Visiting(pointer) => {
                if arrive.target != pointer.into() {
                    arrive.target = pointer.into();
                }
                (PREY_RUN, palette::GOLD)
            }
        };
        enable(&mut wander, *prey == Prey::Strolling);
        enable(&mut evade, matches!(*prey, Prey::Evading(_)));
        enable(&mut arrive, matches!(*prey, Prey::Visiting(_)));
        set_max_speed(&mut vehicle, pace);
        recolor(&mut look, color);
    }
}

fn count_arrival(arrived: On<Arrived>, prey: Query<(), With<Prey>>, tally: Option<ResMut<Tally>>) {
    if let Some(mut tally) = tally
        && prey.contains(arrived.entity)
    {
        tally.arrivals += 1;
    }
}

fn keep_tally(
    mut tally: ResMut<Tally>,
    hunters: Query<(&Hunter, &Velocity)>,
    prey: Query<(&Prey, &Velocity)>,
) {
    for (hunter, velocity) in &hunters {
        tally.hunter_speed.add(velocity.linear.length());
        tally.hunting.note(matches!(hunter, Hunter::Hunting(_)));
        tally.resting.note(*hunter == Hunter::Resting);
    }
    for (prey, velocity) in &prey {
        tally.prey_speed.add(velocity.linear.length());
        tally.evading.note(matches!(prey, Prey::Evading(_)));
    }
}

/// The pointer stays at each of four positions for three seconds and disappears for one second
/// in between.
fn script(world: &mut World, tick: u32) {
    const STAY: u32 = 192;
    const GONE: u32 = 64;
    const PLACES: [Vec2; 4] = [
        Vec2::new(-8.0, 4.0),
        Vec2::new(8.0, 4.0),
        Vec2::new(8.0, -5.0),
        Vec2::new(-8.0, -5.0),
    ];
    let (visit, since) = (tick / (STAY + GONE), tick % (STAY + GONE));
    let place = PLACES[visit as usize % PLACES.len()];
    world.resource_mut::<Pointer>().0 = (since < STAY).then_some(place);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    vec![
        Line::new("catches", tally.catches, ""),
        Line::new("arrivals at the pointer", tally.arrivals, ""),
        Line::new("mean speed of hunters", tally.hunter_speed.get(), "m/s"),
        Line::new("mean speed of prey", tally.prey_speed.get(), "m/s"),
        Line::new("hunters hunt", tally.hunting.percent(), "% of the time"),
        Line::new("hunters rest", tally.resting.percent(), "% of the time"),
        Line::new("prey evades", tally.evading.percent(), "% of the time"),
    ]
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    tally: Res<Tally>,
    pointer: Res<Pointer>,
    hunters: Query<(Entity, &Drawn, &Hunter, &Stamina, &Pursuit)>,
    prey: Query<(&Drawn, &Kinematics), With<Prey>>,
    forces: Query<(&Drawn, &Vehicle, &SteeringForce)>,
    views: AgentViews,
    mut gizmos: Gizmos,
) {
    for (entity, drawn, hunter, stamina, pursuit) in &hunters {
        let center = drawn.pose.position;
        let color = match hunter {
            Hunter::Resting => palette::SKY,
            _ => palette::GOLD,
        };
        overlay::gauge(&mut gizmos, center, 1.15, stamina.0 / FULL_STAMINA, color);
        if let Hunter::Hunting(quarry) = *hunter
            && let Ok((quarry, body)) = prey.get(quarry)
            && let Some(me) = views.get(entity)
        {
            let aim = overlay::predicted(&me, pursuit, quarry, body);
            overlay::aim(&mut gizmos, center, aim, palette::RED);
        }
    }
    for (drawn, vehicle, force) in &forces {
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
    if let Some(pointer) = pointer.0 {
        overlay::range(&mut gizmos, pointer, POINTER_RANGE, palette::GOLD);
        overlay::range(&mut gizmos, pointer, SLOWING_RADIUS, palette::GOLD);
        overlay::cross(&mut gizmos, pointer, 0.3, palette::GOLD);
    }
    overlay::splash(&mut gizmos, &current, tally.last_catch);
}
