//! Plugins that add all scenes to an app, with physics and steering, or with overlays.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::SnapshotAppExt;
use bevy_steering2d::prelude::*;

use crate::arena::{Arena, replace_ground};
use crate::in_scene::{SpawnCount, mark_respawned};
use crate::input::{Held, Pointer, Presses, forget_presses};
use crate::lifecycle::{ActionSelection, CurrentScene, SceneRandom, count_tick, play_script};
use crate::look::{blend_poses, forget_poses, record_poses};
use crate::physics::add_physics;
use crate::snapshots::add_body_types;
use crate::stay_inside::StayInside;
use crate::trail::{forget_trails, record_trails};
use crate::{overlay, scenes};

/// Adds physics, steering and the systems of every scene, all in `FixedUpdate`; a scene's systems
/// run from [`start`](crate::start) on.
///
/// Needs `MinimalPlugins` and `TransformPlugin`, or `DefaultPlugins`.
pub struct ScenesPlugin;

impl Plugin for ScenesPlugin {
    fn build(&self, app: &mut App) {
        add_physics(app);
        add_body_types(app);
        app.add_plugins(SteeringPlugin::default())
            .add_behavior::<StayInside>()
            .init_resource::<Arena>()
            .init_resource::<CurrentScene>()
            .init_resource::<SpawnCount>()
            .init_resource::<SceneRandom>()
            .init_resource::<Pointer>()
            .init_resource::<Held>()
            .init_resource::<Presses>()
            .add_snapshot_resource::<CurrentScene>()
            .add_snapshot_resource::<SceneRandom>()
            .add_snapshot_resource::<Arena>()
            .configure_sets(FixedUpdate, ActionSelection.before(PhysicsSet::SyncBackend))
            .add_systems(FixedPreUpdate, (play_script, count_tick).chain())
            .add_systems(FixedUpdate, forget_presses.after(ActionSelection))
            .add_observer(mark_respawned);
        for scene in scenes::all() {
            (scene.build)(app);
        }
    }
}

/// Interpolates poses between ticks and draws the scenes' overlays, for apps with a window; needs
/// gizmos.
pub struct OverlaysPlugin;

impl Plugin for OverlaysPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(FixedPostUpdate, (record_poses, record_trails))
            .add_systems(
                RunFixedMainLoop,
                blend_poses.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop),
            );
        app.add_systems(Update, (overlay::mark_ground, replace_ground))
            .add_observer(forget_poses)
            .add_observer(forget_trails);
        for scene in scenes::all() {
            (scene.build_overlay)(app);
        }
    }
}
