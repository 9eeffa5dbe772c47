//! The encodings of files: bytes become text in UTF-8, part by part.

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

/// Stands for bytes that are not text in the encoding. No text in UTF-8 contains it, so that its line is refused.
const NOT_IN_ENCODING: u8 = 0xff;
/// Number of bytes that are decoded at once.
const BUFFER_BYTES: usize = 4 * 1024;

/// The encoding of a file. A byte order mark at its start takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl Default for TextEncoding {
    fn default() -> Self {
        Self(UTF_8)
    }
}

impl TextEncoding {
    /// Returns the encoding with a label of the Encoding Standard, such as `windows-1252`.
    pub fn parse(label: &str) -> Option<Self> {
        Encoding::for_label_no_replacement(label.as_bytes()).map(Self)
    }
}

/// Decodes a file as it arrives. Its byte order mark is removed.
#[derive(Debug)]
pub struct TextDecoder(Decoder);

impl TextDecoder {
    /// Starts to decode a file.
    pub fn new(encoding: TextEncoding) -> Self {
        Self(encoding.0.new_decoder())
    }

    /// Returns the next bytes of the file in UTF-8. Where they are not text in the encoding, the result is not UTF-8.
    pub fn decode(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.decode_part(bytes, false)
    }

    /// Ends the file, and returns what was not decoded yet.
    pub fn finish(mut self) -> Vec<u8> {
        self.decode_part(&[], true)
    }

    fn decode_part(&mut self, mut bytes: &[u8], is_last: bool) -> Vec<u8> {
        let (mut text, mut buffer) = (Vec::with_capacity(bytes.len()), [0; BUFFER_BYTES]);
        loop {
            let (result, read, written) = self.0.decode_to_utf8_without_replacement(bytes, &mut buffer, is_last);
            text.extend(buffer.iter().take(written));
            bytes = bytes.get(read..).unwrap_or_default();
            match result {
                DecoderResult::InputEmpty => return text,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => text.push(NOT_IN_ENCODING),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes a file in parts of this size.
    fn decoded(encoding: &str, file: &[u8], size: usize) -> Vec<u8> {
        let mut decoder = TextDecoder::new(TextEncoding::parse(encoding).unwrap());
        let mut text: Vec<u8> = file.chunks(size).flat_map(|part| decoder.decode(part)).collect();
        text.extend(decoder.finish());
        text
    }

    #[test]
    fn a_file_is_decoded_by_its_byte_order_mark_or_its_encoding() {
        let text = "Käse\t€ 😀\r\n";
        let utf_16: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> =
            [0xff, 0xfe].into_iter().chain(utf_16.iter().flat_map(|unit| unit.to_le_bytes())).collect();
        let big: Vec<u8> = [0xfe, 0xff].into_iter().chain(utf_16.iter().flat_map(|unit| unit.to_be_bytes())).collect();
        let marked = format!("\u{feff}{text}").into_bytes();
        for size in 1..8 {
            for file in [&little, &big, &marked] {
                assert_eq!(decoded("utf-8", file, size), text.as_bytes(), "{size}");
                assert_eq!(decoded("windows-1252", file, size), text.as_bytes(), "{size}");
            }
            assert_eq!(decoded("utf-8", text.as_bytes(), size), text.as_bytes());
            assert_eq!(decoded("windows-1252", b"K\xe4se \x80", size), "Käse €".as_bytes());
            assert_eq!(decoded("shift_jis", b"\x82\xa0", size), "あ".as_bytes());
        }
        assert_eq!(decoded("utf-8", b"", 1), b"");
        assert_eq!(TextEncoding::parse("windows-9"), None);
    }

    #[test]
    fn what_is_not_text_in_the_encoding_is_not_utf8() {
        let unpaired = [&[0xff, 0xfe][..], &0xd800_u16.to_le_bytes()[..], &[b'a', 0]].concat();
        for file in [&b"K\xe4se\n"[..], b"a\xff", b"a\xc3", &unpaired, &[0xff, 0xfe, b'a']] {
            assert!(String::from_utf8(decoded("utf-8", file, 3)).is_err(), "{file:?}");
        }
        let many = decoded("utf-8", &vec![0xff; 3 * BUFFER_BYTES], BUFFER_BYTES);
        assert_eq!(many.len(), 3 * BUFFER_BYTES);
    }
}
