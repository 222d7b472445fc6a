//! The walled course: a room with inner walls, which stand only while the quarry runs among them.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::props;

/// A wall of the course.
#[derive(Component, Clone, Copy, Debug)]
pub(super) struct CourseWall;

/// Half the size of the room, m.
const ROOM: Vec2 = Vec2::new(13.0, 9.0);

/// Half the length of the inner walls, m.
const INNER: f32 = 3.0;

/// Builds or removes the walls. Only the quarry avoids them: the pursuers differ only in their
/// prediction, and pass through.
pub(super) fn build_walls(
    commands: &mut Commands,
    walls: &Query<Entity, With<CourseWall>>,
    stand: bool,
) {
    if stand != walls.is_empty() {
        return;
    }
    for wall in walls {
        commands.entity(wall).despawn();
    }
    if stand {
        let room = Wall::room(Rect::from_center_half_size(Vec2::ZERO, ROOM));
        let inner = [-6.0, 0.0, 6.0].map(|x| {
            let half = Vec2::new(0.0, INNER);
            Wall::new(Vec2::new(x, 0.0) - half, Vec2::new(x, 0.0) + half)
        });
        for wall in room.into_iter().chain(inner) {
            commands.spawn((CourseWall, props::wall(wall)));
        }
    }
}
