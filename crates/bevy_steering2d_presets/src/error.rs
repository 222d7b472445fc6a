//! What can be wrong with a preset, and where.

use std::fmt;

use bevy::prelude::*;
use bevy_steering2d_core::InvalidParameter;
use thiserror::Error;

/// A place in the text of a preset, as editors count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
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

/// Why a preset cannot be read, written or applied: where (if it is in a text), and what.
///
/// Prints as `line 3, column 5: …`.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetError {
    /// Where in the text; `None` if that is not the point.
    pub place: Option<Place>,
    /// What is wrong.
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

/// What is wrong with a preset.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PresetFault {
    /// Nothing is in it.
    #[error("the file is empty; a preset is at least {{ }}")]
    Empty,
    /// It is longer than [`SteeringPreset::MAX_BYTES`](crate::SteeringPreset::MAX_BYTES).
    #[error(
        "the file is longer than {} bytes; that is no preset",
        crate::SteeringPreset::MAX_BYTES
    )]
    TooLarge,
    /// Brackets are nested deeper than [`SteeringPreset::MAX_DEPTH`](crate::SteeringPreset::MAX_DEPTH).
    #[error("brackets are nested deeper than {}", crate::SteeringPreset::MAX_DEPTH)]
    TooDeep,
    /// It is no text.
    #[error("the file is not UTF-8 text")]
    NotUtf8,
    /// It is no RON: a bracket or a comma is missing, or the like.
    #[error("{0}")]
    Syntax(String),
    /// No such component, or none that a preset may hold.
    #[error("{name} is no registered behavior{hint}")]
    UnknownComponent {
        /// As written.
        name: String,
        /// What it may have been, or what to do.
        hint: String,
    },
    /// Several behaviors have this short name.
    #[error("{name} may be {}; write the whole path in quotes", candidates.join(" or "))]
    AmbiguousComponent {
        /// As written.
        name: String,
        /// Their type paths.
        candidates: Vec<&'static str>,
    },
    /// A component or a field appears twice.
    #[error("{0} appears twice")]
    Duplicate(String),
    /// No such field.
    #[error("{of} has no field {field}{hint}")]
    UnknownField {
        /// Whose.
        of: String,
        /// As written.
        field: String,
        /// What it may have been, or which there are.
        hint: String,
    },
    /// No such variant of an enum.
    #[error("{field} cannot be {variant}{hint}")]
    UnknownVariant {
        /// The field that has the enum, or the component that is one.
        field: String,
        /// As written.
        variant: String,
        /// What it may have been, or which there are.
        hint: String,
    },
    /// A field without default is not there.
    #[error("{of} lacks its {field}")]
    MissingField {
        /// Whose.
        of: String,
        /// Which.
        field: String,
    },
    /// A value is of the wrong kind.
    #[error("{field} must be {expected}, not {found}")]
    WrongType {
        /// `Component.field`.
        field: String,
        /// What it must be.
        expected: String,
        /// What it is, as written.
        found: String,
    },
    /// Not a number, in the literal sense.
    #[error("{0} is NaN, but must be a number")]
    NotANumber(String),
    /// A value is out of range.
    #[error(transparent)]
    Invalid(#[from] InvalidParameter),
    /// A target, path or other field that presets leave to the game.
    #[error("{0} is set by the game, agent by agent, and cannot be in a preset; leave it out")]
    Situational(String),
    /// A type that reflection cannot read or write.
    #[error("{field} cannot be in a text: {reason}")]
    NotReflected {
        /// `Component.field`.
        field: String,
        /// Why.
        reason: String,
    },
    /// The agent does not exist (any more).
    #[error("there is no entity {0}")]
    NoSuchAgent(Entity),
    /// The operating system, or the asset server, refused.
    #[error("{0}")]
    Io(String),
}
