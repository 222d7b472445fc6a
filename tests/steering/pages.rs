//! Claims of pages that repeat other files: a preset, the times of a flock, and names of tests.

use crate::repository::{file, has_test, rust_sources};

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

#[test]
fn the_time_of_ten_thousand_pedestrians_in_the_readme_is_that_of_the_table() {
    let table = file("docs/performance.md");
    let mut rows = table.lines();
    let row = rows
        .find(|it| it.starts_with("| `ten-thousand` |"))
        .unwrap();
    let two_threads = row.split('|').nth(7).unwrap();
    let median = two_threads.split_whitespace().next().unwrap();
    let nanoseconds: f64 = median.parse().unwrap();
    let milliseconds = nanoseconds * 10_000.0 / 1e6;
    let time = format!("take {milliseconds:.1} ms a tick on two cores");
    assert!(file("README.md").contains(&time), "{time}");
}

#[test]
fn tests_in_the_reliability_page_exist() {
    let page = file("docs/reliability.md");
    let words = page.split('`').skip(1).step_by(2);
    let is_name = |word: &&str| word.matches('_').count() > 2;
    let names: Vec<_> = words.filter(is_name).collect();
    assert!(names.len() > 20, "{names:?}");
    let code = rust_sources("crates") + &rust_sources("tests");
    for name in names.into_iter().filter(|name| !name.contains('/')) {
        assert!(has_test(&code, name), "{name}");
    }
}
