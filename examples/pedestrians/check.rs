//! A check: what is measured, the source's figures, and the bounds to pass.

use serde::Serialize;

use crate::plot::Plot;

/// How much of a check is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As on the page.
    Full,
    /// A few people for a few seconds, to test that the check works.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests run it"))]
    Quick,
}

impl Effort {
    /// `full`, or the smaller number.
    pub fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }
}

/// A check of one phenomenon.
pub struct Check {
    pub name: &'static str,
    pub title: &'static str,
    /// What is measured, and where the figures come from.
    pub about: &'static str,
    pub run: fn(Effort) -> Outcome,
}

/// What a check measured.
#[derive(Default)]
pub struct Outcome {
    pub rows: Vec<Row>,
    pub plots: Vec<Plot>,
}

/// One measured quantity beside the source's figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub what: String,
    /// The source's figure.
    pub source: String,
    pub measured: f32,
    /// How far the mean of other starts may differ, such as the standard error; `None` if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f32>,
    pub unit: &'static str,
    /// The values that pass; `None` for a figure without a bound.
    pub bound: Option<Bound>,
    /// Whether the figure stands out from chance, so that its bound applies.
    pub measurable: bool,
    /// Why it fails or cannot be measured, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
}

/// The values that pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bound {
    pub least: f32,
    pub most: f32,
}

impl Bound {
    pub const fn between(least: f32, most: f32) -> Self {
        Self { least, most }
    }

    pub const fn exactly(value: f32) -> Self {
        Self::between(value, value)
    }

    pub const fn at_least(least: f32) -> Self {
        Self::between(least, f32::INFINITY)
    }

    pub const fn at_most(most: f32) -> Self {
        Self::between(f32::NEG_INFINITY, most)
    }

    /// Within this share of a figure.
    pub fn within(share: f32, figure: f32) -> Self {
        Self::between((1.0 - share) * figure, (1.0 + share) * figure)
    }

    /// A value that is not a number does not pass.
    pub fn allows(&self, value: f32) -> bool {
        (self.least..=self.most).contains(&value)
    }
}

impl Row {
    pub fn new(what: impl Into<String>, measured: f32, unit: &'static str) -> Self {
        Self {
            what: what.into(),
            source: String::new(),
            measured,
            error: None,
            unit,
            bound: None,
            measurable: true,
            cause: None,
        }
    }

    pub fn source(mut self, figure: impl Into<String>) -> Self {
        self.source = figure.into();
        self
    }

    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self
    }

    /// The standard error of the mean, or half of a stated interval.
    pub fn error(mut self, error: f32) -> Self {
        self.error = Some(error);
        self
    }

    /// Neither passes nor fails: what was measured does not stand out from chance.
    pub fn not_measurable(mut self) -> Self {
        self.measurable = false;
        self
    }

    /// Why it fails, if it does.
    pub fn cause(mut self, cause: &'static str) -> Self {
        self.cause = Some(cause);
        self
    }

    pub fn passes(&self) -> Option<bool> {
        let bound = self.bound.filter(|_| self.measurable);
        bound.map(|bound| bound.allows(self.measured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_passes_within_its_bound_only() {
        let row = |measured| Row::new("flow", measured, "1/s").bound(Bound::between(1.0, 1.5));
        assert_eq!(row(1.0).passes(), Some(true));
        assert_eq!(row(1.6).passes(), Some(false));
        assert_eq!(row(f32::NAN).passes(), Some(false));
        assert_eq!(Row::new("flow", 1.0, "1/s").passes(), None);
        assert_eq!(row(1.6).not_measurable().passes(), None);
    }

    #[test]
    fn a_bound_within_a_share_is_symmetric() {
        let bound = Bound::within(0.2, 1.0);
        assert!(bound.allows(0.81) && bound.allows(1.19) && !bound.allows(1.21));
    }
}
