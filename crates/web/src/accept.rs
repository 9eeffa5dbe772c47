//! What the client accepts as a response.

use actix_web::http::header::{ACCEPT, HeaderMap};

/// Returns whether the client accepts HTML, as browsers do.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}
