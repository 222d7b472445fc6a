//! Flow through bottlenecks.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Person, RADIUS, places, random};
use crate::door::Door;
use crate::plot::{Plot, Series};
use crate::statistics::{Line, mean};

pub const CHECKS: [Check; 1] = [Check {
    name: "bottleneck",
    title: "Bottleneck",
    about: "a crowd passes a bottleneck 2.8 m long; the flow is that of the people between the first fifth and the last, the mean of \
            five starts. Up to 1.2 m: \
            Seyfried, Passon, Steffen, Boltes, Rupprecht and Klingsch (2009), *New insights into pedestrian flow through bottlenecks*; \
            beyond: the experiments of 2006 by the same group. Kretz, Grünebohm and Schreckenberg (2006) found 1.4 to 2.3 /s up to \
            1.2 m.",
    run: bottleneck,
}];

/// Width, m, and flow, 1/s, of the sources.
const FLOWS: [(f32, f32); 7] = [
    (0.8, 1.29),
    (0.9, 1.67),
    (1.0, 1.90),
    (1.2, 2.36),
    (1.6, 2.84),
    (2.0, 3.55),
    (2.5, 5.12),
];

/// Length of the bottleneck, m.
const LENGTH: f32 = 2.8;

fn bottleneck(effort: Effort) -> Outcome {
    let cause = "those at the mouth let each other go first, and gaps are closed late.";
    let (mut rows, mut flows) = (Vec::new(), Vec::new());
    let mut left_behind = 0;
    for (width, source) in FLOWS {
        let people = effort.pick((90.0 * width).max(90.0) as usize, 6);
        let (starts, most) = effort.pick((5, 240.0), (1, 12.0));
        let flow = mean((0..starts).map(|start| {
            let times = passages(width, people, start, most);
            left_behind += people - times.len();
            flow(&times)
        }));
        flows.push((width, flow));
        rows.push(
            Row::new(
                format!("flow per width at {width} m"),
                flow / width,
                "per m·s",
            )
            .source(format!("{:.2}", source / width))
            .bound(Bound::between(1.6, 2.1))
            .cause(cause),
        );
    }
    rows.push(
        Row::new(
            "people who have not passed after 240 s",
            left_behind as f32,
            "",
        )
        .source("0")
        .bound(Bound::exactly(0.0))
        .cause(cause),
    );
    let line = Line::through(&flows);
    rows.push(
        Row::new(
            "share of the flow's variance that a line explains",
            line.explained,
            "",
        )
        .source("linear")
        .bound(Bound::at_least(0.95))
        .cause(cause),
    );
    let plots = vec![Plot {
        file: "bottleneck".into(),
        title: "Flow through a bottleneck".into(),
        x: "width, m",
        y: "flow, 1/s",
        series: vec![
            Series::dots("sources", FLOWS.to_vec()),
            Series::dots("ours", flows),
        ],
    }];
    Outcome { rows, plots }
}

/// When people pass a bottleneck, s.
fn passages(width: f32, people: usize, start: u64, most: f32) -> Vec<f32> {
    /// Half the width of the hall, m.
    const HALF: f32 = 4.0;
    let half = 0.5 * width;
    let mut crowd = Crowd::new();
    for side in [-1.0, 1.0] {
        crowd.walls([
            (-30.0, side * HALF),
            (0.0, side * HALF),
            (0.0, side * half),
            (LENGTH, side * half),
            (LENGTH, side * HALF),
        ]);
    }
    // As in the experiments, 3.3 per m², from 1 m ahead of the bottleneck.
    let depth = people as f32 / (3.3 * 2.0 * (HALF - RADIUS));
    let hall = Rect::new(-1.0 - depth, RADIUS - HALF, -1.0, HALF - RADIUS);
    let mut random = random(people as u64 + start);
    for start in places(hall, people, &mut random) {
        let pace = Pedestrian::desired_speed(&mut random);
        crowd.add(Person::new(start, Vec2::X).with_pace(pace));
    }
    let (mouth, end) = (
        Door::new((0.0, 0.0), width, Vec2::X),
        Door::new((LENGTH, 0.0), width, Vec2::X),
    );
    let mut times = Vec::new();
    crowd.run(most, |crowd| {
        crowd.guide(|_, from| mouth.way(from));
        let time = crowd.time();
        times.extend(
            crowd
                .leave(|it| end.outside(it.position) > 1.0)
                .iter()
                .map(|_| time),
        );
    });
    times
}

/// The flow between the first fifth of all passages and the last, 1/s.
fn flow(times: &[f32]) -> f32 {
    let fifth = times.len() / 5;
    let Some(steady) = times.get(fifth..times.len() - fifth) else {
        return 0.0;
    };
    match steady {
        [first, .., last] => (steady.len() - 1) as f32 / (last - first).max(f32::MIN_POSITIVE),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flow_leaves_out_the_first_and_the_last() {
        // Two a second, after and before a pause.
        let mut times: Vec<f32> = (0..20).map(|it| 10.0 + 0.5 * it as f32).collect();
        times[0] = 0.0;
        times[19] = 100.0;
        assert_eq!(flow(&times), 2.0);
        assert_eq!(flow(&[]), 0.0);
        assert_eq!(flow(&[1.0]), 0.0);
    }
}
