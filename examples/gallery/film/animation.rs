//! Pictures of a window, and their animation as a GIF.

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use bevy::image::Image;
use bevy::math::Rect;
use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::palette::Palette;

/// A picture, row by row from the top.
pub struct Picture {
    pub size: [u16; 2],
    /// Red, green and blue.
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// A part of an image, scaled to a width.
    pub fn of(image: &Image, part: Rect, width: u32) -> Result<Self, Box<dyn Error>> {
        let whole = image.clone().try_into_dynamic()?;
        let part = part.intersect(Rect::new(
            0.0,
            0.0,
            image.width() as f32,
            image.height() as f32,
        ));
        let (at, size) = (part.min.as_uvec2(), part.size().as_uvec2());
        if size.min_element() == 0 {
            return Err("it shows nothing of the scene".into());
        }
        let height = (width * size.y).div_ceil(size.x).max(1);
        let scaled = whole
            .crop_imm(at.x, at.y, size.x, size.y)
            .thumbnail_exact(width, height)
            .to_rgb8();
        Ok(Self {
            size: [width.try_into()?, height.try_into()?],
            pixels: scaled.pixels().map(|pixel| pixel.0).collect(),
        })
    }
}

/// Writes pictures of equal size as an endless animation; `delay` between them in hundredths of a
/// second.
pub fn write(file: &Path, pictures: &[Picture], delay: u16) -> Result<(), Box<dyn Error>> {
    let Some(Picture {
        size: [width, height],
        ..
    }) = pictures.first()
    else {
        return Ok(());
    };
    let mut palette = Palette::of(pictures.iter().flat_map(|it| &it.pixels));
    let out = BufWriter::new(File::create(file)?);
    let mut gif = Encoder::new(out, *width, *height, &palette.bytes())?;
    gif.set_repeat(Repeat::Infinite)?;
    let mut shown = Vec::new();
    for picture in pictures {
        let next: Vec<u8> = picture.pixels.iter().map(|it| palette.index(*it)).collect();
        gif.write_frame(&Frame {
            delay,
            ..change(&shown, &next, usize::from(*width))
        })?;
        shown = next;
    }
    gif.into_inner()?.flush()?;
    Ok(())
}

/// The frame that turns what is shown into the next picture: the smallest rectangle that holds all
/// changes, transparent where nothing changes.
fn change(shown: &[u8], next: &[u8], width: usize) -> Frame<'static> {
    let changes = |i: &usize| shown.get(*i) != Some(&next[*i]);
    let changed: Vec<usize> = (0..next.len()).filter(changes).collect();
    let columns = || changed.iter().map(|i| i % width);
    let (left, right) = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
    let row = |i: Option<&usize>| i.map_or(0, |i| i / width);
    let (top, bottom) = (row(changed.first()), row(changed.last()));
    let pixels = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * width + x));
    let buffer: Vec<u8> = pixels
        .map(|i| {
            if changes(&i) {
                next[i]
            } else {
                Palette::TRANSPARENT
            }
        })
        .collect();
    // The size of a picture fits into 16 bits.
    let small = |number: usize| number as u16;
    Frame {
        left: small(left),
        top: small(top),
        width: small(right - left + 1),
        height: small(bottom - top + 1),
        transparent: Some(Palette::TRANSPARENT),
        dispose: DisposalMethod::Keep,
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}
