//! Routes of the pages, one file per topic.

mod consent;
mod continuation;
mod email;
mod invite;
mod logout;
mod password;
mod sign_in;
mod sign_out;
mod sign_up;

use actix_web::{HttpResponse, Resource, web};

use crate::resource::{asset, page};
use crate::response::see_other;

pub(crate) use self::consent::line as scope_line;

const STYLE: &str = include_str!("../../assets/steward.css");
const ICON: &str = include_str!("../../assets/steward.svg");

/// Returns every page.
pub(crate) fn all() -> Vec<Resource> {
    let pages = [
        page("/auth/sign-in", sign_in::show, sign_in::submit),
        page("/auth/sign-up", sign_up::show, sign_up::submit),
        page("/auth/consent", consent::show, consent::submit),
        page("/auth/invite", invite::show, invite::submit),
        page("/auth/sign-out", sign_out::show, sign_out::submit),
        page("/auth/logout", logout::show, logout::forward),
        page("/auth/logout/confirm", account, logout::confirm),
        page("/auth/forgot-password", password::show_forgot, password::submit_forgot),
        page("/auth/reset-password", password::show_reset, password::submit_reset),
        page("/auth/verify-email", email::show, email::submit),
        page("/auth/verify-email/send", account, email::send),
        page("/auth/confirm-email", email::show_required, email::send),
        page("/auth/sessions", account_sessions, account_sessions),
    ];
    let assets = [
        web::resource("/auth/style.css").get(|| async { asset("text/css; charset=utf-8", STYLE) }),
        web::resource("/auth/icon.svg").get(|| async { asset("image/svg+xml", ICON) }),
    ];
    pages.into_iter().flatten().chain(assets).collect()
}

/// Redirects to the person's account, from paths that only accept POST.
async fn account() -> HttpResponse {
    see_other("/console/account")
}

/// Redirects to the person's sessions. Clients and documents link to this address, which does not change.
async fn account_sessions() -> HttpResponse {
    see_other("/console/account/sessions")
}
