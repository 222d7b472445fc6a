//! Plays a replay, and compares every tick with the recorded one.

use std::fmt;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{Replay, ReplayError, Start, What, agents, checksums};
use crate::headless;
use crate::input::{Destination, Held, Pointer, Presses};
use crate::lifecycle::{CurrentScene, Scripted, count_tick, restart_with};
use crate::scenes::{scene, start};

/// The first tick in which a run differs from the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The tick, from 1 on.
    pub tick: u32,
    /// The first agent that differs; `None` if there are more or fewer agents.
    pub agent: Option<SteeringId>,
    /// What was different from the start: names of components whose values differ, or "physics".
    pub changed: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tick = self.tick;
        match self.agent {
            Some(agent) => write!(f, "tick {tick}: agent {} is not where it was", agent.0)?,
            None => write!(
                f,
                "tick {tick}: there are more or fewer agents than there were"
            )?,
        }
        if self.changed.is_empty() {
            return Ok(());
        }
        write!(
            f,
            "; the run starts with another {}",
            self.changed.join(", ")
        )
    }
}

/// The replay that is played.
#[derive(Resource)]
pub struct Playback {
    replay: Replay,
    /// The last tick that was played.
    tick: u32,
    /// The number of inputs done.
    done: usize,
    pointer: Pointer,
    held: Held,
    /// What differs from the start.
    changed: Vec<String>,
    /// The first difference, or why an edit could not be made.
    fault: Option<Result<Difference, ReplayError>>,
}

impl Playback {
    /// The first difference so far, in words, or why an edit could not be made.
    pub fn fault(&self) -> Option<String> {
        self.fault.as_ref().map(|fault| match fault {
            Ok(difference) => difference.to_string(),
            Err(error) => error.to_string(),
        })
    }

    /// Whether it puts in the input of the next tick: its scene runs, and has not come to the last recorded
    /// tick. Otherwise the user plays.
    pub fn feeds(&self, current: &CurrentScene) -> bool {
        self.is_of(current) && (current.tick() as usize) < self.replay.ticks.len()
    }

    /// Whether the scene that runs is that of the replay.
    fn is_of(&self, current: &CurrentScene) -> bool {
        let replay = &self.replay;
        let scene = current.scene().map(|scene| scene.name);
        scene == Some(replay.scene.as_str())
            && (current.seed(), current.agents()) == (replay.seed, replay.agents)
    }

    /// Goes back to before a tick that has been played: the scene was restarted, or time was set back. An
    /// earlier fault stays.
    fn go_back_to(&mut self, tick: u32) {
        self.fault = self.fault.take().filter(|it| is_before(it, tick));
        (self.done, self.pointer, self.held) = (0, Pointer(None), Held(None));
        for input in self.replay.inputs.iter().take_while(|it| it.tick < tick) {
            self.done += 1;
            match &input.what {
                What::Pointer(at) => self.pointer.0 = at.map(Vec2::from),
                What::Held(at) => self.held.0 = at.map(Vec2::from),
                _ => {}
            }
        }
    }
}

/// Whether a fault happened before a tick.
fn is_before(fault: &Result<Difference, ReplayError>, tick: u32) -> bool {
    match fault {
        Ok(difference) => difference.tick < tick,
        Err(ReplayError::Edit { tick: at, .. }) => *at < tick,
        Err(_) => true,
    }
}

/// Whether the scene that runs is that of the replay, in one of its ticks. Otherwise the user plays.
fn is_played(current: Res<CurrentScene>, playback: Res<Playback>) -> bool {
    playback.is_of(&current) && current.tick() as usize <= playback.replay.ticks.len()
}

/// Plays a replay in an app with scenes: starts its scene, and puts in its input tick by tick. After its last
/// tick, and in other scenes, the input is the user's. When its scene is restarted, it is played again.
///
/// # Errors
/// If there is no such scene, or it cannot have so many agents.
pub fn feed(app: &mut App, replay: Replay) -> Result<(), ReplayError> {
    let wrong = ReplayError::Scene;
    let world = app.world_mut();
    world.remove_resource::<Scripted>();
    start(world, &replay.scene, replay.seed).map_err(|error| wrong(error.to_string()))?;
    restart_with(world, replay.seed, replay.agents);
    if world.resource::<CurrentScene>().agents() != replay.agents {
        let (scene, agents) = (&replay.scene, replay.agents);
        return Err(wrong(format!("{scene} cannot have {agents} agents")));
    }
    app.insert_resource(Playback {
        replay,
        tick: 0,
        done: 0,
        pointer: Pointer(None),
        held: Held(None),
        changed: Vec::new(),
        fault: None,
    })
    .add_systems(FixedPreUpdate, put_in.after(count_tick).run_if(is_played))
    .add_systems(FixedPostUpdate, compare.run_if(is_played));
    Ok(())
}

/// Plays a replay without a window, to its end or to the first difference.
///
/// # Errors
/// If the scene does not exist, or an edit does not fit.
pub fn play(replay: &Replay) -> Result<Option<Difference>, ReplayError> {
    play_while(replay, |_| true)
}

/// Plays a replay without a window, to its end or to the first difference, or as long as `goes_on`, which gets
/// the number of ticks so far before each.
///
/// # Errors
/// As [`play`].
pub fn play_while(
    replay: &Replay,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<Option<Difference>, ReplayError> {
    let found = scene(&replay.scene).map_err(|error| ReplayError::Scene(error.to_string()))?;
    let mut app = headless::app(found, replay.seed);
    feed(&mut app, replay.clone())?;
    for done in 0..replay.ticks.len() {
        if !goes_on(done) {
            break;
        }
        app.update();
        let mut playback = app.world_mut().resource_mut::<Playback>();
        if let Some(fault) = playback.fault.take() {
            return fault.map(Some);
        }
    }
    Ok(None)
}

/// Puts in what the user did before this tick.
pub(super) fn put_in(world: &mut World) {
    let tick = world.resource::<CurrentScene>().tick();
    world.insert_resource(Presses::default());
    world.resource_scope(|world, mut playback: Mut<Playback>| {
        if tick <= playback.tick {
            playback.go_back_to(tick);
        }
        playback.tick = tick;
        let Playback {
            replay,
            done,
            pointer,
            held,
            changed,
            fault,
            ..
        } = &mut *playback;
        if tick == 1 {
            *changed = Start::now(world).differences(&replay.start);
        }
        while let Some(input) = replay.inputs.get(*done).filter(|it| it.tick <= tick) {
            *done += 1;
            match &input.what {
                What::Key(key) => world.resource_mut::<Presses>().press(*key),
                What::Click(at) => world.resource_mut::<Presses>().click_at(Vec2::from(*at)),
                What::Drag { from, to } => world
                    .resource_mut::<Presses>()
                    .drag(Vec2::from(*from), Vec2::from(*to)),
                What::Send { to, after_others } => {
                    world.resource_mut::<Presses>().send(Destination {
                        to: Vec2::from(*to),
                        after_others: *after_others,
                    });
                }
                What::Pointer(at) => pointer.0 = at.map(Vec2::from),
                What::Held(at) => held.0 = at.map(Vec2::from),
                What::Edit(edit) => {
                    if let Err(reason) = edit.apply(world) {
                        fault.get_or_insert(Err(ReplayError::Edit { tick, reason }));
                    }
                }
            }
        }
        world.insert_resource(*pointer);
        world.insert_resource(*held);
    });
}

/// Compares the bodies after this tick with the recorded ones.
fn compare(world: &mut World) {
    let found = checksums(world);
    let tick = world.resource::<CurrentScene>().tick();
    let playback = world.resource::<Playback>();
    let Some(expected) = playback.replay.ticks.get(tick as usize - 1) else {
        return;
    };
    if playback.fault.is_some() || found == *expected {
        return;
    }
    let same_number = found.len() == expected.len();
    let at = found.bytes().zip(expected.bytes());
    let at = { at }.position(|(one, other)| one != other);
    let agents = agents(world);
    let agent = at.filter(|_| same_number).map(|at| agents[at].0);
    let mut playback = world.resource_mut::<Playback>();
    let changed = playback.changed.clone();
    playback.fault = Some(Ok(Difference {
        tick,
        agent,
        changed,
    }));
}
