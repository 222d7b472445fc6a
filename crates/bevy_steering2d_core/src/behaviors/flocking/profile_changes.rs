//! Gives agents another flock profile when their rules change.

use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::profile::{FlockProfiles, RuleProfile};
use super::{Alignment, Cohesion, Flocks, Separation};
use crate::Behavior;
use crate::changes::any_is_new;
use crate::parallel::NOT_IN_TABLES;
use crate::perception::Perception;
use crate::pipeline::BehaviorSlot;

/// The ids of the three rules.
#[derive(SystemParam)]
pub(super) struct Slots<'w> {
    separation: Res<'w, BehaviorSlot<Separation>>,
    alignment: Res<'w, BehaviorSlot<Alignment>>,
    cohesion: Res<'w, BehaviorSlot<Cohesion>>,
}

/// The rules of an agent, and when they changed.
type ChangesOfRules = (
    Entity,
    Option<Ref<'static, Separation>>,
    Option<Ref<'static, Alignment>>,
    Option<Ref<'static, Cohesion>>,
    // Changes when one of the three is removed.
    Ref<'static, Perception>,
);

/// The rules of an agent, and what has its profile.
type RulesToAssign = (
    Option<&'static Separation>,
    Option<&'static Alignment>,
    Option<&'static Cohesion>,
    &'static mut Perception,
);

/// Updates the profile of every agent whose rules changed.
pub(super) fn update_profiles(
    slots: Slots,
    mut profiles: ResMut<FlockProfiles>,
    mut agents: ParamSet<(Query<ChangesOfRules, Flocks>, Query<RulesToAssign, Flocks>)>,
    mut changed: Local<Vec<Entity>>,
) {
    list_changed(&agents.p0(), &mut changed);
    if profiles.are_too_many() {
        *profiles = FlockProfiles::default();
        for (separation, alignment, cohesion, perception) in &mut agents.p1() {
            profiles.assign(&slots, separation, alignment, cohesion, perception);
        }
    } else {
        let mut agents = agents.p1();
        let mut agents = agents.iter_many_mut(changed.iter());
        while let Some((separation, alignment, cohesion, perception)) = agents.fetch_next() {
            profiles.assign(&slots, separation, alignment, cohesion, perception);
        }
    }
}

/// Lists the agents whose rules changed since the last run.
fn list_changed(rules: &Query<ChangesOfRules, Flocks>, changed: &mut Vec<Entity>) {
    changed.clear();
    let tables = rules.contiguous_iter().expect(NOT_IN_TABLES);
    for (entities, separations, alignments, cohesions, perceptions) in tables {
        let columns = [
            separations.map(|rules| rules.changed_ticks_slice()),
            alignments.map(|rules| rules.changed_ticks_slice()),
            cohesions.map(|rules| rules.changed_ticks_slice()),
            Some(perceptions.changed_ticks_slice()),
        ];
        let (last, now) = (perceptions.last_run_tick(), perceptions.this_run_tick());
        let is_new = |tick: &Tick| tick.is_newer_than(last, now);
        let columns = columns.into_iter().flatten();
        if columns.clone().any(|ticks| any_is_new(ticks, last, now)) {
            let rows = entities.iter().enumerate();
            changed.extend(rows.filter_map(|(row, &entity)| {
                let mut columns = columns.clone();
                columns.any(|ticks| is_new(&ticks[row])).then_some(entity)
            }));
        }
    }
}

impl FlockProfiles {
    /// Gives an agent the profile of its rules.
    fn assign(
        &mut self,
        slots: &Slots,
        separation: Option<&Separation>,
        alignment: Option<&Alignment>,
        cohesion: Option<&Cohesion>,
        mut perception: Mut<Perception>,
    ) {
        let rules = [
            RuleProfile::of(slots.separation.id, separation, Separation::visibility),
            RuleProfile::of(slots.alignment.id, alignment, Alignment::visibility),
            RuleProfile::of(slots.cohesion.id, cohesion, Cohesion::visibility),
        ];
        perception.profile = self.number_of(rules);
        perception.radius = self.get(perception.profile).radius;
    }
}

/// Resets the profile of an agent when one of its rules is removed.
pub(super) fn reset_profile<B: Behavior>(
    removed: On<Remove, B>,
    mut agents: Query<&mut Perception, Allow<Disabled>>,
) {
    if let Ok(mut perception) = agents.get_mut(removed.entity) {
        (perception.profile, perception.radius) = (0, 0.0);
    }
}
