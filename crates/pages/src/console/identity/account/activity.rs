//! What happened to the account: sign-ins, and changes of the ways to sign in.

use askama::Template;
use steward_domain::administration::AuditEvent;
use steward_domain::kernel::AccountId;

use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::PageResult;

/// Shows the events, newest first.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let found = signed.steward().own_account.events(&signed.signed_in, &signed.page_request()).await?;
    let account = signed.signed_in.account.id;
    signed.page(&Activity {
        shell: signed.account_shell("Activity").await?,
        events: found.items.iter().map(|event| EventLine::of(event, account)).collect(),
        next: signed.next_page(found.next.as_ref(), &[]),
    })
}

/// An event on the page.
struct EventLine {
    at: Timestamp,
    operation: String,
    action: String,
    /// Who caused it, if not the person in a browser.
    by: Option<&'static str>,
    /// Where the person was. Not shown for what others did.
    address: Option<String>,
    is_refused: bool,
}

impl EventLine {
    fn of(event: &AuditEvent, account: AccountId) -> Self {
        let is_own = event.actor.id == Some(account.uuid());
        let by = match event.actor.kind.as_str() {
            "account" if is_own => event.actor.token_id.map(|_| "with a personal access token"),
            "account" => Some("by an operator"),
            _ => Some("by the service"),
        };
        Self {
            at: event.at.into(),
            operation: as_words(&event.operation),
            action: event.action.clone(),
            by,
            address: event.address.clone().filter(|_| is_own),
            is_refused: event.action.ends_with(AuditEvent::REFUSED),
        }
    }
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
    events: Vec<EventLine>,
    next: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_operation_is_shown_as_words() {
        assert_eq!(as_words("changePassword"), "Change password");
        assert_eq!(as_words("signIn"), "Sign in");
        assert_eq!(as_words(""), "");
    }
}
