//! All accounts of the service, for its operators.

use askama::Template;
use steward_domain::identity::{Account, AccountFilter};
use steward_domain::kernel::AccountId;
use steward_domain::kernel::error::{Error, ResourceKind};

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
        is_filtered: filter != AccountFilter::default(),
        accounts: found.items,
        next: signed.next_page(found.next.as_ref(), &[("q", text.as_str()), ("state", state.as_str())]),
        text,
        state,
    };
    signed.page(&view)
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
    /// Values and labels, and the selected value.
    state: String,
    is_filtered: bool,
    accounts: Vec<Account>,
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
        account,
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
    account: Account,
    has_second_factor: bool,
    /// Number of passkeys.
    passkeys: usize,
    /// Number of linked identities.
    identities: usize,
}
