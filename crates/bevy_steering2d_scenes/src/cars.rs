//! Cars, trucks and tanks: rectangular bodies that are driven, their wheels and their contacts.

use bevy::math::ops;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::in_scene::InScene;
use crate::look::{Drawn, Look, Shape};
use crate::palette;

/// Half the length and the width of a car, m.
pub(crate) const CAR: Vec2 = Vec2::new(2.0, 0.9);

/// The limits of a car of 1,200 kg at up to this speed, m/s.
pub(crate) fn car_at(max_speed: f32) -> Vehicle {
    Vehicle {
        max_speed,
        max_force: 9_600.0,
        ..default()
    }
}

/// A driven vehicle; its locomotion is added to it.
pub(crate) struct Driven {
    pub(crate) name: &'static str,
    /// m
    pub(crate) position: Vec2,
    /// rad
    pub(crate) facing: f32,
    /// Half the length and width, m.
    pub(crate) half: Vec2,
    /// kg
    pub(crate) mass: f32,
    pub(crate) vehicle: Vehicle,
    pub(crate) color: Color,
}

impl Driven {
    /// A solid body at rest.
    pub(crate) fn bundle(self) -> impl Bundle {
        (
            (Name::new(self.name), InScene::default()),
            Transform::from_translation(self.position.extend(0.0))
                .with_rotation(Quat::from_rotation_z(self.facing)),
            RigidBody::Dynamic,
            Collider::cuboid(self.half.x, self.half.y),
            ColliderMassProperties::Mass(self.mass),
            Friction::coefficient(0.0),
            Velocity::zero(),
            self.vehicle,
            coachwork(self.half, self.color),
        )
    }
}

/// The look of a vehicle: a rectangle with a blunt nose.
pub(crate) fn coachwork(half: Vec2, color: Color) -> Look {
    let outline = [
        (1.0, 0.45),
        (0.8, 1.0),
        (-1.0, 1.0),
        (-1.0, -1.0),
        (0.8, -1.0),
        (1.0, -0.45),
    ];
    Look {
        shape: Shape::Area(outline.map(|at| half * Vec2::from(at)).into()),
        color,
        layer: 1.0,
    }
}

/// Draws the wheels of a car, the front ones at their angle.
pub(crate) fn draw_wheels(
    gizmos: &mut Gizmos,
    drawn: &Drawn,
    half: Vec2,
    wheels: &Wheeled,
    controls: &Controls,
) {
    let pose = drawn.pose;
    let (sine, cosine) = ops::sin_cos(controls.steering);
    let wheel = 0.16 * half.x;
    for (axle, along) in [(0.5, Vec2::new(cosine, sine)), (-0.5, Vec2::X)] {
        for side in [-0.8, 0.8] {
            let at = Vec2::new(axle * wheels.wheelbase, side * half.y);
            for across in [-0.04, 0.0, 0.04] {
                let middle = at + across * along.perp();
                let ends = [middle - wheel * along, middle + wheel * along];
                let [from, to] = ends.map(|end| pose.position + pose.facing * end);
                gizmos.line_2d(from, to, palette::NIGHT);
            }
        }
    }
}

/// A rectangle with a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    center: Vec2,
    /// Unit vector along its length.
    ahead: Vec2,
    /// Half the length and width, m.
    half: Vec2,
}

impl Block {
    pub(crate) fn new(at: &Transform, half: Vec2) -> Self {
        Self {
            center: at.translation.truncate(),
            ahead: (at.rotation * Vec3::X).truncate(),
            half,
        }
    }

    /// A wall without width.
    pub(crate) fn of_wall(wall: &Wall) -> Self {
        let along = wall.to - wall.from;
        Self {
            center: wall.from.midpoint(wall.to),
            ahead: along.normalize_or(Vec2::X),
            half: Vec2::new(0.5 * along.length(), 0.0),
        }
    }

    /// The gap to another one, m, or less than it near corners; negative if they overlap: the widest
    /// along the four axes of both (separating axis theorem).
    pub(crate) fn gap(&self, other: &Self) -> f32 {
        let offset = other.center - self.center;
        let axes = [
            self.ahead,
            self.ahead.perp(),
            other.ahead,
            other.ahead.perp(),
        ];
        let along = |axis: Vec2| offset.dot(axis).abs() - self.reach(axis) - other.reach(axis);
        axes.map(along)
            .into_iter()
            .fold(f32::NEG_INFINITY, f32::max)
    }

    /// The distance to a point, m; zero inside.
    pub(crate) fn distance(&self, point: Vec2) -> f32 {
        let offset = point - self.center;
        let local = Vec2::new(self.ahead.dot(offset), self.ahead.perp_dot(offset));
        (local.abs() - self.half).max(Vec2::ZERO).length()
    }

    /// Its corners, m.
    pub(crate) fn corners(&self) -> [Vec2; 4] {
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
            .map(|at| self.center + self.ahead.rotate(self.half * Vec2::from(at)))
    }

    /// How far it reaches from its center along an axis, m.
    fn reach(&self, axis: Vec2) -> f32 {
        self.half.x * self.ahead.dot(axis).abs() + self.half.y * self.ahead.perp_dot(axis).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_4;

    #[test]
    fn the_gap_between_rectangles_is_that_of_the_separating_axis() {
        let at = |x: f32, angle: f32| {
            Transform::from_xyz(x, 0.0, 0.0).with_rotation(Quat::from_rotation_z(angle))
        };
        let block = |x, angle| Block::new(&at(x, angle), Vec2::new(2.0, 1.0));
        let gap = |x, angle| block(0.0, 0.0).gap(&block(x, angle));
        assert!((gap(5.0, 0.0) - 1.0).abs() < 1e-5);
        assert!((gap(3.0, 0.0) + 1.0).abs() < 1e-5, "they overlap by 1 m");
        // Half the diagonal extent of the other: (2 + 1) / √2 = 2.12 m.
        assert!(
            (gap(5.0, FRAC_PI_4) - 0.879).abs() < 1e-3,
            "{}",
            gap(5.0, FRAC_PI_4)
        );
        let wall = Wall::new(Vec2::new(4.0, -9.0), Vec2::new(4.0, 9.0));
        assert!((block(0.0, 0.0).gap(&Block::of_wall(&wall)) - 2.0).abs() < 1e-5);
    }
}
