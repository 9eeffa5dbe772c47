//! API keys of a project: the list, one key with its usage, and deleting it.

use askama::Template;
use steward_domain::administration::ApiKey;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{ApiKeyId, ProjectId, Time};

use crate::console::frame::rotation::ReplacedLine;
use crate::console::frame::{Confirmation, FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};

/// Lists the keys of a project.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let steward = signed.steward();
    let found = steward.api_keys.list(&signed.caller, scope.project.id, &signed.page_request()).await?;
    signed.page(&Keys {
        shell: scope.shell(&signed, "Keys").await?,
        keys: found.items,
        next: signed.next_page(found.next.as_ref(), &[]),
        now: steward.clock.now(),
        scope,
    })
}

/// Shows a key and when it was used.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, key) = load(&signed).await?;
    let shell = scope.shell(&signed, "Keys").await?.below(scope.at("/keys"), key.label.as_str());
    signed.page(&KeyPage {
        shell,
        now: signed.steward().clock.now(),
        may_rotate: may_rotate(&scope, &key),
        follows_secret: signed.follows_secret(),
        scope,
        key,
    })
}

/// Deletes a key.
pub(crate) async fn submit_delete(mut submission: Submission) -> PageResult {
    submission.describe("Delete the API key");
    let (project, id) = (submission.signed.project_id()?, key_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::KeyDelete, async |caller| {
        submission.signed.steward().api_keys.delete(caller, project, id, &when).await?;
        let address = format!("/console/projects/{project}/keys");
        Ok(Outcome::next(address, "The key was deleted. Its value no longer works."))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks before a key is deleted.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, key) = load(signed).await?;
    form.require(scope.permitted, Operation::KeyDelete)?;
    let never_used = key.last_use().is_none().then_some("It was never used.");
    let shell = below_key(scope.shell(signed, "Keys").await?, &scope, &key, "Delete");
    let form = form.with_revision(key.revision);
    let page = Confirmation {
        consequences: std::iter::once("The key stops working at once. This cannot be undone.")
            .chain(never_used)
            .collect(),
        last_used: key.last_use().map(|at| ("It was last used on", at.into())),
        button: "Delete the key",
        ..Confirmation::of_danger(shell, form, "Delete the API key", key.label.as_str())
    };
    page.page(signed)
}

/// Returns the key in the path, and its project.
pub(crate) async fn load(signed: &Signed) -> Result<(ProjectScope, ApiKey), PageError> {
    let scope = signed.project().await?;
    let key = signed.steward().api_keys.get(&signed.caller, scope.project.id, key_id(signed)?).await?;
    Ok((scope, key))
}

/// Returns the ID of the key in the path.
pub(crate) fn key_id(signed: &Signed) -> Result<ApiKeyId, PageError> {
    Ok(ApiKeyId::parse(signed.parameter("key")).ok_or(Error::NotFound(ResourceKind::ApiKey))?)
}

/// Returns the address of the page of a key.
pub(crate) fn address(project: ProjectId, key: ApiKeyId) -> String {
    format!("/console/projects/{project}/keys/{key}")
}

/// Turns the layout of the Keys tab into that of a page below a key.
pub(crate) fn below_key(tab: Shell, scope: &ProjectScope, key: &ApiKey, label: &str) -> Shell {
    tab.below(scope.at("/keys"), key.label.as_str()).below(address(key.project_id, key.id), label)
}

/// Whether the person may rotate the key. They receive its new value and with it the permissions of the key.
pub(crate) fn may_rotate(scope: &ProjectScope, key: &ApiKey) -> bool {
    scope.permitted.may(Operation::KeyRegenerate) && scope.permitted.may_grant(key.roles.permissions())
}

#[derive(Template)]
#[template(path = "console/administration/key/list.html")]
struct Keys {
    shell: Shell,
    scope: ProjectScope,
    keys: Vec<ApiKey>,
    next: Option<String>,
    now: Time,
}

#[derive(Template)]
#[template(path = "console/administration/key/details.html")]
struct KeyPage {
    shell: Shell,
    scope: ProjectScope,
    key: ApiKey,
    now: Time,
    may_rotate: bool,
    follows_secret: bool,
}
