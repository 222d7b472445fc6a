//! The camera: fits the arena into the part of the window that the panels leave free; zoom, drag
//! and follow.

use bevy::camera::CameraUpdateSystems;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use bevy::window::PrimaryWindow;
use bevy_steering2d::debug::SteeringSelection;
use bevy_steering2d::inspector::SteeringInspector;
use bevy_steering2d_scenes::{Arena, Drawn};

use crate::panel::PANEL_WIDTH;

pub fn plugin(app: &mut App) {
    app.init_resource::<View>()
        .add_systems(Startup, |mut commands: Commands| {
            commands.spawn(Camera2d);
        })
        .add_systems(
            PostUpdate,
            (follow_selected, fit_arena)
                .chain()
                .before(CameraUpdateSystems)
                .before(TransformSystems::Propagate),
        );
}

/// The visible part of the world.
#[derive(Resource, Clone, Copy, Debug)]
pub struct View {
    /// Zoom factor; 1 shows the whole arena.
    zoom: f32,
    /// The point in the middle of the free part of the window, m.
    center: Vec2,
    /// Whether the view follows the selected agent.
    pub follows: bool,
}

impl Default for View {
    fn default() -> Self {
        Self {
            zoom: 1.0,
            center: Vec2::ZERO,
            follows: false,
        }
    }
}

impl View {
    /// Multiplies the zoom, within limits; the point `pin`, m, keeps its position on the screen.
    pub fn zoom_by(&mut self, factor: f32, pin: Option<Vec2>) {
        let before = self.zoom;
        self.zoom = (self.zoom * factor).clamp(0.25, 16.0);
        if let Some(pin) = pin.filter(|_| !self.follows) {
            self.center = pin + (self.center - pin) * (before / self.zoom);
        }
    }

    /// Moves the world on the screen by `by`, m.
    pub fn drag(&mut self, by: Vec2) {
        self.center -= by;
        self.follows = false;
    }
}

fn follow_selected(
    mut view: ResMut<View>,
    selection: Res<SteeringSelection>,
    drawn: Query<&Drawn>,
) {
    let selected = selection.primary().and_then(|agent| drawn.get(agent).ok());
    if let Some(drawn) = selected.filter(|_| view.follows) {
        view.center = drawn.pose.position;
    }
}

fn fit_arena(
    view: Res<View>,
    arena: Res<Arena>,
    inspector: Res<SteeringInspector>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&mut Projection, &mut Transform), With<Camera2d>>,
) {
    let (mut projection, mut transform) = camera.into_inner();
    let free = free_part(window.size(), inspector.area());
    let meters_per_pixel = (2.0 * arena.half_size / free.size()).max_element() / view.zoom;
    if let Projection::Orthographic(projection) = &mut *projection {
        projection.scale = meters_per_pixel;
    }
    let aside = (free.center() - 0.5 * window.size()) * Vec2::new(1.0, -1.0);
    let eye = view.center - meters_per_pixel * aside;
    transform.translation = eye.extend(transform.translation.z);
}

/// The part of the window that the panels leave free, logical pixels.
fn free_part(window: Vec2, inspector: Option<Rect>) -> Rect {
    const MARGIN: f32 = 12.0;
    /// Least width: in a narrower window the inspector covers a part of the scene.
    const LEAST: f32 = 120.0;
    // An inspector that the user has moved from the edge may cover the scene.
    let docked = inspector.filter(|area| area.max.x > window.x - 4.0 * MARGIN);
    let right = docked.map_or(window.x, |area| area.min.x);
    let left = PANEL_WIDTH + MARGIN;
    let right = (right - MARGIN).max(left + LEAST);
    Rect::new(left, MARGIN, right, (window.y - MARGIN).max(2.0 * MARGIN))
}
