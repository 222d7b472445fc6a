//! A formation of nine agents: [`OffsetPursuit`] behind a leader on a winding path.
//!
//! [`Arrive`] serves for comparison: it targets the current position of the slot, without
//! prediction, and lags behind. The [experiment](Scene::experiment) measures both.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::behaviors::formation_slot;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Animal, enable, kinematics, recolor};
use crate::contacts::{Contacts, Disc, Pair};
use crate::experiment::{Experiment, advance};
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, Scripted, playing};
use crate::look::{Drawn, Look};
use crate::report::{Extent, Line, Mean};
use crate::scene::{Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "formation",
    title: "Formation of nine",
    help: "The leader walks a figure of eight. Each of the nine members pursues its slot in the \
           leader's frame, a ring, and turns green within one radius of it. Change the formation \
           at any time. With Arrive the members target the current position of their slots and \
           lag behind.",
    keys: &[
        SceneKey::new('v', "V"),
        SceneKey::new('l', "Line"),
        SceneKey::new('k', "Block"),
        SceneKey::new('p', "Offset pursuit"),
        SceneKey::new('a', "Arrive"),
    ],
    chosen: |world| {
        let order = world.resource::<Order>();
        vec![order.formation.key(), order.by.key()]
    },
    mouse: "",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment,
};

const MEMBERS: usize = 9;
const RADIUS: f32 = 0.35;
const LEADER_RADIUS: f32 = 0.45;
/// Time to form up after an order, s; from then on the members' distances count, even if some
/// have not reached their slots.
const FALL_IN: f32 = 8.0;

/// Slow: on the outside of its turns, the outermost member needs 5.4 m/s.
const LEADER: Vehicle = Vehicle {
    max_speed: 2.0,
    max_force: 6.0,
    response_time: 0.25,
    radius: None,
};
const MEMBER: Vehicle = Vehicle {
    max_speed: 6.0,
    max_force: 20.0,
    response_time: 0.15,
    radius: None,
};

#[derive(Component, Clone, Copy, Debug)]
struct Leader;

/// A member, with the number of its slot.
#[derive(Component, Clone, Copy, Debug)]
struct Member(usize);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Formation {
    #[default]
    V,
    Line,
    Block,
}

impl Formation {
    const ALL: [Self; 3] = [Self::V, Self::Line, Self::Block];

    fn key(self) -> char {
        match self {
            Self::V => 'v',
            Self::Line => 'l',
            Self::Block => 'k',
        }
    }

    /// Offset of a slot in the leader's frame, m.
    fn offset(self, number: usize) -> Vec2 {
        const SPACE: f32 = 1.0;
        let across = SPACE * (number as f32 - 4.0);
        match self {
            Self::V => Vec2::new(-1.3 - 0.7 * across.abs(), across),
            Self::Line => Vec2::new(-1.5, across),
            Self::Block => {
                let (file, rank) = ((number / 3) as f32, (number % 3) as f32);
                Vec2::new(-1.5 - 1.3 * rank, 1.3 * (file - 1.0))
            }
        }
    }
}

/// The behavior by which a member keeps its slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum By {
    #[default]
    OffsetPursuit,
    Arrive,
}

impl By {
    const ALL: [Self; 2] = [Self::OffsetPursuit, Self::Arrive];

    fn key(self) -> char {
        match self {
            Self::OffsetPursuit => 'p',
            Self::Arrive => 'a',
        }
    }
}

/// The current order.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
struct Order {
    formation: Formation,
    by: By,
    /// Tick of the order.
    since: u32,
}

/// Assigns a slot to each member, nearest pairs first, so that few paths cross.
fn assign(members: &[Vec2], slots: &[Vec2]) -> Vec<usize> {
    let mut pairs: Vec<_> = (0..members.len())
        .flat_map(|member| (0..slots.len()).map(move |slot| (member, slot)))
        .collect();
    let distance = |&(member, slot): &(usize, usize)| members[member].distance(slots[slot]);
    pairs.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    let mut numbers = vec![None; members.len()];
    for (member, slot) in pairs {
        if numbers[member].is_none() && !numbers.contains(&Some(slot)) {
            numbers[member] = Some(slot);
        }
    }
    numbers.into_iter().flatten().collect()
}

/// How well the members keep their slots.
#[derive(Resource, Clone)]
struct Tally {
    /// Distance to the slot, m, while formed.
    distance: Extent,
    /// Share of that time within one radius of the slot.
    in_slot: Mean,
    /// Time from each order until all members were within one radius, s.
    fall_in: Mean,
    /// Whether the members have formed up since the current order.
    formed: bool,
    collisions: Contacts<Pair>,
    /// Collisions while formed.
    while_formed: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            distance: Extent::default(),
            in_slot: Mean::default(),
            fall_in: Mean::default(),
            formed: false,
            collisions: Contacts::solid(),
            while_formed: 0,
        }
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Member>()
        .add_scene_resource::<Order>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (read_order, assign_slots, keep_tally, apply_order),
        );
}

fn setup(world: &mut World) {
    world.insert_resource(Order::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    let path = figure_of_eight();
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let begin = path.at(path.length() * random.unit());
    let mut taken = vec![begin.position];
    for _ in 0..MEMBERS {
        taken.push(arena.spot_apart(3.0, &taken, 4.0 * RADIUS, random));
    }
    let facings: [f32; MEMBERS] = std::array::from_fn(|_| random.angle());
    let facing = path.direction(begin.segment).to_angle();
    let leader = Animal {
        name: "leader",
        position: begin.position,
        facing,
        radius: LEADER_RADIUS,
        color: palette::AMBER,
        vehicle: LEADER,
    };
    let walk = PathFollowing::default().with_corridor(0.4, 0.5);
    let leader = world.spawn((Leader, path, walk, leader.bundle())).id();
    for (member, facing) in facings.into_iter().enumerate() {
        let animal = Animal {
            name: "member",
            position: taken[member + 1],
            facing,
            radius: RADIUS,
            color: palette::SAND,
            vehicle: MEMBER,
        };
        let keep = OffsetPursuit::new(leader, Formation::default().offset(member));
        // No `StayInside`: all slots are inside the arena, and the fence must not push members out
        // of line. `CollisionAvoidance` keeps them apart on the way to their slots.
        world.spawn((Member(member), animal.dart())).insert((
            keep,
            Arrive::default().disabled(),
            CollisionAvoidance::default(),
        ));
    }
}

/// Bernoulli's lemniscate: turns left and right, with a radius of at least a third of its half
/// width.
fn figure_of_eight() -> SteeringPath {
    const HALF_WIDTH: f32 = 9.6;
    const STEPS: usize = 96;
    let points = (0..STEPS).map(|step| {
        let angle = std::f32::consts::TAU * step as f32 / STEPS as f32;
        let Vec2 { x: cos, y: sin } = Vec2::from_angle(angle);
        HALF_WIDTH * cos / (1.0 + sin * sin) * Vec2::new(1.0, sin)
    });
    SteeringPath::looped(points).expect("the path has finite points")
}

fn read_order(
    presses: Res<Presses>,
    current: Res<CurrentScene>,
    mut order: ResMut<Order>,
    mut tally: ResMut<Tally>,
) {
    let before = *order;
    for key in presses.keys() {
        if let Some(formation) = Formation::ALL.into_iter().find(|it| it.key() == key) {
            order.formation = formation;
        }
        if let Some(by) = By::ALL.into_iter().find(|it| it.key() == key) {
            order.by = by;
        }
    }
    if *order != before {
        order.since = current.tick();
        tally.formed = false;
    }
}

/// Assigns the slots of a new order.
fn assign_slots(
    order: Res<Order>,
    leader: Single<(&Transform, &Velocity), With<Leader>>,
    mut members: Query<(&mut Member, &Transform)>,
) {
    if !order.is_changed() {
        return;
    }
    let leader = kinematics(leader.0, leader.1);
    let slots: [Vec2; MEMBERS] =
        std::array::from_fn(|i| formation_slot(&leader, order.formation.offset(i)));
    let here: Vec<_> = members
        .iter()
        .map(|it| it.1.translation.truncate())
        .collect();
    let numbers = assign(&here, &slots);
    for ((mut member, _), number) in members.iter_mut().zip(numbers) {
        member.0 = number;
    }
}

/// Applies the order to the behaviors.
fn apply_order(
    order: Res<Order>,
    leader: Single<(&Transform, &Velocity), With<Leader>>,
    mut members: Query<(&Member, &mut OffsetPursuit, &mut Arrive)>,
) {
    let leader = kinematics(leader.0, leader.1);
    for (member, mut pursuit, mut arrive) in &mut members {
        let offset = order.formation.offset(member.0);
        if pursuit.offset != offset {
            pursuit.offset = offset;
        }
        enable(&mut pursuit, order.by == By::OffsetPursuit);
        enable(&mut arrive, order.by == By::Arrive);
        if order.by == By::Arrive {
            arrive.target = formation_slot(&leader, offset).into();
        }
    }
}

fn keep_tally(
    time: Res<Time>,
    current: Res<CurrentScene>,
    order: Res<Order>,
    mut tally: ResMut<Tally>,
    leader: Single<(Entity, &Transform, &Velocity), With<Leader>>,
    mut members: Query<(Entity, &Member, &Transform, &mut Look)>,
) {
    let (entity, at, velocity) = *leader;
    let leader = kinematics(at, velocity);
    let elapsed = current.since(order.since) as f32 * time.delta_secs();
    let formed = tally.formed || elapsed > FALL_IN;
    let mut bodies = vec![Disc::new(entity, at, LEADER_RADIUS)];
    let mut all_in_slot = true;
    for (entity, member, at, mut look) in &mut members {
        let here = at.translation.truncate();
        bodies.push(Disc::new(entity, at, RADIUS));
        let slot = formation_slot(&leader, order.formation.offset(member.0));
        let distance = slot.distance(here);
        let in_slot = distance <= RADIUS;
        all_in_slot &= in_slot;
        let color = if in_slot {
            palette::MINT
        } else {
            palette::SAND
        };
        recolor(&mut look, color);
        if formed {
            tally.distance.add(distance);
            tally.in_slot.note(in_slot);
        }
    }
    if all_in_slot && !tally.formed {
        tally.formed = true;
        tally.fall_in.add(elapsed);
    }
    let before = tally.collisions.begun();
    tally.collisions.observe_pairs(bodies);
    if formed {
        tally.while_formed += tally.collisions.begun() - before;
    }
}

/// Changes the formation every eight seconds.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 512;
    if tick > 0 && tick.is_multiple_of(EVERY) {
        let next = Formation::ALL[(tick / EVERY) as usize % Formation::ALL.len()];
        world.resource_mut::<Presses>().press(next.key());
    }
}

fn report(world: &World) -> Vec<Line> {
    let order = world.resource::<Order>();
    let tally = world.resource::<Tally>();
    let mut lines = vec![
        Line::new("formation", format!("{:?}", order.formation), ""),
        Line::new("time to form up", tally.fall_in.get(), "s"),
    ];
    lines.extend(tally.lines(""));
    lines
}

impl Tally {
    fn lines(&self, prefix: &str) -> [Line; 5] {
        let label = |text: &str| format!("{prefix}{text}");
        [
            Line::new(
                label("distance to the slot, mean"),
                self.distance.mean(),
                "m",
            ),
            Line::new(
                label("distance to the slot, largest"),
                self.distance.largest(),
                format!("m (radius {RADIUS})"),
            ),
            Line::new(
                label("within one radius"),
                self.in_slot.percent(),
                "% of the time",
            ),
            Line::new(label("collisions in formation"), self.while_formed, ""),
            Line::new(label("collisions in all"), self.collisions.begun(), ""),
        ]
    }
}

/// Holds each formation for a whole run, by offset pursuit and by arrive.
fn experiment(experiment: &Experiment) -> Vec<Line> {
    let orders = By::ALL
        .into_iter()
        .flat_map(|by| Formation::ALL.map(|formation| (by, formation)));
    orders
        .flat_map(|(by, formation)| {
            let mut app = experiment.app(experiment.seed);
            app.world_mut().remove_resource::<Scripted>();
            app.insert_resource(Order {
                formation,
                by,
                since: 0,
            });
            advance(&mut app, experiment.ticks);
            let tally = app.world().resource::<Tally>();
            tally.lines(&format!("{formation:?} by {by:?}: "))
        })
        .collect()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    order: Res<Order>,
    leader: Single<(&Drawn, &Kinematics, &SteeringPath), With<Leader>>,
    members: Query<(&Drawn, &Member, &Vehicle, &SteeringForce)>,
    mut gizmos: Gizmos,
) {
    let (leader, body, path) = *leader;
    overlay::path(&mut gizmos, path, palette::MUTED.with_alpha(0.35));
    let frame = Kinematics {
        position: leader.pose.position,
        ..*body
    };
    for (drawn, member, vehicle, force) in &members {
        let slot = formation_slot(&frame, order.formation.offset(member.0));
        gizmos.circle_2d(slot, RADIUS, palette::GOLD.with_alpha(0.5));
        if drawn.pose.position.distance(slot) > RADIUS {
            gizmos.line_2d(drawn.pose.position, slot, palette::GOLD.with_alpha(0.3));
        }
        overlay::force(&mut gizmos, drawn, force, vehicle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_gets_a_slot_near_it() {
        let row = |shift: f32| [0.0, 1.0, 2.0].map(|x| Vec2::new(x + shift, 0.0));
        assert_eq!(assign(&row(0.1), &row(0.0)), [0, 1, 2]);
        assert_eq!(assign(&[Vec2::X; 3], &row(0.0)), [1, 0, 2]);
    }

    #[test]
    fn slots_of_a_formation_do_not_overlap() {
        for formation in Formation::ALL {
            let slots: [Vec2; MEMBERS] = std::array::from_fn(|i| formation.offset(i));
            for (i, a) in slots.iter().enumerate() {
                let others = slots[i + 1..].iter().chain([&Vec2::ZERO]);
                let nearest = others.map(|b| a.distance(*b)).fold(f32::INFINITY, f32::min);
                assert!(nearest > 2.0 * RADIUS + 0.1, "{formation:?}: {nearest} m");
            }
        }
    }

    #[test]
    fn all_slots_stay_inside_the_arena() {
        let (path, arena) = (figure_of_eight(), Arena::default());
        for step in 0..400 {
            let at = path.at(path.length() * step as f32 / 400.0);
            let leader = Kinematics {
                position: at.position,
                heading: path.direction(at.segment),
                ..default()
            };
            for (formation, member) in Formation::ALL
                .into_iter()
                .flat_map(|it| (0..MEMBERS).map(move |i| (it, i)))
            {
                let slot = formation_slot(&leader, formation.offset(member));
                assert!(
                    arena.clearance(slot) > 2.0 * RADIUS,
                    "{formation:?} at {slot}"
                );
            }
        }
    }
}
