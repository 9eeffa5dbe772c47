//! Violations of an input. All of them are reported together, up to [`MAX_VIOLATIONS`], so that a response stays small
//! whatever was sent.

use std::fmt;

use crate::kernel::named;

/// Maximum number of violations that are reported for one input.
pub const MAX_VIOLATIONS: usize = 100;

/// Maximum number of violations in one message. The response lists all of them in `errors`.
const MAX_IN_MESSAGE: usize = 5;

/// Maximum number of characters of the caller's input that a message quotes.
const MAX_QUOTED: usize = 100;

/// A rule that one field of an input violates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Name of the field, or the path of a nested field such as `auth.redirect_uris[2]`.
    pub field: String,
    /// Machine-readable code.
    pub code: ViolationCode,
    /// What is wrong and how to fix it.
    pub message: String,
}

named! {
    /// Machine-readable code of one violation in `errors`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ViolationCode: "the code as it appears in responses" {
        /// The operation has no such field.
        UnknownField = "unknown_field",
        /// A required field is missing.
        MissingField = "missing_field",
        /// The field has the wrong JSON type.
        InvalidType = "invalid_type",
        /// The value violates a rule of the field.
        InvalidValue = "invalid_value",
    }
}

impl Violation {
    /// Creates a violation with code [`ViolationCode::InvalidValue`].
    pub fn invalid(field: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { field: field.into(), code: ViolationCode::InvalidValue, message: message.to_string() }
    }

    /// Creates a violation with code [`ViolationCode::UnknownField`]. The message suggests the most similar known
    /// field, or lists all known fields if none is similar.
    pub fn unknown(name: &str, known: &[&str]) -> Self {
        let message = match most_similar(name, known) {
            Some(suggestion) => format!("is not a known field (did you mean `{suggestion}`?)"),
            None => format!("is not a known field (known fields: {})", known.join(", ")),
        };
        Self { field: quoted(name), code: ViolationCode::UnknownField, message }
    }
}

/// Returns the known name that is most similar to a misspelled one. Upper and lower case, and hyphens and underscores,
/// are treated as equal.
pub fn most_similar<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Minimum Jaro-Winkler similarity of a suggestion.
    const MIN_SIMILARITY: f64 = 0.8;
    /// Longer names are not compared: all known names are shorter.
    const MAX_COMPARED: usize = 64;
    if name.len() > MAX_COMPARED {
        return None;
    }
    let normalized = |name: &str| name.to_lowercase().replace('-', "_");
    let name = normalized(name);
    let scored = known.iter().map(|other| (strsim::jaro_winkler(&name, &normalized(other)), *other));
    scored.filter(|(score, _)| *score >= MIN_SIMILARITY).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, other)| other)
}

/// The first [`MAX_VIOLATIONS`] violations of an input, and whether there are more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations<V> {
    list: Vec<V>,
    truncated: bool,
}

impl<V> Default for Violations<V> {
    fn default() -> Self {
        Self { list: Vec::new(), truncated: false }
    }
}

impl<V> Violations<V> {
    /// Adds a violation, or sets [`Violations::is_truncated`] if the list is full. Callers can stop searching then.
    pub fn push(&mut self, violation: V) {
        if self.list.len() < MAX_VIOLATIONS {
            self.list.push(violation);
        } else {
            self.truncated = true;
        }
    }

    /// Returns whether there are more violations than the list holds.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Returns whether there are no violations.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the listed violations.
    pub fn as_slice(&self) -> &[V] {
        &self.list
    }

    /// Adds the violations of another part of the input.
    pub fn append(&mut self, other: Self) {
        self.truncated |= other.truncated;
        self.extend(other.list);
    }

    /// Converts each listed violation.
    pub fn map<W>(self, f: impl FnMut(V) -> W) -> Violations<W> {
        Violations { list: self.list.into_iter().map(f).collect(), truncated: self.truncated }
    }
}

impl fmt::Display for Violations<Violation> {
    /// Joins the violations into one message such as `name: is required; slug: must not be empty.`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = self.list.iter().take(MAX_IN_MESSAGE).map(|Violation { field, message, .. }| {
            let message = message.strip_suffix('.').unwrap_or(message);
            format!("{field}: {message}")
        });
        let listed = listed.collect::<Vec<_>>().join("; ");
        let at_least = if self.truncated { "at least " } else { "" };
        match self.list.len().saturating_sub(MAX_IN_MESSAGE) {
            0 => write!(f, "{listed}."),
            rest => write!(f, "{listed}; and {at_least}{rest} more (see `errors`)."),
        }
    }
}

impl<V> Extend<V> for Violations<V> {
    /// Takes at most one more violation than the list can hold, so that the rest of the input is not checked.
    fn extend<I: IntoIterator<Item = V>>(&mut self, violations: I) {
        for violation in violations {
            self.push(violation);
            if self.truncated {
                break;
            }
        }
    }
}

impl<V> FromIterator<V> for Violations<V> {
    fn from_iter<I: IntoIterator<Item = V>>(violations: I) -> Self {
        let mut collected = Self::default();
        collected.extend(violations);
        collected
    }
}

/// Shortens the caller's input to 100 characters for use in a message.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_hundred_violations_are_collected_and_the_search_stops_then() {
        let mut produced = 0;
        let many: Violations<usize> = (0..1_000_000).inspect(|_| produced += 1).collect();
        assert_eq!((many.as_slice().len(), many.is_truncated(), produced), (MAX_VIOLATIONS, true, MAX_VIOLATIONS + 1));
        let all: Violations<usize> = (0..MAX_VIOLATIONS).collect();
        assert!(!all.is_truncated() && all.as_slice().len() == MAX_VIOLATIONS);
    }

    #[test]
    fn an_unknown_field_is_reported_with_the_most_similar_known_one() {
        let known = ["label", "roles", "teams", "projects", "expires_at"];
        for (name, suggestion) in
            [("project_ids", "projects"), ("expiresAt", "expires_at"), ("team", "teams"), ("Roles", "roles")]
        {
            let violation = Violation::unknown(name, &known);
            assert_eq!((violation.field.as_str(), violation.code), (name, ViolationCode::UnknownField));
            assert_eq!(violation.message, format!("is not a known field (did you mean `{suggestion}`?)"));
        }
        let without_suggestion = Violation::unknown("zzz", &known).message;
        assert_eq!(
            without_suggestion,
            "is not a known field (known fields: label, roles, teams, projects, expires_at)"
        );
        assert!(Violation::unknown(&"x".repeat(100_000), &known).field.len() < 200);
    }

    #[test]
    fn quoted_input_is_shortened_to_a_hundred_characters() {
        assert_eq!(quoted("näme"), "näme");
        assert_eq!(quoted(&"ä".repeat(100_000)), format!("{}…", "ä".repeat(MAX_QUOTED)));
    }
}
