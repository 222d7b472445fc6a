//! The arena of the scenes: a fenced rectangle with round corners.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::RandomStream;

use crate::in_scene::InScene;
use crate::look::{Look, Shape};
use crate::palette;
use crate::placement::{distance_to_nearest, draw_clear};

/// The fenced area around the origin. Its corners are round because agents would be trapped in
/// sharp ones.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Arena {
    /// Half the width and height, m.
    pub half_size: Vec2,
    /// Radius of the corners, m; at most the smaller half size.
    pub corner: f32,
}

/// The collision group of the fence, to exclude it from sensing.
pub(crate) const FENCE_GROUP: Group = Group::GROUP_32;

impl Default for Arena {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Arena {
    /// The arena of most scenes.
    pub const USUAL: Self = Self {
        half_size: Vec2::new(16.0, 12.0),
        corner: 5.0,
    };

    /// Distance from a point to the fence, m; negative outside.
    pub fn clearance(&self, point: Vec2) -> f32 {
        let core = self.core();
        let beyond = point - point.clamp(-core, core);
        if beyond == Vec2::ZERO {
            self.corner + (core - point.abs()).min_element()
        } else {
            self.corner - beyond.length()
        }
    }

    /// Unit vector away from the nearest part of the fence.
    pub fn inward(&self, point: Vec2) -> Vec2 {
        let core = self.core();
        let beyond = point - point.clamp(-core, core);
        if beyond != Vec2::ZERO {
            return -beyond.normalize();
        }
        let space = core - point.abs();
        if space.x < space.y {
            Vec2::new(-point.x.signum(), 0.0)
        } else {
            Vec2::new(0.0, -point.y.signum())
        }
    }

    /// A random point at least `clearance` m from the fence, and at least `apart` m from the others
    /// if one is found.
    pub fn spot_apart(
        &self,
        clearance: f32,
        others: &[Vec2],
        apart: f32,
        random: &mut RandomStream,
    ) -> Vec2 {
        const DRAWS: usize = 32;
        draw_clear(
            DRAWS,
            apart,
            || self.spot(clearance, random),
            |spot| distance_to_nearest(spot, others),
        )
    }

    /// A random point at least `clearance` m from the fence.
    pub fn spot(&self, clearance: f32, random: &mut RandomStream) -> Vec2 {
        let area = Rect::from_center_half_size(Vec2::ZERO, self.half_size - clearance);
        loop {
            let spot = random.point_in(area);
            if self.clearance(spot) >= clearance {
                return spot;
            }
        }
    }

    /// The end of a line that begins inside, clipped at the fence.
    pub(crate) fn clip(&self, from: Vec2, to: Vec2) -> Vec2 {
        const HALVINGS: u32 = 10;
        if self.clearance(to) >= 0.0 {
            return to;
        }
        let (mut inside, mut outside) = (from, to);
        for _ in 0..HALVINGS {
            let middle = inside.midpoint(outside);
            if self.clearance(middle) >= 0.0 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    }

    /// The fence as a closed curve, counterclockwise, m.
    pub fn outline(&self) -> Vec<Vec2> {
        const PER_CORNER: usize = 12;
        let core = self.core();
        (0..4)
            .flat_map(|quarter| {
                let start = quarter as f32 * FRAC_PI_2;
                let side = Vec2::from_angle(start + 0.5 * FRAC_PI_2).signum();
                (0..=PER_CORNER).map(move |step| {
                    let angle = start + FRAC_PI_2 * step as f32 / PER_CORNER as f32;
                    core * side + self.corner * Vec2::from_angle(angle)
                })
            })
            .collect()
    }

    /// Half size of the rectangle between the corners' centers, m.
    fn core(&self) -> Vec2 {
        self.half_size - self.corner
    }
}

/// The ground of this arena.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct Ground(Arena);

fn ground(arena: Arena) -> impl Bundle {
    (
        (Name::new("ground"), InScene::default(), Ground(arena)),
        Transform::default(),
        Look {
            shape: Shape::Area(arena.outline().into()),
            color: palette::GROUND,
            layer: -2.0,
        },
    )
}

/// Replaces the ground if the scene has gone back to another arena.
pub(crate) fn replace_ground(
    arena: Res<Arena>,
    old: Query<(Entity, &Ground)>,
    mut commands: Commands,
) {
    for (entity, _) in old.iter().filter(|(_, old)| old.0 != *arena) {
        commands.entity(entity).despawn();
        commands.spawn(ground(*arena));
    }
}

/// Spawns the ground and the fence.
pub(crate) fn spawn(world: &mut World) {
    let arena = *world.resource::<Arena>();
    let mut outline = arena.outline();
    world.spawn(ground(arena));
    let look = Look {
        shape: Shape::Loop {
            points: outline.as_slice().into(),
            width: 0.14,
        },
        color: palette::FENCE,
        layer: -1.0,
    };
    outline.extend(outline.first().copied());
    world.spawn((
        Name::new("fence"),
        InScene::default(),
        RigidBody::Fixed,
        Collider::polyline(outline, None),
        Friction::coefficient(0.0),
        CollisionGroups::new(FENCE_GROUP, Group::ALL),
        Transform::default(),
        look,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d::SteeringId;

    const ARENA: Arena = Arena {
        half_size: Vec2::new(10.0, 6.0),
        corner: 2.0,
    };

    #[test]
    fn clearance_is_the_distance_to_the_fence() {
        assert_eq!(ARENA.clearance(Vec2::ZERO), 6.0);
        assert_eq!(ARENA.clearance(Vec2::new(9.0, 0.0)), 1.0);
        assert_eq!(ARENA.clearance(Vec2::new(0.0, -7.0)), -1.0);
        // The corner's circle is centered at (8, 4).
        let corner = ARENA.clearance(Vec2::new(8.6, 4.8));
        assert!((corner - 1.0).abs() < 1e-6, "{corner}");
    }

    #[test]
    fn inward_points_away_from_the_nearest_fence() {
        assert_eq!(ARENA.inward(Vec2::new(9.5, 1.0)), Vec2::NEG_X);
        assert_eq!(ARENA.inward(Vec2::new(1.0, -5.0)), Vec2::Y);
        let corner = ARENA.inward(Vec2::new(8.6, 4.8));
        assert!((corner - Vec2::new(-0.6, -0.8)).length() < 1e-6, "{corner}");
    }

    #[test]
    fn outline_lies_on_the_fence() {
        let outline = ARENA.outline();
        assert!(outline.iter().all(|p| ARENA.clearance(*p).abs() < 1e-5));
    }

    #[test]
    fn spots_keep_their_clearance() {
        let mut random = RandomStream::new(1, SteeringId(0), 0);
        let spots = (0..1_000).map(|_| ARENA.spot(1.5, &mut random));
        assert!(spots.into_iter().all(|spot| ARENA.clearance(spot) >= 1.5));
    }
}
