//! The account page: sessions, and the access granted to projects.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{
    GrantedProject, ProjectId, ServiceAddress, Session, SessionId, SignedIn, Time, TokenFamilyId,
};

use super::consent::line;
use super::with_browser_cookie;
use crate::browser::Browser;
use crate::error::PageError;
use crate::form::Form;
use crate::response::{AllowedOrigins, page_with, see_other};
use crate::views::{self, AccountLine, GrantLine, ProgramLine, SessionLine};

/// Shows the account page.
pub(crate) async fn show(browser: Browser) -> Result<HttpResponse, PageError> {
    shown(&browser, None).await
}

/// Redirects to the account page. Used for paths that only accept POST, and vice versa.
pub(crate) async fn back() -> HttpResponse {
    see_other("/auth/sessions")
}

/// Ends a session.
pub(crate) async fn end(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
    browser.check(&form)?;
    let Some(signed_in) = &browser.signed_in else { return Ok(see_other("/auth/sign-in")) };
    let id = SessionId::parse(form.text("id")).ok_or(Error::NotFound(ResourceKind::Session))?;
    back_after(browser.pages.steward.sessions.end(browser.request.clone(), signed_in, id).await).await
}

/// Signs a program out.
pub(crate) async fn revoke_first_party_sign_in(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
    browser.check(&form)?;
    let Some(signed_in) = &browser.signed_in else { return Ok(see_other("/auth/sign-in")) };
    let id = TokenFamilyId::parse(form.text("id")).ok_or(Error::NotFound(ResourceKind::TokenFamily))?;
    back_after(
        browser.pages.steward.token_grants.revoke_first_party_sign_in(browser.request.clone(), signed_in, id).await,
    )
    .await
}

/// Redirects back to the account page, also if the session or grant no longer exists.
async fn back_after(result: Result<(), Error>) -> Result<HttpResponse, PageError> {
    match result {
        Ok(()) | Err(Error::NotFound(_)) => Ok(back().await),
        Err(error) => Err(error.into()),
    }
}

/// Revokes the access of a project.
pub(crate) async fn revoke(browser: Browser, form: Form) -> Result<HttpResponse, PageError> {
    browser.check(&form)?;
    let Some(signed_in) = &browser.signed_in else { return Ok(see_other("/auth/sign-in")) };
    let project = ProjectId::parse(form.text("project_id")).ok_or(Error::NotFound(ResourceKind::Grant))?;
    back_after(browser.pages.steward.grants.revoke(browser.request.clone(), signed_in, project).await).await
}

/// Returns the account page with an optional notice about the last action.
pub(crate) async fn shown(browser: &Browser, notice: Option<&str>) -> Result<HttpResponse, PageError> {
    let Some(signed_in) = &browser.signed_in else { return Ok(see_other("/auth/sign-in")) };
    let steward = &browser.pages.steward;
    let sessions = steward.sessions.list(signed_in).await?;
    let sessions: Vec<SessionLine> = sessions.iter().map(|session| session_line(session, signed_in)).collect();
    let programs = steward.token_grants.first_party_sign_ins(signed_in).await?;
    let programs: Vec<ProgramLine> = programs
        .iter()
        .map(|family| ProgramLine { id: family.id.to_string(), since: day(family.created_at) })
        .collect();
    let granted = steward.grants.list(signed_in).await?;
    let grants: Vec<GrantLine> = granted.iter().map(|granted| grant_line(granted, &steward.address)).collect();
    let account = AccountLine {
        email: signed_in.account.email.to_string(),
        name: signed_in.account.name.as_ref().map(|name| name.to_string()),
        verified: signed_in.account.email_verified,
    };
    let view = views::Sessions {
        csrf: &browser.csrf(),
        account: &account,
        sessions: &sessions,
        programs: &programs,
        grants: &grants,
        notice,
    };
    let images = grants.iter().filter_map(|grant| grant.icon.as_deref()).collect();
    with_browser_cookie(browser, page_with(StatusCode::OK, &view, &AllowedOrigins { form: false, images })?)
}

fn session_line(session: &Session, signed_in: &SignedIn) -> SessionLine {
    SessionLine {
        id: session.id.to_string(),
        browser: browser_name(&session.user_agent),
        address: session.address.map(|address| address.to_string()),
        since: day(session.authenticated_at),
        current: session.id == signed_in.session.id,
    }
}

fn grant_line(granted: &GrantedProject, address: &ServiceAddress) -> GrantLine {
    let scopes = granted.project.sign_in.effective_scopes(granted.grant.scopes.clone());
    GrantLine {
        project_id: granted.project.id.to_string(),
        name: granted.project.name.to_string(),
        icon: granted.project.icon_url(address),
        since: day(granted.grant.created_at),
        scopes: scopes.iter().map(|scope| line(scope).title).collect(),
    }
}

pub(super) fn day(time: Time) -> String {
    time.format("%-d %B %Y, %H:%M UTC").to_string()
}

/// Returns the common name of a browser. The order matters, because most user agents also contain the names of others.
fn browser_name(user_agent: &str) -> String {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    let browser = find(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = find(&[
        ("Windows", "Windows"),
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => "A browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_their_common_names() {
        let chrome =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36";
        assert_eq!(browser_name(chrome), "Chrome on Linux");
        assert_eq!(browser_name(&format!("{chrome} Edg/156.0")), "Edge on Linux");
        assert_eq!(browser_name("curl/8.0"), "A browser");
    }
}
