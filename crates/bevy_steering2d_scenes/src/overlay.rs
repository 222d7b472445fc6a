//! Explanations drawn over the scenes, and the plugin that smooths what is drawn.

use bevy::prelude::*;
use bevy_steering2d::WanderMemory;
use bevy_steering2d::prelude::*;

use crate::look::{Drawn, blend_poses, record_poses};
use crate::{Arena, SCENES, palette};

/// Smooth poses and the scenes' explanations, for apps with a window (it needs gizmos).
pub struct OverlaysPlugin;

impl Plugin for OverlaysPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(FixedPostUpdate, record_poses).add_systems(
            RunFixedMainLoop,
            blend_poses.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
        );
        app.add_systems(Update, mark_ground);
        for scene in SCENES {
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

/// Length of a full force, m.
const FULL_FORCE: f32 = 2.5;
/// Length of a velocity, m per m/s.
const VELOCITY_SCALE: f32 = 0.4;

/// The steering force of an agent, as long as it is strong.
pub(crate) fn force(gizmos: &mut Gizmos, agent: &Drawn, force: &SteeringForce, vehicle: &Vehicle) {
    let vector = FULL_FORCE * force.total / vehicle.max_force;
    arrow(gizmos, agent.pose.position, vector, palette::SKY);
}

/// Where an agent goes and how fast.
pub(crate) fn velocity(gizmos: &mut Gizmos, agent: &Drawn, body: &Kinematics) {
    let vector = VELOCITY_SCALE * body.velocity;
    arrow(gizmos, agent.pose.position, vector, palette::MINT);
}

fn arrow(gizmos: &mut Gizmos, from: Vec2, vector: Vec2, color: Color) {
    if vector.length() > 0.1 {
        let tip = 0.3_f32.min(0.4 * vector.length());
        gizmos
            .arrow_2d(from, from + vector, color)
            .with_tip_length(tip);
    }
}

/// The circle of a wanderer and its target on the rim.
pub(crate) fn wander_circle(
    gizmos: &mut Gizmos,
    agent: &Drawn,
    body: &Kinematics,
    wander: &Wander,
    memory: &WanderMemory,
) {
    let (WanderStyle::Circle { radius, .. } | WanderStyle::Angle { radius, .. }) = wander.style
    else {
        return;
    };
    // Both were computed for the pose of the tick.
    let lag = agent.pose.position - body.position;
    let color = palette::MUTED.with_alpha(0.3);
    gizmos.circle_2d(memory.center + lag, radius, color);
    gizmos.line_2d(agent.pose.position, memory.target + lag, color);
    gizmos.circle_2d(memory.target + lag, 0.12, palette::GOLD);
}

/// How far someone sees.
pub(crate) fn range(gizmos: &mut Gizmos, center: Vec2, radius: f32, color: Color) {
    gizmos
        .circle_2d(center, radius, color.with_alpha(0.06))
        .resolution(96);
}

/// A line to what someone runs for.
pub(crate) fn aim(gizmos: &mut Gizmos, from: Vec2, to: Vec2, color: Color) {
    gizmos.line_2d(from, to, color.with_alpha(0.45));
    cross(gizmos, to, 0.3, color);
}

/// A diagonal cross.
pub(crate) fn cross(gizmos: &mut Gizmos, at: Vec2, size: f32, color: Color) {
    let arm = Vec2::splat(size * std::f32::consts::FRAC_1_SQRT_2);
    gizmos.line_2d(at - arm, at + arm, color);
    gizmos.line_2d(at - arm.perp(), at + arm.perp(), color);
}

/// Where a pursuer expects its quarry.
pub(crate) fn predicted(
    pursuer: &Drawn,
    vehicle: &Vehicle,
    pursuit: &Pursuit,
    quarry: &Drawn,
    body: &Kinematics,
) -> Vec2 {
    let me = Agent {
        position: pursuer.pose.position,
        max_speed: vehicle.max_speed,
        ..default()
    };
    let time = pursuit.prediction.time(&me, body);
    quarry.pose.position + time * body.velocity
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

/// The line of a path.
pub(crate) fn path(gizmos: &mut Gizmos, path: &SteeringPath, color: Color) {
    let points = path.points().iter().copied();
    let back = path.is_looped().then(|| path.points()[0]);
    gizmos.linestrip_2d(points.chain(back), color);
}
