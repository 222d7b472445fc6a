//! Doc comment parser: units, ranges and hover texts.
//!
//! All parameters of this library document unit and range in the same form, "Perception radius, m,
//! `> 0`." Document your own behaviors in this form to show theirs.

use bevy_steering2d_core::InvalidParameter;

/// Unit and range of a number from its doc comment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// The unit, such as `m/s` or `rad`; empty if none is documented.
    pub(crate) unit: &'static str,
    /// The smallest valid value. For an open range, the next float inside it.
    pub(crate) min: Option<f32>,
    /// The largest valid value. For an open range, the next float inside it.
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

/// Parses the first paragraph of a doc comment.
pub(crate) fn facts(docs: &str) -> Facts {
    let text = first_paragraph(docs);
    let mut pieces = text.split([',', '.', ';', ':']).map(str::trim);
    let unit = pieces.find_map(|piece| UNITS.into_iter().find(|unit| *unit == piece));
    let quoted = text.split('`').skip(1).step_by(2);
    let (min, max) = quoted.filter_map(range).next().unwrap_or_default();
    Facts {
        unit: unit.unwrap_or_default(),
        min,
        max,
    }
}

/// A doc comment as plain hover text, without pictures, code blocks, links and emphasis.
pub(crate) fn plain(docs: &str) -> String {
    let mut text = String::new();
    let outside_code = docs.split("```").step_by(2);
    let paragraphs = outside_code.flat_map(|it| it.split("\n\n"));
    for paragraph in paragraphs.map(str::trim) {
        if paragraph.is_empty() || paragraph.starts_with(['<', '#', '|']) {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&without_links(&unwrapped(paragraph)).replace("**", ""));
    }
    text
}

/// The lines of a paragraph in one, except that each item of a list begins a line.
fn unwrapped(paragraph: &str) -> String {
    let mut text = String::new();
    for line in paragraph.lines().map(str::trim) {
        if !text.is_empty() {
            text.push(if is_item(line) { '\n' } else { ' ' });
        }
        text.push_str(line);
    }
    text
}

/// Whether a line begins an item of a list, as `- ` and `1. ` do.
fn is_item(line: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let number = line.split_once(". ").map(|(number, _)| number);
    line.starts_with("- ") || number.is_some_and(is_number)
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
        // Ranges such as `[0, 1)` are not links.
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

/// Parses a range such as `> 0`, `≥ 1`, `(0, 1]` or `0..=2π` into smallest and largest value.
fn range(text: &str) -> Option<(Option<f32>, Option<f32>)> {
    let text = text.trim();
    if let Some(bound) = text.strip_prefix('>') {
        return Some((Some(above(number(bound)?)), None));
    }
    if let Some(bound) = text.strip_prefix('≥') {
        return Some((Some(number(bound)?), None));
    }
    if let Some((low, high)) = text.split_once("..=") {
        return Some((Some(number(low)?), number(high)));
    }
    let open = text.starts_with('(');
    let (low, high) = text.strip_prefix(['(', '['])?.split_once(',')?;
    let closed = high.ends_with(']');
    let (low, high) = (number(low)?, number(high.trim_end_matches([')', ']']))?);
    let low = if open { above(low) } else { low };
    let high = if closed { high } else { high.next_down() };
    Some((Some(low), Some(high)))
}

/// The smallest valid value above a bound: small positive ones are refused.
fn above(bound: f32) -> f32 {
    if bound == 0.0 {
        InvalidParameter::SMALLEST
    } else {
        bound.next_up()
    }
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

    fn parsed(docs: &str) -> (&'static str, Option<f32>, Option<f32>) {
        let Facts { unit, min, max } = facts(docs);
        (unit, min, max)
    }

    #[test]
    fn unit_and_range_are_parsed_from_the_first_sentence() {
        let tiny = Some(InvalidParameter::SMALLEST);
        assert_eq!(
            parsed(" Perception radius, m, `> 0`. Default `2.0`."),
            ("m", tiny, None)
        );
        assert_eq!(
            parsed("Extra time: the duration of a turn, s, `≥ 0`."),
            ("s", Some(0.0), None)
        );
        assert_eq!(parsed("Probability, in `(0, 1]`."), ("", tiny, Some(1.0)));
        assert_eq!(
            parsed("Field of view, rad, `0..=2π`."),
            ("rad", Some(0.0), Some(TAU))
        );
        assert_eq!(
            parsed("Half angle, rad,\n `0..=π`."),
            ("rad", Some(0.0), Some(PI))
        );
        assert_eq!(
            parsed("World velocity, m/s. Default zero."),
            ("m/s", None, None)
        );
        assert_eq!(
            parsed("Maximum jitter, m per √s, `≥ 0`."),
            ("m per √s", Some(0.0), None)
        );
        assert_eq!(parsed("The slot, m: x ahead."), ("m", None, None));
        assert_eq!(parsed("Groups to consider. Default all."), ("", None, None));
        assert_eq!(parsed(""), ("", None, None));
    }

    #[test]
    fn only_the_first_paragraph_is_parsed() {
        assert_eq!(parsed("Summary.\n\nDetails, m, `> 0`."), ("", None, None));
    }

    #[test]
    fn hover_text_has_no_markup() {
        let docs =
            "Keeps [`Combine`](crate::Combine)\n in `[0, 1)`.\n\n<svg>…</svg>\n\n See [`X`].";
        assert_eq!(plain(docs), "Keeps Combine in [0, 1).\n\nSee X.");
    }

    #[test]
    fn items_of_a_list_begin_lines_of_the_hover_text() {
        let docs = " Two [`Steps`](crate::\n Steps) of\n a tick:\n - sense 2.\n   Then stop;\n - steer.\n\n 1. One.\n 2. Two.";
        let expected = "Two Steps of a tick:\n- sense 2. Then stop;\n- steer.\n\n1. One.\n2. Two.";
        assert_eq!(plain(docs), expected);
    }

    #[test]
    fn hover_text_has_formulas_but_no_code_blocks() {
        let docs =
            "Seeks.\n\n`F = m·a`, in N.\n\n```\nlet a = 1;\n\nlet b = 2;\n```\n\n| a | b |\n\nEnd.";
        assert_eq!(plain(docs), "Seeks.\n\nF = m·a, in N.\n\nEnd.");
    }
}
