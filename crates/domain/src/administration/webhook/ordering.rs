//! Order in which the events of a webhook are delivered.

use crate::kernel::InvalidValue;

/// Which events of a webhook wait for each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WebhookOrdering {
    /// The events of a project are delivered one after the other, and so are the events of the team itself. Events of
    /// different projects are delivered concurrently.
    #[default]
    Project,
    /// No event waits for another one.
    Unordered,
}

impl WebhookOrdering {
    /// Parses `project` or `none`.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "project" => Ok(Self::Project),
            "none" => Ok(Self::Unordered),
            _ => Err(InvalidValue("must be `project` or `none`")),
        }
    }

    /// Returns the ordering as it is returned in responses and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Unordered => "none",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_orderings_are_valid() {
        for ordering in [WebhookOrdering::Project, WebhookOrdering::Unordered] {
            assert_eq!(WebhookOrdering::parse(ordering.as_str()), Ok(ordering));
        }
        for invalid in ["", "None", "team", "unordered"] {
            assert!(WebhookOrdering::parse(invalid).is_err(), "{invalid}");
        }
    }
}
