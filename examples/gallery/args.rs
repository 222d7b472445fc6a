//! The command line of the gallery.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use bevy_steering2d_scenes::replay::Replay;
use bevy_steering2d_scenes::{SCENES, Scene, scene};
use lexopt::prelude::*;
use lexopt::{Error, Parser};

use crate::arguments::{typed, value};
use crate::film::FilmOptions;
use crate::screenshot;

pub const USAGE: &str = "\
usage: gallery [options]

  --scene NAME       start with this scene (default: the first of --list)
  --seed N           seed of the random numbers (default 7)
  --agents N         start with N agents, in scenes with a variable number
  --list             print the names of the scenes
  --headless         no window: run the scene, print its report
  --ticks N          with --headless: length of the run (default 600; 64 ticks a second)
                     in a window: close after N ticks
  --screenshot FILE  show the scene for --ticks (default 300), save a .png, close
  --look-back N      with --screenshot and --inspector: show N ticks before, in the timeline;
                     fewer than --ticks
  --film FILE        film the scene from tick --ticks (default 0) on, save a .gif, close
  --frames N         with --film: 1 to 300 frames, 16 a second (default 96)
  --width N          with --film: 100 to 640 pixels (default 480)
  --inspector        start with the inspector open (F2 opens and closes it)
  --record FILE      write a replay to FILE when the window closes: the scene, its seed and
                     all input since the scene started
  --replay FILE      play a replay; with --headless: exit with an error at the first tick that
                     differs from the recorded one
  --probe FILE       keep writing what the window shows to FILE, for tests
  --steerbench FILE  show a case of the SteerBench suite
  --help             print this
";

/// What follows an error: the whole list of options would hide it.
pub const HINT: &str = "--help lists the options";

/// What the command line asks for.
#[derive(Debug)]
pub enum Command {
    Help,
    List,
    Headless {
        scene: &'static Scene,
        seed: u64,
        ticks: u32,
    },
    /// Play a replay without a window.
    Replay(Box<Replay>),
    Window(WindowOptions),
}

/// What the window shows.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    pub scene: &'static Scene,
    pub seed: u64,
    /// The number of agents, if not the scene's default.
    pub agents: Option<usize>,
    /// Start with the inspector open.
    pub inspector: bool,
    /// Show this SteerBench case instead of the scene.
    pub case: Option<PathBuf>,
    /// Keep writing what the window shows to this file.
    pub probe: Option<PathBuf>,
    /// Close after this many ticks; with a film, begin it.
    pub ticks: Option<u32>,
    /// Save a picture just before closing.
    pub screenshot: Option<PathBuf>,
    /// Show this many ticks before in the picture.
    pub look_back: u32,
    /// Write a replay to this file when the window closes.
    pub record: Option<PathBuf>,
    /// Play this replay instead of the scene.
    pub replay: Option<Box<Replay>>,
    /// Film the scene.
    pub film: Option<FilmOptions>,
}

/// Parses the arguments after the program's name.
pub fn parse(mut parser: Parser) -> Result<Command, Error> {
    const COUNT: &str = "a whole number, zero or more";
    let mut window = WindowOptions {
        scene: &SCENES[0],
        seed: 7,
        agents: None,
        inspector: false,
        case: None,
        probe: None,
        ticks: None,
        screenshot: None,
        look_back: 0,
        record: None,
        replay: None,
        film: None,
    };
    let (mut film, mut frames, mut width) = (None, None, None);
    let (mut scene_name, mut seed) = (None, None);
    let (mut headless, mut list) = (false, false);
    while let Some(argument) = parser.next()? {
        let option = typed(&argument);
        match argument {
            Long("scene") => {
                let name: String = value(&mut parser, &option, "a name")?;
                scene_name = Some(name);
            }
            Long("seed") => seed = Some(value(&mut parser, &option, COUNT)?),
            Long("agents") => window.agents = Some(value(&mut parser, &option, COUNT)?),
            Long("ticks") => window.ticks = Some(value(&mut parser, &option, COUNT)?),
            Long("screenshot") => {
                let file = value(&mut parser, &option, "a .png file")?;
                window.screenshot = Some(picture_file(&option, file, "png")?);
            }
            Long("look-back") => window.look_back = value(&mut parser, &option, COUNT)?,
            Long("record") => {
                let file = value(&mut parser, &option, "a file")?;
                window.record = Some(in_a_folder(file, &option)?);
            }
            Long("replay") => {
                let file: PathBuf = value(&mut parser, &option, "a file")?;
                let replay = Replay::read(&file)
                    .map_err(|error| format!("--replay {}: {error}", file.display()))?;
                window.replay = Some(Box::new(replay));
            }
            Long("film") => {
                let file = value(&mut parser, &option, "a .gif file")?;
                film = Some(picture_file(&option, file, "gif")?);
            }
            Long("frames") => frames = Some(within(&mut parser, &option, FilmOptions::FRAMES)?),
            Long("width") => width = Some(within(&mut parser, &option, FilmOptions::WIDTHS)?),
            Long("headless") => headless = true,
            Long("steerbench") => window.case = Some(value(&mut parser, &option, "a file")?),
            Long("probe") => window.probe = Some(value(&mut parser, &option, "a file")?),
            Long("inspector") => window.inspector = true,
            Long("list") => list = true,
            Long("help") | Short('h') => return Ok(Command::Help),
            _ => return Err(argument.unexpected()),
        }
    }
    if film.is_none() && (frames.is_some() || width.is_some()) {
        return Err("--frames and --width need --film".into());
    }
    if window.replay.is_some() && (scene_name.is_some() || seed.is_some()) {
        return Err("--replay excludes --scene and --seed: the replay has them".into());
    }
    if let Some(name) = scene_name {
        window.scene = scene(&name).map_err(|error| error.to_string())?;
    }
    window.seed = seed.unwrap_or(window.seed);
    check_combination(&window)?;
    window.film = film.map(|file| FilmOptions {
        file,
        frames: frames.unwrap_or(96),
        width: width.unwrap_or(480),
    });
    if list {
        Ok(Command::List)
    } else if headless {
        without_window(window)
    } else {
        if window.film.is_some() && window.screenshot.is_some() {
            return Err("--film and --screenshot exclude each other".into());
        }
        check_agents(&window)?;
        Ok(Command::Window(window))
    }
}

/// Refuses options that contradict each other, with or without a window.
fn check_combination(options: &WindowOptions) -> Result<(), Error> {
    if options.look_back > 0 {
        if options.screenshot.is_none() {
            return Err("--look-back needs --screenshot".into());
        }
        // The first tick that is recorded is 1.
        if options.look_back >= options.ticks.unwrap_or(screenshot::TICKS) {
            return Err("--look-back needs fewer ticks than --ticks".into());
        }
    }
    if options.replay.is_some() && (options.agents.is_some() || options.case.is_some()) {
        return Err("--replay excludes --agents and --steerbench".into());
    }
    if options.record.is_some() && options.case.is_some() {
        return Err("--record cannot record a --steerbench case".into());
    }
    Ok(())
}

/// The headless run of the scene, unless an option needs the window.
fn without_window(options: WindowOptions) -> Result<Command, Error> {
    if options.case.is_some() {
        return Err(
            "--steerbench needs a window; to run cases without one, use the example \
                    steerbench"
                .into(),
        );
    }
    if options.screenshot.is_some() {
        return Err("--screenshot needs a window, --headless has none".into());
    }
    if options.film.is_some() {
        return Err("--film needs a window, --headless has none".into());
    }
    if options.agents.is_some() {
        return Err("--agents needs a window; --headless runs the default number".into());
    }
    if options.record.is_some() {
        return Err("--record needs a window, --headless has no input".into());
    }
    if options.inspector || options.probe.is_some() {
        return Err("--inspector and --probe need a window, --headless has none".into());
    }
    if let Some(replay) = options.replay {
        if options.ticks.is_some() {
            return Err("--ticks: without a window, a replay plays to its end".into());
        }
        return Ok(Command::Replay(replay));
    }
    Ok(Command::Headless {
        scene: options.scene,
        seed: options.seed,
        ticks: options.ticks.unwrap_or(600),
    })
}

/// Whether the scene can have the requested number of agents.
fn check_agents(options: &WindowOptions) -> Result<(), Error> {
    let Some(agents) = options.agents else {
        return Ok(());
    };
    let Some(crowd) = options.scene.crowd.filter(|_| options.case.is_none()) else {
        return Err("--agents: the number of agents is fixed here".into());
    };
    if (crowd.fewest..=crowd.most).contains(&agents) {
        return Ok(());
    }
    let (name, fewest, most) = (options.scene.name, crowd.fewest, crowd.most);
    Err(format!("--agents: {name} may have {fewest} to {most} agents, not {agents}").into())
}

/// A whole number in a range.
fn within(parser: &mut Parser, option: &str, range: RangeInclusive<u32>) -> Result<u32, Error> {
    let expected = format!("a whole number from {} to {}", range.start(), range.end());
    let number: u32 = value(parser, option, &expected)?;
    if range.contains(&number) {
        return Ok(number);
    }
    Err(format!("{option} needs {expected}, not {number}").into())
}

/// A file of this format in an existing folder.
fn picture_file(option: &str, file: PathBuf, format: &str) -> Result<PathBuf, Error> {
    if file.extension().is_none_or(|extension| extension != format) {
        let name = file.display();
        return Err(format!("{option} writes .{format} files, not \"{name}\"").into());
    }
    in_a_folder(file, option)
}

/// A file in an existing folder.
fn in_a_folder(file: PathBuf, option: &str) -> Result<PathBuf, Error> {
    match file.parent().filter(|folder| *folder != Path::new("")) {
        Some(folder) if !folder.is_dir() => {
            let folder = folder.display();
            Err(format!("{option}: there is no folder \"{folder}\"").into())
        }
        _ => Ok(file),
    }
}
