//! The examples as commands: their help, what they refuse, and what Ctrl-C leaves.
//!
//! `cargo test` builds the examples; `cargo test --test commands` alone does not: run `cargo build --examples` first.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Those that `cargo test` builds as commands. The tests of `pedestrians` are beside its code.
const COMMANDS: [&str; 4] = ["crowds", "gallery", "steerbench", "thousands"];

/// The executable of an example.
fn executable(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a test has a path");
    let file = format!("examples/{name}{}", std::env::consts::EXE_SUFFIX);
    own.ancestors()
        .map(|folder| folder.join(&file))
        .find(|path| path.exists())
        .expect("the examples are built: run `cargo build --examples`")
}

fn run(name: &str, arguments: &[&str]) -> Output {
    let output = Command::new(executable(name)).args(arguments).output();
    output.expect("the example starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_command_explains_its_options() {
    for name in COMMANDS {
        let help = run(name, &["--help"]);
        assert_eq!(help.status.code(), Some(0), "{name}");
        let said = text(&help.stdout);
        assert!(said.starts_with(&format!("usage: {name}")), "{said}");
        assert!(said.contains("\n  -h, --help"), "{said}");
        assert_eq!(run(name, &["-h"]).stdout, help.stdout, "{name}");
    }
}

#[test]
fn what_cannot_work_is_refused_in_one_line() {
    let refused: [(&str, &[&str], &str); 16] = [
        (
            "crowds",
            &["--jobs", "2"],
            "--jobs has no effect without --space or --doors",
        ),
        (
            "crowds",
            &["--space", "9", "--ticks", "9"],
            "--ticks has no effect with --space",
        ),
        (
            "crowds",
            &["--doors", "9", "--space=9"],
            "--doors has no effect with --space",
        ),
        (
            "crowds",
            &["--ticks", "0"],
            "--ticks needs a whole number from 1 to 1000000, not 0",
        ),
        (
            "crowds",
            &["--case", "none"],
            "--case needs one of sparse, ",
        ),
        (
            "crowds",
            &["--threads", "1024", "--case", "circle", "--ticks", "1"],
            "--threads needs a whole number from 1 to ",
        ),
        (
            "gallery",
            &["--seed", "1", "--seed", "2"],
            "--seed is given twice",
        ),
        (
            "gallery",
            &["--seed", "9007199254740993"],
            "--seed needs a whole number from 0 to 9007199254740992, not 9007199254740993",
        ),
        (
            "gallery",
            &["--width", "200"],
            "--width has no effect without --film",
        ),
        ("gallery", &["--no-such-option"], "--no-such-option"),
        ("steerbench", &[], "CASES_DIR is missing"),
        (
            "steerbench",
            &["cases", "--jobs", "0"],
            "--jobs needs a whole number from 1 to 1024, not",
        ),
        (
            "steerbench",
            &["cases", "--body", "soft"],
            "--body needs point-mass or rapier, not \"soft\"",
        ),
        (
            "thousands",
            &["--neighbors", "inf"],
            "--neighbors needs a number from 0.01 to 10000, not inf",
        ),
        (
            "thousands",
            &["--one-point", "--neighbors", "9"],
            "--neighbors has no effect with --one-point",
        ),
        (
            "thousands",
            &["--with", "wings"],
            "--with needs one of field-of-view, ",
        ),
    ];
    for (name, arguments, reason) in refused {
        let output = run(name, arguments);
        let said = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{name} {arguments:?}: {said}"
        );
        assert!(said.starts_with(&format!("{name}: ")), "{said}");
        assert!(said.contains(reason), "{name} {arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(output.stdout.is_empty(), "{name} {arguments:?}");
    }
}

#[test]
fn the_memory_of_a_recorded_tick_is_measured_for_a_single_agent() {
    let arguments = ["--agents", "1", "--ticks", "20", "--record"];
    let output = run("thousands", &arguments);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (_, bytes) = printed
        .split_once("\"bytes_per_agent_tick\":")
        .expect("it is measured");
    assert!(bytes.starts_with(char::is_numeric), "{printed}");
}

#[test]
fn a_case_that_cannot_be_read_is_an_object_with_its_error() {
    let folder = std::env::temp_dir().join(format!("cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a place for files");
    std::fs::write(folder.join("broken.xml"), "<SteerBench").expect("it is written");
    let cases = folder.to_str().expect("the path is text");
    let output = run("steerbench", &[cases, "--json"]);
    std::fs::remove_dir_all(&folder).expect("it is there");
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        printed.starts_with("[\n{\"case\":\"broken\",\"error\":\""),
        "{printed}"
    );
    assert!(printed.ends_with("\n]\n"), "{printed}");
    assert_eq!(said, "steerbench: 1 of 1 runs failed\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let output = Command::new(executable("gallery"))
        .args(["--headless", "--scene", "keyboard", "--ticks", "1"])
        .stdout(full.expect("Linux has a full device"))
        .output()
        .expect("the example starts");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("gallery: cannot print: "), "{said}");
}

/// What a command leaves that is interrupted after some seconds.
#[cfg(unix)]
fn interrupt(name: &str, arguments: &[&str]) -> Output {
    use std::process::Stdio;
    use std::time::Duration;

    let running = Command::new(executable(name))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example starts");
    std::thread::sleep(Duration::from_secs(4));
    let kill = format!("kill -INT {}", running.id());
    let killed = Command::new("sh").args(["-c", &kill]).status();
    assert!(
        killed.expect("there is a shell").success(),
        "{name} has ended"
    );
    running.wait_with_output().expect("it ends")
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_table_leaves_no_process_behind() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        // There is no table then.
        return;
    }
    // No other process has this number.
    let ticks = "999983";
    let output = interrupt("crowds", &["--case", "sparse", "--ticks", ticks]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("0 of 1 runs have ended"), "{said}");
    let processes = std::fs::read_dir("/proc").expect("Linux lists processes");
    let left = processes.flatten().filter(|process| {
        let line = std::fs::read(process.path().join("cmdline"));
        line.is_ok_and(|line| text(&line).contains(ticks))
    });
    assert_eq!(left.count(), 0);
}

#[cfg(unix)]
#[test]
fn an_interrupted_command_prints_what_has_ended() {
    let endless: [(&str, &[&str], &str); 3] = [
        ("crowds", &["--space", "1000000"], " %"),
        (
            "gallery",
            &["--headless", "--scene", "keyboard", "--ticks", "100000000"],
            "ticks ",
        ),
        (
            "thousands",
            &["--agents", "100", "--ticks", "1000000"],
            "{\"ticks\":",
        ),
    ];
    for (name, arguments, expected) in endless {
        let output = interrupt(name, arguments);
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{name}: {said}");
        assert!(printed.contains(expected), "{name}: {printed}");
        assert!(said.contains("interrupted: "), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
