//! Slugs: the URL-friendly names of teams and projects, and the text conversion that makes them (contract 1.9, 10).

use std::fmt;

use super::InvalidValue;

/// The longest slug, in characters.
const MAX_LENGTH: usize = 63;

/// First path segments of this service and names that would mislead (contract 1.9).
const RESERVED: &[&str] = &[
    "account", "admin", "api", "auth", "docs", "health", "help", "images", "invite", "metrics", "new", "project",
    "projects", "settings", "static", "support", "team", "u", "utils", "www",
];

/// A slug: 1 to 63 of `[a-z0-9-]`, no hyphen at either end and no two in a row. Upper case is folded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slug(String);

impl Slug {
    /// Trims, folds to lower case and checks the text. A reserved word is still a slug: see [`Slug::is_reserved`].
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let slug = text.trim().to_ascii_lowercase();
        let fits = !slug.is_empty()
            && slug.len() <= MAX_LENGTH
            && slug.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !slug.starts_with('-')
            && !slug.ends_with('-')
            && !slug.contains("--");
        if fits {
            Ok(Self(slug))
        } else {
            Err(InvalidValue(
                "must be 1 to 63 lower-case emails, digits and single hyphens, with no hyphen at either end",
            ))
        }
    }

    /// The slug that a name gives, cut to fit. `None` when nothing of the name can stand in a slug.
    pub fn from_name(name: &str) -> Option<Self> {
        let slug = slugify(name)?;
        let cut: String = slug.chars().take(MAX_LENGTH).collect();
        Self::parse(cut.trim_end_matches('-')).ok()
    }

    /// The same slug with a number at its end, cut to fit: what is tried when the plain one is taken.
    pub fn numbered(&self, number: u32) -> Self {
        let suffix = format!("-{number}");
        let room = MAX_LENGTH.saturating_sub(suffix.len());
        let stem: String = self.0.chars().take(room).collect();
        Self(format!("{}{suffix}", stem.trim_end_matches('-')))
    }

    /// Whether nobody may have it (contract 1.9).
    pub fn is_reserved(&self) -> bool {
        RESERVED.contains(&self.0.as_str())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Turns text into a URL-friendly form (contract 10): special characters are removed, emails of other scripts
/// transliterated, the rest lower-cased; runs of white space, `_` and `-` become one hyphen. `None` when nothing is left.
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
        for nothing in ["", "   ", "&&&", "!?", "-_-"] {
            assert_eq!(slugify(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_slug_cannot_hold_a_bad_slug() {
        assert_eq!(Slug::parse(" Acme ").unwrap().as_str(), "acme");
        for bad in ["", "-a", "a-", "a--b", "a b", "a_b", "ä", "a.b", &"a".repeat(64)] {
            assert!(Slug::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_numbered_slug_is_still_a_slug() {
        for text in ["a", &"a".repeat(63), &format!("{}-b", "a".repeat(60))] {
            let numbered = Slug::parse(text).unwrap().numbered(12);
            assert!(numbered.as_str().ends_with("-12"));
            assert!(Slug::parse(numbered.as_str()).is_ok(), "{numbered}");
        }
    }

    #[test]
    fn a_long_name_gives_a_slug_that_fits() {
        let slug = Slug::from_name(&"word ".repeat(40)).unwrap();
        assert!(Slug::parse(slug.as_str()).is_ok());
        assert_eq!(Slug::from_name("???"), None);
    }
}
