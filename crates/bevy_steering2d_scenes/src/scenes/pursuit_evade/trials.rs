//! The experiment: the same races in many worlds.

use super::rival::Rival;
use super::rules::{Escape, LIMIT, Rules};
use super::score::{Score, Tally};
use crate::experiment::Experiment;
use crate::report::Line;

/// Runs races over the same courses, a hundred after a quarry that circles, a hundred among walls, and
/// duels with a quarry that flees. Several seeds, because the outcome of one short run is mostly chance.
pub(super) fn experiment(experiment: &Experiment) -> Vec<Line> {
    const COURSES: u64 = 16;
    const DUELS: u64 = 8;
    /// Worlds, and races in each, after a quarry that circles or runs among walls.
    const LAPS: (u64, u32) = (20, 5);
    let races = (experiment.ticks / 200).max(1);
    let play = |rules: Rules, worlds: u64, races: u32| {
        (0..worlds)
            .map(|world| scores(experiment, rules, world, races))
            .fold([Score::default(); Rival::ALL.len()], |sums, scores| {
                std::array::from_fn(|i| sums[i].plus(&scores[i]))
            })
    };

    let mut lines = vec![Line::new("maximum duration of a chase", LIMIT, "s")];
    let count = races * COURSES as u32;
    lines.push(Line::new("races over a common course", count, ""));
    for (rival, score) in Rival::ALL
        .into_iter()
        .zip(&play(Rules::default(), COURSES, races))
    {
        lines.extend(score_lines(&format!("course: {}", rival.name()), score));
    }
    for (escape, word) in [(Escape::Circle, "circle"), (Escape::Walls, "walls")] {
        let rules = Rules {
            escape,
            ..Rules::default()
        };
        let scores = play(rules, LAPS.0, LAPS.1);
        lines.push(Line::new(
            format!("{word}: races"),
            LAPS.0 as u32 * LAPS.1,
            "",
        ));
        lines.extend(comparison(word, &scores));
    }
    let count = races * DUELS as u32;
    lines.push(Line::new("duels with a fleeing quarry", count, ""));
    for (escape, word) in [(Escape::Evade, "evaded"), (Escape::Flee, "fled")] {
        for rival in Rival::ALL {
            let mut takes_part = [false; Rival::ALL.len()];
            takes_part[rival as usize] = true;
            let duel = play(Rules { takes_part, escape }, DUELS, races)[rival as usize];
            let label = format!("{word}: {}", rival.name());
            lines.push(Line::new(label, duel.chases.get(), "s of chase"));
        }
    }
    lines
}

/// The times to catch, and by how much they are shorter than that of Intercept.
fn comparison(word: &str, scores: &[Score; Rival::ALL.len()]) -> Vec<Line> {
    let straight = scores[Rival::Intercept as usize].chases.get();
    let quicker = |score: &Score| {
        let (time, straight) = (score.chases.get()?, straight?);
        Some(100.0 * (1.0 - time / straight))
    };
    let of_rival = |(rival, score): (Rival, &Score)| {
        let name = rival.name();
        [
            Line::new(format!("{word}: {name}"), score.chases.get(), "s to catch"),
            Line::new(
                format!("{word}: {name} quicker"),
                quicker(score),
                "% than Intercept",
            ),
        ]
    };
    Rival::ALL
        .into_iter()
        .zip(scores)
        .flat_map(of_rival)
        .collect()
}

/// The report lines of a pursuer.
fn score_lines(label: &str, score: &Score) -> [Line; 4] {
    let line = |text: &str, value, unit| Line::new(format!("{label}: {text}"), value, unit);
    [
        line("chase", score.chases.get(), "s"),
        line("caught", score.catches.percent(), "%"),
        line("misses", score.misses.get(), "m at the first pass"),
        line("hits", score.hits.percent(), "% of the first passes"),
    ]
}

/// The scores after this number of races.
fn scores(
    experiment: &Experiment,
    rules: Rules,
    world: u64,
    races: u32,
) -> [Score; Rival::ALL.len()] {
    let mut app = experiment.app(experiment.seed.wrapping_add(world));
    app.insert_resource(rules);
    loop {
        app.update();
        let tally = app.world().resource::<Tally>();
        if tally.races == races {
            return tally.scores;
        }
    }
}
