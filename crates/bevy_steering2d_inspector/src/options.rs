//! Inspector options: units and ranges for `bevy-inspector-egui`, read from the doc comments of
//! fields.

use std::any::TypeId;
use std::collections::HashSet;

use bevy::prelude::*;
use bevy::reflect::{NamedField, TypeInfo, TypeRegistry, UnnamedField, enums::VariantInfo};
use bevy_inspector_egui::inspector_options::std_options::NumberOptions;
use bevy_inspector_egui::inspector_options::{
    InspectorOptions, ReflectInspectorOptions, Target as Place,
};

use crate::docs::{Facts, facts};

/// Registers the options from doc comments for every type reachable from `roots` that has no
/// options of its own.
pub(crate) fn describe(registry: &mut TypeRegistry, roots: impl IntoIterator<Item = TypeId>) {
    let mut open: Vec<_> = roots.into_iter().collect();
    let mut seen = HashSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(registration) = registry.get_mut(id) else {
            continue;
        };
        let (options, parts) = options_of(registration.type_info());
        open.extend(parts);
        if registration.data::<ReflectInspectorOptions>().is_none() {
            registration.insert(ReflectInspectorOptions(options));
        }
    }
}

/// The options of a type, and the types of its fields.
fn options_of(info: &TypeInfo) -> (InspectorOptions, Vec<TypeId>) {
    let mut options = InspectorOptions::new();
    let mut parts = Vec::new();
    match info {
        TypeInfo::Struct(info) => {
            for (index, field) in info.iter().enumerate() {
                parts.push(field.type_id());
                insert(
                    &mut options,
                    Place::Field(index),
                    field.type_id(),
                    facts_of(field),
                );
            }
        }
        TypeInfo::TupleStruct(info) => {
            for (index, field) in info.iter().enumerate() {
                parts.push(field.type_id());
                let facts = facts(field.docs().unwrap_or_default());
                insert(&mut options, Place::Field(index), field.type_id(), facts);
            }
        }
        TypeInfo::Enum(info) => {
            for (variant_index, variant) in info.iter().enumerate() {
                for (field_index, (part, facts)) in parts_of(variant).into_iter().enumerate() {
                    let place = Place::VariantField {
                        variant_index,
                        field_index,
                    };
                    parts.push(part);
                    insert(&mut options, place, part, facts);
                }
            }
        }
        _ => {}
    }
    (options, parts)
}

fn parts_of(variant: &VariantInfo) -> Vec<(TypeId, Facts)> {
    match variant {
        VariantInfo::Struct(info) => info.iter().map(|it| (it.type_id(), facts_of(it))).collect(),
        // For `Fixed(f32)`, the number is documented on the variant.
        VariantInfo::Tuple(info) => {
            let whole = facts(info.docs().unwrap_or_default());
            let of = |it: &UnnamedField| (it.type_id(), it.docs().map_or(whole, facts));
            info.iter().map(of).collect()
        }
        VariantInfo::Unit(_) => Vec::new(),
    }
}

fn facts_of(field: &NamedField) -> Facts {
    facts(field.docs().unwrap_or_default())
}

fn insert(options: &mut InspectorOptions, place: Place, part: TypeId, facts: Facts) {
    /// `Some` of an `Option`.
    const SOME: Place = Place::VariantField {
        variant_index: 1,
        field_index: 0,
    };
    if part == TypeId::of::<f32>() {
        options.insert(place, float(facts));
    } else if part == TypeId::of::<Option<f32>>() {
        let mut inner = InspectorOptions::new();
        inner.insert(SOME, float(facts));
        options.insert(place, inner);
    } else if part == TypeId::of::<Vec2>() {
        options.insert(place, vector(facts));
    } else if part == TypeId::of::<Rect>() {
        let mut corners = InspectorOptions::new();
        for corner in 0..2 {
            corners.insert(Place::Field(corner), vector(facts));
        }
        options.insert(place, corners);
    } else if part == TypeId::of::<u32>() {
        options.insert(place, whole(facts, |number| number as u32));
    } else if part == TypeId::of::<usize>() {
        options.insert(place, whole(facts, |number| number as usize));
    }
}

fn float(facts: Facts) -> NumberOptions<f32> {
    let mut options = NumberOptions::default().with_speed(speed(facts));
    // Without both bounds the widget would clamp infinity to the largest finite number.
    options.min = Some(facts.min.unwrap_or(f32::NEG_INFINITY));
    options.max = Some(facts.max.unwrap_or(f32::INFINITY));
    options.suffix = suffix(facts.unit);
    options
}

/// The numbers of a vector have its unit, but no range: that is one of its length.
fn vector(facts: Facts) -> NumberOptions<Vec2> {
    let unit = Facts {
        unit: facts.unit,
        ..default()
    };
    float(unit).map(|bound| Vec2::splat(*bound))
}

fn whole<N>(facts: Facts, convert: fn(f32) -> N) -> NumberOptions<N> {
    let mut options = NumberOptions::default().with_speed(0.1);
    options.min = facts.min.map(|bound| convert(bound.ceil()));
    options.max = facts.max.map(convert);
    options.suffix = suffix(facts.unit);
    options
}

/// Change per pixel of a drag: about a hundred pixels cover the usual values.
fn speed(facts: Facts) -> f32 {
    /// The widest range of usual values. A wider one only keeps out what cannot be computed with.
    const WIDEST: f32 = 100.0;
    match (facts.unit, facts.min, facts.max) {
        (_, Some(min), Some(max)) if max - min <= WIDEST => 0.005 * (max - min),
        ("N", ..) => 0.2,
        ("m" | "m/s" | "m/s²" | "kg", ..) => 0.05,
        _ => 0.01,
    }
}

/// The text after the number: a space and the unit.
pub(crate) fn suffix(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::ecs::reflect::AppTypeRegistry;
    use bevy_steering2d_core::{
        Area, BehaviorRegistry, Feeler, Separation, SteeringCorePlugin, Target, Vehicle,
    };

    fn steering() -> App {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        app
    }

    fn option<T: Clone + 'static>(types: &TypeRegistry, of: TypeId, place: Place) -> T {
        let options = types.get_type_data::<ReflectInspectorOptions>(of);
        let option = options.expect("described").0.get(place).expect("an option");
        option
            .downcast_ref::<T>()
            .expect("one of this type")
            .clone()
    }

    fn number(types: &TypeRegistry, of: TypeId, place: Place) -> NumberOptions<f32> {
        option(types, of, place)
    }

    #[test]
    fn units_and_ranges_come_from_the_docs() {
        let app = steering();
        let types = app.world().resource::<AppTypeRegistry>().clone();
        let ids = [TypeId::of::<Separation>(), TypeId::of::<Vehicle>()];
        describe(&mut types.write(), ids);
        let types = types.read();
        let radius = number(&types, ids[0], Place::Field(0));
        assert_eq!(
            (radius.suffix.as_str(), radius.max),
            (" m", Some(f32::INFINITY))
        );
        assert!(radius.min.is_some_and(|min| min > 0.0));
        let max_speed = number(&types, ids[1], Place::Field(0));
        assert_eq!(max_speed.suffix, " m/s");
    }

    #[test]
    fn vectors_and_rectangles_show_their_unit_and_have_no_range() {
        let app = steering();
        let types = app.world().resource::<AppTypeRegistry>().clone();
        let ids = [
            TypeId::of::<Target>(),
            TypeId::of::<Area>(),
            TypeId::of::<Feeler>(),
        ];
        describe(&mut types.write(), ids);
        let types = types.read();
        let first = Place::VariantField {
            variant_index: 0,
            field_index: 0,
        };
        let point: NumberOptions<Vec2> = option(&types, ids[0], first);
        let corners: InspectorOptions = option(&types, ids[1], first);
        let corner = corners.get(Place::Field(1)).expect("a corner");
        let corner = corner.downcast_ref::<NumberOptions<Vec2>>();
        assert_eq!(point.suffix, " m");
        assert_eq!(corner.expect("a vector").suffix, " m");
        // Its documentation has `(0, 1)` for an example.
        let root: NumberOptions<Vec2> = option(&types, ids[2], Place::Field(0));
        assert_eq!(root.min, Some(Vec2::NEG_INFINITY));
    }

    /// The panel shows the units and ranges of the doc comments.
    #[test]
    fn every_float_of_every_behavior_documents_its_unit_or_range() {
        let app = steering();
        let types = app.world().resource::<AppTypeRegistry>().read();
        let mut undocumented = Vec::new();
        for behavior in app.world().resource::<BehaviorRegistry>().iter() {
            let info = types.get_type_info(behavior.type_id).expect("registered");
            let TypeInfo::Struct(info) = info else {
                continue;
            };
            for field in info.iter().filter(|it| it.type_id() == TypeId::of::<f32>()) {
                let Facts { unit, min, .. } = facts_of(field);
                if unit.is_empty() && min.is_none() {
                    undocumented.push(format!("{}.{}", behavior.name, field.name()));
                }
            }
        }
        assert!(undocumented.is_empty(), "{undocumented:?}");
    }

    #[test]
    fn a_dragged_pixel_changes_no_float_by_more_than_one() {
        let app = steering();
        let types = app.world().resource::<AppTypeRegistry>().read();
        let structs = types.iter().filter_map(|it| match it.type_info() {
            TypeInfo::Struct(info) => Some(info),
            _ => None,
        });
        let mut most = 0.0;
        for info in structs {
            for field in info.iter().filter(|it| it.type_id() == TypeId::of::<f32>()) {
                let speed = speed(facts_of(field));
                let name = field.name();
                assert!(speed <= 1.0, "{}.{name}: {speed}", info.type_path());
                most = speed.max(most);
            }
        }
        assert!(most > 0.0, "there are floats");
        let docs = "How far the vehicle drives in before it stops, m, `-1e9..=1e9`.";
        assert_eq!(speed(facts(docs)), 0.05, "by its unit");
    }
}
