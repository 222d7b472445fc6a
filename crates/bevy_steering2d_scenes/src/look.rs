//! Looks of entities, and pose interpolation between ticks.

use std::sync::Arc;

use bevy::prelude::*;
use bevy_steering2d::recorder::Rewound;
use bevy_steering2d_debug::DrawnAt;

/// How to draw an entity; without a window it has no effect.
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Drawn)]
pub struct Look {
    /// Outline in the frame of the entity, m; x points ahead.
    pub shape: Shape,
    /// Color; may change at any time.
    pub color: Color,
    /// Higher layers are drawn above lower ones.
    pub layer: f32,
}

/// An outline in the frame of the entity, m. Clones share their corners, so that snapshots do not copy them.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A dart that points along x.
    Arrow {
        /// Length from tail to tip, m.
        length: f32,
        /// Width from wing to wing, m.
        width: f32,
    },
    /// A filled convex area.
    Area(Arc<[Vec2]>),
    /// A line along a closed polygon.
    Loop {
        /// Corners, m.
        points: Arc<[Vec2]>,
        /// Line width, m.
        width: f32,
    },
}

impl Shape {
    /// A filled circle.
    pub fn disc(radius: f32) -> Self {
        const CORNERS: usize = 40;
        let corner = |i| Vec2::from_angle(std::f32::consts::TAU * i as f32 / CORNERS as f32);
        Self::Area((0..CORNERS).map(|i| radius * corner(i)).collect())
    }

    /// A filled circle with a nose: a body drawn to scale that shows its heading.
    pub fn person(radius: f32) -> Self {
        const BACK: usize = 28;
        /// From the tip of the nose to where it begins, rad.
        const NOSE: f32 = 0.7;
        let back = (0..=BACK).map(|i| {
            let share = i as f32 / BACK as f32;
            radius * Vec2::from_angle(NOSE + 2.0 * (std::f32::consts::PI - NOSE) * share)
        });
        let tip = radius / ops::cos(NOSE) * Vec2::X;
        Self::Area([tip].into_iter().chain(back).collect())
    }
}

/// Position and rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// World position, m.
    pub position: Vec2,
    /// World rotation.
    pub facing: Rot2,
}

impl Pose {
    pub(crate) fn of(transform: &Transform) -> Self {
        let ahead = (transform.rotation * Vec3::X).truncate();
        Self {
            position: transform.translation.truncate(),
            facing: Rot2::from_sin_cos(ahead.y, ahead.x),
        }
    }

    fn lerp(self, to: Self, share: f32) -> Self {
        Self {
            position: self.position.lerp(to.position, share),
            facing: self.facing.nlerp(to.facing, share),
        }
    }
}

/// The pose to draw in this frame, interpolated between the last two ticks.
///
/// Physics ticks 64 times a second, frames come at another rate; without interpolation, movement
/// stutters. Never write it to [`Transform`]: physics would take that for a teleport.
#[derive(Component, Clone, Copy, Debug, Default)]
#[require(DrawnAt)]
pub struct Drawn {
    /// The pose to draw.
    pub pose: Pose,
    /// The poses after the last two ticks, older first; `None` before the first tick.
    trail: Option<(Pose, Pose)>,
}

impl Drawn {
    /// A longer step in one tick is a teleport, m, and not interpolated.
    const TELEPORT: f32 = 1.5;

    fn tick(&mut self, now: Pose) {
        let before = self.trail.map_or(now, |(_, last)| last);
        let teleports = before.position.distance(now.position) > Self::TELEPORT;
        self.trail = Some((if teleports { now } else { before }, now));
    }
}

pub(crate) fn record_poses(mut drawn: Query<(&Transform, &mut Drawn)>) {
    for (transform, mut drawn) in &mut drawn {
        drawn.tick(Pose::of(transform));
    }
}

pub(crate) fn blend_poses(
    time: Res<Time<Fixed>>,
    mut drawn: Query<(&Transform, &mut Drawn, &mut DrawnAt)>,
) {
    let share = time.overstep_fraction();
    for (transform, mut drawn, mut at) in &mut drawn {
        drawn.pose = match drawn.trail {
            Some((before, now)) => before.lerp(now, share),
            None => Pose::of(transform),
        };
        at.0 = Some(drawn.pose.position);
    }
}

/// Forgets the poses of the last ticks when another tick is shown, so that bodies are drawn where it has them.
pub(crate) fn forget_poses(_: On<Rewound>, mut drawn: Query<&mut Drawn>) {
    for mut drawn in &mut drawn {
        drawn.trail = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32) -> Pose {
        Pose {
            position: Vec2::new(x, 0.0),
            ..default()
        }
    }

    #[test]
    fn poses_are_interpolated_between_the_last_two_ticks() {
        let mut drawn = Drawn::default();
        drawn.tick(at(1.0));
        drawn.tick(at(2.0));
        let blended = drawn.trail.map(|(before, now)| before.lerp(now, 0.25));
        assert_eq!(blended, Some(at(1.25)));
    }

    #[test]
    fn poses_are_not_interpolated_when_another_tick_is_shown() {
        let mut world = World::new();
        world.add_observer(forget_poses);
        let mut drawn = Drawn::default();
        drawn.tick(at(1.0));
        let body = world.spawn(drawn).id();
        world.trigger(Rewound {
            tick: 0,
            restored: default(),
        });
        let drawn = world.get::<Drawn>(body);
        assert_eq!(drawn.and_then(|it| it.trail), None);
    }

    #[test]
    fn teleport_is_not_interpolated() {
        let mut drawn = Drawn::default();
        drawn.tick(at(1.0));
        drawn.tick(at(9.0));
        assert_eq!(drawn.trail, Some((at(9.0), at(9.0))));
    }
}
