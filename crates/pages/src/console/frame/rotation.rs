//! What the pages share that replace a secret and let the old one work for a while.

use steward_domain::error::Error;

use crate::form::Form;

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

/// The value of a key, or of the secret of a client, before it was rotated, while it still works.
pub(crate) struct PreviousLine {
    pub(crate) until: Timestamp,
    pub(crate) last_used: Option<Timestamp>,
}
