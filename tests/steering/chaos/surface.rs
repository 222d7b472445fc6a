//! The public surface: every component of the library that reflection knows.

use std::any::TypeId;
use std::fmt;

use bevy::ecs::reflect::{ReflectComponent, ReflectResource};
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy::reflect::std_traits::ReflectDefault;
use bevy_steering2d::BehaviorRegistry;
use bevy_steering2d::prelude::*;

/// A reflected component.
#[derive(Clone, Copy)]
pub struct Part {
    pub type_id: TypeId,
    name: &'static str,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Part {
    pub fn component(self, types: &TypeRegistry) -> Option<&ReflectComponent> {
        types.get_type_data(self.type_id)
    }

    pub fn default(self, types: &TypeRegistry) -> Option<Box<dyn Reflect>> {
        let default = types.get_type_data::<ReflectDefault>(self.type_id)?;
        Some(default.default())
    }

    /// Whether its parameters can be set: not those of relationships, which Bevy keeps in order.
    pub fn is_mutable(self) -> bool {
        ![
            "SteersFor",
            "SteeredBy",
            "GroupMember",
            "GroupMembers",
            "ChildOf",
            "Children",
        ]
        .contains(&self.name)
    }
}

/// The registered behaviors, and all other components that steering registers or requires.
pub fn parts(app: &App) -> (Vec<Part>, Vec<Part>) {
    let types = app.world().resource::<AppTypeRegistry>().read();
    let registry = app.world().resource::<BehaviorRegistry>();
    let is_behavior = |part: &Part| registry.iter().any(|it| it.type_id == part.type_id);
    let mut parts: Vec<Part> = types
        .iter_with_data::<ReflectComponent>()
        // Resources are components too, of entities that hold nothing else.
        .filter(|(registration, _)| registration.data::<ReflectResource>().is_none())
        .map(|(registration, _)| {
            let name = registration.type_info().type_path_table();
            (name.path(), registration.type_id(), name.short_path())
        })
        .filter(|(path, type_id, _)| {
            let bevys = [TypeId::of::<Transform>(), TypeId::of::<GlobalTransform>()];
            path.starts_with("bevy_steering2d")
                || path.contains("::common::")
                || bevys.contains(type_id)
        })
        .map(|(_, type_id, name)| Part { type_id, name })
        .collect();
    // The order of the type registry changes between runs.
    parts.sort_unstable_by_key(|part| part.name);
    parts.into_iter().partition(is_behavior)
}

/// Registers what a game adds to the library.
pub fn add_behaviors_of_a_game(app: &mut App) {
    app.add_behavior::<crate::common::Push>()
        .add_combiner::<Wild>();
}

/// A combiner that breaks every rule: an infinite total, shares out of range.
#[derive(Reflect)]
pub struct Wild;

impl Combiner for Wild {
    fn combine(ledger: &mut [LedgerEntry], max_force: f32, draw: &mut dyn FnMut() -> f32) -> Vec2 {
        for entry in ledger.iter_mut() {
            entry.accept(9.0 * draw(), Cut::Budget);
        }
        match draw() {
            0.0..0.3 => Vec2::NAN,
            0.3..0.6 => Vec2::new(0.0, f32::INFINITY),
            _ => Vec2::splat(2.0 * max_force),
        }
    }
}

/// The combiners of the library and the one of the game.
pub fn combiner(choice: u8) -> Combine {
    let all = [
        Combine::WEIGHTED_SUM,
        Combine::AVERAGE,
        Combine::PRIORITIZED,
        Combine::DITHERED,
        Combine::by::<Wild>(),
    ];
    all[usize::from(choice) % all.len()]
}
