//! Vehicle tab: limits and other components that affect motion, conditions and predictors as well.

use std::any::TypeId;

use bevy::ecs::reflect::AppTypeRegistry;
use bevy::prelude::*;
use bevy::reflect::{TypePath, TypeRegistry};
use bevy_egui::egui::Ui;
use bevy_steering2d_core::{
    Controls, FaceVelocity, Kinematics, PointMass, ReflectCompanion, SpeedLimit, SteeringDisabled,
    SteeringGroups, ThinkEvery, Vehicle,
};

use crate::scope::{self, Scope};
use crate::theme::{faint, section};
use crate::{fields, gauges};

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
    companion::<Vehicle>(ui, world, shown, scope);
    if let Some(controls) = world.get::<Controls>(shown) {
        gauges::show(ui, controls);
    }
    companion::<SteeringGroups>(ui, world, shown, scope);
    companion::<FaceVelocity>(ui, world, shown, scope);
    companion::<SpeedLimit>(ui, world, shown, scope);
    companion::<ThinkEvery>(ui, world, shown, scope);
    companion::<PointMass>(ui, world, shown, scope);
    let types = world.resource::<AppTypeRegistry>().clone();
    let registered = registered_companions(&types.read());
    for (name, id) in registered {
        edit_companion(ui, world, name, id, shown, scope);
    }
}

/// The registered conditions, predictors and kinds of locomotion, by name.
pub(crate) fn registered_companions(types: &TypeRegistry) -> Vec<(&'static str, TypeId)> {
    let registered = types.iter_with_data::<ReflectCompanion>();
    let mut companions: Vec<_> = registered
        .map(|(it, _)| (it.type_info().type_path_table().short_path(), it.type_id()))
        .collect();
    companions.sort_unstable_by_key(|(name, _)| *name);
    companions
}

/// Shows a component other than a behavior, if the agent has it.
fn companion<C: Component + TypePath>(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    edit_companion(
        ui,
        world,
        C::short_type_path(),
        TypeId::of::<C>(),
        shown,
        scope,
    );
}

fn edit_companion(
    ui: &mut Ui,
    world: &mut World,
    name: &str,
    id: TypeId,
    shown: Entity,
    scope: Scope,
) {
    let component = world.components().get_id(id);
    if component.is_none_or(|component| world.get_by_id(shown, component).is_none()) {
        return;
    }
    section(ui, name);
    fields::edit(ui, world, id, shown, |world| {
        scope::agents(world, scope, shown)
    });
}
