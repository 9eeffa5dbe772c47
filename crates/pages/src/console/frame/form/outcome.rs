//! The result of a submitted form.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use askama::Template;
use steward_domain::kernel::error::{Cause, Error};

use crate::console::frame::Signed;
use crate::error::PageResult;
use crate::response::render;

use super::state::FormState;

/// Header with the address that htmx shows for the page (htmx reference, response headers).
const PUSH_URL: HeaderName = HeaderName::from_static("hx-push-url");

/// What follows a submitted form that was accepted.
pub(crate) enum Outcome {
    /// The browser opens this address, which shows the message. Neither contains secrets.
    Next { address: String, message: String },
    /// The response itself is a page, which contains a secret that is shown once. Afterwards, its address shows what
    /// was created.
    Page { html: String, address: String },
}

/// Result of [`Submission::run_once`](super::submission::Submission::run_once).
pub(crate) enum Submitted {
    /// The form was accepted.
    Done(HttpResponse),
    /// The form was refused. It is shown again with the entered values and the errors.
    Refused(FormState),
}

impl Submitted {
    /// Returns the response to the form, or the page that `show` shows again.
    pub(crate) async fn or_show(self, show: impl AsyncFnOnce(FormState) -> PageResult) -> PageResult {
        match self {
            Self::Done(response) => Ok(response),
            Self::Refused(form) => show(form).await,
        }
    }
}

impl Outcome {
    /// Opens an address next.
    pub(crate) fn next(address: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Next { address: address.into(), message: message.into() }
    }

    /// Shows a page with a secret that is shown once. A browser that loaded it with a script opens the address when the
    /// person reloads it, and that page says that the value was shown. The address MUST NOT contain secrets.
    pub(crate) fn page(view: &impl Template, address: &str) -> Result<Self, Error> {
        let separator = if address.contains('?') { '&' } else { '?' };
        Ok(Self::Page { html: render(view)?, address: format!("{address}{separator}value=shown") })
    }

    /// Returns the form in which a repeated submission gets it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Next { address, message } => format!("next\n{address}\n{message}").into_bytes(),
            Self::Page { html, address } => format!("page\n{address}\n{html}").into_bytes(),
        }
    }

    pub(crate) fn from_bytes(stored: &[u8]) -> Result<Self, Error> {
        let text = String::from_utf8_lossy(stored);
        let invalid = || Error::Internal(Cause::msg("The stored response to the form is not valid."));
        match text.split_once('\n') {
            Some(("next", rest)) => {
                let (address, message) = rest.split_once('\n').unwrap_or((rest, ""));
                Ok(Self::next(address, message))
            }
            Some(("page", rest)) => {
                let (address, html) = rest.split_once('\n').ok_or_else(invalid)?;
                Ok(Self::Page { html: html.to_owned(), address: address.to_owned() })
            }
            _ => Err(invalid()),
        }
    }

    pub(crate) fn respond(self, signed: &Signed) -> PageResult {
        match self {
            Self::Next { address, message } => signed.next(&address, &message),
            Self::Page { html, address } => {
                let mut response = signed.html(StatusCode::OK, html)?;
                let address = HeaderValue::try_from(address).map_err(|error| Error::Internal(error.into()))?;
                response.headers_mut().insert(PUSH_URL, address);
                Ok(response)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_read_as_it_was_stored() {
        let html = "<!DOCTYPE html>\n<html>\n</html>".to_owned();
        for outcome in [
            Outcome::next("/console/teams/t1", "The team was created."),
            Outcome::Page { html, address: "/console/account/tokens?value=shown".to_owned() },
        ] {
            let stored = outcome.to_bytes();
            assert_eq!(Outcome::from_bytes(&stored).unwrap().to_bytes(), stored);
        }
        for invalid in ["", "page", "page\nx", "other\nx\ny"] {
            assert!(Outcome::from_bytes(invalid.as_bytes()).is_err(), "{invalid}");
        }
    }
}
