//! Explanations drawn over the scenes, and the plugin that smooths what is drawn.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Circle, WanderMemory};
pub(crate) use bevy_steering2d_debug::draw::{aim, cross, path};
use bevy_steering2d_debug::{SteeringDebug, colors, draw};

use crate::look::{Drawn, Pose, blend_poses, record_poses};
use crate::senses::Eyes;
use crate::trail::record_trails;
use crate::{Arena, SCENES, palette};

/// Smooth poses and the scenes' explanations, for apps with a window (it needs gizmos).
pub struct OverlaysPlugin;

impl Plugin for OverlaysPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(FixedPostUpdate, (record_poses, record_trails))
            .add_systems(
                RunFixedMainLoop,
                blend_poses.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
            );
        app.add_systems(Update, mark_ground);
        for scene in SCENES.iter().chain([&crate::case::SCENE]) {
            (scene.build_overlay)(app);
        }
    }
}

/// A small cross every four meters, to judge distances and speeds by.
fn mark_ground(arena: Res<Arena>, mut gizmos: Gizmos) {
    const EVERY: f32 = 4.0;
    let color = palette::FENCE.with_alpha(0.25);
    let half = (arena.half_size / EVERY).floor().as_ivec2();
    for (x, y) in (-half.x..=half.x).flat_map(|x| (-half.y..=half.y).map(move |y| (x, y))) {
        let at = EVERY * IVec2::new(x, y).as_vec2();
        if arena.clearance(at) > 0.5 {
            gizmos.line_2d(at - 0.15 * Vec2::X, at + 0.15 * Vec2::X, color);
            gizmos.line_2d(at - 0.15 * Vec2::Y, at + 0.15 * Vec2::Y, color);
        }
    }
}

/// The steering force of an agent, as long as it is strong.
pub(crate) fn force(gizmos: &mut Gizmos, agent: &Drawn, force: &SteeringForce, vehicle: &Vehicle) {
    let vector = SCALE.force_scale * force.total / vehicle.max_force;
    draw::arrow(gizmos, agent.pose.position, vector, colors::TOTAL_FORCE);
}

/// Where an agent goes and how fast.
pub(crate) fn velocity(gizmos: &mut Gizmos, agent: &Drawn, body: &Kinematics) {
    let vector = SCALE.velocity_scale * body.velocity;
    draw::arrow(gizmos, agent.pose.position, vector, colors::VELOCITY);
}

/// The same as everywhere.
const SCALE: SteeringDebug = SteeringDebug::off();

/// The circle of a wanderer and its target on the rim.
pub(crate) fn wander_circle(
    gizmos: &mut Gizmos,
    agent: &Drawn,
    body: &Kinematics,
    wander: &Wander,
    memory: &WanderMemory,
) {
    // Both were computed for the pose of the tick.
    let at = agent.pose.position;
    draw::wander(gizmos, at, at - body.position, wander, memory);
}

/// Where a pursuer expects its quarry.
pub(crate) fn predicted(me: &Agent, pursuit: &Pursuit, quarry: &Drawn, body: &Kinematics) -> Vec2 {
    pursuit.aim(me, body) + quarry.pose.position - body.position
}

/// How far someone sees.
pub(crate) fn range(gizmos: &mut Gizmos, center: Vec2, radius: f32, color: Color) {
    gizmos
        .circle_2d(center, radius, color.with_alpha(0.06))
        .resolution(96);
}

/// What someone sees, as far as rocks and fence let it.
pub(crate) fn sight(
    gizmos: &mut Gizmos,
    from: Pose,
    eyes: Eyes,
    rocks: &[Circle],
    arena: &Arena,
    color: Color,
) {
    let looks = eyes.looks(from, rocks);
    let ends: Vec<_> = looks.map(|end| arena.cut(from.position, end)).collect();
    for end in &ends {
        gizmos.line_2d(from.position, *end, color.with_alpha(0.05));
    }
    let outline = [from.position]
        .into_iter()
        .chain(ends)
        .chain([from.position]);
    gizmos.linestrip_2d(outline, color.with_alpha(0.35));
}

/// A word or two that begin at a point. Plain ASCII only.
pub(crate) fn label(gizmos: &mut Gizmos, at: Vec2, text: &str, color: Color) {
    write_at(gizmos, at, text, Vec2::new(-0.5, 0.0), color);
}

/// A word or two around a point. Plain ASCII only.
pub(crate) fn caption(gizmos: &mut Gizmos, center: Vec2, text: &str, color: Color) {
    write_at(gizmos, center, text, Vec2::ZERO, color);
}

fn write_at(gizmos: &mut Gizmos, at: Vec2, text: &str, anchor: Vec2, color: Color) {
    /// Height of a capital, m.
    const SIZE: f32 = 0.42;
    let at = Isometry2d::from_translation(at);
    gizmos.text_2d(at, text, SIZE, anchor, color);
}

/// A ring that runs out from where something happened a number of ticks ago.
pub(crate) fn splash(gizmos: &mut Gizmos, center: Vec2, age: u32) {
    const TICKS: f32 = 40.0;
    let share = age as f32 / TICKS;
    if share < 1.0 {
        let radius = 0.5 + 2.5 * (1.0 - (1.0 - share) * (1.0 - share));
        let color = palette::GOLD.with_alpha(1.0 - share);
        gizmos.circle_2d(center, radius, color).resolution(48);
    }
}

/// A part of a ring around someone: how much is left of something, `0..=1`.
pub(crate) fn gauge(gizmos: &mut Gizmos, center: Vec2, radius: f32, share: f32, color: Color) {
    let angle = -std::f32::consts::TAU * share.clamp(0.0, 1.0);
    gizmos
        .circle_2d(center, radius, palette::MUTED.with_alpha(0.2))
        .resolution(40);
    gizmos
        .arc_2d(Isometry2d::from_translation(center), angle, radius, color)
        .resolution(40);
}
