//! Flock profiles: parameters of the three rules, shared by all agents with equal parameters.

use std::sync::Arc;

use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use crate::combine::rank;
use crate::perception::{NeighborView, SteeringGroups, least_cosine};
use crate::{Behavior, BehaviorId, Cut, LedgerEntry, When};

/// Which neighbors count for a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Visibility {
    /// The perception radius, m; zero if the rule is absent.
    pub(crate) radius: f32,
    pub(crate) field_of_view: f32,
    pub(crate) groups: SteeringGroups,
    pub(crate) max_neighbors: u32,
}

impl Visibility {
    /// The visibility of an absent rule.
    pub(super) const NONE: Self = Self {
        radius: 0.0,
        field_of_view: f32::INFINITY,
        groups: SteeringGroups::ALL,
        max_neighbors: u32::MAX,
    };

    /// The largest perception radius, m: beyond any distance, with a finite square. Larger radii act
    /// like it.
    const FARTHEST: f32 = 1e16;

    /// `1/r²`, 1/m²; for an absent rule large enough to make every weight zero.
    fn per_square(&self) -> f32 {
        if self.radius > 0.0 {
            let radius = self.radius.min(Self::FARTHEST);
            (radius * radius).recip().min(f32::MAX)
        } else {
            f32::MAX
        }
    }

    pub(super) fn is_absent(&self) -> bool {
        self.radius == 0.0
    }

    /// Whether neither angle nor group hides a neighbor.
    pub(super) fn is_unrestricted(&self) -> bool {
        self.field_of_view >= std::f32::consts::TAU && self.groups == SteeringGroups::ALL
    }

    /// The neighbor query of this rule for an agent with the view `me`.
    pub(super) fn view(&self, me: &NeighborView) -> NeighborView {
        NeighborView {
            radius: self.radius,
            field_of_view: self.field_of_view,
            groups: self.groups,
            ..*me
        }
    }
}

/// The visibility test that the three rules together need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seeing {
    /// Every candidate is visible.
    AllAround,
    /// Candidates in a field of view and groups are visible.
    InView,
    /// Only the nearest candidates in view are visible.
    Nearest,
}

impl Seeing {
    fn of(rules: [Visibility; 3]) -> Self {
        let mut present = rules.iter().filter(|rule| !rule.is_absent());
        if present.clone().any(|rule| rule.max_neighbors < u32::MAX) {
            Self::Nearest
        } else if present.all(Visibility::is_unrestricted) {
            Self::AllAround
        } else {
            Self::InView
        }
    }
}

/// One of the three rules in a profile: its visibility, and its ledger entry without the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RuleProfile {
    visibility: Visibility,
    /// `None` if the rule is absent.
    pub(super) entry: Option<LedgerEntry>,
    pub(super) when: When,
}

impl RuleProfile {
    const NONE: Self = Self {
        visibility: Visibility::NONE,
        entry: None,
        when: When::Always,
    };

    pub(super) fn of<B: Behavior>(
        id: BehaviorId,
        behavior: Option<&B>,
        visibility: fn(&B) -> Visibility,
    ) -> Self {
        let Some(behavior) = behavior else {
            return Self::NONE;
        };
        let influence = behavior.influence();
        let cut = Cut::of(behavior);
        Self {
            visibility: if cut == Cut::Nothing {
                visibility(behavior)
            } else {
                Visibility::NONE
            },
            entry: Some(LedgerEntry::new(id, influence, cut)),
            when: influence.when,
        }
    }

    /// A key that is equal for equal rules: bits, since a NaN must equal itself.
    fn key(&self) -> RuleKey {
        let Visibility {
            radius,
            field_of_view,
            groups,
            max_neighbors,
        } = self.visibility;
        let (priority, weight, probability, cut) = self.entry.map_or((0, 0.0, 0.0, 0), |entry| {
            let cut = 1 + entry.cut as u32;
            (entry.priority as u32, entry.weight, entry.probability, cut)
        });
        let bits = [
            radius.to_bits(),
            field_of_view.to_bits(),
            groups.0,
            max_neighbors,
            priority,
            weight.to_bits(),
            probability.to_bits(),
            cut,
        ];
        (bits, self.when)
    }
}

/// A key that is equal for equal rules.
type RuleKey = ([u32; 8], When);

/// The parameters that agents with equal rules share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlockProfile {
    /// Separation, Alignment and Cohesion.
    pub(super) rules: [RuleProfile; 3],
    pub(super) seeing: Seeing,
    /// `1/r²` of each, 1/m².
    pub(super) per_square: [f32; 3],
    /// The visible groups of each.
    pub(super) groups: [SteeringGroups; 3],
    /// Cosine of half the field of view of each.
    pub(super) least_cosine: [f32; 3],
    /// `1/r` of each, 1/m; zero for an absent rule.
    pub(super) per_radius: [f32; 3],
    /// Largest of the three radii, m.
    pub(super) radius: f32,
    /// All three radii are equal, so that one weight suffices.
    pub(super) alike: bool,
    /// A parameter is out of range.
    pub(super) faulty: bool,
    /// Weights of the three.
    pub(super) weights: [f32; 3],
    /// The three ledger entries, if all are always considered, in this order.
    pub(super) ledger: Option<Arc<[LedgerEntry; 3]>>,
}

impl FlockProfile {
    fn new(rules: [RuleProfile; 3]) -> Self {
        let rules_see = rules.map(|rule| rule.visibility);
        let [separation, ..] = rules_see;
        let invalid =
            |rule: &RuleProfile| rule.entry.is_some_and(|entry| entry.cut == Cut::Invalid);
        Self {
            rules,
            seeing: Seeing::of(rules_see),
            per_square: rules_see.map(|rule| rule.per_square()),
            groups: rules_see.map(|rule| rule.groups),
            least_cosine: rules_see.map(|rule| least_cosine(rule.field_of_view)),
            per_radius: rules_see.map(|rule| {
                if rule.is_absent() {
                    0.0
                } else {
                    rule.radius.recip()
                }
            }),
            radius: rules_see
                .iter()
                .fold(0.0, |most, rule| rule.radius.max(most)),
            alike: rules_see
                .iter()
                .all(|rule| rule.radius == separation.radius),
            faulty: rules.iter().any(invalid),
            weights: rules.map(|rule| rule.entry.map_or(0.0, |entry| entry.weight)),
            ledger: ledger_of(rules).map(Arc::new),
        }
    }

    /// A profile without ledger entries.
    pub(super) fn seeing(rules: [Visibility; 3]) -> Self {
        let rule = |visibility| RuleProfile {
            visibility,
            ..RuleProfile::NONE
        };
        Self::new(rules.map(rule))
    }

    pub(super) fn visibilities(&self) -> [Visibility; 3] {
        self.rules.map(|rule| rule.visibility)
    }
}

fn ledger_of(rules: [RuleProfile; 3]) -> Option<[LedgerEntry; 3]> {
    let always = rules.iter().all(|rule| rule.when == When::Always);
    let [separation, alignment, cohesion] = rules.map(|rule| rule.entry.filter(|_| always));
    let ledger = [separation?, alignment?, cohesion?];
    let considered = ledger.iter().all(|entry| entry.cut == Cut::Nothing);
    (considered && ledger.is_sorted_by_key(rank)).then_some(ledger)
}

/// The profiles in use.
#[derive(Resource, Debug)]
pub(crate) struct FlockProfiles {
    profiles: Vec<FlockProfile>,
    known: HashMap<[RuleKey; 3], u32>,
}

impl Default for FlockProfiles {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl FlockProfiles {
    /// With more profiles than this all are rebuilt, for games that vary parameters continuously.
    const MOST: usize = 1 << 16;

    /// These profiles, numbered from 1.
    pub(super) fn of(mut profiles: Vec<FlockProfile>) -> Self {
        profiles.insert(0, FlockProfile::new([RuleProfile::NONE; 3]));
        Self {
            profiles,
            known: HashMap::default(),
        }
    }

    /// The profile with a number; for an unknown number that of agents without rules.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> &FlockProfile {
        let profile = self.profiles.get(number as usize);
        profile.unwrap_or(&self.profiles[0])
    }

    /// Whether no agent has a rule.
    pub(super) fn are_empty(&self) -> bool {
        self.profiles.len() == 1
    }

    /// Whether all are to be rebuilt.
    pub(super) fn are_too_many(&self) -> bool {
        self.profiles.len() > Self::MOST
    }

    /// The number of the profile of these rules.
    pub(super) fn number_of(&mut self, rules: [RuleProfile; 3]) -> u32 {
        *self
            .known
            .entry(rules.map(|rule| rule.key()))
            .or_insert_with(|| {
                self.profiles.push(FlockProfile::new(rules));
                self.profiles.len() as u32 - 1
            })
    }
}
