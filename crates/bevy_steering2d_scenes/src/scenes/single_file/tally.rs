//! What is measured: speeds, headways, and how fast jams travel.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::diagram::color_of;
use super::{Track, WARM_UP, Walker};
use crate::bodies::recolor;
use crate::lifecycle::{CurrentScene, agent_count};
use crate::look::Look;
use crate::report::{Line, Mean};

/// Ticks for which the person in the ring stands, and for which its jam is measured after that.
pub(super) const STAND: u32 = 64 * 6;
pub(super) const WATCH: u32 = 64 * 10;
/// People up to this far from the middle of a jam count for it, m.
const NEARBY: f32 = 4.0;
/// A person is held up below this share of its pace.
const HELD_UP: f32 = 0.9;

/// The jam behind the person in the ring.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct Jam {
    /// The tick in which that person stopped; `None` when its jam is measured.
    pub(super) begin: Option<u32>,
    /// The middle of the jam along the track, m.
    middle: f32,
    /// How far it has moved since that person walks on, m; against the people it is negative.
    moved: f32,
}

impl Jam {
    /// Whether the person in the ring stands.
    pub(super) fn is_held(&self, current: &CurrentScene) -> bool {
        self.begin.is_some_and(|tick| current.since(tick) < STAND)
    }
}

/// Measurements.
#[derive(Resource, Clone, Default)]
pub(super) struct Tally {
    /// Speed of all, m/s.
    pub(super) speed: Mean,
    /// Speed, m/s, and headway, m, of those that the person ahead holds up.
    held_up: (Mean, Mean),
    /// Speed of jams against the people, m/s.
    jams: Mean,
}

/// The headway that Seyfried, Steffen, Klingsch and Boltes (2005) measured at a speed, m/s, in single file, m.
pub(super) fn measured(speed: f32) -> f32 {
    0.36 + 1.06 * speed
}

/// Follows the middle of those who are slower than the mean, and measures how fast it moves.
pub(super) fn follow_jam(
    time: Res<Time>,
    current: Res<CurrentScene>,
    track: Res<Track>,
    mut jam: ResMut<Jam>,
    mut tally: ResMut<Tally>,
    walkers: Query<(&Walker, &PathFollowingMemory, &Velocity)>,
) {
    let Some(begin) = jam.begin else {
        return;
    };
    let mut speed = Mean::default();
    for (walker, memory, velocity) in &walkers {
        speed.add(velocity.linear.length());
        if walker.number == 0 && begin == current.tick() {
            jam.middle = memory.distance;
        }
    }
    let mean = speed.get().unwrap_or(0.0);
    let (mut offsets, mut weights) = (0.0, 0.0);
    for (_, memory, velocity) in &walkers {
        let offset = track.0.ahead(jam.middle, memory.distance);
        if offset.abs() < NEARBY {
            let slowness = (mean - velocity.linear.length()).max(0.0);
            offsets += slowness * offset;
            weights += slowness;
        }
    }
    let step = if weights > 0.0 {
        offsets / weights
    } else {
        0.0
    };
    jam.middle = track.0.wrap(jam.middle + step);
    jam.moved = if jam.is_held(&current) {
        0.0
    } else {
        jam.moved + step
    };
    if current.since(begin) >= STAND + WATCH {
        let seconds = WATCH as f32 * time.delta_secs();
        tally.jams.add(-jam.moved / seconds);
        jam.begin = None;
    }
}

/// The distance along the track to the next one ahead, m, among sorted arc lengths.
pub(super) fn headway(track: &SteeringPath, arcs: &[f32], arc: f32) -> f32 {
    let next = arcs.partition_point(|it| *it <= arc) % arcs.len();
    track.wrap(arcs[next] - arc)
}

/// These arc lengths in order, m.
pub(super) fn sorted(arcs: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut arcs: Vec<f32> = arcs.collect();
    arcs.sort_by(f32::total_cmp);
    arcs
}

/// Measures all people, and colors them by their speed.
pub(super) fn keep_tally(
    current: Res<CurrentScene>,
    track: Res<Track>,
    mut tally: ResMut<Tally>,
    mut walkers: Query<(&PathFollowing, &PathFollowingMemory, &Velocity, &mut Look)>,
) {
    let arcs = sorted(walkers.iter().map(|(_, memory, ..)| memory.distance));
    for (walk, memory, velocity, mut look) in &mut walkers {
        let speed = velocity.linear.length();
        recolor(&mut look, color_of(speed));
        if current.tick() < WARM_UP {
            continue;
        }
        tally.speed.add(speed);
        if speed < HELD_UP * walk.pace.unwrap_or(0.0) {
            tally.held_up.0.add(speed);
            tally
                .held_up
                .1
                .add(headway(&track.0, &arcs, memory.distance));
        }
    }
}

pub(super) fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let (speed, headway) = tally.held_up;
    vec![
        Line::new("people", agent_count(world) as u32, ""),
        Line::new("mean speed", tally.speed.get(), "m/s"),
        Line::new("speed of those held up", speed.get(), "m/s"),
        Line::new("their headway", headway.get(), "m"),
        Line::new(
            "headway measured at that speed",
            speed.get().map(measured),
            "m, 0.36 m + 1.06 s · v",
        ),
        Line::new("jams travel backward", tally.jams.get(), "m/s"),
    ]
}
