//! Who bumps into what, how deep, how far everybody walks and how long it takes.

use std::collections::BTreeMap;

use bevy::prelude::*;

use crate::Case;

/// What a run of a case comes to; the columns of the [table](crate::table()).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Name of the case.
    pub case: String,
    /// How many walk.
    pub agents: usize,
    /// How many have reached their last goal.
    pub home: usize,
    /// Contacts deeper than [`TOUCH`](Self::TOUCH): one from the first to the last tick of it,
    /// counted for each of two walkers, and once for a walker and an obstacle.
    pub contacts: usize,
    /// Those of them that got deeper than [`DEEP`](Self::DEEP).
    pub deep_contacts: usize,
    /// The deepest penetration, m.
    pub max_penetration: f32,
    /// Mean time to get home, of those who have, s; NaN if nobody has.
    pub mean_time: f32,
    /// Mean way walked, m.
    pub path_length: f32,
    /// Mean of `∫v²dt`, m²/s.
    pub energy: f32,
    /// Wall-clock time of a tick, ms.
    pub ms_per_tick: f32,
}

impl Score {
    /// Less is no contact, m.
    pub const TOUCH: f32 = 0.001;
    /// More is a deep one, m.
    pub const DEEP: f32 = 0.05;
}

/// Where a walker is after a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Which walker of the case.
    pub walker: usize,
    /// m
    pub position: Vec2,
    /// m/s
    pub velocity: Vec2,
}

/// Watches a run, tick by tick.
#[derive(Clone, Debug)]
pub struct Scorer {
    radii: Vec<f32>,
    boxes: Vec<Rect>,
    obstacles: Vec<crate::Shape>,
    score: Score,
    /// Depths of the contacts that last, by walker and by what is touched.
    lasting: BTreeMap<(usize, Touched), f32>,
    times: f32,
    ways: f64,
    energies: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Touched {
    Walker(usize),
    Obstacle(usize),
}

impl Scorer {
    /// Watches a case from its beginning.
    pub fn new(case: &Case) -> Self {
        Self {
            radii: case.walkers.iter().map(|walker| walker.radius).collect(),
            boxes: case.obstacles.iter().map(crate::Shape::bounds).collect(),
            obstacles: case.obstacles.clone(),
            score: Score {
                case: case.name.clone(),
                agents: case.walkers.len(),
                ..default()
            },
            lasting: BTreeMap::new(),
            times: 0.0,
            ways: 0.0,
            energies: 0.0,
        }
    }

    /// Takes down that somebody got home after so many seconds.
    pub fn home(&mut self, seconds: f32) {
        self.score.home += 1;
        self.times += seconds;
    }

    /// Takes down where everybody is who is still on the way, after a tick of `delta` s; a tick of
    /// no time looks at the start.
    pub fn watch(&mut self, sightings: &[Sighting], delta: f32) {
        for seen in sightings {
            let speed = seen.velocity.length();
            self.ways += f64::from(speed * delta);
            self.energies += f64::from(speed * speed * delta);
        }
        let mut touching = BTreeMap::new();
        self.walkers_touching(sightings, &mut touching);
        self.obstacles_touched(sightings, &mut touching);
        for (&who, &depth) in &touching {
            let before = self.lasting.get(&who).copied();
            let both = match who.1 {
                Touched::Walker(_) => 2,
                Touched::Obstacle(_) => 1,
            };
            self.score.contacts += if before.is_none() { both } else { 0 };
            let deep = depth > Score::DEEP && before.is_none_or(|before| before <= Score::DEEP);
            self.score.deep_contacts += if deep { both } else { 0 };
            self.score.max_penetration = self.score.max_penetration.max(depth);
        }
        for (who, depth) in &mut touching {
            *depth = depth.max(self.lasting.get(who).copied().unwrap_or(0.0));
        }
        self.lasting = touching;
    }

    /// Sweeps along x.
    fn walkers_touching(
        &self,
        sightings: &[Sighting],
        touching: &mut BTreeMap<(usize, Touched), f32>,
    ) {
        let mut row: Vec<Sighting> = sightings.to_vec();
        row.sort_by(|a, b| a.position.x.total_cmp(&b.position.x));
        let widest = self.radii.iter().copied().fold(0.0, f32::max);
        for (i, a) in row.iter().enumerate() {
            let reach = a.position.x + self.radii[a.walker] + widest;
            for b in row[i + 1..].iter().take_while(|b| b.position.x <= reach) {
                let distance = a.position.distance(b.position);
                let depth = self.radii[a.walker] + self.radii[b.walker] - distance;
                if depth > Score::TOUCH {
                    let (first, second) = (a.walker.min(b.walker), a.walker.max(b.walker));
                    touching.insert((first, Touched::Walker(second)), depth);
                }
            }
        }
    }

    fn obstacles_touched(
        &self,
        sightings: &[Sighting],
        touching: &mut BTreeMap<(usize, Touched), f32>,
    ) {
        for seen in sightings {
            let radius = self.radii[seen.walker];
            for (which, bounds) in self.boxes.iter().enumerate() {
                if !bounds.inflate(radius).contains(seen.position) {
                    continue;
                }
                let depth = radius - self.obstacles[which].distance(seen.position);
                if depth > Score::TOUCH {
                    touching.insert((seen.walker, Touched::Obstacle(which)), depth);
                }
            }
        }
    }

    /// The score so far.
    pub fn score(&self) -> Score {
        let agents = self.score.agents.max(1) as f64;
        Score {
            mean_time: self.times / self.score.home as f32,
            path_length: (self.ways / agents) as f32,
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

    fn at(places: [f32; 2]) -> Vec<Sighting> {
        let seen = |(walker, x)| Sighting {
            walker,
            position: Vec2::new(x, 0.0),
            velocity: Vec2::new(2.0, 0.0),
        };
        places.into_iter().enumerate().map(seen).collect()
    }

    #[test]
    fn a_contact_counts_once_for_each_of_two_however_long_it_lasts() {
        let mut scorer = Scorer::new(&case());
        for places in [
            [0.0, 1.0],
            [0.0, 0.98],
            [0.0, 0.9],
            [0.0, 0.96],
            [0.0, 1.2],
            [0.0, 0.99],
        ] {
            scorer.watch(&at(places), 0.05);
        }
        let score = scorer.score();
        assert_eq!((score.contacts, score.deep_contacts), (4, 2));
        assert!((score.max_penetration - 0.1).abs() < 1e-5);
    }

    #[test]
    fn an_obstacle_counts_once() {
        let mut scorer = Scorer::new(&case());
        for places in [[4.4, 0.0], [4.52, 0.0], [4.6, 0.0]] {
            scorer.watch(&at(places), 0.05);
        }
        let score = scorer.score();
        assert_eq!((score.contacts, score.deep_contacts), (1, 1));
    }

    #[test]
    fn ways_energies_and_times_are_means() {
        let mut scorer = Scorer::new(&case());
        scorer.watch(&at([0.0, 3.0])[..1], 0.5);
        scorer.home(12.0);
        let score = scorer.score();
        // One of two walks 1 m in half a second: 4 m²/s² · 0.5 s.
        assert_eq!((score.path_length, score.energy), (0.5, 1.0));
        assert_eq!((score.home, score.mean_time), (1, 12.0));
    }
}
