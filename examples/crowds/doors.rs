//! Doors: a crowd that leaves a room by one door.

use std::num::NonZeroUsize;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::{
    Body, Case, Goal, Run, Score, Shape, TICK, Walker, run as run_ours,
};

use crate::rvo_world;
use crate::shared::interrupts;
use crate::shared::jobs::{self, Tally};
use crate::shared::mean::mean;

const WALKERS: usize = 200;
/// Widths of the doors, m; bodies are 1 m wide.
const WIDTHS: [f32; 3] = [1.2, 1.5, 2.4];
/// Where the goals behind the door are along the wall, m; the walkers take them in turns.
const GOALS: [&[f32]; 2] = [&[0.0], &[-30.0, -15.0, 0.0, 15.0, 30.0]];
/// The wall that the door is in.
const WALL: Rect = Rect {
    min: Vec2::new(-25.0, 0.0),
    max: Vec2::new(25.0, 0.5),
};
/// Length of the walls at its sides, m.
const SIDE: f32 = 30.0;
/// Where the walkers start.
const STARTS: Rect = Rect {
    min: Vec2::new(-20.0, -24.0),
    max: Vec2::new(20.0, -3.0),
};
/// Between the centers of two walkers at the start, at least, m.
const APART: f32 = 1.05;

/// A door, the goals behind it, and one of the starts.
struct Door {
    width: f32,
    goals: &'static [f32],
    start: u64,
}

/// Prints a row for each door and set of goals: how many get home with ours and with RVO2, how many contacts there are, and how
/// many pass per second.
pub fn compare(starts: usize, jobs: NonZeroUsize) -> Result<Tally, String> {
    let mut doors = Vec::new();
    for width in WIDTHS {
        for goals in GOALS {
            doors.extend((0..starts as u64).map(|start| Door {
                width,
                goals,
                start,
            }));
        }
    }
    jobs::print(
        "| door | goals | home | RVO2 | contacts per run | RVO2 | deep | RVO2 | per second |\n\
         |---|---:|---|---|---:|---:|---:|---:|---:|\n",
    )?;
    // Of an interrupted run, a door may lack starts at its end and in between.
    let mut rows: Vec<Row> = Vec::new();
    interrupts::heed();
    let tally = jobs::run_in_order(
        doors,
        jobs,
        |_| "doors",
        |door| {
            let world = door.world();
            let ours = run_ours(&world, Body::PointMass);
            Ok((ours, rvo_world::run(&world)))
        },
        |door, passed| {
            if rows.last().is_none_or(|row| !row.is_of(door)) {
                rows.push(Row::of(door));
            }
            if let Some(row) = rows.last_mut() {
                row.add(door, passed);
            }
            match rows.pop_if(|row| row.ended == starts) {
                Some(row) => row.print(starts),
                None => Ok(()),
            }
        },
    )?;
    for row in rows {
        row.print(starts)?;
    }
    Ok(tally)
}

/// The runs of a door so far.
struct Row {
    width: f32,
    goals: &'static [f32],
    /// How many ended, also by failing.
    ended: usize,
    runs: Vec<(Run, Score)>,
}

impl Row {
    fn of(door: &Door) -> Self {
        Self {
            width: door.width,
            goals: door.goals,
            ended: 0,
            runs: Vec::new(),
        }
    }

    fn is_of(&self, door: &Door) -> bool {
        (self.width, self.goals) == (door.width, door.goals)
    }

    fn add(&mut self, door: &Door, passed: Result<(Run, Score), String>) {
        self.ended += 1;
        match passed {
            Ok(passed) => self.runs.push(passed),
            Err(failure) => {
                let Door { width, start, .. } = door;
                eprintln!("crowds: the door of {width} m failed from start {start}: {failure}");
            }
        }
    }

    fn print(&self, starts: usize) -> Result<(), String> {
        jobs::print(format_args!("{}\n", self.text(starts)))
    }

    fn text(&self, starts: usize) -> String {
        let goals = match self.runs.len() {
            count if count == starts => self.goals.len().to_string(),
            count => format!("{} ({count} of {starts} starts)", self.goals.len()),
        };
        let ours = || self.runs.iter().map(|(ours, _)| &ours.score);
        let rvo = || self.runs.iter().map(|(_, rvo)| rvo);
        let flow = mean(self.runs.iter().map(|(ours, _)| flow(ours)));
        format!(
            "| {:.1} m | {} | {} | {} | {:.1} | {:.1} | {} | {} | {:.2} |",
            self.width,
            goals,
            home(ours()),
            home(rvo()),
            mean(ours().map(|it| it.contacts as f32)),
            mean(rvo().map(|it| it.contacts as f32)),
            ours().map(|it| it.deep_contacts).sum::<usize>(),
            rvo().map(|it| it.deep_contacts).sum::<usize>(),
            flow,
        )
    }
}

impl Door {
    fn world(&self) -> Case {
        let mut random = RandomStream::new(100 + self.start, SteeringId(0), 9);
        let (Rect { min, max }, half) = (WALL, 0.5 * self.width);
        let walls = [
            Rect::new(min.x, min.y, -half, max.y),
            Rect::new(half, min.y, max.x, max.y),
            Rect::new(min.x, min.y - SIDE, min.x + 0.5, min.y),
            Rect::new(max.x - 0.5, min.y - SIDE, max.x, min.y),
        ];
        let walls = walls.into_iter().map(Shape::block);
        let world = walls.fold(Case::named("door"), Case::with_obstacle);
        let mut starts: Vec<Vec2> = Vec::new();
        while starts.len() < WALKERS {
            let start = random.point_in(STARTS);
            if starts.iter().all(|other| other.distance(start) > APART) {
                starts.push(start);
            }
        }
        let goals = self.goals.iter().cycle().map(|&x| Goal {
            target: Vec2::new(x, 20.0),
            area: Some(Rect::new(x - 4.0, 17.0, x + 4.0, 29.0)),
            pace: Walker::PACE,
        });
        let ways = starts.into_iter().zip(goals);
        ways.fold(world, |world, (start, goal)| {
            world.with_walker(Walker {
                goals: vec![goal],
                ..Walker::new(start)
            })
        })
    }
}

/// How many get home: at worst, in the mean and at best.
fn home<'a>(scores: impl Iterator<Item = &'a Score> + Clone) -> String {
    let all = scores.map(|it| it.home);
    let (least, most) = (all.clone().min(), all.clone().max());
    format!(
        "{} – {:.1} – {}",
        least.unwrap_or_default(),
        mean(all.map(|home| home as f32)),
        most.unwrap_or_default()
    )
}

/// Walkers per second through the door, without the first tenth and the last three twentieths of all.
fn flow(run: &Run) -> f32 {
    let pass = |trail: &Vec<Vec2>| trail.iter().position(|at| at.y > WALL.center().y);
    let mut passes: Vec<usize> = run.trails.iter().filter_map(pass).collect();
    passes.sort_unstable();
    let count = passes.len();
    let steady = &passes[count.min(WALKERS / 10)..count.min(WALKERS * 17 / 20)];
    let [first, .., last] = steady else {
        return 0.0;
    };
    let seconds = (last - first) as f32 * Run::EVERY as f32 * TICK;
    (steady.len() - 1) as f32 / seconds
}
