//! The [`Combiner`] trait: a rule that turns an agent's ledger into one force.

use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypePath};

use crate::LedgerEntry;

/// A rule that turns an agent's ledger into one force.
///
/// Register it with [`add_combiner`](crate::SteeringAppExt::add_combiner), which makes it known by
/// name to presets and the inspector, and choose it with [`Combine::by`].
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// /// Only the strongest force counts.
/// #[derive(Reflect)]
/// struct Strongest;
///
/// impl Combiner for Strongest {
///     fn combine(ledger: &mut [LedgerEntry], max_force: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
///         let strength = |entry: &LedgerEntry| entry.weighted().length();
///         let considered = || ledger.iter().filter(|entry| entry.is_considered());
///         let most = considered().map(strength).fold(0.0, f32::max);
///         let mut total = Vec2::ZERO;
///         for entry in ledger.iter_mut().filter(|entry| entry.is_considered()) {
///             if total == Vec2::ZERO && strength(entry) == most {
///                 total = entry.weighted().clamp_length_max(max_force);
///                 entry.accept((max_force / most).min(1.0), Cut::Nothing);
///             } else {
///                 entry.accept(0.0, Cut::Budget);
///             }
///         }
///         total
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()))
///     .add_combiner::<Strongest>();
/// app.world_mut().spawn((PointMass::default(), Seek::new(Vec2::X), Combine::by::<Strongest>()));
/// ```
pub trait Combiner: Reflect + TypePath + GetTypeRegistration {
    /// Combines the entries into one force, N, and [records](LedgerEntry::accept) in each how much
    /// of it was accepted.
    ///
    /// The ledger is sorted by priority, highest first. Skip the entries that are not
    /// [considered](LedgerEntry::is_considered). `draw` gives the agent's random numbers, uniform in
    /// `[0, 1)`. A total longer than `max_force` is truncated; one that is not finite counts as
    /// zero.
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, draw: &mut dyn FnMut() -> f32) -> Vec2;
}
