//! The download of everything that the service stores about the person.

use std::sync::Arc;

use askama::Template;
use serde_json::{Value, json};
use steward_domain::Steward;
use steward_domain::administration::TeamMembership;
use steward_domain::identity::{
    AccountExport, AuthenticatorApp, Email, ExportedApp, IdentityProvider, LinkedIdentity, Passkey, PersonalToken,
    SecondFactors, Session, TokenFamily,
};
use steward_domain::kernel::Caller;
use steward_domain::kernel::error::{AuthenticationError, Error};

use crate::console::frame::download::{Source, download};
use crate::console::frame::export_document::{self, ItemTables, open, timestamp};
use crate::console::frame::{FormState, Shell, Signed, Submission};
use crate::error::PageResult;

/// Address of the page.
const ADDRESS: &str = "/console/account/export";

/// Shows what the download contains.
pub(crate) async fn show(signed: Signed) -> PageResult {
    signed.page(&ExportPage {
        shell: signed.account_shell("Export").await?,
        form: FormState::new(&signed, &[]),
        must_confirm: signed.caller.must_confirm,
    })
}

/// Asks for the password, after which the page offers the download.
pub(crate) async fn confirm(mut submission: Submission) -> PageResult {
    submission.describe("Export your data");
    if submission.signed.caller.must_confirm {
        return submission.ask_for_password().await;
    }
    submission.signed.next(ADDRESS, "Your password is confirmed. You can download your data now.")
}

/// Downloads the data.
pub(crate) async fn file(signed: Signed) -> PageResult {
    let export = match signed.steward().account_exports.start(&signed.caller).await {
        Err(Error::Unauthenticated(AuthenticationError::ConfirmationRequired)) => {
            return signed.next(ADDRESS, "Confirm that it is you to download your data.");
        }
        export => export?,
    };
    let name = format!("account-{}.json", export.account.id);
    let source = AccountSource { export: Arc::new(export), app: 0, items: None };
    Ok(download(signed, &name, "application/json", source).await?)
}

#[derive(Template)]
#[template(path = "console/identity/account/export.html")]
struct ExportPage {
    shell: Shell,
    form: FormState,
    /// Whether the password was entered too long ago for the download.
    must_confirm: bool,
}

/// What is not written yet. Each app is an object whose last member, `items`, has an array for each table.
#[derive(Clone)]
struct AccountSource {
    export: Arc<AccountExport>,
    /// Index of the app that is written next.
    app: usize,
    /// The items of the app that are not written yet; `None` before the app itself is written.
    items: Option<ItemTables>,
}

impl Source for AccountSource {
    async fn next_chunk(mut self, steward: &Steward, caller: &Caller) -> Result<(Vec<u8>, Option<Self>), Error> {
        let export = self.export.clone();
        let is_start = self.app == 0 && self.items.is_none();
        let mut text = if is_start { head(&export) } else { String::new() };
        let Some(app) = export.apps.get(self.app) else {
            text.push_str("]}");
            return Ok((text.into_bytes(), None));
        };
        let items = match self.items.take() {
            Some(items) => items,
            None => {
                text.push_str(if self.app == 0 { "" } else { "," });
                text.push_str(&start_of_app(app));
                ItemTables::START
            }
        };
        let found = steward.account_exports.next_items(caller, &app.user, items.after.clone(), items.size).await?;
        self.items = items.write(&mut text, &found)?;
        if self.items.is_none() {
            text.push('}');
            self.app += 1;
        }
        Ok((text.into_bytes(), Some(self)))
    }
}

/// Returns the start of the document. The array of its last member, `apps`, stays open.
fn head(export: &AccountExport) -> String {
    let account = &export.account;
    let document = json!({
        "exported_at": timestamp(export.at),
        "account": {
            "id": account.id.to_string(),
            "email": account.email.as_str(),
            "email_verified": account.email_verified,
            "username": account.username.as_ref().map(|username| username.as_str()),
            "name": account.name.as_ref().map(|name| name.as_str()),
            "language": account.language.map(|language| language.as_str()),
            "password_set_at": timestamp(account.password_set_at),
            "created_at": timestamp(account.created_at),
        },
        "sessions": export.sessions.iter().map(session).collect::<Vec<_>>(),
        "programs": export.programs.iter().map(program).collect::<Vec<_>>(),
        "personal_tokens": export.personal_tokens.iter().map(personal_token).collect::<Vec<_>>(),
        "second_factors": second_factors(&export.second_factors),
        "passkeys": export.passkeys.iter().map(passkey).collect::<Vec<_>>(),
        "linked_identities": export.identities.iter().map(linked_identity).collect::<Vec<_>>(),
        "teams": export.teams.iter().map(team).collect::<Vec<_>>(),
    });
    open(&document, "\"apps\":[")
}

fn session(session: &Session) -> Value {
    json!({
        "id": session.id.to_string(),
        "user_agent": session.user_agent,
        "address": session.address.map(|address| address.to_string()),
        "authenticated_at": timestamp(session.authenticated_at),
        "methods": session.methods.to_string(),
        "expires_at": timestamp(session.expires_at),
    })
}

fn program(family: &TokenFamily) -> Value {
    json!({
        "id": family.id.to_string(),
        "scope": family.scopes.to_string(),
        "created_at": timestamp(family.created_at),
    })
}

fn personal_token(token: &PersonalToken) -> Value {
    json!({
        "id": token.id.to_string(),
        "label": token.label.as_str(),
        "roles": token.roles.to_string(),
        "hint": token.hint,
        "created_at": timestamp(token.created_at),
        "expires_at": timestamp(token.expires_at),
        "last_used": token.last_used.map(timestamp),
    })
}

fn second_factors(factors: &SecondFactors) -> Value {
    let app = |app: &AuthenticatorApp| json!({"created_at": timestamp(app.created_at), "last_used": timestamp(app.last_used)});
    json!({"authenticator_app": factors.app.as_ref().map(app), "recovery_codes_left": factors.recovery_codes_left()})
}

fn passkey(passkey: &Passkey) -> Value {
    json!({
        "id": passkey.id.to_string(),
        "name": passkey.name.as_str(),
        "is_synced": passkey.is_synced,
        "created_at": timestamp(passkey.created_at),
        "last_used": timestamp(passkey.last_used),
    })
}

fn linked_identity((identity, provider): &(LinkedIdentity, IdentityProvider)) -> Value {
    json!({
        "id": identity.id.to_string(),
        "provider": provider.name.as_str(),
        "issuer": provider.issuer.as_str(),
        "subject": identity.subject,
        "email": identity.email.as_ref().map(Email::as_str),
        "created_at": timestamp(identity.created_at),
        "last_used": timestamp(identity.last_used),
    })
}

fn team(membership: &TeamMembership) -> Value {
    json!({
        "id": membership.team.id.to_string(),
        "name": membership.team.name.as_str(),
        "slug": membership.team.slug.as_str(),
        "roles": membership.roles.to_string(),
    })
}

/// Returns the start of an app. The object of its last member, `items`, stays open.
fn start_of_app(app: &ExportedApp) -> String {
    let document = json!({
        "project_id": app.user.project_id.to_string(),
        "name": app.name.as_str(),
        "user": export_document::user(&app.user),
        "grant": export_document::grant(app.grant.as_ref()),
        "active_days": export_document::days(&app.active_days),
    });
    open(&document, "\"items\":{")
}
