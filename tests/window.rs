//! The gallery in a real window, with real pointer and keyboard input.
//!
//! Tests that open a window or take over the pointer and keyboard run on request only, on a virtual display:
//! `xvfb-run -a cargo test --test window -- --ignored --test-threads 1`. They need `xdotool`.
//!
//! All of them run the example `gallery`. `cargo test` builds it; `cargo test --test window` alone does not:
//! run `cargo build --example gallery` first.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Timeout of every wait, enough for a slow computer with a software renderer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time in which the gallery draws at least one frame and writes it to the probe file.
const SETTLING: Duration = Duration::from_millis(400);

#[test]
#[ignore = "takes over pointer and keyboard: run it on a virtual display"]
fn a_flock_is_tuned_saved_and_tuned_again_from_the_file() {
    let mut gallery = Gallery::open();

    // Search for another scene and switch to it.
    gallery.click("Fox and rabbit");
    gallery.click_role("TextInput");
    gallery.write("flock");
    gallery.wait("a shorter list", |it| {
        !it.widgets()
            .any(|widget| widget.name.starts_with("Fox and rabbit\n"))
    });
    gallery.click_starting_with("Flock and predator\n");
    gallery.wait("the flock", |it| it.scene() == "flock_and_predator");

    // Open the inspector, pause, and select a boid.
    gallery.click("F2Inspector");
    gallery.wait_for_widget("Speed of time");
    gallery.key("space");
    gallery.wait_still();
    gallery.click_a_boid();
    gallery.wait_for_widget("Separation weight");

    // A slider changes the weight of the whole group.
    gallery.click_starting_with("group (");
    let before = gallery.view().behavior("Separation");
    assert_eq!(before.weight, 1.0);
    gallery.drag("Separation weight", 30);
    gallery.wait("a heavier weight for all", |it| {
        it.behavior("Separation").weight > 1.2
    });
    let tuned = gallery.view().behavior("Separation").weight;

    // A switch disables a behavior of the whole group.
    gallery.click("Cohesion on");
    gallery.wait("no cohesion", |it| it.behavior("Cohesion").on == 0);

    // Save it. Keys typed into the field do not reach the scene, where p removes the predator.
    gallery.click("Presets");
    gallery.click("Preset name");
    gallery.write("purple");
    assert!(gallery.view().count("Evade") > 0);
    gallery.click("Save preset");
    let file = gallery.assets.join("assets/presets/purple.steering.ron");
    gallery.wait("the file", |_| file.exists());
    let saved = std::fs::read_to_string(&file).expect("it was just written");
    assert!(
        saved.contains("Separation") && saved.contains("Cohesion"),
        "{saved}"
    );

    // A restart resets the flock; the saved preset restores the tuned weights.
    gallery.click("RRestart");
    gallery.wait("a new flock", |it| it.behavior("Separation").weight == 1.0);
    gallery.wait_still();
    gallery.click_a_boid();
    gallery.click("Apply purple");
    gallery.wait("the saved weight", |it| {
        (it.behavior("Separation").weight - tuned).abs() < 0.01 && it.behavior("Cohesion").on == 0
    });

    // An edited file is applied at once; an invalid file is reported and changes nothing.
    std::fs::write(&file, "{ Separation: (influence: (weight: 4.5)) }")
        .expect("the folder is writable");
    gallery.wait("the edited weight", |it| {
        it.behavior("Separation").weight == 4.5
    });
    std::fs::write(&file, "{ Separation: (influence: (weight: 3.5),, ")
        .expect("the folder is writable");
    gallery.wait("the reported error", |it| {
        it.widgets()
            .any(|widget| widget.name.contains("purple.steering.ron:1:"))
    });
    assert_eq!(gallery.view().behavior("Separation").weight, 4.5);
}

#[test]
#[ignore = "opens a window"]
fn a_film_has_the_requested_frames_and_replaces_an_older_one() {
    let scratch = empty_folder("film");
    let file = scratch.join("fox.gif");
    std::fs::write(&file, "an older film").expect("the target folder is writable");
    let filmed = Command::new(gallery())
        .args(["--scene", "fox_and_rabbit", "--frames", "5"])
        .args(["--width", "200", "--film"])
        .arg(&file)
        .status();
    assert!(filmed.expect("the gallery starts").success());
    let film = std::fs::File::open(&file).expect("it was just written");
    let mut film = gif::DecodeOptions::new()
        .read_info(film)
        .expect("it is a GIF");
    assert_eq!(film.width(), 200);
    let mut frames = 0;
    while film.next_frame_info().expect("it is complete").is_some() {
        frames += 1;
    }
    assert_eq!(frames, 5);
    let files = std::fs::read_dir(&scratch).expect("it exists").count();
    assert_eq!(files, 1, "no draft is left behind");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    const REPLAY: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/replays/flock_and_predator.json"
    );
    const LOOK: [&str; 3] = ["--inspector", "--screenshot", "a.png"];
    let refused: [(&[&str], &str); 8] = [
        (
            &["--replay", REPLAY, "--agents", "60"],
            "--agents has no effect with --replay",
        ),
        (
            &["--replay", REPLAY, "--steerbench", "case.xml"],
            "--steerbench has no effect with --replay",
        ),
        (
            &["--record", "run.json", "--steerbench", "case.xml"],
            "--record has no effect with --steerbench",
        ),
        (
            &[&LOOK[..], &["--look-back", "300"]].concat(),
            "--look-back needs fewer than --ticks, 300, not 300",
        ),
        (
            &[&LOOK[..], &["--look-back=9", "--ticks=9"]].concat(),
            "--look-back needs fewer than --ticks, 9, not 9",
        ),
        (
            &["--screenshot", "a.png", "--look-back=9"],
            "--look-back has no effect without --inspector",
        ),
        (
            &["--headless", "--inspector"],
            "--inspector has no effect with --headless",
        ),
        (
            &["--list", "--ticks", "9"],
            "--ticks has no effect with --list",
        ),
    ];
    for (options, reason) in refused {
        let output = Command::new(gallery()).args(options).output();
        let output = output.expect("the gallery starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(reason), "{options:?}: {said}");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
}

/// A new folder for the files of a test.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// The executable of the gallery.
fn gallery() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a path");
    own.ancestors()
        .map(|folder| folder.join("examples/gallery"))
        .find(|path| path.exists())
        .expect("the gallery is built: run `cargo build --example gallery`")
}

/// The running gallery and its probe file.
struct Gallery {
    process: Child,
    /// A writable copy of the assets.
    assets: PathBuf,
    probe: PathBuf,
}

impl Gallery {
    fn open() -> Self {
        let scratch = empty_folder("window");
        std::fs::create_dir_all(scratch.join("assets/presets"))
            .expect("the target folder is writable");
        let probe = scratch.join("probe");
        let process = Command::new(gallery())
            .env("BEVY_ASSET_ROOT", &scratch)
            .args(["--scene", "fox_and_rabbit", "--probe"])
            .arg(&probe)
            .stdout(Stdio::null())
            .spawn()
            .expect("the gallery starts");
        let mut gallery = Self {
            process,
            assets: scratch,
            probe,
        };
        gallery.wait("the first frame", |it| it.widgets().count() > 5);
        // There is no window manager that focuses the window.
        xdotool(&["search", "--name", "bevy_steering2d gallery", "windowfocus"]);
        gallery
    }

    fn view(&mut self) -> View {
        if let Ok(Some(status)) = self.process.try_wait() {
            panic!("the gallery ended: {status}");
        }
        View(std::fs::read_to_string(&self.probe).unwrap_or_default())
    }

    fn wait(&mut self, what: &str, mut holds: impl FnMut(&View) -> bool) {
        let begin = Instant::now();
        loop {
            let view = self.view();
            if holds(&view) {
                return;
            }
            if begin.elapsed() > PATIENCE {
                panic!("timed out waiting for {what}; the window shows\n{}", view.0);
            }
            std::thread::sleep(Duration::from_millis(60));
        }
    }

    fn wait_for_widget(&mut self, name: &str) {
        self.wait(&format!("a widget \"{name}\""), |it| {
            it.widgets().any(|widget| widget.name == name)
        });
    }

    /// Waits until two views in a row show the same agents.
    fn wait_still(&mut self) {
        let mut last = String::new();
        self.wait("stillness", |it| {
            let agents: String = it.lines("agent").collect();
            let still = !agents.is_empty() && agents == last;
            last = agents;
            std::thread::sleep(SETTLING);
            still
        });
    }

    /// Waits for a widget at a constant position: a panel just opened or filtered still moves.
    fn find(&mut self, what: &str, wanted: impl Fn(&Widget) -> bool) -> Widget {
        let mut found: Option<Widget> = None;
        self.wait(what, |it| {
            let before = found.take();
            found = it.widgets().find(|widget| wanted(widget));
            std::thread::sleep(SETTLING);
            let place = |widget: &Option<Widget>| widget.as_ref().map(|it| (it.x, it.y));
            found.is_some() && place(&before) == place(&found)
        });
        found.expect("the wait found it")
    }

    fn click(&mut self, name: &str) {
        let widget = self.find(name, |widget| widget.name == name && widget.role != "Label");
        self.click_at(widget.x, widget.y);
    }

    fn click_starting_with(&mut self, start: &str) {
        let widget = self.find(start, |widget| widget.name.starts_with(start));
        self.click_at(widget.x, widget.y);
    }

    fn click_role(&mut self, role: &str) {
        let widget = self.find(role, |widget| widget.role == role);
        self.click_at(widget.x, widget.y);
    }

    fn click_a_boid(&mut self) {
        let view = self.view();
        let agents: Vec<_> = view.agents().collect();
        // The predator was spawned last.
        let predator = agents.iter().map(|(id, ..)| *id).max();
        let found = agents.iter().find(|(id, x, y)| {
            let between_panels = (360.0..820.0).contains(x) && (60.0..660.0).contains(y);
            let alone = agents
                .iter()
                .all(|(other, u, v)| other == id || bevy::math::ops::hypot(x - u, y - v) > 12.0);
            between_panels && alone && Some(*id) != predator
        });
        let (_, x, y) = *found.unwrap_or_else(|| panic!("no boid to click at\n{}", view.0));
        let id = found.map(|(id, ..)| format!("{id} ")).unwrap_or_default();
        self.click_at(x, y);
        self.wait("the boid to be selected", |it| {
            let mut agents = it.lines("agent");
            agents.any(|line| line.starts_with(&id) && line.ends_with("true"))
        });
    }

    fn click_at(&mut self, x: f32, y: f32) {
        self.move_to(x, y);
        xdotool(&["click", "1"]);
        std::thread::sleep(SETTLING);
    }

    fn drag(&mut self, name: &str, by: i32) {
        let widget = self.find(name, |widget| {
            widget.name == name && widget.role == "Slider"
        });
        self.move_to(widget.x, widget.y);
        xdotool(&["mousedown", "1"]);
        std::thread::sleep(SETTLING);
        for step in 1..=5 {
            self.move_to(widget.x + (by * step / 5) as f32, widget.y);
        }
        xdotool(&["mouseup", "1"]);
        std::thread::sleep(SETTLING);
    }

    fn move_to(&mut self, x: f32, y: f32) {
        xdotool(&["mousemove", &format!("{x:.0}"), &format!("{y:.0}")]);
        std::thread::sleep(SETTLING);
    }

    fn key(&mut self, key: &str) {
        xdotool(&["key", key]);
        std::thread::sleep(SETTLING);
    }

    fn write(&mut self, text: &str) {
        xdotool(&["type", "--delay", "120", text]);
        std::thread::sleep(SETTLING);
    }
}

impl Drop for Gallery {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn xdotool(arguments: &[&str]) {
    let status = Command::new("xdotool").args(arguments).status();
    assert!(status.expect("xdotool is installed").success());
}

/// The content of the window at one moment, as written by the gallery's `--probe`.
struct View(String);

struct Widget {
    role: String,
    x: f32,
    y: f32,
    name: String,
}

struct Behavior {
    on: usize,
    weight: f32,
}

impl View {
    fn lines<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .lines()
            .filter_map(move |line| line.strip_prefix(kind)?.strip_prefix(' '))
    }

    fn scene(&self) -> &str {
        self.lines("scene").next().unwrap_or_default()
    }

    /// The id and position of each agent.
    fn agents(&self) -> impl Iterator<Item = (u32, f32, f32)> {
        self.lines("agent").filter_map(|line| {
            let mut words = line.split(' ');
            let id = words.next()?.parse().ok()?;
            Some((id, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        })
    }

    fn widgets(&self) -> impl Iterator<Item = Widget> {
        self.lines("widget").filter_map(|line| {
            let mut words = line.splitn(5, ' ');
            let role = words.next()?.to_owned();
            let (x, y) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let name = words.nth(1)?.trim_matches('"').replace("\\n", "\n");
            Some(Widget { role, x, y, name })
        })
    }

    fn behavior(&self, name: &str) -> Behavior {
        let found = self.lines("behavior").find_map(|line| {
            let mut words = line.strip_prefix(name)?.split(' ').skip(2);
            let (on, weight) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some(Behavior { on, weight })
        });
        found.unwrap_or(Behavior { on: 0, weight: 0.0 })
    }

    fn count(&self, name: &str) -> usize {
        self.behavior(name).on
    }
}
