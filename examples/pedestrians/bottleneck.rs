//! Flow through bottlenecks.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::check::{Bound, Check, Effort, Outcome, Row};
use crate::crowd::{Crowd, Person, RADIUS, places, random};
use crate::door::Door;
use crate::plot::{Plot, Series};
use crate::statistics::{Line, mean, standard_error};

pub const CHECKS: [Check; 1] = [Check {
    name: "bottleneck",
    title: "Bottleneck",
    about: "a crowd passes a bottleneck 2.8 m long. Up to 1.2 m 60 people do, and the flow is that from the first to \
            the last of them at its middle, the mean of twenty starts, as in the source: \
            Seyfried, Passon, Steffen, Boltes, Rupprecht and Klingsch (2009), *New insights into pedestrian flow through bottlenecks*; \
            beyond, 90 people per meter of width do, and the flow is that at its end between the first fifth and the last, the mean of five \
            starts; figures: the experiments of 2006 by the same group. Kretz, Grünebohm and Schreckenberg (2006) found 1.4 to 2.3 /s up to \
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
        let protocol = Protocol::of(width, effort);
        let of_starts: Vec<f32> = (0..protocol.starts)
            .map(|start| {
                let times = passages(width, &protocol, start);
                left_behind += protocol.people - times.len();
                flow(&times, protocol.left_out)
            })
            .collect();
        let flow = mean(of_starts.iter().copied());
        flows.push((width, flow));
        rows.push(
            Row::new(
                format!("flow per width at {width} m"),
                flow / width,
                "per m·s",
            )
            .error(standard_error(&of_starts) / width)
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

/// Who passes a bottleneck, and which of their passages count.
struct Protocol {
    people: usize,
    starts: u64,
    /// Where passages are counted, m behind the mouth.
    counted_at: f32,
    /// Share of the first and of the last passages that do not count.
    left_out: f32,
    /// The longest run, s.
    most: f32,
}

impl Protocol {
    /// The protocol of the source for a width, m.
    fn of(width: f32, effort: Effort) -> Self {
        let (most, is_narrow) = (effort.pick(240.0, 12.0), width <= 1.2);
        if is_narrow {
            Self {
                people: effort.pick(60, 6),
                starts: effort.pick(20, 1),
                counted_at: 0.5 * LENGTH,
                left_out: 0.0,
                most,
            }
        } else {
            Self {
                people: effort.pick((90.0 * width) as usize, 6),
                starts: effort.pick(5, 1),
                counted_at: LENGTH,
                left_out: 0.2,
                most,
            }
        }
    }
}

/// When people pass a bottleneck, s.
fn passages(width: f32, protocol: &Protocol, start: u64) -> Vec<f32> {
    /// Half the width of the hall, m.
    const HALF: f32 = 4.0;
    let (half, people) = (0.5 * width, protocol.people);
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
    let (mut times, mut passed) = (Vec::new(), vec![false; people]);
    crowd.run(protocol.most, |crowd| {
        crowd.guide(|_, from| mouth.way(from));
        for seen in crowd.seen() {
            if !passed[seen.person] && mouth.outside(seen.position) > protocol.counted_at {
                passed[seen.person] = true;
                times.push(crowd.time());
            }
        }
        crowd.leave(|it| end.outside(it.position) > 1.0);
    });
    times
}

/// The flow, 1/s, without this share of the first passages and of the last.
fn flow(times: &[f32], left_out: f32) -> f32 {
    let left_out = (left_out * times.len() as f32) as usize;
    let Some(steady) = times.get(left_out..times.len() - left_out) else {
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
        assert_eq!(flow(&times, 0.2), 2.0);
        assert_eq!(flow(&times, 0.0), 0.19);
        assert_eq!(flow(&[], 0.2), 0.0);
        assert_eq!(flow(&[1.0], 0.0), 0.0);
    }
}
