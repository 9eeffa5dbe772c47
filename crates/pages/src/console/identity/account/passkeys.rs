//! The passkeys of the own account: setting up, renaming and removing them.

use askama::Template;
use steward_domain::identity::{MAX_PASSKEYS, Passkey, PasskeyChallenge};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{Label, PasskeyId};

use crate::console::frame::{Confirmation, FormState, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};
use crate::response::see_other;

/// The address of the list, and that of the form.
pub(crate) const ADDRESS: &str = "/console/account/passkeys";
const NEW: &str = "/console/account/passkeys/new";

/// Lists the passkeys.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let passkeys = &signed.steward().passkeys;
    signed.page(&List {
        shell: signed.account_shell("Passkeys").await?,
        form: FormState::new(&signed, &[]),
        are_available: passkeys.are_available(),
        max: MAX_PASSKEYS,
        removal_at: signed.signed_in.account.factors_removal_at.map(Timestamp::from),
        passkeys: passkeys.list(&signed.signed_in).await?,
    })
}

#[derive(Template)]
#[template(path = "console/identity/account/passkeys.html")]
struct List {
    shell: Shell,
    form: FormState,
    are_available: bool,
    max: usize,
    /// When they are removed, because they are lost.
    removal_at: Option<Timestamp>,
    passkeys: Vec<Passkey>,
}

/// Sets up a passkey. Without a response of an authenticator, only confirms the password first.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    submission.describe("Set up a passkey");
    let (signed, form) = (&submission.signed, &submission.form);
    if signed.steward().passkeys.must_use_one(&signed.signed_in).await? {
        return submission.ask_for_passkey().await;
    }
    if signed.caller.must_confirm {
        return submission.ask_for_password().await;
    }
    let (Some(ceremony), Some(response)) = (form.given("ceremony"), form.given("response")) else {
        return Ok(see_other(NEW));
    };
    let added = match Label::parse(form.text("name")) {
        Ok(name) => {
            let request = signed.caller.request.clone();
            signed.steward().passkeys.add(request, &signed.signed_in, name, ceremony, response).await
        }
        Err(error) => Err(Error::invalid("name", error)),
    };
    match added {
        Ok((_, authenticated)) => {
            // If this fails, the next change asks for a confirmation.
            drop(submission.signed.renew(authenticated).await);
            submission.signed.next(ADDRESS, "The passkey was set up.")
        }
        Err(error) => submission.refuse(error).await?.or_show(|form| new_page(signed, form)).await,
    }
}

/// Changes the name of a passkey.
pub(crate) async fn submit_rename(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let name = Label::parse(submission.form.text("name")).map_err(|error| Error::invalid("name", error))?;
    let request = signed.caller.request.clone();
    signed.steward().passkeys.rename(request, &signed.signed_in, passkey_id(signed)?, name).await?;
    signed.next(ADDRESS, "The name was changed.")
}

/// Removes a passkey.
pub(crate) async fn submit_remove(mut submission: Submission) -> PageResult {
    submission.describe("Remove a passkey");
    let signed = &submission.signed;
    let request = signed.caller.request.clone();
    match signed.steward().passkeys.remove(request, &signed.signed_in, passkey_id(signed)?).await {
        Ok(()) => signed.next(ADDRESS, "The passkey was removed."),
        // It was removed in another window.
        Err(Error::NotFound(ResourceKind::Passkey)) => Ok(see_other(ADDRESS)),
        Err(error) => submission.refuse(error).await?.or_show(|form| remove_page(signed, form)).await,
    }
}

/// Asks whether to remove a passkey.
pub(crate) async fn remove_page(signed: &Signed, form: FormState) -> PageResult {
    let id = passkey_id(signed)?;
    let passkeys = signed.steward().passkeys.list(&signed.signed_in).await?;
    let found = passkeys.into_iter().find(|passkey| passkey.id == id);
    let passkey = found.ok_or(Error::NotFound(ResourceKind::Passkey))?;
    let shell = signed.account_shell("Passkeys").await?.below(ADDRESS.to_owned(), "Remove");
    let page = Confirmation {
        last_used: Some(("It was last used", passkey.last_used.into())),
        consequences: vec!["You can no longer sign in with it. Delete it from your device or password manager, too."],
        ..Confirmation::of_danger(shell, form, "Remove the passkey", passkey.name.as_str())
    };
    page.page(signed)
}

fn passkey_id(signed: &Signed) -> Result<PasskeyId, PageError> {
    Ok(PasskeyId::parse(signed.parameter("passkey")).ok_or(Error::NotFound(ResourceKind::Passkey))?)
}

/// Shows the form that sets up a passkey.
pub(crate) async fn new_page(signed: &Signed, form: FormState) -> PageResult {
    let passkeys = &signed.steward().passkeys;
    let challenge = match signed.caller.must_confirm || passkeys.must_use_one(&signed.signed_in).await? {
        true => None,
        false => Some(passkeys.begin_registration(&signed.signed_in).await?),
    };
    let shell = signed.account_shell("Passkeys").await?.below(ADDRESS.to_owned(), "Set up");
    let view = NewPage { shell, form, challenge };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/passkey_new.html")]
struct NewPage {
    shell: Shell,
    form: FormState,
    /// The challenge; `None` if the person has to confirm first.
    challenge: Option<PasskeyChallenge>,
}
