//! Targets of behaviors that are no agents, with their transforms.

use std::any::TypeId;
use std::sync::Arc;

use bevy::prelude::*;

use super::part::Column;
use crate::Kinematics;

/// The targets of behaviors that have no value in any column but a transform.
#[derive(Clone, Default)]
pub(super) struct TargetTransforms {
    /// All targets, each once.
    all: Arc<Vec<Entity>>,
    places: Vec<(Entity, Transform)>,
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
        let place = |target: &Entity| {
            let found = world.get_entity(*target).ok()?;
            if found.contains::<Kinematics>() {
                return None;
            }
            Some((*target, *found.get::<Transform>()?))
        };
        self.places.clear();
        self.places.extend(self.all.iter().filter_map(place));
    }

    /// The given places.
    #[cfg(feature = "serialize")]
    pub(super) fn of(places: Vec<(Entity, Transform)>) -> Self {
        Self {
            all: Arc::new(Vec::new()),
            places,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Entity, Transform)> {
        self.places.iter().copied()
    }

    /// Its memory, bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.places)
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
