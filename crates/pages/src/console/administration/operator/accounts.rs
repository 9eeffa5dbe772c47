//! All accounts of the service, for its operators.

use askama::Template;
use steward_domain::identity::{Account, AccountFilter, Username};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{AccountId, Name};

use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::{PageError, PageResult};

use super::service;

/// Maximum length of a search text that is compared, in characters: that of an email address.
const MAX_CHARS: usize = 254;
/// Values and labels of the filter by state.
const STATES: [(&str, &str); 3] = [("", "All"), ("disabled", "Disabled"), ("operators", "Operators")];

/// Lists the accounts that match the filter.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let shell = signed.operator_shell("Accounts").await?;
    let state = signed.query("state");
    // Databases cannot compare all control characters.
    let text: String = signed.query("q").trim().chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect();
    let filter = AccountFilter {
        email_contains: Some(text.clone()).filter(|text| !text.is_empty()),
        only_disabled: state == "disabled",
        only_operators: state == "operators",
    };
    let operators = &signed.steward().operators;
    let found = operators.accounts(&signed.caller, &filter, &signed.page_request()).await?;
    let view = Accounts {
        shell,
        states: STATES.map(|(value, label)| StateChoice { value, label, is_selected: value == state }),
        is_filtered: filter != AccountFilter::default(),
        accounts: found.items.iter().map(line).collect(),
        next: signed.next_page(found.next.as_ref(), &[("q", text.as_str()), ("state", state.as_str())]),
        text,
    };
    signed.page(&view)
}

struct StateChoice {
    value: &'static str,
    label: &'static str,
    is_selected: bool,
}

/// An account as operators see it.
pub(crate) struct AccountLine {
    pub(crate) address: String,
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) is_verified: bool,
    pub(crate) name: String,
    pub(crate) username: String,
    pub(crate) created_at: Timestamp,
    pub(crate) disabled_at: Option<Timestamp>,
    pub(crate) deletion_started_at: Option<Timestamp>,
    pub(crate) factors_removal_at: Option<Timestamp>,
    pub(crate) is_operator: bool,
}

pub(crate) fn line(account: &Account) -> AccountLine {
    AccountLine {
        address: address(account.id),
        id: account.id.to_string(),
        email: account.email.shown().to_owned(),
        is_verified: account.email_verified,
        name: account.name.as_ref().map_or("", Name::as_str).to_owned(),
        username: account.username.as_ref().map_or("", Username::as_str).to_owned(),
        created_at: Timestamp::from(account.created_at),
        disabled_at: account.disabled_at.map(Timestamp::from),
        deletion_started_at: account.deletion_started_at.map(Timestamp::from),
        factors_removal_at: account.factors_removal_at.map(Timestamp::from),
        is_operator: account.is_operator,
    }
}

/// Returns the address of an account.
pub(crate) fn address(id: AccountId) -> String {
    format!("{}/accounts/{id}", service::ADDRESS)
}

#[derive(Template)]
#[template(path = "console/administration/operator/accounts.html")]
struct Accounts {
    shell: Shell,
    text: String,
    states: [StateChoice; 3],
    is_filtered: bool,
    accounts: Vec<AccountLine>,
    next: Option<String>,
}

/// Shows an account.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let account = signed.account_of_path().await?;
    let operators = &signed.steward().operators;
    let (factors, passkeys, identities) = operators.sign_in_methods(&signed.caller, account.id).await?;
    signed.page(&AccountPage {
        passkeys,
        identities,
        has_second_factor: factors.are_required(),
        shell: signed.operator_shell("Accounts").await?.below(accounts_address(), account.email.shown()),
        is_own: account.id == signed.signed_in.account.id,
        account: line(&account),
    })
}

/// Returns the address of the list.
pub(crate) fn accounts_address() -> String {
    format!("{}/accounts", service::ADDRESS)
}

impl Signed {
    /// Returns the account in the path. Fails if the person is not an operator.
    pub(crate) async fn account_of_path(&self) -> Result<Account, PageError> {
        let id = AccountId::parse(self.parameter("account")).ok_or(Error::NotFound(ResourceKind::Account))?;
        Ok(self.steward().operators.account(&self.caller, id).await?)
    }
}

#[derive(Template)]
#[template(path = "console/administration/operator/account.html")]
struct AccountPage {
    shell: Shell,
    /// Operators cannot change their own account here.
    is_own: bool,
    account: AccountLine,
    has_second_factor: bool,
    /// Number of passkeys.
    passkeys: usize,
    /// Number of linked identities.
    identities: usize,
}
