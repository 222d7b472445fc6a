//! [`BehaviorId`]: the index of a behavior in the registry.

use std::marker::PhantomData;

use bevy::prelude::*;

/// The index of a registered behavior in the [`BehaviorRegistry`](crate::BehaviorRegistry).
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct BehaviorId(u16);

impl BehaviorId {
    pub(crate) const FIRST: Self = Self(0);

    pub(super) fn new(index: usize) -> Self {
        Self(u16::try_from(index).expect("fewer than 65,536 behaviors"))
    }

    pub(crate) fn index(self) -> u16 {
        self.0
    }

    #[cfg(test)]
    pub(crate) fn for_test(index: u16) -> Self {
        Self(index)
    }
}

/// The id of `B` for the system that runs it.
#[derive(Resource)]
pub(crate) struct BehaviorSlot<B> {
    pub(crate) id: BehaviorId,
    behavior: PhantomData<fn() -> B>,
}

impl<B> BehaviorSlot<B> {
    pub(super) fn new(id: BehaviorId) -> Self {
        Self {
            id,
            behavior: PhantomData,
        }
    }
}
