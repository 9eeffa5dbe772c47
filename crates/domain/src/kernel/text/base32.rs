//! Bytes as letters and digits that people can type (RFC 4648 §6), without padding.

use data_encoding::BASE32_NOPAD;

/// Returns the bytes as uppercase letters and digits, eight for five bytes.
pub fn encode(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes)
}

/// Returns whether the byte is one of these letters and digits, in upper or lower case.
pub fn is_letter(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'2'..=b'7')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_standard() {
        // RFC 4648 §10, without padding.
        for (bytes, text) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
    }
}
