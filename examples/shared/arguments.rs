//! Command-line parsing shared by the examples.

use std::process::ExitCode;
use std::str::FromStr;

use lexopt::{Arg, Error, Parser, ValueExt};

/// An argument as typed: `--seed`, `-h`.
pub fn typed(argument: &Arg) -> String {
    match argument {
        Arg::Long(name) => format!("--{name}"),
        Arg::Short(letter) => format!("-{letter}"),
        Arg::Value(text) => text.to_string_lossy().into_owned(),
    }
}

/// The value of `option`: the text after its `=`, or the next argument unless that is an option.
/// `expected` describes valid values in the error message.
pub fn value<T: FromStr>(parser: &mut Parser, option: &str, expected: &str) -> Result<T, Error> {
    let value = match parser.optional_value() {
        Some(attached) => Some(attached),
        None => parser
            .raw_args()?
            .next_if(|next| !next.as_encoded_bytes().starts_with(b"--")),
    };
    let text = value
        .ok_or_else(|| format!("{option} needs {expected}"))?
        .string()?;
    text.parse()
        .map_err(|_| format!("{option} needs {expected}, not {text:?}").into())
}

/// Prints why the command line is invalid, and the usage; returns exit code 2.
pub fn refuse(program: &str, error: &Error, usage: &str) -> ExitCode {
    eprintln!("{program}: {error}\n\n{}", usage.trim_end());
    ExitCode::from(2)
}
