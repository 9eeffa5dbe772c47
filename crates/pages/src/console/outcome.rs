//! The result of a submitted form.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use steward_domain::error::{Cause, Error};

use crate::error::PageError;
use crate::response::render;

use super::form_state::FormState;
use super::signed::Signed;

/// What follows a submitted form that was accepted.
pub(crate) enum Outcome {
    /// The browser opens this address, which shows the message. Neither contains secrets.
    Next { address: String, message: String },
    /// The response itself is a page, which contains a secret that is shown once.
    Page(String),
}

/// Result of [`Submission::once`](super::submission::Submission::once).
pub(crate) enum Submitted {
    /// The form was accepted.
    Done(HttpResponse),
    /// The form was refused. It is shown again with the entered values and the errors.
    Refused(FormState),
}

impl Outcome {
    /// Opens an address next.
    pub(crate) fn next(address: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Next { address: address.into(), message: message.into() }
    }

    /// Shows a page with a secret.
    pub(crate) fn page(view: &impl Template) -> Result<Self, Error> {
        Ok(Self::Page(render(view)?))
    }

    /// Returns the form in which a repeated submission gets it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Next { address, message } => format!("next\n{address}\n{message}").into_bytes(),
            Self::Page(html) => format!("page\n{html}").into_bytes(),
        }
    }

    pub(super) fn from_bytes(stored: &[u8]) -> Result<Self, Error> {
        let text = String::from_utf8_lossy(stored);
        match text.split_once('\n') {
            Some(("next", rest)) => {
                let (address, message) = rest.split_once('\n').unwrap_or((rest, ""));
                Ok(Self::next(address, message))
            }
            Some(("page", html)) => Ok(Self::Page(html.to_owned())),
            _ => Err(Error::Internal(Cause::msg("The stored response to the form is not valid."))),
        }
    }

    pub(super) fn respond(self, signed: &Signed) -> Result<HttpResponse, PageError> {
        match self {
            Self::Next { address, message } => signed.next(&address, &message),
            Self::Page(html) => signed.html(StatusCode::OK, html),
        }
    }
}
