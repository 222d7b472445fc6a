//! Reports of scene runs: labeled values as short, stable text.

use std::borrow::Cow;
use std::fmt;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Name of the scene.
    pub scene: &'static str,
    /// Seed of the run.
    pub seed: u64,
    /// Length of the run, ticks.
    pub ticks: u32,
    /// Measurements.
    pub lines: Vec<Line>,
}

impl Report {
    /// The value with this label.
    pub fn get(&self, label: &str) -> Option<&Value> {
        let line = self.lines.iter().find(|line| line.label == label)?;
        Some(&line.value)
    }
}

/// One line of a report: label, value, unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name of the measurement.
    pub label: String,
    /// Measured value.
    pub value: Value,
    /// Unit or remark; may be empty.
    pub unit: Cow<'static, str>,
}

impl Line {
    /// A line with a label, a value and a unit.
    pub fn new(
        label: impl Into<String>,
        value: impl Into<Value>,
        unit: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            unit: unit.into(),
        }
    }

    /// The same line with the name of a run before its label.
    pub(crate) fn of(self, run: &str) -> Self {
        Self {
            label: format!("{run}: {}", self.label),
            ..self
        }
    }
}

/// The value of a [`Line`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count.
    Count(u32),
    /// A measurement, printed with two decimals.
    Number(f32),
    /// A word.
    Word(String),
    /// No value yet.
    None,
}

impl Value {
    /// The count or measurement as a number.
    pub fn number(&self) -> Option<f32> {
        match *self {
            Self::Count(count) => Some(count as f32),
            Self::Number(number) => Some(number),
            Self::Word(_) | Self::None => None,
        }
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count)
    }
}

impl From<f32> for Value {
    fn from(number: f32) -> Self {
        Self::Number(number)
    }
}

impl From<String> for Value {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

impl From<&str> for Value {
    fn from(word: &str) -> Self {
        Self::Word(word.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Count(count) => count.to_string(),
            Self::Number(number) => format!("{number:.2}"),
            Self::Word(word) => word.clone(),
            Self::None => "none".into(),
        };
        f.pad(&text)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.lines.iter().map(|line| line.label.chars().count());
        let width = labels.max().unwrap_or(0).max("scene".len());
        let head = [
            ("scene", self.scene.to_string()),
            ("seed", self.seed.to_string()),
            ("ticks", self.ticks.to_string()),
        ];
        for (label, value) in head {
            writeln!(f, "{label:width$}  {value}")?;
        }
        for Line { label, value, unit } in &self.lines {
            let unit = if *value == Value::None { "" } else { &**unit };
            let line = format!("{label:width$}  {value} {unit}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A running mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    pub(crate) fn add(&mut self, value: f32) {
        self.sum += f64::from(value);
        self.count += 1;
    }

    /// Adds a yes or no, for its [share](Self::percent).
    pub(crate) fn note(&mut self, holds: bool) {
        self.add(if holds { 1.0 } else { 0.0 });
    }

    /// The share of yes, %; `None` without values.
    pub(crate) fn percent(self) -> Option<f32> {
        self.get().map(|share| 100.0 * share)
    }

    /// The mean of the values of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            sum: self.sum + other.sum,
            count: self.count + other.count,
        }
    }

    /// The mean; `None` without values.
    pub(crate) fn get(self) -> Option<f32> {
        (self.count > 0).then(|| (self.sum / f64::from(self.count)) as f32)
    }
}

/// The mean and the maximum of values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    mean: Mean,
    largest: f32,
}

impl Extent {
    /// Adds a value, `≥ 0`.
    pub(crate) fn add(&mut self, value: f32) {
        self.mean.add(value);
        self.largest = self.largest.max(value);
    }

    /// Mean and maximum of the values of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            mean: self.mean.plus(other.mean),
            largest: self.largest.max(other.largest),
        }
    }

    /// The mean; `None` without values.
    pub(crate) fn mean(self) -> Option<f32> {
        self.mean.get()
    }

    /// The maximum; `None` without values.
    pub(crate) fn largest(self) -> Option<f32> {
        self.mean.get().map(|_| self.largest)
    }
}

/// The number with this label.
#[cfg(test)]
pub(crate) fn number(report: &Report, label: &str) -> f32 {
    let value = report.get(label).and_then(Value::number);
    value.unwrap_or_else(|| panic!("no number \"{label}\" in\n{report}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_aligned_text() {
        let report = Report {
            scene: "meadow",
            seed: 7,
            ticks: 600,
            lines: vec![
                Line::new("catches", 3_u32, ""),
                Line::new("time to catch", Some(1.234), "s"),
                Line::new("naps", None::<f32>, "s"),
            ],
        };
        let expected = "\
scene          meadow
seed           7
ticks          600
catches        3
time to catch  1.23 s
naps           none
";
        assert_eq!(report.to_string(), expected);
        let time = report.get("time to catch").and_then(Value::number);
        assert_eq!(time, Some(1.234));
    }
}
