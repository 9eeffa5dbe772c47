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
    let now = steward.clock.now();
    signed.page(&Keys {
        shell: scope.shell(&signed, "Keys").await?,
        keys: found.items.iter().map(|key| KeyLine::of(key, now)).collect(),
        next: signed.next_page(found.next.as_ref(), &[]),
        scope,
    })
}

/// Shows a key and when it was used.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, key) = load(&signed).await?;
    let shell = scope.shell(&signed, "Keys").await?.below(scope.at("/keys"), key.label.as_str());
    signed.page(&KeyPage {
        shell,
        key: KeyLine::of(&key, signed.steward().clock.now()),
        may_rotate: may_rotate(&scope, &key),
        follows_secret: signed.follows_secret(),
        scope,
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
    if !form.is_refused() {
        scope.permitted.require(Operation::KeyDelete)?;
    }
    let never_used = key.last_use().is_none().then(|| "It was never used.".to_owned());
    let consequences = std::iter::once("The key stops working at once. This cannot be undone.".to_owned());
    let page = Confirmation {
        shell: below_key(scope.shell(signed, "Keys").await?, &scope, &key, "Delete"),
        form: form.with_revision(key.revision),
        title: "Delete the API key",
        subject: key.label.to_string(),
        consequences: consequences.chain(never_used).collect(),
        last_used: key.last_use().map(|at| ("It was last used on", at.into())),
        button: "Delete the key",
        is_danger: true,
    };
    page.form.page(signed, &page)
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

/// A key as pages show it.
pub(crate) struct KeyLine {
    pub(crate) address: String,
    pub(crate) label: String,
    pub(crate) hint: String,
    pub(crate) roles: String,
    pub(crate) visibility: &'static str,
    pub(crate) created: Timestamp,
    /// With any of its values.
    pub(crate) last_used: Option<Timestamp>,
    pub(crate) current_last_used: Option<Timestamp>,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) is_expired: bool,
    pub(crate) replaced: Vec<ReplacedLine>,
}

impl KeyLine {
    pub(crate) fn of(key: &ApiKey, now: Time) -> Self {
        Self {
            address: address(key.project_id, key.id),
            label: key.label.to_string(),
            hint: key.hint.clone(),
            roles: key.roles.to_string().replace(',', ", "),
            visibility: if key.is_private { "Private" } else { "Public" },
            created: Timestamp::from(key.created_at),
            last_used: key.last_use().map(Timestamp::from),
            current_last_used: key.last_used.map(Timestamp::from),
            expires: key.expires_at.map(Timestamp::from),
            is_expired: key.is_expired(now),
            replaced: ReplacedLine::of(&key.replaced.clone().as_of(now)),
        }
    }
}

#[derive(Template)]
#[template(path = "console/administration/key/list.html")]
struct Keys {
    shell: Shell,
    scope: ProjectScope,
    keys: Vec<KeyLine>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "console/administration/key/details.html")]
struct KeyPage {
    shell: Shell,
    scope: ProjectScope,
    key: KeyLine,
    may_rotate: bool,
    follows_secret: bool,
}
