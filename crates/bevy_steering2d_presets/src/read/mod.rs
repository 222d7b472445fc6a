//! Reading presets: each component starts from its default, and the fields that the text names are
//! merged into it.

mod construct;
mod leaf;
mod merge;

use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use bevy_steering2d_core::InvalidParameter;
use ron::error::SpannedError;

use crate::SteeringPreset;
use crate::error::{Place, PresetError, PresetFault, REASON, VALUE, excerpt};
use crate::parts::Parts;
use crate::split;

pub(crate) use merge::is_vector;

/// Reads the components of a preset.
pub(crate) fn read(text: &str, types: &TypeRegistry) -> Result<Vec<Box<dyn Reflect>>, PresetError> {
    if text.len() > SteeringPreset::MAX_BYTES {
        return Err(PresetFault::TooLarge.into());
    }
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(PresetError::at(Place::in_text(text, 0), PresetFault::Empty));
    }
    let mut values = text.match_indices([',', '(', '[', '{']);
    if let Some((offset, _)) = values.nth(SteeringPreset::MAX_VALUES) {
        let place = Place::in_text(text, offset);
        return Err(PresetError::at(place, PresetFault::TooManyValues));
    }
    let parts = Parts::new(types);
    let mut reader = Reader {
        text,
        types,
        places: Vec::new(),
    };
    let mut components: Vec<Box<dyn Reflect>> = Vec::new();
    for (key, source) in split::map(text).map_err(|error| reader.syntax(text, error))? {
        let name = match key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) {
            Some(quoted) => quoted,
            None => key,
        };
        let part = parts
            .named(name, types)
            .map_err(|fault| reader.error(key, fault))?;
        let mut earlier = components.iter().map(|value| (**value).as_any().type_id());
        if earlier.any(|id| id == part.type_id) {
            return Err(reader.error(key, PresetFault::Duplicate(part.name.into())));
        }
        reader.places.clear();
        let value = reader.construct(part.type_id, source, part.name)?;
        let value = value.try_into_reflect().map_err(|_| {
            let reason = "its type cannot be constructed by reflection".into();
            let field = part.name.into();
            reader.error(source, PresetFault::NotReflected { field, reason })
        })?;
        part.check(&*value)
            .map_err(|error| reader.invalid(key, error))?;
        components.push(value);
    }
    Ok(components)
}

struct Reader<'s> {
    text: &'s str,
    types: &'s TypeRegistry,
    /// Path and source of each field read so far, to locate a value that is out of range.
    places: Vec<(String, &'s str)>,
}

impl<'s> Reader<'s> {
    fn error(&self, at: &str, fault: PresetFault) -> PresetError {
        // `at` is a slice of the text.
        let offset = (at.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        PresetError::at(Place::in_text(self.text, offset), fault)
    }

    /// An error of the RON parser, whose place is relative to the start of the piece.
    fn syntax(&self, piece: &str, error: SpannedError) -> PresetError {
        let within = error.span.end;
        let mut place = self.error(piece, PresetFault::Empty).place;
        if let Some(place) = &mut place {
            place.column = within.col
                + if within.line == 1 {
                    place.column - 1
                } else {
                    0
                };
            place.line += within.line - 1;
        }
        let fault = match error.code {
            ron::Error::ExceededRecursionLimit => PresetFault::TooDeep,
            ron::Error::ExpectedMap => {
                PresetFault::Syntax("a preset is put in braces: { … }".into())
            }
            other => PresetFault::Syntax(excerpt(&uncapitalized(&other.to_string()), REASON)),
        };
        PresetError { place, fault }
    }

    fn invalid(&self, component: &str, error: InvalidParameter) -> PresetError {
        let name = error.field.rsplit('.').next().unwrap_or(error.field);
        let same = |(path, _): &&(String, &'s str)| path == error.field;
        let alike = |(path, _): &&(String, &'s str)| path.rsplit('.').next() == Some(name);
        let place = self.places.iter().find(same);
        let place = place.or_else(|| self.places.iter().find(alike));
        let at = place.map_or(component, |&(_, source)| source);
        self.error(at, PresetFault::Invalid(error))
    }

    fn wrong_type(&self, path: &str, expected: impl Into<String>, source: &str) -> PresetError {
        let fault = PresetFault::WrongType {
            field: path.into(),
            expected: expected.into(),
            found: excerpt(source, VALUE),
        };
        self.error(source, fault)
    }

    fn unreflected(&self, path: &str, reason: impl ToString, source: &str) -> PresetError {
        let fault = PresetFault::NotReflected {
            field: path.into(),
            reason: reason.to_string(),
        };
        self.error(source, fault)
    }
}

fn join(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}

fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
