//! How long a target that is out of sight still counts as seen.

use bevy::prelude::*;

use super::{ConditionStates, ConditionType, TargetInSight};
use crate::combine::LedgerGeneration;
use crate::{SteeringClock, Target, Targets};

/// The state of a [`TargetInSight`]: which target it has seen, and when. Without a
/// [`memory`](TargetInSight::memory) it stays at its default.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetInSightMemory {
    /// The target that counts as seen; `None` if none does.
    #[entities]
    pub seen: Option<Target>,
    /// For how long it has been out of sight, s.
    pub unseen: f32,
}

impl TargetInSightMemory {
    /// The memory `delta` s later; `sees` tells whether the target is in sight then.
    fn next(self, condition: &TargetInSight, sees: bool, delta: f32) -> Self {
        let seen = Some(condition.target);
        // A number that is not finite, as from a faulty save, counts as zero or ends the memory.
        let unseen = if sees {
            0.0
        } else {
            self.unseen.max(0.0) + delta
        };
        if (sees || self.seen == seen) && unseen < condition.memory {
            Self { seen, unseen }
        } else {
            Self::default()
        }
    }
}

/// Lets conditions hold whose target was in sight not long ago. One that is gone is forgotten.
pub(super) fn remember_targets(
    clock: Res<SteeringClock>,
    generation: Res<LedgerGeneration>,
    targets: Targets,
    mut watchers: Query<(
        &TargetInSight,
        &mut TargetInSightMemory,
        &mut ConditionStates,
    )>,
) {
    let sight = ConditionType::of::<TargetInSight>();
    for (condition, mut memory, mut states) in &mut watchers {
        let found = states.found(*generation, sight);
        let mut now = memory.next(condition, found == Some(true), clock.delta);
        if now.seen.is_some() && targets.get(condition.target).is_none() {
            now = TargetInSightMemory::default();
        }
        memory.set_if_neq(now);
        if found == Some(false) && now.seen.is_some() {
            states.hold(sight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: f32 = 0.25;

    fn guard() -> TargetInSight {
        TargetInSight::new(Vec2::X).with_memory(1.0)
    }

    #[test]
    fn a_target_counts_as_seen_for_the_time_of_the_memory() {
        let mut memory = TargetInSightMemory::default().next(&guard(), true, DELTA);
        assert_eq!(memory.seen, Some(Vec2::X.into()));
        let counts = [(); 5].map(|()| {
            memory = memory.next(&guard(), false, DELTA);
            memory.seen.is_some()
        });
        assert_eq!(counts, [true, true, true, false, false]);
        assert_eq!(memory, TargetInSightMemory::default());
    }

    #[test]
    fn a_glance_begins_the_memory_anew() {
        let seen = TargetInSightMemory::default().next(&guard(), true, DELTA);
        let later = seen.next(&guard(), false, DELTA);
        assert_eq!(later.unseen, DELTA);
        assert_eq!(later.next(&guard(), true, DELTA), seen);
    }

    #[test]
    fn another_target_is_not_remembered() {
        let seen = TargetInSightMemory::default().next(&guard(), true, DELTA);
        let other = TargetInSight {
            target: Vec2::Y.into(),
            ..guard()
        };
        assert_eq!(seen.next(&other, false, DELTA).seen, None);
    }

    #[test]
    fn a_condition_without_memory_remembers_nothing() {
        let forgetful = TargetInSight::new(Vec2::X);
        for delta in [0.0, DELTA] {
            let memory = TargetInSightMemory::default().next(&forgetful, true, delta);
            assert_eq!(memory, TargetInSightMemory::default());
        }
    }

    #[test]
    fn numbers_that_are_not_finite_do_not_last() {
        for unseen in [f32::NAN, f32::INFINITY, f32::MIN] {
            let seen = Some(Vec2::X.into());
            let faulty = TargetInSightMemory { seen, unseen };
            let next = faulty.next(&guard(), false, DELTA);
            assert!(next.unseen == 0.0 || next.unseen == DELTA, "{next:?}");
        }
    }
}
