//! Draws the trails of a run as SVG.

use bevy::prelude::*;

use crate::{Case, Run, Shape, Walker};

/// The trails of a run over its case as SVG; y points up as in the world. Hues go around the color
/// wheel from the first walker to the last. A dot is a start, a small ring a goal, a large ring the
/// last position.
pub fn svg(case: &Case, run: &Run) -> String {
    const MARGIN: f32 = 3.0;
    let trails = run.trails.iter().flatten();
    let area = trails
        .fold(case.extent(), |area, point| area.union_point(*point))
        .inflate(MARGIN);
    let mut text = header(area);
    for shape in &case.obstacles {
        text += &obstacle(shape);
    }
    let count = case.walkers.len().max(1) as f32;
    for (index, (it, trail)) in case.walkers.iter().zip(&run.trails).enumerate() {
        let hue = 360.0 * index as f32 / count;
        text += &walker(it, trail, &format!("hsl({hue:.0},80%,45%)"));
    }
    text + "</svg>\n"
}

/// The head of an image of an area, and its background.
fn header(area: Rect) -> String {
    let (size, scale) = (area.size(), 1_200.0 / area.size().max_element());
    format!(
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
    )
}

/// An obstacle, in gray.
fn obstacle(shape: &Shape) -> String {
    match shape {
        Shape::Disc { center, radius } => {
            let (x, y) = (center.x, -center.y);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"#999\"/>\n")
        }
        Shape::Polygon(corners) => {
            let points = points(corners);
            format!("<polygon points=\"{points}\" fill=\"#999\"/>\n")
        }
    }
}

/// The trail of a walker, its start, goals and last position.
fn walker(walker: &Walker, trail: &[Vec2], color: &str) -> String {
    let (radius, width) = (walker.radius, 0.3 * walker.radius);
    let points = points(trail);
    let mut text = format!(
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" \
         stroke-opacity=\"0.6\"/>\n"
    );
    let dot = |at: Vec2, style: String| {
        format!("<circle cx=\"{:.2}\" cy=\"{:.2}\" {style}/>\n", at.x, -at.y)
    };
    text += &dot(walker.position, format!("r=\"{radius}\" fill=\"{color}\""));
    for goal in &walker.goals {
        let ring = format!("r=\"0.4\" fill=\"none\" stroke=\"{color}\" stroke-width=\"0.1\"");
        text += &dot(goal.target, ring);
    }
    if let Some(last) = trail.last() {
        let ring = format!("r=\"{radius}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"0.08\"");
        text += &dot(*last, ring);
    }
    text
}

fn points(line: &[Vec2]) -> String {
    let point = |at: &Vec2| format!("{:.2},{:.2}", at.x, -at.y);
    line.iter().map(point).collect::<Vec<_>>().join(" ")
}
