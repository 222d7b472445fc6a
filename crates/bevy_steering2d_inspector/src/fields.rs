//! Field editor: edits the parameters of one component by reflection.

use std::any::{Any, TypeId};

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::{PartialReflect, ReflectMut, ReflectRef, TypeInfo, TypeRegistry};
use bevy_egui::egui;
use bevy_inspector_egui::inspector_options::std_options::NumberOptions;
use bevy_inspector_egui::inspector_options::{
    InspectorOptions, ReflectInspectorOptions, Target as Place,
};
use bevy_inspector_egui::reflect_inspector::{Context, InspectorUi};
use bevy_steering2d_core::{Feelers, Influence, SteeringGroups, clone_reflected};

use crate::choices::{self, Chosen};
use crate::patch;
use crate::theme::{self, faint};
use crate::variants::{keep_parameters, variant_of};

/// Shows widgets for the parameters of a component of `entity`, without its [`Influence`], which the
/// behavior's row edits. Changes apply to that component of all `entities`.
pub(crate) fn edit(
    ui: &mut egui::Ui,
    world: &mut World,
    component: TypeId,
    entity: Entity,
    entities: impl FnOnce(&World) -> Vec<Entity>,
) {
    let types = world.resource::<AppTypeRegistry>().clone();
    let types = types.read();
    let reflect = types.get_type_data::<ReflectComponent>(component);
    let Some(reflect) = reflect.cloned() else {
        ui.label(faint("Add #[reflect(Component)] to edit it here"));
        return;
    };
    let found = world.get_entity(entity).ok();
    let Some(value) = found.and_then(|it| reflect.reflect(it)) else {
        return;
    };
    let copy = || clone_reflected(value, &types).ok();
    let Some((before, mut after)) = copy().zip(copy()) else {
        let name = value.reflect_short_type_path();
        ui.label(faint(format!(
            "{name} does not clone by reflection: add #[reflect(Clone)] to edit it here"
        )));
        return;
    };
    let id = ui.id().with((component, entity));
    if show(ui, &types, &mut *after, id) {
        let (before, after) = (before.as_partial_reflect(), after.as_partial_reflect());
        if patch::differs(before, after) {
            let entities = entities(world);
            patch::apply(world, &types, &reflect, (before, after), &entities);
            let predictors = choices::chosen_predictors(before, after).into_iter();
            let predictors: Vec<_> = predictors.filter_map(|it| Chosen::of(&types, it)).collect();
            drop(types);
            for predictor in predictors {
                predictor.insert_default(world, &entities);
            }
        }
    }
}

/// Shows name and value of each parameter. Returns whether one changed.
fn show(ui: &mut egui::Ui, types: &TypeRegistry, value: &mut dyn Reflect, id: egui::Id) -> bool {
    let type_id = (*value).type_id();
    let data = types.get(type_id);
    let options = data.and_then(|it| it.data::<ReflectInspectorOptions>());
    let default = data
        .and_then(|it| it.data::<ReflectDefault>())
        .map(ReflectDefault::default);
    let info = data.map(bevy::reflect::TypeRegistration::type_info);
    if let Some(groups) = value.downcast_mut() {
        return group_bits(ui, groups, 0);
    }
    let mut context = Context::default();
    let mut inspector = InspectorUi::new(types, &mut context, Some(keep_parameters), None, None);

    let ReflectMut::Struct(parameters) = value.reflect_mut() else {
        return show_part(ui, &mut inspector, value.as_partial_reflect_mut(), id, &());
    };
    let Some(TypeInfo::Struct(info)) = info else {
        return false;
    };
    let default = default.as_deref().map(PartialReflect::reflect_ref);
    let default = match &default {
        Some(ReflectRef::Struct(default)) => Some(*default),
        _ => None,
    };
    let mut changed = false;
    egui::Grid::new(id)
        .num_columns(3)
        .spacing([8.0, 5.0])
        .show(ui, |ui| {
            for (index, field) in info.iter().enumerate() {
                let Some(part) = parameters.field_at_mut(index) else {
                    continue;
                };
                if field.type_id() == TypeId::of::<Influence>() {
                    continue;
                }
                let label = ui.label(words(field.name()));
                theme::on_hover_docs(label, field.docs());
                let default = default.and_then(|it| it.field_at(index));
                let options = options.and_then(|it| option(&it.0, index));
                let (id, docs) = (id.with(index), field.docs());
                ui.vertical(|ui| {
                    changed |= show_parameter(ui, &mut inspector, part, id, docs, default, options);
                });
                changed |= default.is_some_and(|default| reset_button(ui, types, default, part));
                ui.end_row();
            }
        });
    changed
}

/// Shows a parameter with the widget that suits it. Returns whether the user changed it.
fn show_parameter(
    ui: &mut egui::Ui,
    inspector: &mut InspectorUi,
    part: &mut dyn PartialReflect,
    id: egui::Id,
    docs: Option<&str>,
    default: Option<&dyn PartialReflect>,
    options: Option<&dyn Any>,
) -> bool {
    let types = inspector.type_registry;
    if let Some(groups) = part.try_downcast_mut() {
        group_bits(ui, groups, 0)
    } else if let Some(prediction) = part.try_downcast_mut() {
        let choose = |ui: &mut egui::Ui| choices::prediction(ui, types, prediction);
        ui.push_id(id, choose).inner
    } else if let Some(mask) = part.try_downcast_mut()
        && is_mask(docs)
    {
        mask_bits(ui, mask)
    } else if let Some(count) = part.try_downcast_mut()
        && default.and_then(|it| it.try_downcast_ref()) == Some(&u32::MAX)
    {
        limit(ui, count)
    } else {
        show_part(ui, inspector, part, id, options.unwrap_or(&()))
    }
}

fn option(options: &InspectorOptions, index: usize) -> Option<&dyn Any> {
    options.get(Place::Field(index))
}

/// Shows a value with its options. Returns whether the user changed it.
///
/// The widgets of the inspector write what they show: a number outside its range is clamped, and NaN becomes
/// infinity. Values that they would change without any input are shown in another way.
fn show_part(
    ui: &mut egui::Ui,
    inspector: &mut InspectorUi,
    part: &mut dyn PartialReflect,
    id: egui::Id,
    options: &dyn Any,
) -> bool {
    let types = inspector.type_registry;
    let faster = faster(&*part, options);
    let options = faster.as_ref().map_or(options, |it| it as &dyn Any);
    if let Some(number) = part.try_downcast_mut::<f32>()
        && !is_in_range::<f32>(&*number, options)
    {
        return number_out_of_range(ui, number, options.downcast_ref());
    }
    let without_ranges = InspectorOptions::new();
    let choices: [&dyn Any; 2] = [options, &without_ranges];
    let usable = choices
        .into_iter()
        .find(|options| stays_as_it_is(types, &*part, *options));
    if let Some(usable) = usable {
        let before = variant_of(&*part);
        let feelers = part.try_downcast_ref::<Feelers>().cloned();
        let changed = inspector.ui_for_reflect_with_options(part, ui, id, usable);
        if variant_of(&*part) != before {
            put_in_range(types, part, options);
            // An empty list is refused.
            if let (Some(before), Some(Feelers::Custom(list))) = (feelers, part.try_downcast_mut())
            {
                *list = before.list().to_vec();
            }
        }
        changed
    } else {
        inspector.ui_for_reflect_readonly_with_options(part, ui, id, options);
        false
    }
}

/// The options of a large number: a dragged pixel changes it by a percent, unless its range is limited.
fn faster(part: &dyn PartialReflect, options: &dyn Any) -> Option<NumberOptions<f32>> {
    let number = part.try_downcast_ref::<f32>()?;
    let options = options.downcast_ref::<NumberOptions<f32>>()?;
    let speed = 0.01 * number.abs();
    let is_limited = options.max.is_some_and(f32::is_finite);
    let is_larger = speed.is_finite() && speed > options.speed;
    (is_larger && !is_limited).then(|| options.clone().with_speed(speed))
}

/// Puts the numbers of a variant that was just chosen into their ranges: the inspector makes them 0, which many refuse.
fn put_in_range(types: &TypeRegistry, value: &mut dyn PartialReflect, options: &dyn Any) {
    /// A usual value: 1 m, or 1 s.
    const USUAL: f32 = 1.0;
    let nested = options_of(types, &*value, options).downcast_ref::<InspectorOptions>();
    let (Some(nested), ReflectMut::Enum(variant)) = (nested, value.reflect_mut()) else {
        return;
    };
    let variant_index = variant.variant_index();
    for field_index in 0..variant.field_len() {
        let place = Place::VariantField {
            variant_index,
            field_index,
        };
        let range = nested
            .get(place)
            .and_then(|it| it.downcast_ref::<NumberOptions<f32>>());
        let part = variant.field_at_mut(field_index);
        let number = part.and_then(|it| it.try_downcast_mut::<f32>());
        let (Some(range), Some(number)) = (range, number) else {
            continue;
        };
        // By now it may have been clamped to the smallest valid number.
        if !is_in_range::<f32>(&0.0_f32, range) {
            let (min, max) = bounds(range);
            *number = USUAL.max(min).min(max);
        }
    }
}

/// The options of a value: those that are given, else those that are registered for its type.
fn options_of<'a>(
    types: &'a TypeRegistry,
    value: &dyn PartialReflect,
    options: &'a dyn Any,
) -> &'a dyn Any {
    let registered = value
        .try_as_reflect()
        .filter(|_| options.is::<()>())
        .and_then(|it| types.get_type_data::<ReflectInspectorOptions>(it.type_id()));
    registered.map_or(options, |it| &it.0 as &dyn Any)
}

/// Whether the widgets of the inspector show a value without a change: all numbers in it are in their ranges.
fn stays_as_it_is(types: &TypeRegistry, value: &dyn PartialReflect, options: &dyn Any) -> bool {
    let options = options_of(types, value, options);
    let nested = options.downcast_ref::<InspectorOptions>();
    let stays = |part: Option<&dyn PartialReflect>, place: Option<Place>| {
        let options = nested.zip(place).and_then(|(it, place)| it.get(place));
        part.is_none_or(|part| stays_as_it_is(types, part, options.unwrap_or(&())))
    };
    match value.reflect_ref() {
        ReflectRef::Struct(it) => {
            (0..it.field_len()).all(|index| stays(it.field_at(index), Some(Place::Field(index))))
        }
        ReflectRef::TupleStruct(it) => {
            (0..it.field_len()).all(|index| stays(it.field(index), Some(Place::Field(index))))
        }
        ReflectRef::Tuple(it) => {
            (0..it.field_len()).all(|index| stays(it.field(index), Some(Place::Field(index))))
        }
        ReflectRef::Enum(it) => (0..it.field_len()).all(|field_index| {
            let variant_index = it.variant_index();
            let place = Place::VariantField {
                variant_index,
                field_index,
            };
            stays(it.field_at(field_index), Some(place))
        }),
        ReflectRef::List(it) => it.iter().all(|item| stays(Some(item), None)),
        ReflectRef::Array(it) => it.iter().all(|item| stays(Some(item), None)),
        ReflectRef::Map(it) => it.iter().all(|(_, value)| stays(Some(value), None)),
        _ => RANGES.iter().all(|is_in| is_in(value, options)),
    }
}

/// Whether a number of some type is in its range; a game may give ranges to each type of them.
const RANGES: [fn(&dyn PartialReflect, &dyn Any) -> bool; 12] = [
    is_in_range::<f32>,
    is_in_range::<f64>,
    is_in_range::<u8>,
    is_in_range::<u16>,
    is_in_range::<u32>,
    is_in_range::<u64>,
    is_in_range::<usize>,
    is_in_range::<i8>,
    is_in_range::<i16>,
    is_in_range::<i32>,
    is_in_range::<i64>,
    is_in_range::<isize>,
];

/// Whether a value is in the range of its options, if it is a number of type `N`. NaN is in no range.
fn is_in_range<N: Reflect + PartialOrd>(value: &dyn PartialReflect, options: &dyn Any) -> bool {
    let Some(number) = value.try_downcast_ref::<N>() else {
        return true;
    };
    let (min, max) = match options.downcast_ref::<NumberOptions<N>>() {
        Some(options) => (options.min.as_ref(), options.max.as_ref()),
        None => (None, None),
    };
    let is_nan = number.partial_cmp(number).is_none();
    !is_nan && min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
}

fn bounds(options: &NumberOptions<f32>) -> (f32, f32) {
    let min = options.min.unwrap_or(f32::NEG_INFINITY);
    (min, options.max.unwrap_or(f32::INFINITY))
}

/// Shows a number outside its range as it is; what the user enters is clamped. Returns whether the user changed it.
fn number_out_of_range(
    ui: &mut egui::Ui,
    number: &mut f32,
    options: Option<&NumberOptions<f32>>,
) -> bool {
    let before = *number;
    let options = options.cloned().unwrap_or_default();
    let (min, max) = bounds(&options);
    // That of the inspector's widget, which takes over once the number is in its range.
    let speed = if options.speed == 0.0 {
        0.1
    } else {
        options.speed
    };
    ui.add(
        egui::DragValue::new(number)
            .range(min..=max)
            .clamp_existing_to_range(false)
            .speed(speed)
            .prefix(&options.prefix)
            .suffix(&options.suffix),
    );
    !patch::is_same_number(before, *number)
}

/// Shows a button to reset a parameter that differs from its default. Returns whether it was reset.
fn reset_button(
    ui: &mut egui::Ui,
    types: &TypeRegistry,
    default: &dyn PartialReflect,
    part: &mut dyn PartialReflect,
) -> bool {
    part.reflect_partial_eq(default) == Some(false)
        && theme::icon(ui, "↺", "Reset to the default").clicked()
        && patch::put(types, part, default).is_ok()
}

/// Groups in a row of toggles.
const ROW: u32 = 8;

/// Shows toggles for groups, the first of which has this number. Returns whether one changed.
fn group_bits(ui: &mut egui::Ui, groups: &mut SteeringGroups, number: u32) -> bool {
    let before = *groups;
    ui.vertical(|ui| {
        for first in (0..shown_groups(before)).step_by(ROW as usize) {
            ui.horizontal(|ui| group_row(ui, groups, first, number));
        }
    });
    *groups != before
}

/// Whether a parameter with this doc comment is a bit mask of collision groups.
fn is_mask(docs: Option<&str>) -> bool {
    docs.is_some_and(|it| it.contains("a bit mask"))
}

/// Shows toggles for collision groups: the first bit is that of `GROUP_1`. Returns whether one changed.
fn mask_bits(ui: &mut egui::Ui, mask: &mut u32) -> bool {
    let mut groups = SteeringGroups(*mask);
    let changed = group_bits(ui, &mut groups, 1);
    *mask = groups.0;
    changed
}

/// How many groups have a toggle, in whole rows: all that are set, and the next one. All 32 together need one row only.
fn shown_groups(groups: SteeringGroups) -> u32 {
    if groups == SteeringGroups::ALL {
        return ROW;
    }
    let used = u32::BITS - groups.0.leading_zeros();
    (used + 1).next_multiple_of(ROW).min(u32::BITS)
}

/// Shows a row of toggles; the first has one more for all groups.
fn group_row(ui: &mut egui::Ui, groups: &mut SteeringGroups, first: u32, number: u32) {
    ui.spacing_mut().item_spacing.x = 1.0;
    ui.spacing_mut().button_padding.x = 4.0;
    for bit in first..first + ROW {
        let group = SteeringGroups::of(bit);
        let button = ui.selectable_label(groups.intersects(group), (number + bit).to_string());
        if button.clicked() {
            groups.0 ^= group.0;
        }
    }
    let is_all = *groups == SteeringGroups::ALL;
    if first == 0 && ui.selectable_label(is_all, "all").clicked() {
        *groups = SteeringGroups::ALL;
    }
}

/// Edits a limit that is off by default, stored as `u32::MAX`.
fn limit(ui: &mut egui::Ui, count: &mut u32) -> bool {
    /// The initial limit when turned on.
    const LIMIT: u32 = 8;
    let before = *count;
    ui.horizontal(|ui| {
        let mut limited = *count != u32::MAX;
        if ui.checkbox(&mut limited, "limit").changed() {
            *count = if limited { LIMIT } else { u32::MAX };
        }
        if limited {
            let count = egui::DragValue::new(count).range(1..=u32::MAX).speed(0.1);
            ui.add(count.clamp_existing_to_range(false));
        }
    });
    *count != before
}

/// A field name as words: `max_neighbors` becomes `max neighbors`.
fn words(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn nan_is_found_in_the_parts_of_a_value() {
        let types = TypeRegistry::new();
        let stays = |value: &dyn PartialReflect| stays_as_it_is(&types, value, &());
        for number in [1.0, f32::NAN] {
            let parts: [&dyn PartialReflect; 5] = [
                &(1_u32, number),
                &f64::from(number),
                &[1.0, number],
                &vec![[1.0, number]],
                &BTreeMap::from([(1_u32, number)]),
            ];
            for part in parts {
                assert_eq!(stays(part), !number.is_nan(), "{part:?}");
            }
        }
    }

    #[test]
    fn whole_numbers_are_in_the_range_that_a_game_gives_them() {
        let types = TypeRegistry::new();
        let mut options = NumberOptions::<i32>::default();
        (options.min, options.max) = (Some(-2), Some(2));
        let stays = |value: &i32| stays_as_it_is(&types, value, &options);
        assert!([-2, 0, 2].iter().all(stays));
        assert!(![-3, 3].iter().any(stays));
    }

    #[test]
    fn all_groups_that_are_set_have_a_toggle_and_so_has_the_next_one() {
        let of = |bits: u32| shown_groups(SteeringGroups(bits));
        assert_eq!([of(0), of(0b1), of(1 << 6)], [8; 3]);
        assert_eq!([of(1 << 7), of(1 << 14), of(1 << 15)], [16, 16, 24]);
        assert_eq!([of(1 << 31), of(!1), of(u32::MAX)], [32, 32, 8]);
    }
}
