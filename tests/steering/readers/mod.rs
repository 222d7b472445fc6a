//! Readers of files: presets and SteerBench cases. Hostile files take bounded time and give one short
//! error. Random mutations of valid files never cause a panic.
//!
//! A failed round prints its seed. `FUZZ_SEED=… FUZZ_ROUNDS=1` repeats it; more `FUZZ_ROUNDS` search
//! longer.

mod case_fuzz;
mod cases;
mod preset_fuzz;
mod presets;
#[cfg(unix)]
mod saving;

use std::ops::Range;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// The longest error message, characters. Some list all fields of a component.
const LONGEST_MESSAGE: usize = 1_000;

/// Asserts that an error is short, also for a file of a mebibyte.
#[track_caller]
fn assert_short(error: &impl ToString) -> String {
    let message = error.to_string();
    let length = message.chars().count();
    let start: String = message.chars().take(LONGEST_MESSAGE).collect();
    assert!(length <= LONGEST_MESSAGE, "{length} characters: {start}");
    message
}

/// Runs `round` with a different random stream each time.
fn fuzz(rounds: u64, mut round: impl FnMut(&mut Dice)) {
    let from_environment = |name: &str| {
        let value = std::env::var(name).ok()?;
        Some(value.parse().unwrap_or_else(|_| panic!("{name}={value}")))
    };
    let first = from_environment("FUZZ_SEED").unwrap_or(1);
    let rounds = from_environment("FUZZ_ROUNDS").unwrap_or(rounds);
    for seed in first..first + rounds {
        let _failing = Failing(seed);
        round(&mut Dice(Xoshiro256PlusPlus::seed_from_u64(seed)));
    }
}

/// Prints the seed if the round panics.
struct Failing(u64);

impl Drop for Failing {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat with FUZZ_SEED={} FUZZ_ROUNDS=1", self.0);
        }
    }
}

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end.max(1))
    }

    fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        from.choose(&mut self.0).unwrap()
    }

    /// One of the files with one to four mutations.
    fn mutated(&mut self, files: &[String]) -> Vec<u8> {
        let mut text = self.choose(files).clone().into_bytes();
        for _ in 0..1 + self.below(4) {
            self.mutate(&mut text, files);
        }
        text
    }

    fn mutate(&mut self, text: &mut Vec<u8>, files: &[String]) {
        if text.is_empty() {
            return;
        }
        let token = self.token(text);
        let bytes = text[token.clone()].to_vec();
        match self.below(12) {
            0 => text[token.start] ^= 1 << self.below(8),
            1 => text.truncate(token.start),
            2 => drop(text.drain(token)),
            3 => drop(text.splice(token, [bytes.clone(), b" ".to_vec(), bytes].concat())),
            4 => {
                let (open, close) = *self.choose(BRACKETS);
                let depth = 1 << self.below(9);
                let nested = [open.repeat(depth).into(), bytes, close.repeat(depth).into()];
                text.splice(token, nested.concat());
            }
            5 => {
                let most = MOST_BYTES / bytes.len().max(1);
                let most = most.min(1 << self.below(16));
                let times = self.below(most) + 1;
                text.splice(token, bytes.repeat(times));
            }
            6..9 => {
                let numbers = tokens(text)
                    .into_iter()
                    .filter(|it| is_number(&text[it.clone()]));
                let numbers: Vec<_> = numbers.collect();
                if !numbers.is_empty() {
                    let number = self.choose(&numbers).clone();
                    text.splice(number, self.choose(NUMBERS).bytes());
                }
            }
            9 => {
                let other = self.choose(files).clone().into_bytes();
                let (from, to) = (self.token(&other).start, self.token(&other).start);
                text.splice(token, other[from.min(to)..from.max(to)].to_vec());
            }
            10 => {
                let other = self.token(text);
                let other = text[other].to_vec();
                text.splice(token, other);
            }
            _ => {
                let noise: Vec<u8> = (0..self.below(8)).map(|_| self.below(256) as u8).collect();
                text.splice(token.start..token.start, noise);
            }
        }
        text.truncate(MOST_BYTES);
    }

    fn token(&mut self, text: &[u8]) -> Range<usize> {
        self.choose(&tokens(text)).clone()
    }
}

/// Mutations keep files below this size.
const MOST_BYTES: usize = 1 << 16;

const BRACKETS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("Some(", ")"),
    ("A(a:", ")"),
    ("\"", "\""),
    ("/*", "*/"),
    ("<a>", "</a>"),
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
];

const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "-1",
    "0.001",
    "1e-45",
    "1000",
    "10000",
    "100000",
    "-100000",
    "1e9",
    "3e38",
    "-3e38",
    "1e39",
    "4e9",
    "4294967296",
    "99999999999999999999999999",
    "NaN",
    "inf",
    "-inf",
    "1_000",
    "0x10",
    "1.",
    "",
];

fn is_number(token: &[u8]) -> bool {
    token
        .first()
        .is_some_and(|it| it.is_ascii_digit() || *it == b'-')
}

/// Words and numbers as a whole, all other bytes one by one.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let mut tokens: Vec<Range<usize>> = Vec::new();
    for (index, byte) in text.iter().enumerate() {
        match tokens.last_mut() {
            Some(last) if is_word(byte) && is_word(&text[index - 1]) => last.end = index + 1,
            _ => tokens.push(index..index + 1),
        }
    }
    tokens
}
