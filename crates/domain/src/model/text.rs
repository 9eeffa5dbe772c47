//! Short texts that people read: trimmed, bounded, without control characters (contract 1.9).

use std::fmt;

use super::InvalidValue;

fn bounded(text: &str, least: usize, most: usize, violation: &'static str) -> Result<String, InvalidValue> {
    let text = text.trim();
    let length = text.chars().count();
    if length < least || length > most || text.chars().any(char::is_control) {
        return Err(InvalidValue(violation));
    }
    Ok(text.to_owned())
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident, $least:literal, $most:literal, $violation:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// Trims and checks the text.
            pub fn parse(text: &str) -> Result<Self, InvalidValue> {
                bounded(text, $least, $most, $violation).map(Self)
            }

            /// The text.
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
    /// What an API key is called by people: 1 to 100 characters.
    Label, 1, 100, "must be 1 to 100 characters without control characters";
    /// A free label for a member's part in a team: 0 to 64 characters. It grants nothing.
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
        assert!(Name::parse("a\u{7}b").is_err());
        assert!(RoleName::parse("").is_ok());
    }
}
