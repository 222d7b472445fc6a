//! Meshes for entities with a [`Look`].
//!
//! A picture is an entity of its own: its transform is smoothed, while physics owns the body's.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_steering2d_scenes::{Drawn, Look, Shape};

pub fn plugin(app: &mut App) {
    app.init_resource::<Paints>().add_systems(
        Update,
        (hang_pictures, repaint_pictures, move_pictures).chain(),
    );
}

/// The picture of an entity; despawns with it.
#[derive(Component)]
#[relationship(relationship_target = Pictured)]
struct PictureOf(Entity);

/// An entity with a picture.
#[derive(Component)]
#[relationship_target(relationship = PictureOf, linked_spawn)]
struct Pictured(Entity);

/// The materials by color. Pictures with the same mesh and material are drawn in one batch.
#[derive(Resource, Default)]
struct Paints(Vec<(Color, Handle<ColorMaterial>)>);

impl Paints {
    fn of(&mut self, color: Color, materials: &mut Assets<ColorMaterial>) -> Handle<ColorMaterial> {
        shared(&mut self.0, &color, || {
            materials.add(ColorMaterial::from_color(color))
        })
    }
}

/// The known value of the key, or else a new one.
fn shared<K: Clone + PartialEq, V: Clone>(
    known: &mut Vec<(K, V)>,
    key: &K,
    new: impl FnOnce() -> V,
) -> V {
    if let Some((_, value)) = known.iter().find(|(other, _)| other == key) {
        return value.clone();
    }
    let value = new();
    known.push((key.clone(), value.clone()));
    value
}

fn hang_pictures(
    news: Query<(Entity, &Look), Without<Pictured>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    mut paints: ResMut<Paints>,
    mut commands: Commands,
) {
    let mut shapes = Vec::new();
    for (entity, look) in &news {
        let shape = shared(&mut shapes, &look.shape, || meshes.add(mesh(&look.shape)));
        commands.spawn((
            PictureOf(entity),
            Mesh2d(shape),
            MeshMaterial2d(paints.of(look.color, &mut materials)),
            Transform::from_xyz(0.0, 0.0, look.layer),
        ));
    }
}

fn repaint_pictures(
    looks: Query<(&Look, &Pictured), Changed<Look>>,
    mut pictures: Query<&mut MeshMaterial2d<ColorMaterial>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    mut paints: ResMut<Paints>,
) {
    for (look, pictured) in &looks {
        if let Ok(mut paint) = pictures.get_mut(pictured.0) {
            paint.0 = paints.of(look.color, &mut materials);
        }
    }
}

fn move_pictures(bodies: Query<&Drawn>, mut pictures: Query<(&PictureOf, &mut Transform)>) {
    for (picture, mut transform) in &mut pictures {
        if let Ok(Drawn { pose, .. }) = bodies.get(picture.0) {
            transform.translation = pose.position.extend(transform.translation.z);
            transform.rotation = Quat::from_rotation_z(pose.facing.as_radians());
        }
    }
}

fn mesh(shape: &Shape) -> Mesh {
    match shape {
        Shape::Arrow { length, width } => dart(*length, *width),
        Shape::Area(outline) => area(outline),
        Shape::Loop { points, width } => ribbon(points, *width),
    }
}

/// A dart with a notch in its tail; the origin is the center of the body.
fn dart(length: f32, width: f32) -> Mesh {
    let corners = [
        Vec2::new(0.6 * length, 0.0),
        Vec2::new(-0.4 * length, 0.5 * width),
        Vec2::new(-0.22 * length, 0.0),
        Vec2::new(-0.4 * length, -0.5 * width),
    ];
    triangles(&corners, vec![0, 1, 2, 0, 2, 3])
}

/// A triangle fan around the first point.
fn area(outline: &[Vec2]) -> Mesh {
    let fan = (2..outline.len() as u32).flat_map(|i| [0, i - 1, i]);
    triangles(outline, fan.collect())
}

/// A band along a closed curve.
fn ribbon(points: &[Vec2], width: f32) -> Mesh {
    let count = points.len();
    let edges: Vec<_> = (0..count)
        .flat_map(|i| {
            let (before, after) = (points[(i + count - 1) % count], points[(i + 1) % count]);
            let side = 0.5 * width * (after - before).perp().normalize_or_zero();
            [points[i] + side, points[i] - side]
        })
        .collect();
    let count = count as u32;
    let quads = (0..count).flat_map(|i| {
        let (here, next) = (2 * i, 2 * ((i + 1) % count));
        [here, here + 1, next, next, here + 1, next + 1]
    });
    triangles(&edges, quads.collect())
}

fn triangles(corners: &[Vec2], indices: Vec<u32>) -> Mesh {
    let positions: Vec<_> = corners.iter().map(|p| [p.x, p.y, 0.0]).collect();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::RENDER_WORLD,
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
    .with_inserted_indices(Indices::U32(indices))
}
