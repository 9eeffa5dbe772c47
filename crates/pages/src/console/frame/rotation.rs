//! What the pages share that replace a secret and let the old one work for a while.

use steward_domain::kernel::error::Error;
use steward_domain::kernel::{PresentedValue, ReplacedValue, ReplacedValues, Time};

use crate::request::form::Form;

use super::Timestamp;

/// Values and labels of the field that decides how long the old value works.
pub(crate) const GRACE_PERIODS: [(&str, &str); 4] = [
    ("0", "It stops working at once"),
    ("3600", "It works for another hour"),
    ("21600", "It works for another 6 hours"),
    ("86400", "It works for another 24 hours"),
];

/// Returns for how many seconds the old value works, as a form selects.
pub(crate) fn grace_seconds(form: &Form) -> Result<u32, Error> {
    let seconds = form.text("grace_seconds").parse::<u32>();
    seconds.map_err(|_| Error::invalid("grace_seconds", "must be a number of seconds"))
}

/// A value that a key, or the secret of a client or webhook, had before it was rotated, while it still works.
pub(crate) struct ReplacedLine {
    /// The name of the value within a sentence, and at its start.
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) until: Timestamp,
    pub(crate) last_used: Option<Timestamp>,
}

impl ReplacedLine {
    /// Returns the values that still work.
    pub(crate) fn of<V: Clone>(values: &ReplacedValues<V>, now: &Time) -> Vec<Self> {
        let line = |(which, value): (PresentedValue, &ReplacedValue<V>)| {
            let (name, label) = match which {
                PresentedValue::Earlier => ("earlier", "Earlier"),
                PresentedValue::Current | PresentedValue::Previous => ("previous", "Previous"),
            };
            Self { name, label, until: value.expires_at.into(), last_used: value.last_used.map(Timestamp::from) }
        };
        values.clone().as_of(*now).iter().map(line).collect()
    }
}
