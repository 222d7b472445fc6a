//! [`NavigationPlugin`]: adds the systems of navigation to the steering pipeline.

use std::fmt;
use std::sync::Mutex;

use bevy::prelude::*;
use bevy_steering2d_core::{SteeringAppExt, SteeringSchedule};

use crate::fields::{self, solve_fields};
use crate::groups::{self, order_groups, release_leavers};
use crate::paths::{self, ActivePathfinder, plan_paths};
use crate::terrain::{self, Terrain, survey};
use crate::{NavigateTo, NavigateToMemory, Pathfinder};

/// The systems of navigation, in the order they run, in [`SteeringSchedule::Answer`]: bodies, walls and
/// obstacles are sensed and indexed, and no behavior has run yet.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NavigationSystems {
    /// The [`Terrain`] is updated. Systems that fill [`Solids`](crate::Solids) run before.
    Survey,
    /// Fields are solved, groups get their places, and paths are planned.
    Plan,
}

/// Adds navigation to the steering pipeline. A second one changes nothing but the pathfinder, if it has one.
#[derive(Default)]
pub struct NavigationPlugin {
    pathfinder: Mutex<Option<Box<dyn Pathfinder>>>,
}

impl NavigationPlugin {
    /// Plans paths with another [`Pathfinder`].
    #[must_use]
    pub fn with_pathfinder(mut self, pathfinder: impl Pathfinder) -> Self {
        let pathfinder: Box<dyn Pathfinder> = Box::new(pathfinder);
        self.pathfinder = Mutex::new(Some(pathfinder));
        self
    }
}

impl fmt::Debug for NavigationPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NavigationPlugin").finish_non_exhaustive()
    }
}

impl Plugin for NavigationPlugin {
    fn build(&self, app: &mut App) {
        let chosen = self.pathfinder.lock().ok().and_then(|mut it| it.take());
        if let Some(pathfinder) = chosen {
            app.insert_resource(ActivePathfinder::new(pathfinder));
        }
        if app.world().contains_resource::<Terrain>() {
            return;
        }
        terrain::register(app);
        paths::register(app);
        fields::register(app);
        groups::register(app);
        app.require_part::<NavigateTo, NavigateToMemory>()
            .configure_sets(
                SteeringSchedule::Answer,
                (NavigationSystems::Survey, NavigationSystems::Plan).chain(),
            )
            .add_systems(
                SteeringSchedule::Answer,
                (
                    survey.in_set(NavigationSystems::Survey),
                    (solve_fields, release_leavers, order_groups, plan_paths)
                        .chain()
                        .in_set(NavigationSystems::Plan),
                ),
            );
    }

    fn is_unique(&self) -> bool {
        false
    }
}
