//! The experiment: the same races in many worlds.

use super::rival::Rival;
use super::rules::{Escape, LIMIT, Rules};
use super::score::{Score, Tally};
use crate::experiment::Experiment;
use crate::report::Line;

/// Runs races over the same courses, then duels with a quarry that flees. Several seeds, because
/// the outcome of one short run is mostly chance.
pub(super) fn experiment(experiment: &Experiment) -> Vec<Line> {
    const COURSES: u64 = 16;
    const DUELS: u64 = 8;
    let races = (experiment.ticks / 200).max(1);
    let play = |rules: Rules, worlds: u64| {
        (0..worlds)
            .map(|world| scores(experiment, rules, world, races))
            .fold([Score::default(); Rival::ALL.len()], |sums, scores| {
                std::array::from_fn(|i| sums[i].plus(&scores[i]))
            })
    };

    let mut lines = vec![Line::new("maximum duration of a chase", LIMIT, "s")];
    let count = races * COURSES as u32;
    lines.push(Line::new("races over a common course", count, ""));
    for (rival, score) in Rival::ALL.into_iter().zip(&play(Rules::default(), COURSES)) {
        lines.extend(score_lines(&format!("course: {}", rival.name()), score));
    }
    let count = races * DUELS as u32;
    lines.push(Line::new("duels with a fleeing quarry", count, ""));
    for (escape, word) in [(Escape::Evade, "evaded"), (Escape::Flee, "fled")] {
        for rival in Rival::ALL {
            let mut takes_part = [false; Rival::ALL.len()];
            takes_part[rival as usize] = true;
            let duel = play(Rules { takes_part, escape }, DUELS)[rival as usize];
            let label = format!("{word}: {}", rival.name());
            lines.push(Line::new(label, duel.chases.get(), "s of chase"));
        }
    }
    lines
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
