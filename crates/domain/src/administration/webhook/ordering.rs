//! Order in which the events of a webhook are delivered.

use crate::kernel::named;

named! {
    /// Which events of a webhook wait for each other.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum WebhookOrdering: "the ordering as it is returned in responses and stored",
        else "must be `project` or `none`"
    {
        /// The events of a project are delivered one after the other, and so are the events of the team itself. Events
        /// of different projects are delivered concurrently.
        #[default]
        Project = "project",
        /// No event waits for another one.
        Unordered = "none",
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
