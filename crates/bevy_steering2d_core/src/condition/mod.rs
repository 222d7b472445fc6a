//! Conditions: what an agent must perceive so that a behavior acts.
//!
//! | file | duty |
//! |---|---|
//! | `when` | [`When`], the field of [`Influence`](crate::Influence) that names a condition |
//! | `verdict` | the system that evaluates conditions, and their results of this tick |
//! | `alone`, `target_in_sight`, `is_stuck` | the conditions of this crate |
//! | `without_agent` | the warning of a condition on an entity that is no agent |
//! | `gaze` | where a body looks |
//! | `sight_memory` | how long a target that is out of sight still counts as seen |

mod alone;
mod gaze;
mod is_stuck;
mod sight_memory;
mod target_in_sight;
mod verdict;
mod when;
mod without_agent;

use bevy::ecs::component::Mutable;
use bevy::ecs::system::{SystemParam, SystemParamItem};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypePath};

pub use alone::Alone;
pub use gaze::Gaze;
pub use is_stuck::IsStuck;
pub use sight_memory::TargetInSightMemory;
pub use target_in_sight::TargetInSight;
pub use verdict::ConditionStates;
pub use when::{ConditionType, ReflectCondition, When};

pub(crate) use gaze::Rotations;
pub(crate) use verdict::{Conditions, Verdict, register_condition};

use sight_memory::remember_targets;
use target_in_sight::look_for_colliders;

use crate::pipeline::{IndexSystems, PreparationOrder};
use crate::require::require;
use crate::snapshot::add_memory;
use crate::{
    Agent, InvalidParameter, SensesColliders, SnapshotAppExt, SnapshotKind, SteeringAppExt,
    SteeringSchedule, StuckDetection,
};

/// Something that an agent perceives or not, on which its behaviors may depend: a component with the
/// parameters, e.g. [`Alone`].
///
/// A behavior whose [`Influence::when`](crate::Influence::when) names the condition acts while it holds,
/// or while it does not. Otherwise its formula does not run, and its ledger entry says
/// [`Cut::NotNow`](crate::Cut::NotNow). The component is on the entity with the behavior, or on its
/// agent; without it the behavior contributes nothing, and one warning is raised.
///
/// Conditions are switches: a force begins and ends with them at once.
///
/// The component holds parameters, which presets and saves write. Keep what changes in play, such as health, in a component
/// of its own that [`holds`](Self::holds) reads.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d { pub use bevy_steering2d_core::{SteeringCorePlugin as SteeringPlugin, *}; }
/// use bevy_steering2d::*;
///
/// /// Holds while the agent moves slowly.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Component, Default)]
/// struct Slow {
///     /// Highest speed, m/s, `≥ 0`.
///     speed: f32,
/// }
///
/// impl Condition for Slow {
///     type World = ();
///
///     fn holds(&self, me: &Agent, _: &()) -> bool {
///         me.speed() <= self.speed
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, SteeringPlugin::new(Update))).add_condition::<Slow>();
/// app.world_mut().spawn((
///     PointMass::default(),
///     Slow { speed: 1.0 },
///     Wander::default().with_when(When::only::<Slow>()),
///     Seek::new(Vec2::X).with_when(When::unless::<Slow>()),
/// ));
/// ```
///
/// If it names targets, call [`add_saved_component_with_targets`](crate::SnapshotAppExt::add_saved_component_with_targets)
/// before `add_condition`, so that snapshots keep their transforms.
pub trait Condition:
    Component<Mutability = Mutable> + Clone + Reflect + TypePath + GetTypeRegistration
{
    /// The system parameter that it reads, as of a [`Behavior`](crate::Behavior::World): e.g.
    /// `Res<'static, Neighbors>`; `()` for none.
    type World: for<'w, 's> SystemParam<Item<'w, 's>: Sync> + 'static;

    /// Whether it is of use on agents and their behavior entities only: on an entity that is neither, one warning is raised.
    /// Default `false`, since other entities may have a component of the game as well.
    const NEEDS_AGENT: bool = false;

    /// Checks that every parameter is in its range.
    ///
    /// # Errors
    /// Names the first field out of range; behaviors that depend on the condition then contribute
    /// nothing, and one warning is raised.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// Whether it holds for the agent in this tick. Runs before all behaviors.
    fn holds(&self, me: &Agent, world: &SystemParamItem<'_, '_, Self::World>) -> bool;
}

/// Registers the conditions of this crate.
pub(crate) fn register(app: &mut App) {
    app.add_saved_component_with_targets::<TargetInSight>(|it, into| {
        into.extend(it.target.entity());
    })
    .add_condition::<Alone>()
    .add_condition::<TargetInSight>();
    register_memory(app);
    app.add_condition::<IsStuck>()
        // Restored after what brings it.
        .add_saved_component::<StuckDetection>(SnapshotKind::Parameter)
        .add_systems(
            SteeringSchedule::Index,
            look_for_colliders
                .after(IndexSystems::Behaviors)
                .run_if(any_with_component::<TargetInSight>)
                .run_if(any_with_component::<SensesColliders>),
        );
}

/// Registers the memory of [`TargetInSight`].
fn register_memory(app: &mut App) {
    add_memory::<TargetInSightMemory>(app);
    require::<TargetInSight, TargetInSightMemory>(app);
    let order = PreparationOrder::next::<TargetInSightMemory>(app);
    app.add_systems(
        SteeringSchedule::Steer,
        remember_targets
            .run_if(any_with_component::<TargetInSight>)
            .in_set(order),
    );
}
