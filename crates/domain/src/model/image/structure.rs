//! Whether a file is one image from its first byte to its last. The parts of the file are walked through by the lengths
//! they tell, so a file that was cut off, or in which something else follows the image, is found out.

use super::{ImageError, ImageFormat};

/// Checks a file that begins as an image of this format.
pub(super) fn check(format: ImageFormat, bytes: &[u8]) -> Result<(), ImageError> {
    let mut rest = Rest(bytes);
    let whole = match format {
        ImageFormat::Png => png(&mut rest),
        ImageFormat::Jpeg => jpeg(&mut rest),
        ImageFormat::WebP => webp(&mut rest),
        ImageFormat::Gif => gif(&mut rest),
    };
    match whole {
        None => Err(ImageError::Broken(format)),
        Some(()) if !rest.0.is_empty() => Err(ImageError::Followed(format)),
        Some(()) => Ok(()),
    }
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk()?;
        self.0 = tail;
        Some(*head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn these<const N: usize>(&mut self, bytes: &[u8; N]) -> Option<()> {
        (self.array()? == *bytes).then_some(())
    }
}

/// PNG (third edition) §5: a signature and chunks, from IHDR over IDAT to IEND.
fn png(rest: &mut Rest<'_>) -> Option<()> {
    const CHECKSUM: usize = 4;
    rest.these(b"\x89PNG\r\n\x1a\n")?;
    let (mut first, mut has_pixels) = (true, false);
    loop {
        let length = usize::try_from(u32::from_be_bytes(rest.array()?)).ok()?;
        let kind: [u8; 4] = rest.array()?;
        if first != (kind == *b"IHDR") {
            return None;
        }
        first = false;
        rest.take(length)?;
        rest.take(CHECKSUM)?;
        match &kind {
            b"IDAT" => has_pixels = true,
            b"IEND" => return has_pixels.then_some(()),
            _ => {}
        }
    }
}

/// JPEG (ITU T.81 §B): segments behind markers, each scan followed by coded data in which `FF` is never a marker, unless it
/// is one of a restart.
fn jpeg(rest: &mut Rest<'_>) -> Option<()> {
    rest.these(&[0xFF, 0xD8])?;
    let mut has_pixels = false;
    loop {
        let kind = jpeg_marker(rest)?;
        match kind {
            0xD9 => return has_pixels.then_some(()),
            0x01 | 0xD0..=0xD7 => continue,
            0x00 | 0xD8 => return None,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes(rest.array()?));
        rest.take(length.checked_sub(2)?)?;
        if kind == 0xDA {
            let coded = rest.0.windows(2).position(|pair| match pair {
                [0xFF, next] => !matches!(next, 0x00 | 0xD0..=0xD7 | 0xFF),
                _ => false,
            });
            rest.take(coded?)?;
            has_pixels = true;
        }
    }
}

/// A marker may be filled up with more `FF` before it.
fn jpeg_marker(rest: &mut Rest<'_>) -> Option<u8> {
    rest.these(&[0xFF])?;
    loop {
        match rest.byte()? {
            0xFF => {}
            kind => return Some(kind),
        }
    }
}

/// WebP (RFC 9649 §2): chunks in a RIFF container, which says how long it is.
fn webp(rest: &mut Rest<'_>) -> Option<()> {
    rest.these(b"RIFF")?;
    let length = usize::try_from(u32::from_le_bytes(rest.array()?)).ok()?;
    let mut inside = Rest(rest.take(length)?);
    inside.these(b"WEBP")?;
    let (mut first, mut has_pixels) = (true, false);
    while !inside.0.is_empty() {
        let kind: [u8; 4] = inside.array()?;
        let length = usize::try_from(u32::from_le_bytes(inside.array()?)).ok()?;
        inside.take(length)?;
        inside.take(length % 2)?;
        if first && !matches!(&kind, b"VP8 " | b"VP8L" | b"VP8X") {
            return None;
        }
        first = false;
        has_pixels |= matches!(&kind, b"VP8 " | b"VP8L" | b"ANMF");
    }
    has_pixels.then_some(())
}

/// GIF89a: blocks up to the trailer. A frame beyond the screen would make it larger than its head says.
fn gif(rest: &mut Rest<'_>) -> Option<()> {
    if !matches!(&rest.array()?, b"GIF87a" | b"GIF89a") {
        return None;
    }
    let [w0, w1, h0, h1, packed, _, _] = rest.array()?;
    let (width, height) = (gif_number(w0, w1), gif_number(h0, h1));
    gif_colours(rest, packed)?;
    let mut has_pixels = false;
    loop {
        match rest.byte()? {
            0x21 => {
                rest.byte()?;
            }
            0x2C => {
                let [x0, x1, y0, y1, w0, w1, h0, h1, packed] = rest.array()?;
                let right = gif_number(x0, x1).saturating_add(gif_number(w0, w1));
                let bottom = gif_number(y0, y1).saturating_add(gif_number(h0, h1));
                if right > width || bottom > height {
                    return None;
                }
                gif_colours(rest, packed)?;
                rest.byte()?;
                has_pixels = true;
            }
            0x3B => return has_pixels.then_some(()),
            _ => return None,
        }
        loop {
            match rest.byte()? {
                0 => break,
                length => rest.take(usize::from(length))?,
            };
        }
    }
}

fn gif_number(low: u8, high: u8) -> u32 {
    u32::from(u16::from_le_bytes([low, high]))
}

/// Passes a colour table, if there is one.
fn gif_colours(rest: &mut Rest<'_>, packed: u8) -> Option<()> {
    if packed & 0x80 != 0 {
        rest.take(3 << (usize::from(packed & 0x07) + 1))?;
    }
    Some(())
}
