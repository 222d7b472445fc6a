//! [`Predictor`]: a prediction of your own.

use bevy::ecs::component::Mutable;
use bevy::ecs::query::QueryItem;
use bevy::ecs::system::{StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;
use bevy::reflect::serde::{ReflectDeserializeWithRegistry, ReflectSerializeWithRegistry};
use bevy::reflect::{GetTypeRegistration, TypePath};

use super::Prediction;
use super::sighting::Sighting;
use crate::behavior_entity::SteersFor;
use crate::behavior_needs::Senses;
use crate::behaviors::{Evade, Pursuit};
use crate::by_name::{Chosen, ChosenType, ReflectChoice, choose_by_name};
use crate::companion::register_companion;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::pipeline::{Preparation, PreparationOrder};
use crate::steer::{AgentParts, Owners, Steered, Step};
use crate::{
    Agent, Behavior, BehaviorMemory, InvalidParameter, Kinematics, SteeringClock, SteeringId,
    SteeringSchedule, SteeringWarnings, Target, Targets, Vehicle,
};

/// A predictor of your own: tells where the target of a [`Pursuit`] or the threat of an [`Evade`] will
/// be when it matters.
///
/// It is a component with the parameters, on the entity with the behavior, whose prediction is
/// [`Prediction::by::<P>()`](Prediction::by). Register it with
/// [`add_predictor`](crate::SteeringAppExt::add_predictor): presets and the inspector then know it.
/// What it remembers between ticks is in further components ([`Memory`](Self::Memory)), so each pair of
/// agents has its own; what it reads of the scene is in its [`World`](Self::World).
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d { pub use bevy_steering2d_core::{SteeringCorePlugin as SteeringPlugin, *}; }
/// use bevy_steering2d::*;
///
/// /// Expects the other where it was some time ago, for a hunter that reacts late.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Component, Default)]
/// struct Late {
///     /// Delay, s, `≥ 0`.
///     delay: f32,
/// }
///
/// impl Predictor for Late {
///     type Memory = ();
///     type World = ();
///
///     fn predict(&self, pair: &Encounter, _: (), _: &()) -> Vec2 {
///         pair.other.position - self.delay * pair.other.velocity
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, SteeringPlugin::new(Update))).add_predictor::<Late>();
/// let quarry = app.world_mut().spawn((PointMass::default(), Wander::default())).id();
/// app.world_mut().spawn((
///     PointMass::default(),
///     Late { delay: 0.5 },
///     Pursuit::new(quarry).with_prediction(Prediction::by::<Late>()),
/// ));
/// ```
///
/// If it names targets, call [`add_saved_component_with_targets`](crate::SnapshotAppExt::add_saved_component_with_targets)
/// before `add_predictor`, so that snapshots keep their transforms.
pub trait Predictor:
    Component<Mutability = Mutable> + Clone + Reflect + TypePath + GetTypeRegistration
{
    /// Further components of the entity: what it remembers between ticks, as of a
    /// [`Behavior`](Behavior::Memory); `()` for none.
    type Memory: BehaviorMemory;

    /// The system parameter that it reads, as of a [`Behavior`](Behavior::World): e.g.
    /// `Surroundings<'static, 'static>` for walls and obstacles; `()` for none.
    type World: for<'w, 's> SystemParam<Item<'w, 's>: Sync> + 'static;

    /// Checks that every parameter is in its range.
    ///
    /// # Errors
    /// Names the first field out of range; the present position is then expected, and one warning is
    /// raised.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// The position at which the agent should expect the other, m. If it is not finite, the present
    /// position is expected, and one warning is raised.
    fn predict(
        &self,
        pair: &Encounter,
        memory: QueryItem<'_, '_, Self::Memory>,
        world: &SystemParamItem<'_, '_, Self::World>,
    ) -> Vec2;
}

/// What a [`Predictor`] knows: the agent, and the one that it pursues or evades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter<'a> {
    /// The agent that predicts.
    pub me: &'a Agent,
    /// The point or entity whose position is predicted.
    pub target: Target,
    /// Its body in this tick.
    pub other: Kinematics,
    /// Its limits, if it is an agent.
    pub limits: Option<Vehicle>,
}

/// A [`Predictor`] by its type.
#[derive(Reflect, Clone, Copy)]
#[reflect(opaque)]
#[reflect(Debug, PartialEq, Hash, Clone)]
#[reflect(SerializeWithRegistry, DeserializeWithRegistry, Choice)]
pub struct PredictorType(&'static ChosenType);

impl PredictorType {
    /// The predictor `P`.
    pub const fn of<P: Predictor>() -> Self {
        Self(<P as Chosen>::TYPE)
    }

    /// The short name of the predictor's type.
    pub fn name(self) -> &'static str {
        (self.0.name)()
    }
}

choose_by_name! {
    PredictorType::of, "predictor", Predictor as ReflectPredictor, built_in: []
}

/// A behavior with a [`Prediction`].
pub(crate) trait Predicts: Behavior {
    /// The component with its [`Sighting`].
    type Seen: Component<Mutability = Mutable>;

    /// Its prediction.
    fn prediction(&self) -> Prediction;

    /// What it pursues or evades.
    fn other(&self) -> Target;

    fn sighting(seen: &mut Self::Seen) -> &mut Sighting;
}

/// Registers a predictor. A second call for the same type does nothing.
pub(crate) fn register_predictor<P: Predictor>(app: &mut App) {
    SteeringSchedule::prepare(app);
    if app.world().contains_resource::<Preparation<P>>() {
        return;
    }
    let order = PreparationOrder::next::<P>(app);
    register_companion::<P>(app, |value| {
        value.downcast_ref::<P>().map_or(Ok(()), P::check)
    });
    app.register_type_data::<P, ReflectPredictor>();
    P::Memory::require_with::<P>(app);
    Senses::of::<P::World>(app.world_mut()).require::<P>(app);
    app.add_systems(
        SteeringSchedule::Steer,
        (foretell::<P, Pursuit>, foretell::<P, Evade>)
            .chain()
            .run_if(any_with_component::<P>)
            .in_set(order),
    );
}

/// Lets a predictor predict for every behavior `B` that chose it.
fn foretell<P: Predictor, B: Predicts>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    targets: Targets,
    world: StaticSystemParam<P::World>,
    vehicles: Query<&Vehicle>,
    agents: Query<AgentParts, Steered>,
    owners: Owners,
    mut predictors: Query<(
        Entity,
        &P,
        P::Memory,
        &B,
        &mut B::Seen,
        Option<(&SteeringId, &SteersFor)>,
    )>,
) {
    let (step, world) = (Step::new(&clock, &warnings, &targets), &*world);
    for_each_mut(
        &mut predictors,
        FORMULA_PASS,
        |(entity, predictor, memory, behavior, mut seen, steers_for)| {
            if behavior.prediction() != Prediction::by::<P>() || !behavior.influence().enabled {
                return;
            }
            let target = behavior.other();
            let (Some(me), Some(other)) = (
                owners.agent_behind(&step, entity, steers_for, &agents),
                targets.get(target),
            ) else {
                return;
            };
            let pair = Encounter {
                me: &me,
                target,
                other,
                limits: limits_of(target, &vehicles).copied(),
            };
            let place = match predictor.check() {
                Ok(()) => predictor.predict(&pair, memory, world),
                Err(error) => {
                    warnings.raise_invalid(
                        &clock,
                        entity,
                        &error,
                        "the present position is expected",
                    );
                    other.position
                }
            };
            let name = P::short_type_path();
            let place = if InvalidParameter::is_in_range(place) {
                place
            } else {
                warnings.raise(&clock, entity, name, || {
                    format!("{name} predicted {place}; the present position is expected")
                });
                other.position
            };
            B::sighting(&mut seen).foretold = Some(place);
        },
    );
}

/// The limits of a target that is an agent.
pub(super) fn limits_of<'a>(target: Target, vehicles: &'a Query<&Vehicle>) -> Option<&'a Vehicle> {
    let Target::Entity(entity) = target else {
        return None;
    };
    vehicles.get(entity).ok().filter(|it| it.check().is_ok())
}
