//! The page that posts a response to a client (OAuth 2.0 Form Post Response Mode §2).

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use steward_domain::identity::FormPost;
use steward_domain::kernel::error::Error;

use crate::response::{AllowedOrigins, page_with};
use crate::views;

/// Returns a page with a form that a script posts to the client, or without scripts the person. MUST be for a URI that
/// the client has registered.
pub(crate) fn form_post(form: &FormPost) -> Result<HttpResponse, Error> {
    let allowed = AllowedOrigins { form: true, scripts: true };
    page_with(StatusCode::OK, &views::FormPost { action: &form.action, fields: &form.fields }, &allowed)
}
