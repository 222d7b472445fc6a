//! Hide and seek: a hunter with eyes in front only, hiders that keep a rock between.
//!
//! The hunter strolls; whom it sees it runs after until it has lost sight. It sees a cone of some
//! range, and not through rocks. Hiders stroll as well while the hunter is far, and [`Hide`] when
//! it comes near.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, HideMemory};

use crate::bodies::{Animal, enable, recolor, set_pace, teleport};
use crate::contacts::Contacts;
use crate::look::{Drawn, Look, Pose};
use crate::props::{self, Rock};
use crate::report::{Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::senses::{Eyes, is_clear};
use crate::{
    ActionSelection, Arena, CurrentScene, Presses, SceneRandom, StayInside, headless, overlay,
    palette, playing,
};

pub(crate) const SCENE: Scene = Scene {
    name: "hide_and_seek",
    title: "Hide and seek",
    help: "The hunter strolls and sees what is in its cone of sight, but not through rocks. Whom \
           it sees (red) it runs after until it has lost sight. Hiders (green) keep a rock between \
           the hunter and themselves while it is near; crosses are their hiding spots. Without \
           Hide they just stroll on.",
    keys: &[
        SceneKey::new('h', "Hide"),
        SceneKey::new('w', "Only wander"),
    ],
    chosen: |world| {
        vec![if world.resource::<Choice>().hide {
            'h'
        } else {
            'w'
        }]
    },
    mouse: "",
    crowd: None,
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

/// The hunter's eyes.
const EYES: Eyes = Eyes {
    range: 12.0,
    angle: 110.0 * std::f32::consts::PI / 180.0,
};
/// Hiders mind the hunter within this distance, m.
const THREAT_DISTANCE: f32 = 14.0;
/// The hunter has a hider when it is this near, m.
const CATCH_DISTANCE: f32 = 1.1;
/// Whoever is caught appears again at least this far from the hunter, m.
const HEAD_START: f32 = 12.0;
/// The hunter runs on for so long after it has lost sight, s.
const PATIENCE: f32 = 0.5;

const STROLL: f32 = 3.0;
const RUN: f32 = 5.5;
const HIDER_RUN: f32 = 5.0;

/// The hunter's state machine.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
enum Hunter {
    #[default]
    Strolling,
    /// After whom, and for how long without seeing it, s.
    Chasing(Entity, f32),
}

/// A hider and what became of it.
#[derive(Component, Clone, Debug, Default)]
struct Hider {
    /// The hunter sees it right now.
    seen: bool,
    /// Share of its time unseen, `0..=1`.
    unseen: Mean,
    /// Share of the time with a rock in between while the hunter is within its range of sight,
    /// wherever it looks, `0..=1`.
    covered: Mean,
    catches: u32,
    /// How often it changed from one rock to another.
    flips: u32,
    /// How long it has been hiding, s.
    hiding: f32,
    /// The rock it hides behind.
    rock: Option<Entity>,
}

/// Whether hiders hide.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    hide: bool,
}

/// What has happened.
#[derive(Resource)]
struct Tally {
    rocks: Contacts<Entity>,
    /// Share of the hunter's time, `0..=1`.
    chasing: Mean,
    /// Where and in which tick the last catch was.
    last_catch: Option<(Vec2, u32)>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rocks: Contacts::with_ghosts(),
            chasing: Mean::default(),
            last_catch: None,
        }
    }
}

fn build(app: &mut App) {
    app.add_systems(
        FixedUpdate,
        (choose, look, guide_hunter, catch, guide_hiders, keep_tally)
            .chain()
            .in_set(ActionSelection)
            .run_if(playing(SCENE.name)),
    );
}

fn setup(world: &mut World) {
    world.insert_resource(Choice { hide: true });
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    // Room for a hider behind each, and to run between any two.
    let rocks = props::scatter(&arena, ROCKS, 0.9..1.6, 2.4, 2.0, random);
    let hunter_at = props::free_spot(&arena, 1.5, &rocks, random);
    let mut taken = rocks.clone();
    taken.push(Circle::new(hunter_at, HEAD_START));
    let facing = random.angle();
    let places: Vec<_> = (0..HIDERS)
        .map(|_| {
            let spot = props::free_spot(&arena, 1.0, &taken, random);
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

/// Wide turns, and room to spare at the fence.
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
    let hide = Hide {
        threat_distance: THREAT_DISTANCE,
        ..Hide::new(hunter)
    };
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
            hide,
            stroll(),
            ObstacleAvoidance::default(),
            Separation::within(1.2),
        ),
        animal.compact(),
        // A spot between rock and fence is as good as any.
        StayInside {
            margin: 0.8,
            ..default()
        },
    ));
}

fn choose(presses: Res<Presses>, mut choice: ResMut<Choice>) {
    for key in presses.keys() {
        match key {
            'h' => choice.hide = true,
            'w' => choice.hide = false,
            _ => {}
        }
    }
}

fn circles<'a>(rocks: impl IntoIterator<Item = (&'a Transform, &'a Rock)>) -> Vec<Circle> {
    let circle =
        |(at, rock): (&Transform, &Rock)| Circle::new(at.translation.truncate(), rock.radius);
    rocks.into_iter().map(circle).collect()
}

/// Whom does the hunter see?
fn look(
    rocks: Query<(&Transform, &Rock)>,
    hunter: Single<&Transform, With<Hunter>>,
    mut hiders: Query<(&Transform, &mut Hider)>,
) {
    let rocks = circles(rocks);
    let hunter = Pose::of(&hunter);
    for (at, mut hider) in &mut hiders {
        let here = at.translation.truncate();
        let clear = is_clear(hunter.position, here, &rocks);
        hider.seen = clear && EYES.include(hunter, here);
        let seen = hider.seen;
        hider.unseen.add(if seen { 0.0 } else { 1.0 });
        if hunter.position.distance(here) <= EYES.range {
            hider.covered.add(if clear { 0.0 } else { 1.0 });
        }
    }
}

fn guide_hunter(
    time: Res<Time>,
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
    *hunter = match kept.or_else(nearest) {
        Some((quarry, lost)) => {
            if pursuit.quarry != quarry.into() {
                pursuit.quarry = quarry.into();
            }
            Hunter::Chasing(quarry, lost)
        }
        None => Hunter::Strolling,
    };
    let chasing = *hunter != Hunter::Strolling;
    enable(&mut pursuit, chasing);
    enable(&mut wander, !chasing);
    set_pace(&mut vehicle, if chasing { RUN } else { STROLL });
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
    let mut taken = circles(rocks);
    taken.push(Circle::new(hunter_at.translation.truncate(), HEAD_START));
    let elsewhere = props::free_spot(&arena, 1.0, &taken, &mut random.0);
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
        let hiding = choice.hide && memory.obstacle.is_some();
        let rock = memory.obstacle.filter(|_| hiding);
        let flips = hider.rock.is_some() && rock.is_some() && rock != hider.rock;
        hider.flips += u32::from(flips);
        hider.hiding += if hiding { time.delta_secs() } else { 0.0 };
        hider.rock = rock;
        enable(&mut hide, choice.hide);
        enable(&mut wander, !hiding);
        set_pace(&mut vehicle, if hiding { HIDER_RUN } else { STROLL });
        let color = match (hider.seen, hiding) {
            (true, _) => palette::RED,
            (false, true) => palette::MINT,
            (false, false) => palette::SAND,
        };
        recolor(&mut look, color);
    }
}

fn keep_tally(
    mut tally: ResMut<Tally>,
    rocks: Query<(&Transform, &Rock)>,
    hunter: Single<&Hunter>,
    hiders: Query<(Entity, &Transform), With<Hider>>,
) {
    let rocks = circles(rocks);
    for (hider, at) in &hiders {
        let gap = props::room(at.translation.truncate(), &rocks) - RADIUS;
        tally.rocks.observe(hider, gap, RADIUS);
    }
    let chasing = **hunter != Hunter::Strolling;
    tally.chasing.add(if chasing { 1.0 } else { 0.0 });
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let Some(mut hiders) = world.try_query::<(&SteeringId, &Hider)>() else {
        return Vec::new();
    };
    let mut hiders: Vec<_> = hiders.iter(world).collect();
    hiders.sort_unstable_by_key(|(id, _)| **id);
    let of_all = |which: fn(&Hider) -> Mean| {
        let each = hiders.iter().map(|(_, hider)| which(hider));
        each.fold(Mean::default(), Mean::plus).percent()
    };
    let catches: u32 = hiders.iter().map(|(_, hider)| hider.catches).sum();
    let flips: u32 = hiders.iter().map(|(_, hider)| hider.flips).sum();
    let hiding: f32 = hiders.iter().map(|(_, hider)| hider.hiding).sum();
    let flips_per_minute = (hiding > 0.0).then(|| 60.0 * flips as f32 / hiding);
    let mut lines = vec![
        Line::new("caught", catches, "times"),
        Line::new("unseen", of_all(|hider| hider.unseen), "% of the time"),
        Line::new(
            "covered in range",
            of_all(|hider| hider.covered),
            "% of the time",
        ),
        Line::new("changes of rock", flips_per_minute, "a minute of hiding"),
        Line::new("hunter chases", tally.chasing.percent(), "% of the time"),
        Line::new(
            "deepest in a rock",
            tally.rocks.deepest(),
            "% of the radius",
        ),
    ];
    lines.extend(hiders.iter().enumerate().map(|(number, (_, hider))| {
        let unit = format!("%, caught {}", hider.catches);
        Line::new(
            format!("hider {} unseen", number + 1),
            hider.unseen.percent(),
            unit,
        )
    }));
    lines
}

/// The same world without [`Hide`].
fn experiment(seed: u64, ticks: u32) -> Vec<Line> {
    let labels = ["caught", "unseen", "covered in range", "hunter chases"];
    headless::trial(
        &SCENE,
        seed,
        ticks,
        "only wander",
        Choice { hide: false },
        &labels,
    )
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, explain.run_if(playing(SCENE.name)));
}

fn explain(
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
        EYES,
        &circles(rocks),
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
        if choice.hide && memory.obstacle.is_some() {
            overlay::aim(&mut gizmos, drawn.pose.position, memory.spot, palette::MINT);
        }
    }
    for (drawn, vehicle, force) in &forces {
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
    if let Some((place, tick)) = tally.last_catch {
        overlay::splash(&mut gizmos, place, current.tick() - tick);
    }
}
