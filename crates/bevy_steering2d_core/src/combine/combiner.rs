//! The [`Combiner`] trait: a rule that turns an agent's ledger into one force.

use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypePath};

use crate::LedgerEntry;

/// A rule that turns an agent's ledger into one force.
///
/// Register it with [`add_combiner`](crate::SteeringAppExt::add_combiner), so that presets and the
/// inspector find it by name, and choose it with [`Combine::by`](crate::Combine::by).
///
/// ```
/// # use bevy::prelude::*;
/// # mod bevy_steering2d { pub use bevy_steering2d_core::{SteeringCorePlugin as SteeringPlugin, *}; }
/// # use bevy_steering2d::*;
/// /// Accepts only the longest force.
/// #[derive(Reflect)]
/// struct Longest;
///
/// impl Combiner for Longest {
///     fn combine(ledger: &mut [LedgerEntry], max_force: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
///         let length = |entry: &LedgerEntry| entry.weighted().length();
///         let considered = || ledger.iter().filter(|entry| entry.is_considered());
///         let most = considered().map(length).fold(0.0, f32::max);
///         let mut total = Vec2::ZERO;
///         for entry in ledger.iter_mut().filter(|entry| entry.is_considered()) {
///             if total == Vec2::ZERO && length(entry) == most {
///                 let share = (max_force / most).min(1.0);
///                 total = share * entry.weighted();
///                 entry.accept(share, if share < 1.0 { Cut::Budget } else { Cut::Nothing });
///             } else {
///                 entry.accept(0.0, Cut::Budget);
///             }
///         }
///         total
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, SteeringPlugin::default()))
///     .add_combiner::<Longest>();
/// app.world_mut().spawn((PointMass::default(), Seek::new(Vec2::X), Combine::by::<Longest>()));
/// ```
pub trait Combiner: Reflect + TypePath + GetTypeRegistration {
    /// Combines the entries into one force, N, and [records](LedgerEntry::accept) in each how much
    /// of it was accepted.
    ///
    /// The ledger is sorted by priority, highest first. Skip the entries that are not
    /// [considered](LedgerEntry::is_considered). `draw` returns random numbers of the agent,
    /// uniform in `[0, 1)`. A total longer than `max_force` is truncated; one that is not finite
    /// counts as zero.
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, draw: &mut dyn FnMut() -> f32) -> Vec2;
}
