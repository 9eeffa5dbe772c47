//! The users of a project: list, search and filter.

use actix_web::http::StatusCode;
use askama::Template;
use steward_domain::data::{ProjectUser, UserFilter, UserSearch, UserStatus, VisibleUser};
use steward_domain::kernel::Page;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{ProjectScope, Shell, Signed, Timestamp};
use crate::error::PageResult;

use super::scope::name_of;

/// Shows the users that match a filter.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    list(signed, scope, None).await
}

/// Shows the users to choose from the one who gets a new item in the table in the path.
pub(crate) async fn choose(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let (table, ..) = signed.table_in(&scope, Operation::ItemCreate).await?;
    list(signed, scope, Some(table)).await
}

/// Shows users; `table`: the one that gets a new item of the chosen user.
async fn list(signed: Signed, scope: ProjectScope, table: Option<String>) -> PageResult {
    let (text, status) = (signed.query("q").trim().to_owned(), signed.query("status"));
    let (search, error) = match UserSearch::parse(&text) {
        Ok(search) => (Some(search), None),
        Err(_) if text.is_empty() => (None, None),
        Err(error) => (None, Some(format!("The search text {error}."))),
    };
    // Only the data of connected users can be changed.
    let status = if table.is_some() { UserStatus::Connected.as_str().to_owned() } else { status };
    let filter = UserFilter { status: UserStatus::parse(&status), search };
    let found = match error {
        None => {
            let users = &signed.steward().project_users;
            users.list(&signed.caller, scope.project.id, &filter, &signed.page_request()).await?
        }
        Some(_) => Page { items: Vec::new(), next: None },
    };
    let next = signed.next_page(found.next.as_ref(), &[("q", text.as_str()), ("status", status.as_str())]);
    let page_status = if error.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let view = Users {
        shell: match &table {
            None => scope.shell(&signed, "Users").await?,
            Some(table) => {
                let shell = scope.shell(&signed, "Data").await?.below(scope.at("/data"), table.as_str());
                shell.below(scope.at(&format!("/data/{table}")), "New item")
            }
        },
        address: signed.path().to_owned(),
        is_filtered: !text.is_empty() || (table.is_none() && filter.status.is_some()),
        table,
        statuses: UserStatus::ALL.map(|status| (status, filter.status == Some(status))),
        lacks_emails: found.items.iter().all(|user| user.email.is_none()),
        users: found.items,
        text,
        error,
        next,
        scope,
    };
    signed.page_with(page_status, &view)
}

/// Returns the status of a user as people read it.
pub(crate) fn status_of(user: &ProjectUser) -> &'static str {
    if user.is_being_deleted() { "Being deleted" } else { title(user.status) }
}

/// Returns the status as people read it.
fn title(status: UserStatus) -> &'static str {
    match status {
        UserStatus::Connected => "Connected",
        UserStatus::Disconnected => "Disconnected",
        UserStatus::Blocked => "Blocked",
    }
}

#[derive(Template)]
#[template(path = "console/data/user/list.html")]
struct Users {
    shell: Shell,
    scope: ProjectScope,
    address: String,
    /// The table that gets a new item of the chosen user.
    table: Option<String>,
    users: Vec<VisibleUser>,
    text: String,
    /// The statuses to filter by, and whether they are selected.
    statuses: [(UserStatus, bool); 3],
    is_filtered: bool,
    /// Whether none of the users granted their address.
    lacks_emails: bool,
    error: Option<String>,
    next: Option<String>,
}
