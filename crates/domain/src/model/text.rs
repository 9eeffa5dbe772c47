//! Short display texts: trimmed, of limited length, without control characters (contract 1.9).

use std::fmt;

use super::InvalidValue;

fn bounded(text: &str, min: usize, max: usize, violation: &'static str) -> Result<String, InvalidValue> {
    let text = text.trim();
    let length = text.chars().count();
    if length < min || length > max || text.chars().any(char::is_control) {
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
                bounded(text, $min, $max, $violation).map(Self)
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
        assert!(Name::parse("a\u{7}b").is_err());
        assert!(RoleName::parse("").is_ok());
    }
}
