//! Short display texts: trimmed, of limited length, and without characters that people cannot see
//! (docs/contract.md#text).

use std::ops::RangeInclusive;

use crate::kernel::text::characters::{InvalidText, check_text};
use crate::kernel::{InvalidValue, as_text};

/// Returns whether a character is invisible and changes how a terminal or a page shows the text around it: the control
/// characters C0 and C1, line separators, and the embeddings, overrides and isolates of bidirectional text. Not the
/// marks that Arabic and Hebrew texts use, which affect only themselves.
pub fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A regular expression (ECMA-262) of texts with a character that people can see, and without control characters.
pub const VISIBLE: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0][^\x00-\x1f\x7f-\x9f]*$";

/// Returns the trimmed text if it has a permitted number of characters.
fn bounded<'a>(text: &'a str, length: RangeInclusive<usize>, violation: &'static str) -> Result<&'a str, InvalidValue> {
    let text = text.trim();
    if length.contains(&text.chars().count()) { Ok(text) } else { Err(InvalidValue(violation)) }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident, $min:literal, $max:literal, $violation:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// The permitted numbers of characters.
            pub const LENGTH: RangeInclusive<usize> = $min..=$max;

            /// Trims and validates the text.
            pub fn parse(text: &str) -> Result<Self, InvalidText> {
                let text = bounded(text, Self::LENGTH, $violation)?;
                check_text(text)?;
                Ok(Self(text.to_owned()))
            }

            /// Parses a stored text. Earlier versions accepted characters that people cannot see.
            pub fn stored(text: &str) -> Result<Self, InvalidValue> {
                let text = bounded(text, Self::LENGTH, $violation)?;
                if text.contains(char::is_control) {
                    return Err(InvalidValue("must not contain control characters"));
                }
                Ok(Self(text.to_owned()))
            }
        }

        as_text!($name);
    )+};
}

texts! {
    /// The name of a team, a project or a person: 1 to 100 characters.
    Name, 1, 100, "must be 1 to 100 characters";
    /// The display name of an API key, a personal token, a client, an identity provider or a passkey: 1 to 100
    /// characters.
    Label, 1, 100, "must be 1 to 100 characters";
    /// A free-form label for the role of a team member: 0 to 64 characters. It grants no permissions.
    #[derive(Default)]
    RoleName, 0, 64, "must be at most 64 characters";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::CodePoint;

    #[test]
    fn names_are_trimmed_and_counted_in_characters() {
        assert_eq!(Name::parse("  Ünïcode ").unwrap().as_str(), "Ünïcode");
        assert!(Name::parse(&"é".repeat(100)).is_ok());
        let length = InvalidText::Value(InvalidValue("must be 1 to 100 characters"));
        for invalid in ["", " \t ", "\u{2028}\u{3000}", &"é".repeat(101)] {
            assert_eq!(Name::parse(invalid), Err(length.clone()), "{invalid:?}");
        }
        assert!(RoleName::parse("").is_ok() && RoleName::parse(&"x".repeat(65)).is_err());
    }

    #[test]
    fn every_text_is_checked_and_the_error_says_how_to_correct_it() {
        let hidden = InvalidText::Hidden(CodePoint('\u{200b}'));
        let text = "Ac\u{200b}me";
        assert_eq!(Name::parse(text), Err(hidden.clone()));
        assert_eq!(Label::parse(text), Err(hidden.clone()));
        assert_eq!(RoleName::parse(text), Err(hidden.clone()));
        let message =
            "must not contain the character U+200B, which people cannot see. Remove it, or type the text again";
        assert_eq!(hidden.to_string(), message);
        assert_eq!(Name::parse("\u{301}").unwrap_err().to_string(), "must contain a visible character");
    }

    #[test]
    fn a_stored_text_may_contain_what_earlier_versions_accepted() {
        for accepted_before in ["ann\u{202e}", "\u{200b}", "Ac\u{3164}me", "\u{2800}", "a\u{e000}"] {
            assert_eq!(Name::stored(accepted_before).unwrap().as_str(), accepted_before, "{accepted_before:?}");
            assert!(Name::parse(accepted_before).is_err(), "{accepted_before:?}");
        }
        assert!(Name::stored("a\u{9b}b").is_err() && Label::stored("").is_err());
    }
}
