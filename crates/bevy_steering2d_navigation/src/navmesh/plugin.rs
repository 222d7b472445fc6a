//! [`NavmeshPlugin`]: hands the chosen mesh to the pathfinder, and lays walls along its border.

use std::any::Any;

use bevy::asset::AssetEventSystems;
use bevy::prelude::*;
use bevy_steering2d_core::{SnapshotAppExt, SnapshotKind, Wall};
use vleue_navigator::NavMesh;
use vleue_navigator::prelude::ManagedNavMesh;

use super::{NavmeshError, NavmeshInset, NavmeshPathfinder};
use crate::paths::SearchTerrain;
use crate::{ActivePathfinder, NavigationPlugin, Solid};

/// Lets [`NavigateTo`](crate::NavigateTo) plan over the [`NavMesh`] that [`ActiveNavmesh`] chooses.
///
/// It adds [`NavigationPlugin`] if it is missing, and makes [`NavmeshPathfinder`] the [`ActivePathfinder`]. `NavMesh`
/// is an asset of `vleue_navigator`, from a file, from code, or managed: built and updated from obstacles. That
/// crate's plugins are the game's to add.
///
/// The border of the mesh becomes [`Wall`]s, so that avoidance behaviors keep agents on it, also in a crowd: give
/// them [`ReciprocalAvoidance`](bevy_steering2d_core::ReciprocalAvoidance) or
/// [`WallAvoidance`](bevy_steering2d_core::WallAvoidance). Fields and groups see these walls as well. Groups get places on
/// the mesh; a field takes what is beyond its border for ground that no way leads to, so its goals must be on the mesh.
///
/// A wall is no collider. Bodies of a physics engine can be pushed through by contacts, unless the game gives each
/// [`NavmeshWall`] a fixed collider when it is added.
///
/// When the mesh changes, agents plan again. Without a mesh, before it is loaded, and if it cannot be used, which is
/// logged with the reason, agents stop, with the event [`NoPath`](crate::NoPath) and
/// [`NoPathReason::NotReady`](crate::NoPathReason::NotReady); they plan once there is one. A target or an agent that
/// is farther off the mesh than its radius is blocked:
/// [`NoPathReason::TargetBlocked`](crate::NoPathReason::TargetBlocked) and
/// [`NoPathReason::AgentBlocked`](crate::NoPathReason::AgentBlocked).
///
/// A mesh has one layer and lies in the plane of x and y.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d {
/// #     pub use bevy_steering2d_core::{SteeringCorePlugin as SteeringPlugin, *};
/// #     pub use bevy_steering2d_navigation as navigation;
/// # }
/// use bevy_steering2d::navigation::{ActiveNavmesh, NavigateTo, NavmeshPlugin};
/// use bevy_steering2d::{Combine, PointMass, ReciprocalAvoidance, SteeringPlugin};
/// use vleue_navigator::{NavMesh, VleueNavigatorPlugin};
///
/// fn spawn(mut meshes: ResMut<Assets<NavMesh>>, mut commands: Commands) {
///     let room = [(0.0, 0.0), (12.0, 0.0), (12.0, 8.0), (0.0, 8.0)].map(Vec2::from);
///     let hole = [(5.0, 2.0), (7.0, 2.0), (7.0, 6.0), (5.0, 6.0)].map(Vec2::from);
///     let mesh = NavMesh::from_edge_and_obstacles(room.to_vec(), vec![hole.to_vec()]);
///     commands.insert_resource(ActiveNavmesh::new(meshes.add(mesh)));
///     commands.spawn((
///         PointMass::default(),
///         Transform::from_xyz(2.0, 4.0, 0.0),
///         NavigateTo::new(Vec2::new(10.0, 4.0)),
///         ReciprocalAvoidance::default(),
///         Combine::WEIGHTED_SUM,
///     ));
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, AssetPlugin::default(), VleueNavigatorPlugin))
///     .add_plugins((SteeringPlugin::new(Update), NavmeshPlugin))
///     .add_systems(Startup, spawn);
/// # app.update();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NavmeshPlugin;

impl Plugin for NavmeshPlugin {
    fn build(&self, app: &mut App) {
        let pathfinder = Box::new(NavmeshPathfinder::default());
        app.add_plugins(NavigationPlugin::default())
            .insert_resource(ActivePathfinder::new(pathfinder))
            .register_type::<ActiveNavmesh>()
            .add_saved_component::<NavmeshWall>(SnapshotKind::Parameter)
            .add_systems(Startup, demand_assets)
            .add_systems(
                PostUpdate,
                follow_mesh
                    .after(AssetEventSystems)
                    .run_if(resource_exists::<Assets<NavMesh>>),
            );
    }
}

/// The navigation mesh on which agents plan.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_navigation::ActiveNavmesh;
/// # use vleue_navigator::prelude::*;
/// fn choose(managed: Single<(&ManagedNavMesh, &NavMeshSettings)>, mut commands: Commands) {
///     let (mesh, settings) = *managed;
///     commands.insert_resource(ActiveNavmesh::from(mesh).with_inset(settings));
/// }
/// ```
#[derive(Resource, Reflect, Clone, Debug, PartialEq)]
#[reflect(Resource, Debug, PartialEq, Clone)]
pub struct ActiveNavmesh {
    /// The mesh.
    pub mesh: Handle<NavMesh>,
    /// How far the mesh ends before its real border. Default nowhere.
    ///
    /// The walls stand where the border really is, and paths keep the radius of each agent away from there.
    pub inset: NavmeshInset,
}

impl ActiveNavmesh {
    /// Plans on a mesh that reaches up to its real border.
    pub fn new(mesh: Handle<NavMesh>) -> Self {
        Self {
            mesh,
            inset: NavmeshInset::default(),
        }
    }

    /// Sets the [`inset`](Self::inset).
    #[must_use]
    pub fn with_inset(mut self, inset: impl Into<NavmeshInset>) -> Self {
        self.inset = inset.into();
        self
    }
}

impl From<&ManagedNavMesh> for ActiveNavmesh {
    fn from(managed: &ManagedNavMesh) -> Self {
        Self::new((**managed).clone())
    }
}

/// Marks a [`Wall`] along the border of the [`ActiveNavmesh`]. These walls are replaced when the mesh changes.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct NavmeshWall;

fn demand_assets(assets: Option<Res<Assets<NavMesh>>>) {
    if assets.is_none() {
        log::warn!("NavmeshPlugin finds no assets of type NavMesh: add VleueNavigatorPlugin");
    }
}

/// Hands over the mesh, and lays new walls, if the choice or the mesh has changed.
fn follow_mesh(
    chosen: Option<Res<ActiveNavmesh>>,
    meshes: Res<Assets<NavMesh>>,
    mut events: MessageReader<AssetEvent<NavMesh>>,
    mut active: ResMut<ActivePathfinder>,
    mut searches: ResMut<SearchTerrain>,
    walls: Query<(Entity, &Wall), With<NavmeshWall>>,
    mut was_chosen: Local<bool>,
    mut commands: Commands,
) {
    let id = chosen.as_ref().map(|it| it.mesh.id());
    let mesh_changed = events.read().filter(|it| Some(asset_of(it)) == id).count() > 0;
    let choice_changed = chosen.as_ref().map_or(*was_chosen, Res::is_changed);
    *was_chosen = chosen.is_some();
    if !mesh_changed && !choice_changed {
        return;
    }
    let chosen = chosen.and_then(|it| Some((meshes.get(&it.mesh)?, it.inset)));
    let border = hand_over(chosen, active.bypass_change_detection()).unwrap_or_else(|error| {
        log::warn!("{error}; until then agents find no path");
        Vec::new()
    });
    // The walls along the old border do not belong to the new mesh.
    searches.forget();
    let new: Vec<_> = border.iter().map(|it| Wall::new(it.from, it.to)).collect();
    if walls.iter().map(|(_, wall)| wall).eq(&new) {
        return;
    }
    for (old, _) in &walls {
        commands.entity(old).despawn();
    }
    commands.spawn_batch(new.into_iter().map(|wall| (wall, NavmeshWall)));
}

fn asset_of(event: &AssetEvent<NavMesh>) -> AssetId<NavMesh> {
    match *event {
        AssetEvent::Added { id }
        | AssetEvent::Modified { id }
        | AssetEvent::Removed { id }
        | AssetEvent::Unused { id }
        | AssetEvent::LoadedWithDependencies { id } => id,
    }
}

/// Gives the mesh to the pathfinder, if it is one for meshes; returns the border.
fn hand_over(
    mesh: Option<(&NavMesh, NavmeshInset)>,
    active: &mut ActivePathfinder,
) -> Result<Vec<Solid>, NavmeshError> {
    let pathfinder: &mut dyn Any = active.pathfinder_mut();
    let mut other = NavmeshPathfinder::default();
    let pathfinder = pathfinder.downcast_mut().unwrap_or(&mut other);
    match mesh {
        Some((mesh, inset)) => pathfinder.set_mesh(mesh, inset)?,
        None => pathfinder.remove_mesh(),
    }
    Ok(pathfinder.border().to_vec())
}
