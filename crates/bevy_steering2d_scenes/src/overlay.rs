//! Gizmos that explain a scene: forces, velocities, aims, ranges and labels.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, WanderMemory};
pub(crate) use bevy_steering2d_debug::draw::{aim, cross, path};
use bevy_steering2d_debug::{SteeringDebug, colors, draw};

use crate::arena::Arena;
use crate::lifecycle::CurrentScene;
use crate::look::{Drawn, Pose};
use crate::palette;
use crate::senses::ViewCone;

/// Draws a small cross every four meters, as a scale for distances and speeds; fewer where the arena is large.
pub(crate) fn mark_ground(arena: Res<Arena>, mut gizmos: Gizmos) {
    const EVERY: f32 = 4.0;
    const MOST: f32 = 64.0;
    let every = EVERY.max(2.0 * arena.half_size.max_element() / MOST);
    let color = palette::FENCE.with_alpha(0.25);
    let half = (arena.half_size / every).floor().as_ivec2();
    for (x, y) in (-half.x..=half.x).flat_map(|x| (-half.y..=half.y).map(move |y| (x, y))) {
        let at = every * IVec2::new(x, y).as_vec2();
        if arena.clearance(at) > 0.5 {
            gizmos.line_2d(at - 0.15 * Vec2::X, at + 0.15 * Vec2::X, color);
            gizmos.line_2d(at - 0.15 * Vec2::Y, at + 0.15 * Vec2::Y, color);
        }
    }
}

/// Draws the steering force of an agent.
pub(crate) fn force(gizmos: &mut Gizmos, agent: &Drawn, force: &SteeringForce, vehicle: &Vehicle) {
    let vector = SCALE.force_scale * force.total / vehicle.max_force;
    draw::arrow(gizmos, agent.pose.position, vector, colors::TOTAL_FORCE);
}

/// Draws the velocity of an agent.
pub(crate) fn velocity(gizmos: &mut Gizmos, agent: &Drawn, body: &Kinematics) {
    let vector = SCALE.velocity_scale * body.velocity;
    draw::arrow(gizmos, agent.pose.position, vector, colors::VELOCITY);
}

/// The default scale of the debug plugin.
const SCALE: SteeringDebug = SteeringDebug::off();

/// Draws a wander circle and the target on it.
pub(crate) fn wander_circle(
    gizmos: &mut Gizmos,
    agent: &Drawn,
    body: &Kinematics,
    wander: &Wander,
    memory: &WanderMemory,
) {
    // Shifts the drawing from the pose of the tick to the drawn pose.
    let at = agent.pose.position;
    draw::wander(gizmos, at, at - body.position, wander, memory);
}

/// The position at which a pursuer expects its quarry, m.
pub(crate) fn predicted(me: &Agent, pursuit: &Pursuit, quarry: &Drawn, body: &Kinematics) -> Vec2 {
    pursuit.predicted_target(me, body) + quarry.pose.position - body.position
}

/// Draws a range around a point.
pub(crate) fn range(gizmos: &mut Gizmos, center: Vec2, radius: f32, color: Color) {
    gizmos
        .circle_2d(center, radius, color.with_alpha(0.06))
        .resolution(96);
}

/// Draws a view cone, clipped at rocks and fence.
pub(crate) fn sight(
    gizmos: &mut Gizmos,
    from: Pose,
    cone: ViewCone,
    rocks: &[Circle],
    arena: &Arena,
    color: Color,
) {
    let rays = cone.ray_ends(from, rocks);
    let ends: Vec<_> = rays.map(|end| arena.clip(from.position, end)).collect();
    for end in &ends {
        gizmos.line_2d(from.position, *end, color.with_alpha(0.05));
    }
    let outline = [from.position]
        .into_iter()
        .chain(ends)
        .chain([from.position]);
    gizmos.linestrip_2d(outline, color.with_alpha(0.35));
}

/// Writes a short ASCII text to the right of a point.
pub(crate) fn label(gizmos: &mut Gizmos, at: Vec2, text: &str, color: Color) {
    write_at(gizmos, at, text, Vec2::new(-0.5, 0.0), color);
}

/// Writes a short ASCII text centered on a point.
pub(crate) fn caption(gizmos: &mut Gizmos, center: Vec2, text: &str, color: Color) {
    write_at(gizmos, center, text, Vec2::ZERO, color);
}

/// Writes a short ASCII text centered on a point, large enough for a wide arena.
pub(crate) fn headline(gizmos: &mut Gizmos, center: Vec2, text: &str, color: Color) {
    const SIZE: f32 = 1.8;
    let at = Isometry2d::from_translation(center);
    gizmos.text_2d(at, text, SIZE, Vec2::ZERO, color);
}

fn write_at(gizmos: &mut Gizmos, at: Vec2, text: &str, anchor: Vec2, color: Color) {
    /// Height of a capital letter, m.
    const SIZE: f32 = 0.42;
    let at = Isometry2d::from_translation(at);
    gizmos.text_2d(at, text, SIZE, anchor, color);
}

/// Draws an expanding ring for an event at a point, m, in a tick; none if time was set back before it.
pub(crate) fn splash(gizmos: &mut Gizmos, current: &CurrentScene, event: Option<(Vec2, u32)>) {
    const TICKS: f32 = 40.0;
    let age = |tick| current.tick().checked_sub(tick);
    let Some((center, age)) = event.and_then(|(center, tick)| Some((center, age(tick)?))) else {
        return;
    };
    let share = age as f32 / TICKS;
    if share < 1.0 {
        let radius = 0.5 + 2.5 * (1.0 - (1.0 - share) * (1.0 - share));
        let color = palette::GOLD.with_alpha(1.0 - share);
        gizmos.circle_2d(center, radius, color).resolution(48);
    }
}

/// Draws a part of a ring around a point: a share, `0..=1`.
pub(crate) fn gauge(gizmos: &mut Gizmos, center: Vec2, radius: f32, share: f32, color: Color) {
    let angle = -std::f32::consts::TAU * share.clamp(0.0, 1.0);
    gizmos
        .circle_2d(center, radius, palette::MUTED.with_alpha(0.2))
        .resolution(40);
    gizmos
        .arc_2d(Isometry2d::from_translation(center), angle, radius, color)
        .resolution(40);
}
