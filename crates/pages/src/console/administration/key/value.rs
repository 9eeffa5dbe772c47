//! Values of API keys: rotating a key, showing a new value once, revoking the previous ones, and verifying a value.

use askama::Template;
use steward_domain::administration::ApiKey;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::{Operation, Permission};
use steward_domain::kernel::{Issued, Secret, Time};

use crate::console::frame::rotation::{GRACE_PERIODS, ReplacedLine, grace_seconds};
use crate::console::frame::{Confirmation, FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;

use super::overview::{address, below_key, key_id, load};
use super::snippets::Snippet;

/// Rotates a key and shows its new value.
pub(crate) async fn submit_rotate(mut submission: Submission) -> PageResult {
    submission.describe("Rotate the API key");
    let scope = submission.signed.project().await?;
    let (project, id) = (scope.project.id, key_id(&submission.signed)?);
    let tab = scope.shell(&submission.signed, "Keys").await?;
    let submitted = submission.run_once(Operation::KeyRegenerate, async |caller| {
        let grace = grace_seconds(&submission.form)?;
        let issued = submission.signed.steward().api_keys.regenerate(caller, project, id, grace).await?;
        let shell = below_key(tab, &scope, &issued.value, "New value");
        NewValue::outcome(shell, &submission.signed, &issued, true)
    });
    submitted.await?.or_show(|form| rotate_page(&submission.signed, form)).await
}

/// Asks before a key is rotated.
pub(crate) async fn rotate_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, key) = load(signed).await?;
    if !form.is_refused() {
        scope.permitted.require(Operation::KeyRegenerate)?;
        scope.permitted.require_grant(key.roles.permissions())?;
    }
    let view = Rotate {
        shell: below_key(scope.shell(signed, "Keys").await?, &scope, &key, "Rotate"),
        form: form.starting_with(&[("grace_seconds", "3600")]),
        now: signed.steward().clock.now(),
        key,
    };
    view.form.page(signed, &view)
}

/// Revokes the previous values of a key.
pub(crate) async fn submit_revoke(mut submission: Submission) -> PageResult {
    submission.describe("Revoke the previous values of the API key");
    let (project, id) = (submission.signed.project_id()?, key_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::KeyPreviousRevoke, async |caller| {
        submission.signed.steward().api_keys.revoke_previous(caller, project, id, &when).await?;
        Ok(Outcome::next(address(project, id), "Only the current value of the key works."))
    });
    submitted.await?.or_show(|form| revoke_page(&submission.signed, form)).await
}

/// Asks before the previous values of a key are revoked.
pub(crate) async fn revoke_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, key) = load(signed).await?;
    form.require(scope.permitted, Operation::KeyPreviousRevoke)?;
    let shell = below_key(scope.shell(signed, "Keys").await?, &scope, &key, "Revoke");
    let page = Confirmation {
        consequences: vec!["Programs that still use an old value are refused at once."],
        last_used: key.replaced.last_used().map(|at| ("The last use of an old value was on", at.into())),
        ..Confirmation::of_danger(shell, form.with_revision(key.revision), "Revoke old values", key.label.as_str())
    };
    page.page(signed)
}

/// Shows the form to verify a value.
pub(crate) async fn show_verify(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::KeyVerify)?;
    verify_page(&signed, scope, false, None).await
}

/// Shows to which key a value belongs. It is not shown again, and nothing changes, so that a repeated submission needs
/// no protection.
pub(crate) async fn submit_verify(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let scope = signed.project().await?;
    let value = Secret::new(submission.form.text("value").trim().to_owned());
    let found = signed.steward().api_keys.verify(&signed.caller, scope.project.id, &value).await?;
    verify_page(signed, scope, true, found).await
}

async fn verify_page(signed: &Signed, scope: ProjectScope, is_verified: bool, key: Option<ApiKey>) -> PageResult {
    signed.page(&Verify {
        shell: scope.shell(signed, "Keys").await?.below(scope.at("/keys"), "Verify a value"),
        form: FormState::new(signed, &[]),
        now: signed.steward().clock.now(),
        is_verified,
        key,
        scope,
    })
}

/// The value of a key that was just created or rotated.
#[derive(Template)]
#[template(path = "console/administration/key/value.html")]
pub(crate) struct NewValue<'a> {
    shell: Shell,
    title: &'static str,
    label: &'a str,
    value: &'a str,
    is_private: bool,
    is_rotated: bool,
    /// Until when the value before a rotation works; `None` if it does not.
    previous_until: Option<Timestamp>,
    /// Empty if the key does not permit what they do.
    snippets: Vec<Snippet>,
    address: String,
}

impl NewValue<'_> {
    pub(crate) fn outcome(
        shell: Shell,
        signed: &Signed,
        issued: &Issued<ApiKey>,
        is_rotated: bool,
    ) -> Result<Outcome, Error> {
        let (key, value) = (&issued.value, issued.secret.expose());
        let reads_project = key.roles.permissions().has(Permission::ProjectRead);
        let service = &signed.steward().address;
        let view = NewValue {
            shell,
            title: if is_rotated { "The key was rotated" } else { "The key was created" },
            label: key.label.as_str(),
            value,
            is_private: key.is_private,
            is_rotated,
            previous_until: key.replaced.previous.as_ref().map(|previous| Timestamp::from(previous.expires_at)),
            snippets: if reads_project { Snippet::of_project(service, key.project_id, value) } else { Vec::new() },
            address: address(key.project_id, key.id),
        };
        Outcome::page(&view, &view.address)
    }
}

#[derive(Template)]
#[template(path = "console/administration/key/rotate.html")]
struct Rotate {
    shell: Shell,
    form: FormState,
    key: ApiKey,
    now: Time,
}

#[derive(Template)]
#[template(path = "console/administration/key/verify.html")]
struct Verify {
    shell: Shell,
    form: FormState,
    /// Whether a value was submitted.
    is_verified: bool,
    /// The key with this value.
    key: Option<ApiKey>,
    scope: ProjectScope,
    now: Time,
}
