//! Bytes as hexadecimal digits, the form in which digests, tokens and cookies are written as text.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};

/// Returns the bytes as lowercase digits, two for each byte.
pub fn encode(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// Returns the bytes of a text that consists of two digits, uppercase or lowercase, for each byte.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()
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
