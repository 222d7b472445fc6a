//! How long a target that is out of sight still counts as seen, and where it was.

use bevy::prelude::*;

use super::{ConditionStates, ConditionType, TargetInSight};
use crate::behavior_entity::BehaviorRoots;
use crate::combine::LedgerGeneration;
use crate::steer::Steered;
use crate::{Kinematics, SteeringClock, Target, Targets};

/// The state of a [`TargetInSight`]: which target it has seen, when, and where. It stays at its default until the target is in
/// sight for the first time.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetInSightMemory {
    /// The target that counts as seen by the [`memory`](TargetInSight::memory); `None` if none does, and always without one.
    #[entities]
    pub seen: Option<Target>,
    /// For how long it has been out of sight, s.
    pub unseen: f32,
    /// Where the target was when it was last in sight, m: where a guard may begin to search. It stays when the memory ends,
    /// without a memory, and when the target is gone; another [`target`](TargetInSight::target) resets it to `None`.
    pub last_seen: Option<Vec2>,
    /// The target that was seen there.
    #[entities]
    pub last_target: Option<Target>,
}

impl TargetInSightMemory {
    /// The memory `delta` s later; `sight` is where the target is in sight then.
    fn next(self, condition: &TargetInSight, sight: Option<Vec2>, delta: f32) -> Self {
        let target = Some(condition.target);
        // A number that is not finite, as from a faulty save, counts as zero or ends the memory.
        let unseen = if sight.is_some() {
            0.0
        } else {
            self.unseen.max(0.0) + delta
        };
        let before = self.last_seen.filter(|at| at.is_finite());
        let last_seen = sight.or(before.filter(|_| self.last_target == target));
        let counts = (sight.is_some() || self.seen == target) && unseen < condition.memory;
        Self {
            seen: target.filter(|_| counts),
            unseen: if counts { unseen } else { 0.0 },
            last_seen,
            last_target: target.filter(|_| last_seen.is_some()),
        }
    }

    /// What stays when the target is gone.
    fn without_target(self) -> Self {
        Self {
            seen: None,
            unseen: 0.0,
            ..self
        }
    }
}

/// Lets conditions hold whose target was in sight not long ago. One that is gone is forgotten. The memory of an agent that is not
/// steered rests.
pub(super) fn remember_targets(
    clock: Res<SteeringClock>,
    generation: Res<LedgerGeneration>,
    targets: Targets,
    roots: BehaviorRoots,
    agents: Query<&Kinematics, Steered>,
    mut watchers: Query<(
        Entity,
        &TargetInSight,
        &mut TargetInSightMemory,
        &mut ConditionStates,
    )>,
) {
    let in_sight = ConditionType::of::<TargetInSight>();
    for (entity, condition, mut memory, mut states) in &mut watchers {
        let agent = roots.agent_of(entity).unwrap_or(entity);
        if !agents.get(agent).is_ok_and(Kinematics::is_steerable) {
            continue;
        }
        let found = states.found(*generation, in_sight);
        let target = targets.get(condition.target).map(|it| it.position);
        let sight = target.filter(|_| found == Some(true));
        let mut now = memory.next(condition, sight, clock.delta);
        if target.is_none() {
            now = now.without_target();
        }
        memory.set_if_neq(now);
        if found == Some(false) && now.seen.is_some() {
            states.hold(in_sight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: f32 = 0.25;

    /// Where the target is seen, m.
    const HERE: Option<Vec2> = Some(Vec2::X);

    fn guard() -> TargetInSight {
        TargetInSight::new(Vec2::X).with_memory(1.0)
    }

    /// A memory of nothing but where the target was.
    fn past() -> TargetInSightMemory {
        TargetInSightMemory {
            last_seen: HERE,
            last_target: Some(Vec2::X.into()),
            ..default()
        }
    }

    #[test]
    fn a_target_counts_as_seen_for_the_time_of_the_memory() {
        let mut memory = TargetInSightMemory::default().next(&guard(), HERE, DELTA);
        assert_eq!(memory.seen, Some(Vec2::X.into()));
        let counts = [(); 5].map(|()| {
            memory = memory.next(&guard(), None, DELTA);
            memory.seen.is_some()
        });
        assert_eq!(counts, [true, true, true, false, false]);
        assert_eq!(memory, past());
    }

    #[test]
    fn a_glance_begins_the_memory_anew() {
        let seen = TargetInSightMemory::default().next(&guard(), HERE, DELTA);
        let later = seen.next(&guard(), None, DELTA);
        assert_eq!(later.unseen, DELTA);
        assert_eq!(later.next(&guard(), HERE, DELTA), seen);
    }

    #[test]
    fn another_target_is_not_remembered() {
        let seen = TargetInSightMemory::default().next(&guard(), HERE, DELTA);
        let other = TargetInSight {
            target: Vec2::Y.into(),
            ..guard()
        };
        let next = seen.next(&other, None, DELTA);
        assert_eq!(next, TargetInSightMemory::default());
    }

    #[test]
    fn a_condition_without_memory_remembers_only_where_its_target_was() {
        let forgetful = TargetInSight::new(Vec2::X);
        for delta in [0.0, DELTA] {
            let memory = TargetInSightMemory::default().next(&forgetful, HERE, delta);
            assert_eq!(memory, past());
            assert_eq!(memory.next(&forgetful, None, delta), past());
        }
    }

    #[test]
    fn a_target_that_is_gone_leaves_where_it_was() {
        let seen = TargetInSightMemory::default().next(&guard(), HERE, DELTA);
        assert_eq!(seen.without_target(), past());
    }

    #[test]
    fn numbers_that_are_not_finite_do_not_last() {
        for unseen in [f32::NAN, f32::INFINITY, f32::MIN] {
            let seen = Some(Vec2::X.into());
            let faulty = TargetInSightMemory {
                seen,
                unseen,
                last_seen: Some(Vec2::splat(unseen)),
                last_target: seen,
            };
            let next = faulty.next(&guard(), None, DELTA);
            assert!(next.unseen == 0.0 || next.unseen == DELTA, "{next:?}");
            assert!(next.last_seen.is_none_or(Vec2::is_finite), "{next:?}");
        }
    }
}
