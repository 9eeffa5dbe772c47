//! Validation of the fields of one input.

use std::fmt;

use serde_json::{Map, Value};

use crate::kernel::violations::{Violation, Violations};

use super::Error;

/// Collects the violations of several fields, so that all are reported together.
#[derive(Debug, Default)]
pub struct FieldViolations(Violations<Violation>);

impl FieldViolations {
    /// Returns the parsed value, or records a violation and returns `None`. Only the first violation of a field is
    /// recorded.
    pub fn check<T, E: fmt::Display>(&mut self, field: &'static str, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|violation| self.add(Violation::invalid(field, violation))).ok()
    }

    /// Parses the text of a field that may be absent, as [`check`](Self::check) does.
    pub fn check_given<T, E: fmt::Display>(
        &mut self,
        field: &'static str,
        text: Option<&str>,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        self.check(field, parse(text?))
    }

    /// Records a violation, unless the field already has one.
    pub fn add(&mut self, violation: Violation) {
        if !self.0.as_slice().iter().any(|recorded| recorded.field == violation.field) {
            self.0.push(violation);
        }
    }

    /// Records a violation for each member of an object that is not in `known`. `within` is the path prefix of the
    /// object: empty, or for example `auth.`.
    pub fn reject_unknown(&mut self, within: &str, members: &Map<String, Value>, known: &[&str]) {
        let unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
        self.0.extend(unknown.map(|name| {
            let violation = Violation::unknown(name, known);
            Violation { field: format!("{within}{}", violation.field), ..violation }
        }));
    }

    /// Returns the value, or an error if any violation was recorded.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Error> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(Error::Invalid(self.0)),
        }
    }
}

impl From<FieldViolations> for Violations<Violation> {
    fn from(violations: FieldViolations) -> Self {
        violations.0
    }
}

impl From<Violations<Violation>> for FieldViolations {
    fn from(violations: Violations<Violation>) -> Self {
        Self(violations)
    }
}
