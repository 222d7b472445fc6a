//! Command-line parsing shared by the examples.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::str::FromStr;

use lexopt::{Arg, Error, Parser, ValueExt};

/// The most threads that a command takes.
pub const MOST_THREADS: usize = 1_024;

/// Why a command does not run.
#[derive(Debug)]
pub enum Stop {
    /// `--help` or `-h` was given.
    Help,
    /// What is wrong, in one line.
    Invalid(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Invalid(error.into())
    }
}

impl Stop {
    /// Prints the help, or why the command line is invalid; returns the exit code, 0 or 2.
    pub fn answer(&self, program: &str, help: &str) -> ExitCode {
        match self {
            Self::Help => {
                // A pipe may be closed.
                let _ = write!(std::io::stdout(), "{help}");
                ExitCode::SUCCESS
            }
            Self::Invalid(error) => {
                eprintln!("{program}: {error}; --help lists the options");
                ExitCode::from(2)
            }
        }
    }
}

/// The arguments after the program's name; each option may be given once.
pub struct Arguments {
    parser: Parser,
    /// The options so far, as typed.
    given: Vec<String>,
}

impl Arguments {
    /// Those of this process.
    pub fn from_env() -> Self {
        Self::new(Parser::from_env())
    }

    pub fn of<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        Self::new(Parser::from_args(arguments))
    }

    fn new(parser: Parser) -> Self {
        Self {
            parser,
            given: Vec::new(),
        }
    }

    /// The next argument. An option that came before is an error, and so is the request for help.
    pub fn next(&mut self) -> Result<Option<Arg<'_>>, Stop> {
        let Some(argument) = self.parser.next()? else {
            return Ok(None);
        };
        if matches!(argument, Arg::Long("help") | Arg::Short('h')) {
            return Err(Stop::Help);
        }
        if !matches!(argument, Arg::Value(_)) {
            let option = typed(&argument);
            if self.given.contains(&option) {
                return Err(format!("{option} is given twice, but only one can count").into());
            }
            self.given.push(option);
        }
        Ok(Some(argument))
    }

    /// The value of the last option: the text after its `=`, or the next argument unless that is an option.
    /// `expected` describes valid values in the error message.
    pub fn value<T: FromStr>(&mut self, expected: &str) -> Result<T, Error> {
        let option = self.last();
        let value = match self.parser.optional_value() {
            Some(attached) => Some(attached),
            None => self
                .parser
                .raw_args()?
                .next_if(|next| !next.as_encoded_bytes().starts_with(b"--")),
        };
        let text = value
            .ok_or_else(|| format!("{option} needs {expected}"))?
            .string()?;
        text.parse()
            .map_err(|_| format!("{option} needs {expected}, not {text:?}").into())
    }

    /// The value of the last option, a whole number in a range.
    pub fn whole<T>(&mut self, range: RangeInclusive<T>) -> Result<T, Error>
    where
        T: FromStr + PartialOrd + Display,
    {
        self.within("a whole number", range)
    }

    /// The value of the last option, a whole number from one on.
    pub fn count(&mut self, most: usize) -> Result<NonZeroUsize, Error> {
        const ONE: NonZeroUsize = NonZeroUsize::MIN;
        self.whole(ONE..=ONE.saturating_add(most - 1))
    }

    /// The value of the last option, a number in a range.
    pub fn number(&mut self, range: RangeInclusive<f32>) -> Result<f32, Error> {
        self.within("a number", range)
    }

    fn within<T>(&mut self, kind: &str, range: RangeInclusive<T>) -> Result<T, Error>
    where
        T: FromStr + PartialOrd + Display,
    {
        let expected = format!("{kind} from {} to {}", range.start(), range.end());
        let number: T = self.value(&expected)?;
        if range.contains(&number) {
            return Ok(number);
        }
        let option = self.last();
        Err(format!("{option} needs {expected}, not {number}").into())
    }

    /// The last option, as typed.
    fn last(&self) -> String {
        self.given.last().cloned().unwrap_or_default()
    }

    /// Whether an option was given.
    pub fn has(&self, option: &str) -> bool {
        self.given.iter().any(|given| given == option)
    }

    /// Refuses an option that has no effect without one of some others.
    pub fn needs(&self, option: &str, others: &[&str]) -> Result<(), Error> {
        if !self.has(option) || others.iter().any(|other| self.has(other)) {
            return Ok(());
        }
        let others = others.join(" or ");
        Err(format!("{option} has no effect without {others}").into())
    }

    /// Refuses options that have no effect beside this one.
    pub fn excludes(&self, option: &str, others: &[&str]) -> Result<(), Error> {
        if !self.has(option) {
            return Ok(());
        }
        match others.iter().find(|other| self.has(other)) {
            Some(other) => Err(format!("{other} has no effect with {option}").into()),
            None => Ok(()),
        }
    }
}

/// An argument as typed: `--seed`, `-h`.
fn typed(argument: &Arg) -> String {
    match argument {
        Arg::Long(name) => format!("--{name}"),
        Arg::Short(letter) => format!("-{letter}"),
        Arg::Value(text) => text.to_string_lossy().into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a command with a switch `--json` and the options `--jobs` and `--share`.
    fn parse(arguments: &[&str]) -> Result<(u32, f32), String> {
        let mut arguments = Arguments::of(arguments);
        let (mut jobs, mut share) = (1, 0.5);
        let mut parsed = || -> Result<(), Stop> {
            while let Some(argument) = arguments.next()? {
                match argument {
                    Arg::Long("json") => {}
                    Arg::Long("jobs") => jobs = arguments.whole(1..=8)?,
                    Arg::Long("share") => share = arguments.number(0.1..=0.9)?,
                    _ => return Err(argument.unexpected().into()),
                }
            }
            arguments.needs("--jobs", &["--json"])?;
            Ok(arguments.excludes("--share", &["--json"])?)
        };
        match parsed() {
            Ok(()) => Ok((jobs, share)),
            Err(Stop::Help) => Err("help".into()),
            Err(Stop::Invalid(error)) => Err(error.to_string()),
        }
    }

    fn refusal(arguments: &[&str]) -> String {
        parse(arguments).expect_err("it is refused")
    }

    #[test]
    fn values_follow_their_option_or_an_equals_sign() {
        assert_eq!(parse(&["--json", "--jobs", "3"]), Ok((3, 0.5)));
        assert_eq!(parse(&["--share=0.9"]), Ok((1, 0.9)));
    }

    #[test]
    fn help_is_found_in_both_spellings() {
        assert_eq!(refusal(&["--json", "--help"]), "help");
        assert_eq!(refusal(&["-h"]), "help");
    }

    #[test]
    fn an_option_given_twice_is_refused() {
        let refused = refusal(&["--jobs", "1", "--json", "--jobs", "2"]);
        assert_eq!(refused, "--jobs is given twice, but only one can count");
    }

    #[test]
    fn a_number_out_of_range_names_the_range() {
        let expected = "--jobs needs a whole number from 1 to 8";
        assert_eq!(refusal(&["--jobs", "9"]), format!("{expected}, not 9"));
        assert_eq!(
            refusal(&["--jobs", "-1"]),
            format!("{expected}, not \"-1\"")
        );
        assert_eq!(refusal(&["--jobs"]), expected);
        assert_eq!(
            refusal(&["--share", "NaN"]),
            "--share needs a number from 0.1 to 0.9, not NaN"
        );
    }

    #[test]
    fn an_option_without_effect_is_refused() {
        assert_eq!(
            refusal(&["--jobs", "2"]),
            "--jobs has no effect without --json"
        );
        assert_eq!(
            refusal(&["--share", "0.2", "--json"]),
            "--json has no effect with --share"
        );
    }
}
