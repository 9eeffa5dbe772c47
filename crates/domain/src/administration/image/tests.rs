//! Tests of image validation.

use super::*;

const PNG: &[u8] = include_bytes!("../../../../../tests/images/small.png");
const JPEG: &[u8] = include_bytes!("../../../../../tests/images/small.jpg");
const WEBP: &[u8] = include_bytes!("../../../../../tests/images/small.webp");
const GIF: &[u8] = include_bytes!("../../../../../tests/images/small.gif");

/// Complete images written by common programs, with their formats.
const COMPLETE: [(&[u8], ImageFormat); 8] = [
    (PNG, ImageFormat::Png),
    (JPEG, ImageFormat::Jpeg),
    (include_bytes!("../../../../../tests/images/progressive.jpg"), ImageFormat::Jpeg),
    (WEBP, ImageFormat::WebP),
    (include_bytes!("../../../../../tests/images/lossless.webp"), ImageFormat::WebP),
    (include_bytes!("../../../../../tests/images/animated.webp"), ImageFormat::WebP),
    (GIF, ImageFormat::Gif),
    (include_bytes!("../../../../../tests/images/animated.gif"), ImageFormat::Gif),
];

fn parse(bytes: &[u8]) -> Result<ImageFormat, ImageError> {
    ImageFile::parse(ImageUse::Icon, bytes.to_vec()).map(|file| file.format())
}

/// Returns the image with `bytes` written at `position`.
fn altered(image: &[u8], position: usize, bytes: &[u8]) -> Vec<u8> {
    let mut altered = image.to_vec();
    altered[position..position + bytes.len()].copy_from_slice(bytes);
    altered
}

#[test]
fn the_format_is_detected_from_the_content() {
    for (bytes, format) in COMPLETE {
        assert_eq!(parse(bytes), Ok(format));
    }
}

#[test]
fn a_truncated_image_is_rejected() {
    for (bytes, _) in COMPLETE {
        for length in 0..bytes.len() {
            assert!(parse(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn data_after_the_image_is_rejected() {
    for (bytes, format) in COMPLETE {
        for trailing in [&b"<script>alert(1)</script>"[..], b"PK\x03\x04", b"\0"] {
            assert_eq!(parse(&[bytes, trailing].concat()), Err(ImageError::TrailingData(format)));
        }
    }
}

#[test]
fn other_formats_are_rejected_whatever_they_contain() {
    let page = [b"<html><body>", PNG].concat();
    let hidden = [b"%PDF-1.7\n", GIF].concat();
    let bitmap = [b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0".as_slice(), &[0; 44]].concat();
    let others: [&[u8]; 7] = [
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        &page,
        &hidden,
        &bitmap,
        b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0",
        b"x",
    ];
    for bytes in others {
        assert_eq!(parse(bytes), Err(ImageError::UnsupportedFormat), "{bytes:?}");
    }
    assert_eq!(parse(b""), Err(ImageError::Empty));
}

#[test]
fn a_script_disguised_as_an_image_is_rejected() {
    for (script, format) in [
        (&b"GIF89a/*\0\0\0\0\0*/=1;alert(document.domain)//;"[..], ImageFormat::Gif),
        (b"\x89PNG=1;alert(document.domain)", ImageFormat::Png),
        (b"\xFF\xD8\xFF\xE0/*alert(document.domain)*/\xFF\xD9", ImageFormat::Jpeg),
        (b"RIFF=1;aWEBPVP8 ;alert(document.domain)//", ImageFormat::WebP),
    ] {
        assert_eq!(parse(script), Err(ImageError::Malformed(format)));
    }
}

#[test]
fn the_dimensions_of_an_image_are_limited() {
    let sized = |width: u32, height: u32| {
        let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
        altered(PNG, 16, &sides)
    };
    let of = |used_as, width, height| ImageFile::parse(used_as, sized(width, height)).is_ok();
    for (width, height) in [(16, 16), (4096, 4096), (16, 4096)] {
        assert!(of(ImageUse::Icon, width, height) && of(ImageUse::Background, width, height), "{width} x {height}");
    }
    for (width, height) in [(15, 16), (16, 15), (0, 0), (8193, 16), (16, 8193), (u32::MAX, u32::MAX)] {
        assert!(!of(ImageUse::Icon, width, height) && !of(ImageUse::Background, width, height), "{width} x {height}");
    }
    assert!(!of(ImageUse::Icon, 8192, 16) && of(ImageUse::Background, 8192, 16));
}

#[test]
fn a_frame_larger_than_its_image_is_rejected() {
    let position = GIF.iter().position(|byte| *byte == 0x2C).unwrap();
    let frame = altered(GIF, position + 5, &u16::MAX.to_le_bytes());
    assert_eq!(parse(&frame), Err(ImageError::Malformed(ImageFormat::Gif)));
}

#[test]
fn an_image_without_pixels_is_rejected() {
    let head = &PNG[..33];
    let end = &PNG[PNG.len() - 12..];
    assert_eq!(parse(&[head, end].concat()), Err(ImageError::Malformed(ImageFormat::Png)));
    assert_eq!(parse(b"\xFF\xD8\xFF\xFE\0\x08comment\xFF\xD9"), Err(ImageError::Malformed(ImageFormat::Jpeg)));
    assert_eq!(parse(b"RIFF\x04\0\0\0WEBP"), Err(ImageError::Malformed(ImageFormat::WebP)));
    assert_eq!(parse(b"GIF89a\x10\0\x10\0\0\0\0;"), Err(ImageError::Malformed(ImageFormat::Gif)));
}

#[test]
fn an_icon_has_a_lower_size_limit_than_a_background() {
    let large = vec![0; 3 * 1024 * 1024];
    let violation = ImageFile::parse(ImageUse::Icon, large.clone()).unwrap_err();
    assert_eq!(violation.to_string(), "The icon can be at most 2 MiB. Send a smaller file.");
    assert_eq!(ImageFile::parse(ImageUse::Background, large), Err(ImageError::UnsupportedFormat));
}

#[test]
fn a_blob_key_is_a_plain_file_name() {
    let id = ImageId::parse("01940000-0000-7000-8000-00000000abcd").unwrap();
    let image = Image { id, format: ImageFormat::Jpeg, size: 1, uploaded_at: Time::default() };
    assert_eq!(image.key().as_str(), "01940000-0000-7000-8000-00000000abcd.jpg");
}
