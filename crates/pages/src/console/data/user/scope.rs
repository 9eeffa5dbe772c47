//! The project user that a page is about, and the tables of the project's schema.

use std::sync::Arc;

use serde_json::Value;
use steward_domain::data::schema::{Document, FieldType};
use steward_domain::data::{ItemId, ItemPath, ProjectUser, UserStatus, VisibleUser};
use steward_domain::identity::Email;
use steward_domain::kernel::error::{Error, ResourceKind, UnknownTable};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{ProjectUserId, ResourceScope};

use crate::console::frame::{Crumb, ProjectScope, Shell, Signed};
use crate::error::PageError;

/// The user in the path, and their project.
pub(crate) struct UserScope {
    pub project: ProjectScope,
    pub user: ProjectUser,
    /// The address of the account, if the person granted it to the project.
    pub email: Option<Email>,
}

/// A table of a user.
pub(crate) struct TableScope {
    pub of: UserScope,
    pub table: String,
    pub fields: Vec<TableField>,
    pub document: Arc<Document>,
}

/// A field of a table.
pub(crate) struct TableField {
    pub name: String,
    pub kind: FieldType,
    pub is_required: bool,
    pub description: String,
}

impl Signed {
    /// Returns the user in the path.
    pub(crate) async fn user(&self) -> Result<UserScope, PageError> {
        let project = self.project().await?;
        let id = ProjectUserId::parse(self.parameter("user")).ok_or(Error::NotFound(ResourceKind::ProjectUser))?;
        let VisibleUser { user, email } =
            self.steward().project_users.get(&self.caller, project.project.id, id).await?;
        Ok(UserScope { project, user, email })
    }

    /// Returns the table in the path, for a page that performs this operation. A table that the newest schema does not
    /// contain is not found.
    pub(crate) async fn table(&self, operation: Operation) -> Result<TableScope, PageError> {
        let of = self.user().await?;
        let (table, fields, document) = self.table_in(&of.project, operation).await?;
        Ok(TableScope { of, table, fields, document })
    }

    /// Returns the table in the path, its fields and the newest schema of the project.
    pub(crate) async fn table_in(
        &self,
        project: &ProjectScope,
        operation: Operation,
    ) -> Result<(String, Vec<TableField>, Arc<Document>), PageError> {
        project.permitted.require(operation)?;
        let document = self.document(project).await?;
        let table = self.parameter("table").to_owned();
        let unknown = || Error::UnknownTable(UnknownTable::new(&table, document.as_deref()));
        let document = document.clone().filter(|document| document.has_table(&table)).ok_or_else(unknown)?;
        Ok((table.clone(), fields(&document, &table), document))
    }

    /// Returns the newest schema of a project; `None` before the first publication.
    pub(crate) async fn document(&self, scope: &ProjectScope) -> Result<Option<Arc<Document>>, PageError> {
        let (steward, project) = (self.steward(), scope.project.id);
        let number = steward.schemas.count(project).await?;
        Ok(steward.catalog.document(project, number).await?)
    }

    /// Returns the item in the path.
    pub(crate) fn item_path(&self, scope: &TableScope) -> Result<ItemPath, PageError> {
        let id = ItemId::stored(self.parameter("item")).map_err(|_| Error::NotFound(ResourceKind::Item))?;
        let user = &scope.of.user;
        Ok(ItemPath { project_id: user.project_id, user_id: user.id, table: scope.table.clone(), id })
    }
}

impl UserScope {
    /// Returns the address of a page of the user. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        self.project.at(&format!("/users/{}{path}", self.user.id))
    }

    /// Returns the address of a table of the user.
    pub(crate) fn table_address(&self, table: &str) -> String {
        self.at(&format!("/tables/{table}"))
    }

    /// Returns the name by which pages show the user.
    pub(crate) fn name(&self) -> String {
        name_of(&self.user, self.email.as_ref())
    }

    /// Returns the layout of a page of the user. `crumbs`: the pages below that of the user.
    pub(crate) async fn shell(&self, signed: &Signed, below: Vec<Crumb>) -> Result<Shell, PageError> {
        let project = &self.project;
        let team = Crumb { label: project.team_name.clone(), address: project.team_address() };
        let user = if below.is_empty() { Crumb::here(self.name()) } else { Crumb::to(self.name(), self.at("")) };
        let above = [
            team,
            Crumb::to(project.project.name.as_str(), project.at("")),
            Crumb::to("Users", project.at("/users")),
            user,
        ];
        let crumbs = above.into_iter().chain(below).collect();
        let scope = ResourceScope::Project(project.project.id);
        signed.shell(crumbs, signed.tabs().of(project.permitted, scope, "Users")).await
    }
}

impl TableScope {
    /// Returns the address of a page of the table. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.of.table_address(&self.table))
    }

    /// Returns the address of a page of an item.
    pub(crate) fn item_address(&self, id: &str, path: &str) -> String {
        self.at(&format!("/items/{id}{path}"))
    }

    /// Whether the person may perform the operation. Only the data of connected users can be changed.
    pub(crate) fn may(&self, operation: Operation) -> bool {
        self.of.project.permitted.may(operation) && (self.is_writable() || !operation.is_write())
    }

    /// Whether the user is connected.
    pub(crate) fn is_writable(&self) -> bool {
        self.of.user.status == UserStatus::Connected
    }

    /// Returns the layout of a page of the table; `page` is empty for the table itself.
    pub(crate) async fn shell(&self, signed: &Signed, page: &str) -> Result<Shell, PageError> {
        let below = match page {
            "" => vec![Crumb::here(self.table.as_str())],
            page => vec![Crumb::to(self.table.as_str(), self.at("")), Crumb::here(page)],
        };
        self.of.shell(signed, below).await
    }
}

/// Returns the name by which a list shows a user: the name or username of the account, the address if it is known, or else
/// the ID.
pub(crate) fn name_of(user: &ProjectUser, email: Option<&Email>) -> String {
    let profile = |name: &str| user.profile.members().get(name).and_then(Value::as_str);
    let known = profile("name").or_else(|| profile("username")).or_else(|| email.map(Email::shown));
    known.map_or_else(|| user.id.to_string(), str::to_owned)
}

/// Returns the names of the tables, in the order of the document.
pub(crate) fn tables(document: &Document) -> Vec<String> {
    let tables = document.members().get("tables").and_then(Value::as_object);
    tables.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// Returns the fields of a table, in the order of the document.
pub(crate) fn fields(document: &Document, table: &str) -> Vec<TableField> {
    let declared = document.members().get("tables").and_then(|tables| tables.get(table)?.get("fields"));
    let field = |(name, kind): (&str, FieldType)| {
        let declared = declared.and_then(|fields| fields.get(name));
        let member = |member: &str| declared.and_then(|field| field.get(member));
        TableField {
            name: name.to_owned(),
            kind,
            is_required: member("required").and_then(Value::as_bool).unwrap_or(false),
            description: member("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        }
    };
    document.fields(table).into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_read_from_the_document_in_their_order() {
        let title = json!({"type": "string", "required": true, "description": "Shown first"});
        let rank = json!({"type": "number"});
        let declared = json!({"notes": {"fields": {"title": title, "rank": rank}}, "b": {"fields": {"n": rank}}});
        let document = Document::parse(&json!({"project_id": "p", "version": 1, "tables": declared})).unwrap();
        assert_eq!(tables(&document), ["notes", "b"]);
        let found = fields(&document, "notes");
        let lines: Vec<_> = found.iter().map(|field| (field.name.as_str(), field.is_required)).collect();
        assert_eq!(lines, [("title", true), ("rank", false)]);
        assert_eq!(found[0].description, "Shown first");
    }
}
