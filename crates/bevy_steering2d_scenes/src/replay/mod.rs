//! Replays: the input of a run in a small file, from which the same run can be played again.

mod edits;
mod playing;
mod recording;
mod start;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::Path;

use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;
use bevy_steering2d::digest;
use bevy_steering2d::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use edits::Edit;
pub use playing::{Difference, Playback, feed, play, play_while};
pub(crate) use recording::begin;
pub use recording::{record, recorded};
pub use start::Start;

/// The version of this library.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The input of a run of a scene, and a checksum of each of its ticks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The version of this library that recorded it.
    pub version: String,
    /// The name of the scene.
    pub scene: String,
    /// The seed of the scene.
    pub seed: u64,
    /// The number of agents, zero if the scene has a fixed number.
    pub agents: usize,
    /// What the run starts with. If that has changed, so may every tick.
    pub start: Start,
    /// The input, in order of ticks.
    pub inputs: Vec<Input>,
    /// A character for each agent and tick, in order of `SteeringId`: the checksum of its body.
    pub ticks: Vec<String>,
}

/// What every version writes.
#[derive(Deserialize)]
struct Head {
    version: String,
}

/// What a user did before a tick ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The tick, from 1 on.
    pub tick: u32,
    /// What was done.
    pub what: What,
}

/// A kind of input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A key of the scene.
    Key(char),
    /// A click, m.
    Click([f32; 2]),
    /// The left button was released, m.
    Drag {
        /// Where it had gone down.
        from: [f32; 2],
        /// Where it went up.
        to: [f32; 2],
    },
    /// A right click, m.
    Send {
        /// Where to.
        to: [f32; 2],
        /// Whether it comes after the previous ones.
        after_others: bool,
    },
    /// The mouse has moved there, m; `None`: out of the scene.
    Pointer(Option<[f32; 2]>),
    /// The left button went down there, m; `None`: it went up.
    Held(Option<[f32; 2]>),
    /// A parameter of an agent or of a behavior entity was edited.
    Edit(Edit),
}

/// Why a replay cannot be read, written or played.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// The file is not what [`Replay::write`] writes.
    #[error("the file is not a replay: {0}")]
    Format(#[from] serde_json::Error),
    /// The file is longer than [`Replay::MAX_BYTES`].
    #[error("the file is longer than {} bytes", Replay::MAX_BYTES)]
    TooLarge,
    /// Another version recorded it, which may steer in another way.
    #[error("version {0} recorded it, this is version {VERSION}")]
    Version(String),
    /// There is no scene of that name, or it cannot have so many agents.
    #[error("{0}")]
    Scene(String),
    /// An edit names a type or a field that does not exist.
    #[error("tick {tick}: {reason}")]
    Edit {
        /// The tick of the edit.
        tick: u32,
        /// What is wrong.
        reason: String,
    },
}

impl Replay {
    /// The maximum length of a file, bytes.
    pub const MAX_BYTES: u64 = 64 << 20;

    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, is no replay, or was recorded by another version.
    pub fn read(path: &Path) -> Result<Self, ReplayError> {
        if std::fs::metadata(path)?.len() > Self::MAX_BYTES {
            return Err(ReplayError::TooLarge);
        }
        let text = std::fs::read_to_string(path)?;
        // Another version may write other fields.
        let Head { version } = serde_json::from_str(&text)?;
        if version != VERSION {
            return Err(ReplayError::Version(version));
        }
        Ok(serde_json::from_str(&text)?)
    }

    /// Writes a file: JSON, one line for each tick.
    ///
    /// # Errors
    /// If the file cannot be written, or would be too long to be read again.
    pub fn write(&self, path: &Path) -> Result<(), ReplayError> {
        let text = serde_json::to_string_pretty(self)?;
        if text.len() as u64 > Self::MAX_BYTES {
            return Err(ReplayError::TooLarge);
        }
        Ok(std::fs::write(path, text)?)
    }

    /// The length of its file, bytes.
    fn bytes(&self) -> u64 {
        serde_json::to_string_pretty(self).map_or(0, |text| text.len() as u64)
    }
}

impl Input {
    /// The length of its part of a file, bytes.
    fn bytes(&self) -> u64 {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        // Each line is indented by four spaces; a comma and a line break follow.
        (text.len() + 4 * text.lines().count() + 2) as u64
    }
}

/// The checksums of all bodies, a character for each, in order of `SteeringId`.
fn checksums(world: &mut World) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut line = String::new();
    for (_, agent) in agents(world) {
        let place = world.get::<Transform>(agent).copied().unwrap_or_default();
        let place = place
            .translation
            .to_array()
            .into_iter()
            .chain(place.rotation.to_array());
        let digit = DIGITS[six_bits(digest(place.map(f32::to_bits)))];
        let _ = line.write_char(char::from(digit));
    }
    line
}

/// Six bits that depend on all of a digest: the last numbers in it have little effect on its own upper bits.
fn six_bits(digest: u64) -> usize {
    // The end of MurmurHash3.
    let mixed = (digest ^ (digest >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (mixed >> 58) as usize
}

/// The agents of the scene in order of `SteeringId`.
fn agents(world: &mut World) -> Vec<(SteeringId, Entity)> {
    by_id::<With<Kinematics>>(world)
}

/// Agents and behavior entities in order of `SteeringId`.
fn by_id<F: QueryFilter>(world: &mut World) -> Vec<(SteeringId, Entity)> {
    let mut query = world.query_filtered::<(&SteeringId, Entity), F>();
    let all = query.iter(world).map(|(id, entity)| (*id, entity));
    let mut all: Vec<_> = all.collect();
    all.sort_unstable();
    all
}
