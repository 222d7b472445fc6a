//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use bevy_steering2d_scenes::{SCENES, Scene, scene};

pub const USAGE: &str = "\
usage: gallery [options]

  --scene NAME       start with this scene (default: the first of --list)
  --seed N           seed of all chance (default 7)
  --agents N         begin with so many agents, in scenes that let one choose
  --list             print the names of the scenes
  --headless         no window: run the scene, print its report
  --ticks N          with --headless: length of the run (default 600; 64 ticks a second)
                     in a window: close after N ticks
  --screenshot FILE  show the scene for --ticks (default 300), save a .png, close
  --inspector        begin with the inspector open (F2 opens and closes it)
  --probe FILE       keep writing what the window shows to FILE, for tests
  --steerbench FILE  show a case of the SteerBench suite
  --help             print this
";

/// What to do.
#[derive(Debug)]
pub enum Command {
    Help,
    List,
    Headless {
        scene: &'static Scene,
        seed: u64,
        ticks: u32,
    },
    Window(WindowWish),
}

/// What to show.
#[derive(Clone, Debug)]
pub struct WindowWish {
    pub scene: &'static Scene,
    pub seed: u64,
    /// Not the usual number of agents, but so many.
    pub agents: Option<usize>,
    /// Begin with the inspector open.
    pub inspector: bool,
    /// Show this SteerBench case instead of the scene.
    pub case: Option<PathBuf>,
    /// Write down what the window shows.
    pub probe: Option<PathBuf>,
    /// Close after this many ticks.
    pub ticks: Option<u32>,
    /// Save a picture just before.
    pub screenshot: Option<PathBuf>,
}

/// Understands the arguments after the program's name.
pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments.peekable();
    let mut wish = WindowWish {
        scene: &SCENES[0],
        seed: 7,
        agents: None,
        inspector: false,
        case: None,
        probe: None,
        ticks: None,
        screenshot: None,
    };
    let (mut headless, mut list) = (false, false);
    while let Some(argument) = arguments.next() {
        // Both `--seed 7` and `--seed=7`.
        let (flag, attached) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_string())),
            None => (argument.as_str(), None),
        };
        let mut value = || {
            let next = || arguments.next_if(|next| !next.starts_with("--"));
            let value = attached.clone().or_else(next);
            value.ok_or_else(|| format!("{flag} needs a value"))
        };
        match flag {
            "--scene" => wish.scene = scene(&value()?).map_err(|error| error.to_string())?,
            "--seed" => wish.seed = number(flag, &value()?)?,
            "--agents" => wish.agents = Some(number(flag, &value()?)?),
            "--ticks" => wish.ticks = Some(number(flag, &value()?)?),
            "--screenshot" => wish.screenshot = Some(picture(&value()?)?),
            "--headless" if attached.is_none() => headless = true,
            "--steerbench" => wish.case = Some(PathBuf::from(value()?)),
            "--probe" => wish.probe = Some(PathBuf::from(value()?)),
            "--inspector" if attached.is_none() => wish.inspector = true,
            "--list" if attached.is_none() => list = true,
            "--help" | "-h" if attached.is_none() => return Ok(Command::Help),
            _ => return Err(format!("unknown argument \"{argument}\"")),
        }
    }
    match (list, headless, &wish.screenshot) {
        (true, ..) => Ok(Command::List),
        (_, true, _) if wish.case.is_some() => Err(
            "--steerbench needs a window; without one, the example steerbench runs cases".into(),
        ),
        (_, true, Some(_)) => Err("--screenshot needs a window, --headless has none".into()),
        (_, true, _) if wish.agents.is_some() => {
            Err("--agents needs a window; what --headless reports is about the usual number".into())
        }
        (_, true, None) => Ok(Command::Headless {
            scene: wish.scene,
            seed: wish.seed,
            ticks: wish.ticks.unwrap_or(600),
        }),
        (_, false, _) => {
            wish.agents
                .map_or(Ok(()), |agents| may_have(&wish, agents))?;
            Ok(Command::Window(wish))
        }
    }
}

/// Whether the scene lets one choose so many agents.
fn may_have(wish: &WindowWish, agents: usize) -> Result<(), String> {
    let name = wish.scene.name;
    match wish.scene.crowd.filter(|_| wish.case.is_none()) {
        None => Err("--agents: here everybody has a part, and nobody can be added".into()),
        Some(crowd) if agents < crowd.fewest || agents > crowd.most => Err(format!(
            "--agents: {name} may have {} to {} agents, not {agents}",
            crowd.fewest, crowd.most
        )),
        Some(_) => Ok(()),
    }
}

fn number<N: FromStr>(flag: &str, value: &str) -> Result<N, String> {
    let error = |_| format!("{flag} needs a whole number, zero or more, not \"{value}\"");
    value.parse().map_err(error)
}

fn picture(value: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(value);
    if path.extension().is_none_or(|extension| extension != "png") {
        return Err(format!("--screenshot writes .png files, not \"{value}\""));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => Err(format!(
            "--screenshot: there is no folder \"{}\"",
            folder.display()
        )),
        _ => Ok(path),
    }
}
