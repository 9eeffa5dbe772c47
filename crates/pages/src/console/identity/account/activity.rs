//! What happened to the account: sign-ins, and changes of the ways to sign in.

use askama::Template;
use steward_domain::administration::AuditEvent;
use steward_domain::kernel::AccountId;

use crate::console::administration::audit::sentence::{is_refused, phrase, recorded_name};
use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::PageResult;

/// Shows the events, newest first.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let found = signed.steward().own_account.events(&signed.signed_in, &signed.page_request()).await?;
    signed.page(&Activity {
        shell: signed.account_shell("Activity").await?,
        next: signed.next_page(found.next.as_ref(), &[]),
        account: signed.signed_in.account.id,
        events: found.items,
    })
}

/// Whether the person caused an event. Where others were is not shown.
fn is_own(event: &AuditEvent, account: &AccountId) -> bool {
    event.actor.id == Some(account.uuid())
}

/// Returns who caused an event.
fn who(event: &AuditEvent, account: &AccountId) -> &'static str {
    match event.actor.kind.as_str() {
        "account" if is_own(event, account) => "You",
        "account" => "An operator",
        _ => "The service",
    }
}

#[derive(Template)]
#[template(path = "console/identity/account/activity.html")]
struct Activity {
    shell: Shell,
    events: Vec<AuditEvent>,
    account: AccountId,
    next: Option<String>,
}
