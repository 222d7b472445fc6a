//! [`Behavior`]: what all steering behaviors have in common, whatever the step they run in.

use bevy::ecs::component::Mutable;
use bevy::ecs::query::IterQueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypePath};

use crate::require::require;
use crate::snapshot::add_memory;
use crate::{Agent, ColliderProbes, Influence, InvalidParameter, Target, When};

/// A steering behavior: a component with its parameters.
///
/// A behavior also implements the trait of the step it runs in and is registered once, on the
/// [`App`]:
///
/// | step | trait | registration |
/// |---|---|---|
/// | Steer | [`Steer`](crate::Steer): a force from what the agent perceives | [`add_behavior`](crate::SteeringAppExt::add_behavior) |
/// | Adjust | [`Adjust`](crate::Adjust): a force from what the agent's other behaviors request | [`add_adjustment`](crate::SteeringAppExt::add_adjustment) |
///
/// Registration adds what the behavior needs: the [`Vehicle`](crate::Vehicle) of the agent, the
/// memory component, the entry in the neighbor index if it reads [`Neighbors`](crate::Neighbors),
/// collider probes if it reads [`Surroundings`](crate::Surroundings), the detection of lost
/// targets, reflection, its entry in [snapshots](crate::SteeringSnapshot) and in files of them, and a ledger entry. A
/// required component that is removed alone is put back
/// with its default value and one warning. Fields that refer to entities have `#[entities]`, as those of any
/// component that a snapshot keeps; without it they name entities that are gone after a restore. A behavior that announces
/// something sends [`Announcements`](crate::Announcements).
///
/// ```
/// use bevy::prelude::*;
/// # use bevy_steering2d_core as bevy_steering2d;
/// use bevy_steering2d::{Agent, Behavior, Influence, Steer};
///
/// /// Drifts with a constant wind.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Component, Default)]
/// struct Drift {
///     influence: Influence,
///     /// Velocity of the wind, m/s.
///     wind: Vec2,
/// }
///
/// impl Behavior for Drift {
///     type Memory = ();
///     type World = ();
///
///     fn influence(&self) -> &Influence { &self.influence }
///     fn influence_mut(&mut self) -> &mut Influence { &mut self.influence }
/// }
///
/// impl Steer for Drift {
///     fn steer(&self, me: &Agent, _: (), _: &()) -> Vec2 {
///         me.track(self.wind)
///     }
/// }
/// ```
pub trait Behavior:
    Component<Mutability = Mutable> + Clone + Reflect + TypePath + GetTypeRegistration
{
    /// The default [`Influence::priority`]; higher is considered earlier. [`Influence::of`] creates
    /// an influence with it; write `Default` by hand then, since a derived one has the priority of
    /// `Influence::default()`. Default `100`, as for [`Seek`](crate::Seek).
    ///
    /// The built-in behaviors are considered in this order: boundaries, walls and obstacles, other
    /// agents, threats, the flock, targets, paths, [`Wander`](crate::Wander). In courses after Buckland
    /// (2005) the walls and obstacles are followed by wander, seek, flee, arrive, pursuit and evade. Here
    /// threats come before targets: beyond the panic distance [`Evade`](crate::Evade) and
    /// [`Flee`](crate::Flee) are zero and take nothing from them. [`Wander`](crate::Wander) comes last:
    /// it has no range, and would take force from every target.
    const PRIORITY: i16 = 100;

    /// Whether its force counts as trying to move in [`StuckDetection`](crate::StuckDetection). `false` for a behavior that
    /// frees stuck agents: otherwise its own force would keep an agent that wants nothing else stuck. Default `true`.
    const IS_ATTEMPT: bool = true;

    /// Whether it goes by the velocity of its [`targets`](Self::targets), as a prediction does; if that depends on its parameters,
    /// see [`uses_target_velocity`](Self::uses_target_velocity). A target that moves by its `Transform` has none, which raises one
    /// warning then. Default `false`.
    const USES_TARGET_VELOCITY: bool = false;

    /// The color of its force in debug drawings, as sRGB bytes. Default: derived from its name.
    const COLOR: Option<[u8; 3]> = None;

    /// Further components of the entity: the state that the behavior keeps between ticks, e.g.
    /// `&'static mut WanderMemory`; `()` for none. See [`BehaviorMemory`].
    type Memory: BehaviorMemory;

    /// The system parameter that it reads, e.g. [`Targets<'static, 'static>`](crate::Targets) or
    /// `Res<'static, River>`; `()` for none. It is shared between threads.
    type World: for<'w, 's> SystemParam<Item<'w, 's>: Sync> + 'static;

    /// The embedded [`Influence`].
    fn influence(&self) -> &Influence;

    /// The embedded [`Influence`], mutable.
    fn influence_mut(&mut self) -> &mut Influence;

    /// The points or entities it depends on. When such an entity is lost and the force is zero, one
    /// [`TargetLost`](crate::TargetLost) is triggered. The transforms of these entities belong to
    /// [snapshots](crate::SteeringSnapshot).
    ///
    /// None of them may be the agent itself: then the behavior contributes nothing, and one warning is
    /// raised. `[None, Some(target)]` may name the agent, for instance for a path on the agent itself.
    fn targets(&self) -> [Option<Target>; 2] {
        [None; 2]
    }

    /// Whether it goes by the velocity of its targets with the parameters that it has. Only asked of a behavior with
    /// [`USES_TARGET_VELOCITY`](Self::USES_TARGET_VELOCITY). Default `true`.
    fn uses_target_velocity(&self) -> bool {
        true
    }

    /// The perception radius for an agent whose body has the radius `body_radius`, m. A hint for
    /// the cell size of the neighbor index. Default `0`, unknown.
    fn perception_radius(&self, body_radius: f32) -> f32 {
        let _ = body_radius;
        0.0
    }

    /// Checks that every parameter is in its range. Runs every tick, so it should only compare.
    ///
    /// # Errors
    /// Names the first field out of range; the behavior then contributes nothing and one warning is
    /// raised.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// Checks the [influence](Influence::check) and the [parameters](Self::check).
    ///
    /// # Errors
    /// Names the first field out of range.
    #[inline]
    fn validate(&self) -> Result<(), InvalidParameter> {
        self.influence().check()?;
        self.check()
    }

    /// Whether it is enabled, and valid.
    fn is_active(&self) -> bool {
        self.influence().enabled && self.validate().is_ok()
    }

    /// Asks the physics backend about colliders, for an agent that
    /// [senses them](crate::SensesColliders). Get the answers from
    /// [`Surroundings::answers`](crate::Surroundings::answers); only a behavior with
    /// [`Surroundings`](crate::Surroundings) in its [`World`](Self::World) is called.
    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        let _ = (me, probes);
    }

    /// Adds further systems, resources and types; called once, at registration.
    fn build(app: &mut App) {
        let _ = app;
    }

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

    /// Sets [`Influence::when`].
    #[must_use]
    fn with_when(mut self, when: When) -> Self
    where
        Self: Sized,
    {
        self.influence_mut().when = when;
        self
    }

    /// Clears [`Influence::enabled`].
    #[must_use]
    fn disabled(mut self) -> Self
    where
        Self: Sized,
    {
        self.influence_mut().enabled = false;
        self
    }
}

impl Influence {
    /// The default influence of a behavior: weight 1 at its [`PRIORITY`](Behavior::PRIORITY).
    pub const fn of<B: Behavior>() -> Self {
        Self::at(B::PRIORITY)
    }
}

/// The components in which a [`Behavior`] keeps its memory.
///
/// Components behind `&'static mut` and `&'static` are added with the behavior, with their default
/// value; those behind `Option` are read if present. `Entity` is the entity with the behavior.
///
/// | type | added |
/// |---|---|
/// | `()`, `Entity` | nothing |
/// | `&'static mut M`, `&'static M` | `M::default()` |
/// | `Option<&'static M>` | nothing |
/// | `(A, B)` | the components of `A` and of `B` |
pub trait BehaviorMemory: IterQueryData + 'static {
    /// Makes entities with the component `B` have these components as well.
    #[doc(hidden)]
    fn require_with<B: Component>(app: &mut App);
}

impl BehaviorMemory for () {
    fn require_with<B: Component>(_: &mut App) {}
}

impl BehaviorMemory for Entity {
    fn require_with<B: Component>(_: &mut App) {}
}

/// A memory that comes with the behavior, whether it is read only or written as well.
macro_rules! required_memory {
    ($($mutable:tt)?) => {
        impl<M> BehaviorMemory for &'static $($mutable)? M
        where
            M: Component<Mutability = Mutable> + Clone + Default + Reflect + GetTypeRegistration,
        {
            fn require_with<B: Component>(app: &mut App) {
                add_memory::<M>(app);
                require::<B, M>(app);
            }
        }
    };
}

required_memory!();
required_memory!(mut);

impl<M: Component> BehaviorMemory for Option<&'static M> {
    fn require_with<B: Component>(_: &mut App) {}
}

impl<A: BehaviorMemory, B: BehaviorMemory> BehaviorMemory for (A, B) {
    fn require_with<C: Component>(app: &mut App) {
        A::require_with::<C>(app);
        B::require_with::<C>(app);
    }
}

/// The two accessors of [`Behavior`], for a component with a field `influence`.
macro_rules! embeds_influence {
    () => {
        fn influence(&self) -> &$crate::Influence {
            &self.influence
        }

        fn influence_mut(&mut self) -> &mut $crate::Influence {
            &mut self.influence
        }
    };
}
pub(crate) use embeds_influence;

/// Marks a field that depends on the situation rather than on tuning, such as the agent's slot in a
/// formation. Presets neither store nor change it.
///
/// Fields that refer to entities ([`Target`], [`Entity`] and types that hold one) are
/// situational without the mark.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Influence, Situational};
/// #[derive(Component, Reflect, Clone)]
/// struct Patrol {
///     influence: Influence,
///     /// The point to guard, m.
///     #[reflect(@Situational)]
///     post: Vec2,
/// }
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub struct Situational;
