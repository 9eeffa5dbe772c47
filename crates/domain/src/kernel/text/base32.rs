//! Bytes as letters and digits that people can type (RFC 4648 §6), without padding.

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns the bytes as uppercase letters and digits, eight for five bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(5) {
        let bits = chunk.iter().fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte)) << (8 * (5 - chunk.len()));
        let digits = (chunk.len() * 8).div_ceil(5);
        text.extend((0..digits).filter_map(|digit| {
            let index = usize::try_from((bits >> (35 - 5 * digit)) & 31).ok()?;
            ALPHABET.get(index).copied().map(char::from)
        }));
    }
    text
}

/// Returns whether the byte is one of these letters and digits, in upper or lower case.
pub fn is_letter(byte: u8) -> bool {
    ALPHABET.contains(&byte.to_ascii_uppercase())
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
