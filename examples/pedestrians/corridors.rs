//! One-way corridors: the fundamental diagram, RiMEA 4, and single file.

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, PACE, Person, RADIUS, normal, random, scattered_places};
use crate::plot::{Plot, Series};
use crate::statistics::{Line, mean, standard_error, top};

pub const CHECKS: [Check; 3] = [
    Check {
        name: "fundamental-diagram",
        title: "Fundamental diagram",
        about: "speed and flow by density in a periodic corridor, 16 m long and 4 m wide, for 60 s after 60 s, the mean of ten seeds, which \
                also draw the number of rows at the start and where they lie. The largest flow is the top of the parabola through \
                the three highest. Weidmann (1992), *Transporttechnik der Fußgänger*: v(ρ) = 1.34 (1 − exp(−1.913 (1/ρ − 1/5.4))) m/s; \
                the bounds are ± 20 % up to 3 per m²; beyond, the crowd must not be pushed back.",
        run: fundamental_diagram,
    },
    Check {
        name: "rimea-4",
        title: "RiMEA 4: flow through a corridor",
        about: "a corridor 10 m wide is filled with people who prefer 1.2 to 1.4 m/s. Rows name the mean density in the corridor; the \
                flow is that density times the mean speed in three fields of 2 m × 2 m, one beside each wall and one between, from 10 s \
                on for 60 s, the mean of three starts with different rows. RiMEA (2016), *Richtlinie für Mikroskopische \
                Entfluchtungsanalysen*, test 4: the flow must fall when it is crowded. Figures: Weidmann (1992).",
        run: rimea_4,
    },
    Check {
        name: "single-file",
        title: "Single file",
        about: "10 to 34 people in line in a passage 0.8 m wide and 17.3 m long with periodic ends, with the desired speeds of the \
                experiment, 1.24 ± 0.15 m/s. The line is fitted to the means of those runs in which the \
                person ahead slows down every person, even the slowest. Seyfried, Steffen, Klingsch and Boltes (2005), \
                *The fundamental diagram of pedestrian movement revisited*: the headway is d = 0.36 m + 1.06 s · v.",
        run: single_file,
    },
];

/// Speed at a density, people per m², in m/s (Weidmann 1992).
pub fn weidmann(density: f32) -> f32 {
    PACE * (1.0 - ops::exp(-1.913 * (1.0 / density - 1.0 / 5.4)))
}

/// A one-way periodic corridor along x.
struct Corridor {
    length: f32,
    width: f32,
}

impl Corridor {
    /// The corridor without people.
    fn empty(&self) -> Crowd {
        let Self { length, width } = *self;
        let mut crowd = Crowd::repeating(Vec2::new(length, 0.0));
        for y in [0.0, width] {
            crowd.wall((-length, y), (2.0 * length, y));
        }
        crowd
    }

    /// The corridor with people all over, whose desired speeds `pace` draws.
    fn crowd(&self, people: usize, seed: u64, mut pace: impl FnMut() -> f32) -> Crowd {
        let mut crowd = self.empty();
        let floor = Rect::new(0.0, RADIUS, self.length, self.width - RADIUS);
        for start in scattered_places(floor, people, &mut random(seed)) {
            crowd.add(Person::new(start, Vec2::X).with_pace(pace()));
        }
        crowd
    }

    /// The corridor with people in line, at random distances.
    fn file(&self, people: usize, mut pace: impl FnMut() -> f32) -> Crowd {
        let mut crowd = self.empty();
        let spacing = self.length / people as f32;
        let play = 0.4 * (spacing - 2.0 * RADIUS);
        let mut random = random(people as u64);
        for place in 0..people {
            let x = spacing * (place as f32 + 0.5) + play * random.signed_unit();
            let y = 0.5 * self.width + 0.02 * random.signed_unit();
            crowd.add(Person::new(Vec2::new(x, y), Vec2::X).with_pace(pace()));
        }
        crowd
    }
}

/// Mean speed along the corridor, m/s, after `warm_up` s, over `seconds`.
fn mean_speed(crowd: &mut Crowd, warm_up: f32, seconds: f32) -> f32 {
    crowd.run(warm_up, |_| {});
    let mut speeds = Vec::new();
    crowd.run(seconds, |crowd| {
        speeds.push(mean(crowd.seen().iter().map(|it| it.velocity.x)));
    });
    mean(speeds)
}

const TOO_SLOW: &str = "`ReciprocalAvoidance` keeps its clearance of centimeters, and slows down for contacts seconds \
                               ahead, on top of `Headway`; where bodies nearly touch that costs more speed than people lose.";

const PUSHED_BACK: &str = "people nearer than their clearance step back, and those behind give way to that. Where all are that near, and no \
                           end of the crowd stops it, the whole crowd moves backward, faster and faster.";

/// People per m².
const DENSITIES: [f32; 10] = [0.5, 1.0, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0];

fn fundamental_diagram(effort: Effort) -> Outcome {
    let corridor = Corridor {
        length: 16.0,
        width: 4.0,
    };
    let (seeds, warm_up, seconds) = effort.pick((10, 60.0, 60.0), (1, 0.2, 0.2));
    let speed_at = |density: f32| {
        let people = (density * corridor.length * corridor.width).round() as usize;
        let speeds = (1..=seeds).map(|seed| {
            let mut paces = random(seed + 100);
            let mut crowd = corridor.crowd(people, seed, || Pedestrian::desired_speed(&mut paces));
            mean_speed(&mut crowd, warm_up, seconds)
        });
        speeds.collect::<Vec<_>>()
    };
    let samples = DENSITIES.map(|density| (density, speed_at(density)));
    let speeds: Vec<_> = samples
        .iter()
        .map(|(density, speeds)| (*density, mean(speeds.iter().copied())))
        .collect();
    let flows: Vec<_> = speeds
        .iter()
        .map(|(density, speed)| (*density, density * speed))
        .collect();
    let (fullest, most) = top(&flows);
    let mut rows: Vec<Row> = samples
        .iter()
        .map(|(density, speeds)| speed_row(*density, speeds))
        .collect();
    rows.push(
        Row::new("largest flow", most, "per m·s")
            .source("1.22")
            .bound(Bound::between(1.0, 1.5))
            .cause(TOO_SLOW),
    );
    rows.push(
        Row::new("density of the largest flow", fullest, "per m²")
            .source("1.75")
            .bound(Bound::between(1.25, 2.25))
            .cause(TOO_SLOW),
    );
    let curve = |f: fn(f32) -> f32| Series::curve("Weidmann", 0.2, 5.4, f);
    let plots = vec![
        Plot {
            file: "fundamental-diagram-speed".into(),
            title: "Speed by density".into(),
            x: "people per m²",
            y: "speed, m/s",
            series: vec![curve(weidmann), Series::dots("ours", speeds)],
        },
        Plot {
            file: "fundamental-diagram-flow".into(),
            title: "Flow by density".into(),
            x: "people per m²",
            y: "flow, per m·s",
            series: vec![
                curve(|density| density * weidmann(density)),
                Series::dots("ours", flows),
            ],
        },
    ];
    Outcome { rows, plots }
}

fn speed_row(density: f32, speeds: &[f32]) -> Row {
    let expected = weidmann(density);
    let speed = mean(speeds.iter().copied());
    let row = Row::new(format!("speed at {density} per m²"), speed, "m/s")
        .error(standard_error(speeds))
        .source(format!("{expected:.2}"));
    if density <= 3.0 {
        row.bound(Bound::within(0.2, expected)).cause(TOO_SLOW)
    } else {
        row.bound(Bound::at_least(0.0))
    }
}

fn rimea_4(effort: Effort) -> Outcome {
    let corridor = Corridor {
        length: 16.0,
        width: 10.0,
    };
    let (starts, warm_up, seconds) = effort.pick((3, 10.0, 60.0), (1, 0.1, 0.1));
    let area = corridor.length * corridor.width;
    let field = |y: f32| Rect::from_center_size(Vec2::new(8.0, y), Vec2::splat(2.0));
    let fields = [1.5, 5.0, 8.5].map(field);
    let (mut rows, mut flows) = (Vec::new(), Vec::new());
    let flow_at = |density: f32, start: u64| {
        let mut paces = random(start);
        let people = (density * area) as usize;
        let mut crowd = corridor.crowd(people, start, || 1.2 + 0.2 * paces.unit());
        crowd.run(warm_up, |_| {});
        let mut speeds = Vec::new();
        crowd.run(seconds, |crowd| {
            let mut seen = crowd.seen();
            seen.retain(|it| fields.iter().any(|field| field.contains(it.position)));
            speeds.extend(seen.iter().map(|it| it.velocity.x));
        });
        density * mean(speeds)
    };
    for density in [0.5, 1.0, 2.0, 3.0, 4.0, 5.0] {
        let of_starts: Vec<f32> = (4..4 + starts)
            .map(|start| flow_at(density, start))
            .collect();
        let flow = mean(of_starts.iter().copied());
        flows.push(flow);
        let expected = density * weidmann(density);
        rows.push(
            Row::new(format!("flow at {density} per m²"), flow, "per m·s")
                .error(standard_error(&of_starts))
                .source(format!("{expected:.2}")),
        );
    }
    let most = flows.iter().copied().fold(0.0, f32::max);
    let crowded = flows.last().copied().unwrap_or(0.0);
    rows.push(
        Row::new("flow at 5 per m², of the largest", crowded / most, "")
            .source("0.15")
            .bound(Bound::between(0.0, 0.5))
            .cause(PUSHED_BACK),
    );
    Outcome {
        rows,
        plots: vec![],
    }
}

fn single_file(effort: Effort) -> Outcome {
    const LENGTH: f32 = 17.3;
    let corridor = Corridor {
        length: LENGTH,
        width: 0.8,
    };
    let (warm_up, seconds) = effort.pick((60.0, 60.0), (0.2, 0.2));
    let mut means = Vec::new();
    let mut held_up = Vec::new();
    for people in [10, 12, 15, 17, 20, 22, 25, 28, 31, 34] {
        let mut random = random(5);
        // Their free speeds were 1.24 ± 0.15 m/s.
        let paces: Vec<f32> = (0..people)
            .map(|_| 1.24 + 0.15 * normal(&mut random).clamp(-2.0, 2.0))
            .collect();
        let slowest = paces.iter().copied().fold(f32::INFINITY, f32::min);
        let mut paces = paces.into_iter();
        let mut crowd = corridor.file(people, || paces.next().unwrap_or(slowest));
        let speed = mean_speed(&mut crowd, warm_up, seconds);
        let headway = LENGTH / people as f32;
        means.push((speed, headway));
        if speed < 0.9 * slowest {
            held_up.push((speed, headway));
        }
    }
    let line = Line::through(&held_up);
    let rows = vec![
        Row::new("headway at rest", line.intercept, "m")
            .source("0.36")
            .bound(Bound::within(0.2, 0.36)),
        Row::new("headway per speed", line.slope, "s")
            .source("1.06")
            .bound(Bound::within(0.2, 1.06)),
        Row::new(
            "share of the variance that the line explains",
            line.explained,
            "",
        )
        .source("linear")
        .bound(Bound::at_least(0.9)),
    ];
    let seyfried = Series::curve("Seyfried et al.", 0.0, 1.24, |speed| 0.36 + 1.06 * speed);
    let plots = vec![Plot {
        file: "single-file".into(),
        title: "Headway by speed, single file".into(),
        x: "speed, m/s",
        y: "headway, m",
        series: vec![seyfried, Series::dots("ours", means)],
    }];
    Outcome { rows, plots }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_of_weidmann_has_its_published_values() {
        assert!((weidmann(1.0) - 1.06).abs() < 0.005);
        assert!(weidmann(5.4).abs() < 1e-4);
        let flows: Vec<_> = (1..54)
            .map(|it| 0.1 * it as f32)
            .map(|it| (it, it * weidmann(it)))
            .collect();
        let (density, most) = top(&flows);
        assert!((density - 1.75).abs() < 0.1 && (most - 1.22).abs() < 0.01);
    }
}
