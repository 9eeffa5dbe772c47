//! Codes that people type, or paste from an app or an email.

use icu_properties::props::{EnumeratedProperty as _, GeneralCategory};

use crate::kernel::Secret;
use crate::kernel::text::characters::{is_visible, nfkc};

/// The number of characters that are read of a text: more than any code has with what surrounds it.
const MAX_READ: usize = 128;
/// The number of digits of a code from an app or an email.
pub(crate) const CODE_DIGITS: usize = 6;
/// The mark of a long vowel. Japanese keyboards type it with the key of the hyphen.
const LONG_VOWEL: char = '\u{30fc}';

/// Returns the letters and digits of a text, those of ASCII in lowercase. What separates or surrounds them is ignored, also
/// if people cannot see it. A character is what it looks like (NFKC), and a digit of any script is one of ASCII. Other
/// letters remain, and belong to no code.
pub(crate) fn letters_and_digits(text: &str) -> String {
    let read: String = text.chars().take(MAX_READ).collect();
    let characters = nfkc(&read);
    let of_code = characters.chars().filter(|c| c.is_alphanumeric() && is_visible(*c) && *c != LONG_VOWEL);
    of_code.map(|c| ascii_digit(c).unwrap_or_else(|| c.to_ascii_lowercase())).collect()
}

/// Returns the six digits of a text. `None` if it has more, fewer, or other letters.
pub(crate) fn six_digits(text: &str) -> Option<Secret> {
    let code = letters_and_digits(text);
    let is_code = code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| Secret::new(code))
}

/// Returns the digit of ASCII for a decimal digit. Unicode has the ten digits of each script in a row, in ascending order.
fn ascii_digit(c: char) -> Option<char> {
    let is_digit = |c: &char| GeneralCategory::for_char(*c) == GeneralCategory::DecimalNumber;
    if !is_digit(&c) {
        return None;
    }
    let before = (0..u32::from(c)).rev().map_while(char::from_u32).take_while(is_digit).fold(0, |count, _| count + 1);
    char::from_digit(before % 10, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_read_however_they_are_typed_or_pasted() {
        for text in [
            "123456",
            " 123 456\r\n",
            "123-456",
            "123\u{2011}456",
            "123\u{2212}456",
            "123_456.",
            "\u{201c}123456\u{201d}",
            // Full-width digits, with the hyphens and spaces of Japanese keyboards.
            "１２３４５６",
            "１２３－４５６",
            "１２３ー４５６",
            "１２３ｰ４５６",
            "１２３\u{3000}４５６",
            // Characters that people cannot see.
            "\u{feff}123\u{200b}456\u{200e}",
            "123\u{ad}4\u{2060}56\u{200d}",
            "\u{202a}123456\u{202c}",
            "123\u{3164}456",
            "123\u{a0}\u{202f}\u{2009}456\0",
            // Digits of other scripts.
            "١٢٣٤٥٦",
            "۱۲۳۴۵۶",
            "१२३४५६",
            "１２３٤٥٦",
            "①②③④⑤⑥",
            "𝟏𝟐𝟑𝟜𝟝𝟞",
            "1\u{fe0f}\u{20e3}23456",
        ] {
            let code = six_digits(text);
            assert_eq!(code.as_ref().map(Secret::expose), Some("123456"), "{}", text.escape_unicode());
        }
        let zeros = six_digits("٠٠٠００0").map(|code| code.expose().to_owned());
        assert_eq!(zeros.as_deref(), Some("000000"));
    }

    #[test]
    fn other_texts_are_not_six_digits() {
        let long = format!("{}123456", " ".repeat(MAX_READ));
        for text in ["", "12345", "1234567", "12345a", "12345é", "a123456", "一二三四五六", "------", &long] {
            assert!(six_digits(text).is_none(), "{}", text.escape_unicode());
        }
    }
}
