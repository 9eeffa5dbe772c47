//! Splits the text of a `changes` message into its members and changes as it arrives, so that a message of any size is
//! read without holding it. The values that it returns are not parsed.

/// Maximum size of the text of a change, in bytes. What exceeds it is discarded: no item of this size can be stored.
const MAX_CHANGE_BYTES: usize = 2 * 1024 * 1024;
/// Maximum size of any other value, in bytes.
const MAX_MEMBER_BYTES: usize = 4 * 1024;
/// The member whose elements are returned one by one.
const CHANGES: &[u8] = b"\"changes\"";

/// A value that is complete.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// A member of the message. `None` instead of a value that is too long.
    Member { name: Vec<u8>, value: Option<Vec<u8>> },
    /// A change.
    Change {
        text: Vec<u8>,
        /// Whether the end of the text is missing because it is too long.
        is_cut: bool,
    },
}

/// The text is not a JSON object.
#[derive(Debug, PartialEq)]
pub(super) struct NotAnObject;

/// What comes next.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Start,
    /// A name, or the end of the message.
    NameOrEnd,
    Name,
    Colon,
    Member,
    AfterMember,
    /// A change, or the end of the changes.
    ChangeOrEnd,
    Change,
    AfterChange,
    End,
}

/// A value whose end is searched.
#[derive(Debug, Default)]
struct Scanned {
    text: Vec<u8>,
    is_cut: bool,
    /// Number of open arrays and objects.
    depth: usize,
    is_string: bool,
    is_escaped: bool,
}

/// Whether a value continues.
#[derive(Debug, PartialEq)]
enum Progress {
    More,
    /// The value ends with the byte.
    Ends,
    /// The value ends before the byte.
    Ended,
}

/// The text that was read so far.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    place: Place,
    name: Vec<u8>,
    has_changes: bool,
    scanned: Scanned,
}

impl Splitter {
    /// Reads the next byte. Returns the value that it completes, if any.
    pub(super) fn push(&mut self, byte: u8) -> Result<Option<Found>, NotAnObject> {
        match self.place {
            Place::Name | Place::Member | Place::Change | Place::NameOrEnd | Place::ChangeOrEnd => self.scan(byte),
            _ if byte.is_ascii_whitespace() => Ok(None),
            _ => self.step(byte).map(|()| None),
        }
    }

    /// Returns whether the message is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.place == Place::End
    }

    /// Returns the number of bytes that are held of a value that is not complete.
    pub(super) fn held(&self) -> usize {
        self.name.len().saturating_add(self.scanned.text.len())
    }

    /// Reads a byte between values.
    fn step(&mut self, byte: u8) -> Result<(), NotAnObject> {
        self.place = match (self.place, byte) {
            (Place::Start, b'{') => Place::NameOrEnd,
            (Place::Colon, b':') => Place::Member,
            (Place::AfterMember, b',') => Place::Name,
            (Place::AfterMember, b'}') => Place::End,
            (Place::AfterChange, b',') => Place::Change,
            (Place::AfterChange, b']') => Place::AfterMember,
            _ => return Err(NotAnObject),
        };
        Ok(())
    }

    /// Reads a byte of a value, or before it.
    fn scan(&mut self, byte: u8) -> Result<Option<Found>, NotAnObject> {
        if self.scanned.text.is_empty() {
            match (self.place, byte) {
                (_, byte) if byte.is_ascii_whitespace() => return Ok(None),
                (Place::NameOrEnd, b'}') => {
                    self.place = Place::End;
                    return Ok(None);
                }
                (Place::ChangeOrEnd, b']') => {
                    self.place = Place::AfterMember;
                    return Ok(None);
                }
                (Place::Member, b'[') if self.name == CHANGES => {
                    self.place = Place::ChangeOrEnd;
                    return if std::mem::replace(&mut self.has_changes, true) { Err(NotAnObject) } else { Ok(None) };
                }
                (Place::Name | Place::NameOrEnd, byte) if byte != b'"' => return Err(NotAnObject),
                _ => {}
            }
        }
        let is_change = matches!(self.place, Place::Change | Place::ChangeOrEnd);
        let progress = self.scanned.push(byte, if is_change { MAX_CHANGE_BYTES } else { MAX_MEMBER_BYTES })?;
        if progress == Progress::More {
            return Ok(None);
        }
        let found = self.found()?;
        if progress == Progress::Ended && !byte.is_ascii_whitespace() {
            self.step(byte)?;
        }
        Ok(found)
    }

    /// Takes the value that is complete.
    fn found(&mut self) -> Result<Option<Found>, NotAnObject> {
        let Scanned { text, is_cut, .. } = std::mem::take(&mut self.scanned);
        Ok(match self.place {
            // A name with escaped characters could be that of another member.
            Place::Name | Place::NameOrEnd if text.contains(&b'\\') => return Err(NotAnObject),
            Place::Name | Place::NameOrEnd => {
                (self.place, self.name) = (Place::Colon, text);
                None
            }
            Place::Member => {
                self.place = Place::AfterMember;
                let value = if is_cut { None } else { Some(text) };
                Some(Found::Member { name: std::mem::take(&mut self.name), value })
            }
            _ => {
                self.place = Place::AfterChange;
                Some(Found::Change { text, is_cut })
            }
        })
    }
}

impl Scanned {
    fn push(&mut self, byte: u8, max_bytes: usize) -> Result<Progress, NotAnObject> {
        if self.is_string {
            self.add(byte, max_bytes);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.is_string = false;
                    return Ok(if self.depth == 0 { Progress::Ends } else { Progress::More });
                }
                _ => {}
            }
            return Ok(Progress::More);
        }
        let is_start = self.text.is_empty();
        match byte {
            b'"' | b'[' | b'{' if self.depth == 0 && !is_start => return Err(NotAnObject),
            b'"' => self.is_string = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' if self.depth > 0 => {
                self.depth = self.depth.saturating_sub(1);
                self.add(byte, max_bytes);
                return Ok(if self.depth == 0 { Progress::Ends } else { Progress::More });
            }
            b']' | b'}' | b',' | b':' if self.depth == 0 => {
                return if is_start { Err(NotAnObject) } else { Ok(Progress::Ended) };
            }
            byte if self.depth == 0 && byte.is_ascii_whitespace() => return Ok(Progress::Ended),
            _ => {}
        }
        self.add(byte, max_bytes);
        Ok(Progress::More)
    }

    fn add(&mut self, byte: u8, max_bytes: usize) {
        if self.text.len() < max_bytes {
            self.text.push(byte);
        } else {
            self.is_cut = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Result<(Vec<String>, bool), NotAnObject> {
        let (mut splitter, mut found) = (Splitter::default(), Vec::new());
        for byte in text.bytes() {
            found.extend(splitter.push(byte)?.map(|found| match found {
                Found::Member { name, value } => {
                    let value = value.map_or("too long".into(), |value| String::from_utf8(value).unwrap());
                    format!("{} {value}", String::from_utf8(name).unwrap())
                }
                Found::Change { text, is_cut: false } => String::from_utf8(text).unwrap(),
                Found::Change { text, is_cut: true } => format!("{} bytes", text.len()),
            }));
        }
        Ok((found, splitter.is_complete()))
    }

    #[test]
    fn members_and_changes_are_returned_one_by_one() {
        let text = r#" { "type" : "changes","changes": [ {"a":[1,{"b":"]}\"\\"}]} ,2 ,"x,y" ],
            "requestId":7 , "more":{"changes":[1]},"partial":false} "#;
        let expected = [
            r#""type" "changes""#,
            r#"{"a":[1,{"b":"]}\"\\"}]}"#,
            "2",
            r#""x,y""#,
            r#""requestId" 7"#,
            r#""more" {"changes":[1]}"#,
            r#""partial" false"#,
        ];
        assert_eq!(split(text), Ok((expected.map(str::to_owned).to_vec(), true)));
        assert_eq!(split("{}"), Ok((vec![], true)));
        assert_eq!(split(r#"{"changes":[],"a":1}"#), Ok((vec![r#""a" 1"#.to_owned()], true)));
        assert_eq!(split(r#"{"changes":[1"#), Ok((vec![], false)));
    }

    #[test]
    fn values_that_are_too_long_are_cut() {
        let long = "x".repeat(MAX_CHANGE_BYTES);
        let text = format!(r#"{{"schema":"{long}","changes":["{long}",1]}}"#);
        let expected = [r#""schema" too long"#.to_owned(), format!("{MAX_CHANGE_BYTES} bytes"), "1".to_owned()];
        assert_eq!(split(&text), Ok((expected.to_vec(), true)));
    }

    #[test]
    fn what_is_not_an_object_is_refused() {
        let twice = r#"{"changes":[],"changes":[]}"#;
        let escaped = r#"{"ch\u0061nges":[]}"#;
        for invalid in [
            "[]",
            "1",
            "{1:2}",
            r#"{"a" 1}"#,
            r#"{"a":}"#,
            r#"{"a":1 2}"#,
            r#"{"changes":[,]}"#,
            r#"{"a":1}}"#,
            "{,}",
            twice,
            escaped,
        ] {
            assert_eq!(split(invalid), Err(NotAnObject), "{invalid}");
        }
    }
}
