//! Bodies of agents: animals, cars and people, with the looks they are drawn with.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::in_scene::InScene;
use crate::look::{Look, Shape};
use crate::stay_inside::StayInside;

/// An animal or a car.
pub(crate) struct Animal {
    pub(crate) name: &'static str,
    /// m
    pub(crate) position: Vec2,
    /// Initial heading, rad.
    pub(crate) facing: f32,
    /// m
    pub(crate) radius: f32,
    pub(crate) color: Color,
    pub(crate) vehicle: Vehicle,
}

impl Animal {
    /// A dart that stays inside the fence.
    pub(crate) fn bundle(self) -> impl Bundle {
        (self.dart(), StayInside::default())
    }

    /// A dart, drawn larger than its body.
    pub(crate) fn dart(self) -> impl Bundle {
        let shape = self.wide();
        self.body(shape)
    }

    /// A dart that stays inside the fence, with a point mass instead of a Rapier body.
    pub(crate) fn point_mass(self, velocity: Vec2) -> impl Bundle {
        let body = PointMass {
            velocity,
            ..default()
        };
        let shape = self.wide();
        (self.figure(shape), StayInside::default(), body)
    }

    fn wide(&self) -> Shape {
        Shape::Arrow {
            length: 3.4 * self.radius,
            width: 2.0 * self.radius,
        }
    }

    /// A dart no larger than its body, for scenes that show contacts.
    pub(crate) fn compact(self) -> impl Bundle {
        let shape = Shape::Arrow {
            length: 1.66 * self.radius,
            width: 1.5 * self.radius,
        };
        self.body(shape)
    }

    /// A car no larger than its body.
    pub(crate) fn car(self) -> impl Bundle {
        let outline = [
            (1.0, 0.0),
            (0.7, 0.5),
            (-0.85, 0.52),
            (-0.85, -0.52),
            (0.7, -0.5),
        ];
        let corners = outline.map(|corner| self.radius * Vec2::from(corner));
        let shape = Shape::Area(corners.into());
        self.body(shape)
    }

    /// A dynamic body that faces its velocity.
    fn body(self, shape: Shape) -> impl Bundle {
        let body = round_body(self.radius, Vec2::ZERO);
        (body, self.figure(shape))
    }

    /// Everything but the body.
    fn figure(self, shape: Shape) -> impl Bundle {
        let rotation = Quat::from_rotation_z(self.facing);
        (
            (Name::new(self.name), InScene::default()),
            Transform::from_translation(self.position.extend(0.0)).with_rotation(rotation),
            (self.vehicle, FaceVelocity::default()),
            Look {
                shape,
                color: self.color,
                layer: 1.0,
            },
        )
    }
}

/// A person in a crowd.
pub(crate) struct Person {
    pub(crate) name: &'static str,
    /// m
    pub(crate) position: Vec2,
    /// Initial velocity, m/s; also the initial heading.
    pub(crate) velocity: Vec2,
    /// m
    pub(crate) radius: f32,
    pub(crate) color: Color,
    pub(crate) vehicle: Vehicle,
    /// Whether it collides with other people. Otherwise they pass through each other, and only
    /// steering keeps them apart.
    pub(crate) solid: bool,
}

impl Person {
    /// A dynamic body that faces its velocity.
    pub(crate) fn bundle(self) -> impl Bundle {
        let rotation = Quat::from_rotation_z(self.velocity.to_angle());
        let groups = if self.solid {
            CollisionGroups::default()
        } else {
            pass_through()
        };
        (
            (Name::new(self.name), InScene::default()),
            Transform::from_translation(self.position.extend(0.0)).with_rotation(rotation),
            (round_body(self.radius, self.velocity), groups),
            (self.vehicle, FaceVelocity::default()),
            Look {
                shape: Shape::person(self.radius),
                color: self.color,
                layer: 1.0,
            },
        )
    }
}

/// A dynamic disc of 1 kg, so that 1 N accelerates it by 1 m/s².
fn round_body(radius: f32, velocity: Vec2) -> impl Bundle {
    (
        RigidBody::Dynamic,
        Collider::ball(radius),
        ColliderMassProperties::Mass(1.0),
        Friction::coefficient(0.0),
        Velocity::linear(velocity),
    )
}

/// Moves a body elsewhere, at rest.
pub(crate) fn teleport(transform: &mut Transform, velocity: &mut Velocity, to: Vec2) {
    transform.translation = to.extend(transform.translation.z);
    *velocity = Velocity::zero();
}

/// Moves a body elsewhere and gives it a velocity, m/s.
pub(crate) fn launch(transform: &mut Transform, velocity: &mut Velocity, to: Vec2, with: Vec2) {
    teleport(transform, velocity, to);
    transform.rotation = Quat::from_rotation_z(with.to_angle());
    velocity.linear = with;
}

/// The kinematics of a body right after physics: in action selection the [`Kinematics`] component
/// is one tick old.
pub(crate) fn kinematics(transform: &Transform, velocity: &Velocity) -> Kinematics {
    let mut body = Kinematics::default();
    let facing = || (transform.rotation * Vec3::X).truncate();
    body.sense(transform.translation.truncate(), velocity.linear, facing);
    body
}

/// Collision groups of bodies that pass through each other and collide with everything else.
pub(crate) fn pass_through() -> CollisionGroups {
    CollisionGroups::new(Group::GROUP_2, Group::GROUP_1)
}

/// Changes the color. Writes only a difference, to keep change detection accurate.
pub(crate) fn recolor(look: &mut Mut<Look>, color: Color) {
    if look.color != color {
        look.color = color;
    }
}

/// Enables or disables a behavior, which keeps its parameters and memory.
pub(crate) fn enable<B: Behavior>(behavior: &mut Mut<B>, on: bool) {
    if behavior.influence().enabled != on {
        behavior.influence_mut().enabled = on;
    }
}

/// Changes the maximum speed, m/s.
pub(crate) fn set_max_speed(vehicle: &mut Mut<Vehicle>, max_speed: f32) {
    if vehicle.max_speed != max_speed {
        vehicle.max_speed = max_speed;
    }
}
