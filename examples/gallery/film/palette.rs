//! The palette of a film: at most 255 colors.

use std::collections::BTreeMap;

/// A color: red, green, blue.
type Rgb = [u8; 3];

/// The colors of a film, and which of them stands for any other color.
pub struct Palette {
    colors: Vec<Rgb>,
    known: BTreeMap<Rgb, u8>,
}

/// Colors that are chosen because they are frequent; the others, because they are unlike all chosen
/// before, so that a small agent keeps its color.
const FREQUENT: usize = 128;

impl Palette {
    /// The index that no color has.
    pub const TRANSPARENT: u8 = 255;

    /// A palette for these pixels.
    pub fn of<'a>(pixels: impl Iterator<Item = &'a Rgb>) -> Self {
        let mut counts = BTreeMap::<Rgb, u64>::new();
        for pixel in pixels {
            *counts.entry(rounded(*pixel)).or_default() += 1;
        }
        let mut rest: Vec<(Rgb, u64)> = counts.into_iter().collect();
        rest.sort_by_key(|(color, count)| (std::cmp::Reverse(*count), *color));
        let mut colors: Vec<Rgb> = rest.iter().take(FREQUENT).map(|(it, _)| *it).collect();
        let mut rest: Vec<(Rgb, u32)> = rest
            .iter()
            .skip(FREQUENT)
            .map(|(color, _)| (*color, nearest(&colors, *color).1))
            .collect();
        while colors.len() < usize::from(Self::TRANSPARENT) {
            let Some(&(color, _)) = rest.iter().max_by_key(|(_, distance)| *distance) else {
                break;
            };
            colors.push(color);
            for (other, distance) in &mut rest {
                *distance = (*distance).min(difference(*other, color));
            }
        }
        Self {
            colors,
            known: BTreeMap::new(),
        }
    }

    /// The colors as bytes, red, green and blue in turns; one more for the transparent index.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.concat();
        bytes.resize(3 * (usize::from(Self::TRANSPARENT) + 1), 0);
        bytes
    }

    /// The index of the most similar color.
    pub fn index(&mut self, color: Rgb) -> u8 {
        let color = rounded(color);
        let colors = &self.colors;
        let index = self.known.entry(color);
        *index.or_insert_with(|| nearest(colors, color).0)
    }
}

/// A color with six bits for each channel.
fn rounded(color: Rgb) -> Rgb {
    color.map(|channel| channel & !3)
}

/// The most similar color: its index and how unlike it is.
fn nearest(colors: &[Rgb], color: Rgb) -> (u8, u32) {
    let all = (0..).zip(colors).map(|(i, it)| (i, difference(*it, color)));
    all.min_by_key(|(_, distance)| *distance)
        .unwrap_or((0, u32::MAX))
}

fn difference(a: Rgb, b: Rgb) -> u32 {
    let squares = a
        .iter()
        .zip(b)
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2));
    squares.sum()
}
