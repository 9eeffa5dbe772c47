//! What separates the cells of a CSV file: the comma, or what the spreadsheet program of another language writes.

/// Maximum number of bytes that are searched for the delimiter.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;
/// How a first line starts that only names the delimiter, for Excel.
const DIRECTIVE: &str = "sep=";

/// A character that separates the cells of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    const COMMA: Self = Self(b',');
    /// Those that are recognized. The first one is assumed if none is more frequent.
    const RECOGNIZED: [Self; 3] = [Self::COMMA, Self(b';'), Self(b'\t')];

    /// Returns the delimiter of this text: an ASCII punctuation character, a tab character, or the word `tab`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.as_bytes() {
            b"tab" | b"\t" => Some(Self(b'\t')),
            [byte] if byte.is_ascii_punctuation() && *byte != b'"' => Some(Self(*byte)),
            _ => None,
        }
    }

    pub(super) const fn byte(self) -> u8 {
        self.0
    }
}

/// The first line of a file, in which the delimiter is recognized.
#[derive(Debug, Default)]
pub(super) struct FirstLine {
    text: Vec<u8>,
    /// How often each of the recognized delimiters occurs outside of quotes.
    counts: [usize; Delimiter::RECOGNIZED.len()],
    is_quoted: bool,
    /// Whether the line has begun. Blank lines before it belong to its text.
    has_begun: bool,
}

impl FirstLine {
    /// Reads up to the end of the line. Returns the bytes from its line break on; `None` if the line has not ended.
    pub(super) fn read<'b>(&mut self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        for (index, byte) in bytes.iter().enumerate() {
            let is_break = matches!(byte, b'\r' | b'\n');
            if is_break && self.has_begun && !self.is_quoted || self.text.len() >= MAX_SEARCHED_BYTES {
                return bytes.get(index..);
            }
            self.text.push(*byte);
            self.has_begun |= !is_break;
            self.is_quoted ^= *byte == b'"';
            if !self.is_quoted {
                let mut counts = Delimiter::RECOGNIZED.iter().zip(&mut self.counts);
                if let Some((_, count)) = counts.find(|(delimiter, _)| delimiter.byte() == *byte) {
                    *count = count.saturating_add(1);
                }
            }
        }
        None
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the delimiter that the line names, if it does nothing else.
    pub(super) fn named(&self) -> Option<Delimiter> {
        let text = str::from_utf8(&self.text).ok()?.trim_start_matches(['\r', '\n']);
        let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        let (directive, delimiter) = text.split_at_checked(DIRECTIVE.len())?;
        if directive.eq_ignore_ascii_case(DIRECTIVE) { Delimiter::parse(delimiter) } else { None }
    }

    /// Returns the recognized delimiter that is the most frequent one in the line.
    pub(super) fn most_frequent(&self) -> Delimiter {
        // Of several with the same number, the last one is found.
        let counts = Delimiter::RECOGNIZED.into_iter().zip(self.counts).rev();
        counts.max_by_key(|(_, count)| *count).map_or(Delimiter::COMMA, |(delimiter, _)| delimiter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_named_or_the_most_frequent_one() {
        for (line, named, most_frequent) in [
            ("title;done;rank", None, b';'),
            ("title\tdone,rank\tid", None, b'\t'),
            ("\r\n\n\"a;b;c\",\"d\ne\",id", None, b','),
            ("title", None, b','),
            ("a,b;c", None, b','),
            ("SEP=;", Some(b';'), b';'),
            ("\"sep=|\"", Some(b'|'), b','),
            ("sep=\t", Some(b'\t'), b'\t'),
            ("sep=\"", None, b','),
            ("sep", None, b','),
        ] {
            for size in 1..=line.len() {
                let mut first = FirstLine::default();
                assert!(line.as_bytes().chunks(size).all(|part| first.read(part).is_none()), "{line:?}");
                assert_eq!(first.read(b"\nx;y"), if first.is_quoted { None } else { Some(&b"\nx;y"[..]) }, "{line:?}");
                assert_eq!(first.named().map(Delimiter::byte), named, "{line:?}");
                assert_eq!(first.most_frequent().byte(), most_frequent, "{line:?}");
            }
        }
        assert_eq!(FirstLine::default().read(&[b'x'; MAX_SEARCHED_BYTES + 1]), Some(&b"x"[..]));
    }

    #[test]
    fn a_delimiter_is_a_punctuation_character_or_a_tab() {
        assert_eq!(["tab", "\t"].map(Delimiter::parse), [Some(Delimiter(b'\t')); 2]);
        assert_eq!(Delimiter::parse("|"), Some(Delimiter(b'|')));
        for text in ["", "a", "1", "\"", "\n", " ", ";;", "、"] {
            assert_eq!(Delimiter::parse(text), None, "{text:?}");
        }
    }
}
