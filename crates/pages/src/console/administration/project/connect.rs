//! Connecting an app to a project: the values that it needs, code that contains them, and whether it works.

use askama::Template;
use serde_json::{Map, json};
use steward_docs::EXAMPLE_PROJECT;
use steward_domain::data::schema::TypeLanguage;
use steward_domain::data::{ProjectUser, SchemaSelection, UserFilter, VisibleUser};
use steward_domain::identity::{RedirectUri, TokenFamily};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::{Violation, Violations};
use steward_domain::kernel::{PageRequest, PageSize, ProjectId, Time};

use crate::console::administration::key::snippets::Snippet;
use crate::console::data::user::scope::name_of;
use crate::console::frame::{FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::browser_name::browser_name;

use super::sign_in::sample_link;

/// The frameworks with a guide: its path, the label of the tab, and the language of the types.
const FRAMEWORKS: [(&str, &str, Option<TypeLanguage>); 13] = [
    ("react", "React", Some(TypeLanguage::TypeScript)),
    ("nextjs", "Next.js", Some(TypeLanguage::TypeScript)),
    ("vue", "Vue", Some(TypeLanguage::TypeScript)),
    ("sveltekit", "SvelteKit", Some(TypeLanguage::TypeScript)),
    ("html", "Plain HTML", None),
    ("expo", "React Native", Some(TypeLanguage::TypeScript)),
    ("express", "Express", Some(TypeLanguage::TypeScript)),
    ("hono", "Hono", Some(TypeLanguage::TypeScript)),
    ("fastapi", "FastAPI", Some(TypeLanguage::Python)),
    ("flask", "Flask", Some(TypeLanguage::Python)),
    ("django", "Django", Some(TypeLanguage::Python)),
    ("python", "Python", Some(TypeLanguage::Python)),
    ("axum", "axum", Some(TypeLanguage::Rust)),
];

/// How many users and keys are looked at to see whether it works.
const FIRST: PageSize = PageSize { rows: 50, bytes: 64 * 1024, ..PageSize::MAX };

/// Maximum number of minutes between the creation of a user and the sign-in that created it.
const FIRST_SIGN_IN: i64 = 10;

/// Adds a redirect URI.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let scope = submission.signed.project().await?;
    let added = submission.form.text("redirect_uri").trim().to_owned();
    submission.describe(format!("Add a redirect URI to {}", scope.project.name));
    let (when, address, id) = (submission.precondition(), scope.at("/connect"), scope.project.id);
    let known = scope.project.sign_in.redirect_uris.iter().map(RedirectUri::as_str);
    let uris: Vec<&str> = known.filter(|uri| *uri != added).chain([added.as_str()]).collect();
    let patch = Map::from_iter([("auth".to_owned(), json!({"redirect_uris": uris}))]);
    let submitted = submission.run_once(Operation::SettingsUpdate, async |caller| {
        let pages = &submission.signed.browser.pages;
        let projects = &pages.steward.projects;
        let changed = projects.update_settings(caller, id, &patch, pages.allow_private_webhooks, &when).await;
        changed.map_err(in_field)?;
        Ok(Outcome::next(address, "The redirect URI was added."))
    });
    submitted.await?.or_show(|form| connect_page(&submission.signed, form)).await
}

/// Returns an error as one of the only field.
fn in_field(error: Error) -> Error {
    let Error::Invalid(found) = error else { return error };
    let violations = found.as_slice().iter().map(|violation| Violation {
        field: "redirect_uri".to_owned(),
        code: violation.code,
        message: violation.message.clone(),
    });
    Error::Invalid(violations.collect::<Violations<Violation>>())
}

/// Shows the page.
pub(crate) async fn connect_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SettingsGet)?;
    if form.is_refused() {
        scope.permitted.require(Operation::SettingsUpdate)?;
    }
    let (steward, id) = (signed.steward(), scope.project.id);
    let address = steward.address.at("");
    let chosen = signed.query("framework");
    let framework = FRAMEWORKS.iter().find(|(path, ..)| *path == chosen).unwrap_or(&FRAMEWORKS[0]);
    let types = match framework.2 {
        Some(language) => types(signed, id, language).await?,
        None => None,
    };
    let uris = scope.project.sign_in.redirect_uris.iter();
    let uris = uris.map(|uri| (uri.to_string(), sample_link(&steward.address, id, uri.as_str())));
    let view = Connect {
        shell: scope.shell(signed, "Connect").await?,
        client_id: id.to_string(),
        issuer: steward.address.as_str().to_owned(),
        uris: uris.collect(),
        guide: format!("/docs/guides/{}", framework.0),
        files: code(framework.0, &address, id),
        types,
        sign_in: sign_in(signed, &scope).await?,
        last_key: last_key(signed, &scope).await?,
        form: form.with_revision(scope.project.revision),
        framework: framework.1,
        scope,
    };
    view.form.page(signed, &view)
}

/// Returns the files of the guide of a framework, with the values of the project.
fn code(framework: &str, address: &str, project: ProjectId) -> Vec<Snippet> {
    let guide = steward_docs::site().page(&format!("guides/{framework}"));
    let files = guide.into_iter().flat_map(|guide| guide.files()).enumerate().map(|(number, (path, text))| {
        let text = steward_docs::with_address(&text.replace(EXAMPLE_PROJECT, &project.to_string()), address);
        let name = path.split_once('/').and_then(|(_, rest)| rest.split_once('/')).map_or(path, |(_, name)| name);
        Snippet { id: format!("file-{number}").into(), label: name.to_owned().into(), text }
    });
    files.collect()
}

/// Returns the types of the tables of the project; `None` without a schema.
async fn types(signed: &Signed, project: ProjectId, language: TypeLanguage) -> Result<Option<Snippet>, PageError> {
    let latest = signed.steward().schemas.get(project, SchemaSelection::Newest).await?;
    let Some(version) = latest.items.into_iter().next() else { return Ok(None) };
    let label = format!("tables.{}", language.as_str());
    Ok(Some(Snippet { id: "types".into(), label: label.into(), text: version.document.types(language) }))
}

/// Returns the first person who signed in to the project, or the newest one of very many, if the caller may see users.
async fn sign_in(signed: &Signed, scope: &ProjectScope) -> Result<Option<SignIn>, PageError> {
    if !scope.permitted.may(Operation::UserList) {
        return Ok(None);
    }
    let page = PageRequest { size: FIRST, ..PageRequest::FIRST };
    let users = &signed.steward().project_users;
    let newest_first = users.list(&signed.caller, scope.project.id, &UserFilter::default(), &page).await?;
    let is_first = newest_first.next.is_none();
    let found = if is_first { newest_first.items.last() } else { newest_first.items.first() };
    let Some(VisibleUser { user, email }) = found else { return Ok(None) };
    let name = email.as_ref().map_or_else(|| name_of(user, None), |email| email.shown().to_owned());
    let browser = if is_first { own_browser(signed, scope, user).await? } else { None };
    Ok(Some(SignIn { name, at: user.created_at.into(), is_first, browser }))
}

/// Returns the browser in which the person who looks at the page signed in to the project first, if that sign-in is
/// active. The browsers of others are not shown.
async fn own_browser(signed: &Signed, scope: &ProjectScope, user: &ProjectUser) -> Result<Option<String>, PageError> {
    if user.account_id != signed.signed_in.account.id || !scope.permitted.may(Operation::UserSessionList) {
        return Ok(None);
    }
    let steward = signed.steward();
    let sign_ins = steward.user_sessions.list(&signed.caller, scope.project.id, user.id).await?;
    let sessions = steward.sessions.list(&signed.signed_in).await?;
    let is_first = |sign_in: &&TokenFamily| (sign_in.created_at - user.created_at).num_minutes() < FIRST_SIGN_IN;
    let first = sign_ins.last().filter(is_first).and_then(|first| first.session_id);
    let session = sessions.iter().find(|session| Some(session.id) == first);
    Ok(session.and_then(|session| browser_name(&session.user_agent)))
}

/// Returns the key that was used last, if the caller may see keys.
pub(super) async fn last_key(signed: &Signed, scope: &ProjectScope) -> Result<Option<(Time, String)>, PageError> {
    if !scope.permitted.may(Operation::KeyList) {
        return Ok(None);
    }
    let page = PageRequest { size: FIRST, ..PageRequest::FIRST };
    let keys = signed.steward().api_keys.list(&signed.caller, scope.project.id, &page).await?;
    let used = keys.items.into_iter().filter_map(|key| Some((key.last_use()?, key.label.to_string())));
    Ok(used.max())
}

/// A person who signed in.
struct SignIn {
    name: String,
    at: Timestamp,
    /// Whether nobody signed in before.
    is_first: bool,
    /// Such as `Chrome on Linux`; `None` if it is not known.
    browser: Option<String>,
}

#[derive(Template)]
#[template(path = "console/administration/project/connect.html")]
struct Connect {
    shell: Shell,
    scope: ProjectScope,
    client_id: String,
    issuer: String,
    /// The redirect URIs, and the addresses of sign-ins that return to them.
    uris: Vec<(String, String)>,
    framework: &'static str,
    guide: String,
    files: Vec<Snippet>,
    types: Option<Snippet>,
    sign_in: Option<SignIn>,
    /// When a key was used last, and its name.
    last_key: Option<(Time, String)>,
    form: FormState,
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_framework_has_a_guide_with_code_for_the_project() {
        let project = ProjectId::parse("018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53").unwrap();
        for (framework, label, _) in FRAMEWORKS {
            let files = code(framework, "https://id.example.org", project);
            assert!(!files.is_empty(), "{label}");
            let all: String = files.iter().map(|file| file.text.as_str()).collect();
            let examples = [EXAMPLE_PROJECT, "http://localhost:3003", "https://steward.example.com"];
            assert!(!examples.iter().any(|example| all.contains(example)), "{label}: {all}");
        }
    }

    #[test]
    fn an_error_of_any_uri_is_one_of_the_field() {
        let patch = Map::from_iter([("auth".to_owned(), json!({"redirect_uris": ["https://a.example/cb", "x"]}))]);
        let error = steward_domain::identity::SignInSettings::default().merged(&patch, false).unwrap_err();
        let Error::Invalid(found) = in_field(error) else { panic!() };
        assert_eq!(found.as_slice()[0].field, "redirect_uri");
        assert_ne!(patch.get("auth"), Some(&Value::Null));
    }
}
