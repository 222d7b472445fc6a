//! The scenario space: random worlds of a few walkers and obstacles, and the share of them that is solved:
//! all walkers get home, and no two bodies overlap deeper than SteerBench forgives. (Kapadia 2011)

use std::num::NonZeroUsize;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::{Body, Case, Score, Shape, Walker, run, shortest_path};

use crate::rvo_world::{self, way};
use crate::shared::{interrupts, jobs};

/// The square that all starts and goals are in.
const HALF_SIDE: f32 = 5.0;
const WALKERS: [u32; 2] = [2, 8];
const MOST_OBSTACLES: u32 = 6;
/// Sides of the obstacles, m.
const SIDES: [f32; 2] = [0.4, 2.0];
/// Clearance around starts and goals, m.
const CLEARANCE: f32 = 0.1;

/// Runs the first `count` worlds with ours and with RVO2. Prints the shares solved so far after each tenth of the
/// worlds and, of an interrupted run, those of the worlds that have ended.
pub fn compare(count: usize, jobs: NonZeroUsize) -> Result<jobs::Tally, String> {
    let tenth = count.div_ceil(10);
    let (mut ours, mut rvo) = (Tally::default(), Tally::default());
    jobs::print(
        "| worlds | solved | RVO2 | all home | RVO2 | without deep contact | RVO2 | mean time, s | RVO2 |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    )?;
    let mut printed = 0;
    interrupts::heed();
    let ended = jobs::run_in_order(
        (0..count as u64).collect(),
        jobs,
        |_| "scenario space",
        |&number| {
            let world = draw(number);
            let our_score = run(&world, Body::PointMass).score;
            Ok((our_score, rvo_world::run(&world)))
        },
        |number, scores| {
            match scores {
                Ok((our_score, rvo_score)) => {
                    ours.add(&our_score);
                    rvo.add(&rvo_score);
                }
                Err(failure) => eprintln!("crowds: world {number} failed: {failure}"),
            }
            if ours.worlds >= printed + tenth {
                printed = ours.worlds;
                jobs::print(row(&ours, &rvo))?;
            }
            Ok::<(), String>(())
        },
    )?;
    if ours.worlds > printed {
        jobs::print(row(&ours, &rvo))?;
    }
    Ok(ended)
}

/// The shares of the worlds so far, of ours and of RVO2 in turns.
fn row(ours: &Tally, rvo: &Tally) -> String {
    let both = |figure: &dyn Fn(&Tally) -> String| format!("{} | {}", figure(ours), figure(rvo));
    let share = |part: fn(&Tally) -> usize| {
        both(&|tally| format!("{:.2} %", 100.0 * part(tally) as f64 / tally.worlds as f64))
    };
    format!(
        "| {} | {} | {} | {} | {} |\n",
        ours.worlds,
        share(|tally| tally.solved),
        share(|tally| tally.all_home),
        share(|tally| tally.apart),
        both(&|tally| match tally.all_home {
            0 => "–".into(),
            count => format!("{:.2}", tally.times / count as f64),
        }),
    )
}

#[derive(Default)]
struct Tally {
    worlds: usize,
    solved: usize,
    all_home: usize,
    apart: usize,
    /// Sum of the mean times of the worlds in which all got home, s.
    times: f64,
}

impl Tally {
    fn add(&mut self, score: &Score) {
        let all_home = score.home == score.agents;
        let apart = score.deep_contacts == 0;
        self.worlds += 1;
        self.solved += usize::from(all_home && apart);
        self.all_home += usize::from(all_home);
        self.apart += usize::from(apart);
        if all_home {
            self.times += f64::from(score.mean_time);
        }
    }
}

/// The world with this number. Every walker has a way to its goal, starts apart from the others, and has a
/// goal apart from theirs.
fn draw(number: u64) -> Case {
    let mut random = RandomStream::new(number, SteeringId(0), 0x0073_7061_6365);
    let square = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(HALF_SIDE));
    let between = |random: &mut RandomStream, [least, most]: [u32; 2]| {
        least + (random.unit() * (most + 1 - least) as f32) as u32
    };
    loop {
        let mut world = Case::named(number.to_string());
        for _ in 0..between(&mut random, [0, MOST_OBSTACLES]) {
            let [least, most] = SIDES;
            let mut side = || least + random.unit() * (most - least);
            let size = Vec2::new(side(), side());
            let (center, angle) = (random.point_in(square), random.angle());
            world = world.with_obstacle(Shape::turned_block(center, size, angle));
        }
        let walkers = between(&mut random, WALKERS);
        let (mut starts, mut goals) = (Vec::new(), Vec::new());
        for _ in 0..walkers {
            starts.extend(spot(&world.obstacles, &starts, square, &mut random));
            goals.extend(spot(&world.obstacles, &goals, square, &mut random));
        }
        let mut pathfinder = world.pathfinder();
        let is_way = |(&start, &goal)| shortest_path(&mut pathfinder, &way(start, goal)).is_some();
        let placed = starts.len() == walkers as usize && goals.len() == starts.len();
        if placed && starts.iter().zip(&goals).all(is_way) {
            let ways = starts.into_iter().zip(goals);
            return ways.fold(world, |world, (start, goal)| {
                world.with_walker(Walker::new(start).to(goal))
            });
        }
    }
}

/// A random place for a body clear of the obstacles and of bodies at other places.
fn spot(
    obstacles: &[Shape],
    others: &[Vec2],
    square: Rect,
    random: &mut RandomStream,
) -> Option<Vec2> {
    const DRAWS: usize = 64;
    let clear = |spot: &Vec2| {
        let apart = |other: &Vec2| spot.distance(*other) > 2.0 * Walker::RADIUS + CLEARANCE;
        let free = |shape: &Shape| shape.distance(*spot) > Walker::RADIUS + CLEARANCE;
        others.iter().all(apart) && obstacles.iter().all(free)
    };
    (0..DRAWS).map(|_| random.point_in(square)).find(clear)
}
