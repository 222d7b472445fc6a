//! Meters on the screen: the arena fills what the panel leaves free.

use bevy::camera::CameraUpdateSystems;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use bevy::window::PrimaryWindow;
use bevy_steering2d_scenes::Arena;

use crate::panel::PANEL_WIDTH;

pub fn plugin(app: &mut App) {
    app.init_resource::<Zoom>()
        .add_systems(Startup, |mut commands: Commands| {
            commands.spawn(Camera2d);
        })
        .add_systems(
            PostUpdate,
            fit_arena
                .before(CameraUpdateSystems)
                .before(TransformSystems::Propagate),
        );
}

/// How much larger than life; 1 shows the whole arena.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Zoom(f32);

impl Default for Zoom {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Zoom {
    /// Multiplies it, within reason.
    pub fn by(&mut self, factor: f32) {
        self.0 = (self.0 * factor).clamp(0.25, 8.0);
    }
}

fn fit_arena(
    zoom: Res<Zoom>,
    arena: Res<Arena>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&mut Projection, &mut Transform), With<Camera2d>>,
) {
    const MARGIN: f32 = 12.0;
    let (mut projection, mut transform) = camera.into_inner();
    let free = window.size() - Vec2::new(PANEL_WIDTH, 0.0) - 2.0 * MARGIN;
    let meters_per_pixel =
        (2.0 * arena.half_size / free.max(Vec2::splat(1.0))).max_element() / zoom.0;
    if let Projection::Orthographic(projection) = &mut *projection {
        projection.scale = meters_per_pixel;
    }
    // The middle of the free part lies half a panel to the right of the window's.
    transform.translation.x = -0.5 * PANEL_WIDTH * meters_per_pixel;
}
