//! A page that asks before an action.

use askama::Template;

use crate::console::frame::{Shell, Timestamp};

use super::state::FormState;

/// Asks before an action. Its form has only a button; templates that extend this one add fields.
#[derive(Template)]
#[template(path = "console/frame/confirmation.html")]
pub(crate) struct Confirmation {
    pub(crate) shell: Shell,
    pub(crate) form: FormState,
    /// What is going to happen, such as "Delete the API key".
    pub(crate) title: &'static str,
    /// The name of what it happens to.
    pub(crate) subject: String,
    /// What follows, as sentences.
    pub(crate) consequences: Vec<String>,
    /// When it was last used, and the words before that.
    pub(crate) last_used: Option<(&'static str, Timestamp)>,
    pub(crate) button: &'static str,
    pub(crate) is_danger: bool,
}
