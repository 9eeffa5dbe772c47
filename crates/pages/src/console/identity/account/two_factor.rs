//! Two-factor authentication: setting up and removing an authenticator app, and recovery codes.

use askama::Template;
use steward_domain::identity::AuthenticatorApp;
use steward_domain::kernel::Secret;
use steward_domain::kernel::error::{Error, ResourceKind};

use crate::console::frame::{Confirmation, FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::response::see_other;

use super::qr_code::QrPath;

/// The address of the overview, and those of the forms.
const ADDRESS: &str = "/console/account/two-factor";
const APP: &str = "/console/account/two-factor/app";

/// Shows what the account has.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let factors = signed.steward().second_factor_settings.get(&signed.signed_in).await?;
    signed.page(&Overview {
        shell: signed.account_shell("Two-factor").await?,
        recovery_codes_left: factors.recovery_codes_left(),
        app: factors.app,
        follows_secret: signed.follows_secret(),
    })
}

#[derive(Template)]
#[template(path = "console/identity/account/two_factor.html")]
struct Overview {
    shell: Shell,
    app: Option<AuthenticatorApp>,
    recovery_codes_left: usize,
    follows_secret: bool,
}

/// Shows a new key for an app, as a QR code and as text, and asks for a code that the app shows.
pub(crate) async fn show_app(signed: Signed) -> PageResult {
    if signed.steward().second_factor_settings.get(&signed.signed_in).await?.app.is_some() {
        return Ok(see_other(ADDRESS));
    }
    let form = FormState::new(&signed, &[]);
    app_page(&signed, form).await
}

/// Sets up the app, and shows the recovery codes. Without a key, only confirms the password first.
pub(crate) async fn submit_app(mut submission: Submission) -> PageResult {
    submission.describe("Set up an authenticator app");
    let (signed, form) = (&submission.signed, &submission.form);
    if signed.steward().passkeys.must_use_one(&signed.signed_in).await? {
        return submission.ask_for_passkey().await;
    }
    if signed.caller.must_confirm {
        return submission.ask_for_password().await;
    }
    let Some(key) = form.given("key") else { return Ok(see_other(APP)) };
    let settings = &signed.steward().second_factor_settings;
    match settings.add_app(signed.caller.request.clone(), &signed.signed_in, key, form.text("code")).await {
        Ok((codes, authenticated)) => {
            // If this fails, the next change asks for a code. The recovery codes are shown only here.
            drop(submission.signed.renew(authenticated).await);
            show_recovery_codes(&submission.signed, &codes).await
        }
        Err(error) => submission.refuse(error).await?.or_show(|form| app_page(signed, form)).await,
    }
}

async fn app_page(signed: &Signed, form: FormState) -> PageResult {
    let (settings, signed_in) = (&signed.steward().second_factor_settings, &signed.signed_in);
    let key = match settings.key(signed_in, form.value("key")) {
        Ok(key) => key,
        Err(_) => settings.new_key(signed_in)?,
    };
    let view = AppPage {
        shell: signed.account_shell("Two-factor").await?.below(ADDRESS.to_owned(), "Set up"),
        must_confirm: signed.caller.must_confirm || signed.steward().passkeys.must_use_one(signed_in).await?,
        qr_code: QrPath::of(key.address(&signed.steward().address, &signed_in.account.email).expose())?,
        key: key.text(),
        encrypted_key: key.encrypted,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/two_factor_app.html")]
struct AppPage {
    shell: Shell,
    form: FormState,
    /// Whether the person has to confirm first.
    must_confirm: bool,
    qr_code: QrPath,
    /// The key, for apps that cannot scan the QR code.
    key: Secret,
    encrypted_key: String,
}

/// Removes the app and the recovery codes.
pub(crate) async fn submit_remove(mut submission: Submission) -> PageResult {
    submission.describe("Remove the authenticator app");
    let signed = &submission.signed;
    let settings = &signed.steward().second_factor_settings;
    match settings.remove_app(signed.caller.request.clone(), &signed.signed_in).await {
        Ok(()) => signed.next(ADDRESS, "The authenticator app was removed."),
        // It was removed in another window.
        Err(Error::NotFound(ResourceKind::AuthenticatorApp)) => Ok(see_other(ADDRESS)),
        Err(error) => submission.refuse(error).await?.or_show(|form| remove_page(signed, form)).await,
    }
}

/// Asks whether to remove the app.
pub(crate) async fn remove_page(signed: &Signed, form: FormState) -> PageResult {
    let shell = signed.account_shell("Two-factor").await?.below(ADDRESS.to_owned(), "Remove");
    let page = Confirmation {
        consequences: vec!["Anyone who knows your password can sign in then. Your recovery codes are removed too."],
        button: "Remove the app",
        ..Confirmation::of_danger(shell, form, "Remove the authenticator app", signed.signed_in.account.email.shown())
    };
    page.page(signed)
}

/// Generates new recovery codes and shows them.
pub(crate) async fn submit_codes(mut submission: Submission) -> PageResult {
    submission.describe("Generate new recovery codes");
    let signed = &submission.signed;
    let settings = &signed.steward().second_factor_settings;
    match settings.replace_recovery_codes(signed.caller.request.clone(), &signed.signed_in).await {
        Ok(codes) => show_recovery_codes(signed, &codes).await,
        // The app was removed, and there is nothing to recover.
        Err(Error::NotFound(ResourceKind::RecoveryCodes)) => Ok(see_other(ADDRESS)),
        Err(error) => submission.refuse(error).await?.or_show(|form| codes_page(signed, form)).await,
    }
}

/// Asks whether to replace the recovery codes.
pub(crate) async fn codes_page(signed: &Signed, form: FormState) -> PageResult {
    let shell = signed.account_shell("Two-factor").await?.below(ADDRESS.to_owned(), "Recovery codes");
    let page = Confirmation {
        consequences: vec!["The recovery codes that you saved before are no longer valid then."],
        button: "Generate new codes",
        is_danger: false,
        ..Confirmation::of_danger(shell, form, "Generate new recovery codes", signed.signed_in.account.email.shown())
    };
    page.page(signed)
}

async fn show_recovery_codes(signed: &Signed, codes: &[Secret]) -> PageResult {
    let codes: Vec<&str> = codes.iter().map(Secret::expose).collect();
    let view = RecoveryCodesPage { shell: signed.account_shell("Two-factor").await?, codes: codes.join("\n") };
    Outcome::page(&view, ADDRESS)?.respond(signed)
}

#[derive(Template)]
#[template(path = "console/identity/account/recovery_codes.html")]
struct RecoveryCodesPage {
    shell: Shell,
    /// One code per line.
    codes: String,
}
