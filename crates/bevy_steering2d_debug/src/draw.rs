//! Drawing functions for steering gizmos. They only write lines into a gizmo buffer.
//!
//! Games can use them with [`Gizmos`] of any config group:
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d_core::Kinematics;
//! # use bevy_steering2d_debug::{colors, draw};
//! fn show_velocities(bodies: Query<&Kinematics>, mut gizmos: Gizmos) {
//!     for body in &bodies {
//!         draw::arrow(&mut gizmos, body.position, 0.4 * body.velocity, colors::VELOCITY);
//!     }
//! }
//! # bevy::ecs::system::assert_is_system(show_velocities);
//! ```

use bevy::gizmos::gizmos::GizmoBuffer;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Agent, NeighborView, ObstacleAvoidance, SteeringPath, Surroundings, WallAvoidance, Wander,
    WanderMemory, WanderStyle, perception::RayProbe,
};

use crate::colors::{ATTENTION, DANGER, QUIET};

/// The minimum length of an arrow, m.
const SHORTEST: f32 = 0.1;

/// An arrow from a point along a vector, m. Arrows of 0.1 m or less are not drawn.
pub fn arrow<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    from: Vec2,
    vector: Vec2,
    color: impl Into<Color>,
) {
    let length = vector.length();
    if !length.is_finite() || length <= SHORTEST {
        return;
    }
    let color = color.into();
    let to = from + vector;
    let barb = -0.3_f32.min(0.4 * length) / length * vector;
    canvas.line_2d(from, to, color);
    for turn in [0.5, -0.5] {
        canvas.line_2d(to, to + Vec2::from_angle(turn).rotate(barb), color);
    }
}

/// A diagonal cross of a size, m.
pub fn cross<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    at: Vec2,
    size: f32,
    color: impl Into<Color>,
) {
    let color = color.into();
    let arm = Vec2::splat(size * std::f32::consts::FRAC_1_SQRT_2);
    canvas.line_2d(at - arm, at + arm, color);
    canvas.line_2d(at - arm.perp(), at + arm.perp(), color);
}

/// A faint line from an agent to its target, and a cross at the target.
pub fn aim<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    from: Vec2,
    to: Vec2,
    color: impl Into<Color>,
) {
    let color = color.into();
    canvas.line_2d(from, to, color.with_alpha(0.45));
    cross(canvas, to, 0.3, color);
}

/// A circle with a resolution that grows with its radius. Infinite circles are not drawn.
pub fn ring<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    center: Vec2,
    radius: f32,
    color: impl Into<Color>,
) {
    if radius.is_finite() && radius > 0.0 {
        let corners = (24.0 + 8.0 * radius).min(96.0) as u32;
        canvas.circle_2d(center, radius, color).resolution(corners);
    }
}

/// The center line of a path.
pub fn path<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    path: &SteeringPath,
    color: impl Into<Color>,
) {
    let points = path.points().iter().copied();
    let back = path.is_looped().then(|| path.points()[0]);
    canvas.linestrip_2d(points.chain(back), color);
}

/// A trail that fades with age: points from the oldest to the newest, and the current position.
pub fn trail<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    points: impl ExactSizeIterator<Item = Vec2>,
    here: Vec2,
    color: impl Into<Color>,
) {
    const OPACITY: f32 = 0.7;
    let color = color.into();
    let count = points.len().max(1) as f32;
    let shades = (0..).map(|i| color.with_alpha(OPACITY * i as f32 / count));
    canvas.linestrip_gradient_2d(points.chain([here]).zip(shades));
}

/// The wander circle and the target on it; for `RandomTarget`, only the target.
///
/// `lag` is the offset from the agent's position in the last tick to where it is drawn, m.
pub fn wander<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    from: Vec2,
    lag: Vec2,
    wander: &Wander,
    memory: &WanderMemory,
) {
    let quiet = QUIET.with_alpha(0.35);
    let target = match wander.style {
        WanderStyle::Circle { radius, .. } | WanderStyle::Angle { radius, .. } => {
            ring(canvas, memory.center + lag, radius, quiet);
            memory.target + lag
        }
        WanderStyle::RandomTarget { .. } => memory.target,
    };
    canvas.line_2d(from, target, quiet);
    canvas.circle_2d(target, 0.12, ATTENTION);
}

/// The detection box of an agent, and rings around the obstacles that it avoids.
///
/// `lag` is the offset from the agent's position in the last tick to where it is drawn, m.
pub fn detection_box<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    lag: Vec2,
    me: &Agent,
    avoidance: &ObstacleAvoidance,
    surroundings: &Surroundings,
) {
    let answers = surroundings.answers(avoidance, me);
    let mut color = QUIET.with_alpha(0.5);
    answers.for_each_obstacle(|obstacle| {
        if avoidance.avoids(me, obstacle.circle) {
            color = ATTENTION.with_alpha(0.7);
            let circle = obstacle.circle;
            ring(canvas, circle.center, circle.radius + 0.06, ATTENTION);
        }
    });
    for sweep in answers.sweeps() {
        let outline = way_outline(sweep.from + lag, sweep.to + lag, sweep.radius);
        canvas.lineloop_2d(outline, color);
    }
}

/// The corners of a corridor between two points, with a half-width of `radius` m.
pub fn way_outline(from: Vec2, to: Vec2, radius: f32) -> [Vec2; 4] {
    let side = radius * (to - from).normalize_or(Vec2::X).perp();
    [from + side, to + side, to - side, from - side]
}

/// The feelers of an agent, and their hits. If `all` is false, only feelers with a hit.
///
/// `lag` is the offset from the agent's position in the last tick to where it is drawn, m.
pub fn feelers<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    lag: Vec2,
    me: &Agent,
    avoidance: &WallAvoidance,
    surroundings: &Surroundings,
    all: bool,
) {
    let answers = surroundings.answers(avoidance, me);
    for RayProbe { from, to, hit, .. } in answers.rays() {
        let met = hit.map_or(to, |hit| hit.point);
        let color = if hit.is_some() { ATTENTION } else { QUIET };
        if all || hit.is_some() {
            canvas.line_2d(from + lag, met + lag, color.with_alpha(0.6));
        }
        if hit.is_some() {
            canvas.line_2d(met + lag, to + lag, DANGER);
            canvas.circle_2d(met + lag, 0.1, ATTENTION);
        }
    }
}

/// Perception radius and field of view: a circle, or a sector of one.
pub fn view<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    view: &NeighborView,
    color: impl Into<Color>,
) {
    if view.field_of_view >= std::f32::consts::TAU {
        ring(canvas, view.position, view.radius, color);
    } else {
        canvas.lineloop_2d(slice(view), color);
    }
}

/// The outline of a limited field of view: the center, then points along the arc.
pub fn slice(view: &NeighborView) -> impl Iterator<Item = Vec2> {
    const STEPS: u32 = 32;
    let (center, radius) = (view.position, view.radius);
    let (heading, angle) = (view.heading.normalize_or(Vec2::X), view.field_of_view);
    let arc = (0..=STEPS).map(move |step| {
        let turn = Vec2::from_angle(angle * (step as f32 / STEPS as f32 - 0.5));
        center + radius * turn.rotate(heading)
    });
    std::iter::once(center).chain(arc)
}

/// ASCII text at a point. An `anchor` of zero centers it; `(-0.5, 0)` starts it at the point.
pub fn text<C: GizmoConfigGroup>(
    canvas: &mut GizmoBuffer<C, ()>,
    at: Vec2,
    size: f32,
    text: &str,
    anchor: Vec2,
    color: impl Into<Color>,
) {
    canvas.text_2d(Isometry2d::from_translation(at), text, size, anchor, color);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringGizmos;
    use bevy_steering2d_core::SteeringGroups;

    type Canvas = GizmoBuffer<SteeringGizmos, ()>;

    #[test]
    fn arrow_is_a_shaft_and_two_barbs() {
        let mut canvas = Canvas::new();
        arrow(&mut canvas, Vec2::ONE, Vec2::new(2.0, 0.0), Color::WHITE);
        let points: Vec<_> = canvas.list_positions.iter().map(|p| p.truncate()).collect();
        assert_eq!(points.len(), 6);
        assert_eq!(points[..2], [Vec2::ONE, Vec2::new(3.0, 1.0)]);
        for barb in [points[3], points[5]] {
            assert!((barb.distance(points[1]) - 0.3).abs() < 1e-6 && barb.x < 3.0);
        }
    }

    #[test]
    fn arrows_and_rings_without_extent_are_not_drawn() {
        let mut canvas = Canvas::new();
        for vector in [Vec2::ZERO, Vec2::splat(0.01), Vec2::NAN, Vec2::INFINITY] {
            arrow(&mut canvas, Vec2::ZERO, vector, Color::WHITE);
        }
        for radius in [0.0, f32::INFINITY, f32::NAN] {
            ring(&mut canvas, Vec2::ZERO, radius, Color::WHITE);
        }
        assert!(canvas.list_positions.is_empty() && canvas.strip_positions.is_empty());
    }

    #[test]
    fn looped_path_is_closed_and_open_path_is_not() {
        let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE];
        let drawn = |points: &SteeringPath| {
            let mut canvas = Canvas::new();
            path(&mut canvas, points, Color::WHITE);
            let points = canvas.strip_positions.iter().filter(|p| p.is_finite());
            points.map(|point| point.truncate()).collect::<Vec<_>>()
        };
        let open = SteeringPath::open(corners).unwrap();
        let looped = SteeringPath::looped(corners).unwrap();
        assert_eq!(drawn(&open), corners);
        assert_eq!(
            drawn(&looped),
            [corners[0], corners[1], corners[2], corners[0]]
        );
    }

    #[test]
    fn way_outline_is_as_wide_as_the_disc() {
        let corners = way_outline(Vec2::ZERO, Vec2::new(4.0, 0.0), 0.5);
        let expected = [(0.0, 0.5), (4.0, 0.5), (4.0, -0.5), (0.0, -0.5)];
        assert_eq!(corners, expected.map(Vec2::from));
    }

    #[test]
    fn slice_spans_the_field_of_view() {
        let view = NeighborView {
            field_of_view: std::f32::consts::PI,
            ..NeighborView::around(&Agent::default(), 2.0, SteeringGroups::ALL)
        };
        let outline: Vec<_> = slice(&view).collect();
        let (right, left) = (outline[1], outline[outline.len() - 1]);
        assert_eq!(outline[0], Vec2::ZERO);
        assert!(right.distance(Vec2::new(0.0, -2.0)) < 1e-5, "{right}");
        assert!(left.distance(Vec2::new(0.0, 2.0)) < 1e-5, "{left}");
        assert!(outline[1..].iter().all(|p| (p.length() - 2.0).abs() < 1e-5));
    }
}
