//! What happened to the account: sign-ins, and changes of the ways to sign in.

use askama::Template;
use steward_domain::administration::AuditEvent;
use steward_domain::kernel::AccountId;

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

/// Returns who caused an event, if not the person in a browser.
fn by(event: &AuditEvent, account: &AccountId) -> Option<&'static str> {
    match event.actor.kind.as_str() {
        "account" if is_own(event, account) => event.actor.token_id.map(|_| "with a personal access token"),
        "account" => Some("by an operator"),
        _ => Some("by the service"),
    }
}

/// Returns what happened. A sign-in also ends the session that it replaces, as a new password ends all others.
fn title(operation: &str, action: &str) -> String {
    if action == "session.deleted" { "Session ended".to_owned() } else { as_words(operation) }
}

/// Returns the name of an operation as words: `changePassword` is "Change password".
fn as_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for (index, character) in name.char_indices() {
        if index == 0 {
            words.extend(character.to_uppercase());
        } else if character.is_uppercase() {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else {
            words.push(character);
        }
    }
    words
}

#[derive(Template)]
#[template(path = "console/identity/account/activity.html")]
struct Activity {
    shell: Shell,
    events: Vec<AuditEvent>,
    account: AccountId,
    next: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_operation_is_shown_as_words() {
        assert_eq!(as_words("changePassword"), "Change password");
        assert_eq!(title("signIn", "session.created"), "Sign in");
        assert_eq!(title("signIn", "session.deleted"), "Session ended");
        assert_eq!(as_words(""), "");
    }
}
