//! The gallery as a person has it: a real window, a real pointer, real keys.
//!
//! It takes over pointer and keyboard of the display it runs on, so it runs on request only, under
//! a virtual one: `xvfb-run -a cargo test --test window -- --ignored`. It needs `xdotool`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than the slowest computer with a software renderer needs for anything here.
const PATIENCE: Duration = Duration::from_secs(60);
/// In this time it draws at least one picture and writes it down.
const SETTLING: Duration = Duration::from_millis(400);

#[test]
#[ignore = "takes over pointer and keyboard: run it under a virtual display"]
fn a_flock_is_tuned_saved_and_tuned_again_from_the_file() {
    let mut gallery = Gallery::open();

    // Switch to another scene by searching for it.
    gallery.click("Fox and rabbit");
    gallery.click_role("TextInput");
    gallery.write("flock");
    gallery.wait("a shorter list", |it| {
        !it.widgets()
            .any(|widget| widget.name.starts_with("Fox and rabbit\n"))
    });
    gallery.click_starting_with("Flock and predator\n");
    gallery.wait("the flock", |it| it.scene() == "flock_and_predator");

    // Open the inspector, stop, and pick a boid.
    gallery.click("F2Inspector");
    gallery.wait_for_widget("Speed of time");
    gallery.key("space");
    gallery.wait_still();
    gallery.click_a_boid();
    gallery.wait_for_widget("Separation weight");

    // A slider moves the weight of the whole group.
    gallery.click_starting_with("group (");
    let before = gallery.look().behavior("Separation");
    assert_eq!(before.weight, 1.0);
    gallery.drag("Separation weight", 30);
    gallery.wait("a heavier weight for all", |it| {
        it.behavior("Separation").weight > 1.2
    });
    let tuned = gallery.look().behavior("Separation").weight;

    // A switch silences a behavior of all of them.
    gallery.click("Cohesion on");
    gallery.wait("no cohesion", |it| it.behavior("Cohesion").on == 0);

    // Save it. What is typed into the field does not reach the scene: p would send the predator away.
    gallery.click("Presets");
    gallery.click("Preset name");
    gallery.write("purple");
    assert!(gallery.look().count("Evade") > 0);
    gallery.click("Save preset");
    let file = gallery.assets.join("assets/presets/purple.steering.ron");
    gallery.wait("the file", |_| file.exists());
    let saved = std::fs::read_to_string(&file).expect("it was just written");
    assert!(
        saved.contains("Separation") && saved.contains("Cohesion"),
        "{saved}"
    );

    // Restarted, the flock is as it was; the file makes it the tuned one again.
    gallery.click("RRestart");
    gallery.wait("a new flock", |it| it.behavior("Separation").weight == 1.0);
    gallery.wait_still();
    gallery.click_a_boid();
    gallery.click("Apply purple");
    gallery.wait("the saved weight", |it| {
        (it.behavior("Separation").weight - tuned).abs() < 0.01 && it.behavior("Cohesion").on == 0
    });

    // An edit of the file shows at once; a broken file is reported and changes nothing.
    std::fs::write(&file, "{ Separation: (influence: (weight: 4.5)) }")
        .expect("the folder is ours");
    gallery.wait("the edited weight", |it| {
        it.behavior("Separation").weight == 4.5
    });
    std::fs::write(&file, "{ Separation: (influence: (weight: 3.5),, ")
        .expect("the folder is ours");
    gallery.wait("a word about the mistake", |it| {
        it.widgets()
            .any(|widget| widget.name.contains("purple.steering.ron:1:"))
    });
    assert_eq!(gallery.look().behavior("Separation").weight, 4.5);
}

/// The running gallery, and what it said last of its window.
struct Gallery {
    process: Child,
    /// A copy of the assets, to write to.
    assets: PathBuf,
    probe: PathBuf,
}

impl Gallery {
    fn open() -> Self {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("window");
        let _ = std::fs::remove_dir_all(&scratch);
        let presets = scratch.join("assets/presets");
        std::fs::create_dir_all(&presets).expect("the target folder is ours");
        let probe = scratch.join("probe");
        let own = std::env::current_exe().expect("a test has a path");
        let binary = own
            .ancestors()
            .map(|folder| folder.join("examples/gallery"))
            .find(|path| path.exists())
            .expect("`cargo test` builds the gallery first");
        let process = Command::new(binary)
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
        gallery.wait("the first picture", |it| it.widgets().count() > 5);
        // There is no window manager to give it the keyboard.
        xdotool(&["search", "--name", "bevy_steering2d gallery", "windowfocus"]);
        gallery
    }

    fn look(&mut self) -> View {
        if let Ok(Some(status)) = self.process.try_wait() {
            panic!("the gallery ended: {status}");
        }
        View(std::fs::read_to_string(&self.probe).unwrap_or_default())
    }

    fn wait(&mut self, what: &str, mut there: impl FnMut(&View) -> bool) {
        let begin = Instant::now();
        loop {
            let view = self.look();
            if there(&view) {
                return;
            }
            if begin.elapsed() > PATIENCE {
                panic!("waited for {what} in vain; the window shows\n{}", view.0);
            }
            std::thread::sleep(Duration::from_millis(60));
        }
    }

    fn wait_for_widget(&mut self, name: &str) {
        self.wait(&format!("a widget \"{name}\""), |it| {
            it.widgets().any(|widget| widget.name == name)
        });
    }

    /// Until nothing moves any more, two looks in a row.
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

    /// A widget that stays where it is: what has just been opened or filtered still moves.
    fn find(&mut self, what: &str, wanted: impl Fn(&Widget) -> bool) -> Widget {
        let mut found: Option<Widget> = None;
        self.wait(what, |it| {
            let before = found.take();
            found = it.widgets().find(|widget| wanted(widget));
            std::thread::sleep(SETTLING);
            let place = |widget: &Option<Widget>| widget.as_ref().map(|it| (it.x, it.y));
            found.is_some() && place(&before) == place(&found)
        });
        found.expect("waited for it")
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
        let view = self.look();
        let agents: Vec<_> = view.agents().collect();
        // The predator came last.
        let predator = agents.iter().map(|(id, ..)| *id).max();
        let found = agents.iter().find(|(id, x, y)| {
            let between_panels = (360.0..820.0).contains(x) && (60.0..660.0).contains(y);
            let alone = agents
                .iter()
                .all(|(other, u, v)| other == id || (x - u).hypot(y - v) > 12.0);
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

/// What the window showed at one moment, as the gallery's `--probe` wrote it.
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

    /// Number and place of each agent.
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
