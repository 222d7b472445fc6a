//! The error of the case reader.

use std::fmt;
use std::path::PathBuf;

/// Why a case cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The file, if the case was read from one.
    pub file: Option<PathBuf>,
    /// The line, counted from 1, if known.
    pub line: Option<u32>,
    /// Description of the error.
    pub reason: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
        }
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        let gap = if self.file.is_some() || self.line.is_some() {
            " "
        } else {
            ""
        };
        write!(f, "{gap}{}", self.reason)
    }
}

impl std::error::Error for ReadError {}

/// The text of a file for a message, at most `longest` characters of it.
pub(crate) fn excerpt(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.into(),
    }
}
