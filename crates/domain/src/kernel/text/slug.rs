//! Slugs: URL-friendly names of teams and projects, and the conversion of text to slugs (docs/contract.md#slugs).

use crate::kernel::{InvalidValue, as_text};

/// First path segments of this service, and misleading names (docs/contract.md#slugs).
const RESERVED: &[&str] = &[
    "account", "admin", "api", "auth", "docs", "health", "help", "images", "invite", "metrics", "new", "project",
    "projects", "settings", "static", "support", "team", "u", "utils", "ws", "www",
];

/// A slug: 1 to 63 characters of `[a-z0-9-]`, without leading, trailing or consecutive hyphens. Uppercase is converted
/// to lowercase.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slug(String);

impl Slug {
    /// The maximum length, in characters.
    pub const MAX_LENGTH: usize = 63;
    /// What [`Slug::parse`] accepts, as a regular expression (ECMA-262).
    pub const PATTERN: &str = "^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$";

    /// Trims the text, converts it to lowercase and validates it. Reserved words are accepted: see
    /// [`Slug::is_reserved`].
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let slug = text.trim().to_ascii_lowercase();
        let is_valid = !slug.is_empty()
            && slug.len() <= Self::MAX_LENGTH
            && slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !slug.starts_with('-')
            && !slug.ends_with('-')
            && !slug.contains("--");
        is_valid.then_some(Self(slug)).ok_or(InvalidValue(
            "must be 1 to 63 lowercase letters, digits and single hyphens, with no hyphen at either end",
        ))
    }

    /// Derives a slug from a name, truncated to the maximum length. Returns `None` if no character of the name can be
    /// used.
    pub fn from_name(name: &str) -> Option<Self> {
        let slug = slugify(name)?;
        let cut: String = slug.chars().take(Self::MAX_LENGTH).collect();
        Self::parse(cut.trim_end_matches('-')).ok()
    }

    /// Appends a number to the slug, truncated to the maximum length. Used when the slug without a number is taken.
    pub fn numbered(&self, number: u32) -> Self {
        let suffix = format!("-{number}");
        let room = Self::MAX_LENGTH.saturating_sub(suffix.len());
        let stem: String = self.0.chars().take(room).collect();
        Self(format!("{}{suffix}", stem.trim_end_matches('-')))
    }

    /// Returns whether the slug is reserved, so that no team or project may use it (docs/contract.md#slugs).
    pub fn is_reserved(&self) -> bool {
        RESERVED.contains(&self.0.as_str())
    }
}

as_text!(Slug);

/// Converts text to a URL-friendly form (docs/contract.md#slugs): removes special characters, transliterates letters of
/// other scripts, converts to lowercase, and replaces runs of white space, `_` and `-` with one hyphen. Returns `None`
/// if unusable remains.
pub fn slugify(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c == '_' || c == '-')
        .map(|word| slug::slugify(word.chars().filter(|c| c.is_alphanumeric()).collect::<String>()))
        .filter(|word| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_removed_and_white_space_becomes_one_hyphen() {
        for (text, slug) in [
            ("Rock & Roll", "rock-roll"),
            ("rock&roll", "rockroll"),
            ("it's", "its"),
            ("  My   Team_Name - 2 ", "my-team-name-2"),
            ("Ünïcode Straße", "unicode-strasse"),
            ("北京", "bei-jing"),
            ("a\tb\nc", "a-b-c"),
            ("--a__b--", "a-b"),
        ] {
            assert_eq!(slugify(text).as_deref(), Some(slug), "{text}");
        }
        for unusable in ["", "   ", "&&&", "!?", "-_-"] {
            assert_eq!(slugify(unusable), None, "{unusable}");
        }
    }

    #[test]
    fn an_invalid_slug_is_rejected() {
        assert_eq!(Slug::parse(" Acme ").unwrap().as_str(), "acme");
        for invalid in ["", "-a", "a-", "a--b", "a b", "a_b", "ä", "a.b", &"a".repeat(64)] {
            assert!(Slug::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_numbered_slug_is_a_valid_slug() {
        for text in ["a", &"a".repeat(63), &format!("{}-b", "a".repeat(60))] {
            let numbered = Slug::parse(text).unwrap().numbered(12);
            assert!(numbered.as_str().ends_with("-12"));
            assert!(Slug::parse(numbered.as_str()).is_ok(), "{numbered}");
        }
    }

    #[test]
    fn a_long_name_is_truncated_to_a_valid_slug() {
        let slug = Slug::from_name(&"word ".repeat(40)).unwrap();
        assert!(Slug::parse(slug.as_str()).is_ok());
        assert_eq!(Slug::from_name("???"), None);
    }
}
