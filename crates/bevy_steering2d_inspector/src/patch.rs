//! Patches: what an edit changed, to apply the same edit to other agents.

use bevy::ecs::reflect::ReflectComponent;
use bevy::prelude::*;
use bevy::reflect::{ApplyError, PartialReflect, ReflectMut, ReflectRef, TypeRegistry};
use bevy_steering2d_core::clone_reflected;

/// Whether an edit changed a value. A part that holds NaN before and after does not differ, nor does one that
/// cannot be compared by reflection.
pub(crate) fn differs(before: &dyn PartialReflect, after: &dyn PartialReflect) -> bool {
    if let Some(count) = common_parts(before, after) {
        let parts = |index| part(before, index).zip(part(after, index));
        return (0..count).any(|index| parts(index).is_some_and(|(old, new)| differs(old, new)));
    }
    before.reflect_partial_eq(after) == Some(false) && !(holds_nan(before) && holds_nan(after))
}

/// How many parts of two values are compared and changed one by one: the fields of structs and tuples, the items of arrays,
/// and the fields of a variant that both have. `None` for values that are compared and replaced as a whole.
fn common_parts(a: &dyn PartialReflect, b: &dyn PartialReflect) -> Option<usize> {
    match (a.reflect_ref(), b.reflect_ref()) {
        (ReflectRef::Struct(a), ReflectRef::Struct(_)) => Some(a.field_len()),
        (ReflectRef::TupleStruct(a), ReflectRef::TupleStruct(_)) => Some(a.field_len()),
        (ReflectRef::Tuple(a), ReflectRef::Tuple(_)) => Some(a.field_len()),
        (ReflectRef::Array(a), ReflectRef::Array(_)) => Some(a.len()),
        (ReflectRef::Enum(a), ReflectRef::Enum(b)) if a.variant_index() == b.variant_index() => {
            Some(a.field_len())
        }
        _ => None,
    }
}

fn part(value: &dyn PartialReflect, index: usize) -> Option<&dyn PartialReflect> {
    match value.reflect_ref() {
        ReflectRef::Struct(it) => it.field_at(index),
        ReflectRef::TupleStruct(it) => it.field(index),
        ReflectRef::Tuple(it) => it.field(index),
        ReflectRef::Array(it) => it.get(index),
        ReflectRef::Enum(it) => it.field_at(index),
        _ => None,
    }
}

fn part_mut(value: &mut dyn PartialReflect, index: usize) -> Option<&mut dyn PartialReflect> {
    match value.reflect_mut() {
        ReflectMut::Struct(it) => it.field_at_mut(index),
        ReflectMut::TupleStruct(it) => it.field_mut(index),
        ReflectMut::Tuple(it) => it.field_mut(index),
        ReflectMut::Array(it) => it.get_mut(index),
        ReflectMut::Enum(it) => it.field_at_mut(index),
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

/// Makes an edit, given as the values before and after it, of a component of each entity that has it.
pub(crate) fn apply(
    world: &mut World,
    types: &TypeRegistry,
    component: &ReflectComponent,
    (before, after): (&dyn PartialReflect, &dyn PartialReflect),
    entities: &[Entity],
) {
    for entity in entities {
        let Ok(mut entity) = world.get_entity_mut(*entity) else {
            continue;
        };
        let Some(mut value) = component.reflect_mut(&mut entity) else {
            continue;
        };
        if let Err(error) = put_changes(types, value.as_partial_reflect_mut(), before, after) {
            log::warn!("cannot apply the edit: {error}");
        }
    }
}

/// Writes the parts of `after` that differ from `before` into a value, part by part as far as the value has the same ones:
/// one with another variant is replaced as a whole.
fn put_changes(
    types: &TypeRegistry,
    value: &mut dyn PartialReflect,
    before: &dyn PartialReflect,
    after: &dyn PartialReflect,
) -> Result<(), ApplyError> {
    let count = common_parts(before, after).filter(|_| common_parts(&*value, after).is_some());
    let Some(count) = count else {
        return if differs(before, after) {
            put(types, value, after)
        } else {
            Ok(())
        };
    };
    for index in 0..count {
        let parts = part(before, index).zip(part(after, index));
        if let (Some(part), Some((old, new))) = (part_mut(value, index), parts) {
            put_changes(types, part, old, new)?;
        }
    }
    Ok(())
}

/// Writes a new value into one of the same type. A list is replaced as a whole: `try_apply` would keep the items
/// behind the end of a shorter one.
pub(crate) fn put(
    types: &TypeRegistry,
    value: &mut dyn PartialReflect,
    new: &dyn PartialReflect,
) -> Result<(), ApplyError> {
    if let (ReflectMut::Struct(value), ReflectRef::Struct(new)) =
        (value.reflect_mut(), new.reflect_ref())
    {
        for (name, part) in new.iter_fields() {
            if let Some(field) = value.field_mut(name) {
                put(types, field, part)?;
            }
        }
        return Ok(());
    }
    // An array cannot be copied as a whole, see `clone_reflected`.
    if let (ReflectMut::Array(value), ReflectRef::Array(new)) =
        (value.reflect_mut(), new.reflect_ref())
    {
        for (index, part) in new.iter().enumerate() {
            if let Some(item) = value.get_mut(index) {
                put(types, item, part)?;
            }
        }
        return Ok(());
    }
    let whole = new.try_as_reflect();
    let whole = whole.and_then(|it| clone_reflected(it, types).ok());
    if let (Some(value), Some(whole)) = (value.try_as_reflect_mut(), whole)
        && value.set(whole).is_ok()
    {
        return Ok(());
    }
    value.try_apply(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{Behavior, Separation, Wander, WanderStyle};

    /// Makes an edit, which changes something, of another value as well.
    fn put_edit(
        other: &mut dyn PartialReflect,
        before: &dyn PartialReflect,
        after: &dyn PartialReflect,
    ) {
        let mut types = TypeRegistry::new();
        types.register::<Vec<[f32; 2]>>();
        assert!(differs(before, after));
        put_changes(&types, other, before, after).expect("the same type");
    }

    #[test]
    fn patch_changes_only_the_edited_fields() {
        let before = Separation::new(2.0);
        let after = Separation {
            perception_radius: 3.0,
            ..before
        }
        .with_weight(0.5);
        let mut other = Separation {
            max_neighbors: 4,
            ..Separation::new(1.0).with_priority(7)
        };
        put_edit(&mut other, &before, &after);
        assert_eq!((other.perception_radius, other.max_neighbors), (3.0, 4));
        assert_eq!((other.influence.weight, other.influence.priority), (0.5, 7));
        assert!(!differs(&before, &before));
    }

    #[test]
    fn patch_leaves_out_what_stays_nan() {
        let before = Separation {
            perception_radius: f32::NAN,
            ..Separation::default()
        };
        assert!(!differs(&before, &before));
        let after = before.with_weight(0.5);
        let mut other = Separation::new(2.0);
        put_edit(&mut other, &before, &after);
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
        let mut other = Patrol {
            speed: 2.0,
            posts: vec![7.0; 5],
        };
        put_edit(&mut other, &before, &after);
        assert_eq!((other.speed, other.posts), (2.0, after.posts));
    }

    #[test]
    fn patch_changes_arrays_and_lists_of_arrays() {
        #[derive(Reflect, Clone, Debug, Default, PartialEq)]
        struct Patrol {
            posts: [Vec2; 2],
            waits: Vec<[f32; 2]>,
        }
        let before = Patrol {
            waits: vec![[1.0, 2.0]; 3],
            ..default()
        };
        for count in [2, 4] {
            let after = Patrol {
                posts: [Vec2::X, Vec2::Y],
                waits: vec![[1.0, 2.0]; count],
            };
            let mut other = before.clone();
            put_edit(&mut other, &before, &after);
            assert_eq!(other, after);
        }
    }

    #[test]
    fn patch_changes_only_the_edited_field_of_a_variant() {
        let wander = |radius, distance, angle_change| Wander {
            style: WanderStyle::Angle {
                radius,
                distance,
                angle_change,
            },
            ..default()
        };
        let mut other = wander(7.0, 8.0, 9.0);
        put_edit(&mut other, &wander(1.0, 2.0, 3.0), &wander(1.0, 4.0, 3.0));
        assert_eq!(other, wander(7.0, 4.0, 9.0));
        let mut in_circles = Wander::default();
        let after = wander(1.0, 4.0, 3.0);
        put_edit(&mut in_circles, &wander(1.0, 2.0, 3.0), &after);
        assert_eq!(in_circles, after, "another variant is replaced");
    }

    #[test]
    fn patch_changes_a_field_of_a_variant_beside_one_that_stays_nan() {
        let angle = |radius, angle_change| WanderStyle::Angle {
            radius,
            distance: f32::NAN,
            angle_change,
        };
        assert!(!differs(&angle(1.0, 2.0), &angle(1.0, 2.0)));
        let mut other = WanderStyle::Angle {
            radius: 7.0,
            distance: 8.0,
            angle_change: 9.0,
        };
        put_edit(&mut other, &angle(1.0, 2.0), &angle(1.0, 3.0));
        let expected = WanderStyle::Angle {
            radius: 7.0,
            distance: 8.0,
            angle_change: 3.0,
        };
        assert_eq!(other, expected);
    }

    #[test]
    fn patch_changes_only_the_edited_value_of_tuples_and_arrays() {
        #[derive(Reflect, Clone, Debug, PartialEq)]
        struct Speeds(f32, f32);

        #[derive(Reflect, Clone, Debug, PartialEq)]
        struct Patrol {
            speeds: Speeds,
            turns: (f32, f32),
            waits: [f32; 2],
        }
        let patrol = |[a, b]: [f32; 2]| Patrol {
            speeds: Speeds(a, b),
            turns: (a, b),
            waits: [a, b],
        };
        let mut other = patrol([7.0, 8.0]);
        put_edit(&mut other, &patrol([1.0, 2.0]), &patrol([1.0, 3.0]));
        assert_eq!(other, patrol([7.0, 3.0]));
    }

    #[test]
    fn patch_puts_a_chosen_variant_into_the_others() {
        let before = Wander::default();
        let after = Wander {
            style: WanderStyle::Angle {
                distance: 1.0,
                radius: 2.0,
                angle_change: 3.0,
            },
            ..before
        };
        let mut other = Wander::default();
        put_edit(&mut other, &before, &after);
        assert_eq!(other.style, after.style);
    }
}
