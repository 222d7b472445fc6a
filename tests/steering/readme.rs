//! Claims of the README that repeat other files: the preset it shows, and the times of a flock.

use std::fs;
use std::path::Path;

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_preset_in_the_readme_is_the_shipped_one() {
    let shown = format!("```text\n{}```", file("assets/presets/boids.steering.ron"));
    assert!(file("README.md").contains(&shown));
}

#[test]
fn the_speed_in_the_readme_is_that_of_the_table() {
    let (table, readme) = (file("docs/performance.md"), file("README.md"));
    for (row, agents) in [("| 1,000 |", 1_000.0), ("| 10,000 |", 10_000.0)] {
        let (_, figures) = table.split_once(row).unwrap();
        let nanoseconds: f64 = figures.split_whitespace().next().unwrap().parse().unwrap();
        let time = format!("{} ms", nanoseconds * agents / 1e6);
        assert!(readme.contains(&time), "{time}");
    }
}
