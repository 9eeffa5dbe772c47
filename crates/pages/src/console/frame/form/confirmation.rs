//! A page that asks before an action.

use askama::Template;

use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::PageResult;

use super::state::FormState;

/// Asks before an action. Its form has only a button, and perhaps a field.
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
    pub(crate) consequences: Vec<&'static str>,
    /// When it was last used, and the words before that.
    pub(crate) last_used: Option<(&'static str, Timestamp)>,
    /// Whether the person types the name to confirm.
    pub(crate) is_typed: bool,
    /// Values and labels of the field `choice`, which has no default. Empty without one.
    pub(crate) choices: &'static [(&'static str, &'static str)],
    pub(crate) button: &'static str,
    pub(crate) is_danger: bool,
}

impl Confirmation {
    /// Asks before something that cannot be undone, or that ends access.
    pub(crate) fn of_danger(shell: Shell, form: FormState, title: &'static str, subject: impl Into<String>) -> Self {
        Self {
            shell,
            form,
            title,
            subject: subject.into(),
            consequences: Vec::new(),
            last_used: None,
            is_typed: false,
            choices: &[],
            button: title,
            is_danger: true,
        }
    }

    /// Returns the page.
    pub(crate) fn page(&self, signed: &Signed) -> PageResult {
        self.form.page(signed, self)
    }
}
