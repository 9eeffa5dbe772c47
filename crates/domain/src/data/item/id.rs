//! IDs of items, which callers choose.

use crate::kernel::InvalidValue;

/// The ID of an item: 1 to 128 characters of `[A-Za-z0-9._~-]`, case-sensitive, other than `.` and `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemId(String);

impl ItemId {
    /// The permitted numbers of characters.
    pub const LENGTH: std::ops::RangeInclusive<usize> = 1..=128;
    /// The permitted characters, as a regular expression (ECMA-262).
    pub const PATTERN: &str = "^[0-9A-Za-z._~-]*$";

    /// Validates the ID of a new item. Programs resolve `.` and `..` in a path (RFC 3986 §5.2.4), so that nobody could read
    /// such an item by its path.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        if matches!(text, "." | "..") {
            return Err(InvalidValue("must not be `.` or `..`, which would lead to another path"));
        }
        Self::stored(text)
    }

    /// Parses the ID of an item that may be stored. Earlier versions also stored `.` and `..`.
    pub fn stored(text: &str) -> Result<Self, InvalidValue> {
        let is_valid = Self::LENGTH.contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~-".contains(&b));
        is_valid
            .then(|| Self(text.to_owned()))
            .ok_or(InvalidValue("must be 1 to 128 characters from A-Z a-z 0-9 . _ ~ -"))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_ids_need_no_escaping_in_a_path() {
        assert!(ItemId::parse("a.B_~-9").is_ok());
        for invalid in ["", "a/b", "a b", "ä", "%41", &"a".repeat(129)] {
            assert!(ItemId::parse(invalid).is_err() && ItemId::stored(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn an_id_that_leads_to_another_path_is_only_read() {
        for id in [".", ".."] {
            assert!(ItemId::parse(id).is_err(), "{id}");
            assert_eq!(ItemId::stored(id).unwrap().as_str(), id);
        }
        assert!(ItemId::parse("...").is_ok());
    }
}
