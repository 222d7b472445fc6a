//! Preset errors and their place in the file.

use std::fmt;

use bevy::prelude::*;
use bevy_steering2d_core::InvalidParameter;
use thiserror::Error;

/// A place in the text of a preset, counted as in text editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Place {
    /// The place `offset` bytes into `text`.
    pub(crate) fn in_text(text: &str, offset: usize) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let start_of_line = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[start_of_line..].chars().count(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The longest excerpt of a value in an error, characters.
pub(crate) const VALUE: usize = 40;
/// The longest excerpt of a name in an error, characters.
pub(crate) const NAME: usize = 100;
/// The longest reason of the RON parser in an error, characters.
pub(crate) const REASON: usize = 200;

/// The first line of a file's text for an error, at most `longest` characters of it.
pub(crate) fn excerpt(text: &str, longest: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(longest) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None if line.len() < text.len() => format!("{line} …"),
        None => line.into(),
    }
}

/// Why a preset cannot be read, written or applied.
///
/// Displays as `line 3, column 5: …`.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetError {
    /// The place in the text; `None` if the error is not in the text.
    pub place: Option<Place>,
    /// The reason.
    pub fault: PresetFault,
}

impl PresetError {
    pub(crate) fn at(place: Place, fault: PresetFault) -> Self {
        Self {
            place: Some(place),
            fault,
        }
    }
}

impl From<PresetFault> for PresetError {
    fn from(fault: PresetFault) -> Self {
        Self { place: None, fault }
    }
}

impl fmt::Display for PresetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{place}: ")?;
        }
        self.fault.fmt(f)
    }
}

impl std::error::Error for PresetError {}

/// The reason for a [`PresetError`].
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PresetFault {
    /// The file is empty.
    #[error("the file is empty; a preset is at least {{ }}")]
    Empty,
    /// The file is longer than [`SteeringPreset::MAX_BYTES`](crate::SteeringPreset::MAX_BYTES).
    #[error(
        "the file is longer than {} bytes; that is no preset",
        crate::SteeringPreset::MAX_BYTES
    )]
    TooLarge,
    /// The file has more than [`SteeringPreset::MAX_VALUES`](crate::SteeringPreset::MAX_VALUES)
    /// brackets and commas.
    #[error(
        "the file has more than {} brackets and commas; that is no preset",
        crate::SteeringPreset::MAX_VALUES
    )]
    TooManyValues,
    /// Brackets are nested deeper than [`SteeringPreset::MAX_DEPTH`](crate::SteeringPreset::MAX_DEPTH).
    #[error("brackets are nested deeper than {}", crate::SteeringPreset::MAX_DEPTH)]
    TooDeep,
    /// The file is not UTF-8 text.
    #[error("the file is not UTF-8 text")]
    NotUtf8,
    /// The text is not valid RON, for example because a bracket or a comma is missing.
    #[error("{0}")]
    Syntax(String),
    /// A component does not exist, or is not one that a preset may hold.
    #[error("{name} is no registered behavior{hint}")]
    UnknownComponent {
        /// The name in the text.
        name: String,
        /// Similar names, or how to fix the error.
        hint: String,
    },
    /// Several behaviors have this short name.
    #[error("{name} may be {}; write the full type path in quotes", candidates.join(" or "))]
    AmbiguousComponent {
        /// The name in the text.
        name: String,
        /// The type paths of these behaviors.
        candidates: Vec<&'static str>,
    },
    /// A component or a field appears twice.
    #[error("{0} appears twice")]
    Duplicate(String),
    /// A struct does not have this field.
    #[error("{of} has no field {field}{hint}")]
    UnknownField {
        /// The path of the struct, such as `Component.field`.
        of: String,
        /// The field's name in the text.
        field: String,
        /// Similar field names, or all of them.
        hint: String,
    },
    /// An enum does not have this variant.
    #[error("{field} cannot be {variant}{hint}")]
    UnknownVariant {
        /// The path of the enum, such as `Component.field`.
        field: String,
        /// The variant's name in the text.
        variant: String,
        /// Similar variant names, or all of them.
        hint: String,
    },
    /// A field without default is missing.
    #[error("{of} lacks its {field}")]
    MissingField {
        /// The path of the struct or variant.
        of: String,
        /// The missing field.
        field: String,
    },
    /// A value has the wrong type.
    #[error("{field} must be {expected}, not {found}")]
    WrongType {
        /// The path of the field, such as `Component.field`.
        field: String,
        /// The expected type.
        expected: String,
        /// The value in the text.
        found: String,
    },
    /// A number is NaN.
    #[error("{0} is NaN, but must be a number")]
    NotANumber(String),
    /// A value is out of range.
    #[error(transparent)]
    Invalid(#[from] InvalidParameter),
    /// A target, path or other [situational](crate#what-a-preset-leaves-to-the-game) field.
    #[error("{0} is set by the game, agent by agent, and cannot be in a preset; leave it out")]
    Situational(String),
    /// Reflection cannot read or write this type.
    #[error("{field} cannot be in a text: {reason}")]
    NotReflected {
        /// The path of the field, such as `Component.field`.
        field: String,
        /// What the type lacks.
        reason: String,
    },
    /// The agent does not exist, or exists no longer.
    #[error("there is no entity {0}")]
    NoSuchAgent(Entity),
    /// Reading or writing the file failed.
    #[error("{0}")]
    Io(String),
}
