//! Addresses at which password managers, browsers and researchers look for pages of the service (RFC 8615).

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, Resource, web};
use serde_json::json;
use steward_domain::kernel::SecurityContacts;

use crate::Pages;
use crate::resource::{asset, page};
use crate::response::see_other;

/// The page on which people change their password. It first asks a person who is signed out to sign in.
const PASSWORD: &str = "/console/account/password";
/// The pages on which people set up and manage passkeys.
const NEW_PASSKEY: &str = "/console/account/passkeys/new";
const PASSKEYS: &str = "/console/account/passkeys";

/// Returns the addresses of what the service has.
pub(crate) fn all(pages: &Pages) -> Vec<Resource> {
    let mut found = page("/.well-known/change-password", change_password);
    if pages.steward.passkeys.are_available() {
        found.extend(page("/.well-known/passkey-endpoints", passkey_endpoints));
    }
    if !pages.security_contacts.is_empty() {
        found.extend(page(SecurityContacts::PATH, security_contacts));
    }
    found
}

/// Redirects to the page for a new password (A Well-Known URL for Changing Passwords).
async fn change_password() -> HttpResponse {
    see_other(PASSWORD)
}

/// Returns where people set up and manage passkeys (A Well-Known URL for Relying Party Passkey Endpoints §3.1).
async fn passkey_endpoints(pages: web::Data<Pages>) -> HttpResponse {
    let address = &pages.steward.address;
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .json(json!({"enroll": address.at(NEW_PASSKEY), "manage": address.at(PASSKEYS)}))
}

/// Returns where people report vulnerabilities (RFC 9116).
async fn security_contacts(pages: web::Data<Pages>) -> HttpResponse {
    let file = pages.security_contacts.file(&pages.steward.address, pages.steward.clock.now());
    asset("text/plain; charset=utf-8", file)
}
