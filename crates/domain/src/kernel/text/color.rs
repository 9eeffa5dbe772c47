//! Colors of a project, and the colors of text that are readable with them (WCAG 2.2 §1.4.3).

use std::fmt;

use crate::kernel::InvalidValue;

/// The contrast that text needs.
const READABLE: f64 = 4.5;
/// The steps in which a color is mixed with another one until it is readable, in percent.
const STEP: u8 = 4;

/// An opaque color of the sRGB color space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color([u8; 3]);

impl Color {
    /// Black.
    pub const BLACK: Self = Self([0; 3]);
    /// White.
    pub const WHITE: Self = Self([u8::MAX; 3]);

    /// Returns the color with these shares of red, green and blue.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Parses a color in the format `#rrggbb`.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue("must be a color in the format `#rrggbb`, such as `#17614f`");
        let digits = text.trim().strip_prefix('#').filter(|digits| digits.len() == 6).ok_or(ERROR)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex).ok_or(ERROR)?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self([red, green, blue]))
    }

    /// Returns the contrast with another color, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Returns black or white: the color of text on this background. Its contrast is at least 4.5 with any color.
    pub fn text(self) -> Self {
        if self.contrast(Self::WHITE) >= self.contrast(Self::BLACK) { Self::WHITE } else { Self::BLACK }
    }

    /// Returns the color mixed with a share of another one, in percent.
    #[must_use]
    pub fn mixed(self, other: Self, percent: u8) -> Self {
        let share = u16::from(percent.min(100));
        let mut mixed = self.0;
        for (own, other) in mixed.iter_mut().zip(other.0) {
            let sum = u16::from(*own) * (100 - share) + u16::from(other) * share;
            *own = u8::try_from(sum / 100).unwrap_or(u8::MAX);
        }
        Self(mixed)
    }

    /// Returns the color without a share of the gray in it, in percent: a pale color becomes a dark one of the same hue.
    #[must_use]
    pub fn without_gray(self, percent: u8) -> Self {
        let gray = u16::from(self.0.into_iter().min().unwrap_or_default());
        let removed = u8::try_from(gray * u16::from(percent.min(100)) / 100).unwrap_or(u8::MAX);
        Self(self.0.map(|share| share.saturating_sub(removed)))
    }

    /// Returns the color, mixed with as little of another one as makes text of this color readable on the backgrounds.
    #[must_use]
    pub fn readable_on(self, backgrounds: &[Self], other: Self) -> Self {
        self.with_contrast(READABLE, backgrounds, other)
    }

    /// Returns the color, mixed with as little of another one as gives it a contrast with other colors.
    #[must_use]
    pub fn with_contrast(self, contrast: f64, others: &[Self], other: Self) -> Self {
        let mixed = (0..=100).step_by(usize::from(STEP)).map(|percent| self.mixed(other, percent));
        let is_distinct = |color: &Self| others.iter().all(|one| color.contrast(*one) >= contrast);
        mixed.into_iter().find(is_distinct).unwrap_or(other)
    }

    /// Returns the relative luminance, from 0 to 1 (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = self.0.map(|share| {
            let share = f64::from(share) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        linear.into_iter().zip([0.2126, 0.7152, 0.0722]).map(|(share, weight)| share * weight).sum()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    #[test]
    fn only_six_hexadecimal_digits_are_a_color() {
        assert_eq!(color(" #17614F ").to_string(), "#17614f");
        for invalid in [
            "",
            "#",
            "17614f",
            "#1761",
            "#17614f0",
            "#17614g",
            "#+7614f",
            "red",
            "rgb(0,0,0)",
            "#fff;}",
            "#1761\u{e9}",
            "url(x)",
            "#17614f;}body{display:none",
        ] {
            assert!(Color::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn the_contrast_is_that_of_the_guidelines() {
        assert!((Color::BLACK.contrast(Color::WHITE) - 21.0).abs() < 0.001);
        assert!((color("#777777").contrast(Color::WHITE) - 4.48).abs() < 0.01);
        assert!((Color::WHITE.contrast(color("#0000ff")) - 8.59).abs() < 0.01);
    }

    #[test]
    fn text_is_readable_on_every_color() {
        let shares = (0..=u8::MAX).step_by(15);
        let grid = shares.clone().flat_map(|red| {
            let (green, blue) = (shares.clone(), shares.clone());
            green.flat_map(move |green| blue.clone().map(move |blue| Color::new(red, green, blue)))
        });
        for color in grid {
            assert!(color.contrast(color.text()) >= READABLE, "{color}");
            assert!(color.readable_on(&[Color::WHITE], Color::BLACK).contrast(Color::WHITE) >= READABLE, "{color}");
        }
        assert_eq!(color("#17614f").readable_on(&[Color::WHITE], Color::BLACK), color("#17614f"));
        assert_eq!((color("#ffff00").text(), color("#000080").text()), (Color::BLACK, Color::WHITE));
    }
}
