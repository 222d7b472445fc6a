//! [`Reports`]: what the game hears of plans and orders.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Announcements, Arrived, InvalidParameter, SteeringClock, SteeringId, SteeringWarnings, Target,
};

use crate::{GroupPlace, NoPath, NoPathReason, PathFound};

/// Tells the game what becomes of the plans.
#[derive(SystemParam)]
pub(crate) struct Reports<'w, 's> {
    pub(super) clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
    found: Res<'w, Announcements<PathFound>>,
    not_found: Res<'w, Announcements<NoPath>>,
    arrived: Res<'w, Announcements<Arrived>>,
    places: Query<'w, 's, &'static GroupPlace>,
}

impl Reports<'_, '_> {
    /// Whether the game is to hear of the way of an agent to a target. A member of a group for which there is no room has
    /// been refused already: it only stops.
    fn is_told(&self, entity: Entity, target: Target) -> bool {
        let place = self.places.get(entity);
        !place.is_ok_and(|it| it.is_stop(target))
    }

    pub(super) fn arrival(&self, id: SteeringId, entity: Entity, target: Target) {
        let event = Arrived {
            entity,
            target,
            source: entity,
        };
        if self.is_told(entity, target) {
            self.arrived.send(id, entity, event);
        }
    }

    pub(super) fn path(&self, id: SteeringId, entity: Entity, target: Target, length: f32) {
        let event = PathFound {
            entity,
            target,
            length,
        };
        if self.is_told(entity, target) {
            self.found.send(id, entity, event);
        }
    }

    pub(super) fn no_path(
        &self,
        id: SteeringId,
        entity: Entity,
        target: Target,
        reason: NoPathReason,
    ) {
        log::debug!("entity {entity}: no path to {target:?}: {reason}");
        let event = NoPath {
            entity,
            target,
            reason,
        };
        if self.is_told(entity, target) {
            self.not_found.send(id, entity, event);
        }
    }

    pub(super) fn invalid(&self, entity: Entity, error: &InvalidParameter) {
        self.warnings
            .raise_invalid(&self.clock, entity, error, "it does not plan a path");
    }

    pub(super) fn other_path(&self, entity: Entity) {
        self.warnings.raise(&self.clock, entity, "PathFollowing.path", || {
            "PathFollowing.path names another entity, so the agent does not follow the path of its NavigateTo; set it to \
             None"
                .into()
        });
    }

    pub(super) fn no_follower(&self, entity: Entity) {
        self.warnings.raise(&self.clock, entity, "PathFollowing", || {
            "the agent has a NavigateTo but no PathFollowing, so nothing follows its path; insert NavigateTo::path_following(), \
             set its pace to zero to halt the agent, or disable its influence if a behavior of yours follows the path"
                .into()
        });
    }

    pub(super) fn behavior_entity(&self, entity: Entity) {
        self.warnings.raise(&self.clock, entity, "NavigateTo", || {
            "NavigateTo is on an entity that steers for another one, and does nothing there; insert it on the agent itself"
                .into()
        });
    }

    pub(super) fn failure(&self, entity: Entity) {
        self.warnings.raise(&self.clock, entity, "NavigateTo", || {
            "the pathfinder panicked or returned an invalid path, so this agent gets NoPath (Failed); correct the Pathfinder. Other agents are not affected"
                .into()
        });
    }
}
