//! The command line, and what `--with` adds to the flock.

use std::num::NonZeroUsize;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::Body;
use lexopt::prelude::*;

use crate::shared::arguments::{Arguments, MOST_THREADS, Stop};

/// Perception radius of every boid, m.
pub const RADIUS: f32 = 3.0;
/// With `--record` as many ticks are recorded in turn as are not, so that both are of the same flock.
/// `--ticks` is rounded up to whole turns.
pub const TURN: u64 = 10;

pub const HELP: &str = "\
usage: thousands [options]

Measures a flock, and prints a line of JSON: nanoseconds per agent and tick.

  --headless      there is never a window; the option may be left out
  --agents N      number of agents, 1 to 10000000 (default 10000)
  --neighbors K   agents within 3 m of each at the start, 0.01 to 10000 (default 10)
  --one-point     all agents start on one point
  --ticks T       measure T ticks of 1/60 s, 1 to 1000000 (default 200); with --record, at
                  least as many are recorded and as many are not
  --threads P     threads of Bevy's compute pool and the caller, 1 to 1024 (default 1); at
                  most one per core shares the work
  --body BODY     point-mass or rapier (default point-mass)
  --seed S        seed of the random numbers, 0 or more (default 7)
  --record        record the ticks in turns, and measure what that costs
  --with NAME     give each agent one thing more: field-of-view, max-neighbors,
                  think-every-4, facing, seek, containment, leader-following, queuing or
                  collision-avoidance
  -h, --help      print this

Ctrl-C prints the figures of the ticks so far; the exit code is 130 then.
";

/// What the command line asks for.
pub struct Options {
    pub agents: NonZeroUsize,
    pub neighbors: f32,
    pub ticks: u32,
    pub threads: NonZeroUsize,
    pub body: Body,
    pub seed: u64,
    pub one_point: bool,
    /// Record the last ticks, as the inspector does.
    pub record: bool,
    pub addition: Option<Addition>,
}

impl Options {
    pub fn parse(mut arguments: Arguments) -> Result<Self, Stop> {
        let mut options = Self {
            agents: const { NonZeroUsize::new(10_000).unwrap() },
            neighbors: 10.0,
            ticks: 200,
            threads: NonZeroUsize::MIN,
            body: Body::PointMass,
            seed: 7,
            one_point: false,
            record: false,
            addition: None,
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("headless") => {}
                Long("one-point") => options.one_point = true,
                Long("record") => options.record = true,
                Long("with") => {
                    let name: String = arguments.value("a name")?;
                    options.addition = Some(addition(&name)?);
                }
                Long("agents") => options.agents = arguments.count(10_000_000)?,
                Long("neighbors") => {
                    options.neighbors = arguments.number(0.01..=10_000.0)?;
                }
                Long("ticks") => options.ticks = arguments.whole(1..=1_000_000)?,
                Long("threads") => options.threads = arguments.count(MOST_THREADS)?,
                Long("seed") => options.seed = arguments.whole(0..=u64::MAX)?,
                Long("body") => options.body = arguments.value(Body::NAMES)?,
                _ => return Err(argument.unexpected().into()),
            }
        }
        arguments.excludes("--one-point", &["--neighbors"])?;
        Ok(options)
    }

    /// The ticks to measure: recorded ones and others, or all in the same way.
    pub fn measured_ticks(&self) -> u64 {
        let ticks = u64::from(self.ticks);
        if self.record {
            2 * ticks.next_multiple_of(TURN)
        } else {
            ticks
        }
    }
}

/// What `--with` gives every boid, by name.
pub type Addition = fn(&mut EntityWorldMut);

const ADDITIONS: [(&str, Addition); 9] = [
    ("field-of-view", |boid| {
        see(boid, |view, _| *view = 270_f32.to_radians());
    }),
    ("max-neighbors", |boid| see(boid, |_, most| *most = 7)),
    ("think-every-4", |boid| {
        boid.insert(ThinkEvery(4));
    }),
    ("facing", |boid| {
        boid.insert(FaceVelocity::default());
    }),
    ("seek", |boid| {
        boid.insert(Seek::new(Vec2::ZERO));
    }),
    ("containment", |boid| {
        boid.insert(Containment::new(Rect::new(-1e4, -1e4, 1e4, 1e4)));
    }),
    ("leader-following", |boid| {
        boid.insert(LeaderFollowing::default());
    }),
    ("queuing", |boid| {
        boid.insert(Queuing::default());
    }),
    ("collision-avoidance", |boid| {
        boid.insert(CollisionAvoidance {
            perception_radius: RADIUS,
            ..default()
        });
    }),
];

/// Changes the field of view, rad, and the greatest number of neighbors of the three rules of a flock.
fn see(boid: &mut EntityWorldMut, change: fn(&mut f32, &mut u32)) {
    boid.modify_component(|it: &mut Separation| {
        change(&mut it.field_of_view, &mut it.max_neighbors);
    });
    boid.modify_component(|it: &mut Alignment| {
        change(&mut it.field_of_view, &mut it.max_neighbors);
    });
    boid.modify_component(|it: &mut Cohesion| change(&mut it.field_of_view, &mut it.max_neighbors));
}

fn addition(name: &str) -> Result<Addition, String> {
    let known = ADDITIONS.iter().find(|(known, _)| *known == name);
    known.map(|(_, addition)| *addition).ok_or_else(|| {
        let names = ADDITIONS.map(|(name, _)| name);
        format!("--with needs one of {}", names.join(", "))
    })
}
