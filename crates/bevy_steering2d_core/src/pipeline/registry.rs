//! [`BehaviorRegistry`]: which behaviors are registered, and which an agent has.

use std::any::TypeId;

use bevy::ecs::world::{EntityRef, EntityWorldMut};
use bevy::prelude::*;

use super::behavior_id::BehaviorId;
use super::schedule::SteeringSchedule;
use crate::behavior_entity::SteeredBy;
use crate::{Behavior, Influence, Target};

/// One registered behavior.
#[derive(Clone, Debug)]
pub struct BehaviorInfo {
    /// Its id, as in ledger entries.
    pub id: BehaviorId,
    /// The component's short name, e.g. `Seek`.
    pub name: &'static str,
    /// The component's type.
    pub type_id: TypeId,
    /// Its default priority.
    pub priority: i16,
    /// Its [`COLOR`](Behavior::COLOR) in debug drawings, as sRGB bytes.
    pub color: Option<[u8; 3]>,
    /// The step it runs in.
    pub step: SteeringSchedule,
    /// Its [`IS_ATTEMPT`](Behavior::IS_ATTEMPT).
    pub is_attempt: bool,
    read: fn(EntityRef) -> Option<Influence>,
    targets: fn(EntityRef) -> [Option<Target>; 2],
    write: fn(&mut EntityWorldMut, Influence) -> bool,
    remove: fn(&mut EntityWorldMut) -> bool,
}

impl BehaviorInfo {
    /// The influence of this behavior on an entity; `None` if the entity does not have it.
    pub fn influence(&self, entity: EntityRef) -> Option<Influence> {
        (self.read)(entity)
    }

    /// The [`targets`](Behavior::targets) of this behavior on an entity; none if the entity does not have it, or it is not
    /// [active](Behavior::is_active).
    pub fn active_targets(&self, entity: EntityRef) -> [Option<Target>; 2] {
        (self.targets)(entity)
    }

    /// Overwrites the influence; returns false if the entity does not have the behavior.
    pub fn set_influence(&self, entity: &mut EntityWorldMut, influence: Influence) -> bool {
        (self.write)(entity, influence)
    }

    /// Removes the behavior; warns and returns false if the entity does not have it.
    pub fn remove(&self, entity: &mut EntityWorldMut) -> bool {
        (self.remove)(entity)
    }
}

pub(super) fn remove<B: Behavior>(entity: &mut EntityWorldMut) -> bool {
    let component = entity.world().component_id::<B>();
    if let Some(component) = component.filter(|it| entity.contains_id(*it)) {
        entity.remove_by_id(component);
        return true;
    }
    let (name, entity) = (B::short_type_path(), entity.id());
    log::warn!("entity {entity}: asked to remove {name}, which it does not have");
    false
}

/// A behavior of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssignedBehavior {
    /// The id of the behavior.
    pub id: BehaviorId,
    /// Its short name.
    pub name: &'static str,
    /// The entity with the behavior: the agent, or a behavior entity that
    /// [steers for](crate::SteersFor) it.
    pub source: Entity,
    /// Its influence.
    pub influence: Influence,
}

/// All registered behaviors, in order of registration.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
/// let agent = app.world_mut().spawn((PointMass::default(), Seek::new(Vec2::X))).id();
/// let registry = app.world().resource::<BehaviorRegistry>();
/// let assigned = registry.assigned_to(app.world(), agent);
/// assert_eq!(assigned[0].name, "Seek");
/// assert_eq!(assigned[0].influence.weight, 1.0);
/// ```
#[derive(Resource, Clone, Debug, Default)]
pub struct BehaviorRegistry(Vec<BehaviorInfo>);

impl BehaviorRegistry {
    /// Every registered behavior.
    pub fn iter(&self) -> impl Iterator<Item = &BehaviorInfo> {
        self.0.iter()
    }

    /// The behavior with an id.
    ///
    /// # Panics
    /// When the id is from another registry that has more behaviors.
    pub fn get(&self, id: BehaviorId) -> &BehaviorInfo {
        &self.0[usize::from(id.index())]
    }

    /// The registered behavior `B`; `None` if it is not registered.
    pub fn of<B: Behavior>(&self) -> Option<&BehaviorInfo> {
        self.0.iter().find(|info| info.type_id == TypeId::of::<B>())
    }

    /// All behaviors of an agent: those on the agent, then those of its behavior entities, each
    /// group followed by its members. Empty for an entity that does not exist.
    pub fn assigned_to(&self, world: &World, agent: Entity) -> Vec<AssignedBehavior> {
        let mut assigned = Vec::new();
        self.collect_assigned(world, agent, &mut assigned);
        assigned
    }

    fn collect_assigned(&self, world: &World, source: Entity, into: &mut Vec<AssignedBehavior>) {
        let Ok(entity) = world.get_entity(source) else {
            return;
        };
        into.extend(self.0.iter().filter_map(|info| {
            Some(AssignedBehavior {
                id: info.id,
                name: info.name,
                source,
                influence: info.influence(entity)?,
            })
        }));
        for member in entity
            .get::<SteeredBy>()
            .into_iter()
            .flat_map(SteeredBy::iter)
        {
            self.collect_assigned(world, member, into);
        }
    }

    pub(super) fn add<B: Behavior>(&mut self, step: SteeringSchedule) -> BehaviorId {
        let id = BehaviorId::new(self.0.len());
        self.0.push(BehaviorInfo {
            id,
            name: B::short_type_path(),
            type_id: TypeId::of::<B>(),
            priority: B::PRIORITY,
            color: B::COLOR,
            is_attempt: B::IS_ATTEMPT,
            step,
            read: |entity| entity.get::<B>().map(|behavior| *behavior.influence()),
            targets: |entity| {
                let active = entity.get::<B>().filter(|behavior| behavior.is_active());
                active.map_or([None; 2], B::targets)
            },
            write: |entity, influence| match entity.get_mut::<B>() {
                Some(mut behavior) => {
                    *behavior.influence_mut() = influence;
                    true
                }
                None => false,
            },
            remove: remove::<B>,
        });
        id
    }
}
