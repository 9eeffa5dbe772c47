//! Bytes as hexadecimal digits, the form in which digests, tokens and cookies are written as text.

use std::fmt::Write as _;

/// Returns the bytes as lowercase digits, two for each byte.
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len().saturating_mul(2)), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the bytes of a text that consists of two digits, uppercase or lowercase, for each byte.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    // The number parser also accepts a sign.
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_round_trip() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let text = encode(&bytes);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"), "{text}");
        assert_eq!(decode(&text).as_ref(), Some(&bytes));
        assert_eq!(decode(&text.to_uppercase()), Some(bytes));
        assert_eq!((encode(&[]), decode("")), (String::new(), Some(Vec::new())));
    }

    #[test]
    fn a_text_with_anything_but_pairs_of_digits_is_invalid() {
        for invalid in ["0", "000", "+5", "-1", "0x", "zz", "0 ", "ä", "０"] {
            assert_eq!(decode(invalid), None, "{invalid}");
        }
    }
}
