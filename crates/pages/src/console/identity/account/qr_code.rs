//! QR codes as SVG, which pages contain: no image is loaded, and the content does not leave the page.

use qrcode::{Color, QrCode};
use steward_domain::kernel::error::Error;

/// Width of the empty border, in modules (ISO/IEC 18004).
const BORDER: usize = 4;

/// A QR code as a path of SVG.
pub(super) struct QrPath {
    /// Width and height of the drawing, in modules.
    pub(super) size: usize,
    /// The dark modules: a line for each row of adjacent ones.
    pub(super) path: String,
}

impl QrPath {
    /// Draws a text.
    pub(super) fn of(text: &str) -> Result<Self, Error> {
        let code = QrCode::new(text).map_err(|error| Error::Internal(error.into()))?;
        let (width, colors) = (code.width(), code.to_colors());
        let mut path = String::new();
        for (row, modules) in colors.chunks(width).enumerate() {
            let mut column = 0;
            for run in modules.chunk_by(|one, other| one == other) {
                if run.first() == Some(&Color::Dark) {
                    path.push_str(&format!("M{} {}h{}v1h-{}z", column + BORDER, row + BORDER, run.len(), run.len()));
                }
                column += run.len();
            }
        }
        Ok(Self { size: width + 2 * BORDER, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finder_pattern_is_in_the_corner_within_the_border() {
        let code = QrPath::of("otpauth://totp/x").unwrap();
        assert!(code.path.starts_with("M4 4h7v1h-7z"), "{}", code.path);
        assert!(code.path.contains("M4 5h1v1h-1z") && code.size >= 21 + 8, "{}", code.path);
    }
}
