//! A page that asks before an action.

use askama::Template;

use super::form_state::FormState;
use super::shell::Shell;
use super::timestamps::Timestamp;

/// Asks before an action. Its form has only a button; templates that extend this one add fields.
#[derive(Template)]
#[template(path = "console/confirmation.html")]
pub(super) struct Confirmation {
    pub(super) shell: Shell,
    pub(super) form: FormState,
    /// What is going to happen, such as "Delete the API key".
    pub(super) title: &'static str,
    /// The name of what it happens to.
    pub(super) subject: String,
    /// What follows, as sentences.
    pub(super) consequences: Vec<String>,
    /// When it was last used, and the words before that.
    pub(super) last_used: Option<(&'static str, Timestamp)>,
    /// Where the form is submitted to.
    pub(super) address: String,
    pub(super) button: &'static str,
    pub(super) is_danger: bool,
    /// The page to return to without the action.
    pub(super) back: String,
}
