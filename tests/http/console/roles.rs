//! Opens every page of the console as every kind of caller and compares the statuses with the golden file
//! `golden/console.txt`. Then each caller follows all links and forms from the home page: each of them must work, and
//! each page that the caller may open must be among them. With `STEWARD_UPDATE_GOLDEN=1` the test updates the file;
//! review the diff.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use futures_util::future::join_all;
use steward_tests::{App, Backend, Browser, ConsoleWorld, Page, console_page, console_pages};
use url::Url;

/// Number of callers that are tested concurrently.
const CONCURRENCY: usize = 4;

/// Pages that are linked only in another state: before the first project, if there is a team to create one in, while a
/// webhook is active, before the first user, after a key was rotated, or while the person has unpublished changes.
const LINKED_IN_ANOTHER_STATE: &[&str] = &[
    "/console/account/two-factor/app/remove",
    "/console/account/two-factor/recovery-codes",
    "/console/operator/accounts/{account}/remove-factors",
    "/console/operator/accounts/{account}/keep-factors",
    "/console/start",
    "/console/projects/{project}/schema/draft",
    "/console/projects/new",
    "/console/projects/{project}/test-person",
    "/console/projects/{project}/keys/{key}/revoke-previous",
    "/console/teams/{team}/webhooks/{webhook}/pause",
    "/console/projects/{project}/webhooks/{webhook}/pause",
];

/// Members with each role, and some with few permissions.
const MEMBERS: &[(&str, &str, &str)] = &[
    ("admin", "a member in this role", "admin"),
    ("developer", "a member in this role", "developer"),
    ("viewer", "a member in this role", "viewer"),
    ("only-team-read", "a member with one permission", "team:read"),
    ("only-project-create", "a member with one permission", "project:create"),
    ("only-member-write", "a member with two permissions", "team:read,member:write"),
    ("only-audit-read", "a member with three permissions", "team:read,project:read,audit:read"),
];

/// A kind of caller.
struct Column {
    name: &'static str,
    what: &'static str,
    browser: Browser,
    /// ID of a personal token of the person.
    token: String,
}

/// Status of each page.
type Outcomes = BTreeMap<String, String>;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("http/golden/console.txt")
}

async fn column(app: &App, name: &'static str, what: &'static str, username: &str) -> Column {
    let browser = Browser::signed_in(app, username).await;
    let token = browser.create_token().await;
    Column { name, what, browser, token }
}

/// All kinds of callers, in the order of the golden file.
async fn columns(app: &App, scene: &ConsoleWorld) -> Vec<Column> {
    let world = &scene.world;
    let nobody = Browser::new(app);
    let mut columns =
        vec![Column { name: "nobody", what: "not signed in", browser: nobody, token: world.user.clone() }];
    app.person("stranger").await;
    columns.push(column(app, "stranger", "a person of no team", "stranger").await);
    columns.push(column(app, "owner", "an owner", "acme-owner").await);
    for &(name, what, roles) in MEMBERS {
        world.member(app, name, roles).await;
        columns.push(column(app, name, what, name).await);
    }

    let removed = world.member(app, "removed", "admin").await;
    columns.push(column(app, "removed", "an admin who was removed", "removed").await);
    world.owner.delete(&format!("/team/{}/member/{}", world.team, removed.id)).await.ok();

    world.member(app, "disabled", "admin").await;
    columns.push(column(app, "disabled", "an admin whose account is disabled", "disabled").await);
    let output = app.run(&["account", "disable", "--email", "disabled@example.com"], "").await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    app.person("root").await;
    app.make_operator("root").await;
    columns.push(column(app, "operator", "an operator of no team", "root").await);
    columns
}

/// Opens all pages as one caller.
async fn outcomes_of(column: &Column, scene: &ConsoleWorld, pages: &[String]) -> Outcomes {
    let mut outcomes = Outcomes::new();
    for page in pages {
        let address = scene.address(page, &column.token);
        let shown = column.browser.open(&address).await;
        let (status, path) = (shown.status.as_u16(), shown.url.path());
        assert!(status < 500, "{}: {shown}", column.name);
        let outcome = match path {
            "/auth/sign-in" => "sign-in".to_owned(),
            _ if address.split('?').next() == Some(path) => status.to_string(),
            _ => format!("{status} at {}", console_page(pages, path).unwrap_or(path)),
        };
        outcomes.insert(page.clone(), outcome);
    }
    outcomes
}

/// Text of the golden file: for each page, the outcome for each kind of caller.
fn golden_text(columns: &[Column], pages: &[String], outcomes: &[Outcomes]) -> String {
    let mut text = String::from(
        "# Status of each page of the console for each kind of caller. Run `make generate` \
         to update it.\n#\n",
    );
    for column in columns {
        text += &format!("# {:<24} {}\n", column.name, column.what);
    }
    for page in pages {
        text += &format!("\n{page}\n");
        let mut by_outcome: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (column, outcomes) in columns.iter().zip(outcomes) {
            by_outcome.entry(&outcomes[page]).or_default().push(column.name);
        }
        for (outcome, names) in by_outcome {
            text += &format!("    {outcome:<8} {}\n", names.join(", "));
        }
    }
    text
}

/// What a caller finds on the way from the home page over all links and forms.
#[derive(Default)]
struct Walk {
    /// Pages that something links to.
    linked: BTreeSet<String>,
    /// Controls that do not work.
    broken: Vec<String>,
}

impl Walk {
    /// Opens each address once. Addresses that differ only in the values of their query count as one.
    async fn take(browser: &Browser, base: &str, pages: &[String]) -> Self {
        let (mut walk, base) = (Self::default(), Url::parse(base).unwrap());
        let (mut seen, mut open) = (BTreeSet::new(), VecDeque::from([("/".to_owned(), base.clone())]));
        while let Some((address, from)) = open.pop_front() {
            let url = from.join(&address).unwrap();
            // The API reference has tests of its own.
            if url.origin() != base.origin() || url.path().starts_with("/docs") {
                continue;
            }
            walk.linked.extend(console_page(pages, url.path()).map(str::to_owned));
            let query: BTreeSet<String> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
            if !seen.insert((url.path().to_owned(), query)) {
                continue;
            }
            let shown = browser.open(url.as_str()).await;
            // A log goes on linking to what was deleted after the event.
            let is_of_log = from.path().ends_with("/audit") && shown.status == 404;
            if !shown.left && !shown.status.is_success() && !is_of_log {
                walk.broken.push(format!("{address} at {from} leads to {}", shown.status));
            } else if is_of_console(&shown) {
                let (anchors, addresses): (Vec<_>, Vec<_>) =
                    shown.links().into_iter().chain(shown.actions()).partition(|address| address.starts_with('#'));
                let missing = anchors.iter().filter(|anchor| !shown.html.contains(&format!("id=\"{}\"", &anchor[1..])));
                walk.broken.extend(missing.map(|anchor| format!("{anchor} at {} is missing", shown.url)));
                open.extend(addresses.into_iter().map(|address| (address, shown.url.clone())));
            }
        }
        walk
    }
}

/// Whether the page is one of the console, and not a file or the page of an app.
fn is_of_console(page: &Page) -> bool {
    let is_html = page.headers.get("content-type").is_some_and(|kind| kind == "text/html; charset=utf-8");
    !page.left && is_html && (page.url.path() == "/" || page.url.path().starts_with("/console/"))
}

/// What is wrong with the controls of a caller.
fn problems(column: &Column, outcomes: &Outcomes, walk: &Walk) -> Vec<String> {
    let broken = walk.broken.iter().map(|broken| format!("{}: {broken}", column.name));
    // With few permissions, a person may be permitted to open a page, but not the one that links to it.
    let is_partial = column.name.starts_with("only-");
    let permitted = outcomes.iter().filter(|(_, outcome)| *outcome == "200" && !is_partial).map(|(page, _)| page);
    let unlinked = permitted
        .filter(|page| !walk.linked.contains(*page) && !LINKED_IN_ANOTHER_STATE.contains(&page.as_str()))
        .map(|page| format!("{}: nothing links to {page}", column.name));
    broken.chain(unlinked).collect()
}

async fn assert_each_caller_sees_the_controls_that_work(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_LOG", "error")]).await;
    let (scene, pages) = (ConsoleWorld::make(&app, "acme").await, console_pages());
    let columns = columns(&app, &scene).await;
    let (mut outcomes, mut walks) = (Vec::new(), Vec::new());
    for chunk in columns.chunks(CONCURRENCY) {
        outcomes.extend(join_all(chunk.iter().map(|column| outcomes_of(column, &scene, &pages))).await);
        walks.extend(join_all(chunk.iter().map(|column| Walk::take(&column.browser, &app.base, &pages))).await);
    }

    let text = golden_text(&columns, &pages, &outcomes);
    if std::env::var_os("STEWARD_UPDATE_GOLDEN").is_some() {
        std::fs::write(golden(), &text).unwrap();
    }
    let all = columns.iter().zip(&outcomes).zip(&walks);
    let wrong: Vec<_> = all.flat_map(|((column, outcomes), walk)| problems(column, outcomes, walk)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let expected = std::fs::read_to_string(golden()).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        text == expected,
        "The statuses differ from tests/http/golden/console.txt. First difference: {differs:#?}\n\
        Set STEWARD_UPDATE_GOLDEN=1 to update the file."
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_caller_sees_the_controls_that_work_on_sqlite() {
    assert_each_caller_sees_the_controls_that_work(Backend::Sqlite).await;
}

/// The decision is above the stores, so a short run leaves this out.
mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn each_caller_sees_the_controls_that_work_on_postgres() {
        assert_each_caller_sees_the_controls_that_work(Backend::Postgres).await;
    }
}
