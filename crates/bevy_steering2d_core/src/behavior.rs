//! The one way in for behaviors, ours and yours: the [`Behavior`] trait.

use bevy::ecs::component::Mutable;
use bevy::ecs::query::{IterQueryData, QueryItem};
use bevy::ecs::system::{SystemParam, SystemParamItem};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypePath};

use crate::{Agent, Influence, InvalidParameter, Target};

/// A component that turns what an agent perceives into a force.
///
/// Register it once with [`add_behavior`](crate::SteeringAppExt::add_behavior); it then has a
/// ledger slot and reflection, and the combiner counts its force in, as for every built-in one.
///
/// The component holds parameters only. What it must remember between ticks lives in a component
/// of its own, pulled in by `#[require(...)]` and handed over as [`Memory`](Self::Memory).
///
/// Two more are pulled in like that: `#[require(TargetWatch)]` by one with a
/// [`target`](Self::target), `#[require(Perception)]` by one that looks at
/// [`Neighbors`](crate::Neighbors).
///
/// ```
/// use bevy::ecs::{query::QueryItem, system::SystemParamItem};
/// use bevy::prelude::*;
/// use bevy_steering2d_core::{Agent, Behavior, Influence};
///
/// /// Drifts with a steady wind.
/// #[derive(Component, Reflect, Default)]
/// #[reflect(Component, Default)]
/// struct Drift {
///     influence: Influence,
///     /// Where the wind would carry the agent, m/s.
///     wind: Vec2,
/// }
///
/// impl Behavior for Drift {
///     type Memory = ();
///     type World = ();
///
///     fn influence(&self) -> &Influence { &self.influence }
///     fn influence_mut(&mut self) -> &mut Influence { &mut self.influence }
///
///     fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
///         me.track(self.wind)
///     }
/// }
/// ```
pub trait Behavior:
    Component<Mutability = Mutable> + Reflect + TypePath + GetTypeRegistration
{
    /// Extra data of the entity that carries the behavior, e.g. `&'static mut WanderMemory`;
    /// `()` for none.
    type Memory: IterQueryData + 'static;

    /// What it reads of the world, e.g. [`Targets<'static, 'static>`](crate::Targets); `()` for
    /// nothing. Agents run in parallel, so it must be shareable.
    ///
    /// With `Res<'static, Neighbors>` the component needs
    /// `#[require(Perception)]`: [`Neighbors`](crate::Neighbors) are kept while somebody has a
    /// [`Perception`](crate::Perception).
    type World: for<'w, 's> SystemParam<Item<'w, 's>: Sync> + 'static;

    /// The embedded [`Influence`].
    fn influence(&self) -> &Influence;

    /// The embedded [`Influence`], to change it.
    fn influence_mut(&mut self) -> &mut Influence;

    /// The entity or point without which it can do nothing. When an entity target is gone and the
    /// force is zero, one [`TargetLost`](crate::TargetLost) is announced, provided that the component
    /// has `#[require(TargetWatch)]`, see [`TargetWatch`](crate::TargetWatch).
    fn target(&self) -> Option<Target> {
        None
    }

    /// A second entity or point it cannot do without: the other of two, the path to walk along.
    /// Watched like the [`target`](Self::target).
    fn also_needs(&self) -> Option<Target> {
        None
    }

    /// Refuses parameters that are out of range; runs every tick, so keep it to comparisons.
    ///
    /// # Errors
    /// Names the first faulty field; the behavior then contributes nothing and one warning is
    /// raised.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// The formula: a force in newtons, world frame.
    ///
    /// The unit contract that lets weights mean something: reach `me.max_force` only at full
    /// urgency, and fade to zero continuously at the edge of your reach. Longer forces are
    /// clamped, and a force that is not finite counts as none.
    fn steer(
        &self,
        me: &Agent,
        memory: QueryItem<'_, '_, Self::Memory>,
        world: &SystemParamItem<'_, '_, Self::World>,
    ) -> Vec2;

    /// Sets [`Influence::weight`].
    #[must_use]
    fn with_weight(mut self, weight: f32) -> Self
    where
        Self: Sized,
    {
        self.influence_mut().weight = weight;
        self
    }

    /// Sets [`Influence::priority`].
    #[must_use]
    fn with_priority(mut self, priority: i16) -> Self
    where
        Self: Sized,
    {
        self.influence_mut().priority = priority;
        self
    }

    /// Sets [`Influence::probability`].
    #[must_use]
    fn with_probability(mut self, probability: f32) -> Self
    where
        Self: Sized,
    {
        self.influence_mut().probability = probability;
        self
    }

    /// Clears [`Influence::enabled`]: the behavior waits to be switched on.
    #[must_use]
    fn disabled(mut self) -> Self
    where
        Self: Sized,
    {
        self.influence_mut().enabled = false;
        self
    }
}

/// Marks a field that depends on the situation and is no matter of tuning, such as one's place in
/// a formation: presets neither store nor change it.
///
/// Not needed for fields that refer to entities ([`Target`], [`Entity`] and what holds one), which
/// count as such anyway.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Influence, Situational};
/// #[derive(Component, Reflect)]
/// struct Patrol {
///     influence: Influence,
///     /// Where this one guards, m.
///     #[reflect(@Situational)]
///     post: Vec2,
/// }
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub struct Situational;
