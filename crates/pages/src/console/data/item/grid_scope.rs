//! The table that a grid shows: with the items of one user, or of all.

use std::collections::HashMap;
use std::sync::Arc;

use steward_domain::data::schema::Document;
use steward_domain::data::{Accessor, Items, RawItemQuery, StoredItem, UserStatus, VisibleUser};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Caller, PageSize, ProjectId, ProjectUserId};

use crate::console::data::user::scope::{TableField, TableScope, UserScope, name_of};
use crate::console::frame::{Crumb, ProjectScope, Shell, Signed};
use crate::error::PageError;

use super::filter::GridQuery;

/// A table of a user, or of all users.
pub(crate) struct GridScope {
    pub(crate) project: ProjectScope,
    /// The user; `None` for all users.
    pub(crate) user: Option<UserScope>,
    pub(crate) table: String,
    pub(crate) fields: Vec<TableField>,
    pub(crate) document: Arc<Document>,
}

/// A page of a grid.
#[derive(Default)]
pub(crate) struct GridItems {
    pub(crate) items: Vec<StoredItem>,
    pub(crate) next: Option<String>,
    /// Whether a search stopped before the end.
    pub(crate) is_incomplete: bool,
}

impl GridItems {
    /// Returns the items of a table that match a query, of one user or of all users of a project.
    pub(crate) async fn find(
        items: &Items,
        caller: &Caller,
        (project, user): (ProjectId, Option<ProjectUserId>),
        table: &str,
        raw: &RawItemQuery,
    ) -> Result<Self, Error> {
        let (page, is_incomplete) = match user {
            Some(user) => (items.list(caller, Accessor::Project, project, user, table, raw).await?, false),
            None => {
                let found = items.list_of_project(caller, project, table, raw).await?;
                (found.page, found.stopped.is_some())
            }
        };
        Ok(Self { items: page.items, next: page.next, is_incomplete })
    }
}

impl GridScope {
    /// Returns the table in the path, of the user in the path if it names one.
    pub(crate) async fn of(signed: &Signed, operation: Operation) -> Result<Self, PageError> {
        if signed.parameter("user").is_empty() {
            let project = signed.project().await?;
            let (table, fields, document) = signed.table_in(&project, operation).await?;
            return Ok(Self { project, user: None, table, fields, document });
        }
        let TableScope { of, table, fields, document } = signed.table(operation).await?;
        Ok(Self { project: of.project.clone(), user: Some(of), table, fields, document })
    }

    pub(crate) fn is_of_all(&self) -> bool {
        self.user.is_none()
    }

    /// Returns whose items the grid shows.
    pub(crate) fn owner(&self) -> String {
        self.user.as_ref().map_or_else(|| "all users".to_owned(), UserScope::name)
    }

    /// Returns the address of a page of the grid. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        match &self.user {
            Some(of) => self.of_user(of.user.id, path),
            None => self.project.at(&format!("/data/{}{path}", self.table)),
        }
    }

    /// Returns the address of a page of the table of a user.
    pub(crate) fn of_user(&self, user: ProjectUserId, path: &str) -> String {
        self.project.at(&format!("/users/{user}/tables/{}{path}", self.table))
    }

    /// Whether the person may perform the operation. Only the data of connected users can be changed.
    pub(crate) fn may(&self, operation: Operation) -> bool {
        self.project.permitted.may(operation) && (self.is_writable() || !operation.is_write())
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.user.as_ref().is_none_or(|of| of.user.status == UserStatus::Connected)
    }

    /// Returns the order of the grid without a chosen one.
    pub(crate) fn default_order(&self) -> &'static str {
        if self.is_of_all() { "user_id.asc" } else { "created_at.desc" }
    }

    /// Returns the layout of a page of the grid; `page` is empty for the grid itself.
    pub(crate) async fn shell(&self, signed: &Signed, page: &str) -> Result<Shell, PageError> {
        let shell = match &self.user {
            Some(of) => of.shell(signed, vec![Crumb::here(self.table.as_str())]).await?,
            None => {
                let shell = self.project.shell(signed, "Data").await?;
                shell.below(self.project.at("/data"), self.table.as_str())
            }
        };
        Ok(if page.is_empty() { shell } else { shell.below(self.at(""), page) })
    }

    /// Returns the items of a page.
    pub(crate) async fn list(
        &self,
        signed: &Signed,
        query: &GridQuery,
        (rows, size): (u16, PageSize),
    ) -> Result<GridItems, Error> {
        let raw = query.to_raw(Some(rows), size);
        GridItems::find(&signed.steward().items, &signed.caller, self.place(), &self.table, &raw).await
    }

    /// Returns the project, and the user unless the grid has the items of all.
    pub(crate) fn place(&self) -> (ProjectId, Option<ProjectUserId>) {
        (self.project.project.id, self.user.as_ref().map(|of| of.user.id))
    }

    /// Returns the names of the users who own items of a grid of all users, if the person may know them.
    pub(crate) async fn names(
        &self,
        signed: &Signed,
        items: &[StoredItem],
    ) -> Result<HashMap<ProjectUserId, String>, Error> {
        if !self.is_of_all() || items.is_empty() || !self.may(Operation::UserList) {
            return Ok(HashMap::new());
        }
        let mut ids: Vec<_> = items.iter().map(|stored| stored.item.user_id).collect();
        ids.dedup();
        let found = signed.steward().project_users.with_ids(&signed.caller, self.project.project.id, &ids).await?;
        Ok(found.into_iter().map(|VisibleUser { user, email }| (user.id, name_of(&user, email.as_ref()))).collect())
    }
}
