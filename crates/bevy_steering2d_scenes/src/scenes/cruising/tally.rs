//! What is measured: how fast fish are, and how many of them cruise.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;

use super::pond::Pond;
use super::{CRUISE, Fright};
use crate::lifecycle::CurrentScene;
use crate::report::{Line, Mean};

/// Ticks after which a fright should be over.
const CALM: u32 = 64 * 4;

/// Measurements by pond.
#[derive(Resource, Clone, Default)]
pub(super) struct Tally(pub(super) [Score; Pond::ALL.len()]);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    /// Mean speed in this tick, m/s.
    pub(super) now: f32,
    /// Speed of all fish when a fright should be over, m/s.
    pub(super) calm: Mean,
    /// Share of them within a tenth of the target speed, `0..=1`.
    cruise: Mean,
}

pub(super) fn keep_tally(
    current: Res<CurrentScene>,
    fright: Res<Fright>,
    mut tally: ResMut<Tally>,
    fish: Query<(&Pond, &Velocity)>,
) {
    let is_calm = fright.age(&current) >= CALM;
    for pond in Pond::ALL {
        let score = &mut tally.0[pond as usize];
        let mut mean = Mean::default();
        for (_, velocity) in fish.iter().filter(|(its, _)| **its == pond) {
            let speed = velocity.linear.length();
            mean.add(speed);
            if is_calm {
                score.calm.add(speed);
                score.cruise.note((speed - CRUISE).abs() < 0.1 * CRUISE);
            }
        }
        score.now = mean.get().unwrap_or(0.0);
    }
}

pub(super) fn report(world: &World) -> Vec<Line> {
    let scores = Pond::ALL.into_iter().zip(&world.resource::<Tally>().0);
    let lines = scores.flat_map(|(pond, score)| {
        let of = format!("m/s of {CRUISE:.1}");
        [
            Line::new("mean speed now", score.now, of.clone()),
            Line::new("mean speed after frights", score.calm.get(), of),
            Line::new("at the target speed", score.cruise.percent(), "% of them"),
        ]
        .map(|line| line.of(pond.name()))
    });
    lines.collect()
}
