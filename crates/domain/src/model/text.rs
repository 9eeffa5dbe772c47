//! Short display texts: trimmed, of limited length, without control characters (docs/contract.md#text), including those
//! that change the direction of the text around them.

use std::fmt;

use super::InvalidValue;

/// Returns whether a character is invisible and changes how a terminal or a page shows the text around it: the control
/// characters C0 and C1, line separators, and the embeddings, overrides and isolates of bidirectional text. Not the
/// marks that Arabic and Hebrew texts use, which affect only themselves.
pub fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn bounded(
    text: &str,
    min: usize,
    max: usize,
    is_refused: fn(char) -> bool,
    violation: &'static str,
) -> Result<String, InvalidValue> {
    let text = text.trim();
    let length = text.chars().count();
    if length < min || length > max || text.chars().any(is_refused) {
        return Err(InvalidValue(violation));
    }
    Ok(text.to_owned())
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident, $min:literal, $max:literal, $violation:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// Trims and validates the text.
            pub fn parse(text: &str) -> Result<Self, InvalidValue> {
                bounded(text, $min, $max, is_control, $violation).map(Self)
            }

            /// Parses a stored text. Earlier versions accepted characters that change the direction of text.
            pub fn stored(text: &str) -> Result<Self, InvalidValue> {
                bounded(text, $min, $max, char::is_control, $violation).map(Self)
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

texts! {
    /// The name of a team, a project or a person: 1 to 100 characters.
    Name, 1, 100, "must be 1 to 100 characters without control characters";
    /// The display name of an API key: 1 to 100 characters.
    Label, 1, 100, "must be 1 to 100 characters without control characters";
    /// A free-form label for the role of a team member: 0 to 64 characters. It grants no permissions.
    #[derive(Default)]
    RoleName, 0, 64, "must be at most 64 characters without control characters";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_counted_in_characters() {
        assert_eq!(Name::parse("  Ünïcode ").unwrap().as_str(), "Ünïcode");
        assert!(Name::parse(&"é".repeat(100)).is_ok());
        assert!(Name::parse(&"é".repeat(101)).is_err());
        assert!(Name::parse(" \t ").is_err());
        for control in ["a\u{7}b", "a\u{9b}31mb", "ann\u{202e}gnp.exe", "\u{2067}ann", "a\u{2028}b"] {
            assert!(Name::parse(control).is_err() && Label::parse(control).is_err(), "{control:?}");
            assert!(RoleName::parse(control).is_err(), "{control:?}");
        }
        assert!(Name::parse("שלום\u{200f}!").is_ok(), "A mark affects only itself.");
        assert!(Name::stored("ann\u{202e}").is_ok() && Name::stored("a\u{9b}b").is_err());
        assert!(RoleName::parse("").is_ok());
    }
}
