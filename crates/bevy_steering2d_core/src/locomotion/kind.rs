//! Kinds of locomotion: the trait, and what registration adds.

use std::any::TypeId;

use bevy::ecs::component::{ComponentId, Mutable};
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypePath};

use super::unfit_bodies::warn_of_unfit_bodies;
use super::{Abilities, Acceleration, Controls, Motion, Propulsion, SpeedLimit};
use crate::companion::register_companion;
use crate::parallel::{FORMULA_PASS, for_each_mut};
use crate::require::require;
use crate::snapshot::SnapshotTypes;
use crate::{
    InvalidParameter, Kinematics, SnapshotAppExt, SnapshotKind, SteeringClock, SteeringDisabled,
    SteeringForce, SteeringId, SteeringSchedule, SteeringWarnings, ThinkEvery, Vehicle,
};

/// A kind of locomotion: a component that turns the steering force into what the body can do.
///
/// Register it with [`add_locomotion`](crate::SteeringAppExt::add_locomotion); an agent has one kind at
/// a time, and is [holonomic](Holonomic) without. Registration adds [`Controls`], [`Abilities`] and
/// [`Propulsion`] to every entity with the kind, and removes them with it.
///
/// The model is the same for all backends: they only apply its accelerations. Each tick runs
///
/// 1. [`abilities`](Self::abilities), in Sense, for the behaviors,
/// 2. [`drive`](Self::drive), in Move: from the desired velocity to the controls,
/// 3. [`accelerate`](Self::accelerate): from the controls to accelerations.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d { pub use bevy_steering2d_core::{SteeringCorePlugin as SteeringPlugin, *}; }
/// use bevy_steering2d::*;
///
/// /// A sled that is pushed along its runners and turned by its driver.
/// #[derive(Component, Reflect, Clone, Default)]
/// #[reflect(Component, Default)]
/// struct Sled;
///
/// impl Locomotion for Sled {
///     fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities {
///         let most = vehicle.max_force / mass;
///         Abilities { braking: most, cornering: most, ..default() }
///     }
///
///     fn drive(&self, motion: &Motion, desired: Vec2, controls: &mut Controls) {
///         let turn = if desired == Vec2::ZERO { 0.0 } else { motion.heading.angle_to(desired) };
///         controls.steering = turn;
///         controls.throttle = (desired.length() / motion.max_speed).min(1.0);
///     }
///
///     fn accelerate(&self, motion: &Motion, controls: &Controls) -> Acceleration {
///         let desired = controls.throttle * motion.max_speed * motion.heading;
///         Acceleration {
///             linear: (desired - motion.velocity) / motion.response_time,
///             angular: (controls.steering - motion.angular_velocity) / motion.response_time,
///         }
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, SteeringPlugin::default()))
///     .add_locomotion::<Sled>();
/// ```
pub trait Locomotion:
    Component<Mutability = Mutable> + Clone + Reflect + TypePath + GetTypeRegistration
{
    /// Checks that every parameter is in its range. Runs every tick, so it should only compare.
    ///
    /// # Errors
    /// Names the first field out of range; the agent is then not driven and one warning is raised.
    fn check(&self) -> Result<(), InvalidParameter> {
        Ok(())
    }

    /// What a body of `mass` kg can do. The gear is filled in by the caller.
    fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities;

    /// Sets the controls for a desired velocity, m/s, which is zero for an agent that is to stop. The controls are those
    /// of the last tick.
    fn drive(&self, motion: &Motion, desired: Vec2, controls: &mut Controls);

    /// The accelerations of the body in this tick. They act for `motion.delta` s, so drag and friction must
    /// not be larger than what stops the body within that time. One that is not finite counts as zero.
    fn accelerate(&self, motion: &Motion, controls: &Controls) -> Acceleration;
}

/// Can accelerate in any direction, whatever the facing: the locomotion of agents without another
/// kind. The component is only a mark; inserting it removes the other kind.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Holonomic;

/// The order of locomotion within the steps.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocomotionSystems {
    /// In [`SteeringSchedule::Bodies`]: backends have filled [`Kinematics`]; abilities are taken.
    Abilities,
    /// In [`SteeringSchedule::Move`]: controls are set. Backends move driven bodies after it.
    Drive,
}

/// Orders the systems of kinds by registration, so that every run is the same.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct KindOrder(usize);

/// The registered kinds, in order of registration.
#[derive(Resource, Clone, Debug, Default)]
pub struct LocomotionRegistry(Vec<LocomotionInfo>);

/// A registered kind of locomotion.
#[derive(Clone, Debug)]
pub struct LocomotionInfo {
    /// The component's short name, e.g. `Wheeled`.
    pub name: &'static str,
    /// The component's type.
    pub type_id: TypeId,
    component: ComponentId,
}

impl LocomotionRegistry {
    /// Every registered kind.
    pub fn iter(&self) -> impl Iterator<Item = &LocomotionInfo> {
        self.0.iter()
    }

    /// The kind of an entity; `None` if it has none, as most holonomic agents.
    pub fn of(&self, entity: EntityRef) -> Option<&LocomotionInfo> {
        self.iter().find(|it| entity.contains_id(it.component))
    }
}

/// Registers a kind of locomotion, see [`SteeringAppExt`](crate::SteeringAppExt::add_locomotion).
pub(crate) fn register_locomotion<L: Locomotion>(app: &mut App) {
    if !register_kind::<L>(app) {
        return;
    }
    SteeringSchedule::prepare(app);
    let number = app.world().resource::<LocomotionRegistry>().0.len();
    let order = KindOrder(number);
    for schedule in [SteeringSchedule::Bodies, SteeringSchedule::Move] {
        app.configure_sets(schedule, order.after(KindOrder(number - 1)));
    }
    register_companion::<L>(app, |kind| {
        kind.downcast_ref::<L>().map_or(Ok(()), Locomotion::check)
    });
    app.register_type::<Abilities>()
        .add_saved_component::<Controls>(SnapshotKind::State)
        .add_saved_component::<Propulsion>(SnapshotKind::State);
    require::<L, Controls>(app);
    require::<L, Abilities>(app);
    require::<L, Propulsion>(app);
    app.add_observer(become_holonomic::<L>)
        .add_systems(
            SteeringSchedule::Bodies,
            (warn_of_unfit_bodies::<L>, take_abilities::<L>)
                .chain()
                .in_set(LocomotionSystems::Abilities)
                .in_set(order),
        )
        .add_systems(
            SteeringSchedule::Move,
            drive::<L>.in_set(LocomotionSystems::Drive).in_set(order),
        );
}

/// Adds a kind to the registry, one of which an entity can have. Returns whether it is new.
pub(crate) fn register_kind<K: Component + Reflect + TypePath + GetTypeRegistration>(
    app: &mut App,
) -> bool {
    app.register_type::<K>();
    let component = app.world_mut().register_component::<K>();
    let mut registry = app.world_mut().get_resource_or_init::<LocomotionRegistry>();
    let type_id = TypeId::of::<K>();
    if registry.0.iter().any(|it| it.type_id == type_id) {
        return false;
    }
    registry.0.push(LocomotionInfo {
        name: K::short_type_path(),
        type_id,
        component,
    });
    app.add_observer(replace_other_kinds::<K>);
    true
}

/// Removes the other kinds of an entity, with a warning. Of two kinds inserted at once one remains.
fn replace_other_kinds<K: Component + TypePath>(added: On<Add, K>, mut commands: Commands) {
    let entity = added.entity;
    commands.queue(move |world: &mut World| {
        let Ok(found) = world.get_entity(entity) else {
            return;
        };
        if !found.contains::<K>() {
            return;
        }
        let registry = world.resource::<LocomotionRegistry>();
        let others = registry.iter().filter(|it| it.type_id != TypeId::of::<K>());
        let others: Vec<_> = others
            .filter(|it| found.contains_id(it.component))
            .map(|it| (it.component, it.name))
            .collect();
        for (component, other) in others {
            // An observer of the removal before may have despawned the entity.
            if world.get_entity(entity).is_err() {
                return;
            }
            let (clock, warnings) = (
                world.resource::<SteeringClock>(),
                world.resource::<SteeringWarnings>(),
            );
            // A snapshot puts one back before it removes the other.
            if !SnapshotTypes::are_in_use(world) {
                warnings.raise(clock, entity, other, || {
                    let name = K::short_type_path();
                    format!("{name} replaces {other}: an agent has one locomotion at a time")
                });
            }
            world.entity_mut(entity).remove_by_id(component);
        }
    });
}

/// Removes what a kind has added, unless another kind has come in its place.
fn become_holonomic<L: Locomotion>(removed: On<Remove, L>, mut commands: Commands) {
    let entity = removed.entity;
    commands.queue(move |world: &mut World| {
        if !is_driven(world, entity)
            && let Ok(mut entity) = world.get_entity_mut(entity)
        {
            entity.remove::<(Controls, Abilities, Propulsion)>();
        }
    });
}

/// Whether the entity has a kind of locomotion other than [`Holonomic`].
fn is_driven(world: &World, entity: Entity) -> bool {
    let found = world.get_entity(entity).ok();
    let kind = found.and_then(|it| world.resource::<LocomotionRegistry>().of(it));
    kind.is_some_and(|kind| kind.type_id != TypeId::of::<Holonomic>())
}

/// Takes the abilities of the agents of a kind. An agent whose parameters are out of range cannot be
/// steered.
fn take_abilities<L: Locomotion>(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    mut agents: Query<(
        Entity,
        &L,
        &Vehicle,
        &Controls,
        &mut Kinematics,
        &mut Abilities,
    )>,
) {
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |(entity, kind, vehicle, controls, mut body, mut abilities)| {
            if body.mass == 0.0 {
                return;
            }
            if let Err(error) = kind.check() {
                body.mass = 0.0;
                warnings.raise_invalid(&clock, entity, &error, "it is not driven");
                return;
            }
            *abilities = kind
                .abilities(vehicle, body.mass)
                .in_gear(controls, body.forward_speed());
        },
    );
}

/// Sets the controls of the agents of a kind, and computes how they act on the body.
fn drive<L: Locomotion>(
    clock: Res<SteeringClock>,
    mut agents: Query<(
        (&L, Has<SteeringDisabled>),
        &Vehicle,
        &Kinematics,
        (&SteeringForce, &SteeringId, Option<&ThinkEvery>),
        Option<&SpeedLimit>,
        &mut Controls,
        &mut Propulsion,
    )>,
) {
    for_each_mut(
        &mut agents,
        FORMULA_PASS,
        |(
            (kind, is_disabled),
            vehicle,
            body,
            (force, &id, every),
            limit,
            mut controls,
            mut propulsion,
        )| {
            let is_paused = clock.delta <= 0.0;
            let works =
                !is_paused && !is_disabled && body.is_steerable() && vehicle.check().is_ok();
            if !controls.is_finite() {
                *controls = Controls::default();
            }
            // The total of a group is for its agent, and not for a body of the group's own entity.
            let total = if force.is_steered() {
                force.total
            } else {
                Vec2::ZERO
            };
            let acceleration = if works {
                let spin = propulsion.angular_velocity;
                let abilities = kind.abilities(vehicle, body.mass);
                let motion =
                    Motion::new(body, spin, vehicle, clock.delta).with_abilities(&abilities);
                let desired = motion.desired_velocity(total);
                let desired = if ThinkEvery::turn(every, id, &clock).is_none() {
                    motion.without_turning_back(desired)
                } else {
                    desired
                };
                kind.drive(&motion, desired, &mut controls);
                limited(kind.accelerate(&motion, &controls), &motion, limit)
            } else {
                if !is_paused && controls.are_pressed() {
                    controls.release();
                }
                Acceleration::default()
            };
            propulsion.acceleration = acceleration.linear;
            propulsion.angular_acceleration = acceleration.angular;
        },
    );
}

/// Releases the pedals of an entity that is not driven any more since its [`Vehicle`] or its body is removed: the last
/// controls and accelerations would show for ever.
pub(crate) fn release_controls<C: Component>(
    removed: On<Remove, C>,
    mut driven: Query<(&mut Controls, &mut Propulsion), Allow<Disabled>>,
) {
    if let Ok((mut controls, mut propulsion)) = driven.get_mut(removed.entity) {
        controls.release();
        propulsion.acceleration = Vec2::ZERO;
        propulsion.angular_acceleration = 0.0;
    }
}

/// The acceleration with the speed after it clamped by a hard [`SpeedLimit`]; zero if it is not finite.
fn limited(by: Acceleration, motion: &Motion, limit: Option<&SpeedLimit>) -> Acceleration {
    if !by.linear.is_finite() || !by.angular.is_finite() {
        return Acceleration::default();
    }
    if limit != Some(&SpeedLimit::Hard) {
        return by;
    }
    let after = motion.velocity + by.linear * motion.delta;
    let clamped = after.clamp_length_max(motion.max_speed);
    Acceleration {
        linear: (clamped - motion.velocity) / motion.delta,
        ..by
    }
}
