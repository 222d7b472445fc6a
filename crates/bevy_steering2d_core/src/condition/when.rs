//! [`When`]: names the condition on which a behavior acts.

use bevy::prelude::*;
use bevy::reflect::serde::{ReflectDeserializeWithRegistry, ReflectSerializeWithRegistry};

use super::{Alone, Condition, IsStuck, TargetInSight};
use crate::by_name::{Chosen, ChosenType, ReflectChoice, choose_by_name};

/// When a behavior acts: always, or depending on a [`Condition`].
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// // A flock member without neighbors wanders until it meets some.
/// commands.spawn((
///     PointMass::default(),
///     Flocking::default(),
///     Alone::default(),
///     Wander::default().with_when(When::only::<Alone>()),
/// ));
/// # }
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum When {
    /// In every tick. The default.
    #[default]
    Always,
    /// Only while the condition holds.
    Only(ConditionType),
    /// Only while the condition does not hold.
    Unless(ConditionType),
}

impl When {
    /// Only while the condition `C` holds.
    pub const fn only<C: Condition>() -> Self {
        Self::Only(ConditionType::of::<C>())
    }

    /// Only while the condition `C` does not hold.
    pub const fn unless<C: Condition>() -> Self {
        Self::Unless(ConditionType::of::<C>())
    }
}

/// A [`Condition`] by its type.
#[derive(Reflect, Clone, Copy)]
#[reflect(opaque)]
#[reflect(Default, Debug, PartialEq, Hash, Clone)]
#[reflect(SerializeWithRegistry, DeserializeWithRegistry, Choice)]
pub struct ConditionType(&'static ChosenType);

impl ConditionType {
    /// The condition `C`.
    pub const fn of<C: Condition>() -> Self {
        Self(<C as Chosen>::TYPE)
    }

    /// The short name of the condition's type, e.g. `Alone`.
    pub fn name(self) -> &'static str {
        (self.0.name)()
    }
}

impl Default for ConditionType {
    /// [`Alone`].
    fn default() -> Self {
        Self::of::<Alone>()
    }
}

choose_by_name! {
    ConditionType::of, "condition", Condition as ReflectCondition,
    built_in: [Alone, TargetInSight, IsStuck]
}
