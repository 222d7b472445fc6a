//! Patches: the fields that an edit changed, to apply the same edit to other agents.

use bevy::ecs::reflect::ReflectComponent;
use bevy::prelude::*;
use bevy::reflect::structs::DynamicStruct;
use bevy::reflect::{ApplyError, PartialReflect, ReflectMut, ReflectRef};

/// The part of `after` that differs from `before`: the changed fields of structs, other values as a
/// whole. `None` if no part differs, or if it cannot be compared and cloned by reflection. A part that holds NaN
/// before and after does not differ.
pub(crate) fn difference(
    before: &dyn PartialReflect,
    after: &dyn PartialReflect,
) -> Option<Box<dyn PartialReflect>> {
    if let (ReflectRef::Struct(before), ReflectRef::Struct(after)) =
        (before.reflect_ref(), after.reflect_ref())
    {
        let mut changed = DynamicStruct::default();
        for (name, new) in after.iter_fields() {
            let old = before.field(name)?;
            if let Some(part) = difference(old, new) {
                changed.insert_boxed(name, part);
            }
        }
        return (changed.field_len() > 0).then(|| Box::new(changed) as _);
    }
    match before.reflect_partial_eq(after) {
        Some(false) if !(holds_nan(before) && holds_nan(after)) => {
            Some(after.reflect_clone().ok()?.into_partial_reflect())
        }
        _ => None,
    }
}

/// Whether a value is unequal to itself, as NaN is.
fn holds_nan(value: &dyn PartialReflect) -> bool {
    value.reflect_partial_eq(value) == Some(false)
}

/// Whether two numbers are equal, or both NaN.
pub(crate) fn is_same_number(before: f32, after: f32) -> bool {
    before == after || (before.is_nan() && after.is_nan())
}

/// Applies a patch to a component of each entity that has it.
pub(crate) fn apply(
    world: &mut World,
    component: &ReflectComponent,
    patch: &dyn PartialReflect,
    entities: &[Entity],
) {
    for entity in entities {
        let Ok(mut entity) = world.get_entity_mut(*entity) else {
            continue;
        };
        let Some(mut value) = component.reflect_mut(&mut entity) else {
            continue;
        };
        if let Err(error) = put(value.as_partial_reflect_mut(), patch) {
            log::warn!("cannot apply the edit: {error}");
        }
    }
}

/// Writes a patch into a value. A list is replaced as a whole: `try_apply` would keep the items behind the end of
/// a shorter one.
pub(crate) fn put(
    value: &mut dyn PartialReflect,
    patch: &dyn PartialReflect,
) -> Result<(), ApplyError> {
    if let (ReflectMut::Struct(value), ReflectRef::Struct(patch)) =
        (value.reflect_mut(), patch.reflect_ref())
    {
        for (name, part) in patch.iter_fields() {
            if let Some(field) = value.field_mut(name) {
                put(field, part)?;
            }
        }
        return Ok(());
    }
    if let (Some(value), Ok(whole)) = (value.try_as_reflect_mut(), patch.reflect_clone())
        && value.set(whole).is_ok()
    {
        return Ok(());
    }
    value.try_apply(patch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{Behavior, Separation, Wander, WanderStyle};

    #[test]
    fn patch_changes_only_the_edited_fields() {
        let before = Separation::new(2.0);
        let after = Separation {
            perception_radius: 3.0,
            ..before
        }
        .with_weight(0.5);
        let patch = difference(&before, &after).expect("two fields differ");
        let mut other = Separation {
            max_neighbors: 4,
            ..Separation::new(1.0).with_priority(7)
        };
        other.apply(&*patch);
        assert_eq!((other.perception_radius, other.max_neighbors), (3.0, 4));
        assert_eq!((other.influence.weight, other.influence.priority), (0.5, 7));
        assert!(difference(&before, &before).is_none());
    }

    #[test]
    fn patch_leaves_out_what_stays_nan() {
        let before = Separation {
            perception_radius: f32::NAN,
            ..Separation::default()
        };
        assert!(difference(&before, &before).is_none());
        let after = before.with_weight(0.5);
        let patch = difference(&before, &after).expect("the weight differs");
        let mut other = Separation::new(2.0);
        put(&mut other, &*patch).expect("the same type");
        assert_eq!(
            (other.perception_radius, other.influence.weight),
            (2.0, 0.5)
        );
    }

    #[test]
    fn patch_shortens_a_list() {
        #[derive(Reflect, Clone, Default)]
        struct Patrol {
            speed: f32,
            posts: Vec<f32>,
        }
        let before = Patrol {
            speed: 1.0,
            posts: vec![1.0, 2.0, 3.0],
        };
        let after = Patrol {
            posts: vec![1.0, 3.0],
            ..before.clone()
        };
        let patch = difference(&before, &after).expect("an item is gone");
        let mut other = Patrol {
            speed: 2.0,
            posts: vec![7.0; 5],
        };
        put(&mut other, &*patch).expect("the same type");
        assert_eq!((other.speed, other.posts), (2.0, after.posts));
    }

    #[test]
    fn patch_replaces_an_enum_as_a_whole() {
        let before = Wander::default();
        let after = Wander {
            style: WanderStyle::Angle {
                distance: 1.0,
                radius: 2.0,
                angle_change: 3.0,
            },
            ..before
        };
        let patch = difference(&before, &after).expect("the style differs");
        let mut other = Wander::default();
        other.apply(&*patch);
        assert_eq!(other.style, after.style);
    }
}
