//! What doc comments say of a number: its unit and its range.
//!
//! Every parameter of this library states both in one form, "How far it looks, m, `> 0`.", and a
//! behavior of yours that does the same is shown the same way.

/// Unit and range of a number, as far as its doc comment tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// `m/s`, `rad` …; empty if it has none.
    pub(crate) unit: &'static str,
    /// Smallest good value. Of an open range the next float that is in it.
    pub(crate) min: Option<f32>,
    /// Largest good value.
    pub(crate) max: Option<f32>,
}

const UNITS: [&str; 12] = [
    "m",
    "m/s",
    "m/s²",
    "N",
    "kg",
    "s",
    "1/s",
    "rad",
    "rad/s",
    "m per √s",
    "rad per √s",
    "ticks",
];

/// Reads the first paragraph of a doc comment.
pub(crate) fn facts(docs: &str) -> Facts {
    let text = first_paragraph(docs);
    let mut pieces = text.split([',', '.', ';']).map(str::trim);
    let unit = pieces.find_map(|piece| UNITS.into_iter().find(|unit| *unit == piece));
    let quoted = text.split('`').skip(1).step_by(2);
    let (min, max) = quoted.filter_map(range).next().unwrap_or_default();
    Facts {
        unit: unit.unwrap_or_default(),
        min,
        max,
    }
}

/// A doc comment as plain text for a hover: no pictures, no links, no emphasis.
pub(crate) fn plain(docs: &str) -> String {
    let mut text = String::new();
    for paragraph in docs.split("\n\n").map(str::trim) {
        if paragraph.is_empty() || paragraph.starts_with(['<', '#', '`', '|']) {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&without_links(&line).replace("**", ""));
    }
    text
}

/// The first paragraph of a doc comment, on one line.
pub(crate) fn first_paragraph(docs: &str) -> String {
    let paragraph = docs.trim_start().split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `[text](target)` and `[text]` become `text`.
fn without_links(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let Some(length) = rest[open..].find(']') else {
            break;
        };
        let inner = &rest[open + 1..open + length];
        let after = &rest[open + length + 1..];
        let target = after.starts_with('(').then(|| after.find(')')).flatten();
        // Ranges like `[0, 1)` are no links.
        if inner.contains(',') {
            text.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
            continue;
        }
        text.push_str(&rest[..open]);
        text.push_str(inner.trim_matches('`'));
        rest = target.map_or(after, |end| &after[end + 1..]);
    }
    text.push_str(rest);
    text.replace('`', "")
}

/// `> 0`, `≥ 1`, `(0, 1]`, `0..=2π`: smallest and largest value.
fn range(text: &str) -> Option<(Option<f32>, Option<f32>)> {
    let text = text.trim();
    if let Some(bound) = text.strip_prefix('>') {
        return Some((Some(number(bound)?.next_up()), None));
    }
    if let Some(bound) = text.strip_prefix('≥') {
        return Some((Some(number(bound)?), None));
    }
    if let Some((low, high)) = text.split_once("..=") {
        return Some((Some(number(low)?), number(high)));
    }
    let open = text.starts_with('(');
    let (low, high) = text.strip_prefix(['(', '['])?.split_once(',')?;
    let shut = high.ends_with(']');
    let (low, high) = (number(low)?, number(high.trim_end_matches([')', ']']))?);
    let low = if open { low.next_up() } else { low };
    let high = if shut { high } else { high.next_down() };
    Some((Some(low), Some(high)))
}

fn number(text: &str) -> Option<f32> {
    let text = text.trim();
    match text.strip_suffix('π') {
        Some("") => Some(std::f32::consts::PI),
        Some(factor) => Some(factor.parse::<f32>().ok()? * std::f32::consts::PI),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{PI, TAU};

    fn told(docs: &str) -> (&'static str, Option<f32>, Option<f32>) {
        let Facts { unit, min, max } = facts(docs);
        (unit, min, max)
    }

    #[test]
    fn unit_and_range_are_read_from_the_sentence() {
        let tiny = Some(0.0_f32.next_up());
        assert_eq!(
            told(" How far it looks, m, `> 0`. Default `2.0`."),
            ("m", tiny, None)
        );
        assert_eq!(
            told("Added to it: the time to face about, s, `≥ 0`."),
            ("s", Some(0.0), None)
        );
        assert_eq!(told("Chance, in `(0, 1]`."), ("", tiny, Some(1.0)));
        assert_eq!(
            told("The whole angle, rad, `0..=2π`."),
            ("rad", Some(0.0), Some(TAU))
        );
        assert_eq!(
            told("The half, rad,\n `0..=π`."),
            ("rad", Some(0.0), Some(PI))
        );
        assert_eq!(
            told("World velocity, m/s. Default zero."),
            ("m/s", None, None)
        );
        assert_eq!(
            told("Largest push, m per √s, `≥ 0`."),
            ("m per √s", Some(0.0), None)
        );
        assert_eq!(told("Whom it sees. Default everybody."), ("", None, None));
        assert_eq!(told(""), ("", None, None));
    }

    #[test]
    fn only_the_first_paragraph_counts() {
        assert_eq!(told("Something.\n\nElse, m, `> 0`."), ("", None, None));
    }

    #[test]
    fn hover_text_is_free_of_markup() {
        let docs =
            "Keeps [`Combine`](crate::Combine)\n in `[0, 1)`.\n\n<svg>…</svg>\n\n See [`X`].";
        assert_eq!(plain(docs), "Keeps Combine in [0, 1).\n\nSee X.");
    }
}
