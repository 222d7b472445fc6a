//! The diagram inside of the track: headway by speed, a dot for each person.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::tally::{headway, measured, sorted};
use super::{Options, Track, Walker};
use crate::look::Drawn;
use crate::{overlay, palette};

/// The corner of the diagram, m.
const ORIGIN: Vec2 = Vec2::new(-4.5, -3.4);
/// Its length and height: a speed, m/s, and a headway, m.
const MOST: Vec2 = Vec2::new(1.5, 2.3);
/// How long a unit of both is, m.
const SCALE: Vec2 = Vec2::new(6.0, 3.0);

/// Draws the diagram, and rings around those who are slow or stop.
pub(super) fn draw_overlay(
    options: Res<Options>,
    track: Res<Track>,
    walkers: Query<(&Walker, &Drawn, &PathFollowingMemory, &Kinematics)>,
    mut gizmos: Gizmos,
) {
    draw_axes(&mut gizmos);
    let arcs = sorted(walkers.iter().map(|(_, _, memory, _)| memory.distance));
    for (walker, drawn, memory, body) in &walkers {
        let (here, speed) = (drawn.pose.position, body.velocity.length());
        let dot = point(speed, headway(&track.0, &arcs, memory.distance));
        gizmos.circle_2d(dot, 0.07, color_of(speed));
        if walker.number == 0 {
            gizmos.circle_2d(here, 2.0 * Pedestrian::RADIUS, palette::GOLD);
        } else if walker.slow && options.slow_people {
            gizmos.circle_2d(here, 1.5 * Pedestrian::RADIUS, palette::LILAC);
        }
    }
}

/// The color of a person with a speed, m/s.
pub(super) fn color_of(speed: f32) -> Color {
    palette::RED.mix(&palette::MINT, speed.min(1.0))
}

/// Where a speed, m/s, and a headway, m, are in the diagram, m.
fn point(speed: f32, headway: f32) -> Vec2 {
    ORIGIN + SCALE * Vec2::new(speed, headway).min(MOST)
}

fn draw_axes(gizmos: &mut Gizmos) {
    let [right, top] = [point(MOST.x, 0.0), point(0.0, MOST.y)];
    gizmos.linestrip_2d([right, ORIGIN, top], palette::MUTED);
    let below = |speed: f32| point(speed, 0.0) - 0.5 * Vec2::Y;
    for (speed, text) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1"), (1.5, "1.5")] {
        overlay::caption(gizmos, below(speed), text, palette::MUTED);
    }
    for (headway, text) in [(1.0, "1"), (2.0, "2")] {
        let beside = point(0.0, headway) - 0.5 * Vec2::X;
        overlay::caption(gizmos, beside, text, palette::MUTED);
    }
    let title = below(0.5 * MOST.x) - 0.8 * Vec2::Y;
    overlay::caption(gizmos, title, "speed, m/s", palette::MUTED);
    let title = top + 0.6 * Vec2::Y;
    overlay::caption(gizmos, title, "headway, m", palette::MUTED);
    let line = [0.0, MOST.x].map(|speed| point(speed, measured(speed)));
    gizmos.line_2d(line[0], line[1], palette::GOLD);
    let text = "measured: 0.36 m + 1.06 s v";
    // Below the line, where hardly a dot is.
    overlay::caption(gizmos, point(1.15, 0.4), text, palette::GOLD);
}
