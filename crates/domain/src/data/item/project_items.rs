//! The items of all users of a project.

use super::Items;
use crate::data::{ItemQuery, ProjectItemPage, RawItemQuery, TableSize, TableSizes};
use crate::kernel::error::{Error, UnknownTable};
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, ProjectId};

impl Items {
    /// Returns a page of the items of all users in one table that match the query. A table that is no longer in the
    /// newest schema returns the items that remain in it.
    pub async fn list_of_project(
        &self,
        caller: &Caller,
        project: ProjectId,
        table: &str,
        sent: &RawItemQuery,
    ) -> Result<ProjectItemPage, Error> {
        let access = self.core.access.project(caller, project).await?;
        access.permit(Operation::ProjectItemList).await?;

        let schema = self.schema(project, access.project().schema_number).await?;
        let is_known = schema.has_table(table);
        let unknown = || Error::UnknownTable(UnknownTable::new(table, Some(&schema)));
        let query = ItemQuery::parse_of_project(sent, &schema, table);
        let query = query.map_err(|error| if is_known { error } else { unknown() })?;
        let found = self.core.ports.items.project_items(project, table, &query).await?;
        let found = query.project_page(found);
        let is_end = found.page.next.is_none() && found.stopped.is_none();
        if found.page.items.is_empty() && is_end && !is_known {
            return Err(unknown());
        }
        Ok(found)
    }

    /// Returns the sizes of the tables: those of the newest schema in its order, then others that have items.
    pub async fn tables(&self, caller: &Caller, project: ProjectId) -> Result<TableSizes, Error> {
        let access = self.core.access.project(caller, project).await?;
        access.permit(Operation::ProjectTableList).await?;

        let schema = self.schema(project, access.project().schema_number).await?;
        let TableSizes { tables: mut counted, is_complete } = self.core.ports.items.table_sizes(project).await?;
        let mut tables = Vec::new();
        for name in schema.table_names() {
            let found = counted.iter().position(|counted| counted.table == name);
            let empty = TableSize { table: name.to_owned(), items: 0, bytes: 0 };
            tables.push(found.map_or(empty, |index| counted.remove(index)));
        }
        tables.extend(counted);
        Ok(TableSizes { tables, is_complete })
    }
}
