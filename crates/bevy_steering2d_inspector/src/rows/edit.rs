//! Edits made in rows, applied to the same behavior of all agents in scope.

use std::any::TypeId;

use bevy::prelude::*;
use bevy_steering2d_core::{
    AssignedBehavior, BehaviorGroup, BehaviorRegistry, Influence, SteeredBy, SteersFor,
};

use super::Row;
use crate::scope::{self, Scope};
use crate::{choices, patch, reorder};

/// An edit made in a row.
pub(super) enum Edit {
    /// Sets the fields of the influence that differ.
    Influence(Influence),
    /// Removes the behavior. The members of a group then steer for what it steered for.
    Remove,
    /// Moves the row before the row at this index.
    MoveTo(usize),
}

/// Whether a field differs. A number that stays NaN does not.
pub(super) fn is_edit(before: Influence, after: Influence) -> bool {
    let others = |it: Influence| (it.priority, it.enabled, it.when);
    !patch::is_same_number(before.weight, after.weight)
        || !patch::is_same_number(before.probability, after.probability)
        || others(before) != others(after)
}

/// Applies an edit of the row at an index to all agents in scope.
pub(super) fn apply(
    world: &mut World,
    rows: &[Row],
    index: usize,
    edit: Edit,
    shown: Entity,
    scope: Scope,
) {
    let Some(row) = rows.get(index) else {
        return;
    };
    let agents = scope::agents(world, scope, shown);
    match edit {
        Edit::Influence(influence) => {
            set_influence(world, &agents, &row.behavior, influence);
        }
        Edit::Remove => {
            let info = world
                .resource::<BehaviorRegistry>()
                .get(row.behavior.id)
                .clone();
            let entities =
                scope::behavior_entities(world, &agents, row.behavior.id, row.behavior.source);
            for entity in entities {
                if row.component == TypeId::of::<BehaviorGroup>() {
                    release_members(world, entity);
                }
                if let Ok(mut entity) = world.get_entity_mut(entity) {
                    info.remove(&mut entity);
                }
            }
        }
        Edit::MoveTo(place) => {
            // Priorities order the rows of one ledger.
            let alike = |row: &&Row| row.ledger == rows[index].ledger;
            let until = |index: usize| rows[..index].iter().filter(alike).count();
            let siblings: Vec<_> = rows.iter().filter(alike).collect();
            let before: Vec<_> = siblings
                .iter()
                .map(|row| row.behavior.influence.priority)
                .collect();
            let after = reorder::reordered(&before, until(index), until(place));
            for (row, priority) in siblings.into_iter().zip(after) {
                let influence = Influence {
                    priority,
                    ..row.behavior.influence
                };
                set_influence(world, &agents, &row.behavior, influence);
            }
        }
    }
}

/// Lets the members of a group steer for what it steers for: the forces of those that steer for a behavior entity without
/// a group are lost. A group on the agent itself has no effect, and its members steer for the agent already.
fn release_members(world: &mut World, group: Entity) {
    let Some(&steers_for) = world.get::<SteersFor>(group) else {
        return;
    };
    let members = world.get::<SteeredBy>(group).into_iter();
    let members: Vec<Entity> = members.flat_map(SteeredBy::iter).collect();
    for member in members {
        // An observer may have despawned it.
        if let Ok(mut member) = world.get_entity_mut(member) {
            member.insert(steers_for);
        }
    }
}

/// Sets the fields that differ from the shown influence, for the same behavior of all agents.
fn set_influence(
    world: &mut World,
    agents: &[Entity],
    shown: &AssignedBehavior,
    wanted: Influence,
) {
    let before = shown.influence;
    if !is_edit(before, wanted) {
        return;
    }
    let info = world.resource::<BehaviorRegistry>().get(shown.id).clone();
    let entities = scope::behavior_entities(world, agents, shown.id, shown.source);
    if before.when != wanted.when {
        choices::insert_condition(world, wanted.when, &entities);
    }
    for entity in entities {
        let Ok(mut entity) = world.get_entity_mut(entity) else {
            continue;
        };
        let Some(mut influence) = info.influence((&entity).into()) else {
            continue;
        };
        change_number(&mut influence.weight, before.weight, wanted.weight);
        change(&mut influence.priority, before.priority, wanted.priority);
        change(&mut influence.enabled, before.enabled, wanted.enabled);
        change(&mut influence.when, before.when, wanted.when);
        change_number(
            &mut influence.probability,
            before.probability,
            wanted.probability,
        );
        info.set_influence(&mut entity, influence);
    }
}

fn change<T: PartialEq>(value: &mut T, before: T, wanted: T) {
    if before != wanted {
        *value = wanted;
    }
}

pub(super) fn change_number(value: &mut f32, before: f32, wanted: f32) {
    if !patch::is_same_number(before, wanted) {
        *value = wanted;
    }
}
