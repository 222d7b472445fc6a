//! The bodies of the scenes.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::look::{Look, Shape};
use crate::stage::InScene;
use crate::stay_inside::StayInside;

/// An animal as a scene wants it.
pub(crate) struct Animal {
    pub(crate) name: &'static str,
    /// m
    pub(crate) position: Vec2,
    /// Direction it looks at first, rad.
    pub(crate) facing: f32,
    /// m
    pub(crate) radius: f32,
    pub(crate) color: Color,
    pub(crate) vehicle: Vehicle,
}

impl Animal {
    /// A dart that minds the fence.
    pub(crate) fn bundle(self) -> impl Bundle {
        (self.dart(), StayInside::default())
    }

    /// A dart, drawn larger than its body.
    pub(crate) fn dart(self) -> impl Bundle {
        let shape = self.wide();
        self.body(shape)
    }

    /// A dart that minds the fence and has no body but a point mass.
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

    /// A dart no larger than its body, for scenes where it matters who touches what.
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
        let shape = Shape::Area(
            outline
                .map(|corner| self.radius * Vec2::from(corner))
                .to_vec(),
        );
        self.body(shape)
    }

    /// A dynamic body of 1 kg, so that newtons read as m/s², that looks where it goes.
    fn body(self, shape: Shape) -> impl Bundle {
        let body = (
            RigidBody::Dynamic,
            Collider::ball(self.radius),
            ColliderMassProperties::Mass(1.0),
            Friction::coefficient(0.0),
            Velocity::zero(),
        );
        (body, self.figure(shape))
    }

    /// All but the body.
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

/// Puts a body somewhere else, at rest.
pub(crate) fn teleport(transform: &mut Transform, velocity: &mut Velocity, to: Vec2) {
    transform.translation = to.extend(transform.translation.z);
    *velocity = Velocity::zero();
}

/// Puts a body somewhere else, on its way with a velocity in m/s.
pub(crate) fn launch(transform: &mut Transform, velocity: &mut Velocity, from: Vec2, with: Vec2) {
    teleport(transform, velocity, from);
    transform.rotation = Quat::from_rotation_z(with.to_angle());
    velocity.linear = with;
}

/// A body as behaviors see it, but fresh from physics: in action selection its own [`Kinematics`]
/// is a tick old.
pub(crate) fn kinematics(transform: &Transform, velocity: &Velocity) -> Kinematics {
    let mut body = Kinematics::default();
    let facing = || (transform.rotation * Vec3::X).truncate();
    body.sense(transform.translation.truncate(), velocity.linear, facing);
    body
}

/// Groups of bodies that pass through each other and mind everything else.
pub(crate) fn ghostly() -> CollisionGroups {
    CollisionGroups::new(Group::GROUP_2, Group::GROUP_1)
}

/// Writes only what differs, so that change detection stays true.
pub(crate) fn recolor(look: &mut Mut<Look>, color: Color) {
    if look.color != color {
        look.color = color;
    }
}

/// Switches a behavior on or off; it keeps its parameters and memory.
pub(crate) fn enable<B: Behavior>(behavior: &mut Mut<B>, on: bool) {
    if behavior.influence().enabled != on {
        behavior.influence_mut().enabled = on;
    }
}

/// Changes the speed limit.
pub(crate) fn set_pace(vehicle: &mut Mut<Vehicle>, max_speed: f32) {
    if vehicle.max_speed != max_speed {
        vehicle.max_speed = max_speed;
    }
}
