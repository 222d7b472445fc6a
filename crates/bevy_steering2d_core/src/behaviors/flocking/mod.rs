//! Flocking: Separation, Alignment and Cohesion, which share one accumulation of neighbors.
//!
//! | file | duty |
//! |---|---|
//! | `separation`, `alignment`, `cohesion` | one rule each: parameters, contribution of a neighbor, force |
//! | `rule` | what the rules have in common |
//! | `profile` | flock profiles: shared parameters |
//! | `profile_changes` | gives agents another profile when their rules change |
//! | `visibility` | which candidates count for a rule |
//! | `gathered` | the candidates of a cell, in contiguous columns |
//! | `accumulate` | Steer: sums over the neighbors of every agent |
//! | `forces` | from sums to forces, eight agents at a time |
//! | `entries` | from forces to ledger entries, when the combiner needs them |

mod accumulate;
mod alignment;
mod cohesion;
mod entries;
mod forces;
mod gathered;
mod profile;
mod profile_changes;
mod rule;
mod separation;
mod visibility;

use bevy::prelude::*;

pub use alignment::{Alignment, alignment};
pub use cohesion::{Cohesion, cohesion};
pub use separation::{Separation, separation};

use accumulate::{AccumulatedSums, accumulate_neighbors};
use alignment::turn_driven_around;
use entries::FlockEntries;
use profile::FlockProfiles;
use profile_changes::{reset_profile, update_profiles};

use crate::adjust::{Adjusted, complete_ledgers};
use crate::changes::AlsoDisabled;
use crate::combine::{HasFusedEntries, combine_agents};
use crate::pipeline::{BehaviorOrder, CombineSystems, IndexSystems, register_steering};
use crate::{AdjustSystems, SteeringGroups, SteeringSchedule};

/// The three rules of a flock, [`Separation`], [`Alignment`] and [`Cohesion`], with default radii that work together.
/// (Reynolds 1987)
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// commands.spawn((PointMass::default(), Flocking::default()));
/// # }
/// ```
///
/// To tune one of the three, set it in the bundle: Bevy panics when a component comes twice in one
/// spawn.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// let close = Flocking { separation: Separation::new(1.0), ..default() };
/// ```
#[doc(alias("Rebaño"))]
#[derive(Bundle, Clone, Copy, Debug, Default, PartialEq)]
pub struct Flocking {
    /// Keeps a distance from neighbors.
    pub separation: Separation,
    /// Heads in the average direction of the neighbors.
    pub alignment: Alignment,
    /// Moves towards the center of the neighbors.
    pub cohesion: Cohesion,
}

impl Flocking {
    /// For all three rules neighbors count within `perception_radius` m, `> 0`.
    pub fn new(perception_radius: f32) -> Self {
        Self {
            separation: Separation::new(perception_radius),
            alignment: Alignment::new(perception_radius),
            cohesion: Cohesion::new(perception_radius),
        }
    }

    /// For all three rules only neighbors of these groups count.
    #[must_use]
    pub fn with_groups(self, groups: SteeringGroups) -> Self {
        Self {
            separation: self.separation.with_groups(groups),
            alignment: self.alignment.with_groups(groups),
            cohesion: self.cohesion.with_groups(groups),
        }
    }

    /// For all three rules neighbors count in this field of view, rad, `(0, 4π]` or infinite, centered on the heading.
    #[must_use]
    pub fn with_field_of_view(self, field_of_view: f32) -> Self {
        Self {
            separation: self.separation.with_field_of_view(field_of_view),
            alignment: self.alignment.with_field_of_view(field_of_view),
            cohesion: self.cohesion.with_field_of_view(field_of_view),
        }
    }

    /// For all three rules at most this many neighbors count, nearest first, `≥ 1`.
    #[must_use]
    pub fn with_max_neighbors(self, max_neighbors: u32) -> Self {
        Self {
            separation: self.separation.with_max_neighbors(max_neighbors),
            alignment: self.alignment.with_max_neighbors(max_neighbors),
            cohesion: self.cohesion.with_max_neighbors(max_neighbors),
        }
    }
}

/// Registers the three rules: Steer accumulates the neighbors of all agents; the ledger entries are
/// completed when they are read, in Adjust or in Combine.
pub(super) fn register(app: &mut App) {
    register_steering::<Separation>(app);
    register_steering::<Alignment>(app);
    register_steering::<Cohesion>(app);
    app.init_resource::<HasFusedEntries>()
        .init_resource::<AccumulatedSums>()
        .init_resource::<FlockProfiles>()
        .add_observer(reset_profile::<Separation>)
        .add_observer(reset_profile::<Alignment>)
        .add_observer(reset_profile::<Cohesion>)
        .add_systems(
            SteeringSchedule::Index,
            update_profiles.in_set(IndexSystems::Prepare),
        )
        .add_systems(
            SteeringSchedule::Steer,
            (accumulate_neighbors, turn_driven_around)
                .chain()
                .in_set(BehaviorOrder(0)),
        )
        .add_systems(
            SteeringSchedule::Adjust,
            complete_ledgers::<FlockEntries>
                .after(complete_ledgers::<()>)
                .before(AdjustSystems::Prefer)
                .run_if(any_with_component::<Adjusted>),
        )
        .add_systems(
            SteeringSchedule::Combine,
            combine_agents::<FlockEntries>
                .after(combine_agents::<()>)
                .in_set(CombineSystems),
        );
}

/// Agents with at least one of the three rules; disabled ones too, since their rules may change.
type Flocks = (
    Or<(With<Separation>, With<Alignment>, With<Cohesion>)>,
    AlsoDisabled,
);
