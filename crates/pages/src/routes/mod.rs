//! Routes of the pages, one file per topic.

mod completion;
mod consent;
mod continuation;
mod device;
mod email;
mod email_code;
mod invite;
mod logout;
mod offered_providers;
mod passkey;
mod password;
mod provider;
mod provider_confirmation;
mod second_factor;
mod sign_in;
mod sign_in_form;
mod sign_out;
mod sign_up;
mod well_known;

use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, Resource, web};
use steward_domain::kernel::Color;
use steward_domain::kernel::error::Error;
use steward_web::Asset;

use crate::Pages;
use crate::brand::{ACCENT, BACKGROUND, preview, stylesheet};
use crate::error::{PageError, PageResult};
use crate::page::{Page, pages};
use crate::request::form::Form;
use crate::resource::{asset, page};
use crate::response::see_other;

pub(crate) use self::consent::line as scope_line;

const STYLE: &str = include_str!("../../assets/steward.css");
const PASSKEYS: &str = include_str!("../../assets/passkeys.js");
const FORM_POST: &str = include_str!("../../assets/form-post.js");
const ICON: &str = include_str!("../../assets/steward.svg");

/// Every page outside of the console: the path, the operation that the page performs or offers, the conditions that the
/// account of a person who is signed in must meet, the rate limit of its form, its lane, its tab, the handler that
/// shows it, and the handler of its form.
pub(crate) const PAGES: &[Page] = pages! { "":
    "/auth/sign-in", SignIn, AnyAccount, SignIns, Interactive, None => sign_in::show, sign_in::submit;
    "/auth/sign-in/passkey", PasskeyVerify, AnyAccount, SignIns, Interactive, None => passkey::back, passkey::submit;
    "/auth/sign-in/email", EmailLinkSend, AnyAccount, SignIns, Interactive, None => email_code::show_address, email_code::submit_address;
    "/auth/sign-in/code", EmailCodeVerify, AnyAccount, SignIns, Interactive, None => email_code::show, email_code::submit;
    "/auth/sign-in/provider", ProviderSignIn, AnyAccount, SignIns, Interactive, None => provider::back, provider::submit;
    "/auth/sign-in/provider/confirm", ProviderSignIn, AnyAccount, SignIns, Interactive, None => provider_confirmation::show, provider_confirmation::submit;
    "/auth/provider/{provider}", ProviderSignIn, AnyAccount, SignIns, Interactive, None => provider::callback, provider::forward;
    "/auth/second-factor", SecondFactorVerify, AnyAccount, SignIns, Interactive, None => second_factor::show, second_factor::submit;
    "/auth/sign-up", SignUp, NoAccount, SignIns, Interactive, None => sign_up::show, sign_up::submit;
    "/auth/consent", Consent, All, SignIns, Interactive, None => consent::show, consent::submit;
    "/auth/device", Authorize, AnyAccount, SignIns, Interactive, None => device::show, device::submit;
    "/auth/invite", InviteAccept, All, SignIns, Interactive, None => invite::show, invite::submit;
    "/auth/sign-out", SignOut, AnyAccount, SignIns, Interactive, None => sign_out::show, sign_out::submit;
    "/auth/logout", SignOut, AnyAccount, SignIns, Interactive, None => logout::show, logout::forward;
    "/auth/logout/confirm", SignOut, AnyAccount, SignIns, Interactive, None => account, logout::confirm;
    "/auth/forgot-password", EmailLinkSend, AnyAccount, SignIns, Interactive, None => password::show_forgot, password::submit_forgot;
    "/auth/reset-password", PasswordReset, AnyAccount, SignIns, Interactive, None => password::show_reset, password::submit_reset;
    "/auth/verify-email", EmailVerify, AnyAccount, SignIns, Interactive, None => email::show, email::submit;
    "/auth/verify-email/send", EmailLinkSend, AnyAccount, SignIns, Interactive, None => account, email::send;
    "/auth/confirm-email", EmailLinkSend, AnyAccount, SignIns, Interactive, None => email::show_required, email::send;
    "/auth/sessions", SessionEnd, AnyAccount, SignIns, Interactive, None => account_sessions, account_sessions;
};

/// Returns every page and file outside of the console that the service has.
pub(crate) fn all(pages: &Pages) -> Vec<Resource> {
    let assets = [
        web::resource("/auth/style.css").get(|| async { asset("text/css; charset=utf-8", STYLE) }),
        web::resource("/auth/colors.css").get(colors),
        web::resource("/auth/colors.svg").get(colors),
        web::resource("/auth/passkeys.js").get(|| async { asset("text/javascript; charset=utf-8", PASSKEYS) }),
        web::resource("/auth/form-post.js").get(|| async { asset("text/javascript; charset=utf-8", FORM_POST) }),
        web::resource("/auth/icon.svg").get(|| async { asset("image/svg+xml", ICON) }),
    ];
    let shown = PAGES.iter().flat_map(|page| (page.resources)());
    shown.chain(assets).chain(page("/sdk/{file}", package)).chain(well_known::all(pages)).collect()
}

/// The packages of the SDKs by name.
static PACKAGES: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    steward_sdks::ALL.into_iter().map(|package| (package.name, Asset::archive(package.content))).collect()
});

/// Returns a package of an SDK, for a package manager.
async fn package(request: HttpRequest) -> PageResult {
    let found = PACKAGES.get(request.match_info().get("file").unwrap_or_default());
    Ok(found.ok_or(PageError::NoPage(StatusCode::NOT_FOUND))?.respond(&request, |_| ()))
}

/// Returns the stylesheet with the colors of its address, or a picture of a page with them.
async fn colors(request: HttpRequest) -> PageResult {
    let query = Form::of_query(&request);
    let color = |name| query.given(name).map(Color::parse).transpose();
    match (color(ACCENT), color(BACKGROUND)) {
        (Ok(accent), Ok(background)) if request.path().ends_with(".svg") => {
            Ok(asset("image/svg+xml", preview(accent, background).map_err(|error| Error::Internal(error.into()))?))
        }
        (Ok(accent), Ok(background)) => Ok(asset("text/css; charset=utf-8", stylesheet(accent, background))),
        _ => Err(PageError::NoPage(StatusCode::NOT_FOUND)),
    }
}

/// Redirects to the person's account, from paths that only accept POST.
async fn account() -> HttpResponse {
    see_other("/console/account")
}

/// Redirects to the person's sessions. Clients and documents link to this address, which does not change.
async fn account_sessions() -> HttpResponse {
    see_other("/console/account/sessions")
}
