//! Connecting an app to a project: the values that it needs, code that contains them, and whether it works.

use askama::Template;
use serde_json::{Map, Value, json};
use steward_docs::{EXAMPLE_PROJECT, Page};
use steward_domain::data::schema::Document;
use steward_domain::data::{ProjectUser, SchemaSelection, UserFilter, VisibleUser};
use steward_domain::identity::{RedirectUri, TokenFamily};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::{Violation, Violations};
use steward_domain::kernel::{PageRequest, PageSize, ProjectId, Time};

use crate::console::administration::key::snippets::Snippet;
use crate::console::data::user::scope::name_of;
use crate::console::frame::form::json_text::indented;
use crate::console::frame::{FormState, Outcome, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::docs::{FRAMEWORKS, Framework};
use crate::error::{PageError, PageResult};
use crate::request::browser_name::browser_name;
use crate::request::form::with_query;

use super::sign_in::sample_link;

/// How many users and keys are looked at to see whether it works.
const FIRST: PageSize = PageSize { rows: 50, bytes: 64 * 1024, ..PageSize::MAX };

/// Maximum number of minutes between the creation of a user and the sign-in that created it.
const FIRST_SIGN_IN: i64 = 10;

/// For how many seconds the page looks whether it works: a forgotten one stops. The query parameter `waited` counts up.
const MAX_WAIT: u16 = 600;
/// The longest pause between two times that it looks, in seconds. It begins with three.
const MAX_PAUSE: u16 = 30;

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
    let framework = FRAMEWORKS.iter().find(|framework| framework.guide == chosen).unwrap_or(&FRAMEWORKS[0]);
    let latest = steward.schemas.get(id, SchemaSelection::Newest).await?;
    let schema = latest.items.into_iter().next().map(|version| version.document);
    let uris = scope.project.sign_in.redirect_uris.iter();
    let uris = uris.map(|uri| (uri.to_string(), sample_link(&steward.address, id, uri.as_str())));
    let waited = signed.query("waited").parse::<u16>().unwrap_or(0);
    let pause = (3 + waited / 10).min(MAX_PAUSE);
    let view = Connect {
        shell: scope.shell(signed, "Connect").await?,
        client_id: id.to_string(),
        issuer: steward.address.as_str().to_owned(),
        uris: uris.collect(),
        guide: format!("/docs/guides/{}", framework.guide),
        commands: commands(framework, &address, id, schema.is_some()),
        files: files(framework, &address, id, schema.as_ref()),
        sign_in: sign_in(signed, &scope).await?,
        last_key: last_key(signed, &scope).await?,
        form: form.with_revision(scope.project.revision),
        framework,
        next: (waited < MAX_WAIT).then(|| (pause, waited + pause)),
        again: with_query(&scope.at("/connect"), [("framework", framework.guide)]),
        scope,
    };
    view.form.page(signed, &view)
}

/// Returns the commands that make the app: the line that writes the files, if there is one, and what comes after it.
fn commands(framework: &Framework, address: &str, project: ProjectId, has_schema: bool) -> Vec<Snippet> {
    let mut steps = framework.steps(address);
    if !has_schema {
        steps.insert(0, "steward schema push".to_owned());
    }
    if framework.files.is_empty() {
        let guide = guide(framework).map(Page::commands).unwrap_or_default();
        let guide = with_values(&guide.replace("$PROJECT", EXAMPLE_PROJECT), address, project);
        steps.insert(0, format!("steward login --server {address}"));
        // The types are one of the files.
        steps.extend(guide.lines().filter(|line| !line.starts_with("steward schema types")).map(str::to_owned));
        return vec![Snippet::new("steps", "Then run these commands in it", steps.join("\n"))];
    }
    let line = format!("steward init --project {project} --framework {} --server {address}", framework.name);
    vec![
        Snippet::new("init", "Write the app, in an empty directory", line),
        Snippet::new("steps", "Then start it", steps.join("\n")),
    ]
}

/// Returns the files of an app, with the values of the project. `schema`: `None` if none is published.
fn files(framework: &Framework, address: &str, project: ProjectId, schema: Option<&Document>) -> Vec<Snippet> {
    let names = json!({"server": address, "project": project.to_string(), "schema": "schema.json"});
    let names = serde_json::to_string_pretty(&names).unwrap_or_default();
    let mut members = schema.map_or_else(starting_schema, |schema| schema.members().clone());
    let document = schema.cloned().or_else(|| example(&members, project));
    for known in ["version", "project_id"] {
        members.shift_remove(known);
    }
    let mut files = vec![("steward.json".to_owned(), names), ("schema.json".to_owned(), indented(&members))];
    if let (Some((path, language)), Some(document)) = (framework.types, document) {
        files.push((path.to_owned(), document.types(language)));
    }
    files.extend(framework.files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    if framework.files.is_empty() {
        let shown = guide(framework).into_iter().flat_map(Page::files);
        files.extend(shown.map(|(path, text)| (below_example(path), with_values(&text, address, project))));
    }
    let numbered = files.into_iter().enumerate();
    numbered.map(|(number, (path, text))| Snippet::new(format!("file-{number}"), path, text)).collect()
}

fn guide(framework: &Framework) -> Option<&'static Page> {
    steward_docs::site().page(&format!("guides/{}", framework.guide))
}

/// Returns the path of a file in its app, which is a directory of `examples`.
fn below_example(path: &str) -> String {
    path.splitn(3, '/').nth(2).unwrap_or(path).to_owned()
}

/// Returns a text of a guide with the values of the project.
fn with_values(text: &str, address: &str, project: ProjectId) -> String {
    steward_docs::with_address(&text.replace(EXAMPLE_PROJECT, &project.to_string()), address)
}

/// Returns the schema that `steward init` writes for a project without one.
fn starting_schema() -> Map<String, Value> {
    serde_json::from_str(include_str!("../../../../../../examples/schema.json")).unwrap_or_default()
}

/// Returns a document with the tables of a schema as the first one of a project.
fn example(members: &Map<String, Value>, project: ProjectId) -> Option<Document> {
    Document::parse(&json!({"project_id": project.to_string(), "version": 1, "tables": members.get("tables")})).ok()
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
    framework: &'static Framework,
    guide: String,
    commands: Vec<Snippet>,
    files: Vec<Snippet>,
    sign_in: Option<SignIn>,
    /// When a key was used last, and its name.
    last_key: Option<(Time, String)>,
    /// After how many seconds the page looks again whether it works, and for how long it has waited then.
    next: Option<(u16, u16)>,
    /// The page as it is opened.
    again: String,
    form: FormState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_has_commands_and_files_for_the_project() {
        let project = ProjectId::parse("018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53").unwrap();
        for framework in &FRAMEWORKS {
            let commands = commands(framework, "https://id.example.org", project, true);
            let files = files(framework, "https://id.example.org", project, None);
            let labels: Vec<&str> = files.iter().map(|file| &*file.label).collect();
            assert!(labels.starts_with(&["steward.json", "schema.json"]) && labels.len() > 3, "{labels:?}");
            assert!(framework.types.is_none_or(|(path, _)| labels.contains(&path)), "{labels:?}");
            assert!(!labels.iter().any(|label| label.starts_with("examples/")), "{labels:?}");
            let all: String = commands.iter().chain(&files).map(|file| file.text.as_str()).collect();
            assert!(all.contains("https://id.example.org/sdk/"), "{}", framework.label);
            let examples = [EXAMPLE_PROJECT, "http://localhost:3003", "https://steward.example.com", "$PROJECT"];
            assert!(!examples.iter().any(|example| all.contains(example)), "{}: {all}", framework.label);
        }
    }

    #[test]
    fn the_first_command_writes_the_app() {
        let project = ProjectId::parse("018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53").unwrap();
        let commands = commands(&FRAMEWORKS[0], "https://id.example.org", project, false);
        let line = format!("steward init --project {project} --framework react --server https://id.example.org");
        assert_eq!(commands[0].text, line);
        assert!(commands[1].text.starts_with("steward schema push\nnpm install https://id.example.org/sdk/"));
    }

    #[test]
    fn without_a_line_that_writes_the_app_the_commands_need_only_the_files() {
        let project = ProjectId::parse("018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53").unwrap();
        for framework in FRAMEWORKS.iter().filter(|framework| framework.files.is_empty()) {
            let commands = commands(framework, "https://id.example.org", project, false);
            let text = &commands[0].text;
            assert!(text.starts_with("steward login --server https://id.example.org\nsteward schema push\n"), "{text}");
            assert!(commands.len() == 1 && !text.contains("steward schema types"), "{text}");
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
