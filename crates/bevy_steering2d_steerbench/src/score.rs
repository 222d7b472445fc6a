//! Scores a run: contacts, penetration depth, times, path lengths and energies.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;
use serde::Serialize;

use crate::{Case, touching};

/// The score of a run; the columns of the [table](crate::Table).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Name of the case.
    pub case: String,
    /// Number of walkers.
    pub agents: usize,
    /// Number of walkers that have reached their last goal.
    pub home: usize,
    /// Contacts deeper than [`TOUCH`](Self::TOUCH). A contact lasts from its first to its last tick
    /// and counts once per walker: two for two walkers, one for a walker and an obstacle.
    pub contacts: usize,
    /// Contacts that became deeper than [`DEEP`](Self::DEEP).
    pub deep_contacts: usize,
    /// The deepest penetration, m.
    pub max_penetration: f32,
    /// Mean time to the last goal, over the walkers that reached it, s; NaN without any.
    pub mean_time: f32,
    /// Mean path length, m.
    pub path_length: f32,
    /// Mean of `∫v²dt`, m²/s.
    pub energy: f32,
    /// SteerBench's composite score 01, per walker: 50 per contact, the time until its last goal or the
    /// end, s, and `½v²` of every tick. Lower is better. (Singh 2009)
    pub composite_01: f32,
    /// SteerBench's composite score 02: 01 and the acceleration of every tick, m/s².
    pub composite_02: f32,
    /// Wall-clock time of a tick, ms.
    pub ms_per_tick: f32,
}

impl Score {
    /// Penetration above which walkers are in contact, m.
    pub const TOUCH: f32 = 0.001;
    /// Penetration above which a contact is deep, m.
    pub const DEEP: f32 = 0.05;

    /// Orders runs of one case from the best to the worst: first by the walkers that did not get home,
    /// then by deep contacts.
    pub fn badness(&self) -> (usize, usize) {
        (self.agents - self.home, self.deep_contacts)
    }
}

/// Position and velocity of a walker after a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Index into [`Case::walkers`].
    pub walker: usize,
    /// m
    pub position: Vec2,
    /// m/s
    pub velocity: Vec2,
}

/// Accumulates the score of a run, tick by tick.
#[derive(Clone, Debug)]
pub struct Scorer {
    // What a run does not change, shared with clones: a recording clones the scorer in every tick.
    radii: Arc<[f32]>,
    boxes: Arc<[Rect]>,
    obstacles: Arc<[crate::Shape]>,
    score: Score,
    /// Greatest depths of the ongoing contacts, by walker and by what it touches.
    ongoing: BTreeMap<(usize, Touched), f32>,
    times: f32,
    path_lengths: f64,
    energies: f64,
    /// Velocities after the tick before, m/s.
    velocities: Vec<Option<Vec2>>,
    /// Sum of the ticks' lengths over all walkers, s.
    times_on_the_way: f64,
    /// Sum of `½v²` over all walkers and ticks, m²/s².
    kinetic_energies: f64,
    /// Sum of the accelerations over all walkers and ticks, m/s².
    accelerations: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Touched {
    Walker(usize),
    Obstacle(usize),
}

impl Scorer {
    /// A scorer for a run of the case.
    pub fn new(case: &Case) -> Self {
        Self {
            radii: case.walkers.iter().map(|walker| walker.radius).collect(),
            boxes: case.obstacles.iter().map(crate::Shape::bounds).collect(),
            obstacles: case.obstacles.as_slice().into(),
            score: Score {
                case: case.name.clone(),
                agents: case.walkers.len(),
                ..default()
            },
            ongoing: BTreeMap::new(),
            times: 0.0,
            path_lengths: 0.0,
            energies: 0.0,
            velocities: vec![None; case.walkers.len()],
            times_on_the_way: 0.0,
            kinetic_energies: 0.0,
            accelerations: 0.0,
        }
    }

    /// Records that a walker reached its last goal after this time, s.
    pub fn home(&mut self, seconds: f32) {
        self.score.home += 1;
        self.times += seconds;
    }

    /// Records the walkers that have not arrived, after a tick of `delta` s. Call it with zero for
    /// the start.
    pub fn watch(&mut self, sightings: &[Sighting], delta: f32) {
        for seen in sightings {
            let speed = seen.velocity.length();
            self.path_lengths += f64::from(speed * delta);
            self.energies += f64::from(speed * speed * delta);
            let before = self.velocities[seen.walker].replace(seen.velocity);
            if let Some(before) = before.filter(|_| delta > 0.0) {
                self.times_on_the_way += f64::from(delta);
                self.kinetic_energies += f64::from(0.5 * speed * speed);
                self.accelerations += f64::from(seen.velocity.distance(before) / delta);
            }
        }
        let mut contacts = BTreeMap::new();
        self.walkers_touching(sightings, &mut contacts);
        self.obstacles_touched(sightings, &mut contacts);
        for (&pair, &depth) in &contacts {
            let before = self.ongoing.get(&pair).copied();
            let both = match pair.1 {
                Touched::Walker(_) => 2,
                Touched::Obstacle(_) => 1,
            };
            self.score.contacts += if before.is_none() { both } else { 0 };
            let deep = depth > Score::DEEP && before.is_none_or(|before| before <= Score::DEEP);
            self.score.deep_contacts += if deep { both } else { 0 };
            self.score.max_penetration = self.score.max_penetration.max(depth);
        }
        for (pair, depth) in &mut contacts {
            *depth = depth.max(self.ongoing.get(pair).copied().unwrap_or(0.0));
        }
        self.ongoing = contacts;
    }

    fn walkers_touching(
        &self,
        sightings: &[Sighting],
        contacts: &mut BTreeMap<(usize, Touched), f32>,
    ) {
        let seen = sightings.iter();
        let bodies: Vec<_> = seen
            .map(|it| (it.position, self.radii[it.walker]))
            .collect();
        for (a, b, depth) in touching(&bodies).filter(|it| it.2 > Score::TOUCH) {
            let [a, b] = [a, b].map(|at| sightings[at].walker);
            contacts.insert((a.min(b), Touched::Walker(a.max(b))), depth);
        }
    }

    fn obstacles_touched(
        &self,
        sightings: &[Sighting],
        contacts: &mut BTreeMap<(usize, Touched), f32>,
    ) {
        for seen in sightings {
            let radius = self.radii[seen.walker];
            for (which, bounds) in self.boxes.iter().enumerate() {
                if !bounds.inflate(radius).contains(seen.position) {
                    continue;
                }
                let depth = radius - self.obstacles[which].distance(seen.position);
                if depth > Score::TOUCH {
                    contacts.insert((seen.walker, Touched::Obstacle(which)), depth);
                }
            }
        }
    }

    /// The score so far.
    pub fn score(&self) -> Score {
        let agents = self.score.agents.max(1) as f64;
        let contacts = 50.0 * self.score.contacts as f64;
        let composite_01 = (contacts + self.times_on_the_way + self.kinetic_energies) / agents;
        let composite_02 = composite_01 + self.accelerations / agents;
        Score {
            composite_01: composite_01 as f32,
            composite_02: composite_02 as f32,
            mean_time: self.times / self.score.home as f32,
            path_length: (self.path_lengths / agents) as f32,
            energy: (self.energies / agents) as f32,
            ..self.score.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Walker};

    fn case() -> Case {
        Case::named("three")
            .with_walker(Walker::new(Vec2::ZERO))
            .with_walker(Walker::new(Vec2::ZERO))
            .with_obstacle(Shape::block(Rect::new(5.0, -1.0, 6.0, 1.0)))
    }

    fn at(xs: [f32; 2]) -> Vec<Sighting> {
        let seen = |(walker, x)| Sighting {
            walker,
            position: Vec2::new(x, 0.0),
            velocity: Vec2::new(2.0, 0.0),
        };
        xs.into_iter().enumerate().map(seen).collect()
    }

    #[test]
    fn a_contact_counts_once_for_each_walker_however_long_it_lasts() {
        let mut scorer = Scorer::new(&case());
        for xs in [
            [0.0, 1.0],
            [0.0, 0.98],
            [0.0, 0.9],
            [0.0, 0.96],
            [0.0, 1.2],
            [0.0, 0.99],
        ] {
            scorer.watch(&at(xs), 0.05);
        }
        let score = scorer.score();
        assert_eq!((score.contacts, score.deep_contacts), (4, 2));
        assert!((score.max_penetration - 0.1).abs() < 1e-5);
    }

    #[test]
    fn a_contact_with_an_obstacle_counts_once() {
        let mut scorer = Scorer::new(&case());
        for xs in [[4.4, 0.0], [4.52, 0.0], [4.6, 0.0]] {
            scorer.watch(&at(xs), 0.05);
        }
        let score = scorer.score();
        assert_eq!((score.contacts, score.deep_contacts), (1, 1));
    }

    #[test]
    fn json_has_every_key_once_and_no_nan() {
        let score = Score {
            case: "a \"b\"".into(),
            mean_time: f32::NAN,
            ..Score::default()
        };
        let text = serde_json::to_string(&[score]).unwrap();
        for key in [
            "case",
            "agents",
            "home",
            "contacts",
            "deep_contacts",
            "max_penetration",
            "mean_time",
            "path_length",
            "energy",
            "composite_01",
            "composite_02",
            "ms_per_tick",
        ] {
            assert_eq!(text.matches(&format!("\"{key}\":")).count(), 1, "{text}");
        }
        assert!(
            text.contains("\"mean_time\":null") && text.contains(r#""a \"b\"""#),
            "{text}"
        );
    }

    #[test]
    fn path_length_energy_and_time_are_means() {
        let mut scorer = Scorer::new(&case());
        scorer.watch(&at([0.0, 3.0])[..1], 0.5);
        scorer.home(12.0);
        let score = scorer.score();
        // One of two walkers moves 1 m in half a second: 4 m²/s² · 0.5 s.
        assert_eq!((score.path_length, score.energy), (0.5, 1.0));
        assert_eq!((score.home, score.mean_time), (1, 12.0));
    }

    #[test]
    fn composite_scores_equal_the_formulas_of_the_suite() {
        let mut scorer = Scorer::new(&case());
        let mut standing = at([0.0, 0.99]);
        for seen in &mut standing {
            seen.velocity = Vec2::ZERO;
        }
        scorer.watch(&standing, 0.0);
        // Both accelerate to 2 m/s in half a second: 4 m/s², and ½ · 2² each.
        scorer.watch(&at([0.0, 0.99]), 0.5);
        let score = scorer.score();
        assert_eq!(score.composite_01, 50.0 + 0.5 + 2.0);
        assert_eq!(score.composite_02, score.composite_01 + 4.0);
    }
}
