//! A text table of scores, printed row by row.

use crate::Score;

const COLUMNS: [&str; 10] = [
    "home", "contacts", "deep", "max pen", "time", "path", "energy", "score 01", "score 02",
    "ms/tick",
];

/// A table with one line per case, each as soon as the case has ended.
#[derive(Clone, Debug)]
pub struct Table {
    /// Width of the first column.
    width: usize,
    scores: Vec<Score>,
}

impl Table {
    /// A table of cases with these names.
    pub fn new<'a>(cases: impl IntoIterator<Item = &'a str>) -> Self {
        let longest = cases.into_iter().map(str::len).max();
        Self {
            width: longest.unwrap_or(0).max("total".len()),
            scores: Vec::new(),
        }
    }

    /// The line with the names of the columns.
    pub fn header(&self) -> String {
        let names = COLUMNS.map(|column| format!(" {column:>9}")).concat();
        format!("{:width$}{names}\n", "case", width = self.width)
    }

    /// The line of the next case.
    pub fn row(&mut self, score: &Score) -> String {
        self.scores.push(score.clone());
        line(score, self.width)
    }

    /// The line of a case that failed. Totals leave it out.
    pub fn failure(&self, case: &str, reason: &str) -> String {
        format!("{case:width$} failed: {reason}\n", width = self.width)
    }

    /// The line with the totals; `None` for a single case.
    pub fn footer(&self) -> Option<String> {
        (self.scores.len() > 1).then(|| line(&total(&self.scores), self.width))
    }
}

fn line(score: &Score, width: usize) -> String {
    let home = format!("{}/{}", score.home, score.agents);
    format!(
        "{:width$} {home:>9} {:>9} {:>9} {:>9.3} {:>9.2} {:>9.2} {:>9.2} {:>9.1} {:>9.1} {:>9.3}\n",
        score.case,
        score.contacts,
        score.deep_contacts,
        score.max_penetration,
        score.mean_time,
        score.path_length,
        score.energy,
        score.composite_01,
        score.composite_02,
        score.ms_per_tick,
    )
}

/// Sums of the counts, means over all walkers, the deepest penetration.
fn total(scores: &[Score]) -> Score {
    let sum = |of: fn(&Score) -> usize| scores.iter().map(of).sum::<usize>();
    let mean = |of: fn(&Score) -> f32, by: fn(&Score) -> usize| {
        let all = scores.iter().filter(|score| by(score) > 0);
        let weighted = all.map(|score| f64::from(of(score)) * by(score) as f64);
        (weighted.sum::<f64>() / sum(by) as f64) as f32
    };
    Score {
        case: "total".into(),
        agents: sum(|score| score.agents),
        home: sum(|score| score.home),
        contacts: sum(|score| score.contacts),
        deep_contacts: sum(|score| score.deep_contacts),
        max_penetration: scores
            .iter()
            .map(|score| score.max_penetration)
            .fold(0.0, f32::max),
        mean_time: mean(|score| score.mean_time, |score| score.home),
        path_length: mean(|score| score.path_length, |score| score.agents),
        energy: mean(|score| score.energy, |score| score.agents),
        composite_01: mean(|score| score.composite_01, |score| score.agents),
        composite_02: mean(|score| score.composite_02, |score| score.agents),
        ms_per_tick: mean(|score| score.ms_per_tick, |_| 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(case: &str, home: usize, mean_time: f32) -> Score {
        Score {
            case: case.into(),
            agents: 4,
            home,
            contacts: 3,
            mean_time,
            ..Score::default()
        }
    }

    #[test]
    fn totals_add_up_and_mean_times_are_weighted_by_arrivals() {
        let mut table = Table::new(["a", "b", "c"]);
        for score in [
            score("a", 4, 10.0),
            score("b", 1, 20.0),
            score("c", 0, f32::NAN),
        ] {
            table.row(&score);
        }
        assert_eq!(table.failure("d", "a door"), "d     failed: a door\n");
        let total = table.footer().unwrap();
        let words: Vec<_> = total.split_whitespace().collect();
        assert_eq!(words[..3], ["total", "5/12", "9"]);
        assert_eq!(words[5], "12.00");
    }
}
