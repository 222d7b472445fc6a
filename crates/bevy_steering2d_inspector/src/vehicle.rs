//! Vehicle tab: limits and other components that affect motion, conditions and predictors as well.

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy_egui::egui::{Id, Ui, UiBuilder};
use bevy_steering2d_core::{
    Combine, Controls, FaceTarget, Kinematics, PointMass, ReflectCompanion, SteeringDisabled,
    SteeringGroups, Vehicle, Wheeled,
};

use crate::scope::{self, Scope};
use crate::theme::{faint, section};
use crate::{fields, gauges};

/// The components with parameters beside those that [tune](tuning) an agent.
pub(crate) const COMPANIONS: [TypeId; 3] = [
    TypeId::of::<SteeringGroups>(),
    TypeId::of::<FaceTarget>(),
    TypeId::of::<PointMass>(),
];

/// Shows limits and other components of the agent.
pub(crate) fn show(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    if let Some(body) = world.get::<Kinematics>(shown) {
        let Kinematics {
            position,
            mass,
            radius,
            ..
        } = *body;
        ui.label(faint(format!(
            "at ({:.2}, {:.2}) m   {:.2} m/s   {mass:.2} kg   radius {radius:.2} m",
            position.x,
            position.y,
            body.speed(),
        )));
    }
    let mut enabled = world.get::<SteeringDisabled>(shown).is_none();
    let switch = ui.checkbox(&mut enabled, "Steering on");
    let switch = switch.on_hover_text("Off inserts SteeringDisabled: only physics moves the body");
    if switch.changed() {
        for agent in scope::agents(world, scope, shown) {
            let Ok(mut agent) = world.get_entity_mut(agent) else {
                continue;
            };
            if enabled {
                agent.remove::<SteeringDisabled>();
            } else {
                agent.insert(SteeringDisabled);
            }
        }
    }
    let in_scope = |world: &World| scope::agents(world, scope, shown);
    companion(ui, world, TypeId::of::<Vehicle>(), shown, in_scope);
    if let Some(controls) = world.get::<Controls>(shown) {
        let has_wheels = world.get::<Wheeled>(shown).is_some();
        gauges::show(ui, controls, has_wheels);
    }
    let tuning = tuning(&world.resource::<AppTypeRegistry>().read());
    for id in COMPANIONS.into_iter().chain(tuning) {
        companion(ui, world, id, shown, in_scope);
    }
}

/// What tunes an agent beside its behaviors, by name: conditions, predictors, kinds of locomotion and the like, without
/// [`Vehicle`] and [`Combine`], which have places of their own.
pub(crate) fn tuning(types: &TypeRegistry) -> Vec<TypeId> {
    let elsewhere = [TypeId::of::<Vehicle>(), TypeId::of::<Combine>()];
    let companions = types.iter_with_data::<ReflectCompanion>();
    let companions = companions.map(|(registration, _)| registration.type_id());
    let mut tuning: Vec<_> = companions.filter(|id| !elsewhere.contains(id)).collect();
    tuning.sort_by_cached_key(|id| name_of(types, *id));
    tuning
}

fn name_of(types: &TypeRegistry, id: TypeId) -> &'static str {
    let info = types.get_type_info(id);
    info.map_or("", |it| it.type_path_table().short_path())
}

/// Shows a component other than a behavior, if the entity has it. Changes apply to all entities in scope.
pub(crate) fn companion(
    ui: &mut Ui,
    world: &mut World,
    id: TypeId,
    entity: Entity,
    in_scope: impl FnOnce(&World) -> Vec<Entity>,
) {
    let component = world.components().get_id(id);
    if component.is_none_or(|component| world.get_by_id(entity, component).is_none()) {
        return;
    }
    let name = name_of(&world.resource::<AppTypeRegistry>().read(), id);
    // Its widgets stay the same when another component comes or goes: what is dragged or typed there goes on. Several rows may
    // show the same component of a behavior entity.
    let own = UiBuilder::new().id(Id::new(("steering companion", ui.id(), entity, id)));
    ui.scope_builder(own, |ui| {
        section(ui, name);
        fields::edit(ui, world, id, entity, in_scope);
    });
}
