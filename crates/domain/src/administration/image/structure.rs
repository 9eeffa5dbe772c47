//! Checks that a file is one image from its first byte to its last. The sections of the file are traversed by their
//! declared lengths, which detects truncated files and data after the image.

use super::error::ImageError;
use super::format::ImageFormat;

/// Checks a file that starts like an image of this format.
pub(super) fn check(format: ImageFormat, bytes: &[u8]) -> Result<(), ImageError> {
    let mut reader = Reader(bytes);
    let result = match format {
        ImageFormat::Png => png(&mut reader),
        ImageFormat::Jpeg => jpeg(&mut reader),
        ImageFormat::WebP => webp(&mut reader),
        ImageFormat::Gif => gif(&mut reader),
    };
    match result {
        None => Err(ImageError::Malformed(format)),
        Some(()) if !reader.0.is_empty() => Err(ImageError::TrailingData(format)),
        Some(()) => Ok(()),
    }
}

/// Reads a file from start to end. Contains the remaining bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
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

    fn literal<const N: usize>(&mut self, bytes: &[u8; N]) -> Option<()> {
        (self.array()? == *bytes).then_some(())
    }
}

/// PNG (third edition) §5: a signature and chunks, from IHDR over IDAT to IEND.
fn png(reader: &mut Reader<'_>) -> Option<()> {
    const CHECKSUM: usize = 4;
    reader.literal(b"\x89PNG\r\n\x1a\n")?;
    let (mut first, mut has_pixels) = (true, false);
    loop {
        let length = usize::try_from(u32::from_be_bytes(reader.array()?)).ok()?;
        let kind: [u8; 4] = reader.array()?;
        if first != (kind == *b"IHDR") {
            return None;
        }
        first = false;
        reader.take(length)?;
        reader.take(CHECKSUM)?;
        match &kind {
            b"IDAT" => has_pixels = true,
            b"IEND" => return has_pixels.then_some(()),
            _ => {}
        }
    }
}

/// JPEG (ITU T.81 §B): segments introduced by markers. Each scan is followed by coded data, which contains no markers
/// except restart markers.
fn jpeg(reader: &mut Reader<'_>) -> Option<()> {
    reader.literal(&[0xFF, 0xD8])?;
    let mut has_pixels = false;
    loop {
        let kind = jpeg_marker(reader)?;
        match kind {
            0xD9 => return has_pixels.then_some(()),
            0x01 | 0xD0..=0xD7 => continue,
            0x00 | 0xD8 => return None,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes(reader.array()?));
        reader.take(length.checked_sub(2)?)?;
        if kind == 0xDA {
            let coded = reader.0.windows(2).position(|pair| matches!(pair, [0xFF, 0x01..=0xCF | 0xD8..=0xFE]));
            reader.take(coded?)?;
            has_pixels = true;
        }
    }
}

/// A marker may be preceded by `FF` fill bytes.
fn jpeg_marker(reader: &mut Reader<'_>) -> Option<u8> {
    reader.literal(&[0xFF])?;
    reader.take(reader.0.iter().take_while(|byte| **byte == 0xFF).count())?;
    reader.byte()
}

/// WebP (RFC 9649 §2): chunks in a RIFF container with a declared length.
fn webp(reader: &mut Reader<'_>) -> Option<()> {
    reader.literal(b"RIFF")?;
    let length = usize::try_from(u32::from_le_bytes(reader.array()?)).ok()?;
    let mut inside = Reader(reader.take(length)?);
    inside.literal(b"WEBP")?;
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

/// GIF89a: blocks up to the trailer. A frame that exceeds the logical screen would make the image larger than its
/// header declares.
fn gif(reader: &mut Reader<'_>) -> Option<()> {
    if !matches!(&reader.array()?, b"GIF87a" | b"GIF89a") {
        return None;
    }
    let [w0, w1, h0, h1, packed, _, _] = reader.array()?;
    let (width, height) = (gif_number(w0, w1), gif_number(h0, h1));
    gif_colours(reader, packed)?;
    let mut has_pixels = false;
    loop {
        match reader.byte()? {
            0x21 => {
                reader.byte()?;
            }
            0x2C => {
                let [x0, x1, y0, y1, w0, w1, h0, h1, packed] = reader.array()?;
                let right = gif_number(x0, x1).saturating_add(gif_number(w0, w1));
                let bottom = gif_number(y0, y1).saturating_add(gif_number(h0, h1));
                if right > width || bottom > height {
                    return None;
                }
                gif_colours(reader, packed)?;
                reader.byte()?;
                has_pixels = true;
            }
            0x3B => return has_pixels.then_some(()),
            _ => return None,
        }
        while let length @ 1.. = reader.byte()? {
            reader.take(usize::from(length))?;
        }
    }
}

fn gif_number(low: u8, high: u8) -> u32 {
    u32::from(u16::from_le_bytes([low, high]))
}

/// Skips the colour table, if there is one.
fn gif_colours(reader: &mut Reader<'_>, packed: u8) -> Option<()> {
    if packed & 0x80 != 0 {
        reader.take(3 << (usize::from(packed & 0x07) + 1))?;
    }
    Some(())
}
