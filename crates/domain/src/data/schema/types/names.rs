//! Names in generated sources: in the style of the language, and unique.

use std::collections::HashSet;

/// Assigns names that are neither reserved nor repeated.
pub(super) struct UniqueNames {
    used: HashSet<String>,
    /// Distinguishes a name that is reserved or used.
    suffix: &'static str,
    /// Suffixes of further names that belong to each name.
    derived: &'static [&'static str],
}

impl UniqueNames {
    pub(super) fn new(reserved: &[&str], suffix: &'static str) -> Self {
        Self { used: reserved.iter().map(|name| (*name).to_owned()).collect(), suffix, derived: &[] }
    }

    /// Assigns further names with each name, which are unique, too.
    pub(super) fn with_derived(self, derived: &'static [&'static str]) -> Self {
        Self { derived, ..self }
    }

    /// Returns the name, with a suffix if it is reserved or used, and with a number if that is used too.
    pub(super) fn next(&mut self, name: String) -> String {
        let suffixed = format!("{name}{}", self.suffix);
        let numbered = (2_u32..).map(|number| format!("{suffixed}{number}"));
        let mut candidates = std::iter::once(name).chain([suffixed.clone()]).chain(numbered);
        let with_derived = |name: &str| -> Vec<String> {
            std::iter::once("").chain(self.derived.iter().copied()).map(|suffix| format!("{name}{suffix}")).collect()
        };
        let is_free = |name: &String| with_derived(name).iter().all(|name| !self.used.contains(name));
        let unique = candidates.find(is_free).unwrap_or_else(|| suffixed.clone());
        let names = with_derived(&unique);
        self.used.extend(names);
        unique
    }
}

/// Returns the name of a type: `sync_log` and `syncLog` become `SyncLog`.
pub(super) fn pascal_case(name: &str) -> String {
    let words = words(name).into_iter().map(|word| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word.as_str(), ""));
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    let name: String = words.collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("Table{name}") } else { name }
}

/// Returns the name of a field in Rust: `firstName` becomes `first_name`.
pub(super) fn snake_case(name: &str) -> String {
    let name = words(name).join("_");
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("field_{name}") } else { name }
}

/// Splits a name into its words, in lowercase: at underscores, before a capital letter that follows another letter or
/// digit, and before the last capital letter of an abbreviation.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = '_';
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_abbreviation = previous.is_ascii_uppercase() && rest.peek().is_some_and(char::is_ascii_lowercase);
        let starts_word = c.is_ascii_uppercase() && (!previous.is_ascii_uppercase() || ends_abbreviation);
        if c == '_' || starts_word {
            words.push(String::new());
        }
        if c != '_'
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_style_of_the_language() {
        for (name, pascal, snake) in [
            ("notes", "Notes", "notes"),
            ("sync_log", "SyncLog", "sync_log"),
            ("syncLog", "SyncLog", "sync_log"),
            ("SYNC_LOG", "SyncLog", "sync_log"),
            ("HTTPRequest", "HttpRequest", "http_request"),
            ("a1B__c_", "A1BC", "a1_b_c"),
            ("2nd_Place", "Table2ndPlace", "field_2nd_place"),
            ("type", "Type", "type"),
        ] {
            assert_eq!((pascal_case(name).as_str(), snake_case(name).as_str()), (pascal, snake), "{name}");
        }
    }

    #[test]
    fn names_are_unique_and_not_reserved() {
        let mut names = UniqueNames::new(&["type"], "_");
        let assigned = ["type", "a", "a", "a", "a", "type"].map(|name| names.next(name.to_owned()));
        assert_eq!(assigned, ["type_", "a", "a_", "a_2", "a_3", "type_2"]);
    }
}
