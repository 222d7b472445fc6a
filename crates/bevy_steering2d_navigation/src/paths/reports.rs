//! [`Reports`]: what the game hears of plans and orders.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Announcements, Arrived, InvalidParameter, SteeringClock, SteeringId, SteeringWarnings, Target,
};

use crate::{NoPath, NoPathReason, PathFound};

/// Tells the game what becomes of the plans.
#[derive(SystemParam)]
pub(crate) struct Reports<'w> {
    pub(super) clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
    found: Res<'w, Announcements<PathFound>>,
    not_found: Res<'w, Announcements<NoPath>>,
    arrived: Res<'w, Announcements<Arrived>>,
}

impl Reports<'_> {
    pub(super) fn arrival(&self, id: SteeringId, entity: Entity, target: Target) {
        let event = Arrived {
            entity,
            target,
            source: entity,
        };
        self.arrived.send(id, entity, event);
    }

    pub(super) fn path(&self, id: SteeringId, entity: Entity, target: Target, length: f32) {
        let event = PathFound {
            entity,
            target,
            length,
        };
        self.found.send(id, entity, event);
    }

    pub(super) fn no_path(
        &self,
        id: SteeringId,
        entity: Entity,
        target: Target,
        reason: NoPathReason,
    ) {
        let event = NoPath {
            entity,
            target,
            reason,
        };
        self.not_found.send(id, entity, event);
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
