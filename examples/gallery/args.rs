//! The command line of the gallery.

use std::path::{Path, PathBuf};

use bevy_steering2d_scenes::replay::Replay;
use bevy_steering2d_scenes::{SCENES, Scene, scene};
use lexopt::Error;
use lexopt::prelude::*;

use crate::film::FilmOptions;
use crate::screenshot;
use crate::shared::arguments::{Arguments, Stop};

/// The largest seed: up to it, the field of the panel shows and edits every one exactly.
pub const MOST_SEED: u64 = 1 << 53;

pub const HELP: &str = "\
usage: gallery [options]

Shows every scene in a window, or runs one without and prints its report.

  --scene NAME       start with this scene (default: the first of --list)
  --seed N           seed of the random numbers, 0 to 9007199254740992 (default 7)
  --agents N         start with N agents, in scenes with a variable number; an N out of range
                     is refused with the range of the scene
  --list             print the names of the scenes
  --headless         no window: run the scene, print its report; after Ctrl-C that of the
                     ticks so far
  --ticks N          with --headless: length of the run (default 600; 64 ticks a second)
                     in a window: close after N ticks; 0 to 100000000
  --screenshot FILE  show the scene for --ticks (default 300), save a .png, close
  --look-back N      with --screenshot and --inspector: show N ticks before, in the timeline;
                     from 1 on, fewer than --ticks
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
  -h, --help         print this
";

/// What the command line asks for.
#[derive(Debug)]
pub enum Command {
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

impl Default for WindowOptions {
    fn default() -> Self {
        Self {
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
        }
    }
}

/// Parses the arguments after the program's name.
pub fn parse(mut arguments: Arguments) -> Result<Command, Stop> {
    let window = options(&mut arguments)?;
    check_combination(&arguments)?;
    check_look_back(&window)?;
    if arguments.has("--list") {
        Ok(Command::List)
    } else if arguments.has("--headless") {
        Ok(without_window(window))
    } else {
        check_agents(&window)?;
        Ok(Command::Window(window))
    }
}

/// The options of all arguments, whether or not they go together.
fn options(arguments: &mut Arguments) -> Result<WindowOptions, Stop> {
    let mut window = WindowOptions::default();
    let (mut film, mut frames, mut width) = (None, 96, 480);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("scene") => {
                let name: String = arguments.value("a name")?;
                window.scene = scene(&name).map_err(|error| error.to_string())?;
            }
            Long("seed") => window.seed = arguments.whole(0..=MOST_SEED)?,
            Long("agents") => window.agents = Some(arguments.whole(1..=1_000_000)?),
            Long("ticks") => window.ticks = Some(arguments.whole(0..=100_000_000)?),
            Long("screenshot") => {
                let file = arguments.value("a .png file")?;
                window.screenshot = Some(picture_file("--screenshot", file, "png")?);
            }
            Long("look-back") => window.look_back = arguments.whole(1..=100_000_000)?,
            Long("record") => {
                let file = arguments.value("a file")?;
                window.record = Some(in_a_folder(file, "--record")?);
            }
            Long("replay") => {
                let file: PathBuf = arguments.value("a file")?;
                window.replay = Some(read_replay(&file)?);
            }
            Long("film") => {
                let file = arguments.value("a .gif file")?;
                film = Some(picture_file("--film", file, "gif")?);
            }
            Long("frames") => frames = arguments.whole(FilmOptions::FRAMES)?,
            Long("width") => width = arguments.whole(FilmOptions::WIDTHS)?,
            Long("steerbench") => window.case = Some(arguments.value("a file")?),
            Long("probe") => window.probe = Some(arguments.value("a file")?),
            Long("inspector") => window.inspector = true,
            Long("headless" | "list") => {}
            _ => return Err(argument.unexpected().into()),
        }
    }
    window.film = film.map(|file| FilmOptions {
        file,
        frames,
        width,
    });
    Ok(window)
}

fn read_replay(file: &Path) -> Result<Box<Replay>, Error> {
    let replay =
        Replay::read(file).map_err(|error| format!("--replay {}: {error}", file.display()))?;
    Ok(Box::new(replay))
}

/// Refuses options that have no effect beside others, with or without a window.
fn check_combination(arguments: &Arguments) -> Result<(), Error> {
    arguments.excludes("--list", &["--scene", "--seed", "--agents", "--ticks"])?;
    arguments.excludes("--list", &["--headless", "--replay"])?;
    arguments.needs("--frames", &["--film"])?;
    arguments.needs("--width", &["--film"])?;
    arguments.excludes("--film", &["--screenshot"])?;
    arguments.needs("--look-back", &["--screenshot"])?;
    arguments.needs("--look-back", &["--inspector"])?;
    // A replay has its own scene, and a case is one.
    arguments.excludes(
        "--replay",
        &["--scene", "--seed", "--agents", "--steerbench"],
    )?;
    arguments.excludes("--steerbench", &["--scene", "--agents", "--record"])?;
    for without in ["--list", "--headless"] {
        let of_a_window = [
            "--steerbench",
            "--screenshot",
            "--look-back",
            "--film",
            "--agents",
            "--record",
            "--inspector",
            "--probe",
        ];
        arguments.excludes(without, &of_a_window)?;
    }
    if arguments.has("--headless") && arguments.has("--replay") && arguments.has("--ticks") {
        return Err("--ticks has no effect: without a window, a replay plays to its end".into());
    }
    Ok(())
}

fn check_look_back(options: &WindowOptions) -> Result<(), Error> {
    // The first tick that is recorded is 1.
    let ticks = options.ticks.unwrap_or(screenshot::TICKS);
    if options.look_back > 0 && options.look_back >= ticks {
        let look_back = options.look_back;
        return Err(
            format!("--look-back needs fewer than --ticks, {ticks}, not {look_back}").into(),
        );
    }
    Ok(())
}

fn without_window(options: WindowOptions) -> Command {
    match options.replay {
        Some(replay) => Command::Replay(replay),
        None => Command::Headless {
            scene: options.scene,
            seed: options.seed,
            ticks: options.ticks.unwrap_or(600),
        },
    }
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
