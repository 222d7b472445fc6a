//! Draws the trails of a run as SVG.

use std::fmt::Write;

use bevy::prelude::*;

use crate::{Case, Run, Shape};

/// The trails of a run over its case as SVG; y points up as in the world. Hues go around the color
/// wheel from the first walker to the last. A dot is a start, a small ring a goal, a large ring the
/// last position.
pub fn svg(case: &Case, run: &Run) -> String {
    const MARGIN: f32 = 3.0;
    let trails = run.trails.iter().flatten();
    let area = trails
        .fold(case.extent(), |area, point| area.union_point(*point))
        .inflate(MARGIN);
    let (size, scale) = (area.size(), 1_200.0 / area.size().max_element());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" \
         viewBox=\"{:.2} {:.2} {:.2} {:.2}\">\n\
         <rect x=\"{:.2}\" y=\"{:.2}\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        scale * size.x,
        scale * size.y,
        area.min.x,
        -area.max.y,
        size.x,
        size.y,
        area.min.x,
        -area.max.y,
    );
    for obstacle in &case.obstacles {
        match obstacle {
            Shape::Disc { center, radius } => {
                let (x, y) = (center.x, -center.y);
                let _ = writeln!(
                    text,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"#999\"/>"
                );
            }
            Shape::Polygon(corners) => {
                let _ = writeln!(
                    text,
                    "<polygon points=\"{}\" fill=\"#999\"/>",
                    points(corners)
                );
            }
        }
    }
    let count = case.walkers.len().max(1) as f32;
    for (index, (walker, trail)) in case.walkers.iter().zip(&run.trails).enumerate() {
        let hue = 360.0 * index as f32 / count;
        let color = format!("hsl({hue:.0},80%,45%)");
        let width = 0.3 * walker.radius;
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
             stroke-opacity=\"0.6\"/>",
            points(trail)
        );
        let dot = |at: Vec2, style: String| {
            format!("<circle cx=\"{:.2}\" cy=\"{:.2}\" {style}/>\n", at.x, -at.y)
        };
        let radius = walker.radius;
        text += &dot(walker.position, format!("r=\"{radius}\" fill=\"{color}\""));
        for goal in &walker.goals {
            let ring = format!("r=\"0.4\" fill=\"none\" stroke=\"{color}\" stroke-width=\"0.1\"");
            text += &dot(goal.target, ring);
        }
        if let Some(last) = trail.last() {
            text += &dot(
                *last,
                format!("r=\"{radius}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"0.08\""),
            );
        }
    }
    text + "</svg>\n"
}

fn points(line: &[Vec2]) -> String {
    let point = |at: &Vec2| format!("{:.2},{:.2}", at.x, -at.y);
    line.iter().map(point).collect::<Vec<_>>().join(" ")
}
