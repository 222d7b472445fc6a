//! The page: one section per check, and the summary.

use std::fmt::Write;

use serde::Serialize;

use crate::check::{Bound, Check, Outcome, Row};

/// What precedes the sections.
pub const INTRODUCTION: &str = "\
# Pedestrians

Do crowds of `Pedestrian::measured` move as people do? Each section measures one phenomenon beside the figures of its source.
What fails stays in its table, with the cause.

This page is the output of

```sh
cargo run --release --example pedestrians -- --svg docs/pedestrians > docs/pedestrians.md
```

`--case NAME` runs one check, `--json` prints one object per check, `--jobs N` limits the threads; the results are the same. The
scenarios are in [`examples/pedestrians`](../examples/pedestrians/main.rs), one file per family.

People are point masses of 0.2 m radius, which only steering keeps apart; a tick takes 0.05 s. They take the shortest way
to where their path leads, with desired speeds of 1.34 ± 0.26 m/s where nothing else is said, and no scenario has parameters of its own.
RiMEA (2016) is the *Richtlinie für mikroskopische Entfluchtungsanalysen*, a guideline with tests of evacuation models. *Figure* is that of the source, *passes* the range that
counts as agreement. After ± is the standard error of the mean over the starts, where nothing else is said.
";

/// A section of the page.
pub fn section(check: &Check, outcome: &Outcome) -> String {
    let mut text = format!(
        "\n## {}\n\n`{}`: {}\n\n",
        check.title, check.name, check.about
    );
    text += "| quantity | figure | ours | passes | result |\n|---|---|---:|---|---|\n";
    for row in &outcome.rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            row.what,
            dash(&row.source),
            ours(row),
            row.bound.map_or("–".into(), range),
            verdict(row)
        );
    }
    let mut causes: Vec<&str> = unsound(outcome).filter_map(|row| row.cause).collect();
    causes.dedup();
    for cause in causes {
        let _ = write!(text, "\nCause: {cause}\n");
    }
    for plot in &outcome.plots {
        let _ = write!(text, "\n![{}](pedestrians/{}.svg)\n", plot.title, plot.file);
    }
    text
}

/// The section of a check that could not be run to its end.
pub fn failure(check: &Check, reason: &str) -> String {
    let Check { title, name, .. } = check;
    format!("\n## {title}\n\n`{name}` failed: {reason}\n")
}

/// The rows that fail or cannot be measured.
fn unsound(outcome: &Outcome) -> impl Iterator<Item = &Row> {
    let fails = |row: &&Row| row.passes() == Some(false) || !row.measurable;
    outcome.rows.iter().filter(fails)
}

fn verdict(row: &Row) -> &'static str {
    match row.passes() {
        _ if !row.measurable => "not measurable",
        Some(true) => "passed",
        Some(false) => "**failed**",
        None => "–",
    }
}

fn dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}

/// The measured figure with its error and unit. A figure that fails differs from its bound in print, too.
fn ours(row: &Row) -> String {
    let mut places = decimals(row.measured);
    let is_bound = row.bound.is_some_and(|Bound { least, most }| {
        let printed = format!("{:.places$}", row.measured);
        [least, most]
            .iter()
            .any(|it| printed == format!("{it:.places$}"))
    });
    if is_bound && row.passes() == Some(false) {
        places += 1;
    }
    let error = row.error.map_or(String::new(), |error| {
        let least = if error < 0.01 { 3 } else { 2 };
        let places = places.max(decimals(error).min(least));
        format!(" ± {error:.places$}")
    });
    let figure = format!("{:.places$}{error} {}", row.measured, row.unit);
    figure.trim_end().to_owned()
}

/// Three significant digits or, of counts, all.
fn figure(value: f32) -> String {
    let decimals = decimals(value);
    format!("{value:.decimals$}")
}

/// How many decimals give three significant digits; of counts none.
fn decimals(value: f32) -> usize {
    match value.abs() {
        size if size == size.round() => 0,
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 3,
    }
}

fn range(bound: Bound) -> String {
    let Bound { least, most } = bound;
    if least == most {
        figure(least)
    } else if most == f32::INFINITY {
        format!("≥ {}", figure(least))
    } else if least == f32::NEG_INFINITY {
        format!("≤ {}", figure(most))
    } else if least < 0.0 {
        format!("{} to {}", figure(least), figure(most))
    } else {
        format!("{} – {}", figure(least), figure(most))
    }
}

/// How many rows pass, check by check.
#[derive(Default)]
pub struct Summary {
    /// Title, rows passed, rows with a bound.
    checks: Vec<(&'static str, usize, usize)>,
    /// Titles of the checks that could not be run to their end.
    failures: Vec<&'static str>,
}

impl Summary {
    pub fn add(&mut self, check: &Check, outcome: &Outcome) {
        let verdicts = || outcome.rows.iter().filter_map(Row::passes);
        let passed = verdicts().filter(|passes| *passes).count();
        self.checks.push((check.title, passed, verdicts().count()));
    }

    pub fn add_failure(&mut self, check: &Check) {
        self.failures.push(check.title);
    }

    /// The last section.
    pub fn section(&self) -> String {
        let mut text = "\n## Summary\n\n| check | rows passed | of |\n|---|---:|---:|\n".to_owned();
        for (title, passed, of) in &self.checks {
            let _ = writeln!(text, "| {title} | {passed} | {of} |");
        }
        for title in &self.failures {
            let _ = writeln!(text, "| {title} | failed | – |");
        }
        let sum =
            |part: fn(&(&str, usize, usize)) -> usize| self.checks.iter().map(part).sum::<usize>();
        let (passed, of) = (sum(|it| it.1), sum(|it| it.2));
        let _ = writeln!(text, "| all | {passed} | {of} |");
        text
    }
}

/// One line of JSON.
pub fn json(check: &Check, outcome: &Outcome) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Line<'a> {
        case: &'a str,
        rows: Vec<Judged<'a>>,
    }
    #[derive(Serialize)]
    struct Judged<'a> {
        #[serde(flatten)]
        row: &'a Row,
        passed: Option<bool>,
    }
    let judged = |row| Judged {
        row,
        passed: row.passes(),
    };
    serde_json::to_string(&Line {
        case: check.name,
        rows: outcome.rows.iter().map(judged).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Effort;

    const CHECK: Check = Check {
        name: "door",
        title: "A door",
        about: "People pass a door.",
        run: |_: Effort| Outcome::default(),
    };

    fn row(measured: f32) -> Row {
        Row::new("flow", measured, "1/s")
            .source("1.9")
            .bound(Bound::at_least(1.6))
            .cause("It is narrow.")
    }

    #[test]
    fn a_failed_row_stays_with_its_cause() {
        let rows = vec![row(1.25), row(2.0)];
        let text = section(
            &CHECK,
            &Outcome {
                rows,
                plots: vec![],
            },
        );
        assert!(text.contains("| flow | 1.9 | 1.25 1/s | ≥ 1.60 | **failed** |"));
        assert!(text.contains("| flow | 1.9 | 2 1/s | ≥ 1.60 | passed |"));
        assert_eq!(text.matches("Cause: It is narrow.").count(), 1);
    }

    #[test]
    fn a_figure_just_beside_its_bound_has_one_more_digit() {
        let text = ours(&row(1.597));
        assert_eq!(text, "1.597 1/s");
        assert_eq!(ours(&row(1.604)), "1.60 1/s");
        assert_eq!(ours(&row(1.75).error(0.021)), "1.75 ± 0.02 1/s");
    }

    #[test]
    fn what_is_not_measurable_neither_passes_nor_fails_and_names_its_cause() {
        let rows = vec![row(1.25).not_measurable()];
        let text = section(
            &CHECK,
            &Outcome {
                rows,
                plots: vec![],
            },
        );
        assert!(text.contains("| not measurable |") && text.contains("Cause: It is narrow."));
    }

    #[test]
    fn a_section_without_failures_names_no_cause() {
        let rows = vec![row(2.0)];
        let text = section(
            &CHECK,
            &Outcome {
                rows,
                plots: vec![],
            },
        );
        assert!(!text.contains("Cause"));
    }

    #[test]
    fn a_check_that_failed_is_in_the_summary_and_counts_for_nothing() {
        let mut summary = Summary::default();
        let rows = vec![row(2.0), row(1.0)];
        summary.add(
            &CHECK,
            &Outcome {
                rows,
                plots: vec![],
            },
        );
        summary.add_failure(&CHECK);
        let text = summary.section();
        assert!(text.contains("| A door | 1 | 2 |"), "{text}");
        assert!(text.contains("| A door | failed | – |"), "{text}");
        assert!(text.contains("| all | 1 | 2 |"), "{text}");
        let section = failure(&CHECK, "it is locked");
        assert_eq!(section, "\n## A door\n\n`door` failed: it is locked\n");
    }

    #[test]
    fn json_tells_which_rows_passed() {
        let rows = vec![row(2.0), Row::new("time", 3.0, "s")];
        let text = json(
            &CHECK,
            &Outcome {
                rows,
                plots: vec![],
            },
        )
        .unwrap();
        assert!(text.contains("\"passed\":true") && text.contains("\"passed\":null"));
    }
}
