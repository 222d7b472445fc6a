//! Benchmarks each behavior: a tick of a thousand agents with this behavior alone, on one thread (those that adjust a
//! preferred velocity beside a `Seek`);
//! the worst case of the neighbor index; the travel times of a flow field; and a path across many blocks.
//!
//! ```text
//! cargo bench
//! ```
//!
//! `nothing` is the cost of an agent without behaviors; subtract it from the others.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use bevy::prelude::*;
use bevy_steering2d::RandomStream;
use bevy_steering2d::navigation::{
    PathQuery, PathSearch, Pathfinder, RoadmapPathfinder, Solid, TravelTimes,
};
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::headless::{self, Tick};
use bevy_steering2d_steerbench::share_passes_among;
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    let one_thread = share_passes_among(NonZeroUsize::MIN);
    one_thread.task_pool_options.create_default_pools();
    divan::main();
}

const AGENTS: u32 = 1_000;
/// Side of the square that the agents stand in, m: each has ten neighbors within 3 m.
const SIDE: f32 = 53.0;
const TICK: Duration = Duration::from_nanos(16_666_667);

/// A behavior to measure, and the function that inserts it.
struct Case {
    name: &'static str,
    give: fn(&mut EntityWorldMut, &Scene),
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The entities that behaviors refer to.
struct Scene {
    other: Entity,
    path: SteeringPath,
    field: Entity,
}

macro_rules! cases {
    ($($name:ident: $give:expr),* $(,)?) => {
        &[$(Case { name: stringify!($name), give: $give }),*]
    };
}

const CASES: &[Case] = cases! {
    nothing: |_, _| {},
    seek: |agent, scene| { agent.insert(Seek::new(scene.other)); },
    seek_by_car: |agent, scene| { agent.insert((Seek::new(scene.other), Wheeled::default())); },
    flee: |agent, scene| { agent.insert(Flee::new(scene.other)); },
    arrive: |agent, scene| { agent.insert(Arrive::new(scene.other)); },
    park: |agent, scene| { agent.insert(Park::new(scene.other, 1.0)); },
    pursuit: |agent, scene| { agent.insert(Pursuit::new(scene.other)); },
    evade: |agent, scene| { agent.insert(Evade::new(scene.other)); },
    wander: |agent, _| { agent.insert(Wander::default()); },
    interpose: |agent, scene| { agent.insert(Interpose::new(scene.other, Vec2::ZERO)); },
    offset_pursuit: |agent, scene| { agent.insert(OffsetPursuit::new(scene.other, Vec2::X)); },
    match_velocity: |agent, scene| { agent.insert(MatchVelocity::new(scene.other)); },
    tether: |agent, _| { agent.insert(Tether::new(Vec2::ZERO, 5.0)); },
    orbit: |agent, scene| { agent.insert(Orbit::new(scene.other, 5.0)); },
    obstacle_avoidance: |agent, _| { agent.insert(ObstacleAvoidance::default()); },
    wall_avoidance: |agent, _| { agent.insert(WallAvoidance::default()); },
    wall_following: |agent, _| { agent.insert(WallFollowing::default()); },
    containment: |agent, _| {
        agent.insert(Containment::new(Rect::from_corners(Vec2::ZERO, Vec2::splat(SIDE))));
    },
    hide: |agent, scene| { agent.insert(Hide::new(scene.other)); },
    path_following: |agent, scene| { agent.insert((PathFollowing::default(), scene.path.clone())); },
    stay_on_path: |agent, scene| { agent.insert((StayOnPath::default(), scene.path.clone())); },
    flow_field_following: |agent, scene| {
        agent.insert(FlowFieldFollowing::new(scene.field));
    },
    separation: |agent, _| { agent.insert(Separation::new(3.0)); },
    alignment: |agent, _| { agent.insert(Alignment::new(3.0)); },
    cohesion: |agent, _| { agent.insert(Cohesion::new(3.0)); },
    flocking: |agent, _| { agent.insert(Flocking::new(3.0)); },
    flocking_in_view: |agent, _| { agent.insert(Flocking::new(3.0).with_field_of_view(4.0)); },
    collision_avoidance: |agent, _| { agent.insert(CollisionAvoidance::default()); },
    queuing: |agent, _| { agent.insert(Queuing::default()); },
    reciprocal_avoidance: |agent, scene| {
        agent.insert((Combine::WEIGHTED_SUM, ReciprocalAvoidance::default(), Seek::new(scene.other)));
    },
    headway: |agent, scene| {
        agent.insert((Combine::WEIGHTED_SUM, Headway::default(), Seek::new(scene.other)));
    },
    target_speed: |agent, _| { agent.insert(TargetSpeed::new(1.0)); },
    leader_following: |agent, _| {
        let rank = (agent.id().index_u32() % 100) as f32;
        agent.insert((LeaderFollowing::default(), Leadership(rank)));
    },
    stuck_detection: |agent, _| { agent.insert((Sidestep::default(), StuckDetection::default())); },
};

#[divan::bench(args = CASES)]
fn tick(bencher: Bencher, case: &Case) {
    let mut app = app();
    let scene = furnish(app.world_mut());
    spawn(app.world_mut(), AGENTS, SIDE, |agent| {
        (case.give)(agent, &scene);
    });
    measure(bencher, app, AGENTS);
}

/// Ten thousand agents on one point; compare the time per agent with `spread_out`.
#[divan::bench]
fn on_one_point(bencher: Bencher) {
    flock(bencher, 0.0);
}

#[divan::bench]
fn spread_out(bencher: Bencher) {
    flock(bencher, SIDE * 10_f32.sqrt());
}

fn flock(bencher: Bencher, side: f32) {
    let mut app = app();
    spawn(app.world_mut(), 10 * AGENTS, side, |agent| {
        agent.insert(Flocking::new(3.0));
    });
    measure(bencher, app, 10 * AGENTS);
}

/// All travel times of a field of 512 by 512 cells, without walls or with fifteen across it that leave a gap at
/// alternate ends.
#[divan::bench(args = [0, 15])]
fn travel_times(bencher: Bencher, walls: u32) {
    const SIDE: u32 = 512;
    const GAP: u32 = 24;
    let mut field = TravelTimes::new(UVec2::splat(SIDE), 0.5).expect("a sound grid");
    for wall in 1..=walls {
        let (x, gap) = (wall * SIDE / (walls + 1), (wall % 2) * (SIDE - GAP));
        for y in (0..SIDE).filter(|y| !(gap..gap + GAP).contains(y)) {
            field.set_cost(UVec2::new(x, y), f32::INFINITY);
        }
    }
    let cells = bencher.counter(ItemsCount::new(SIDE * SIDE));
    cells
        .with_inputs(|| field.clone())
        .bench_local_refs(|field| {
            field.set_goals([UVec2::new(SIDE - 3, SIDE / 2)]);
            while field.advance(SIDE * SIDE) {}
        });
}

/// The first path of a body across a square with so many blocks on a side, beside each other in rows or shifted. An item
/// is an expansion.
#[divan::bench(args = [(10, 0.0), (10, 0.7), (30, 0.0), (30, 0.7), (60, 0.7)], sample_count = 5)]
fn first_path(bencher: Bencher, (side, shift): (u16, f32)) {
    let mut random = RandomStream::new(7, SteeringId(0), 3);
    let blocks = (0..side * side).flat_map(|i| {
        let at = 3.0 * Vec2::new(f32::from(i % side), f32::from(i / side));
        let shift = shift * Vec2::new(random.signed_unit(), random.signed_unit());
        Wall::room(Rect::from_center_size(at + shift, Vec2::splat(1.6)))
    });
    let mut pathfinder = RoadmapPathfinder::default();
    pathfinder.set_solids(&blocks.map(Solid::from).collect::<Vec<_>>());
    let query = PathQuery {
        from: Vec2::splat(-2.0),
        to: Vec2::splat(3.0 * f32::from(side) + 2.0),
        radius: 0.3,
    };
    let find = |mut pathfinder: RoadmapPathfinder| {
        let mut left = u32::MAX;
        let found = pathfinder.find(&query, &mut left);
        assert!(matches!(found, PathSearch::Found(_)));
        u32::MAX - left
    };
    bencher
        .counter(ItemsCount::new(find(pathfinder.clone())))
        .with_inputs(|| pathfinder.clone())
        .bench_local_values(find);
}

fn measure(bencher: Bencher, mut app: App, agents: u32) {
    let world = app.world_mut();
    let mut tick = || {
        world.resource_mut::<Time>().advance_by(TICK);
        world.run_schedule(Tick);
    };
    (0..10).for_each(|_| tick());
    bencher.counter(ItemsCount::new(agents)).bench_local(tick);
}

fn app() -> App {
    headless::app(NonZeroUsize::MIN, |_| {})
}

/// Spawns a hundred rocks and walls, a target, a path and a flow field.
fn furnish(world: &mut World) -> Scene {
    let mut random = RandomStream::new(7, SteeringId(0), 2);
    let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(SIDE));
    for _ in 0..100 {
        let [rock, wall] = [random.point_in(area), random.point_in(area)];
        world.spawn((
            Transform::from_translation(rock.extend(0.0)),
            Obstacle { radius: 0.5 },
        ));
        world.spawn(Wall {
            from: wall,
            to: wall + Vec2::from_angle(random.angle()),
        });
    }
    let path = (0..100).map(|_| random.point_in(area)).collect::<Vec<_>>();
    let field = FlowField::new(Vec2::ZERO, 1.0, UVec2::splat(54), |_| Vec2::X);
    Scene {
        other: world.spawn(PointMass::default()).id(),
        path: SteeringPath::looped(path).expect("a path of a hundred points is valid"),
        field: world.spawn(field.expect("the field is valid")).id(),
    }
}

fn spawn(world: &mut World, count: u32, side: f32, give: impl Fn(&mut EntityWorldMut)) {
    let area = Rect::from_corners(Vec2::ZERO, Vec2::splat(side));
    for id in 0..count {
        let mut random = RandomStream::new(7, SteeringId(id), 1);
        let position = Transform::from_translation(random.point_in(area).extend(0.0));
        let body = PointMass {
            velocity: 3.0 * Vec2::from_angle(random.angle()),
            mass: 1.0,
        };
        give(&mut world.spawn((position, body, Vehicle::default())));
    }
}
