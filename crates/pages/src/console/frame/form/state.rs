//! A form as a page shows it: the entered values, and what is wrong with them.

use std::future::{Ready, ready};

use actix_web::{HttpResponse, ResponseError as _};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::kernel::Revision;
use steward_domain::kernel::error::{Conflict, Error};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{Permitted, Signed};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;
use crate::response::see_other;
use crate::wording::explanation::sentence;

/// An error of a field, as a sentence.
#[derive(Debug)]
pub(crate) struct FieldError {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// A form with its values and errors. The macros in `parts.html` read it.
pub(crate) struct FormState {
    /// The path of the page, which receives the form.
    pub(crate) address: String,
    pub(crate) csrf: String,
    /// Identifies one submission, so that a repeated one has no further effect.
    pub(crate) submission_id: String,
    /// The error of the whole form.
    pub(crate) general: Option<String>,
    pub(crate) errors: Vec<FieldError>,
    values: Vec<(String, String)>,
    is_stale: bool,
    refusal: Option<PageError>,
}

/// Returns the handler that opens a page with an empty form.
pub(crate) fn opened<P>(page: P) -> impl Fn(Signed) -> LocalBoxFuture<'static, PageResult> + Clone
where
    P: AsyncFn(&Signed, FormState) -> PageResult + Copy + 'static,
{
    move |signed| async move { page(&signed, FormState::new(&signed, &[])).await }.boxed_local()
}

/// Redirects to a page from a path that only accepts forms.
pub(crate) fn back_to(address: &'static str) -> impl Fn(Signed) -> Ready<HttpResponse> + Clone {
    move |_| ready(see_other(address))
}

impl FormState {
    /// Returns a new form with these values.
    pub(crate) fn new(signed: &Signed, values: &[(&str, &str)]) -> Self {
        let state = Self {
            address: signed.path().trim_end_matches('/').to_owned(),
            csrf: signed.browser.csrf(),
            submission_id: signed.steward().ids.next().to_string(),
            general: None,
            errors: Vec::new(),
            values: Vec::new(),
            is_stale: false,
            refusal: None,
        };
        state.starting_with(values)
    }

    /// Sets the values of a form that is opened. A refused form keeps what was entered.
    pub(crate) fn starting_with(mut self, values: &[(&str, &str)]) -> Self {
        if !self.is_refused() {
            self.values.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        }
        self
    }

    /// Refuses to open a form whose operation the person may not perform. A refused form is shown with its error.
    pub(crate) fn require(&self, permitted: Permitted, operation: Operation) -> Result<(), Error> {
        if self.is_refused() { Ok(()) } else { permitted.require(operation) }
    }

    /// Returns the submitted form with the errors of its use case.
    ///
    /// # Errors
    ///
    /// Errors that neither changing the values nor submitting them again can fix.
    pub(crate) fn refused(signed: &Signed, form: &Form, error: Error) -> Result<Self, PageError> {
        let values: Vec<_> = form.fields().collect();
        let mut state = Self::new(signed, &values);
        match &error {
            Error::Invalid(violations) => {
                let violations = violations.as_slice().iter();
                state.errors = violations.map(|one| field_error(&one.field, &one.message)).collect();
            }
            Error::SlugReserved(_) | Error::Conflict(Conflict::SlugTaken { .. }) => state.add("slug", &error),
            Error::Conflict(Conflict::EmailTaken) => state.add("email", &error),
            Error::Conflict(Conflict::UsernameTaken) => state.add("username", &error),
            Error::PreconditionFailed(kind) => {
                state.is_stale = true;
                state.general = Some(format!(
                    "The {kind} was changed while you were editing it. Your values are kept. Submit them again to \
                     replace the change, or reload the page to see it."
                ));
            }
            Error::Unavailable(_) => {
                // The change may have been made: submitted again, the form must not make it twice.
                form.text("once").clone_into(&mut state.submission_id);
                state.general = Some(general(&error));
            }
            Error::Unauthenticated(refused) if refused.is_of_passkey() => state.general = Some(sentence(&error)),
            Error::InvalidSchema { .. }
            | Error::InvalidItem(_)
            | Error::ItemTooLarge
            | Error::Image(_)
            | Error::Conflict(_)
            | Error::Forbidden(_)
            | Error::AccessChanged
            | Error::TooMany { .. } => state.general = Some(general(&error)),
            _ => return Err(error.into()),
        }
        state.refusal = Some(error.into());
        Ok(state)
    }

    fn add(&mut self, field: &str, error: &Error) {
        self.errors.push(FieldError { field: field.to_owned(), message: sentence(error) });
    }

    /// Returns the value of a field; empty if it has none.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.values.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// Whether a field has this value. For selected options and checkboxes.
    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.values.iter().any(|(other, found)| other == name && found == value)
    }

    /// Returns the error of a field.
    pub(crate) fn error(&self, name: &str) -> Option<&str> {
        self.errors.iter().find(|error| error.field == name).map(|error| error.message.as_str())
    }

    /// Returns all errors of a field.
    pub(crate) fn errors_of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        let errors = self.errors.iter().filter(move |error| error.field == name);
        errors.map(|error| error.message.as_str())
    }

    /// Whether the form was refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.refusal.is_some()
    }

    /// Returns why the form was refused.
    pub(crate) fn into_refusal(self) -> Option<PageError> {
        self.refusal
    }

    /// Whether the form was refused because its resource was changed after the form was shown.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Sets the value of a field.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.values.retain(|(other, _)| other != name);
        self.values.push((name.to_owned(), value));
    }

    /// Sets the revision that the form is about. A refused form keeps its own, unless that was the reason.
    pub(crate) fn with_revision(mut self, revision: impl Into<Option<Revision>>) -> Self {
        if let Some(revision) = revision.into()
            && (self.refusal.is_none() || self.is_stale)
        {
            self.set("revision", revision.0.to_string());
        }
        self
    }

    /// Returns the page that contains the form, with the status of the refusal if it was refused.
    pub(crate) fn page(&self, signed: &Signed, view: &impl Template) -> PageResult {
        let Some(error) = &self.refusal else { return signed.page(view) };
        let mut response = signed.page_with(error.status_code(), view)?;
        error.annotate(&mut response);
        Ok(response)
    }
}

/// Returns the error of a whole form as a sentence. Some errors are worded for clients of the API.
fn general(error: &Error) -> String {
    let text = match error {
        Error::Conflict(Conflict::IdempotencyMismatch) => {
            "This form was already submitted with other values. Check whether it had the intended effect, or submit it \
             again."
        }
        Error::Conflict(Conflict::IdempotencyInProgress) => {
            "This form was already submitted and is still being processed. Wait a moment, then check the result."
        }
        Error::Conflict(Conflict::IdempotencyResponseLost) => {
            "This form was already submitted and had its effect, but its response was lost. Check the result before you \
             submit it again."
        }
        Error::AccessChanged => "Your access changed while the form was processed. Submit it again.",
        _ => return sentence(error),
    };
    text.to_owned()
}

/// Returns a violation as a sentence: `must not be empty` becomes "Name must not be empty."
pub(crate) fn field_error(field: &str, message: &str) -> FieldError {
    let is_sentence = message.starts_with(char::is_uppercase);
    let text = if is_sentence { message.to_owned() } else { format!("{} {message}", label(field)) };
    let end = if text.ends_with('.') { "" } else { "." };
    FieldError { field: field.to_owned(), message: format!("{text}{end}") }
}

/// Returns the name of a field as people read it: `icon_url` becomes "Icon URL".
fn label(field: &str) -> String {
    let words = field.split('_').map(|word| match word {
        "pkce" => "PKCE",
        "recipient" => "email address or username",
        "uri" => "URI",
        "uris" => "URIs",
        "url" => "URL",
        other => other,
    });
    let text = words.collect::<Vec<_>>().join(" ");
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_becomes_a_sentence_about_its_field() {
        assert_eq!(field_error("role_name", "must be short").message, "Role name must be short.");
        assert_eq!(field_error("recipient", "must be short").message, "Email address or username must be short.");
        assert_eq!(field_error("icon_url", "must be short").message, "Icon URL must be short.");
        assert_eq!(field_error("redirect_uris", "must be short").message, "Redirect URIs must be short.");
        assert_eq!(field_error("email", "The account is disabled.").message, "The account is disabled.");
    }
}
