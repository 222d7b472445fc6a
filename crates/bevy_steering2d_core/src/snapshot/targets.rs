//! Targets of behaviors that are no agents, with their transforms.

use std::any::TypeId;
use std::sync::Arc;

use bevy::prelude::*;

use super::hidden::is_hidden;
use super::part::Column;
use crate::Kinematics;

/// The targets of behaviors that have no value in any column but a transform.
#[derive(Clone, Default)]
pub(super) struct TargetTransforms {
    /// All targets, each once.
    all: Arc<Vec<Entity>>,
    places: Vec<(Entity, Transform)>,
    /// Those of them that were hidden, so that behaviors took them for lost. In order.
    hidden: Vec<Entity>,
}

type Columns = [(TypeId, Arc<dyn Column>)];

impl TargetTransforms {
    /// Finds the targets of all columns, in the memory of those it had.
    pub(super) fn take(
        &mut self,
        world: &World,
        columns: &Columns,
        earlier: Option<(&Self, &Columns)>,
    ) {
        self.all = match earlier {
            Some((earlier, theirs)) if have_same_targets(columns, theirs) => earlier.all.clone(),
            _ => {
                let all = columns.iter().flat_map(|(_, column)| column.targets());
                let mut all: Vec<Entity> = all.copied().collect();
                all.sort_unstable();
                all.dedup();
                Arc::new(all)
            }
        };
        self.places.clear();
        self.hidden.clear();
        for target in self.all.iter() {
            let found = world.get_entity(*target).ok();
            let Some(found) = found.filter(|it| !it.contains::<Kinematics>()) else {
                continue;
            };
            if let Some(place) = found.get::<Transform>() {
                self.places.push((*target, *place));
                if is_hidden(world, found) {
                    self.hidden.push(*target);
                }
            }
        }
    }

    /// The given places.
    #[cfg(feature = "serialize")]
    pub(super) fn of(places: Vec<(Entity, Transform)>) -> Self {
        Self {
            places,
            ..Self::default()
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Entity, Transform)> {
        self.places.iter().copied()
    }

    /// Whether a target was hidden.
    pub(super) fn was_hidden(&self, target: Entity) -> bool {
        self.hidden.binary_search(&target).is_ok()
    }

    /// Whether any target was hidden.
    pub(super) fn has_hidden(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Its memory, bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.places) + size_of_val(&*self.hidden)
    }
}

/// Whether two snapshots share all columns with targets.
fn have_same_targets(columns: &Columns, others: &Columns) -> bool {
    columns.len() == others.len()
        && columns.iter().zip(others).all(|((_, one), (_, other))| {
            let none = one.targets().is_empty() && other.targets().is_empty();
            none || Arc::ptr_eq(one, other)
        })
}
