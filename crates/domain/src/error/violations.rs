//! The violations of an input: all of them together, but never more than anybody reads, so that an answer stays small
//! whatever was sent.

use std::fmt;

use super::ViolationCode;

/// How many violations of one input are reported.
pub const MAX_VIOLATIONS: usize = 100;

/// How many characters of a caller's own text a message repeats.
const MAX_QUOTED: usize = 100;

/// What is wrong with one field of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The field; of a nested one the way to it, such as `auth.redirect_uris[2]`.
    pub field: String,
    /// What kind of violation it is.
    pub code: ViolationCode,
    /// What is wrong and how to mend it.
    pub message: String,
}

impl Violation {
    /// The value of a field breaks a rule.
    pub fn invalid(field: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { field: field.into(), code: ViolationCode::InvalidValue, message: message.to_string() }
    }

    /// A member is not one of those that are known.
    pub fn unknown(name: &str, known: &[&str]) -> Self {
        let message = match nearest(name, known) {
            Some(meant) => format!("is not a known member; did you mean {meant}?"),
            None => format!("is not a known member; known are {}", known.join(", ")),
        };
        Self { field: quoted(name), code: ViolationCode::UnknownField, message }
    }
}

/// The name that a misspelt one was most likely meant to be.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Names that are less alike than this are other names.
    const MIN_SIMILARITY: f64 = 0.8;
    /// No name that is known is as long.
    const MAX_COMPARED: usize = 64;
    if name.len() > MAX_COMPARED {
        return None;
    }
    let spelled = name.to_lowercase().replace('-', "_");
    let alike = known.iter().map(|other| (strsim::jaro_winkler(&spelled, other), *other));
    alike.filter(|(score, _)| *score >= MIN_SIMILARITY).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, other)| other)
}

/// The first violations of an input, and whether there are more.
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
    /// Adds a violation while there is room. Whoever looks for more may stop once [`Violations::is_truncated`].
    pub fn push(&mut self, violation: V) {
        if self.list.len() < MAX_VIOLATIONS {
            self.list.push(violation);
        } else {
            self.truncated = true;
        }
    }

    /// Whether there are more violations than are listed.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The listed ones.
    pub fn as_slice(&self) -> &[V] {
        &self.list
    }

    /// Adds those of another part of the input.
    pub fn append(&mut self, other: Self) {
        self.truncated |= other.truncated;
        self.extend(other.list);
    }

    /// The same violations in other words.
    pub fn map<W>(self, f: impl FnMut(V) -> W) -> Violations<W> {
        Violations { list: self.list.into_iter().map(f).collect(), truncated: self.truncated }
    }
}

impl<V> Extend<V> for Violations<V> {
    /// Asks for one more than there is room for, and for no others.
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
        let mut all = Self::default();
        all.extend(violations);
        all
    }
}

/// What a message repeats of a caller's own text.
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
    fn a_hundred_violations_are_reported_and_no_more_are_looked_for() {
        let mut asked = 0;
        let many: Violations<usize> = (0..1_000_000).inspect(|_| asked += 1).collect();
        assert_eq!((many.as_slice().len(), many.is_truncated(), asked), (MAX_VIOLATIONS, true, MAX_VIOLATIONS + 1));
        let all: Violations<usize> = (0..MAX_VIOLATIONS).collect();
        assert!(!all.is_truncated() && all.as_slice().len() == MAX_VIOLATIONS);
    }

    #[test]
    fn an_unknown_member_is_named_with_the_nearest_known_one() {
        let known = ["label", "roles", "teams", "projects", "expires_at"];
        for (name, meant) in
            [("project_ids", "projects"), ("expiresAt", "expires_at"), ("team", "teams"), ("Roles", "roles")]
        {
            let violation = Violation::unknown(name, &known);
            assert_eq!((violation.field.as_str(), violation.code), (name, ViolationCode::UnknownField));
            assert_eq!(violation.message, format!("is not a known member; did you mean {meant}?"));
        }
        let stranger = Violation::unknown("zzz", &known).message;
        assert_eq!(stranger, "is not a known member; known are label, roles, teams, projects, expires_at");
        assert!(Violation::unknown(&"x".repeat(100_000), &known).field.len() < 200);
    }

    #[test]
    fn long_texts_are_repeated_in_part() {
        assert_eq!(quoted("näme"), "näme");
        assert_eq!(quoted(&"ä".repeat(100_000)), format!("{}…", "ä".repeat(MAX_QUOTED)));
    }
}
