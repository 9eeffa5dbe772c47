//! The items of all users of a project (docs/contract.md#items-of-all-users).

use std::collections::HashMap;

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use super::item::Item;
use crate::operation::operations;
use crate::values::UserId;

operations! {
    ROWS, "project-users";

    /// List the tables of a project
    ///
    /// Returns the tables of the newest schema, and others that still have items, with the number and the size of the items of
    /// all users. At most 10,000 items are counted.
    ListProjectTables Get "/project/{id}/db", Reads Safe, at(Project), 200(ProjectTables),
        deviates("docs/contract.md#items-of-all-users"), command("project tables");

    /// List the items of all users
    ///
    /// Returns the items of all users of a project in a table, by user and ID. Conditions and another order search among at
    /// most 100,000 items of the project; the response states where the search stopped. A page holds 100 items by default.
    ListProjectItems Get "/project/{id}/db/{table_id}", Reads Safe, at(Project, Table), query(ProjectItemParameters),
        200(ProjectItemListing, "The items."), deviates("docs/contract.md#items-of-all-users"),
        command("item list-project");
}

/// The tables of a project.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectTables {
    /// The tables, in the order of the schema.
    pub data: Vec<ProjectTable>,
    /// Whether all items are counted. If not, the tables have at least these sizes.
    pub complete: bool,
}

/// A table, with the items of all users.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectTable {
    /// Name of the table.
    #[schema(example = "notes")]
    pub table: String,
    /// Number of items.
    #[schema(example = 3)]
    pub items: u64,
    /// Size of the items' fields as JSON, in bytes.
    #[schema(example = 120)]
    pub bytes: u64,
}

/// Items of all users.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectItemListing {
    /// The items.
    pub data: Vec<ProjectItem>,
    /// Where a search stopped before the end; absent if nothing was left to examine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<SearchStop>,
    /// Cursor of the next page; absent if there are no more items. A page can be empty although others follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Mi4xLkV4YW1wbGU")]
    pub next_cursor: Option<String>,
}

/// An item, and the user who owns it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProjectItem {
    /// ID of the user in the project.
    pub user_id: UserId,
    /// The item.
    pub item: Item,
}

/// Where a search among the items of all users stopped. In the order by user and ID, `next_cursor` continues there.
/// Otherwise the items are those that were found among the examined ones.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SearchStop {
    /// Maximum number of the project's items that a request examines.
    #[schema(example = 100_000)]
    pub limit: u32,
    /// The last user whose items were examined, in the order of the users' IDs.
    pub user_id: UserId,
}

/// Parameters of a query of the items of all users (docs/contract.md#items-of-all-users).
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProjectItemParameters {
    /// Conditions, as in a list of the items of one user: any number of parameters, each with the name of a field, `id`,
    /// `created_at`, `updated_at` or `user_id`, and a value of the form `operator.value`.
    #[param(style = Form, explode, required = false, value_type = Object)]
    pub conditions: Option<HashMap<String, String>>,
    /// `false`: return only items that do not conform to the newest schema; `true`: only others.
    pub conforms: Option<bool>,
    /// Sort order, such as `rank.desc,title.asc`. By default, the order is that of the users' IDs, and then of the IDs of
    /// their items.
    pub order: Option<String>,
    /// Maximum number of items to return, by default 100. A page also ends at 4 MiB.
    pub limit: Option<u16>,
    /// The `next_cursor` of the previous page. Send it with the same order and conditions.
    pub cursor: Option<String>,
    /// Comma-separated members of the items to return besides `id`, such as `title,rank`.
    pub select: Option<String>,
}
