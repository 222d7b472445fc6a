//! Who flocks how: many agents share one of a few classes.

use std::sync::Arc;

use bevy::ecs::change_detection::Tick;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use super::{Alignment, Cohesion, Flocks, Separation, Slots};
use crate::combine::rank;
use crate::perception::{Perception, SteeringGroups, least_cosine};
use crate::{Behavior, BehaviorId, Cut, LedgerEntry};

/// How one of the three behaviors looks at its neighbors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    /// m; zero when the behavior is absent.
    pub(crate) radius: f32,
    pub(crate) field_of_view: f32,
    pub(crate) groups: SteeringGroups,
    pub(crate) max_neighbors: u32,
}

impl Look {
    /// Of a behavior that is absent.
    pub(super) const NONE: Self = Self {
        radius: 0.0,
        field_of_view: f32::INFINITY,
        groups: SteeringGroups::ALL,
        max_neighbors: u32::MAX,
    };

    /// Farther than any agent is from any other, m, and near enough to be squared.
    const FARTHEST: f32 = 1e16;

    /// `1/r²`, 1/m², or enough to make every fall-off zero for a behavior that is absent.
    fn per_square(&self) -> f32 {
        if self.radius > 0.0 {
            (self.radius * self.radius).recip().min(f32::MAX)
        } else {
            f32::MAX
        }
    }

    pub(super) fn is_absent(&self) -> bool {
        self.radius == 0.0
    }

    /// Whether nobody is hidden by angle or group.
    fn sees_everybody(&self) -> bool {
        self.field_of_view >= std::f32::consts::TAU && self.groups == SteeringGroups::ALL
    }

    /// Whether eight neighbors can be looked at together.
    fn takes_all(&self) -> bool {
        self.radius <= Self::FARTHEST && self.max_neighbors == u32::MAX
    }
}

/// How the three together can be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// Eight at a time, and nobody is hidden.
    Everybody,
    /// Eight at a time; some are hidden by angle or group.
    Some,
    /// One at a time: only so many count, or it looks too far to be squared.
    OneByOne,
}

impl Sight {
    fn of(looks: [Look; 3]) -> Self {
        let mut present = looks.iter().filter(|look| !look.is_absent());
        if !present.clone().all(Look::takes_all) {
            Self::OneByOne
        } else if present.all(Look::sees_everybody) {
            Self::Everybody
        } else {
            Self::Some
        }
    }
}

/// One of the three behaviors as a class has it: how it looks, and its ledger entry but for the
/// force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    look: Look,
    /// `None` when the behavior is absent.
    pub(super) entry: Option<LedgerEntry>,
}

impl Rule {
    const NONE: Self = Self {
        look: Look::NONE,
        entry: None,
    };

    fn of<B: Behavior>(id: BehaviorId, behavior: Option<&B>, look: fn(&B) -> Look) -> Self {
        let Some(behavior) = behavior else {
            return Self::NONE;
        };
        let influence = behavior.influence();
        let cut = if !influence.enabled {
            Cut::Disabled
        } else if influence.check().and_then(|()| behavior.check()).is_err() {
            Cut::Invalid
        } else {
            Cut::Nothing
        };
        Self {
            look: if cut == Cut::Nothing {
                look(behavior)
            } else {
                Look::NONE
            },
            entry: Some(LedgerEntry::new(id, influence, cut)),
        }
    }

    /// What tells rules apart, as bits: a NaN is equal to itself.
    fn key(&self) -> [u32; 8] {
        let Look {
            radius,
            field_of_view,
            groups,
            max_neighbors,
        } = self.look;
        let (priority, weight, probability, cut) = self.entry.map_or((0, 0.0, 0.0, 0), |entry| {
            let cut = 1 + entry.cut as u32;
            (entry.priority as u32, entry.weight, entry.probability, cut)
        });
        [
            radius.to_bits(),
            field_of_view.to_bits(),
            groups.0,
            max_neighbors,
            priority,
            weight.to_bits(),
            probability.to_bits(),
            cut,
        ]
    }
}

/// What an agent wants summed, and what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlockClass {
    /// Separation, Alignment and Cohesion.
    pub(super) rules: [Rule; 3],
    pub(super) sight: Sight,
    /// `1/r²` of each, 1/m².
    pub(super) per_square: [f32; 3],
    /// Whom each sees.
    pub(super) groups: [SteeringGroups; 3],
    /// Cosine of half the field of view of each.
    pub(super) least_cosine: [f32; 3],
    /// 1 / radius of Cohesion, 1/m.
    pub(super) per_radius: f32,
    /// Largest of the three radii, m.
    pub(super) reach: f32,
    /// All three look equally far, so one fall-off serves all.
    pub(super) alike: bool,
    /// A parameter is out of range.
    pub(super) faulty: bool,
    /// Weights of the three.
    pub(super) weights: [f32; 3],
    /// The three ledger entries when all are heard, in this order.
    pub(super) ledger: Option<Arc<[LedgerEntry; 3]>>,
}

impl FlockClass {
    fn new(rules: [Rule; 3]) -> Self {
        let looks = rules.map(|rule| rule.look);
        let [separation, _, cohesion] = looks;
        let invalid = |rule: &Rule| rule.entry.is_some_and(|entry| entry.cut == Cut::Invalid);
        Self {
            rules,
            sight: Sight::of(looks),
            per_square: looks.map(|look| look.per_square()),
            groups: looks.map(|look| look.groups),
            least_cosine: looks.map(|look| least_cosine(look.field_of_view)),
            per_radius: if cohesion.is_absent() {
                0.0
            } else {
                cohesion.radius.recip()
            },
            reach: looks.iter().fold(0.0, |reach, look| look.radius.max(reach)),
            alike: looks.iter().all(|look| look.radius == separation.radius),
            faulty: rules.iter().any(invalid),
            weights: rules.map(|rule| rule.entry.map_or(0.0, |entry| entry.weight)),
            ledger: ledger_of(rules).map(Arc::new),
        }
    }

    /// A class that only looks.
    pub(super) fn of_looks(looks: [Look; 3]) -> Self {
        Self::new(looks.map(|look| Rule { look, entry: None }))
    }

    pub(super) fn looks(&self) -> [Look; 3] {
        self.rules.map(|rule| rule.look)
    }
}

fn ledger_of(rules: [Rule; 3]) -> Option<[LedgerEntry; 3]> {
    let [separation, alignment, cohesion] = rules.map(|rule| rule.entry);
    let ledger = [separation?, alignment?, cohesion?];
    let heard = ledger.iter().all(|entry| entry.cut == Cut::Nothing);
    (heard && ledger.is_sorted_by_key(rank)).then_some(ledger)
}

/// The classes in use.
#[derive(Resource, Debug)]
pub(crate) struct FlockClasses {
    classes: Vec<FlockClass>,
    known: HashMap<[[u32; 8]; 3], u32>,
}

impl Default for FlockClasses {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl FlockClasses {
    /// Forgets all classes when there are more than this, for games that vary every radius.
    const MOST: usize = 1 << 16;

    /// These classes, from number 1 on.
    pub(super) fn of(mut classes: Vec<FlockClass>) -> Self {
        classes.insert(0, FlockClass::new([Rule::NONE; 3]));
        Self {
            classes,
            known: HashMap::default(),
        }
    }

    /// The class of a number; of one from another world, that of agents that do not flock.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> &FlockClass {
        let class = self.classes.get(number as usize);
        class.unwrap_or(&self.classes[0])
    }

    /// Whether nobody flocks.
    pub(super) fn are_empty(&self) -> bool {
        self.classes.len() == 1
    }

    fn number_of(&mut self, rules: [Rule; 3]) -> u32 {
        *self
            .known
            .entry(rules.map(|rule| rule.key()))
            .or_insert_with(|| {
                self.classes.push(FlockClass::new(rules));
                self.classes.len() as u32 - 1
            })
    }
}

/// Finds the class of every agent whose behaviors changed.
pub(crate) fn classify_flock(
    slots: Slots,
    mut classes: ResMut<FlockClasses>,
    mut agents: ParamSet<(
        Query<
            (
                Entity,
                Option<Ref<Separation>>,
                Option<Ref<Alignment>>,
                Option<Ref<Cohesion>>,
                // Changed when one of the three was removed.
                Ref<Perception>,
            ),
            Flocks,
        >,
        Query<
            (
                Option<&Separation>,
                Option<&Alignment>,
                Option<&Cohesion>,
                &mut Perception,
            ),
            Flocks,
        >,
    )>,
    mut changed: Local<Vec<Entity>>,
) {
    changed.clear();
    let rules = agents.p0();
    let tables = rules.contiguous_iter().expect("all of it in tables");
    for (entities, separations, alignments, cohesions, perceptions) in tables {
        let columns = [
            separations.map(|rules| rules.changed_ticks_slice()),
            alignments.map(|rules| rules.changed_ticks_slice()),
            cohesions.map(|rules| rules.changed_ticks_slice()),
            Some(perceptions.changed_ticks_slice()),
        ];
        let (last, now) = (perceptions.last_run_tick(), perceptions.this_run_tick());
        let is_new = |tick: &Tick| tick.is_newer_than(last, now);
        // Mostly nothing has changed, which is seen fastest column by column, many at a time.
        let columns = columns.into_iter().flatten();
        let any_is_new = |ticks: &[Tick]| ticks.iter().fold(false, |any, tick| any | is_new(tick));
        if columns
            .clone()
            .any(|ticks| ticks.chunks(256).any(any_is_new))
        {
            let rows = entities.iter().enumerate();
            changed.extend(rows.filter_map(|(row, &entity)| {
                let mut columns = columns.clone();
                columns.any(|ticks| is_new(&ticks[row])).then_some(entity)
            }));
        }
    }
    if classes.classes.len() > FlockClasses::MOST {
        *classes = FlockClasses::default();
        for (separation, alignment, cohesion, perception) in &mut agents.p1() {
            classes.classify(&slots, separation, alignment, cohesion, perception);
        }
    } else {
        let mut agents = agents.p1();
        let mut agents = agents.iter_many_mut(changed.iter());
        while let Some((separation, alignment, cohesion, perception)) = agents.fetch_next() {
            classes.classify(&slots, separation, alignment, cohesion, perception);
        }
    }
}

impl FlockClasses {
    fn classify(
        &mut self,
        slots: &Slots,
        separation: Option<&Separation>,
        alignment: Option<&Alignment>,
        cohesion: Option<&Cohesion>,
        mut perception: Mut<Perception>,
    ) {
        let rules = [
            Rule::of(slots.separation.id, separation, Separation::look),
            Rule::of(slots.alignment.id, alignment, Alignment::look),
            Rule::of(slots.cohesion.id, cohesion, Cohesion::look),
        ];
        perception.class = self.number_of(rules);
        perception.reach = self.get(perception.class).reach;
    }
}

/// Without one of the three an agent is in another class, or in none.
pub(crate) fn declassify<B: Behavior>(removed: On<Remove, B>, mut agents: Query<&mut Perception>) {
    if let Ok(mut perception) = agents.get_mut(removed.entity) {
        (perception.class, perception.reach) = (0, 0.0);
    }
}
